/*
  PETSc (3.18 to 3.26.1) writes values of sequential blocks in two ways without raising the blocks' state (doc/state.md). Whoever asked for
  them may have made the blocks ours: MATMPIAUTOCSR, or -mat_seqaij_type, under which the parallel matrix is a plain MATMPIAIJ. So the
  constructors of the plain types are wrapped, and the wrappers raise the state of those blocks that are ours.
*/
#include "mpiautocsr.h"

static PetscErrorCode (*CreateMPIAIJ)(Mat);
static PetscErrorCode (*CreateSubMatrices)(Mat, PetscInt, const IS[], const IS[], MatReuse, Mat *[]);
static PetscErrorCode (*CreateSubMatricesMPI)(Mat, PetscInt, const IS[], const IS[], MatReuse, Mat *[]);

/* The functions of MATMPIAIJ are not exported; an empty matrix shows them */
static PetscErrorCode FindFunctions(void)
{
  Mat plain;

  PetscFunctionBegin;
  if (PetscLikely(CreateSubMatrices)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreate(PETSC_COMM_SELF, &plain));
  PetscCall(MatSetSizes(plain, 0, 0, 0, 0));
  PetscCall((*CreateMPIAIJ)(plain));
  CreateSubMatrices    = plain->ops->createsubmatrices;
  CreateSubMatricesMPI = plain->ops->createsubmatricesmpi;
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tell(PetscInt n, Mat blocks[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    if (blocks[i] && MatIsSeqAutoCSR(blocks[i])) PetscCall(AutoCSRValuesWritten(blocks[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc assembles the result before it writes the values of all rows and columns. It writes other submatrices on the host only */
PetscErrorCode MatCreateSubMatrices_MPIAIJ_Told(Mat A, PetscInt n, const IS rows[], const IS cols[], MatReuse reuse, Mat *S[])
{
  PetscFunctionBegin;
  PetscCall(FindFunctions());
  PetscCall((*CreateSubMatrices)(A, n, rows, cols, reuse, S));
  if (n) PetscCall(Tell(n, *S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for index sets of one process each; a result of several processes is assembled last */
PetscErrorCode MatCreateSubMatricesMPI_MPIAIJ_Told(Mat A, PetscInt n, const IS rows[], const IS cols[], MatReuse reuse, Mat *S[])
{
  PetscFunctionBegin;
  PetscCall(FindFunctions());
  PetscCall((*CreateSubMatricesMPI)(A, n, rows, cols, reuse, S));
  if (n) PetscCall(Tell(n, *S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_MPIAIJ_Told(Mat A)
{
  PetscFunctionBegin;
  PetscCall((*CreateMPIAIJ)(A));
  A->ops->createsubmatrices    = MatCreateSubMatrices_MPIAIJ_Told;
  A->ops->createsubmatricesmpi = MatCreateSubMatricesMPI_MPIAIJ_Told;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_LT(3, 20, 0)
static PetscErrorCode (*CreateHYPRE)(Mat);
static PetscErrorCode (*ConvertHYPRE)(Mat, MatType, MatReuse, Mat *);

/* MAT_REUSE_MATRIX: PETSc gets the arrays of the blocks of B, writes them, and restores none */
static PetscErrorCode MatConvert_HYPRE_AIJ_Told(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  Mat       blocks[AUTOCSR_MAX_BLOCKS] = {NULL, NULL};
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall((*ConvertHYPRE)(A, type, reuse, B));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)*B, MATMPIAIJ, &mpi));
  if (mpi && reuse == MAT_REUSE_MATRIX) PetscCall(MatMPIAIJGetSeqAIJ(*B, &blocks[0], &blocks[1], NULL));
  PetscCall(Tell(AUTOCSR_MAX_BLOCKS, blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_HYPRE_Told(Mat A)
{
  PetscFunctionBegin;
  PetscCall((*CreateHYPRE)(A));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatConvert_hypre_aij_C", &ConvertHYPRE));
  if (ConvertHYPRE) PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_hypre_aij_C", MatConvert_HYPRE_AIJ_Told));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Before the types look for the constructors of their parents */
PetscErrorCode AutoCSRSilentRegister(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(MatList, MATMPIAIJ, &CreateMPIAIJ));
  PetscCall(MatRegister(MATMPIAIJ, MatCreate_MPIAIJ_Told));
#if PETSC_VERSION_LT(3, 20, 0)
  PetscCall(PetscFunctionListFind(MatList, MATHYPRE, &CreateHYPRE));
  if (CreateHYPRE) PetscCall(MatRegister(MATHYPRE, MatCreate_HYPRE_Told));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
