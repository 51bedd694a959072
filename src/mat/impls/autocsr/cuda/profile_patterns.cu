/*
  The dictionary of row patterns (profile/patterns.c; profile.h tells the rules). Patterns meet in a hash table of the device:
    1. those of the sample go in, and show which chunks are worth a look at each row
    2. rows of these chunks are hashed and counted, by blocks in tables of their own first: a stencil has few patterns
    3. the patterns kept are ranked and numbered
    4. each row is compared, entry by entry, with the first row of its pattern: a hash alone is never trusted
*/
#include "profile.cuh"

#define SLOTS      65536 /* of the table, a power of two: at most a quarter full unless it overflows */
#define PROBES     512   /* a key that finds no place in so many slots shows an overflow */
#define OWN_SLOTS  256   /* of a block's table */
#define OWN_PROBES 4
#define LISTED     (AUTOCSR_RECURRING_PATTERNS + AUTOCSR_COLLECTED_PATTERNS)
#define NOWHERE    SLOTS

/* All zero at first; by slot, a free one has hash 0 */
typedef struct {
  DeviceCount hash[SLOTS];
  DeviceCount rows[SLOTS];    /* of the chunks worthwhile */
  DeviceCount last[SLOTS];    /* PETSC_MAX_INT - the first of these rows */
  unsigned    sampled[SLOTS]; /* rows of the sample; more than one: the pattern recurs */
  unsigned    number[SLOTS];  /* 1 + its number; 0: none */
  unsigned    listed[LISTED]; /* slots that have rows: recurring ones, and from AUTOCSR_RECURRING_PATTERNS on others */
  unsigned    kept[LISTED];   /* of the list */
  unsigned    recurring, others, overflow;
  unsigned    sample_slot[AUTOCSR_MAX_CHUNKS][AUTOCSR_SAMPLE_ROWS];
} PatternTable;

/* ---- Hashes: a sum over the entries, so that lanes may share them out; offsets of a row differ, so their set is the pattern */

static __device__ __forceinline__ DeviceCount Mix(DeviceCount h)
{
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  return h ^ (h >> 31);
}

static __device__ __forceinline__ DeviceCount HashOfEntry(PetscInt offset)
{
  return Mix((DeviceCount)(PetscInt64)offset + 0x9E3779B97F4A7C15ull);
}

static __device__ __forceinline__ DeviceCount HashOfRow(DeviceCount sum, PetscInt length)
{
  const DeviceCount h = Mix(sum + (DeviceCount)length);

  return h ? h : 1;
}

/* Of each lane's row: sums up to the end of a row, less that up to its begin */
static __device__ __forceinline__ DeviceCount HashSlice(const AutoCSRMatrix &csr, const SliceEntries &slice, PetscInt first, DeviceCount up_to_end[WARP])
{
  const PetscInt length = slice.begin[Lane() + 1] - slice.begin[Lane()];
  const unsigned before = __ballot_sync(ALL_LANES, length > 0) & ((1u << Lane()) - 1);
  DeviceCount    total  = 0, sum;

  for (PetscInt64 base = slice.begin[0]; base < slice.begin[WARP]; base += WARP) {
    const PetscInt p     = (PetscInt)base + Lane();
    const bool     in    = base + Lane() < slice.begin[WARP];
    const int      row   = in ? slice.RowOf(p) : 0;
    DeviceCount    up_to = in ? HashOfEntry(csr.col[p] - (first + row)) : 0;

#pragma unroll
    for (int o = 1; o < WARP; o *= 2) {
      const DeviceCount left = __shfl_up_sync(ALL_LANES, up_to, o);

      if (Lane() >= o) up_to += left;
    }
    if (in && p + 1 == slice.begin[row + 1]) up_to_end[row] = total + up_to;
    total += __shfl_sync(ALL_LANES, up_to, WARP - 1);
  }
  __syncwarp();
  sum = length ? up_to_end[Lane()] - (before ? up_to_end[31 - __clz((int)before)] : 0) : 0;
  __syncwarp();
  return HashOfRow(sum, length);
}

/* ---- The table */

/* The slot of a hash, taken if it is new and there is room; else NOWHERE */
static __device__ __forceinline__ unsigned Insert(PatternTable *table, DeviceCount hash)
{
  for (unsigned i = 0; i < PROBES; i++) {
    const unsigned slot = (unsigned)(hash + i) % SLOTS;
    DeviceCount    held = *(volatile DeviceCount *)&table->hash[slot];

    if (!held) {
      if (*(volatile unsigned *)&table->overflow) return NOWHERE;
      held = atomicCAS(&table->hash[slot], 0, hash);
    }
    if (!held || held == hash) return slot;
  }
  return NOWHERE;
}

static __device__ __forceinline__ unsigned Find(const PatternTable *table, DeviceCount hash)
{
  for (unsigned i = 0; i < PROBES; i++) {
    const unsigned    slot = (unsigned)(hash + i) % SLOTS;
    const DeviceCount held = table->hash[slot];

    if (held == hash) return slot;
    if (!held) break;
  }
  return NOWHERE;
}

static __device__ void CountRows(PatternTable *table, DeviceCount hash, unsigned rows, PetscInt first)
{
  const unsigned slot = Insert(table, hash);

  if (slot == NOWHERE) {
    table->overflow = 1;
    return;
  }
  if (!atomicAdd(&table->rows[slot], (DeviceCount)rows)) {
    if (table->sampled[slot] > 1)
      table->listed[atomicAdd(&table->recurring, 1)] = slot;
    else {
      const unsigned i = atomicAdd(&table->others, 1);

      if (i < AUTOCSR_COLLECTED_PATTERNS)
        table->listed[AUTOCSR_RECURRING_PATTERNS + i] = slot;
      else
        table->overflow = 1;
    }
  }
  atomicMax(&table->last[slot], (DeviceCount)(PETSC_MAX_INT - first));
}

/* ---- 1. The sample */

static __global__ void __launch_bounds__(BLOCK) HashSample(AutoCSRMatrix csr, PetscInt rows_per_chunk, PatternTable *table)
{
  const int      chunk = (int)blockIdx.y, k = (int)(blockIdx.x * BLOCK + threadIdx.x) / WARP;
  const PetscInt row_begin = (PetscInt)chunk * rows_per_chunk, rows = csr.m - row_begin < rows_per_chunk ? csr.m - row_begin : rows_per_chunk;
  const PetscInt sample = AutoCSRSampleRows(rows);
  DeviceCount    sum    = 0;

  if (k >= sample) return;
  const PetscInt row = row_begin + AutoCSRSampleRow(rows, sample, k), begin = csr.row_ptr[row], end = csr.row_ptr[row + 1];
  for (PetscInt64 p = (PetscInt64)begin + Lane(); p < end; p += WARP) sum += HashOfEntry(csr.col[p] - row);
  sum = WarpSum(sum);
  if (Lane() == 0) {
    const unsigned slot = Insert(table, HashOfRow(sum, end - begin));

    atomicAdd(&table->sampled[slot], 1);
    table->sample_slot[chunk][k] = slot;
  }
}

/* A block judges a chunk: a quarter of its sample must recur. In small matrices every row is looked at */
static __global__ void __launch_bounds__(AUTOCSR_SAMPLE_ROWS) JudgeSample(PetscInt m, PetscInt rows_per_chunk, const PatternTable *table, int worthwhile[])
{
  const int      chunk = (int)blockIdx.x, k = (int)threadIdx.x;
  const PetscInt row_begin = (PetscInt)chunk * rows_per_chunk, rows = m - row_begin < rows_per_chunk ? m - row_begin : rows_per_chunk;
  const PetscInt sample    = AutoCSRSampleRows(rows);
  const int      recurring = __syncthreads_count(k < sample && table->sampled[table->sample_slot[chunk][k]] > 1);

  if (k == 0) worthwhile[chunk] = 4 * recurring >= sample || m <= AUTOCSR_MAX_PATTERNS;
}

/* ---- 2. All rows of the chunks worthwhile */

static __global__ void __launch_bounds__(BLOCK) HashRows(AutoCSRMatrix csr, PetscInt rows_per_chunk, const int worthwhile[], DeviceCount row_hash[], PatternTable *table)
{
  __shared__ SliceEntries slices[BLOCK / WARP];
  __shared__ DeviceCount  up_to_end[BLOCK / WARP][WARP];
  __shared__ DeviceCount  own_hash[OWN_SLOTS];
  __shared__ unsigned     own_rows[OWN_SLOTS];
  __shared__ PetscInt     own_first[OWN_SLOTS];
  const int               warp = (int)threadIdx.x / WARP;

  for (int i = (int)threadIdx.x; i < OWN_SLOTS; i += BLOCK) {
    own_hash[i]  = 0;
    own_rows[i]  = 0;
    own_first[i] = PETSC_MAX_INT;
  }
  __syncthreads();
  for (PetscInt64 first = FirstOfThread() - Lane(); first < csr.m; first += StrideOfThreads()) {
    const PetscInt row = (PetscInt)first + Lane();

    if (!worthwhile[first / rows_per_chunk]) continue;
    slices[warp].Load(csr.row_ptr, (PetscInt)first, csr.m);
    const DeviceCount hash  = HashSlice(csr, slices[warp], (PetscInt)first, up_to_end[warp]);
    const unsigned    like  = __match_any_sync(ALL_LANES, row < csr.m ? hash : 0);
    bool              added = row >= csr.m || Lane() != __ffs((int)like) - 1;

    if (row < csr.m) row_hash[row] = hash;
    for (unsigned i = 0; i < OWN_PROBES && !added; i++) {
      const unsigned    slot = (unsigned)(hash + i) % OWN_SLOTS;
      const DeviceCount held = atomicCAS(&own_hash[slot], 0, hash);

      if (held && held != hash) continue;
      atomicAdd(&own_rows[slot], (unsigned)__popc(like));
      AtomicMin(&own_first[slot], row);
      added = true;
    }
    if (!added) CountRows(table, hash, (unsigned)__popc(like), row);
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < OWN_SLOTS; i += BLOCK) {
    if (own_hash[i]) CountRows(table, own_hash[i], own_rows[i], own_first[i]);
  }
}

/* ---- 3. Ranks and numbers, by the list */

static __device__ __forceinline__ bool IsListed(const PatternTable *table, unsigned i)
{
  if (i < AUTOCSR_RECURRING_PATTERNS) return i < table->recurring;
  return i < LISTED && !table->overflow && i - AUTOCSR_RECURRING_PATTERNS < table->others;
}

/* What comes before pattern i by a rule, in the whole list */
template <typename Before>
static __device__ __forceinline__ unsigned CountBefore(const PatternTable *table, Before before)
{
  const unsigned recurring = table->recurring, others = table->overflow ? 0 : table->others;
  unsigned       n = 0;

  for (unsigned j = 0; j < recurring; j++) n += before(j, table->listed[j]);
  for (unsigned j = AUTOCSR_RECURRING_PATTERNS; j < AUTOCSR_RECURRING_PATTERNS + others; j++) n += before(j, table->listed[j]);
  return n;
}

/* Those of the most rows are kept, of equals the first */
static __global__ void __launch_bounds__(BLOCK) RankPatterns(PatternTable *table)
{
  const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

  if (!IsListed(table, i)) return;
  if (table->recurring + (table->overflow ? 0 : table->others) <= AUTOCSR_MAX_PATTERNS) {
    table->kept[i] = 1;
    return;
  }
  const DeviceCount rows = table->rows[table->listed[i]], last = table->last[table->listed[i]];

  table->kept[i] = CountBefore(table, [=](unsigned, unsigned slot) { return table->rows[slot] > rows || (table->rows[slot] == rows && table->last[slot] > last); }) < AUTOCSR_MAX_PATTERNS;
}

/* By first appearance */
static __global__ void __launch_bounds__(BLOCK) NumberPatterns(PatternTable *table, DeviceProfile *out)
{
  const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

  if (!IsListed(table, i) || !table->kept[i]) return;
  const DeviceCount last   = table->last[table->listed[i]];
  const unsigned    number = CountBefore(table, [=](unsigned j, unsigned slot) { return table->kept[j] && table->last[slot] > last; });

  table->number[table->listed[i]] = number + 1;
  out->pattern_row[number]        = PETSC_MAX_INT - (PetscInt)last;
  atomicAdd(&out->patterns, 1);
}

/* ---- 4. The number of each row, verified, and what chunks have of them */

static __global__ void __launch_bounds__(BLOCK) NameRows(AutoCSRMatrix csr, PetscInt rows_per_chunk, const DeviceCount row_hash[], const PatternTable *table, uint16_t id[], DeviceProfile *out)
{
  __shared__ SliceEntries slices[BLOCK / WARP];
  __shared__ PetscInt     shown_begin[BLOCK / WARP][WARP], shown_by[BLOCK / WARP][WARP];
  __shared__ int          differs[BLOCK / WARP][WARP];
  const int               warp  = (int)threadIdx.x / WARP;
  SliceEntries           &slice = slices[warp];

  for (PetscInt64 first = FirstOfThread() - Lane(); first < csr.m; first += StrideOfThreads()) {
    const PetscInt row = (PetscInt)first + Lane(), chunk = (PetscInt)first / rows_per_chunk;
    unsigned       number = 0;

    if (!out->worthwhile[chunk]) {
      if (row < csr.m) id[row] = AUTOCSR_NO_PATTERN;
      continue;
    }
    slice.Load(csr.row_ptr, (PetscInt)first, csr.m);
    if (row < csr.m) {
      const unsigned slot = Find(table, row_hash[row]);

      number = slot == NOWHERE ? 0 : table->number[slot];
    }
    const PetscInt shown = number ? out->pattern_row[number - 1] : row, begin = number ? csr.row_ptr[shown] : slice.begin[Lane()];

    shown_by[warp][Lane()]    = shown;
    shown_begin[warp][Lane()] = begin;
    differs[warp][Lane()]     = number && csr.row_ptr[shown + 1] - begin != slice.begin[Lane() + 1] - slice.begin[Lane()];
    __syncwarp();
    for (PetscInt64 base = (PetscInt64)slice.begin[0] + Lane(); base < slice.begin[WARP]; base += WARP) {
      const PetscInt p = (PetscInt)base;
      const int      r = slice.RowOf(p);

      if (!differs[warp][r] && csr.col[p] - csr.col[shown_begin[warp][r] + (p - slice.begin[r])] != (PetscInt)first + r - shown_by[warp][r]) differs[warp][r] = 1;
    }
    __syncwarp();
    if (differs[warp][Lane()]) number = 0;
    const unsigned named   = __ballot_sync(ALL_LANES, number > 0);
    const unsigned same    = __match_any_sync(ALL_LANES, row < csr.m ? number : 0);
    const bool     uniform = csr.m - first >= WARP ? same == ALL_LANES && named : named && __popc(same) == (int)(csr.m - first);

    if (row < csr.m) id[row] = number ? (uint16_t)(number - 1) : AUTOCSR_NO_PATTERN;
    if (Lane() == 0) {
      if (named) atomicAdd(&out->chunk[chunk][COUNT_PATTERN_ROWS], (DeviceCount)__popc(named));
      if (uniform) atomicAdd(&out->chunk[chunk][COUNT_UNIFORM_SLICES], 1);
    }
  }
}

PetscErrorCode DeviceProfilePatterns(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, uint16_t id[], DeviceProfile *device)
{
  const PetscInt rows_per_chunk = RowsPerChunk(profile);
  const unsigned chunks = (unsigned)profile->chunks, grid = GridOf(Pieces(csr->m, BLOCK), 2048);
  DeviceScratch  scratch[2];
  PatternTable  *table;
  DeviceCount   *row_hash;

  PetscFunctionBegin;
  PetscCall(scratch[0].Allocate(1, &table));
  PetscCall(scratch[1].Allocate((size_t)csr->m, &row_hash));
  PetscCallCUDA(cudaMemsetAsync(table, 0, sizeof(*table), AUTOCSR_STREAM));
  HashSample<<<dim3(AUTOCSR_SAMPLE_ROWS * WARP / BLOCK, chunks), BLOCK, 0, AUTOCSR_STREAM>>>(*csr, rows_per_chunk, table);
  PetscCallCUDA(cudaGetLastError());
  JudgeSample<<<chunks, AUTOCSR_SAMPLE_ROWS, 0, AUTOCSR_STREAM>>>(csr->m, rows_per_chunk, table, device->worthwhile);
  PetscCallCUDA(cudaGetLastError());
  HashRows<<<grid, BLOCK, 0, AUTOCSR_STREAM>>>(*csr, rows_per_chunk, device->worthwhile, row_hash, table);
  PetscCallCUDA(cudaGetLastError());
  RankPatterns<<<(LISTED + BLOCK - 1) / BLOCK, BLOCK, 0, AUTOCSR_STREAM>>>(table);
  PetscCallCUDA(cudaGetLastError());
  NumberPatterns<<<(LISTED + BLOCK - 1) / BLOCK, BLOCK, 0, AUTOCSR_STREAM>>>(table, device);
  PetscCallCUDA(cudaGetLastError());
  NameRows<<<grid, BLOCK, 0, AUTOCSR_STREAM>>>(*csr, rows_per_chunk, row_hash, table, id, device);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
