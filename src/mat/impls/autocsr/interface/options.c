/*
  The options -mat_autocsr_*, read when a matrix gets the type and in MatSetFromOptions(); the names of the choices.
*/
#include "../seq/seqautocsr.h"

const char *const MatAutoCSRRigors[]       = {"none", "estimate", "measure", "MatAutoCSRRigor", "MAT_AUTOCSR_RIGOR_", NULL};
const char *const MatAutoCSRObjectives[]   = {"time", "memory", "MatAutoCSRObjective", "MAT_AUTOCSR_OBJECTIVE_", NULL};
const char *const MatAutoCSRIndexCodings[] = {"auto", "csr", "32", "16", "pattern", "fitted", "MatAutoCSRIndexCoding", "MAT_AUTOCSR_INDEX_", NULL};
const char *const MatAutoCSRValueCodings[] = {"auto", "csr", "copy", "dictionary", "float32", "pattern", "constant", "MatAutoCSRValueCoding", "MAT_AUTOCSR_VALUE_", NULL};

const char *const MatAutoCSRSegsumFixups[] = {"device", "host", "MatAutoCSRSegsumFixup", "MAT_AUTOCSR_SEGSUM_FIXUP_", NULL};
const char *const MatAutoCSRExchanges[]    = {"auto", "host", "scatter", "MatAutoCSRExchange", "MAT_AUTOCSR_EXCHANGE_", NULL};

/* PetscOptionsEnum(), with an error that says what the value was and what it may be */
static PetscErrorCode AutoCSROptionsEnum(Mat A, AutoCSROptionItems PetscOptionsObject, const char option[], const char help[], const char setter[], const char *const names[], PetscEnum *value)
{
  char      given[64], choices[256] = "";
  PetscBool set, known;
  PetscEnum found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(((PetscObject)A)->options, ((PetscObject)A)->prefix, option, given, sizeof(given), &set));
  if (set) {
    PetscCall(PetscEnumFind(names, given, &found, &known));
    known = (PetscBool)(known && given[0]); /* nothing is taken for the first */
    for (PetscInt k = 0; !known && names[k + 2]; k++) {
      if (k) PetscCall(PetscStrlcat(choices, ", ", sizeof(choices)));
      PetscCall(PetscStrlcat(choices, names[k], sizeof(choices)));
    }
    PetscCheck(known, PetscObjectComm((PetscObject)A), PETSC_ERR_USER_INPUT, "%s is no value of %s: choose one of %s (see %s())", given[0] ? given : "Nothing", option, choices, setter);
  }
  PetscCall(PetscOptionsEnum(option, help, setter, names, *value, value, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSettingsSetFromOptions(Mat A, AutoCSRSettings *s, AutoCSROptionItems PetscOptionsObject)
{
  char names[256] = "auto";

  PetscFunctionBegin;
  for (PetscInt k = 0; PetscOptionsObject->printhelp && AutoCSRStrategies[k]; k++) {
    PetscCall(PetscStrlcat(names, ", ", sizeof(names)));
    PetscCall(PetscStrlcat(names, AutoCSRStrategies[k]->name, sizeof(names)));
  }
  PetscOptionsHeadBegin(PetscOptionsObject, "AutoCSR options");
  PetscCall(PetscOptionsString("-mat_autocsr_strategy", names, "MatAutoCSRSetStrategy", s->strategy, s->strategy, sizeof(s->strategy), NULL));
  PetscCall(AutoCSROptionsEnum(A, PetscOptionsObject, "-mat_autocsr_rigor", "Work that may go into choosing the plan", "MatAutoCSRSetRigor", MatAutoCSRRigors, (PetscEnum *)&s->rigor));
  PetscCall(AutoCSROptionsEnum(A, PetscOptionsObject, "-mat_autocsr_objective", "What the choice of the plan minimizes", "MatAutoCSRSetObjective", MatAutoCSRObjectives, (PetscEnum *)&s->objective));
  PetscCall(AutoCSROptionsEnum(A, PetscOptionsObject, "-mat_autocsr_index_coding", "How the plan stores columns", "MatAutoCSRSetIndexCoding", MatAutoCSRIndexCodings, (PetscEnum *)&s->index));
  PetscCall(AutoCSROptionsEnum(A, PetscOptionsObject, "-mat_autocsr_value_coding", "How the plan stores values", "MatAutoCSRSetValueCoding", MatAutoCSRValueCodings, (PetscEnum *)&s->value));
  PetscCall(PetscOptionsInt("-mat_autocsr_granularity", "Rows of a virtual row in binning: 10, 20, 50, ... 1000000; 0: chosen", "MatAutoCSRSetGranularity", s->granularity, &s->granularity, NULL));
  PetscCall(PetscOptionsInt("-mat_autocsr_max_bins", "Most bins of rows, 1 to 100; 1: a single bin", "MatAutoCSRSetMaxBins", s->max_bins, &s->max_bins, NULL));
  PetscCall(AutoCSROptionsEnum(A, PetscOptionsObject, "-mat_autocsr_segsum_fixup", "Where a device's segmented sum joins cut rows", "MatAutoCSRSetSegsumFixup", MatAutoCSRSegsumFixups, (PetscEnum *)&s->segsum_fixup));
  PetscCall(AutoCSROptionsEnum(A, PetscOptionsObject, "-mat_autocsr_exchange", "How parallel products on devices get entries of other processes", "MatAutoCSRSetExchange", MatAutoCSRExchanges, (PetscEnum *)&s->exchange));
  PetscCall(PetscOptionsBool("-mat_autocsr_progressive", "The first products by a plan that costs nothing, until they have paid for a better one", "MatAutoCSRSetProgressive", s->progressive, &s->progressive, NULL));
  PetscCall(PetscOptionsBool("-mat_autocsr_keep_csr", "The CSR stays on the device beside a plan that makes no use of it", "MatAutoCSRSetKeepCSR", s->keep_csr, &s->keep_csr, NULL));
  PetscCall(PetscOptionsString("-mat_autocsr_simd", "Host instruction set: auto, x86-64, avx2, avx512, avx512-gather", "", s->simd, s->simd, sizeof(s->simd), NULL));
  PetscOptionsHeadEnd();
  PetscCall(AutoCSRSettingsCheck(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSetFromOptions() of both types */
PetscErrorCode AutoCSRSetFromOptions_Private(Mat A, const AutoCSRParent *parent, AutoCSROptionItems PetscOptionsObject)
{
  AutoCSRSettings settings;

  PetscFunctionBegin;
  if (AutoCSRParentTableOf(parent, A)->ops.setfromoptions) PetscCall((*AutoCSRParentTableOf(parent, A)->ops.setfromoptions)(A, PetscOptionsObject));
  PetscCall(AutoCSRContextGetSettings(A, &settings));
  PetscCall(AutoCSRSettingsSetFromOptions(A, &settings, PetscOptionsObject));
  PetscUseMethod(A, "MatAutoCSRSetSettings_C", (Mat, const AutoCSRSettings *), (A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}
