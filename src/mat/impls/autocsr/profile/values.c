/*
  The distinct values of a matrix, and whether each is exactly a float32: what the lossless value codings need.
*/
#include "passes.h"
#include "dictionary.h"

#define SAMPLES 4096 /* of large matrices about so many, */
#define SPARSE  13   /* and of small matrices one of so many; odd, so that it falls out of step with rows in blocks */

PetscErrorCode AutoCSRDictionaryBuild(AutoCSRDictionary *d, PetscInt n, const PetscScalar value[])
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(d, sizeof(*d)));
  for (d->n = 0; d->n < n;) {
    unsigned slot;

    (void)AutoCSRDictionaryFind(d, &value[d->n], &slot);
    d->value[d->n] = value[d->n];
    d->slot[slot]  = (uint16_t)++d->n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int BitsCompare(const void *a, const void *b)
{
  const AutoCSRScalarBits x = AutoCSRBitsOf((const PetscScalar *)a), y = AutoCSRBitsOf((const PetscScalar *)b);

  return AutoCSRBitsLess(x, y) ? -1 : AutoCSRBitsLess(y, x);
}

/* Adds a value; PETSC_FALSE if there are too many now */
static inline PetscBool Add(AutoCSRDictionary *d, const PetscScalar *v)
{
  unsigned slot;

  if (AutoCSRDictionaryFind(d, v, &slot) >= 0) return PETSC_TRUE;
  if (d->n == AUTOCSR_MAX_DISTINCT) {
    d->n = AUTOCSR_MAX_DISTINCT + 1;
    return PETSC_FALSE;
  }
  d->value[d->n] = *v;
  d->slot[slot]  = (uint16_t)++d->n;
  return PETSC_TRUE;
}

/* Are all values the first one? As of most graphs: read side by side, without a dictionary */
static PetscErrorCode AreEqual(const AutoCSRMatrix *csr, PetscBool *equal)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycmp(csr->val, csr->val + 1, csr->nnz - 1, equal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Collects until there are too many; what it has seen by then need not be looked at again: its end is returned in *seen. Some from all over come first:
  the first rows may know few of very many
*/
static PetscErrorCode Collect(const AutoCSRMatrix *csr, AutoCSRDictionary *d, PetscInt *seen)
{
  const PetscInt step = PetscMax(SPARSE, csr->nnz / SAMPLES);

  PetscFunctionBegin;
  PetscCall(PetscMemzero(d, sizeof(*d)));
  *seen = 0;
  for (PetscInt64 p = 0; p < csr->nnz; p += step) {
    if (!Add(d, &csr->val[p])) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (d->n == 1) {
    PetscBool equal;

    PetscCall(AreEqual(csr, &equal));
    if (equal) *seen = csr->nnz;
    if (equal) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt p = 0; p < csr->nnz; p++) {
    if (Add(d, &csr->val[p])) continue;
    *seen = p;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *seen = csr->nnz;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRValuesExamine(const AutoCSRMatrix *csr, AutoCSRDictionary *d, PetscBool *float32_exact)
{
  PetscInt seen  = 0;
  int      exact = sizeof(PetscReal) > sizeof(float);

  PetscFunctionBegin;
  PetscCall(Collect(csr, d, &seen));
  for (PetscInt i = 0; i < PetscMin(d->n, AUTOCSR_MAX_DISTINCT) && exact; i++) {
    float f[AUTOCSR_REALS];

    exact = AutoCSRFloatsFromScalar(&d->value[i], f);
  }
  for (PetscInt p = seen; p < csr->nnz && exact; p++) {
    float f[AUTOCSR_REALS];

    exact = AutoCSRFloatsFromScalar(&csr->val[p], f);
  }
  *float32_exact = (PetscBool)exact;
  if (d->n <= AUTOCSR_MAX_DISTINCT) {
    PetscScalar value[AUTOCSR_MAX_DISTINCT];

    PetscCall(PetscArraycpy(value, d->value, d->n));
    qsort(value, (size_t)d->n, sizeof(*value), BitsCompare);
    PetscCall(AutoCSRDictionaryBuild(d, d->n, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do rows of one pattern have the same values? */
static PetscBool PatternValues(const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  for (PetscInt row = 0; row < csr->m; row++) {
    const PetscInt p = profile->pattern_id[row];

    if (p != AUTOCSR_NO_PATTERN && !AutoCSRRowValuesEqual(csr, row, profile->pattern_row[p])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode AutoCSRProfileValues(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  AutoCSRDictionary d;

  PetscFunctionBegin;
  PetscCall(AutoCSRValuesExamine(csr, &d, &profile->float32_exact));
  profile->values = d.n;
  if (d.n <= AUTOCSR_MAX_DISTINCT) {
    PetscCall(PetscMalloc1(d.n, &profile->value));
    PetscCall(PetscArraycpy(profile->value, d.value, d.n));
    if (profile->pattern_id) profile->pattern_values = PatternValues(csr, profile);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
