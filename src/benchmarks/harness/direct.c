/* cuSPARSE called directly and the floor of a product in CSR, both on the device arrays of a MATAIJCUSPARSE matrix. */
#if defined(AUTOCSR_HAVE_CUDA)
  #include "direct.h"
  #include <petscdevice_cuda.h>
  #include <cusparse.h>
  #include "floor.h"

  #if defined(PETSC_USE_COMPLEX)
    #define BENCH_SCALAR (PetscDefined(USE_REAL_SINGLE) ? CUDA_C_32F : CUDA_C_64F)
  #else
    #define BENCH_SCALAR (PetscDefined(USE_REAL_SINGLE) ? CUDA_R_32F : CUDA_R_64F)
  #endif
  #define BENCH_INDEX (sizeof(PetscInt) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I)

/* All that a product reads and writes, on the device; the vectors' arrays stay where they are */
static PetscErrorCode Operands(Mat A, Vec x, Vec y, const PetscInt **row_ptr, const PetscInt **col, PetscScalar **val, const PetscScalar **x_array, PetscScalar **y_array)
{
  PetscMemType place;

  PetscFunctionBeginUser;
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, row_ptr, col));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, NULL, NULL, val, &place));
  PetscCall(VecCUDAGetArrayRead(x, x_array));
  PetscCall(VecCUDARestoreArrayRead(x, NULL));
  PetscCall(VecCUDAGetArray(y, y_array));
  PetscCall(VecCUDARestoreArray(y, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One for all: to create it takes longer than to multiply */
static cusparseHandle_t handle;

static PetscErrorCode HandleDestroy(void)
{
  PetscFunctionBeginUser;
  PetscCallCUSPARSE(cusparseDestroy(handle));
  handle = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HandleCreate(void)
{
  PetscFunctionBeginUser;
  if (handle) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUSPARSE(cusparseCreate(&handle));
  PetscCallCUSPARSE(cusparseSetStream(handle, PetscDefaultCudaStream));
  PetscCall(PetscRegisterFinalize(HandleDestroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  cusparseSpMatDescr_t A;
  cusparseDnVecDescr_t x, y;
  cusparseSpMVAlg_t    algorithm;
  void                *buffer;
  size_t               buffer_bytes;
  PetscScalar          one, zero;
} Spmv;

static PetscErrorCode CusparseApply(void *ctx)
{
  Spmv *s = (Spmv *)ctx;

  PetscFunctionBeginUser;
  PetscCallCUSPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &s->one, s->A, s->x, &s->zero, s->y, BENCH_SCALAR, s->algorithm, s->buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CusparseMake(const Variant *v, const Csr *csr, Mat first, Vec x, Vec y, void **ctx)
{
  const PetscInt    *row_ptr, *col;
  const PetscScalar *x_array;
  PetscScalar       *val, *y_array;
  Spmv              *s;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&s));
  *ctx         = s;
  s->one       = 1;
  s->algorithm = (cusparseSpMVAlg_t)v->direct->algorithm;
  PetscCall(Operands(first, x, y, &row_ptr, &col, &val, &x_array, &y_array));
  PetscCall(HandleCreate());
  PetscCallCUSPARSE(cusparseCreateCsr(&s->A, csr->m, csr->n, csr->row_ptr[csr->m], (void *)row_ptr, (void *)col, val, BENCH_INDEX, BENCH_INDEX, CUSPARSE_INDEX_BASE_ZERO, BENCH_SCALAR));
  PetscCallCUSPARSE(cusparseCreateDnVec(&s->x, csr->n, (void *)x_array, BENCH_SCALAR));
  PetscCallCUSPARSE(cusparseCreateDnVec(&s->y, csr->m, y_array, BENCH_SCALAR));
  PetscCallCUSPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &s->one, s->A, s->x, &s->zero, s->y, BENCH_SCALAR, s->algorithm, &s->buffer_bytes));
  PetscCallCUDA(cudaMalloc(&s->buffer, PetscMax(s->buffer_bytes, 1)));
  if (v->direct->preprocess) PetscCallCUSPARSE(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &s->one, s->A, s->x, &s->zero, s->y, BENCH_SCALAR, s->algorithm, s->buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CusparseDestroy(void **ctx)
{
  Spmv *s = (Spmv *)*ctx;

  PetscFunctionBeginUser;
  PetscCallCUSPARSE(cusparseDestroySpMat(s->A));
  PetscCallCUSPARSE(cusparseDestroyDnVec(s->x));
  PetscCallCUSPARSE(cusparseDestroyDnVec(s->y));
  PetscCallCUDA(cudaFree(s->buffer));
  PetscCall(PetscFree(*ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt64 CusparseBytes(void *ctx)
{
  return (PetscInt64)((Spmv *)ctx)->buffer_bytes;
}

const Direct Cusparse[] = {
    {CusparseMake, CusparseApply, CusparseDestroy, CusparseBytes, PETSC_TRUE, CUSPARSE_SPMV_ALG_DEFAULT, PETSC_FALSE},
    {CusparseMake, CusparseApply, CusparseDestroy, CusparseBytes, PETSC_TRUE, CUSPARSE_SPMV_ALG_DEFAULT, PETSC_TRUE},
    {CusparseMake, CusparseApply, CusparseDestroy, CusparseBytes, PETSC_TRUE, CUSPARSE_SPMV_CSR_ALG1, PETSC_FALSE},
    {CusparseMake, CusparseApply, CusparseDestroy, CusparseBytes, PETSC_TRUE, CUSPARSE_SPMV_CSR_ALG1, PETSC_TRUE},
    {CusparseMake, CusparseApply, CusparseDestroy, CusparseBytes, PETSC_TRUE, CUSPARSE_SPMV_CSR_ALG2, PETSC_FALSE},
    {CusparseMake, CusparseApply, CusparseDestroy, CusparseBytes, PETSC_TRUE, CUSPARSE_SPMV_CSR_ALG2, PETSC_TRUE}};

struct _Sddmm {
  Mat                  A;
  cusparseSpMatDescr_t sampled;
  cusparseDnMatDescr_t x, y;
  PetscScalar         *val;
  void                *buffer;
  PetscInt             nnz;
  PetscScalar          one, zero;
};

/* The descriptor of a dense matrix, whose array stays where it is */
static PetscErrorCode DenseDescribe(Mat D, cusparseDnMatDescr_t *descriptor)
{
  const PetscScalar *array;
  PetscInt           m, n, lda;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(D, &m, &n));
  PetscCall(MatDenseGetLDA(D, &lda));
  PetscCall(MatDenseCUDAGetArrayRead(D, &array));
  PetscCallCUSPARSE(cusparseCreateDnMat(descriptor, m, n, lda, (void *)array, BENCH_SCALAR, CUSPARSE_ORDER_COL));
  PetscCall(MatDenseCUDARestoreArrayRead(D, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SddmmApply(Sddmm s)
{
  PetscFunctionBeginUser;
  PetscCallCUSPARSE(cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &s->one, s->x, s->y, &s->zero, s->sampled, BENCH_SCALAR, CUSPARSE_SDDMM_ALG_DEFAULT, s->buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SddmmCreate(Mat A, Mat X, Mat Y, Sddmm *sddmm)
{
  const PetscInt *row_ptr, *col;
  PetscScalar    *val;
  PetscMemType    place;
  PetscInt        m, n;
  MatInfo         info;
  size_t          bytes;
  Sddmm           s;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&s));
  *sddmm = s;
  s->one = 1;
  PetscCall(HandleCreate());
  PetscCall(MatConvert(A, MATSEQAIJCUSPARSE, MAT_INITIAL_MATRIX, &s->A));
  PetscCall(MatSeqAIJGetCSRAndMemType(s->A, NULL, NULL, &val, &place));
  PetscCall(MatSeqAIJCUSPARSEGetIJ(s->A, PETSC_FALSE, &row_ptr, &col));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatGetSize(A, &m, &n));
  s->nnz = (PetscInt)info.nz_used;
  PetscCallCUDA(cudaMalloc((void **)&s->val, ((size_t)s->nnz + 1) * sizeof(PetscScalar)));
  PetscCallCUDA(cudaMemset(s->val, 0, (size_t)s->nnz * sizeof(PetscScalar)));
  PetscCallCUSPARSE(cusparseCreateCsr(&s->sampled, m, n, s->nnz, (void *)row_ptr, (void *)col, s->val, BENCH_INDEX, BENCH_INDEX, CUSPARSE_INDEX_BASE_ZERO, BENCH_SCALAR));
  PetscCall(DenseDescribe(X, &s->x));
  PetscCall(DenseDescribe(Y, &s->y));
  PetscCallCUSPARSE(cusparseSDDMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &s->one, s->x, s->y, &s->zero, s->sampled, BENCH_SCALAR, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
  PetscCallCUDA(cudaMalloc(&s->buffer, PetscMax(bytes, 1)));
  PetscCallCUSPARSE(cusparseSDDMM_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &s->one, s->x, s->y, &s->zero, s->sampled, BENCH_SCALAR, CUSPARSE_SDDMM_ALG_DEFAULT, s->buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SddmmGet(Sddmm s, PetscScalar val[])
{
  PetscFunctionBeginUser;
  PetscCallCUDA(cudaStreamSynchronize(PetscDefaultCudaStream));
  PetscCallCUDA(cudaMemcpy(val, s->val, (size_t)s->nnz * sizeof(PetscScalar), cudaMemcpyDeviceToHost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SddmmDestroy(Sddmm *s)
{
  PetscFunctionBeginUser;
  PetscCallCUSPARSE(cusparseDestroySpMat((*s)->sampled));
  PetscCallCUSPARSE(cusparseDestroyDnMat((*s)->x));
  PetscCallCUSPARSE(cusparseDestroyDnMat((*s)->y));
  PetscCallCUDA(cudaFree((*s)->val));
  PetscCallCUDA(cudaFree((*s)->buffer));
  PetscCall(MatDestroy(&(*s)->A));
  PetscCall(PetscFree(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  FloorArrays arrays;
  int         blocks;
} FloorCtx;

static PetscErrorCode FloorMake(const Variant *v, const Csr *csr, Mat first, Vec x, Vec y, void **ctx)
{
  const PetscInt    *row_ptr, *col;
  const PetscScalar *x_array;
  PetscScalar       *val, *y_array;
  const size_t       nnz = (size_t)csr->row_ptr[csr->m];
  FloorCtx          *f;
  int                device;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&f));
  *ctx = f;
  PetscCall(Operands(first, x, y, &row_ptr, &col, &val, &x_array, &y_array));
  f->arrays = (FloorArrays){
      {row_ptr, col, val, x_array},
      {((size_t)csr->m + 1) * sizeof(PetscInt), nnz * sizeof(PetscInt), nnz * sizeof(PetscScalar), (size_t)csr->n * sizeof(PetscScalar)},
      y_array,
      (size_t)csr->m * sizeof(PetscScalar)};
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetAttribute(&f->blocks, cudaDevAttrMultiProcessorCount, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FloorApply(void *ctx)
{
  FloorCtx *f = (FloorCtx *)ctx;

  PetscFunctionBeginUser;
  PetscCallCUDA(FloorLaunch(&f->arrays, f->blocks, PetscDefaultCudaStream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FloorDestroy(void **ctx)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(*ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt64 FloorBytes(void *ctx)
{
  return 0;
}

const Direct Floor = {FloorMake, FloorApply, FloorDestroy, FloorBytes, PETSC_FALSE, 0, PETSC_FALSE};
#endif
