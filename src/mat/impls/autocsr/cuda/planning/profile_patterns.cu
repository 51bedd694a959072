/*
  The dictionary of row patterns (profile/patterns.c; profile.h tells the rules). Patterns meet in hash tables of the device:
    1. those of the sample go into the first
    2. they show which zones are worth a look at each row; their rows are hashed and counted, by blocks in tables of their own
       first: a stencil has few patterns. What the sample did not show goes into the second table, until that overflows
    3. the patterns are ranked, and those kept numbered
    4. each row is compared, entry by entry, with the first row of its pattern: a hash alone is never trusted
*/
#include "profile.cuh"

#define SLOTS      (4 * AUTOCSR_COLLECTED_PATTERNS) /* of each of two tables, a power of two: a quarter full unless one overflows */
#define PROBES     512                              /* a key that finds no place in so many slots shows an overflow */
#define OWN_SLOTS  256                              /* of a block's table */
#define OWN_PROBES 4
#define LISTED     (AUTOCSR_RECURRING_PATTERNS + AUTOCSR_COLLECTED_PATTERNS)
#define NOWHERE    (2 * SLOTS)
#define KEYS_OF_THREAD 2  /* patterns of the list, */
#define TILES_AT_ONCE  16 /* and parts of it that they are compared with */
#define STAGE      (4096 / (int)sizeof(PetscInt)) /* columns that a warp keeps in shared memory */

/* All zero at first; by slot, a free one has hash 0. The second table begins at SLOTS */
typedef struct alignas(16) {
  DeviceCount hash[2 * SLOTS];
  DeviceCount rows[2 * SLOTS];   /* of the zones worthwhile */
  DeviceCount last[2 * SLOTS];   /* PETSC_MAX_INT - the first of these rows */
  unsigned    number[2 * SLOTS]; /* 1 + its number; 0: none */
  unsigned    sampled[SLOTS];    /* rows of the sample, counted to two or a few more: the pattern recurs */
  unsigned    listed[LISTED];    /* slots that have rows: recurring ones, and from AUTOCSR_RECURRING_PATTERNS on others */
  unsigned    before[LISTED];    /* of each of the list: how many are kept rather than it */
  unsigned    recurring, others, overflow;
  unsigned    sample_slot[AUTOCSR_MAX_ZONES][AUTOCSR_SAMPLE_ROWS];
} PatternTable;

/* ---- Sums over the entries of a row. A pattern is a set of offsets, so its hash may be one: lanes may share a row out */

static __device__ __forceinline__ DeviceCount HashOfEntry(PetscInt offset)
{
  const uint32_t o = (uint32_t)offset ^ (uint32_t)((uint64_t)(PetscInt64)offset >> 32) * 0x9E3779B9u;
  uint32_t       a = o * 0x85EBCA6Bu, b = (o ^ 0x5BD1E995u) * 0x27D4EB2Fu;

  a = (a ^ (a >> 15)) * 0xC2B2AE35u;
  b = (b ^ (b >> 13)) * 0x165667B1u;
  return (DeviceCount)(a ^ (a >> 16)) << 32 | (b ^ (b >> 16));
}

static __device__ __forceinline__ DeviceCount HashOfRow(DeviceCount sum, PetscInt length)
{
  DeviceCount h = sum + (DeviceCount)length * 0x9E3779B97F4A7C15ull;

  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  h ^= h >> 31;
  return h ? h : 1;
}

/* Of each lane's row: term(row in the slice, t, column) of all its entries. Short rows go through shared memory, a lane a row */
template <typename Term>
static __device__ __forceinline__ DeviceCount SumOverRow(const PetscInt col[], const SliceEntries &slice, PetscInt stage[STAGE], Term term)
{
  const PetscInt begin = slice.begin[0], entries = slice.begin[WARP] - begin;
  DeviceCount    sum = 0;

  if (entries <= STAGE) {
    const int first = (int)(slice.begin[Lane()] - begin), length = (int)(slice.begin[Lane() + 1] - slice.begin[Lane()]);

    for (int i = Lane(); i < (int)entries; i += WARP) stage[i] = col[begin + i];
    __syncwarp();
    for (int t = 0; t < length; t++) sum += term(Lane(), t, stage[first + t]);
    __syncwarp();
  } else {
    for (int row = 0; row < WARP; row++) {
      DeviceCount part = 0;

      for (PetscInt64 p = (PetscInt64)slice.begin[row] + Lane(); p < slice.begin[row + 1]; p += WARP) part += term(row, (PetscInt)(p - slice.begin[row]), col[p]);
      part = WarpSum(part);
      if (Lane() == row) sum = part;
    }
  }
  return sum;
}

/* ---- The table */

/* The slot of a hash in the table at `begin`, taken if it is new; NOWHERE if there is no room */
static __device__ __forceinline__ unsigned Insert(PatternTable *table, unsigned begin, DeviceCount hash)
{
  for (unsigned i = 0; i < PROBES; i++) {
    const unsigned slot = begin + (unsigned)(hash + i) % SLOTS;
    DeviceCount    held = *(volatile DeviceCount *)&table->hash[slot];

    if (!held) held = atomicCAS(&table->hash[slot], 0, hash);
    if (!held || held == hash) return slot;
  }
  return NOWHERE;
}

/* The slot of a hash in the table at `begin`, which is complete; NOWHERE if it is not there */
static __device__ __forceinline__ unsigned Find(const PatternTable *table, unsigned begin, DeviceCount hash)
{
  for (unsigned i = 0; i < PROBES; i++) {
    const unsigned    slot = begin + (unsigned)(hash + i) % SLOTS;
    const DeviceCount held = table->hash[slot];

    if (held == hash) return slot;
    if (!held) break;
  }
  return NOWHERE;
}

static __device__ void CountRows(PatternTable *table, DeviceCount hash, unsigned rows, PetscInt first)
{
  unsigned slot = Find(table, 0, hash);

  if (slot == NOWHERE) {
    if (*(volatile unsigned *)&table->overflow) return;
    slot = Insert(table, SLOTS, hash);
  }
  if (slot == NOWHERE) {
    *(volatile unsigned *)&table->overflow = 1;
    return;
  }
  if (!atomicAdd(&table->rows[slot], (DeviceCount)rows)) {
    if (slot < SLOTS && table->sampled[slot] > 1)
      table->listed[atomicAdd(&table->recurring, 1)] = slot;
    else {
      const unsigned i = atomicAdd(&table->others, 1);

      if (i < AUTOCSR_COLLECTED_PATTERNS)
        table->listed[AUTOCSR_RECURRING_PATTERNS + i] = slot;
      else
        *(volatile unsigned *)&table->overflow = 1;
    }
  }
  atomicMax(&table->last[slot], (DeviceCount)(PETSC_MAX_INT - first));
}

/* ---- 1. The sample */

/* The rows of a zone that are its sample */
struct Sample {
  PetscInt row_begin, rows, n;

  __device__ __forceinline__ Sample(PetscInt m, PetscInt rows_per_zone, int zone)
      : row_begin((PetscInt)zone * rows_per_zone), rows(m - row_begin < rows_per_zone ? m - row_begin : rows_per_zone), n(AutoCSRSampleRows(rows))
  {
  }

  __device__ __forceinline__ PetscInt Row(int k) const
  {
    return row_begin + AutoCSRSampleRow(rows, n, k);
  }
};

/* By a warp: its k-th row */
static __device__ __forceinline__ void HashSampleRow(const AutoCSRMatrix &csr, const Sample &sample, int k, PatternTable *table, unsigned *slot_of_row)
{
  const PetscInt row = sample.Row(k), begin = csr.row_ptr[row], end = csr.row_ptr[row + 1];
  DeviceCount    sum = 0;

  if (end - begin > AUTOCSR_PATTERN_LENGTH) return;
  for (PetscInt64 p = (PetscInt64)begin + Lane(); p < end; p += WARP) sum += HashOfEntry(csr.col[p] - row);
  sum = WarpSum(sum);
  if (Lane() == 0) {
    const unsigned slot = Insert(table, 0, HashOfRow(sum, end - begin));

    if (*(volatile unsigned *)&table->sampled[slot] < 2) atomicAdd(&table->sampled[slot], 1); /* a stencil's rows would wait for each other */
    *slot_of_row = slot;
  }
}

static __global__ void __launch_bounds__(BLOCK) HashSample(AutoCSRMatrix csr, PetscInt rows_per_zone, PatternTable *table)
{
  PtxWaitForLast();
  const int    k = (int)(blockIdx.x * BLOCK + threadIdx.x) / WARP;
  const Sample sample(csr.m, rows_per_zone, (int)blockIdx.y);

  if (k < sample.n) HashSampleRow(csr, sample, k, table, &table->sample_slot[blockIdx.y][k]);
}

/* Whether each row of the zone is worth a look. All threads of a block ask, one for each row of the sample */
static __device__ __forceinline__ bool JudgeSample(PetscInt m, const PetscInt row_ptr[], const Sample &sample, const unsigned sampled[], const unsigned slot_of_row[])
{
  const int      k   = (int)threadIdx.x;
  const PetscInt row = sample.Row(k), length = k < sample.n ? row_ptr[row + 1] - row_ptr[row] : 0;
  const bool     recurs    = length && length <= AUTOCSR_PATTERN_LENGTH && sampled[slot_of_row[k]] > 1;
  const int      recurring = __syncthreads_count(recurs), filled = __syncthreads_count(length > 0);

  static_assert((int)AUTOCSR_SAMPLE_ROWS <= BLOCK, "A thread has a row of the sample");
  return AutoCSRSampleShowsPatterns(m, row_ptr[m], recurring, filled);
}

/* ---- 2. All rows of the zones worthwhile */

static __global__ void __launch_bounds__(BLOCK) HashRows(AutoCSRMatrix csr, PetscInt rows_per_zone, int worthwhile[], DeviceCount row_hash[], PatternTable *table)
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  __shared__ PetscInt     stages[BLOCK / WARP][STAGE];
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
  for (PetscInt64 window = (PetscInt64)blockIdx.x * BLOCK; window < csr.m; window += StrideOfThreads()) {
    const int        zone  = (int)(window / rows_per_zone);
    const bool       shows = JudgeSample(csr.m, csr.row_ptr, Sample(csr.m, rows_per_zone, zone), table->sampled, table->sample_slot[zone]);
    const PetscInt64 first = window + warp * WARP;
    const PetscInt   row   = (PetscInt)first + Lane();

    if (threadIdx.x == 0) worthwhile[zone] = shows; /* as each block says that has rows of it */
    if (!shows || first >= csr.m) continue;
    slices[warp].Load(csr.row_ptr, (PetscInt)first, csr.m);
    const DeviceCount sum   = SumOverRow(csr.col, slices[warp], stages[warp], [=](int r, PetscInt, PetscInt col) { return HashOfEntry(col - ((PetscInt)first + r)); });
    const DeviceCount hash  = HashOfRow(sum, slices[warp].begin[Lane() + 1] - slices[warp].begin[Lane()]);
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

/* ---- 3. Ranks and numbers, by the list: where not all are kept each pattern is compared with all others, a tile of them at a time */

static __device__ __forceinline__ unsigned CountListed(const PatternTable *table)
{
  return table->recurring + (table->overflow ? 0 : table->others);
}

/* The place in the list of its k-th pattern */
static __device__ __forceinline__ unsigned PlaceOf(const PatternTable *table, unsigned k)
{
  return k < table->recurring ? k : AUTOCSR_RECURRING_PATTERNS + (k - table->recurring);
}

/* Patterns in the order in which they are kept: those of the most rows first, of equals the first */
typedef std::conditional<sizeof(PetscInt) == sizeof(int), DeviceCount, unsigned __int128>::type PatternKey;

static __device__ __forceinline__ PatternKey KeyOf(const PatternTable *table, unsigned slot)
{
  return (PatternKey)table->rows[slot] << (8 * sizeof(PetscInt)) | (PatternKey)table->last[slot];
}

/* How many are kept before each, where not all are; a thread compares a few with the tiles of its block */
static __global__ void __launch_bounds__(BLOCK) CountBefore(PatternTable *table)
{
  PtxWaitForLast();
  __shared__ PatternKey tile_key[BLOCK];
  const unsigned        n = CountListed(table), first = blockIdx.x * BLOCK * KEYS_OF_THREAD + threadIdx.x;
  unsigned              before[KEYS_OF_THREAD] = {0}, place[KEYS_OF_THREAD];
  PatternKey            key[KEYS_OF_THREAD];

  if (blockIdx.x * BLOCK * KEYS_OF_THREAD >= n || n <= AUTOCSR_MAX_PATTERNS) return;
  for (int i = 0; i < KEYS_OF_THREAD; i++) {
    place[i] = PlaceOf(table, first + i * BLOCK < n ? first + i * BLOCK : 0);
    key[i]   = KeyOf(table, table->listed[place[i]]);
  }
  for (unsigned tile = blockIdx.y * BLOCK; tile < n; tile += gridDim.y * BLOCK) {
    const unsigned j = tile + threadIdx.x;

    __syncthreads();
    tile_key[threadIdx.x] = j < n ? KeyOf(table, table->listed[PlaceOf(table, j)]) : 0; /* no pattern has no rows */
    __syncthreads();
#pragma unroll 8
    for (int t = 0; t < BLOCK; t++) {
#pragma unroll
      for (int i = 0; i < KEYS_OF_THREAD; i++) before[i] += tile_key[t] > key[i];
    }
  }
  for (int i = 0; i < KEYS_OF_THREAD; i++) {
    if (first + i * BLOCK < n && before[i]) atomicAdd(&table->before[place[i]], before[i]);
  }
}

static constexpr int NUMBER_BLOCK = 1024, SHARES = 8; /* threads; those that a pattern has */

/* The row that shows the pattern of the most rows, of equals the first, and the rows of others with as many entries or more; by one block, which has the kept ones' tables */
static __device__ __forceinline__ void FindCommon(const PetscInt row_ptr[], const PatternTable *table, unsigned kept, const unsigned slot_of[], const DeviceCount last[], DeviceProfile *out)
{
  __shared__ DeviceCount rows, first, others;

  if (threadIdx.x == 0) rows = 0, first = 0, others = 0;
  __syncthreads();
  if (threadIdx.x < kept) atomicMax(&rows, table->rows[slot_of[threadIdx.x]]);
  __syncthreads();
  if (threadIdx.x < kept && table->rows[slot_of[threadIdx.x]] == rows) atomicMax(&first, last[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < kept && last[threadIdx.x] != first) {
    const PetscInt common = PETSC_MAX_INT - (PetscInt)first, row = PETSC_MAX_INT - (PetscInt)last[threadIdx.x];

    if (row_ptr[row + 1] - row_ptr[row] >= row_ptr[common + 1] - row_ptr[common]) atomicAdd(&others, table->rows[slot_of[threadIdx.x]]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    out->common_row = PETSC_MAX_INT - (PetscInt)first;
    out->others     = (PetscInt)others;
  }
}

/* Those kept, numbered by first appearance: each block has all of them in shared memory and numbers its share */
static __global__ void __launch_bounds__(NUMBER_BLOCK) NumberPatterns(const PetscInt row_ptr[], PatternTable *table, DeviceProfile *out)
{
  PtxWaitForLast();
  __shared__ DeviceCount last[AUTOCSR_MAX_PATTERNS];
  __shared__ unsigned    slot_of[AUTOCSR_MAX_PATTERNS];
  const unsigned         n = CountListed(table), kept = n < AUTOCSR_MAX_PATTERNS ? n : AUTOCSR_MAX_PATTERNS;
  const unsigned         k = (blockIdx.x * NUMBER_BLOCK + threadIdx.x) / SHARES;
  unsigned               number = 0;

#pragma unroll 4
  for (unsigned j = threadIdx.x; j < n; j += NUMBER_BLOCK) {
    const unsigned place = PlaceOf(table, j), rank = n <= AUTOCSR_MAX_PATTERNS ? j : table->before[place], slot = table->listed[place];

    if (rank >= kept) continue;
    slot_of[rank] = slot;
    last[rank]    = table->last[slot];
  }
  __syncthreads();
  for (unsigned t = threadIdx.x % SHARES; t < kept && k < kept; t += SHARES) number += last[t] > last[k];
#pragma unroll
  for (int o = 1; o < SHARES; o *= 2) number += __shfl_xor_sync(ALL_LANES, number, o);
  if (blockIdx.x == 0 && threadIdx.x == 0) out->patterns = (int)kept;
  if (blockIdx.x == 0) FindCommon(row_ptr, table, kept, slot_of, last, out);
  if (threadIdx.x % SHARES || k >= kept) return;
  table->number[slot_of[k]] = number + 1;
  out->pattern_row[number]  = PETSC_MAX_INT - (PetscInt)last[k];
}

/* ---- 4. The number of each row, verified, and what zones have of them */

static __global__ void __launch_bounds__(BLOCK) NameRows(AutoCSRMatrix csr, PetscInt rows_per_zone, const DeviceCount row_hash[], const PatternTable *table, uint16_t id[], DeviceProfile *out)
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  __shared__ PetscInt     stages[BLOCK / WARP][STAGE], shown_begin[BLOCK / WARP][WARP], shown_by[BLOCK / WARP][WARP];
  const int               warp  = (int)threadIdx.x / WARP;
  SliceEntries           &slice = slices[warp];

  if (blockIdx.x == gridDim.x - 1 && warp == 0 && out->patterns) {
    const PetscInt row = out->common_row, begin = csr.row_ptr[row], length = csr.row_ptr[row + 1] - begin;

    if (Lane() == 0) out->common_length = length;
    if (Lane() < length && Lane() < AUTOCSR_PLANES_ENTRIES) out->common_offset[Lane()] = csr.col[begin + Lane()] - row;
  }
  for (PetscInt64 first = FirstOfThread() - Lane(); first < csr.m; first += StrideOfThreads()) {
    const PetscInt row = (PetscInt)first + Lane(), zone = (PetscInt)first / rows_per_zone;
    unsigned       number = 0;
    PetscInt       shown  = row, begin;

    if (!out->worthwhile[zone]) {
      if (row < csr.m) id[row] = AUTOCSR_NO_PATTERN;
      continue;
    }
    slice.Load(csr.row_ptr, (PetscInt)first, csr.m);
    begin = slice.begin[Lane()];
    if (row < csr.m) {
      unsigned slot = Find(table, 0, row_hash[row]);

      if (slot == NOWHERE && !table->overflow) slot = Find(table, SLOTS, row_hash[row]);
      number = slot == NOWHERE ? 0 : table->number[slot];
    }
    if (number) {
      const PetscInt r = out->pattern_row[number - 1], b = csr.row_ptr[r];

      if (csr.row_ptr[r + 1] - b == slice.begin[Lane() + 1] - begin) {
        shown = r;
        begin = b;
      } else
        number = 0;
    }
    shown_by[warp][Lane()]    = shown;
    shown_begin[warp][Lane()] = begin;
    __syncwarp();
    if (SumOverRow(csr.col, slice, stages[warp], [&](int r, PetscInt t, PetscInt col) { return (DeviceCount)(col - csr.col[shown_begin[warp][r] + t] != (PetscInt)first + r - shown_by[warp][r]); })) number = 0;
    const unsigned named   = __ballot_sync(ALL_LANES, number > 0);
    const unsigned same    = __match_any_sync(ALL_LANES, row < csr.m ? number : 0);
    const bool     uniform = csr.m - first >= WARP ? same == ALL_LANES && named : named && __popc(same) == (int)(csr.m - first);

    if (row < csr.m) id[row] = number ? (uint16_t)(number - 1) : AUTOCSR_NO_PATTERN;
    if (Lane() == 0) {
      if (named) atomicAdd(&out->zone[zone][COUNT_PATTERN_ROWS], (DeviceCount)__popc(named));
      if (uniform) atomicAdd(&out->zone[zone][COUNT_UNIFORM_SLICES], 1);
    }
  }
}

size_t DeviceProfilePatternTableBytes(void)
{
  return sizeof(PatternTable);
}

PetscErrorCode DeviceProfilePatterns(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, void *zeros, DeviceCount row_hash[], uint16_t id[], DeviceProfile *device)
{
  const PetscInt rows_per_zone = RowsPerZone(profile);
  const unsigned zones = (unsigned)profile->zones, grid = GridOf(Pieces(csr->m, BLOCK), 2048);
  PatternTable  *table = (PatternTable *)zeros;

  PetscFunctionBegin;
  Launch(HashSample, dim3(AUTOCSR_SAMPLE_ROWS * WARP / BLOCK, zones), BLOCK, 0, AUTOCSR_STREAM)(*csr, rows_per_zone, table);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(HashRows, grid, BLOCK, 0, AUTOCSR_STREAM)(*csr, rows_per_zone, device->worthwhile, row_hash, table);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(CountBefore, dim3(Pieces(LISTED, BLOCK * KEYS_OF_THREAD), TILES_AT_ONCE), BLOCK, 0, AUTOCSR_STREAM)(table);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(NumberPatterns, Pieces(AUTOCSR_MAX_PATTERNS * SHARES, NUMBER_BLOCK), NUMBER_BLOCK, 0, AUTOCSR_STREAM)(csr->row_ptr, table, device);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(NameRows, grid, BLOCK, 0, AUTOCSR_STREAM)(*csr, rows_per_zone, row_hash, table, id, device);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
