/*
  The invariants of order propagated that decoding does not show: row blocks begin where they shall, chunks are full but for a
  row block's last, parts take each unit once, codes name each row and place once, in their order, and what none names is zero.
*/
#include "check.h"

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

PetscErrorCode AutoCSRPropagateCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
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
