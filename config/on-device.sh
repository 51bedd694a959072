#!/usr/bin/env bash
# Runs what config/pack-device.sh packed, on a machine with a GPU. A step is one word; it is ended when its seconds are over, so that
# what hangs takes only its own time. Steps with a + before them go on beside those that follow, up to one without.
# Usage: on-device.sh STEP...
#   tests:BUILD:SECONDS[:NAMES[:JOBS]]     tests; NAMES: patterns of config/run-tests.py --only with commas between them
#   sanitize:BUILD:SECONDS:TOOL:NAMES      the same under compute-sanitizer (memcheck, racecheck, initcheck)
#   bench:BUILD:SECONDS[:OPTIONS[:RANKS]]  the benchmark, where the real matrices are; OPTIONS with commas for blanks, %2C for a comma, %3A for a colon
#   overheads:BUILD:SECONDS[:OPTIONS]      what a product costs beside, from the benchmark's pack
#   dense:BUILD:SECONDS[:OPTIONS]          products with dense matrices, likewise
#   sddmm:BUILD:SECONDS[:OPTIONS]          dense matrices sampled, likewise
#   large:BUILD:SECONDS[:OPTIONS]          matrices of a given number of nonzeros: time and memory, likewise
#   lives:BUILD:SECONDS[:OPTIONS]          time-stepping programs, likewise
#   bench-solves:BUILD:SECONDS[:OPTIONS]   KSPSolve(), likewise
#   training:BUILD:SECONDS[:OPTIONS]       training data, likewise; -out ../results/FILE is packed with the logs
#   startup:BUILD:SECONDS[:OPTIONS]        what a program waits for before its first product, likewise
#   solves:SECONDS[:OPTIONS]               PETSc's tutorials, config/compare-solves.py
#   petsc:SECONDS[:OPTIONS]                PETSc's tests, config/test-petsc.py (a run of takeover: --takeover)
# Settings: OUT: where the logs go (one archive), MPS=1: processes share the GPU by NVIDIA's MPS: much faster with many, but the fault of one
# ends all
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
logs=$work/logs
out=${OUT:-$PWD}
mkdir "$logs"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_ess_singleton_isolated=1
export OMPI_MCA_hwloc_base_binding_policy=none # or all programs of one rank would share one core
export OPENBLAS_NUM_THREADS=1 PYTHONUNBUFFERED=1 CUDA_MODULE_LOADING=${CUDA_MODULE_LOADING:-LAZY}
without_mps="env -u CUDA_MPS_PIPE_DIRECTORY" # what is timed, and sanitizers
libraries=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64

# prepare STEP: unpacks what it needs, PETSc's library too
prepare() {
  local build=opt packs
  case $1 in
  tests | sanitize) build=$2 packs=tests-$2 ;;
  bench | overheads | dense | sddmm | large | lives | bench-solves | training | startup) build=$2 packs=bench-$2 ;;
  solves) packs=tests-opt ;;
  *) packs=$1 ;;
  esac
  if [ ! -e "$work/petsc-$build" ]; then
    mkdir "$work/petsc-$build"
    tar -xJf "$here/petsc-$build.tar.xz" -C "$work/petsc-$build" &
  fi
  if [ ! -e "$work/$packs" ]; then
    mkdir "$work/$packs"
    tar -xJf "$here/$packs.tar.xz" -C "$work/$packs" &
  fi
}
step() {
  local kind=$1 build=${2:-} start=$SECONDS log rc
  log=$logs/$(tr -c 'a-zA-Z0-9_\n' '-' <<<"$kind-${*:2}" | cut -c1-80).txt
  shift
  [[ $kind != solves && $kind != petsc ]] || build=opt
  export LD_LIBRARY_PATH=$work/petsc-$build:$libraries
  case $kind in
  tests)
    timeout "$2" "$work/tests-$build/run-tests" --jobs "${4:-6}" --options '-use_gpu_aware_mpi 0' --only "$(tr , ' ' <<<"${3:-*}")" >"$log" 2>&1 </dev/null
    ;;
  sanitize)
    $without_mps timeout "$2" "$work/tests-$build/run-tests" --jobs 12 --sanitizer "$3" --options '-use_gpu_aware_mpi 0 -few' --only "$(tr , ' ' <<<"$4")" >"$log" 2>&1 </dev/null
    ;;
  bench)
    [ "${4:-1}" = 1 ] || export BENCH_MPI="mpiexec -n $4"
    cd "$work/bench-$build/matrices" && PETSC_OPTIONS="-use_gpu_aware_mpi 0 -options_left no" OPENBLAS_NUM_THREADS='' $without_mps timeout "$2" ../run-bench $(sed 's/,/ /g; s/%2C/,/g; s/%3A/:/g' <<<"${3:-}") >"$log" 2>&1 </dev/null
    ;;
  overheads | dense | sddmm | large | lives | bench-solves | training | startup)
    mkdir -p "$work/bench-$build/results" && cd "$work/bench-$build/matrices" && PETSC_OPTIONS="-use_gpu_aware_mpi 0 -options_left no" $without_mps timeout "$2" "../run-${kind#bench-}" $(sed 's/,/ /g; s/%2C/,/g; s/%3A/:/g' <<<"${3:-}") >"$log" 2>&1 </dev/null
    ;;
  solves)
    $without_mps timeout "$1" python3 "$here/solves/compare-solves.py" --programs "$here/solves" --lib "$work/tests-opt/build/libpetscautocsr.so" --matrix "$here/solves/bcsstk28.bin" \
      --limit 40 $(tr , ' ' <<<"${2:-}") >"$log" 2>&1 </dev/null
    ;;
  petsc)
    timeout "$1" python3 "$work/petsc/config/test-petsc.py" --device --petsc-src "$work/petsc" --lib "$work/petsc/libpetscautocsr.so" --out "$work/petsc-out" $(tr , ' ' <<<"${2:-}") >"$log" 2>&1 </dev/null
    ;;
  *)
    echo "on-device: there is no step '$kind'" | tee "$log"
    false
    ;;
  esac
  rc=$?
  [ "$kind" != petsc ] || cp "$work"/petsc-out/*/summary.csv "${log%.txt}.csv"
  echo "== $kind $* : exit code $rc, $((SECONDS - start)) s; $(grep -c '^ok' "$log") ok, $(grep -c '^not ok' "$log") not ok; $(tail -n 1 "$log" | cut -c1-120)"
  grep '^not ok' "$log" | cut -c1-100
}

# What there is so far: whoever ends this script may do so at any step
pack() {
  for results in "$work"/bench-*/results; do [ ! -e "$results" ] || cp -r "$results" "$logs"; done
  cp "${XDG_CACHE_HOME:-$HOME/.cache}"/petscautocsr/figures-* "$logs" 2>/dev/null # as measured there
  tar -C "$work" -cJf "$work/logs.tar.xz" logs && mv "$work/logs.tar.xz" "$out/logs.tar.xz"
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
if [ "${MPS:-0}" = 1 ]; then
  export CUDA_MPS_PIPE_DIRECTORY=$work/mps CUDA_MPS_LOG_DIRECTORY=$work/mps
  mkdir "$work/mps"
  nvidia-cuda-mps-control -d
  unset CUDA_VISIBLE_DEVICES # the devices that the daemon has are counted from 0
fi
for words in "$@"; do
  IFS=: read -ra word <<<"${words#+}"
  prepare "${word[@]}"
done
wait
for words in "$@"; do
  IFS=: read -ra word <<<"${words#+}"
  if [[ $words == +* ]]; then
    (step "${word[@]}") &
  else
    (step "${word[@]}")
    wait
    pack
  fi
done
wait
[ "${MPS:-0}" = 0 ] || echo quit | timeout 5 nvidia-cuda-mps-control
pack
rm -rf "$work"
