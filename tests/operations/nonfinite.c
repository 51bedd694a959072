static char help[] = "NaN and Inf in the vectors and in the matrix reach the entries that they reach with plain AIJ, and no others, and no operation is invalid where none of AIJ is: padding is never multiplied.\n\n";

#include <petscautocsr.h>
#include <fenv.h>
#include "../generate.h"
#include "../ways.h"

/* 0 if finite; of real scalars 1, 2, 3 for NaN, Inf, -Inf; complex products may differ in which of these an entry is */
static int Class(PetscScalar v)
{
  if (!PetscIsInfOrNanScalar(v)) return 0;
  if (PetscDefined(USE_COMPLEX) || PetscIsNanScalar(v)) return 1;
  return PetscRealPart(v) > 0 ? 2 : 3;
}

/* Every product by B against plain AIJ; counts the entries that are not finite */
static PetscErrorCode CompareClasses(const Reference *r, Mat B, PetscInt *count, const char name[], const char way[], const char what[])
{
  PetscFunctionBeginUser;
  for (int p = 0; p < PRODUCT_COUNT; p++) {
    const int          to = 1 - products[p].from;
    const PetscScalar *y, *ref;
    PetscInt           n;
    int                invalid;

    (void)feclearexcept(FE_INVALID);
    PetscCall(ProductApply(r, &products[p], r->A, r->ref[to]));
    invalid = fetestexcept(FE_INVALID);
    (void)feclearexcept(FE_INVALID);
    PetscCall(ProductApply(r, &products[p], B, r->y[to]));
    PetscCheck(invalid || PetscDefined(USE_COMPLEX) || !fetestexcept(FE_INVALID), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s by %s, %s in %s: an operation is invalid, none of AIJ's is (-fp_trap would stop)", name, way, products[p].name, what);
    PetscCall(VecGetLocalSize(r->y[to], &n));
    PetscCall(VecGetArrayRead(r->y[to], &y));
    PetscCall(VecGetArrayRead(r->ref[to], &ref));
    for (PetscInt i = 0; i < n; i++) {
      *count += Class(ref[i]) != 0;
      PetscCheck(Class(y[i]) == Class(ref[i]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s by %s, %s in %s: local entry %" PetscInt_FMT " is %g, that of AIJ %g", name, way, products[p].name, what, i, (double)PetscRealPart(y[i]), (double)PetscRealPart(ref[i]));
    }
    PetscCall(VecRestoreArrayRead(r->y[to], &y));
    PetscCall(VecRestoreArrayRead(r->ref[to], &ref));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* What is put where, as a fraction of the length */
typedef struct {
  const char *name;
  PetscReal   at[2], value[2];
} Place;

static const Place places[] = {
    {"NaN first", {0, 0}, {NAN, NAN}},
    {"Inf first", {0, 0}, {INFINITY, INFINITY}},
    {"-Inf last", {1, 1}, {-INFINITY, -INFINITY}},
    {"Inf and -Inf within", {0.4, 0.6}, {INFINITY, -INFINITY}},
    {"Inf first, NaN last", {0, 1}, {INFINITY, NAN}},
};

static PetscErrorCode VecPut(Vec v, const Place *p)
{
  PetscInt n, begin, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetSize(v, &n));
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  for (int k = 0; k < 2; k++) {
    const PetscInt i = (PetscInt)(p->at[k] * (n - 1));

    if (n && i >= begin && i < end) PetscCall(VecSetValue(v, i, Scalar(p->value[k], 0), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Into the first entry of two rows, or of the next rows of this rank that have one */
static PetscErrorCode MatPut(Mat A, Mat like, const Place *p)
{
  PetscInt m, begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (int k = 0; k < 2; k++) {
    PetscInt row = (PetscInt)(p->at[k] * (m - 1)), col = -1;

    if (!m || row < begin || row >= end) continue;
    for (; row < end && col < 0; row++) {
      const PetscInt *cols;
      PetscInt        n;

      PetscCall(MatGetRow(like, row, &n, &cols, NULL));
      if (n) col = cols[0];
      PetscCall(MatRestoreRow(like, row, &n, &cols, NULL));
    }
    if (col >= 0) PetscCall(MatSetValue(A, row - 1, col, Scalar(p->value[k], 0), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt    count = 0;
  PetscMPIInt size;
  PetscBool   few; /* one matrix of eight: for valgrind */

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscSetFPTrap(PETSC_FP_TRAP_OFF));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-few", &few));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i += few ? 8 : 1) {
    const Generator *g = &generators[i];
    Reference        r;
    Mat              A, like, B;
    PetscBool        some = PETSC_FALSE;

    PetscCall(MatrixCreate(g, MATAIJ, &A));
    PetscCall(ReferenceCreate(A, &r));
    PetscCall(MatrixCreate(g, MATAUTOCSR, &B));
    PetscCall(SomeWaysWillDo(B, &some));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &like));
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
      char way[192];

      if (!WayIsDue(w, i + size, some) || !strcmp(ways[w].strategy, "cusparse-sell")) continue; /* that one multiplies padding by entries of x */
      PetscCall(WaySet(B, &ways[w], w ? MAT_AUTOCSR_RIGOR_ESTIMATE : MAT_AUTOCSR_RIGOR_NONE, sizeof(way), way));
      for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(places); p++) {
        const Place *place = &places[p];

        if (size > 1 && (i + p) % 3) continue;
        PetscCall(VecPut(r.x[RIGHT], place));
        PetscCall(VecPut(r.x[LEFT], place));
        PetscCall(CompareClasses(&r, B, &count, g->name, way, place->name));
        PetscCall(VecPut(r.z[RIGHT], place));
        PetscCall(VecPut(r.z[LEFT], place));
        PetscCall(CompareClasses(&r, B, &count, g->name, way, place->name));
        for (int k = 0; k < 2; k++) {
          PetscCall(VecSetScattered(r.x[k], 1));
          PetscCall(VecSetScattered(r.z[k], 1));
        }
      }
      for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(places); p++) {
        if (size > 1 && (i + p) % 3) continue;
        PetscCall(MatPut(r.A, like, &places[p]));
        PetscCall(MatPut(B, like, &places[p]));
        PetscCall(CompareClasses(&r, B, &count, g->name, way, places[p].name));
      }
      PetscCall(MatCopy(like, r.A, SAME_NONZERO_PATTERN));
      PetscCall(MatCopy(like, B, SAME_NONZERO_PATTERN));
    }
    PetscCall(MatDestroy(&like));
    PetscCall(MatDestroy(&B));
    PetscCall(ReferenceDestroy(&r));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCheck(count > 20000, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " entries were not finite", count);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "As with aij\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/nonfinite_1.out

    test:
      suffix: 1
      nsize: {{1 3}}

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda

    test:
      suffix: takeover
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda -mat_autocsr_takeover

    test:
      suffix: few
      args: -few

    test:
      suffix: simd
      args: -mat_autocsr_simd x86-64

    test:
      suffix: avx2
      requires: avx2
      args: -mat_autocsr_simd avx2

TEST*/
