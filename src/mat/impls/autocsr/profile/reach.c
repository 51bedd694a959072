/*
  How much of x gathers reach: a sample of entries falls on so many lines of x, and that tells of how many lines it would have been
  drawn, were all drawn equally often. Columns all over x reach all of it; where a few columns have most of the entries, as in graphs, gathers find
  what they read in a cache that x does not fit into.
*/
#include "parts.h"
#include <petscbt.h>

/* The lines of x of which so many samples fall on so many: lines = all * (1 - exp(-samples / all)), by halving */
static double LinesOf(double samples, double lines, double most)
{
  double lo = lines, hi = most;

  for (int i = 0; i < 60; i++) {
    const double mid = (lo + hi) / 2;

    if (-mid * expm1(-samples / mid) < lines)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

void AutoCSRProfileSetReach(AutoCSRProfile *profile, PetscInt lines)
{
  const PetscInt all = AutoCSRReachLines(profile->n);

  profile->reach = PetscMin((double)profile->n * sizeof(PetscScalar), (double)profile->nnz * AUTOCSR_LINE);
  if (AutoCSRReachIsSampled(profile)) profile->reach = PetscMin(profile->reach, AUTOCSR_LINE * LinesOf(AUTOCSR_REACH_SAMPLES, (double)lines, (double)all));
}

PetscErrorCode AutoCSRProfileReach(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  PetscInt lines = 0;
  PetscBT  seen;

  PetscFunctionBegin;
  if (AutoCSRReachIsSampled(profile)) {
    PetscCall(PetscBTCreate(AutoCSRReachLines(csr->n), &seen));
    for (PetscInt k = 0; k < AUTOCSR_REACH_SAMPLES; k++) lines += !PetscBTLookupSet(seen, csr->col[AutoCSRReachSample(csr->nnz, k)] / AUTOCSR_REACH_COLUMNS);
    PetscCall(PetscBTDestroy(&seen));
  }
  AutoCSRProfileSetReach(profile, lines);
  PetscFunctionReturn(PETSC_SUCCESS);
}
