/*
  The passes on a processor with point blocks. Each goes over chunks of rows: what the blocks multiply is made first, then their
  product, then all that reads it.
*/
#include "host.h"

/* Part k of d has column k of all blocks */
AUTOCSR_INLINE void BlocksLoop(PetscInt block, PetscInt n, PetscInt stride, const PetscScalar *restrict d, const PetscScalar *restrict from, PetscScalar *restrict to)
{
  for (PetscInt first = 0; first < n; first += block) {
    PetscScalar sum[AUTOCSR_FUSED_BLOCK];

    for (PetscInt i = 0; i < block; i++) sum[i] = d[first + i] * from[first];
    for (PetscInt k = 1; k < block; k++) {
      for (PetscInt i = 0; i < block; i++) sum[i] += d[(size_t)k * stride + first + i] * from[first + k];
    }
    for (PetscInt i = 0; i < block; i++) to[first + i] = sum[i];
  }
}

/* A loop for each common size, which is a constant in it */
AUTOCSR_CLONES static void Blocks(PetscInt block, PetscInt n, PetscInt stride, const PetscScalar *restrict d, const PetscScalar *restrict from, PetscScalar *restrict to)
{
#define OF_SIZE(size) \
  case size: \
    BlocksLoop(size, n, stride, d, from, to); \
    return;
  switch (block) {
    OF_SIZE(2)
    OF_SIZE(3)
    OF_SIZE(4)
    OF_SIZE(5)
    OF_SIZE(6)
    OF_SIZE(8)
  default:
    BlocksLoop(block, n, stride, d, from, to);
  }
}

void AutoCSRHostBlocks(const AutoCSRSolve *s, PetscInt first, PetscInt n, const PetscScalar *restrict from, PetscScalar *restrict to)
{
  Blocks(s->block, n, s->n, s->array[AUTOCSR_D] + first, from, to);
}

/* to = from - a w */
AUTOCSR_CLONES static void Subtract(PetscInt n, PetscScalar a, const PetscScalar *from, const PetscScalar *w, PetscScalar *to)
{
  if (w) {
    SIMD for (PetscInt i = 0; i < n; i++) to[i] = from[i] - a * w[i];
  } else {
    SIMD for (PetscInt i = 0; i < n; i++) to[i] = from[i];
  }
}

AUTOCSR_CLONES static Sums Add(AutoCSRNorm norm, bool conjugate, PetscInt n, const PetscScalar *restrict r, const PetscScalar *restrict z)
{
  PetscScalar dot     = 0;
  PetscReal   squares = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) {
    dot += TIMES(z[i], r[i]);
    squares += NormTerm(norm, r[i], z[i]);
  }
  return (Sums){dot, squares};
}

static void Accumulate(Sums *sums, Sums chunk)
{
  sums->dot += chunk.dot;
  sums->squares += chunk.squares;
}

/* x += a p, and p = z + b p if there is another step */
AUTOCSR_CLONES static void Direction(bool goes_on, PetscInt n, PetscScalar a, PetscScalar b, const PetscScalar *restrict z, PetscScalar *restrict x, PetscScalar *restrict p)
{
  SIMD for (PetscInt i = 0; i < n; i++) x[i] += a * p[i];
  if (goes_on) {
    SIMD for (PetscInt i = 0; i < n; i++) p[i] = z[i] + b * p[i];
  }
}

/* to = before to + current from + residual z; `to` is not read if `before` is 0 */
AUTOCSR_CLONES static void Update(PetscInt n, PetscScalar before, PetscScalar current, PetscScalar residual, const PetscScalar *restrict z, const PetscScalar *restrict from, PetscScalar *restrict to)
{
  if (before == (PetscScalar)0) {
    SIMD for (PetscInt i = 0; i < n; i++) to[i] = current * from[i] + residual * z[i];
  } else {
    SIMD for (PetscInt i = 0; i < n; i++) to[i] = before * to[i] + current * from[i] + residual * z[i];
  }
}

Sums AutoCSRHostBlocksStart(AutoCSRSolve *s, bool product)
{
  PetscScalar *const *v    = s->array;
  Sums                sums = {0, 0};

  FOR_EACH_CHUNK(s, first, n)
  {
    Subtract(n, 1, v[AUTOCSR_B] + first, product ? v[AUTOCSR_W] + first : NULL, v[AUTOCSR_R] + first);
    AutoCSRHostBlocks(s, first, n, v[AUTOCSR_R] + first, v[AUTOCSR_P] + first);
    Accumulate(&sums, Add(s->test.norm, s->conjugate, n, v[AUTOCSR_R] + first, v[AUTOCSR_P] + first));
  }
  return sums;
}

Sums AutoCSRHostBlocksResidual(AutoCSRSolve *s)
{
  PetscScalar *const *v = s->array;
  PetscScalar         z[AUTOCSR_CHUNK];
  Sums                sums = {0, 0};

  FOR_EACH_CHUNK(s, first, n)
  {
    Subtract(n, s->scalars.a, v[AUTOCSR_R] + first, v[AUTOCSR_W] + first, v[AUTOCSR_R] + first);
    AutoCSRHostBlocks(s, first, n, v[AUTOCSR_R] + first, z);
    Accumulate(&sums, Add(s->test.norm, s->conjugate, n, v[AUTOCSR_R] + first, z));
  }
  return sums;
}

void AutoCSRHostBlocksDirection(AutoCSRSolve *s)
{
  PetscScalar *const *v = s->array;
  PetscScalar         z[AUTOCSR_CHUNK];

  FOR_EACH_CHUNK(s, first, n)
  {
    if (s->scalars.goes_on) AutoCSRHostBlocks(s, first, n, v[AUTOCSR_R] + first, z);
    Direction(s->scalars.goes_on, n, s->scalars.a, s->scalars.b, z, v[AUTOCSR_X] + first, v[AUTOCSR_P] + first);
  }
}

Sums AutoCSRHostBlocksCombine(AutoCSRSolve *s, const AutoCSRCombination *c)
{
  PetscScalar *const *v = s->array;
  PetscScalar         r[AUTOCSR_CHUNK], z[AUTOCSR_CHUNK];
  Sums                sums = {0, 0};

  FOR_EACH_CHUNK(s, first, n)
  {
    Subtract(n, 1, v[AUTOCSR_B] + first, c->product ? v[AUTOCSR_W] + first : NULL, r);
    AutoCSRHostBlocks(s, first, n, r, z);
    if (c->update) Update(n, c->before, c->current, c->residual, z, v[c->from] + first, v[c->to] + first);
    if (s->test.norm != AUTOCSR_NORM_NONE) Accumulate(&sums, Add(s->test.norm, s->conjugate, n, r, z));
  }
  return sums;
}
