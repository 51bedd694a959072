/* Rows of a dense matrix that other processes need, side by side; bytes: 16 a scalar, in real double */
#include "dense.cuh"

static constexpr int PACKED = WARP; /* rows of a thread block, and columns at a time */

static __global__ void __launch_bounds__(AUTOCSR_THREADS) PackSome(PetscInt n, const PetscInt rows[], PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscScalar packed[])
{
  PtxWaitForLast();
  __shared__ __align__(16) unsigned char room[PACKED * (PACKED + 1) * sizeof(PetscScalar)];
  PetscScalar                            (*tile)[PACKED + 1] = (PetscScalar(*)[PACKED + 1]) room;
  const int                              lane                = (int)threadIdx.x % PACKED;
  const PetscInt64                       first               = (PetscInt64)blockIdx.x * PACKED;
  const PetscInt                         row                 = first + lane < n ? LoadCached(rows + first + lane) : 0;

  for (PetscInt c = 0; c < columns; c += PACKED) {
    if (c) __syncthreads();
    for (int j = (int)threadIdx.x / PACKED; j < PACKED; j += AUTOCSR_THREADS / PACKED) tile[lane][j] = first + lane < n && c + j < columns ? LoadStream(B + row + (size_t)(c + j) * ldb) : PetscScalar(0);
    __syncthreads();
    for (int k = (int)threadIdx.x / PACKED; k < PACKED; k += AUTOCSR_THREADS / PACKED) {
      if (first + k < n && c + lane < columns) packed[(size_t)(first + k) * columns + c + lane] = tile[k][lane];
    }
  }
}

PetscErrorCode AutoCSRDevicePackRows(PetscInt n, const PetscInt rows[], PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscScalar packed[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(PackSome, (unsigned)CeilDivide(n, PACKED), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(n, rows, columns, B, ldb, packed);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
