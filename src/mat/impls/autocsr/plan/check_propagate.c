/*
  The invariants of order propagated that decoding does not show: row blocks begin where they shall, chunks are full but for a
  row block's last, parts take each unit once, codes are sorted and name each place once, and what none names is zero.
*/
#include "encode.h"

static PetscErrorCode CheckRowBlocks(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const PetscInt  blocks = AutoCSRPropagateRowBlocks(seg);
  PetscInt        b = 0, last = 0, before = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscBool begins = (PetscBool)(b <= blocks && block_row[b] == k);

    PetscCheck(begins == (PetscBool)AutoCSRPropagateBegins(&seg->axes, k, last, before), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": %s row block begins with its row %" PetscInt_FMT, i, begins ? "a" : "no", k);
    b += begins;
    last = before;
    before += AutoCSRSegmentRowLength(seg, csr, k);
  }
  PetscCheck(b == blocks && block_row[b] == seg->n_rows, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": %" PetscInt_FMT " of %" PetscInt_FMT " row blocks begin", i, b, blocks);
  for (b = 0; b <= blocks; b++) PetscCheck(b ? chunk_ptr[b] >= chunk_ptr[b - 1] : !chunk_ptr[b], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": row block %" PetscInt_FMT " begins with chunk %" PetscInt_FMT, i, b, chunk_ptr[b]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckItems(const AutoCSRSegment *seg, PetscInt i)
{
  const AutoCSRTiledItem *item = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  PetscInt                next = 0;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < AutoCSRTiledItemCount(seg); t++) {
    PetscCheck(item[t].begin == next && item[t].groups > 0 && (!t || item[t].tile >= item[t - 1].tile), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": item %" PetscInt_FMT " has %" PetscInt_FMT " units from %" PetscInt_FMT " on", i, t, item[t].groups, item[t].begin);
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

    PetscCheck(part_ptr[chunk] >= 0 && part_ptr[chunk] < part_ptr[chunk + 1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": chunk %" PetscInt_FMT " has no parts", i, chunk);
    for (PetscInt p = part_ptr[chunk]; p < part_ptr[chunk + 1]; p++) {
      const PetscInt units = AutoCSRPropagatePartUnits(&part[p]);

      PetscCheck(units > 0 && AutoCSRPropagatePartPlace(&part[p]) == place && part[p].source >= 0 && part[p].source <= all - units, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": part %" PetscInt_FMT " of chunk %" PetscInt_FMT " has %" PetscInt_FMT " units from %" PetscInt_FMT " on at place %" PetscInt_FMT ", not %" PetscInt_FMT, i, p, chunk, units, part[p].source, AutoCSRPropagatePartPlace(&part[p]), place);
      for (PetscInt u = part[p].source; u < part[p].source + units; u++) {
        PetscCheck(!seen[u], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": unit %" PetscInt_FMT " is taken twice", i, u);
        seen[u] = 1;
      }
      place += units;
    }
    PetscCheck(place == AUTOCSR_PROPAGATE_UNITS || (chunk == end - 1 && place < AUTOCSR_PROPAGATE_UNITS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": chunk %" PetscInt_FMT " has %" PetscInt_FMT " units", i, chunk, place);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Codes of a chunk, in a row block of so many rows; named: slots that others have named */
static PetscErrorCode CheckCodes(const AutoCSRSegment *seg, PetscInt i, PetscInt chunk, PetscInt rows, char named[], PetscInt *nnz)
{
  const PetscInt              begin    = chunk * AUTOCSR_PROPAGATE_CHUNK;
  const PetscInt             *part_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data;
  const AutoCSRPropagatePart *last     = (const AutoCSRPropagatePart *)seg->stream[AUTOCSR_STREAM_PART].data + part_ptr[chunk + 1] - 1;
  const PetscInt              places   = (AutoCSRPropagatePartPlace(last) + AutoCSRPropagatePartUnits(last)) * AUTOCSR_PROPAGATE_UNIT;
  int                         row      = 0;

  PetscFunctionBegin;
  for (PetscInt c = begin; c < begin + AUTOCSR_PROPAGATE_CHUNK; c++) {
    const uint16_t code  = ((const uint16_t *)seg->stream[AUTOCSR_STREAM_CHUNK_ROW].data)[c];
    const int      place = AutoCSRPropagatePlaceOf(code, ((const uint8_t *)seg->stream[AUTOCSR_STREAM_CHUNK_PLACE].data)[c]);
    PetscInt       slot;

    PetscCheck(AutoCSRPropagateRowOf(code) >= row && (AutoCSRPropagateRowOf(code) < rows || (AutoCSRPropagateRowOf(code) == AUTOCSR_PROPAGATE_NO_ROW && !place)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": code %" PetscInt_FMT " has row %d after row %d", i, c, AutoCSRPropagateRowOf(code), row);
    row = AutoCSRPropagateRowOf(code);
    if (row == AUTOCSR_PROPAGATE_NO_ROW) continue;
    PetscCheck(place < places, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": code %" PetscInt_FMT " has place %d of %" PetscInt_FMT, i, c, place, places);
    slot = AutoCSRPropagateSlotOf(seg, chunk, place);
    PetscCheck(!named[slot], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": slot %" PetscInt_FMT " is named twice", i, slot);
    named[slot] = 1;
    (*nnz)++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPropagateCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt  units     = AutoCSRTiledGroups(seg);
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const size_t    size = AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE);
  PetscInt        nnz  = 0;
  char           *seen, *named;

  PetscFunctionBegin;
  PetscCall(CheckRowBlocks(seg, csr, i));
  PetscCall(CheckItems(seg, i));
  PetscCall(PetscCalloc2(units, &seen, units * AUTOCSR_PROPAGATE_UNIT, &named));
  for (PetscInt b = 0; b < AutoCSRPropagateRowBlocks(seg); b++) {
    PetscCall(CheckParts(seg, i, chunk_ptr[b], chunk_ptr[b + 1], units, seen));
    for (PetscInt chunk = chunk_ptr[b]; chunk < chunk_ptr[b + 1]; chunk++) PetscCall(CheckCodes(seg, i, chunk, block_row[b + 1] - block_row[b], named, &nnz));
  }
  PetscCheck(nnz == seg->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT " of %" PetscInt_FMT " nonzeros has codes for %" PetscInt_FMT, i, seg->nnz, nnz);
  for (PetscInt u = 0; u < units; u++) PetscCheck(seen[u], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": unit %" PetscInt_FMT " is in no chunk", i, u);
  for (PetscInt s = 0; s < units * AUTOCSR_PROPAGATE_UNIT; s++) {
    const char *code = (const char *)seg->stream[AUTOCSR_STREAM_VALUE].data + size * (size_t)s;

    if (named[s]) continue;
    PetscCheck(!((const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[s], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": slot %" PetscInt_FMT " is padding but not zero", i, s);
    for (size_t b = 0; b < size; b++) PetscCheck(!code[b], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": slot %" PetscInt_FMT " is padding but its value is not zero", i, s);
  }
  PetscCall(PetscFree2(seen, named));
  PetscFunctionReturn(PETSC_SUCCESS);
}
