/*
  Layout propagated on the host: one pass over the rows counts the runs, another writes them. Both backends call the
  functions here that work on tiles and chunks.
*/
#include "propagate.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_PROPAGATED);
}

static PetscErrorCode CheckAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->mapping == AUTOCSR_MAP_GROUP && a->partition == AUTOCSR_PARTITION_COLUMNS && a->index == AUTOCSR_INDEX_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order propagated goes with partition columns, index 16 and mapping group");
  PetscCheck(a->tile_width >= 1 && a->tile_width <= 65536 && a->tile_height >= 1 && a->tile_height <= AUTOCSR_PROPAGATE_ROWS && a->tile_steps >= 1 && a->row_limit >= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " columns, blocks of %" PetscInt_FMT " rows or %" PetscInt_FMT " entries, items of %" PetscInt_FMT " units", a->tile_width, a->tile_height, a->row_limit, a->tile_steps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

/* Counts the entries of each run, row block after row block and in it tile after tile */
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

/* Finds the first unit of each run and of each tile */
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

/* Returns the length of the codes of a chunk whose n places have these rows, and writes them unless code is NULL; count[], next[]: work for each row of the row block, zero at first and at the end */
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

/* Writes INDEX, and finds the row of each slot in its row block; next[]: work, one for each tile */
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

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
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

/* The codes of a row, chunk after chunk, name its entries in their order */
static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
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

static PetscInt Slot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  return AutoCSRPropagateSlot(seg, k, t);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  return AutoCSRPropagateColumn(seg, AutoCSRPropagateSlot(seg, k, t));
}

PetscErrorCode AutoCSRPropagateCountChunks(const AutoCSRSegment *seg, PetscInt i, PetscInt64 count[])
{
  const PetscInt *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const PetscInt  blocks = AutoCSRPropagateRowBlocks(seg), chunks = AutoCSRPropagateChunks(seg);

  PetscFunctionBegin;
  AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_CHUNK_PTR].bytes == sizeof(PetscInt) * (size_t)(blocks + 1) && chunk_ptr[blocks] == chunks, " of %" PetscInt_FMT " row blocks has %" PetscInt_FMT " chunks", i, blocks, chunks);
  count[AUTOCSR_STREAM_BLOCK_ROW] = blocks + 1;
  count[AUTOCSR_STREAM_CHUNK_PTR] = blocks + 1;
  count[AUTOCSR_STREAM_PART_PTR]  = chunks + 1;
  count[AUTOCSR_STREAM_PART]      = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data)[chunks];
  count[AUTOCSR_STREAM_CODE_PTR]  = chunks + 1;
  count[AUTOCSR_STREAM_CODE]      = (PetscInt64)((const PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data)[chunks] * AUTOCSR_PROPAGATE_ALIGN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPropagateCountChunks(seg, i, count));
  PetscCall(AutoCSRTiledCountCodes(seg, i, AutoCSRTiledGroups(seg) * AUTOCSR_PROPAGATE_UNIT, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The invariants that decoding does not show: row blocks begin where AutoCSRPropagateBegins() says, all chunks of a row
  block except its last are full, parts take each unit once, codes name each row and place once, in their order, and places
  without a code are zero
*/
static PetscErrorCode CheckRowBlocks(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const PetscInt  blocks = AutoCSRPropagateRowBlocks(seg);
  PetscInt        b = 0, last = 0, before = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscBool begins = (PetscBool)(b <= blocks && block_row[b] == k);

    AutoCSRCheckSegment(begins == (PetscBool)AutoCSRPropagateBegins(&seg->axes, k, last, before), ": %s row block begins with its row %" PetscInt_FMT, i, begins ? "a" : "no", k);
    b += begins;
    last = before;
    before += AutoCSRSegmentRowLength(seg, csr, k);
  }
  AutoCSRCheckSegment(b == blocks && block_row[b] == seg->n_rows, ": %" PetscInt_FMT " of %" PetscInt_FMT " row blocks begin", i, b, blocks);
  for (b = 0; b <= blocks; b++) AutoCSRCheckSegment(b ? chunk_ptr[b] >= chunk_ptr[b - 1] : !chunk_ptr[b], ": row block %" PetscInt_FMT " begins with chunk %" PetscInt_FMT, i, b, chunk_ptr[b]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckItems(const AutoCSRSegment *seg, PetscInt i)
{
  const AutoCSRTiledItem *item = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  PetscInt                next = 0;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < AutoCSRTiledItemCount(seg); t++) {
    AutoCSRCheckSegment(item[t].begin == next && item[t].groups > 0 && (!t || item[t].tile >= item[t - 1].tile), ": item %" PetscInt_FMT " has %" PetscInt_FMT " units from %" PetscInt_FMT " on", i, t, item[t].groups, item[t].begin);
    next += item[t].groups;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of a row block's chunks; seen: units that others have taken */
static PetscErrorCode CheckParts(const AutoCSRSegment *seg, PetscInt i, PetscInt chunk, PetscInt end, PetscInt all, char seen[])
{
  const PetscInt             *part_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data;
  const AutoCSRPropagatePart *part     = (const AutoCSRPropagatePart *)seg->stream[AUTOCSR_STREAM_PART].data;

  PetscFunctionBegin;
  for (; chunk < end; chunk++) {
    PetscInt place = 0;

    AutoCSRCheckSegment(part_ptr[chunk] >= 0 && part_ptr[chunk] < part_ptr[chunk + 1], ": chunk %" PetscInt_FMT " has no parts", i, chunk);
    for (PetscInt p = part_ptr[chunk]; p < part_ptr[chunk + 1]; p++) {
      const PetscInt units = AutoCSRPropagatePartUnits(&part[p]);

      AutoCSRCheckSegment(units > 0 && AutoCSRPropagatePartPlace(&part[p]) == place && part[p].source >= 0 && part[p].source <= all - units, ": part %" PetscInt_FMT " of chunk %" PetscInt_FMT " has %" PetscInt_FMT " units from %" PetscInt_FMT " on at place %" PetscInt_FMT ", not %" PetscInt_FMT, i, p, chunk, units, part[p].source, AutoCSRPropagatePartPlace(&part[p]), place);
      for (PetscInt u = part[p].source; u < part[p].source + units; u++) {
        AutoCSRCheckSegment(!seen[u], ": unit %" PetscInt_FMT " is taken twice", i, u);
        seen[u] = 1;
      }
      place += units;
    }
    AutoCSRCheckSegment(place == AutoCSRPropagateChunkUnits(seg) || (chunk == end - 1 && place < AutoCSRPropagateChunkUnits(seg)), ": chunk %" PetscInt_FMT " has %" PetscInt_FMT " units", i, chunk, place);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Codes of a chunk, in a row block of so many rows; named: slots that others have named */
static PetscErrorCode CheckCodes(const AutoCSRSegment *seg, PetscInt i, PetscInt chunk, PetscInt rows, char named[], PetscInt *n)
{
  const PetscInt       *code_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data;
  const uint16_t       *code     = (const uint16_t *)seg->stream[AUTOCSR_STREAM_CODE].data + (size_t)code_ptr[chunk] * AUTOCSR_PROPAGATE_ALIGN;
  const PetscInt        all      = (code_ptr[chunk + 1] - code_ptr[chunk]) * AUTOCSR_PROPAGATE_ALIGN;
  const int             places = AutoCSRPropagatePlaces(seg, chunk), n_short = code[1], n_long = code[AUTOCSR_PROPAGATE_MOST + 1];
  AutoCSRPropagateCodes c;
  PetscInt              named_here;
  char                  seen[AUTOCSR_PROPAGATE_ROWS] = {0};

  PetscFunctionBegin;
  AutoCSRCheckSegment(all >= AutoCSRPropagateCodeUnits(0, n_long + n_short, n_long) * AUTOCSR_PROPAGATE_ALIGN, ": %" PetscInt_FMT " codes of chunk %" PetscInt_FMT " are not of %d long and %d short rows", i, all, chunk, n_long, n_short);
  c = AutoCSRPropagateReadCodes(code);
  AutoCSRCheckSegment(code[0] == 0 && n_long <= AUTOCSR_PROPAGATE_CHUNK / AUTOCSR_PROPAGATE_MOST && n_short <= AUTOCSR_PROPAGATE_CHUNK && c.begin[0] == 0, ": chunk %" PetscInt_FMT " has %d long and %d short rows", i, chunk, c.n_long, c.n_short);
  for (int j = 1; j <= AUTOCSR_PROPAGATE_MOST; j++) AutoCSRCheckSegment(code[j] >= code[j - 1] && (j == 1 || code[j] - code[j - 1] <= code[j - 1] - code[j - 2]), ": entries %d of chunk %" PetscInt_FMT " begin with %d", i, j, chunk, code[j]);
  for (int r = 0; r < c.n_long; r++) AutoCSRCheckSegment(c.begin[r + 1] > c.begin[r] + AUTOCSR_PROPAGATE_MOST, ": long row %d of chunk %" PetscInt_FMT " has %d entries", i, r, chunk, c.begin[r + 1] - c.begin[r]);
  named_here = c.begin[c.n_long] + code[AUTOCSR_PROPAGATE_MOST];
  AutoCSRCheckSegment(named_here <= places && all == AutoCSRPropagateCodeUnits((int)named_here, c.n_long + c.n_short, c.n_long) * AUTOCSR_PROPAGATE_ALIGN, ": chunk %" PetscInt_FMT " has %" PetscInt_FMT " codes for %" PetscInt_FMT " of %d places", i, chunk, all, named_here, places);
  for (PetscInt a = AUTOCSR_PROPAGATE_MOST + 2; a < AUTOCSR_PROPAGATE_HEAD; a++) AutoCSRCheckSegment(!code[a], ": code %" PetscInt_FMT " of chunk %" PetscInt_FMT " is not zero", i, a, chunk);
  for (PetscInt a = c.place - code + code[AUTOCSR_PROPAGATE_MOST]; a < all; a++) AutoCSRCheckSegment(!code[a], ": code %" PetscInt_FMT " of chunk %" PetscInt_FMT " is not zero", i, a, chunk);
  for (int r = 0; r < c.n_long + c.n_short; r++) {
    const int entries = AutoCSRPropagateRowEntries(&c, r), before = r ? AutoCSRPropagateRowEntries(&c, r - 1) : 0;
    int       last = -1;

    AutoCSRCheckSegment(c.row[r] < rows && !seen[c.row[r]] && (r <= c.n_long || before >= entries), ": row %d of chunk %" PetscInt_FMT " is %d, of %d entries after %d", i, r, chunk, c.row[r], entries, before);
    seen[c.row[r]] = 1;
    for (int j = 0; j < entries; j++) {
      const int place = AutoCSRPropagateRowPlace(&c, r, j);
      PetscInt  slot;

      AutoCSRCheckSegment(place > last && place < places, ": row %d of chunk %" PetscInt_FMT " has place %d after %d of %d", i, c.row[r], chunk, place, last, places);
      last = place;
      slot = AutoCSRPropagateSlotOf(seg, chunk, place);
      AutoCSRCheckSegment(!named[slot], ": slot %" PetscInt_FMT " is named twice", i, slot);
      named[slot] = 1;
      (*n)++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPropagateCheckChunks(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt units, char named[], PetscInt *n)
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const PetscInt *code_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data, chunks = AutoCSRPropagateChunks(seg);
  char           *seen;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(CheckRowBlocks(seg, csr, i));
  PetscCall(CheckItems(seg, i));
  PetscCall(PetscCalloc1(units, &seen));
  for (PetscInt chunk = 0; chunk <= chunks; chunk++) AutoCSRCheckSegment(chunk ? code_ptr[chunk] >= code_ptr[chunk - 1] + AutoCSRPropagateCodeUnits(0, 0, 0) : !code_ptr[0], ": the codes of chunk %" PetscInt_FMT " begin at %" PetscInt_FMT, i, chunk, code_ptr[chunk]);
  AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_CODE].bytes == sizeof(uint16_t) * AUTOCSR_PROPAGATE_ALIGN * (size_t)code_ptr[chunks], " has %zu bytes of codes", i, seg->stream[AUTOCSR_STREAM_CODE].bytes);
  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    PetscCall(CheckParts(seg, i, chunk_ptr[b], chunk_ptr[b + 1], units, seen));
    for (PetscInt chunk = chunk_ptr[b]; chunk < chunk_ptr[b + 1]; chunk++) PetscCall(CheckCodes(seg, i, chunk, block_row[b + 1] - block_row[b], named, n));
  }
  for (PetscInt u = 0; u < units; u++) AutoCSRCheckSegment(seen[u], ": unit %" PetscInt_FMT " is in no chunk", i, u);
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt units = AutoCSRTiledGroups(seg);
  const size_t   size  = AutoCSRValueIsStored(seg->axes.value) ? AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE) : 0;
  PetscInt       nnz;
  char          *named;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(units * AUTOCSR_PROPAGATE_UNIT, &named));
  PetscCall(AutoCSRPropagateCheckChunks(seg, csr, i, units, named, &nnz));
  AutoCSRCheckSegment(nnz == seg->nnz, " of %" PetscInt_FMT " nonzeros has codes for %" PetscInt_FMT, i, seg->nnz, nnz);
  for (PetscInt s = 0; s < units * AUTOCSR_PROPAGATE_UNIT; s++) {
    const char *code = (const char *)seg->stream[AUTOCSR_STREAM_VALUE].data + size * (size_t)s;

    if (named[s]) continue;
    AutoCSRCheckSegment(!((const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[s], ": slot %" PetscInt_FMT " is padding but not zero", i, s);
    for (size_t b = 0; b < size; b++) AutoCSRCheckSegment(!code[b], ": slot %" PetscInt_FMT " is padding but its value is not zero", i, s);
  }
  PetscCall(PetscFree(named));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_propagated = {.name = "propagated", .has = Has, .check_axes = CheckAxes, .encode = Encode, .refresh = Refresh, .column = Column, .slot = Slot, .copies_tiles = Has, .scratch = AutoCSRPropagateScratchBytes, .keeps_scratch = PETSC_TRUE, .count = Count, .check = Check};
