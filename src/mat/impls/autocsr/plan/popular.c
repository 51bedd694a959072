/*
  The streams of order popular on the host: columns are listed by their class, and then the rows are gone through as for order
  tiled, but that entries of one tile are not neighbours in their row.
*/
#include "encode.h"

/* COLUMN; place: of each column in it */
static PetscErrorCode EncodeColumns(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt place[])
{
  PetscInt *entries, begin[AUTOCSR_POPULAR_CLASSES + 1] = {0};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(csr->n, &entries));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) entries[csr->col[p]]++;
  }
  for (PetscInt j = 0; j < csr->n; j++) begin[AutoCSRPopularClass(entries[j]) + 1]++;
  for (int c = 0; c < AUTOCSR_POPULAR_CLASSES; c++) begin[c + 1] += begin[c];
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_COLUMN, begin[AUTOCSR_POPULAR_NONE]));
  for (PetscInt j = 0; j < csr->n; j++) {
    if (!entries[j]) continue;
    place[j]                                                        = begin[AutoCSRPopularClass(entries[j])]++;
    ((PetscInt *)seg->stream[AUTOCSR_STREAM_COLUMN].data)[place[j]] = j;
  }
  PetscCall(PetscFree(entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* INDEX and END; next: each tile's first slot, then the one after its last */
static void EncodeEntries(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt place[], const PetscInt first_group[], PetscInt next[])
{
  const PetscInt width = seg->axes.tile_width, steps = seg->axes.tile_steps;
  uint16_t      *index = (uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
  uint8_t       *end   = (uint8_t *)seg->stream[AUTOCSR_STREAM_END].data;

  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
      const PetscInt tile = place[csr->col[p]] / width, slot = next[tile]++, group = slot / AUTOCSR_TILED_GROUP, first = first_group[tile];

      index[slot] = (uint16_t)(place[csr->col[p]] - tile * width);
      if (slot % AUTOCSR_TILED_GROUP == AUTOCSR_TILED_GROUP - 1 && AutoCSRTiledIsPartEnd(first_group[tile + 1] - first, steps, group - first)) end[slot / 8] |= (uint8_t)(1 << slot % 8);
    }
    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
      const PetscInt last = next[place[csr->col[p]] / width] - 1;

      end[last / 8] |= (uint8_t)(1 << last % 8);
    }
  }
}

/* The row of each piece in its row block, and how many pieces each tile has in each row block; next, piece: work for each tile */
static void FindPieces(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt place[], const PetscInt first_group[], PetscInt next[], PetscInt piece[], uint16_t row_of[], PetscInt pieces[])
{
  const PetscInt tiles = AutoCSRPopularTiles(seg), *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *piece_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data;
  const uint8_t *end = (const uint8_t *)seg->stream[AUTOCSR_STREAM_END].data;

  for (PetscInt c = 0; c < tiles; c++) {
    next[c]  = first_group[c] * AUTOCSR_TILED_GROUP;
    piece[c] = piece_ptr[first_group[c]];
  }
  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    for (PetscInt k = block_row[b]; k < block_row[b + 1]; k++) {
      const PetscInt row = AutoCSRSegmentRow(seg, k);

      for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
        const PetscInt tile = place[csr->col[p]] / seg->axes.tile_width, slot = next[tile]++;

        if (!(end[slot / 8] >> slot % 8 & 1)) continue;
        row_of[piece[tile]++] = (uint16_t)(k - block_row[b]);
        pieces[b * tiles + tile]++;
      }
    }
  }
}

PetscErrorCode AutoCSRPopularEncode_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscInt *place, *entries, *first_group, *next, *piece_ptr, *pieces, *unit, tiles, blocks, groups;
  uint16_t *row_of;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(csr->n, &place));
  PetscCall(EncodeColumns(seg, csr, place));
  PetscCall(AutoCSRPropagateEncodeRowBlocks(seg, csr));
  tiles  = AutoCSRPopularTiles(seg);
  blocks = AutoCSRPropagateRowBlocks(seg);
  PetscCheck((PetscInt64)tiles * blocks < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than a PetscInt counts", tiles, blocks);
  PetscCall(PetscCalloc5(tiles, &entries, tiles + 1, &first_group, tiles, &next, tiles * blocks, &pieces, tiles * blocks, &unit));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) entries[place[csr->col[p]] / seg->axes.tile_width]++;
  }
  PetscCall(AutoCSRTiledAllocateSlots(seg, tiles, entries, first_group));
  groups = first_group[tiles];
  for (PetscInt c = 0; c < tiles; c++) next[c] = first_group[c] * AUTOCSR_TILED_GROUP;
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_INDEX].data, seg->stream[AUTOCSR_STREAM_INDEX].bytes));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_VALUE].data, seg->stream[AUTOCSR_STREAM_VALUE].bytes));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_END].data, seg->stream[AUTOCSR_STREAM_END].bytes));
  EncodeEntries(seg, csr, place, first_group, next);
  piece_ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data;
  piece_ptr[0] = 0;
  for (PetscInt g = 0; g < groups; g++) piece_ptr[g + 1] = piece_ptr[g] + AutoCSRTiledPiecesOfGroup((const uint8_t *)seg->stream[AUTOCSR_STREAM_END].data, g);
  PetscCall(PetscMalloc1(piece_ptr[groups], &row_of));
  FindPieces(seg, csr, place, first_group, next, entries, row_of, pieces);
  for (PetscInt c = 0, n = 0; c < tiles; c++) { /* pieces are numbered tile by tile */
    for (PetscInt b = 0; b < blocks; b++) {
      unit[b * tiles + c] = n;
      n += pieces[b * tiles + c];
    }
  }
  PetscCall(AutoCSRPropagateEncodeChunks(seg, tiles, blocks, pieces, unit));
  PetscCall(AutoCSRPropagateEncodeCodes(seg, row_of));
  PetscCall(PetscFree(row_of));
  PetscCall(PetscFree5(entries, first_group, next, pieces, unit));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPopularEncodeValues_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt         *column = (const PetscInt *)seg->stream[AUTOCSR_STREAM_COLUMN].data;
  const AutoCSRTiledItem *item   = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  PetscInt               *place, *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(csr->n, &place, AutoCSRPopularTiles(seg), &next));
  for (PetscInt i = 0; i < AutoCSRPopularColumns(seg); i++) place[column[i]] = i;
  for (PetscInt i = AutoCSRTiledItemCount(seg) - 1; i >= 0; i--) next[item[i].tile] = item[i].begin * AUTOCSR_TILED_GROUP;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[p], AutoCSRTiledValueSlot(&seg->axes, next[place[csr->col[p]] / seg->axes.tile_width]++));
  }
  PetscCall(PetscFree2(place, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}
