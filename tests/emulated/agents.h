/*
  Matrices for the agents of a device: grids of planes, bands, rows of two kinds, beside those of blocks.h.
*/
#ifndef AGENTS_H
#define AGENTS_H

#include "../blocks.h"

/* Rows of one to three entries and, seldom, of hundreds: cut by blocks and tiles of every size */
static PetscInt Mixed(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  if (i % 97 == 5) return Pick(n, i, i % 2 ? 1 : 9, col);
  if (i % 7 == 3 || (i > 500 && i < 700)) return 0;
  for (PetscInt k = 0; k <= i % 3; k++) col[k] = (i + k * (n / 4)) % (n / 4) + k * (n / 4);
  return i % 3 + 1;
}

/* Rows of one length, for which kernels are compiled */
static PetscInt Seven(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt k = 0; k < 7; k++) col[k] = (i + k) % (n / 7) + k * (n / 7);
  return 7;
}

/* Stretches of rows of 9, 2, 0, 31 and 5 entries: one ends with a slice, others within one, two of them in the same */
static PetscInt Stretches(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt length = i < 64 ? 9 : i < 101 ? 2 : i < 103 ? 0 : i < 107 ? 31 : 5;

  for (PetscInt k = 0; k < length; k++) col[k] = (i + k) % (n / 31) + k * (n / 31);
  return length;
}

static PetscInt Long(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 4 == 2 ? 0 : Pick(n, i, 2, col);
}

static PetscInt PowerLaw(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Pick(n, i, 2 + (PetscInt)(Random64(i, 3) % n), col);
}

/* The first rows end amid nonzeros that a lane of a tile holds, and are followed by rows nearly all empty */
static PetscInt SparseTail(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt length = i < 4096 ? (i % 8 ? 0 : 3) : i % 997 ? 0
                                                               : 2;

  for (PetscInt k = 0; k < length; k++) col[k] = i % (n / 3) + k * (n / 3);
  return length;
}

static PetscInt Box(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, 40, 30, m / 1200, 1, col);
}

/* Rows at one side have no entries */
static PetscInt OpenBox(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 40 ? Box(m, n, i, col) : 0;
}

/* A row has an entry more than those of which its pattern is the root, out of reach */
static PetscInt BoxWithMore(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt k = Box(m, n, i, col);

  if (i != m / 2 + 10) return k;
  col[k]     = col[k - 1];
  col[k - 1] = i + 600;
  return k + 1;
}

/* Two neighbours on each side along each axis of a grid: two planes around */
static PetscInt Far(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt size[] = {16, 17, m / 272}, stride[] = {1, 16, 272}, at[] = {i % 16, i / 16 % 17, i / 272};
  PetscInt       k = 0;

  for (int d = 2; d >= 0; d--) {
    for (PetscInt r = -2; r < 0; r++) {
      if (at[d] + r >= 0) col[k++] = i + r * stride[d];
    }
  }
  col[k++] = i;
  for (int d = 0; d < 3; d++) {
    for (PetscInt r = 1; r <= 2; r++) {
      if (at[d] + r < size[d]) col[k++] = i + r * stride[d];
    }
  }
  return k;
}

/* The same but for the rows of one side, which have the diagonal alone (MatZeroRows()) */
static PetscInt FarWithFixed(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 16 ? Far(m, n, i, col) : Diagonal(m, n, i, col);
}

/* Two unknowns at each point of a grid that reach different ones of their neighbours: as many rows of one pattern as of the other */
static PetscInt TwoKinds(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt at[] = {i - 1200 - i % 2, i - 40, i, i + 40, i + 1200 + i % 2};
  PetscInt       k    = 0;

  for (int t = 0; t < 5; t++) {
    if (at[t] >= 0 && at[t] < n) col[k++] = at[t];
  }
  return k;
}

/* Rows of 31, 32 or 33 entries, as the number of rows is divided by three: the most that planes have of a root, and more */
static PetscInt Bands(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt begin = PetscMax(0, i - 15), end = PetscMin(n, i + 16 + m % 3);

  for (PetscInt j = begin; j < end; j++) col[j - begin] = j;
  return end - begin;
}

/* Before those of the commonest pattern rows of more patterns than a block has masks of */
static PetscInt BandAfterPatterns(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  if (2 * i >= m) return Stencil5(m, n, i, col);
  col[0] = i;
  col[1] = i + 1 + i % 16;
  col[2] = i + 20 + i / 16;
  return 3;
}

/* No row cut by thirds of the matrix */
#define BLOCKS(b)                                                                    \
  {"small blocks of " #b ", few values", 12 * b, 10 * b, BlocksOfTenth, VALUES_FEW}, \
  {                                                                                  \
    "small blocks of " #b ", float32", 12 * b, 10 * b, BlocksOfTenth, VALUES_FLOATS  \
  }

static const Generator more[] = {
    {"mixed", 1000, 2400, Mixed, VALUES_MANY},
    {"long rows", 9, 9000, Long, VALUES_MANY},
    {"power law", 400, 400, PowerLaw, VALUES_FLOATS},
    {"nearly empty rows after others", 8200, 60, SparseTail, VALUES_FEW},
    {"7-point, constant, planes", 5000, 5000, Box, VALUES_OFFSET},
    {"7-point, values by row, planes", 5000, 5000, Box, VALUES_ROW},
    {"7-point, constant, empty rows", 5000, 5000, OpenBox, VALUES_OFFSET},
    {"7-point, constant, a longer root", 5000, 5000, BoxWithMore, VALUES_OFFSET},
    {"two unknowns, constant", 5000, 5000, TwoKinds, VALUES_OFFSET},
    {"13-point, constant", 2176, 2176, Far, VALUES_OFFSET},
    {"13-point, constant, fixed rows", 2176, 2176, FarWithFixed, VALUES_ROW},
    {"constant bands of 31 entries", 600, 600, Bands, VALUES_OFFSET},
    {"constant bands of 32 entries", 601, 601, Bands, VALUES_OFFSET},
    {"constant bands of 33 entries", 602, 602, Bands, VALUES_OFFSET},
    {"5-point, constant, after many patterns", 1000, 1000, BandAfterPatterns, VALUES_OFFSET},
    {"5-point, constant, several rows of a lane", 17020, 17020, Stencil5, VALUES_OFFSET},
    {"mixed, one value", 1000, 2400, Mixed, VALUES_ONE},
    {"seven entries a row", 141, 91, Seven, VALUES_MANY},
    {"seven entries a row, one value", 141, 91, Seven, VALUES_ONE},
    {"stretches", 301, 403, Stretches, VALUES_FEW},
    {"stretches, one value", 170, 403, Stretches, VALUES_ONE},
    {"long rows, one value", 9, 9000, Long, VALUES_ONE},
    BLOCKS(2),
    BLOCKS(3),
    BLOCKS(4),
    BLOCKS(5),
    BLOCKS(6),
    BLOCKS(7),
    BLOCKS(8),
};

#endif
