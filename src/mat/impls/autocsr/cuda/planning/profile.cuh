/*
  The profile on the device: each pass is a kernel or a few, which count into one structure; the last moves it to the host. Counts are integers, so they do not depend on the order of the atomics.
*/
#ifndef AUTOCSR_PROFILE_CUH
#define AUTOCSR_PROFILE_CUH

#include "planner.cuh"
#include "../../profile/passes.h"

enum {
  COUNT_NNZ, /* sums of a zone */
  COUNT_EMPTY_ROWS,
  COUNT_SQUARES,
  COUNT_PADDED,
  COUNT_PADDED_SORTED,
  COUNT_SLICES_16,
  COUNT_SLICES_16_SORTED,
  COUNT_LINES,
  COUNT_LINE_ENTRIES,
  COUNT_FIT_BYTES,
  COUNT_FIT_ENTRIES,
  COUNT_PATTERN_ROWS,
  COUNT_UNIFORM_SLICES,
  COUNT_SPANS,    /* columns from a row's first to its last */
  COUNT_LONGEST,  /* maxima from here on */
  COUNT_SHORTEST, /* PETSC_MAX_INT - length: all begins at zero */
  COUNT_BANDWIDTH,
  COUNT_WIDEST, /* last column - first column */
  COUNTS
};

/* The distinct values of a matrix; all zero before they are looked for */
typedef struct {
  int               n;       /* AUTOCSR_MAX_DISTINCT + 1: more */
  int               many;    /* a block has seen too many */
  int               inexact; /* one is no float32 */
  unsigned          found, joined, arrived; /* in lists, and blocks, while they are looked for */
  alignas(sizeof(PetscScalar)) AutoCSRScalarBits value[AUTOCSR_MAX_DISTINCT];
} DeviceValues;

/* All zero at first; multiples of 16 bytes, which are moved at once */
typedef struct {
  alignas(16) DeviceCount zone[AUTOCSR_MAX_ZONES][COUNTS];
  DeviceCount histogram[AUTOCSR_HISTOGRAM_BINS], histogram_nnz[AUTOCSR_HISTOGRAM_BINS];
  DeviceCount descents[AUTOCSR_MAX_ZONES]; /* entries that are not past the one before them, less those that begin a row: their sum is 0 where all rows are sorted */
  DeviceCount steps[AUTOCSR_MAX_ZONES];    /* how far entries are past the one before them, at most tile_width each: their sum, likewise */
  unsigned    arrived; /* blocks, where one kernel looks at all */
  /* What rows do not tell */
  alignas(16) unsigned not_blocks;             /* bit b: the pattern is not made of b by b blocks */
  int          worthwhile[AUTOCSR_MAX_ZONES]; /* whether the patterns of each row are looked at */
  int          patterns;
  PetscInt     pattern_row[AUTOCSR_MAX_PATTERNS];
  PetscInt     common_row, common_length, common_offset[AUTOCSR_PLANES_ENTRIES]; /* of the pattern of the most rows */
  PetscInt     others;                         /* rows of patterns that are no part of it, having as many entries */
  DeviceValues values;
  unsigned     reached[2];   /* lines of x on which the samples of even number fall, and all */
  int          other_values; /* rows of one pattern have other values; 0 also where it was not looked at */
} DeviceProfile;

static_assert(sizeof(DeviceCount[COUNTS]) % 16 == 0 && sizeof(DeviceCount[AUTOCSR_HISTOGRAM_BINS]) % 16 == 0 && sizeof(DeviceCount[AUTOCSR_MAX_ZONES]) % 16 == 0 && sizeof(DeviceProfile) % 16 == 0, "Parts of a profile are moved in words of 16 bytes");

/* All zones but the last have this many rows */
static inline PetscInt RowsPerZone(const AutoCSRProfile *profile)
{
  return profile->zone[0].row_end;
}

/*
  On PETSc's stream, or on the one that is said. profile_rows.cu. The first: with host, memory of it that the device writes to, it also reports. Fits: of models. The report: what is told by the profile's parts,
  moved to the host's memory, so that what the device has is zero again, as `bytes` of `used` are, too; all else there is not set
*/
PetscErrorCode DeviceProfileRows(const AutoCSRMatrix *, const AutoCSRProfile *, DeviceProfile *, DeviceProfile *host);
PetscErrorCode DeviceProfileFits(const AutoCSRMatrix *, const AutoCSRProfile *, cudaStream_t, DeviceProfile *);
PetscErrorCode DeviceProfileReport(const AutoCSRProfile *, DeviceProfile *, void *used, size_t bytes, DeviceProfile *host);
PetscErrorCode DeviceProfileReach(const AutoCSRMatrix *, cudaStream_t, DeviceProfile *);                             /* profile_reach.cu */
PetscErrorCode DeviceProfileBlocks(const AutoCSRMatrix *, unsigned sizes, cudaStream_t, DeviceProfile *);            /* profile_blocks.cu; sizes: bit b is to be looked at */
/* profile_patterns.cu: zeros for a table of so many bytes, a multiple of 16 */
size_t         DeviceProfilePatternTableBytes(void);
PetscErrorCode DeviceProfilePatterns(const AutoCSRMatrix *, const AutoCSRProfile *, void *zeros, DeviceCount row_hash[], uint16_t id[], DeviceProfile *);
/* pattern_values.cu: sets *other where a row of a segment has other values than the row that shows its pattern; unless *values is more than AUTOCSR_MAX_DISTINCT, NULL: in any case. AUTOCSR_NO_PATTERN is passed over */
PetscErrorCode DevicePatternValuesCompare(const AutoCSRSegment *, const AutoCSRMatrix *, const uint16_t id[], const PetscInt pattern_row[], const int *values, int *other);
/* profile_values.cu: room is of so many bytes, whatever is in them */
size_t         DeviceProfileValuesBytes(void);
PetscErrorCode DeviceProfileValues(const AutoCSRMatrix *, cudaStream_t, void *room, DeviceValues *);

#endif
