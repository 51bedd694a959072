/* The parts of an encoder on the device: see plan.h, AutoCSRSegmentEncode(), for what they make */
#ifndef AUTOCSR_DEVICE_ENCODE_CUH
#define AUTOCSR_DEVICE_ENCODE_CUH

#include "planner.cuh"

/* What a segment's rows add up to; all zero at first; a multiple of 16 bytes */
typedef struct {
  alignas(16) DeviceCount nnz, slots;
  DeviceCount too_wide; /* 1 + a slice whose columns 16 bits do not hold */
  DeviceCount unnamed;  /* 1 + a row without a pattern */
  DeviceCount patterns; /* that the rows have, and the entries of one row of each */
  DeviceCount offsets;
  unsigned    arrived; /* blocks */
} EncodeStatus;

/* The patterns of a segment before they have streams; by the profile's number */
typedef struct {
  PetscInt last[AUTOCSR_MAX_PATTERNS];   /* PETSC_MAX_INT - the first of the segment's rows that has it; 0: none has */
  PetscInt number[AUTOCSR_MAX_PATTERNS]; /* in the segment */
  PetscInt row[AUTOCSR_MAX_PATTERNS];    /* by the number in the segment: shows the pattern */
  PetscInt ptr[AUTOCSR_MAX_PATTERNS + 1];
} SegmentPatterns;

/* encode_patterns.cu: first what the segment has, with the status to the host, then, with room for it, its streams; the last (pattern_values.cu): once offsets are there, what values tell, unless *unless is set when it comes to that (NULL: in any case) */
PetscErrorCode DeviceFindPatterns(const AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *, SegmentPatterns *, EncodeStatus *, EncodeStatus *host);
PetscErrorCode DeviceEncodePatterns(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *, const SegmentPatterns *);
PetscErrorCode DeviceEncodePatternValues(AutoCSRSegment *, const AutoCSRMatrix *, const int *unless);

/* encode_blocks.cu: BASE, INDEX and BLOCK_PTR where blocks have one code each, once nnz is known; VALUE of order blocked */
PetscErrorCode DeviceEncodeBlocks(AutoCSRSegment *, const AutoCSRMatrix *);
PetscErrorCode DeviceEncodeBlockValue(AutoCSRSegment *, const AutoCSRMatrix *);

/* encode_shares.cu: BASE of shares of entries, once nnz is known; fails if 16 bits do not hold the columns of one */
PetscErrorCode DeviceEncodeShareBases(AutoCSRSegment *, const AutoCSRMatrix *);

/* encode_work.cu: WORK */
PetscErrorCode DeviceEncodeWork(AutoCSRSegment *, const AutoCSRMatrix *);

/* encode_fits.cu: models of slices that have so many slots, and room for what they leave */
PetscErrorCode DeviceEncodeFits(AutoCSRSegment *, const AutoCSRMatrix *, PetscInt slots);

/* encode_entries.cu: INDEX and VALUE, which have room for `slots`; the dictionary is of the device */
PetscErrorCode DeviceEncodeIndex(AutoCSRSegment *, const AutoCSRMatrix *, PetscInt slots);
PetscErrorCode DeviceEncodeValue(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *, PetscInt slots);

/* encode_sorted.cu: of the segment's rows, the entries before each, and of all after the last; the same as nnz */
PetscErrorCode DeviceCountEntries(AutoCSRSegment *, const AutoCSRMatrix *, PetscInt ptr[]);

/* encode_tiled.cu, encode_propagate.cu, encode_popular.cu, encode_adaptive.cu: all streams of these orders; the dictionary is of the device */
PetscErrorCode DeviceEncodeTiled(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);
PetscErrorCode DeviceEncodePropagate(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);
PetscErrorCode DeviceEncodePopular(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);
PetscErrorCode DeviceEncodeAdaptive(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

/* encode_bundled.cu: all streams of order bundled */
PetscErrorCode DeviceEncodeBundled(AutoCSRSegment *, const AutoCSRMatrix *);

/* encode_tiled_places.cu, encode_propagate_places.cu, encode_popular.cu: VALUE_PLACE, which has room, once all other streams are there; encode_tile_values.cu: VALUE alone, of each of these orders, and VALUE_PLACE unless it is there */
PetscErrorCode DeviceTiledValuePlaces(AutoCSRSegment *, const AutoCSRMatrix *);
PetscErrorCode DevicePropagateValuePlaces(AutoCSRSegment *, const AutoCSRMatrix *);
PetscErrorCode DevicePopularValuePlaces(AutoCSRSegment *, const AutoCSRMatrix *);
PetscErrorCode DeviceEncodeTileValues(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

/* encode_tiled.cu: PIECE_PTR, once END is there */
PetscErrorCode DeviceEncodeGroups(AutoCSRSegment *);

#endif
