#!/usr/bin/env bash
# Converts Matrix Market files into PETSc's binary form; complex ones only where PETSc's scalars are complex. For single precision values are rounded, also to zero.
# Usage: config/convert-all.sh CONVERTER real|complex double|single|... FOLDER FILE.mtx.gz...
set -euo pipefail
convert=$1 scalar=$2 precision=$3 folder=$4
shift 4
round=()
[ "$precision" != single ] || round=(-round)
mkdir -p "$folder"
convert() { "$(dirname "$0")/with-mpi.sh" "$convert" ${round[@]+"${round[@]}"} -in "$1" -out "$folder/$(basename "$1" .mtx.gz).bin"; }
for file in "$@"; do
  [ "$scalar" = real ] && gzip -dc "$file" | sed -n 1p | grep -qi complex && continue
  convert "$file" && continue
  [ $? = 139 ] || exit 1
  convert "$file" # on a busy machine Open MPI may crash when the process ends
done
