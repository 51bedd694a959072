#!/usr/bin/env bash
# The arrows of doc/design.md, section 2: the objects of a room call functions of the rooms in its line of this list, and of no other.
# Usage: tests/scripts/rooms.sh   (PETSC_DIR and PETSC_ARCH as for make; a PETSc with CUDA has all rooms)
list='
interface      report product mpi seq choose machine graph ksp
ksp            mpi seq ksp/cuda
ksp/cuda       seq cuda/products cuda/runtime
report         mpi seq choose machine graph plan layout
product        mpi seq choose plan
mpi            seq machine cuda/runtime
seq            choose machine plan profile cuda/runtime cuda/planning cuda/products
choose         search strategy machine graph plan layout profile
search         graph
strategy       graph plan layout
graph          layout
machine        plan profile
plan           layout profile
layout         profile
profile
host           plan profile host/kernels
host/kernels
cuda           cuda/planning cuda/dense cuda/runtime cuda/generator
cuda/products  cuda/runtime
cuda/planning  cuda/products cuda/runtime layout profile
cuda/dense     cuda/products cuda/runtime plan
cuda/runtime   cuda/products cuda/planning cuda/generator
cuda/generator cuda/products cuda/runtime machine
'
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
ask() { make -s --eval="ask: ; @echo '$1'" ask; }

make objects >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
# Lines `caller callee`, of the list; lines `room file type symbol`, of the objects
awk 'NF {print $1 >rooms; for (i = 2; i <= NF; i++) print $1, $i}' rooms="$work/rooms" <<<"$list" >"$work/allowed"
for object in $(ask '$(objects)'); do
  file=${object#*/src/mat/impls/autocsr/}
  [ "$file" != "$object" ] || file=ksp${object#*/src/ksp/impls/autocsr}
  nm -g "$object" | awk -v room="${file%/*}" -v file="$file" '{print room, file, $(NF - 1), $NF}'
done >"$work/symbols"
# Every room may name the tables of backend.h
awk '$4 == "AutoCSRBackendHost" || $4 == "AutoCSRBackendCUDA" {next}
  FNR == NR {if ($3 ~ /[TDBR]/) home[$4] = $1; next}
  $3 == "U" && $4 in home && home[$4] != $1 {print $1, home[$4], $2, $4}' "$work/symbols" "$work/symbols" >"$work/calls"

listed() { # CALLER: prints what is not listed
  awk -v caller="$1" 'FNR == NR {allowed[$1, $2]; next}
    $1 == caller && !(($1, $2) in allowed) {print $3 " calls " $4 " of " $2; wrong = 1}
    END {exit wrong}' "$work/allowed" "$work/calls"
}
used() {
  awk 'FNR == NR {used[$1, $2]; next} !(($1, $2) in used) {print $1 " calls nothing of " $2; wrong = 1} END {exit wrong}' "$work/calls" "$work/allowed"
}
known() { awk '{print $1}' "$work/symbols" | sort -u | grep -vxF -f "$work/rooms"; [ $? = 1 ]; }

check "every room is in the list" known
while read -r room; do
  check "$room calls what the list allows" listed "$room"
done <"$work/rooms"
# The folders of cuda/ count as one room here: its runtime launches kernels of the others, and loads them ahead
check "the arrows form no circle" tsort <(sed 's:cuda/[a-z]*:cuda:g' "$work/allowed" | awk '$1 != $2')
# Some calls are compiled with CUDA only
if grep -q '^cuda' "$work/symbols"; then check "every arrow of the list is there" used; fi
finish
