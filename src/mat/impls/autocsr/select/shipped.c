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
    {"empty", {{0, 0.55, 0}, {0, 0.55, 0}, {0, 0.3, 0}}},
    {"csr/tile", {{0.96, 0.72, 0}, {0.84, 0.58, 0}, {0.84, 1.09, 0}}},
    {"csr/csr/csr/lanes1", {{0.61, 0, 0.86}, {0.78, 0, 0.9}, {0.83, 0, 0.94}}},
    {"csr/16/csr/lanes1", {{0.67, 0, 0.97}, {0.75, 0, 0.75}, {0.86, 0, 0.73}}},
    {"csr/csr/csr/lanes2", {{0.37, 2.03, 0.19}, {0.42, 1.34, 0.77}, {0.42, 1.14, 0.95}}},
    {"csr/16/csr/lanes2", {{0.37, 2, 43.1}, {0.41, 1.45, 1.18}, {0.42, 1.11, 2.17}}},
    {"csr/csr/csr/lanes4", {{0.38, 2.01, 0.27}, {0.38, 1.94, 0.1}, {0.38, 1.59, 0.61}}},
    {"csr/16/csr/lanes4", {{0.34, 2.42, 0}, {0.34, 2.33, 0.37}, {0.34, 2.35, 2.44}}},
    {"csr/csr/csr/lanes8", {{0.33, 2.03, 1.25}, {0.32, 2.14, 1.23}, {0.32, 2.93, 2.81}}},
    {"csr/16/csr/lanes8", {{0.31, 2.5, 1.8}, {0.31, 2.47, 0.51}, {0.31, 3.62, 0}}},
    {"csr/csr/csr/lanes16", {{0.33, 2.59, 1.68}, {0.31, 2.38, 2.51}, {0.35, 3.38, 0.26}}},
    {"csr/16/csr/lanes16", {{0.31, 2.71, 0.38}, {0.29, 2.84, 4.11}, {0.31, 3.69, 2.76}}},
    {"csr/csr/csr/lanes32", {{0.33, 2.55, 2.13}, {0.32, 2.37, 0.53}, {0.35, 3.43, 3.89}}},
    {"csr/16/csr/lanes32", {{0.31, 2.6, 1.18}, {0.3, 2.82, 4.23}, {0.32, 3.46, 3.02}}},
    {"csr/pattern/csr", {{0.25, 0.54, 0.34}, {0.22, 0.51, 0.37}, {0.24, 0.36, 0.4}}},
    {"sliced/32/copy", {{0.28, 1.48, 0.29}, {0.26, 1.3, 0.27}, {0.27, 0.96, 0.3}}},
    {"sliced/32/dictionary", {{0.43, 1.54, 0.2}, {0.42, 1.41, 0.19}, {0.49, 0.98, 0.15}}},
    {"sliced/32/float32", {{0.33, 1.38, 0.54}, {0.3, 1.32, 0.22}, {0.27, 1.11, 0.3}}},
    {"sliced/16/copy", {{0.28, 1.6, 0.29}, {0.26, 1.45, 0.26}, {0.27, 1.13, 0.3}}},
    {"sliced/16/dictionary", {{0.43, 1.61, 0.21}, {0.43, 1.47, 0.17}, {0.47, 1.14, 0.15}}},
    {"sliced/16/float32", {{0.33, 1.53, 0.4}, {0.28, 1.45, 0.27}, {0.28, 1.09, 0.26}}},
    {"sliced/pattern/copy", {{0.17, 1.43, 0.4}, {0.12, 1.33, 0.43}, {0.12, 1.31, 0.46}}},
    {"sliced/pattern/dictionary", {{0.28, 1.18, 0.44}, {0.28, 1.14, 0.46}, {0.34, 1.02, 0.39}}},
    {"sliced/pattern/float32", {{0.26, 1.13, 0.38}, {0.13, 1.21, 0.43}, {0.13, 0.99, 0.48}}},
};

PetscErrorCode AutoCSRFiguresShipped(const char simd[], AutoCSRFigures *f)
{
  const AutoCSRMachine machine = {
      .name = "figures shipped", .bandwidth = {1e11, 1e11, 4e10, 1.5e10}, .cache = {32768, 1 << 20, 4 << 20}, .random_line = {0, 0, 1e-9, 1e-8}, .strided = 1.1, .launch = 6e-9};
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
