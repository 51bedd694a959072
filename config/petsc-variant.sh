#!/usr/bin/env bash
# A PETSc with other scalars or integers, or another version, to compile against: the headers and settings of one that is there, altered. It has no
# library, so nothing can be linked with it: `make PETSC_DIR=... PETSC_ARCH=... objects` shows whether everything compiles.
# Usage: PETSC_DIR=... PETSC_ARCH=... config/petsc-variant.sh complex|single|int64|VERSION FOLDER, or several of the first three joined by - (complex-int64); prints the new assignments. The source of a VERSION
# (3.22.5) is there already: PETSC_CUDA_VERSION=VERSION config/petsc-cuda.sh fetch. Its headers are read with the other one's settings
set -euo pipefail
variant=$1 folder=$2
arch=$PETSC_ARCH-$variant tree=$PETSC_DIR
[[ $variant != 3.* ]] || tree=$(PETSC_CUDA_VERSION=$variant "$(dirname "$0")/petsc-cuda.sh" env | sed 's/^PETSC_DIR=//; s/ .*//')

mkdir -p "$folder/$arch/include" "$folder/$arch/lib/petsc/conf"
ln -sfn "$tree/include" "$folder/include"
ln -sfn "$tree/lib" "$folder/lib"
cp "$PETSC_DIR/$PETSC_ARCH"/include/*.h "$folder/$arch/include"
for name in petscvariables petscrules; do
  sed "s|$PETSC_DIR/$PETSC_ARCH|$folder/$arch|g; s|$PETSC_DIR|$folder|g" "$PETSC_DIR/$PETSC_ARCH/lib/petsc/conf/$name" >"$folder/$arch/lib/petsc/conf/$name"
done
conf=$folder/$arch/include/petscconf.h variables=$folder/$arch/lib/petsc/conf/petscvariables
for part in ${variant//-/ }; do
  case $part in
  complex)
    sed -i 's/^#define PETSC_USE_REAL_\(DOUBLE\|SINGLE\) 1/&\n#define PETSC_USE_COMPLEX 1/' "$conf"
    sed -i 's/^PETSC_SCALAR = .*/PETSC_SCALAR = complex/' "$variables"
    ;;
  single)
    sed -i 's/^#define PETSC_USE_REAL_DOUBLE 1/#define PETSC_USE_REAL_SINGLE 1/' "$conf"
    sed -i 's/^PETSC_PRECISION = .*/PETSC_PRECISION = single/' "$variables"
    ;;
  int64)
    sed -i 's/^#define PETSC_USE_REAL_\(DOUBLE\|SINGLE\) 1/&\n#define PETSC_USE_64BIT_INDICES 1/' "$conf"
    sed -i 's/^PETSC_INDEX_SIZE = .*/PETSC_INDEX_SIZE = 64/' "$variables"
    ;;
  3.*) [ "$variant" = "$part" ] || { echo "petsc-variant: '$variant': a version stands alone" >&2; exit 2; } ;;
  *)
    echo "petsc-variant: '$part' is not complex, single, int64 or a version" >&2
    exit 2
    ;;
  esac
done
echo "PETSC_DIR=$folder PETSC_ARCH=$arch"
