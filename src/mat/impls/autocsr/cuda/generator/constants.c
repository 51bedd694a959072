/* Properties of a segment as constants in the source of its kernel (agent.cuh). Segments with equal constants share a kernel */
#include "generator.h"
#include "../device.h"
#include "../../layout/pattern.h"
#include "../../backend.h"

#define MOST_ENTRIES 32   /* of a root: a mask has so many bits */
#define SAMPLE       4096 /* rows in the middle of the segment, where most are not at a border */

static PetscErrorCode Append(char text[AUTOCSR_GENERATED_CONSTANTS], const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
static PetscErrorCode Append(char text[AUTOCSR_GENERATED_CONSTANTS], const char format[], ...)
{
  char    more[256];
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  PetscCall(PetscVSNPrintf(more, sizeof(more), format, NULL, args));
  va_end(args);
  PetscCall(AutoCSRAppend(text, more, AUTOCSR_GENERATED_CONSTANTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bit for bit: no decimal number says NaN */
static PetscErrorCode AppendValue(char text[AUTOCSR_GENERATED_CONSTANTS], PetscScalar value)
{
  const int parts = (int)(sizeof(PetscScalar) / sizeof(PetscReal));
  PetscReal part[2];

  PetscFunctionBegin;
  memcpy(part, &value, sizeof(value));
  if (parts > 1) PetscCall(Append(text, "PetscScalar("));
  for (int i = 0; i < parts; i++) {
    uint64_t bits64 = 0;
    uint32_t bits32 = 0;

    memcpy(sizeof(PetscReal) > 4 ? (void *)&bits64 : (void *)&bits32, &part[i], sizeof(PetscReal));
    if (sizeof(PetscReal) > 4)
      PetscCall(Append(text, "%s__longlong_as_double(0x%llxll)", i ? "," : "", (unsigned long long)bits64));
    else
      PetscCall(Append(text, "%s__int_as_float(0x%x)", i ? "," : "", (unsigned)bits32));
  }
  if (parts > 1) PetscCall(Append(text, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy of a stream's n elements from the first-th on, in the host's memory; the caller frees it */
static PetscErrorCode GetStream(const AutoCSRSegment *seg, AutoCSRStreamKind kind, size_t size, PetscInt first, PetscInt n, void **copy)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc(size * (size_t)n, copy));
  PetscCall((*seg->backend->to_host)(*copy, (const char *)seg->stream[kind].data + size * (size_t)first, size * (size_t)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern that is the root of most rows of the sample; -1: there is none, or it has too many entries */
static PetscErrorCode CommonRoot(const AutoCSRSegment *seg, const AutoCSRPatternRoot root[], PetscInt *pattern)
{
  const PetscInt rows = PetscMin(seg->n_rows, SAMPLE), longest = seg->axes.mapping == AUTOCSR_MAP_PLANES ? AUTOCSR_PLANES_ENTRIES : MOST_ENTRIES;
  PetscInt      *count, most = 0;
  uint16_t      *id;

  PetscFunctionBegin;
  *pattern = -1;
  PetscCall(GetStream(seg, AUTOCSR_STREAM_PATTERN_ID, sizeof(*id), (seg->n_rows - rows) / 2, rows, (void **)&id));
  PetscCall(PetscCalloc1(seg->n_patterns, &count));
  for (PetscInt k = 0; k < rows; k++) count[id[k]]++;
  for (PetscInt p = 0; p < seg->n_patterns; p++) {
    PetscInt n = 0;

    if (root[p].own != root[p].begin || !root[p].length) continue;
    for (PetscInt q = 0; q < seg->n_patterns; q++) n += root[q].length && root[q].begin == root[p].begin ? count[q] : 0;
    if (n <= most) continue;
    most     = n;
    *pattern = root[p].length > longest ? -1 : p;
  }
  PetscCall(PetscFree(count));
  PetscCall(PetscFree(id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether an item of mapping planes has the column in one of its windows of x */
static PetscBool IsInWindows(const AutoCSRAxes *a, PetscInt plane, PetscInt beside)
{
  return (PetscBool)(plane >= -a->tile_height && plane <= a->tile_height && beside >= -a->tile_steps && beside <= a->tile_steps);
}

/* The entries of the root, at their places in planes if the mapping has planes. Nothing if one is out of reach */
static PetscErrorCode AppendRoot(const AutoCSRSegment *seg, const AutoCSRPatternRoot *root, PetscInt pattern, char text[AUTOCSR_GENERATED_CONSTANTS])
{
  const AutoCSRAxes *a      = &seg->axes;
  const PetscBool    planes = (PetscBool)(a->mapping == AUTOCSR_MAP_PLANES), values = (PetscBool)(a->constants > 1);
  PetscBool          in     = PETSC_TRUE;
  PetscInt          *offset;
  PetscScalar       *value = NULL;
  size_t             before;

  PetscFunctionBegin;
  PetscCall(PetscStrlen(text, &before));
  PetscCall(GetStream(seg, AUTOCSR_STREAM_PATTERN_OFFSET, sizeof(*offset), root->begin, root->length, (void **)&offset));
  if (values) PetscCall(GetStream(seg, AUTOCSR_STREAM_PATTERN_VALUE, sizeof(*value), root->begin, root->length, (void **)&value));
  PetscCall(Append(text, "#define AGENT_ROOT 1\n#define AGENT_ROOT_VALUES %d\n#define AGENT_ROOT_BEGIN %d\n#define AGENT_ROOT_PATTERN %" PetscInt_FMT "\n#define AGENT_ROOT_ENTRIES %d\n#define AGENT_EACH_ENTRY(F)", (int)values, (int)root->begin, pattern, (int)root->length));
  for (PetscInt t = 0; t < root->length; t++) {
    const PetscInt plane = planes && a->tile_height ? AutoCSRPlaneOf(offset[t], a->tile_width) : 0, beside = offset[t] - (plane ? plane * a->tile_width : 0);

    if (planes && !IsInWindows(a, plane, beside)) in = PETSC_FALSE;
    PetscCall(Append(text, " F(%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",", t, offset[t], plane, beside));
    if (values)
      PetscCall(AppendValue(text, value[t]));
    else
      PetscCall(Append(text, "0"));
    PetscCall(Append(text, ")"));
  }
  PetscCall(Append(text, "\n"));
  if (!in) text[before] = 0;
  PetscCall(PetscFree(offset));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AppendPattern(const AutoCSRSegment *seg, char text[AUTOCSR_GENERATED_CONSTANTS])
{
  AutoCSRPatternRoot *root;
  PetscInt            pattern;

  PetscFunctionBegin;
  PetscCall(GetStream(seg, AUTOCSR_STREAM_PATTERN_ROOT, sizeof(*root), 0, seg->n_patterns, (void **)&root));
  PetscCall(CommonRoot(seg, root, &pattern));
  if (pattern >= 0) PetscCall(AppendRoot(seg, &root[pattern], pattern, text));
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slots of each lane in every slice; 0: slices differ. All are as wide as the longest row needs if they have so many slots together */
static PetscInt WidthOf(const AutoCSRSegment *seg)
{
  const AutoCSRAxes *a       = &seg->axes;
  const PetscInt     longest = a->width ? a->width : PetscMin(seg->row_set.row_group ? PETSC_MAX_INT : seg->row_set.longest, a->longest ? a->longest : PETSC_MAX_INT);
  const PetscInt     width   = longest < PETSC_MAX_INT ? AutoCSRCeilDivide(longest, PetscMax(1, a->lanes)) : 0;

  const size_t       size    = a->index == AUTOCSR_INDEX_16 ? sizeof(uint16_t) : a->index == AUTOCSR_INDEX_FITTED ? sizeof(uint8_t) : sizeof(uint32_t);

  return seg->stream[AUTOCSR_STREAM_INDEX].bytes == (size_t)seg->n_slices * AUTOCSR_DEVICE_SLICE_HEIGHT * (size_t)width * size ? width : 0;
}

PetscErrorCode AutoCSRGeneratorConstants(const AutoCSRSegment *seg, char text[AUTOCSR_GENERATED_CONSTANTS])
{
  const AutoCSRAxes *a = &seg->axes;
  PetscScalar        value;

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(AutoCSRGeneratorStretches(seg, text));
  PetscCall(Append(text, "#define AGENT_LENGTH %" PetscInt_FMT "\n", AutoCSRGeneratorLength(seg)));
  if (!a->constants || !seg->n_rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->mapping == AUTOCSR_MAP_TILE && !AutoCSRGeneratorHasEmpty(a)) PetscCall(Append(text, "#define AGENT_EMPTY_ROWS 0\n"));
  if (a->mapping == AUTOCSR_MAP_SLICE && WidthOf(seg)) PetscCall(Append(text, "#define AGENT_WIDTH %" PetscInt_FMT "\n", WidthOf(seg)));
  if (a->order == AUTOCSR_ORDER_CSR && a->value == AUTOCSR_VALUE_PATTERN) PetscCall(AppendPattern(seg, text));
  if (a->constants > 1 && a->value == AUTOCSR_VALUE_CONSTANT) {
    PetscCall((*seg->backend->to_host)(&value, seg->stream[AUTOCSR_STREAM_DICTIONARY].data, sizeof(value)));
    PetscCall(Append(text, "#define AGENT_CONSTANT "));
    PetscCall(AppendValue(text, value));
    PetscCall(Append(text, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
