/*
  Matrices drawn row by row: finite elements, power law, circuit, linear programs, uniform, dense, road, empty rows.
  The number of rows (and of columns, and the length of the few long rows) scales; the length of ordinary rows does not.
*/
#include "matrices.h"

/* One context serves all rows of this file; what a family does not need stays 0 */
typedef struct {
  uint64_t        seed;
  PetscInt        m, n;
  PetscInt        shortest, longest; /* row lengths drawn uniformly between them */
  PetscInt        window;            /* half width of the band around the diagonal; 0: no band */
  double          near;              /* share of the entries in that band */
  double          empty;             /* share of empty rows */
  const PetscInt *len;               /* row lengths where they are given (power law) */
  PetscInt        dense;             /* number of long rows */
  double          density;           /* share of the columns in a long row */
} Rows;

static PetscInt DrawEntries(const Rows *g, Random *r, PetscInt i, PetscInt len, PetscInt col[])
{
  for (PetscInt k = 0; k < len; k++) {
    PetscBool near = (PetscBool)(g->window && RandomUnit(RandomNext(r)) < g->near);

    col[k] = near ? RandomNear(r, i, g->window, g->n) : RandomInt(r, 0, g->n - 1);
  }
  return len;
}

static PetscInt UniformRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Rows *g = (const Rows *)ctx;
  Random      r = RandomStart(g->seed, (uint64_t)i);

  if (g->empty > 0 && RandomUnit(RandomNext(&r)) < g->empty) return 0;
  return DrawEntries(g, &r, i, RandomInt(&r, g->shortest, g->longest), col);
}

static PetscErrorCode UniformRows(const Rows *g, Csr *csr)
{
  PetscFunctionBeginUser;
  PetscCall(CsrFromRows(g->m, g->n, g->longest, UniformRow, g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinearProgram(const Size *s, Csr *csr)
{
  const Rows g = {.seed = s->seed, .m = Scaled(4000 * s->scale), .n = Scaled(1.1e6 * s->scale), .shortest = 550, .longest = 4950};

  PetscFunctionBeginUser;
  PetscCall(UniformRows(&g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinearProgramTall(const Size *s, Csr *csr)
{
  const Rows g = {.seed = s->seed, .m = Scaled(1.1e6 * s->scale), .n = Scaled(4000 * s->scale), .shortest = 5, .longest = 15};

  PetscFunctionBeginUser;
  PetscCall(UniformRows(&g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Uniform16(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(1e6 * s->scale);
  const Rows     g = {.seed = s->seed, .m = m, .n = m, .shortest = 16, .longest = 16};

  PetscFunctionBeginUser;
  PetscCall(UniformRows(&g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Empty40(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(1.5e6 * s->scale);
  const Rows     g = {.seed = s->seed, .m = m, .n = m, .shortest = 1, .longest = 30, .window = 1000, .near = 0.6, .empty = 0.4};

  PetscFunctionBeginUser;
  PetscCall(UniformRows(&g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degrees of a road network: mostly 2 and 3 (2.57 on average once duplicates are gone) */
static PetscInt RoadRow(const void *ctx, PetscInt i, PetscInt col[])
{
  static const double up_to[] = {0.16, 0.50, 0.80, 0.95, 1};
  const Rows         *g       = (const Rows *)ctx;
  Random              r       = RandomStart(g->seed, (uint64_t)i);
  double              u       = RandomUnit(RandomNext(&r));
  PetscInt            len     = 1;

  while (u >= up_to[len - 1]) len++;
  return DrawEntries(g, &r, i, len, col);
}

PetscErrorCode Road(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(2e6 * s->scale);
  const Rows     g = {.seed = s->seed, .m = m, .n = m, .longest = 5, .window = 20, .near = 0.85};

  PetscFunctionBeginUser;
  PetscCall(CsrFromRows(m, m, g.longest, RoadRow, &g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The long rows are spread over the matrix; each column is in one of them with the same probability */
static PetscInt CircuitRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Rows *g   = (const Rows *)ctx;
  Random      r   = RandomStart(g->seed, (uint64_t)i);
  PetscInt    len = 0;

  if (i % PetscMax(g->m / g->dense, 1) != g->m / g->dense / 2) return DrawEntries(g, &r, i, RandomInt(&r, g->shortest, g->longest), col);
  for (PetscInt c = 0; c < g->n; c++) {
    if (RandomUnit(RandomNext(&r)) < g->density) col[len++] = c;
  }
  return len;
}

PetscErrorCode Circuit(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(7e5 * s->scale);
  const Rows     g = {.seed = s->seed, .m = m, .n = m, .shortest = 3, .longest = 10, .window = 200, .near = 0.8, .dense = 20, .density = 3.0 / 7};

  PetscFunctionBeginUser;
  PetscCall(CsrFromRows(m, m, PetscMax(m, g.longest), CircuitRow, &g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt GivenRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Rows *g = (const Rows *)ctx;
  Random      r = RandomStart(g->seed, (uint64_t)i);

  return DrawEntries(g, &r, i, g->len[i], col);
}

static double PowerLawLength(double longest, double a, PetscInt rank)
{
  return floor(longest * pow((double)rank, -a) + 0.5);
}

/* Row length longest * rank^-a, at least 1, a by bisection for a mean of 8; ranks shuffled over the rows */
PetscErrorCode PowerLaw(const Size *s, Csr *csr)
{
  const PetscInt m       = Scaled(2e6 * s->scale);
  const double   longest = PetscMax(50000 * s->scale, 16);
  double         lo = 0, hi = 3;
  PetscInt      *len;
  Random         r = RandomStart(s->seed, 0x504f574552);

  PetscFunctionBeginUser;
  for (int step = 0; step < 40; step++) {
    double a = 0.5 * (lo + hi), sum = 0;

#pragma omp parallel for reduction(+ \
                                   : sum)
    for (PetscInt rank = 1; rank <= m; rank++) sum += PetscMax(PowerLawLength(longest, a, rank), 1);
    if (sum > 8.0 * (double)m)
      lo = a;
    else
      hi = a;
  }
  PetscCall(PetscMalloc1(m, &len));
  for (PetscInt i = 0; i < m; i++) {
    const PetscInt j = RandomInt(&r, 0, i);

    len[i] = len[j];
    len[j] = (PetscInt)PetscMax(PowerLawLength(longest, hi, i + 1), 1);
  }
  const Rows g = {.seed = s->seed, .m = m, .n = m, .len = len};
  PetscCall(CsrFromRows(m, m, (PetscInt)longest + 1, GivenRow, &g, csr));
  PetscCall(PetscFree(len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt DenseRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const PetscInt n = *(const PetscInt *)ctx;

  for (PetscInt c = 0; c < n; c++) col[c] = c;
  return n;
}

PetscErrorCode Dense2k(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(2000 * sqrt(s->scale));

  PetscFunctionBeginUser;
  PetscCall(CsrFromRows(n, n, n, DenseRow, &n, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The three rows of a node draw the same 20 to 27 neighbours (with repetition): half near, a third less so, the rest far */
static PetscInt FemRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Rows *g    = (const Rows *)ctx;
  PetscInt    node = i / 3, nodes = g->n / 3, len = 0;
  Random      r     = RandomStart(g->seed, (uint64_t)node);
  PetscInt    count = RandomInt(&r, g->shortest, g->longest);

  for (PetscInt k = 0; k < count; k++) {
    double   u  = RandomUnit(RandomNext(&r));
    PetscInt nb = k ? RandomNear(&r, node, u < 1.0 / 2 ? 12 : u < 5.0 / 6 ? 500
                                                                          : 3000,
                                 nodes)
                    : node;

    for (PetscInt c = 0; c < 3; c++) col[len++] = 3 * nb + c;
  }
  return len;
}

PetscErrorCode Fem3x3(const Size *s, Csr *csr)
{
  const PetscInt m = 3 * Scaled(1e5 * s->scale);
  const Rows     g = {.seed = s->seed, .m = m, .n = m, .shortest = 20, .longest = 27};

  PetscFunctionBeginUser;
  PetscCall(CsrFromRows(m, m, 3 * g.longest, FemRow, &g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
