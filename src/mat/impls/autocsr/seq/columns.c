/*
  Columns that PETSc (3.18 to 3.26.1) writes in the place of others under the old nonzero state: plans, and AIJCUSPARSE's copy on a device, would keep the old ones. MatSeqAIJSetColumnIndices() does,
  and MatCreateSubMatrix_SeqAIJ() of a submatrix that is there already (MAT_REUSE_MATRIX), whatever the lengths of the rows where the columns are in a row, else where they are as before. Of several processes PETSc keeps which rows were asked for.
*/
#include "seqautocsr.h"

/* As it is on the host */
typedef struct {
  PetscObjectState nonzerostate;
  PetscInt         m, *row_ptr, *col;
} AutoCSRStructure;

static PetscErrorCode AutoCSRStructureTake(Mat S, AutoCSRStructure *s)
{
  const PetscInt *row_ptr, *col;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  if (!MatIsSeqAutoCSR(S)) PetscFunctionReturn(PETSC_SUCCESS);
  s->nonzerostate = S->nonzerostate;
  PetscCall(MatGetRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, &s->m, &row_ptr, &col, &done));
  if (row_ptr) {
    PetscCall(PetscMalloc2(s->m + 1, &s->row_ptr, row_ptr[s->m], &s->col));
    PetscCall(PetscArraycpy(s->row_ptr, row_ptr, s->m + 1));
    PetscCall(PetscArraycpy(s->col, col, row_ptr[s->m]));
  }
  PetscCall(MatRestoreRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, NULL, &row_ptr, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another structure under the old nonzero state gets a new one */
static PetscErrorCode AutoCSRStructureRenew(Mat S, AutoCSRStructure *s)
{
  const PetscInt *row_ptr, *col;
  PetscInt        m;
  PetscBool       done, same;

  PetscFunctionBegin;
  if (!s->row_ptr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
  PetscCall(PetscArraycmp(row_ptr, s->row_ptr, s->m + 1, &same));
  if (same) PetscCall(PetscArraycmp(col, s->col, row_ptr[m], &same));
  PetscCall(MatRestoreRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, NULL, &row_ptr, &col, &done));
  if (!same && S->nonzerostate == s->nonzerostate) S->nonzerostate++;
  PetscCall(PetscFree2(s->row_ptr, s->col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One after the other, as the parent does: what one was is kept no longer than for its turn */
PetscErrorCode MatCreateSubMatrices_SeqAutoCSR(Mat A, PetscInt n, const IS rows[], const IS cols[], MatReuse reuse, Mat *S[])
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (reuse != MAT_REUSE_MATRIX) PetscCall((*AutoCSRParentTableOf(parent, A)->ops.createsubmatrices)(A, n, rows, cols, reuse, S));
  for (PetscInt i = 0; reuse == MAT_REUSE_MATRIX && i < n; i++) {
    AutoCSRStructure before;
    Mat             *one = *S + i;

    PetscCall(AutoCSRStructureTake(*one, &before));
    PetscCall((*AutoCSRParentTableOf(parent, A)->ops.createsubmatrices)(A, 1, &rows[i], &cols[i], reuse, &one));
    PetscCall(AutoCSRStructureRenew(*one, &before));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAIJSetColumnIndices_SeqAutoCSR(Mat A, PetscInt *col)
{
  const AutoCSRParent *parent;
  PetscErrorCode (*method)(Mat, PetscInt *);
  PetscScalar *val;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRParentGetMethod(parent, A, "MatSeqAIJSetColumnIndices_C", (void (**)(void)) & method));
  PetscCall(MatSeqAIJGetArray(A, &val)); /* counts as a change of the values, too, and makes those of a device old ones, as its columns are */
  PetscCall((*method)(A, col));
  PetscCall(MatSeqAIJRestoreArray(A, &val));
  A->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}
