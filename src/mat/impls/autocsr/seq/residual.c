/*
  MatResidual() on a device. For a small matrix of one process it is one kernel. For others it is the product and one kernel, where VecAYPX() would launch two.
*/
#include "seqautocsr.h"
#include <petsc/private/vecimpl.h>
#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/products/residual.h"

/* Of arrays on the device */
static PetscErrorCode SubtractArrays(PetscInt n, const PetscScalar b[], PetscScalar r[])
{
  PetscFunctionBegin;
  PetscCall(PetscLogGpuTimeBegin());
  PetscCall(AutoCSRDeviceSubtract(n, b, r));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogGpuFlops(1.0 * n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = b - r. Each process decides by where its vectors lie, so the other way is their own method (seq/fallback.c): VecAYPX() may be collective */
static PetscErrorCode Subtract(Vec b, Vec r)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscMemType       memtype[2];
  PetscBool          done = PETSC_FALSE;

  PetscFunctionBegin;
  if (b == r) {
    PetscCall(VecAYPX(r, -1, b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  VecCheckSameLocalSize(b, 2, r, 4);
  PetscCall(VecGetArrayReadAndMemType(b, &from, &memtype[0]));
  PetscCall(VecGetArrayAndMemType(r, &to, &memtype[1]));
  done = (PetscBool)(PetscMemTypeDevice(memtype[0]) && PetscMemTypeDevice(memtype[1]));
  if (done) PetscCall(SubtractArrays(b->map->n, from, to));
  PetscCall(VecRestoreArrayAndMemType(r, &to));
  PetscCall(VecRestoreArrayReadAndMemType(b, &from));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*r->ops->aypx)(r, -1, b));
  PetscCall(PetscObjectStateIncrease((PetscObject)r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatResidual_AutoCSR(Mat A, Vec b, Vec x, Vec r)
{
  PetscFunctionBegin;
  PetscCall(MatMult(A, x, r));
  PetscCall(Subtract(b, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ResidualOfArrays(Mat A, const PetscScalar b[], const PetscScalar x[], PetscScalar r[], PetscBool *done)
{
  const AutoCSRMatrix *csr;
  PetscInt             longest;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(AutoCSRGetSmall(A, &csr, &longest));
  if (csr) {
    PetscCall(PetscLogGpuTimeBegin());
    PetscCall(AutoCSRDeviceResidual(csr, longest, b, x, r, done));
    PetscCall(PetscLogGpuTimeEnd());
  }
  if (*done) {
    PetscCall(AutoCSRKeepSmall(A));
    PetscCall(PetscLogGpuFlops(2.0 * csr->nnz));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRMultiplyArrays(A, x, r, done));
  if (*done) PetscCall(SubtractArrays(A->rmap->n, b, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatResidual_SeqAutoCSR(Mat A, Vec b, Vec x, Vec r)
{
  const PetscScalar *from_b, *from_x;
  PetscScalar       *to;
  PetscMemType       memtype[3];
  PetscBool          done = PETSC_FALSE;

  PetscFunctionBegin;
  if (A->assembled && !A->factortype && !AutoCSRIsBound(A) && b != r && x != r && b->map->n == A->rmap->n && x->map->n == A->cmap->n && r->map->n == A->rmap->n) {
    PetscCall(VecGetArrayReadAndMemType(b, &from_b, &memtype[0]));
    PetscCall(VecGetArrayReadAndMemType(x, &from_x, &memtype[1]));
    PetscCall(VecGetArrayWriteAndMemType(r, &to, &memtype[2]));
    if (PetscMemTypeDevice(memtype[0]) && PetscMemTypeDevice(memtype[1]) && PetscMemTypeDevice(memtype[2])) PetscCall(ResidualOfArrays(A, from_b, from_x, to, &done));
    PetscCall(VecRestoreArrayWriteAndMemType(r, &to));
    PetscCall(VecRestoreArrayReadAndMemType(x, &from_x));
    PetscCall(VecRestoreArrayReadAndMemType(b, &from_b));
  }
  if (!done) PetscCall(MatResidual_AutoCSR(A, b, x, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
