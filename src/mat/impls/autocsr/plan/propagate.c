/*
  The streams of order propagated on the host: a pass over the rows that counts the runs, and one that writes them. What is
  counted by tile is here for both backends.
*/
#include "encode.h"
#include "../backend.h"

PetscErrorCode AutoCSRPropagateAllocate(AutoCSRSegment *seg, PetscInt n, const PetscInt tile_unit[])
{
  const PetscInt tiles = AutoCSRTiledTiles(&seg->axes, n), units = tile_unit[tiles];

  PetscFunctionBegin;
  PetscCheck(units <= PETSC_MAX_INT / AUTOCSR_PROPAGATE_UNIT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Runs of %" PetscInt_FMT " rows have more slots than a PetscInt counts; take another strategy or 64-bit indices", seg->n_rows);
  PetscCall(AutoCSRTiledAllocateItems(seg, tiles, tile_unit));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, units * AUTOCSR_PROPAGATE_UNIT));
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, units * AUTOCSR_PROPAGATE_UNIT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPropagateAllocateChunks(AutoCSRSegment *seg, PetscInt64 chunks, PetscInt parts)
{
  PetscFunctionBegin;
  PetscCheck(chunks <= PETSC_MAX_INT / (AUTOCSR_PROPAGATE_CODES / AUTOCSR_PROPAGATE_ALIGN), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Chunks of %" PetscInt_FMT " rows have more codes than a PetscInt counts; take another strategy or 64-bit indices", seg->n_rows);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PART_PTR, (PetscInt)chunks + 1));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PART, parts));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CODE_PTR, (PetscInt)chunks + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BLOCK_ROW */
PetscErrorCode AutoCSRPropagateEncodeRowBlocks(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  for (int write = 0; write < 2; write++) {
    PetscInt blocks = 0, last = 0, before = 0;

    for (PetscInt k = 0; k < seg->n_rows; k++) {
      if (AutoCSRPropagateBegins(&seg->axes, k, last, before)) {
        if (write) ((PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data)[blocks] = k;
        blocks++;
      }
      last = before;
      before += AutoCSRSegmentRowLength(seg, csr, k);
    }
    if (!write)
      PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BLOCK_ROW, blocks + 1));
    else
      ((PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data)[blocks] = seg->n_rows;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of each run, row block after row block and in it tile after tile */
static void CountRuns(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt tiles, PetscInt entries[])
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data;

  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    for (PetscInt k = block_row[b]; k < block_row[b + 1]; k++) {
      const PetscInt row = AutoCSRSegmentRow(seg, k);

      for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) entries[b * tiles + csr->col[p] / seg->axes.tile_width]++;
    }
  }
}

/* The first unit of each run, tile after tile; and of each tile */
static void PlaceRuns(const AutoCSRSegment *seg, PetscInt tiles, PetscInt blocks, const PetscInt entries[], PetscInt unit[], PetscInt tile_unit[])
{
  PetscInt units = 0;

  for (PetscInt c = 0; c < tiles; c++) {
    tile_unit[c] = units;
    for (PetscInt b = 0; b < blocks; b++) {
      unit[b * tiles + c] = units;
      units += AutoCSRPropagateUnitsOf(seg, entries[b * tiles + c]);
    }
  }
  tile_unit[tiles] = units;
}

/* CHUNK_PTR, PART_PTR and PART */
PetscErrorCode AutoCSRPropagateEncodeChunks(AutoCSRSegment *seg, PetscInt tiles, PetscInt blocks, const PetscInt entries[], const PetscInt unit[])
{
  PetscInt64 chunks = 0;
  PetscInt   parts  = 0, *chunk_ptr;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CHUNK_PTR, blocks + 1));
  chunk_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  for (PetscInt b = 0; b < blocks; b++) {
    PetscInt place = 0;

    chunk_ptr[b] = (PetscInt)chunks;
    for (PetscInt c = 0; c < tiles; c++) {
      const PetscInt units = AutoCSRPropagateUnitsOf(seg, entries[b * tiles + c]);

      parts += AutoCSRPropagatePartsOf(seg, place, units);
      place += units;
    }
    chunks += AutoCSRPropagatePartsOf(seg, 0, place);
  }
  chunk_ptr[blocks] = (PetscInt)chunks;
  PetscCall(AutoCSRPropagateAllocateChunks(seg, chunks, parts));
  ((PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data)[chunks] = parts;
  parts                                                           = 0;
  for (PetscInt b = 0; b < blocks; b++) {
    PetscInt place = 0;

    for (PetscInt c = 0; c < tiles; c++) {
      const PetscInt units = AutoCSRPropagateUnitsOf(seg, entries[b * tiles + c]);

      AutoCSRPropagateEncodeParts(seg, unit[b * tiles + c], place, units, chunk_ptr[b], parts);
      parts += AutoCSRPropagatePartsOf(seg, place, units);
      place += units;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes the codes of a chunk whose n places have these rows, or says how many they are; count, next: work for each row of the row block, zero at first and at the end */
static PetscInt EncodeChunk(PetscInt rows, int n, const uint16_t row_of[], PetscInt count[], PetscInt next[], uint16_t code[])
{
  enum {
    MOST = AUTOCSR_PROPAGATE_MOST
  };
  int       with[MOST + 2][AUTOCSR_PROPAGATE_BANKS] = {{0}}, rank[MOST + 2][AUTOCSR_PROPAGATE_BANKS] = {{0}}; /* rows of so many entries, the last: of more, by bank; and how many have come */
  int       at[MOST + 3], n_rows, n_long, places = 0, long_places = 0;
  PetscInt  units;
  uint16_t *row, *begin, *place;

  for (int i = 0; i < n; i++) {
    if (row_of[i] < rows) count[row_of[i]]++;
  }
  for (PetscInt k = 0; k < rows; k++) {
    places += (int)count[k];
    if (count[k] > MOST) long_places += (int)count[k];
    with[PetscMin(count[k], MOST + 1)][k % AUTOCSR_PROPAGATE_BANKS]++;
  }
  at[MOST + 1] = 0; /* where rows of so many entries begin */
  for (int c = MOST + 1; c > 0; c--) {
    at[c - 1] = at[c];
    for (int s = 0; s < AUTOCSR_PROPAGATE_BANKS; s++) at[c - 1] += with[c][s];
  }
  n_rows = at[0];
  n_long = at[MOST];
  units  = AutoCSRPropagateCodeUnits(places, n_rows, n_long);
  if (code) {
    for (PetscInt i = 0; i < units * AUTOCSR_PROPAGATE_ALIGN; i++) code[i] = 0;
    for (int j = 0; j < MOST; j++) code[j + 1] = (uint16_t)(code[j] + at[j] - n_long);
    code[MOST + 1] = (uint16_t)n_long;
    row            = code + AUTOCSR_PROPAGATE_HEAD;
    begin          = row + n_rows;
    place          = begin + n_long + 1;
    for (PetscInt k = 0; k < rows; k++) {
      const int c = (int)PetscMin(count[k], MOST + 1), bank = (int)(k % AUTOCSR_PROPAGATE_BANKS);
      int       r;

      if (!c) continue;
      r      = at[c] + AutoCSRPropagateOrder(with[c], bank, rank[c][bank]++);
      row[r] = (uint16_t)k;
      if (r < n_long) begin[r + 1] = (uint16_t)count[k];
      count[k] = r;
    }
    for (int r = 0; r < n_long; r++) begin[r + 1] = (uint16_t)(begin[r + 1] + begin[r]);
    for (int i = 0; i < n; i++) {
      if (row_of[i] >= rows) continue;
      const PetscInt r = count[row_of[i]], j = next[row_of[i]]++;

      place[r < n_long ? begin[r] + j : long_places + code[j] + r - n_long] = (uint16_t)i;
    }
  }
  for (PetscInt k = 0; k < rows; k++) count[k] = next[k] = 0;
  return units;
}

PetscErrorCode AutoCSRPropagateEncodeCodes(AutoCSRSegment *seg, const uint16_t row_of[])
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  PetscInt       *code_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data, *count, *next;
  uint16_t        of_place[AUTOCSR_PROPAGATE_CHUNK];

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(seg->axes.tile_height, &count, seg->axes.tile_height, &next));
  for (int write = 0; write < 2; write++) {
    uint16_t *code = (uint16_t *)seg->stream[AUTOCSR_STREAM_CODE].data;

    code_ptr[0] = 0;
    for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
      for (PetscInt chunk = chunk_ptr[b]; chunk < chunk_ptr[b + 1]; chunk++) {
        const int n = AutoCSRPropagatePlaces(seg, chunk);

        for (int i = 0; i < n; i++) of_place[i] = row_of[AutoCSRPropagateSlotOf(seg, chunk, i)];
        code_ptr[chunk + 1] = code_ptr[chunk] + EncodeChunk(block_row[b + 1] - block_row[b], n, of_place, count, next, write ? code + (size_t)code_ptr[chunk] * AUTOCSR_PROPAGATE_ALIGN : NULL);
      }
    }
    if (!write) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CODE, (PetscInt64)code_ptr[AutoCSRPropagateChunks(seg)] * AUTOCSR_PROPAGATE_ALIGN));
  }
  PetscCall(PetscFree2(count, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* INDEX, and the row of each slot in its row block; next: work for each tile */
static void EncodeEntries(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt tiles, const PetscInt unit[], PetscInt next[], uint16_t row_of[])
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data;
  uint16_t       *index     = (uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
  const PetscInt  width     = seg->axes.tile_width;

  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    for (PetscInt c = 0; c < tiles; c++) next[c] = unit[b * tiles + c] * AUTOCSR_PROPAGATE_UNIT;
    for (PetscInt k = block_row[b]; k < block_row[b + 1]; k++) {
      const PetscInt row = AutoCSRSegmentRow(seg, k);

      for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
        const PetscInt tile = csr->col[p] / width, slot = next[tile]++;

        index[slot]  = (uint16_t)(csr->col[p] - tile * width);
        row_of[slot] = (uint16_t)(k - block_row[b]);
      }
    }
  }
}

PetscErrorCode AutoCSRPropagateEncode_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  PetscInt      *entries, *unit, *tile_unit, *next, blocks, slots;
  uint16_t      *row_of;

  PetscFunctionBegin;
  PetscCall(AutoCSRPropagateEncodeRowBlocks(seg, csr));
  blocks = AutoCSRPropagateRowBlocks(seg);
  PetscCheck((PetscInt64)tiles * blocks < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than a PetscInt counts", tiles, blocks);
  PetscCall(PetscCalloc4(tiles * blocks, &entries, tiles * blocks, &unit, tiles + 1, &tile_unit, tiles, &next));
  CountRuns(seg, csr, tiles, entries);
  PlaceRuns(seg, tiles, blocks, entries, unit, tile_unit);
  PetscCall(AutoCSRPropagateAllocate(seg, csr->n, tile_unit));
  PetscCall(AutoCSRPropagateEncodeChunks(seg, tiles, blocks, entries, unit));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_INDEX].data, seg->stream[AUTOCSR_STREAM_INDEX].bytes));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_VALUE].data, seg->stream[AUTOCSR_STREAM_VALUE].bytes));
  slots = tile_unit[tiles] * AUTOCSR_PROPAGATE_UNIT;
  PetscCall(PetscMalloc1(slots, &row_of));
  for (PetscInt i = 0; i < slots; i++) row_of[i] = AUTOCSR_PROPAGATE_ROWS;
  EncodeEntries(seg, csr, tiles, unit, next, row_of);
  PetscCall(AutoCSRPropagateEncodeCodes(seg, row_of));
  PetscCall(PetscFree(row_of));
  PetscCall(PetscFree4(entries, unit, tile_unit, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row's codes, chunk after chunk, are its entries in their order */
PetscErrorCode AutoCSRPropagateEncodeValues_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  PetscInt       *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(seg->n_rows, &next));
  for (PetscInt k = 0; k < seg->n_rows; k++) next[k] = csr->row_ptr[AutoCSRSegmentRow(seg, k)];
  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    for (PetscInt chunk = chunk_ptr[b]; chunk < chunk_ptr[b + 1]; chunk++) {
      const AutoCSRPropagateCodes c = AutoCSRPropagateCodesOf(seg, chunk);

      for (int r = 0; r < c.n_long + c.n_short; r++) {
        for (int j = 0; j < AutoCSRPropagateRowEntries(&c, r); j++) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[next[block_row[b] + c.row[r]]++], AutoCSRPropagateSlotOf(seg, chunk, AutoCSRPropagateRowPlace(&c, r, j)));
      }
    }
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}
