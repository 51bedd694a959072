/* Which figures had better not be used */
#include "figures.h"
#include <math.h>

#define MOST_ROWS 65536 /* of a row panel */
#define LONGEST   1e-2 /* seconds: no start, entry, row or line takes longer, unless on a simulator */

static PetscBool all_within(PetscInt n, const double figure[], double least, double most)
{
  for (PetscInt i = 0; i < n; i++) {
    if (!(figure[i] >= least && figure[i] <= most)) return PETSC_FALSE; /* nor is it a number */
  }
  return PETSC_TRUE;
}

/* A power of two that has whole strips, or none; a device's kernels have one shape of tiles */
static PetscBool rows_are_sane(const AutoCSRMachine *m)
{
  double rows = AUTOCSR_DENSE_STRIP;

  if (m->dense_rows == 0) return PETSC_TRUE;
  while (rows < m->dense_rows && rows < MOST_ROWS) rows *= 2;
  return (PetscBool)(!m->parallel && rows == m->dense_rows);
}

PetscBool AutoCSRFiguresAreSane(const AutoCSRFigures *f)
{
  const AutoCSRMachine *m = &f->machine;

  if (!all_within(4, m->bandwidth, 1e6, 1e16) || !all_within(3, m->cache, 256, 1e13) || !all_within(4, m->random_line, 0, LONGEST)) return PETSC_FALSE;
  if (!all_within(1, &m->strided, 0, 1e4) || !all_within(1, &m->product, 0, LONGEST) || !all_within(1, &m->launch, 0, LONGEST) || !all_within(1, &f->clock, 0, 1e12)) return PETSC_FALSE;
  if (!all_within(1, &m->dense_heavy, 0, 1e4) || m->dense_heavy != floor(m->dense_heavy) || (m->dense_rows > 0 && m->dense_heavy < 1) || !rows_are_sane(m)) return PETSC_FALSE;
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const AutoCSRExecutorCost *c = &f->executor[i].cost;

    if (!all_within(5, (double[]){c->entry, c->row, c->irregular, c->start, c->walk}, 0, LONGEST) || !all_within(3, (double[]){c->memory, c->gather, c->near}, 0, 1e4)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Every executor takes time for an entry, except that of empty rows, and every executor takes time to stream. A device's executors are the shipped ones, scaled */
PetscBool AutoCSRFiguresArePlausible(const AutoCSRFigures *f, const AutoCSRFigures *shipped)
{
  const AutoCSRMachine *m = &f->machine, *usual = &shipped->machine;
  const double          factor = m->parallel ? 300 : 30;

  if (!AutoCSRFiguresAreSane(f)) return PETSC_FALSE;
  for (int level = m->parallel ? 0 : 3; level < 4; level += 3) {
    if (m->bandwidth[level] < usual->bandwidth[level] / factor || m->bandwidth[level] > usual->bandwidth[level] * factor) return PETSC_FALSE;
  }
  if (m->product + m->launch > 100 * (usual->product + usual->launch) || m->random_line[3] > 300 * usual->random_line[3] || m->strided > 100) return PETSC_FALSE;
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const AutoCSRExecutorCost *c     = &f->executor[i].cost;
    const PetscBool            empty = (PetscBool)!strcmp(f->executor[i].name, "empty");

    if ((!empty && c->entry < f->unknown.entry / 3e4) || c->entry > 20 * f->unknown.entry || c->row > 500 * f->unknown.row || c->irregular > 500 * f->unknown.irregular) return PETSC_FALSE;
    if (c->memory < 0.1 || c->memory > 100 || c->gather > 1000 || c->near > 1000) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}
