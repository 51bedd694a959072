#!/usr/bin/env bash
# A PETSc program that knows nothing of autocsr, run on a real matrix with the type aij (on a GPU aijcusparse) and, the library loaded, autocsr.
# Usage: config/demo.sh PROGRAM LIBRARY MATRIX.bin [TYPE]
set -euo pipefail
program=$1 library=$2 matrix=$3 type=${4:-aij}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

solver="-f $matrix -ksp_type cg -pc_type jacobi -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 -ksp_max_it 20000"
case $program in
*ex10) solver="$solver -rhs ONE" ;; # PETSc's tutorial wants to be told that the file has no right-hand side
esac

# run NAME ROUND OPTIONS...
run() {
  local name=$1 round=$2
  shift 2
  # shellcheck disable=SC2086
  if ! "$program" $solver "$@" -log_view ":$folder/$name.log$round" >"$folder/$name.out" 2>"$folder/$name.err"; then
    echo "demo: $program $solver $* failed:" >&2
    cut -c1-200 "$folder/$name.err" "$folder/$name.out" | head -30 >&2
    exit 1
  fi
}
# Seconds and calls of the last stage with products, the better of two rounds
mults() {
  for round in 1 2; do
    awk '$1 == "MatMult" {calls = $2; s = $4} END {print s, calls}' "$folder/$1.log$round"
  done | sort -g | head -1
}
row() { # NAME LABEL
  read -r seconds calls < <(mults "$1")
  iterations=$(grep 'Number of iterations' "$folder/$1.out" | tail -1 | sed 's/.*= *//')
  residual=$(grep 'Residual norm' "$folder/$1.out" | tail -1 | sed 's/.*norm *//')
  printf '%-11s %12s  %-24s %10s %12s %14s\n' "$1" "$iterations" "$residual" "$calls" "$seconds" "$(awk "BEGIN {printf \"%.1f\", 1e6 * $seconds / $calls}")"
}

[ "$type" = aij ] || solver="$solver -vec_type cuda -use_gpu_aware_mpi 0"
loaded="-dll_append $library -mat_type autocsr -autocsr_view"
echo "$program $solver"
echo "  with -mat_type $type, and with $loaded"
for round in 1 2; do
  run "$type" $round -mat_type "$type"
  # shellcheck disable=SC2086
  run autocsr $round $loaded
done
echo
printf '%-11s %12s  %-24s %10s %12s %14s\n' type iterations 'residual norm' MatMults seconds 'us a MatMult'
row "$type"
row autocsr
echo
echo "-autocsr_view:"
awk '/^Mat Object/ {view = ""} !/^(Number of iterations|Residual norm)/ {view = view $0 "\n"} END {printf "%s", view}' "$folder/autocsr.out"
