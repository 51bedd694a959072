/*
  How the commonest row pattern lies: a stencil's columns are in a few groups, a plane of the grid apart. Rows of constant
  coefficients are walked plane by plane where that is known (cuda/products/agent_planes.cuh).
*/
#include "passes.h"

/* Offsets are cut into groups where they are more than half of the largest gap apart; the stride is the distance of the groups' middles */
static PetscInt Stride(PetscInt length, const PetscInt offset[])
{
  PetscInt gap = 0, groups = 1, end = 0, begin = length - 1;

  for (PetscInt t = 1; t < length; t++) gap = PetscMax(gap, offset[t] - offset[t - 1]);
  for (PetscInt t = 1; t < length; t++) {
    if (offset[t] - offset[t - 1] <= gap / 2) continue;
    if (groups++ == 1) end = t - 1;
    begin = t;
  }
  return groups > 1 ? (offset[begin] + (offset[length - 1] - offset[begin]) / 2 - offset[0] - (offset[end] - offset[0]) / 2) / (groups - 1) : 0;
}

void AutoCSRProfileSetPlanes(AutoCSRProfile *profile, PetscInt number, PetscInt others, PetscInt length, const PetscInt offset[])
{
  AutoCSRPlanes p = {.others = others};
  PetscInt      far;

  profile->planes = p;
  if (number >= AUTOCSR_PLANES_PATTERNS || others > profile->m / AUTOCSR_PLANES_OTHERS || length < 1 || length > AUTOCSR_PLANES_ENTRIES) return;
  far      = PetscMax(PetscAbsInt(offset[0]), PetscAbsInt(offset[length - 1]));
  p.stride = far > AUTOCSR_PLANES_REACH ? Stride(length, offset) : AUTOCSR_PLANES_ROWS;
  if (p.stride <= 0) return;
  for (PetscInt t = 0; t < length; t++) {
    const PetscInt plane = far > AUTOCSR_PLANES_REACH ? AutoCSRPlaneOf(offset[t], p.stride) : 0;

    p.around = PetscMax(p.around, PetscAbsInt(plane));
    p.reach  = PetscMax(p.reach, PetscAbsInt(offset[t] - plane * p.stride));
  }
  if (p.around <= AUTOCSR_PLANES_AROUND && p.reach <= AUTOCSR_PLANES_REACH) profile->planes = p;
}
