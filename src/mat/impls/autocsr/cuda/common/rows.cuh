/* Products of the rows of a small CSR, read in place: a row for a few lanes, whose sums are added by a tree, so in one order */
#ifndef AUTOCSR_ROWS_CUH
#define AUTOCSR_ROWS_CUH

#include "words.cuh"

/* Rows of a group of lanes, and entries of a lane in each, whose loads do not wait for each other */
static constexpr int ROWS_AT_ONCE = 2, ENTRIES_AT_ONCE = 2;

static __device__ __forceinline__ PetscScalar RowsMultiplyAdd(PetscScalar s, PetscScalar a, PetscScalar x)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(PetscRealPart(s) + PetscRealPart(a) * PetscRealPart(x) - PetscImaginaryPart(a) * PetscImaginaryPart(x), PetscImaginaryPart(s) + PetscRealPart(a) * PetscImaginaryPart(x) + PetscImaginaryPart(a) * PetscRealPart(x));
#else
  return s + a * x;
#endif
}

static __device__ __forceinline__ PetscScalar RowsShuffleDown(PetscScalar v, int lanes)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(__shfl_down_sync(0xffffffffu, PetscRealPart(v), lanes), __shfl_down_sync(0xffffffffu, PetscImaginaryPart(v), lanes));
#else
  return __shfl_down_sync(0xffffffffu, v, lanes);
#endif
}

/*
  use(row, product with x) by the first lane of each group; all threads of whole warps call this. `thread` of `threads` has this place in
  all that share the rows. The matrix is not written while the kernel runs; x may be, before
*/
template <int lanes, typename Use>
static __device__ __forceinline__ void ForRowProducts(PetscInt n, const PetscInt *row_ptr, const PetscInt *col, const PetscScalar *val, const PetscScalar *x, unsigned thread, unsigned threads, Use use)
{
  const PetscInt64 stride = threads / lanes, group = thread / lanes;
  const PetscInt   lane = (PetscInt)(thread % lanes);

  for (PetscInt64 first = group - group % (32 / lanes); first < n; first += ROWS_AT_ONCE * stride) { /* a warp stays together */
    PetscInt    begin[ROWS_AT_ONCE], end[ROWS_AT_ONCE], longest = 0;
    PetscScalar sum[ROWS_AT_ONCE];

#pragma unroll
    for (int k = 0; k < ROWS_AT_ONCE; k++) {
      const PetscInt64 row = first + group % (32 / lanes) + k * stride;

      begin[k] = row < n ? LoadCached(row_ptr + row) : 0;
      end[k]   = row < n ? LoadCached(row_ptr + row + 1) : 0;
      longest  = PetscMax(longest, end[k] - begin[k]);
      sum[k]   = 0;
    }
    for (PetscInt j = lane; j < longest; j += ENTRIES_AT_ONCE * lanes) {
      PetscInt    c[ROWS_AT_ONCE][ENTRIES_AT_ONCE];
      PetscScalar a[ROWS_AT_ONCE][ENTRIES_AT_ONCE];

#pragma unroll
      for (int k = 0; k < ROWS_AT_ONCE; k++) {
#pragma unroll
        for (int e = 0; e < ENTRIES_AT_ONCE; e++) {
          const bool exists = j + e * lanes < end[k] - begin[k];

          c[k][e] = LoadCachedIf(exists, col + begin[k] + j + e * lanes);
          a[k][e] = LoadCachedIf(exists, val + begin[k] + j + e * lanes);
        }
      }
#pragma unroll
      for (int k = 0; k < ROWS_AT_ONCE; k++) {
#pragma unroll
        for (int e = 0; e < ENTRIES_AT_ONCE; e++) {
          if (j + e * lanes < end[k] - begin[k]) sum[k] = RowsMultiplyAdd(sum[k], a[k][e], x[c[k][e]]);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < ROWS_AT_ONCE; k++) {
      const PetscInt64 row = first + group % (32 / lanes) + k * stride;

#pragma unroll
      for (int o = lanes / 2; o; o /= 2) sum[k] += RowsShuffleDown(sum[k], o);
      if (lane == 0 && row < n) use(row, sum[k]);
    }
  }
}

#endif
