#!/usr/bin/env bash
# make install: what lies where, for paths that shells, sed and pkg-config could take for something else, for two variants in one prefix,
# and what is made of it by a program that knows nothing but the prefix.
# Usage: tests/scripts/install.sh   (PETSC_DIR and PETSC_ARCH as for make)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
soname=libpetscautocsr.so.$(cut -d. -f1,2 config/VERSION)
unset DESTDIR PREFIX PLAIN VARIANT LIBDIR FLAT CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

# files FOLDER: mode, name and target of all that is there, the manual pages as one line
files() { find "$1" -mindepth 1 -printf '%M %P %l\n' | sed 's/ *$//; s,[^/]*\.3$,*.3,' | LC_ALL=C sort -k 2 -u; }
same() { diff <(files "$1") -; }
staged() { (umask 077 && make -s install DESTDIR="$work/stage &|x" PREFIX="/a b&c|d" VARIANT="$@"); }
check "DESTDIR and PREFIX with blanks, & and |" staged one
check "... of which nothing goes elsewhere, whatever the umask" same "$work/stage &|x" <<END
drwxr-xr-x a b&c|d
drwxr-xr-x a b&c|d/bin
lrwxrwxrwx a b&c|d/bin/autocsr_convert ../lib/petscautocsr/one/autocsr_convert
lrwxrwxrwx a b&c|d/bin/autocsr_report ../lib/petscautocsr/one/autocsr_report
lrwxrwxrwx a b&c|d/bin/autocsr_search ../lib/petscautocsr/one/autocsr_search
lrwxrwxrwx a b&c|d/bin/autocsr_tune ../lib/petscautocsr/one/autocsr_tune
lrwxrwxrwx a b&c|d/bin/autocsr_wisdom ../lib/petscautocsr/one/autocsr_wisdom
drwxr-xr-x a b&c|d/include
-rw-r--r-- a b&c|d/include/petscautocsr.h
drwxr-xr-x a b&c|d/lib
drwxr-xr-x a b&c|d/lib/cmake
lrwxrwxrwx a b&c|d/lib/cmake/petscautocsr ../petscautocsr/one/cmake
lrwxrwxrwx a b&c|d/lib/libpetscautocsr.so petscautocsr/one/libpetscautocsr.so
drwxr-xr-x a b&c|d/lib/petscautocsr
drwxr-xr-x a b&c|d/lib/petscautocsr/one
-rwxr-xr-x a b&c|d/lib/petscautocsr/one/autocsr_convert
-rwxr-xr-x a b&c|d/lib/petscautocsr/one/autocsr_report
-rwxr-xr-x a b&c|d/lib/petscautocsr/one/autocsr_search
-rwxr-xr-x a b&c|d/lib/petscautocsr/one/autocsr_tune
-rwxr-xr-x a b&c|d/lib/petscautocsr/one/autocsr_wisdom
drwxr-xr-x a b&c|d/lib/petscautocsr/one/cmake
-rw-r--r-- a b&c|d/lib/petscautocsr/one/cmake/petscautocsr-config-version.cmake
-rw-r--r-- a b&c|d/lib/petscautocsr/one/cmake/petscautocsr-config.cmake
lrwxrwxrwx a b&c|d/lib/petscautocsr/one/libpetscautocsr.so $soname
-rwxr-xr-x a b&c|d/lib/petscautocsr/one/$soname
drwxr-xr-x a b&c|d/lib/pkgconfig
-rw-r--r-- a b&c|d/lib/pkgconfig/petscautocsr-one.pc
lrwxrwxrwx a b&c|d/lib/pkgconfig/petscautocsr.pc petscautocsr-one.pc
drwxr-xr-x a b&c|d/share
drwxr-xr-x a b&c|d/share/man
drwxr-xr-x a b&c|d/share/man/man1
-rw-r--r-- a b&c|d/share/man/man1/autocsr_convert.1
-rw-r--r-- a b&c|d/share/man/man1/autocsr_report.1
-rw-r--r-- a b&c|d/share/man/man1/autocsr_search.1
-rw-r--r-- a b&c|d/share/man/man1/autocsr_tune.1
-rw-r--r-- a b&c|d/share/man/man1/autocsr_wisdom.1
drwxr-xr-x a b&c|d/share/man/man3
-rw-r--r-- a b&c|d/share/man/man3/*.3
END
lib="$work/stage &|x/a b&c|d/lib"
check "the prefix in the pkg-config file" grep -qxF "prefix=/a b&c|d" "$lib/pkgconfig/petscautocsr.pc"
before=$(files "$work/stage &|x" && cat "$lib/pkgconfig/petscautocsr-one.pc")
check "a second variant" staged two PLAIN=no
check "... leaves the first and the plain names as they were" test "$before" = "$(files "$work/stage &|x" | grep -v '[/-]two' && cat "$lib/pkgconfig/petscautocsr-one.pc")"
check "... and the plain names follow on demand" staged two
check "... to it" test "$(readlink "$lib/libpetscautocsr.so" && readlink "$lib/pkgconfig/petscautocsr.pc")" = "petscautocsr/two/libpetscautocsr.so
petscautocsr-two.pc"
refused "a prefix that is no absolute path" "absolute path" make -s install PREFIX=here DESTDIR="$work"

# As packages have it: one PETSc, another folder of libraries
check "LIBDIR of two levels and FLAT=yes" make -s install installcheck FLAT=yes PREFIX=/usr LIBDIR=lib/x86_64-linux-gnu DESTDIR="$work/flat"
check "... have every file by its plain name" same "$work/flat/usr/lib" <<END
drwxr-xr-x x86_64-linux-gnu
drwxr-xr-x x86_64-linux-gnu/cmake
drwxr-xr-x x86_64-linux-gnu/cmake/petscautocsr
-rw-r--r-- x86_64-linux-gnu/cmake/petscautocsr/petscautocsr-config-version.cmake
-rw-r--r-- x86_64-linux-gnu/cmake/petscautocsr/petscautocsr-config.cmake
lrwxrwxrwx x86_64-linux-gnu/libpetscautocsr.so $soname
-rwxr-xr-x x86_64-linux-gnu/$soname
drwxr-xr-x x86_64-linux-gnu/pkgconfig
-rw-r--r-- x86_64-linux-gnu/pkgconfig/petscautocsr.pc
END
check "FLAT=yes" make -s install installcheck FLAT=yes PREFIX="$work/flat/opt"
refused "... whose programs find the library" "cannot be written" config/with-mpi.sh "$work/flat/opt/bin/autocsr_tune" -out "$work/no/folder/figures"

# From the prefix alone: a program that is linked, and one that loads the library
prefix="$work/p q"
check "a prefix with a blank" make -s install PREFIX="$prefix" VARIANT=three
linked() {
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  eval "mpicc $(pkg-config --cflags petscautocsr-three) examples/create.c -o '$work/create' $(pkg-config --libs petscautocsr) -lm" && config/with-mpi.sh "$work/create" &&
    ldd "$work/create" | grep -F "$soname => $prefix/lib/petscautocsr/three/" >/dev/null
}
check "a program linked by pkg-config runs with the versioned name" linked
check "make installcheck builds and runs programs" make -s installcheck PREFIX="$prefix" VARIANT=three
refused "... and fails where nothing is" "petscautocsr-three" make -s installcheck PREFIX="$work/nothing" VARIANT=three
refused "autocsr_tune finds the library" "cannot be written" config/with-mpi.sh "$prefix/bin/autocsr_tune" -out "$work/no/folder/figures"
check "autocsr_convert runs" config/with-mpi.sh "$prefix/bin/autocsr_convert" -in tests/data/ash219.mtx.gz -out "$work/ash219.bin"
printf '%%%%MatrixMarket matrix coordinate real general\n100000000 1 0\n' >"$work/rows.mtx"
refused "... and says how much memory is lacking" "rows and their entries take 2 GB of memory" config/with-mpi.sh bash -c 'ulimit -v 1500000; exec "$@"' - \
  "$prefix/bin/autocsr_convert" -empty_rows -in "$work/rows.mtx" -out "$work/rows.bin"
ln -s "$prefix" "$work/plain"
cat >"$work/load.c" <<'END'
#include <petscmat.h>
int main(int argc, char **argv)
{
  Mat A;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetType(A, "autocsr"));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
END
loads() {
  local flags
  flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs petscautocsr) || return
  eval "mpicc '$work/load.c' -o '$work/load' ${flags/-lpetscautocsr/}" &&
    config/with-mpi.sh "$work/load" -dll_append "$work/plain/lib/libpetscautocsr.so" &&
    config/with-mpi.sh "$work/load" -dll_append "$work/plain/lib/petscautocsr/three/$soname"
}
check "-dll_append takes the plain name and the versioned one" loads
other_name() { cp "$work/plain/lib/libpetscautocsr.so" "$work/$1" && config/with-mpi.sh "$work/load" -dll_append "$work/$1"; }
for name in libother.so libpetscautocsr-cuda.so libpetscautocsr.cuda.so; do check "... and the name $name" other_name $name; done
check "manual pages" grep -q "Out of device memory" "$prefix/share/man/man3/MATAUTOCSR.3"
relative() { ! grep -rlaF "$PWD" "$prefix" && grep -qaF src/mat/impls/autocsr/seq/planning.c "$prefix/lib/libpetscautocsr.so"; }
check "no path of this folder is in what is installed, and errors name sources from the top on" relative

# A packager's flags, on the command line and in the environment: the converter is compiled and linked with them
flags() {
  local convert=$work/$1/src/benchmarks/programs/autocsr_convert
  shift
  "$@" "$convert" && readelf -p .GCC.command.line "$convert" | grep stack-clash >/dev/null && grep -qa PACKAGED "$convert" && readelf -n "$convert" | grep "$id" >/dev/null
}
id=abcdef0123456789abcdef0123456789abcdef01
echo 'static const char packaged[] __attribute__((used)) = "PACKAGED";' >"$work/packaged.h"
set -- CFLAGS="-frecord-gcc-switches -fstack-clash-protection" CPPFLAGS="-include $work/packaged.h" LDFLAGS="-Wl,--build-id=0x$id"
check "a packager's flags on the command line" flags b make -s BUILD="$work/b" "$@"
check "a packager's flags in the environment" flags c env "$@" make -s BUILD="$work/c"
finish
