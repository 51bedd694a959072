/* The figures of a device: an H200's, fitted to products (shipped_cuda.h), scaled to another by what its driver tells */
#include "shipped_cuda.h"

PetscErrorCode AutoCSRFiguresShippedDevice(AutoCSRFigures *f, AutoCSRIdentity *of)
{
  /* Numbers of planning: `make startup` and `make overheads` (BENCH_ARGS=-gpu), whose launches a profiler counts; of dense products: `make dense` (BENCH_ARGS=-gpu); named_row: `model -measure -gpu` of rowbins */
  const AutoCSRMachine machine = {
      .name = AUTOCSR_SHIPPED_DEVICE, .bandwidth = {2.2e13, 1.1e13, 7e12, 4.2e12}, .cache = {116736, 30 << 20, 60 << 20}, .random_line = {1.4e-12, 6.3e-12, 1.8e-11, 2.5e-11}, .strided = 1, .product = 1.83e-6, .launch = 2e-7, .alone = 1e6, .not_hidden = 1, .parallel = PETSC_TRUE, .named_row = 36, .look_products = 42, .look_passes = 6, .rows_products = 15, .encode_products = 50, .name_products = 7, .dense_at_once = 0.9, .dense_as_lies = 0.67, .dense_row = 5e-11, .dense_tile = 1e-10, .dense_sample = 1e-3, .dense_long = 5e-8};

  /* Figures as figures.cu measures them on that device (`memory` of model -measure): those above were fitted to products. Another device is compared with these. A change of figures.cu needs new ones */
  const double bandwidth[4] = {3.1e13, 8.6e12, 9.4e12, 4.42e12}, random_line[4] = {1.38e-12, 6.31e-12, 9.73e-12, 1.99e-11};

  PetscFunctionBegin;
  f->machine = machine;
  PetscCall(PetscArraycpy(f->bandwidth, bandwidth, 4));
  PetscCall(PetscArraycpy(f->random_line, random_line, 4));
  f->unknown     = (AutoCSRExecutorCost){4e-12, 2e-11, 2e-11, 1e-6, 1e-7, 1.2};
  f->n_executors = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(ShippedCUDA);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    AutoCSRExecutorCost *cost = &f->executor[i].cost;

    f->executor[i] = ShippedCUDA[i];
    cost->entry *= 1e-12; /* picoseconds */
    cost->row *= 1e-12;
    cost->irregular *= 1e-12;
    cost->start *= 1e-12;
    cost->walk *= 1e-12;
  }
  *of = (AutoCSRIdentity){.vendor = "nvidia", .family = 9, .model = 0, .processors = 132, .clock = 1.98e9, .cache = {116736, 30 << 20, 60 << 20}, .bandwidth = 4.814304e12};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double ratio(double to, double from)
{
  return to > 0 && from > 0 ? to / from : 1;
}

static void scale_work(AutoCSRExecutorCost *cost, double work, double clock)
{
  cost->entry /= work;
  cost->row /= work;
  cost->irregular /= work;
  cost->start /= clock;
  cost->walk /= clock;
}

/* Work and caches go as fast as there are multiprocessors, and at their clock; memory by its data sheet; what a lane does alone by the clock. A level is at least as fast as the next */
void AutoCSRDeviceScale(const AutoCSRIdentity *from, const AutoCSRIdentity *to, AutoCSRFigures *f)
{
  const double    clock = ratio(to->clock, from->clock), work = clock * ratio(to->processors, from->processors), memory = ratio(to->bandwidth, from->bandwidth);
  AutoCSRMachine *m = &f->machine;

  for (int level = 3; level >= 0; level--) {
    const double faster = level == 3 ? memory : work;

    m->bandwidth[level] *= faster;
    if (level < 3) m->bandwidth[level] = PetscMax(m->bandwidth[level], m->bandwidth[level + 1]);
    if (level < 3 && to->cache[level] > 0) m->cache[level] = to->cache[level];
  }
  for (int level = 0; level < 4; level++) {
    m->random_line[level] /= level == 3 ? memory : work;
    if (level) m->random_line[level] = PetscMax(m->random_line[level], m->random_line[level - 1]);
  }
  scale_work(&f->unknown, work, clock);
  for (PetscInt i = 0; i < f->n_executors; i++) scale_work(&f->executor[i].cost, work, clock);
}
