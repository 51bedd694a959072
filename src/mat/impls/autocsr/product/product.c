/*
  MatProduct finds its functions by exact type names (MatProductSetFromOptions_<A>_<B>_C). Where ours meet another type the
  question is asked again with ours going as their parents; the answer, functions for AIJ, fits them as they are.
*/
#include "../seq/seqautocsr.h"

PetscErrorCode MatProductSetFromOptions_AutoCSR(Mat C)
{
  Mat              operands[3] = {C->product->A, C->product->B, C->product->C};
  AutoCSRSuspended s[3][1 + AUTOCSR_MAX_BLOCKS];
  PetscErrorCode   ierr;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; k++) PetscCall(AutoCSRSuspend(operands[k], s[k]));
  ierr = MatProductSetFromOptions(C);
  for (PetscInt k = 2; k >= 0; k--) PetscCall(AutoCSRResume(s[k]));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSeqAIJKron() wants its second factor to be a MATSEQAIJ by name */
PetscErrorCode MatSeqAIJKron_AutoCSR(Mat A, Mat B, MatReuse reuse, Mat *C)
{
  AutoCSRSuspended a[1 + AUTOCSR_MAX_BLOCKS], b[1 + AUTOCSR_MAX_BLOCKS];
  PetscErrorCode   ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRSuspend(A, a));
  PetscCall(AutoCSRSuspend(B, b));
  ierr = MatSeqAIJKron(A, B, reuse, C);
  PetscCall(AutoCSRResume(b));
  PetscCall(AutoCSRResume(a));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
