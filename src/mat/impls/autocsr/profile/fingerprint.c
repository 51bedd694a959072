/*
  The fingerprint of a structure on the host: it must take less time than a product. One multiplication takes two words.
*/
#include "fingerprint.h"

#define WORDS AUTOCSR_FINGERPRINT_WORDS

static const uint64_t *Keys(void)
{
  static uint64_t key[WORDS];

  for (int i = 0; i < WORDS && !key[WORDS - 1]; i++) key[i] = AutoCSRFingerprintKey(i);
  return key;
}

/* Two sums, so that one does not wait for the other */
static AutoCSRWide Part(const char *data, const uint64_t key[])
{
  AutoCSRWide sum[2] = {
      {0, 0},
      {0, 0}};

  for (int i = 0; i < WORDS; i += 4) {
    uint64_t w[4];

    memcpy(w, data + (size_t)i * sizeof(*w), sizeof(w));
    AutoCSRWideAdd(&sum[0], AutoCSRWideProduct(w[0] + key[i], w[1] + key[i + 1]));
    AutoCSRWideAdd(&sum[1], AutoCSRWideProduct(w[2] + key[i + 2], w[3] + key[i + 3]));
  }
  AutoCSRWideAdd(&sum[0], sum[1]);
  return sum[0];
}

static void Extend(const void *data, size_t bytes, AutoCSRFingerprint *f)
{
  const uint64_t *key   = Keys();
  const size_t    whole = WORDS * sizeof(*key);
  uint64_t        rest[WORDS];

  for (size_t begin = 0; begin < bytes; begin += whole) {
    const char *part = (const char *)data + begin;
    AutoCSRWide sum;

    if (bytes - begin < whole) { /* what is left, and zeros */
      memset(rest, 0, sizeof(rest));
      memcpy(rest, part, bytes - begin);
      part = (const char *)rest;
    }
    sum = Part(part, key);
    for (int k = 0; k < 2; k++) f->at[k] = AutoCSRFingerprintExtend(f->at[k], AutoCSRFingerprintPoint(k), sum);
  }
}

PetscErrorCode AutoCSRFingerprint_Host(const AutoCSRMatrix *csr, AutoCSRFingerprint *f)
{
  PetscFunctionBegin;
  *f = (AutoCSRFingerprint){
      {0, 0},
      PETSC_TRUE};
  Extend(csr->row_ptr, (size_t)(csr->m + 1) * sizeof(*csr->row_ptr), f);
  Extend(csr->col, (size_t)csr->nnz * sizeof(*csr->col), f);
  PetscFunctionReturn(PETSC_SUCCESS);
}
