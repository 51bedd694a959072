/*
  How much of x gathers reach: a sample of entries falls on so many lines of x, and that tells of how many lines it would have been
  drawn, were all drawn equally often. Columns all over x reach all of it; where a few columns have most of the entries, as in graphs, gathers find
  what they read in a cache that x does not fit into.

  Twice as many samples tell of 2^reach_growth times as many lines: `reach_growth` is 0 where lines are read equally
  often, about 0.5 for an R-MAT graph. The cost model counts lines of x on a device by the share of gathers that each
  cache holds. tests/choose/reach.c compares that share with a cache entry by entry; they agree within a tenth.
*/
#include "passes.h"
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

/* Twice as many samples tell of more lines where these are not read equally often: the more seldom they are read, the more of them there are */
void AutoCSRProfileSetReach(AutoCSRProfile *profile, PetscInt half, PetscInt lines)
{
  const double all = (double)AutoCSRReachLines(profile->n);
  double       few, more;

  profile->reach        = PetscMin((double)profile->n * sizeof(PetscScalar), (double)profile->nnz * AUTOCSR_LINE);
  profile->reach_growth = 0;
  if (!AutoCSRReachIsSampled(profile)) return;
  few                   = LinesOf(AUTOCSR_REACH_SAMPLES / 2, (double)half, all);
  more                  = LinesOf(AUTOCSR_REACH_SAMPLES, (double)lines, all);
  profile->reach        = PetscMin(profile->reach, AUTOCSR_LINE * more);
  profile->reach_growth = PetscMin(1, PetscMax(0, log2(more / few)));
}

PetscErrorCode AutoCSRProfileReach(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  PetscInt lines[2] = {0}; /* of the samples of even number, of the others */
  PetscBT  seen;

  PetscFunctionBegin;
  if (AutoCSRReachIsSampled(profile)) {
    PetscCall(PetscBTCreate(AutoCSRReachLines(csr->n), &seen));
    for (PetscInt odd = 0; odd < 2; odd++) {
      for (PetscInt k = odd; k < AUTOCSR_REACH_SAMPLES; k += 2) lines[odd] += !PetscBTLookupSet(seen, csr->col[AutoCSRReachSample(csr->nnz, k)] / AUTOCSR_REACH_COLUMNS);
    }
    PetscCall(PetscBTDestroy(&seen));
  }
  AutoCSRProfileSetReach(profile, lines[0], lines[0] + lines[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On how many lines so many gathers fall */
static double LinesTouched(const AutoCSRProfile *profile, double gathers)
{
  const double lines = PetscMin((double)AutoCSRReachLines(profile->n), profile->reach / AUTOCSR_LINE * pow(gathers / AUTOCSR_REACH_SAMPLES, profile->reach_growth));

  return -lines * expm1(-gathers / lines);
}

#define MOST_GATHERS 1e15
#define HALVINGS     40
#define STEP         0.01

/*
  What was gathered least recently leaves a cache: a line is found if as many gathers as touch all lines that the cache has room for have not passed since (the characteristic time of
  such caches). So the share of those that are not found is how fast these gathers touch lines at their end
*/
double AutoCSRProfileHeld(const AutoCSRProfile *profile, double bytes)
{
  const double room = bytes / AUTOCSR_LINE;
  double       low = 1, high = MOST_GATHERS;

  if (profile->reach_growth <= 0) return PetscMin(1, bytes / PetscMax(profile->reach, 1));
  if (room >= (double)AutoCSRReachLines(profile->n)) return 1;
  for (int i = 0; i < HALVINGS; i++) {
    const double gathers = sqrt(low * high);

    if (LinesTouched(profile, gathers) < room)
      low = gathers;
    else
      high = gathers;
  }
  return PetscMax(0, 1 - (LinesTouched(profile, (1 + STEP) * low) - LinesTouched(profile, low)) / (STEP * low));
}
