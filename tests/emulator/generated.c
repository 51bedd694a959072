/* In place of generator/kernels.c: kernels compiled ahead stand for those that are compiled at run time. A kernel for rows of one length, or that knows stretches, is taken where there is one */
#include "generated.h"

#define LISTS 4
#define MOST  256

static struct {
  AutoCSRDeviceExecutor executor;
  char                  agent[96], name[64];
} made[MOST];
static int n_made;
PetscInt          EmulatedOneLength, EmulatedStretches;
PetscBool         EmulatedRefuse;
const char *const EmulatedRefusal = "the emulator refuses";

static const GeneratedKernel *KernelOf(const char agent[], int threads, const AutoCSRAxes *a, PetscInt length, PetscBool stretches)
{
  const GeneratedKernel *const list[LISTS] = {Generated64, Generated512, GeneratedEqual, GeneratedStretches};

  for (int l = 0; l < LISTS; l++) {
    for (const GeneratedKernel *k = list[l]; k->agent; k++) {
      if (!strcmp(k->agent, agent) && k->threads == threads && k->length == length && k->stretches == stretches && (!a->in_flight || k->in_flight == a->in_flight) && (!a->rows_each || k->each == a->rows_each)) return k;
    }
  }
  return NULL;
}

/* The constants of the latest sources, by their segments */
#define KNOWN 64
typedef struct {
  const void *rows, *slice_ptr;
  PetscInt    row_begin, n_rows, nnz, stretch[AUTOCSR_MAX_STRETCHES][3], slices[2 * AUTOCSR_MAX_STRETCHES][3];
  int         n_stretches, n_slices;
} Known;
static Known        known[KNOWN];
static int          n_known;
static const Known *current;

/* Reads what a compiler would: F(a,b,c) F(a,b,c) ... up to the line's end */
static int Read(const char text[], const char define[], int most, PetscInt list[][3])
{
  const char *at = strstr(text, define), *end = at ? strchr(at, '\n') : NULL;
  int         n  = 0;

  for (at = at ? strstr(at + strlen(define), " F(") : NULL; at && at < end && n < most; at = strstr(at + 1, " F(")) {
    long long a, b, c;

    if (sscanf(at, " F(%lld,%lld,%lld)", &a, &b, &c) != 3) return -1;
    list[n][0]   = (PetscInt)a;
    list[n][1]   = (PetscInt)b;
    list[n++][2] = (PetscInt)c;
  }
  return n;
}

static PetscErrorCode Remember(const AutoCSRSegment *seg, const char text[])
{
  Known *k = &known[n_known++ % KNOWN];

  PetscFunctionBegin;
  *k          = (Known){seg->stream[AUTOCSR_STREAM_ROWS].data, seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, seg->row_begin, seg->n_rows, seg->nnz};
  k->n_stretches = Read(text, "AGENT_EACH_STRETCH(F)", AUTOCSR_MAX_STRETCHES, k->stretch);
  k->n_slices    = Read(text, "AGENT_EACH_SLICES(F)", 2 * AUTOCSR_MAX_STRETCHES, k->slices);
  PetscCheck(k->n_stretches > 0 && (k->n_slices > 0) == (seg->axes.order == AUTOCSR_ORDER_SLICED), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d stretches and %d of slices in \"%s\"", k->n_stretches, k->n_slices, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void EmulatedStretchesOf(const AutoCSRDeviceSegment *seg)
{
  for (int i = n_known - 1; i >= 0 && i >= n_known - KNOWN; i--) {
    const Known *k = &known[i % KNOWN];

    if (k->rows != seg->rows || k->slice_ptr != seg->slice_ptr || k->row_begin != seg->row_begin || k->n_rows != seg->n_rows || k->nnz != seg->nnz) continue;
    current = k;
    return;
  }
  abort(); /* a kernel runs on a segment that it was not compiled for */
}

int EmulatedStretchCount(void)
{
  return current->n_stretches;
}

int EmulatedSlicesCount(void)
{
  return current->n_slices;
}

PetscInt EmulatedStretch(int i, int k)
{
  return current->stretch[i][k];
}

PetscInt EmulatedSlices(int i, int k)
{
  return current->slices[i][k];
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
  if (!is || !KernelOf(g.agent, g.threads, axes, 0, PETSC_FALSE)) PetscFunctionReturn(PETSC_SUCCESS);
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
  char                   stretches[AUTOCSR_GENERATED_STRETCHES];

  PetscFunctionBegin;
  why[0] = 0;
  if (EmulatedRefuse) {
    PetscCall(PetscStrncpy(why, EmulatedRefusal, len));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRGeneratorDescribe(&seg->axes, &g, &is, &none));
  PetscCheck(is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel: %s", none);
  PetscCall(AutoCSRGeneratorStretches(seg, stretches));
  found = KernelOf(g.agent, g.threads, &seg->axes, length, (PetscBool)(stretches[0] != 0));
  if (found && length) EmulatedOneLength++;
  if (found && stretches[0]) {
    EmulatedStretches++;
    PetscCall(Remember(seg, stretches));
  }
  if (!found) found = KernelOf(g.agent, g.threads, &seg->axes, 0, PETSC_FALSE);
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel %s with %d threads", g.agent, g.threads);
  PetscCheck(found->shared <= g.shared, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s takes %zu bytes of shared memory, the host says %zu", g.agent, found->shared, g.shared);
  *kernel = (AutoCSRDeviceKernel){.symbol = found->kernel};
  PetscCall(AutoCSRDeviceLoadKernel(g.shared, kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}
