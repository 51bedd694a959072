/* How much of x gathers reach (profile/reach.c): on how many lines of x a sample of entries falls */
#include "profile.cuh"

#define LINES_OF_WORD 16

/* Of each sample, whether its line was not seen before: among those of even number, among all. A bit of a line for each of these */
static __global__ void __launch_bounds__(BLOCK) CountReached(AutoCSRMatrix csr, unsigned seen[], unsigned reached[2])
{
  PtxWaitForLast();
  const PetscInt sample = (PetscInt)FirstOfThread(), line = csr.col[AutoCSRReachSample(csr.nnz, sample)] / AUTOCSR_REACH_COLUMNS;
  const unsigned even = sample % 2 == 0, place = line % LINES_OF_WORD * 2, was = atomicOr(&seen[line / LINES_OF_WORD], (2u + even) << place) >> place;
  const unsigned new_even = WarpSum(even & ~was & 1u), new_all = WarpSum(~was >> 1 & 1u);

  if (Lane() != 0) return;
  (void)atomicAdd(&reached[0], new_even);
  (void)atomicAdd(&reached[1], new_all);
}

PetscErrorCode DeviceProfileReach(const AutoCSRMatrix *csr, cudaStream_t stream, DeviceProfile *device)
{
  const size_t  words = (size_t)AutoCSRReachLines(csr->n) / LINES_OF_WORD + 1;
  DeviceScratch scratch;
  unsigned     *seen;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate(words, &seen, stream));
  PetscCallCUDA(cudaMemsetAsync(seen, 0, words * sizeof(*seen), stream));
  Launch(CountReached, AUTOCSR_REACH_SAMPLES / BLOCK, BLOCK, 0, stream)(*csr, seen, device->reached);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
