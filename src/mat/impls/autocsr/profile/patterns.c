/*
  The dictionary of row patterns: lists of column minus row that many rows share (profile.h tells how they are chosen).
  A row is first compared with the pattern that last came after its predecessor's, which on a stencil or a block matrix is
  nearly always right and costs a vector compare (of several rows at once where a pattern follows itself); only else is it
  hashed. Equality is always verified entry by entry.
*/
#include "passes.h"
#include "../backend.h"

#define RUN    16                                                        /* rows compared at once where a pattern follows itself */
#define ROOM   (AUTOCSR_RECURRING_PATTERNS + AUTOCSR_COLLECTED_PATTERNS) /* for patterns, at most */
#define HASHED 64                                                        /* entries of a row, at most */
#define MANY   256                                                       /* rows of a pattern that are counted apart */

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
  Pattern  *pattern;
  uint16_t *slot;  /* pattern + 1; 0: free */
  PetscInt  slots; /* a power of two, more than twice the patterns */
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

/* Of a long row some entries: equality is verified */
static uint64_t PatternHash(const AutoCSRMatrix *csr, PetscInt row)
{
  const PetscInt end = csr->row_ptr[row + 1], step = (end - csr->row_ptr[row]) / HASHED + 1;
  uint64_t       h = 0x9E3779B97F4A7C15ull ^ (uint64_t)(end - csr->row_ptr[row]);

  for (PetscInt p = csr->row_ptr[row]; p < end; p += step) {
    h = (h ^ (uint64_t)(csr->col[p] - row)) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
  }
  return h;
}

/* The pattern of a row, added if it is new; AUTOCSR_NO_PATTERN if there is no room for it */
static uint16_t CollectionFind(Collection *c, const AutoCSRMatrix *csr, PetscInt row)
{
  const uint64_t hash = PatternHash(csr, row);
  unsigned       s    = (unsigned)(hash >> 32) & (unsigned)(c->slots - 1);

  for (; c->slot[s]; s = (s + 1) & (unsigned)(c->slots - 1)) {
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
  PetscCall(PetscArrayzero(c->slot, c->slots));
  for (PetscInt i = 0; i < c->n; i++) {
    unsigned s = (unsigned)(c->pattern[i].hash >> 32) & (unsigned)(c->slots - 1);

    if (c->pattern[i].rows < 2) continue;
    while (c->slot[s]) s = (s + 1) & (unsigned)(c->slots - 1);
    c->pattern[n]      = c->pattern[i];
    c->pattern[n].rows = 0;
    c->pattern[n].next = (uint16_t)n;
    c->slot[s]         = (uint16_t)++n;
  }
  c->n         = n;
  c->recurring = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the collection with the patterns that recur in the sample, and says in which zones they are worth a look at each row */
static PetscErrorCode Sample(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, Collection *c, PetscBool worthwhile[])
{
  uint16_t *id;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(AUTOCSR_MAX_ZONES * AUTOCSR_SAMPLE_ROWS, &id));
  for (PetscInt i = 0; i < profile->zones; i++) {
    const AutoCSRZone *zone = &profile->zone[i];
    const PetscInt     rows = zone->row_end - zone->row_begin, sample = AutoCSRSampleRows(rows);

    for (PetscInt k = 0; k < sample; k++) {
      const PetscInt row = zone->row_begin + AutoCSRSampleRow(rows, sample, k);
      uint16_t       p;

      if (csr->row_ptr[row + 1] - csr->row_ptr[row] > AUTOCSR_PATTERN_LENGTH) continue;
      p = CollectionFind(c, csr, row);
      c->pattern[p].rows++; /* there is room for all rows of the sample */
      id[i * AUTOCSR_SAMPLE_ROWS + k] = p;
    }
  }
  for (PetscInt i = 0; i < profile->zones; i++) {
    const AutoCSRZone *zone = &profile->zone[i];
    const PetscInt     rows = zone->row_end - zone->row_begin, sample = AutoCSRSampleRows(rows);
    PetscInt           filled = 0, recurring = 0;

    for (PetscInt k = 0; k < sample; k++) {
      const PetscInt row = zone->row_begin + AutoCSRSampleRow(rows, sample, k), length = csr->row_ptr[row + 1] - csr->row_ptr[row];

      if (!length) continue;
      filled++;
      if (length > AUTOCSR_PATTERN_LENGTH) continue;
      recurring += c->pattern[id[i * AUTOCSR_SAMPLE_ROWS + k]].rows > 1;
    }
    worthwhile[i] = AutoCSRSampleShowsPatterns(csr->m, csr->nnz, recurring, filled);
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

static void CollectRows(const AutoCSRMatrix *csr, const AutoCSRZone *zone, Collection *c, uint16_t id[])
{
  uint16_t last = AUTOCSR_NO_PATTERN;

  for (PetscInt row = zone->row_begin; row < zone->row_end;) {
    uint16_t p = last == AUTOCSR_NO_PATTERN ? AUTOCSR_NO_PATTERN : c->pattern[last].next;
    PetscInt n = 1;

    if (p != AUTOCSR_NO_PATTERN && p == last && zone->row_end - row >= RUN && RunGoesOn(csr, row, RUN))
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

/* Those that may be kept: of an overflown collection only those of the sample */
static PetscInt Candidates(const Collection *c)
{
  return c->overflow ? c->recurring : c->n;
}

static PetscInt CountFrom(const Collection *c, PetscInt rows)
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < Candidates(c); i++) n += c->pattern[i].rows >= rows;
  return n;
}

/* The least number of rows of which no more patterns have more than can be kept */
static PetscInt FewestRows(const Collection *c)
{
  PetscInt of[MANY + 1] = {0}, rows = MANY, n, above = PETSC_MAX_INT;

  for (PetscInt i = 0; i < Candidates(c); i++) of[PetscMin(c->pattern[i].rows, MANY)]++;
  n = of[MANY];
  if (n <= AUTOCSR_MAX_PATTERNS) {
    while (rows > 1 && n + of[rows - 1] <= AUTOCSR_MAX_PATTERNS) n += of[--rows];
    return rows;
  }
  while (above - rows > 1) { /* as many have `rows`, not as many `above` */
    const PetscInt middle = rows + (above - rows) / 2;

    if (CountFrom(c, middle) > AUTOCSR_MAX_PATTERNS)
      rows = middle;
    else
      above = middle;
  }
  return above;
}

/*
  Puts numbers in place of the collection's, and counts. Those of the most rows are kept, of equals the first, and numbered by first appearance:
  the first row of a pattern that is looked at is the one that it was first counted with
*/
static PetscErrorCode Number(const Collection *c, AutoCSRProfile *profile, uint16_t number[])
{
  const PetscInt h = profile->slice_height, fewest = FewestRows(c), sure = CountFrom(c, fewest);
  PetscInt       n = 0, more = AUTOCSR_MAX_PATTERNS - sure; /* that have one row less */
  PetscInt       shown_by[AUTOCSR_MAX_PATTERNS];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++) number[i] = AUTOCSR_NO_PATTERN;
  for (PetscInt i = 0; i < profile->zones; i++) {
    AutoCSRZone *zone    = &profile->zone[i];
    PetscBool    uniform = PETSC_FALSE;

    for (PetscInt row = zone->row_begin; row < zone->row_end; row++) {
      const PetscInt in_slice = row & (h - 1);
      uint16_t       id       = profile->pattern_id[row];

      if (id != AUTOCSR_NO_PATTERN) {
        const Pattern *p = &c->pattern[id];

        if (number[id] == AUTOCSR_NO_PATTERN && p->row == row && id < Candidates(c) && (p->rows >= fewest || (p->rows == fewest - 1 && more-- > 0))) {
          number[id]    = (uint16_t)n;
          shown_by[n++] = row;
        }
        id = number[id];
      }
      profile->pattern_id[row] = id;
      zone->pattern_rows += id != AUTOCSR_NO_PATTERN;
      uniform = (PetscBool)(id != AUTOCSR_NO_PATTERN && (in_slice == 0 || (uniform && id == profile->pattern_id[row - 1])));
      if (in_slice == h - 1 || row == zone->row_end - 1) zone->uniform_slices += uniform;
    }
  }
  PetscCall(PetscMalloc1(n, &profile->pattern_row));
  PetscCall(PetscArraycpy(profile->pattern_row, shown_by, n));
  profile->patterns = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void SetPlanes(const AutoCSRMatrix *csr, const Collection *c, const uint16_t number[], AutoCSRProfile *profile)
{
  const Pattern *most = NULL;
  PetscInt       length, others = 0, offset[AUTOCSR_PLANES_ENTRIES];

  for (PetscInt i = 0; i < c->n; i++) {
    const Pattern *p = &c->pattern[i];

    if (number[i] != AUTOCSR_NO_PATTERN && (!most || p->rows > most->rows || (p->rows == most->rows && p->row < most->row))) most = p;
  }
  if (!most) return;
  length = csr->row_ptr[most->row + 1] - csr->row_ptr[most->row];
  for (PetscInt i = 0; i < c->n; i++) { /* a part of it has fewer entries */
    const Pattern *p = &c->pattern[i];

    if (number[i] != AUTOCSR_NO_PATTERN && p != most && csr->row_ptr[p->row + 1] - csr->row_ptr[p->row] >= length) others += p->rows;
  }
  for (PetscInt t = 0; t < PetscMin(length, AUTOCSR_PLANES_ENTRIES); t++) offset[t] = csr->col[csr->row_ptr[most->row] + t] - most->row;
  AutoCSRProfileSetPlanes(profile, number[most - c->pattern], others, length, offset);
}

PetscErrorCode AutoCSRProfilePatterns(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  Collection     collection = {.slots = 64}, *c = &collection;
  uint16_t      *number;
  PetscBool      worthwhile[AUTOCSR_MAX_ZONES], any = PETSC_FALSE;
  PetscErrorCode ierr; /* to be out of memory is one that the caller lives with */

  PetscFunctionBegin;
  profile->patterns = AUTOCSR_MAX_PATTERNS + 1;
  while (c->slots < 2 * PetscMin(ROOM, csr->m)) c->slots *= 2;
  PetscCall(PetscMalloc3(PetscMin(ROOM, csr->m), &c->pattern, c->slots, &c->slot, PetscMin(ROOM, csr->m), &number));
  PetscCall(PetscArrayzero(c->slot, c->slots));
  ierr = Sample(csr, profile, c, worthwhile);
  for (PetscInt i = 0; i < profile->zones && !ierr; i++) any = (PetscBool)(any || worthwhile[i]);
  if (any) ierr = (*csr->backend->allocate)((size_t)csr->m * sizeof(*profile->pattern_id), (void **)&profile->pattern_id);
  if (any && !ierr) {
    for (PetscInt i = 0; i < profile->zones; i++) {
      const AutoCSRZone *zone = &profile->zone[i];

      if (worthwhile[i])
        CollectRows(csr, zone, c, profile->pattern_id);
      else {
        for (PetscInt row = zone->row_begin; row < zone->row_end; row++) profile->pattern_id[row] = AUTOCSR_NO_PATTERN;
      }
    }
    ierr = Number(c, profile, number);
    if (!ierr) SetPlanes(csr, c, number, profile);
  }
  PetscCall(PetscFree3(c->pattern, c->slot, number));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
