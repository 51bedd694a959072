static char help[] = "Structures that come back, in the same object or in one that follows, keep their plan; others do not, however like they are.\n\n";

#include <petscautocsr.h>
#include "../generate.h"

typedef struct {
  PetscInt  plans, segments;
  PetscBool settled;
} State;

/* Over the ranks of the matrix */
static PetscErrorCode StateGet(Mat A, State *s)
{
  MatAutoCSRInfo info;
  PetscInt       sum[3];

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(A, &info));
  sum[0] = info.plans;
  sum[1] = info.segments;
  sum[2] = !info.settled;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)A)));
  *s = (State){sum[0], sum[1], (PetscBool)!sum[2]};
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A copy of A, with its rows in the opposite order if reversed */
static PetscErrorCode Enter(Mat A, PetscBool reversed, Mat B)
{
  PetscInt           begin, end, m, n;
  const PetscInt    *col;
  const PetscScalar *val;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt row = reversed ? m - 1 - i : i;

    PetscCall(MatGetRow(A, i, &n, &col, &val));
    PetscCall(MatSetValues(B, 1, &row, n, col, val, INSERT_VALUES));
    PetscCall(MatRestoreRow(A, i, &n, &col, &val));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CreateLike(Mat A, PetscBool reversed, MatType type, Mat *B)
{
  PetscInt m, n, M, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatCreate(PETSC_COMM_WORLD, B));
  PetscCall(MatSetSizes(*B, m, n, M, N));
  PetscCall(MatSetType(*B, type));
  PetscCall(MatSetUp(*B));
  PetscCall(Enter(A, reversed, *B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The plan is one that was kept: none was made */
static PetscErrorCode CheckKept(const Reference *r, Mat B, const State *first, const char what[], const char name[])
{
  State s;

  PetscFunctionBeginUser;
  PetscCall(CompareProducts(r, 1, &B, name));
  PetscCall(StateGet(B, &s));
  PetscCheck(s.plans == 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: %" PetscInt_FMT " plans", name, what, s.plans);
  PetscCheck(s.segments == first->segments && s.settled, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: %" PetscInt_FMT " segments, at first %" PetscInt_FMT, name, what, s.segments, first->segments);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckGenerator(const Generator *g, PetscInt *others)
{
  Mat       B, C, D, A;
  Reference r, reversed;
  State     first, s;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(CreateLike(r.A, PETSC_TRUE, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &reversed));
  PetscCall(CreateLike(r.A, PETSC_FALSE, MATAUTOCSR, &B));
  PetscCall(CompareProducts(&r, 1, &B, g->name));
  PetscCall(StateGet(B, &first));

  /* The same object, preallocated and assembled anew with other values, and with other values again */
  for (int k = 0; k < 2; k++) {
    PetscCall(MatScale(r.A, 3));
    PetscCall(ReferenceUpdate(&r));
    PetscCall(MatSeqAIJSetPreallocation(B, PETSC_DEFAULT, NULL));
    PetscCall(MatMPIAIJSetPreallocation(B, PETSC_DEFAULT, NULL, PETSC_DEFAULT, NULL));
    PetscCall(Enter(r.A, PETSC_FALSE, B));
    PetscCall(CompareProducts(&r, 1, &B, g->name));
    PetscCall(StateGet(B, &s));
    PetscCheck(s.plans <= first.plans && s.segments == first.segments, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, assembled anew: %" PetscInt_FMT " plans, at first %" PetscInt_FMT, g->name, s.plans, first.plans);
  }

  /* An object that follows, a copy of one that is gone, one in whose place another is put; on the way matrices go as AIJ */
  PetscCall(MatDestroy(&B));
  PetscCall(CreateLike(r.A, PETSC_FALSE, MATAUTOCSR, &B));
  PetscCall(CheckKept(&r, B, &first, "an object that follows", g->name));
  PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &D));
  PetscCall(MatDestroy(&D));
  PetscCall(CheckKept(&r, B, &first, "converted", g->name));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C));
  PetscCall(MatDestroy(&B));
  PetscCall(CheckKept(&r, C, &first, "a copy", g->name));
  PetscCall(CreateLike(r.A, PETSC_FALSE, MATAUTOCSR, &D));
  PetscCall(MatHeaderReplace(C, &D));
  PetscCall(CheckKept(&r, C, &first, "replaced", g->name));
  PetscCall(MatDestroy(&C));

  /* As many rows, columns and entries, rows in another order: the plan is kept for the structure, not for the sizes */
  PetscCall(CreateLike(reversed.A, PETSC_FALSE, MATAUTOCSR, &B));
  PetscCall(CompareProducts(&reversed, 1, &B, g->name));
  PetscCall(StateGet(B, &s));
  *others += s.plans > 0;
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(ReferenceDestroy(&reversed));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A band of three, one entry of which may lie a column farther; its value may be one that is no number */
static PetscErrorCode Band(MatType type, PetscBool elsewhere, PetscScalar value, Mat *A)
{
  const PetscInt m = 300;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, m, m, m, m));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 3, NULL));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt k = 0; k < 3; k++) {
      const PetscBool it = (PetscBool)(i == 100 && k == 2);

      PetscCall(MatSetValue(*A, i, (i + k + (it && elsewhere)) % m, it ? value : (PetscScalar)(1 + k), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The same entries as AIJ's, and the same that are no numbers; plans: that this product made; ANY: as many as it likes */
#define ANY (-1)
static PetscErrorCode CheckBand(Mat B, PetscBool elsewhere, PetscScalar value, PetscInt plans, const char what[])
{
  Mat                A;
  Vec                x, y, ref;
  const PetscScalar *a, *b;
  State              before, after;
  PetscInt           m;

  PetscFunctionBeginUser;
  PetscCall(Band(MATAIJ, elsewhere, value, &A));
  PetscCall(MatCreateVecs(A, &x, &ref));
  PetscCall(VecDuplicate(ref, &y));
  PetscCall(VecSetScattered(x, 7));
  PetscCall(StateGet(B, &before));
  PetscCall(MatMult(A, x, ref));
  PetscCall(MatMult(B, x, y));
  PetscCall(StateGet(B, &after));
  PetscCheck(plans == ANY || after.plans - before.plans == plans, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans, not %" PetscInt_FMT, what, after.plans - before.plans, plans);
  PetscCall(VecGetLocalSize(y, &m));
  PetscCall(VecGetArrayRead(y, &a));
  PetscCall(VecGetArrayRead(ref, &b));
  for (PetscInt i = 0; i < m; i++) PetscCheck(PetscIsInfOrNanScalar(b[i]) ? PetscIsInfOrNanScalar(a[i]) : PetscAbsScalar(a[i] - b[i]) <= 10 * PETSC_MACHINE_EPSILON * (1 + PetscAbsScalar(b[i])), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: entry %" PetscInt_FMT, what, i);
  PetscCall(VecRestoreArrayRead(y, &a));
  PetscCall(VecRestoreArrayRead(ref, &b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&ref));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckNext(PetscBool elsewhere, PetscScalar value, PetscInt max_bins, MatAutoCSRObjective objective, PetscInt plans, const char what[])
{
  Mat B;

  PetscFunctionBeginUser;
  PetscCall(Band(MATAUTOCSR, elsewhere, value, &B));
  PetscCall(MatAutoCSRSetMaxBins(B, max_bins));
  PetscCall(MatAutoCSRSetObjective(B, objective));
  PetscCall(CheckBand(B, elsewhere, value, plans, what));
  PetscCall(CheckBand(B, elsewhere, value, 0, what));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A column elsewhere, values, settings, objectives: when a plan that was kept serves */
static PetscErrorCode CheckLikes(void)
{
  const PetscScalar         nan  = (PetscScalar)NAN; /* not by a division, which traps under -fp_trap */
  const MatAutoCSRObjective time = MAT_AUTOCSR_OBJECTIVE_TIME, memory = MAT_AUTOCSR_OBJECTIVE_MEMORY;

  PetscFunctionBeginUser;
  PetscCall(CheckNext(PETSC_FALSE, 3, 100, time, 1, "the first"));
  PetscCall(CheckNext(PETSC_FALSE, 3, 100, time, 0, "another"));
  PetscCall(CheckNext(PETSC_TRUE, 3, 100, time, 1, "a column elsewhere"));
  PetscCall(CheckNext(PETSC_FALSE, 3, 100, time, 0, "the first again"));
  PetscCall(CheckNext(PETSC_TRUE, 3, 100, time, 0, "a column elsewhere again"));
  PetscCall(CheckNext(PETSC_FALSE, 3, 7, time, 1, "other settings"));
  PetscCall(CheckNext(PETSC_FALSE, 3, 7, time, 0, "the same other settings"));
  PetscCall(CheckNext(PETSC_FALSE, (PetscReal)0.1234567, 100, time, ANY, "values that patterns do not tell")); /* none where a plan takes values in place */
  PetscCall(CheckNext(PETSC_FALSE, nan, 100, time, 0, "a value that is no number"));
  PetscCall(CheckNext(PETSC_FALSE, 3, 100, memory, 1, "memory"));
  PetscCall(CheckNext(PETSC_FALSE, 3, 100, memory, 1, "memory again: nothing is kept"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A product of a matrix of its own structure for each k; *plans: those that were built for it; *bytes: of its plan */
static PetscErrorCode One(PetscInt k, PetscInt *plans, PetscInt64 *bytes)
{
  const PetscInt m = k == 20 ? 2400000 : 100 + k;
  MatAutoCSRInfo info;
  Mat            B;
  Vec            x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &B));
  PetscCall(MatSetSizes(B, m, m, m, m));
  PetscCall(MatSetType(B, MATAUTOCSR));
  PetscCall(MatSeqAIJSetPreallocation(B, 3, NULL));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j < 3; j++) PetscCall(MatSetValue(B, i, (i + j * j * 17) % m, (PetscReal)i / 7, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(MatMult(B, x, y));
  PetscCall(MatAutoCSRGetInfo(B, &info));
  *plans = info.plans;
  *bytes = info.plan_bytes;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The latest 16 structures are kept, and no more; the one of k = 20 takes more memory than all may, where its plan has columns and values of its own */
static PetscErrorCode CheckMany(void)
{
  PetscInt   plans;
  PetscInt64 bytes;

  PetscFunctionBeginUser;
  PetscCall(One(20, &plans, &bytes));
  PetscCall(One(20, &plans, &bytes));
  PetscCheck(plans == (bytes > 40 << 20), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A plan of %" PetscInt64_FMT " bytes: %" PetscInt_FMT " more", bytes, plans);
  for (PetscInt k = 21; k < 40; k++) PetscCall(One(k, &plans, &bytes));
  PetscCall(One(23, &plans, &bytes));
  PetscCheck(plans == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A plan before the latest 16 was kept");
  for (PetscInt k = 25; k < 40; k++) { /* in the order in which they were kept: each is found before the next one takes its place */
    PetscCall(One(k, &plans, &bytes));
    PetscCheck(!plans, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The plan of structure %" PetscInt_FMT " was not kept", k);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* One matrix goes through as many structures as are kept and the one at hand, again and again */
static PetscErrorCode CheckCycle(void)
{
  MatAutoCSRInfo info;
  Mat            B;
  Vec            x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &B));
  PetscCall(MatSetSizes(B, 100, 100, 100, 100));
  PetscCall(MatSetType(B, MATAUTOCSR));
  for (PetscInt k = 0; k < 3 * 17; k++) {
    PetscCall(MatSeqAIJSetPreallocation(B, 3, NULL));
    for (PetscInt i = 0; i < 100; i++) {
      for (PetscInt j = 0; j < 3; j++) PetscCall(MatSetValue(B, i, (i + j * (1 + k % 17)) % 100, (PetscReal)i, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(B, &x, &y));
    PetscCall(MatMult(B, x, y));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
  }
  PetscCall(MatAutoCSRGetInfo(B, &info));
  PetscCheck(info.plans == 17, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " plans of 17 structures", info.plans);
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt others = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(CheckGenerator(&generators[i], &others));
  PetscCheck(others > 10, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " structures in another order were planned for", others);
  PetscCall(CheckLikes());
  PetscCall(CheckMany());
  PetscCall(CheckCycle());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/kept_plans_1.out

    test:
      suffix: 1
      nsize: {{1 2}}

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda

TEST*/
