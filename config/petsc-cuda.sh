#!/usr/bin/env bash
# Builds current PETSc, or another version, with CUDA from its source package into a cache outside the checkout.
# Usage: config/petsc-cuda.sh [build|fetch|env]; "fetch" stops at the unpacked source; "env" prints the PETSC_DIR/PETSC_ARCH
# assignments of the built copy.
# Settings: PETSC_CUDA_VERSION (3.20.5, 3.22.5, 3.24.6, 3.26.1, ...), PETSC_CUDA_HOST (0|1; 1: without CUDA and C++), PETSC_CUDA_DEBUG (0|1),
# PETSC_CUDA_OPT (flags of the compilers instead of -g -O2, or of -g -O1 for a debug build), PETSC_CUDA_SCALAR (real|complex), PETSC_CUDA_PRECISION (double|single),
# PETSC_CUDA_INTEGERS (32|64), PETSC_CUDA_ARCH (90 for sm_90; without it that of the GPU that is there, else 90), AUTOCSR_CACHE, CUDA_DIR,
# PETSC_CUDA_PACKAGE (a petsc-<version>.tar.gz that is there already), PETSC_CUDA_SHA256 (of a version that is not listed below).
set -euo pipefail

version=${PETSC_CUDA_VERSION:-3.26.1}
host=${PETSC_CUDA_HOST:-0}
debug=${PETSC_CUDA_DEBUG:-0}
scalar=${PETSC_CUDA_SCALAR:-real}
precision=${PETSC_CUDA_PRECISION:-double}
integers=${PETSC_CUDA_INTEGERS:-32}
cache=${AUTOCSR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/petscautocsr}
[ "${cache:0:1}" = / ] || cache=$PWD/$cache
cuda=${CUDA_DIR:-/usr/local/cuda}
tree=$cache/petsc-$version
package=petsc-$version.tar.gz
arch=arch-$([ "$host" = 1 ] && echo host || echo cuda)-$([ "$debug" = 1 ] && echo debug || echo opt)
[ "$scalar" = real ] || arch+=-$scalar
[ "$precision" = double ] || arch+=-$precision
[ "$integers" = 32 ] || arch+=-int$integers
[ -z "${PETSC_CUDA_OPT:-}" ] || arch+=-$(tr -dc A-Za-z0-9 <<<"$PETSC_CUDA_OPT")
# The source packages that are known
declare -A sha256=(
  [3.20.5]=fb4e637758737af910b05f30a785245633916cd0a929b7b6447ad1028da4ea5a
  [3.22.5]=984dba48bd26e7b17d42c078fc4f74d59e9cbc437ee25a8635865eeca9f5dd28
  [3.24.6]=d6ad14652996b0e0d3da51068eec902118057f275de867e8cf258ffd64d90a7d
  [3.25.6]=00ac91c7ae96eae6a39d7380c7e869c1c7ddbc0c64a23a0b5fd3442227c7cdb9
  [3.26.0]=f5230023e6e22ee607802a13c82bc25f3d81e71654ad386a5b9bdff17fed93df
  [3.26.1]=a4dc46c1b4403545ac2274741ce10801366c4a9a7b2683b678d18f6663b93496
)

fail() {
  echo "petsc-cuda: $*" >&2
  exit 1
}

# PETSc before 3.24 uses what CUDA 13 has no more: NVTX as a library, clock rates of a device, errors of cuFFT, parts of Thrust. mend TREE
mend() (
  [[ $version =~ ^3\.(1[89]|2[0-3])\. ]] && grep -q '^#define CUDA_VERSION 1[3-9]' "$cuda/include/cuda.h" || return 0
  cd "$1"
  sed -i "s/\['libcudart.a','libnvToolsExt.a'\]/['libcudart.a']/" config/BuildSystem/config/packages/cuda.py
  sed -i 's|<nvToolsExt.h>|<nvtx3/nvToolsExt.h>|' src/sys/logging/handler/impls/nvtx/lognvtx.c
  sed -i '/dprop_\.\(c\|memoryC\)lockRate/d' src/sys/objects/device/impls/cupm/cupmdevice.cxx
  sed -i '/case CUFFT_\(INCOMPLETE_PARAMETER_LIST\|PARSE_ERROR\|LICENSE_ERROR\):/,+1d' src/sys/error/err.c
  sed -i 's/ : public thrust::unary_function<.*> {/ {/' src/sys/classes/random/impls/curand/curand2.cu
  sed -i 's|^#include <thrust/adjacent_difference.h>|#include <cuda/std/functional>\n&|; s/thrust::identity<int>/cuda::std::identity/; /^#if PETSC_CPP_VERSION >= 14/{N;s/.*HAVE_THRUST_ASYNC 1/#if 0/}' \
    src/mat/impls/aij/seq/seqcusparse/aijcusparse.cu
)

# Puts the unpacked source at $tree. Nothing of the package runs before its SHA-256 is right: pip runs the package's setup.py, but
# checks the hash first. The tree gets its name by one rename, when it is whole. The caller holds the lock
fetch() {
  local sum=${PETSC_CUDA_SHA256:-${sha256[$version]:-}} file=${PETSC_CUDA_PACKAGE:-}
  [ ! -e "$tree/configure" ] || return 0
  [ ! -e "$tree" ] || fail "$tree is not a source tree of PETSc: remove it"
  [[ $sum =~ ^[0-9a-f]{64}$ ]] || fail "${sum:+'$sum' is not a SHA-256: }the SHA-256 of $package is needed (known: ${!sha256[*]}):" \
    "PETSC_CUDA_SHA256 gives it; the page of PETSc's source package lists it for each version"
  rm -rf "$cache"/unpacking-* # what interrupted runs have left
  new=$(mktemp -d "$cache/unpacking-XXXXXX")
  trap 'rm -rf "$new"' EXIT
  if [ -z "$file" ]; then
    "$(dirname "$0")/packages.sh" mpi
    echo "petsc-cuda: downloading PETSc $version"
    echo "petsc==$version --hash=sha256:$sum" >"$new/requirements"
    python3 -m pip download --quiet --no-deps --no-binary petsc -d "$new" --require-hashes -r "$new/requirements" || fail "no $package with the SHA-256 $sum was downloaded"
    file=$new/$package
  fi
  [ -e "$file" ] || fail "there is no $file"
  [ "$(sha256sum <"$file")" = "$sum  -" ] || fail "$file has another SHA-256 than $sum: nothing of it was run"
  tar xzf "$file" -C "$new" || fail "$file was not unpacked"
  [ -e "$new/petsc-$version/configure" ] || fail "$file has no petsc-$version/configure"
  mend "$new/petsc-$version"
  mv -T "$new/petsc-$version" "$tree"
}

# `env $(config/petsc-cuda.sh env) make` splits words at blanks, and does not see this script's exit status: `false` in the place
# of the assignments keeps it from building with another PETSc
if [[ $tree =~ [[:space:]] ]]; then
  [ "${1:-build}" != env ] || echo false
  fail "the path of the cache has blanks, which PETSc's configure and make cannot bear: AUTOCSR_CACHE names another folder than $cache"
fi
case ${1:-build} in
env)
  echo "PETSC_DIR=$tree PETSC_ARCH=$arch"
  exit 0
  ;;
build) ;;
fetch) ;;
*) fail "'$1' is not build, fetch or env" ;;
esac
mkdir -p "$cache"
# One run at a time in a cache. The lock lasts as long as the last child has the descriptor
exec 9>"$cache/lock"
flock -n 9 || { echo "petsc-cuda: waiting for another run with $cache" && flock 9; }
if [ "${1:-build}" = fetch ]; then
  fetch
  echo "petsc-cuda: $tree is there"
  exit 0
fi
if [ -e "$tree/$arch/lib/libpetsc.so" ]; then
  echo "petsc-cuda: $tree/$arch is there"
  exit 0
fi
[ "$host" = 1 ] || [ -x "$cuda/bin/nvcc" ] || fail "no nvcc in $cuda/bin (CUDA_DIR names another CUDA)"
"$(dirname "$0")/packages.sh" mpi
fetch
sm=${PETSC_CUDA_ARCH:-$({ nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true; } | head -1 | tr -dc '0-9')}
sm=${sm:-90}
cd "$tree"
export LD_LIBRARY_PATH=$cuda/lib64:$cuda/lib64/stubs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
unset PETSC_DIR PETSC_ARCH MAKEFLAGS MFLAGS
opt=${PETSC_CUDA_OPT:-$([ "$debug" = 1 ] && echo "-g -O1" || echo "-g -O2")}
if [ "$host" = 1 ]; then
  device=(--with-cxx=0)
else
  # A configure test needs memory, not a GPU: the CUDA stubs let it link
  # No test times the kernels of a build with -O0: nvcc compiles them in its fast mode, if it has one
  help=$("$cuda/bin/nvcc" --help)
  fast=$([[ $opt == -O0 && $help == *--Ofast-compile* ]] && echo ' -Ofc max' || true)
  device=(--with-cuda=1 --with-cuda-arch="$sm" --with-cuda-dir="$cuda" --with-cxx=mpicxx CXXOPTFLAGS="$opt" ${PETSC_CUDA_OPT:+"CUDAOPTFLAGS=$opt$fast"})
fi
./configure PETSC_ARCH="$arch" "${device[@]}" --with-fc=0 --with-cc=mpicc --with-blaslapack-lib=-lopenblas --with-x=0 --with-debugging="$debug" \
  --with-scalar-type="$scalar" --with-precision="$precision" --with-64-bit-indices="$([ "$integers" = 64 ] && echo 1 || echo 0)" \
  COPTFLAGS="$opt" >"$cache/configure-$version-$arch.log" 2>&1 || { tail -40 "$cache/configure-$version-$arch.log"; exit 1; }
make PETSC_DIR="$tree" PETSC_ARCH="$arch" MAKE_NP="$(nproc)" MAKE_LOAD="$((4 * $(nproc)))" >"$cache/make-$version-$arch.log" 2>&1 || { tail -40 "$cache/make-$version-$arch.log"; exit 1; }
echo "petsc-cuda: built $tree/$arch"
