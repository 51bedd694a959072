/* How much of x gathers reach (profile/reach.c): on how many lines of x a sample of entries falls */
#include "profile.cuh"

/* Of each sample, whether its line was not seen before */
static __global__ void __launch_bounds__(BLOCK) CountReached(AutoCSRMatrix csr, unsigned seen[], unsigned *reached)
{
  PtxWaitForLast();
  const PetscInt line = csr.col[AutoCSRReachSample(csr.nnz, (PetscInt)FirstOfThread())] / AUTOCSR_REACH_COLUMNS;
  const unsigned bit = 1u << (line & 31), is_new = WarpSum(atomicOr(&seen[line >> 5], bit) & bit ? 0u : 1u);

  if (Lane() == 0) (void)atomicAdd(reached, is_new);
}

PetscErrorCode DeviceProfileReach(const AutoCSRMatrix *csr, cudaStream_t stream, DeviceProfile *device)
{
  const size_t  words = (size_t)AutoCSRReachLines(csr->n) / 32 + 1;
  DeviceScratch scratch;
  unsigned     *seen;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate(words, &seen, stream));
  PetscCallCUDA(cudaMemsetAsync(seen, 0, words * sizeof(*seen), stream));
  Launch(CountReached, AUTOCSR_REACH_SAMPLES / BLOCK, BLOCK, 0, stream)(*csr, seen, &device->reached);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
