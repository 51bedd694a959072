/*
  The processors whose figures are shipped, each a file of data that config/figures-to-c.py makes of one of autocsr_tune, and which of them is nearest to another. To add one: its file in
  processors/, a line of #include and one in the list.
*/
#include "figures.h"
#include "processors/xeon.h"
#include "processors/zen3.h"
#include "processors/zen5.h"

const AutoCSRProcessor *const AutoCSRProcessors[] = {&Zen3, &Zen5, &Xeon, NULL};

/* Families of processors, the year of their first servers, and bytes a second that one core streams from memory: measured for those of the list above, else estimated from what is
   published of their kind. An unknown model of a known vendor counts as the latest */
static const struct {
  const char *vendor;
  int         family, first, last; /* models */
  int         year;
  double      bandwidth;
} Families[] = {
    {"AuthenticAMD", 23, 0x00, 0x2f, 2017, 1.8e10},
    {"AuthenticAMD", 23, 0x30, 0xff, 2019, 2.0e10},
    {"AuthenticAMD", 25, 0x10, 0x1f, 2022, 2.8e10},
    {"AuthenticAMD", 25, 0x60, 0xaf, 2022, 2.8e10},
    {"AuthenticAMD", 25, 0x00, 0xff, 2020, 2.2e10},
    {"AuthenticAMD", 26, 0x00, 0xff, 2024, 4.2e10},
    {"GenuineIntel", 6, 0x3c, 0x47, 2014, 1.2e10},
    {"GenuineIntel", 6, 0x4e, 0x5e, 2017, 1.3e10},
    {"GenuineIntel", 6, 0x4f, 0x4f, 2014, 1.2e10},
    {"GenuineIntel", 6, 0x6a, 0x6c, 2021, 1.3e10},
    {"GenuineIntel", 6, 0x8f, 0x8f, 2023, 1.3e10},
    {"GenuineIntel", 6, 0xad, 0xae, 2024, 1.5e10},
    {"GenuineIntel", 6, 0xcf, 0xcf, 2023, 1.1e10},
};

#define LATEST       2026 /* year of families that the table does not have */
#define OTHER_VENDOR 100  /* years of difference that weigh as much as another vendor: more than there are */
#define OTHER_WIDTH  10   /* years of difference that weigh as much as AVX-512 or none: figures of both kinds of executors differ more than those of neighbouring families */

/* PETSC_FALSE: the table has no such family; the year is the latest then */
static PetscBool find_family(const char vendor[], int family, int model, int *year, double *bandwidth)
{
  *year      = LATEST;
  *bandwidth = 0;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Families); k++) {
    if (strcmp(vendor, Families[k].vendor) || family != Families[k].family || model < Families[k].first || model > Families[k].last) continue;
    *year      = Families[k].year;
    *bandwidth = Families[k].bandwidth;
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool is_wide(const char simd[])
{
  return (PetscBool)!strncmp(simd, "avx512", 6);
}

const AutoCSRProcessor *AutoCSRProcessorNearest(const AutoCSRIdentity *id, const char simd[])
{
  const AutoCSRProcessor *nearest = NULL;
  int                     year, least = 0;
  double                  bandwidth;

  if (!id->vendor[0]) return NULL; /* nothing is told */
  (void)find_family(id->vendor, id->family, id->model, &year, &bandwidth);
  for (int k = 0; AutoCSRProcessors[k]; k++) {
    const AutoCSRProcessor *p = AutoCSRProcessors[k];
    int                     its_year, distance;

    (void)find_family(p->vendor, p->family, p->model, &its_year, &bandwidth);
    distance = PetscAbsInt(year - its_year) + (strcmp(id->vendor, p->vendor) ? OTHER_VENDOR : 0) + (is_wide(simd) != is_wide(p->simd) ? OTHER_WIDTH : 0);
    if (nearest && distance >= least) continue;
    nearest = p;
    least   = distance;
  }
  return nearest;
}

static void scale_cost(AutoCSRExecutorCost *cost, double faster)
{
  cost->entry /= faster;
  cost->row /= faster;
  cost->irregular /= faster;
}

/* The caches are those that the system tells; work goes by the clock, if that of both is known; the memory of another family is as much faster or slower as families are */
void AutoCSRProcessorScale(const AutoCSRProcessor *p, const AutoCSRIdentity *id, AutoCSRFigures *f)
{
  AutoCSRMachine *m = &f->machine;
  int             year, its_year;
  double          bandwidth, its_bandwidth, faster = id->clock > 0 && p->clock > 0 ? PetscMin(2, PetscMax(0.5, id->clock / p->clock)) : 1;

  for (int level = 0; level < 3; level++) {
    if (id->cache[level] > 0) m->cache[level] = id->cache[level];
    m->bandwidth[level] *= faster;
  }
  for (PetscInt i = 0; i < f->n_executors; i++) scale_cost(&f->executor[i].cost, faster);
  if (find_family(id->vendor, id->family, id->model, &year, &bandwidth) && find_family(p->vendor, p->family, p->model, &its_year, &its_bandwidth)) m->bandwidth[3] *= bandwidth / its_bandwidth;
  for (int level = 2; level >= 0; level--) m->bandwidth[level] = PetscMax(m->bandwidth[level], m->bandwidth[level + 1]);
}
