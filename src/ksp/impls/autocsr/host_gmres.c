/* The steps of GMRES on a processor. The vectors of the basis are read twice: once for all dot products, once to subtract them */
#include "host.h"

static PetscErrorCode Prepare(AutoCSRSolve *s, PetscInt restart)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(restart + 1, &s->column.dot, restart + 1, &s->column.inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = scale d (b - w) */
AUTOCSR_CLONES static void ResidualPass(PetscInt n, PetscReal scale, const PetscScalar *b, const PetscScalar *w, const PetscScalar *d, PetscScalar *z)
{
  if (!b) {
    SIMD for (PetscInt i = 0; i < n; i++) z[i] = scale * w[i];
  } else if (!w) {
    SIMD for (PetscInt i = 0; i < n; i++) z[i] = scale * b[i];
  } else {
    SIMD for (PetscInt i = 0; i < n; i++) z[i] = scale * (b[i] - w[i]);
  }
  if (d) {
    SIMD for (PetscInt i = 0; i < n; i++) z[i] *= d[i];
  }
}

AUTOCSR_CLONES static PetscScalar Dot(PetscInt n, const PetscScalar *x, const PetscScalar *y)
{
  const bool  conjugate = true;
  PetscScalar dot       = 0;
  PetscReal   squares   = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) dot += TIMES(x[i], y[i]);
  (void)squares;
  return dot;
}

AUTOCSR_CLONES static PetscReal Squares(PetscInt n, const PetscScalar *x)
{
  PetscReal squares = 0, dot = 0;

  SIMD_SUM
  for (PetscInt i = 0; i < n; i++) squares += Square(x[i]);
  (void)dot;
  return squares;
}

/* z += the sum of c[k] times v[k], by four vectors at a time */
AUTOCSR_CLONES static void Add(PetscInt n, PetscInt vectors, const PetscScalar c[], PetscScalar *const v[], PetscInt first, PetscScalar *restrict z)
{
  PetscInt k = 0;

  for (; k + 4 <= vectors; k += 4) {
    const PetscScalar *v0 = v[k] + first, *v1 = v[k + 1] + first, *v2 = v[k + 2] + first, *v3 = v[k + 3] + first;
    const PetscScalar  c0 = c[k], c1 = c[k + 1], c2 = c[k + 2], c3 = c[k + 3];

    SIMD for (PetscInt i = 0; i < n; i++) z[i] += (c0 * v0[i] + c1 * v1[i]) + (c2 * v2[i] + c3 * v3[i]);
  }
  for (; k < vectors; k++) {
    const PetscScalar *vk = v[k] + first, ck = c[k];

    SIMD for (PetscInt i = 0; i < n; i++) z[i] += ck * vk[i];
  }
}

/* z = scale times the left preconditioner of (b - w), in rows from the first one on */
static void PreconditionedResidual(AutoCSRSolve *s, PetscInt first, PetscInt n, PetscReal scale, const PetscScalar *b, const PetscScalar *w, PetscScalar *z)
{
  PetscScalar *const *v = s->array;
  PetscScalar         r[AUTOCSR_CHUNK];

  if (s->left && s->block > 1) {
    ResidualPass(n, scale, b ? b + first : NULL, w ? w + first : NULL, NULL, r);
    AutoCSRHostBlocks(s, first, n, r, z + first);
  } else
    ResidualPass(n, scale, b ? b + first : NULL, w ? w + first : NULL, s->left && v[AUTOCSR_D] ? v[AUTOCSR_D] + first : NULL, z + first);
}

static PetscErrorCode Norm(AutoCSRSolve *s, PetscReal squares, PetscInt k)
{
  PetscScalar sum = squares;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostReduce(s, 1, &sum));
  s->column.norm       = PetscSqrtReal(PetscRealPart(sum));
  s->column.inverse[k] = AutoCSRInverse(s->column.norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Start(AutoCSRSolve *s, PetscBool product)
{
  PetscScalar *const *v       = s->array;
  PetscReal           squares = 0;

  PetscFunctionBegin;
  FOR_EACH_CHUNK(s, first, n)
  {
    PreconditionedResidual(s, first, n, 1, v[AUTOCSR_B], product ? v[AUTOCSR_W] : NULL, v[AUTOCSR_BASIS]);
    squares += Squares(n, v[AUTOCSR_BASIS] + first);
  }
  PetscCall(Norm(s, squares, 0));
  PetscCall(PetscLogFlops((2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Orthogonalize(AutoCSRSolve *s, PetscInt k)
{
  PetscScalar *const *v = s->array, *const *basis = v + AUTOCSR_BASIS, *z = basis[k + 1], *dot = s->column.dot;
  const PetscReal    *inverse = s->column.inverse;
  PetscReal           squares = 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(dot, k + 1));
  FOR_EACH_CHUNK(s, first, n)
  {
    PreconditionedResidual(s, first, n, inverse[k], NULL, v[AUTOCSR_W], z);
    for (PetscInt j = 0; j <= k; j++) dot[j] += Dot(n, z + first, basis[j] + first);
  }
  PetscCall(AutoCSRHostReduce(s, k + 1, dot));
  /* The vectors of the basis are not scaled: their coefficients are */
  for (PetscInt j = 0; j <= k; j++) dot[j] *= -inverse[j] * inverse[j];
  FOR_EACH_CHUNK(s, first, n)
  {
    Add(n, k + 1, dot, basis, first, z + first);
    squares += Squares(n, z + first);
  }
  for (PetscInt j = 0; j <= k; j++) dot[j] *= -1 / inverse[j];
  PetscCall(Norm(s, squares, k + 1));
  PetscCall(PetscLogFlops((4.0 * (k + 1) + 2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Result(AutoCSRSolve *s, PetscInt step, PetscInt n, AutoCSRColumn *column)
{
  PetscFunctionBegin;
  (void)step;
  for (PetscInt j = 0; j < n; j++) column->dot[j] = s->column.dot[j];
  column->norm = s->column.norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Correct(AutoCSRSolve *s, PetscInt vectors, const PetscScalar coefficient[])
{
  PetscScalar *const *v = s->array;
  PetscScalar         sum[AUTOCSR_CHUNK], step[AUTOCSR_CHUNK];

  PetscFunctionBegin;
  FOR_EACH_CHUNK(s, first, n)
  {
    PetscCall(PetscArrayzero(sum, n));
    Add(n, vectors, coefficient, v + AUTOCSR_BASIS, first, sum);
    if (!s->left && s->block > 1) {
      AutoCSRHostBlocks(s, first, n, sum, step);
      for (PetscInt i = 0; i < n; i++) v[AUTOCSR_X][first + i] += step[i];
    } else if (!s->left && v[AUTOCSR_D])
      for (PetscInt i = 0; i < n; i++) v[AUTOCSR_X][first + i] += v[AUTOCSR_D][first + i] * sum[i];
    else
      for (PetscInt i = 0; i < n; i++) v[AUTOCSR_X][first + i] += sum[i];
  }
  PetscCall(PetscLogFlops((2.0 * (vectors + s->block)) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStepsGMRES AutoCSRStepsGMRESHost = {Prepare, Start, Orthogonalize, Result, Correct};
