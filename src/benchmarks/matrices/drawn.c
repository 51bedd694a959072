/*
  Matrices of no family: how long rows are, which columns they have and which values are drawn by lot, one law of each, some of two laws of columns at once. As many as are asked for
  (-drawn), others with another -seed: what is fitted to some of them can be tried on the next.
*/
#include "matrices.h"

#define DRAWN_MAX     4096
#define DRAWN_NAME    48
#define DRAWN_OFFSETS 64
#define DRAWN_NNZ     2e7

typedef enum {
  LENGTH_EQUAL,
  LENGTH_EVEN,      /* anything up to twice the mean */
  LENGTH_GEOMETRIC, /* most rows are short */
  LENGTH_POWER,     /* and few are very long */
  LENGTH_TWO,       /* few rows are fifty times as long as the others */
  LENGTH_SECTIONS,  /* as long as their section's, next to each other */
  LENGTHS
} Length;

typedef enum {
  COLUMNS_ANYWHERE,
  COLUMNS_NEAR,      /* within a window around the diagonal */
  COLUMNS_NEARER,    /* the nearer the likelier */
  COLUMNS_OFFSETS,   /* diagonals of a grid, some of which rows lack */
  COLUMNS_POPULAR,   /* few are in most rows; their names tell nothing */
  COLUMNS_FIRST,     /* the same, the popular ones first */
  COLUMNS_RUNS,      /* next to each other */
  COLUMNS_TEMPLATES, /* as the rows around have */
  COLUMNS_KINDS
} Columns;

typedef enum {
  VALUES_DISTINCT,
  VALUES_ONE,
  VALUES_FEW,
  VALUES_DIAGONALS, /* of a diagonal one */
  VALUES_WHOLE,     /* numbers that a float holds */
  VALUES_KINDS
} Values;

static const char *const LengthNames[] = {"equal", "even", "geometric", "power", "two", "sections"}, *const ColumnsNames[] = {"anywhere", "near", "nearer", "offsets", "popular", "first", "runs", "templates"}, *const ValuesNames[] = {"", "-one", "-few", "-diagonals", "-whole"};

typedef struct {
  uint64_t seed;
  PetscInt m, n, block; /* in blocks */
  Length   length;
  double   mean, empty; /* entries of a row; the share of rows without */
  PetscInt longest;
  Columns  columns[2];
  double   second; /* the share of the entries by the second law */
  PetscInt window, run, group, n_offsets, offset[DRAWN_OFFSETS];
  double   lacking, exponent;
  Values   values;
  PetscInt distinct;
} Drawn;

/* In [lo, hi), as many in an octave as in the next */
static double RandomOctaves(Random *r, double lo, double hi)
{
  return lo * pow(hi / lo, RandomUnit(RandomNext(r)));
}

static PetscBool RandomChance(Random *r, double chance)
{
  return (PetscBool)(RandomUnit(RandomNext(r)) < chance);
}

/* What a grid of a drawn side reaches: the point itself, then pairs of neighbours along up to three directions, then any */
static void DrawOffsets(Drawn *d, Random *r)
{
  const double side = RandomOctaves(r, 10, PetscMax(20, sqrt((double)d->n)));

  d->n_offsets = (PetscInt)PetscMin(PetscMax(1, d->mean), DRAWN_OFFSETS);
  for (PetscInt k = 0; k < d->n_offsets; k++) {
    const double stride = pow(side, (double)RandomInt(r, 0, 2));

    d->offset[k] = k == 0 ? 0 : k % 2 ? (PetscInt)(stride * (double)RandomInt(r, 1, 3)) + RandomInt(r, -1, 1)
                                      : -d->offset[k - 1];
  }
}

static void Draw(const Size *size, Drawn *d)
{
  Random       r       = RandomStart(size->seed ^ 0x445241, (uint64_t)size->draw);
  const double entries = RandomOctaves(&r, 3e4, DRAWN_NNZ) * size->scale;
  double       mean    = RandomChance(&r, 0.1) ? RandomOctaves(&r, 100, 3000) : RandomOctaves(&r, 1.5, 100);

  *d       = (Drawn){.seed = RandomNext(&r)};
  d->block = RandomChance(&r, 0.75) ? 1 : RandomInt(&r, 2, 6);
  mean     = PetscMax(1, mean / (double)d->block);
  d->mean  = PetscMin(mean, sqrt(entries) / (double)d->block);
  d->m     = Scaled(entries / d->mean / (double)(d->block * d->block));
  d->n     = RandomChance(&r, 0.7) ? d->m : Scaled(PetscMin((double)d->m * pow(2, 12 * RandomUnit(RandomNext(&r)) - 6), 2e7 / (double)d->block));

  d->length   = (Length)RandomInt(&r, 0, LENGTHS - 1);
  d->empty    = RandomChance(&r, 0.75) ? 0 : 0.8 * RandomUnit(RandomNext(&r));
  d->exponent = 0.4 + 0.5 * RandomUnit(RandomNext(&r));
  d->longest  = (PetscInt)PetscMin(PetscMin(1e5 / (double)d->block, 1 + entries / 20), (double)d->n);

  d->columns[0] = (Columns)RandomInt(&r, 0, COLUMNS_KINDS - 1);
  d->columns[1] = (Columns)RandomInt(&r, 0, COLUMNS_KINDS - 1);
  d->second     = RandomChance(&r, 0.6) ? 0 : 0.5 * RandomUnit(RandomNext(&r));
  d->window     = (PetscInt)RandomOctaves(&r, 8, PetscMax(9, 0.1 * (double)d->n));
  d->run        = RandomInt(&r, 2, 16);
  d->group      = RandomInt(&r, 2, 40);
  d->lacking    = RandomChance(&r, 0.5) ? 0 : 0.3 * RandomUnit(RandomNext(&r));
  DrawOffsets(d, &r);

  d->values   = RandomChance(&r, 0.5) ? VALUES_DISTINCT : (Values)RandomInt(&r, 1, VALUES_KINDS - 1);
  d->distinct = (PetscInt)RandomOctaves(&r, 2, 256);
}

static PetscInt RowLength(const Drawn *d, PetscInt i, Random *r)
{
  Random section = RandomStart(~d->seed, (uint64_t)(i / (d->m / 30 + 1)));
  double length  = d->mean;

  if (RandomChance(r, d->empty)) return 0;
  switch (d->length) {
  case LENGTH_EVEN:
    length = (double)RandomInt(r, 1, (PetscInt)(2 * d->mean));
    break;
  case LENGTH_GEOMETRIC:
    length = 1 - d->mean * log(1 - RandomUnit(RandomNext(r)));
    break;
  case LENGTH_POWER:
    length = (1 - d->exponent) * d->mean * pow(1 - RandomUnit(RandomNext(r)), -d->exponent);
    break;
  case LENGTH_TWO:
    length *= RandomChance(r, 1e-3) ? 50 : 1;
    break;
  case LENGTH_SECTIONS:
    length *= RandomOctaves(&section, 0.2, 3);
    break;
  default:
    break;
  }
  return (PetscInt)PetscMin(PetscMax(1, length), (double)d->longest);
}

/* The column of `row` on a diagonal that is `away` from the main one; those past the end begin again */
static PetscInt Wrapped(const Drawn *d, double row, double away)
{
  const double column = fmod(row * (double)d->n / (double)d->m + away, (double)d->n);

  return (PetscInt)(column < 0 ? column + (double)d->n : column) % d->n;
}

static PetscInt DrawnColumn(const Drawn *d, Columns columns, PetscInt i, PetscInt k, Random *r)
{
  const double u = RandomUnit(RandomNext(r)), sign = RandomChance(r, 0.5) ? 1 : -1;
  Random       other;

  switch (columns) {
  case COLUMNS_NEAR:
    return Wrapped(d, (double)i, (2 * u - 1) * (double)d->window);
  case COLUMNS_NEARER:
    return Wrapped(d, (double)i, -sign * log(1 - u) * 0.2 * (double)d->window);
  case COLUMNS_OFFSETS:
    return Wrapped(d, (double)i, (double)d->offset[k % d->n_offsets]);
  case COLUMNS_POPULAR:
    return (PetscInt)(RandomMix((uint64_t)(pow(u, 4) * (double)d->n)) % (uint64_t)d->n);
  case COLUMNS_FIRST:
    return (PetscInt)(pow(u, 4) * (double)d->n);
  case COLUMNS_RUNS:
    other = RandomStart(d->seed ^ 0x52554e, (uint64_t)i * 65536 + (uint64_t)(k / d->run));
    return Wrapped(d, (double)i, (2 * RandomUnit(RandomNext(&other)) - 1) * (double)d->window + (double)(k % d->run));
  case COLUMNS_TEMPLATES:
    if (u < 0.1) break;
    other = RandomStart(d->seed ^ 0x54454d, (uint64_t)(i / d->group) * 65536 + (uint64_t)k);
    return Wrapped(d, (double)(i / d->group * d->group), (2 * RandomUnit(RandomNext(&other)) - 1) * (double)d->window);
  default:
    break;
  }
  return RandomInt(r, 0, d->n - 1);
}

static PetscInt DrawnRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Drawn   *d      = (const Drawn *)ctx;
  const PetscInt row    = i / d->block;
  Random         r      = RandomStart(d->seed, (uint64_t)row);
  const PetscInt length = RowLength(d, row, &r);
  PetscInt       len    = 0;

  for (PetscInt k = 0; k < length; k++) {
    const Columns  law    = d->columns[RandomChance(&r, d->second)];
    const PetscInt column = DrawnColumn(d, law, row, k, &r);

    if (law == COLUMNS_OFFSETS && RandomChance(&r, d->lacking)) continue;
    for (PetscInt u = 0; u < d->block; u++) col[len++] = column * d->block + u;
  }
  return len;
}

static PetscScalar DrawnValue(const Drawn *d, PetscInt i, PetscInt j)
{
  const uint64_t which = d->values == VALUES_DIAGONALS ? (uint64_t)(j - i) : (uint64_t)i * (uint64_t)(d->n * d->block) + (uint64_t)j;

  switch (d->values) {
  case VALUES_ONE:
    return 1;
  case VALUES_FEW:
    return RandomScalar(d->seed, RandomAt(d->seed, which) % (uint64_t)d->distinct, -1, 1);
  case VALUES_WHOLE:
    return (PetscScalar)(double)(1 + RandomAt(d->seed, which) % 100000);
  default:
    return RandomScalar(d->seed, which, -1, 1);
  }
}

static PetscErrorCode DrawnMake(const Size *size, Csr *csr)
{
  Drawn d;

  PetscFunctionBeginUser;
  Draw(size, &d);
  PetscCall(CsrFromRows(d.m * d.block, d.n * d.block, d.longest * d.block, DrawnRow, &d, csr));
  PetscCall(PetscMalloc1(PetscMax(csr->row_ptr[csr->m], 1), &csr->val));
#pragma omp parallel for schedule(dynamic, 1024)
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) csr->val[k] = DrawnValue(&d, i, csr->col[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DrawnSuite(PetscInt count, uint64_t seed, const Generator **suite)
{
  static Generator generator[DRAWN_MAX + 1];
  static char      name[DRAWN_MAX][DRAWN_NAME];

  PetscFunctionBeginUser;
  PetscCheck(count > 0 && count <= DRAWN_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-drawn %" PetscInt_FMT ": must be in [1, %d]", count, DRAWN_MAX);
  for (PetscInt k = 0; k < count; k++) {
    const Size size = {.scale = 1, .seed = seed, .draw = k};
    Drawn      d;

    Draw(&size, &d);
    PetscCall(PetscSNPrintf(name[k], DRAWN_NAME, "%" PetscInt_FMT "-%s-%s%s%s%s", k, LengthNames[d.length], ColumnsNames[d.columns[0]], d.second > 0 ? "+" : "", d.second > 0 ? ColumnsNames[d.columns[1]] : "", ValuesNames[d.values]));
    generator[k] = (Generator){.name = name[k], .make = DrawnMake, .nnz = DRAWN_NNZ, .draw = k};
  }
  generator[count] = (Generator){.name = NULL};
  *suite           = generator;
  PetscFunctionReturn(PETSC_SUCCESS);
}
