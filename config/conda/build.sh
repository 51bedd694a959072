#!/usr/bin/env bash
# Compiles by conda's compilers, through PETSc's MPI wrappers, and tries what it has installed
set -euo pipefail
export OMPI_CC=$CC OMPI_CXX=$CXX
make PETSC_DIR="$PREFIX" PETSC_ARCH= -j"${CPU_COUNT:-2}" all docs
make PETSC_DIR="$PREFIX" PETSC_ARCH= PREFIX="$PREFIX" FLAT=yes install
make PETSC_DIR="$PREFIX" PETSC_ARCH= PREFIX="$PREFIX" FLAT=yes installcheck
