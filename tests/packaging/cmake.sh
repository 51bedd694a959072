#!/usr/bin/env bash
# The CMake package file: a project of its own finds the library in a prefix that has been moved, builds a program and runs it.
# Usage: tests/packaging/cmake.sh   (PETSC_DIR and PETSC_ARCH as for make)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset DESTDIR PREFIX PLAIN VARIANT LIBDIR FLAT CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH
unset -v petscautocsr_DIR petscautocsr_ROOT
top=$PWD version=$(<config/VERSION)
moved="$work/some where/else"

staged() { make -s install DESTDIR="$work/stage" PREFIX=/opt/autocsr VARIANT="$@" && mkdir -p "${moved%/*}" && rm -rf "$moved" && cp -a "$work/stage/opt/autocsr" "$moved"; }
# configure BUILD ASSIGNMENT...: by plain gcc, as the package finds MPI
configure() {
  local build=$work/$1
  shift
  env -u CC cmake -S "$top/tests/packaging/cmake" -B "$build" -DCMAKE_C_COMPILER=gcc -DSOURCES="$top/examples" -DCMAKE_PREFIX_PATH="$moved" "$@"
}
program() { cmake --build "$work/$1" && config/with-mpi.sh "$work/$1/create" -n 30; }
from() { ldd "$work/$1/create" | grep -F "libpetscautocsr.so.${version%.*} => $moved/lib/petscautocsr/$2/" >/dev/null; }
nowhere() { ! grep -rF "$work/stage" "$moved/lib/petscautocsr/one/cmake" && ! grep -rF /opt/autocsr "$moved/lib/petscautocsr/one/cmake"; }
found() { configure "$@" && grep -qF "found $version, $moved/lib/petscautocsr/one/libpetscautocsr.so" "$work/log"; }

check "make install puts it into a staging folder, which is moved" staged one
check "... of whose old places nothing is in the files" nowhere
check "find_package finds it" found plain
check "a program is built and runs" program plain
check "... with the library that was moved" from plain one
petsc_linked() { grep -E ' [^ ]*/lib/libpetsc[^ /]*\.so ' "$work/plain/CMakeFiles/create.dir/link.txt" && ! grep -E -e '-lpetsc' "$work/plain/CMakeFiles/create.dir/link.txt"; }
check "... and PETSc's library by its full path, so that no other PETSc is taken" petsc_linked
check "the version in two numbers is found" configure two -DWANT="${version%.*}"
refused "another version is not" "version: $version" configure three -DWANT=9.9
check "a second variant in the prefix" staged two PLAIN=no
check "... is found by its folder" configure four -Dpetscautocsr_DIR="$moved/lib/petscautocsr/two/cmake"
check "... is built with" program four
check "... and used" from four two
flat() { make -s install DESTDIR="$work/stage" PREFIX=/opt/flat FLAT=yes LIBDIR=lib/x86_64-linux-gnu && cp -a "$work/stage/opt/flat" "$work/flat"; }
check "a prefix of one PETSc, with Debian's folder of libraries" flat
check "... is found" configure six -DCMAKE_PREFIX_PATH="$work/flat"
check "... and built with" program six
rm "$moved/include/petscautocsr.h"
refused "a header that is gone is missed" "There is no $moved/include/petscautocsr.h" configure five
finish
