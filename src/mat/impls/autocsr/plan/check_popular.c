/*
  The invariants of order popular that decoding does not show: columns are listed once and by class, padding is zero and ends no
  piece, groups know their first piece, and each piece has its place in a chunk and is named once.
*/
#include "check.h"

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

PetscErrorCode AutoCSRPopularCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
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
