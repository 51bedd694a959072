/*
  Dense matrices sampled where a sparse one has entries (hong2019, 2.2): panels of Y as kernels_dense.h makes them of B, rows of X copied
  beside their use. The products of LANES entries, a vector each, are turned and added up together.
*/
#ifndef AUTOCSR_HOST_KERNELS_SAMPLED_H
#define AUTOCSR_HOST_KERNELS_SAMPLED_H

#include "kernels_dense.h"

/* Entries [q, end), of one row and no more than LANES: their products with that row of X */
KERNEL Vector SampledProducts(const PetscInt col[], PetscInt q, PetscInt end, const Vector x[], const Vector *panel, size_t mask, int vectors)
{
  Vector s[LANES];

  UNROLL
  for (int l = 0; l < LANES; l++) {
    s[l] = VectorZero();
    if (l < end - q) {
      const Vector *y = panel + ((size_t)col[q + l] & mask) * vectors;

      UNROLL
      for (int v = 0; v < vectors; v++) s[l] = VectorMultiplyAdd(s[l], x[v], y[v]);
    }
  }
  VectorsTranspose(s);
  UNROLL
  for (int half = LANES / 2; half; half /= 2) {
    UNROLL
    for (int l = 0; l < half; l++) s[l] = VectorAdd(s[l], s[l + half]);
  }
  return s[0];
}

/* sum: of each entry over the columns so far; val NULL: there are columns still to come */
KERNEL void SampledColumns(const AutoCSRSampledOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, Vector *panel, size_t mask, PetscScalar sum[], PetscScalar val[], int vectors)
{
  const AutoCSRMatrix *csr = op->csr;
  const PetscScalar   *X = op->X + (size_t)first * op->ldx, *Y = AutoCSRDenseFrom(op->Y, op->ldy, op->by_rows, first);
  PetscInt             packed = 0;
  Vector               x[AUTOCSR_DENSE_STRIP * DENSE_VECTORS];

  for (PetscInt begin = 0; begin < csr->m; begin += AUTOCSR_DENSE_STRIP) {
    const PetscInt end = PetscMin(begin + AUTOCSR_DENSE_STRIP, csr->m), last = kept->last[begin / AUTOCSR_DENSE_STRIP];

    for (; packed < last; packed += AUTOCSR_DENSE_STRIP) DensePack(Y, op->ldy, op->by_rows, packed, csr->n, columns, vectors, panel, mask);
    DensePack(X, op->ldx, PETSC_FALSE, begin, csr->m, columns, vectors, x, AUTOCSR_DENSE_STRIP - 1);
    for (PetscInt i = begin; i < end; i++) {
      const PetscInt row_end = csr->row_ptr[i + 1];

      for (PetscInt q = csr->row_ptr[i], left = row_end - q; left > 0; q += PetscMin(left, LANES), left -= LANES) {
        PetscScalar product[LANES];

        VectorStore(product, SampledProducts(csr->col, q, row_end, x + (i - begin) * vectors, panel, mask, vectors));
        for (int l = 0; l < LANES && l < left; l++) {
          const PetscScalar all = first ? sum[q + l] + product[l] : product[l];

          if (val)
            val[q + l] = ScalarMultiply(csr->val[q + l], all);
          else
            sum[q + l] = all;
        }
      }
    }
  }
}

#define SAMPLED_KERNEL(vectors)                                                                                                                                                              \
  static void Sampled##vectors(const AutoCSRSampledOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, void *panel, size_t mask, PetscScalar sum[], PetscScalar val[]) \
  {                                                                                                                                                                                          \
    SampledColumns(op, kept, first, columns, panel, mask, sum, val, vectors);                                                                                                                \
  }

#endif
