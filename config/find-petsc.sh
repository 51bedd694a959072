#!/usr/bin/env bash
# Prints the PETSC_DIR and PETSC_ARCH to build against when the user named none: pkg-config's PETSc, else Debian's (installed if missing).
set -euo pipefail
if dir=$(pkg-config --variable=prefix PETSc 2>/dev/null) && [ -n "$dir" ]; then
  if [ -e "$dir/lib/petsc/conf/variables" ]; then # a prefix install
    echo "$dir"
    exit 0
  elif [ -e "$dir/../lib/petsc/conf/variables" ]; then # a source tree, whose arch pkg-config knows
    echo "$(dirname "$dir") $(basename "$dir")"
    exit 0
  fi
fi
debian=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real
[ -e "$debian/lib/petsc/conf/variables" ] || "$(dirname "$0")/packages.sh" real >&2
echo "$debian"
