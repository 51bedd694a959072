#!/usr/bin/env bash
# make install: puts a build under $DESTDIR$PREFIX. What belongs to one PETSc alone lies in lib/petscautocsr/VARIANT, so that builds for
# several PETScs share a prefix; lib/libpetscautocsr.so, bin/autocsr_convert and petscautocsr.pc are links to the variant installed last.
# Usage: PREFIX=... [DESTDIR=...] [PLAIN=no] config/install.sh VARIANT BUILD SONAME PETSC_VERSION PETSC_CFLAGS PETSC_LIBS
# PLAIN=no leaves those links as they are. Modes do not depend on the umask.
set -euo pipefail
cd "$(dirname "$0")/.."
variant=$1 build=$2 soname=$3 version=$4 cflags=$5 libs=$6
if [ "${PREFIX:0:1}" != / ] || [[ $variant = */* || -z $variant || $variant = .* ]]; then
  echo "install: PREFIX is an absolute path and VARIANT a name without / that begins with no dot, not '$PREFIX' and '$variant'" >&2
  exit 2
fi
to=${DESTDIR:-}$PREFIX
own=lib/petscautocsr/$variant
# put MODE FOLDER FILE...
put() {
  local mode=$1 folder=$to/$2
  shift 2
  install -d -m 755 "$folder"
  install -m "$mode" "$@" "$folder/"
}
put 755 "$own" "$build/src/benchmarks/programs/autocsr_convert" "$build/src/benchmarks/programs/autocsr_tune" "$build/src/benchmarks/programs/autocsr_search" src/benchmarks/programs/autocsr_wisdom src/benchmarks/programs/autocsr_report
install -m 755 "$build/libpetscautocsr.so" "$to/$own/$soname"
ln -sfn "$soname" "$to/$own/libpetscautocsr.so"
put 644 include include/petscautocsr.h
put 644 share/man/man3 "$build"/docs/man3/*.3

pc=$(<config/petscautocsr.pc.in)
pc=${pc//@PREFIX@/"$PREFIX"}
pc=${pc//@VARIANT@/"$variant"}
pc=${pc//@VERSION@/"$(<config/VERSION)"}
pc=${pc//@PETSC@/"$version"}
pc=${pc//@CFLAGS@/"$cflags"}
pc=${pc//@LIBS@/"$libs"}
install -d -m 755 "$to/lib/pkgconfig" "$to/bin"
install -m 644 /dev/stdin "$to/lib/pkgconfig/petscautocsr-$variant.pc" <<<"$pc"
if [ "${PLAIN:-}" != no ]; then
  ln -sfn "petscautocsr/$variant/libpetscautocsr.so" "$to/lib/libpetscautocsr.so"
  for program in convert tune search wisdom report; do ln -sfn "../$own/autocsr_$program" "$to/bin/autocsr_$program"; done
  ln -sfn "petscautocsr-$variant.pc" "$to/lib/pkgconfig/petscautocsr.pc"
fi
echo "Installed: -dll_append $PREFIX/$own/libpetscautocsr.so${PLAIN:+ (PLAIN=$PLAIN)}"
