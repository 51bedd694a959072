/* The settings of a matrix: defaults, and all checks of what a user may set */
#include "choose.h"
#include "../backend.h"
#include "../graph/graph.h"

PetscErrorCode AutoCSRSettingsInitialize(AutoCSRSettings *settings)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(settings, sizeof(*settings)));
  PetscCall(PetscStrncpy(settings->strategy, "auto", sizeof(settings->strategy)));
  PetscCall(PetscStrncpy(settings->simd, "auto", sizeof(settings->simd)));
  settings->rigor       = MAT_AUTOCSR_RIGOR_ESTIMATE;
  settings->objective   = MAT_AUTOCSR_OBJECTIVE_TIME;
  settings->chooser     = MAT_AUTOCSR_CHOOSER_AUTO;
  settings->index       = MAT_AUTOCSR_INDEX_AUTO;
  settings->value       = MAT_AUTOCSR_VALUE_AUTO;
  settings->max_bins    = 100;
  settings->progressive  = PETSC_TRUE;
  settings->reproducible = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PATIENT    60 /* seconds */
#define EXHAUSTIVE 300

double AutoCSRSearchSeconds(const AutoCSRSettings *s)
{
  return s->search_seconds > 0 ? s->search_seconds : s->rigor == MAT_AUTOCSR_RIGOR_EXHAUSTIVE ? EXHAUSTIVE : PATIENT;
}

/* Also sets the strategy: `graph`, or again `auto` where there is no graph any more */
PetscErrorCode AutoCSRSettingsSetGraph(AutoCSRSettings *settings, const char text[])
{
  PetscBool    by_graph;
  size_t       length;
  AutoCSRGraph graph;

  PetscFunctionBegin;
  PetscCall(PetscStrlen(text, &length));
  PetscCheck(length < sizeof(settings->graph), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "The graph has %zu characters; -mat_autocsr_graph and MatAutoCSRSetGraph() take up to %zu", length, sizeof(settings->graph) - 1);
  if (length) PetscCall(AutoCSRGraphParse(text, &graph));
  PetscCall(PetscStrcmp(settings->strategy, "graph", &by_graph));
  if (length || by_graph) PetscCall(PetscStrncpy(settings->strategy, length ? "graph" : "auto", sizeof(settings->strategy)));
  for (size_t k = 0; k < sizeof(settings->graph); k++) settings->graph[k] = k < length ? text[k] : 0; /* settings are compared byte by byte */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_simd(const char simd[])
{
  const char *const *sets       = (*AutoCSRBackendHost.instruction_sets)();
  char               names[128] = "auto";
  PetscBool          known;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(simd, "auto", &known));
  for (; *sets; sets++) {
    PetscBool same;

    PetscCall(PetscStrcmp(simd, *sets, &same));
    if (same) known = PETSC_TRUE;
    PetscCall(AutoCSRAppend(names, ", ", sizeof(names)));
    PetscCall(AutoCSRAppend(names, *sets, sizeof(names)));
  }
  PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "This processor has no instruction set \"%s\"; -mat_autocsr_simd takes one of: %s", simd, names);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool AutoCSRSettingsAreAutomatic(const AutoCSRSettings *s)
{
  return (PetscBool)(s->rigor == MAT_AUTOCSR_RIGOR_ESTIMATE && s->index == MAT_AUTOCSR_INDEX_AUTO && s->value == MAT_AUTOCSR_VALUE_AUTO && !strcmp(s->strategy, "auto"));
}

PetscBool AutoCSRSettingsSearch(const AutoCSRSettings *s)
{
  return (PetscBool)(s->rigor >= MAT_AUTOCSR_RIGOR_PATIENT && s->objective != MAT_AUTOCSR_OBJECTIVE_MEMORY && s->index == MAT_AUTOCSR_INDEX_AUTO && s->value == MAT_AUTOCSR_VALUE_AUTO && !strcmp(s->strategy, "auto"));
}

/* How entries of x come and how dense matrices are multiplied is no part of a plan */
PetscBool AutoCSRSettingsPlanAlike(const AutoCSRSettings *a, const AutoCSRSettings *b)
{
  AutoCSRSettings other = *a;

  other.exchange       = b->exchange;
  other.dense          = b->dense;
  other.search_monitor = b->search_monitor;
  return (PetscBool)!memcmp(&other, b, sizeof(other));
}

PetscErrorCode AutoCSRSettingsCheck(const AutoCSRSettings *settings)
{
  PetscBool automatic, known = (PetscBool)!settings->granularity;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(settings->strategy, "auto", &automatic));
  if (!automatic) {
    const AutoCSRStrategy *strategy;

    PetscCall(AutoCSRStrategyFind(settings->strategy, &strategy));
  }
  for (size_t g = 0; g < AUTOCSR_GRANULARITIES; g++) known = (PetscBool)(known || settings->granularity == AutoCSRGranularity[g]);
  PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " is no granularity; -mat_autocsr_granularity and MatAutoCSRSetGranularity() take 10, 20, 50, 100, 200, 500 and so on to 1000000, or 0 to have it chosen", settings->granularity);
  PetscCheck(settings->max_bins >= 1 && settings->max_bins <= 100, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " is no number of bins; -mat_autocsr_max_bins and MatAutoCSRSetMaxBins() take 1 (the single bin) to 100", settings->max_bins);
  PetscCall(check_simd(settings->simd));
  PetscCheck(settings->rigor >= MAT_AUTOCSR_RIGOR_NONE && settings->rigor <= MAT_AUTOCSR_RIGOR_EXHAUSTIVE, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no rigor; -mat_autocsr_rigor and MatAutoCSRSetRigor() take none, estimate, measure, patient or exhaustive", (int)settings->rigor);
  PetscCheck(settings->search_seconds >= 0 && settings->search_seconds <= 1e6, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%g seconds are no time for a search; -mat_autocsr_search_seconds and MatAutoCSRSetSearch() take up to 1e6, or 0: a minute at rigor patient, five at exhaustive", (double)settings->search_seconds);
  PetscCheck(settings->objective >= MAT_AUTOCSR_OBJECTIVE_TIME && settings->objective <= MAT_AUTOCSR_OBJECTIVE_ENERGY, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no objective; -mat_autocsr_objective and MatAutoCSRSetObjective() take time, memory or energy", (int)settings->objective);
  PetscCheck(settings->chooser >= MAT_AUTOCSR_CHOOSER_MODEL && settings->chooser <= MAT_AUTOCSR_CHOOSER_AUTO, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no chooser; -mat_autocsr_chooser and MatAutoCSRSetChooser() take model, two-stage, trees, corrected or auto", (int)settings->chooser);
  PetscCheck(settings->segsum_fixup >= MAT_AUTOCSR_SEGSUM_FIXUP_DEVICE && settings->segsum_fixup <= MAT_AUTOCSR_SEGSUM_FIXUP_HOST, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no place for the fix-up; -mat_autocsr_segsum_fixup and MatAutoCSRSetSegsumFixup() take device or host", (int)settings->segsum_fixup);
  PetscCheck(settings->exchange >= MAT_AUTOCSR_EXCHANGE_AUTO && settings->exchange <= MAT_AUTOCSR_EXCHANGE_SCATTER, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no exchange; -mat_autocsr_exchange and MatAutoCSRSetExchange() take auto, host or scatter", (int)settings->exchange);
  PetscCheck(settings->dense >= MAT_AUTOCSR_DENSE_AUTO && settings->dense <= MAT_AUTOCSR_DENSE_BUNDLES, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no way to multiply dense matrices; -mat_autocsr_dense and MatAutoCSRSetDense() take auto, columns, panels, alongside, adaptive or bundles", (int)settings->dense);
  PetscCheck(settings->index >= MAT_AUTOCSR_INDEX_AUTO && settings->index <= MAT_AUTOCSR_INDEX_FITTED, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no index coding; -mat_autocsr_index_coding and MatAutoCSRSetIndexCoding() take auto, csr, 32, 16, pattern or fitted", (int)settings->index);
  PetscCheck(settings->value >= MAT_AUTOCSR_VALUE_AUTO && settings->value <= MAT_AUTOCSR_VALUE_CONSTANT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%d is no value coding; -mat_autocsr_value_coding and MatAutoCSRSetValueCoding() take auto, csr, copy, dictionary, float32, pattern or constant", (int)settings->value);
  PetscFunctionReturn(PETSC_SUCCESS);
}
