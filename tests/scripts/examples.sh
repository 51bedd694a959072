#!/usr/bin/env bash
# examples/gain: what it says of programs, and of such as fail or give other results; all examples at small size.
# Usage: tests/scripts/examples.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
ask() { make -s --eval="ask: ; @echo '$1'" ask; }
build=$(ask '$(BUILD)') library=$(ask '$(library)') dealii=$(ask '$(dealii)')
gain() { config/with-mpi.sh examples/gain --repeat 1 --library "$library" "$@"; }
# The last line of a run: each ratio is that of its times
ratios() {
  tail -n 1 "$1" | grep -q '^autocsr against aij, same result: ' && tail -n 1 "$1" | grep -oE '[0-9.]+x as fast \([0-9.e+-]+ ms for [0-9.e+-]+' |
    tr -d '(' | awk '{r = $7 / $4; n++; if ($1 + 0 > 1.02 * r + 0.006 || $1 + 0 < 0.98 * r - 0.006) bad = 1} END {exit bad || !n}'
}
program() { # NAME ARGUMENTS: a program of python, which logs as PETSc does
  cat >"$work/$1" <<PY
#!/usr/bin/env python3
import os, re, sys
autocsr = 'dll_append' in os.environ['PETSC_OPTIONS']
log = re.search(r'-log_view :(\S+):ascii_csv', os.environ['PETSC_OPTIONS']).group(1)
$2
open(log, 'w').write('Stage Name,Event Name,Rank,Count,Time\\n' + ''.join(f'Main Stage,{n},0,1,{t}\\n' for n, t in times))
PY
  chmod +x "$work/$1"
}

check "all examples, at small size" bash -c "make examples SMALL=1 >$work/examples && cat $work/examples"
check "... each with its gain" eval '[ $(grep -c "^== " "$work/examples") = $(grep -cE "^autocsr against aij, same result: [A-Za-z]+ [0-9.]+x as fast|is left out|are left out" "$work/examples") ]'
check "two processes" eval 'gain -n 2 "$build/examples/pagerank" >"$work/two" && ratios "$work/two"'
program good "times = [('KSPSolve', 1.0 if autocsr else 3.0), ('MatMult', 0.5 if autocsr else 2.0)]; print('seqaijautocsr' if autocsr else 'seqaij', 'has norm', 1.0000001 if autocsr else 1)"
check "times of a log" eval 'gain "$work/good" >"$work/out" && grep -qF "same result: KSPSolve 3.00x as fast (1e+03 ms for 3e+03), MatMult 4.00x as fast (500 ms for 2e+03)" "$work/out"'
program named "w = os.environ['PETSC_OPTIONS'].split(); times = [('KSPSolve', 1)]; assert w[w.index('-mat_seqaij_type') + 1] == ('seqaijautocsr' if autocsr else 'seqaij')"
check "the type of programs that name AIJ" gain --type=-mat_seqaij_type=seqaijautocsr "$work/named"
program other "times = [('KSPSolve', 1)]; print('norm', 1.1 if autocsr else 1)"
refused "another result" 'the results differ, "1" and "1.1"' gain "$work/other"
program longer "times = [('KSPSolve', 1)]; print('norm', 1, *['more'] * autocsr)"
refused "more words" "the results differ, 2 words and 3" gain "$work/longer"
program ends "sys.exit(3 if autocsr else 0) if autocsr else None; times = [('KSPSolve', 1)]"
refused "a program that ends with an error" "with autocsr the program ends with 3" gain "$work/ends"
program idle "times = [('VecNorm', 1)]"
refused "no solve and no product" "neither a solve nor a product" gain "$work/idle"
refused "no program" "does not start" gain "$work/nothing"
refused "no library" "is missing: call make" examples/gain --library "$work/nothing.so" "$build/examples/pagerank"
refused "an option of the program that PETSc refuses" "with aij the program ends with" gain "$build/examples/columns" -columns 0
if [ "$dealii" ]; then
  seqaij=-mat_seqaij_type=seqaijautocsr
  check "deal.II: among all examples" grep -x "== poisson_dealii: a deal.II step" "$work/examples"
  check "deal.II: two processes, cubic elements" eval 'gain -n 2 --type=$seqaij "$dealii" -refine 1 -degree 3 >"$work/cubic" && ratios "$work/cubic" && grep "^FE_Q<3>(3): 1651 unknowns.* error is small" "$work/cubic"'
  check "deal.II: its matrices have the type" eval 'config/with-mpi.sh "$dealii" -refine 1 -dll_append "$library" ${seqaij/type=/type } -autocsr_view >"$work/view" && grep -E "^ *autocsr: 517 by 517," "$work/view"'
  refused "deal.II: no such degree" "-degree is positive" config/with-mpi.sh "$dealii" -degree 0
fi
finish
