/*
  What tests of the products share: a matrix as plain AIJ, and every product of another matrix compared with its own, entry
  by entry against |A||x| + |z|. A test passes only through errors that are raised here or in the test itself.
*/
#ifndef COMPARE_H
#define COMPARE_H

#include <petscmat.h>
#include "numbers.h"

#define RIGHT         0 /* the layout of x in A x */
#define LEFT          1 /* the layout of A x */
#define PRODUCT_COUNT 10

/* A and |A| as plain AIJ; of each layout a vector to multiply, its absolute values, one to add, and room for results */
typedef struct {
  Mat A, abs;
  Vec x[2], abs_x[2], z[2], y[2], ref[2], bound[2];
} Reference;

typedef struct {
  const char *name;
  int         from;
  PetscBool   adds, in_place; /* y = z + A x; with z = y */
  PetscErrorCode (*mult)(Mat, Vec, Vec);
  PetscErrorCode (*mult_add)(Mat, Vec, Vec, Vec);
} Product;

/* z - A x */
static inline PetscErrorCode Residual(Mat A, Vec x, Vec z, Vec y)
{
  return MatResidual(A, z, x, y);
}

static const Product products[PRODUCT_COUNT] = {
    {"MatMult", RIGHT, PETSC_FALSE, PETSC_FALSE, MatMult, MatMultAdd},
    {"MatMultAdd", RIGHT, PETSC_TRUE, PETSC_FALSE, MatMult, MatMultAdd},
    {"MatMultAdd in place", RIGHT, PETSC_TRUE, PETSC_TRUE, MatMult, MatMultAdd},
    {"MatMultTranspose", LEFT, PETSC_FALSE, PETSC_FALSE, MatMultTranspose, MatMultTransposeAdd},
    {"MatMultTransposeAdd", LEFT, PETSC_TRUE, PETSC_FALSE, MatMultTranspose, MatMultTransposeAdd},
    {"MatMultTransposeAdd in place", LEFT, PETSC_TRUE, PETSC_TRUE, MatMultTranspose, MatMultTransposeAdd},
    {"MatMultHermitianTranspose", LEFT, PETSC_FALSE, PETSC_FALSE, MatMultHermitianTranspose, MatMultHermitianTransposeAdd},
    {"MatMultHermitianTransposeAdd", LEFT, PETSC_TRUE, PETSC_FALSE, MatMultHermitianTranspose, MatMultHermitianTransposeAdd},
    {"MatMultHermitianTransposeAdd in place", LEFT, PETSC_TRUE, PETSC_TRUE, MatMultHermitianTranspose, MatMultHermitianTransposeAdd},
    {"MatResidual", RIGHT, PETSC_TRUE, PETSC_FALSE, MatMult, Residual},
};

static inline PetscInt64 Random(PetscInt64 a, PetscInt64 b, PetscInt64 below)
{
  return (PetscInt64)(Random64(a, b) % (unsigned long long)below);
}

/* Both parts in (-1, 1) */
static inline PetscScalar RandomScalar(PetscInt64 a, PetscInt64 b)
{
  return Scalar((PetscReal)(Random(a, 2 * b, 1999999) - 999999) / 1000003, (PetscReal)(Random(a, 2 * b + 1, 1999999) - 999999) / 1000003);
}

static inline PetscErrorCode VecSetScattered(Vec v, PetscInt seed)
{
  PetscScalar *a;
  PetscInt     begin, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = begin; i < end; i++) a[i - begin] = RandomScalar(seed, i);
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode AbsoluteValues(Mat block)
{
  PetscScalar *val;
  MatInfo      info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(block, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(block, &val));
  for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) val[k] = PetscAbsScalar(val[k]);
  PetscCall(MatSeqAIJRestoreArray(block, &val));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* After a change of A */
static inline PetscErrorCode ReferenceUpdate(Reference *r)
{
  PetscBool mpi;
  Mat       blocks[2];

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&r->abs));
  PetscCall(MatDuplicate(r->A, MAT_COPY_VALUES, &r->abs));
  PetscCall(PetscObjectTypeCompare((PetscObject)r->A, MATMPIAIJ, &mpi));
  if (mpi) {
    PetscCall(MatMPIAIJGetSeqAIJ(r->abs, &blocks[0], &blocks[1], NULL));
    PetscCall(AbsoluteValues(blocks[0]));
    PetscCall(AbsoluteValues(blocks[1]));
  } else
    PetscCall(AbsoluteValues(r->abs));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A is of plain AIJ's type; the caller's reference goes over to r. The vectors are AIJ's, or of the type -vec_type */
static inline PetscErrorCode ReferenceCreate(Mat A, Reference *r)
{
  char      type[64];
  PetscBool typed;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-vec_type", type, sizeof(type), &typed));
  if (typed) PetscCall(MatSetVecType(A, type));
  r->A   = A;
  r->abs = NULL;
  PetscCall(ReferenceUpdate(r));
  PetscCall(MatCreateVecs(A, &r->x[RIGHT], &r->x[LEFT]));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(r->x[k], &r->abs_x[k]));
    PetscCall(VecDuplicate(r->x[k], &r->z[k]));
    PetscCall(VecDuplicate(r->x[k], &r->y[k]));
    PetscCall(VecDuplicate(r->x[k], &r->ref[k]));
    PetscCall(VecDuplicate(r->x[k], &r->bound[k]));
    PetscCall(VecSetScattered(r->x[k], 1 + k));
    PetscCall(VecSetScattered(r->z[k], 3 + k));
    PetscCall(VecCopy(r->x[k], r->abs_x[k]));
    PetscCall(VecAbs(r->abs_x[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode ReferenceDestroy(Reference *r)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&r->A));
  PetscCall(MatDestroy(&r->abs));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&r->x[k]));
    PetscCall(VecDestroy(&r->abs_x[k]));
    PetscCall(VecDestroy(&r->z[k]));
    PetscCall(VecDestroy(&r->y[k]));
    PetscCall(VecDestroy(&r->ref[k]));
    PetscCall(VecDestroy(&r->bound[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* y = A x, or y = z + A x, with vectors of the reference */
static inline PetscErrorCode ProductApply(const Reference *r, const Product *p, Mat A, Vec y)
{
  const Vec x = r->x[p->from], z = r->z[1 - p->from];

  PetscFunctionBeginUser;
  if (p->in_place) PetscCall(VecCopy(z, y));
  PetscCall(p->adds ? (*p->mult_add)(A, x, p->in_place ? y : z, y) : (*p->mult)(A, x, y));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* |y - ref| <= TOLERANCE (|A||x| + |z|) entry by entry; an entry that is not finite is an error */
static inline PetscErrorCode CompareVectors(const Reference *r, const Product *p, Vec y, const char context[])
{
  const int          to = 1 - p->from;
  const PetscScalar *a_y, *a_ref, *a_bound, *a_z;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(y, &a_y));
  PetscCall(VecGetArrayRead(r->ref[to], &a_ref));
  PetscCall(VecGetArrayRead(r->bound[to], &a_bound));
  PetscCall(VecGetArrayRead(r->z[to], &a_z));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal error = PetscAbsScalar(a_y[i] - a_ref[i]), allowed = TOLERANCE * (PetscAbsScalar(a_bound[i]) + (p->adds ? PetscAbsScalar(a_z[i]) : 0));

    PetscCheck(error <= allowed, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s: local entry %" PetscInt_FMT " is off by %g, allowed %g", context, p->name, i, (double)error, (double)allowed);
  }
  PetscCall(VecRestoreArrayRead(y, &a_y));
  PetscCall(VecRestoreArrayRead(r->ref[to], &a_ref));
  PetscCall(VecRestoreArrayRead(r->bound[to], &a_bound));
  PetscCall(VecRestoreArrayRead(r->z[to], &a_z));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* On devices the reverse scatter of PETSc adds what three and more processes send in no fixed order */
static inline PetscErrorCode HasFixedOrder(const Reference *r, const Product *p, PetscBool *fixed)
{
  PetscMPIInt size;
  PetscBool   device;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)r->y[0]), &size));
  PetscCall(PetscObjectTypeCompare((PetscObject)r->y[0], VECMPICUDA, &device));
  *fixed = (PetscBool)(p->from == RIGHT || size < 3 || !device);
  PetscFunctionReturn((PetscErrorCode)0);
}

/*
  One product by the matrices A[0 .. n), each against plain AIJ, and all of them and a second round bit for bit alike: n = 2
  says that two matrices which were made alike give the same bits, n = 0 leaves bits out, of A[0].
*/
static inline PetscErrorCode CompareProduct(const Reference *r, const Product *p, PetscInt n, Mat A[], const char context[])
{
  const int to = 1 - p->from;
  PetscBool fixed = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(HasFixedOrder(r, p, &fixed));
  if (!fixed) n = 0;
  PetscCall(ProductApply(r, p, r->A, r->ref[to]));
  PetscCall((p->from == RIGHT ? MatMult : MatMultTranspose)(r->abs, r->abs_x[p->from], r->bound[to]));
  PetscCall(VecSet(r->y[to], PETSC_MAX_REAL)); /* an entry that nobody writes is seen */
  PetscCall(ProductApply(r, p, A[0], r->y[to]));
  PetscCall(CompareVectors(r, p, r->y[to], context));
  for (PetscInt k = 0; k < n; k++) {
    PetscBool same;

    PetscCall(ProductApply(r, p, A[k], r->ref[to]));
    PetscCall(VecEqual(r->y[to], r->ref[to], &same));
    PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: other bits %s", context, p->name, k ? "from a matrix that was made alike" : "the second time");
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode CompareProducts(const Reference *r, PetscInt n, Mat A[], const char context[])
{
  PetscFunctionBeginUser;
  for (int p = 0; p < PRODUCT_COUNT; p++) PetscCall(CompareProduct(r, &products[p], n, A, context));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
