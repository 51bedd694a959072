/*
  Kernels over diagonals of symmetric values (order DIAGONAL): rows of one pattern lie side by side on each diagonal, and what
  is below the main one is read where it lies above it, which a row further up has brought to a cache. No gather, no scatter:
  a row adds its entries in the order of the CSR.
*/
#ifndef AUTOCSR_HOST_KERNELS_DIAGONAL_H
#define AUTOCSR_HOST_KERNELS_DIAGONAL_H

#include "kernels_sliced.h"

/* Found with `make bench` on the matrices poisson3d27-sym, poisson3d7-sym and poisson2d5-sym */
#define WIDE_VECTORS (SIMD_BYTES == 64 || sizeof(PetscScalar) > sizeof(PetscReal) ? 4 : 8) /* vectors of sums in registers: the longer a diagonal is read at a time, the better the processor's own prefetch does */
#define AHEAD_ON     1024                                                                  /* bytes between what is read of a diagonal and what is prefetched into the second-level cache; the first has no room for so many diagonals */
#define AHEAD_BELOW  512                                                                   /* the same below the main diagonal, from the last cache */
#define FAR_BELOW    3000                                                                  /* rows from which on a value may have left the second-level cache */

/* A pattern: entry t of a row is in the column `offset` from it, its value as far from the row as `place` says */
typedef struct {
  const PetscInt *offset, *place;
  PetscInt        width;
} DiagonalPattern;

/* The first row after row k that has another pattern, n at most */
KERNEL PetscInt PatternEnd(const uint16_t *id, PetscInt k, PetscInt n)
{
  const uint16_t first = id[k];

  while (k + OCTET <= n && id[k] == first && PatternsAgree(id + k)) k += OCTET;
  while (k < n && id[k] == first) k++;
  return k;
}

/* Rows from `row` on, of one pattern, in so many vectors; the first `done` of them are there */
KERNEL void DiagonalOctet(const AutoCSROperands *op, DiagonalPattern pattern, PetscInt row, int vectors, int done, PetscBool far, Entries e, AutoCSRValue value, PetscBool conjugate)
{
  const size_t       line = 64 / ValueSize(value);
  const PetscScalar *x    = op->x + row;
  Vector             sum[8];

  UNROLL
  for (int p = 0; p < vectors; p++) sum[p] = op->z ? VectorLoad(op->z + row + p * LANES) : VectorZero();
  for (PetscInt t = 0; t < pattern.width; t++) {
    const PetscInt     offset = pattern.offset[t];
    const Entries      a      = EntriesFrom(e, AUTOCSR_INDEX_PATTERN, value, (size_t)pattern.place[t] + (size_t)row);
    const PetscScalar *xt     = x + offset;

    if (far && (offset >= 0 || offset < -FAR_BELOW)) {
      const char *ahead = (const char *)a.value + (offset >= 0 ? AHEAD_ON : AHEAD_BELOW);

      UNROLL
      for (size_t l = 0; l < (size_t)vectors * LANES; l += line) __builtin_prefetch(ahead + l * ValueSize(value), 0, 2);
    }
    UNROLL
    for (int p = 0; p < vectors; p++) sum[p] = VectorMultiplyAdd(sum[p], VectorConjugateIf(EntryValues(a, value, p * LANES), conjugate), VectorLoad(xt + p * LANES));
  }
  if (done) {
    UNROLL
    for (int l = 0; l < vectors * LANES; l++) {
      if (l >= done) op->y[row + l] = VectorLane(sum[l / LANES], l % LANES);
    }
  } else {
    UNROLL
    for (int p = 0; p < vectors; p++) VectorStore(op->y + row + p * LANES, sum[p]);
  }
}

KERNEL PetscScalar DiagonalRowSum(PetscScalar s, DiagonalPattern pattern, PetscInt row, Entries e, const PetscScalar *x, AutoCSRValue value, PetscBool conjugate)
{
  for (PetscInt t = 0; t < pattern.width; t++) s = ScalarMultiplyAdd(s, ScalarConjugateIf(EntryValue(e, value, (size_t)pattern.place[t] + (size_t)row), conjugate), x[row + pattern.offset[t]]);
  return s;
}

/* y = z + A x; the rows that are left over of those with one pattern are done with rows before them, which are there already */
KERNEL void DiagonalMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value, PetscBool conjugate)
{
  const Patterns  all   = PatternsOfSegment(seg);
  const PetscInt *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PLACE].data;
  const PetscBool far   = seg->far;
  const Entries   e     = EntriesOfSegment(seg, op->csr, AUTOCSR_INDEX_PATTERN, value);
  PetscInt        k     = 0;

  while (k < seg->n_rows) {
    const PetscInt        end = PatternEnd(all.id, k, seg->n_rows), p = all.ptr[all.id[k]];
    const DiagonalPattern pattern = {all.offset + p, place + p, all.ptr[all.id[k] + 1] - p};

    if (end - k < OCTET) {
      for (; k < end; k++) op->y[k] = DiagonalRowSum(AddendOf(op, k), pattern, k, e, op->x, value, conjugate);
      continue;
    }
    for (; k + WIDE_VECTORS * LANES <= end; k += WIDE_VECTORS * LANES) DiagonalOctet(op, pattern, k, WIDE_VECTORS, 0, far, e, value, conjugate);
    for (; k + OCTET <= end; k += OCTET) DiagonalOctet(op, pattern, k, OCTET_VECTORS, 0, far, e, value, conjugate);
    if (k < end) DiagonalOctet(op, pattern, end - OCTET, OCTET_VECTORS, (int)(k - (end - OCTET)), far, e, value, conjugate);
    k = end;
  }
}

/* y += A^T x, or A^H x if the operands say so: A is its transpose */
KERNEL void DiagonalTranspose(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value)
{
  AutoCSROperands more = *op;

  more.z = op->y;
  if (op->conjugate)
    DiagonalMultiply(seg, &more, value, PETSC_TRUE);
  else
    DiagonalMultiply(seg, &more, value, PETSC_FALSE);
}

#endif
