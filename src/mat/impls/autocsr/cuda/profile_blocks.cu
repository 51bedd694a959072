/*
  The block size (profile/blocks.c): a warp looks at the entries of 32 rows, for all sizes at once, and leaves as soon as no
  size fits. A row that is not the first of its block row equals the row before it; an entry that is not the first of its
  block follows the one before it, the first is on a block's border.
*/
#include "profile.cuh"

#define EACH_SIZE(F) F(2) F(3) F(4) F(5) F(6) F(7) F(8)

static __global__ void __launch_bounds__(BLOCK) FindBlocks(AutoCSRMatrix csr, unsigned sizes, unsigned *not_blocks)
{
  __shared__ SliceEntries slices[BLOCK / WARP];
  SliceEntries           &slice = slices[threadIdx.x / WARP];

  for (PetscInt64 first = FirstOfThread() - Lane(); first < csr.m; first += StrideOfThreads()) {
    const PetscInt row  = (PetscInt)first + Lane();
    unsigned       fits = sizes & ~*(volatile unsigned *)not_blocks;

    fits = __shfl_sync(ALL_LANES, fits, 0);
    if (!fits) return;
    slice.Load(csr.row_ptr, (PetscInt)first, csr.m);
    if (row < csr.m) {
      const PetscInt length = slice.begin[Lane() + 1] - slice.begin[Lane()];
      const bool     like   = row == 0 || csr.row_ptr[row] - csr.row_ptr[row - 1] == length;

#define CHECK_ROW(b) \
  if (length % b || (!like && row % b)) fits &= ~(1u << b);
      EACH_SIZE(CHECK_ROW)
#undef CHECK_ROW
    }
    fits = __reduce_and_sync(ALL_LANES, fits);
    for (PetscInt64 base = slice.begin[0]; base < slice.begin[WARP] && fits; base += WARP) {
      const PetscInt p = (PetscInt)base + Lane();

      if (base + Lane() < slice.begin[WARP]) {
        const int      r = slice.RowOf(p);
        const PetscInt i = (PetscInt)first + r, t = p - slice.begin[r], length = slice.begin[r + 1] - slice.begin[r], col = csr.col[p];
        const bool     follows = t > 0 && col == csr.col[p - 1] + 1;
        const bool     like    = p >= length && col == csr.col[p - length];

#define CHECK_ENTRY(b) \
  if ((t % b ? !follows : col % b != 0) || (!like && i % b)) fits &= ~(1u << b);
        EACH_SIZE(CHECK_ENTRY)
#undef CHECK_ENTRY
      }
      fits = __reduce_and_sync(ALL_LANES, fits);
    }
    if (Lane() == 0 && sizes & ~fits) atomicOr(not_blocks, sizes & ~fits);
  }
}

PetscErrorCode DeviceProfileBlocks(const AutoCSRMatrix *csr, unsigned sizes, DeviceProfile *device)
{
  PetscFunctionBegin;
  FindBlocks<<<GridOf(Pieces(csr->m, BLOCK), 4096), BLOCK, 0, AUTOCSR_STREAM>>>(*csr, sizes, &device->not_blocks);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
