/* In place of generator/kernels.c: kernels compiled ahead stand for those that are compiled at run time. A kernel for rows of one length, or that knows stretches or other constants, is taken where there is one */
#include "generated.h"

#define LISTS 6
#define MOST  256

static struct {
  AutoCSRDeviceExecutor executor;
  char                  agent[96], name[64];
} made[MOST];
static int n_made;
PetscInt          EmulatedOneLength, EmulatedStretches, EmulatedConstants[2 * EMULATED_WIDTH];
PetscBool         EmulatedRefuse;
const char *const EmulatedRefusal = "the emulator refuses";

static const GeneratedKernel *KernelOf(const char agent[], int threads, const AutoCSRAxes *a, PetscInt length, PetscBool stretches, int constants)
{
  const GeneratedKernel *const list[LISTS] = {Generated64, Generated256, Generated512, GeneratedEqual, GeneratedStretches, GeneratedConstants};

  for (int l = 0; l < LISTS; l++) {
    for (const GeneratedKernel *k = list[l]; k->agent; k++) {
      if (!strcmp(k->agent, agent) && k->threads == threads && k->length == length && k->stretches == stretches && k->constants == (constants & ~EMULATED_VALUES) && (!a->in_flight || k->in_flight == a->in_flight) && (!a->rows_each || k->each == a->rows_each)) return k;
    }
  }
  return NULL;
}

/* The constants of the latest sources, by their segments */
#define KNOWN 64
typedef struct {
  const void *rows, *slice_ptr, *pattern_id, *dictionary;
  PetscInt    row_begin, n_rows, nnz, stretch[AUTOCSR_MAX_STRETCHES][3], slices[2 * AUTOCSR_MAX_STRETCHES][3], entry[32][4], root[2];
  int         n_stretches, n_slices, n_entries, constants;
  PetscScalar value[32], one;
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

/* The number after a name */
static PetscInt ReadNumber(const char text[], const char define[])
{
  const char *at = strstr(text, define);

  return at ? (PetscInt)atoll(at + strlen(define)) : -1;
}

/* Bits that are written as hexadecimal numbers */
static PetscScalar ReadValue(const char at[])
{
  PetscReal   part[2] = {0, 0};
  PetscScalar value;

  for (size_t i = 0; i < sizeof(value) / sizeof(*part); i++) {
    uint64_t bits;

    at = strstr(at, "0x") + 2;
    bits = strtoull(at, NULL, 16);
    if (sizeof(*part) > 4)
      memcpy(&part[i], &bits, sizeof(*part));
    else {
      const uint32_t low = (uint32_t)bits;

      memcpy(&part[i], &low, sizeof(low));
    }
  }
  memcpy(&value, part, sizeof(value));
  return value;
}

static int ReadEntries(const char text[], PetscInt entry[][4], PetscScalar value[], PetscBool values)
{
  const char *at = strstr(text, "AGENT_EACH_ENTRY(F)"), *end = at ? strchr(at, '\n') : NULL;
  int         n  = 0;

  for (at = at ? strstr(at + 19, " F(") : NULL; at && at < end && n < 32; at = strstr(at + 1, " F(")) {
    long long a, b, c, d;

    if (sscanf(at, " F(%lld,%lld,%lld,%lld,", &a, &b, &c, &d) != 4) return -1;
    entry[n][0] = (PetscInt)a;
    entry[n][1] = (PetscInt)b;
    entry[n][2] = (PetscInt)c;
    entry[n][3] = (PetscInt)d;
    value[n++]  = values ? ReadValue(at) : (PetscScalar)NAN;
  }
  return n;
}

static int ConstantsOf(const char text[])
{
  return (strstr(text, "AGENT_ROOT 1") ? EMULATED_ROOT : 0) + (strstr(text, "AGENT_ROOT_VALUES 1") ? EMULATED_VALUES : 0) + (strstr(text, "AGENT_EMPTY_ROWS 0") ? EMULATED_FULL : 0) + (strstr(text, "AGENT_CONSTANT ") ? EMULATED_ONE : 0) + (ReadNumber(text, "AGENT_WIDTH ") == EMULATED_SLOTS ? EMULATED_WIDTH : 0);
}

static PetscErrorCode Remember(const AutoCSRSegment *seg, const char text[])
{
  Known *k = &known[n_known++ % KNOWN];

  PetscFunctionBegin;
  *k             = (Known){seg->stream[AUTOCSR_STREAM_ROWS].data, seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, seg->stream[AUTOCSR_STREAM_PATTERN_ID].data, seg->stream[AUTOCSR_STREAM_DICTIONARY].data, seg->row_begin, seg->n_rows, seg->nnz};
  k->n_stretches = Read(text, "AGENT_EACH_STRETCH(F)", AUTOCSR_MAX_STRETCHES, k->stretch);
  k->n_slices    = Read(text, "AGENT_EACH_SLICES(F)", 2 * AUTOCSR_MAX_STRETCHES, k->slices);
  k->constants   = ConstantsOf(text);
  k->n_entries   = ReadEntries(text, k->entry, k->value, (PetscBool)((k->constants & EMULATED_VALUES) != 0));
  k->root[0]     = ReadNumber(text, "AGENT_ROOT_BEGIN ");
  k->root[1]     = ReadNumber(text, "AGENT_ROOT_PATTERN ");
  if (k->constants & EMULATED_ONE) k->one = ReadValue(strstr(text, "AGENT_CONSTANT "));
  PetscCheck(!strstr(text, "AGENT_STRETCHES") || (k->n_stretches > 0 && (k->n_slices > 0) == (seg->axes.order == AUTOCSR_ORDER_SLICED)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d stretches and %d of slices in \"%s\"", k->n_stretches, k->n_slices, text);
  PetscCheck(!(k->constants & EMULATED_ROOT) || k->n_entries == ReadNumber(text, "AGENT_ROOT_ENTRIES "), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d entries in \"%s\"", k->n_entries, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void EmulatedConstantsOf(const AutoCSRDeviceSegment *seg)
{
  for (int i = n_known - 1; i >= 0 && i >= n_known - KNOWN; i--) {
    const Known *k = &known[i % KNOWN];

    if (k->rows != seg->rows || k->slice_ptr != seg->slice_ptr || k->pattern_id != seg->pattern_id || k->dictionary != seg->dictionary || k->row_begin != seg->row_begin || k->n_rows != seg->n_rows || k->nnz != seg->nnz) continue;
    current = k;
    return;
  }
  abort(); /* a kernel runs on a segment that it was not compiled for */
}

int EmulatedEntryCount(void)
{
  return current->n_entries;
}

int EmulatedHasValues(void)
{
  return (current->constants & EMULATED_VALUES) != 0;
}

PetscInt EmulatedEntry(int i, int k)
{
  return current->entry[i][k];
}

PetscInt EmulatedRoot(int k)
{
  return current->root[k];
}

PetscScalar EmulatedEntryValue(int i)
{
  return current->value[i];
}

PetscScalar EmulatedConstant(void)
{
  return current->one;
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
  if (!is || !KernelOf(g.agent, g.threads, axes, 0, PETSC_FALSE, 0)) PetscFunctionReturn(PETSC_SUCCESS);
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
  char                   constants[AUTOCSR_GENERATED_CONSTANTS];
  PetscBool              stretches;
  int                    known_are;

  PetscFunctionBegin;
  why[0] = 0;
  if (EmulatedRefuse) {
    PetscCall(PetscStrncpy(why, EmulatedRefusal, len));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRGeneratorDescribe(&seg->axes, &g, &is, &none));
  PetscCheck(is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel: %s", none);
  PetscCall(AutoCSRGeneratorConstants(seg, constants));
  stretches = (PetscBool)(strstr(constants, "AGENT_STRETCHES") != NULL);
  known_are = ConstantsOf(constants);
  found     = KernelOf(g.agent, g.threads, &seg->axes, length, stretches, known_are);
  if (found && (stretches || known_are)) PetscCall(Remember(seg, constants));
  if (found) {
    EmulatedOneLength += length > 0;
    EmulatedStretches += stretches;
    EmulatedConstants[known_are]++;
  } else
    found = KernelOf(g.agent, g.threads, &seg->axes, 0, PETSC_FALSE, 0);
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel %s with %d threads", g.agent, g.threads);
  PetscCheck(found->shared <= g.shared, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s takes %zu bytes of shared memory, the host says %zu", g.agent, found->shared, g.shared);
  *kernel = (AutoCSRDeviceKernel){.symbol = found->kernel};
  PetscCall(AutoCSRDeviceLoadKernel(g.shared, kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}
