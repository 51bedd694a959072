#!/usr/bin/env bash
# autocsr_wisdom: printing, merging and pruning files of wisdom.
# Usage: tests/scripts/wisdom.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
tool=$PWD/src/benchmarks/programs/autocsr_wisdom
entry() { echo "$(printf '%032d' "$1") $1 $1 $1 0 host 0000000a real64-int32 time $2 auto auto $3"; }
file() { # NAME ENTRY...: the entries are a structure and a strategy
  local name=$work/$1
  shift
  echo "petscautocsr wisdom 1" >"$name"
  for e; do entry ${e/:/ } 1e-06 >>"$name"; done
}
strategies() { awk 'NR > 1 {printf "%s%s:%s", s, $2, $10; s = " "} END {print ""}' "$1"; }
has() { [ "$(strategies "$work/$1")" = "$2" ] || { strategies "$work/$1"; false; }; }
merged() { "$tool" merge "$work/$1" "$work/$2" && has "$1" "$3"; }
pruned() { "$tool" prune "$work/$1" "$2" && has "$1" "$3"; }
printed() { "$tool" print "$work/$1" | grep -q "real64-int32 *time *$2 .* 1$"; }

file a 1:sell 2:csr
file b 2:merge 3:segsum
check "entries are printed" printed a sell
check "a file's own entries stay where others have the same structure" merged a b "3:segsum 1:sell 2:csr"
echo "no entry" >>"$work/a"
check "the latest entries are left, and what is no entry goes" pruned a 2 "1:sell 2:csr"
echo "something else" >"$work/c"
refused "a file of something else" "is no file of wisdom" "$tool" merge "$work/a" "$work/c"
sed 's/ 1$/ 2/' "$work/b" >"$work/d"
refused "a file of another version" "is of another version" "$tool" merge "$work/a" "$work/d"
refused "no number of entries" "takes a file and a number of entries" "$tool" prune "$work/a" few
{ sed 's/$/\r/' "$work/b"; printf '%s' "$(entry 4 csr 1e-06)"; } >"$work/crlf"
check "lines end as on another system, and the last one does not end" merged a crlf "3:segsum 4:csr 1:sell 2:csr"
through() { ln -s a "$work/link" && merged link b "$1" && [ -L "$work/link" ] && has a "$1"; }
check "a link is written through" through "3:segsum 4:csr 1:sell 2:csr"
check "a refused merge leaves the file as it is" has a "3:segsum 4:csr 1:sell 2:csr"

# What a search has found is in the file, with its graph, and the next run plans by it
ask() { make -s --eval="ask: ; @echo '$1'" ask; }
solve=$(ask '$(BUILD)/examples/solve')
make -s all "$solve" "$(ask '$(BUILD)/data/stamp')" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
solved() { # WORDS: the view has them
  config/with-mpi.sh "$solve" -f "$(ask '$(BUILD)/data/rza.bin')" -dll_append "$(ask '$(library)')" -mat_type autocsr -mat_autocsr_wisdom "$work/found" -mat_autocsr_rigor patient -mat_autocsr_search_seconds 0.2 \
    -autocsr_view -pc_type none -ksp_max_it 1 >"$work/view" 2>&1 && grep -q "$1" "$work/view" || { cat "$work/view"; false; }
}
check "the first run searches" solved "why: search: "
check "the file has the graph" grep -q " graph auto auto [0-9.e-]* .*compress" "$work/found"
check "the next run plans by it" solved "why: graph: .*a search ended with this graph (by wisdom)"
sed -i 's/ compress(/ compres(/' "$work/found"
check "a graph that is none does no harm" solved "why: search: "
finish
