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
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, units * AUTOCSR_PROPAGATE_UNIT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPropagateAllocateChunks(AutoCSRSegment *seg, PetscInt64 chunks, PetscInt parts)
{
  PetscFunctionBegin;
  PetscCheck(chunks <= PETSC_MAX_INT / AUTOCSR_PROPAGATE_CHUNK, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Chunks of %" PetscInt_FMT " rows have more codes than a PetscInt counts; take another strategy or 64-bit indices", seg->n_rows);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PART_PTR, (PetscInt)chunks + 1));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PART, parts));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CHUNK_ROW, (PetscInt)chunks * AUTOCSR_PROPAGATE_CHUNK));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CHUNK_PLACE, (PetscInt)chunks * AUTOCSR_PROPAGATE_CHUNK));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BLOCK_ROW */
static PetscErrorCode EncodeRowBlocks(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
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
static void PlaceRuns(PetscInt tiles, PetscInt blocks, const PetscInt entries[], PetscInt unit[], PetscInt tile_unit[])
{
  PetscInt units = 0;

  for (PetscInt c = 0; c < tiles; c++) {
    tile_unit[c] = units;
    for (PetscInt b = 0; b < blocks; b++) {
      unit[b * tiles + c] = units;
      units += AutoCSRPropagateUnitsOf(entries[b * tiles + c]);
    }
  }
  tile_unit[tiles] = units;
}

/* CHUNK_PTR, PART_PTR and PART */
static PetscErrorCode EncodeChunks(AutoCSRSegment *seg, PetscInt tiles, PetscInt blocks, const PetscInt entries[], const PetscInt unit[])
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
      const PetscInt units = AutoCSRPropagateUnitsOf(entries[b * tiles + c]);

      parts += AutoCSRPropagatePartsOf(place, units);
      place += units;
    }
    chunks += AutoCSRPropagatePartsOf(0, place);
  }
  chunk_ptr[blocks] = (PetscInt)chunks;
  PetscCall(AutoCSRPropagateAllocateChunks(seg, chunks, parts));
  ((PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data)[chunks] = parts;
  parts                                                           = 0;
  for (PetscInt b = 0; b < blocks; b++) {
    PetscInt place = 0;

    for (PetscInt c = 0; c < tiles; c++) {
      const PetscInt units = AutoCSRPropagateUnitsOf(entries[b * tiles + c]);

      AutoCSRPropagateEncodeParts(seg, unit[b * tiles + c], place, units, chunk_ptr[b], parts);
      parts += AutoCSRPropagatePartsOf(place, units);
      place += units;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* INDEX, CHUNK_ROW and CHUNK_PLACE; place: work for each tile */
static PetscErrorCode EncodeEntries(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt tiles, const PetscInt entries[], PetscInt place[])
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  uint16_t       *index = (uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data, *chunk_row = (uint16_t *)seg->stream[AUTOCSR_STREAM_CHUNK_ROW].data;
  uint8_t        *chunk_place = (uint8_t *)seg->stream[AUTOCSR_STREAM_CHUNK_PLACE].data;
  const PetscInt  chunks = AutoCSRPropagateChunks(seg), width = seg->axes.tile_width;
  PetscInt       *code;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(chunks, &code));
  for (PetscInt i = 0; i < chunks * AUTOCSR_PROPAGATE_CHUNK; i++) chunk_row[i] = AutoCSRPropagateRowCode(AUTOCSR_PROPAGATE_NO_ROW, 0);
  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    place[0] = 0;
    for (PetscInt c = 0; c + 1 < tiles; c++) place[c + 1] = place[c] + AUTOCSR_PROPAGATE_UNIT * AutoCSRPropagateUnitsOf(entries[b * tiles + c]);
    for (PetscInt k = block_row[b]; k < block_row[b + 1]; k++) {
      const PetscInt row = AutoCSRSegmentRow(seg, k);

      for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
        const PetscInt tile = csr->col[p] / width, at = place[tile]++, chunk = chunk_ptr[b] + at / AUTOCSR_PROPAGATE_CHUNK, in = at % AUTOCSR_PROPAGATE_CHUNK;
        const PetscInt i = chunk * AUTOCSR_PROPAGATE_CHUNK + code[chunk]++;

        index[AutoCSRPropagateSlotOf(seg, chunk, in)] = (uint16_t)(csr->col[p] - tile * width);
        chunk_row[i]                                  = AutoCSRPropagateRowCode(k - block_row[b], in);
        chunk_place[i]                                = (uint8_t)(in & 0xff);
      }
    }
  }
  PetscCall(PetscFree(code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPropagateEncode_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  PetscInt      *entries, *unit, *tile_unit, *place, blocks;

  PetscFunctionBegin;
  PetscCall(EncodeRowBlocks(seg, csr));
  blocks = AutoCSRPropagateRowBlocks(seg);
  PetscCheck((PetscInt64)tiles * blocks < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than a PetscInt counts", tiles, blocks);
  PetscCall(PetscCalloc4(tiles * blocks, &entries, tiles * blocks, &unit, tiles + 1, &tile_unit, tiles + 1, &place));
  CountRuns(seg, csr, tiles, entries);
  PlaceRuns(tiles, blocks, entries, unit, tile_unit);
  PetscCall(AutoCSRPropagateAllocate(seg, csr->n, tile_unit));
  PetscCall(EncodeChunks(seg, tiles, blocks, entries, unit));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_INDEX].data, seg->stream[AUTOCSR_STREAM_INDEX].bytes));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_VALUE].data, seg->stream[AUTOCSR_STREAM_VALUE].bytes));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_CHUNK_PLACE].data, seg->stream[AUTOCSR_STREAM_CHUNK_PLACE].bytes));
  PetscCall(EncodeEntries(seg, csr, tiles, entries, place));
  PetscCall(PetscFree4(entries, unit, tile_unit, place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row's codes, chunk after chunk, are its entries in their order */
PetscErrorCode AutoCSRPropagateEncodeValues_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const uint16_t *chunk_row   = (const uint16_t *)seg->stream[AUTOCSR_STREAM_CHUNK_ROW].data;
  const uint8_t  *chunk_place = (const uint8_t *)seg->stream[AUTOCSR_STREAM_CHUNK_PLACE].data;
  PetscInt       *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(seg->n_rows, &next));
  for (PetscInt k = 0; k < seg->n_rows; k++) next[k] = csr->row_ptr[AutoCSRSegmentRow(seg, k)];
  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    for (PetscInt i = chunk_ptr[b] * AUTOCSR_PROPAGATE_CHUNK; i < chunk_ptr[b + 1] * AUTOCSR_PROPAGATE_CHUNK; i++) {
      const PetscInt row = AutoCSRPropagateRowOf(chunk_row[i]);

      if (row == AUTOCSR_PROPAGATE_NO_ROW) continue;
      AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[next[block_row[b] + row]++], AutoCSRPropagateSlotOf(seg, i / AUTOCSR_PROPAGATE_CHUNK, AutoCSRPropagatePlaceOf(chunk_row[i], chunk_place[i])));
    }
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}
