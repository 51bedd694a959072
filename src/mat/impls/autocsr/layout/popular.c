/*
  Layout popular on the host: columns are listed by their class, and then two passes go over the rows as in layout tiled.
  Entries of one tile need not be neighbours in their row.
*/
#include "popular.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_POPULAR);
}

static PetscErrorCode CheckAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->mapping == AUTOCSR_MAP_GROUP && a->partition == AUTOCSR_PARTITION_COLUMNS && a->index == AUTOCSR_INDEX_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order popular goes with partition columns, index 16 and mapping group");
  PetscCheck(a->tile_width >= 1 && a->tile_width <= 65536 && a->tile_height >= 1 && a->tile_height <= AUTOCSR_PROPAGATE_ROWS && a->tile_steps >= 1 && a->row_limit >= 1 && (a->lanes == 1 || a->lanes == AUTOCSR_TILED_GROUP / AUTOCSR_TILED_LANE_SLOTS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " columns, blocks of %" PetscInt_FMT " rows or %" PetscInt_FMT " entries, items of %" PetscInt_FMT " groups, %" PetscInt_FMT " lanes", a->tile_width, a->tile_height, a->row_limit, a->tile_steps, a->lanes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes COLUMN; place[] gets the place of each column there */
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

/* Writes INDEX and END; next[] has each tile's first slot, and then the one after its last */
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
      if (slot % AUTOCSR_TILED_GROUP == AUTOCSR_TILED_GROUP - 1 && AutoCSRTiledEndsItemShare(first_group[tile + 1] - first, steps, group - first)) end[slot / 8] |= (uint8_t)(1 << slot % 8);
    }
    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
      const PetscInt last = next[place[csr->col[p]] / width] - 1;

      end[last / 8] |= (uint8_t)(1 << last % 8);
    }
  }
}

/* Finds the row of each piece in its row block, and counts the pieces of each tile in each row block; next[], piece[]: work, one for each tile */
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

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
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

static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
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

/* The column in a slot */
static PetscInt ColumnOf(const AutoCSRSegment *seg, PetscInt slot)
{
  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_COLUMN].data)[AutoCSRTiledColumn(seg, AutoCSRTiledTileOf(seg, slot), slot)];
}

/* The first slot of piece i, and the slot after its last */
static PetscInt FindPiece(const AutoCSRSegment *seg, PetscInt i, PetscInt *end)
{
  const PetscInt before = i ? AutoCSRTiledPieceEnd(seg, i - 1) : 0;
  PetscInt       begin;

  *end  = AutoCSRTiledPieceEnd(seg, i);
  begin = AutoCSRTiledFirstGroup(seg, AutoCSRTiledTileOf(seg, *end - 1)) * AUTOCSR_TILED_GROUP;
  return begin > before ? begin : before;
}

/* The slot of a column among the slots of the k-th row, in whose pieces columns ascend; -1 if no slot has it */
static PetscInt FindSlot(const AutoCSRSegment *seg, PetscInt k, PetscInt column)
{
  PetscInt piece;

  for (PetscInt t = 0; (piece = AutoCSRPropagateSlot(seg, k, t)) >= 0; t++) {
    PetscInt end, begin = FindPiece(seg, piece, &end);

    while (end - begin > 1) {
      const PetscInt mid = begin + (end - begin) / 2;

      if (ColumnOf(seg, mid) <= column)
        begin = mid;
      else
        end = mid;
    }
    if (ColumnOf(seg, begin) == column) return begin;
  }
  return -1;
}

/* The pieces of a row do not follow its columns, so entry t is found by its column */
static PetscInt SlotOf(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  return FindSlot(seg, k, csr->col[csr->row_ptr[AutoCSRSegmentRow(seg, k)] + t]);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt q = SlotOf(seg, csr, k, t);

  return q < 0 ? -1 : ColumnOf(seg, q);
}

static PetscInt Slot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt q = SlotOf(seg, csr, k, t);

  return q < 0 ? -1 : AutoCSRTiledValueSlot(&seg->axes, q);
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRTiledCount(seg, i, count));
  PetscCall(AutoCSRPropagateCountChunks(seg, i, count));
  count[AUTOCSR_STREAM_COLUMN] = AutoCSRPopularColumns(seg);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The invariants that decoding does not show: columns are listed once and by class, padding is zero and ends no piece, groups
  know their first piece, and each piece has its place in a chunk and is named once
*/
static PetscErrorCode CheckColumns(const AutoCSRSegment *seg, PetscInt n, PetscInt i, const PetscInt entries[])
{
  const PetscInt *column = (const PetscInt *)seg->stream[AUTOCSR_STREAM_COLUMN].data;
  PetscInt        used   = 0;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) used += entries[j] > 0;
  AutoCSRCheckSegment(used == AutoCSRPopularColumns(seg), ": %" PetscInt_FMT " columns are listed, %" PetscInt_FMT " have entries", i, AutoCSRPopularColumns(seg), used);
  for (PetscInt c = 0; c < used; c++) {
    AutoCSRCheckSegment(column[c] >= 0 && column[c] < n && entries[column[c]], ": column %" PetscInt_FMT " is listed", i, column[c]);
    if (!c) continue;
    const uint8_t last = AutoCSRPopularClass(entries[column[c - 1]]), now = AutoCSRPopularClass(entries[column[c]]);
    AutoCSRCheckSegment(last < now || (last == now && column[c - 1] < column[c]), ": column %" PetscInt_FMT " is listed after column %" PetscInt_FMT, i, column[c], column[c - 1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt  tiles = AutoCSRPopularTiles(seg), groups = AutoCSRTiledGroups(seg);
  const PetscInt *column = (const PetscInt *)seg->stream[AUTOCSR_STREAM_COLUMN].data, pieces = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data)[groups];
  PetscInt       *entries, *of_tile, named_pieces;
  char           *named;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(csr->n, &entries, tiles, &of_tile, pieces, &named));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) entries[csr->col[p]]++;
  }
  PetscCall(CheckColumns(seg, csr->n, i, entries));
  for (PetscInt c = 0; c < AutoCSRPopularColumns(seg); c++) of_tile[c / seg->axes.tile_width] += entries[column[c]];
  PetscCall(AutoCSRTiledCheckTiles(seg, i, tiles, of_tile));
  PetscCall(AutoCSRPropagateCheckChunks(seg, csr, i, pieces, named, &named_pieces));
  AutoCSRCheckSegment(named_pieces == pieces, " of %" PetscInt_FMT " pieces has codes for %" PetscInt_FMT, i, pieces, named_pieces);
  PetscCall(PetscFree3(entries, of_tile, named));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_popular = {.name = "popular", .has = Has, .check_axes = CheckAxes, .encode = Encode, .refresh = Refresh, .column = Column, .slot = Slot, .scratch = AutoCSRPopularScratchBytes, .keeps_scratch = PETSC_TRUE, .count = Count, .check = Check};
