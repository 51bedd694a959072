/* In place of generator/kernels.c: kernels compiled ahead stand for those that are compiled at run time. A kernel for rows of one length is taken where there is one */
#include "generated.h"

#define LISTS 3
#define MOST  256

static struct {
  AutoCSRDeviceExecutor executor;
  char                  agent[96], name[64];
} made[MOST];
static int n_made;
PetscInt          EmulatedOneLength;
PetscBool         EmulatedRefuse;
const char *const EmulatedRefusal = "the emulator refuses";

static const GeneratedKernel *KernelOf(const char agent[], int threads, const AutoCSRAxes *a, PetscInt length)
{
  const GeneratedKernel *const list[LISTS] = {Generated64, Generated512, GeneratedEqual};

  for (int l = 0; l < LISTS; l++) {
    for (const GeneratedKernel *k = list[l]; k->agent; k++) {
      if (!strcmp(k->agent, agent) && k->threads == threads && k->length == length && (!a->in_flight || k->in_flight == a->in_flight) && (!a->rows_each || k->each == a->rows_each)) return k;
    }
  }
  return NULL;
}

PetscErrorCode AutoCSRGeneratorWhyNone(const AutoCSRAxes *axes, const char **why)
{
  AutoCSRGenerated g;
  PetscBool        is;

  PetscFunctionBegin;
  PetscCall(AutoCSRGeneratorDescribe(axes, &g, &is, why));
  if (is) *why = "the emulator has no such kernel";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorFind(const AutoCSRAxes *axes, const AutoCSRExecutor **executor)
{
  AutoCSRGenerated g;
  PetscBool        is;
  const char      *why;
  int              m = 0;

  PetscFunctionBegin;
  *executor = NULL;
  PetscCall(AutoCSRGeneratorDescribe(axes, &g, &is, &why));
  if (!is || !KernelOf(g.agent, g.threads, axes, 0)) PetscFunctionReturn(PETSC_SUCCESS);
  while (m < n_made && (strcmp(made[m].agent, g.agent) || strcmp(made[m].name, g.name))) m++;
  PetscCheck(m < MOST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d executors", MOST);
  if (m == n_made) {
    n_made++;
    PetscCall(PetscStrncpy(made[m].agent, g.agent, sizeof(made[m].agent)));
    PetscCall(PetscStrncpy(made[m].name, g.name, sizeof(made[m].name)));
    made[m].executor = (AutoCSRDeviceExecutor){{made[m].name, AutoCSRDeviceMultSegment, NULL, 0}, .alone = PETSC_TRUE, .scratch_bytes = AutoCSRGeneratorScratchBytes, .generated = PETSC_TRUE, .step = {{made, g.threads, AutoCSRGeneratorBlocks, AutoCSRGeneratorSharedBytes}}};
  }
  *executor = &made[m].executor.executor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorKernel(const AutoCSRSegment *seg, AutoCSRDeviceKernel *kernel, size_t len, char why[])
{
  const PetscInt         length = AutoCSRGeneratorLength(seg);
  const GeneratedKernel *found;
  AutoCSRGenerated       g;
  PetscBool              is;
  const char            *none;

  PetscFunctionBegin;
  why[0] = 0;
  if (EmulatedRefuse) {
    PetscCall(PetscStrncpy(why, EmulatedRefusal, len));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRGeneratorDescribe(&seg->axes, &g, &is, &none));
  PetscCheck(is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel: %s", none);
  found = KernelOf(g.agent, g.threads, &seg->axes, length);
  if (found && length) EmulatedOneLength++;
  if (!found) found = KernelOf(g.agent, g.threads, &seg->axes, 0);
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel %s with %d threads", g.agent, g.threads);
  PetscCheck(found->shared <= g.shared, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s takes %zu bytes of shared memory, the host says %zu", g.agent, found->shared, g.shared);
  *kernel = (AutoCSRDeviceKernel){.symbol = found->kernel};
  PetscCall(AutoCSRDeviceLoadKernel(g.shared, kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}
