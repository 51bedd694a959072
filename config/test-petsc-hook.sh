#!/usr/bin/env bash
# Stands in for mpiexec and petscdiff in the scripts of PETSc's test harness; config/test-petsc.py calls it.
# mpiexec: words of AIJ in the arguments become autocsr's, and PetscInfo tells whether such matrices were made.
# petscdiff: autocsr's names are put back before the comparison, and the filtered output is kept for the numbers.
# TEST_DIR: where to note things; TEST_OPTIONS: for PETSC_OPTIONS; TEST_WORDS: the type to replace, aij or aijcusparse;
# TEST_KSP: solvers run beside the matrix, and their lines of a view are taken out; TEST_MPIEXEC, TEST_PETSCDIFF: the real ones
runs=$(find "$TEST_DIR" -name 'run-*' | wc -l)

if [ "$1" = petscdiff ]; then
  shift
  output=${*: -1}
  [ -n "$TEST_KSP" ] && sed -i '/^ *\(not \)\?fused by autocsr/d' "$output"
  [ -n "$TEST_WORDS" ] && sed -i "s/aijautocsr/$TEST_WORDS/g; s/\bautocsr\b/$TEST_WORDS/g" "$output"
  filter=cat
  OPTIND=1
  while getopts "f:F:hjJ:kmM" opt; do
    [ "$opt" = F ] && filter=$OPTARG
  done
  eval "cat $output | $filter" >"$TEST_DIR/output-$runs" 2>/dev/null
  exec "$TEST_PETSCDIFF" "$@"
fi

shift
args=()
option=
for word; do
  if [ -n "$TEST_WORDS" ]; then
    case $word in
      "seq$TEST_WORDS" | "mpi$TEST_WORDS") [ "${option:0:1}" = - ] && new=${word:0:3}aijautocsr ;;
      "$TEST_WORDS")
        case $option in
          -*dm_mat_type | -*da_mat_type) new=aijautocsr ;;
          -*) new=autocsr ;;
        esac
        ;;
    esac
  fi
  args+=("${new:-$word}")
  option=$word new=
done

run=$TEST_DIR/run-$((runs + 1))
: >"$run"
export PETSC_OPTIONS="$PETSC_OPTIONS $TEST_OPTIONS -options_left no -info $TEST_DIR/info:mat${TEST_KSP:+,ksp}"
command=($TEST_MPIEXEC "${args[@]}")
# One process needs no launcher; Open MPI's files of several such ones must not meet
if [ "${args[0]} ${args[1]}" = "-n 1" ]; then
  command=("${args[@]:2}")
  export OMPI_MCA_orte_tmpdir_base=$PWD
fi
timeout -k 5 "${MPIEXEC_TIMEOUT:-60}" "${command[@]}"
rc=$?
[ $rc = 124 ] && echo "APPLICATION TIMED OUT" >&2
{
  echo "${args[*]}"
  # PetscInfo names class and type of the object
  echo "aij $(cat "$TEST_DIR"/info* 2>/dev/null | grep -c 'MatAssemblyEnd_SeqAIJ()')"
  echo "subclass $(cat "$TEST_DIR"/info* 2>/dev/null | grep -cE '<mat:(seq|mpi)aij(autocsr|perm)>')"
  echo "fused $(cat "$TEST_DIR"/info* 2>/dev/null | grep -c 'The solve runs beside the matrix')"
  echo "plans $(cat "$TEST_DIR"/info* 2>/dev/null | grep -c '): Plan of ')"
} >"$run"
rm -f "$TEST_DIR"/info*
exit $rc
