#!/usr/bin/env bash
# Builds that fail or are interrupted, and how many jobs make runs. The converter, one source, is what is built.
# Usage: tests/scripts/build.sh   (PETSC_DIR and PETSC_ARCH as for make)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset MAKEFLAGS MFLAGS
export BUILD=$work/b
convert=$BUILD/src/benchmarks/programs/autocsr_convert

# compiler SHELL-COMMAND: writes half an object and what depends on nothing that is there, then the command
compiler() {
  cat >"$work/cc" <<END
#!/bin/bash
while [ \$# -gt 0 ]; do [ "\$1" = -o ] && out=\$2; shift; done
echo half >"\$out"
echo "\$out: no/such/head" >"\${out%.o}.d"
$1
END
  chmod +x "$work/cc"
}
compiler "exit 1"
refused "a compiler that fails" "Error 1" env OMPI_CC="$work/cc" make "$convert"
check "... leaves no object" test ! -e "$convert.o"
interrupted() {
  OMPI_CC="$work/cc" make "$convert" &
  local pid=$!
  for _ in {1..100}; do [ -e "$work/compiling" ] && break; sleep 0.1; done
  kill -TERM $pid
  wait $pid
  [ -e "$work/compiling" ] && [ ! -e "$convert.o" ]
}
compiler "touch $work/compiling; exec sleep 20"
check "an interrupted build leaves no object" interrupted
check "the next build needs no make clean" make "$convert"

# A PETSc 3.26 whose configure has found nvcc: what would be compiled
petsc=$work/petsc
mkdir -p "$petsc/include" "$petsc/lib/petsc/conf"
printf '#define PETSC_VERSION_%s\n' "MAJOR 3" "MINOR 26" "SUBMINOR 1" >"$petsc/include/petscversion.h"
printf '%s\n' "CUDAC = nvcc" "CC = mpicc" "CXX = mpicxx" >"$petsc/lib/petsc/conf/petscvariables"
echo 'include ${PETSC_DIR}/lib/petsc/conf/petscvariables' >"$petsc/lib/petsc/conf/variables"
for_device() { make -n objects PETSC_DIR="$petsc" PETSC_ARCH= BUILD="$work/none" | grep -c AUTOCSR_HAVE_CUDA; }
echo '#define PETSC_HAVE_CUDA_DIALECT_CXX17 1' >"$petsc/include/petscconf.h"
check "nothing for a GPU where PETSc was configured without CUDA" test "$(for_device)" = 0
echo '#define PETSC_HAVE_CUDA 1' >>"$petsc/include/petscconf.h"
check "... and much where it was configured with it" test "$(for_device)" -gt 50

jobs() { make --eval='jobs: ; @echo jobs: $$MAKEFLAGS' "$@" jobs | grep -o -e '^jobs:' -e ' -j[0-9]*' | tr -d '\n'; }
check "all cores" test "$(jobs)" = "jobs: -j$(nproc)"
check "so many as -j says" test "$(jobs -j3)" = "jobs: -j3"
check "one with -j1" test "$(jobs -j1)" = "jobs: -j1"
check "so many as MAKEFLAGS says" test "$(MAKEFLAGS=-j3 jobs)" = "jobs: -j3"
check "several goals are made one after the other" test "$(jobs FORCE)" = "jobs:"
finish
