/*
  Kernels over dense b by b blocks in CSR order (BCSR's saving of indices, du2022-alphasparse, Table II, with the CSR's own
  values): x is gathered once for the rows of a block row, side by side into a buffer, from where on they are dense rows, read
  as they follow each other in memory.
*/
#ifndef AUTOCSR_HOST_KERNELS_BLOCK_H
#define AUTOCSR_HOST_KERNELS_BLOCK_H

#include "kernels_csr.h"

enum {
  BLOCK_BUFFER = 1024 / (sizeof(PetscScalar) / sizeof(PetscReal)) /* columns of a block row gathered at once: they stay in the first-level cache */
};

/* Where the codes of a block row are, and what its columns count from */
typedef struct {
  const void *code;
  PetscInt    base;
} BlockRow;

KERNEL BlockRow BlockRowOf(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  const PetscInt first = csr->row_ptr[seg->row_begin + k], q = (first - csr->row_ptr[seg->row_begin]) / (seg->axes.block * seg->axes.block);

  switch (seg->axes.index) {
  case AUTOCSR_INDEX_CSR:
    return (BlockRow){csr->col + first, 0};
  case AUTOCSR_INDEX_32:
    return (BlockRow){(const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + q, 0};
  default:
    return (BlockRow){(const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + q, ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[k / AutoCSRAxesSliceRows(&seg->axes)]};
  }
}

KERNEL size_t BlockColumn(BlockRow r, AutoCSRIndex index, PetscInt t, PetscInt b)
{
  if (index == AUTOCSR_INDEX_CSR) return (size_t)((const PetscInt *)r.code)[t * b];
  return (size_t)r.base + (size_t)b * (index == AUTOCSR_INDEX_32 ? ((const uint32_t *)r.code)[t] : ((const uint16_t *)r.code)[t]);
}

KERNEL void BlocksGatherOf(BlockRow r, AutoCSRIndex index, PetscInt begin, PetscInt end, PetscInt b, const PetscScalar *x, PetscScalar *buffer)
{
  for (PetscInt t = begin; t < end; t++, buffer += b) {
    const PetscScalar *from = x + BlockColumn(r, index, t, b);

    for (PetscInt j = 0; j < b; j++) buffer[j] = from[j];
  }
}

/* Sizes known to the compiler are a few moves each */
KERNEL void BlocksGatherCoded(BlockRow r, AutoCSRIndex index, PetscInt begin, PetscInt end, PetscInt b, const PetscScalar *x, PetscScalar *buffer)
{
  switch (b) {
  case 2:
    BlocksGatherOf(r, index, begin, end, 2, x, buffer);
    break;
  case 3:
    BlocksGatherOf(r, index, begin, end, 3, x, buffer);
    break;
  case 4:
    BlocksGatherOf(r, index, begin, end, 4, x, buffer);
    break;
  default:
    BlocksGatherOf(r, index, begin, end, b, x, buffer);
  }
}

/* x at the columns of the blocks [begin, end) of a block row */
static void BlocksGather(BlockRow r, AutoCSRIndex index, PetscInt begin, PetscInt end, PetscInt b, const PetscScalar *x, PetscScalar *buffer)
{
  switch (index) {
  case AUTOCSR_INDEX_CSR:
    BlocksGatherCoded(r, AUTOCSR_INDEX_CSR, begin, end, b, x, buffer);
    break;
  case AUTOCSR_INDEX_32:
    BlocksGatherCoded(r, AUTOCSR_INDEX_32, begin, end, b, x, buffer);
    break;
  default:
    BlocksGatherCoded(r, AUTOCSR_INDEX_16, begin, end, b, x, buffer);
  }
}

static void BlocksScatterAdd(BlockRow r, AutoCSRIndex index, PetscInt begin, PetscInt end, PetscInt b, const PetscScalar *buffer, PetscScalar *y)
{
  for (PetscInt t = begin; t < end; t++, buffer += b) {
    PetscScalar *to = y + BlockColumn(r, index, t, b);

    for (PetscInt j = 0; j < b; j++) to[j] += buffer[j];
  }
}

/* s + n entries from e on times x, in four vectors of partial sums */
KERNEL PetscScalar DenseRowSum(PetscScalar s, Entries e, PetscInt n, const PetscScalar *x, AutoCSRValue value)
{
  PetscInt t = 0;

  if (n >= LANES) {
    enum {
      MOST = 4
    };
    Vector sum[MOST];

    UNROLL
    for (int p = 0; p < MOST; p++) sum[p] = VectorZero();
    for (; t + MOST * LANES <= n; t += MOST * LANES) {
      UNROLL
      for (int p = 0; p < MOST; p++) sum[p] = VectorMultiplyAdd(sum[p], EntryValues(e, value, t + p * LANES), VectorLoad(x + t + p * LANES));
    }
    for (; t + LANES <= n; t += LANES) sum[0] = VectorMultiplyAdd(sum[0], EntryValues(e, value, t), VectorLoad(x + t));
    s += VectorSum(VectorAdd(VectorAdd(sum[0], sum[1]), VectorAdd(sum[2], sum[3])));
  }
  for (; t < n; t++) s = ScalarMultiplyAdd(s, EntryValue(e, value, t), x[t]);
  return s;
}

/* y += n entries from e on times xr */
KERNEL void DenseRowAdd(PetscScalar *y, Entries e, PetscInt n, PetscScalar xr, AutoCSRValue value, PetscBool conjugate)
{
  PetscInt t = 0;
  Vector   xv;

#define ONE_X(l) xr
  VECTOR_OF(xv, ONE_X);
#undef ONE_X
  for (; t + LANES <= n; t += LANES) VectorStore(y + t, VectorMultiplyAdd(VectorLoad(y + t), VectorConjugateIf(EntryValues(e, value, t), conjugate), xv));
  for (; t < n; t++) y[t] = ScalarMultiplyAdd(y[t], ScalarConjugateIf(EntryValue(e, value, t), conjugate), xr);
}

KERNEL void BlockRun(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value, PetscBool transpose)
{
  const PetscInt     b = seg->axes.block, *row_ptr = op->csr->row_ptr;
  const size_t       first   = row_ptr[seg->row_begin];
  const PetscInt     most    = BLOCK_BUFFER / b;
  const AutoCSRIndex index   = seg->axes.index;
  const Entries      entries = EntriesOfSegment(seg, op->csr, AUTOCSR_INDEX_CSR, value);
  PetscScalar        buffer[BLOCK_BUFFER];

  for (PetscInt k = 0; k < seg->n_rows; k += b) {
    const BlockRow r   = BlockRowOf(seg, op->csr, k);
    const PetscInt row = seg->row_begin + k, length = row_ptr[row + 1] - row_ptr[row], blocks = length / b;
    const Entries  values = EntriesFrom(entries, AUTOCSR_INDEX_CSR, value, row_ptr[row] - first);

    if (!transpose) {
      for (PetscInt i = 0; i < b; i++) op->y[row + i] = AddendOf(op, row + i);
    }
    for (PetscInt begin = 0; begin < blocks; begin += most) {
      const PetscInt end = PetscMin(begin + most, blocks), n = (end - begin) * b;

      if (transpose)
        (void)memset((void *)buffer, 0, (size_t)n * sizeof(*buffer));
      else
        BlocksGather(r, index, begin, end, b, op->x, buffer);
      for (PetscInt i = 0; i < b; i++) {
        const Entries e = EntriesFrom(values, AUTOCSR_INDEX_CSR, value, (size_t)i * length + (size_t)begin * b);

        if (transpose)
          DenseRowAdd(buffer, e, n, op->x[row + i], value, op->conjugate);
        else
          op->y[row + i] = DenseRowSum(op->y[row + i], e, n, buffer, value);
      }
      if (transpose) BlocksScatterAdd(r, index, begin, end, b, buffer, op->y);
    }
  }
}

#endif
