/*
  The distinct values, and whether each is exactly a float32 (profile/values.c). Blocks collect the values of their tiles in
  tables of their own, and a few blocks join what they found. All leave early once there are too many values and one is no
  float32.
*/
#include "profile.cuh"

#define THREADS   512
#define PER_LANE  4    /* values of a tile for each thread */
#define SLOTS     1024 /* of a table: a power of two, more than AUTOCSR_MAX_DISTINCT and THREADS together */
#define COLLECTED 528  /* blocks, at most: what they find is joined by a few, */
#define JOINING   16   /* and what these find by the last of them */

/* What blocks find; how many are in the lists is counted in DeviceValues */
typedef struct {
  AutoCSRScalarBits value[COLLECTED * AUTOCSR_MAX_DISTINCT], joined[JOINING * AUTOCSR_MAX_DISTINCT];
} FoundValues;

/*
  A block looks values up and inserts what is missing in turns, a barrier between: a slot taken in this turn holds a value
  from the next turn on.
*/
struct ValueTable {
  AutoCSRScalarBits value[SLOTS];
  int               taken[SLOTS];
  unsigned          n; /* slots taken */

  __device__ __forceinline__ void Clear()
  {
    for (int i = (int)threadIdx.x; i < SLOTS; i += THREADS) taken[i] = 0;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
  }

  /* Where a value is or may go */
  __device__ __forceinline__ unsigned Find(AutoCSRScalarBits bits, bool *held) const
  {
    uint64_t h = bits.part[0];
    unsigned slot;

    for (int i = 1; i < AUTOCSR_REALS; i++) h = h * 0xBF58476D1CE4E5B9ull + bits.part[i];
    slot = (unsigned)((h * 0x9E3779B97F4A7C15ull) >> 48) % SLOTS;
    while (taken[slot] && !AutoCSRBitsEqual(value[slot], bits)) slot = (slot + 1) % SLOTS;
    *held = taken[slot];
    return slot;
  }

  /* The values of a tile, `count` of a thread; by the whole block. Returns whether there are still few enough */
  __device__ __forceinline__ bool Collect(const AutoCSRScalarBits bits[PER_LANE], int count)
  {
    for (;;) {
      unsigned slot[PER_LANE], missing = 0;

#pragma unroll
      for (int i = 0; i < PER_LANE; i++) {
        bool held = true;

        if (i < count) slot[i] = Find(bits[i], &held);
        if (!held) missing |= 1u << i;
      }
      if (!__syncthreads_or((int)missing)) return true;
#pragma unroll
      for (int i = 0; i < PER_LANE; i++) { /* of the lanes that want a slot one tries to take it: all at once wait for each other */
        const unsigned like   = __match_any_sync(ALL_LANES, missing >> i & 1 ? (int)slot[i] : -1);
        const bool     tries  = (missing >> i & 1) && threadIdx.x % WARP == (unsigned)__ffs((int)like) - 1;
        unsigned       so_far = 0;

        if (!__any_sync(ALL_LANES, tries)) continue;
        if (Lane() == 0) so_far = atomicAdd(&n, 0);
        const bool     took = __shfl_sync(ALL_LANES, so_far, 0) <= AUTOCSR_MAX_DISTINCT && tries && !atomicCAS(&taken[slot[i]], 0, 1);
        const unsigned all  = __ballot_sync(ALL_LANES, took);

        if (took) value[slot[i]] = bits[i];
        if (Lane() == 0 && all) atomicAdd(&n, (unsigned)__popc(all));
      }
      __syncthreads();
      if (n > AUTOCSR_MAX_DISTINCT) return false;
    }
  }

  /* Appends the values to a list, in any order */
  __device__ __forceinline__ void List(AutoCSRScalarBits list[], unsigned *count) const
  {
    for (int i = (int)threadIdx.x; i < SLOTS; i += THREADS) {
      if (taken[i]) list[atomicAdd(count, 1)] = value[i];
    }
  }
};

static __global__ void __launch_bounds__(THREADS, 4) CollectValues(PetscInt nnz, const PetscScalar val[], DeviceValues *out, FoundValues *found)
{
  PtxWaitForLast();
  __shared__ ValueTable table;
  __shared__ int        many, inexact;
  bool                  few = true;

  table.Clear();
  for (PetscInt64 tile = (PetscInt64)blockIdx.x * THREADS * PER_LANE; tile < nnz; tile += (PetscInt64)gridDim.x * THREADS * PER_LANE) {
    AutoCSRScalarBits bits[PER_LANE];
    int               count = 0;
    bool              exact = true;

    if (threadIdx.x == 0) {
      many    = *(volatile int *)&out->many;
      inexact = sizeof(PetscReal) == sizeof(float) || *(volatile int *)&out->inexact;
    }
    __syncthreads();
    few = few && !many;
    if (!few && inexact) break;
#pragma unroll
    for (int i = 0; i < PER_LANE; i++) {
      const PetscInt64 p = tile + i * THREADS + threadIdx.x;

      if (p < nnz) {
        const PetscScalar v = val[p];

        bits[i] = AutoCSRBitsOf(&v);
        count   = i + 1;
        if (!inexact && exact) {
          float f[AUTOCSR_REALS];

          exact = AutoCSRFloatsFromScalar(&v, f);
        }
      }
    }
    if (!exact) *(volatile int *)&out->inexact = 1;
    if (few && !table.Collect(bits, count)) {
      few = false;
      if (threadIdx.x == 0) *(volatile int *)&out->many = 1;
    }
    __syncthreads();
  }
  if (few) table.List(found->value, &out->found);
}

/* Of a list, the part of one of so many blocks, into an empty table. Returns whether these are still few enough */
static __device__ __forceinline__ bool CollectListed(const AutoCSRScalarBits value[], unsigned n, unsigned block, unsigned blocks, ValueTable &table)
{
  for (unsigned tile = block * THREADS * PER_LANE; tile < n; tile += blocks * THREADS * PER_LANE) {
    AutoCSRScalarBits bits[PER_LANE];
    int               count = 0;

#pragma unroll
    for (int i = 0; i < PER_LANE; i++) {
      const unsigned p = tile + i * THREADS + threadIdx.x;

      if (p < n) {
        bits[i] = value[p];
        count   = i + 1;
      }
    }
    if (!table.Collect(bits, count)) return false;
    __syncthreads();
  }
  return true;
}

/* The values of all blocks, by the last block in ascending order of their bits */
static __global__ void __launch_bounds__(THREADS) JoinValues(FoundValues *found, DeviceValues *out)
{
  PtxWaitForLast();
  __shared__ ValueTable        table;
  __shared__ AutoCSRScalarBits list[AUTOCSR_MAX_DISTINCT];
  __shared__ unsigned          n;
  bool                         few;

  table.Clear();
  if (!__syncthreads_or(*(volatile int *)&out->many)) { /* another block may just find that there are too many */
    if (CollectListed(found->value, out->found, blockIdx.x, gridDim.x, table))
      table.List(found->joined, &out->joined);
    else if (threadIdx.x == 0)
      *(volatile int *)&out->many = 1;
  }
  if (!IsLastBlock(&out->arrived)) return;
  few = !out->many;
  table.Clear();
  if (threadIdx.x == 0) n = 0;
  few = few && CollectListed(found->joined, out->joined, 0, 1, table);
  if (threadIdx.x == 0) out->n = few ? (int)table.n : AUTOCSR_MAX_DISTINCT + 1;
  if (!few) return;
  __syncthreads();
  table.List(list, &n);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += THREADS) {
    unsigned rank = 0;

    for (unsigned j = 0; j < n; j++) rank += AutoCSRBitsLess(list[j], list[i]);
    out->value[rank] = list[i];
  }
}

size_t DeviceProfileValuesBytes(void)
{
  static_assert(sizeof(FoundValues) % 16 == 0, "Something else may lie behind it");
  return sizeof(FoundValues);
}

PetscErrorCode DeviceProfileValues(const AutoCSRMatrix *csr, cudaStream_t stream, void *room, DeviceValues *device)
{
  FoundValues *found = (FoundValues *)room;

  PetscFunctionBegin;
  if (!csr->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(CollectValues, GridOf(Pieces(csr->nnz, THREADS * PER_LANE), COLLECTED), THREADS, 0, stream)(csr->nnz, csr->val, device, found);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(JoinValues, JOINING, THREADS, 0, stream)(found, device);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
