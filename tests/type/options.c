static char help[] = "Options, setters, MatAutoCSRGetInfo() and the view of an autocsr matrix.\n\n";

#include <petscautocsr.h>
#include "../ways.h"

#define N 400

/* A 20 by 20 grid's 5-point stencil: few row patterns, two values */
static PetscErrorCode Create(const char prefix[], MatType type, Mat *A)
{
  PetscInt rstart, rend;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetOptionsPrefix(*A, prefix));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  if (type)
    PetscCall(MatSetType(*A, type));
  else
    PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 4, NULL));
  PetscCall(MatGetOwnershipRange(*A, &rstart, &rend));
  for (PetscInt i = rstart; i < rend; i++) {
    const PetscInt    col[5] = {i, i % 20 ? i - 1 : -1, i % 20 < 19 ? i + 1 : -1, i - 20, i + 20 < N ? i + 20 : -1};
    const PetscScalar val[5] = {4., -1., -1., -1., -1.};

    PetscCall(MatSetValues(*A, 1, &i, 5, col, val, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* A product by a strategy or, where that does not apply, by csr */
static PetscErrorCode CheckStrategy(Mat A, const char strategy[], PetscReal want)
{
  Vec            x, y;
  PetscReal      norm;
  PetscBool      is, automatic;
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_1, &norm));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(PetscStrcmp(strategy, "auto", &automatic));
  is = (PetscBool)(!strcmp(info.strategy, strategy) || !strcmp(info.strategy, "csr"));
  PetscCheck((is || automatic) && norm == want, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s, |y| %g", strategy, info.strategy, (double)norm);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

/* A product, and what it was made with: a plan of its own, or one that was kept of the same structure */
static PetscErrorCode Report(const char what[], Mat A)
{
  Vec            x, y;
  PetscReal      norm;
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_1, &norm));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s, |y| %g%s\n", what, info.strategy, (double)norm, info.segments > 0 && info.plans + info.refreshes > 0 && info.products > 0 && info.nnz > 0 && info.csr_bytes > 0 && info.plan_bytes >= 0 && info.product_bytes > 0 && info.setup > 0 ? "" : ", info FAILED"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

static PetscErrorCode TestSetters(void)
{
  Mat            A, B, plain;
  PetscInt       set = 0;
  MatAutoCSRInfo info;
  char           graph[64];
  PetscErrorCode wrong[4];

  PetscFunctionBeginUser;
  PetscCall(Create(NULL, MATAUTOCSR, &A));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "before: %s, %" PetscInt_FMT " segments\n", info.strategy, info.segments));
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
    if (!WayIsStrategy(&ways[w])) continue;
    PetscCall(MatAutoCSRSetStrategy(A, ways[w].strategy));
    PetscCall(CheckStrategy(A, ways[w].strategy, 80.));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(CheckStrategy(B, ways[w].strategy, 80.));
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &plain));
    PetscCall(MatAXPY(B, 1., plain, DIFFERENT_NONZERO_PATTERN));
    PetscCall(CheckStrategy(B, ways[w].strategy, 160.));
    PetscCall(MatDestroy(&plain));
    PetscCall(MatDestroy(&B));
    set++;
  }
  PetscCall(MatAutoCSRSetStrategy(A, "pattern"));
  PetscCall(Report("set", A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(Report("  duplicate", B));
  PetscCall(MatDestroy(&B));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(MatAutoCSRSetStrategy(A, "pattern"));
  PetscCall(Report("set again", A));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "plans: one for each setting, of two blocks at most two%s\n", info.plans < set || info.plans > 2 * set ? " FAILED" : ""));

  PetscCall(MatAutoCSRSetStrategy(A, "sell"));
  PetscCall(MatAutoCSRSetRigor(A, MAT_AUTOCSR_RIGOR_MEASURE));
  PetscCall(Report("rigor measure", A));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  if (info.measured <= 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  nothing was measured\n"));
  PetscCall(MatAutoCSRSetIndexCoding(A, MAT_AUTOCSR_INDEX_16));
  PetscCall(MatAutoCSRSetValueCoding(A, MAT_AUTOCSR_VALUE_DICTIONARY));
  PetscCall(Report("codings", A));
  PetscCall(MatAutoCSRSetIndexCoding(A, MAT_AUTOCSR_INDEX_AUTO));
  PetscCall(MatAutoCSRSetValueCoding(A, MAT_AUTOCSR_VALUE_AUTO));
  PetscCall(MatAutoCSRSetRigor(A, MAT_AUTOCSR_RIGOR_ESTIMATE));
  PetscCall(MatAutoCSRSetStrategy(A, "binned"));
  PetscCall(MatAutoCSRSetGranularity(A, 50));
  PetscCall(MatAutoCSRSetMaxBins(A, 1));
  PetscCall(Report("one bin", A));
  PetscCall(MatAutoCSRSetStrategy(A, "auto"));
  PetscCall(MatAutoCSRSetObjective(A, MAT_AUTOCSR_OBJECTIVE_MEMORY));
  PetscCall(Report("no setting, not said", A));
  PetscCall(MatDestroy(&A));

  /* a plain matrix lets setters pass */
  PetscCall(Create(NULL, MATAIJ, &plain));
  PetscCall(MatAutoCSRSetStrategy(plain, "csr"));
  PetscCall(MatAutoCSRSetRigor(plain, MAT_AUTOCSR_RIGOR_NONE));
  /* but what asks for a plan says what the matrix must be */
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  wrong[0] = MatAutoCSRGetInfo(plain, &info);
  wrong[1] = MatAutoCSRGetGraph(plain, sizeof(graph), graph);
  wrong[2] = MatAutoCSRDeviceValuesChanged(plain);
  wrong[3] = MatAutoCSRView(plain, NULL);
  PetscCall(PetscPopErrorHandler());
  for (int k = 0; k < 4; k++) PetscCheck(wrong[k] == PETSC_ERR_ARG_WRONG, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Question %d to a plain matrix: error %d", k, (int)wrong[k]);
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(0);
}

/* An entry in a column that the process has none in: PETSc makes the off-diagonal block anew */
static PetscErrorCode AssembleAgain(Mat A)
{
  PetscInt rstart;

  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(A, &rstart, NULL));
  PetscCall(MatSetValue(A, rstart, N - 1 - rstart, 3., INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  Mat       A, B;
  PetscBool setters = PETSC_FALSE, view = PETSC_FALSE, again = PETSC_FALSE, unassembled = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-setters", &setters, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-view", &view, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-again", &again, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-unassembled", &unassembled, NULL));
  if (unassembled) {
    PetscCall(MatCreateAutoCSR(PETSC_COMM_WORLD, 4, 4, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 1, NULL, &A));
    PetscCall(MatAutoCSRView(A, NULL));
  } else if (setters)
    PetscCall(TestSetters());
  else if (view) {
    PetscCall(Create(again ? NULL : "a_", NULL, &A)); /* blocks have no prefix */
    if (again) PetscCall(AssembleAgain(A));
    PetscCall(MatDestroy(&A));
  } else {
    PetscCall(Create("a_", NULL, &A));
    PetscCall(Create("b_", NULL, &B));
    PetscCall(Report("a_", A));
    PetscCall(Report("b_", B));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: help
    args: -view -a_mat_type autocsr -help
    filter: grep -o -E -e "-a_mat_autocsr_[a-z_]+"

  test:
    suffix: citations
    args: -view -a_mat_type autocsr -a_mat_autocsr_strategy {{sell csr-vector coltile segsum binned}separate output} -a_autocsr_view -citations
    filter: grep -o -E "@.*(hou|liu|du|dufrechou|hong|beamer|lee)20[0-9]+"

  test:
    suffix: setters
    nsize: {{1 2 4}}
    args: -setters
    filter: grep -v "not said"

  test:
    suffix: prefix
    nsize: {{1 3}}
    args: -a_mat_type autocsr -b_mat_type aijautocsr -a_mat_autocsr_strategy pattern -b_mat_autocsr_strategy segsum

  testset:
    args: -view -a_mat_type autocsr -a_mat_autocsr_strategy sell -a_mat_autocsr_index_coding 32 -a_mat_autocsr_value_coding copy

    test:
      suffix: view
      args: -a_autocsr_view
      filter: sed -E "s/[0-9][0-9.e+-]+|[0-9]/N/g; s/, on cuda//; s/rows (from N|here and there)/rows/" | grep -E "type|autocsr:|sell: N rows|memory|set-up"

    test:
      suffix: view_parallel
      nsize: 2
      args: -a_autocsr_view ascii::ascii_info_detail
      filter: sed -E "s/[0-9][0-9.e+-]+|[0-9]/N/g; s/, on cuda//; /mapping empty/,+1d" | grep -E "type|partition|diagonal|lanes" | grep -v graph:

    # the matrix twice, no block by itself
    test:
      suffix: view_again
      nsize: 2
      args: -again -mat_type autocsr -autocsr_view -mat_seqaij_type {{seqaij seqaijautocsr}}
      filter: grep "type:"

    test:
      suffix: json
      nsize: {{1 3}separate output}
      args: -a_autocsr_view ::ascii_json
      filter: python3 -c "import json, sys; d = json.load(sys.stdin); print(d['type'], d['prefix'], d['ranks'], d['rows'], d['settings']['strategy'], sum(b['nnz'] for b in d['blocks']), sorted(set(s['strategy'] for b in d['blocks'] for s in b['segments'] if b['block'] == 'diagonal')))"

  # who chose, what decided, times predicted and measured, and the runner-up
  testset:
    args: -view -a_mat_type autocsr -a_mat_autocsr_simd x86-64

    test:
      suffix: chooser
      args: -a_autocsr_view -a_mat_autocsr_rigor {{estimate measure}separate output}
      filter: grep -o "chooser:.*" | sed -E "s/[0-9][0-9.e+-]+|[0-9]/N/g; s/by [a-z ]+ N us(, [a-z ]+ N us)?;/by terms;/; s/runner-up (row ranges|[a-z-]+)/runner-up S/"

    test:
      suffix: chooser_features
      requires: real double !define(PETSC_USE_64BIT_INDICES)
      args: -a_autocsr_view -a_mat_autocsr_chooser corrected
      filter: grep -o "chooser:.*" | sed -E "s/[0-9][0-9.e+-]+|[0-9]/N/g; s/by [a-z_\/]+ N(, [a-z_\/]+ N){1,2};/by features;/; s/runner-up (row ranges|[a-z-]+)/runner-up S/"

    test:
      suffix: chooser_json
      args: -a_autocsr_view ::ascii_json -a_mat_autocsr_rigor measure
      filter: python3 -c "import json, sys; b = json.load(sys.stdin)['blocks'][0]; print(*(bool(b[k]) for k in ('chooser', 'deciding', 'predicted', 'measured', 'runner_up', 'runner_up_predicted')))"

  testset:
    args: -petsc_ci_portable_error_output -error_output_stdout -view -a_mat_type autocsr
    filter: grep -E "choose|take|has no|not assembled"

    test:
      suffix: bad_rigor
      args: -a_mat_autocsr_rigor hasty

    test:
      suffix: bad_strategy
      args: -a_mat_autocsr_strategy fastest
      filter: grep -oE "There is no .* take one of: auto,"

    test:
      suffix: bad_index
      args: -a_mat_autocsr_index_coding 8

    test:
      suffix: bad_value
      args: -a_mat_autocsr_value_coding half

    test:
      suffix: bad_granularity
      args: -a_mat_autocsr_granularity 30

    test:
      suffix: bad_bins
      args: -a_mat_autocsr_max_bins 101

    test:
      suffix: bad_view
      args: -unassembled

TEST*/
