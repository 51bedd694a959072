#!/usr/bin/env bash
# Training data of the learned choosers (src/benchmarks/programs/training.c): what a file of it has, that a run goes on where the last
# one stopped, and that it ends in time; and that the library reads the trees that come of such data (`make tune`).
# Usage: tests/scripts/training.sh   (after make; PETSC_DIR and PETSC_ARCH as for make)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset MAKEFLAGS MFLAGS

ask() { make -s --eval="ask: ; @echo '$1'" ask; }
build=$(ask '$(BUILD)')
make "$build/src/benchmarks/programs/training" "$build/data/stamp" >"$work/log" 2>&1 || cat "$work/log"
# run FILE OPTIONS...: few rounds, which are of no use as data
run() {
  local file=$1
  shift
  config/with-mpi.sh "$build/src/benchmarks/programs/training" -out "$work/$file" -round 1e-6 -rounds 1 -bins 2 -mat_autocsr_machine none "$@" >"$work/out" 2>&1
  local rc=$?
  cat "$work/out"
  return $rc
}
drawn() { run "$1" -drawn 5 -seed 3 -scale 0.003,0.01; }
whole() { # FILE MATRICES: each has the lines that it says, a variant of csr, and no field too many or too few
  awk -F, -v matrices="$2" '$1 == "H" {fields[$2] = NF - 1; next}
    $1 == "M" {wrong += left; left = $(NF - 1) + $NF; n++; seen[$2]++; key = $2}
    $1 != "M" {left--}
    $1 == "V" && $2 == "csr" {csr[key] = 1}
    NF != fields[$1] {print "fields: " $0; wrong++}
    END {for (k in seen) if (seen[k] > 1 || !csr[k]) wrong++; exit wrong || left || n != matrices}' "$work/$1"
}
cut_off() { # what a run leaves that is killed while it writes
  head -c $(($(wc -c <"$work/all") * 2 / 3)) "$work/all" >"$work/cut" && ! whole cut 5 && drawn cut && whole cut 5 && diff <(grep -o '^M,[^,]*' "$work/all") <(grep -o '^M,[^,]*' "$work/cut")
}
complete() { cp "$work/all" "$work/again" && drawn again && grep -q '^0 matrices' "$work/out" && cmp "$work/all" "$work/again"; }
in_time() { run early -drawn 200 -seed 4 -scale 0.01 -seconds_total 2 && grep -qE '^[1-9][0-9]* matrices in [012]\.. s, 1?[0-9]+ left' "$work/out"; }
derived() {
  run real -matrices none -files "$build/data/bcsstk28.bin" -derived 2 && whole real 5 &&
    awk -F, '$1 == "M" {m[$2] = $3; n[$2] = $4; nnz[$2] = $6}
      END {a = "file/bcsstk28"; for (k = 1; k < 3; k++) {r = a "~" k; t = r "t"; wrong += m[r] >= m[a] || n[r] != n[a] || m[t] != n[r] || n[t] != m[r] || nnz[t] != nnz[r] || !nnz[r]}
        exit wrong || m[a "~1"] == m[a "~2"]}' "$work/real"
}

check "matrices drawn by lot: lines and fields" drawn all
check "... each matrix has what it says" whole all 5
check "a file that has all is left alone" complete
check "a run that was cut off goes on" cut_off
check "a run ends in time" in_time
check "some rows of a matrix and their transpose" derived
refused "joules of a processor" "products are made where nothing counts joules" run joules -drawn 1 -energy_seconds 1
refused "... and nothing but these" "products are made where nothing counts joules" run joules -drawn 1 -energy_only

# Trees of some matrices of the shipped data, where scikit-learn is there
trained() {
  zcat src/benchmarks/results/training-cpu.csv.gz | awk -F, '$1 == "M" {n++} n <= 60' >"$work/some.csv"
  "$python" config/train-chooser.py --quiet --file "$work/trees" "$work/some.csv"
}
chosen() { # CHOOSER: the view says that it chose
  config/with-mpi.sh "$solve" -f "$build/data/bcsstk28.bin" -dll_append "$(ask '$(library)')" -mat_type autocsr -mat_autocsr_learned "$work/trees" -mat_autocsr_chooser "$1" \
    -autocsr_view -pc_type none -ksp_max_it 1 >"$work/view" 2>&1 && grep "chooser: ${2:-$1}.* by .*; predicted" "$work/view" || { cat "$work/view"; false; }
}
for python in python3 build/learn/bin/python ''; do
  [ -z "$python" ] || ! "$python" -c 'import numpy, sklearn' 2>/dev/null || break
done
solve=$build/examples/solve
if [ -z "$python" ]; then
  skip "trees in a file" "requires scikit-learn"
else
  make all "$solve" >"$work/log" 2>&1 || cat "$work/log"
  check "trees of some matrices are written" trained
  check "... and trees choose by them" chosen trees
  check "... correct the cost model" chosen corrected
  check "... which is the default where they are named" chosen auto corrected
  check "... and tell granularities" chosen two-stage "two-stage, granularity"
fi
finish
