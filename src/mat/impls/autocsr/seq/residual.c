/*
  MatResidual() on a device: a small matrix of one process takes one kernel, another one its product and one more, in the place of two by which VecAYPX() subtracts.
*/
#include "seqautocsr.h"
#include <petsc/private/vecimpl.h>
#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/products/residual.h"

/* r = b - r */
static PetscErrorCode Subtract(Vec b, Vec r)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscMemType       memtype[2];
  PetscBool          done = PETSC_FALSE;

  PetscFunctionBegin;
  if (b != r && b->map->n == r->map->n) {
    PetscCall(VecGetArrayReadAndMemType(b, &from, &memtype[0]));
    PetscCall(VecGetArrayAndMemType(r, &to, &memtype[1]));
    done = (PetscBool)(PetscMemTypeDevice(memtype[0]) && PetscMemTypeDevice(memtype[1]));
    if (done) PetscCall(AutoCSRDeviceSubtract(b->map->n, from, to));
    PetscCall(VecRestoreArrayAndMemType(r, &to));
    PetscCall(VecRestoreArrayReadAndMemType(b, &from));
  }
  if (done)
    PetscCall(PetscLogGpuFlops(1.0 * b->map->n));
  else
    PetscCall(VecAYPX(r, -1, b)); /* it also tells of what does not fit */
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
    if (*done) PetscCall(PetscLogGpuFlops(2.0 * csr->nnz));
  }
  if (*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRMultiplyArrays(A, x, r, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceSubtract(A->rmap->n, b, r));
  PetscCall(PetscLogGpuFlops(1.0 * A->rmap->n));
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
