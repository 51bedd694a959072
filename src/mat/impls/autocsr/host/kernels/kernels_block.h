/*
  Kernels over dense b by b blocks in CSR order (BCSR's saving of indices, beyond the papers, with the CSR's own
  values): the rows of a block row share the column of a block and its entries of x, which stay in registers. Sums are kept by
  column within the block, so that nothing is added across lanes before the end of a row.
*/
#ifndef AUTOCSR_HOST_KERNELS_BLOCK_H
#define AUTOCSR_HOST_KERNELS_BLOCK_H

#include "../bound.h"
#include "kernels_csr.h"

#define PIECE (SIMD_BYTES >= 32 || sizeof(PetscReal) == 4 ? 4 : 2) /* columns of a block in one vector; lanes past its last column hold what is never used */
#define SUMS  8                                                    /* vectors of sums that are kept at once: they hide the latency of additions, and fit the registers */

/* A block row, or some rows of it */
typedef struct {
  AutoCSRIndex index;
  const void  *code; /* of its first block */
  PetscInt     base; /* what the columns count from */
  PetscInt     blocks, length;
  PetscInt     ahead; /* entries between the first row and the last, of a row of mean length: what is asked for counts from the last, or it would come late there */
  Prefetch     prefetch;
  PetscBool    scattered; /* lines of x are asked for, too */
  Entries      e;         /* of its first row */
} BlockRow;

KERNEL BlockRow BlockRowOf(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt b, PetscInt ahead, Prefetch prefetch, PetscBool scattered, Entries entries, AutoCSRValue value)
{
  const PetscInt *row_ptr = csr->row_ptr + seg->row_begin;
  const PetscInt  first = row_ptr[k] - row_ptr[0], block = first / (b * b);
  BlockRow        r = {.index = seg->axes.index, .length = row_ptr[k + 1] - row_ptr[k], .e = EntriesFrom(entries, AUTOCSR_INDEX_CSR, value, first)};

  r.blocks    = r.length / b;
  r.ahead     = ahead;
  r.prefetch  = prefetch;
  r.scattered = scattered;
  switch (r.index) {
  case AUTOCSR_INDEX_CSR:
    r.code = csr->col + row_ptr[k];
    break;
  case AUTOCSR_INDEX_32:
    r.code = (const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + block;
    break;
  default:
    r.code = (const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + block;
    r.base = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[k / AutoCSRAxesSliceRows(&seg->axes)];
  }
  return r;
}

KERNEL size_t BlockColumn(const BlockRow *r, PetscInt t, PetscInt b)
{
  if (r->index == AUTOCSR_INDEX_16) return (size_t)r->base + (size_t)b * ((const uint16_t *)r->code)[t];
  if (r->index == AUTOCSR_INDEX_32) return (size_t)b * ((const uint32_t *)r->code)[t];
  return (size_t)((const PetscInt *)r->code)[t * b];
}

#define X_AHEAD   16          /* blocks between what is multiplied and the line of x that is asked for: no more codes than may be read past the last one */
#define MOST_NEAR (8 << 10)   /* bytes from the first row to the last, of which the first-level cache holds more on the way */
#define MOST_FAR  (128 << 10) /* and the second-level one: rows so long are read ahead by the processor itself */

/*
  From memory; into the second-level cache where the rows are gone through twice (measured: 1.3x to 1.4x for 5 by 5 and 8 by 8, 0.85x to 0.95x where they are gone
  through once) or are far apart
*/
KERNEL Prefetch BlockPrefetchKind(const AutoCSRSegment *seg, PetscBool twice, size_t bytes)
{
  if (!seg->far || bytes > MOST_FAR) return PREFETCH_NONE;
  return twice || bytes > MOST_NEAR ? PREFETCH_FAR : PREFETCH_NEAR;
}

/* Ahead of block t of the rows, as many lines as a block has; the CSR's own columns, which are those of one row in b, two block rows ahead */
KERNEL void BlockPrefetch(const BlockRow *r, const PetscScalar *x, AutoCSRValue value, PetscInt t, PetscInt b)
{
  if (r->prefetch == PREFETCH_NONE) return;
  if (r->scattered) __builtin_prefetch(x + BlockColumn(r, t + X_AHEAD, b));
  if (r->index == AUTOCSR_INDEX_CSR) __builtin_prefetch((const PetscInt *)r->code + (size_t)2 * b * r->length + t * b);
  UNROLL
  for (PetscInt i = 0; i < b * b; i += LINE) EntriesPrefetchAs(r->prefetch, EntriesFrom(r->e, AUTOCSR_INDEX_PATTERN, value, (size_t)(r->ahead + t * b * b + i)), AUTOCSR_INDEX_PATTERN, value);
}

/* sum[i] += rows i of a block row times x, entry by entry */
KERNEL void BlockRowSumPlain(const BlockRow *r, const PetscScalar *x, AutoCSRValue value, PetscInt b, PetscScalar sum[])
{
  for (PetscInt t = 0; t < r->blocks; t++) {
    const PetscScalar *xt = x + BlockColumn(r, t, b);

    UNROLL
    for (PetscInt i = 0; i < b; i++) {
      UNROLL
      for (PetscInt j = 0; j < b; j++) sum[i] = ScalarMultiplyAdd(sum[i], EntryValue(r->e, value, (size_t)(i * r->length + t * b + j)), xt[j]);
    }
  }
}

/* y += block row transposed times x */
KERNEL void BlockRowScatter(const BlockRow *r, const PetscScalar *x, AutoCSRValue value, PetscInt b, PetscBool conjugate, PetscScalar *y)
{
  for (PetscInt t = 0; t < r->blocks; t++) {
    PetscScalar *yt = y + BlockColumn(r, t, b);

    BlockPrefetch(r, y, value, t, b);
    UNROLL
    for (PetscInt j = 0; j < b; j++) {
      PetscScalar s = yt[j];

      UNROLL
      for (PetscInt i = 0; i < b; i++) s = ScalarMultiplyAdd(s, ScalarConjugateIf(EntryValue(r->e, value, (size_t)(i * r->length + t * b + j)), conjugate), x[i]);
      yt[j] = s;
    }
  }
}

#if !defined(PETSC_USE_COMPLEX)
typedef PetscReal PieceVector __attribute__((vector_size(PIECE * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));
typedef float     PieceFloats __attribute__((vector_size(PIECE * sizeof(float)), aligned(sizeof(float)), may_alias));

/* The first n entries of x, which are all that there are */
KERNEL PieceVector PieceOfX(const PetscScalar *x, int n)
{
  PieceVector v = {0};

  if (n >= PIECE) return *(const PieceVector *)x;
  UNROLL
  for (int j = 0; j < n; j++) v[j] = x[j];
  return v;
}

/* Its first n scalars; what follows is of the next block, and may not be finite: times the 0 that x has there an operation would be invalid (-fp_trap) */
KERNEL PieceVector PieceFirst(PieceVector v, int n)
{
  UNROLL
  for (int j = 0; j < PIECE; j++) v[j] = j < n ? v[j] : 0;
  return v;
}

KERNEL PieceVector PieceOfValues(Entries e, AutoCSRValue value, size_t q)
{
  PieceVector v;

  switch ((int)value) {
  case AUTOCSR_VALUE_DICTIONARY:
    UNROLL
    for (int j = 0; j < PIECE; j++) v[j] = EntryValue(e, value, q + j);
    return v;
  case AUTOCSR_VALUE_FLOAT32:
    return __builtin_convertvector(*(const PieceFloats *)((const float *)e.value + q), PieceVector);
  default:
    return *(const PieceVector *)((const PetscScalar *)e.value + q);
  }
}

/* The same for `rows` rows from `row` on, in registers; PIECE - 1 entries past the end of the block row must be readable */
KERNEL void BlockRowsSum(const BlockRow *r, const PetscScalar *x, AutoCSRValue value, int b, int row, int rows, PetscScalar total[])
{
  const int   pieces = (b + PIECE - 1) / PIECE, turns = PetscMax(1, PetscMin(4, SUMS / (rows * pieces))); /* blocks at once */
  PieceVector sum[4][4][8 / PIECE] = {{{{0}}}};
  PetscInt    t                    = 0;

  #define ADD_BLOCKS(count)                                                                                                                                                   \
    UNROLL                                                                                                                                                                    \
    for (int u = 0; u < (count); u++) {                                                                                                                                       \
      const PetscScalar *xt = x + BlockColumn(r, t + u, b);                                                                                                                   \
      if (!row) BlockPrefetch(r, x, value, t + u, b);                                                                                                                         \
      UNROLL                                                                                                                                                                  \
      for (int p = 0; p < pieces; p++) {                                                                                                                                      \
        const PieceVector xp = PieceOfX(xt + p * PIECE, b - p * PIECE);                                                                                                       \
        UNROLL                                                                                                                                                                \
        for (int i = 0; i < rows; i++) sum[u][i][p] += PieceFirst(PieceOfValues(r->e, value, (size_t)((row + i) * r->length + (t + u) * b + p * PIECE)), b - p * PIECE) * xp; \
      }                                                                                                                                                                       \
    }
  for (; t + turns <= r->blocks; t += turns) {
    ADD_BLOCKS(turns)
  }
  for (; t < r->blocks; t++) {
    ADD_BLOCKS(1)
  }
  #undef ADD_BLOCKS
  UNROLL
  for (int i = 0; i < rows; i++) {
    UNROLL
    for (int u = 1; u < turns; u++) {
      UNROLL
      for (int p = 0; p < pieces; p++) sum[0][i][p] += sum[u][i][p];
    }
    UNROLL
    for (int j = 0; j < b; j++) total[row + i] += sum[0][i][j / PIECE][j % PIECE];
  }
}
#endif

KERNEL void BlockRunSize(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value, PetscBool transpose, PetscBool scattered, int b)
{
  const Entries  entries = EntriesOfSegment(seg, op->csr, AUTOCSR_INDEX_CSR, value);
  const PetscInt ahead   = (b - 1) * (seg->nnz / PetscMax(seg->n_rows, 1));
#if !defined(PETSC_USE_COMPLEX)
  const int      sums = b * ((b + PIECE - 1) / PIECE), groups = (sums + SUMS - 1) / SUMS, group = (b + groups - 1) / groups; /* rows at once */
  const Prefetch prefetch = BlockPrefetchKind(seg, (PetscBool)(groups > 1 && !transpose), (size_t)ahead * ValueSize(value));
#else
  const Prefetch prefetch = BlockPrefetchKind(seg, PETSC_FALSE, (size_t)ahead * ValueSize(value));
#endif

  for (PetscInt k = 0; k < seg->n_rows; k += b) {
    const BlockRow r   = BlockRowOf(seg, op->csr, k, b, ahead, prefetch, scattered, entries, value);
    const PetscInt row = seg->row_begin + k;
    PetscScalar    sum[8];

    if (transpose) {
      BlockRowScatter(&r, op->x + row, value, b, op->conjugate, op->y);
      continue;
    }
    UNROLL
    for (int i = 0; i < b; i++) sum[i] = AddendOf(op, row + i);
#if defined(PETSC_USE_COMPLEX)
    BlockRowSumPlain(&r, op->x, value, b, sum);
#else
    if (op->csr->nnz - op->csr->row_ptr[row + b] < PIECE)
      BlockRowSumPlain(&r, op->x, value, b, sum);
    else {
      UNROLL
      for (int i = 0; i < b; i += group) BlockRowsSum(&r, op->x, value, b, i, PetscMin(group, b - i), sum);
    }
#endif
    UNROLL
    for (int i = 0; i < b; i++) op->y[row + i] = sum[i];
  }
}

KERNEL void BlockRun(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value, PetscBool transpose)
{
#define RUN_SIZE(b)                                             \
case b:                                                         \
  if (!transpose && seg->far && AutoCSRBoundOf(seg)->scattered) \
    BlockRunSize(seg, op, value, transpose, PETSC_TRUE, b);     \
  else                                                          \
    BlockRunSize(seg, op, value, transpose, PETSC_FALSE, b);    \
  break;
  switch (seg->axes.block) {
    RUN_SIZE(2)
    RUN_SIZE(3)
    RUN_SIZE(4)
    RUN_SIZE(5)
    RUN_SIZE(6)
    RUN_SIZE(7)
    RUN_SIZE(8)
  }
#undef RUN_SIZE
}

#endif
