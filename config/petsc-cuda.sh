#!/usr/bin/env bash
# Builds current PETSc with CUDA from its source package into a cache outside the checkout.
# Usage: config/petsc-cuda.sh [build|env]; "env" prints the PETSC_DIR/PETSC_ARCH assignments of the built copy.
# Settings: PETSC_CUDA_VERSION, PETSC_CUDA_DEBUG (0|1), PETSC_CUDA_SCALAR (real|complex), PETSC_CUDA_PRECISION (double|single),
# PETSC_CUDA_INTEGERS (32|64), PETSC_CUDA_ARCH (90 for sm_90; without it that of the GPU that is there, else 90), AUTOCSR_CACHE, CUDA_DIR.
set -euo pipefail

version=${PETSC_CUDA_VERSION:-3.26.1}
debug=${PETSC_CUDA_DEBUG:-0}
scalar=${PETSC_CUDA_SCALAR:-real}
precision=${PETSC_CUDA_PRECISION:-double}
integers=${PETSC_CUDA_INTEGERS:-32}
cache=${AUTOCSR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/petscautocsr}
cuda=${CUDA_DIR:-/usr/local/cuda}
tree=$cache/petsc-$version
arch=arch-cuda-$([ "$debug" = 1 ] && echo debug || echo opt)
[ "$scalar" = real ] || arch+=-$scalar
[ "$precision" = double ] || arch+=-$precision
[ "$integers" = 32 ] || arch+=-int$integers

if [ "${1:-build}" = env ]; then
  echo "PETSC_DIR=$tree PETSC_ARCH=$arch"
  exit 0
fi
if [ -e "$tree/$arch/lib/libpetsc.so" ]; then
  echo "petsc-cuda: $tree/$arch is there"
  exit 0
fi
[ -x "$cuda/bin/nvcc" ] || { echo "petsc-cuda: no nvcc in $cuda/bin (CUDA_DIR names another CUDA)" >&2; exit 1; }
"$(dirname "$0")/packages.sh" mpi
mkdir -p "$cache"
if [ ! -e "$tree/configure" ]; then
  echo "petsc-cuda: downloading PETSc $version"
  src=$(mktemp -d)
  python3 -m pip download --quiet --no-deps --no-binary petsc -d "$src" "petsc==$version"
  tar xzf "$src/petsc-$version.tar.gz" -C "$src"
  mv "$src/petsc-$version" "$tree"
  rm -rf "$src"
fi
sm=${PETSC_CUDA_ARCH:-$({ nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } | head -1 | tr -dc '0-9')}
sm=${sm:-90}
cd "$tree"
export LD_LIBRARY_PATH=$cuda/lib64:$cuda/lib64/stubs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
unset PETSC_DIR PETSC_ARCH MAKEFLAGS MFLAGS
opt=$([ "$debug" = 1 ] && echo "-g -O1" || echo "-g -O2")
# A configure test needs memory, not a GPU: the CUDA stubs let it link.
./configure PETSC_ARCH="$arch" --with-cuda=1 --with-cuda-arch="$sm" --with-fc=0 --with-cc=mpicc --with-cxx=mpicxx \
  --with-cuda-dir="$cuda" --with-blaslapack-lib=-lopenblas --with-x=0 --with-debugging="$debug" \
  --with-scalar-type="$scalar" --with-precision="$precision" --with-64-bit-indices="$([ "$integers" = 64 ] && echo 1 || echo 0)" \
  COPTFLAGS="$opt" CXXOPTFLAGS="$opt" >"$cache/configure-$arch.log" 2>&1 || { tail -40 "$cache/configure-$arch.log"; exit 1; }
make PETSC_DIR="$tree" PETSC_ARCH="$arch" MAKE_NP="$(nproc)" >"$cache/make-$arch.log" 2>&1 || { tail -40 "$cache/make-$arch.log"; exit 1; }
echo "petsc-cuda: built $tree/$arch"
