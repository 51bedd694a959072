/*
  Web-like graphs by recursive quadrants: Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining" (2004), section 3.
  Edges are drawn twice (to count the rows, then to fill them) rather than kept, by all threads.
*/
#include "matrices.h"

/* The quadrants' probabilities 0.57, 0.19, 0.19, 0.05, summed up, in 16-bit fixed point */
enum {
  QUADRANT_1 = 37355,
  QUADRANT_2 = 49807,
  QUADRANT_3 = 62259
};

static inline void Edge(uint64_t seed, uint64_t e, int levels, PetscInt *row, PetscInt *col)
{
  uint64_t bits = 0;

  *row = *col = 0;
  for (int l = 0; l < levels; l++, bits >>= 16) {
    if (l % 4 == 0) bits = RandomAt(seed, 8 * e + (uint64_t)l / 4);
    const unsigned u = (unsigned)(bits & 0xffff);

    *row = 2 * *row + (u >= QUADRANT_2);
    *col = 2 * *col + ((u >= QUADRANT_1 && u < QUADRANT_2) || u >= QUADRANT_3);
  }
}

static PetscErrorCode Rmat(const Size *s, int levels, Csr *csr)
{
  const PetscInt   m     = (PetscInt)1 << levels;
  const PetscInt64 edges = 8 * (PetscInt64)m;
  PetscInt        *begin, *end, *drawn;

  PetscFunctionBeginUser;
  PetscCheck(edges <= (PetscInt64)PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A web graph of 2^%d rows has more edges than PetscInt can count: use a smaller -scale or a PETSc with 64-bit indices", levels);
  *csr = (Csr){.m = m, .n = m};
  PetscCall(PetscCalloc1(m + 1, &begin));
  PetscCall(PetscMalloc1(m + 1, &csr->row_ptr));
  PetscCall(PetscMalloc2(m, &end, edges, &drawn));
#pragma omp parallel for
  for (PetscInt64 e = 0; e < edges; e++) {
    PetscInt row, col;

    Edge(s->seed, (uint64_t)e, levels, &row, &col);
#pragma omp atomic
    begin[row]++;
  }
  PetscCall(CsrRowPointers(m, begin));
  PetscCall(PetscArraycpy(end, begin, m));
#pragma omp parallel for
  for (PetscInt64 e = 0; e < edges; e++) { /* in any order: rows are sorted */
    PetscInt row, col, place;

    Edge(s->seed, (uint64_t)e, levels, &row, &col);
#pragma omp atomic capture
    place        = end[row]++;
    drawn[place] = col;
  }
#pragma omp parallel for schedule(dynamic, 1024)
  for (PetscInt i = 0; i < m; i++) csr->row_ptr[i] = CsrSortRow(begin[i + 1] - begin[i], drawn + begin[i]);
  PetscCall(CsrRowPointers(m, csr->row_ptr));
  PetscCall(PetscMalloc1(PetscMax(csr->row_ptr[m], 1), &csr->col));
#pragma omp parallel for schedule(dynamic, 1024)
  for (PetscInt i = 0; i < m; i++) memcpy(csr->col + csr->row_ptr[i], drawn + begin[i], (size_t)(csr->row_ptr[i + 1] - csr->row_ptr[i]) * sizeof(PetscInt));
  PetscCall(PetscFree(begin));
  PetscCall(PetscFree2(end, drawn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int Levels(int full, double scale)
{
  return (int)PetscMin(PetscMax(full + floor(log2(scale) + 0.5), 4), 31);
}

PetscErrorCode WebGraph(const Size *s, Csr *csr)
{
  PetscFunctionBeginUser;
  PetscCall(Rmat(s, Levels(25, s->scale), csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WebGraph22(const Size *s, Csr *csr)
{
  PetscFunctionBeginUser;
  PetscCall(Rmat(s, Levels(22, s->scale), csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
