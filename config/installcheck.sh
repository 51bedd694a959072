#!/usr/bin/env bash
# make installcheck: a program is compiled and linked by what pkg-config says of the installed library, and run; then a program that
# knows nothing of the library loads it by its name.
# Usage: PREFIX=... [DESTDIR=...] [LIBDIR=...] [FLAT=yes] config/installcheck.sh VARIANT CC
set -euo pipefail
cd "$(dirname "$0")/.."
variant=$1 cc=$2
root=${DESTDIR:-} lib=${LIBDIR:-lib}
own=$lib/petscautocsr/$variant name=petscautocsr-$variant
[ "${FLAT:-}" != yes ] || own=$lib name=petscautocsr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PKG_CONFIG_PATH=$root$PREFIX/$lib/pkgconfig
flags() { pkg-config ${root:+"--define-variable=prefix=$root$PREFIX"} "$@" "$name"; }
eval "$cc examples/create.c -o '$work/create' $(flags --cflags --libs) -lm"
config/with-mpi.sh "$work/create" -n 50
eval "$cc examples/multiply.c -o '$work/multiply' $(flags --cflags) $(flags --libs | sed 's/-lpetscautocsr//') -lm"
config/with-mpi.sh "$work/multiply" -dll_append "$root$PREFIX/$own/libpetscautocsr.so" -mat_type autocsr
echo "installcheck: a program that is linked with the library and one that loads it have run"
