#!/usr/bin/env bash
# How config/petsc-cuda.sh comes to PETSc's source, with a small package in the place of PETSc's: nothing is downloaded or built.
# Usage: tests/scripts/petsc-cuda.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh

export AUTOCSR_CACHE=$work/cache PETSC_CUDA_VERSION=3.26.1 PIP_NO_INDEX=1 PIP_FIND_LINKS=$work/index PIP_DISABLE_PIP_VERSION_CHECK=1
unset PETSC_CUDA_PACKAGE PETSC_CUDA_SHA256
# A package that tells when it runs
make_package() {
  local folder=$work/petsc-$1
  mkdir -p "$folder" "$work/index"
  echo "open('$work/ran', 'w')" >"$folder/setup.py"
  cp "$folder/setup.py" "$folder/configure"
  printf 'Metadata-Version: 2.1\nName: petsc\nVersion: %s\n' "$1" >"$folder/PKG-INFO"
  tar czf "$work/index/petsc-$1.tar.gz" -C "$work" "petsc-$1"
}
make_package 3.26.1
make_package 3.99.0
package=$work/index/petsc-3.26.1.tar.gz
sum=$(sha256sum <"$package" | cut -d' ' -f1)

clean() { [ ! -e "$work/ran" ] && [ ! -e "$AUTOCSR_CACHE/petsc-$PETSC_CUDA_VERSION" ] && [ -z "$(ls "$AUTOCSR_CACHE" | grep -v '^lock$')" ]; }

refused "a downloaded package with another SHA-256" "$sum" config/petsc-cuda.sh fetch
check "... and nothing of it ran or stays" clean
refused "a local package with another SHA-256" "has another SHA-256" env PETSC_CUDA_PACKAGE="$package" config/petsc-cuda.sh fetch
check "... and nothing of it ran or stays" clean
refused "a version that is not known" "PETSC_CUDA_SHA256 gives it" env PETSC_CUDA_VERSION=3.99.0 config/petsc-cuda.sh fetch
refused "what is no SHA-256" "'12ab' is not a SHA-256" env PETSC_CUDA_SHA256=12ab config/petsc-cuda.sh fetch
head -c 200 "$package" >"$work/part.tar.gz"
refused "a package that ends early" "was not unpacked" env PETSC_CUDA_PACKAGE="$work/part.tar.gz" PETSC_CUDA_SHA256="$(sha256sum <"$work/part.tar.gz" | cut -d' ' -f1)" config/petsc-cuda.sh fetch
check "... and nothing of it ran or stays" clean

# Two at once: tar waits for the second, which then waits for the lock
mkdir "$work/bin"
cat >"$work/bin/tar" <<END
#!/bin/sh
echo unpacking >>"$work/tar.log"
for i in 1 2 3 4 5 6 7 8 9 10; do grep -q waiting "$work/second" 2>/dev/null && break; sleep 0.2; done
exec $(command -v tar) "\$@"
END
chmod +x "$work/bin/tar"
mkdir -p "$AUTOCSR_CACHE/unpacking-left"
two() {
  export PETSC_CUDA_PACKAGE=$package PETSC_CUDA_SHA256=$sum PATH=$work/bin:$PATH
  config/petsc-cuda.sh fetch >"$work/first" 2>&1 &
  local first=$!
  while [ ! -e "$work/tar.log" ] && kill -0 $first 2>/dev/null; do sleep 0.05; done
  config/petsc-cuda.sh fetch >"$work/second" 2>&1 && wait $first && cat "$work/first" "$work/second"
}
check "two at once" two
check "... of which one unpacked" test "$(wc -l <"$work/tar.log")" = 1
check "... and the other waited" grep -q waiting "$work/second"
check "the tree and nothing else is there" test "$(echo $(ls "$AUTOCSR_CACHE"))" = "lock petsc-3.26.1"
check "a tree that is there needs no package" env PETSC_CUDA_PACKAGE="$work/none" config/petsc-cuda.sh fetch

check "env" test "$(config/petsc-cuda.sh env)" = "PETSC_DIR=$AUTOCSR_CACHE/petsc-3.26.1 PETSC_ARCH=arch-cuda-opt"
check "env: other flags are another build" test "$(PETSC_CUDA_OPT="-g -O1" config/petsc-cuda.sh env)" = "PETSC_DIR=$AUTOCSR_CACHE/petsc-3.26.1 PETSC_ARCH=arch-cuda-opt-gO1"
AUTOCSR_CACHE="$work/a b"
refused "a cache with a blank: build" "AUTOCSR_CACHE names another folder" config/petsc-cuda.sh build
refused "a cache with a blank: env" "AUTOCSR_CACHE names another folder" config/petsc-cuda.sh env
refused "a cache with a blank: what env is for does not go on" "AUTOCSR_CACHE names another folder" sh -c 'env $(config/petsc-cuda.sh env) true'
unset AUTOCSR_CACHE XDG_CACHE_HOME
refused "a home with a blank" "AUTOCSR_CACHE names another folder" env HOME="$work/a b" config/petsc-cuda.sh env
finish
