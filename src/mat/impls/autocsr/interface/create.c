/*
  MatCreateAutoCSR() and its relatives: what MatCreateAIJ() and its relatives do, with the type MATAUTOCSR.
*/
#include "../mpi/mpiautocsr.h"

static PetscErrorCode MatCreateAutoCSR_Private(MPI_Comm comm, MatType type, PetscInt m, PetscInt n, PetscInt M, PetscInt N, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, m, n, M, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, d_nz, d_nnz));
  PetscCall(MatMPIAIJSetPreallocation(*A, d_nz, d_nnz, o_nz, o_nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatCreateAutoCSR - Creates a sparse matrix of type `MATAUTOCSR`: CSR storage, and a plan of how to multiply with it

  Collective

  Input Parameters:
+ comm  - MPI communicator
. m     - number of local rows, or `PETSC_DECIDE`
. n     - number of local columns, or `PETSC_DECIDE`
. M     - number of global rows, or `PETSC_DETERMINE`
. N     - number of global columns, or `PETSC_DETERMINE`
. d_nz  - nonzeros in each row of the diagonal block, ignored if `d_nnz` is given
. d_nnz - nonzeros in the rows of the diagonal block, or `NULL`
. o_nz  - nonzeros in each row of the off-diagonal block, ignored if `o_nnz` is given
- o_nnz - nonzeros in the rows of the off-diagonal block, or `NULL`

  Output Parameter:
. A - the matrix

  Options Database Key:
. -autocsr_view - shows the plan, see `MatAutoCSRView()`

  Level: beginner

  Notes:
  The arguments are those of `MatCreateAIJ()`. On one process the type is `MATSEQAUTOCSR`, else `MATMPIAUTOCSR`.

  See `MATAUTOCSR` for the options and the papers of the methods.

.seealso: `MATAUTOCSR`, `MatCreateSeqAutoCSR()`, `MatCreateMPIAutoCSR()`, `MatCreateAIJ()`
@*/
PetscErrorCode MatCreateAutoCSR(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt M, PetscInt N, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateAutoCSR_Private(comm, MATAUTOCSR, m, n, M, N, d_nz, d_nnz, o_nz, o_nnz, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatCreateSeqAutoCSR - Creates a sequential sparse matrix of type `MATSEQAUTOCSR`

  Collective

  Input Parameters:
+ comm - MPI communicator of one process, such as `PETSC_COMM_SELF`
. m    - number of rows
. n    - number of columns
. nz   - nonzeros in each row, ignored if `nnz` is given
- nnz  - nonzeros in the rows, or `NULL`

  Output Parameter:
. A - the matrix

  Level: intermediate

.seealso: `MATSEQAUTOCSR`, `MatCreateAutoCSR()`, `MatCreateSeqAutoCSRWithArrays()`, `MatCreateSeqAIJ()`
@*/
PetscErrorCode MatCreateSeqAutoCSR(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt nz, const PetscInt nnz[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateAutoCSR_Private(comm, MATSEQAUTOCSR, m, n, m, n, nz, nnz, 0, NULL, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatCreateMPIAutoCSR - Creates a parallel sparse matrix of type `MATMPIAUTOCSR`, also on one process

  Collective

  Input Parameters:
+ comm  - MPI communicator
. m     - number of local rows, or `PETSC_DECIDE`
. n     - number of local columns, or `PETSC_DECIDE`
. M     - number of global rows, or `PETSC_DETERMINE`
. N     - number of global columns, or `PETSC_DETERMINE`
. d_nz  - nonzeros in each row of the diagonal block, ignored if `d_nnz` is given
. d_nnz - nonzeros in the rows of the diagonal block, or `NULL`
. o_nz  - nonzeros in each row of the off-diagonal block, ignored if `o_nnz` is given
- o_nnz - nonzeros in the rows of the off-diagonal block, or `NULL`

  Output Parameter:
. A - the matrix

  Level: intermediate

.seealso: `MATMPIAUTOCSR`, `MatCreateAutoCSR()`, `MatCreateMPIAutoCSRWithArrays()`, `MatCreateAIJ()`
@*/
PetscErrorCode MatCreateMPIAutoCSR(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt M, PetscInt N, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateAutoCSR_Private(comm, MATMPIAUTOCSR, m, n, M, N, d_nz, d_nnz, o_nz, o_nnz, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatCreateSeqAutoCSRWithArrays - Creates a sequential matrix of type `MATSEQAUTOCSR` on CSR arrays of the user

  Collective

  Input Parameters:
+ comm - MPI communicator of one process, such as `PETSC_COMM_SELF`
. m    - number of rows
. n    - number of columns
. i    - row offsets, of length `m` + 1; `i[0]` is 0
. j    - columns, from 0, of length `i[m]`
- a    - values, of length `i[m]`

  Output Parameter:
. A - the matrix

  Level: intermediate

  Notes:
  The arrays are not copied: they must stay until the matrix is destroyed, as for `MatCreateSeqAIJWithArrays()`.

  As for `MatCreateSeqAIJWithArrays()` offsets that do not begin with 0 are an error (`PETSC_ERR_ARG_OUTOFRANGE`), and in debug builds of PETSc also those that descend,
  and columns that are out of range or do not ascend. Where columns do not ascend, products are right, but fewer strategies apply.

  Write into `a` between `MatSeqAIJGetArray()` and `MatSeqAIJRestoreArray()`, or the plan, and a device, keep the old values.

.seealso: `MATSEQAUTOCSR`, `MatCreateSeqAutoCSR()`, `MatCreateSeqAIJWithArrays()`
@*/
PetscErrorCode MatCreateSeqAutoCSRWithArrays(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt i[], PetscInt j[], PetscScalar a[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(MatCreateSeqAIJWithArrays(comm, m, n, i, j, a, A));
  PetscCall(MatConvert_Any_AutoCSR(*A, MATSEQAUTOCSR, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatCreateMPIAutoCSRWithArrays - Creates a parallel matrix of type `MATMPIAUTOCSR` from CSR arrays of the local rows

  Collective

  Input Parameters:
+ comm - MPI communicator
. m    - number of local rows; not `PETSC_DECIDE`
. n    - number of local columns, or `PETSC_DECIDE`
. M    - number of global rows, or `PETSC_DETERMINE`
. N    - number of global columns, or `PETSC_DETERMINE`
. i    - row offsets of the local rows, of length `m` + 1; `i[0]` is 0
. j    - global columns, from 0, in any order, of length `i[m]`
- a    - values, of length `i[m]`, or `NULL`

  Output Parameter:
. A - the matrix

  Level: intermediate

  Note:
  The arrays are copied. A number of local rows that is `PETSC_DECIDE`, and offsets that do not begin with 0, are errors (`PETSC_ERR_ARG_OUTOFRANGE`).

.seealso: `MATMPIAUTOCSR`, `MatCreateMPIAutoCSR()`, `MatCreateMPIAIJWithArrays()`
@*/
PetscErrorCode MatCreateMPIAutoCSRWithArrays(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt M, PetscInt N, const PetscInt i[], const PetscInt j[], const PetscScalar a[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(MatCreateMPIAIJWithArrays(comm, m, n, M, N, i, j, a, A));
  PetscCall(MatConvert_Any_AutoCSR(*A, MATMPIAUTOCSR, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
