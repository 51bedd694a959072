#!/usr/bin/env bash
# Builds and packs all that is run on a machine with a GPU, CUDA and MPI but no compiler and no PETSc: config/on-device.sh, and what
# its steps need. PETSc's library is packed once.
# Usage: config/pack-device.sh FOLDER PACK...
#   tests:BUILD  the tests, with PETSc's library        petsc  PETSc's own tests that name aijcusparse (build opt)
#   bench:BUILD  the benchmark, with real matrices      solves the programs of config/compare-solves.py
# BUILD: opt, debug, opt-complex-int64, opt-single, ... as config/petsc-cuda.sh names what it builds (which must be there); 3.22.5-opt, ... of another PETSc
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# assignments BUILD: PETSC_DIR and PETSC_ARCH
assignments() {
  local -x PETSC_CUDA_DEBUG=0
  [[ ! $1 =~ ^([0-9.]+)- ]] || local -x PETSC_CUDA_VERSION=${BASH_REMATCH[1]}
  [[ $1 != *debug* ]] || PETSC_CUDA_DEBUG=1
  [[ $1 != *-complex* ]] || local -x PETSC_CUDA_SCALAR=complex
  [[ $1 != *-single* ]] || local -x PETSC_CUDA_PRECISION=single
  [[ $1 != *-int64* ]] || local -x PETSC_CUDA_INTEGERS=64
  config/petsc-cuda.sh env
}
# petsc BUILD: PETSc's library, without symbols, under the name by which it is looked for
petsc() {
  local archive=$folder/petsc-$1.tar.xz library stripped
  [ ! -e "$archive" ] || return 0
  library=$(env $(assignments "$1") sh -c 'readlink -f "$PETSC_DIR/$PETSC_ARCH/lib/libpetsc.so"')
  stripped=$(mktemp -d)
  install -s "$library" "$stripped/$(objdump -p "$library" | awk '$1 == "SONAME" {print $2}')"
  tar -C "$stripped" -cf - . | xz -T0 -6 >"$archive"
  rm -rf "$stripped"
}
# build BUILD TARGET SETTING...
build() {
  local name=$1 target=$2
  shift 2
  env $(assignments "$name") make -s -j"$(nproc)" MATRICES="${MATRICES-}" PACK_PETSC=0 "$@" "$target"
}

cp config/on-device.sh "$folder"
for pack in "$@"; do
  case $pack in
  tests:*)
    petsc "${pack#tests:}"
    build "${pack#tests:}" pack PACK="$folder/tests-${pack#tests:}.tar.xz" MATRICES=
    ;;
  bench:*)
    petsc "${pack#bench:}"
    build "${pack#bench:}" pack-bench BENCH_PACK="$folder/bench-${pack#bench:}.tar.xz" ${MATRICES:+MATRICES="$MATRICES"}
    ;;
  petsc)
    petsc opt
    build opt all
    env $(assignments opt) sh -c 'python3 config/test-petsc.py --device --petsc-src "$PETSC_DIR" --petsc-arch "$PETSC_ARCH" --lib build/libpetscautocsr.so --out build/test-petsc-device --pack "$0"' "$folder/petsc.tar.xz"
    ;;
  solves)
    petsc opt
    mkdir -p "$folder/solves"
    cp config/compare-solves.py "$folder/solves"
    cp -f build/*-real-double-int32-arch-cuda-opt/data/bcsstk28.bin "$folder/solves"
    env $(assignments opt) sh -c 'for p in ex45 ex10; do mpicc -O2 -I"$PETSC_DIR/include" -I"$PETSC_DIR/$PETSC_ARCH/include" -I"${CUDA_DIR:-/usr/local/cuda}/include" -o "$0/$p" \
      "$PETSC_DIR/src/ksp/ksp/tutorials/$p.c" -L"$PETSC_DIR/$PETSC_ARCH/lib" -lpetsc -lm; strip "$0/$p"; done' "$folder/solves"
    ;;
  *)
    echo "pack-device: '$pack' is not tests:BUILD, bench:BUILD, petsc or solves" >&2
    exit 2
    ;;
  esac
done
du -h "$folder"/*
