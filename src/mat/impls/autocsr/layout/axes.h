/*
  The axes of the operator graph (du2022-alphasparse, Table II, extended; doc/design.md, The plan): the choices that define a
  segment. The compiler that a device has at run time reads this, too.
*/
#ifndef AUTOCSR_AXES_H
#define AUTOCSR_AXES_H

#include "../autocsr.h"

#define AUTOCSR_MAX_LANES         (1 << 20) /* lanes of a row */
#define AUTOCSR_HOST_SLICE_HEIGHT 8
#define AUTOCSR_MAX_STRETCHES     16 /* that a kernel knows: each is a comparison in every lane */

typedef enum {
  AUTOCSR_PARTITION_ROWS,     /* rows, each whole */
  AUTOCSR_PARTITION_BIN,      /* one bin of virtual rows (hou2017, III-B) */
  AUTOCSR_PARTITION_NONZEROS, /* equal shares of nonzeros, or of rows and nonzeros, that may cut rows (liu2015, 3.1; dufrechou2021, 2.1.6) */
  AUTOCSR_PARTITION_COLUMNS   /* column tiles of all rows: neighbouring columns or (order POPULAR) columns of like count (hong2019, 3; COL_DIV) */
} AutoCSRPartition;

typedef enum {
  AUTOCSR_ORDER_CSR,        /* as in the CSR */
  AUTOCSR_ORDER_SLICED,     /* slices of slice_height rows, each stored column by column and padded to its longest row (SELL) */
  AUTOCSR_ORDER_TILED,      /* by column tile of tile_width columns, in a tile by row, in a row by column */
  AUTOCSR_ORDER_BLOCKED,    /* by dense block, in a block by row (BCSR); block rows as in the CSR */
  AUTOCSR_ORDER_DIAGONAL,   /* by diagonal, on it by row; an entry below the main diagonal is read from above it (symmetric values) */
  AUTOCSR_ORDER_PROPAGATED, /* by column tile, in a tile by row block, in it by row; products move to the order of row blocks (propagate.h) */
  AUTOCSR_ORDER_POPULAR,    /* as TILED, but tiles take the columns with the most entries first, and row_limit ends row blocks, too (popular.h) */
  AUTOCSR_ORDER_ADAPTIVE,   /* by row panel, in it by tile of heavy columns and then the light ones, in a tile by row (adaptive.h) */
  AUTOCSR_ORDER_BUNDLED     /* by bundle of slice_height rows, in it by column, in a column by row (bundled.h) */
} AutoCSROrder;

typedef enum {
  AUTOCSR_INDEX_CSR,     /* the CSR's columns (order CSR only) */
  AUTOCSR_INDEX_32,      /* uint32_t columns; of dense blocks where `block` is above 1 */
  AUTOCSR_INDEX_16,      /* uint16_t offsets: from the BASE of a slice or of a share of entries, from the node's base (mapping NODES), or from the first column of a column tile */
  AUTOCSR_INDEX_PATTERN, /* no stream: the k-th row has the columns row + PATTERN_OFFSET[PATTERN_PTR[PATTERN_ID[k]] + t] */
  AUTOCSR_INDEX_FITTED   /* a model for entries t of a slice, and residuals of 0, 1, 2 or 4 bytes an entry (profile/fit.h; order SLICED only) */
} AutoCSRIndex;

typedef enum {
  AUTOCSR_VALUE_CSR,        /* the CSR's values */
  AUTOCSR_VALUE_COPY,       /* PetscScalar, in the order of the segment */
  AUTOCSR_VALUE_DICTIONARY, /* uint8_t into DICTIONARY */
  AUTOCSR_VALUE_FLOAT32,    /* float (two if complex); each value is exactly representable */
  AUTOCSR_VALUE_PATTERN,    /* no stream: rows of one pattern have the same values (index PATTERN, order CSR) */
  AUTOCSR_VALUE_CONSTANT    /* no stream: all entries of the matrix have the one value in DICTIONARY */
} AutoCSRValue;

typedef enum {
  AUTOCSR_MAP_EMPTY,      /* rows without entries: y = 0 or z */
  AUTOCSR_MAP_LANES,      /* `lanes` partial sums of a row: 1 serial, 2 to 128 subvector, 256 vector (hou2017, III-B); more: several thread blocks */
  AUTOCSR_MAP_SLICE,      /* `lanes` lanes for each row of a slice (1: SELL; more: SELL-P) */
  AUTOCSR_MAP_VENDOR,     /* the vendor's library, by `algorithm`; all rows of the block. Padding has the index code -1 */
  AUTOCSR_MAP_TILE,       /* tile_width lanes of tile_height entries each (liu2015, 3.1) */
  AUTOCSR_MAP_MERGE,      /* as TILE, over entries and ends of rows in the order of the merge path (dufrechou2021, 2.1.6) */
  AUTOCSR_MAP_FETCH,      /* `lanes` lanes a row; they fetch their next rows by a counter (LightSpMV; dufrechou2021, 2.1.4) */
  AUTOCSR_MAP_PRODUCTS,   /* a lane an entry for the products, then a lane a row for the sums (PCSR; dufrechou2021, 2.1.5) */
  AUTOCSR_MAP_ROW_BLOCKS, /* whole rows of tile_width * tile_height entries at most, or parts of longer rows (CSR-Adaptive; dufrechou2021, 2.1.3) */
  AUTOCSR_MAP_PLANES,     /* a lane a row of a grid's plane, plane after plane; shared memory holds x of a few planes (value coding pattern) */
  AUTOCSR_MAP_NODES,      /* the rows of a node at once, which share their columns (order CSR, index 32 or 16) */
  AUTOCSR_MAP_ROW_PANELS, /* the tiles of a row panel one after the other, in a tile the rows; for dense products (hong2019, 4.2) */
  AUTOCSR_MAP_GROUP,      /* the lanes of a group of slots, whatever their rows: sums of pieces (order PROPAGATED: products), then of rows */
  AUTOCSR_MAP_BUNDLES     /* the rows of a bundle at once, column after column; for dense products (order BUNDLED) */
} AutoCSRMapping;

typedef enum {
  AUTOCSR_REDUCE_NONE,          /* no lanes to add across */
  AUTOCSR_REDUCE_TREE,          /* the lanes of a row, pairwise */
  AUTOCSR_REDUCE_SEGMENTED,     /* segmented sum with a synchronizer (liu2015, 3.2) */
  AUTOCSR_REDUCE_SEGMENTED_HOST /* the same; the host reads the synchronizer, wherever the rest is done */
} AutoCSRReduction;

typedef struct {
  AutoCSRPartition partition;
  AutoCSROrder     order;
  AutoCSRIndex     index;
  AutoCSRValue     value;
  AutoCSRMapping   mapping;
  AutoCSRReduction reduction;
  /* MAP_LANES, MAP_SLICE, MAP_FETCH: lanes of a row. MAP_NODES: rows of a node on average. MAP_GROUP: 32, or 1 for a group in order */
  PetscInt lanes;
  /* Rows of a slice, a power of two; in order CSR the rows that share a BASE; in order BUNDLED those of a bundle */
  PetscInt slice_height;
  /*
    Order SLICED: slots of each row (ELL); 0: as many as the longest row of its slice needs. Mapping NODES: 1 if rows have
    fewer than AUTOCSR_NODE_SHORT entries on average; such nodes have figures of their own
  */
  PetscInt width;
  /* Rows of a window within which rows are sorted by length, counted among the rows that the segment names; 0 or 1: not sorted */
  PetscInt sort_window;
  /* No row of the segment has more entries; 0: not said */
  PetscInt longest;
  /* Rows of a virtual row (granularity U); 1: ROWS names single rows */
  PetscInt row_group;
  /*
    b: each dense, aligned b by b block has one column code; 1: each entry has its own. Above 1 the segment has contiguous,
    whole block rows, in order CSR (`lanes` lanes for a block row) or in order BLOCKED
  */
  PetscInt block;
  PetscInt algorithm; /* MAP_VENDOR: 1 or 2 */
  /*
    MAP_TILE: T, W and S of liu2015. MAP_MERGE, MAP_ROW_BLOCKS: lanes, entries of a lane. Orders TILED, PROPAGATED, POPULAR:
    columns of a tile, most rows of a row block, groups (PROPAGATED: units) of an item. Order ADAPTIVE: columns of a tile, a
    power of two, rows of a row panel, least columns of a heavy tile. MAP_PLANES: rows of a plane, planes
    around, reach (AutoCSRPlanes)
  */
  PetscInt tile_width, tile_height, tile_steps;
  /* MAP_ROW_BLOCKS: a row of more entries has thread blocks of its own. Orders PROPAGATED, POPULAR: entries after which a row block ends. Order ADAPTIVE: entries from which on a column is heavy */
  PetscInt row_limit;
  /*
    On a device (SET_RESOURCES): threads of a thread block, thread blocks that a multiprocessor shall have room for, entries
    of a lane whose loads do not wait for each other, rows of a lane one after the other, and most stretches of rows
    with one length that the kernel has as constants (layout/stretches.h); what else it has as constants: 1 of the matrix's structure, 2 of its
    values, too. 0: the kernel's own number. A kernel with other numbers is compiled at run time
  */
  PetscInt threads, residents, in_flight, rows_each, stretches, constants;
  PetscInt generated; /* 1: the kernel may be one that is compiled at run time, as graphs allow it */
  PetscInt shortest;  /* no row of the segment has fewer entries; 0: not said */
} AutoCSRAxes;

/* Whether the kernel shall have numbers other than its own */
static inline PetscBool AutoCSRAxesHaveResources(const AutoCSRAxes *a)
{
  return (PetscBool)(a->threads || a->residents || a->in_flight || a->rows_each || a->stretches || a->constants);
}

#endif
