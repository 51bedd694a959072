/*
  Products with a dense matrix: panels of B, of up to DENSE_VECTORS vectors of columns, whose rows lie side by side. An entry of
  A is multiplied by all of its row of the panel; sums of LANES rows are turned into columns of C in registers.
*/
#ifndef AUTOCSR_HOST_KERNELS_DENSE_H
#define AUTOCSR_HOST_KERNELS_DENSE_H

#include "../dense.h"
#include "simd.h"

/* Lane l of v[k] changes places with lane k of v[l] */
KERNEL void RealTranspose(RealVector v[LANES])
{
#define LOWER(l) (l) & half ? (l)-half + LANES : (l)
#define UPPER(l) (l) & half ? (l) + LANES : (l) + half
  UNROLL
  for (int half = 1; half < LANES; half *= 2) {
    UNROLL
    for (int k = 0; k < LANES; k++) {
      if (k & half) continue;
      const RealVector a = v[k], b = v[k + half];

      v[k]        = __builtin_shuffle(a, b, (LaneMask)EACH_LANE(LOWER));
      v[k + half] = __builtin_shuffle(a, b, (LaneMask)EACH_LANE(UPPER));
    }
  }
#undef LOWER
#undef UPPER
}

KERNEL void VectorsTranspose(Vector v[LANES])
{
  RealVector part[LANES];

  UNROLL
  for (int l = 0; l < LANES; l++) part[l] = v[l].re;
  RealTranspose(part);
  UNROLL
  for (int l = 0; l < LANES; l++) v[l].re = part[l];
#if defined(PETSC_USE_COMPLEX)
  UNROLL
  for (int l = 0; l < LANES; l++) part[l] = v[l].im;
  RealTranspose(part);
  UNROLL
  for (int l = 0; l < LANES; l++) v[l].im = part[l];
#endif
}

/* As many scalars as there are, zeros behind them */
KERNEL Vector VectorLoadSome(const PetscScalar *p, PetscInt scalars)
{
  PetscScalar some[LANES] = {0};

  if (scalars >= LANES) return VectorLoad(p);
  for (int k = 0; k < scalars; k++) some[k] = p[k];
  return VectorLoad(some);
}

/* Of what lies LANES by LANES, column by column, no more than is there; zero elsewhere */
KERNEL void VectorsLoad(Vector v[LANES], const PetscScalar *p, size_t ld, PetscInt rows, PetscInt columns)
{
  if (rows >= LANES && columns >= LANES) {
    UNROLL
    for (int l = 0; l < LANES; l++) v[l] = VectorLoad(p + l * ld);
    return;
  }
  for (int l = 0; l < LANES; l++) {
    PetscScalar column[LANES] = {0};

    for (int k = 0; k < LANES && k < rows && l < columns; k++) column[k] = p[l * ld + k];
    v[l] = VectorLoad(column);
  }
}

KERNEL void VectorsStore(const Vector v[LANES], PetscScalar *p, size_t ld, PetscInt rows, PetscInt columns)
{
  if (rows >= LANES && columns >= LANES) {
    UNROLL
    for (int l = 0; l < LANES; l++) VectorStore(p + l * ld, v[l]);
    return;
  }
  for (int l = 0; l < LANES && l < columns; l++) {
    PetscScalar column[LANES];

    VectorStore(column, v[l]);
    for (int k = 0; k < LANES && k < rows; k++) p[l * ld + k] = column[k];
  }
}

/*
  A panel, in which the v-th vector of row i of B is at (i & mask) * vectors + v. Several cache lines of a column at a time are taken from B, and put into C,
  one after the other, so that pages and streams do not change with each
*/
KERNEL void DensePack(const PetscScalar *B, size_t ldb, PetscBool by_rows, PetscInt begin, PetscInt n, PetscInt columns, int vectors, Vector *panel, size_t mask)
{
  const PetscInt end = n - begin < AUTOCSR_DENSE_STRIP ? n : begin + AUTOCSR_DENSE_STRIP;

  if (by_rows) {
    for (PetscInt i = begin; i < end; i++) {
      for (int v = 0; v < vectors; v++) panel[((size_t)i & mask) * vectors + v] = VectorLoadSome(B + (size_t)i * ldb + v * LANES, columns - v * LANES);
    }
    return;
  }
  for (int v = 0; v < vectors; v++) {
    for (PetscInt i = begin; i < end; i += LANES) {
      Vector block[LANES];

      VectorsLoad(block, B + v * LANES * ldb + i, ldb, end - i, columns - v * LANES);
      VectorsTranspose(block);
      UNROLL
      for (int l = 0; l < LANES; l++) panel[((size_t)(i + l) & mask) * vectors + v] = block[l]; /* a panel has room for whole strips */
    }
  }
}

KERNEL void DenseRow(const AutoCSRMatrix *csr, PetscInt row, const Vector *panel, size_t mask, int vectors, Vector sum[])
{
  const PetscInt end = csr->row_ptr[row + 1];
  Vector         s[DENSE_VECTORS];

  UNROLL
  for (int v = 0; v < vectors; v++) s[v] = VectorZero();
  for (PetscInt q = csr->row_ptr[row]; q < end; q++) {
    const Vector *b = panel + ((size_t)csr->col[q] & mask) * vectors;

    UNROLL
    for (int v = 0; v < vectors; v++) s[v] = VectorMultiplyAdd(s[v], VectorOfOne(csr->val[q]), b[v]);
  }
  UNROLL
  for (int v = 0; v < vectors; v++) sum[v] = s[v];
}

/* Sums of rows, `stride` vectors apart, into columns of C; add: to what is there */
KERNEL void DensePut(const Vector sum[], int stride, PetscInt rows, PetscScalar *C, size_t ldc, PetscBool add, PetscInt columns, int vectors)
{
  for (int v = 0; v < vectors; v++) {
    for (PetscInt k = 0; k < rows; k += LANES) {
      Vector block[LANES];

      UNROLL
      for (int l = 0; l < LANES; l++) block[l] = k + l < rows ? sum[(k + l) * stride + v] : VectorZero();
      VectorsTranspose(block);
      if (add) {
        Vector before[LANES];

        VectorsLoad(before, C + v * LANES * ldc + k, ldc, rows - k, columns - v * LANES);
        UNROLL
        for (int l = 0; l < LANES; l++) block[l] = VectorAdd(before[l], block[l]);
      }
      VectorsStore(block, C + v * LANES * ldc + k, ldc, rows - k, columns - v * LANES);
    }
  }
}

KERNEL void DenseColumns(const AutoCSRDenseOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, Vector *panel, size_t mask, int vectors)
{
  const AutoCSRMatrix *csr    = op->csr;
  const PetscScalar   *B      = AutoCSRDenseFrom(op->B, op->ldb, op->by_rows, first);
  PetscScalar         *C      = op->C + (size_t)first * op->ldc;
  PetscInt             packed = 0;
  Vector               sum[AUTOCSR_DENSE_STRIP][DENSE_VECTORS];

  for (PetscInt begin = 0; begin < csr->m; begin += AUTOCSR_DENSE_STRIP) {
    const PetscInt rows = PetscMin(AUTOCSR_DENSE_STRIP, csr->m - begin), last = kept->last[begin / AUTOCSR_DENSE_STRIP];

    for (; packed < last; packed += AUTOCSR_DENSE_STRIP) DensePack(B, op->ldb, op->by_rows, packed, csr->n, columns, vectors, panel, mask);
    for (int k = 0; k < rows; k++) DenseRow(csr, begin + k, panel, mask, vectors, sum[k]);
    DensePut(sum[0], DENSE_VECTORS, rows, C + begin, op->ldc, op->add, columns, vectors);
  }
}

#define DENSE_KERNEL(vectors)                                                                                                                      \
  static void Dense##vectors(const AutoCSRDenseOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, void *panel, size_t mask) \
  {                                                                                                                                                \
    DenseColumns(op, kept, first, columns, panel, mask, vectors);                                                                                  \
  }

#endif
