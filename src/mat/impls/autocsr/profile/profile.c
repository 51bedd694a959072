/*
  The profile of a block: rows, their lengths and zones here (hou2017, Table I), the other parts by their own files.
*/
#include "passes.h"
#include "../backend.h"
#include <petsctime.h>

/* At most AUTOCSR_MAX_ZONES zones of whole slices and windows */
static void ZonesSet(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt unit  = PetscMax(AUTOCSR_WINDOW, profile->slice_height);
  const PetscInt units = csr->m / unit + (csr->m % unit != 0);
  const PetscInt rows  = unit * PetscMax(1, units / AUTOCSR_MAX_ZONES + (units % AUTOCSR_MAX_ZONES != 0));

  for (PetscInt row = 0; row < csr->m;) {
    AutoCSRZone *zone = &profile->zone[profile->zones++];

    zone->row_begin = row;
    row             = csr->m - row > rows ? row + rows : csr->m;
    zone->row_end   = row;
  }
}

static inline int HistogramBin(PetscInt length)
{
  const int bin = length ? 64 - __builtin_clzll((unsigned long long)length) : 0;

  return PetscMin(bin, AUTOCSR_HISTOGRAM_BINS - 1);
}

void AutoCSRProfileTotal(AutoCSRProfile *profile, double squares)
{
  const double off = profile->mean_length - AutoCSRProfileShift(profile->m, profile->nnz);

  profile->min_length = profile->m ? PETSC_MAX_INT : 0;
  for (PetscInt c = 0; c < profile->zones; c++) {
    profile->min_length = PetscMin(profile->min_length, profile->zone[c].min_length);
    profile->max_length = PetscMax(profile->max_length, profile->zone[c].max_length);
    profile->empty_rows += profile->zone[c].empty_rows;
  }
  if (profile->unsorted) profile->bandwidth = PetscMax(profile->m, profile->n) - 1; /* first and last entries do not tell */
  profile->variance = profile->m ? PetscMax(0, squares / profile->m - off * off) : 0;
}

/* So many rows of one length */
static void LengthAdd(AutoCSRProfile *profile, PetscInt length, PetscInt rows, PetscInt shift, uint64_t *squares)
{
  const int64_t d   = (int64_t)length - shift;
  const int     bin = HistogramBin(length);

  profile->histogram[bin] += rows;
  profile->histogram_nnz[bin] += rows * length;
  *squares += (uint64_t)(d * d) * (uint64_t)rows;
}

/* Entries that are not past the one before them; how far those go that are, each at most so far */
typedef struct {
  PetscInt   descents;
  PetscInt64 steps;
} Ascent;

static inline void AscentAdd(PetscInt before, PetscInt col, PetscInt most, int times, Ascent *a)
{
  a->descents += times * (col <= before);
  a->steps += times * PetscMin(PetscMax(col - before, 0), most);
}

/* Of rows [row_begin, row_end), those that begin a row not counted: all are, less those */
static Ascent MeasureAscent(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end, PetscInt most)
{
  Ascent a = {0, 0};

  for (PetscInt q = csr->row_ptr[row_begin]; q < csr->row_ptr[row_end] - 1; q++) AscentAdd(csr->col[q], csr->col[q + 1], most, 1, &a);
  for (PetscInt row = row_begin; row < row_end; row++) {
    const PetscInt begin = csr->row_ptr[row];

    if (csr->row_ptr[row + 1] > begin && begin > csr->row_ptr[row_begin]) AscentAdd(csr->col[begin - 1], csr->col[begin], most, -1, &a);
  }
  return a;
}

/* The same where no step is cut short, as where all columns are one tile: those of a row that ascends add up to what is between its ends */
static Ascent MeasureWholeAscent(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end)
{
  const PetscInt *col = csr->col, first = csr->row_ptr[row_begin];
  PetscInt        descents = 0;
  PetscInt64      steps    = 0;

  for (PetscInt q = first; q < csr->row_ptr[row_end] - 1; q++) descents += col[q + 1] <= col[q];
  for (PetscInt row = row_begin; row < row_end; row++) {
    const PetscInt begin = csr->row_ptr[row], end = csr->row_ptr[row + 1];

    if (begin == end) continue;
    if (begin > first) descents -= col[begin] <= col[begin - 1];
    steps += col[end - 1] - col[begin];
  }
  return descents ? MeasureAscent(csr, row_begin, row_end, csr->n) : (Ascent){0, steps};
}

#define COUNTED 64 /* lengths whose rows are counted; two counts take turns, so that none waits for the row before it */

static void RowsMeasure(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt shift             = AutoCSRProfileShift(csr->m, csr->nnz);
  PetscInt       count[2][COUNTED] = {{0}};
  uint64_t       squares           = 0;

  for (PetscInt c = 0; c < profile->zones; c++) {
    AutoCSRZone *zone   = &profile->zone[c];
    const Ascent ascent = profile->tile_width >= csr->n ? MeasureWholeAscent(csr, zone->row_begin, zone->row_end) : MeasureAscent(csr, zone->row_begin, zone->row_end, profile->tile_width);
    PetscInt     least = PETSC_MAX_INT, most = 0, empty = 0;

    zone->nnz         = csr->row_ptr[zone->row_end] - csr->row_ptr[zone->row_begin];
    profile->unsorted = (PetscBool)(profile->unsorted || ascent.descents);
    profile->tile_steps += ascent.steps;
    for (PetscInt row = zone->row_begin; row < zone->row_end; row++) {
      const PetscInt length = csr->row_ptr[row + 1] - csr->row_ptr[row];

      least = PetscMin(least, length);
      most  = PetscMax(most, length);
      empty += !length;
    }
    zone->min_length = least;
    zone->max_length = most;
    zone->empty_rows = empty;
    for (PetscInt row = zone->row_begin; row < zone->row_end; row++) {
      const PetscInt length = csr->row_ptr[row + 1] - csr->row_ptr[row];

      if (PetscLikely(length < COUNTED))
        count[row & 1][length]++;
      else
        LengthAdd(profile, length, 1, shift, &squares);
    }
  }
  for (PetscInt length = 0; length < COUNTED; length++) LengthAdd(profile, length, count[0][length] + count[1][length], shift, &squares);
  AutoCSRProfileTotal(profile, (double)squares);
}

PetscErrorCode AutoCSRProfileFill_Host(const AutoCSRMatrix *csr, AutoCSRProfile *p)
{
  PetscFunctionBegin;
  RowsMeasure(csr, p);
  PetscCall(AutoCSRProfileSpread(csr, p));
  PetscCall(AutoCSRProfileReach(csr, p));
  if (p->rows_only || p->unsorted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRProfileBlocks(csr, p));
  AutoCSRProfileNodes(csr, p);
  PetscCall(AutoCSRProfilePatterns(csr, p));
  PetscCall(AutoCSRProfileValues(csr, p));
  PetscCall(AutoCSRProfileSymmetry(csr, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRProfileLook(const AutoCSRMatrix *csr, PetscInt slice_height, PetscInt tile_width, PetscBool rows_only, AutoCSRProfile **profile)
{
  AutoCSRProfile *p;
  PetscLogDouble  begin, end;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCheck(slice_height > 0 && !(slice_height & (slice_height - 1)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Slice height %" PetscInt_FMT " is not a power of two", slice_height);
  PetscCall(PetscTime(&begin));
  PetscCall(PetscNew(&p));
  p->m            = csr->m;
  p->n            = csr->n;
  p->nnz          = csr->nnz;
  p->slice_height = slice_height;
  p->tile_width   = tile_width;
  p->window       = PetscMax(slice_height, slice_height > 8 ? AUTOCSR_WINDOW : AUTOCSR_WINDOW_LOW);
  p->backend      = csr->backend;
  p->rows_only    = rows_only;
  p->block_size   = 1; /* and so on: as if nothing were found */
  p->patterns     = AUTOCSR_MAX_PATTERNS + 1;
  p->values       = AUTOCSR_MAX_DISTINCT + 1;
  p->window_span  = csr->n;
  p->mean_length  = csr->m ? (double)csr->nnz / csr->m : 0;
  ZonesSet(csr, p);
  ierr = (*csr->backend->profile)(csr, p);
  if (ierr) PetscCall(AutoCSRProfileDestroy(&p)); /* out of memory is an error that the caller lives with */
  PetscCall(ierr);
  PetscCall(PetscTime(&end));
  p->seconds = end - begin;
  *profile   = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRProfileCreate(const AutoCSRMatrix *csr, PetscInt slice_height, AutoCSRProfile **profile)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRProfileLook(csr, slice_height, AutoCSRBackendTileWidth(csr->backend, csr), PETSC_FALSE, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRProfileDestroy(AutoCSRProfile **profile)
{
  PetscFunctionBegin;
  if (!*profile) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*profile)->pattern_row));
  if ((*profile)->pattern_id) PetscCall((*(*profile)->backend->deallocate)((*profile)->pattern_id));
  PetscCall(PetscFree((*profile)->value));
  PetscCall(PetscFree(*profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}
