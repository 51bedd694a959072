/*
  The dictionary of row patterns: lists of column minus row that many rows share (profile.h tells how they are chosen).
  A row is first compared with the pattern that last came after its predecessor's, which on a stencil or a block matrix is
  nearly always right and costs a vector compare (of several rows at once where a pattern follows itself); only else is it
  hashed. Equality is always verified entry by entry.
*/
#include "parts.h"
#include "../backend.h"

#define RUN   16                                                        /* rows compared at once where a pattern follows itself */
#define ROOM  (AUTOCSR_RECURRING_PATTERNS + AUTOCSR_COLLECTED_PATTERNS) /* for patterns */
#define SLOTS (4 * AUTOCSR_COLLECTED_PATTERNS)                          /* a power of two, more than twice the room */

typedef struct {
  uint64_t hash;
  PetscInt row;  /* shows the pattern: the first that was counted */
  PetscInt rows; /* that have it */
  uint16_t next; /* the pattern that last followed it */
} Pattern;

typedef struct {
  PetscInt  n;
  PetscInt  recurring; /* the first so many are those that recur in the sample */
  PetscBool overflow;  /* there were more of the others than there is room for */
  Pattern   pattern[ROOM];
  uint16_t  slot[SLOTS]; /* pattern + 1; 0: free */
} Collection;

static inline PetscBool SamePattern(const AutoCSRMatrix *csr, PetscInt a, PetscInt b)
{
  const PetscInt  length = csr->row_ptr[a + 1] - csr->row_ptr[a], shift = a - b;
  const PetscInt *x = csr->col + csr->row_ptr[a], *y = csr->col + csr->row_ptr[b];
  PetscInt        t = 0;

  if (csr->row_ptr[b + 1] - csr->row_ptr[b] != length) return PETSC_FALSE;
  while (t < length) { /* by pieces: they vectorize, and a long row that differs is left early */
    const PetscInt end = PetscMin(length, t + 64);
    PetscInt       bad = 0;

    for (; t < end; t++) bad |= (x[t] - y[t]) ^ shift;
    if (bad) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static uint64_t PatternHash(const AutoCSRMatrix *csr, PetscInt row)
{
  uint64_t h = 0x9E3779B97F4A7C15ull;

  for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
    h = (h ^ (uint64_t)(csr->col[p] - row)) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
  }
  return h;
}

/* The pattern of a row, added if it is new; AUTOCSR_NO_PATTERN if there is no room for it */
static uint16_t CollectionFind(Collection *c, const AutoCSRMatrix *csr, PetscInt row)
{
  const uint64_t hash = PatternHash(csr, row);
  unsigned       s    = (unsigned)(hash >> 32) & (SLOTS - 1);

  for (; c->slot[s]; s = (s + 1) & (SLOTS - 1)) {
    const Pattern *p = &c->pattern[c->slot[s] - 1];

    if (p->hash == hash && SamePattern(csr, row, p->row)) return (uint16_t)(c->slot[s] - 1);
  }
  if (c->n == c->recurring + AUTOCSR_COLLECTED_PATTERNS) {
    c->overflow = PETSC_TRUE;
    return AUTOCSR_NO_PATTERN;
  }
  c->pattern[c->n] = (Pattern){.hash = hash, .row = row, .next = (uint16_t)c->n};
  c->slot[s]       = (uint16_t)++c->n;
  return (uint16_t)(c->n - 1);
}

/* Keeps the patterns of two rows and more, and forgets their counts */
static PetscErrorCode CollectionKeepRecurring(Collection *c)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(c->slot, SLOTS));
  for (PetscInt i = 0; i < c->n; i++) {
    unsigned s = (unsigned)(c->pattern[i].hash >> 32) & (SLOTS - 1);

    if (c->pattern[i].rows < 2) continue;
    while (c->slot[s]) s = (s + 1) & (SLOTS - 1);
    c->pattern[n]      = c->pattern[i];
    c->pattern[n].rows = 0;
    c->pattern[n].next = (uint16_t)n;
    c->slot[s]         = (uint16_t)++n;
  }
  c->n         = n;
  c->recurring = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the collection with the patterns that recur in the sample, and says in which chunks they are worth a look at each row */
static PetscErrorCode Sample(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, Collection *c, PetscBool worthwhile[])
{
  uint16_t *id;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(AUTOCSR_MAX_CHUNKS * AUTOCSR_SAMPLE_ROWS, &id));
  for (PetscInt i = 0; i < profile->chunks; i++) {
    const AutoCSRChunk *chunk = &profile->chunk[i];
    const PetscInt      rows = chunk->row_end - chunk->row_begin, sample = AutoCSRSampleRows(rows);

    for (PetscInt k = 0; k < sample; k++) {
      const uint16_t p = CollectionFind(c, csr, chunk->row_begin + AutoCSRSampleRow(rows, sample, k));

      c->pattern[p].rows++; /* there is room for all rows of the sample */
      id[i * AUTOCSR_SAMPLE_ROWS + k] = p;
    }
  }
  for (PetscInt i = 0; i < profile->chunks; i++) {
    const AutoCSRChunk *chunk = &profile->chunk[i];
    const PetscInt      rows = chunk->row_end - chunk->row_begin, sample = AutoCSRSampleRows(rows);
    PetscInt            filled = 0, recurring = 0;

    for (PetscInt k = 0; k < sample; k++) {
      const PetscInt row = chunk->row_begin + AutoCSRSampleRow(rows, sample, k);

      if (csr->row_ptr[row] == csr->row_ptr[row + 1]) continue;
      filled++;
      recurring += c->pattern[id[i * AUTOCSR_SAMPLE_ROWS + k]].rows > 1;
    }
    worthwhile[i] = AutoCSRSampleShowsPatterns(csr->m, recurring, filled);
  }
  PetscCall(CollectionKeepRecurring(c));
  PetscCall(PetscFree(id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do the n rows from row on all have the pattern of the row before them? A flat compare of the columns with those a row on */
static inline PetscBool RunGoesOn(const AutoCSRMatrix *csr, PetscInt row, PetscInt n)
{
  const PetscInt *row_ptr = csr->row_ptr + row, length = row_ptr[0] - row_ptr[-1];
  const PetscInt *x = csr->col + row_ptr[-1], *y = csr->col + row_ptr[0];
  PetscInt        bad = 0;

  if (row_ptr[n] - row_ptr[0] != (PetscInt64)n * length) return PETSC_FALSE;
  for (PetscInt k = 0; k < n; k++) bad |= row_ptr[k + 1] - row_ptr[k] - length;
  if (bad) return PETSC_FALSE;
  for (PetscInt q = 0; q < n * length; q++) bad |= y[q] - x[q] - 1;
  return (PetscBool)!bad;
}

static void CollectRows(const AutoCSRMatrix *csr, const AutoCSRChunk *chunk, Collection *c, uint16_t id[])
{
  uint16_t last = AUTOCSR_NO_PATTERN;

  for (PetscInt row = chunk->row_begin; row < chunk->row_end;) {
    uint16_t p = last == AUTOCSR_NO_PATTERN ? AUTOCSR_NO_PATTERN : c->pattern[last].next;
    PetscInt n = 1;

    if (p != AUTOCSR_NO_PATTERN && p == last && chunk->row_end - row >= RUN && RunGoesOn(csr, row, RUN))
      n = RUN;
    else if (p == AUTOCSR_NO_PATTERN || !SamePattern(csr, row, c->pattern[p].row)) {
      p = CollectionFind(c, csr, row);
      if (last != AUTOCSR_NO_PATTERN && p != AUTOCSR_NO_PATTERN) c->pattern[last].next = p;
    }
    if (p != AUTOCSR_NO_PATTERN) {
      if (!c->pattern[p].rows) c->pattern[p].row = row;
      c->pattern[p].rows += n;
    }
    for (PetscInt k = 0; k < n; k++) id[row + k] = p;
    last = p;
    row += n;
  }
}

static int MoreRows(const void *a, const void *b)
{
  const Pattern *x = *(const Pattern *const *)a, *y = *(const Pattern *const *)b;

  if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
  return x->row < y->row ? -1 : 1;
}

static int EarlierRow(const void *a, const void *b)
{
  return (*(const Pattern *const *)a)->row < (*(const Pattern *const *)b)->row ? -1 : 1;
}

/* Numbers the patterns that are kept by first appearance: those of the most rows, of equals the first; of an overflown collection only those of the sample */
static PetscErrorCode Number(const Collection *c, AutoCSRProfile *profile, uint16_t number[])
{
  const Pattern **kept;
  PetscInt        n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->n, &kept));
  for (PetscInt i = 0; i < (c->overflow ? c->recurring : c->n); i++) {
    if (c->pattern[i].rows) kept[n++] = &c->pattern[i];
  }
  if (n > AUTOCSR_MAX_PATTERNS) {
    qsort((void *)kept, (size_t)n, sizeof(*kept), MoreRows);
    n = AUTOCSR_MAX_PATTERNS;
  }
  qsort((void *)kept, (size_t)n, sizeof(*kept), EarlierRow);
  for (PetscInt i = 0; i < c->n; i++) number[i] = AUTOCSR_NO_PATTERN;
  PetscCall(PetscMalloc1(n, &profile->pattern_row));
  for (PetscInt i = 0; i < n; i++) {
    number[kept[i] - c->pattern] = (uint16_t)i;
    profile->pattern_row[i]      = kept[i]->row;
  }
  profile->patterns = n;
  PetscCall(PetscFree(kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the numbers in place of the collection's, and counts */
static void Renumber(const uint16_t number[], AutoCSRProfile *profile)
{
  const PetscInt h = profile->slice_height;

  for (PetscInt i = 0; i < profile->chunks; i++) {
    AutoCSRChunk *chunk   = &profile->chunk[i];
    PetscBool     uniform = PETSC_FALSE;

    for (PetscInt row = chunk->row_begin; row < chunk->row_end; row++) {
      const PetscInt in_slice = row % h;
      const uint16_t old = profile->pattern_id[row], id = old == AUTOCSR_NO_PATTERN ? old : number[old];

      profile->pattern_id[row] = id;
      chunk->pattern_rows += id != AUTOCSR_NO_PATTERN;
      uniform = (PetscBool)(id != AUTOCSR_NO_PATTERN && (in_slice == 0 || (uniform && id == profile->pattern_id[row - 1])));
      if (in_slice == h - 1 || row == chunk->row_end - 1) chunk->uniform_slices += uniform;
    }
  }
}

PetscErrorCode AutoCSRProfilePatterns(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  Collection *c;
  uint16_t   *number;
  PetscBool   worthwhile[AUTOCSR_MAX_CHUNKS], any = PETSC_FALSE;

  PetscFunctionBegin;
  profile->patterns = AUTOCSR_MAX_PATTERNS + 1;
  PetscCall(PetscMalloc2(1, &c, ROOM, &number));
  c->n = c->recurring = 0;
  c->overflow         = PETSC_FALSE;
  PetscCall(PetscArrayzero(c->slot, SLOTS));
  PetscCall(Sample(csr, profile, c, worthwhile));
  for (PetscInt i = 0; i < profile->chunks; i++) any = (PetscBool)(any || worthwhile[i]);
  if (any) {
    const PetscErrorCode ierr = (*csr->backend->allocate)((size_t)csr->m * sizeof(*profile->pattern_id), (void **)&profile->pattern_id);

    if (ierr) PetscCall(PetscFree2(c, number)); /* the caller lives with it */
    PetscCall(ierr);
    for (PetscInt i = 0; i < profile->chunks; i++) {
      const AutoCSRChunk *chunk = &profile->chunk[i];

      if (worthwhile[i])
        CollectRows(csr, chunk, c, profile->pattern_id);
      else {
        for (PetscInt row = chunk->row_begin; row < chunk->row_end; row++) profile->pattern_id[row] = AUTOCSR_NO_PATTERN;
      }
    }
    PetscCall(Number(c, profile, number));
    Renumber(number, profile);
  }
  PetscCall(PetscFree2(c, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}
