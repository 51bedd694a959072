#!/usr/bin/env bash
# make install: puts a build under $DESTDIR$PREFIX. What belongs to one PETSc alone lies in lib/petscautocsr/VARIANT, so that builds for
# several PETScs share a prefix; lib/libpetscautocsr.so, bin/autocsr_convert, petscautocsr.pc and lib/cmake/petscautocsr are links to the
# variant installed last.
# Usage: PREFIX=... [DESTDIR=...] [PLAIN=no] config/install.sh VARIANT BUILD SONAME PETSC_VERSION PETSC_CFLAGS PETSC_LIB_DIR PETSC_LIBS MPI
# MPI is 1 or 0. LIBDIR is the folder of libraries in the prefix, lib by default, as lib/x86_64-linux-gnu for Debian. FLAT=yes is for a
# prefix of one PETSc, as packages have it: no folder of variants, all by its plain name.
# PLAIN=no leaves those links as they are. Modes do not depend on the umask.
set -euo pipefail
cd "$(dirname "$0")/.."
variant=$1 build=$2 soname=$3 version=$4 cflags=$5 folder=$6 libs=$7 mpi=$8
lib=${LIBDIR:-lib}
if [ "${PREFIX:0:1}" != / ] || [[ $variant = */* || -z $variant || $variant = .* ]]; then
  echo "install: PREFIX is an absolute path and VARIANT a name without / that begins with no dot, not '$PREFIX' and '$variant'" >&2
  exit 2
fi
to=${DESTDIR:-}$PREFIX
own=$lib/petscautocsr/$variant bin=$own cmake=$own/cmake suffix=-$variant
[ "${FLAT:-}" != yes ] || own=$lib bin=bin cmake=$lib/cmake/petscautocsr suffix=
# put MODE FOLDER FILE...
put() {
  local mode=$1 folder=$to/$2
  shift 2
  install -d -m 755 "$folder"
  install -m "$mode" "$@" "$folder/"
}
put 755 "$bin" "$build/src/benchmarks/programs/autocsr_convert" "$build/src/benchmarks/programs/autocsr_tune" "$build/src/benchmarks/programs/autocsr_search" src/benchmarks/programs/autocsr_wisdom src/benchmarks/programs/autocsr_report
install -d -m 755 "$to/$own"
install -m 755 "$build/libpetscautocsr.so" "$to/$own/$soname"
ln -sfn "$soname" "$to/$own/libpetscautocsr.so"
put 644 include include/petscautocsr.h
put 644 share/man/man1 "$build"/docs/man1/*.1
put 644 share/man/man3 "$build"/docs/man3/*.3

# made FILE TO: a file of config/ with the words between @ replaced
made() {
  local text name
  local -A word=([PREFIX]=$PREFIX [OWN]=$own [VERSION]=$(<config/VERSION) [MAJOR_MINOR]=${soname#*.so.} [PETSC]=$version [SONAME]=$soname
    [CFLAGS]=$cflags [PETSC_LIB_DIR]=$folder [LIBS]=$libs [MPI]=$mpi [CMAKE]=$cmake
    [TO_OWN]=$([ "$cmake" = "$own/cmake" ] && echo .. || echo ../..) [UP]=$(sed 's,[^/][^/]*,..,g' <<<"$own"))
  text=$(<"config/$1")
  for name in "${!word[@]}"; do text=${text//@$name@/"${word[$name]}"}; done
  install -d -m 755 "$to/$(dirname "$2")"
  install -m 644 /dev/stdin "$to/$2" <<<"$text"
}
made petscautocsr.pc.in "$lib/pkgconfig/petscautocsr$suffix.pc"
made petscautocsr-config.cmake.in "$cmake/petscautocsr-config.cmake"
made petscautocsr-config-version.cmake.in "$cmake/petscautocsr-config-version.cmake"
if [ "${PLAIN:-}" != no ] && [ "${FLAT:-}" != yes ]; then
  install -d -m 755 "$to/bin" "$to/$lib/cmake"
  ln -sfn "petscautocsr/$variant/libpetscautocsr.so" "$to/$lib/libpetscautocsr.so"
  for program in convert tune search wisdom report; do ln -sfn "../$own/autocsr_$program" "$to/bin/autocsr_$program"; done
  ln -sfn "petscautocsr-$variant.pc" "$to/$lib/pkgconfig/petscautocsr.pc"
  ln -sfn "../petscautocsr/$variant/cmake" "$to/$lib/cmake/petscautocsr"
fi
echo "Installed: -dll_append $PREFIX/$own/libpetscautocsr.so${PLAIN:+ (PLAIN=$PLAIN)}"
