/*
  The streams of order tiled on the host: two passes over the rows, of which each tile takes its entries in turn. What is
  counted by tile and not by entry is here for both backends.
*/
#include "encode.h"
#include "../backend.h"

/*
  The shape asks for so many items as there would be if tiles had no ends: as many as a device begins at once, or several times that. One more is begun when the others have
  ended (14 million entries, seven of eight in one of five tiles: 1.4 times as long). So items are as much longer as it takes, where that ends sooner
*/
static void BalanceItems(AutoCSRSegment *seg, PetscInt tiles, const PetscInt first_group[])
{
  const PetscInt asked = first_group[tiles] / seg->axes.tile_steps;
  PetscInt64     best  = seg->axes.tile_steps;
  double         least = PETSC_MAX_REAL;

  if (!asked) return;
  for (PetscInt64 steps = best; steps <= PetscMin(2 * least, PETSC_MAX_INT); steps += steps / 64 + 1) {
    PetscInt64 items = 0, longest = 0;
    double     end;

    for (PetscInt c = 0; c < tiles; c++) {
      const PetscInt of_tile = first_group[c + 1] - first_group[c], n = AutoCSRTiledItemsOf(of_tile, (PetscInt)steps);

      items += n;
      if (n) longest = PetscMax(longest, of_tile / n + (of_tile % n != 0));
    }
    end = (double)longest * (double)((items + asked - 1) / asked);
    if (end < least) {
      least = end;
      best  = steps;
    }
  }
  seg->axes.tile_steps = (PetscInt)best;
}

PetscErrorCode AutoCSRTiledAllocateItems(AutoCSRSegment *seg, PetscInt tiles, const PetscInt first_group[])
{
  PetscInt          n_items = 0;
  AutoCSRTiledItem *item;
  PetscErrorCode    ierr;

  PetscFunctionBegin;
  BalanceItems(seg, tiles, first_group);
  for (PetscInt c = 0; c < tiles; c++) n_items += AutoCSRTiledItemsOf(first_group[c + 1] - first_group[c], seg->axes.tile_steps);
  PetscCall(PetscMalloc1(n_items, &item));
  n_items = 0;
  for (PetscInt c = 0; c < tiles; c++) {
    const PetscInt of_tile = first_group[c + 1] - first_group[c], items = AutoCSRTiledItemsOf(of_tile, seg->axes.tile_steps);

    for (PetscInt i = 0; i < items; i++) {
      const PetscInt begin = AutoCSRTiledShare(of_tile, i, items);

      item[n_items++] = (AutoCSRTiledItem){c, first_group[c] + begin, AutoCSRTiledShare(of_tile, i + 1, items) - begin};
    }
  }
  ierr = AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ITEM, n_items);
  if (!ierr) ierr = (*seg->backend->from_host)(seg->stream[AUTOCSR_STREAM_ITEM].data, item, (size_t)n_items * sizeof(*item));
  PetscCall(PetscFree(item));
  PetscCall(ierr); /* out of memory is one that the caller lives with */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTiledAllocateSlots(AutoCSRSegment *seg, PetscInt tiles, const PetscInt entries[], PetscInt first_group[])
{
  PetscInt64 groups = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < tiles; c++) {
    first_group[c] = (PetscInt)groups;
    groups += entries[c] / AUTOCSR_TILED_GROUP + (entries[c] % AUTOCSR_TILED_GROUP != 0);
    PetscCheck(groups <= PETSC_MAX_INT / AUTOCSR_TILED_GROUP, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Column tiles of %" PetscInt_FMT " rows have more slots than a PetscInt counts; take another strategy or 64-bit indices", seg->n_rows);
  }
  first_group[tiles] = (PetscInt)groups;
  PetscCall(AutoCSRTiledAllocateItems(seg, tiles, first_group));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, (PetscInt)groups * AUTOCSR_TILED_GROUP));
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, (PetscInt)groups * AUTOCSR_TILED_GROUP));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_END, (PetscInt)groups * (AUTOCSR_TILED_GROUP / AUTOCSR_TILED_RUN)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PIECE_PTR, (PetscInt)groups + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTiledAllocate(AutoCSRSegment *seg, PetscInt n, const PetscInt entries[], PetscInt first_group[])
{
  const PetscInt tiles = AutoCSRTiledTiles(&seg->axes, n);

  PetscFunctionBegin;
  PetscCheck((PetscInt64)tiles * AutoCSRTiledRowBlocks(seg) < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than a PetscInt counts", tiles, AutoCSRTiledRowBlocks(seg));
  PetscCall(AutoCSRTiledAllocateSlots(seg, tiles, entries, first_group));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_RUN_PTR, tiles * AutoCSRTiledRowBlocks(seg) + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* INDEX and END; next holds each tile's first slot, and then the one after its last */
static void EncodeEntries(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt first_group[], PetscInt next[])
{
  const PetscInt width = seg->axes.tile_width, steps = seg->axes.tile_steps;
  uint16_t      *index = (uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
  uint8_t       *end   = (uint8_t *)seg->stream[AUTOCSR_STREAM_END].data;

  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k), row_end = csr->row_ptr[row + 1];

    for (PetscInt p = csr->row_ptr[row]; p < row_end;) {
      const PetscInt tile = csr->col[p] / width, first = first_group[tile], groups = first_group[tile + 1] - first;

      for (PetscBool ends = PETSC_FALSE; !ends; p++) {
        const PetscInt slot = next[tile]++, group = slot / AUTOCSR_TILED_GROUP;

        ends        = (PetscBool)(p + 1 == row_end || csr->col[p + 1] / width != tile);
        index[slot] = (uint16_t)(csr->col[p] - tile * width);
        if (ends || (slot % AUTOCSR_TILED_GROUP == AUTOCSR_TILED_GROUP - 1 && AutoCSRTiledIsPartEnd(groups, steps, group - first))) end[slot / 8] |= (uint8_t)(1 << slot % 8);
      }
    }
  }
}

PetscInt AutoCSRTiledPiecesOfGroup(const uint8_t end[], PetscInt group)
{
  PetscInt pieces = 0;

  for (PetscInt b = 0; b < AUTOCSR_TILED_GROUP / 8; b++) pieces += __builtin_popcount(end[group * (AUTOCSR_TILED_GROUP / 8) + b]);
  return pieces;
}

/* PIECE_ROW and RUN_PTR: the pieces of each row that next tells by its slots, as EncodeEntries() has gone through them */
static void EncodePieces(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt first_group[], PetscInt next[], PetscInt piece[])
{
  const PetscInt  width = seg->axes.tile_width, rows = seg->axes.tile_height, blocks = AutoCSRTiledRowBlocks(seg), tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  const uint8_t  *end       = (const uint8_t *)seg->stream[AUTOCSR_STREAM_END].data;
  const PetscInt *piece_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data;
  PetscInt       *run_ptr   = (PetscInt *)seg->stream[AUTOCSR_STREAM_RUN_PTR].data;
  uint16_t       *piece_row = (uint16_t *)seg->stream[AUTOCSR_STREAM_PIECE_ROW].data;

  for (PetscInt c = 0; c < tiles; c++) {
    next[c]  = first_group[c] * AUTOCSR_TILED_GROUP;
    piece[c] = piece_ptr[first_group[c]];
  }
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt c = 0; c < tiles && k % rows == 0; c++) run_ptr[c * blocks + k / rows] = piece[c];
    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
      const PetscInt tile = csr->col[p] / width, slot = next[tile]++;

      if (end[slot / 8] >> slot % 8 & 1) piece_row[piece[tile]++] = (uint16_t)(k % rows);
    }
  }
  run_ptr[tiles * blocks] = piece_ptr[first_group[tiles]];
}

/* To each piece its rank among those of its row in its batch: batches are of AUTOCSR_TILED_BATCH pieces, through the runs of so many tiles */
static void EncodeRanks(AutoCSRSegment *seg, PetscInt tiles)
{
  const PetscInt  blocks    = AutoCSRTiledRowBlocks(seg);
  const PetscInt *run_ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_RUN_PTR].data;
  uint16_t       *piece_row = (uint16_t *)seg->stream[AUTOCSR_STREAM_PIECE_ROW].data, batch[AUTOCSR_TILED_BATCH];

  for (PetscInt b = 0; b < blocks; b++) {
    for (PetscInt first = 0; first < tiles; first += AUTOCSR_TILED_BATCH) {
      PetscInt n = 0;

      for (PetscInt c = first; c < PetscMin(tiles, first + AUTOCSR_TILED_BATCH); c++) {
        for (PetscInt i = run_ptr[c * blocks + b]; i < run_ptr[c * blocks + b + 1]; i++) {
          PetscInt rank = 0;

          for (PetscInt j = 0; j < n; j++) rank += batch[j] == piece_row[i];
          batch[n++] = piece_row[i];
          if (n == AUTOCSR_TILED_BATCH) n = 0;
          piece_row[i] = (uint16_t)(piece_row[i] + rank * AUTOCSR_TILED_ROWS);
        }
      }
    }
  }
}

/* With room for what is counted by tile, zeros */
static PetscErrorCode EncodeTiles(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt tiles, PetscInt entries[], PetscInt first_group[], PetscInt next[])
{
  PetscInt *piece_ptr, groups;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) entries[csr->col[p] / seg->axes.tile_width]++;
  }
  PetscCall(AutoCSRTiledAllocate(seg, csr->n, entries, first_group));
  groups = first_group[tiles];
  for (PetscInt c = 0; c < tiles; c++) next[c] = first_group[c] * AUTOCSR_TILED_GROUP;
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_INDEX].data, seg->stream[AUTOCSR_STREAM_INDEX].bytes));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_VALUE].data, seg->stream[AUTOCSR_STREAM_VALUE].bytes));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_END].data, seg->stream[AUTOCSR_STREAM_END].bytes));
  EncodeEntries(seg, csr, first_group, next);
  piece_ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data;
  piece_ptr[0] = 0;
  for (PetscInt g = 0; g < groups; g++) piece_ptr[g + 1] = piece_ptr[g] + AutoCSRTiledPiecesOfGroup((const uint8_t *)seg->stream[AUTOCSR_STREAM_END].data, g);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PIECE_ROW, piece_ptr[groups]));
  EncodePieces(seg, csr, first_group, next, entries);
  EncodeRanks(seg, tiles);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTiledEncode_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  PetscInt      *entries, *first_group, *next;
  PetscErrorCode ierr; /* to be out of memory is one that the caller lives with */

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(tiles, &entries, tiles + 1, &first_group, tiles, &next));
  ierr = EncodeTiles(seg, csr, tiles, entries, first_group, next);
  PetscCall(PetscFree3(entries, first_group, next));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTiledEncodeValues_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt          tiles = AutoCSRTiledTiles(&seg->axes, csr->n), width = seg->axes.tile_width;
  const AutoCSRTiledItem *item = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  PetscInt               *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(tiles, &next));
  for (PetscInt i = AutoCSRTiledItemCount(seg) - 1; i >= 0; i--) next[item[i].tile] = item[i].begin * AUTOCSR_TILED_GROUP;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[p], AutoCSRTiledValueSlot(&seg->axes, next[csr->col[p] / width]++));
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}
