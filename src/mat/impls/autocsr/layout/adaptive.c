/* The streams of order adaptive on the host, and what they must say (hong2019, 4.1) */
#include "adaptive.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_ADAPTIVE);
}

static PetscErrorCode CheckAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->mapping == AUTOCSR_MAP_ROW_PANELS && a->partition == AUTOCSR_PARTITION_COLUMNS && a->index == AUTOCSR_INDEX_32, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order adaptive goes with partition columns, index 32 and mapping row-panels");
  PetscCheck(a->tile_height >= 1 && a->tile_width >= 1 && !(a->tile_width & (a->tile_width - 1)) && a->row_limit >= 1 && a->tile_steps >= 1 && a->tile_steps <= a->tile_width, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row panels of %" PetscInt_FMT " rows, tiles of %" PetscInt_FMT " columns, heavy from %" PetscInt_FMT " entries on, at least %" PetscInt_FMT " in a tile", a->tile_height, a->tile_width, a->row_limit, a->tile_steps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Work arrays of the encoder. `entries` and `rank` are all zero between its steps; the heavy columns of row panel p are heavy[begin[p]] to heavy[begin[p + 1] - 1] */
typedef struct {
  PetscInt *entries; /* for each column: its entries in a row panel; later 1 + its tile, 0 for a light column */
  PetscInt *rank;    /* for each slot: heavy columns so far */
  PetscInt *begin, *heavy;
} Work;

/* The entries of a row panel in the CSR */
static void PanelEntries(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt panel, PetscInt *begin, PetscInt *end)
{
  AutoCSRAdaptiveRows(seg, panel, begin, end);
  *begin = csr->row_ptr[seg->row_begin + *begin];
  *end   = csr->row_ptr[seg->row_begin + *end];
}

/* Finds the heavy columns of a row panel, in ascending order, and how many heavy tiles it keeps */
static PetscErrorCode FindHeavy(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt panel, Work *w, PetscInt *tiles)
{
  PetscInt begin, end, found = 0, most = 0, *heavy = w->heavy + w->begin[panel];

  PetscFunctionBegin;
  PanelEntries(seg, csr, panel, &begin, &end);
  for (PetscInt q = begin; q < end; q++) {
    if (++w->entries[csr->col[q]] == seg->axes.row_limit) heavy[found++] = csr->col[q];
  }
  for (PetscInt q = begin; q < end; q++) w->entries[csr->col[q]] = 0;
  PetscCall(PetscSortInt(found, heavy));
  for (PetscInt i = 0; i < found; i++) {
    const PetscInt slot = AutoCSRAdaptiveSlot(&seg->axes, heavy[i]);

    w->rank[slot]++;
    most = PetscMax(most, w->rank[slot]);
  }
  /* The h-th tile has a column for each slot with more than h. These counts fall from tile to tile */
  for (*tiles = most; *tiles > 0; --*tiles) {
    PetscInt filled = 0;

    for (PetscInt s = 0; s < seg->axes.tile_width; s++) filled += w->rank[s] >= *tiles;
    if (filled >= seg->axes.tile_steps) break;
  }
  PetscCall(PetscArrayzero(w->rank, seg->axes.tile_width));
  w->begin[panel + 1] = w->begin[panel] + found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PANEL_PTR and MAP */
static PetscErrorCode EncodeTiles(AutoCSRSegment *seg, const AutoCSRMatrix *csr, Work *w)
{
  const PetscInt panels = AutoCSRAdaptiveRowPanels(seg), width = seg->axes.tile_width;
  PetscInt      *panel_ptr, *map;
  PetscInt64     tiles = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PANEL_PTR, panels + 1));
  panel_ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data;
  panel_ptr[0] = w->begin[0] = 0;
  for (PetscInt p = 0; p < panels; p++) {
    PetscInt heavy_tiles = 0;

    PetscCall(FindHeavy(seg, csr, p, w, &heavy_tiles));
    tiles += heavy_tiles;
    PetscCheck((tiles + panels) * PetscMax(seg->axes.tile_height, width) < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Adaptive tiles of %" PetscInt_FMT " rows are more than a PetscInt counts; take 64-bit indices", seg->axes.tile_height);
    panel_ptr[p + 1] = (PetscInt)tiles;
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_MAP, (PetscInt)tiles * width));
  map = (PetscInt *)seg->stream[AUTOCSR_STREAM_MAP].data;
  for (PetscInt i = 0; i < (PetscInt)tiles * width; i++) map[i] = AUTOCSR_ADAPTIVE_NONE;
  for (PetscInt p = 0; p < panels; p++) {
    const PetscInt heavy_tiles = panel_ptr[p + 1] - panel_ptr[p];

    for (PetscInt i = w->begin[p]; i < w->begin[p + 1]; i++) {
      const PetscInt slot = AutoCSRAdaptiveSlot(&seg->axes, w->heavy[i]), h = w->rank[slot]++;

      if (h < heavy_tiles) map[(size_t)(panel_ptr[p] + h) * width + slot] = w->heavy[i];
    }
    PetscCall(PetscArrayzero(w->rank, width));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  1 + the tile of each heavy column of a row panel, into w->entries; clear: zero again. A table, because
  AutoCSRAdaptiveTileOf() would be asked twice for each entry
*/
static void TabulateTiles(const AutoCSRSegment *seg, PetscInt panel, Work *w, PetscBool clear)
{
  for (PetscInt i = w->begin[panel]; i < w->begin[panel + 1]; i++) w->entries[w->heavy[i]] = clear ? 0 : 1 + AutoCSRAdaptiveTileOf(seg, panel, w->heavy[i]);
}

/* TILE_ROW_PTR, INDEX and VALUE_PLACE */
static PetscErrorCode EncodeEntries(AutoCSRSegment *seg, const AutoCSRMatrix *csr, Work *w)
{
  const PetscInt panels = AutoCSRAdaptiveRowPanels(seg), rows = AutoCSRAdaptiveLight(seg, panels) * seg->axes.tile_height;
  PetscInt      *ptr, *place, next = 0;
  uint32_t      *index;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_TILE_ROW_PTR, rows + 1));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, seg->nnz));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE_PLACE, seg->nnz));
  ptr   = (PetscInt *)seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].data;
  index = (uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
  place = (PetscInt *)seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data;
  PetscCall(PetscArrayzero(ptr, rows + 1));
  /*
    The first pass counts the entries of row r of all tiles into ptr[r + 1]. These counts then become places: ptr[r + 1] is the
    first free place of row r. The second pass fills the rows, after which ptr[r + 1] is where row r + 1 begins
  */
  for (int pass = 0; pass < 2; pass++) {
    for (PetscInt p = 0; p < panels; p++) {
      const PetscInt light = AutoCSRAdaptiveLight(seg, p);
      PetscInt       begin, end;

      AutoCSRAdaptiveRows(seg, p, &begin, &end);
      TabulateTiles(seg, p, w, PETSC_FALSE);
      for (PetscInt k = begin; k < end; k++) {
        for (PetscInt q = csr->row_ptr[seg->row_begin + k]; q < csr->row_ptr[seg->row_begin + k + 1]; q++) {
          const PetscInt tile = w->entries[csr->col[q]];
          PetscInt      *free = ptr + (size_t)(tile ? tile - 1 : light) * seg->axes.tile_height + (k - begin) + 1;

          if (pass) {
            index[*free] = (uint32_t)csr->col[q];
            place[*free] = q;
          }
          ++*free;
        }
      }
      TabulateTiles(seg, p, w, PETSC_TRUE);
    }
    for (PetscInt r = 1; !pass && r <= rows; r++) {
      const PetscInt entries = ptr[r];

      ptr[r] = next;
      next += entries;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < seg->nnz; q++) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[place[q]], q);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscErrorCode ierr; /* the caller can live without memory */
  Work           w;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(csr->n, &w.entries, seg->axes.tile_width, &w.rank, AutoCSRAdaptiveRowPanels(seg) + 1, &w.begin, seg->nnz / seg->axes.row_limit + 1, &w.heavy));
  ierr = EncodeTiles(seg, csr, &w);
  if (!ierr) ierr = EncodeEntries(seg, csr, &w);
  PetscCall(PetscFree4(w.entries, w.rank, w.begin, w.heavy));
  PetscCall(ierr);
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, seg->nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt q = AutoCSRAdaptivePlace(seg, csr, k, t);

  return q < 0 ? -1 : (PetscInt)((const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[q];
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  const PetscInt panels = AutoCSRAdaptiveRowPanels(seg), tiles = AutoCSRAdaptiveTiles(seg);

  PetscFunctionBegin;
  AutoCSRCheckSegment(tiles >= panels, " of %" PetscInt_FMT " row panels has %" PetscInt_FMT " tiles", i, panels, tiles);
  PetscCall(AutoCSRCountCodes(seg, i, seg->nnz, count));
  count[AUTOCSR_STREAM_PANEL_PTR]    = panels + 1;
  count[AUTOCSR_STREAM_TILE_ROW_PTR] = tiles * seg->axes.tile_height + 1;
  count[AUTOCSR_STREAM_MAP]          = (tiles - panels) * seg->axes.tile_width;
  count[AUTOCSR_STREAM_VALUE_PLACE]  = seg->nnz;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The columns of each slot ascend from tile to tile, lie in their slots, and no tile is emptier than allowed */
static PetscErrorCode CheckMap(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt  panels = AutoCSRAdaptiveRowPanels(seg), width = seg->axes.tile_width;
  const PetscInt *panel_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data, *map = (const PetscInt *)seg->stream[AUTOCSR_STREAM_MAP].data;

  PetscFunctionBegin;
  AutoCSRCheckSegment(panel_ptr[0] == 0, ": the tiles of the first row panel begin with %" PetscInt_FMT, i, panel_ptr[0]);
  AutoCSRCheckSegment(panel_ptr[panels] == AutoCSRAdaptiveTiles(seg) - panels, " of %" PetscInt_FMT " heavy tiles has %" PetscInt_FMT " in its row panels", i, AutoCSRAdaptiveTiles(seg) - panels, panel_ptr[panels]);
  for (PetscInt p = 0; p < panels; p++) AutoCSRCheckSegment(panel_ptr[p + 1] >= panel_ptr[p], ": the tiles of row panel %" PetscInt_FMT " end before they begin", i, p);
  for (PetscInt p = 0; p < panels; p++) {
    for (PetscInt c = panel_ptr[p]; c < panel_ptr[p + 1]; c++) {
      const PetscInt *slot   = map + (size_t)c * width;
      PetscInt        filled = 0;

      for (PetscInt s = 0; s < width; s++) {
        const PetscBool first = (PetscBool)(c == panel_ptr[p]);
        const PetscInt  above = first ? -1 : slot[s - width]; /* the column of this slot in the tile before */

        if (slot[s] == AUTOCSR_ADAPTIVE_NONE) continue;
        filled++;
        AutoCSRCheckSegment(slot[s] >= 0 && slot[s] < csr->n && AutoCSRAdaptiveSlot(&seg->axes, slot[s]) == s, ": slot %" PetscInt_FMT " of tile %" PetscInt_FMT " has column %" PetscInt_FMT, i, s, c, slot[s]);
        AutoCSRCheckSegment(first || (above != AUTOCSR_ADAPTIVE_NONE && above < slot[s]), ": slot %" PetscInt_FMT " of tile %" PetscInt_FMT " has column %" PetscInt_FMT " after column %" PetscInt_FMT, i, s, c, slot[s], above);
      }
      AutoCSRCheckSegment(filled >= seg->axes.tile_steps, ": tile %" PetscInt_FMT " has %" PetscInt_FMT " columns of %" PetscInt_FMT " that it must have", i, c, filled, seg->axes.tile_steps);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Heavy columns have enough entries. entries: of each slot, zero on entry */
static PetscErrorCode CheckHeavy(const AutoCSRSegment *seg, PetscInt i, PetscInt panel, PetscInt entries[])
{
  const PetscInt  height = seg->axes.tile_height, width = seg->axes.tile_width;
  const PetscInt *panel_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data, *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].data;
  const PetscInt *map   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_MAP].data;
  const uint32_t *index = (const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;

  PetscFunctionBegin;
  for (PetscInt c = panel_ptr[panel]; c < panel_ptr[panel + 1]; c++) {
    for (PetscInt q = ptr[(size_t)c * height]; q < ptr[(size_t)(c + 1) * height]; q++) {
      const PetscInt slot = AutoCSRAdaptiveSlot(&seg->axes, (PetscInt)index[q]);

      AutoCSRCheckSegment(map[(size_t)c * width + slot] == (PetscInt)index[q], ": tile %" PetscInt_FMT " has column %u, and not in its map", i, c, index[q]);
      entries[slot]++;
    }
    for (PetscInt s = 0; s < width; s++) {
      AutoCSRCheckSegment(entries[s] >= seg->axes.row_limit || map[(size_t)c * width + s] == AUTOCSR_ADAPTIVE_NONE, ": column %" PetscInt_FMT " of tile %" PetscInt_FMT " has %" PetscInt_FMT " entries and is not heavy", i, map[(size_t)c * width + s], c, entries[s]);
      entries[s] = 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt  height = seg->axes.tile_height, tiles = AutoCSRAdaptiveTiles(seg);
  const PetscInt *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].data;
  PetscInt       *entries;

  PetscFunctionBegin;
  PetscCall(CheckMap(seg, csr, i));
  AutoCSRCheckSegment(ptr[0] == 0, ": the first tile begins with place %" PetscInt_FMT, i, ptr[0]);
  AutoCSRCheckSegment(ptr[(size_t)tiles * height] == seg->nnz, " of %" PetscInt_FMT " nonzeros has %" PetscInt_FMT " in its tiles", i, seg->nnz, ptr[(size_t)tiles * height]);
  for (PetscInt r = 0; r < tiles * height; r++) AutoCSRCheckSegment(ptr[r] <= ptr[r + 1], ": row %" PetscInt_FMT " of tile %" PetscInt_FMT " ends before it begins", i, r % height, r / height);
  PetscCall(PetscCalloc1(seg->axes.tile_width, &entries));
  for (PetscInt p = 0; p < AutoCSRAdaptiveRowPanels(seg); p++) PetscCall(CheckHeavy(seg, i, p, entries));
  PetscCall(PetscFree(entries));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt begin = csr->row_ptr[seg->row_begin + k];

    for (PetscInt q = begin; q < csr->row_ptr[seg->row_begin + k + 1]; q++) AutoCSRCheckSegment(AutoCSRAdaptivePlace(seg, csr, k, q - begin) >= 0, ": no place has entry %" PetscInt_FMT " of row %" PetscInt_FMT, i, q - begin, seg->row_begin + k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_adaptive = {.name = "adaptive", .has = Has, .check_axes = CheckAxes, .encode = Encode, .refresh = Refresh, .column = Column, .slot = AutoCSRAdaptivePlace, .count = Count, .check = Check};
