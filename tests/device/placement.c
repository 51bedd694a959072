static char help[] = "An autocsr matrix on a device: where it and its vectors lie, what is done to it there, and with no more copies over the bus\n\
than PETSc's own aijcusparse makes. Values are compared with AIJ on the host.\n\n";

#include <petscautocsr.h>
#include "../changes.h"
#include "../generate.h"
#include "../ways.h"

#define PLAIN "aijcusparse"

typedef struct {
  const char *name;
  PetscErrorCode (*apply)(Mat A, Mat like); /* changes.h; like: of PETSc's own type */
  PetscInt  more;                           /* copies that ours may make beyond those of PETSc's own */
  PetscBool loses;                          /* PETSc's own loses the change (3.26.1): it is made anew */
} Step;

/* ---- Copies over the bus, in both directions, since the program began */

static PetscInt Copies(void)
{
#if defined(PETSC_HAVE_DEVICE)
  return (PetscInt)(petsc_ctog_ct + petsc_gtoc_ct);
#else
  return 0;
#endif
}

/* Changed on the CPU */
static PetscErrorCode Bound(Mat A, Mat like)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(MatScale(A, 2));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatShift(A, 0.125));
  PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static const Step steps[] = {
    {"nothing", Nothing},
    {"MatScale()", Scale},
    {"MatShift()", Shift},
    {"MatDiagonalScale()", DiagonalScale},
    {"MatAXPY() of the same pattern", AXPYSame},
    {"MatAXPY() with aijcusparse", AXPYLike, 2}, /* PETSc adds matrices of different types on the host: a block comes and goes */
    {"MatGetDiagonal() and MatDiagonalSet()", DiagonalSet},
    {"MatBindToCPU() and back", Bound, 2, PETSC_TRUE},
    {"MatScale() after it", Scale},
    {"MatSeqAIJGetArray()", Arrays},
    {"MatZeroRows()", ZeroRowsKeep},
    {"MatAXPY() of a different pattern", AXPYDifferent, 1},
    {"MatTranspose() in place", TransposeInPlace, 1},
    {"nothing again", Nothing},
};

/* ---- The comparison */

static PetscErrorCode CountStep(const Step *s, Mat A, Mat reference, Vec x, Vec y, PetscInt *copies)
{
  Mat like;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(reference, PLAIN, MAT_INITIAL_MATRIX, &like));
  PetscCall(MatMult(like, x, y)); /* now it is on the device */
  *copies = Copies();
  PetscCall((*s->apply)(A, like));
  for (int k = 0; k < 2; k++) PetscCall(MatMult(A, x, y));
  *copies = Copies() - *copies;
  PetscCall(MatDestroy(&like));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckSteps(const Generator *g, const char strategy[])
{
  Mat       A, B, P;
  Vec       x, y;
  Reference r;
  char      context[128];
  PetscInt  copies[2];

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(MatrixCreate(g, PLAIN, &P));
  PetscCall(MatrixCreate(g, MATAUTOCSR, &B));
  PetscCall(MatAutoCSRSetStrategy(B, strategy));
  PetscCall(MatAutoCSRSetProgressive(B, PETSC_FALSE)); /* the same bits in all products */
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(MatCreateVecs(P, &x, &y));
  PetscCall(VecSetScattered(x, 1));
  PetscCall(MatMult(P, x, y));
  PetscCall(MatMult(B, x, y));
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(steps); s++) {
    PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %s by %s", steps[s].name, g->name, strategy));
    PetscCall(CountStep(&steps[s], P, A, x, y, &copies[0]));
    PetscCall(CountStep(&steps[s], B, A, x, y, &copies[1]));
    PetscCall((*steps[s].apply)(A, A));
    PetscCall(ReferenceUpdate(&r));
    PetscCheck(copies[1] <= copies[0] + steps[s].more, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " copies over the bus, %s makes %" PetscInt_FMT, context, copies[1], PLAIN, copies[0]);
    PetscCall(CompareProducts(&r, 1, &B, context));
    if (steps[s].loses) {
      PetscCall(MatDestroy(&P));
      PetscCall(MatConvert(A, PLAIN, MAT_INITIAL_MATRIX, &P));
      PetscCall(MatMult(P, x, y));
      PetscCall(MatMult(B, x, y));
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&P));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Values by coordinates, from the host and from the device; a part of them are of other ranks' rows */

static PetscErrorCode CheckCOO(const char strategy[])
{
  const PetscInt    n = 3000, per_row = 4;
  const char *const types[] = {MATAIJ, PLAIN, MATAUTOCSR};
  PetscInt          begin, end, count = 0, *row, *col, copies[3];
  Vec               val;
  Reference         r;
  Mat               M[3];
  Vec               x, y;
  PetscLayout       layout;
  char              context[128];

  PetscFunctionBeginUser;
  for (int k = 0; k < 3; k++) {
    PetscCall(MatCreate(PETSC_COMM_WORLD, &M[k]));
    PetscCall(MatSetSizes(M[k], PETSC_DECIDE, PETSC_DECIDE, n, n));
    PetscCall(MatSetType(M[k], types[k]));
    PetscCall(MatGetLayouts(M[k], &layout, NULL));
    PetscCall(PetscLayoutSetUp(layout));
    PetscCall(PetscLayoutGetRange(layout, &begin, &end));
    PetscCall(PetscMalloc2((end - begin) * per_row, &row, (end - begin) * per_row, &col));
    count = 0;
    for (PetscInt i = begin; i < end; i++) {
      const PetscInt places[4][2] = {{i, i}, {i, (i + 1) % n}, {i, i}, {(i + n / 2) % n, i}};

      for (PetscInt p = 0; p < per_row; p++) {
        row[count]   = places[p][0];
        col[count++] = places[p][1];
      }
    }
    PetscCall(MatSetPreallocationCOO(M[k], count, row, col));
    PetscCall(PetscFree2(row, col));
  }
  PetscCall(MatAutoCSRSetStrategy(M[2], strategy));
  PetscCall(MatAutoCSRSetProgressive(M[2], PETSC_FALSE));
  PetscCall(VecCreate(PETSC_COMM_SELF, &val));
  PetscCall(VecSetSizes(val, count, count));
  PetscCall(VecSetType(val, "cuda"));
  PetscCall(VecSetScattered(val, 21));
  PetscCall(MatCreateVecs(M[1], &x, &y));
  PetscCall(VecSetScattered(x, 1));
  for (int round = 0; round < 4; round++) {
    const PetscBool device = (PetscBool)(round > 1);

    if (device) PetscCall(VecScale(val, 1.5)); /* which leaves the values on the device */
    for (int k = 0; k < 3; k++) {
      const PetscScalar *v;
      PetscMemType       memtype = PETSC_MEMTYPE_HOST;

      if (k && device)
        PetscCall(VecGetArrayReadAndMemType(val, &v, &memtype));
      else
        PetscCall(VecGetArrayRead(val, &v));
      PetscCheck(PetscMemTypeDevice(memtype) == (k && device), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The values are elsewhere");
      copies[k] = Copies();
      PetscCall(MatSetValuesCOO(M[k], v, round % 2 ? ADD_VALUES : INSERT_VALUES));
      if (k) PetscCall(MatMult(M[k], x, y));
      copies[k] = Copies() - copies[k];
      if (k && device)
        PetscCall(VecRestoreArrayReadAndMemType(val, &v));
      else
        PetscCall(VecRestoreArrayRead(val, &v));
      if (!k && round) PetscCall(ReferenceUpdate(&r));
      if (!k && !round) PetscCall(ReferenceCreate(M[0], &r));
      if (k) { /* the values go back to the device for the next */
        PetscCall(VecScale(val, 2));
        PetscCall(VecScale(val, 0.5));
      }
    }
    PetscCall(PetscSNPrintf(context, sizeof(context), "COO, round %d by %s", round, strategy));
    PetscCheck(!round || copies[2] <= copies[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " copies over the bus, %s makes %" PetscInt_FMT, context, copies[2], PLAIN, copies[1]);
    PetscCall(CompareProducts(&r, 1, &M[2], context));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&val));
  PetscCall(MatDestroy(&M[1]));
  PetscCall(MatDestroy(&M[2]));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Where things lie; from PETSc's own type and back */

static PetscErrorCode CheckPlaces(const Generator *g)
{
  const MatType types[] = {MATAUTOCSR, PLAIN};
  Mat           A, B, C, D;
  Vec           x;
  PetscBool     is;
  Reference     r;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(MatrixCreate(g, MATAUTOCSR, &B));
  PetscCall(MatCreateVecs(B, &x, NULL));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)x, &is, "seqcuda", "mpicuda", ""));
  PetscCheck(is, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "MatCreateVecs() gives vectors of another type");
  PetscCall(VecDestroy(&x));
#if PETSC_VERSION_GE(3, 26, 0)
  {
    PetscMemType memtype;

    PetscCall(MatGetCurrentMemType(B, &memtype));
    PetscCheck(PetscMemTypeDevice(memtype), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "MatGetCurrentMemType() says host");
  }
#endif
  for (int t = 0; t < 2; t++) { /* to PETSc's own and back, or first from it */
    const Mat from = t ? A : B;

    PetscCall(MatConvert(from, types[1 - t], MAT_INITIAL_MATRIX, &C));
    if (t) PetscCall(CompareProducts(&r, 1, &C, "MatConvert()"));
    PetscCall(MatConvert(C, types[1 - t], MAT_INITIAL_MATRIX, &D));
    PetscCall(MatConvert(C, types[t], MAT_INPLACE_MATRIX, &C));
    PetscCall(MatConvert(D, types[t], MAT_REUSE_MATRIX, &C));
    PetscCall(MatConvert(C, MATAUTOCSR, MAT_INPLACE_MATRIX, &C));
    PetscCall(CompareProducts(&r, 1, &C, "MatConvert() and back"));
    PetscCall(MatConvert(D, MATAUTOCSR, MAT_INPLACE_MATRIX, &D));
    PetscCall(CompareProducts(&r, 1, &D, "MatConvert() in place"));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&D));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const Generator stencil = {"stencil", 1500, 1500, Grid2, VALUES_FEW, ENTRY_OWNER}, uneven = {"uneven rows", 900, 900, Uneven, VALUES_FLOATS, ENTRY_COO};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(CheckPlaces(&stencil));
  PetscCall(CheckPlaces(&uneven));
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
    if (!WayIsStrategy(&ways[w])) continue;
    PetscCall(CheckSteps(&stencil, ways[w].strategy));
    PetscCall(CheckSteps(&uneven, ways[w].strategy));
    PetscCall(CheckCOO(ways[w].strategy));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "As aijcusparse\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    requires: cuda
    nsize: {{1 2}}
    output_file: output/placement_1.out

    test:
      args: -vec_type {{standard cuda}}

TEST*/
