#!/usr/bin/env bash
# Prints the PETSC_DIR to build against when the user named none: pkg-config's PETSc, else Debian's (installed if missing).
set -euo pipefail
if dir=$(pkg-config --variable=prefix PETSc 2>/dev/null) && [ -e "$dir/lib/petsc/conf/variables" ]; then
  echo "$dir"
  exit 0
fi
debian=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real
[ -e "$debian/lib/petsc/conf/variables" ] || "$(dirname "$0")/packages.sh" real >&2
echo "$debian"
