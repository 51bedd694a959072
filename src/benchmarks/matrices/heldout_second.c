/*
  More families that nothing had been made for when they were first run (table -heldout-second-first): meshes of higher order, particles, lattices, transfers between grids,
  graphs of rows of few entries, systems of many stages. A family is a function that lists the columns of a row, as in heldout.c.
*/
#include "matrices.h"

typedef struct {
  uint64_t seed;
  PetscInt n;
  PetscInt side;  /* of a grid or of a mesh, in points or elements */
  PetscInt block; /* unknowns of a point or an element */
  PetscInt window;
} Family;

/* ---- Meshes and grids */

/* A cube of `side` elements along an edge, each with ORDER points along its own besides the last: a point is linked with all of the elements that have it */
enum {
  ORDER = 3
};

static PetscInt SpectralRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f    = (const Family *)ctx;
  const PetscInt side = ORDER * f->side + 1, at[3] = {i % side, i / side % side, i / side / side};
  PetscInt       lo[3], hi[3], len = 0;

  for (int d = 0; d < 3; d++) {
    lo[d] = PetscMax(at[d] - 1, 0) / ORDER * ORDER;
    hi[d] = PetscMin(at[d] / ORDER * ORDER + ORDER, side - 1);
  }
  for (PetscInt z = lo[2]; z <= hi[2]; z++) {
    for (PetscInt y = lo[1]; y <= hi[1]; y++) {
      for (PetscInt x = lo[0]; x <= hi[0]; x++) col[len++] = (z * side + y) * side + x;
    }
  }
  return len;
}

static PetscErrorCode Spectral(const Size *s, Csr *csr)
{
  const Family   f = {.side = Scaled(17 * cbrt(s->scale))};
  const PetscInt n = ORDER * f.side + 1;

  return CsrFromRows(n * n * n, n * n * n, 343, SpectralRow, &f, csr);
}

/* Discontinuous elements of 20 unknowns on a mesh whose elements have four neighbours */
static PetscInt ElementRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f       = (const Family *)ctx;
  const PetscInt element = i / f->block;
  Random         r       = RandomStart(f->seed, (uint64_t)element);
  PetscInt       len     = 0;

  for (PetscInt k = 0; k < 5; k++) {
    const PetscInt other = k ? RandomNear(&r, element, f->window, f->n / f->block) : element;

    for (PetscInt u = 0; u < f->block; u++) col[len++] = other * f->block + u;
  }
  return len;
}

static PetscErrorCode Discontinuous20(const Size *s, Csr *csr)
{
  const PetscInt m = 20 * Scaled(8e3 * s->scale);
  const Family   f = {.seed = s->seed, .n = m, .block = 20, .window = 300};

  return CsrFromRows(m, m, 100, ElementRow, &f, csr);
}

/* Particles, one a cell of a grid: which of the 123 cells within three cells' distance are near enough differs from pair to pair */
static PetscInt ParticleRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f = (const Family *)ctx;
  const PetscInt n = f->side, x = i % n, y = i / n % n, z = i / n / n;
  PetscInt       len = 0;

  for (PetscInt c = PetscMax(z - 3, 0); c <= PetscMin(z + 3, n - 1); c++) {
    for (PetscInt b = PetscMax(y - 3, 0); b <= PetscMin(y + 3, n - 1); b++) {
      for (PetscInt a = PetscMax(x - 3, 0); a <= PetscMin(x + 3, n - 1); a++) {
        const PetscInt j = (c * n + b) * n + a, distance = (a - x) * (a - x) + (b - y) * (b - y) + (c - z) * (c - z);

        if (distance > 9) continue;
        if (distance > 3 && RandomUnit(RandomAt(f->seed ^ (uint64_t)PetscMin(i, j), (uint64_t)PetscMax(i, j))) < distance / 10.0) continue;
        col[len++] = j;
      }
    }
  }
  return len;
}

static PetscErrorCode Particles(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(64 * cbrt(s->scale));
  const Family   f = {.seed = s->seed, .side = n};

  return CsrFromRows(n * n * n, n * n * n, 343, ParticleRow, &f, csr);
}

/* A lattice of four dimensions that wraps around, three unknowns a site */
static PetscInt LatticeRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f    = (const Family *)ctx;
  const PetscInt site = i / f->block;
  PetscInt       len = 0, stride = 1;

  for (PetscInt u = 0; u < f->block; u++) col[len++] = site * f->block + u;
  for (int d = 0; d < 4; d++, stride *= f->side) {
    const PetscInt at = site / stride % f->side;

    for (int way = -1; way <= 1; way += 2) {
      const PetscInt there = (at + way + f->side) % f->side;

      for (PetscInt u = 0; u < f->block; u++) col[len++] = (site + (there - at) * stride) * f->block + u;
    }
  }
  return len;
}

static PetscErrorCode Lattice4d(const Size *s, Csr *csr)
{
  const PetscInt n = Scaled(23 * sqrt(sqrt(s->scale))), m = 3 * n * n * n * n;
  const Family   f = {.side = n, .block = 3};

  return CsrFromRows(m, m, 27, LatticeRow, &f, csr);
}

/* From a grid to one of twice the points a side: one to eight entries a row */
static PetscInt ProlongRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f    = (const Family *)ctx;
  const PetscInt fine = 2 * f->side - 1, x = i % fine, y = i / fine % fine, z = i / fine / fine;
  PetscInt       len = 0;

  for (PetscInt c = z / 2; c <= (z + 1) / 2; c++) {
    for (PetscInt b = y / 2; b <= (y + 1) / 2; b++) {
      for (PetscInt a = x / 2; a <= (x + 1) / 2; a++) col[len++] = (c * f->side + b) * f->side + a;
    }
  }
  return len;
}

/* And back: up to 27 entries a row */
static PetscInt RestrictRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f    = (const Family *)ctx;
  const PetscInt fine = 2 * f->side - 1, x = i % f->side * 2, y = i / f->side % f->side * 2, z = i / f->side / f->side * 2;
  PetscInt       len = 0;

  for (PetscInt c = PetscMax(z - 1, 0); c <= PetscMin(z + 1, fine - 1); c++) {
    for (PetscInt b = PetscMax(y - 1, 0); b <= PetscMin(y + 1, fine - 1); b++) {
      for (PetscInt a = PetscMax(x - 1, 0); a <= PetscMin(x + 1, fine - 1); a++) col[len++] = (c * fine + b) * fine + a;
    }
  }
  return len;
}

static PetscErrorCode Transfer(const Size *s, PetscBool prolong, Csr *csr)
{
  const Family   f      = {.side = Scaled(75 * cbrt(s->scale))};
  const PetscInt coarse = f.side * f.side * f.side, side = 2 * f.side - 1, fine = side * side * side;

  return prolong ? CsrFromRows(fine, coarse, 8, ProlongRow, &f, csr) : CsrFromRows(coarse, fine, 27, RestrictRow, &f, csr);
}

static PetscErrorCode Prolong(const Size *s, Csr *csr)
{
  return Transfer(s, PETSC_TRUE, csr);
}

static PetscErrorCode Restrict(const Size *s, Csr *csr)
{
  return Transfer(s, PETSC_FALSE, csr);
}

/* Triangles, ordered front by front: neighbours in the fronts before and after, where exactly differs */
static PetscInt TriangleRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family *f   = (const Family *)ctx;
  Random        r   = RandomStart(f->seed, (uint64_t)i);
  PetscInt      len = 0;

  for (PetscInt front = -1; front <= 1; front++) {
    const PetscInt begin = front ? i + front * (f->window + RandomInt(&r, -2, 2)) : i - 1, count = front ? RandomInt(&r, 1, 3) : 3;

    for (PetscInt j = PetscMax(begin, 0); j < PetscMin(begin + count, f->n); j++) col[len++] = j;
  }
  return len;
}

static PetscErrorCode Triangles(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(2e6 * s->scale);
  const Family   f = {.seed = s->seed, .n = m, .window = (PetscInt)sqrt((double)m)};

  return CsrFromRows(m, m, 9, TriangleRow, &f, csr);
}

/* A coarse level of an algebraic multigrid: 30 to 90 neighbours in no order, rows that lie together share some */
static PetscInt CoarseRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f = (const Family *)ctx;
  Random         r = RandomStart(f->seed, (uint64_t)i), shared = RandomStart(~f->seed, (uint64_t)i / 5);
  const PetscInt count = RandomInt(&r, 30, 90);

  for (PetscInt k = 0; k < count; k++) col[k] = k < 20 ? RandomNear(&shared, i / 5 * 5, f->window, f->n) : RandomNear(&r, i, f->window, f->n);
  return count;
}

static PetscErrorCode Coarse(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(2e5 * s->scale);
  const Family   f = {.seed = s->seed, .n = m, .window = 3000};

  return CsrFromRows(m, m, 90, CoarseRow, &f, csr);
}

/* Two velocities and a pressure of elements of second order, field by field: points of the fine grid, then those of the coarse one */
static PetscInt FlowRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f    = (const Family *)ctx;
  const PetscInt fine = 2 * f->side + 1, coarse = f->side + 1, points = fine * fine;
  const PetscInt pressure = i - 2 * points, x = pressure < 0 ? i % points % fine : 2 * (pressure % coarse), y = pressure < 0 ? i % points / fine : 2 * (pressure / coarse);
  const PetscInt x0 = PetscMax(x - 1, 0) / 2, x1 = PetscMin(x / 2 + 1, f->side), y0 = PetscMax(y - 1, 0) / 2, y1 = PetscMin(y / 2 + 1, f->side); /* of the elements around, in elements */
  PetscInt       len = 0;

  for (PetscInt velocity = 0; velocity < 2; velocity++) {
    for (PetscInt b = 2 * y0; b <= 2 * y1; b++) {
      for (PetscInt a = 2 * x0; a <= 2 * x1; a++) col[len++] = velocity * points + b * fine + a;
    }
  }
  for (PetscInt b = y0; pressure < 0 && b <= y1; b++) {
    for (PetscInt a = x0; a <= x1; a++) col[len++] = 2 * points + b * coarse + a;
  }
  return len;
}

static PetscErrorCode Flow(const Size *s, Csr *csr)
{
  const Family   f = {.side = Scaled(200 * sqrt(s->scale))};
  const PetscInt m = 2 * (2 * f.side + 1) * (2 * f.side + 1) + (f.side + 1) * (f.side + 1);

  return CsrFromRows(m, m, 59, FlowRow, &f, csr);
}

/* ---- Graphs */

/* Two to four neighbours anywhere, of more columns than a cache has */
static PetscInt AssemblyRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  Random         r     = RandomStart(f->seed, (uint64_t)i);
  const PetscInt count = RandomInt(&r, 2, 4);

  for (PetscInt k = 0; k < count; k++) col[k] = RandomInt(&r, 0, f->n - 1);
  return count;
}

static PetscErrorCode Assembly(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(8e6 * s->scale);
  const Family   f = {.seed = s->seed, .n = m};

  return CsrFromRows(m, m, 4, AssemblyRow, &f, csr);
}

/* Who bought what: few of the 100,000 columns are in many of the rows, most rows are short and some long */
static PetscInt RatingRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  Random         r     = RandomStart(f->seed, (uint64_t)i);
  const double   drawn = 2 + 8 / pow(1 - RandomUnit(RandomNext(&r)), 0.6);
  const PetscInt count = (PetscInt)PetscMin(drawn, 2000);

  for (PetscInt k = 0; k < count; k++) col[k] = (PetscInt)(pow((double)f->n, RandomUnit(RandomNext(&r)))) - 1;
  return count;
}

static PetscErrorCode Ratings(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(7e5 * s->scale);
  const Family   f = {.seed = s->seed, .n = 100000};

  return CsrFromRows(m, f.n, 2000, RatingRow, &f, csr);
}

/* Papers in the order of their years: references to what is not much older, and now and then to anything */
static PetscInt CitationRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  Random         r     = RandomStart(f->seed, (uint64_t)i);
  const double   drawn = 4 / sqrt(1 - RandomUnit(RandomNext(&r)));
  const PetscInt count = (PetscInt)PetscMin(drawn, 300);

  for (PetscInt k = 0; k < count; k++) {
    const double back = pow(RandomUnit(RandomNext(&r)), 6);

    col[k] = (PetscInt)(i * (1 - back));
  }
  return count;
}

static PetscErrorCode Citations(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(2e6 * s->scale);
  const Family   f = {.seed = s->seed, .n = m};

  return CsrFromRows(m, m, 300, CitationRow, &f, csr);
}

/* ---- Systems */

/* Stages of 24 rows: each has some of its own 32 columns and of the next stage's */
static PetscInt StageRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f     = (const Family *)ctx;
  const PetscInt stage = i / 24;
  PetscInt       len   = 0;

  for (PetscInt j = 0; j < 64; j++) {
    if (RandomUnit(RandomAt(f->seed, (uint64_t)(i % 24 * 64 + j))) < 0.2) col[len++] = stage * 32 + j; /* the same in all stages */
  }
  return len;
}

static PetscErrorCode Stages(const Size *s, Csr *csr)
{
  const PetscInt stages = Scaled(4e4 * s->scale);
  const Family   f      = {.seed = s->seed};

  return CsrFromRows(24 * stages, 32 * (stages + 1), 64, StageRow, &f, csr);
}

/* Dense blocks of 5 to 15 rows on the diagonal, and a border of 40 columns at the end of every row, 40 full rows below */
static PetscInt BorderRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family  *f    = (const Family *)ctx;
  const PetscInt turn = 5 + 7 + 9 + 11 + 13 + 15, inner = f->n - 40;
  PetscInt       begin = i / turn * turn, size = 5, len = 0;

  if (i < inner) {
    for (; begin + size <= i; size += 2) begin += size;
    for (PetscInt j = begin; j < PetscMin(begin + size, inner); j++) col[len++] = j;
  } else {
    for (PetscInt j = 0; j < inner; j++) col[len++] = j;
  }
  for (PetscInt j = inner; j < f->n; j++) col[len++] = j;
  return len;
}

static PetscErrorCode Border(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(1.5e5 * s->scale) + 40;
  const Family   f = {.n = m};

  return CsrFromRows(m, m, m, BorderRow, &f, csr);
}

/* Fifteen diagonals, each of which begins and ends somewhere */
static PetscInt PiecesRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family *f   = (const Family *)ctx;
  PetscInt      len = 0;

  for (uint64_t d = 0; d < 15; d++) {
    Random         r      = RandomStart(f->seed, d);
    const PetscInt offset = d ? RandomInt(&r, -f->window, f->window) : 0, begin = RandomInt(&r, 0, f->n / 2), end = d ? begin + RandomInt(&r, 1, f->n / 2) : f->n;

    if ((!d || (i >= begin && i < end)) && i + offset >= 0 && i + offset < f->n) col[len++] = i + offset;
  }
  return len;
}

static PetscErrorCode Pieces(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(3e6 * s->scale);
  const Family   f = {.seed = s->seed, .n = m, .window = m / 10};

  return CsrFromRows(m, m, 15, PiecesRow, &f, csr);
}

/* The upper triangle of a dense matrix */
static PetscInt UpperRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Family *f = (const Family *)ctx;

  for (PetscInt j = i; j < f->n; j++) col[j - i] = j;
  return f->n - i;
}

static PetscErrorCode Upper(const Size *s, Csr *csr)
{
  const PetscInt m = Scaled(4000 * sqrt(s->scale));
  const Family   f = {.n = m};

  return CsrFromRows(m, m, m, UpperRow, &f, csr);
}

const Generator HeldOutSecond[] = {
    {"spectral3", Spectral, 16.8e6, 0},
    {"dg20", Discontinuous20, 16e6, 0},
    {"particles", Particles, 16e6, 0},
    {"lattice4d", Lattice4d, 22e6, 0},
    {"prolong", Prolong, 11e6, 0},
    {"restrict", Restrict, 11e6, 0},
    {"triangles", Triangles, 14e6, 0},
    {"coarse", Coarse, 12e6, 0},
    {"flow", Flow, 14.3e6, 0},
    {"assembly", Assembly, 24e6, 0},
    {"ratings", Ratings, 14e6, 0},
    {"citations", Citations, 13e6, 0},
    {"stages", Stages, 12e6, 0},
    {"border", Border, 13.7e6, 0},
    {"pieces", Pieces, 11.4e6, 0},
    {"pieces-const", Pieces, 11.4e6, 14},
    {"upper", Upper, 8e6, 0},
    {NULL, NULL, 0, 0}};
