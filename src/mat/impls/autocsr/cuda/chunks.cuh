/* What the encoders by column tile share: sorts, and (encode_chunks.cu, orders propagated and popular) row blocks, chunks and their codes */
#ifndef AUTOCSR_DEVICE_CHUNKS_CUH
#define AUTOCSR_DEVICE_CHUNKS_CUH

#include "encode.cuh"
#include "sums.cuh"
#include <cub/device/device_radix_sort.cuh>

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

/*
  RowBlocks: BLOCK_ROW, or how many there are; before: of each row, how many have begun before it, and with it in the next. FirstOfKeys: where each
  key begins among n sorted, and the end. Chunks: CHUNK_PTR, PART_PTR and PART, once each run's first unit and place are known. Codes: CODE_PTR and CODE, once these
  are there; row_of: of each slot (order popular: piece) its row in its row block, AUTOCSR_PROPAGATE_ROWS and more: it has none
*/
PetscErrorCode DeviceCountRowBlocks(const AutoCSRSegment *, const PetscInt ptr[], PetscInt before[], PetscInt *blocks);
PetscErrorCode DeviceEncodeRowBlocks(AutoCSRSegment *, const PetscInt ptr[], PetscInt before[], PetscInt *blocks);
PetscErrorCode DeviceFirstOfKeys(PetscInt n, const uint32_t key[], PetscInt keys, PetscInt first[]);
PetscErrorCode DeviceEncodeChunks(AutoCSRSegment *, const DeviceRuns *);
PetscErrorCode DeviceEncodeCodes(AutoCSRSegment *, PetscInt blocks, const uint16_t row_of[]);

#endif
