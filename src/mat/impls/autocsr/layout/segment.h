/*
  A segment: rows, one choice on each axis of the operator graph (du2022-alphasparse, Table II, extended; doc/design.md, The
  plan), and the streams of its layout. Layouts, plans and kernels include this.
*/
#ifndef AUTOCSR_SEGMENT_H
#define AUTOCSR_SEGMENT_H

#include "axes.h"
#include "../profile/profile.h"
#include "../profile/fit.h"

/*
  Streams. The head of each layout's file tells where entry t of the segment's k-th row lies in INDEX and VALUE.

  Padding past the end of a row, or of a tile, holds the index code 0 (MAP_VENDOR: -1) and the value code 0. No kernel may
  let it reach y. A stream's data are aligned to 64 bytes, and kernels may read 64 bytes past its end.
*/
typedef enum {
  AUTOCSR_STREAM_ROWS,           /* PetscInt: names of rows or virtual rows; absent if the rows are row_begin, row_begin + 1, ... */
  AUTOCSR_STREAM_LENGTH,         /* uint16_t: entries of each row, beside the names: AutoCSRAxesKeepLengths() */
  AUTOCSR_STREAM_SLICE_PTR,      /* PetscInt: n_slices + 1 */
  AUTOCSR_STREAM_BASE,           /* PetscInt: the smallest column of each slice, or of each share of AutoCSRAxesBaseEntries() entries */
  AUTOCSR_STREAM_INDEX,          /* uint32_t or uint16_t; index FITTED: uint8_t, the residuals */
  AUTOCSR_STREAM_FIT,            /* AutoCSRFit: entry t of slice s has its model at SLICE_PTR[s] / slice_height + t */
  AUTOCSR_STREAM_SLICE_FIT,      /* AutoCSRSliceFit: n_slices */
  AUTOCSR_STREAM_PATTERN_ID,     /* uint16_t: one for each row of the segment */
  AUTOCSR_STREAM_PATTERN_PTR,    /* PetscInt: patterns + 1 */
  AUTOCSR_STREAM_PATTERN_OFFSET, /* PetscInt: column minus row, ascending */
  AUTOCSR_STREAM_PATTERN_ROOT,   /* AutoCSRPatternRoot: one for each pattern */
  AUTOCSR_STREAM_PATTERN_ROW,    /* PetscInt: a row that has the pattern, for each pattern (value coding pattern) */
  AUTOCSR_STREAM_PATTERN_VALUE,  /* PetscScalar: beside PATTERN_OFFSET (value coding pattern) */
  AUTOCSR_STREAM_VALUE,          /* PetscScalar, uint8_t or float */
  AUTOCSR_STREAM_DICTIONARY,     /* PetscScalar: 256, in ascending order of their bits, unused ones zero. Value CONSTANT: the one */
  AUTOCSR_STREAM_WORK,           /* PetscInt: pairs, the row and the entry of the CSR where a thread block's work begins; the last pair is the end */
  AUTOCSR_STREAM_ITEM,           /* AutoCSRTiledItem: tiles cut into items of about equally many groups (order PROPAGATED: of units) */
  AUTOCSR_STREAM_END,            /* a bit for each slot, 8 in a uint8_t: 1 where a piece ends */
  AUTOCSR_STREAM_PIECE_PTR,      /* PetscInt: groups + 1; the first piece that ends in a group */
  AUTOCSR_STREAM_PIECE_ROW,      /* uint16_t: a piece's row in its row block, + AUTOCSR_TILED_ROWS * its rank among that row's pieces in a batch */
  AUTOCSR_STREAM_RUN_PTR,        /* PetscInt: tiles * row blocks + 1; the first piece of a tile in a row block or after it */
  AUTOCSR_STREAM_BLOCK_PTR,      /* uint32_t: block rows + 1; the first dense block of each (order BLOCKED) */
  AUTOCSR_STREAM_PATTERN_PLACE,  /* PetscInt: beside PATTERN_OFFSET, the position q - k of the entry, which may be negative (order DIAGONAL) */
  AUTOCSR_STREAM_BLOCK_ROW,      /* PetscInt: row blocks + 1; the segment's first row in each (orders PROPAGATED, POPULAR, as the next five) */
  AUTOCSR_STREAM_CHUNK_PTR,      /* PetscInt: row blocks + 1; the first chunk of each */
  AUTOCSR_STREAM_PART_PTR,       /* PetscInt: chunks + 1; the first part of each */
  AUTOCSR_STREAM_PART,           /* AutoCSRPropagatePart: where a chunk's products lie (order POPULAR: sums of pieces), in the order of places */
  AUTOCSR_STREAM_CODE_PTR,       /* PetscInt: chunks + 1; where the codes of each begin, in AUTOCSR_PROPAGATE_ALIGN */
  AUTOCSR_STREAM_CODE,           /* uint16_t: the rows of chunks and their places (propagate.h) */
  AUTOCSR_STREAM_COLUMN,         /* PetscInt: columns that have entries, by class, the most entries first, in a class ascending (order POPULAR) */
  AUTOCSR_STREAM_NODE,           /* AutoCSRNode: nodes + 1 (mapping NODES) */
  AUTOCSR_STREAM_PANEL_PTR,      /* PetscInt: row panels + 1; the first heavy tile of each (order ADAPTIVE, as the next two) */
  AUTOCSR_STREAM_TILE_ROW_PTR,   /* PetscInt: tiles * tile_height + 1; the first place of each row of a tile */
  AUTOCSR_STREAM_MAP,            /* PetscInt: heavy tiles * tile_width; the column in each slot, -1 if there is none */
  AUTOCSR_STREAM_MASK,           /* uint8_t, beside INDEX: the rows of a bundle that have the column (order BUNDLED, as the next) */
  AUTOCSR_STREAM_BUNDLE_PART,    /* AutoCSRBundlePart: where parts of bundles begin (bundled.h) */
  AUTOCSR_STREAM_STRETCH,        /* AutoCSRStretch: rows of one length, if there are no more of these stretches than the axes allow; no product reads it (stretches.h) */
  AUTOCSR_STREAM_VALUE_PLACE,    /* PetscInt: the CSR's place of each slot's value, negative for padding; a device makes it once values are new, order ADAPTIVE has it at once */
  AUTOCSR_STREAM_COUNT
} AutoCSRStreamKind;

/* Entries by their distance from the diagonal: the segments of near and of far ones each have all rows, and the far ones add to y (plan/division.c) */
typedef enum {
  AUTOCSR_NEARNESS_ANY,
  AUTOCSR_NEARNESS_NEAR,
  AUTOCSR_NEARNESS_FAR
} AutoCSRNearness;

AUTOCSR_HD PetscBool AutoCSRHasNearness(PetscInt row, PetscInt col, PetscInt reach, AutoCSRNearness nearness)
{
  return (PetscBool)(nearness == AUTOCSR_NEARNESS_ANY || ((row > col ? row - col : col - row) <= reach) == (nearness == AUTOCSR_NEARNESS_NEAR));
}

/*
  Which rows a segment has: of the rows begin to end - 1 those with shortest to longest entries or, if `row_group` is not 0, the
  virtual rows of `row_group` rows that are in the wanted ones of `bins` bins (backend.h: name_bins). How graphs name rows
  (graph/graph.h); ROWS has their names
*/
typedef struct {
  PetscInt        begin, end, shortest, longest, row_group, bins;
  uint64_t        wanted[2]; /* a bit for each bin */
  AutoCSRNearness nearness;  /* which entries of the rows */
  PetscInt        reach;     /* columns from the diagonal up to which an entry is near */
} AutoCSRRowSet;

static inline PetscBool AutoCSRRowSetHasBin(const AutoCSRRowSet *rows, PetscInt b)
{
  return (PetscBool)(rows->wanted[b / 64] >> b % 64 & 1);
}

static inline void AutoCSRRowSetAddBin(AutoCSRRowSet *rows, PetscInt b)
{
  rows->wanted[b / 64] |= (uint64_t)1 << b % 64;
}

typedef struct {
  void  *data;
  size_t bytes;
} AutoCSRStream;

typedef struct _AutoCSRSegment  AutoCSRSegment;
typedef struct _AutoCSRExecutor AutoCSRExecutor; /* plan/plan.h */

struct _AutoCSRSegment {
  const char            *strategy; /* static string: the strategy that made it */
  AutoCSRAxes            axes;
  AutoCSRRowSet          row_set;   /* what a graph says of its rows */
  PetscInt               row_begin; /* the first row; 0 with ROWS */
  PetscInt               n_rows;    /* rows of the segment; the rows of virtual rows count */
  PetscInt               nnz;
  PetscInt               n_slices;
  PetscInt               n_patterns;
  AutoCSRStream          stream[AUTOCSR_STREAM_COUNT];
  double                 bytes;     /* moved by one product: streams, CSR arrays used in place, x once, y */
  double                 predicted; /* seconds; 0: not predicted */
  double                 measured;  /* seconds; 0: not measured */
  const AutoCSRExecutor *executor;  /* choose/ finds it */
  const AutoCSRExecutor *other;     /* another executor that makes the same sums, which products may find to be faster; NULL: none */
  const AutoCSRBackend  *backend;   /* the plan's */
  void                  *launch;    /* of the backend, once the plan is bound */
  /* On a processor, once the plan is bound: products read from memory, so kernels prefetch. Products clear it if they find that slower */
  PetscBool far;
  /* On a processor, once the plan is bound: products still find out which of two ways is faster (host/ways.c) */
  PetscBool contested;
};

/* layout/segment.c: streams, and bytes of a product */
PETSC_INTERN PetscErrorCode AutoCSRStreamAllocate(AutoCSRSegment *, AutoCSRStreamKind, PetscInt64 count);
PETSC_INTERN PetscErrorCode AutoCSRStreamFree(AutoCSRSegment *, AutoCSRStreamKind);
PETSC_INTERN size_t         AutoCSRStreamElementSize(const AutoCSRAxes *, AutoCSRStreamKind);
PETSC_INTERN double         AutoCSRSegmentBytesMoved(const AutoCSRSegment *, const AutoCSRMatrix *);
/* The same for the CSR's arrays and the vectors alone: the caller adds streams, pieces and products */
PETSC_INTERN double AutoCSRBytesBesideStreams(const AutoCSRAxes *, double rows, double nnz, PetscInt m, PetscInt n);
/* Fails if a PetscInt does not count so many slots */
PETSC_INTERN PetscErrorCode AutoCSRSegmentCheckSlots(const AutoCSRSegment *, PetscInt64);

/* layout/names.c: axes and streams in words, for the view and for error messages */
PETSC_INTERN const char *const AutoCSRPartitionNames[], *const AutoCSROrderNames[], *const AutoCSRIndexNames[], *const AutoCSRValueNames[], *const AutoCSRMappingNames[], *const AutoCSRReductionNames[], *const AutoCSRStreamNames[];

AUTOCSR_HD PetscBool AutoCSRMappingHasWork(AutoCSRMapping mapping)
{
  return (PetscBool)(mapping == AUTOCSR_MAP_MERGE || mapping == AUTOCSR_MAP_ROW_BLOCKS);
}

/* Numbers of lanes, of rows of a slice and of threads are powers of two */
static inline PetscBool AutoCSRIsPowerOfTwo(PetscInt i)
{
  return (PetscBool)(i > 0 && (i & (i - 1)) == 0);
}

/* The segment has a stream VALUE */
AUTOCSR_HD PetscBool AutoCSRValueIsStored(AutoCSRValue value)
{
  return (PetscBool)(value == AUTOCSR_VALUE_COPY || value == AUTOCSR_VALUE_DICTIONARY || value == AUTOCSR_VALUE_FLOAT32);
}

/* Values in DICTIONARY; 0: the segment has none */
AUTOCSR_HD PetscInt AutoCSRValueDictionary(AutoCSRValue value)
{
  return value == AUTOCSR_VALUE_DICTIONARY ? AUTOCSR_MAX_DISTINCT : value == AUTOCSR_VALUE_CONSTANT;
}

/* Entries lie by column tile */
AUTOCSR_HD PetscBool AutoCSROrderHasTiles(AutoCSROrder order)
{
  return (PetscBool)(order == AUTOCSR_ORDER_TILED || order == AUTOCSR_ORDER_PROPAGATED || order == AUTOCSR_ORDER_POPULAR || order == AUTOCSR_ORDER_ADAPTIVE);
}

/* Mappings that share out entries of the CSR's order, whatever their rows */
AUTOCSR_HD PetscBool AutoCSRMappingSharesEntries(AutoCSRMapping mapping)
{
  return (PetscBool)(mapping == AUTOCSR_MAP_TILE || AutoCSRMappingHasWork(mapping));
}

/* Entries of a share, which have a BASE of their own, as many as a thread block takes; 0: the rows of a slice share one. A thread block reads from two shares at most */
AUTOCSR_HD PetscInt AutoCSRAxesBaseEntries(const AutoCSRAxes *axes)
{
  return axes->index == AUTOCSR_INDEX_16 && axes->order == AUTOCSR_ORDER_CSR && AutoCSRMappingSharesEntries(axes->mapping) ? axes->tile_width * axes->tile_height : 0;
}

AUTOCSR_HD PetscInt AutoCSRBaseShares(PetscInt nnz, PetscInt share)
{
  return nnz / share + (nnz % share > 0);
}

/* 16-bit codes count from the BASE of a slice or of a share of entries */
AUTOCSR_HD PetscBool AutoCSRAxesHaveBase(const AutoCSRAxes *axes)
{
  return (PetscBool)(axes->index == AUTOCSR_INDEX_16 && (axes->order == AUTOCSR_ORDER_SLICED || axes->order == AUTOCSR_ORDER_CSR) && axes->mapping != AUTOCSR_MAP_NODES);
}

/* Thread blocks whose work is in WORK */
AUTOCSR_HD PetscInt AutoCSRSegmentWorkBlocks(const AutoCSRSegment *seg)
{
  const size_t pairs = seg->stream[AUTOCSR_STREAM_WORK].bytes / (2 * sizeof(PetscInt));

  return pairs ? (PetscInt)pairs - 1 : 0;
}

/* The row that is the segment's k-th */
AUTOCSR_HD PetscInt AutoCSRSegmentRow(const AutoCSRSegment *seg, PetscInt k)
{
  const PetscInt *rows = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  const PetscInt  U    = seg->axes.row_group;

  if (!rows) return seg->row_begin + k;
  return U == 1 ? rows[k] : rows[k / U] * U + k % U;
}

/* Entries of the k-th row; places of the last slice past the segment's end have none */
AUTOCSR_HD PetscInt AutoCSRSegmentRowLength(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  PetscInt row;

  if (k >= seg->n_rows) return 0;
  row = AutoCSRSegmentRow(seg, k);
  return csr->row_ptr[row + 1] - csr->row_ptr[row];
}

/*
  A processor keeps the lengths of rows that slices name in LENGTH, because the CSR's offsets of such rows do not lie side
  by side. `longest` is the longest of these rows
*/
AUTOCSR_HD PetscBool AutoCSRAxesKeepLengths(const AutoCSRAxes *axes, PetscBool named, double longest)
{
  return (PetscBool)(named && axes->mapping == AUTOCSR_MAP_SLICE && axes->lanes <= 1 && axes->slice_height == AUTOCSR_HOST_SLICE_HEIGHT && (axes->index == AUTOCSR_INDEX_32 || axes->index == AUTOCSR_INDEX_16) && longest <= UINT16_MAX);
}

/* Rows that share a BASE, or are padded to one length */
AUTOCSR_HD PetscInt AutoCSRAxesSliceRows(const AutoCSRAxes *axes)
{
  return axes->slice_height * axes->block;
}

#endif
