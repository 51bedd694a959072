/*
  The block size (profile/blocks.c), all sizes at once: each warp looks at as many entries, and leaves as soon as no size
  fits. Rows of a block row are as long as each other, whole blocks, and have the same columns; an entry that is not the
  first of its block follows the one before it, the first is on a block's border. What some warps rule out, which mostly is
  everything, those that come later need not.
*/
#include "profile.cuh"

#define SPAN         256    /* entries of a warp: it waits for memory with each 32 of them */
#define EACH_SIZE(F) F(2) F(3) F(4) F(5) F(6) F(7) F(8)

static constexpr int WARPS = BLOCK / WARP;

static __global__ void __launch_bounds__(BLOCK) FindBlocks(AutoCSRMatrix csr, unsigned sizes, unsigned *not_blocks)
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  SliceEntries           &slice = slices[threadIdx.x / WARP];

  for (PetscInt64 begin = FirstOfThread() / WARP * SPAN; begin < csr.nnz; begin += StrideOfThreads() / WARP * SPAN) {
    unsigned fits = __shfl_sync(ALL_LANES, sizes & ~*(volatile unsigned *)not_blocks, 0);

    if (!fits) return;
    WarpWalkEntries(csr.row_ptr, csr.m, begin, begin + SPAN < csr.nnz ? begin + SPAN : csr.nnz, slice, [&](PetscInt first, PetscInt64 from, PetscInt64 to) {
      for (; from < to && fits; from += WARP) {
        const PetscInt p = (PetscInt)from + Lane();

        if (from + Lane() < to) {
          const int      r = slice.RowOf(p);
          const PetscInt i = first + r, t = p - slice.begin[r], length = slice.begin[r + 1] - slice.begin[r], col = csr.col[p];
          const bool     follows = t && col == csr.col[p - 1] + 1;
          const bool     like    = p >= length && col == csr.col[p - length];

          if (!t) { /* of a row, once; a row without entries is seen by its neighbours */
            const bool like_last = i && csr.row_ptr[i] - csr.row_ptr[i - 1] == length, like_next = i + 1 < csr.m && csr.row_ptr[i + 2] - csr.row_ptr[i + 1] == length;

#define CHECK_ROW(b) \
  if ((fits >> b & 1) && (length % b || (i % b && !like_last) || ((i + 1) % b && !like_next))) fits &= ~(1u << b);
            EACH_SIZE(CHECK_ROW)
#undef CHECK_ROW
          }
#define CHECK_ENTRY(b) \
  if ((fits >> b & 1) && ((t % b ? !follows : col % b != 0) || (i % b && !like))) fits &= ~(1u << b);
          EACH_SIZE(CHECK_ENTRY)
#undef CHECK_ENTRY
        }
        fits = __reduce_and_sync(ALL_LANES, fits);
      }
    });
    if (Lane() == 0 && sizes & ~fits) atomicOr(not_blocks, sizes & ~fits);
  }
}

PetscErrorCode DeviceProfileBlocks(const AutoCSRMatrix *csr, unsigned sizes, cudaStream_t stream, DeviceProfile *device)
{
  PetscFunctionBegin;
  Launch(FindBlocks, GridOf(Pieces(csr->nnz, SPAN * WARPS), 1056), BLOCK, 0, stream)(*csr, sizes, &device->not_blocks);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
