/*
  The options -mat_autocsr_*, read when a matrix gets the type and in MatSetFromOptions(); the names of the choices. A comment
  that begins with an option is its text in doc/options.md (config/tables.py).
*/
#include "choose.h"
#include <petsc/private/petscimpl.h>

const char *const MatAutoCSRRigors[]       = {"none", "estimate", "measure", "patient", "exhaustive", "MatAutoCSRRigor", "MAT_AUTOCSR_RIGOR_", NULL};
const char *const MatAutoCSRObjectives[]   = {"time", "memory", "energy", "MatAutoCSRObjective", "MAT_AUTOCSR_OBJECTIVE_", NULL};
const char *const MatAutoCSRChoosers[]     = {"model", "two-stage", "trees", "corrected", "auto", "MatAutoCSRChooser", "MAT_AUTOCSR_CHOOSER_", NULL};
const char *const MatAutoCSRIndexCodings[] = {"auto", "csr", "32", "16", "pattern", "fitted", "MatAutoCSRIndexCoding", "MAT_AUTOCSR_INDEX_", NULL};
const char *const MatAutoCSRValueCodings[] = {"auto", "csr", "copy", "dictionary", "float32", "pattern", "constant", "MatAutoCSRValueCoding", "MAT_AUTOCSR_VALUE_", NULL};

const char *const MatAutoCSRSegsumFixups[] = {"device", "host", "MatAutoCSRSegsumFixup", "MAT_AUTOCSR_SEGSUM_FIXUP_", NULL};
const char *const MatAutoCSRExchanges[]    = {"auto", "host", "scatter", "MatAutoCSRExchange", "MAT_AUTOCSR_EXCHANGE_", NULL};
const char *const MatAutoCSRDenses[]       = {"auto", "columns", "panels", "alongside", "adaptive", "bundles", "MatAutoCSRDense", "MAT_AUTOCSR_DENSE_", NULL};

/* PetscOptionsEnum(), with an error that says what the value was and what it may be */
static PetscErrorCode options_enum(PetscObject object, AutoCSROptionItems PetscOptionsObject, const char option[], const char help[], const char setter[], const char *const names[], PetscEnum *value)
{
  char      given[64], choices[256] = "";
  PetscBool set, known;
  PetscEnum found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(object->options, object->prefix, option, given, sizeof(given), &set));
  if (set) {
    PetscCall(PetscEnumFind(names, given, &found, &known));
    known = (PetscBool)(known && given[0]); /* nothing is taken for the first */
    for (PetscInt k = 0; !known && names[k + 2]; k++) {
      if (k) PetscCall(AutoCSRAppend(choices, ", ", sizeof(choices)));
      PetscCall(AutoCSRAppend(choices, names[k], sizeof(choices)));
    }
    PetscCheck(known, PetscObjectComm(object), PETSC_ERR_USER_INPUT, "%s is no value of %s: choose one of %s (see %s())", given[0] ? given : "Nothing", option, choices, setter);
  }
  PetscCall(PetscOptionsEnum(option, help, setter, names, *value, value, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode options_graph(PetscObject object, AutoCSROptionItems PetscOptionsObject, const char setter[], AutoCSRSettings *s)
{
  char      graph[2 * AUTOCSR_GRAPH_LENGTH];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(object->options, object->prefix, "-mat_autocsr_graph", graph, sizeof(graph), &set));
  PetscCall(PetscOptionsString("-mat_autocsr_graph", "How products are made, operator by operator (doc/graph.md)", setter, s->graph, s->graph, sizeof(s->graph), NULL));
  if (set) PetscCall(AutoCSRSettingsSetGraph(s, graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SEARCH_PARTS 3

static PetscErrorCode options_search_without(PetscObject object, AutoCSROptionItems PetscOptionsObject, AutoCSRSettings *s)
{
  static const char *const names[SEARCH_PARTS] = {"pruning", "surrogate", "generator"}; /* in the order of the bits AUTOCSR_SEARCH_PRUNING and the like */
  char                    *given[SEARCH_PARTS + 1] = {NULL}, bad[32] = "";
  PetscInt                 n = SEARCH_PARTS + 1, without = 0;
  PetscBool                set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsStringArray("-mat_autocsr_search_without", "What a search leaves out: some of pruning, surrogate, generator", NULL, given, &n, &set));
  for (PetscInt i = 0; i < n; i++) { /* PETSc drops names beyond the room for them: one before these is no part, or a second time a part */
    PetscInt k = 0;

    while (k < SEARCH_PARTS && strcmp(given[i], names[k])) k++;
    if (without & 1 << k) k = SEARCH_PARTS;
    if (k == SEARCH_PARTS && !(without >> k)) PetscCall(PetscStrncpy(bad, given[i], sizeof(bad)));
    without |= 1 << k;
    PetscCall(PetscFree(given[i]));
  }
  PetscCheck(without < 1 << SEARCH_PARTS, PetscObjectComm(object), PETSC_ERR_USER_INPUT, "'%s' is no part of a search, or is named twice: -mat_autocsr_search_without takes pruning, surrogate, generator or several of them with commas between", bad);
  if (set) s->search_without = without;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSettingsSetFromOptions(PetscObject object, AutoCSRSettings *s, AutoCSROptionItems PetscOptionsObject)
{
  char names[512] = "auto";

  PetscFunctionBegin;
  for (PetscInt k = 0; PetscOptionsObject->printhelp && AutoCSRStrategies[k]; k++) {
    PetscCall(AutoCSRAppend(names, ", ", sizeof(names)));
    PetscCall(AutoCSRAppend(names, AutoCSRStrategies[k]->name, sizeof(names)));
  }
  PetscOptionsHeadBegin(PetscOptionsObject, "AutoCSR options");
  /* -mat_autocsr_strategy: how products are made. A block to which the forced strategy does not apply is multiplied by `csr`;
     `-info` and the view say why */
  PetscCall(PetscOptionsString("-mat_autocsr_strategy", names, "MatAutoCSRSetStrategy", s->strategy, s->strategy, sizeof(s->strategy), NULL));
  /* -mat_autocsr_graph: [(none), a graph] how products are made, operator by operator ([graph.md](graph.md)); it sets the
     strategy `graph`. Text that is no graph is an error; a graph that does not suit a block counts as a strategy that does not
     apply */
  PetscCall(options_graph(object, PetscOptionsObject, "MatAutoCSRSetGraph", s));
  /* -mat_autocsr_rigor: how much work may go into the choice. `estimate`: one pass over the CSR and a cost model. `none`: no
     work, products by segmented sum straight on the CSR, whatever strategy and codings are set. `measure`: the best few
     variants are built and timed. `patient` and `exhaustive`: graphs are searched for a minute and for five ([graph.md](graph.md)) */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_rigor", "Work that may go into choosing the plan", "MatAutoCSRSetRigor", MatAutoCSRRigors, (PetscEnum *)&s->rigor));
  /* -mat_autocsr_search_seconds: [(by the rigor), a number] how long a search may take */
  PetscCall(PetscOptionsReal("-mat_autocsr_search_seconds", "How long a search may take; 0: a minute at rigor patient, five at exhaustive", "MatAutoCSRSetSearch", s->search_seconds, &s->search_seconds, NULL));
  /* -mat_autocsr_search_monitor: a search says every five seconds how far it is */
  PetscCall(PetscOptionsBool("-mat_autocsr_search_monitor", "A search says how far it is", "MatAutoCSRSetSearch", s->search_monitor, &s->search_monitor, NULL));
  /* -mat_autocsr_search_without: [(nothing), some of `pruning`, `surrogate`, `generator`] what a search leaves out, to find out what each is worth:
     graphs that are expected to be slow are run, too; what was run teaches nothing; no kernels are compiled for a graph. Such a search
     neither reads nor writes wisdom */
  PetscCall(options_search_without(object, PetscOptionsObject, s));
  /* -mat_autocsr_objective: what the choice minimizes. `time`: a copy of the whole CSR must make products at least 5 % faster,
     a smaller copy proportionally less. `memory` leaves out every plan that copies values or keeps more than a twentieth of the
     CSR. `energy`: the candidate that takes fewest joules, as a GPU counts them (NVML) with the rigor `measure`, or as trees of
     joules tell where there are some of this machine; elsewhere as `time` */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_objective", "What the choice of the plan minimizes", "MatAutoCSRSetObjective", MatAutoCSRObjectives, (PetscEnum *)&s->objective));
  /* -mat_autocsr_chooser: who chooses. `model`: the cost model; `two-stage`: trees for the granularity of `binned` and the kernel of each
     bin (hou2017); `trees`: trees that vote for a strategy (dufrechou2021); `corrected`: the cost model, corrected by trees; `auto`: `corrected`
     on a GPU for which the library ships trees, or where `-mat_autocsr_learned` names some, else `model`. Where there are no trees
     of this machine, the cost model serves, and `-info` and the view say so */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_chooser", "Who chooses the plan", "MatAutoCSRSetChooser", MatAutoCSRChoosers, (PetscEnum *)&s->chooser));
  /* -mat_autocsr_index_coding: how columns are stored: those of the CSR, 32-bit copies, 16-bit offsets within a slice of rows,
     row patterns (nothing for an entry), or models of the t-th entries of a slice whose residuals take 0, 1, 2 or 4 bytes */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_index_coding", "How the plan stores columns", "MatAutoCSRSetIndexCoding", MatAutoCSRIndexCodings, (PetscEnum *)&s->index));
  /* -mat_autocsr_value_coding: how values are stored: those of the CSR, a copy in the plan's order, one byte into at most 256
     values, float32 where all values are exactly that, or none where rows of one pattern, or all entries, have the same values.
     All are lossless */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_value_coding", "How the plan stores values", "MatAutoCSRSetValueCoding", MatAutoCSRValueCodings, (PetscEnum *)&s->value));
  /* -mat_autocsr_granularity: [(chosen), 10, 20, 50, 100, … 1000000] rows of a virtual row in `binned` (hou2017's U). On a
     device `auto` tries `binned` only where this is not 0, or `-mat_autocsr_max_bins` is not 100 */
  PetscCall(PetscOptionsInt("-mat_autocsr_granularity", "Rows of a virtual row in binning: 10, 20, 50, ... 1000000; 0: chosen", "MatAutoCSRSetGranularity", s->granularity, &s->granularity, NULL));
  /* -mat_autocsr_max_bins: [, 1 to 100] the most bins in `binned`; 1 is the single bin */
  PetscCall(PetscOptionsInt("-mat_autocsr_max_bins", "Most bins of rows, 1 to 100; 1: a single bin", "MatAutoCSRSetMaxBins", s->max_bins, &s->max_bins, NULL));
  /* -mat_autocsr_segsum_fixup: where `segsum` on a device joins the rows that its tiles cut */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_segsum_fixup", "Where a device's segmented sum joins cut rows", "MatAutoCSRSetSegsumFixup", MatAutoCSRSegsumFixups, (PetscEnum *)&s->segsum_fixup));
  /* -mat_autocsr_exchange: how a parallel product on devices gets entries of x that other processes own, where MPI has no
     access to devices (see below) */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_exchange", "How parallel products on devices get entries of other processes", "MatAutoCSRSetExchange", MatAutoCSRExchanges, (PetscEnum *)&s->exchange));
  /* -mat_autocsr_dense: how products with dense matrices are made: chosen by predicted time, column by column by the plan, by
     panels of B, with B as it lies (on a device), by adaptive sparse tiles, or by bundles of rows (on a device) */
  PetscCall(options_enum(object, PetscOptionsObject, "-mat_autocsr_dense", "How products with dense matrices are made", "MatAutoCSRSetDense", MatAutoCSRDenses, (PetscEnum *)&s->dense));
  /* -mat_autocsr_progressive: the first products take a plan that costs nothing, until they have cost as much as a better one
     will (design.md, 5); only where strategy and codings are `auto` and the rigor is `estimate`. The last bits of products may
     change with the plan, in the same product in every run. `false`: one plan from the first product on */
  PetscCall(PetscOptionsBool("-mat_autocsr_progressive", "The first products by a plan that costs nothing, until they have paid for a better one", "MatAutoCSRSetProgressive", s->progressive, &s->progressive, NULL));
  /* -mat_autocsr_reproducible: products have the same bits in every run. `false`: some products of the first plan of progressive
     planning and of the plan that follows are timed, and a plan that is slower by more than a tenth is undone; then the bits
     may depend on the clock. Each block of each process is timed by itself. Rigor `measure` times plans in any case */
  PetscCall(PetscOptionsBool("-mat_autocsr_reproducible", "The same bits in every run; false: a plan that turns out slower than the one before it is undone", "MatAutoCSRSetReproducible", s->reproducible, &s->reproducible, NULL));
  /* -mat_autocsr_keep_csr: a device keeps the CSR beside a plan that has its own columns and values. Otherwise the device
     releases the CSR once products have taken four times as long as bringing it back would, with the objective `memory` after
     the plan's first product. A large CSR is on the device in arrays of the library's, not of PETSc's, unless this is `true`.
     The host's copy stays; whatever reads or changes the matrix on the device brings the CSR back (design.md, 5) */
  PetscCall(PetscOptionsBool("-mat_autocsr_keep_csr", "The CSR stays on the device beside a plan that makes no use of it", "MatAutoCSRSetKeepCSR", s->keep_csr, &s->keep_csr, NULL));
  /* -mat_autocsr_check_values: each product compares checksums of values, columns and row offsets with those of which the plan
     was made; a difference that no state tells is an error ([state.md](state.md)). For debugging: a product takes several times
     as long */
  PetscCall(PetscOptionsBool("-mat_autocsr_check_values", "Each product looks for values that were written and not told of (slow, for debugging)", "MATAUTOCSR", s->check_values, &s->check_values, NULL));
  /* -mat_autocsr_simd: host instruction set, of those that the processor has. `avx512-gather` (real scalars) gathers x by one
     instruction. `auto` takes it where a trial of some microseconds finds it faster than loads, and otherwise for those
     segments of a matrix whose first products it makes faster */
  PetscCall(PetscOptionsString("-mat_autocsr_simd", "Host instruction set: auto, x86-64, avx2, avx512, avx512-gather", "", s->simd, s->simd, sizeof(s->simd), NULL));
  PetscOptionsHeadEnd();
  PetscCall(AutoCSRSettingsCheck(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
