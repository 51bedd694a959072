/*
  Families that nothing had been made for when they were first run (table -heldout-third-first): refined meshes, several fields, long stencils, sites of a web, data and their attributes,
  rows that are mostly empty. A family is a function that lists the columns of a row, as in heldout.c.
*/
#include "matrices.h"

typedef struct {
  uint64_t seed;
  PetscInt n;
  PetscInt side;  /* of a grid, in points */
  PetscInt block; /* unknowns of a point */
  PetscInt window;
} Family;

/* ---- Meshes and grids */

/* A plane in tiles of 8 by 8 cells, a quarter of which are fine: a side has one neighbour or, towards such a tile, two; a fine cell has one across, too */
static PetscBool TileIsFine(const Family *f, PetscInt tile)
{
  return (PetscBool)(RandomAt(f->seed, (uint64_t)tile) % 4 == 0);
}

static PetscInt AdaptiveRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  const PetscInt tiles = f->side, tile = i / 64, cell = i % 64, at[2] = {tile % tiles * 8 + cell % 8, tile / tiles * 8 + cell / 8};
  const PetscInt way[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  PetscInt       len       = 0;

  col[len++] = i;
  for (int w = 0; w < 4; w++) {
    const PetscInt x = at[0] + way[w][0], y = at[1] + way[w][1];

    if (x < 0 || y < 0 || x >= 8 * tiles || y >= 8 * tiles) continue;
    const PetscInt other = (y / 8 * tiles + x / 8) * 64 + y % 8 * 8 + x % 8;

    col[len++] = other;
    if (TileIsFine(f, other / 64) && other / 64 != tile) col[len++] = other ^ 1; /* the other half of the side */
  }
  if (TileIsFine(f, tile)) col[len++] = i ^ 9; /* across */
  return len;
}

static PetscErrorCode Adaptive(const Size *s, Csr *csr)
{
  const PetscInt tiles = Scaled(200 * sqrt(s->scale)), m = 64 * tiles * tiles;
  const Family   f = {.seed = s->seed, .side = tiles};

  return CsrFromRows(m, m, 10, AdaptiveRow, &f, csr);
}

/* Velocities on the sides and pressures in the middle of the cells of a cube, field by field */
static PetscInt StaggeredRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f = (const Family *)ctx;
  const PetscInt n = f->side, cells = n * n * n, field = i / cells, cell = i % cells;
  const PetscInt at[3] = {cell % n, cell / n % n, cell / n / n}, stride[3] = {1, n, n * n};
  PetscInt       len = 0;

  if (field < 3) {
    col[len++] = i;
    for (int d = 0; d < 3; d++) {
      if (at[d] > 0) col[len++] = i - stride[d];
      if (at[d] < n - 1) col[len++] = i + stride[d];
    }
    col[len++] = 3 * cells + cell;
    if (at[field] > 0) col[len++] = 3 * cells + cell - stride[field];
  } else {
    for (int d = 0; d < 3; d++) {
      col[len++] = d * cells + cell;
      if (at[d] < n - 1) col[len++] = d * cells + cell + stride[d];
    }
  }
  return len;
}

static PetscErrorCode Staggered(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(80 * cbrt(s->scale)), m = 4 * n * n * n;
  const Family   f = {.side = n};

  return CsrFromRows(m, m, 9, StaggeredRow, &f, csr);
}

/* Six motions of an aggregate interpolated to three unknowns of a point, which has one to four aggregates near it */
static PetscInt AggregateRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  const PetscInt point = i / 3, own = point / 27;
  Random         r     = RandomStart(f->seed, (uint64_t)point);
  const PetscInt count = RandomInt(&r, 1, 4);
  PetscInt       len   = 0;

  for (PetscInt k = 0; k < count; k++) {
    const PetscInt aggregate = k ? RandomNear(&r, own, f->window, f->n) : own;

    for (PetscInt u = 0; u < 6; u++) col[len++] = 6 * aggregate + u;
  }
  return len;
}

static PetscErrorCode Aggregates(const Size *s, Csr *csr)
{
  const PetscInt aggregates = Scaled(1e4 * s->scale);
  const Family   f          = {.seed = s->seed, .n = aggregates, .window = 40};

  return CsrFromRows(81 * aggregates, 6 * aggregates, 24, AggregateRow, &f, csr);
}

/* Ten species in each cell of a cube: which react is the same everywhere, and each moves to six neighbours */
static PetscInt ReactingRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f = (const Family *)ctx;
  const PetscInt n = f->side, cell = i / f->block, species = i % f->block;
  const PetscInt at[3] = {cell % n, cell / n % n, cell / n / n}, stride[3] = {1, n, n * n};
  PetscInt       len = 0;

  for (PetscInt u = 0; u < f->block; u++) {
    if (u == species || RandomUnit(RandomAt(f->seed, (uint64_t)(species * f->block + u))) < 0.4) col[len++] = cell * f->block + u;
  }
  for (int d = 0; d < 3; d++) {
    if (at[d] > 0) col[len++] = i - stride[d] * f->block;
    if (at[d] < n - 1) col[len++] = i + stride[d] * f->block;
  }
  return len;
}

static PetscErrorCode Reacting(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(50 * cbrt(s->scale)), m = 10 * n * n * n;
  const Family   f = {.seed = s->seed, .side = n, .block = 10};

  return CsrFromRows(m, m, 16, ReactingRow, &f, csr);
}

/* All points of a plane within ten of a point: 317 */
static PetscInt HorizonRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f = (const Family *)ctx;
  const PetscInt n = f->side, x = i % n, y = i / n, reach = f->window;
  PetscInt       len = 0;

  for (PetscInt b = PetscMax(y - reach, 0); b <= PetscMin(y + reach, n - 1); b++) {
    for (PetscInt a = PetscMax(x - reach, 0); a <= PetscMin(x + reach, n - 1); a++) {
      if ((a - x) * (a - x) + (b - y) * (b - y) <= reach * reach) col[len++] = b * n + a;
    }
  }
  return len;
}

static PetscErrorCode Horizon(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(220 * sqrt(s->scale));
  const Family   f = {.side = n, .window = 10};

  return CsrFromRows(n * n, n * n, 317, HorizonRow, &f, csr);
}

/* State, control and multiplier of a plane's points, field by field */
static PetscInt ControlRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f = (const Family *)ctx;
  const PetscInt n = f->side, points = n * n, field = i / points, point = i % points, x = point % n, y = point / n;
  PetscInt       len = 0;

  col[len++] = i;
  for (int to = 0; to < 3; to++) {
    if ((field == 2) == (to == 2) || (field == 1 || to == 1)) continue; /* a state and its multiplier */
    col[len++] = to * points + point;
    if (x > 0) col[len++] = to * points + point - 1;
    if (x < n - 1) col[len++] = to * points + point + 1;
    if (y > 0) col[len++] = to * points + point - n;
    if (y < n - 1) col[len++] = to * points + point + n;
  }
  if (field) col[len++] = (3 - field) * points + point; /* a control and the multiplier */
  return len;
}

static PetscErrorCode Control(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(900 * sqrt(s->scale)), m = 3 * n * n;
  const Family   f = {.side = n};

  return CsrFromRows(m, m, 7, ControlRow, &f, csr);
}

/* Rows in groups of one to thirty with the same columns: runs of other groups, as of the elements of shells */
static PetscInt SupernodeRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  const PetscInt sizes = 12, size[12] = {6, 3, 30, 12, 6, 1, 18, 6, 24, 5, 6, 9}, turn = 126;
  PetscInt       group = 0, begin = i / turn * turn, len = 0;

  for (; begin + size[group] <= i; group++) begin += size[group];
  Random r = RandomStart(f->seed, (uint64_t)begin);
  for (PetscInt k = 0; k < 6; k++) {
    PetscInt other = k ? RandomNear(&r, i / turn, f->window, f->n / turn) * turn : begin, g = k ? RandomInt(&r, 0, sizes - 1) : group;

    for (PetscInt h = 0; k && h < g; h++) other += size[h];
    for (PetscInt u = 0; u < size[g]; u++) col[len++] = other + u;
  }
  return len;
}

static PetscErrorCode Supernodes(const Size *s, Csr *csr)
{
  const PetscInt m = 126 * Scaled(1700 * s->scale);
  const Family   f = {.seed = s->seed, .n = m, .window = 20};

  return CsrFromRows(m, m, 180, SupernodeRow, &f, csr);
}

/* Boxes of 64 elements of a surface, dense with the boxes around */
static PetscInt NearFieldRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f = (const Family *)ctx;
  const PetscInt n = f->side, box = i / f->block, x = box % n, y = box / n;
  PetscInt       len = 0;

  for (PetscInt b = PetscMax(y - 1, 0); b <= PetscMin(y + 1, n - 1); b++) {
    for (PetscInt a = PetscMax(x - 1, 0); a <= PetscMin(x + 1, n - 1); a++) {
      for (PetscInt u = 0; u < f->block; u++) col[len++] = (b * n + a) * f->block + u;
    }
  }
  return len;
}

static PetscErrorCode NearField(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(20 * sqrt(s->scale)), m = 64 * n * n;
  const Family   f = {.side = n, .block = 64};

  return CsrFromRows(m, m, 576, NearFieldRow, &f, csr);
}

static PetscInt TridiagonalRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family *f   = (const Family *)ctx;
  PetscInt      len = 0;

  for (PetscInt j = PetscMax(i - 1, 0); j <= PetscMin(i + 1, f->n - 1); j++) col[len++] = j;
  return len;
}

static PetscErrorCode Tridiagonal(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(5e6 * s->scale);
  const Family   f = {.n = m};

  return CsrFromRows(m, m, 3, TridiagonalRow, &f, csr);
}

/* ---- Graphs */

/* Pages in sites of 20 to 2000: most links are to pages of the site near by, and lie in runs; the others are to the sites that all link to */
static PetscInt CrawlRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f    = (const Family *)ctx;
  Random         site = RandomStart(~f->seed, (uint64_t)i / 2000);
  const PetscInt size = RandomInt(&site, 20, 2000), begin = i - i % 2000 % size, end = PetscMin(PetscMin(begin + size, i - i % 2000 + 2000), f->n);
  Random         r     = RandomStart(f->seed, (uint64_t)i);
  const double   drawn = 2 + 3 / pow(1 - RandomUnit(RandomNext(&r)), 0.7);
  const PetscInt count = (PetscInt)PetscMin(drawn, 400);
  PetscInt       len   = 0;

  while (len < count) {
    if (RandomNext(&r) % 5) {
      const PetscInt run = RandomInt(&r, 1, 6), first = RandomInt(&r, begin, end - 1);

      for (PetscInt k = 0; k < run && len < count; k++) col[len++] = PetscMin(first + k, end - 1);
    } else {
      col[len++] = (PetscInt)(pow(RandomUnit(RandomNext(&r)), 4) * f->n);
    }
  }
  return len;
}

static PetscErrorCode Crawl(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(1.4e6 * s->scale);
  const Family   f = {.seed = s->seed, .n = m};

  return CsrFromRows(m, m, 400, CrawlRow, &f, csr);
}

/* One row of twelve has entries, one to five */
static PetscInt HypersparseRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  Random         r     = RandomStart(f->seed, (uint64_t)i);
  const PetscInt count = RandomInt(&r, 0, 11) ? 0 : RandomInt(&r, 1, 5);

  for (PetscInt k = 0; k < count; k++) col[k] = RandomInt(&r, 0, f->n - 1);
  return count;
}

static PetscErrorCode Hypersparse(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(2e7 * s->scale);
  const Family   f = {.seed = s->seed, .n = m};

  return CsrFromRows(m, m, 5, HypersparseRow, &f, csr);
}

/* A link for each row, in no order: the two points that it joins, near each other */
static PetscInt IncidenceRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family *f = (const Family *)ctx;
  Random        r = RandomStart(f->seed, (uint64_t)i);

  col[0] = RandomInt(&r, 0, f->n - 1);
  col[1] = RandomNear(&r, col[0], f->window, f->n);
  return 2;
}

static PetscErrorCode Incidence(const Size *s, Csr *csr)
{
  const Family f = {.seed = s->seed, .n = Scaled(1.5e6 * s->scale), .window = 1000};

  return CsrFromRows(4 * f.n, f.n, 2, IncidenceRow, &f, csr);
}

/* Pairs of unknowns at the points of a net that have two to five neighbours, most of them near */
static PetscInt PowerFlowRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  const PetscInt bus   = i / 2;
  Random         r     = RandomStart(f->seed, (uint64_t)bus);
  const PetscInt count = 1 + (PetscInt)(RandomNext(&r) % 3) * (PetscInt)(RandomNext(&r) % 3);
  PetscInt       len   = 0;

  for (PetscInt k = -1; k <= count; k++) {
    const PetscInt other = k < 0 ? bus : k == 0 ? PetscMax(bus - 1, 0)
                                                : RandomNear(&r, bus, k == 1 ? 20 : 3000, f->n);

    for (PetscInt u = 0; u < 2; u++) col[len++] = 2 * other + u;
  }
  return len;
}

static PetscErrorCode PowerFlow(const Size *s, Csr *csr)
{
  const Family f = {.seed = s->seed, .n = Scaled(8e5 * s->scale)};

  return CsrFromRows(2 * f.n, 2 * f.n, 14, PowerFlowRow, &f, csr);
}

/* A chain of spins: a state is its bits, and two neighbours that differ change places */
static PetscInt SpinsRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family *f   = (const Family *)ctx;
  PetscInt      len = 0;

  col[len++] = i;
  for (PetscInt k = 0; k + 1 < f->side; k++) {
    if ((i >> k & 1) != (i >> (k + 1) & 1)) col[len++] = i ^ ((PetscInt)3 << k);
  }
  return len;
}

static PetscErrorCode Spins(const Size *s, Csr *csr)
{
  const PetscInt spins = (PetscInt)PetscMax(2, floor(20.5 + log2(s->scale)));
  const Family   f     = {.side = spins};

  return CsrFromRows((PetscInt)1 << spins, (PetscInt)1 << spins, spins, SpinsRow, &f, csr);
}

/* ---- Data */

/* Rays through a plane of pixels: the one or two of each line that a ray meets */
static PetscInt RayRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family *f     = (const Family *)ctx;
  const double  slope = 2.0 * (double)(i / f->side) / (double)f->side - 1;
  double        x     = (double)(i % f->side) + 0.5;
  PetscInt      len   = 0;

  for (PetscInt line = 0; line < f->side; line++, x += slope) {
    const PetscInt first = (PetscInt)floor(x), last = (PetscInt)floor(x + slope);

    for (PetscInt p = PetscMax(PetscMin(first, last), 0); p <= PetscMin(PetscMax(first, last), f->side - 1); p++) col[len++] = line * f->side + p;
  }
  return len;
}

static PetscErrorCode Rays(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(220 * cbrt(s->scale));
  const Family   f = {.side = n};

  return CsrFromRows(n * n, n * n, 2 * n, RayRow, &f, csr);
}

/* Twelve attributes of each row, one column of each: of 2 to 300,000 values, the frequent ones first */
static PetscInt AttributeRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f          = (const Family *)ctx;
  const PetscInt values[12] = {2, 3, 5, 10, 24, 50, 100, 365, 1000, 8000, 50000, 300000};
  Random         r          = RandomStart(f->seed, (uint64_t)i);
  PetscInt       begin      = 0;

  for (int a = 0; a < 12; begin += values[a++]) col[a] = begin + (PetscInt)(pow(RandomUnit(RandomNext(&r)), 3) * (double)values[a]);
  return 12;
}

static PetscErrorCode Attributes(const Size *s, Csr *csr)
{
  const Family f = {.seed = s->seed};

  return CsrFromRows(Scaled(1e6 * s->scale), 359559, 12, AttributeRow, &f, csr);
}

/* The words of texts of 30 to 500 words: of 60,000, by Zipf's law and in no order of frequency */
static PetscInt DocumentRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  Random         r     = RandomStart(f->seed, (uint64_t)i);
  const PetscInt count = RandomInt(&r, 30, RandomInt(&r, 30, 500));

  for (PetscInt k = 0; k < count; k++) col[k] = (PetscInt)(RandomMix((uint64_t)pow((double)f->n, RandomUnit(RandomNext(&r)))) % (uint64_t)f->n);
  return count;
}

static PetscErrorCode Documents(const Size *s, Csr *csr)
{
  const Family f = {.seed = s->seed, .n = 60000};

  return CsrFromRows(Scaled(1e5 * s->scale), f.n, 500, DocumentRow, &f, csr);
}

const Generator HeldOutThird[] = {
    {"adaptive", Adaptive, 13.9e6, 0},
    {"staggered", Staggered, 17e6, 0},
    {"aggregates", Aggregates, 12e6, 0},
    {"reacting", Reacting, 13e6, 0},
    {"horizon", Horizon, 14e6, 0},
    {"horizon-const", Horizon, 14e6, 316},
    {"control", Control, 12e6, 0},
    {"supernodes", Supernodes, 15e6, 0},
    {"nearfield", NearField, 14e6, 0},
    {"tridiagonal", Tridiagonal, 15e6, 0},
    {"crawl", Crawl, 14e6, 0},
    {"hypersparse", Hypersparse, 5e6, 0},
    {"incidence", Incidence, 12e6, 0},
    {"powerflow", PowerFlow, 13e6, 0},
    {"spins", Spins, 11e6, 0},
    {"rays", Rays, 14e6, 0},
    {"attributes", Attributes, 12e6, 0},
    {"attributes-const", Attributes, 12e6, -1},
    {"documents", Documents, 12e6, 0},
    {NULL, NULL, 0, 0}};
