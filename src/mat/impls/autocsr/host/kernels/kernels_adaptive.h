/*
  Products with dense matrices by adaptive sparse tiles (hong2019, 4.2, Listings 1 and 4): the rows of a row panel take the
  entries of one tile after the other. The rows of B's panel that a tile reads stay in the second-level cache, and so do the
  sums of the row panel.
*/
#ifndef AUTOCSR_HOST_KERNELS_ADAPTIVE_H
#define AUTOCSR_HOST_KERNELS_ADAPTIVE_H

#include "kernels_sampled.h"
#include "../../layout/adaptive.h"

/* Packs the rows of B that the rows before `end` need; returns how many there are now */
KERNEL PetscInt AdaptivePack(const AutoCSRDense *kept, PetscInt end, const PetscScalar *B, size_t ldb, PetscBool by_rows, PetscInt packed, PetscInt n, PetscInt columns, int vectors, Vector *panel, size_t mask)
{
  for (; packed < kept->last[(end - 1) / AUTOCSR_DENSE_STRIP]; packed += AUTOCSR_DENSE_STRIP) DensePack(B, ldb, by_rows, packed, n, columns, vectors, panel, mask);
  return packed;
}

KERNEL void DenseAdaptive(const AutoCSRDenseOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, Vector *panel, size_t mask, Vector *sum, int vectors)
{
  const AutoCSRSegment *seg       = kept->tiles->segment;
  const PetscInt       *panel_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data;
  const uint32_t       *index     = (const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
  const PetscScalar    *value     = (const PetscScalar *)seg->stream[AUTOCSR_STREAM_VALUE].data;
  const PetscScalar    *B         = AutoCSRDenseFrom(op->B, op->ldb, op->by_rows, first);
  PetscScalar          *C         = op->C + (size_t)first * op->ldc;

  for (PetscInt p = 0, packed = 0; p < AutoCSRAdaptiveRowPanels(seg); p++) {
    PetscInt begin, end;

    AutoCSRAdaptiveRows(seg, p, &begin, &end);
    packed = AdaptivePack(kept, end, B, op->ldb, op->by_rows, packed, op->csr->n, columns, vectors, panel, mask);
    for (PetscInt i = 0; i < (end - begin) * vectors; i++) sum[i] = VectorZero();
    for (PetscInt t = panel_ptr[p]; t <= panel_ptr[p + 1]; t++) {
      const PetscInt c = t < panel_ptr[p + 1] ? t : AutoCSRAdaptiveLight(seg, p); /* after the heavy tiles */

      for (PetscInt i = 0; i < end - begin; i++) {
        PetscInt q, q_end;
        Vector   s[DENSE_VECTORS];

        AutoCSRAdaptiveTileRow(seg, c, i, &q, &q_end);
        if (q == q_end) continue;
        UNROLL
        for (int v = 0; v < vectors; v++) s[v] = sum[i * vectors + v];
        for (; q < q_end; q++) {
          const Vector *b = panel + ((size_t)index[q] & mask) * vectors;

          UNROLL
          for (int v = 0; v < vectors; v++) s[v] = VectorMultiplyAdd(s[v], VectorOfOne(value[q]), b[v]);
        }
        UNROLL
        for (int v = 0; v < vectors; v++) sum[i * vectors + v] = s[v];
      }
    }
    DensePut(sum, vectors, end - begin, C + begin, op->ldc, op->add, columns, vectors);
  }
}

/* sums: of each place over the columns so far; x: room for the rows of X of a row panel */
KERNEL void SampledAdaptive(const AutoCSRSampledOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, Vector *panel, size_t mask, Vector *x, PetscScalar sum[], PetscScalar val[], int vectors)
{
  const AutoCSRSegment *seg       = kept->tiles->segment;
  const AutoCSRMatrix  *csr       = op->csr;
  const PetscInt       *panel_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data, *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data;
  const uint32_t       *index = (const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
  const PetscScalar    *X = op->X + (size_t)first * op->ldx, *Y = AutoCSRDenseFrom(op->Y, op->ldy, op->by_rows, first);

  for (PetscInt p = 0, packed = 0; p < AutoCSRAdaptiveRowPanels(seg); p++) {
    PetscInt begin, end;

    AutoCSRAdaptiveRows(seg, p, &begin, &end);
    packed = AdaptivePack(kept, end, Y, op->ldy, op->by_rows, packed, csr->n, columns, vectors, panel, mask);
    for (PetscInt i = begin; i < end; i += AUTOCSR_DENSE_STRIP) DensePack(X, op->ldx, PETSC_FALSE, i, csr->m, columns, vectors, x + (size_t)(i - begin) * vectors, AUTOCSR_DENSE_STRIP - 1);
    for (PetscInt t = panel_ptr[p]; t <= panel_ptr[p + 1]; t++) {
      const PetscInt c = t < panel_ptr[p + 1] ? t : AutoCSRAdaptiveLight(seg, p); /* after the heavy tiles */

      for (PetscInt i = 0; i < end - begin; i++) {
        PetscInt q, q_end;

        AutoCSRAdaptiveTileRow(seg, c, i, &q, &q_end);
        for (; q < q_end; q += LANES) {
          PetscInt    col[LANES] = {0};
          PetscScalar product[LANES];

          for (int l = 0; l < LANES && q + l < q_end; l++) col[l] = (PetscInt)index[q + l];
          VectorStore(product, SampledProducts(col, 0, PetscMin(LANES, q_end - q), x + (size_t)i * vectors, panel, mask, vectors));
          for (int l = 0; l < LANES && q + l < q_end; l++) {
            const PetscScalar all = first ? sum[q + l] + product[l] : product[l];

            if (val)
              val[place[q + l]] = ScalarMultiply(csr->val[place[q + l]], all);
            else
              sum[q + l] = all;
          }
        }
      }
    }
  }
}

#define ADAPTIVE_KERNELS(vectors)                                                                                                                                                                    \
  static void DenseAdaptive##vectors(const AutoCSRDenseOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, void *panel, size_t mask, void *rows)                             \
  {                                                                                                                                                                                                  \
    DenseAdaptive(op, kept, first, columns, panel, mask, rows, vectors);                                                                                                                             \
  }                                                                                                                                                                                                  \
  static void SampledAdaptive##vectors(const AutoCSRSampledOperands *op, const AutoCSRDense *kept, PetscInt first, PetscInt columns, void *panel, size_t mask, void *rows, PetscScalar sum[], PetscScalar val[]) \
  {                                                                                                                                                                                                  \
    SampledAdaptive(op, kept, first, columns, panel, mask, rows, sum, val, vectors);                                                                                                                \
  }

#endif
