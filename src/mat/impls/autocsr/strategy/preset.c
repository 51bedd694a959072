/* What the presets share: see preset.h */
#include "preset.h"

AutoCSRRange AutoCSRProblemRange(const AutoCSRProblem *problem)
{
  AutoCSRRange r     = {0};
  double       lines = 0;

  for (PetscInt c = problem->chunk_begin; c < problem->chunk_end; c++) {
    const AutoCSRChunk *chunk = &problem->profile->chunk[c];

    r.rows += chunk->row_end - chunk->row_begin;
    r.empty_rows += chunk->empty_rows;
    r.slices += chunk->slices;
    r.slices_16 += chunk->slices_16;
    r.slices_16_sorted += chunk->slices_16_sorted;
    r.uniform_slices += chunk->uniform_slices;
    r.nnz += chunk->nnz;
    r.padded += chunk->padded;
    r.padded_sorted += chunk->padded_sorted;
    lines += chunk->gather_lines * chunk->nnz;
  }
  r.gather_lines = r.nnz > 0 ? lines / r.nnz : 0;
  return r;
}

PetscInt AutoCSRProblemLanes(const AutoCSRProblem *problem, double length)
{
  PetscInt bin = 0;

  while (bin < AUTOCSR_HISTOGRAM_BINS - 1 && length >= 1) {
    length /= 2;
    bin++;
  }
  return problem->lanes[bin];
}

void AutoCSRVariantAdd(const AutoCSRProblem *problem, const AutoCSRAxes *axes, PetscInt max, AutoCSRAxes list[], PetscInt *n)
{
  const AutoCSRSettings *s = problem->settings;

  /* The enums of the settings are those of the axes after an AUTO */
  if (s->index != MAT_AUTOCSR_INDEX_AUTO && (PetscInt)s->index - 1 != (PetscInt)axes->index) return;
  if (s->value != MAT_AUTOCSR_VALUE_AUTO && (PetscInt)s->value - 1 != (PetscInt)axes->value) return;
  if (s->objective == MAT_AUTOCSR_OBJECTIVE_MEMORY && axes->value != AUTOCSR_VALUE_CSR) return;
  if (*n < max) list[(*n)++] = *axes;
}

PetscInt AutoCSRStoredValueCodings(const AutoCSRProblem *problem, AutoCSRValue value[3])
{
  PetscInt n = 0;

  if (problem->profile->values <= AUTOCSR_MAX_DISTINCT) value[n++] = AUTOCSR_VALUE_DICTIONARY;
  if (problem->profile->float32_exact) value[n++] = AUTOCSR_VALUE_FLOAT32;
  value[n++] = AUTOCSR_VALUE_COPY;
  return n;
}

void AutoCSRCostFill(const AutoCSRProblem *problem, const AutoCSRAxes *axes, double rows, double nnz, double entries, double slices, double names, AutoCSRCost *cost)
{
  const AutoCSRProfile *profile                     = problem->profile;
  const PetscBool       copied                      = axes->value != AUTOCSR_VALUE_CSR;
  const PetscBool       indexed                     = axes->index == AUTOCSR_INDEX_32 || axes->index == AUTOCSR_INDEX_16;
  const double          offsets                     = (double)profile->patterns * profile->mean_length;
  const double          x                           = PetscMin(PetscMin((double)problem->csr->n, rows + 2.0 * profile->bandwidth), nnz);
  double                read                        = 0; /* of the CSR */
  double                count[AUTOCSR_STREAM_COUNT] = {0};

  count[AUTOCSR_STREAM_ROWS] = names;
  if (axes->order == AUTOCSR_ORDER_SLICED) count[AUTOCSR_STREAM_SLICE_PTR] = slices + 1;
  if (axes->index == AUTOCSR_INDEX_16) count[AUTOCSR_STREAM_BASE] = slices;
  if (indexed) count[AUTOCSR_STREAM_INDEX] = entries;
  if (axes->index == AUTOCSR_INDEX_PATTERN) {
    count[AUTOCSR_STREAM_PATTERN_ID]     = rows;
    count[AUTOCSR_STREAM_PATTERN_PTR]    = profile->patterns + 1;
    count[AUTOCSR_STREAM_PATTERN_OFFSET] = offsets;
  }
  if (copied) count[AUTOCSR_STREAM_VALUE] = entries;
  if (axes->value == AUTOCSR_VALUE_DICTIONARY) count[AUTOCSR_STREAM_DICTIONARY] = 256;

  *cost           = (AutoCSRCost){0};
  cost->axes      = *axes;
  cost->rows      = axes->order == AUTOCSR_ORDER_SLICED ? slices * axes->slice_height : rows;
  cost->entries   = entries;
  cost->scattered = nnz * AutoCSRProblemRange(problem).gather_lines;
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) cost->own_bytes += count[s] * AutoCSRStreamElementSize(axes, (AutoCSRStreamKind)s);
  if (axes->mapping != AUTOCSR_MAP_EMPTY) {
    if (axes->order == AUTOCSR_ORDER_CSR) read += sizeof(PetscInt) * (rows + 1);
    if (axes->index == AUTOCSR_INDEX_CSR) read += sizeof(PetscInt) * nnz;
    if (!copied) read += sizeof(PetscScalar) * nnz;
  }
  cost->bytes = cost->own_bytes + read + sizeof(PetscScalar) * (x + rows);
  cost->build = 2 * cost->own_bytes + (copied ? sizeof(PetscScalar) * nnz : 0) + (indexed ? sizeof(PetscInt) * nnz : 0);
}

PetscErrorCode AutoCSRBuildContiguous(const AutoCSRProblem *problem, const char strategy[], const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanAddSegment(plan, strategy, axes, &seg));
  seg->row_begin = problem->row_begin;
  seg->n_rows    = problem->row_end - problem->row_begin;
  if (axes->sort_window > 1) PetscCall(AutoCSRSegmentSortRows(seg, problem->csr));
  PetscCall(AutoCSRSegmentEncode(seg, problem->csr, problem->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}
