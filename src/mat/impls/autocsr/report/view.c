/*
  -autocsr_view and MatAutoCSRView(): a few lines a block, every segment on its axes, JSON (doc/view-schema.md), or a picture
  (picture.h).
*/
#include "../mpi/mpiautocsr.h"
#include "../graph/graph.h"
#include "../layout/bundled.h"
#include "picture.h"
#include "report.h"

/* PETSc has no viewer formats named JSON and SVG; two of its formats that programs read stand for them */
#define AUTOCSR_VIEWER_JSON PETSC_VIEWER_ASCII_PYTHON
#define AUTOCSR_VIEWER_SVG  PETSC_VIEWER_ASCII_XML /* SVG is XML */

#define AUTOCSR_PRINT(...) PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, __VA_ARGS__))

/* Seconds of a product as timed, else as predicted; 0: neither */
static double AutoCSRSeconds(double measured, double predicted)
{
  return measured > 0 ? measured : predicted;
}

/* Part of the bandwidth that moving so many bytes in so many seconds takes, of the level of memory that they fit into */
static PetscErrorCode AutoCSRBandwidthShare(const AutoCSRBackend *backend, double bytes, double seconds, double *share)
{
  const AutoCSRMatrix   any = {.backend = backend};
  const AutoCSRMachine *machine;
  PetscInt              level = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRMachineGet(&any, &machine));
  while (level < 3 && bytes > machine->cache[level]) level++;
  *share = seconds > 0 ? bytes / seconds / machine->bandwidth[level] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRViewProfile(PetscViewer viewer, const AutoCSRProfile *p)
{
  PetscFunctionBegin;
  AUTOCSR_PRINT("    rows of %" PetscInt_FMT " to %" PetscInt_FMT " entries, mean %.4g, variance %.4g, %" PetscInt_FMT " empty; bandwidth %" PetscInt_FMT "\n", p->min_length, p->max_length, p->mean_length, p->variance, p->empty_rows, p->bandwidth);
  if (p->reach > 1e6 && p->reach < 0.8 * (double)p->n * sizeof(PetscScalar)) AUTOCSR_PRINT("    columns reach %.3g MB of the vector's %.3g, as if all were read equally often\n", 1e-6 * p->reach, 1e-6 * (double)p->n * sizeof(PetscScalar));
  if (p->unsorted)
    AUTOCSR_PRINT("    columns of some row do not ascend: they are taken in place, and no coding is looked at\n");
  else if (p->rows_only)
    AUTOCSR_PRINT("    patterns, blocks and values: not looked at, as codings would gain little beside a product's start\n");
  else
    AUTOCSR_PRINT("    dense blocks of %" PetscInt_FMT "; distinct row patterns: %s%" PetscInt_FMT "; distinct values: %s%" PetscInt_FMT "; values that are all float32: %s; values that row patterns tell: %s\n", p->block_size, p->patterns > AUTOCSR_MAX_PATTERNS ? "more than " : "", PetscMin(p->patterns, AUTOCSR_MAX_PATTERNS), p->values > AUTOCSR_MAX_DISTINCT ? "more than " : "", PetscMin(p->values, AUTOCSR_MAX_DISTINCT), p->float32_exact ? "yes" : "no", p->pattern_values ? "yes" : "no");
  AUTOCSR_PRINT("    row lengths:");
  for (PetscInt b = 0; b < AUTOCSR_HISTOGRAM_BINS; b++) {
    if (p->histogram[b]) AUTOCSR_PRINT(" [%lld,%lld) %" PetscInt_FMT, b ? 1LL << (b - 1) : 0LL, 1LL << b, p->histogram[b]);
  }
  AUTOCSR_PRINT("\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define AUTOCSR_GRAPH_SHOWN (2 * AUTOCSR_GRAPH_LENGTH) /* characters of a plan's graph in a view */

static PetscErrorCode AutoCSRViewSegment(PetscViewer viewer, PetscBool detail, const AutoCSRPlan *plan, const AutoCSRSegment *s)
{
  const AutoCSRAxes *a       = &s->axes;
  const double       seconds = AutoCSRSeconds(s->measured, s->predicted);
  const double       part    = plan->nnz ? 100.0 * s->nnz / plan->nnz : 0;
  double             share   = 0;

  PetscFunctionBegin;
  AUTOCSR_PRINT("    %s: %" PetscInt_FMT " rows", s->strategy, s->n_rows);
  if (s->stream[AUTOCSR_STREAM_ROWS].data)
    AUTOCSR_PRINT(" here and there");
  else
    AUTOCSR_PRINT(" from %" PetscInt_FMT, s->row_begin);
  if (s->row_set.nearness) AUTOCSR_PRINT(", entries %s than %" PetscInt_FMT " columns from the diagonal", s->row_set.nearness == AUTOCSR_NEARNESS_NEAR ? "not more" : "more", s->row_set.reach);
  AUTOCSR_PRINT(", %" PetscInt_FMT " nonzeros (%.3g%%), %.3g bytes a nonzero", s->nnz, part, s->nnz ? s->bytes / s->nnz : 0);
  if (seconds > 0) AUTOCSR_PRINT(", %s %.3g us", s->measured > 0 ? "measured" : "predicted", 1e6 * seconds);
  AUTOCSR_PRINT("\n");
  if (!detail) PetscFunctionReturn(PETSC_SUCCESS);
  AUTOCSR_PRINT("      partition %s, order %s, index %s, value %s, mapping %s, reduction %s; executor %s%s%s\n", AutoCSRPartitionNames[a->partition], AutoCSROrderNames[a->order], AutoCSRIndexNames[a->index], AutoCSRValueNames[a->value], AutoCSRMappingNames[a->mapping],
                AutoCSRReductionNames[a->reduction], s->executor ? s->executor->name : "none", s->executor && s->executor == s->other ? ", x gathered the other way: faster in the first products" : "", s->far ? ", streams prefetched" : "");
  AUTOCSR_PRINT("      lanes %" PetscInt_FMT ", slice height %" PetscInt_FMT ", sort window %" PetscInt_FMT ", row group %" PetscInt_FMT ", block %" PetscInt_FMT ", tile %" PetscInt_FMT " by %" PetscInt_FMT " by %" PetscInt_FMT "; slices %" PetscInt_FMT ", patterns %" PetscInt_FMT "\n", a->lanes, a->slice_height, a->sort_window, a->row_group,
                a->block, a->tile_width, a->tile_height, a->tile_steps, s->n_slices, s->n_patterns);
  PetscCall(AutoCSRBandwidthShare(s->backend, s->bytes, seconds, &share));
  AUTOCSR_PRINT("      %.4g bytes a product; predicted %.3g us, measured %.3g us, %.3g%% of the bandwidth\n", s->bytes, 1e6 * s->predicted, 1e6 * s->measured, 100 * share);
  AUTOCSR_PRINT("      streams (bytes):");
  for (PetscInt k = 0; k < AUTOCSR_STREAM_COUNT; k++) {
    if (s->stream[k].data) AUTOCSR_PRINT(" %s %zu", AutoCSRStreamNames[k], s->stream[k].bytes);
  }
  AUTOCSR_PRINT("\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRViewBlock(PetscViewer viewer, PetscBool detail, const char name[], const AutoCSRContext *ctx)
{
  const AutoCSRPlan *plan = ctx->planned.plan;
  PetscInt64         own, transpose, released;
  double             moved, seconds, share = 0;

  PetscFunctionBegin;
  AUTOCSR_PRINT("  %s: %" PetscInt_FMT " by %" PetscInt_FMT ", %" PetscInt_FMT " nonzeros", name, ctx->csr.m, ctx->csr.n, ctx->csr.nnz);
  if (AutoCSRContextIsResident(ctx)) AUTOCSR_PRINT(", on %s", ctx->csr.backend->name);
  AUTOCSR_PRINT("\n");
  if (!plan) {
    AUTOCSR_PRINT("    no plan: %s\n", !ctx->csr.nnz ? "nothing to multiply" : ctx->yields ? "so few nonzeros are multiplied as AIJ does"
                                                                                           : "no memory for one, no values, or more nonzeros than its executors count");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (detail && ctx->planned.profile) PetscCall(AutoCSRViewProfile(viewer, ctx->planned.profile));
  for (PetscInt s = 0; s < plan->n_segments; s++) PetscCall(AutoCSRViewSegment(viewer, detail, plan, &plan->segment[s]));
  if (detail) {
    char graph[AUTOCSR_GRAPH_SHOWN];

    PetscCall(AutoCSRGraphPrint(plan, sizeof(graph), graph));
    AUTOCSR_PRINT("    graph: %s\n", graph);
  }
  AUTOCSR_PRINT("    why: %s\n", plan->why);
  if (plan->chooser[0]) AUTOCSR_PRINT("    chooser: %s\n", plan->chooser);
  PetscCall(AutoCSRPlanGetBytes(plan, &own, &moved));
  seconds = AutoCSRSeconds(plan->measured, plan->predicted);
  PetscCall(AutoCSRBandwidthShare(plan->backend, moved, seconds, &share));
  AUTOCSR_PRINT("    memory: %.3g MB on top of the %.3g MB of CSR", 1e-6 * own, 1e-6 * AutoCSRMatrixBytes(&ctx->csr));
  released = AutoCSRContextReleasedBytes(ctx->owner, ctx);
  if (released) AUTOCSR_PRINT(", of which %.3g MB are let go", 1e-6 * (double)released);
  AUTOCSR_PRINT("; a product moves %.3g MB", 1e-6 * moved);
  if (seconds > 0) AUTOCSR_PRINT(" in %.3g us (%s), %.3g%% of the bandwidth", 1e6 * seconds, plan->measured > 0 ? "measured" : "predicted", 100 * share);
  PetscCall(AutoCSRTransposedGetBytes(&ctx->transposed, &transpose));
  if (transpose) AUTOCSR_PRINT("\n    transpose, with a plan of its own: %.3g MB", 1e-6 * transpose);
  AUTOCSR_PRINT("\n    set-up: %.3g ms", 1e3 * ctx->setup);
  if (seconds > 0) AUTOCSR_PRINT(", as long as %.3g products", ctx->setup / seconds);
  AUTOCSR_PRINT("; plans %" PetscInt_FMT ", refreshed %" PetscInt_FMT " times, products %" PetscInt64_FMT, ctx->plans, ctx->refreshes, AutoCSRContextProducts(ctx));
  if (ctx->dense_products) AUTOCSR_PRINT(", with dense matrices %" PetscInt64_FMT, ctx->dense_products);
  if (ctx->dense) {
    PetscInt64 tiles = 0;

    if (ctx->dense->tiles) PetscCall(AutoCSRPlanGetBytes(ctx->dense->tiles, &tiles, &moved));
    AUTOCSR_PRINT(", for which %.3g MB are kept", 1e-6 * (double)(ctx->dense->panel_bytes + (size_t)tiles));
    if (ctx->dense->units > 0) AUTOCSR_PRINT("; bundles of %d rows%s have %.3g columns an entry", AUTOCSR_BUNDLE_ROWS, ctx->dense->tiles ? "" : " would", ctx->dense->units);
    if (ctx->dense->share.known) AUTOCSR_PRINT("; adaptive tiles%s have %.3g%% of the entries", ctx->dense->tiles ? "" : " would", 100 * ctx->dense->share.heavy);
  }
  for (PetscInt k = 0; k < AUTOCSR_DENSE_TAKEN && ctx->taken[k].columns; k++) AUTOCSR_PRINT("%s%" PetscInt_FMT " (%s%s)", k ? ", " : "; last dense columns: ", ctx->taken[k].columns, ctx->taken[k].sampled ? "sampled, " : "", AutoCSRDenseWayNames[ctx->taken[k].way]);
  AUTOCSR_PRINT("\n");
  if (ctx->planned.progress.stage != AUTOCSR_STAGE_FINAL) AUTOCSR_PRINT("    stage: the first plan; %" PetscInt_FMT " more products pay for %s\n", AutoCSRProgressRemaining(&ctx->planned.progress), ctx->planned.progress.stage == AUTOCSR_STAGE_FIRST ? "a look at the matrix" : "the plan that is chosen");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRViewString(PetscViewer viewer, const char key[], const char text[])
{
  PetscFunctionBegin;
  AUTOCSR_PRINT("\"%s\": \"", key);
  for (const char *c = text ? text : ""; *c; c++) {
    if (*c == '"' || *c == '\\')
      AUTOCSR_PRINT("\\%c", *c);
    else
      AUTOCSR_PRINT("%c", (unsigned char)*c < ' ' ? ' ' : *c);
  }
  AUTOCSR_PRINT("\"");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRViewSegmentJSON(PetscViewer viewer, const AutoCSRSegment *s)
{
  const AutoCSRAxes *a     = &s->axes;
  double             share = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRBandwidthShare(s->backend, s->bytes, AutoCSRSeconds(s->measured, s->predicted), &share));
  AUTOCSR_PRINT("{\"strategy\": \"%s\", \"partition\": \"%s\", \"order\": \"%s\", \"index\": \"%s\", \"value\": \"%s\", \"mapping\": \"%s\", \"reduction\": \"%s\", \"executor\": \"%s\",\n", s->strategy, AutoCSRPartitionNames[a->partition], AutoCSROrderNames[a->order], AutoCSRIndexNames[a->index],
                AutoCSRValueNames[a->value], AutoCSRMappingNames[a->mapping], AutoCSRReductionNames[a->reduction], s->executor ? s->executor->name : "");
  AUTOCSR_PRINT("       \"lanes\": %" PetscInt_FMT ", \"slice_height\": %" PetscInt_FMT ", \"sort_window\": %" PetscInt_FMT ", \"row_group\": %" PetscInt_FMT ", \"block\": %" PetscInt_FMT ", \"tile_width\": %" PetscInt_FMT ", \"tile_height\": %" PetscInt_FMT ", \"tile_steps\": %" PetscInt_FMT ",\n", a->lanes, a->slice_height, a->sort_window,
                a->row_group, a->block, a->tile_width, a->tile_height, a->tile_steps);
  AUTOCSR_PRINT("       \"row_begin\": %" PetscInt_FMT ", \"rows\": %" PetscInt_FMT ", \"contiguous\": %s, \"nnz\": %" PetscInt_FMT ", \"slices\": %" PetscInt_FMT ", \"patterns\": %" PetscInt_FMT ",\n", s->row_begin, s->n_rows, s->stream[AUTOCSR_STREAM_ROWS].data ? "false" : "true", s->nnz, s->n_slices,
                s->n_patterns);
  AUTOCSR_PRINT("       \"product_bytes\": %.0f, \"predicted\": %.6e, \"measured\": %.6e, \"bandwidth_share\": %.6e, \"streams\": {", s->bytes, s->predicted, s->measured, share);
  for (PetscInt k = 0, n = 0; k < AUTOCSR_STREAM_COUNT; k++) {
    if (s->stream[k].data) AUTOCSR_PRINT("%s\"%s\": %zu", n++ ? ", " : "", AutoCSRStreamNames[k], s->stream[k].bytes);
  }
  AUTOCSR_PRINT("}}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The memory of products with dense matrices */
static PetscErrorCode AutoCSRViewDenseJSON(PetscViewer viewer, const AutoCSRDense *dense)
{
  PetscInt64 bytes = 0;
  double     moved;

  PetscFunctionBegin;
  if (!dense) {
    AUTOCSR_PRINT("null");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (dense->tiles) PetscCall(AutoCSRPlanGetBytes(dense->tiles, &bytes, &moved));
  AUTOCSR_PRINT("{\"panel_bytes\": %zu, \"tile_bytes\": %" PetscInt64_FMT ", \"units\": %.6e, \"share\": ", dense->panel_bytes, bytes, dense->units);
  if (dense->share.known)
    AUTOCSR_PRINT("{\"heavy\": %.6e, \"columns\": %.6e, \"rows\": %.6e}", dense->share.heavy, dense->share.columns, dense->share.rows);
  else
    AUTOCSR_PRINT("null");
  AUTOCSR_PRINT(", \"tiles\": ");
  if (dense->tiles && dense->tiles->n_segments)
    PetscCall(AutoCSRViewSegmentJSON(viewer, dense->tiles->segment));
  else
    AUTOCSR_PRINT("null");
  AUTOCSR_PRINT("}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const AutoCSRStageNames[] = {"final", "first", "chosen"};

static PetscErrorCode AutoCSRViewBlockJSON(PetscViewer viewer, PetscMPIInt rank, const char name[], const AutoCSRContext *ctx)
{
  const AutoCSRPlan    *plan  = ctx->planned.plan;
  const AutoCSRProfile *p     = ctx->planned.profile;
  PetscInt64            own   = 0, transpose;
  double                moved = 0;
  char                  graph[AUTOCSR_GRAPH_SHOWN] = "";

  PetscFunctionBegin;
  PetscCall(AutoCSRTransposedGetBytes(&ctx->transposed, &transpose));
  if (plan) PetscCall(AutoCSRPlanGetBytes(plan, &own, &moved));
  AUTOCSR_PRINT("    {\"rank\": %d, \"block\": \"%s\", \"rows\": %" PetscInt_FMT ", \"cols\": %" PetscInt_FMT ", \"nnz\": %" PetscInt_FMT ", \"backend\": \"%s\", \"planned\": %s,\n     ", rank, name, ctx->csr.m, ctx->csr.n, ctx->csr.nnz, plan ? plan->backend->name : "none", plan ? "true" : "false");
  PetscCall(AutoCSRViewString(viewer, "why", plan ? plan->why : ""));
  AUTOCSR_PRINT(",\n     ");
  PetscCall(AutoCSRViewString(viewer, "chooser", plan ? plan->chooser : ""));
  if (plan) PetscCall(AutoCSRGraphPrint(plan, sizeof(graph), graph));
  AUTOCSR_PRINT(",\n     ");
  PetscCall(AutoCSRViewString(viewer, "graph", graph));
  AUTOCSR_PRINT(",\n     ");
  PetscCall(AutoCSRViewString(viewer, "chosen_by", plan ? plan->by : ""));
  AUTOCSR_PRINT(", ");
  PetscCall(AutoCSRViewString(viewer, "deciding", plan ? plan->deciding : ""));
  AUTOCSR_PRINT(", ");
  PetscCall(AutoCSRViewString(viewer, "runner_up", plan ? plan->runner_up : ""));
  AUTOCSR_PRINT(", \"runner_up_predicted\": %.6e, \"joules\": %.6e", plan ? plan->runner_up_predicted : 0, plan ? plan->joules : 0);
  AUTOCSR_PRINT(",\n     \"csr_bytes\": %" PetscInt64_FMT ", \"plan_bytes\": %" PetscInt64_FMT ", \"released_bytes\": %" PetscInt64_FMT ", \"transpose_bytes\": %" PetscInt64_FMT ", \"product_bytes\": %.0f, \"predicted\": %.6e, \"measured\": %.6e,\n", AutoCSRMatrixBytes(&ctx->csr), own, AutoCSRContextReleasedBytes(ctx->owner, ctx), transpose, moved, plan ? plan->predicted : 0, plan ? plan->measured : 0);
  AUTOCSR_PRINT("     \"setup\": %.6e, \"plans\": %" PetscInt_FMT ", \"refreshes\": %" PetscInt_FMT ", \"products\": %" PetscInt64_FMT ", \"dense_products\": %" PetscInt64_FMT ", \"stage\": \"%s\", \"products_to_next_stage\": %" PetscInt_FMT ",\n     \"dense_ways\": [", ctx->setup, ctx->plans, ctx->refreshes, AutoCSRContextProducts(ctx), ctx->dense_products,
                AutoCSRStageNames[ctx->planned.progress.stage], AutoCSRProgressRemaining(&ctx->planned.progress));
  for (PetscInt k = 0; k < AUTOCSR_DENSE_TAKEN && ctx->taken[k].columns; k++) AUTOCSR_PRINT("%s{\"columns\": %" PetscInt_FMT ", \"sampled\": %s, \"way\": \"%s\"}", k ? ", " : "", ctx->taken[k].columns, ctx->taken[k].sampled ? "true" : "false", AutoCSRDenseWayNames[ctx->taken[k].way]);
  AUTOCSR_PRINT("],\n     \"dense\": ");
  PetscCall(AutoCSRViewDenseJSON(viewer, ctx->dense));
  AUTOCSR_PRINT(",\n     \"profile\": ");
  if (p) {
    AUTOCSR_PRINT("{\"min_length\": %" PetscInt_FMT ", \"max_length\": %" PetscInt_FMT ", \"mean_length\": %.6e, \"variance\": %.6e, \"empty_rows\": %" PetscInt_FMT ", \"bandwidth\": %" PetscInt_FMT ", \"reach\": %.0f, \"block_size\": %" PetscInt_FMT ",\n", p->min_length, p->max_length, p->mean_length, p->variance, p->empty_rows,
                  p->bandwidth, p->reach, p->block_size);
    AUTOCSR_PRINT("       \"patterns\": %" PetscInt_FMT ", \"values\": %" PetscInt_FMT ", \"float32_exact\": %s, \"pattern_values\": %s, \"rows_only\": %s, \"unsorted\": %s, \"histogram\": [", p->patterns > AUTOCSR_MAX_PATTERNS ? -1 : p->patterns, p->values > AUTOCSR_MAX_DISTINCT ? -1 : p->values, p->float32_exact ? "true" : "false", p->pattern_values ? "true" : "false", p->rows_only ? "true" : "false", p->unsorted ? "true" : "false");
    for (PetscInt b = 0; b < AUTOCSR_HISTOGRAM_BINS; b++) AUTOCSR_PRINT("%s%" PetscInt_FMT, b ? ", " : "", p->histogram[b]);
    AUTOCSR_PRINT("]}");
  } else
    AUTOCSR_PRINT("null");
  AUTOCSR_PRINT(",\n     \"segments\": [");
  for (PetscInt s = 0; plan && s < plan->n_segments; s++) {
    AUTOCSR_PRINT("%s\n      ", s ? "," : "");
    PetscCall(AutoCSRViewSegmentJSON(viewer, &plan->segment[s]));
  }
  AUTOCSR_PRINT("]}");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first process prints it */
static PetscErrorCode AutoCSRViewPictureJSON(PetscViewer viewer, const AutoCSRPicture *p)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"; /* 4 for each key */

  PetscFunctionBegin;
  AUTOCSR_PRINT("  \"picture\": {\"rows\": %" PetscInt_FMT ", \"cols\": %" PetscInt_FMT ", \"keys\": [", p->rows, p->cols);
  for (PetscInt k = 0; k < p->n_keys; k++) {
    const AutoCSRPictureKey *key = &p->key[k];

    AUTOCSR_PRINT("%s{", k ? ", " : "");
    PetscCall(AutoCSRViewString(viewer, "label", key->label));
    AUTOCSR_PRINT(", \"segments\": %" PetscInt_FMT ", \"rows\": %.0f, \"nnz\": %.0f, \"product_bytes\": %.0f, \"seconds\": %.6e, \"measured\": %s}", key->segments, key->rows, key->nnz, key->bytes, key->seconds, key->measured ? "true" : "false");
  }
  AUTOCSR_PRINT("], \"cells\": [\n");
  for (PetscInt y = 0; y < p->rows; y++) {
    char row[AUTOCSR_PICTURE_COARSE + 1] = "";

    for (PetscInt x = 0; x < p->cols; x++) {
      const PetscInt k = y * p->cols + x;

      row[x] = '.';
      if (p->level[k]) row[x] = letters[p->of[k] * AUTOCSR_PICTURE_LEVELS + p->level[k] - 1];
    }
    AUTOCSR_PRINT("    \"%s\"%s\n", row, y < p->rows - 1 ? "," : "]},");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRViewHeadJSON(PetscViewer viewer, Mat A, PetscMPIInt size, const AutoCSRSettings *s)
{
  PetscFunctionBegin;
  AUTOCSR_PRINT("{\"schema\": 1, \"type\": \"%s\", ", ((PetscObject)A)->type_name);
  PetscCall(AutoCSRViewString(viewer, "prefix", ((PetscObject)A)->prefix));
  AUTOCSR_PRINT(", \"ranks\": %d, \"rows\": %" PetscInt_FMT ", \"cols\": %" PetscInt_FMT ", \"scalar_bytes\": %zu, \"index_bytes\": %zu,\n", size, A->rmap->N, A->cmap->N, sizeof(PetscScalar), sizeof(PetscInt));
  AUTOCSR_PRINT("  \"settings\": {\"strategy\": \"%s\", \"rigor\": \"%s\", \"objective\": \"%s\", \"chooser\": \"%s\", \"index_coding\": \"%s\", \"value_coding\": \"%s\", \"granularity\": %" PetscInt_FMT ", \"max_bins\": %" PetscInt_FMT ", \"segsum_fixup\": \"%s\", \"exchange\": \"%s\", \"dense\": \"%s\", \"progressive\": %s, \"reproducible\": %s, \"keep_csr\": %s, \"check_values\": %s, \"simd\": \"%s\"},\n", s->strategy, MatAutoCSRRigors[s->rigor],
                MatAutoCSRObjectives[s->objective], MatAutoCSRChoosers[s->chooser], MatAutoCSRIndexCodings[s->index], MatAutoCSRValueCodings[s->value], s->granularity, s->max_bins, MatAutoCSRSegsumFixups[s->segsum_fixup], MatAutoCSRExchanges[s->exchange], MatAutoCSRDenses[s->dense], s->progressive ? "true" : "false", s->reproducible ? "true" : "false", s->keep_csr ? "true" : "false", s->check_values ? "true" : "false", s->simd);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plans that are to be shown; *first: of this process's first block, NULL without one */
static PetscErrorCode AutoCSRViewPlan(Mat A, Mat blocks[], const AutoCSRPlan **first)
{
  PetscFunctionBegin;
  *first = NULL;
  if (MatIsMPIAutoCSR(A)) PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscCall(AutoCSRGetBlocks(A, blocks));
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS && blocks[k]; k++) {
    AutoCSRContext *ctx;

    PetscCall(AutoCSRContextGet(blocks[k], &ctx));
    PetscCall(AutoCSRContextUpdate(blocks[k], ctx));
    if (!(ctx->planned.progress.spent > 0)) PetscCall(AutoCSRContextProceed(blocks[k], ctx, PETSC_TRUE));
    if (!k) *first = ctx->planned.plan;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRViewText(Mat A, Mat blocks[], const AutoCSRPicture *picture, PetscViewerFormat format, PetscViewer viewer)
{
  const char *const names[] = {"diagonal", "off-diagonal"};
  const PetscBool   json = (PetscBool)(format == AUTOCSR_VIEWER_JSON), detail = (PetscBool)(format == PETSC_VIEWER_ASCII_INFO_DETAIL);
  PetscMPIInt       rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (!json) PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)A, viewer));
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  if (json && !rank) {
    AutoCSRSettings settings;

    PetscUseMethod(A, "MatAutoCSRGetSettings_C", (Mat, AutoCSRSettings *), (A, &settings));
    PetscCall(AutoCSRViewHeadJSON(viewer, A, size, &settings));
    PetscCall(AutoCSRViewPictureJSON(viewer, picture));
    AUTOCSR_PRINT("  \"blocks\": [\n");
  } else if (detail && size > 1)
    AUTOCSR_PRINT("  [%d]\n", rank);
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS && blocks[k]; k++) {
    AutoCSRContext *ctx;

    PetscCall(AutoCSRContextGet(blocks[k], &ctx));
    if (json) {
      if (rank || k) AUTOCSR_PRINT(",\n");
      PetscCall(AutoCSRViewBlockJSON(viewer, rank, names[k], ctx));
    } else if (detail || !rank)
      PetscCall(AutoCSRViewBlock(viewer, detail, blocks[1] ? names[k] : "autocsr", ctx));
  }
  if (json && rank == size - 1) AUTOCSR_PRINT("]}\n");
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix is assembled but for what comes after the operation of its type */
static PetscErrorCode AutoCSRView(Mat A, PetscViewer viewer)
{
  Mat                blocks[AUTOCSR_MAX_BLOCKS];
  AutoCSRPicture     picture = {0};
  PetscViewerFormat  format;
  PetscBool          ascii, draw;
  const AutoCSRPlan *first;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERDRAW, &draw));
  PetscCheck(ascii || draw, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "The view of a plan is text or a picture, and a viewer of type %s takes neither: use ascii, draw, :file:ascii_json for programs, or :file.svg for a picture", ((PetscObject)viewer)->type_name);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  PetscCall(AutoCSRViewPlan(A, blocks, &first));
  if (draw || format == AUTOCSR_VIEWER_SVG || format == AUTOCSR_VIEWER_JSON) PetscCall(AutoCSRPictureCreate(A, draw || format == AUTOCSR_VIEWER_SVG ? AUTOCSR_PICTURE_CELLS : AUTOCSR_PICTURE_COARSE, &picture));
  if (draw)
    PetscCall(AutoCSRPictureViewDraw(A, &picture, viewer));
  else if (format == AUTOCSR_VIEWER_SVG)
    PetscCall(AutoCSRPictureViewSVG(A, &picture, first ? first->why : "", viewer));
  else
    PetscCall(AutoCSRViewText(A, blocks, &picture, format, viewer));
  PetscCall(AutoCSRPictureDestroy(&picture));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRView - Shows how an autocsr matrix is multiplied, and why so

  Collective

  Input Parameters:
+ A      - the matrix, of type `MATAUTOCSR`, assembled
- viewer - an ASCII viewer, or a draw viewer

  Options Database Keys:
+ -autocsr_view [ascii[:file[:format[:append]]]] - calls it after each assembly; format is ascii_info_detail, ascii_json or ascii_svg, which is the default of a file whose name ends with .svg
- -autocsr_view draw[:type[:file]]               - draws the pattern (types: x, image)

  Level: beginner

  Notes:
  Before the first product it makes the plan, and, where planning is progressive, the one that products would have had to pay
  for first (`MatAutoCSRSetProgressive()`); after some products it tells how many more that will take. For each block of the matrix (diagonal and off-diagonal on several processes) it
  prints the segments of rows, the strategy, bytes a nonzero and time of each, why they were chosen, memory, and what
  planning cost in products. By default the first process shows its blocks; with the format `PETSC_VIEWER_ASCII_INFO_DETAIL`
  all do, with the profile of the sparsity, all axes and streams.

  The format `PETSC_VIEWER_ASCII_PYTHON` (ascii_json in the option) prints one JSON document for all processes.

  A draw viewer, and the format `PETSC_VIEWER_ASCII_XML` (ascii_svg in the option), show the pattern of the whole matrix on at
  most 256 by 256 cells. A cell has the colour of the segment with the most entries in it, and is the stronger the more entries
  there are; of a large matrix a sample of rows and entries is taken. A legend has the share, bytes and time of each segment. The
  segments of several processes that have the same description share a colour.

  It is an error before the matrix is assembled (`PETSC_ERR_ARG_WRONGSTATE`), and with a viewer of another type (`PETSC_ERR_SUP`).

.seealso: `MATAUTOCSR`, `MatAutoCSRGetInfo()`, `MatAutoCSRSetStrategy()`
@*/
PetscErrorCode MatAutoCSRView(Mat A, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)A), &viewer));
  PetscValidHeaderSpecific(viewer, PETSC_VIEWER_CLASSID, 2);
  PetscCheck(A->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "The matrix is not assembled, so it has no plan to show: call MatAssemblyBegin() and MatAssemblyEnd() first");
  PetscCall(AutoCSRView(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A format of ours at the end of the option's value, or before ":append", gets the name that PETSc knows */
static PetscErrorCode AutoCSRViewRename(char value[], size_t length, const char ours[], PetscViewerFormat format)
{
  char *at, mode[32];

  PetscFunctionBegin;
  PetscCall(PetscStrrstr(value, ours, &at));
  if (!at) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(mode, at + strlen(ours), sizeof(mode)));
  *at = 0;
  PetscCall(AutoCSRAppend(value, ":", length));
  PetscCall(AutoCSRAppend(value, PetscViewerFormats[format], length));
  PetscCall(AutoCSRAppend(value, mode, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  -autocsr_view takes what PETSc's view options take, and the formats ascii_json and ascii_svg. PETSc reads it, from an options
  database of its own in which the format has the name that it knows.
*/
PetscErrorCode AutoCSRViewFromOptions(Mat A)
{
  char              value[PETSC_MAX_PATH_LEN + 64];
  PetscOptions      options;
  PetscViewer       viewer;
  PetscViewerFormat format;
  PetscBool         set, is_viewer, svg, file, text;

  PetscFunctionBegin;
  /* -autocsr_view: [`ascii`, `:file`, `:file:ascii_info_detail`, `:file:ascii_json`, `:file.svg`, `draw`] at assembly end, what was chosen and why;
     [view-schema.md](view-schema.md) describes the JSON; `:file.svg`, `draw` and `draw:image:folder` show the pattern with a colour for each segment */
  PetscCall(PetscOptionsGetString(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-autocsr_view", value, sizeof(value), &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrbeginswith(value, ":", &file));
  PetscCall(PetscStrbeginswith(value, "ascii:", &text));
  PetscCall(PetscStrendswith(value, ".svg", &svg));
  if (svg && (file || text)) PetscCall(AutoCSRAppend(value, ":ascii_svg", sizeof(value)));
  PetscCall(AutoCSRViewRename(value, sizeof(value), ":ascii_json", AUTOCSR_VIEWER_JSON));
  PetscCall(AutoCSRViewRename(value, sizeof(value), ":ascii_svg", AUTOCSR_VIEWER_SVG));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsSetValue(options, "-autocsr_view", value));
  PetscCall(PetscOptionsCreateViewer(PetscObjectComm((PetscObject)A), options, NULL, "-autocsr_view", &viewer, &format, &is_viewer));
  PetscCall(PetscOptionsDestroy(&options));
  if (!is_viewer) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscCall(AutoCSRView(A, viewer));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
