/* The second stage of the segmented sum where it is wanted on the host, as in liu2015, 3.2 */
#include "../device.h"
#include "agent_segsum.cuh"
#include "../common/early.cuh"

static __global__ void AddToRows(PetscInt n, const SegsumAddend addend[], PetscScalar y[])
{
  PtxWaitForLast();
  const PetscInt i = (PetscInt)blockIdx.x * AUTOCSR_THREADS + threadIdx.x;

  if (i < n) y[addend[i].row] += addend[i].sum;
}

/* The tiles that a row goes on after are neighbours. Their last one has written y */
static PetscInt JoinShares(PetscInt tiles, const SegsumSynchronizer synchronizer[], SegsumAddend addend[])
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < tiles; i++) {
    const PetscInt row = synchronizer[i].open - 1;

    if (row < 0) continue;
    if (n && addend[n - 1].row == row)
      addend[n - 1].sum += synchronizer[i].last;
    else
      addend[n++] = {row, synchronizer[i].last};
  }
  return n;
}

PetscErrorCode AutoCSRSegsumFinish(PetscInt tiles, const SegsumSynchronizer device_synchronizer[], SegsumAddend device_addend[], PetscScalar y[])
{
  SegsumSynchronizer *synchronizer;
  SegsumAddend       *addend;
  PetscInt            n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(tiles, &synchronizer, tiles, &addend));
  PetscCall(AutoCSRDeviceToHost(synchronizer, device_synchronizer, sizeof(*synchronizer) * (size_t)tiles));
  n = JoinShares(tiles, synchronizer, addend);
  if (n) {
    PetscCall(AutoCSRDeviceFromHost(device_addend, addend, sizeof(*addend) * (size_t)n));
    Launch(AddToRows, (unsigned)CeilDivide(n, AUTOCSR_THREADS), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(n, device_addend, y);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscCall(PetscFree2(synchronizer, addend));
  PetscFunctionReturn(PETSC_SUCCESS);
}
