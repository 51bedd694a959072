/*
  The speculative segmented sum (liu2015, 3.2 and Appendix A): tiles of OCTET lanes by tile_height nonzeros of plain CSR, of
  which each lane walks its own. Nothing branches on the length of a row. A bunch of tile_steps tiles depends on no other:
  the share of a row that began in an earlier bunch goes through the synchronizer.
*/
#ifndef AUTOCSR_HOST_KERNELS_SEGSUM_H
#define AUTOCSR_HOST_KERNELS_SEGSUM_H

#include "kernels_csr.h"
#include "../host.h"

/* The running sums of a tile's segments, by height and lane, and what is open at each lane's begin and at the tile's end */
typedef struct {
  uint32_t    head[AUTOCSR_HOST_MAX_TILE / OCTET]; /* the descriptor: bit l is set where a row begins at this height of lane l */
  PetscScalar sum[AUTOCSR_HOST_MAX_TILE];
  PetscScalar carry[OCTET + 2]; /* zero, then one for each lane and for the end */
} Tile;

/* The last row whose entries begin at or before `boundary` (the rightmost match of the paper's binary search) */
KERNEL PetscInt TileFindRow(const PetscInt *row_ptr, PetscInt lo, PetscInt hi, PetscInt boundary)
{
  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (row_ptr[mid] <= boundary)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/*
  The descriptor of the tile [begin, begin + size), whose first entry belongs to row `start`: returns the first row that does
  not end in it, and whether the tile is dirty (has empty rows, so that partial sums are not those of adjacent rows)
*/
KERNEL PetscInt TileDescribe(Tile *tile, const PetscInt *row_ptr, PetscInt start, PetscInt end_row, PetscInt begin, PetscInt size, PetscInt shift, PetscBool *dirty)
{
  const PetscInt height = (PetscInt)1 << shift;
  PetscInt       row = start, empty = 0;

  memset(tile->head, 0, height * sizeof(tile->head[0]));
  if (row_ptr[row] == begin) tile->head[0] = 1;
  while (row < end_row && row_ptr[row + 1] < begin + size) {
    const PetscInt q = row_ptr[++row] - begin;

    empty += row_ptr[row - 1] == row_ptr[row];
    tile->head[q & (height - 1)] |= 1u << (q >> shift);
  }
  while (row < end_row && row_ptr[row + 1] == begin + size) {
    row++;
    empty += row_ptr[row - 1] == row_ptr[row];
  }
  *dirty = (PetscBool)(empty > 0);
  return row;
}

/* Products and running sums of OCTET lanes of entries; transmitter: the open sum of the tile before */
KERNEL void TileSum(Tile *tile, Entries e, const PetscScalar *x, PetscInt shift, PetscScalar transmitter)
{
  const PetscInt height = (PetscInt)1 << shift;
  uint32_t       heads  = 0;
  Vector         sum[OCTET_VECTORS];

  UNROLL
  for (int p = 0; p < OCTET_VECTORS; p++) sum[p] = VectorZero();
  for (PetscInt t = 0; t < height; t++) {
    heads |= tile->head[t];
    EntriesPrefetchFar(EntriesFrom(e, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, t * OCTET), AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR);
    UNROLL
    for (int p = 0; p < OCTET_VECTORS; p++) {
      Vector value, operand;
#define LANE_BIT(l)  (LaneInt)1 << (p * LANES + (l))
#define ONE_VALUE(l) EntryValue(e, AUTOCSR_VALUE_CSR, t + ((size_t)(p * LANES + (l)) << shift))
#define ONE_X(l)     x[EntryColumn(e, AUTOCSR_INDEX_CSR, t + ((size_t)(p * LANES + (l)) << shift))]
      const LaneMask inside = ((LaneInt)tile->head[t] & (LaneMask)EACH_LANE(LANE_BIT)) == 0;

      VECTOR_OF(value, ONE_VALUE);
      VECTOR_OF(operand, ONE_X);
#undef LANE_BIT
#undef ONE_VALUE
#undef ONE_X
      sum[p] = VectorMultiplyAdd(VectorSelect(inside, sum[p], VectorZero()), value, operand);
      VectorStore(tile->sum + t * OCTET + p * LANES, sum[p]);
    }
  }
  tile->carry[0] = 0;
  tile->carry[1] = transmitter;
  UNROLL
  for (int l = 0; l < OCTET; l++) tile->carry[l + 2] = VectorLane(sum[l / LANES], l % LANES) + ((heads >> l) & 1 ? (PetscScalar)0 : tile->carry[l + 1]);
}

/* The sum of the row whose entries in the tile are [first, last], last >= 0; first < 0: it began before */
KERNEL PetscScalar TileRowSum(const Tile *tile, PetscInt first, PetscInt last, PetscInt shift)
{
  const PetscInt lane = last >> shift, height = (PetscInt)1 << shift;

  return tile->sum[(last & (height - 1)) * OCTET + lane] + tile->carry[(lane + 1) & -(PetscInt)(first < lane << shift)];
}

KERNEL void TileRun(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  const PetscInt *row_ptr = op->csr->row_ptr;
  const PetscInt  shift = __builtin_ctz((unsigned)seg->axes.tile_height), size = (PetscInt)OCTET << shift;
  const PetscInt  end_row = seg->row_begin + seg->n_rows, first = row_ptr[seg->row_begin], end = row_ptr[end_row];
  const Entries   all   = {.index = op->csr->col, .value = op->csr->val};
  PetscInt        start = seg->row_begin, cut_row = -1, step = 0;
  PetscScalar     transmitter = 0;
  Tile            tile;

  for (; start < end_row && row_ptr[start + 1] == first; start++) op->y[start] = AddendOf(op, start);
  for (PetscInt begin = first, left = 0; begin < end; begin += left) {
    PetscBool dirty;
    PetscInt  stop;

    left = PetscMin(size, end - begin);
    if (step++ % seg->axes.tile_steps == 0) { /* a bunch begins */
      start       = TileFindRow(row_ptr, seg->row_begin, end_row, begin);
      cut_row     = row_ptr[start] < begin ? start : -1;
      transmitter = 0;
    }
    stop = TileDescribe(&tile, row_ptr, start, end_row, begin, left, shift, &dirty);
    if (left == size) {
      TileSum(&tile, EntriesFrom(all, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, begin), op->x, shift, transmitter);
    } else { /* the last tile is filled up: what comes after its entries is in no row's sum */
      PetscInt    col[AUTOCSR_HOST_MAX_TILE];
      PetscScalar val[AUTOCSR_HOST_MAX_TILE];

      for (PetscInt j = 0; j < size; j++) {
        col[j] = op->csr->col[begin + PetscMin(j, left - 1)];
        val[j] = op->csr->val[begin + PetscMin(j, left - 1)];
      }
      TileSum(&tile, (Entries){.index = col, .value = val}, op->x, shift, transmitter);
    }
    if (start < stop && start == cut_row) { /* the synchronizer: z is in y already */
      op->y[start] += TileRowSum(&tile, row_ptr[start] - begin, row_ptr[start + 1] - 1 - begin, shift);
      cut_row = -1;
      start++;
    }
    if (dirty) { /* the sums move past the empty rows */
      for (; start < stop; start++) op->y[start] = row_ptr[start] == row_ptr[start + 1] ? AddendOf(op, start) : AddendOf(op, start) + TileRowSum(&tile, row_ptr[start] - begin, row_ptr[start + 1] - 1 - begin, shift);
    } else {
      for (; start < stop; start++) op->y[start] = AddendOf(op, start) + TileRowSum(&tile, row_ptr[start] - begin, row_ptr[start + 1] - 1 - begin, shift);
    }
    transmitter = 0;
    if (start < end_row && row_ptr[start] < begin + left) { /* goes on in the next tile */
      transmitter = TileRowSum(&tile, row_ptr[start] - begin, left - 1, shift);
      if (step % seg->axes.tile_steps == 0) { /* or in the next bunch */
        if (start == cut_row)
          op->y[start] += transmitter;
        else
          op->y[start] = AddendOf(op, start) + transmitter;
      }
    }
  }
}

#endif
