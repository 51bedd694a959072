/* The steps of BiCGStab on a processor */
#include "host.h"

#if PetscDefined(USE_COMPLEX)
  #define SIMD_SUMS
#else
  #define SIMD_SUMS _Pragma("omp simd reduction(+ : dot, squares, others)")
#endif

typedef struct {
  PetscScalar dot;
  PetscReal   squares, others;
} BCGSSums;

static PetscErrorCode Reduce(AutoCSRSolve *s, BCGSSums *sums)
{
  PetscScalar all[3] = {sums->dot, sums->squares, sums->others};

  PetscFunctionBegin;
  PetscCall(AutoCSRHostReduce(s, 3, all));
  sums->dot     = all[0];
  sums->squares = PetscRealPart(all[1]);
  sums->others  = PetscRealPart(all[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

AUTOCSR_INLINE PetscReal StartLoop(bool has_d, bool has_w, PetscInt n, const PetscScalar *b, const PetscScalar *w, const PetscScalar *d, PetscScalar *r, PetscScalar *shadow, PetscScalar *p)
{
  PetscReal squares = 0, dot = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar ri = has_w ? b[i] - w[i] : b[i], zi = has_d ? ri * d[i] : ri;

    r[i] = shadow[i] = p[i] = zi;
    squares += Square(zi);
  }
  (void)dot;
  return squares;
}

AUTOCSR_CLONES static PetscReal StartPass(PetscInt n, const PetscScalar *b, const PetscScalar *w, const PetscScalar *d, PetscScalar *r, PetscScalar *shadow, PetscScalar *p)
{
  if (w) return d ? StartLoop(true, true, n, b, w, d, r, shadow, p) : StartLoop(false, true, n, b, w, d, r, shadow, p);
  return d ? StartLoop(true, false, n, b, w, d, r, shadow, p) : StartLoop(false, false, n, b, w, d, r, shadow, p);
}

AUTOCSR_INLINE PetscScalar DotLoop(bool has_d, PetscInt n, const PetscScalar *restrict from, const PetscScalar *restrict d, const PetscScalar *restrict shadow, PetscScalar *restrict v)
{
  const bool  conjugate = true;
  PetscScalar dot       = 0;
  PetscReal   squares   = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar vi = has_d ? from[i] * d[i] : from[i];

    if (has_d) v[i] = vi;
    dot += TIMES(vi, shadow[i]);
  }
  (void)squares;
  return dot;
}

AUTOCSR_CLONES static PetscScalar DotPass(PetscInt n, const PetscScalar *from, const PetscScalar *d, const PetscScalar *shadow, PetscScalar *v)
{
  return d ? DotLoop(true, n, from, d, shadow, v) : DotLoop(false, n, from, d, shadow, NULL);
}

AUTOCSR_CLONES static void HalfPass(PetscInt n, PetscScalar alpha, const PetscScalar *restrict r, const PetscScalar *restrict v, PetscScalar *restrict s)
{
  SIMD for (PetscInt i = 0; i < n; i++) s[i] = r[i] - alpha * v[i];
}

AUTOCSR_INLINE BCGSSums StabilizeLoop(bool has_d, PetscInt n, const PetscScalar *restrict from, const PetscScalar *restrict d, const PetscScalar *restrict s, PetscScalar *restrict t)
{
  const bool  conjugate = true;
  PetscScalar dot       = 0;
  PetscReal   squares = 0, others = 0;

  SIMD_SUMS
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar ti = has_d ? from[i] * d[i] : from[i];

    if (has_d) t[i] = ti;
    dot += TIMES(s[i], ti);
    squares += Square(ti);
    others += Square(s[i]);
  }
  return (BCGSSums){dot, squares, others};
}

AUTOCSR_CLONES static BCGSSums StabilizePass(PetscInt n, const PetscScalar *from, const PetscScalar *d, const PetscScalar *s, PetscScalar *t)
{
  return d ? StabilizeLoop(true, n, from, d, s, t) : StabilizeLoop(false, n, from, d, s, NULL);
}

AUTOCSR_INLINE BCGSSums UpdateLoop(bool has_x, bool has_d, PetscInt n, PetscScalar alpha, PetscScalar omega, const PetscScalar *restrict d, const PetscScalar *restrict p, const PetscScalar *restrict s, const PetscScalar *restrict t, const PetscScalar *restrict shadow, PetscScalar *restrict x, PetscScalar *restrict r)
{
  const bool  conjugate = true;
  PetscScalar dot       = 0;
  PetscReal   squares   = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar step = alpha * p[i] + omega * s[i], ri = s[i] - omega * t[i];

    if (has_x) x[i] += has_d ? d[i] * step : step;
    r[i] = ri;
    dot += TIMES(ri, shadow[i]);
    squares += Square(ri);
  }
  return (BCGSSums){dot, squares, 0};
}

AUTOCSR_CLONES static BCGSSums UpdatePass(PetscInt n, PetscScalar alpha, PetscScalar omega, const PetscScalar *d, const PetscScalar *p, const PetscScalar *s, const PetscScalar *t, const PetscScalar *shadow, PetscScalar *x, PetscScalar *r)
{
  if (!x) return UpdateLoop(false, false, n, alpha, omega, NULL, p, s, t, shadow, NULL, r);
  return d ? UpdateLoop(true, true, n, alpha, omega, d, p, s, t, shadow, x, r) : UpdateLoop(true, false, n, alpha, omega, d, p, s, t, shadow, x, r);
}

/* x += the point blocks times (alpha p + omega s) */
static void AddBlocks(AutoCSRSolve *s)
{
  PetscScalar *const *v     = s->array;
  const PetscScalar   alpha = s->scalars.a, omega = s->scalars.omega;
  PetscScalar         step[AUTOCSR_CHUNK], z[AUTOCSR_CHUNK];

  FOR_EACH_CHUNK(s, first, n)
  {
    for (PetscInt i = 0; i < n; i++) step[i] = alpha * v[AUTOCSR_P][first + i] + omega * v[AUTOCSR_S][first + i];
    AutoCSRHostBlocks(s, first, n, step, z);
    for (PetscInt i = 0; i < n; i++) v[AUTOCSR_X][first + i] += z[i];
  }
}

/* to = the point blocks times `from`. Then it takes the place of `from`, and there is no diagonal */
static const PetscScalar *ApplyBlocks(AutoCSRSolve *s, AutoCSRVectorName from, AutoCSRVectorName to, const PetscScalar **d)
{
  PetscScalar *const *v = s->array;

  *d = from != to ? v[AUTOCSR_D] : NULL;
  if (s->block == 1 || from == to) return v[from];
  AutoCSRHostBlocks(s, 0, s->n, v[from], v[to]);
  *d = NULL;
  return v[to];
}

AUTOCSR_CLONES static void DirectionPass(PetscInt n, PetscScalar beta, PetscScalar omega, const PetscScalar *restrict r, const PetscScalar *restrict v, PetscScalar *restrict p)
{
  SIMD for (PetscInt i = 0; i < n; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
}

static PetscErrorCode Start(AutoCSRSolve *s, PetscBool product)
{
  PetscScalar *const *v = s->array;
  BCGSSums            sums = {0, 0, 0};

  PetscFunctionBegin;
  if (s->block > 1 && s->left) {
    for (PetscInt i = 0; i < s->n; i++) v[AUTOCSR_P][i] = product ? v[AUTOCSR_B][i] - v[AUTOCSR_V][i] : v[AUTOCSR_B][i];
    AutoCSRHostBlocks(s, 0, s->n, v[AUTOCSR_P], v[AUTOCSR_R]);
    sums.squares = StartPass(s->n, v[AUTOCSR_R], NULL, NULL, v[AUTOCSR_R], v[AUTOCSR_SHADOW], v[AUTOCSR_P]);
  } else
    sums.squares = StartPass(s->n, v[AUTOCSR_B], product ? v[AUTOCSR_V] : NULL, s->left ? v[AUTOCSR_D] : NULL, v[AUTOCSR_R], v[AUTOCSR_SHADOW], v[AUTOCSR_P]);
  PetscCall(Reduce(s, &sums));
  AutoCSRScalarsBCGSStart(&s->scalars, s->test.norm, sums.squares);
  PetscCall(PetscLogFlops((2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Dot(AutoCSRSolve *s, AutoCSRVectorName from)
{
  PetscScalar *const *v    = s->array;
  BCGSSums            sums = {0, 0, 0};
  const PetscScalar  *product, *d;

  PetscFunctionBegin;
  product  = ApplyBlocks(s, from, AUTOCSR_V, &d);
  sums.dot = DotPass(s->n, product, d, v[AUTOCSR_SHADOW], v[AUTOCSR_V]);
  PetscCall(Reduce(s, &sums));
  AutoCSRScalarsBCGSDot(&s->scalars, sums.dot);
  PetscCall(PetscLogFlops((2.0 * s->block + 1) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Half(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  if (!s->scalars.moves) PetscFunctionReturn(PETSC_SUCCESS);
  HalfPass(s->n, s->scalars.a, s->array[AUTOCSR_R], s->array[AUTOCSR_V], s->array[AUTOCSR_S]);
  PetscCall(PetscLogFlops(2.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Stabilize(AutoCSRSolve *s, AutoCSRVectorName from)
{
  PetscScalar *const *v = s->array;
  BCGSSums            sums;
  const PetscScalar  *product, *d;

  PetscFunctionBegin;
  if (!s->scalars.moves) PetscFunctionReturn(PETSC_SUCCESS);
  product = ApplyBlocks(s, from, AUTOCSR_T, &d);
  sums    = StabilizePass(s->n, product, d, v[AUTOCSR_S], v[AUTOCSR_T]);
  PetscCall(Reduce(s, &sums));
  AutoCSRScalarsBCGSStabilize(&s->scalars, sums.dot, sums.squares, sums.others);
  PetscCall(PetscLogFlops((2.0 * s->block + 5) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Update(AutoCSRSolve *s)
{
  PetscScalar *const *v      = s->array;
  const bool          blocks = s->block > 1 && !s->left;
  BCGSSums            sums;

  PetscFunctionBegin;
  if (!s->scalars.moves) PetscFunctionReturn(PETSC_SUCCESS);
  if (blocks) AddBlocks(s);
  sums = UpdatePass(s->n, s->scalars.a, s->scalars.omega, s->left || blocks ? NULL : v[AUTOCSR_D], v[AUTOCSR_P], v[AUTOCSR_S], v[AUTOCSR_T], v[AUTOCSR_SHADOW], blocks ? NULL : v[AUTOCSR_X], v[AUTOCSR_R]);
  PetscCall(Reduce(s, &sums));
  AutoCSRScalarsBCGSUpdate(&s->scalars, &s->test, sums.dot, sums.squares);
  PetscCall(PetscLogFlops((2.0 * s->block + 8) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Direction(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  if (!s->scalars.goes_on) PetscFunctionReturn(PETSC_SUCCESS);
  DirectionPass(s->n, s->scalars.b, s->scalars.omega, s->array[AUTOCSR_R], s->array[AUTOCSR_V], s->array[AUTOCSR_P]);
  PetscCall(PetscLogFlops(4.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStepsBCGS AutoCSRStepsBCGSHost = {Start, Dot, Half, Stabilize, Update, Direction};
