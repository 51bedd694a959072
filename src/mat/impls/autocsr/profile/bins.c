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
    const AutoCSRBins *known = &profile->bins[u];

    if (AutoCSRGranularity[u] != U) continue;
    PetscCall(PetscMemzero(counted, sizeof(*counted)));
    for (PetscInt b = 0; b < AUTOCSR_MAX_BINS; b++) { /* fewer bins: the last one holds those past it. Most have no rows */
      const PetscInt bin = PetscMin(b, bins - 1);

      if (!known->count[b]) continue;
      counted->count[bin] += known->count[b];
      counted->rows[bin] += known->rows[b];
      counted->nnz[bin] += known->nnz[b];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*profile->backend->count_bins)(csr, U, bins, counted));
  PetscFunctionReturn(PETSC_SUCCESS);
}
