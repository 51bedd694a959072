/* Whether rows of one pattern have the same values: for the profile, and before new values are put into a plan that relies on it */
#include "profile.cuh"

static constexpr int LANES = 8; /* of a row */

static __global__ void __launch_bounds__(BLOCK) Compare(AutoCSRSegment seg, AutoCSRMatrix csr, const uint16_t id[], const PetscInt pattern_row[], const int *values, int *other)
{
  if (values && *values > AUTOCSR_MAX_DISTINCT) return;
  for (PetscInt64 k = FirstOfThread() / LANES; k < seg.n_rows && !*(volatile int *)other; k += StrideOfThreads() / LANES) {
    const PetscInt row = AutoCSRSegmentRow(&seg, (PetscInt)k);
    const int      p   = id[values ? row : k];

    if (p == AUTOCSR_NO_PATTERN) continue;
    const PetscScalar *v = csr.val + csr.row_ptr[row], *shown = csr.val + csr.row_ptr[pattern_row[p]];

    for (PetscInt t = (PetscInt)threadIdx.x % LANES; t < csr.row_ptr[row + 1] - csr.row_ptr[row]; t += LANES) {
      if (!AutoCSRBitsEqual(AutoCSRBitsOf(&v[t]), AutoCSRBitsOf(&shown[t]))) *(volatile int *)other = 1;
    }
  }
}

PetscErrorCode DevicePatternValuesCompare(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const uint16_t id[], const PetscInt pattern_row[], const int *values, int *other)
{
  PetscFunctionBegin;
  if (!seg->n_rows || !csr->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  Compare<<<GridOf(Pieces(seg->n_rows, BLOCK / LANES), 4096), BLOCK, 0, AUTOCSR_STREAM>>>(*seg, *csr, id, pattern_row, values, other);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
