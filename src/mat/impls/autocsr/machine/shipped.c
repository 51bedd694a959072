/*
  Shipped figures, which serve until a file has others. A processor's are those of the nearest one that was measured (processors.c); a GPU's are in shipped_cuda.h. The reference was
  measured with every instruction set (real double, 32-bit indices) and is scaled to block sizes and nodes that were measured elsewhere. They are data: a kernel that changes wants new ones.
*/
#include "figures.h"

/* Nanoseconds: entry, row, irregular, in x86-64, avx2, avx512 (either way to gather x); and gather */
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
    {"tiled/16/copy", {{0.303, 2.09, 0}, {0.297, 2.38, 0}, {0.272, 4.48, 0}}}, /* rows: pieces */
    {"tiled/16/dictionary", {{0.343, 2.33, 0}, {0.335, 3.23, 0}, {0.344, 4.27, 0}}},
    {"tiled/16/dictionary/few", {{0.341, 2.34, 0}, {0.334, 3.25, 0}, {0.343, 4.29, 0}}},
    {"tiled/16/float32", {{0.295, 2.54, 0}, {0.273, 2.69, 0}, {0.272, 4.3, 0}}},
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
    {"csr/block/csr/by2", {{0.252, 1.36, 0.224}, {0.201, 1.35, 0.343}, {0.188, 1.33, 0.221}}},
    {"csr/block/csr/by3", {{0.154, 1.01, 0.224}, {0.119, 1, 0.343}, {0.111, 1.04, 0.221}}},
    {"csr/block/csr/by4", {{0.103, 0.889, 0.224}, {0.0653, 0.9, 0.343}, {0.0631, 0.937, 0.221}}},
    {"csr/block/csr/by5", {{0.132, 0.932, 0.224}, {0.0922, 0.945, 0.343}, {0.062, 1.06, 0.221}}},
    {"csr/block/csr/by6", {{0.165, 0.959, 0.224}, {0.0828, 0.873, 0.343}, {0.0414, 1.26, 0.221}}},
    {"csr/block/csr/by7", {{0.175, 1.99, 0.224}, {0.0512, 1.47, 0.343}, {0.0477, 1.14, 0.221}}},
    {"csr/block/csr/by8", {{0.102, 1.62, 0.224}, {0.0316, 1.79, 0.343}, {0.0154, 1.56, 0.221}}},
    {"csr/block/dictionary/by2", {{0.306, 1.43, 0.122}, {0.345, 1.96, 0.264}, {0.324, 1.87, 0.235}}},
    {"csr/block/dictionary/by3", {{0.284, 0.975, 0.122}, {0.29, 1.29, 0.264}, {0.29, 1.17, 0.235}}},
    {"csr/block/dictionary/by4", {{0.198, 0.977, 0.122}, {0.195, 1.04, 0.264}, {0.213, 0.982, 0.235}}},
    {"csr/block/dictionary/by5", {{0.241, 1.14, 0.122}, {0.3, 1.85, 0.264}, {0.304, 1.42, 0.235}}},
    {"csr/block/dictionary/by6", {{0.328, 0.782, 0.122}, {0.233, 1.84, 0.264}, {0.222, 1.59, 0.235}}},
    {"csr/block/dictionary/by7", {{0.357, 1.9, 0.122}, {0.215, 1.89, 0.264}, {0.206, 1.39, 0.235}}},
    {"csr/block/dictionary/by8", {{0.225, 1.44, 0.122}, {0.19, 2.22, 0.264}, {0.171, 1.19, 0.235}}},
    {"csr/block/float32/by2", {{0.302, 1.55, 0.142}, {0.353, 1.25, 0.269}, {0.254, 2.03, 0.179}}},
    {"csr/block/float32/by3", {{0.23, 1.1, 0.142}, {0.231, 0.953, 0.269}, {0.182, 1.39, 0.179}}},
    {"csr/block/float32/by4", {{0.168, 1, 0.142}, {0.136, 0.859, 0.269}, {0.092, 1.41, 0.179}}},
    {"csr/block/float32/by5", {{0.2, 0.999, 0.142}, {0.148, 1.32, 0.269}, {0.107, 1.77, 0.179}}},
    {"csr/block/float32/by6", {{0.224, 1.06, 0.142}, {0.139, 1.25, 0.269}, {0.127, 1.3, 0.179}}},
    {"csr/block/float32/by7", {{0.289, 1.19, 0.142}, {0.142, 1.53, 0.269}, {0.104, 1.65, 0.179}}},
    {"csr/block/float32/by8", {{0.2, 1.61, 0.142}, {0.118, 1.7, 0.269}, {0.0732, 1.89, 0.179}}},
    {"nodes/32/by2", {{0.17, 3.73, 4.28}, {0.169, 3.73, 4.28}, {0.15, 3.73, 4.28}}},
    {"nodes/16/by2", {{0.178, 3.96, 4.16}, {0.181, 3.96, 4.16}, {0.155, 3.96, 4.16}}},
    {"nodes/32/by3", {{0.156, 2.81, 2.58}, {0.15, 2.81, 2.58}, {0.119, 2.81, 2.58}}},
    {"nodes/16/by3", {{0.159, 2.8, 2.54}, {0.158, 2.8, 2.54}, {0.118, 2.8, 2.54}}},
    {"nodes/32/by4", {{0.136, 2.23, 1.83}, {0.137, 2.23, 1.83}, {0.0992, 2.23, 1.83}}},
    {"nodes/16/by4", {{0.134, 2.35, 1.85}, {0.135, 2.35, 1.85}, {0.0913, 2.35, 1.85}}},
    {"nodes/32/by5", {{0.17, 2.06, 1.36}, {0.17, 2.06, 1.36}, {0.104, 2.06, 1.36}}},
    {"nodes/16/by5", {{0.171, 2.01, 1.38}, {0.171, 2.01, 1.38}, {0.104, 2.01, 1.38}}},
    {"nodes/32/by6", {{0.161, 1.83, 0.972}, {0.164, 1.83, 0.972}, {0.101, 1.83, 0.972}}},
    {"nodes/16/by6", {{0.161, 1.8, 0.968}, {0.165, 1.8, 0.968}, {0.0989, 1.8, 0.968}}},
    {"nodes/32/by7", {{0.176, 1.56, 0.715}, {0.177, 1.56, 0.715}, {0.0967, 1.56, 0.715}}},
    {"nodes/16/by7", {{0.175, 1.6, 0.701}, {0.176, 1.6, 0.701}, {0.0952, 1.6, 0.701}}},
    {"nodes/32/by8", {{0.149, 1.23, 0.583}, {0.149, 1.23, 0.583}, {0.0808, 1.23, 0.583}}},
    {"nodes/16/by8", {{0.148, 1.33, 0.536}, {0.148, 1.33, 0.536}, {0.0752, 1.33, 0.536}}},
    {"nodes/32/by2/short", {{0.279, 1.08, 4.28}, {0.279, 1.08, 4.28}, {0.279, 1.08, 4.28}}},
    {"nodes/16/by2/short", {{0.271, 1.09, 4.16}, {0.271, 1.09, 4.16}, {0.271, 1.09, 4.16}}},
    {"nodes/32/by3/short", {{0.247, 0.832, 2.58}, {0.247, 0.832, 2.58}, {0.247, 0.832, 2.58}}},
    {"nodes/16/by3/short", {{0.238, 0.891, 2.54}, {0.238, 0.891, 2.54}, {0.238, 0.891, 2.54}}},
    {"nodes/32/by4/short", {{0.242, 0.636, 1.83}, {0.242, 0.636, 1.83}, {0.242, 0.636, 1.83}}},
    {"nodes/16/by4/short", {{0.243, 0.633, 1.85}, {0.243, 0.633, 1.85}, {0.243, 0.633, 1.85}}},
    {"nodes/32/by5/short", {{0.243, 0.516, 1.36}, {0.243, 0.516, 1.36}, {0.243, 0.516, 1.36}}},
    {"nodes/16/by5/short", {{0.245, 0.519, 1.38}, {0.245, 0.519, 1.38}, {0.245, 0.519, 1.38}}},
    {"nodes/32/by6/short", {{0.211, 0.597, 0.972}, {0.211, 0.597, 0.972}, {0.211, 0.597, 0.972}}},
    {"nodes/16/by6/short", {{0.216, 0.585, 0.968}, {0.216, 0.585, 0.968}, {0.216, 0.585, 0.968}}},
    {"nodes/32/by7/short", {{0.23, 0.351, 0.715}, {0.23, 0.351, 0.715}, {0.23, 0.351, 0.715}}},
    {"nodes/16/by7/short", {{0.235, 0.351, 0.701}, {0.235, 0.351, 0.701}, {0.235, 0.351, 0.701}}},
    {"nodes/32/by8/short", {{0.21, 0.414, 0.583}, {0.21, 0.414, 0.583}, {0.21, 0.414, 0.583}}},
    {"nodes/16/by8/short", {{0.21, 0.415, 0.536}, {0.21, 0.415, 0.536}, {0.21, 0.415, 0.536}}},
    {"sliced/fitted/copy", {{1.6, 1.8, 0.3}, {1.4, 1.7, 0.3}, {1.4, 1.4, 0.3}}, 0.56},
    {"sliced/fitted/dictionary", {{1.8, 1.8, 0.3}, {1.6, 1.7, 0.3}, {1.6, 1.4, 0.3}}, 0.56},
    {"sliced/fitted/float32", {{1.7, 1.8, 0.3}, {1.5, 1.7, 0.3}, {1.5, 1.4, 0.3}}, 0.56},
    {"csr/csr/constant/lanes1", {{0.245, 0.458, 5.49}, {0.245, 0.361, 2.13}, {0.232, 0.472, 2.24}}, 0.81},
    {"csr/csr/constant/lanes2", {{0.266, 0.805, 4.3}, {0.305, 0.491, 4.3}, {0.307, 0.464, 4.99}}, 0.75},
    {"csr/csr/constant/lanes4", {{0.192, 0.615, 4.32}, {0.194, 0.679, 3.82}, {0.195, 0.707, 4.21}}, 0.8},
    {"csr/csr/constant/lanes8", {{0.167, 0.848, 4.6}, {0.153, 1.18, 4.91}, {0.155, 1.7, 6.14}}, 0.97},
    {"csr/csr/constant/lanes16", {{0.182, 0.944, 4.32}, {0.16, 1.21, 4.75}, {0.167, 1.91, 5.55}}, 1.06},
    {"csr/csr/constant/lanes32", {{0.202, 0.951, 4.16}, {0.175, 1.26, 4.47}, {0.178, 1.89, 4}}, 1.06},
    {"sliced/32/constant", {{0.193, 0.233, 1.21}, {0.172, 0.202, 0.194}, {0.163, 0.196, 0.193}}, 0.56},
    {"sliced/16/constant", {{0.184, 0.246, 1.17}, {0.164, 0.245, 0.179}, {0.158, 0.216, 0.187}}, 0.56},
    {"tiled/16/constant", {{0.261, 2.09, 0}, {0.256, 2.38, 0}, {0.235, 4.48, 0}}},
    {"sliced/fitted/constant", {{1.23, 1.61, 0.3}, {1.07, 1.52, 0.3}, {1.07, 1.25, 0.3}}, 0.56},
};

#define NAMED_ROW_SECONDS 2.5e-10 /* seconds that a row of a slice takes longer if rows are named (autocsr_tune; processors that were measured have figures of their own) */

/* unit: of time; work: times that work takes longer than told */
static AutoCSRExecutorCost scaled(const AutoCSRExecutorCost *cost, double unit, double work)
{
  const double scale = work * unit;

  return (AutoCSRExecutorCost){scale * cost->entry, scale * cost->row, scale * cost->irregular, unit * cost->start, unit * cost->walk, cost->memory, cost->gather, cost->near};
}

static PetscErrorCode reference(const char simd[], AutoCSRFigures *f)
{
  /* look_start, look_row and look_entry: `make overheads` (scalars of 8 bytes, one process); numbers of dense products: `make dense` */
  const AutoCSRMachine machine = {
      .name = "figures shipped", .bandwidth = {1e11, 1e11, 4e10, 1.5e10}, .cache = {32768, 1 << 20, 4 << 20}, .random_line = {0, 2.5e-10, 6e-10, 7e-9}, .strided = 1.1, .launch = 6e-9, .in_work = 1, .not_hidden = 0.4, .look_start = 1.5e-5, .look_row = 8e-9, .look_entry = 1.2e-9, .dense_at_once = 0.6, .dense_tile = 2e-8, .dense_sample = 5e-4};
  PetscBool avx2, avx512, nodes;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(simd, "avx2", &avx2));
  PetscCall(PetscStrbeginswith(simd, "avx512", &avx512));
  f->machine     = machine;
  f->unknown     = (AutoCSRExecutorCost){1e-9, 2e-9, 3e-8, 0, 0, 1};
  f->n_executors = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(ShippedHost);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    PetscCall(PetscStrncpy(f->executor[i].name, ShippedHost[i].name, sizeof(f->executor[i].name)));
    f->executor[i].cost        = scaled(&ShippedHost[i].cost[avx512 ? 2 : avx2 ? 1
                                                                               : 0],
                                        1e-9, PetscDefined(USE_COMPLEX) ? 2 : 1);
    f->executor[i].cost.gather = ShippedHost[i].gather;
    PetscCall(PetscStrbeginswith(ShippedHost[i].name, "nodes/", &nodes));
    f->executor[i].cost.memory = nodes ? AUTOCSR_NODES_MEMORY : 1;
  }
  for (PetscInt i = 0; i < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(ShippedHost); i++) { /* slices of named rows */
    AutoCSRExecutorFigure *named = &f->executor[f->n_executors];
    PetscBool              sliced, pattern;

    PetscCall(PetscStrbeginswith(ShippedHost[i].name, "sliced/", &sliced));
    PetscCall(PetscStrbeginswith(ShippedHost[i].name, "sliced/pattern/", &pattern));
    if (!sliced || pattern) continue;
    *named = f->executor[i];
    PetscCall(AutoCSRAppend(named->name, "/named", sizeof(named->name)));
    named->cost.row += NAMED_ROW_SECONDS;
    named->cost.irregular = 0;
    f->n_executors++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double in_proportion(double of, double to, double from)
{
  return to > 0 && from > 0 ? of * (to / from) : of;
}

/* The costs of a processor's executors in f's instruction set: the measured ones times the reference's ratio between both sets. f has the reference's figures */
static PetscErrorCode set_executors(const AutoCSRProcessor *p, AutoCSRFigures *f)
{
  AutoCSRFigures *at; /* the reference in the instruction set of the processor's figures */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(1, &at));
  PetscCall(reference(p->simd, at));
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const PetscInt             k = AutoCSRFigureByName(p->executor, p->n, f->executor[i].name, i), l = AutoCSRFigureByName(at->executor, at->n_executors, f->executor[i].name, i);
    const AutoCSRExecutorCost *cost, *from;
    AutoCSRExecutorCost       *to = &f->executor[i].cost, next;

    if (k == p->n || l == at->n_executors) continue;
    cost           = &p->executor[k].cost;
    from           = &at->executor[l].cost;
    next           = *cost;
    next.entry     = in_proportion(cost->entry, to->entry, from->entry);
    next.row       = in_proportion(cost->row, to->row, from->row);
    next.irregular = in_proportion(cost->irregular, to->irregular, from->irregular);
    *to            = next;
  }
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shipped_processor(const AutoCSRProcessor *p, AutoCSRFigures *f)
{
  AutoCSRMachine *m = &f->machine;

  PetscFunctionBegin;
  if (p->n) PetscCall(set_executors(p, f));
  PetscCall(PetscSNPrintf(m->name, sizeof(m->name), "figures shipped, %s", p->name));
  PetscCall(PetscArraycpy(m->bandwidth, p->bandwidth, 4));
  PetscCall(PetscArraycpy(m->cache, p->cache, 3));
  PetscCall(PetscArraycpy(m->random_line, p->random_line, 4));
  m->strided = p->strided;
  m->launch  = p->launch;
  f->clock   = p->clock;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define REFERENCE "reference"
#define DEVICE    "h200"

PetscErrorCode AutoCSRFiguresCheckProcessor(const char processor[])
{
  char      names[256] = REFERENCE ", " DEVICE;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(processor, REFERENCE, &same));
  if (!same) PetscCall(PetscStrcmp(processor, DEVICE, &same));
  for (PetscInt k = 0; AutoCSRProcessors[k] && !same; k++) {
    PetscCall(PetscStrcmp(processor, AutoCSRProcessors[k]->name, &same));
    PetscCall(AutoCSRAppend(names, ", ", sizeof(names)));
    PetscCall(AutoCSRAppend(names, AutoCSRProcessors[k]->name, sizeof(names)));
  }
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "No figures of \"%s\" are shipped; -mat_autocsr_machine takes shipped: and one of %s, or none for those of what is nearest to this machine", processor, names);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_processor(const char name[], const AutoCSRProcessor **found)
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  *found = NULL;
  for (PetscInt k = 0; AutoCSRProcessors[k] && !same; k++) {
    PetscCall(PetscStrcmp(name, AutoCSRProcessors[k]->name, &same));
    if (same) *found = AutoCSRProcessors[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A processor that is named is not scaled; neither is a device where any is named */
PetscErrorCode AutoCSRFiguresShipped(const AutoCSRBackend *backend, const char simd[], const char processor[], const AutoCSRIdentity *id, AutoCSRFigures *f)
{
  const AutoCSRProcessor *p = NULL;
  AutoCSRIdentity         device;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(f, sizeof(*f)));
  if (backend->parallel) {
    PetscCall(AutoCSRFiguresShippedDevice(f, &device));
    if (!processor && id) AutoCSRDeviceScale(&device, id, f);
  } else {
    PetscCall(reference(simd, f));
    if (processor)
      PetscCall(find_processor(processor, &p));
    else if (id)
      p = AutoCSRProcessorNearest(id, simd);
    if (p) PetscCall(shipped_processor(p, f));
    if (p && !processor) AutoCSRProcessorScale(p, id, f);
  }
  f->backend = backend;
  f->simd    = simd;
  f->traits  = backend->parallel ? &AutoCSRTraitsDevice : &AutoCSRTraitsHost;
  AutoCSRFiguresIndex(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}
