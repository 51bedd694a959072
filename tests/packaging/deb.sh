#!/usr/bin/env bash
# Debian's packages: built by dpkg-buildpackage, read by lintian, unpacked into a folder of their own and used from there.
# Usage: tests/packaging/deb.sh   (COPT: how to optimize, -O1 by default, which compiles in half the time)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset MAKEFLAGS MFLAGS WERROR DESTDIR PREFIX PLAIN VARIANT LIBDIR FLAT CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH
export COPT=${COPT:--O1} DEB_BUILD_OPTIONS="parallel=$(nproc) noautodbgsym"
top=$PWD version=$(<config/VERSION)
soname=libpetscautocsr.so.${version%.*}
root=$work/root lib=$work/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)

# The script leaves the sources' folder as it is: the build is of a copy
build() { config/deb.sh "$work/deb"; }
named() { (cd "$work/deb" && ls libpetscautocsr"${version%.*}_${version}"_*.deb libpetscautocsr-dev_"${version}"_*.deb petscautocsr_"${version}"_*.changes); }
clean() { (cd "$work/deb" && lintian --allow-root --fail-on error,warning ./*.changes); }
unpack() { for deb in "$work"/deb/*.deb; do dpkg -x "$deb" "$root" || return; done; }
soname() { readelf -d "$lib/$soname" | grep -F "SONAME" | grep -F "[$soname]" && ! readelf -d "$lib/$soname" "$root"/usr/bin/autocsr_tune | grep -E 'RPATH|RUNPATH'; }
depends() { dpkg -I "$work"/deb/libpetscautocsr"${version%.*}"_*.deb | grep '^ Depends: .*libpetsc-real3.18' && dpkg -I "$work"/deb/libpetscautocsr-dev_*.deb | grep "^ Depends: libpetscautocsr${version%.*} (= $version), libpetsc-real3.18-dev"; }
program() {
  local flags
  flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --define-variable=prefix="$root/usr" --cflags --libs petscautocsr) || return
  eval "mpicc examples/create.c -o '$work/create' $flags -lm" && config/with-mpi.sh "$work/create" -n 30 && ldd "$work/create" | grep -F "$soname => $lib/"
}
by_cmake() {
  cmake -S "$top/tests/packaging/cmake" -B "$work/cmake" -DCMAKE_C_COMPILER=gcc -DSOURCES="$top/examples" -Dpetscautocsr_DIR="$lib/cmake/petscautocsr" && cmake --build "$work/cmake" &&
    config/with-mpi.sh "$work/cmake/create" -n 30
}
loads() {
  mpicc examples/multiply.c -o "$work/multiply" $(pkg-config --cflags --libs PETSc) -lm && config/with-mpi.sh "$work/multiply" -dll_append "$lib/$soname" -mat_type autocsr | grep -x seqaijautocsr
}
pages() { zgrep -F 'Creates a sparse matrix of type MATAUTOCSR' "$root/usr/share/man/man3/MatCreateAutoCSR.3.gz" && zgrep -F sum_duplicates "$root/usr/share/man/man1/autocsr_convert.1.gz"; }

check "dpkg-buildpackage makes packages; programs use the staged ones" build
check "... of these names" named
check "lintian has neither errors nor warnings" clean
check "they unpack" unpack
check "... as files whose dependencies this system has" dpkg --dry-run -i "$work"/deb/*.deb
check "they depend on Debian's PETSc and on each other" depends
check "the library has a versioned name and no folders of its own" soname
check "a program is built by pkg-config and runs with the library" program
check "... and by CMake" by_cmake
check "a program that knows nothing of it loads it" loads
check "autocsr_convert runs" config/with-mpi.sh "$root/usr/bin/autocsr_convert" -in tests/data/ash219.mtx.gz -out "$work/ash219.bin"
check "manual pages of functions and programs" pages
finish
