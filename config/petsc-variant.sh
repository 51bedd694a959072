#!/usr/bin/env bash
# A PETSc with other scalars or integers to compile against: the headers and settings of one that is there, altered. It has no
# library, so nothing can be linked with it: `make PETSC_DIR=... PETSC_ARCH=... objects` shows whether everything compiles.
# Usage: PETSC_DIR=... PETSC_ARCH=... config/petsc-variant.sh complex|single|int64 FOLDER; prints the new assignments
set -euo pipefail
variant=$1 folder=$2
arch=$PETSC_ARCH-$variant

mkdir -p "$folder/$arch/include" "$folder/$arch/lib/petsc/conf"
ln -sfn "$PETSC_DIR/include" "$folder/include"
ln -sfn "$PETSC_DIR/lib" "$folder/lib"
cp "$PETSC_DIR/$PETSC_ARCH"/include/*.h "$folder/$arch/include"
for name in petscvariables petscrules; do
  sed "s|$PETSC_DIR/$PETSC_ARCH|$folder/$arch|g; s|$PETSC_DIR|$folder|g" "$PETSC_DIR/$PETSC_ARCH/lib/petsc/conf/$name" >"$folder/$arch/lib/petsc/conf/$name"
done
conf=$folder/$arch/include/petscconf.h variables=$folder/$arch/lib/petsc/conf/petscvariables
case $variant in
complex)
  sed -i 's/^#define PETSC_USE_REAL_DOUBLE 1/&\n#define PETSC_USE_COMPLEX 1/' "$conf"
  sed -i 's/^PETSC_SCALAR = .*/PETSC_SCALAR = complex/' "$variables"
  ;;
single)
  sed -i 's/^#define PETSC_USE_REAL_DOUBLE 1/#define PETSC_USE_REAL_SINGLE 1/' "$conf"
  sed -i 's/^PETSC_PRECISION = .*/PETSC_PRECISION = single/' "$variables"
  ;;
int64)
  sed -i 's/^#define PETSC_USE_REAL_DOUBLE 1/&\n#define PETSC_USE_64BIT_INDICES 1/' "$conf"
  sed -i 's/^PETSC_INDEX_SIZE = .*/PETSC_INDEX_SIZE = 64/' "$variables"
  ;;
*)
  echo "petsc-variant: '$variant' is not complex, single or int64" >&2
  exit 2
  ;;
esac
echo "PETSC_DIR=$folder PETSC_ARCH=$arch"
