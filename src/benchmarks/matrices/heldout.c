/*
  Matrices that nothing had been made for when they were first run, no kernel and no figure of the cost model (table -heldout-first); since then they are measured like the others.
  A family is a function that lists the columns of a row; side, rows and blocks scale, the length of ordinary rows does not.
*/
#include "matrices.h"

typedef struct {
  uint64_t        seed;
  PetscInt        m, n;
  PetscInt        side;       /* of a grid, in points */
  PetscInt        unknowns;   /* a point of a grid or mesh has */
  PetscBool       full;       /* all points of the cube around, or those along the axes only */
  PetscBool       wraps;      /* past its end a grid begins again */
  double          fixed;      /* share of the points whose rows have their diagonal alone */
  const PetscInt *place, *at; /* of the point k of a grid, and the point at a place, where they are not the same */
  PetscInt        window;
  PetscInt        dense; /* rows and columns */
} Shape;

/* ---- Grids and meshes */

static PetscInt GridRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape   *g = (const Shape *)ctx;
  const PetscInt n = g->side, point = i / g->unknowns, there = g->at ? g->at[point] : point, nz = g->m / g->unknowns / n / n;
  const PetscInt x = there % n, y = there / n % n, z = there / n / n;
  PetscInt       len = 0;

  if (RandomUnit(RandomAt(g->seed ^ (UINT64_C(1) << 40), (uint64_t)point)) < g->fixed) {
    col[0] = i;
    return 1;
  }
  for (PetscInt c = z - (nz > 1); c <= z + (nz > 1); c++) {
    for (PetscInt b = y - 1; b <= y + 1; b++) {
      for (PetscInt a = x - 1; a <= x + 1; a++) {
        const PetscInt k = (((c + nz) % nz) * n + (b + n) % n) * n + (a + n) % n;

        if (!g->full && (a != x) + (b != y) + (c != z) > 1) continue;
        if (!g->wraps && (a < 0 || a >= n || b < 0 || b >= n || c < 0 || c >= nz)) continue;
        for (PetscInt u = 0; u < g->unknowns; u++) col[len++] = (g->place ? g->place[k] : k) * g->unknowns + u;
      }
    }
  }
  return len;
}

static PetscErrorCode Grid(const Size *s, PetscInt side, PetscInt nz, const Shape *like, Csr *csr)
{
  Shape g = *like;

  PetscFunctionBeginUser;
  g.seed     = s->seed;
  g.side     = side;
  g.unknowns = PetscMax(g.unknowns, 1);
  g.m        = side * side * nz * g.unknowns;
  PetscCall(CsrFromRows(g.m, g.m, 27 * g.unknowns, GridRow, &g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Periodic(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(150 * cbrt(s->scale));
  const Shape    g = {.wraps = PETSC_TRUE};

  return Grid(s, n, n, &g, csr);
}

static PetscErrorCode Dirichlet3d(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(150 * cbrt(s->scale));
  const Shape    g = {.fixed = 0.1};

  return Grid(s, n, n, &g, csr);
}

static PetscErrorCode Dirichlet2d(const Size *s, Csr *csr)
{
  const Shape g = {.fixed = 0.02, .full = PETSC_TRUE};

  return Grid(s, Scaled(1400 * sqrt(s->scale)), 1, &g, csr);
}

static PetscErrorCode Pairs2d(const Size *s, Csr *csr)
{
  const Shape g = {.unknowns = 2};

  return Grid(s, Scaled(1000 * sqrt(s->scale)), 1, &g, csr);
}

static PetscErrorCode Elastic27(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(48 * cbrt(s->scale));
  const Shape    g = {.unknowns = 3, .full = PETSC_TRUE};

  return Grid(s, n, n, &g, csr);
}

static PetscErrorCode Reservoir5(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(50 * cbrt(s->scale));
  const Shape    g = {.unknowns = 5};

  return Grid(s, n, n, &g, csr);
}

/* The points in another order */
static PetscErrorCode Reordered(const Size *s, PetscInt side, PetscInt nz, PetscInt *at, Csr *csr)
{
  const PetscInt points = side * side * nz;
  PetscInt      *place;
  Shape          g = {.at = at};

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(points, &place));
  for (PetscInt k = 0; k < points; k++) place[at[k]] = k;
  g.place = place;
  PetscCall(Grid(s, side, nz, &g, csr));
  PetscCall(PetscFree(place));
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Along a curve that fills the square (Morton's), as adaptive meshes are ordered */
static PetscErrorCode Morton2d(const Size *s, Csr *csr)
{
  const PetscInt side = (PetscInt)1 << (PetscInt)PetscMax(11 + floor(log2(s->scale) / 2 + 0.5), 1);
  PetscInt      *at;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(side * side, &at));
  for (PetscInt k = 0; k < side * side; k++) {
    for (PetscInt bit = 0; bit < 15; bit++) at[k] += (k >> 2 * bit & 1) * ((PetscInt)1 << bit) + (k >> (2 * bit + 1) & 1) * ((PetscInt)1 << bit) * side;
  }
  PetscCall(Reordered(s, side, 1, at, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shuffled3d(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(110 * cbrt(s->scale));
  Random         r = RandomStart(s->seed, 0x53485546);
  PetscInt      *at;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n * n * n, &at));
  for (PetscInt i = 0; i < n * n * n; i++) {
    const PetscInt j = RandomInt(&r, 0, i);

    at[i] = at[j];
    at[j] = i;
  }
  PetscCall(Reordered(s, n, n, at, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of tetrahedra, four unknowns a node: 8 to 20 neighbours */
static PetscInt MeshRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape   *g    = (const Shape *)ctx;
  const PetscInt node = i / g->unknowns, nodes = g->n / g->unknowns;
  Random         r     = RandomStart(g->seed, (uint64_t)node);
  const PetscInt count = RandomInt(&r, 8, 20);
  PetscInt       len   = 0;

  for (PetscInt k = 0; k < count; k++) {
    const PetscInt other = k ? RandomNear(&r, node, g->window, nodes) : node;

    for (PetscInt u = 0; u < g->unknowns; u++) col[len++] = other * g->unknowns + u;
  }
  return len;
}

static PetscErrorCode Mesh4x4(const Size *s, Csr *csr)
{
  const PetscInt m = 4 * Scaled(1e5 * s->scale);
  const Shape    g = {.seed = s->seed, .m = m, .n = m, .unknowns = 4, .window = 4000};

  return CsrFromRows(m, m, 20 * g.unknowns, MeshRow, &g, csr);
}

/* ---- Systems of more than one kind of rows */

/* (H B^T; B 0): H of five points, a constraint for each two by two of them */
static PetscInt SaddleRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape   *g = (const Shape *)ctx;
  const PetscInt n = g->side, x = i % n, y = i / n % n, k = i - n * n;
  PetscInt       len = 0;

  if (k >= 0) {
    for (PetscInt b = 0; b < 4; b++) col[len++] = (2 * (k / (n / 2)) + b / 2) * n + 2 * (k % (n / 2)) + b % 2;
    return len;
  }
  if (y > 0) col[len++] = i - n;
  if (x > 0) col[len++] = i - 1;
  col[len++] = i;
  if (x + 1 < n) col[len++] = i + 1;
  if (y + 1 < n) col[len++] = i + n;
  col[len++] = n * n + y / 2 * (n / 2) + x / 2;
  return len;
}

static PetscErrorCode Saddle(const Size *s, Csr *csr)
{
  const PetscInt n = 2 * Scaled(600 * sqrt(s->scale)), m = n * n + n * n / 4;
  const Shape    g = {.side = n};

  return CsrFromRows(m, m, 6, SaddleRow, &g, csr);
}

/* Three diagonals, and rows and columns that have everything */
static PetscInt ArrowRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape *g   = (const Shape *)ctx;
  PetscInt     len = 0;

  for (PetscInt j = 0; j < (i < g->dense ? g->n : PetscMin(g->dense, g->n)); j++) col[len++] = j;
  for (PetscInt j = PetscMax(i - 1, len); j <= PetscMin(i + 1, g->n - 1); j++) col[len++] = j;
  return len;
}

static PetscErrorCode Arrow(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(5e5 * s->scale);
  const Shape    g = {.n = m, .dense = 8};

  return CsrFromRows(m, m, m + g.dense + 3, ArrowRow, &g, csr);
}

/* A star: half of all are linked with the first, and two more each anywhere near */
static PetscInt HubRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape *g   = (const Shape *)ctx;
  Random       r   = RandomStart(g->seed, (uint64_t)i);
  PetscInt     len = 0;

  if (!i) {
    for (PetscInt j = 0; j < g->n; j += 2) col[len++] = j;
    return len;
  }
  if (i % 2 == 0) col[len++] = 0;
  for (PetscInt k = 0; k < 2; k++) col[len++] = RandomNear(&r, i, g->window, g->n);
  return len;
}

static PetscErrorCode Hub(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(2e6 * s->scale);
  const Shape    g = {.seed = s->seed, .n = m, .window = 50000};

  return CsrFromRows(m, m, m / 2 + 3, HubRow, &g, csr);
}

/* Bundle adjustment: nine unknowns of one of 1000 cameras, three of a point that is seen four times */
static PetscInt BundleRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape   *g      = (const Shape *)ctx;
  const PetscInt seen   = i / 2;
  Random         r      = RandomStart(g->seed, (uint64_t)seen);
  const PetscInt camera = RandomInt(&r, 0, 999);

  for (PetscInt k = 0; k < 9; k++) col[k] = 9 * camera + k;
  for (PetscInt k = 0; k < 3; k++) col[9 + k] = 9000 + seen / 4 * 3 + k;
  return 12;
}

static PetscErrorCode Bundle(const Size *s, Csr *csr)
{
  const PetscInt points = Scaled(1.25e5 * s->scale);
  const Shape    g      = {.seed = s->seed};

  return CsrFromRows(8 * points, 9000 + 3 * points, 12, BundleRow, &g, csr);
}

/* ---- Rows drawn one by one */

static PetscInt BandRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape *g   = (const Shape *)ctx;
  PetscInt     len = 0;

  for (PetscInt j = PetscMax(i - g->window, 0); j <= PetscMin(i + g->window, g->n - 1); j++) col[len++] = j;
  return len;
}

static PetscErrorCode Band41(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(3e5 * s->scale);
  const Shape    g = {.n = m, .window = 20};

  return CsrFromRows(m, m, 41, BandRow, &g, csr);
}

static PetscErrorCode Diagonal(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(5e6 * s->scale);
  const Shape    g = {.n = m};

  return CsrFromRows(m, m, 1, BandRow, &g, csr);
}

/* Dense blocks on the diagonal, of 32, 96, ... 352 rows in turn */
static PetscInt ClusterRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape   *g     = (const Shape *)ctx;
  const PetscInt turn  = 32 * (1 + 3 + 5 + 7 + 9 + 11);
  PetscInt       begin = i / turn * turn, size = 32, len = 0;

  for (; begin + size <= i; size += 64) begin += size;
  for (PetscInt j = begin; j < PetscMin(begin + size, g->n); j++) col[len++] = j;
  return len;
}

static PetscErrorCode Clusters(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(6e4 * s->scale);
  const Shape    g = {.n = m};

  return CsrFromRows(m, m, 352, ClusterRow, &g, csr);
}

/* A ring in which one of ten links leads anywhere */
static PetscInt SmallWorldRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape *g = (const Shape *)ctx;
  Random       r = RandomStart(g->seed, (uint64_t)i);

  for (PetscInt k = 0; k < 10; k++) {
    const PetscInt to = k < 5 ? i - 5 + k : i - 4 + k;

    col[k] = RandomUnit(RandomNext(&r)) < 0.1 ? RandomInt(&r, 0, g->n - 1) : (to + 5 * g->n) % g->n;
  }
  return 10;
}

static PetscErrorCode SmallWorld(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(1e6 * s->scale);
  const Shape    g = {.seed = s->seed, .n = m};

  return CsrFromRows(m, m, 10, SmallWorldRow, &g, csr);
}

/* The two ends of an edge */
static PetscInt EdgeRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape *g = (const Shape *)ctx;
  Random       r = RandomStart(g->seed, (uint64_t)i);

  col[0] = i / 3;
  col[1] = RandomNear(&r, i / 3, g->window, g->n);
  return 2;
}

static PetscErrorCode Edges(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(1e6 * s->scale);
  const Shape    g = {.seed = s->seed, .n = n, .window = 1000};

  return CsrFromRows(3 * n, n, 2, EdgeRow, &g, csr);
}

/* A factor: below the diagonal, in runs of one to sixteen columns */
static PetscInt FactorRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape *g   = (const Shape *)ctx;
  Random       r   = RandomStart(g->seed, (uint64_t)i / 4); /* four rows alike */
  PetscInt     len = 0;

  for (PetscInt run = RandomInt(&r, 1, 6); run > 0; run--) {
    const PetscInt begin = RandomInt(&r, PetscMax(i / 4 * 4 - g->window, 0), i / 4 * 4), count = RandomInt(&r, 1, 16);

    for (PetscInt j = begin; j < PetscMin(begin + count, i); j++) col[len++] = j;
  }
  col[len++] = i;
  return len;
}

static PetscErrorCode Factor(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(4e5 * s->scale);
  const Shape    g = {.seed = s->seed, .n = m, .window = 20000};

  return CsrFromRows(m, m, 97, FactorRow, &g, csr);
}

/* Each column is in a row with the same probability */
static PetscInt ShareRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Shape *g   = (const Shape *)ctx;
  Random       r   = RandomStart(g->seed, (uint64_t)i);
  PetscInt     len = 0;

  for (PetscInt j = 0; j < g->n; j++) {
    if (RandomUnit(RandomNext(&r)) < 0.1) col[len++] = j;
  }
  return len;
}

static PetscErrorCode Wide(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(1e6 * s->scale);
  const Shape    g = {.seed = s->seed, .n = n};

  return CsrFromRows(100, n, n, ShareRow, &g, csr);
}

static PetscErrorCode Tall(const Size *s, Csr *csr)
{
  const Shape g = {.seed = s->seed, .n = 400};

  return CsrFromRows(Scaled(3e5 * s->scale), g.n, g.n, ShareRow, &g, csr);
}

const Generator HeldOut[] = {
    {"periodic3d7-const", Periodic, 23.6e6, 6},
    {"dirichlet3d7-const", Dirichlet3d, 21.3e6, 6},
    {"dirichlet2d9", Dirichlet2d, 17.3e6, 0},
    {"dirichlet2d9-const", Dirichlet2d, 17.3e6, 8},
    {"pairs2d", Pairs2d, 20e6, 0},
    {"elastic27", Elastic27, 26e6, 0},
    {"reservoir5", Reservoir5, 21.1e6, 0},
    {"morton2d5", Morton2d, 21e6, 0},
    {"shuffled3d7", Shuffled3d, 9.2e6, 0},
    {"mesh4x4", Mesh4x4, 22.5e6, 0},
    {"saddle", Saddle, 10e6, 0},
    {"arrow", Arrow, 9.5e6, 0},
    {"hub", Hub, 6e6, 0},
    {"bundle", Bundle, 12e6, 0},
    {"band41", Band41, 12.3e6, 0},
    {"band41-const", Band41, 12.3e6, 40},
    {"diagonal", Diagonal, 5e6, 0},
    {"clusters", Clusters, 14e6, 0},
    {"smallworld", SmallWorld, 10e6, 0},
    {"edges", Edges, 6e6, 0},
    {"factor", Factor, 12e6, 0},
    {"wide", Wide, 10e6, 0},
    {"tall", Tall, 12e6, 0},
    {NULL, NULL, 0, 0}};
