/*
  Products by the vendor's libraries: executors that own cuSPARSE's descriptors, and cuBLAS's product of dense matrices. What needs memory or
  looks at the matrix is done when a plan is bound and in its first product; later ones set pointers and call.
*/
#include "../device.h"
#include "../runtime/launch.h"
#include <cusparse.h>
#include <cuda_runtime_api.h>
#include <stdalign.h>
#include <cublas_v2.h>

#if defined(PETSC_USE_COMPLEX)
  #define VENDOR_SCALAR PetscDefined(USE_REAL_SINGLE) ? CUDA_C_32F : CUDA_C_64F
#else
  #define VENDOR_SCALAR PetscDefined(USE_REAL_SINGLE) ? CUDA_R_32F : CUDA_R_64F
#endif
#define VENDOR_INDEX (sizeof(PetscInt) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I)

/* What a product is multiplied by: C aligns a complex number to its parts, CUDA to its size */
typedef struct {
  alignas(sizeof(PetscScalar)) PetscScalar value;
} Factor;

/* The first whose general product takes blocks */
#define VENDOR_HAS_BLOCKS (CUDART_VERSION >= 13000)

typedef struct {
  cusparseSpMVAlg_t    algorithm;
  cusparseSpMatDescr_t A;
  cusparseDnVecDescr_t x, y;
  const void          *row_ptr, *col, *val; /* that the descriptor of a CSR has been looked at with; NULL: none */
  PetscInt             m, n;
  PetscBool            in_place;
  void                *buffer, *conjugate; /* of the device; the latter of n scalars, where they are complex */
} Vendor;

static cusparseHandle_t Handle;

static PetscErrorCode HandleDestroy(void)
{
  PetscFunctionBegin;
  if (Handle) PetscCallCUSPARSE(cusparseDestroy(Handle));
  Handle = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HandleGet(void)
{
  PetscFunctionBegin;
  if (!Handle) {
    PetscCallCUSPARSE(cusparseCreate(&Handle));
    PetscCall(PetscRegisterFinalize(HandleDestroy));
  }
  PetscCallCUSPARSE(cusparseSetStream(Handle, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRVendorDestroy(void **ctx)
{
  Vendor *v = (Vendor *)*ctx;

  PetscFunctionBegin;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  if (v->A) PetscCallCUSPARSE(cusparseDestroySpMat(v->A));
  if (v->x) PetscCallCUSPARSE(cusparseDestroyDnVec(v->x));
  if (v->y) PetscCallCUSPARSE(cusparseDestroyDnVec(v->y));
  PetscCall(AutoCSRDeviceDeallocate(v->buffer));
  PetscCall(AutoCSRDeviceDeallocate(v->conjugate));
  PetscCall(PetscFree(*ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *ctx is to be destroyed even after an error */
PetscErrorCode AutoCSRVendorCreate(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, void **ctx)
{
  const AutoCSRStream *stream = seg->stream;
  const Factor         one = {1}, zero = {0};
  size_t               bytes;
  Vendor              *v;

  PetscFunctionBegin;
  PetscCheck(seg->n_rows == csr->m, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The vendor's executors take whole blocks");
  PetscCall(HandleGet());
  PetscCall(PetscNew(&v));
  *ctx        = v;
  v->m        = csr->m;
  v->n        = csr->n;
  v->in_place = (PetscBool)(seg->axes.order == AUTOCSR_ORDER_CSR);
  if (v->in_place) {
    v->algorithm = seg->axes.algorithm == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
    PetscCallCUSPARSE(cusparseCreateCsr(&v->A, csr->m, csr->n, csr->nnz, (void *)csr->row_ptr, (void *)csr->col, (void *)csr->val, VENDOR_INDEX, VENDOR_INDEX, CUSPARSE_INDEX_BASE_ZERO, VENDOR_SCALAR));
#if VENDOR_HAS_BLOCKS
  } else if (seg->axes.order == AUTOCSR_ORDER_BLOCKED) {
    const int64_t b = seg->axes.block;

    v->algorithm = CUSPARSE_SPMV_BSR_ALG1;
    PetscCallCUSPARSE(cusparseCreateBsr(&v->A, csr->m / b, csr->n / b, csr->nnz / (b * b), b, b, stream[AUTOCSR_STREAM_BLOCK_PTR].data, stream[AUTOCSR_STREAM_INDEX].data, stream[AUTOCSR_STREAM_VALUE].data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, VENDOR_SCALAR, CUSPARSE_ORDER_ROW));
#endif
  } else {
    const int64_t slots = (int64_t)(stream[AUTOCSR_STREAM_VALUE].bytes / sizeof(PetscScalar));

    v->algorithm = CUSPARSE_SPMV_SELL_ALG1;
    PetscCallCUSPARSE(cusparseCreateSlicedEll(&v->A, csr->m, csr->n, csr->nnz, slots, seg->axes.slice_height, stream[AUTOCSR_STREAM_SLICE_PTR].data, stream[AUTOCSR_STREAM_INDEX].data, stream[AUTOCSR_STREAM_VALUE].data, VENDOR_INDEX, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, VENDOR_SCALAR));
  }
  PetscCallCUSPARSE(cusparseCreateDnVec(&v->x, csr->n, (void *)csr->val, VENDOR_SCALAR)); /* the operands come with each product */
  PetscCallCUSPARSE(cusparseCreateDnVec(&v->y, csr->m, (void *)csr->val, VENDOR_SCALAR));
  PetscCallCUSPARSE(cusparseSpMV_bufferSize(Handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, v->A, v->x, &zero, v->y, VENDOR_SCALAR, v->algorithm, &bytes));
  PetscCall(AutoCSRDeviceAllocate(bytes, &v->buffer));
  if (PetscDefined(USE_COMPLEX)) PetscCall(AutoCSRDeviceAllocate((size_t)csr->n * sizeof(PetscScalar), &v->conjugate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The imaginary parts change sign */
static PetscErrorCode Conjugate(PetscInt n, PetscScalar x[])
{
  PetscFunctionBegin;
#if defined(PETSC_USE_COMPLEX)
  {
    const PetscReal minus_one = -1;
    cublasHandle_t  blas;

    PetscCall(PetscCUBLASGetHandle(&blas));
  #if defined(PETSC_USE_REAL_SINGLE)
    PetscCallCUBLAS(cublasSscal(blas, (int)n, &minus_one, (PetscReal *)x + 1, 2));
  #else
    PetscCallCUBLAS(cublasDscal(blas, (int)n, &minus_one, (PetscReal *)x + 1, 2));
  #endif
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = z + A x as y = z, y = y + A x; conj(A) x + z is the conjugate of A conj(x) + conj(z) */
PetscErrorCode AutoCSRVendorMult(void *ctx, const AutoCSRDeviceOperands *op)
{
  Vendor            *v   = (Vendor *)ctx;
  const Factor       one = {1}, beta = {op->z ? 1 : 0};
  const PetscScalar *x     = op->x;
  const PetscBool    swaps = (PetscBool)(PetscDefined(USE_COMPLEX) && op->conjugate);

  PetscFunctionBegin;
  PetscCall(HandleGet());
  if (op->z && op->z != op->y) PetscCallCUDA(cudaMemcpyAsync(op->y, op->z, (size_t)v->m * sizeof(*op->y), cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
  if (swaps) {
    PetscCallCUDA(cudaMemcpyAsync(v->conjugate, op->x, (size_t)v->n * sizeof(*op->x), cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
    PetscCall(Conjugate(v->n, (PetscScalar *)v->conjugate));
    if (op->z) PetscCall(Conjugate(v->m, op->y));
    x = (const PetscScalar *)v->conjugate;
  }
  PetscCallCUSPARSE(cusparseDnVecSetValues(v->x, (void *)x));
  PetscCallCUSPARSE(cusparseDnVecSetValues(v->y, op->y));
  if (v->in_place && (v->row_ptr != op->row_ptr || v->col != op->col || v->val != op->val)) {
    PetscCallCUSPARSE(cusparseCsrSetPointers(v->A, (void *)op->row_ptr, (void *)op->col, (void *)op->val));
#if CUDART_VERSION >= 12040 /* before there is nothing to prepare */
    PetscCallCUSPARSE(cusparseSpMV_preprocess(Handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, v->A, v->x, &beta, v->y, VENDOR_SCALAR, v->algorithm, v->buffer));
#endif
    v->row_ptr = op->row_ptr;
    v->col     = op->col;
    v->val     = op->val;
  }
  PetscCallCUSPARSE(cusparseSpMV(Handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, v->A, v->x, &beta, v->y, VENDOR_SCALAR, v->algorithm, v->buffer));
  if (swaps) PetscCall(Conjugate(v->m, op->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_USE_COMPLEX)
  #if defined(PETSC_USE_REAL_SINGLE)
typedef cuComplex BlasScalar;
    #define BlasGemm cublasCgemm
  #else
typedef cuDoubleComplex BlasScalar;
    #define BlasGemm cublasZgemm
  #endif
#else
typedef PetscScalar BlasScalar;
  #if defined(PETSC_USE_REAL_SINGLE)
    #define BlasGemm cublasSgemm
  #else
    #define BlasGemm cublasDgemm
  #endif
#endif

PetscErrorCode AutoCSRVendorMultiplyDense(PetscInt n, PetscInt m, PetscInt columns, const PetscScalar Y[], PetscInt ldy, PetscBool by_rows, const PetscScalar X[], PetscInt ldx, PetscScalar C[])
{
  const Factor   one = {1}, zero = {0};
  cublasHandle_t blas;
  cublasStatus_t status;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = PetscCUBLASGetHandle(&blas);
  PetscCheck(ierr != PETSC_ERR_GPU_RESOURCE, PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no memory left for cuBLAS");
  PetscCall(ierr);
  if (!C) PetscFunctionReturn(PETSC_SUCCESS);
  status = BlasGemm(blas, by_rows ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_T, (int)n, (int)m, (int)columns, (const BlasScalar *)&one, (const BlasScalar *)Y, (int)ldy, (const BlasScalar *)X, (int)ldx, (const BlasScalar *)&zero, (BlasScalar *)C, (int)n);
  PetscCheck(status != CUBLAS_STATUS_ALLOC_FAILED, PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no memory left for cuBLAS");
  PetscCallCUBLAS(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt NoBlocks(const AutoCSRSegment *seg)
{
  return 1; /* it is launched, but not by us */
}

static size_t NoScratch(const AutoCSRSegment *seg)
{
  return 0;
}

#define VENDOR_LINE(ID, NAME, ORDER, INDEX, VALUE, ALGORITHM)                                                                                                                                                                                                                                                   \
  {                                                                                                                                                                                                                                                                                                             \
    .executor = {NAME, AutoCSRDeviceMultSegment, NULL, AUTOCSR_VENDOR_EXECUTOR + ID}, .order = AUTOCSR_ORDER_##ORDER, .index = AUTOCSR_INDEX_##INDEX, .value = AUTOCSR_VALUE_##VALUE, .mapping = AUTOCSR_MAP_VENDOR, .lanes = ALGORITHM, .block = 1, .step = {{.blocks = NoBlocks}}, .scratch_bytes = NoScratch \
  }

/* clang-format off */
static const AutoCSRDeviceExecutor Executors[] = {
  VENDOR_LINE(0, "cusparse/alg1", CSR, CSR, CSR, 1),
  VENDOR_LINE(1, "cusparse/alg2", CSR, CSR, CSR, 2),
  VENDOR_LINE(2, "cusparse/sell", SLICED, 32, COPY, 1),
#if VENDOR_HAS_BLOCKS
  VENDOR_LINE(3, "cusparse/bsr", BLOCKED, 32, COPY, 1), /* of any block size */
#endif
};
/* clang-format on */

const AutoCSRDeviceExecutor *AutoCSRVendorFind(const AutoCSRAxes *axes)
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(Executors); i++) {
    if (Executors[i].order == axes->order && Executors[i].lanes == axes->algorithm) return &Executors[i];
  }
  return NULL;
}

const AutoCSRExecutor *AutoCSRVendorExecutorOf(int id)
{
  const int i = id - AUTOCSR_VENDOR_EXECUTOR;

  return i >= 0 && i < (int)PETSC_STATIC_ARRAY_LENGTH(Executors) ? &Executors[i].executor : NULL;
}
