/*
  The figures shipped, until others are measured: what calibrate.c found on one processor (Zen 5, real double, 32-bit
  indices), and what fits products of many matrices and executors on one GPU. They are data: a kernel that changes wants them measured again.
*/
#include "figures.h"

/* Nanoseconds: entry, row, irregular, in x86-64, avx2, avx512; and gather */
static const struct {
  const char         *name;
  AutoCSRExecutorCost cost[3];
  double              gather;
} ShippedHost[] = {
    {"empty", {{0, 0.289, 0}, {0, 0.286, 0}, {0, 0.288, 0}}},
    {"csr/tile", {{0.758, 1.83, 0}, {0.538, 1.85, 0}, {0.535, 1.9, 0}}, 0.9},
    {"csr/csr/csr/lanes1", {{0.292, 0.654, 5.49}, {0.292, 0.516, 2.13}, {0.277, 0.674, 2.24}}, 0.81},
    {"csr/16/csr/lanes1", {{0.312, 0.718, 3.63}, {0.312, 0.637, 3.52}, {0.308, 0.738, 3.83}}, 0.81},
    {"csr/csr/csr/lanes2", {{0.271, 0.962, 4.3}, {0.311, 0.587, 4.3}, {0.313, 0.554, 4.99}}, 0.75},
    {"csr/16/csr/lanes2", {{0.281, 1.05, 5.21}, {0.311, 0.796, 5.22}, {0.315, 0.668, 5.75}}, 0.75},
    {"csr/csr/csr/lanes4", {{0.27, 0.878, 4.32}, {0.272, 0.97, 3.82}, {0.274, 1.01, 4.21}}, 0.8},
    {"csr/16/csr/lanes4", {{0.282, 1.03, 5.35}, {0.291, 1.08, 5.46}, {0.278, 1.15, 5.6}}, 0.8},
    {"csr/csr/csr/lanes8", {{0.228, 0.877, 4.6}, {0.209, 1.22, 4.91}, {0.212, 1.76, 6.14}}, 0.97},
    {"csr/16/csr/lanes8", {{0.236, 1.09, 6.25}, {0.211, 1.44, 5.72}, {0.211, 1.98, 6.54}}, 0.97},
    {"csr/csr/csr/lanes16", {{0.235, 1.02, 4.32}, {0.206, 1.31, 4.75}, {0.216, 2.06, 5.55}}, 1.06},
    {"csr/16/csr/lanes16", {{0.234, 1.15, 5.9}, {0.205, 1.45, 5.76}, {0.207, 2.15, 5.03}}, 1.06},
    {"csr/csr/csr/lanes32", {{0.237, 0.988, 4.16}, {0.206, 1.31, 4.47}, {0.209, 1.96, 4}}, 1.06},
    {"csr/16/csr/lanes32", {{0.233, 1.15, 5.62}, {0.202, 1.7, 5.21}, {0.205, 2.12, 5.27}}, 1.06},
    {"tiled/16/copy", {{0.35, 3, 0}, {0.35, 3, 0}, {0.35, 3, 0}}}, /* rows: pieces */
    {"tiled/16/dictionary", {{0.45, 3, 0}, {0.45, 3, 0}, {0.45, 3, 0}}},
    {"tiled/16/float32", {{0.4, 3, 0}, {0.4, 3, 0}, {0.4, 3, 0}}},
    {"diagonal/copy", {{0.174, 0.255, 0.552}, {0.0922, 0.16, 0.674}, {0.0872, 0.142, 0.712}}},
    {"diagonal/dictionary", {{0.278, 0.231, 0.57}, {0.225, 0.137, 0.583}, {0.257, 0.345, 0.566}}},
    {"diagonal/dictionary/few", {{0.279, 0.219, 0.569}, {0.226, 0.145, 0.589}, {0.255, 0.334, 0.562}}},
    {"diagonal/float32", {{0.234, 0.316, 0.481}, {0.123, 0.309, 0.608}, {0.0804, 0.157, 0.742}}},
    {"csr/pattern/csr", {{0.196, 0.659, 0.211}, {0.175, 0.451, 0.269}, {0.168, 0.409, 0.327}}},
    {"csr/pattern/pattern", {{0.0929, 0.475, 0.335}, {0.092, 0, 0.403}, {0.0831, 0, 0.446}}},
    {"sliced/32/copy", {{0.23, 0.233, 1.21}, {0.205, 0.202, 0.194}, {0.194, 0.196, 0.193}}, 0.56},
    {"sliced/16/copy", {{0.226, 0.246, 1.17}, {0.202, 0.245, 0.179}, {0.194, 0.216, 0.187}}, 0.56},
    {"sliced/pattern/copy", {{0.14, 0.74, 0.265}, {0.102, 0.501, 0.349}, {0.113, 0.258, 0.42}}},
    {"csr/pattern/dictionary", {{0.264, 0.527, 0.28}, {0.221, 0.49, 0.347}, {0.263, 0.473, 0.279}}},
    {"sliced/32/dictionary", {{0.328, 0.241, 1.85}, {0.325, 0.256, 0.164}, {0.334, 0.253, 0.164}}, 0.56},
    {"sliced/16/dictionary", {{0.325, 0.281, 2.41}, {0.321, 0.321, 0.155}, {0.333, 0.294, 0.158}}, 0.56},
    {"sliced/pattern/dictionary", {{0.252, 0.7, 0.205}, {0.22, 0.741, 0.26}, {0.234, 0.704, 0.295}}},
    {"csr/pattern/dictionary/few", {{0.262, 0.522, 0.279}, {0.222, 0.492, 0.345}, {0.262, 0.473, 0.276}}},
    {"sliced/32/dictionary/few", {{0.324, 0.254, 1.86}, {0.325, 0.251, 0.165}, {0.194, 0.227, 0.165}}, 0.56},
    {"sliced/16/dictionary/few", {{0.323, 0.289, 2.41}, {0.321, 0.322, 0.151}, {0.192, 0.282, 0.146}}, 0.56},
    {"sliced/pattern/dictionary/few", {{0.251, 0.692, 0.202}, {0.219, 0.725, 0.258}, {0.109, 0.266, 0.476}}},
    {"csr/pattern/float32", {{0.218, 0.465, 0.204}, {0.178, 0.477, 0.245}, {0.185, 0.583, 0.256}}},
    {"sliced/32/float32", {{0.278, 0.244, 1.3}, {0.228, 0.197, 0.178}, {0.203, 0.284, 0.147}}, 0.56},
    {"sliced/16/float32", {{0.28, 0.273, 1.12}, {0.233, 0.228, 0.167}, {0.202, 0.225, 0.176}}, 0.56},
    {"sliced/pattern/float32", {{0.206, 0.657, 0.307}, {0.113, 0.727, 0.311}, {0.107, 0.368, 0.401}}},
    {"csr/block/csr", {{0.103, 0.889, 0.224}, {0.0653, 0.9, 0.343}, {0.0631, 0.937, 0.221}}},
    {"csr/block/dictionary", {{0.198, 0.977, 0.122}, {0.195, 1.04, 0.264}, {0.213, 0.982, 0.235}}},
    {"csr/block/float32", {{0.168, 1, 0.142}, {0.136, 0.859, 0.269}, {0.092, 1.41, 0.179}}},
    {"sliced/fitted/copy", {{1.6, 1.8, 0.3}, {1.4, 1.7, 0.3}, {1.4, 1.4, 0.3}}, 0.56},
    {"sliced/fitted/dictionary", {{1.8, 1.8, 0.3}, {1.6, 1.7, 0.3}, {1.6, 1.4, 0.3}}, 0.56},
    {"sliced/fitted/float32", {{1.7, 1.8, 0.3}, {1.5, 1.7, 0.3}, {1.5, 1.4, 0.3}}, 0.56},
};

#if defined(AUTOCSR_HAVE_CUDA)
/* Of an H200. Picoseconds: entry, row, irregular, start, walk; and memory, gather */
static const AutoCSRExecutorFigure ShippedCUDA[] = {
    {"empty", {0, 1, 0, 0, 0, 1}},
    {"csr/csr/csr/lanes1", {4.2, 3, 3, 100, 110000, 1.3}},
    {"csr/16/csr/lanes1", {4.2, 3, 3, 300, 110000, 1.35}},
    {"csr/csr/csr/lanes1/named", {3.93, 3.42, 2.71, 95858, 10212, 1.45, 1.17}},
    {"csr/csr/csr/lanes2", {3.8, 6, 3, 100, 130000, 1.3, 1.15}},
    {"csr/16/csr/lanes2", {3.8, 6, 3, 300, 130000, 1.32}},
    {"csr/csr/csr/lanes2/named", {6.19, 7.85, 3.01, 97400, 17900, 1.37, 1.26}},
    {"csr/csr/csr/lanes4", {2.71, 21.1, 3.54, 128128, 46526, 1.12, 0.994}},
    {"csr/16/csr/lanes4", {3.6, 15, 3, 300, 140000, 1.12}},
    {"csr/csr/csr/lanes4/named", {2.15, 15.6, 2.9, 388509, 25945, 1.29, 9.89}},
    {"csr/csr/csr/lanes8", {0.956, 24, 2.76, 88866, 68316, 1.2}},
    {"csr/16/csr/lanes8", {2.9, 50, 3, 300, 180000, 1.2}},
    {"csr/csr/csr/lanes8/named", {4.35, 65, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes16", {1.98, 57.9, 3, 158441, 432230, 1.05, 0.96}},
    {"csr/16/csr/lanes16", {2.4, 63, 3, 108000, 362000, 1.2}},
    {"csr/csr/csr/lanes16/named", {2.01, 57.3, 2.99, 96829, 20044, 1.3, 1.58}},
    {"csr/csr/csr/lanes32", {0.416, 140, 3.21, 86563, 97576, 1, 1.27}},
    {"csr/16/csr/lanes32", {1.3, 190, 3, 110999, 306005, 1.4}},
    {"csr/csr/csr/lanes32/named", {2.08, 477, 3.01, 100000, 254000, 1.3, 1.18}},
    {"csr/csr/csr/lanes64", {0.643, 270, 3, 161150, 70775, 1.05, 0.966}},
    {"csr/16/csr/lanes64", {0.836, 274, 2.99, 85349, 49243, 1, 0.625}},
    {"csr/csr/csr/lanes64/named", {1.92, 639, 3, 112617, 85489, 1.3, 1.02}},
    {"csr/csr/csr/lanes128", {0.95, 760, 3, 89675, 264266, 1.7}},
    {"csr/16/csr/lanes128", {0.798, 539, 3, 110091, 109032, 1.3}},
    {"csr/csr/csr/lanes128/named", {1.43, 988, 3, 300, 250000, 1.3}},
    {"csr/csr/csr/lanes256", {0.488, 1576, 3, 320053, 88839, 1.48, 0.987}},
    {"csr/16/csr/lanes256", {0.5, 1699, 3, 121691, 301343, 1.5}},
    {"csr/csr/csr/lanes256/named", {0.76, 2065, 3, 110653, 102478, 1.3, 1.01}},
    {"csr/csr/csr/blocks", {0.5, 3000, 3, 800000, 100000, 1.1}},
    {"csr/csr/csr/blocks/named", {0.5, 3000, 3, 800000, 100000, 1.1}},
    {"csr/block/csr", {1, 8, 0, 100000, 130000, 1, 1.82}},
    {"csr/block/dictionary", {0.9, 8, 0, 100, 130000, 1.1}},
    {"csr/block/float32", {1, 8, 0, 100, 130000, 1.08}},
    {"sliced/32/copy", {1.61, 1.99, 0.297, 100625, 165793, 1.04, 0.905}},
    {"sliced/32/float32", {1.8, 2, 0.3, 108115, 167261, 1.03}},
    {"sliced/16/copy", {1.7, 2, 0.3, 93963, 70847, 1, 0.5}},
    {"sliced/16/float32", {1.8, 2, 0.3, 100000, 117000, 1.03}},
    {"sliced/32/dictionary", {0.315, 1.1, 0.267, 109921, 130319, 1.1, 0.543}},
    {"sliced/16/dictionary", {1.04, 6.43, 0.297, 99967, 73171, 1.03, 0.929}},
    {"sliced/fitted/copy", {2.7, 4.37, 0.313, 100823, 192083, 1.22, 0.95}},
    {"sliced/fitted/dictionary", {1.9, 4, 0.3, 106000, 99600, 1.05}},
    {"sliced/fitted/float32", {1.9, 4, 0.3, 102999, 143020, 1.05}},
    {"sliced/pattern/copy", {1.4, 3, 0.3, 100000, 117000, 1, 0.5}},
    {"sliced/pattern/dictionary", {0.531, 5.66, 0.244, 100000, 85000, 1.03, 0.673}},
    {"sliced/pattern/float32", {1.15, 3.8, 0.3, 123000, 104000, 1.03}},
    {"sellp/32/copy", {1.8, 16, 0.3, 99999, 153803, 1.05, 0.991}},
    {"sellp/16/copy", {2.3, 14.6, 0.291, 98851, 74746, 1, 0.6}},
    {"sellp/32/float32", {1.9, 16, 0.3, 0, 100000, 1.05}},
    {"sellp/16/float32", {1.9, 16, 0.3, 0, 100000, 1.05}},
    {"sellp/32/dictionary", {1.8, 16, 0.3, 99999, 87592, 1.05}},
    {"sellp/16/dictionary", {1.6, 16, 0.3, 0, 100000, 1.05}},
    {"csr/pattern/csr", {2.4, 5, 0.3, 114000, 47500, 1.22}},
    {"csr/pattern/pattern", {0.786, 0.794, 0.137, 180000, 73400, 1.62, 0.5}},
    {"csr/pattern/dictionary", {1.9, 4, 0.3, 700, 100000, 1.22}},
    {"csr/pattern/float32", {1.9, 4, 0.3, 107000, 115000, 1.22}},
    {"cusparse/alg1", {4, 10, 0, 3000000, 0, 1.4}},
    {"cusparse/alg2", {5, 10, 0, 3000000, 0, 1.6}},
    {"cusparse/sell", {2, 4, 0, 1000000, 0, 1.15}},
    {"tiled/16/copy", {2.58, 5.51, 2.6, 4023320, 6185, 1.31}}, /* rows: pieces; irregular: columns copied */
    {"tiled/16/float32", {1.9, 5.6, 1.6, 8034821, 8772, 1.45}},
    {"tiled/16/dictionary", {1.9, 5.6, 1.6, 8109422, 9566, 2.22}},
    {"propagate/copy", {3, 2, 1.6, 8000000, 400, 1.6}}, /* irregular: columns copied, walk: entries of a row block */
    {"propagate/float32", {3, 2, 1.6, 8000000, 400, 1.6}},
    {"propagate/dictionary", {3, 2, 1.6, 8000000, 400, 1.6}},
    {"segsum/8", {5.95, 2.59, 954, 70793, 39369, 1.25, 0.5}},
    {"row-blocks/2", {5.91, 3.35, 0, 87120, 61555, 1.3, 2.02}},
    {"row-blocks/4", {2.31, 1.49, 0, 106469, 153358, 1.05, 3.19}},
    {"row-blocks/8", {2.8, 5.79, 0, 108864, 922199, 1.25, 1}},
    {"merge/8", {6.22, 15.7, 0, 99361, 521664, 1.5, 0.5}},
    {"products", {3.44, 2.08, 0, 108193, 44522, 1.13, 1.2}},
    {"fetch/lanes2", {4.5, 8, 0, 1180530, 121995, 1.5}},
    {"fetch/lanes4", {5.11, 23.6, 0, 4851993, 87175, 1.5, 2.57}},
    {"fetch/lanes8", {2.85, 60.9, 0, 4475260, 108744, 1.5, 2.03}},
    {"fetch/lanes16", {2.62, 107, 0, 4101048, 158460, 1.5, 0.962}},
    {"fetch/lanes32", {0.886, 293, 0, 4732824, 121207, 2.16, 2.37}},
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
    f->executor[i].cost        = scaled(&ShippedHost[i].cost[avx512 ? 2 : avx2 ? 1
                                                                               : 0],
                                        1e-9);
    f->executor[i].cost.gather = ShippedHost[i].gather;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(AUTOCSR_HAVE_CUDA)
static PetscErrorCode shipped_cuda(AutoCSRFigures *f)
{
  const AutoCSRMachine machine = {
      .name = "NVIDIA H200, 132 multiprocessors", .bandwidth = {2.2e13, 1.1e13, 7e12, 4.2e12}, .cache = {116736, 30 << 20, 60 << 20}, .random_line = {1.4e-12, 6.3e-12, 9.7e-12, 2.2e-11}, .strided = 1, .product = 3.2e-6, .launch = 1.5e-6, .alone = 1e6, .not_hidden = 0.6, .parallel = PETSC_TRUE};

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
