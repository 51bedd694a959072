/*
  Matrices on CSR arrays that are on a device already: nothing is copied.
*/
#include "../mpi/mpiautocsr.h"

#if defined(AUTOCSR_HAVE_CUDA)
  #include <petscdevice.h>

static PetscErrorCode CheckArray(MPI_Comm comm, const char name[], const void *array)
{
  PetscMemType memtype;

  PetscFunctionBegin;
  PetscCall(PetscGetMemType(array, &memtype));
  PetscCheck(PetscMemTypeDevice(memtype), comm, PETSC_ERR_ARG_WRONG, "%s is on the host: MatCreateSeqAutoCSRWithArrays() and MatCreateMPIAutoCSRWithArrays() take such arrays", name);
  PetscCheck(!((uintptr_t)array % 16), comm, PETSC_ERR_ARG_WRONG, "The address of %s must be a multiple of 16 bytes, as cudaMalloc() gives it", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetBlock(MPI_Comm comm, PetscInt m, PetscInt n, const PetscInt i[], const PetscInt j[], const PetscScalar a[], AutoCSRMatrix *csr)
{
  const AutoCSRParent *parent;
  PetscInt             first = 0;

  PetscFunctionBegin;
  PetscCheck(m >= 0 && n >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " local rows and %" PetscInt_FMT " columns: both must be given, and not be negative", m, n);
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCheck(parent->device, comm, PETSC_ERR_SUP, "There is no device that PETSc may use");
  if (parent->prepare) PetscCall((*parent->prepare)());
  *csr = (AutoCSRMatrix){.m = m, .n = n, .row_ptr = i, .backend = &AutoCSRBackendCUDA};
  PetscCall(CheckArray(comm, "The array of row offsets", i));
  PetscCall((*csr->backend->to_host)(&first, i, sizeof(first)));
  PetscCall((*csr->backend->to_host)(&csr->nnz, i + m, sizeof(csr->nnz)));
  PetscCheck(!first && csr->nnz >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "Row offsets go from 0 to the number of nonzeros, and not from %" PetscInt_FMT " to %" PetscInt_FMT, first, csr->nnz);
  if (!csr->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckArray(comm, "The array of columns", j));
  PetscCall(CheckArray(comm, "The array of values", a));
  csr->col = j;
  csr->val = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
static PetscErrorCode GetBlock(MPI_Comm comm, PetscInt m, PetscInt n, const PetscInt i[], const PetscInt j[], const PetscScalar a[], AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  SETERRQ(comm, PETSC_ERR_SUP, "This library multiplies on no device: it was built for a PETSc without CUDA, or for one that is too old. Copy the arrays to the host for MatCreateSeqAutoCSRWithArrays() or MatCreateMPIAutoCSRWithArrays(), or build the library for PETSc 3.26 with CUDA");
}
#endif

/*MC
  MATSEQAUTOCSRDEVICE - "seqautocsrdevice", the type of matrices that `MatCreateSeqAutoCSRWithDeviceArrays()` makes on CSR arrays of the user: products, and conversion to `MATAUTOCSR`

  Level: advanced

.seealso: `MATSEQAUTOCSR`, `MATMPIAUTOCSRDEVICE`, `MatCreateSeqAutoCSRWithDeviceArrays()`
M*/

/*MC
  MATMPIAUTOCSRDEVICE - "mpiautocsrdevice", the type of matrices that `MatCreateMPIAutoCSRWithDeviceArrays()` makes on CSR arrays of the user: products, and conversion to `MATAUTOCSR`

  Level: advanced

.seealso: `MATMPIAUTOCSR`, `MATSEQAUTOCSRDEVICE`, `MatCreateMPIAutoCSRWithDeviceArrays()`
M*/

/*@
  MatCreateSeqAutoCSRWithDeviceArrays - Creates a sequential matrix of type `MATSEQAUTOCSRDEVICE` on CSR arrays of the user that are on a device

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

  Level: advanced

  Notes:
  Nothing is copied, neither on the device nor to the host, but what the plan keeps. The arrays must stay until the matrix is destroyed, and the caller frees them then. A caller
  whose arrays belong to an object keeps a reference to it: `PetscObjectCompose()` hangs such an object on the matrix.

  The library does not write into the arrays. After writing new values into `a` call `MatAutoCSRDeviceValuesChanged()`; for other columns make another matrix. Work that writes to the
  arrays must have ended, or be queued on PETSc's stream, when the matrix next multiplies.

  The matrix has products with vectors, also transposed ones, `MatGetDiagonal()`, the settings, and what the library shows of a plan: enough for a Krylov solver with `PCJACOBI`.
  `MatConvert()` makes a matrix of type `MATAIJ` or `MATAUTOCSR` of it, which has all the rest; that copies. The arrays are not checked: offsets must not descend, columns must be in range.
  Where columns do not ascend, products are right, but fewer strategies apply.

  Without CUDA, or without a device, it is an error (`PETSC_ERR_SUP`).

.seealso: `MATSEQAUTOCSRDEVICE`, `MatCreateMPIAutoCSRWithDeviceArrays()`, `MatAutoCSRDeviceValuesChanged()`, `MatCreateSeqAutoCSRWithArrays()`
@*/
PetscErrorCode MatCreateSeqAutoCSRWithDeviceArrays(MPI_Comm comm, PetscInt m, PetscInt n, const PetscInt i[], const PetscInt j[], const PetscScalar a[], Mat *A)
{
  AutoCSRMatrix csr;

  PetscFunctionBegin;
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(GetBlock(comm, m, n, i, j, a, &csr));
  PetscCall(MatCreateSeqAutoCSR_Borrowed(comm, &csr, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatCreateMPIAutoCSRWithDeviceArrays - Creates a parallel matrix of type `MATMPIAUTOCSRDEVICE` on CSR arrays of the user that are on devices

  Collective

  Input Parameters:
+ comm     - MPI communicator
. m        - number of local rows
. n        - number of local columns
. M        - number of global rows, or `PETSC_DETERMINE`
. N        - number of global columns, or `PETSC_DETERMINE`
. i        - row offsets of the block of the process's own columns, of length `m` + 1; `i[0]` is 0
. j        - columns of this block, from 0, of length `i[m]`
. a        - values of this block, of length `i[m]`
. oi       - row offsets of the block of the other columns, of length `m` + 1; `oi[0]` is 0
. oj       - columns of that block as places in `ghosts`, of length `oi[m]`
. oa       - values of that block, of length `oi[m]`
. n_ghosts - number of columns of other processes
- ghosts   - these columns, counted globally, each once; on the host

  Output Parameter:
. A - the matrix

  Level: advanced

  Notes:
  All arrays but `ghosts` are on the process's device, and are not copied; `ghosts` is. What `MatCreateSeqAutoCSRWithDeviceArrays()` says holds for each block.

  PETSc's scatter brings entries of other processes. `-mat_autocsr_exchange` has no effect.

.seealso: `MATMPIAUTOCSRDEVICE`, `MatCreateSeqAutoCSRWithDeviceArrays()`, `MatAutoCSRDeviceValuesChanged()`, `MatCreateMPIAIJWithSplitArrays()`
@*/
PetscErrorCode MatCreateMPIAutoCSRWithDeviceArrays(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt M, PetscInt N, const PetscInt i[], const PetscInt j[], const PetscScalar a[], const PetscInt oi[], const PetscInt oj[], const PetscScalar oa[], PetscInt n_ghosts, const PetscInt ghosts[], Mat *A)
{
  AutoCSRMatrix csr[AUTOCSR_MAX_BLOCKS];

  PetscFunctionBegin;
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(GetBlock(comm, m, n, i, j, a, &csr[0]));
  PetscCall(GetBlock(comm, m, n_ghosts, oi, oj, oa, &csr[1]));
  PetscCall(MatCreateMPIAutoCSR_Borrowed(comm, M, N, csr, ghosts, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRDeviceValuesChanged - Tells a matrix on arrays of a device that there are new values in these

  Collective

  Input Parameter:
. A - the matrix, of `MatCreateSeqAutoCSRWithDeviceArrays()` or `MatCreateMPIAutoCSRWithDeviceArrays()`

  Level: advanced

  Note:
  The next product reads them. Columns and row offsets must be as before.

.seealso: `MatCreateSeqAutoCSRWithDeviceArrays()`, `MatCreateMPIAutoCSRWithDeviceArrays()`
@*/
PetscErrorCode MatAutoCSRDeviceValuesChanged(Mat A)
{
  Mat             blocks[AUTOCSR_MAX_BLOCKS];
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(AutoCSRGetBlocks(A, blocks));
  PetscCall(AutoCSRContextGet(blocks[0], &ctx));
  PetscCheck(AutoCSRContextBorrows(ctx), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG, "A is of type %s, which has arrays of its own: MatSeqAIJCUSPARSEGetArray() and MatSetValuesCOO() give it values on a device", ((PetscObject)A)->type_name);
  for (int k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    if (blocks[k] && blocks[k] != A) PetscCall(PetscObjectStateIncrease((PetscObject)blocks[k]));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
