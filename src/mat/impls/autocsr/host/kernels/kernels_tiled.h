/*
  Kernels over column tiles (order tiled): a tile's part of x stays in the second-level cache while its pieces are walked,
  row by row; each adds to y.
*/
#ifndef AUTOCSR_HOST_KERNELS_TILED_H
#define AUTOCSR_HOST_KERNELS_TILED_H

#include "kernels_csr.h"
#include "../../layout/tiled.h"

#define TILED_LANES 32 /* partial sums of a long piece */

/* The slot after the piece that begins in this one. Each word of END holds 64 slots */
KERNEL PetscInt PieceEnd(const uint8_t *end, PetscInt slot)
{
  for (PetscInt w = slot / 64, shift = slot % 64;; w++, shift = 0) {
    uint64_t ends;

    memcpy(&ends, end + 8 * w, sizeof(ends));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    ends = __builtin_bswap64(ends);
#endif
    ends >>= shift;
    if (ends) return 64 * w + shift + __builtin_ctzll(ends) + 1;
  }
}

KERNEL void TiledRun(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value, PetscBool transpose)
{
  const AutoCSRTiledItem *item      = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  const PetscInt         *run_ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_RUN_PTR].data;
  const uint16_t         *piece_row = (const uint16_t *)seg->stream[AUTOCSR_STREAM_PIECE_ROW].data;
  const uint8_t          *end       = (const uint8_t *)seg->stream[AUTOCSR_STREAM_END].data;
  const PetscInt          blocks = AutoCSRTiledRowBlocks(seg), rows = seg->axes.tile_height, items = AutoCSRTiledItemCount(seg);
  const Prefetch          prefetch = seg->far ? PREFETCH_FAR : PREFETCH_NONE; /* gathers come from the second level: the first has places for them only */
  const Entries           e        = EntriesOfSegment(seg, op->csr, AUTOCSR_INDEX_16, value);

  for (PetscInt k = 0; k < seg->n_rows && !transpose; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    op->y[row] = AddendOf(op, row);
  }
  for (PetscInt i = 0; i < items; i++) {
    const PetscInt tile = item[i].tile, first = tile * seg->axes.tile_width;
    PetscInt       slot = item[i].begin * AUTOCSR_TILED_GROUP;

    if (i && item[i - 1].tile == tile) continue; /* the tile's pieces are taken with its first item */
    for (PetscInt b = 0; b < blocks; b++) {
      for (PetscInt p = run_ptr[tile * blocks + b]; p < run_ptr[tile * blocks + b + 1]; p++) {
        const PetscInt row = AutoCSRSegmentRow(seg, b * rows + AutoCSRTiledRowOf(piece_row[p])), next = PieceEnd(end, slot);
        const Entries  piece = EntriesFrom(e, AUTOCSR_INDEX_16, value, slot);

        if (transpose)
          RowScatter(op->x[row], piece, next - slot, op->y + first, AUTOCSR_INDEX_16, value, op->conjugate);
        else
          op->y[row] = RowSum(op->y[row], piece, next - slot, op->x + first, AUTOCSR_INDEX_16, value, TILED_LANES, prefetch);
        slot = next;
      }
    }
  }
}

#endif
