/* What the encoders by column tile share: sorts, and, orders propagated and popular, entries by run (encode_sorted.cu), row blocks, chunks and their codes (encode_chunks.cu) */
#ifndef AUTOCSR_DEVICE_CHUNKS_CUH
#define AUTOCSR_DEVICE_CHUNKS_CUH

#include "encode.cuh"
#include "sums.cuh"
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

/* Stably; keys are below `keys` */
template <typename T>
static PetscErrorCode SortByKey(PetscInt n, PetscInt keys, const uint32_t key[], const T value[], uint32_t sorted_key[], T sorted[])
{
  int bits = 1;

  PetscFunctionBegin;
  while (bits < 31 && keys >> bits) bits++;
  if (n) PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, sorted_key, value, sorted, n, 0, bits, AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ZeroStream(const AutoCSRSegment *seg, AutoCSRStreamKind kind)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(seg->stream[kind].data, 0, seg->stream[kind].bytes, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f(e, k, q): entry e of the segment is in its k-th row, and entry q of the CSR; a warp goes along as many as any other. ptr: entries before each row */
template <typename F>
static __device__ __forceinline__ void EachEntry(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, const PetscInt ptr[], PetscInt nnz, SliceEntries &slice, F f)
{
  const PetscInt64 begin = FirstOfThread() / WARP * ENTRY_SPAN, end = begin + ENTRY_SPAN < nnz ? begin + ENTRY_SPAN : nnz;

  if (begin >= nnz) return;
  WarpWalkEntries(ptr, seg.n_rows, begin, end, slice, [&](PetscInt first, PetscInt64 from, PetscInt64 to) {
    for (PetscInt64 e = from + Lane(); e < to; e += WARP) {
      const int      r = slice.RowOf((PetscInt)e);
      const PetscInt k = first + r;

      f((PetscInt)e, k, csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + ((PetscInt)e - slice.begin[r]));
    }
  });
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
  DeviceScratch memory[5];
  PetscInt     *ptr;    /* entries before each of the segment's rows */
  PetscInt     *before; /* row blocks that have begun before each row, and with it in the next */
  uint32_t     *key;    /* the run of each entry */
  Entry        *entry;
  DeviceRuns    runs; /* their first entries; whoever needs the other arrays makes room for them */
};

/* Where a sorted entry is in the CSR */
static __device__ __forceinline__ PetscInt PlaceInCSR(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, const PetscInt ptr[], PetscInt row_block, Entry entry)
{
  const PetscInt e = NumberOf(entry);
  PetscInt       k;

  if (!seg.stream[AUTOCSR_STREAM_ROWS].data) return csr.row_ptr[seg.row_begin] + e;
  k = ((const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data)[row_block] + RowOf(entry);
  return csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + (e - ptr[k]);
}

/* Begin: ptr, before, row blocks (below). Sort: the rest; place: where columns are among those that tiles are of (NULL: columns themselves) */
PetscErrorCode DeviceBeginSort(AutoCSRSegment *, const AutoCSRMatrix *, SortedEntries *);
PetscErrorCode DeviceSortEntries(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt tiles, const PetscInt place[], SortedEntries *);

/*
  RowBlocks: how many there are, and BLOCK_ROW unless it is there; before: of each row, how many have begun before it, and with it in the next. FirstOfKeys: where each
  key begins among n sorted, and the end. Chunks: CHUNK_PTR, PART_PTR and PART, once each run's first unit and place are known. Codes: CODE_PTR and CODE, once these
  are there; row_of: of each slot (order popular: piece) its row in its row block, AUTOCSR_PROPAGATE_ROWS and more: it has none
*/
PetscErrorCode DeviceEncodeRowBlocks(AutoCSRSegment *, const PetscInt ptr[], PetscInt before[], PetscInt *blocks);
PetscErrorCode DeviceFirstOfKeys(PetscInt n, const uint32_t key[], PetscInt keys, PetscInt first[]);
PetscErrorCode DeviceEncodeChunks(AutoCSRSegment *, const DeviceRuns *);
PetscErrorCode DeviceEncodeCodes(AutoCSRSegment *, PetscInt blocks, const uint16_t row_of[]);

#endif
