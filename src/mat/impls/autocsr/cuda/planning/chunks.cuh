/* What the encoders by column tile share: sorts, and, orders propagated and popular, entries by run (encode_sorted.cu), row blocks, chunks and their codes (encode_chunks.cu) */
#ifndef AUTOCSR_DEVICE_CHUNKS_CUH
#define AUTOCSR_DEVICE_CHUNKS_CUH

#include "encode.cuh"
#include "../common/sums.cuh"
#include <cub/device/device_radix_sort.cuh>

#define ENTRY_SPAN 1024 /* entries of a warp that goes along them */

/* Blocks of a kernel that does */
static inline unsigned GridOfEntries(PetscInt nnz)
{
  return (unsigned)Pieces(nnz, ENTRY_SPAN * (BLOCK / WARP));
}

/* The runs of all tiles and row blocks: a run's number is tile * blocks + row block. Arrays have one more, for the end */
typedef struct {
  PetscInt  tiles, blocks;
  PetscInt *entry; /* the first of each among the sorted entries */
  PetscInt *unit;  /* the first unit of each */
  PetscInt *place; /* by row block * tiles + tile: units before it, row block after row block */
  PetscInt *part;  /* in that order: parts before it */
} DeviceRuns;

static __host__ __device__ __forceinline__ PetscInt RunCount(const DeviceRuns &runs)
{
  return runs.tiles * runs.blocks;
}

/* Stably; keys are below `keys`. There is no room but these four: what was in key and value is lost, and the sorted ones may have changed places with them */
template <typename T>
static PetscErrorCode SortByKey(PetscInt n, PetscInt keys, uint32_t *&key, T *&value, uint32_t *&sorted_key, T *&sorted)
{
  cub::DoubleBuffer<uint32_t> both_keys(key, sorted_key);
  cub::DoubleBuffer<T>        both(value, sorted);
  int                         bits = 1;

  PetscFunctionBegin;
  while (bits < 31 && (keys - 1) >> bits) bits++;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, both_keys, both, n, 0, bits, AUTOCSR_STREAM); }));
  key        = both_keys.Alternate();
  sorted_key = both_keys.Current();
  value      = both.Alternate();
  sorted     = both.Current();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ZeroStream(const AutoCSRSegment *seg, AutoCSRStreamKind kind)
{
  PetscFunctionBegin;
  if (seg->stream[kind].data) PetscCallCUDA(cudaMemsetAsync(seg->stream[kind].data, 0, seg->stream[kind].bytes, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static constexpr int AT_ONCE = 4; /* entries, or slots, of a lane: what it waits for is on the way together */

/* store(e, k, i, load(e, k, i)): element e of n is the i-th of the k-th row, before which there are ptr[k]; a warp goes along as many as any other */
template <typename Load, typename Store>
static __device__ __forceinline__ void EachElement(const PetscInt ptr[], PetscInt rows, PetscInt n, SliceEntries &slice, Load load, Store store)
{
  const PetscInt64 begin = FirstOfThread() / WARP * ENTRY_SPAN, end = begin + ENTRY_SPAN < n ? begin + ENTRY_SPAN : n;

  if (begin >= n) return;
  WarpWalkEntries(ptr, rows, begin, end, slice, [&](PetscInt first, PetscInt64 from, PetscInt64 to) {
    for (PetscInt64 e = from + Lane(); e < to; e += AT_ONCE * WARP) {
      int                     r[AT_ONCE];
      decltype(load(0, 0, 0)) what[AT_ONCE];

#pragma unroll
      for (int u = 0; u < AT_ONCE; u++) {
        const PetscInt at = (PetscInt)e + u * WARP;

        if (e + u * WARP >= to) continue;
        r[u]    = slice.RowOf(at);
        what[u] = load(at, first + r[u], at - slice.begin[r[u]]);
      }
#pragma unroll
      for (int u = 0; u < AT_ONCE; u++) {
        const PetscInt at = (PetscInt)e + u * WARP;

        if (e + u * WARP < to) store(at, first + r[u], at - slice.begin[r[u]], what[u]);
      }
    }
  });
}

/* store(e, k, load(q)): entry e of the segment is in its k-th row, and entry q of the CSR */
template <typename Load, typename Store>
static __device__ __forceinline__ void EachEntry(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, const PetscInt ptr[], PetscInt nnz, SliceEntries &slice, Load load, Store store)
{
  const PetscInt *row_ptr = csr.row_ptr;
  const bool      named   = seg.stream[AUTOCSR_STREAM_ROWS].data != NULL;

  EachElement(
    ptr, seg.n_rows, nnz, slice, [&](PetscInt e, PetscInt k, PetscInt i) { return load(named ? row_ptr[AutoCSRSegmentRow(&seg, k)] + i : row_ptr[seg.row_begin] + e); },
    [&](PetscInt e, PetscInt k, PetscInt, decltype(load(0)) what) { store(e, k, what); });
}

/* What is sorted: the entry's number among the segment's, its row in the row block and its column in the tile */
typedef unsigned long long Entry;

#define ROW_BITS 13 /* of a row block */

static_assert(AUTOCSR_PROPAGATE_ROWS <= 1 << ROW_BITS, "An entry tells its row");

static __device__ __forceinline__ Entry MakeEntry(PetscInt e, PetscInt row, PetscInt index)
{
  return (Entry)e << (ROW_BITS + 16) | (Entry)row << 16 | (Entry)index;
}

static __device__ __forceinline__ PetscInt NumberOf(Entry entry)
{
  return (PetscInt)(entry >> (ROW_BITS + 16));
}

static __device__ __forceinline__ int RowOf(Entry entry)
{
  return (int)(entry >> 16) & ((1 << ROW_BITS) - 1);
}

static __device__ __forceinline__ int IndexOf(Entry entry)
{
  return (int)(entry & 0xffff);
}

/* Entries by run, and the memory that they are in */
struct SortedEntries {
  DeviceScratch memory[6];
  PetscInt     *ptr;    /* entries before each of the segment's rows */
  PetscInt     *before; /* row blocks that have begun before each row, and with it in the next */
  PetscInt     *tile;   /* the first of each tile, and the end */
  Entry        *entry;
  uint32_t     *starts; /* a bit for each, and the end: a run begins with it; NULL if nobody asked */
  DeviceRuns    runs;   /* their first entries; whoever needs the other arrays makes room for them */
};

/* Where a sorted entry is in the CSR */
static __device__ __forceinline__ PetscInt PlaceInCSR(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, const PetscInt ptr[], Entry entry)
{
  const PetscInt e = NumberOf(entry);
  PetscInt       k;

  if (!seg.stream[AUTOCSR_STREAM_ROWS].data) return csr.row_ptr[seg.row_begin] + e;
  k = AutoCSRTiledFindLast(ptr, 0, seg.n_rows, e);
  return csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + (e - ptr[k]);
}

/* encode_sorted.cu. FirstOfKeys: where each key begins among n sorted, and the end. Begin: ptr, before, row blocks (below). Sort: the rest; place: where columns are among those that tiles are of (NULL: columns themselves) */
PetscErrorCode DeviceFirstOfKeys(PetscInt n, const uint32_t key[], PetscInt keys, PetscInt first[]);
PetscErrorCode DeviceBeginSort(AutoCSRSegment *, const AutoCSRMatrix *, SortedEntries *);
PetscErrorCode DeviceSortEntries(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt tiles, const PetscInt place[], PetscBool starts, SortedEntries *);

/*
  encode_chunks.cu. RowBlocks: how many there are, and BLOCK_ROW unless it is there; before: of each row, how many have begun before it, and with it in the next. Chunks: CHUNK_PTR, PART_PTR and PART, once each run's first unit and place are known. Codes: CODE_PTR and CODE, once these
  are there; row_of: of each slot (order popular: piece) its row in its row block, AUTOCSR_PROPAGATE_ROWS and more: it has none
*/
PetscErrorCode DeviceEncodeRowBlocks(AutoCSRSegment *, const PetscInt ptr[], PetscInt before[], PetscInt *blocks);
PetscErrorCode DeviceEncodeChunks(AutoCSRSegment *, const DeviceRuns *);
PetscErrorCode DeviceEncodeCodes(AutoCSRSegment *, PetscInt blocks, const uint16_t row_of[]);

#endif
