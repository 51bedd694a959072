/*
  The fingerprint of a structure on the host: it must take less time than a product. One multiplication takes two words.
*/
#include "fingerprint.h"

#define WORDS AUTOCSR_FINGERPRINT_WORDS
#define PRIME ((UINT64_C(1) << 61) - 1)

typedef struct {
  uint64_t low, high;
} Wide;

static inline Wide Multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
  const unsigned __int128 product = (unsigned __int128)a * b;

  return (Wide){(uint64_t)product, (uint64_t)(product >> 64)};
#else
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32, middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;

  return (Wide){a * b, a1 * b1 + (middle >> 32) + (other >> 32)};
#endif
}

static inline void Add(Wide *sum, Wide a)
{
  sum->low += a.low;
  sum->high += a.high + (sum->low < a.low);
}

/* One key a word, then the two points. They are the same in every process: those of SplitMix64 from 0 on */
static const uint64_t *Keys(void)
{
  static uint64_t key[WORDS + 2];

  if (!key[WORDS + 1]) {
    uint64_t state = 0;

    for (int i = 0; i < WORDS + 2; i++) {
      uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

      z      = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
      z      = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
      key[i] = z ^ z >> 31;
    }
  }
  return key;
}

/* Two sums, so that one does not wait for the other */
static Wide Part(const char *data, const uint64_t key[])
{
  Wide sum[2] = {
      {0, 0},
      {0, 0}};

  for (int i = 0; i < WORDS; i += 4) {
    uint64_t w[4];

    memcpy(w, data + (size_t)i * sizeof(*w), sizeof(w));
    Add(&sum[0], Multiply(w[0] + key[i], w[1] + key[i + 1]));
    Add(&sum[1], Multiply(w[2] + key[i + 2], w[3] + key[i + 3]));
  }
  Add(&sum[0], sum[1]);
  return sum[0];
}

/* value * point + digit modulo 2^61 - 1; all below that, and so is the result */
static inline uint64_t Horner(uint64_t value, uint64_t point, uint64_t digit)
{
  const Wide     p   = Multiply(value, point);
  const uint64_t sum = (p.low & PRIME) + (p.low >> 61 | p.high << 3) + digit; /* below 2^63 */
  const uint64_t r   = (sum & PRIME) + (sum >> 61);

  return r >= PRIME ? r - PRIME : r;
}

static void Extend(const void *data, size_t bytes, AutoCSRFingerprint *f)
{
  const uint64_t *key   = Keys();
  const size_t    whole = WORDS * sizeof(*key);
  uint64_t        rest[WORDS];

  for (size_t begin = 0; begin < bytes; begin += whole) {
    const char *part = (const char *)data + begin;
    Wide        sum;

    if (bytes - begin < whole) { /* what is left, and zeros */
      memset(rest, 0, sizeof(rest));
      memcpy(rest, part, bytes - begin);
      part = (const char *)rest;
    }
    sum = Part(part, key);
    for (int k = 0; k < 2; k++) {
      const uint64_t point = key[WORDS + k] >> 4; /* below 2^60 */

      f->at[k] = Horner(f->at[k], point, sum.low >> 4);
      f->at[k] = Horner(f->at[k], point, sum.high >> 4);
      f->at[k] = Horner(f->at[k], point, (sum.high & 15) << 4 | (sum.low & 15));
    }
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
