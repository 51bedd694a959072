/* The ways of multiplying that tests ask for: strategies, codings, binning */
#ifndef WAYS_H
#define WAYS_H

#include <petscautocsr.h>

typedef struct {
  const char           *strategy;
  MatAutoCSRIndexCoding index;
  MatAutoCSRValueCoding value;
  PetscInt              granularity, max_bins;
  MatAutoCSRObjective   objective;
} Way;

static const Way ways[] = {
    {"auto", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr-vector", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr-adaptive", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"light", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pcsr", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"merge", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"rowbins", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"segsum", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sellp", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"ell", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"block", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    /* from here on by the cost model only */
    {"cusparse-alg1", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"cusparse-alg2", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"cusparse-sell", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"auto", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_MEMORY},
    {"auto", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"auto", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr", MAT_AUTOCSR_INDEX_CSR, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sellp", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sellp", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sellp", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"rowbins", MAT_AUTOCSR_INDEX_CSR, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"rowbins", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"rowbins", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"rowbins", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"block", MAT_AUTOCSR_INDEX_CSR, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"block", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"block", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"block", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_PATTERN, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 10, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 10, 3, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 50, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 1000000, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 1, MAT_AUTOCSR_OBJECTIVE_TIME},
};
#define WAYS_AT_EACH_RIGOR 15

/*
  In parallel some will do for each matrix, for the blocks are multiplied as matrices on one rank are; and on a device, where
  making a plan takes longer than with matrices this small on the host
*/
static inline PetscErrorCode SomeWaysWillDo(Mat A, PetscBool *some)
{
  PetscMPIInt size;
  VecType     type;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(PetscStrcmp(type, "cuda", some));
  if (size > 1) *some = PETSC_TRUE;
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscBool WayIsDue(size_t w, size_t matrix, PetscBool some)
{
  return (PetscBool)(!some || w % 4 == matrix % 4);
}

/* Sets all of it, from the first product on, and says it in words */
static inline PetscErrorCode WaySet(Mat A, const Way *w, MatAutoCSRRigor rigor, size_t len, char text[])
{
  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRSetRigor(A, rigor));
  PetscCall(MatAutoCSRSetStrategy(A, w->strategy));
  PetscCall(MatAutoCSRSetIndexCoding(A, w->index));
  PetscCall(MatAutoCSRSetValueCoding(A, w->value));
  PetscCall(MatAutoCSRSetGranularity(A, w->granularity));
  PetscCall(MatAutoCSRSetMaxBins(A, w->max_bins));
  PetscCall(MatAutoCSRSetObjective(A, w->objective));
  PetscCall(MatAutoCSRSetProgressive(A, PETSC_FALSE));
  PetscCall(PetscSNPrintf(text, len, "%s at rigor %s, objective %s, index %s, value %s, granularity %" PetscInt_FMT ", bins %" PetscInt_FMT, w->strategy, MatAutoCSRRigors[rigor], MatAutoCSRObjectives[w->objective], MatAutoCSRIndexCodings[w->index], MatAutoCSRValueCodings[w->value], w->granularity, w->max_bins));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
