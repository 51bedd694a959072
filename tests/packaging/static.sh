#!/usr/bin/env bash
# A program with a static PETSc inside, made of the objects of a PETSc that was built in its source tree: it may load the library if it exports PETSc.
# Usage: PETSC_DIR=... PETSC_ARCH=... tests/packaging/static.sh   (as the last make)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
library=$PWD/build/libpetscautocsr.so

archive() { find "$PETSC_DIR/$PETSC_ARCH/obj" -name '*.o' -print0 | xargs -0 ar qc "$work/libpetsc.a"; }
# program NAME OPTION...: all of PETSc is in it
program() {
  local name=$1
  shift
  mpicc examples/multiply.c -o "$work/$name" -I"$PETSC_DIR/include" -I"$PETSC_DIR/$PETSC_ARCH/include" -Wl,--whole-archive "$work/libpetsc.a" -Wl,--no-whole-archive "$@" \
    $(sed -n 's/^PETSC_EXTERNAL_LIB_BASIC = //p' "$PETSC_DIR/$PETSC_ARCH/lib/petsc/conf/petscvariables") -lm
}
alone() { readelf -d "$work/$1" | grep NEEDED && ! readelf -d "$work/$1" | grep 'NEEDED.*libpetsc'; }
run() { config/with-mpi.sh "$work/$1" -dll_append "$library" -mat_type autocsr; }

check "the objects of PETSc make an archive" archive
check "a program with all of it exports it" program exporting -rdynamic
check "... and needs no shared PETSc" alone exporting
multiplies() { run exporting | grep -x seqaijautocsr; }
check "it multiplies with the library" multiplies
check "a program that does not export it" program closed
refused "... is refused" "Link the program with the shared PETSc, or with all of the static one and export it" run closed
finish
