#!/usr/bin/env bash
# Converts Matrix Market files into PETSc's binary form; complex ones only where PETSc's scalars are complex.
# Usage: config/convert-all.sh CONVERTER real|complex FOLDER FILE.mtx.gz...
set -euo pipefail
convert=$1 scalar=$2 folder=$3
shift 3
mkdir -p "$folder"
for file in "$@"; do
  [ "$scalar" = real ] && gzip -dc "$file" | sed -n 1p | grep -qi complex && continue
  "$(dirname "$0")/with-mpi.sh" "$convert" -in "$file" -out "$folder/$(basename "$file" .mtx.gz).bin"
done
