#!/usr/bin/env bash
# PETSc's configure with the package file of config/petsc, in a copy of what it needs of PETSc's source tree: the file is taken, and the patch fits. Nothing is built.
# Usage: PETSC_DIR=<source tree of PETSc 3.26> tests/packaging/configure.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh

tree=$work/petsc
copy() {
  mkdir -p "$tree/include" "$tree/lib" "$tree/src/sys/dll" &&
    cp -r "$PETSC_DIR"/{config,configure} "$tree" && cp -r "$PETSC_DIR/lib/petsc" "$tree/lib" &&
    cp "$PETSC_DIR/include/petscversion.h" "$tree/include" && cp "$PETSC_DIR/src/sys/dll/reg.c" "$tree/src/sys/dll"
}
helped() { (cd "$tree" && python3 ./configure --help >"$work/help") && grep -e '--download-autocsr=<' "$work/help"; }
unhelped() { ! helped && grep -e '--download-hypre=<' "$work/help"; }

check "what configure needs is in ${PETSC_DIR:?names a source tree of PETSc}" copy
check "configure knows nothing of autocsr before" unhelped
check "the package file is copied" cp config/petsc/autocsr.py "$tree/config/BuildSystem/config/packages"
check "configure takes --download-autocsr" helped
check "the patch fits" patch -d "$tree" -p1 -i "$PWD/config/petsc/autoload.patch"
check "... and loads a library of this name" grep -q 'PetscLoadDynamicLibrary("autocsr"' "$tree/src/sys/dll/reg.c"
finish
