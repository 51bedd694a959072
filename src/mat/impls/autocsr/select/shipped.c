/*
  The figures shipped, until others are measured: what calibrate.c found on one processor (Zen 4, real double, 32-bit
  indices). They are data: a kernel that changes wants them measured again.
*/
#include "figures.h"

/* Nanoseconds: entry, row, irregular, in x86-64, avx2, avx512 */
static const struct {
  const char         *name;
  AutoCSRExecutorCost cost[3];
} Shipped[] = {
    {"empty", {{0, 0.55, 0}, {0, 0.3, 0}, {0, 0.42, 0}}},
    {"csr/tile", {{0.7, 0, 12.1}, {0.65, 0, 10.6}, {0.65, 0, 11.2}}},
    {"csr/csr/csr/lanes1", {{0.5, 0, 0.41}, {0.54, 0, 0.26}, {0.56, 0, 0.2}}},
    {"csr/16/csr/lanes1", {{0.54, 0, 0.54}, {0.58, 0, 0.4}, {0.58, 0, 0.55}}},
    {"csr/csr/csr/lanes2", {{0.34, 1.35, 0.04}, {0.36, 0.86, 0.33}, {0.34, 1.21, 0.1}}},
    {"csr/16/csr/lanes2", {{0.33, 1.59, 1.69}, {0.33, 1.61, 0.24}, {0.32, 1.69, 2.16}}},
    {"csr/csr/csr/lanes4", {{0.36, 1.31, 0.45}, {0.37, 0.98, 0.75}, {0.37, 1.11, 0.79}}},
    {"csr/16/csr/lanes4", {{0.32, 1.72, 0.02}, {0.33, 1.68, 0}, {0.32, 1.63, 0.21}}},
    {"csr/csr/csr/lanes8", {{0.31, 1.19, 1.44}, {0.31, 1.26, 0.95}, {0.32, 3.46, 0}}},
    {"csr/16/csr/lanes8", {{0.29, 1.68, 0.38}, {0.27, 1.81, 2.75}, {0.31, 3.59, 3.08}}},
    {"csr/csr/csr/lanes16", {{0.31, 1.58, 0.19}, {0.29, 1.55, 3.09}, {0.38, 8.71, 0}}},
    {"csr/16/csr/lanes16", {{0.29, 1.8, 0.18}, {0.28, 1.59, 3.01}, {0.35, 10.2, 0}}},
    {"csr/csr/csr/lanes32", {{0.31, 1.64, 0.66}, {0.29, 1.51, 0.46}, {0.33, 9.04, 0}}},
    {"csr/16/csr/lanes32", {{0.29, 1.81, 0.16}, {0.28, 1.7, 1.62}, {0.28, 10, 0}}},
    {"csr/pattern/csr", {{0.23, 0.76, 25.2}, {0.2, 0.57, 27.5}, {0.21, 0.59, 29.1}}},
    {"sliced/32/copy", {{0.27, 1.32, 0}, {0.25, 1.25, 0}, {0.26, 1.04, 0}}},
    {"sliced/32/dictionary", {{0.42, 1.48, 0}, {0.42, 1.39, 0}, {0.44, 1.05, 0}}},
    {"sliced/32/float32", {{0.31, 1.37, 0}, {0.28, 1.28, 0}, {0.24, 0.94, 0}}},
    {"sliced/16/copy", {{0.26, 1.56, 0}, {0.25, 1.42, 0}, {0.26, 1.18, 0}}},
    {"sliced/16/dictionary", {{0.41, 1.63, 0}, {0.4, 1.62, 0}, {0.44, 1.27, 0}}},
    {"sliced/16/float32", {{0.31, 1.62, 0}, {0.27, 1.4, 0}, {0.26, 1.16, 0}}},
    {"sliced/pattern/copy", {{0.17, 1.3, 27.2}, {0.11, 1.47, 28.5}, {0.11, 1.84, 28.9}}},
    {"sliced/pattern/dictionary", {{0.27, 1.21, 32.1}, {0.27, 1.16, 32.7}, {0.3, 1.15, 30.1}}},
    {"sliced/pattern/float32", {{0.27, 1.08, 26.3}, {0.13, 1.34, 29.5}, {0.12, 1.37, 31.1}}},
};

PetscErrorCode AutoCSRFiguresShipped(const char simd[], AutoCSRFigures *f)
{
  const AutoCSRMachine machine = {
      .name = "figures shipped", .bandwidth = {5e10, 4e10, 2e10, 1e10}, .cache = {32768, 1 << 20, 4 << 20}, .random_line = {0, 0, 1e-9, 1e-8}, .launch = 6e-9};
  const double scale = PetscDefined(USE_COMPLEX) ? 2e-9 : 1e-9;
  PetscBool    avx2, avx512;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(simd, "avx2", &avx2));
  PetscCall(PetscStrcmp(simd, "avx512", &avx512));
  PetscCall(PetscMemzero(f, sizeof(*f)));
  f->machine     = machine;
  f->n_executors = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(Shipped);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const AutoCSRExecutorCost *cost = &Shipped[i].cost[avx512 ? 2 : avx2 ? 1
                                                                         : 0];

    PetscCall(PetscStrncpy(f->executor[i].name, Shipped[i].name, sizeof(f->executor[i].name)));
    f->executor[i].cost = (AutoCSRExecutorCost){scale * cost->entry, scale * cost->row, scale * cost->irregular};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
