/*
  The figures shipped, until others are measured: what calibrate.c found on one processor (Zen 4, real double, 32-bit
  indices), and what fits products of many matrices and executors on one GPU. They are data: a kernel that changes wants them measured again.
*/
#include "figures.h"

/* Nanoseconds: entry, row, irregular, in x86-64, avx2, avx512 */
static const struct {
  const char         *name;
  AutoCSRExecutorCost cost[3];
} ShippedHost[] = {
    {"empty", {{0, 0.3, 0}, {0, 0.55, 0}, {0, 0.3, 0}}},
    {"csr/tile", {{1.01, 2.51, 0}, {0.74, 2.67, 0}, {0.8, 2.2, 0}}},
    {"csr/csr/csr/lanes1", {{0.64, 0.5, 1.5}, {0.75, 0, 0}, {0.62, 0, 2.8}}},
    {"csr/16/csr/lanes1", {{0.63, 0, 1.73}, {0.64, 0, 2.88}, {0.77, 0, 1.2}}},
    {"csr/csr/csr/lanes2", {{0.34, 2.1, 0.18}, {0.38, 1.58, 19.7}, {0.38, 1.42, 0.77}}},
    {"csr/16/csr/lanes2", {{0.34, 2.26, 1.74}, {0.37, 1.75, 2.46}, {0.38, 1.82, 1.48}}},
    {"csr/csr/csr/lanes4", {{0.34, 2.02, 2.31}, {0.34, 2.14, 1.85}, {0.35, 2.31, 2.32}}},
    {"csr/16/csr/lanes4", {{0.31, 2.61, 0.73}, {0.31, 2.44, 0.71}, {0.32, 2.37, 2.32}}},
    {"csr/csr/csr/lanes8", {{0.29, 2.34, 1.8}, {0.27, 2.59, 3.17}, {0.3, 3.43, 0.93}}},
    {"csr/16/csr/lanes8", {{0.26, 2.72, 0.67}, {0.26, 2.84, 1.99}, {0.27, 3.63, 0.31}}},
    {"csr/csr/csr/lanes16", {{0.29, 2.97, 2.57}, {0.27, 3.06, 2.16}, {0.3, 3.63, 7.81}}},
    {"csr/16/csr/lanes16", {{0.27, 2.98, 3.05}, {0.25, 3.1, 2.37}, {0.28, 3.62, 5.07}}},
    {"csr/csr/csr/lanes32", {{0.29, 3, 2.73}, {0.26, 3.12, 2.93}, {0.3, 3.66, 6.3}}},
    {"csr/16/csr/lanes32", {{0.27, 2.98, 3.25}, {0.26, 3.05, 8.95}, {0.27, 3.7, 7.35}}},
    {"tiled/16/copy", {{0.35, 3, 0}, {0.35, 3, 0}, {0.35, 3, 0}}}, /* rows: pieces */
    {"tiled/16/dictionary", {{0.45, 3, 0}, {0.45, 3, 0}, {0.45, 3, 0}}},
    {"tiled/16/float32", {{0.4, 3, 0}, {0.4, 3, 0}, {0.4, 3, 0}}},
    {"csr/pattern/csr", {{0.26, 0.45, 0.34}, {0.2, 0.65, 0.39}, {0.22, 0.43, 0.43}}},
    {"csr/pattern/pattern", {{0.17, 0.5, 0.3}, {0.11, 0.6, 0.35}, {0.08, 0.4, 0.35}}},
    {"sliced/32/copy", {{0.26, 1.79, 0.24}, {0.25, 1.58, 0.23}, {0.26, 1.33, 0.24}}},
    {"sliced/16/copy", {{0.25, 1.86, 0.25}, {0.24, 1.71, 0.2}, {0.26, 1.36, 0.22}}},
    {"sliced/fitted/copy", {{1.6, 1.8, 0.3}, {1.4, 1.7, 0.3}, {1.4, 1.4, 0.3}}},
    {"sliced/fitted/dictionary", {{1.8, 1.8, 0.3}, {1.6, 1.7, 0.3}, {1.6, 1.4, 0.3}}},
    {"sliced/fitted/float32", {{1.7, 1.8, 0.3}, {1.5, 1.7, 0.3}, {1.5, 1.4, 0.3}}},
    {"sliced/pattern/copy", {{0.17, 1.29, 0.42}, {0.12, 1.25, 0.51}, {0.12, 1.2, 0.56}}},
    {"csr/pattern/dictionary", {{0.33, 0.77, 0.37}, {0.28, 0.79, 0.41}, {0.33, 0.61, 0.39}}},
    {"sliced/32/dictionary", {{0.45, 1.36, 0.22}, {0.39, 1.9, 0.07}, {0.45, 1.45, 0.09}}},
    {"sliced/16/dictionary", {{0.4, 1.94, 0.15}, {0.39, 2.01, 0.09}, {0.45, 1.5, 0.15}}},
    {"sliced/pattern/dictionary", {{0.28, 1.3, 0.36}, {0.28, 1.4, 0.37}, {0.33, 1.2, 0.4}}},
    {"csr/pattern/dictionary/few", {{0.33, 0.78, 0.37}, {0.28, 0.86, 0.41}, {0.33, 0.66, 0.39}}},
    {"sliced/32/dictionary/few", {{0.45, 1.38, 0.2}, {0.39, 1.87, 0.08}, {0.45, 1.42, 0.29}}},
    {"sliced/16/dictionary/few", {{0.4, 1.93, 0.14}, {0.39, 1.95, 0.1}, {0.48, 1.19, 0.35}}},
    {"sliced/pattern/dictionary/few", {{0.28, 1.32, 0.36}, {0.27, 1.4, 0.31}, {0.36, 0.67, 0.43}}},
    {"csr/pattern/float32", {{0.29, 0.72, 0.29}, {0.21, 0.69, 0.34}, {0.24, 0.67, 0.36}}},
    {"sliced/32/float32", {{0.33, 1.58, 0.36}, {0.26, 1.72, 0.17}, {0.28, 1.1, 0.25}}},
    {"sliced/16/float32", {{0.33, 1.7, 0.36}, {0.28, 1.53, 0.21}, {0.24, 1.6, 0.25}}},
    {"sliced/pattern/float32", {{0.27, 1.1, 0.33}, {0.13, 1.16, 0.49}, {0.13, 0.98, 0.56}}},
};

#if defined(AUTOCSR_HAVE_CUDA)
/* Of an H200. Picoseconds: entry, row, irregular, start, walk; and memory, gather */
static const AutoCSRExecutorFigure ShippedCUDA[] = {
    {"empty", {0, 1, 0, 0, 0, 1}},
    {"csr/csr/csr/lanes1", {4.2, 3, 3, 100, 110000, 1.45, 1.45}},
    {"csr/16/csr/lanes1", {4.2, 3, 3, 300, 110000, 1.35}},
    {"csr/csr/csr/lanes1/named", {6.3, 3.9, 3, 300, 100000, 1.45}},
    {"csr/csr/csr/lanes2", {3.8, 6, 3, 100, 130000, 1.37, 1.15}},
    {"csr/16/csr/lanes2", {3.8, 6, 3, 300, 130000, 1.32}},
    {"csr/csr/csr/lanes2/named", {5.7, 7.8, 3, 300, 100000, 1.37}},
    {"csr/csr/csr/lanes4", {3.6, 15, 3, 100, 140000, 1.2}},
    {"csr/16/csr/lanes4", {3.6, 15, 3, 300, 140000, 1.12}},
    {"csr/csr/csr/lanes4/named", {5.4, 19.5, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes8", {2.9, 50, 3, 100, 180000, 1.2}},
    {"csr/16/csr/lanes8", {2.9, 50, 3, 300, 180000, 1.2}},
    {"csr/csr/csr/lanes8/named", {4.35, 65, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes16", {2.4, 63, 3, 100, 350000, 1.2}},
    {"csr/16/csr/lanes16", {2.4, 63, 3, 300, 350000, 1.2}},
    {"csr/csr/csr/lanes16/named", {3.6, 81.9, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes32", {1.3, 190, 3, 100, 300000, 1.5}},
    {"csr/16/csr/lanes32", {1.3, 190, 3, 300, 300000, 1.4}},
    {"csr/csr/csr/lanes32/named", {1.95, 247, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes64", {1.05, 370, 3, 100, 300000, 1.7}},
    {"csr/16/csr/lanes64", {1.05, 550, 3, 300, 250000, 1}},
    {"csr/csr/csr/lanes64/named", {1.575, 481, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes128", {0.95, 760, 3, 100, 300000, 1.7}},
    {"csr/16/csr/lanes128", {0.95, 900, 3, 300, 300000, 1.3}},
    {"csr/csr/csr/lanes128/named", {1.425, 988, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes256", {0.5, 1500, 3, 100, 300000, 1.7}},
    {"csr/16/csr/lanes256", {0.5, 1700, 3, 300, 300000, 1.5}},
    {"csr/csr/csr/lanes256/named", {0.75, 1950, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/blocks", {0.5, 3000, 3, 800000, 100000, 1.1}},
    {"csr/csr/csr/blocks/named", {0.5, 3000, 3, 800000, 100000, 1.1}},
    {"csr/block/csr", {1, 8, 0, 100, 130000, 1.06}},
    {"csr/block/dictionary", {0.9, 8, 0, 100, 130000, 1.1}},
    {"csr/block/float32", {1, 8, 0, 100, 130000, 1.08}},
    {"sliced/32/copy", {1.7, 2, 0.3, 0, 85000, 1.03, 0.85}},
    {"sliced/32/float32", {1.8, 2, 0.3, 0, 85000, 1.03}},
    {"sliced/16/copy", {1.7, 2, 0.3, 0, 85000, 1.03, 0.85}},
    {"sliced/16/float32", {1.8, 2, 0.3, 0, 85000, 1.03}},
    {"sliced/32/dictionary", {1.7, 2, 0.3, 0, 70000, 1.03}},
    {"sliced/16/dictionary", {1.45, 3, 0.3, 0, 95000, 1.03}},
    {"sliced/fitted/copy", {1.9, 4, 0.3, 0, 90000, 1.05}},
    {"sliced/fitted/dictionary", {1.9, 4, 0.3, 0, 90000, 1.05}},
    {"sliced/fitted/float32", {1.9, 4, 0.3, 0, 90000, 1.05}},
    {"sliced/pattern/copy", {1.4, 3, 0.3, 0, 85000, 1.03}},
    {"sliced/pattern/dictionary", {1, 3.8, 0.3, 0, 85000, 1.03}},
    {"sliced/pattern/float32", {1.15, 3.8, 0.3, 0, 75000, 1.03}},
    {"sellp/32/copy", {1.8, 16, 0.3, 0, 100000, 1.05}},
    {"sellp/16/copy", {1.8, 16, 0.3, 0, 100000, 1.05}},
    {"sellp/32/float32", {1.9, 16, 0.3, 0, 100000, 1.05}},
    {"sellp/16/float32", {1.9, 16, 0.3, 0, 100000, 1.05}},
    {"sellp/32/dictionary", {1.8, 16, 0.3, 0, 100000, 1.05}},
    {"sellp/16/dictionary", {1.6, 16, 0.3, 0, 100000, 1.05}},
    {"csr/pattern/csr", {2.4, 5, 0.3, 700, 100000, 1.22}},
    {"csr/pattern/pattern", {0.45, 2, 0.1, 0, 60000, 1.1}},
    {"csr/pattern/dictionary", {1.9, 4, 0.3, 700, 100000, 1.22}},
    {"csr/pattern/float32", {1.9, 4, 0.3, 700, 100000, 1.22}},
    {"cusparse/alg1", {4, 10, 0, 3000000, 0, 1.4}},
    {"cusparse/alg2", {5, 10, 0, 3000000, 0, 1.6}},
    {"cusparse/sell", {2, 4, 0, 1000000, 0, 1.15}},
    {"tiled/16/copy", {1.9, 5.6, 1.6, 6000000, 0, 1.42}}, /* rows: pieces; irregular: columns copied */
    {"tiled/16/float32", {1.9, 5.6, 1.6, 6000000, 0, 1.42}},
    {"tiled/16/dictionary", {1.9, 5.6, 1.6, 6000000, 0, 1.42}},
    {"segsum/8", {4, 4, 500, 0, 140000, 1.25, 0.86}},
    {"row-blocks/2", {6.5, 4, 0, 0, 75000, 1.3}},
    {"row-blocks/4", {4.2, 3.5, 0, 0, 100000, 1.2}},
    {"row-blocks/8", {3.4, 3.5, 0, 0, 130000, 1.17}},
    {"merge/8", {7.5, 10, 0, 0, 600000, 1.5}},
    {"products", {4, 4, 0, 0, 300000, 1.25}},
    {"fetch/lanes2", {4.5, 8, 0, 3500000, 130000, 1.5}},
    {"fetch/lanes4", {3.6, 20, 0, 3500000, 140000, 1.5}},
    {"fetch/lanes8", {2.9, 55, 0, 3500000, 180000, 1.5}},
    {"fetch/lanes16", {2.4, 140, 0, 3500000, 350000, 1.5}},
    {"fetch/lanes32", {1.3, 440, 0, 3500000, 300000, 1.6}},
};
#endif

static AutoCSRExecutorCost scaled(const AutoCSRExecutorCost *cost, double unit)
{
  const double scale = PetscDefined(USE_COMPLEX) ? 2 * unit : unit;

  return (AutoCSRExecutorCost){scale * cost->entry, scale * cost->row, scale * cost->irregular, unit * cost->start, unit * cost->walk, cost->memory, cost->gather};
}

static PetscErrorCode shipped_host(const char simd[], AutoCSRFigures *f)
{
  const AutoCSRMachine machine = {
      .name = "figures shipped", .bandwidth = {1e11, 1e11, 4e10, 1.5e10}, .cache = {32768, 1 << 20, 4 << 20}, .random_line = {0, 0, 1e-9, 1e-8}, .strided = 1.1, .launch = 6e-9, .in_work = 1, .not_hidden = 0.4};
  PetscBool avx2, avx512;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(simd, "avx2", &avx2));
  PetscCall(PetscStrcmp(simd, "avx512", &avx512));
  f->machine     = machine;
  f->unknown     = (AutoCSRExecutorCost){1e-9, 2e-9, 3e-8, 0, 0, 1};
  f->n_executors = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(ShippedHost);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    PetscCall(PetscStrncpy(f->executor[i].name, ShippedHost[i].name, sizeof(f->executor[i].name)));
    f->executor[i].cost = scaled(&ShippedHost[i].cost[avx512 ? 2 : avx2 ? 1
                                                                        : 0],
                                 1e-9);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(AUTOCSR_HAVE_CUDA)
static PetscErrorCode shipped_cuda(AutoCSRFigures *f)
{
  const AutoCSRMachine machine = {
      .name = "NVIDIA H200, 132 multiprocessors", .bandwidth = {2.2e13, 1.1e13, 7e12, 4.2e12}, .cache = {116736, 30 << 20, 60 << 20}, .random_line = {1.4e-12, 6.3e-12, 9.7e-12, 2.2e-11}, .strided = 1, .product = 2.4e-6, .launch = 1.5e-6, .alone = 1e6, .not_hidden = 0.6, .parallel = PETSC_TRUE};

  PetscFunctionBegin;
  f->machine     = machine;
  f->unknown     = (AutoCSRExecutorCost){4e-12, 2e-11, 2e-11, 1e-6, 1e-7, 1.2};
  f->n_executors = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(ShippedCUDA);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    PetscCall(PetscStrncpy(f->executor[i].name, ShippedCUDA[i].name, sizeof(f->executor[i].name)));
    f->executor[i].cost = scaled(&ShippedCUDA[i].cost, 1e-12);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode AutoCSRFiguresShipped(const AutoCSRBackend *backend, const char simd[], AutoCSRFigures *f)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(f, sizeof(*f)));
  f->backend = backend;
  f->simd    = simd;
#if defined(AUTOCSR_HAVE_CUDA)
  if (backend == &AutoCSRBackendCUDA) PetscCall(shipped_cuda(f));
#endif
  if (backend == &AutoCSRBackendHost) PetscCall(shipped_host(simd, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
