/* Virtual rows, and how a block counts those of a bin */
#ifndef AUTOCSR_BINS_CUH
#define AUTOCSR_BINS_CUH

#include "profile.cuh"

/* A virtual row: U rows, the last one what is left */
struct VirtualRows {
  PetscInt        m, U, bins;
  const PetscInt *row_ptr;

  __device__ __forceinline__ PetscInt End(PetscInt v) const
  {
    return m - v * U < U ? m : (v + 1) * U;
  }
  __device__ __forceinline__ PetscInt Nonzeros(PetscInt v) const
  {
    return row_ptr[End(v)] - row_ptr[v * U];
  }
  __device__ __forceinline__ PetscInt Bin(PetscInt v) const
  {
    const PetscInt w = Nonzeros(v) / U;

    return w < bins - 1 ? w : bins - 1;
  }
};

/* A block's share of the virtual rows of a matrix: the first and the stride of its threads. `own` is shared memory */
static __device__ __forceinline__ void CountVirtualRows(const VirtualRows &rows, PetscInt64 first, PetscInt64 stride, AutoCSRBins &own, AutoCSRBins *out)
{
  const PetscInt n = Pieces(rows.m, rows.U);

  for (int b = (int)threadIdx.x; b < rows.bins; b += BLOCK) own.count[b] = own.rows[b] = own.nnz[b] = 0;
  __syncthreads();
  for (PetscInt64 i = first; i < n; i += stride) {
    const PetscInt v = (PetscInt)i, b = rows.Bin(v);

    AtomicAdd(&own.count[b], 1);
    AtomicAdd(&own.rows[b], rows.End(v) - v * rows.U);
    AtomicAdd(&own.nnz[b], rows.Nonzeros(v));
  }
  __syncthreads();
  for (int b = (int)threadIdx.x; b < rows.bins; b += BLOCK) {
    if (!own.count[b]) continue;
    AtomicAdd(&out->count[b], own.count[b]);
    AtomicAdd(&out->rows[b], own.rows[b]);
    AtomicAdd(&out->nnz[b], own.nnz[b]);
  }
}

#endif
