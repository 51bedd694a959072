#!/usr/bin/env bash
# The worked example of doc/adding-a-strategy.md, as that page has it: the library is linked once more with it, and multiplies by it.
# Usage: tests/scripts/strategy.sh   (after make; PETSC_DIR and PETSC_ARCH as for make)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset MAKEFLAGS MFLAGS
room=src/mat/impls/autocsr/strategy

ask() { make -s --eval="ask: ; @echo '$1'" ask; }
sed -n '/^```c$/,/^```$/p' doc/adding-a-strategy.md | sed '/^```$/,$d; 1d' >"$work/pair.c"
sed 's/F(csr) /F(pair) &/' $room/table.c >"$work/table.c"
build=$(ask '$(BUILD)')
compile() { for file in pair table; do $(ask '$(COMPILE)') -iquote $room -c -o "$work/$file.o" "$work/$file.c" || return 1; done; }
link() { $(ask '$(CLINKER)') -shared -o "$work/libpetscautocsr.so" "$work"/{pair,table}.o $(ask '$(filter-out %/strategy/table.o,$(objects))') $(ask '$(PETSC_LINK)') -lm; }
solve() { config/with-mpi.sh "$build/examples/solve" -dll_append "$work/libpetscautocsr.so" -mat_type autocsr -f "$build/data/bcsstk28.bin" -ksp_max_it 20 -autocsr_view "$@"; }
uses() { solve -mat_autocsr_strategy pair -mat_autocsr_progressive false >"$work/out" 2>&1 && cat "$work/out" && grep -q 'why: pair: rows in place, two lanes each' "$work/out"; }

make "$build/libpetscautocsr.so" "$build/examples/solve" "$build/data/stamp" >"$work/log" 2>&1 || cat "$work/log"
check "the example compiles" compile
check "... and is linked" link
check "a matrix is multiplied by it" uses
refused "it is one of the choices" "take one of: auto, pair, csr" solve -mat_autocsr_strategy none
check "the planner takes it into account" solve
finish
