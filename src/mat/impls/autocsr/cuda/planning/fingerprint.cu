/*
  The fingerprint of a structure (profile/fingerprint.h), with the host's bits: a warp takes part by part and adds up what
  these are worth in the polynomials, which are sums of integers. The host adds the sums of blocks. It reads 4 of the 12
  bytes that a product reads of an entry; a wait of some microseconds comes on top.
*/
#include "planner.cuh"

static constexpr int WARPS = BLOCK / WARP, WORDS = AUTOCSR_FINGERPRINT_WORDS, TURNS = WORDS / (2 * WARP); /* of a lane in a part: two words each */
static constexpr int MOST_BLOCKS = 512;

/* The two arrays, of so many bytes, which make so many parts */
typedef struct {
  const unsigned char *data[2];
  PetscInt64           bytes[2], parts[2];
} Message;

typedef struct {
  uint64_t at[2];
} Sums;

/* Words begin where a PetscInt does. Past the end there are zeros */
static __device__ __forceinline__ uint64_t LoadWord(const unsigned char *data, PetscInt64 bytes, PetscInt64 at)
{
  const uint32_t *half = (const uint32_t *)(data + at);
  const uint64_t  low = at < bytes ? half[0] : 0, high = at + 4 < bytes ? half[1] : 0;

  return high << 32 | low;
}

static __device__ __forceinline__ AutoCSRWide WarpAddWide(AutoCSRWide sum)
{
#pragma unroll
  for (int o = WARP / 2; o; o /= 2) {
    AutoCSRWide other;

    other.low  = __shfl_xor_sync(ALL_LANES, (DeviceCount)sum.low, o);
    other.high = __shfl_xor_sync(ALL_LANES, (DeviceCount)sum.high, o);
    AutoCSRWideAdd(&sum, other);
  }
  return sum;
}

/* The n-th power of a point */
static __device__ __forceinline__ uint64_t Power(uint64_t point, PetscInt64 n)
{
  uint64_t power = 1;

  for (; n; n /= 2) {
    if (n % 2) power = AutoCSRHorner(power, point, 0);
    point = AutoCSRHorner(point, point, 0);
  }
  return power;
}

static __device__ __forceinline__ AutoCSRWide PartSum(const Message &m, PetscInt64 part, const uint64_t key[2 * TURNS])
{
  const int            array = part >= m.parts[0];
  const PetscInt64     begin = (part - (array ? m.parts[0] : 0)) * WORDS * 8;
  const unsigned char *data  = array ? m.data[1] : m.data[0];
  const PetscInt64     bytes = array ? m.bytes[1] : m.bytes[0];
  AutoCSRWide          sum   = {0, 0};

#pragma unroll
  for (int t = 0; t < TURNS; t++) {
    const PetscInt64 at = begin + (t * WARP + Lane()) * 16;

    AutoCSRWideAdd(&sum, AutoCSRWideProduct(LoadWord(data, bytes, at) + key[2 * t], LoadWord(data, bytes, at + 8) + key[2 * t + 1]));
  }
  return WarpAddWide(sum);
}

/* Lane k of a warp has the polynomial of point k */
static __global__ void __launch_bounds__(BLOCK) SumParts(Message m, Sums sums[])
{
  PtxWaitForLast();
  __shared__ uint64_t of_warp[WARPS][2];
  const PetscInt64    all = m.parts[0] + m.parts[1], stride = (PetscInt64)gridDim.x * WARPS, first = (PetscInt64)blockIdx.x * WARPS + threadIdx.x / WARP;
  const uint64_t      point = AutoCSRFingerprintPoint(Lane() % 2), step = Power(point, 3 * stride);
  uint64_t            key[2 * TURNS], value = 0;
  PetscInt64          last = first;

#pragma unroll
  for (int t = 0; t < TURNS; t++) {
    key[2 * t]     = AutoCSRFingerprintKey(2 * (t * WARP + Lane()));
    key[2 * t + 1] = AutoCSRFingerprintKey(2 * (t * WARP + Lane()) + 1);
  }
  for (PetscInt64 part = first; part < all; part += stride) {
    const AutoCSRWide sum = PartSum(m, part, key);

    value = AutoCSRHorner(value, step, AutoCSRFingerprintExtend(0, point, sum));
    last  = part;
  }
  if (first < all) value = AutoCSRHorner(value, Power(point, 3 * (all - 1 - last)), 0);
  if (Lane() < 2) of_warp[threadIdx.x / WARP][Lane()] = value;
  __syncthreads();
  if (threadIdx.x < 2) {
    uint64_t sum = 0;

    for (int w = 0; w < WARPS; w++) sum = AutoCSRHorner(sum, 1, of_warp[w][threadIdx.x]);
    sums[blockIdx.x].at[threadIdx.x] = sum;
  }
}

PetscErrorCode AutoCSRDeviceFingerprint(const AutoCSRMatrix *csr, AutoCSRFingerprint *f)
{
  const PetscInt64 bytes[2] = {(PetscInt64)(csr->m + 1) * (PetscInt64)sizeof(PetscInt), (PetscInt64)csr->nnz * (PetscInt64)sizeof(PetscInt)}, part = WORDS * 8;
  const Message    m        = {{(const unsigned char *)csr->row_ptr, (const unsigned char *)csr->col}, {bytes[0], bytes[1]}, {(bytes[0] + part - 1) / part, (bytes[1] + part - 1) / part}};
  const unsigned   blocks   = GridOf((m.parts[0] + m.parts[1] + WARPS - 1) / WARPS, MOST_BLOCKS);
  cudaError_t      error;
  Sums            *sums;

  PetscFunctionBegin;
  f->known = PETSC_FALSE;
  PetscCall(AutoCSRDeviceFollow());
  PetscCall(AutoCSRDeviceFindMailbox(blocks * sizeof(*sums), (void **)&sums));
  if (!sums) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(SumParts, blocks, BLOCK, 0, AUTOCSR_STREAM)(m, sums);
  error = cudaGetLastError();
  if (error == cudaErrorMemoryAllocation) PetscFunctionReturn(PETSC_SUCCESS); /* for the kernel, when it is loaded */
  PetscCallCUDA(error);
  PetscCall(AutoCSRDeviceSynchronize());
  f->at[0] = f->at[1] = 0;
  for (unsigned b = 0; b < blocks; b++) {
    for (int k = 0; k < 2; k++) f->at[k] = AutoCSRHorner(f->at[k], 1, sums[b].at[k]);
  }
  f->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
