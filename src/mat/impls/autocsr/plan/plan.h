/*
  The plan of one matrix: a list of segments, each a set of rows and a choice on every axis of the operator graph
  (du2022-alphasparse, Table II, extended; doc/design.md, The plan). A plan says how a product is made; it holds no kernel.
*/
#ifndef AUTOCSR_PLAN_H
#define AUTOCSR_PLAN_H

#include "../autocsr.h"
#include "../profile/profile.h"
#include "../profile/fit.h"

#define AUTOCSR_MAX_LANES         (1 << 20) /* of a row */
#define AUTOCSR_HOST_SLICE_HEIGHT 8

typedef enum {
  AUTOCSR_PARTITION_ROWS,     /* rows, each whole */
  AUTOCSR_PARTITION_BIN,      /* one bin of virtual rows (hou2017, III-B) */
  AUTOCSR_PARTITION_NONZEROS, /* equal shares of nonzeros, or of rows and nonzeros, that cut rows (liu2015, 3.1; dufrechou2021, 2.1.6) */
  AUTOCSR_PARTITION_COLUMNS   /* tiles of columns, neighbours or (order POPULAR) those with about as many entries, of all rows (hong2019, 3; COL_DIV) */
} AutoCSRPartition;

typedef enum {
  AUTOCSR_ORDER_CSR,        /* entries as in the CSR */
  AUTOCSR_ORDER_SLICED,     /* slices of slice_height rows, each column-major and padded to its longest row (SELL) */
  AUTOCSR_ORDER_TILED,      /* by tile of tile_width columns, in it by row, in it by column */
  AUTOCSR_ORDER_BLOCKED,    /* by dense block, in it by row (BCSR); block rows as in the CSR */
  AUTOCSR_ORDER_DIAGONAL,   /* by diagonal, in it by row; entries below the main diagonal are those above it (symmetric values) */
  AUTOCSR_ORDER_PROPAGATED, /* by tile of tile_width columns, in it by block of rows, in it by row; products change to the order of row blocks (propagate.h) */
  AUTOCSR_ORDER_POPULAR     /* as tiled, but tiles are of the columns with the most entries first, and row blocks end after so many entries, too (popular.h) */
} AutoCSROrder;

typedef enum {
  AUTOCSR_INDEX_CSR,     /* the CSR's column array (order CSR only) */
  AUTOCSR_INDEX_32,      /* uint32_t columns (of blocks, where `block` is more than 1) */
  AUTOCSR_INDEX_16,      /* uint16_t offsets from BASE[slice]; orders TILED, PROPAGATED and POPULAR: from the first column of the tile */
  AUTOCSR_INDEX_PATTERN, /* none: column = row + PATTERN_OFFSET[PATTERN_PTR[PATTERN_ID[row]] + t] */
  AUTOCSR_INDEX_FITTED   /* a model of each slice's entries t, and of what it leaves 0, 1, 2 or 4 bytes an entry, as the slice needs (profile/fit.h; order SLICED only) */
} AutoCSRIndex;

typedef enum {
  AUTOCSR_VALUE_CSR,        /* the CSR's value array */
  AUTOCSR_VALUE_COPY,       /* PetscScalar, in the order of the segment */
  AUTOCSR_VALUE_DICTIONARY, /* uint8_t into DICTIONARY */
  AUTOCSR_VALUE_FLOAT32,    /* float (complex: two), each value exactly representable */
  AUTOCSR_VALUE_PATTERN,    /* none: rows of one pattern have the same values (index pattern, order CSR only) */
  AUTOCSR_VALUE_CONSTANT    /* none: all entries of the matrix have the value that is in DICTIONARY alone */
} AutoCSRValue;

typedef enum {
  AUTOCSR_MAP_EMPTY,      /* rows without entries: y = 0 or z */
  AUTOCSR_MAP_LANES,      /* `lanes` partial sums for a row: 1 serial, 2 to 128 subvector, 256 vector (hou2017, III-B), more: warps of many blocks */
  AUTOCSR_MAP_SLICE,      /* `lanes` lanes for each row of a slice (1: SELL; more: SELL-P) */
  AUTOCSR_MAP_VENDOR,     /* as the vendor's library does it, by `algorithm`; whole blocks. Padding has the index code -1 */
  AUTOCSR_MAP_TILE,       /* tile_width lanes, tile_height entries each (liu2015, 3.1) */
  AUTOCSR_MAP_MERGE,      /* as a tile, of entries and of ends of rows, in the order of the merge path (dufrechou2021, 2.1.6) */
  AUTOCSR_MAP_FETCH,      /* `lanes` lanes a row, which take the next rows by a counter (LightSpMV; dufrechou2021, 2.1.4) */
  AUTOCSR_MAP_PRODUCTS,   /* a lane an entry for products, then a lane a row for sums (PCSR; dufrechou2021, 2.1.5) */
  AUTOCSR_MAP_ROW_BLOCKS, /* blocks of whole rows of tile_width * tile_height entries at most, parts of longer rows (CSR-Adaptive; dufrechou2021, 2.1.3) */
  AUTOCSR_MAP_PLANES,     /* a lane a row of a grid's plane, plane after plane; x of a few planes is kept beside (value coding pattern) */
  AUTOCSR_MAP_NODES,      /* the rows of a node at once, `lanes` of them, about, whose columns they share (order CSR, index 32 or 16) */
  AUTOCSR_MAP_GROUP       /* lanes of a group of AUTOCSR_TILED_GROUP entries, whatever their rows: sums of pieces, then of rows; order PROPAGATED: products, then sums of rows */
} AutoCSRMapping;

typedef enum {
  AUTOCSR_REDUCE_NONE,          /* nothing to add across lanes */
  AUTOCSR_REDUCE_TREE,          /* lanes of a row pairwise */
  AUTOCSR_REDUCE_SEGMENTED,     /* segmented sum with a synchronizer (liu2015, 3.2) */
  AUTOCSR_REDUCE_SEGMENTED_HOST /* the same; the synchronizer is read on the host, wherever the rest is done */
} AutoCSRReduction;

typedef struct {
  AutoCSRPartition partition;
  AutoCSROrder     order;
  AutoCSRIndex     index;
  AutoCSRValue     value;
  AutoCSRMapping   mapping;
  AutoCSRReduction reduction;
  PetscInt         lanes;                               /* MAP_LANES, MAP_SLICE; MAP_NODES: rows of a node, in the mean; MAP_GROUP: 32, or 1 for a group that is walked in order */
  PetscInt         slice_height;                        /* rows of a slice, a power of two; also the rows that share a BASE in order CSR */
  PetscInt         width;                               /* order SLICED: slots of each row (ELL); 0: as many as the longest of its slice needs; mapping NODES: 1 where rows have fewer than AUTOCSR_NODE_SHORT entries on average, which take other times */
  PetscInt         sort_window;                         /* rows (of those named) sorted by length within windows of so many; 0 or 1: not sorted */
  PetscInt         longest;                             /* the segment's rows have no more entries than this; 0: not said */
  PetscInt         row_group;                           /* rows of a virtual row (granularity U); 1: ROWS names single rows */
  PetscInt         block;                               /* b: dense, aligned b by b blocks have one column code each; 1: each entry its own (order CSR with MAP_LANES, lanes of a block row, or BLOCKED; contiguous whole block rows) */
  PetscInt         algorithm;                           /* MAP_VENDOR: 1, 2 */
  PetscInt         tile_width, tile_height, tile_steps; /* MAP_TILE: T, W and S of liu2015; MAP_MERGE, MAP_ROW_BLOCKS: lanes, entries of each; order TILED: columns of a tile, rows of a row block, groups of an item; orders PROPAGATED and POPULAR: the same, the most rows, units (POPULAR: groups) of an item; MAP_PLANES: rows of a plane, planes around, reach (AutoCSRPlanes) */
  PetscInt         row_limit;                           /* MAP_ROW_BLOCKS: rows of more entries have blocks of their own; orders PROPAGATED and POPULAR: entries after which a row block ends */
} AutoCSRAxes;

/*
  Streams. Position of entry t of the segment's k-th row:
    order CSR     q = row_ptr[row] + t - row_ptr[row_begin]  (own streams there need a contiguous segment)
    order SLICED  q = SLICE_PTR[k / slice_height] + t / lanes * lanes * slice_height + k % slice_height * lanes + t % lanes: each row is padded
                  to a multiple of `lanes` slots
    order TILED   the entries of a tile fill groups of AUTOCSR_TILED_GROUP slots; those of a row in a tile are a piece, or more where a
                  part of an item ends (tiled.h). VALUE is dealt out to lanes in each group: AutoCSRTiledValueSlot()
    order BLOCKED q = b^2 (BLOCK_PTR[k / b] + t / b) + k % b * b + t % b
    order PROPAGATED  as the codes of the row's chunks tell: AutoCSRPropagateSlot()
    order POPULAR  as in order TILED, of tiles of COLUMN, in a piece that the codes of the row's chunks tell: AutoCSRPopularSlot()
    order DIAGONAL q = PATTERN_PLACE[PATTERN_PTR[PATTERN_ID[k]] + t] + k: each diagonal that patterns reach at or above the main one has slots for all rows,
                  0 where a row lacks it; entry (i, i - o) is read from where (i - o, i) lies
  With blocks, INDEX has one code for each block, block rows one after the other and in each its blocks: block t of the block
  row that begins with row r is code (row_ptr[r] - row_ptr[row_begin]) / b^2 + t. Codes are columns divided by b; offsets, from the BASE
  that slice_height block rows share, too. With INDEX_CSR the column of a block is the CSR's of its first entry.
  With mapping nodes, INDEX has the columns of the first row of each node, from NODE's `code` on.
  A slot past the end of its row (or tile) holds index code 0 (MAP_VENDOR: -1) and value code 0; no kernel may let it reach y. A stream's data are
  aligned to 64 bytes, and 64 bytes past its end may be read.
*/
typedef enum {
  AUTOCSR_STREAM_ROWS,           /* PetscInt: row (or virtual row) names; absent when the rows are row_begin, row_begin + 1, ... */
  AUTOCSR_STREAM_LENGTH,         /* uint16_t: entries of each row, beside the names: AutoCSRAxesKeepLengths() */
  AUTOCSR_STREAM_SLICE_PTR,      /* PetscInt: n_slices + 1 */
  AUTOCSR_STREAM_BASE,           /* PetscInt: n_slices smallest columns */
  AUTOCSR_STREAM_INDEX,          /* uint32_t or uint16_t; of models: uint8_t, residuals at (begin of the slice + t * width) * slice_height + k % slice_height * width */
  AUTOCSR_STREAM_FIT,            /* AutoCSRFit: of entry t of slice s at SLICE_PTR[s] / slice_height + t */
  AUTOCSR_STREAM_SLICE_FIT,      /* AutoCSRSliceFit: n_slices */
  AUTOCSR_STREAM_PATTERN_ID,     /* uint16_t: one for each row of the segment */
  AUTOCSR_STREAM_PATTERN_PTR,    /* PetscInt: patterns + 1 */
  AUTOCSR_STREAM_PATTERN_OFFSET, /* PetscInt: column minus row, ascending */
  AUTOCSR_STREAM_PATTERN_ROOT,   /* AutoCSRPatternRoot: one for each pattern */
  AUTOCSR_STREAM_PATTERN_ROW,    /* PetscInt: a row that has it, for each pattern; value coding pattern, as the next */
  AUTOCSR_STREAM_PATTERN_VALUE,  /* PetscScalar: beside PATTERN_OFFSET */
  AUTOCSR_STREAM_VALUE,          /* PetscScalar, uint8_t or float */
  AUTOCSR_STREAM_DICTIONARY,     /* PetscScalar: 256, in ascending order of their bits, unused ones zero; value constant: the one */
  AUTOCSR_STREAM_WORK,           /* PetscInt: pairs, the row and the entry of the CSR where the work of a block begins, and where the last one ends */
  AUTOCSR_STREAM_ITEM,           /* AutoCSRTiledItem: tiles cut in about equal runs of groups (order PROPAGATED: of units) */
  AUTOCSR_STREAM_END,            /* a bit for each slot, 8 in a uint8_t: 1 where a piece ends */
  AUTOCSR_STREAM_PIECE_PTR,      /* PetscInt: groups + 1; the first piece that ends in a group */
  AUTOCSR_STREAM_PIECE_ROW,      /* uint16_t: a piece's row in its row block, + AUTOCSR_TILED_ROWS * its rank among the pieces of the same row in its batch */
  AUTOCSR_STREAM_RUN_PTR,        /* PetscInt: tiles * row blocks + 1; the first piece of a tile in a row block or after it */
  AUTOCSR_STREAM_BLOCK_PTR,      /* uint32_t: block rows + 1; the first block of each (order BLOCKED) */
  AUTOCSR_STREAM_PATTERN_PLACE,  /* PetscInt: beside PATTERN_OFFSET, where an entry of row 0 would lie in VALUE; negative where that row has none (order DIAGONAL) */
  AUTOCSR_STREAM_BLOCK_ROW,      /* PetscInt: row blocks + 1; the first of the segment's rows in each (orders PROPAGATED and POPULAR, as the next five) */
  AUTOCSR_STREAM_CHUNK_PTR,      /* PetscInt: row blocks + 1; the first chunk of each */
  AUTOCSR_STREAM_PART_PTR,       /* PetscInt: chunks + 1; the first part of each */
  AUTOCSR_STREAM_PART,           /* AutoCSRPropagatePart: where a chunk's products (order POPULAR: sums of pieces) are, in the order of their places */
  AUTOCSR_STREAM_CODE_PTR,       /* PetscInt: chunks + 1; where the codes of each begin, in AUTOCSR_PROPAGATE_ALIGN */
  AUTOCSR_STREAM_CODE,           /* uint16_t: the rows of chunks and their places (propagate.h) */
  AUTOCSR_STREAM_COLUMN,         /* PetscInt: the columns that have entries, by their class, the most popular first, and in it ascending (order POPULAR) */
  AUTOCSR_STREAM_NODE,           /* AutoCSRNode: nodes + 1 (mapping nodes) */
  AUTOCSR_STREAM_VALUE_PLACE,    /* PetscInt: of each slot of VALUE, where in the CSR its value is, negative: nowhere; on a device, once values have been new (orders TILED, PROPAGATED and POPULAR) */
  AUTOCSR_STREAM_COUNT
} AutoCSRStreamKind;

typedef struct {
  void  *data;
  size_t bytes;
} AutoCSRStream;

/*
  The longest pattern of which a pattern is a part, as the rows at the border of a grid are of the rows inside: so that neighbours of
  several patterns are walked as one. With value coding pattern, the values are the same too.
*/
typedef struct {
  uint32_t mask;          /* bit t: entry t of the root is an entry of the pattern; of roots of more than 32 entries, which have no part but themselves, all ones */
  int32_t  begin, length; /* of the root, in PATTERN_OFFSET */
  int32_t  own;           /* where the pattern itself begins there */
} AutoCSRPatternRoot;

/* Rows with the same columns, up to the row of the next node */
typedef struct {
  PetscInt row, code; /* the first one, and where its columns begin in INDEX */
  PetscInt base;      /* what 16-bit codes count from; else 0 */
} AutoCSRNode;

typedef struct _AutoCSRSegment AutoCSRSegment;

/*
  Operands of a product with one segment. y = z + A x for the segment's rows; z NULL: y = A x. z may be y.
  `transpose` kernels add into y (which the caller has set): y += A^T x, or A^H x if conjugate.
*/
typedef struct {
  const AutoCSRMatrix *csr;
  const PetscScalar   *x;
  const PetscScalar   *z;
  PetscScalar         *y;
  PetscBool            conjugate;
} AutoCSROperands;

/* A kernel that can run segments with certain axes; host/ and cuda/ own tables of these, a plan is bound to their entries */
typedef struct {
  const char *name; /* unique key, as "sliced/16/copy"; the machine's figures are kept by it */
  void (*mult)(const AutoCSRSegment *, const AutoCSROperands *);
  void (*transpose)(const AutoCSRSegment *, const AutoCSROperands *);
} AutoCSRExecutor;

struct _AutoCSRSegment {
  const char            *strategy; /* static string: the strategy that made it */
  AutoCSRAxes            axes;
  PetscInt               row_begin; /* first row; with ROWS: 0 */
  PetscInt               n_rows;    /* rows of the segment, virtual rows expanded */
  PetscInt               nnz;
  PetscInt               n_slices;
  PetscInt               n_patterns;
  AutoCSRStream          stream[AUTOCSR_STREAM_COUNT];
  double                 bytes;     /* moved by one product: streams, CSR arrays used in place, x once, y */
  double                 predicted; /* seconds; 0: not predicted */
  double                 measured;  /* seconds; 0: not measured */
  const AutoCSRExecutor *executor;  /* bound by select/ */
  const AutoCSRExecutor *other;     /* the same: another way to the same sums, which products may find to be faster; NULL: none */
  const AutoCSRBackend  *backend;   /* the plan's */
  void                  *launch;    /* of the backend, once the plan is bound */
  PetscBool              far;       /* on a processor, once the plan is bound: what its products read comes from memory, and is prefetched unless products are found to be faster without */
  PetscBool              contested; /* the same: products still find out which of two ways is faster */
};

typedef struct {
  PetscInt              m, n, nnz;
  PetscInt              n_segments, max_segments;
  AutoCSRSegment       *segment;
  const AutoCSRBackend *backend; /* in whose memory the streams lie */
  void                 *launch;  /* of the backend, once the plan is bound */
  double                predicted, measured;
  char                  why[256]; /* one sentence: what was chosen and why */
} AutoCSRPlan;

/* plan/plan.c: life, invariants, sizes */
PETSC_INTERN PetscErrorCode AutoCSRPlanCreate(const AutoCSRMatrix *, AutoCSRPlan **);
PETSC_INTERN PetscErrorCode AutoCSRPlanDestroy(AutoCSRPlan **);
PETSC_INTERN PetscErrorCode AutoCSRPlanAddSegment(AutoCSRPlan *, const char *, const AutoCSRAxes *, AutoCSRSegment **); /* valid until the next Add */
PETSC_INTERN PetscErrorCode AutoCSRPlanCheck(const AutoCSRPlan *, const AutoCSRMatrix *);                               /* each nonzero once, each row once, streams decode to the CSR bit for bit */
PETSC_INTERN PetscErrorCode AutoCSRPlanGetBytes(const AutoCSRPlan *, PetscInt64 *own, double *moved);
PETSC_INTERN PetscErrorCode AutoCSRStreamAllocate(AutoCSRSegment *, AutoCSRStreamKind, PetscInt64 count);
PETSC_INTERN PetscErrorCode AutoCSRStreamFree(AutoCSRSegment *, AutoCSRStreamKind);
PETSC_INTERN size_t         AutoCSRStreamElementSize(const AutoCSRAxes *, AutoCSRStreamKind);
PETSC_INTERN double         AutoCSRSegmentBytesMoved(const AutoCSRSegment *, PetscInt m, PetscInt n);
PETSC_INTERN double         AutoCSRBytesBesideStreams(const AutoCSRAxes *, double rows, double nnz, PetscInt m, PetscInt n); /* of these but for streams, pieces and products, which who asks adds */

/*
  plan/encode.c, on the host; cuda/ has its own loops over the same encode.h. Fills every stream that the axes call for, once row_begin, n_rows and (where there is one) ROWS are set, and
  sets nnz (which may have been set by who named the rows), n_slices, n_patterns and bytes. The work on one row or slice is in encode.h, in the common subset of C and CUDA.
  AutoCSRSegmentSortRows makes ROWS for a contiguous segment with a sort window, or sorts those that ROWS names (stable, longest row first).
*/
PETSC_INTERN PetscErrorCode AutoCSRSegmentSortRows(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRSegmentEncode(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);
PETSC_INTERN PetscInt64     AutoCSRSegmentMergeBlocks(const AutoCSRSegment *);
PETSC_INTERN PetscErrorCode AutoCSRSegmentAllocateWork(AutoCSRSegment *, PetscInt64 blocks); /* WORK */
PETSC_INTERN PetscErrorCode AutoCSRSegmentCheckSlots(const AutoCSRSegment *, PetscInt64);
PETSC_INTERN PetscInt       AutoCSRDiagonalSlots(const AutoCSRAxes *, PetscInt rows); /* of one diagonal in VALUE: plan/diagonal.c */
PETSC_INTERN PetscErrorCode AutoCSRSegmentEncodeDiagonals_Host(AutoCSRSegment *, PetscInt64 *slots);
PETSC_INTERN PetscErrorCode AutoCSRSegmentEncodeNodes_Host(AutoCSRSegment *, const AutoCSRMatrix *);      /* plan/nodes.c, as the next */
PETSC_INTERN PetscErrorCode AutoCSRNodesCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i); /* what decoding relies on, for segment i of check.c */
PETSC_INTERN PetscErrorCode AutoCSRSegmentSortRows_Host(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRSegmentEncode_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);

/* plan/names.c: axes in words, for the view */
PETSC_INTERN const char *const AutoCSRPartitionNames[], *const AutoCSROrderNames[], *const AutoCSRIndexNames[], *const AutoCSRValueNames[], *const AutoCSRMappingNames[], *const AutoCSRReductionNames[], *const AutoCSRStreamNames[];

/* plan/refresh.c: new values, same structure. fits is PETSC_FALSE if a value coding can no longer hold them (plan unchanged, to be rebuilt) */
PETSC_INTERN PetscErrorCode AutoCSRPlanRefresh(AutoCSRPlan *, const AutoCSRMatrix *, PetscBool *fits);
PETSC_INTERN PetscErrorCode AutoCSRPlanRefresh_Host(AutoCSRPlan *, const AutoCSRMatrix *, PetscInt most, PetscBool use_float32, PetscBool *fits);

/* plan/copy.c: a matrix and its plan in the memory of another backend; the copy of the plan is not bound */
PETSC_INTERN PetscErrorCode AutoCSRMatrixCopy(const AutoCSRMatrix *, const AutoCSRBackend *, AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRMatrixCopyDestroy(AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPlanCopy(const AutoCSRPlan *, const AutoCSRBackend *, AutoCSRPlan **);

/* plan/interpret.c: the reference: any plan, entry by entry through the decoders */
PETSC_INTERN PetscErrorCode AutoCSRPlanInterpret(const AutoCSRPlan *, const AutoCSROperands *);
PETSC_INTERN PetscErrorCode AutoCSRPlanInterpretTranspose(const AutoCSRPlan *, const AutoCSROperands *);

AUTOCSR_HD PetscBool AutoCSRMappingHasWork(AutoCSRMapping mapping)
{
  return (PetscBool)(mapping == AUTOCSR_MAP_MERGE || mapping == AUTOCSR_MAP_ROW_BLOCKS);
}

/* Each entry has a code in VALUE */
AUTOCSR_HD PetscBool AutoCSRValueIsStored(AutoCSRValue value)
{
  return (PetscBool)(value == AUTOCSR_VALUE_COPY || value == AUTOCSR_VALUE_DICTIONARY || value == AUTOCSR_VALUE_FLOAT32);
}

/* Values that DICTIONARY has, 0: there is none */
AUTOCSR_HD PetscInt AutoCSRValueDictionary(AutoCSRValue value)
{
  return value == AUTOCSR_VALUE_DICTIONARY ? AUTOCSR_MAX_DISTINCT : value == AUTOCSR_VALUE_CONSTANT;
}

/* Entries lie by column tile */
AUTOCSR_HD PetscBool AutoCSROrderHasTiles(AutoCSROrder order)
{
  return (PetscBool)(order == AUTOCSR_ORDER_TILED || order == AUTOCSR_ORDER_PROPAGATED || order == AUTOCSR_ORDER_POPULAR);
}

/* Offsets count from the BASE of a slice */
AUTOCSR_HD PetscBool AutoCSRAxesHaveBase(const AutoCSRAxes *axes)
{
  return (PetscBool)(axes->index == AUTOCSR_INDEX_16 && !AutoCSROrderHasTiles(axes->order) && axes->mapping != AUTOCSR_MAP_NODES);
}

/* Blocks whose work is in WORK */
AUTOCSR_HD PetscInt AutoCSRSegmentWorkBlocks(const AutoCSRSegment *seg)
{
  const size_t pairs = seg->stream[AUTOCSR_STREAM_WORK].bytes / (2 * sizeof(PetscInt));

  return pairs ? (PetscInt)pairs - 1 : 0;
}

AUTOCSR_HD PetscInt AutoCSRSegmentNodes(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_NODE].bytes / sizeof(AutoCSRNode)) - 1;
}

/* The row that a segment's k-th row is */
AUTOCSR_HD PetscInt AutoCSRSegmentRow(const AutoCSRSegment *seg, PetscInt k)
{
  const PetscInt *rows = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  const PetscInt  U    = seg->axes.row_group;

  if (!rows) return seg->row_begin + k;
  return U == 1 ? rows[k] : rows[k / U] * U + k % U;
}

/* On a processor: the lengths of rows that slices name are in LENGTH, since offsets of such rows are not side by side; longest: of these rows */
AUTOCSR_HD PetscBool AutoCSRAxesKeepLengths(const AutoCSRAxes *axes, PetscBool named, double longest)
{
  return (PetscBool)(named && axes->mapping == AUTOCSR_MAP_SLICE && axes->lanes <= 1 && axes->slice_height == AUTOCSR_HOST_SLICE_HEIGHT && (axes->index == AUTOCSR_INDEX_32 || axes->index == AUTOCSR_INDEX_16) && longest <= UINT16_MAX);
}

/* Rows of a slice: that share a BASE or are padded alike */
AUTOCSR_HD PetscInt AutoCSRAxesSliceRows(const AutoCSRAxes *axes)
{
  return axes->slice_height * axes->block;
}

#endif
