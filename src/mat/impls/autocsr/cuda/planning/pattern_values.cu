/*
  Values that patterns tell: whether rows of one pattern have the same, for the profile and before new values are put into a
  plan that relies on it; and the streams of what they tell.

  To compare, a warp takes the entries of 32 rows side by side: as they lie where all have one pattern, as inside a grid, else as many lanes a row as it has entries
  on average. It asks for several rows at once; where the next rows lie it finds out meanwhile. Bytes: all values, row offsets and pattern numbers once; the
  rows that show patterns stay in L1.
*/
#include "encode.cuh"
#include "profile.cuh"

static constexpr int TURNS         = 4; /* of a warp */
static constexpr int AT_ONCE       = sizeof(PetscScalar) > 8 ? 4 : 8;
static constexpr int LONGEST_ALIKE = 1024; /* 32 rows of so many entries are compared as they lie */
static constexpr int FEWEST_BITS   = 3;    /* of a row's lanes: as few as AT_ONCE steps of a warp take 32 rows */

/* Of a lane's row: where its entries are, and its pattern */
typedef struct {
  PetscInt begin, length;
  int      pattern;
} RowPlace;

static __device__ __forceinline__ RowPlace FindRow(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, const uint16_t id[], bool by_row, PetscInt64 k)
{
  RowPlace r = {0, 0, AUTOCSR_NO_PATTERN};

  if (k >= 0 && k < seg.n_rows) {
    const PetscInt row = AutoCSRSegmentRow(&seg, (PetscInt)k);

    r.begin   = csr.row_ptr[row];
    r.length  = csr.row_ptr[row + 1] - r.begin;
    r.pattern = id[by_row ? row : (PetscInt)k];
  }
  return r;
}

/* Where the entries begin that must be the same; of a row without a pattern nothing is compared */
static __device__ __forceinline__ PetscInt FindShown(const AutoCSRMatrix &csr, const PetscInt pattern_row[], RowPlace *r)
{
  if (r->pattern == AUTOCSR_NO_PATTERN) r->length = 0;
  return r->length ? csr.row_ptr[pattern_row[r->pattern]] : 0;
}

/* The warp's rows, if all have one pattern and lie one after the other: their entries are compared as they lie. Else nothing is done */
static __device__ __forceinline__ bool CompareAlike(const AutoCSRMatrix &csr, const RowPlace &row, PetscInt shown, bool *same)
{
  const PetscInt length = __shfl_sync(ALL_LANES, row.length, 0), begin = __shfl_sync(ALL_LANES, row.begin, 0), as_begin = __shfl_sync(ALL_LANES, shown, 0);
  const int      pattern = __shfl_sync(ALL_LANES, row.pattern, 0);

  if (!__all_sync(ALL_LANES, length > 0 && length <= LONGEST_ALIKE && row.pattern == pattern && row.begin == begin + Lane() * length)) return false;
  const PetscInt step = WARP % length;
  PetscInt       t    = Lane() % length;

  for (PetscInt first = 0; first < WARP * length; first += AT_ONCE * WARP) {
    AutoCSRScalarBits v[AT_ONCE], as[AT_ONCE];

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      const bool exists = first + u * WARP < WARP * length; /* of all lanes or none */

      v[u]  = LoadStream((const AutoCSRScalarBits *)csr.val + (exists ? begin + first + u * WARP + Lane() : 0));
      as[u] = LoadCached((const AutoCSRScalarBits *)csr.val + (exists ? as_begin + t : 0));
      t += step;
      if (t >= length) t -= length;
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) *same &= (bool)AutoCSRBitsEqual(v[u], as[u]);
  }
  return true;
}

/* Blocks begin at the last rows: whoever has written the values has written these last, and a cache may still have them */
static __global__ void __launch_bounds__(BLOCK, 4) Compare(AutoCSRSegment seg, AutoCSRMatrix csr, const uint16_t id[], const PetscInt pattern_row[], const int *values, int *other)
{
  PtxWaitForLast();
  const PetscInt64 first = ((PetscInt64)(gridDim.x - 1 - blockIdx.x) * (BLOCK / WARP) + threadIdx.x / WARP) * (TURNS * WARP) + Lane();
  __shared__ int   ended;
  bool             same = true;
  RowPlace         now, next = FindRow(seg, csr, id, values, first + (TURNS - 1) * WARP), after = FindRow(seg, csr, id, values, first + (TURNS - 2) * WARP);
  PetscInt         shown, next_shown;

  if (threadIdx.x == 0) ended = (values && *values > AUTOCSR_MAX_DISTINCT) || atomicMax(other, 0);
  __syncthreads();
  if (ended) return;
  next_shown = FindShown(csr, pattern_row, &next);

  for (int turn = TURNS - 1; turn >= 0; turn--) {
    now        = next;
    shown      = next_shown;
    next       = after;
    next_shown = FindShown(csr, pattern_row, &next);
    if (turn > 1) after = FindRow(seg, csr, id, values, first + (turn - 2) * WARP);
    if (CompareAlike(csr, now, shown, &same)) continue;
    const PetscInt longest = WarpMax(now.length), entries = WarpSum(now.length);
    int            bits = FEWEST_BITS;

    while (1 << bits < WARP && (PetscInt)WARP << bits < entries) bits++;
    for (int step = 0; step < 1 << bits; step += AT_ONCE) {
      for (PetscInt t = Lane() & ((1 << bits) - 1), from = 0; from < longest; t += 1 << bits, from += 1 << bits) {
        AutoCSRScalarBits v[AT_ONCE], as[AT_ONCE];

#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
          const int  lane   = ((step + u) * WARP + Lane()) >> bits;
          const bool exists = t < __shfl_sync(ALL_LANES, now.length, lane);
          const auto begin = __shfl_sync(ALL_LANES, now.begin, lane), other_begin = __shfl_sync(ALL_LANES, shown, lane);

          /* where there is no entry, the matrix's first is compared with itself: no load waits for another, nor for a branch */
          v[u]  = LoadStream((const AutoCSRScalarBits *)csr.val + (exists ? begin + t : 0));
          as[u] = LoadCached((const AutoCSRScalarBits *)csr.val + (exists ? other_begin + t : 0));
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) same &= (bool)AutoCSRBitsEqual(v[u], as[u]);
      }
    }
  }
  if (!same) (void)atomicMax(other, 1);
}

PetscErrorCode DevicePatternValuesCompare(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const uint16_t id[], const PetscInt pattern_row[], const int *values, int *other)
{
  PetscFunctionBegin;
  if (!seg->n_rows || !csr->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(Compare, (unsigned)Pieces(seg->n_rows, TURNS * BLOCK), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, id, pattern_row, values, other);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- PATTERN_VALUE and PATTERN_ROOT */

/* A warp a pattern; nothing if *unless is set */
static __global__ void __launch_bounds__(BLOCK) WriteValues(AutoCSRSegment seg, AutoCSRMatrix csr, const int *unless)
{
  PtxWaitForLast();
  const PetscInt64 p = FirstOfThread() / WARP;

  if (p >= seg.n_patterns || (unless && *unless)) return;
  const PetscInt row = ((const PetscInt *)seg.stream[AUTOCSR_STREAM_PATTERN_ROW].data)[p], begin = csr.row_ptr[row], length = csr.row_ptr[row + 1] - begin;
  PetscScalar   *value = (PetscScalar *)seg.stream[AUTOCSR_STREAM_PATTERN_VALUE].data + ((const PetscInt *)seg.stream[AUTOCSR_STREAM_PATTERN_PTR].data)[p];

  for (PetscInt64 t = Lane(); t < length; t += WARP) value[t] = csr.val[begin + t];
}

/* The same; each lane looks at some of the other patterns */
static __global__ void __launch_bounds__(BLOCK) WriteRoots(AutoCSRSegment seg, const int *unless)
{
  PtxWaitForLast();
  const PetscInt64 p = FirstOfThread() / WARP;

  if (p >= seg.n_patterns || (unless && *unless)) return;
  AutoCSRPatternRoot root = AutoCSRPatternRootAmong(&seg, (PetscInt)p, Lane(), WARP);

  for (int o = WARP / 2; o; o /= 2) {
    const AutoCSRPatternRoot other = {__shfl_xor_sync(ALL_LANES, root.mask, o), __shfl_xor_sync(ALL_LANES, root.begin, o), __shfl_xor_sync(ALL_LANES, root.length, o), root.own};

    if (other.length > root.length || (other.length == root.length && other.begin < root.begin)) root = other;
  }
  if (Lane() == 0) ((AutoCSRPatternRoot *)seg.stream[AUTOCSR_STREAM_PATTERN_ROOT].data)[p] = root;
}

PetscErrorCode DeviceEncodePatternValues(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const int *unless)
{
  const unsigned grid = (unsigned)Pieces(seg->n_patterns, BLOCK / WARP);

  PetscFunctionBegin;
  if (!grid) PetscFunctionReturn(PETSC_SUCCESS);
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) {
    Launch(WriteValues, grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, unless);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  Launch(WriteRoots, grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, unless);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
