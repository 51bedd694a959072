/* The steps on a processor: loops over the local rows, and one reduction over the processes for all sums of a step */
#include "host.h"

PetscErrorCode AutoCSRHostReduce(AutoCSRSolve *s, PetscInt n, PetscScalar sums[])
{
  PetscFunctionBegin;
  if (s->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)n, MPIU_SCALAR, MPIU_SUM, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Reduce(AutoCSRSolve *s, Sums *sums)
{
  PetscScalar both[2] = {sums->dot, sums->squares};

  PetscFunctionBegin;
  PetscCall(AutoCSRHostReduce(s, 2, both));
  sums->dot     = both[0];
  sums->squares = PetscRealPart(both[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B and D are only read */
static PetscBool IsWritten(PetscInt name)
{
  return (PetscBool)(name < AUTOCSR_B || name >= AUTOCSR_BASIS);
}

static PetscErrorCode Get(AutoCSRSolve *s, PetscInt k)
{
  PetscFunctionBegin;
  if (IsWritten(k))
    PetscCall(VecGetArray(s->vec[k], &s->array[k]));
  else
    PetscCall(VecGetArrayRead(s->vec[k], (const PetscScalar **)&s->array[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin(AutoCSRSolve *s, AutoCSRDevice *device)
{
  PetscFunctionBegin;
  (void)device;
  for (PetscInt k = 0; k < s->vectors; k++) {
    if (s->vec[k]) PetscCall(Get(s, k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->vectors; k++) {
    if (!s->vec[k]) continue;
    if (IsWritten(k))
      PetscCall(VecRestoreArray(s->vec[k], &s->array[k]));
    else
      PetscCall(VecRestoreArrayRead(s->vec[k], (const PetscScalar **)&s->array[k]));
  }
  PetscCall(PetscFree2(s->column.dot, s->column.inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Ahead(const AutoCSRSolve *s)
{
  (void)s;
  return 0;
}

static PetscErrorCode Multiply(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  PetscFunctionBegin;
  PetscCall(MatMult(s->mat, s->vec[from], s->vec[to]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

AUTOCSR_CLONES static void Precondition(PetscInt n, const PetscScalar *restrict d, const PetscScalar *restrict from, PetscScalar *restrict to)
{
  SIMD for (PetscInt i = 0; i < n; i++) to[i] = d[i] * from[i];
}

PetscErrorCode AutoCSRHostPrecondition(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  PetscFunctionBegin;
  if (s->block > 1)
    AutoCSRHostBlocks(s, 0, s->n, s->array[from], s->array[to]);
  else
    Precondition(s->n, s->array[AUTOCSR_D], s->array[from], s->array[to]);
  PetscCall(PetscLogFlops((2.0 * s->block - 1) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A loop for each norm and with or without a diagonal: both are constants in it */
#define FOR_EACH_KIND(Loop, norm, d, ...)                                                                                      \
  switch (norm) {                                                                                                              \
  case AUTOCSR_NORM_RESIDUAL:                                                                                                  \
    return (d) ? Loop(AUTOCSR_NORM_RESIDUAL, true, __VA_ARGS__) : Loop(AUTOCSR_NORM_RESIDUAL, false, __VA_ARGS__);             \
  case AUTOCSR_NORM_PRECONDITIONED:                                                                                            \
    return (d) ? Loop(AUTOCSR_NORM_PRECONDITIONED, true, __VA_ARGS__) : Loop(AUTOCSR_NORM_PRECONDITIONED, false, __VA_ARGS__); \
  default:                                                                                                                     \
    return (d) ? Loop(AUTOCSR_NORM_NONE, true, __VA_ARGS__) : Loop(AUTOCSR_NORM_NONE, false, __VA_ARGS__);                     \
  }

/* r = b - a w, the diagonal, p = z if there is a p */
AUTOCSR_INLINE Sums ResidualLoop(AutoCSRNorm norm, bool has_d, bool has_w, bool has_p, bool conjugate, PetscInt n, PetscScalar a, const PetscScalar *b, const PetscScalar *w, const PetscScalar *d, PetscScalar *r, PetscScalar *p)
{
  PetscScalar dot     = 0;
  PetscReal   squares = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar ri = has_w ? b[i] - a * w[i] : b[i], zi = has_d ? ri * d[i] : ri;

    r[i] = ri;
    if (has_p) p[i] = zi;
    dot += TIMES(zi, ri);
    squares += NormTerm(norm, ri, zi);
  }
  return (Sums){dot, squares};
}

AUTOCSR_CLONES static Sums Start(AutoCSRNorm norm, bool conjugate, PetscInt n, const PetscScalar *b, const PetscScalar *w, const PetscScalar *d, PetscScalar *r, PetscScalar *p)
{
  if (w) {
    FOR_EACH_KIND(ResidualLoop, norm, d, true, true, conjugate, n, 1, b, w, d, r, p)
  } else {
    FOR_EACH_KIND(ResidualLoop, norm, d, false, true, conjugate, n, 1, b, w, d, r, p)
  }
}

AUTOCSR_CLONES static Sums Residual(AutoCSRNorm norm, bool conjugate, PetscInt n, PetscScalar a, const PetscScalar *w, const PetscScalar *d, PetscScalar *r){
    FOR_EACH_KIND(ResidualLoop, norm, d, true, false, conjugate, n, a, r, w, d, r, NULL)}

AUTOCSR_CLONES static PetscScalar Dot(bool conjugate, PetscInt n, const PetscScalar *x, const PetscScalar *y)
{
  PetscScalar dot     = 0;
  PetscReal   squares = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) dot += TIMES(x[i], y[i]);
  (void)squares;
  return dot;
}

/* x += a p, and p = z + b p if there is another step */
AUTOCSR_CLONES static void Direction(bool goes_on, PetscInt n, PetscScalar a, PetscScalar b, const PetscScalar *restrict r, const PetscScalar *restrict d, PetscScalar *restrict x, PetscScalar *restrict p)
{
  if (!goes_on) {
    SIMD for (PetscInt i = 0; i < n; i++) x[i] += a * p[i];
  } else if (d) {
    SIMD for (PetscInt i = 0; i < n; i++)
    {
      x[i] += a * p[i];
      p[i] = r[i] * d[i] + b * p[i];
    }
  } else {
    SIMD for (PetscInt i = 0; i < n; i++)
    {
      x[i] += a * p[i];
      p[i] = r[i] + b * p[i];
    }
  }
}

AUTOCSR_INLINE Sums CombineLoop(AutoCSRNorm norm, bool has_d, bool has_w, bool has_before, bool updates, PetscInt n, const AutoCSRCombination *c, const PetscScalar *b, const PetscScalar *w, const PetscScalar *d, const PetscScalar *from, PetscScalar *to)
{
  const PetscScalar before = c->before, current = c->current, residual = c->residual;
  PetscScalar       dot     = 0;
  PetscReal         squares = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar ri = has_w ? b[i] - w[i] : b[i], zi = has_d ? ri * d[i] : ri;

    if (updates && has_before)
      to[i] = before * to[i] + current * from[i] + residual * zi;
    else if (updates)
      to[i] = current * from[i] + residual * zi;
    squares += NormTerm(norm, ri, zi);
  }
  (void)dot;
  return (Sums){0, squares};
}

AUTOCSR_CLONES static Sums Combine(AutoCSRNorm norm, PetscInt n, const AutoCSRCombination *c, const PetscScalar *b, const PetscScalar *w, const PetscScalar *d, const PetscScalar *from, PetscScalar *to)
{
  if (!c->product && !c->update) {
    FOR_EACH_KIND(CombineLoop, norm, d, false, false, false, n, c, b, w, d, from, to)
  } else if (!c->update) {
    FOR_EACH_KIND(CombineLoop, norm, d, true, false, false, n, c, b, w, d, from, to)
  } else if (!c->product) {
    FOR_EACH_KIND(CombineLoop, norm, d, false, false, true, n, c, b, w, d, from, to)
  } else if (c->before == (PetscScalar)0) {
    FOR_EACH_KIND(CombineLoop, norm, d, true, false, true, n, c, b, w, d, from, to)
  } else {
    FOR_EACH_KIND(CombineLoop, norm, d, true, true, true, n, c, b, w, d, from, to)
  }
}

static PetscErrorCode CGStart(AutoCSRSolve *s, PetscBool product)
{
  PetscScalar *const *v = s->array;
  Sums                sums;

  PetscFunctionBegin;
  sums = s->block > 1 ? AutoCSRHostBlocksStart(s, product) : Start(s->test.norm, s->conjugate, s->n, v[AUTOCSR_B], product ? v[AUTOCSR_W] : NULL, v[AUTOCSR_D], v[AUTOCSR_R], v[AUTOCSR_P]);
  PetscCall(Reduce(s, &sums));
  AutoCSRScalarsStart(&s->scalars, s->test.norm, sums.dot, sums.squares);
  PetscCall(PetscLogFlops((2.0 * s->block + 3) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGProduct(AutoCSRSolve *s)
{
  Sums sums = {0, 0};

  PetscFunctionBegin;
  PetscCall(Multiply(s, AUTOCSR_P, AUTOCSR_W));
  sums.dot = Dot(s->conjugate, s->n, s->array[AUTOCSR_P], s->array[AUTOCSR_W]);
  PetscCall(Reduce(s, &sums));
  AutoCSRScalarsProduct(&s->scalars, sums.dot);
  PetscCall(PetscLogFlops(2.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGResidual(AutoCSRSolve *s)
{
  PetscScalar *const *v = s->array;
  Sums                sums;

  PetscFunctionBegin;
  if (!s->scalars.moves) PetscFunctionReturn(PETSC_SUCCESS);
  sums = s->block > 1 ? AutoCSRHostBlocksResidual(s) : Residual(s->test.norm, s->conjugate, s->n, s->scalars.a, v[AUTOCSR_W], v[AUTOCSR_D], v[AUTOCSR_R]);
  PetscCall(Reduce(s, &sums));
  AutoCSRScalarsResidual(&s->scalars, &s->test, sums.dot, sums.squares);
  PetscCall(PetscLogFlops((2.0 * s->block + 5) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGDirection(AutoCSRSolve *s)
{
  PetscScalar *const *v = s->array;

  PetscFunctionBegin;
  if (!s->scalars.moves) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->block > 1)
    AutoCSRHostBlocksDirection(s);
  else
    Direction(s->scalars.goes_on, s->n, s->scalars.a, s->scalars.b, v[AUTOCSR_R], v[AUTOCSR_D], v[AUTOCSR_X], v[AUTOCSR_P]);
  PetscCall(PetscLogFlops((2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CombineStep(AutoCSRSolve *s, const AutoCSRCombination *c)
{
  PetscScalar *const *v = s->array;
  Sums                sums;

  PetscFunctionBegin;
  if (s->scalars.result.stop) PetscFunctionReturn(PETSC_SUCCESS);
  sums = s->block > 1 ? AutoCSRHostBlocksCombine(s, c) : Combine(s->test.norm, s->n, c, v[AUTOCSR_B], v[AUTOCSR_W], v[AUTOCSR_D], v[c->from], v[c->to]);
  if (s->test.norm != AUTOCSR_NORM_NONE) PetscCall(Reduce(s, &sums));
  AutoCSRScalarsCombined(&s->scalars, &s->test, sums.squares);
  PetscCall(PetscLogFlops((2.0 * s->block + 6) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Result(AutoCSRSolve *s, PetscInt step, AutoCSRResult *result)
{
  PetscFunctionBegin;
  (void)step;
  *result = s->scalars.result;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRSteps AutoCSRStepsHost = {"on the host", Begin, End, Ahead, Get, Multiply, AutoCSRHostPrecondition, NULL, NULL, NULL, NULL, NULL, CGStart, CGProduct, CGResidual, CGDirection, CombineStep, NULL, Result, NULL, &AutoCSRStepsBCGSHost, &AutoCSRStepsGMRESHost};
