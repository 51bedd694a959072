/*
  The bins of hou2017, III-B, for the granularities that are usually tried: all are counted with the profile, so that
  choosing among them needs no further look at the matrix.
*/
#include "parts.h"
#include "../backend.h"

const PetscInt AutoCSRGranularity[AUTOCSR_GRANULARITIES] = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000};

PetscInt AutoCSRProfileGranularities(PetscInt m)
{
  PetscInt n = 0;

  while (n < AUTOCSR_GRANULARITIES && (n == 0 || AutoCSRGranularity[n - 1] < m)) n++;
  return n;
}

PetscErrorCode AutoCSRProfileBins(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  for (PetscInt u = 0; u < AutoCSRProfileGranularities(csr->m); u++) PetscCall((*csr->backend->count_bins)(csr, AutoCSRGranularity[u], AUTOCSR_MAX_BINS, &profile->bins[u]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRProfileGetBins(const AutoCSRProfile *profile, const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, AutoCSRBins *counted)
{
  PetscFunctionBegin;
  if (U >= profile->m && profile->m) { /* a single virtual row */
    const PetscInt bin = PetscMin(profile->nnz / U, bins - 1);

    PetscCall(PetscMemzero(counted, sizeof(*counted)));
    counted->count[bin] = 1;
    counted->rows[bin]  = profile->m;
    counted->nnz[bin]   = profile->nnz;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt u = 0; u < AutoCSRProfileGranularities(profile->m); u++) {
    if (AutoCSRGranularity[u] != U) continue;
    *counted = profile->bins[u];
    for (PetscInt b = AUTOCSR_MAX_BINS - 1; b >= bins; b--) { /* fewer bins: the last one holds those past it */
      counted->count[b - 1] += counted->count[b];
      counted->rows[b - 1] += counted->rows[b];
      counted->nnz[b - 1] += counted->nnz[b];
      counted->count[b] = counted->rows[b] = counted->nnz[b] = 0;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*profile->backend->count_bins)(csr, U, bins, counted));
  PetscFunctionReturn(PETSC_SUCCESS);
}
