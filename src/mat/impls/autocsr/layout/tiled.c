/*
  Layout tiled on the host: in two passes over the rows each tile takes its entries in turn. Both backends call the functions
  here that work on tiles.
*/
#include "tiled.h"
#include "check.h"
#include "../backend.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_TILED);
}

static PetscErrorCode CheckAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->mapping == AUTOCSR_MAP_GROUP && a->partition == AUTOCSR_PARTITION_COLUMNS && a->index == AUTOCSR_INDEX_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Partition columns, order tiled, index 16 and mapping group go together");
  PetscCheck(a->tile_width >= 1 && a->tile_width <= 65536 && a->tile_height >= 1 && a->tile_height <= AUTOCSR_TILED_ROWS && a->tile_steps >= 1 && (a->lanes == 1 || a->lanes == AUTOCSR_TILED_GROUP / AUTOCSR_TILED_LANE_SLOTS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " columns, blocks of %" PetscInt_FMT " rows, items of %" PetscInt_FMT " groups, %" PetscInt_FMT " lanes", a->tile_width, a->tile_height, a->tile_steps, a->lanes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  tile_steps asks for as many items as a device begins at once, or a multiple of that, if no tile ended. Each end may add an
  item, which begins when others have ended. Items become longer here if the last of them ends sooner then
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
  PetscCall(ierr); /* the caller goes on without this plan if memory runs out */
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
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_END, (PetscInt)groups * (AUTOCSR_TILED_GROUP / AUTOCSR_TILED_LANE_SLOTS)));
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

/* Writes INDEX and END; next[] has each tile's first slot, and then the one after its last */
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
        if (ends || (slot % AUTOCSR_TILED_GROUP == AUTOCSR_TILED_GROUP - 1 && AutoCSRTiledEndsItemShare(groups, steps, group - first))) end[slot / 8] |= (uint8_t)(1 << slot % 8);
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

/* Writes PIECE_ROW and RUN_PTR, by the slots through which EncodeEntries() went; next[], piece[]: work, one for each tile */
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

/* Adds to PIECE_ROW the rank of each piece among those of its row in its batch. A batch has AUTOCSR_TILED_BATCH pieces at most, of as many tiles */
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

/* entries[], first_group[], next[]: work, zeros, one for each tile */
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

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const PetscInt tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  PetscInt      *entries, *first_group, *next;
  PetscErrorCode ierr; /* the caller goes on without this plan if memory runs out */

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(tiles, &entries, tiles + 1, &first_group, tiles, &next));
  ierr = EncodeTiles(seg, csr, tiles, entries, first_group, next);
  PetscCall(PetscFree3(entries, first_group, next));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
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

/* The slot in INDEX of entry t of the k-th row, found through its pieces, tile by tile */
static PetscInt FindSlot(const AutoCSRSegment *seg, PetscInt n, PetscInt k, PetscInt t)
{
  const PetscInt *run_ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_RUN_PTR].data;
  const uint16_t *piece_row = (const uint16_t *)seg->stream[AUTOCSR_STREAM_PIECE_ROW].data;
  const PetscInt  blocks = AutoCSRTiledRowBlocks(seg), tiles = AutoCSRTiledTiles(&seg->axes, n), row = k % seg->axes.tile_height;

  for (PetscInt tile = 0; tile < tiles; tile++) {
    const PetscInt run = tile * blocks + k / seg->axes.tile_height, end = run_ptr[run + 1];
    PetscInt       lo = run_ptr[run], hi = end;

    while (lo < hi) {
      const PetscInt mid = lo + (hi - lo) / 2;

      if (AutoCSRTiledRowOf(piece_row[mid]) < row)
        lo = mid + 1;
      else
        hi = mid;
    }
    for (; lo < end && AutoCSRTiledRowOf(piece_row[lo]) == row; lo++) {
      const PetscInt begin  = lo == run_ptr[tile * blocks] ? AutoCSRTiledFirstGroup(seg, tile) * AUTOCSR_TILED_GROUP : AutoCSRTiledPieceEnd(seg, lo - 1);
      const PetscInt length = AutoCSRTiledPieceEnd(seg, lo) - begin;

      if (t < length) return begin + t;
      t -= length;
    }
  }
  return -1; /* the streams lack the entry */
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt q = FindSlot(seg, csr->n, k, t);

  return q < 0 ? -1 : AutoCSRTiledColumn(seg, AutoCSRTiledTileOf(seg, q), q);
}

static PetscInt Slot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt q = FindSlot(seg, csr->n, k, t);

  return q < 0 ? -1 : AutoCSRTiledValueSlot(&seg->axes, q);
}

/* The sums of pieces */
/* One lane, a processor's, finds x in its caches instead */
static PetscBool CopiesTiles(const AutoCSRAxes *a)
{
  return (PetscBool)(a->lanes > 1);
}

static size_t ScratchBytes(const AutoCSRSegment *seg)
{
  return seg->stream[AUTOCSR_STREAM_PIECE_ROW].bytes / sizeof(uint16_t) * sizeof(PetscScalar);
}

PetscErrorCode AutoCSRTiledCountCodes(const AutoCSRSegment *seg, PetscInt i, PetscInt slots, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCountCodes(seg, i, slots, count));
  count[AUTOCSR_STREAM_ITEM] = AutoCSRTiledItemCount(seg);
  if (seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data) count[AUTOCSR_STREAM_VALUE_PLACE] = slots; /* after the first refresh on a device */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTiledCount(const AutoCSRSegment *seg, PetscInt i, PetscInt64 count[])
{
  const AutoCSRStream *piece_ptr = &seg->stream[AUTOCSR_STREAM_PIECE_PTR];
  const PetscInt       groups    = AutoCSRTiledGroups(seg);

  PetscFunctionBegin;
  AutoCSRCheckSegment(piece_ptr->bytes == sizeof(PetscInt) * (size_t)(groups + 1), " of %" PetscInt_FMT " groups has %zu bytes in stream piece_ptr", i, groups, piece_ptr->bytes);
  PetscCall(AutoCSRTiledCountCodes(seg, i, groups * AUTOCSR_TILED_GROUP, count));
  count[AUTOCSR_STREAM_END]       = groups * (AUTOCSR_TILED_GROUP / 8);
  count[AUTOCSR_STREAM_PIECE_PTR] = groups + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRTiledCount(seg, i, count));
  count[AUTOCSR_STREAM_PIECE_ROW] = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data)[AutoCSRTiledGroups(seg)];
  count[AUTOCSR_STREAM_RUN_PTR]   = AutoCSRTiledTiles(&seg->axes, csr->n) * AutoCSRTiledRowBlocks(seg) + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The invariants that decoding does not show: padding is zero and ends no piece, pieces end with their share, groups know their
  first piece, and pieces of one row and batch have ranks of their own
*/
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
      if (entry + 1 == entries || (entry < entries && s == AUTOCSR_TILED_GROUP - 1 && AutoCSRTiledEndsItemShare(groups, seg->axes.tile_steps, g))) AutoCSRCheckSegment(ends, ": no piece ends with a part in slot %" PetscInt_FMT, i, slot);
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

static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
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

const AutoCSRLayout AutoCSRLayout_tiled = {.name = "tiled", .has = Has, .check_axes = CheckAxes, .encode = Encode, .refresh = Refresh, .column = Column, .slot = Slot, .copies_tiles = CopiesTiles, .scratch = ScratchBytes, .count = Count, .check = Check};
