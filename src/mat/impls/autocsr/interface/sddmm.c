/*
  MatAutoCSRSDDMM(): dense matrices sampled where a sparse one has entries.
*/
#include "../product/product.h"

static PetscErrorCode CheckDense(Mat S, Mat D, const char name[], PetscInt rows, PetscInt local, const char of[])
{
  PetscBool dense;
  MatType   type;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)D, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(MatGetType(D, &type));
  PetscCheck(dense, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_WRONG, "%s is of type %s: it must be MATDENSE, or MATDENSECUDA (MatConvert())", name, type);
  PetscCheck(D->rmap->N == rows && D->rmap->n == local, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_SIZ, "%s has %" PetscInt_FMT " rows, %" PetscInt_FMT " of them here, but S has %" PetscInt_FMT " %s, %" PetscInt_FMT " here: they must be as many", name, D->rmap->N, D->rmap->n, rows, of, local);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSDDMM - Computes Z = S .* (X Y^T) where S has nonzeros: each of them times the product of a row of X with a row of Y

  Collective

  Input Parameters:
+ S - the sparse matrix, M by N, of type `MATAUTOCSR`, assembled
. X - M by K, of type `MATDENSE` or `MATDENSECUDA`, its rows distributed as those of S
- Y - N by K, likewise, its rows distributed as the columns of S

  Input/Output Parameter:
. Z - M by N, of type `MATAUTOCSR`, with the nonzeros of S, whose values are written; it may be S

  Level: intermediate

  Notes:
  Z comes from `MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &Z)`, say, and serves any number of calls. Nothing is conjugated. K may be 0: then Z = 0 S.

  X Y^T, which is dense, is never made: the work is 2 K + 1 operations a nonzero. Where the values of S are all one, Z is X Y^T where S
  has nonzeros, as weighted matrix factorizations, recommenders and attention on graphs ask for.

  The same calls give the same bits in every run, as long as there is room for a panel of Y. Sums over K are added up in another order than PETSc's `MatMatTransposeMult()` does,
  and in another one once the library has looked at the matrix (progressive planning).

  On a device X, Y and both sparse matrices are best there; what is not is brought there in each call. Of a parallel S the rows of Y that other
  processes have come column by column. Room for a panel of Y, and where K is larger than a panel (64 columns of real double on a device) for a
  scalar a nonzero, stays with S, but with `-mat_autocsr_objective memory`; and Z keeps its CSR on the device from then on.

  Types that do not fit are an error `PETSC_ERR_ARG_WRONG`, sizes `PETSC_ERR_ARG_SIZ`, a Z with other nonzeros `PETSC_ERR_ARG_INCOMP`.

  References:
. * - Hong, Sukumaran-Rajam, Nisa, Singh, Sadayappan, Adaptive sparse tiling for sparse matrix multiplication, PPoPP 2019

.seealso: `MATAUTOCSR`, `MatCreateAutoCSR()`, `MatMatMult()`, `MatDuplicate()`, `MatMatTransposeMult()`
@*/
PetscErrorCode MatAutoCSRSDDMM(Mat S, Mat X, Mat Y, Mat Z)
{
  MatType type;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(S, MAT_CLASSID, 1);
  PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
  PetscValidHeaderSpecific(Z, MAT_CLASSID, 4);
  PetscCheckSameComm(S, 1, X, 2);
  PetscCheckSameComm(S, 1, Y, 3);
  PetscCheckSameComm(S, 1, Z, 4);
  PetscCall(MatGetType(S, &type));
  PetscCheck(MatIsSeqAutoCSR(S) || MatIsMPIAutoCSR(S), PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_WRONG, "S is of type %s: it must be MATAUTOCSR (-mat_type autocsr, or MatConvert())", type);
  PetscCall(MatGetType(Z, &type));
  PetscCheck((MatIsSeqAutoCSR(S) && MatIsSeqAutoCSR(Z)) || (MatIsMPIAutoCSR(S) && MatIsMPIAutoCSR(Z)), PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_WRONG, "Z is of type %s: it must be MATAUTOCSR, as S is (MatDuplicate())", type);
  PetscCheck(S->assembled, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_WRONGSTATE, "S is not assembled: call MatAssemblyBegin() and MatAssemblyEnd()");
  PetscCheck(Z->assembled, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_WRONGSTATE, "Z is not assembled: make it by MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &Z)");
  PetscCheck(!S->structure_only && !Z->structure_only, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_WRONGSTATE, "S or Z has no values (MAT_STRUCTURE_ONLY): make it without that option");
  PetscCheck(S->rmap->N == Z->rmap->N && S->cmap->N == Z->cmap->N && S->rmap->n == Z->rmap->n && S->cmap->n == Z->cmap->n, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_SIZ, "S is %" PetscInt_FMT " by %" PetscInt_FMT ", Z %" PetscInt_FMT " by %" PetscInt_FMT ": they must have the same sizes, globally and locally", S->rmap->N, S->cmap->N, Z->rmap->N, Z->cmap->N);
  PetscCall(CheckDense(S, X, "X", S->rmap->N, S->rmap->n, "rows"));
  PetscCall(CheckDense(S, Y, "Y", S->cmap->N, S->cmap->n, "columns"));
  PetscCheck(X->cmap->N == Y->cmap->N, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_SIZ, "X has %" PetscInt_FMT " columns, Y %" PetscInt_FMT ": they must be as many", X->cmap->N, Y->cmap->N);
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_SDDMM], S, X, Y, Z));
  PetscCall(AutoCSRSampledProduct(S, X, Y, Z));
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_SDDMM], S, X, Y, Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}
