/*
  The invariants of order tiled that decoding does not show: padding is zero and ends no piece, pieces end with their part,
  groups know their first piece, and pieces of one row and batch have ranks of their own.
*/
#include "check.h"

static PetscErrorCode CheckSlots(const AutoCSRSegment *seg, PetscInt i, PetscInt tile, PetscInt begin, PetscInt groups, PetscInt entries)
{
  const uint8_t  *end       = (const uint8_t *)seg->stream[AUTOCSR_STREAM_END].data;
  const PetscInt *piece_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data;
  const int       bytes     = AutoCSRValueIsStored(seg->axes.value) ? AutoCSRTiledCodeBytes(seg->axes.value) : 0;

  PetscFunctionBegin;
  AutoCSRCheckSegment(groups == entries / AUTOCSR_TILED_GROUP + (entries % AUTOCSR_TILED_GROUP != 0), ": %" PetscInt_FMT " groups for %" PetscInt_FMT " entries of tile %" PetscInt_FMT, i, groups, entries, tile);
  for (PetscInt g = 0; g < groups; g++) {
    PetscInt pieces = 0;

    for (PetscInt s = 0; s < AUTOCSR_TILED_GROUP; s++) {
      const PetscInt  slot = (begin + g) * AUTOCSR_TILED_GROUP + s, entry = g * AUTOCSR_TILED_GROUP + s;
      const PetscBool ends = (PetscBool)(end[slot / 8] >> slot % 8 & 1);
      const char     *code = (const char *)seg->stream[AUTOCSR_STREAM_VALUE].data + (size_t)bytes * AutoCSRTiledValueSlot(&seg->axes, slot);

      pieces += ends;
      if (entry + 1 == entries || (entry < entries && s == AUTOCSR_TILED_GROUP - 1 && AutoCSRTiledIsPartEnd(groups, seg->axes.tile_steps, g))) AutoCSRCheckSegment(ends, ": no piece ends with a part in slot %" PetscInt_FMT, i, slot);
      if (entry < entries) continue;
      AutoCSRCheckSegment(!ends && !((const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[slot], ": slot %" PetscInt_FMT " is padding but not zero", i, slot);
      for (int b = 0; b < bytes; b++) AutoCSRCheckSegment(!code[b], ": slot %" PetscInt_FMT " is padding but its value is not zero", i, slot);
    }
    AutoCSRCheckSegment(piece_ptr[begin + g + 1] - piece_ptr[begin + g] == pieces, ": group %" PetscInt_FMT " does not count its pieces", i, begin + g);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTiledCheckTiles(const AutoCSRSegment *seg, PetscInt i, PetscInt tiles, const PetscInt entries[])
{
  const PetscInt          items = AutoCSRTiledItemCount(seg);
  const AutoCSRTiledItem *item  = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  PetscInt                next = 0, t = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < tiles; c++) {
    const PetscInt begin = next;

    for (; t < items && item[t].tile == c; t++) {
      AutoCSRCheckSegment(item[t].begin == next && item[t].groups > 0, ": item %" PetscInt_FMT " has %" PetscInt_FMT " groups from %" PetscInt_FMT " on", i, t, item[t].groups, item[t].begin);
      next += item[t].groups;
    }
    PetscCall(CheckSlots(seg, i, c, begin, next - begin, entries[c]));
  }
  AutoCSRCheckSegment(t == items, ": item %" PetscInt_FMT " is of tile %" PetscInt_FMT " of %" PetscInt_FMT, i, t, item[t].tile, tiles);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRanks(const AutoCSRSegment *seg, PetscInt tiles, PetscInt i)
{
  const PetscInt  blocks    = AutoCSRTiledRowBlocks(seg);
  const PetscInt *run_ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_RUN_PTR].data;
  const uint16_t *piece_row = (const uint16_t *)seg->stream[AUTOCSR_STREAM_PIECE_ROW].data;
  uint16_t        batch[AUTOCSR_TILED_BATCH];

  PetscFunctionBegin;
  for (PetscInt b = 0; b < blocks; b++) {
    PetscInt n = 0;

    for (PetscInt c = 0; c < tiles; c++) {
      if (c % AUTOCSR_TILED_BATCH == 0) n = 0;
      AutoCSRCheckSegment(run_ptr[c * blocks + b] <= run_ptr[c * blocks + b + 1], ": run of tile %" PetscInt_FMT " in row block %" PetscInt_FMT, i, c, b);
      for (PetscInt p = run_ptr[c * blocks + b]; p < run_ptr[c * blocks + b + 1]; p++) {
        PetscInt rank = 0;

        for (PetscInt j = 0; j < n; j++) rank += AutoCSRTiledRowOf(batch[j]) == AutoCSRTiledRowOf(piece_row[p]);
        AutoCSRCheckSegment(piece_row[p] / AUTOCSR_TILED_ROWS == rank, ": piece %" PetscInt_FMT " has rank %d, not %" PetscInt_FMT, i, p, piece_row[p] / AUTOCSR_TILED_ROWS, rank);
        batch[n++] = piece_row[p];
        if (n == AUTOCSR_TILED_BATCH) n = 0;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTiledCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  PetscInt      *entries;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(tiles, &entries));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) entries[csr->col[p] / seg->axes.tile_width]++;
  }
  PetscCall(AutoCSRTiledCheckTiles(seg, i, tiles, entries));
  PetscCall(CheckRanks(seg, tiles, i));
  PetscCall(PetscFree(entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}
