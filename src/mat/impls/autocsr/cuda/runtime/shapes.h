/*
  How agents share out a segment, for the agents and for the host where a kernel is compiled at run time: numbers of threads
  and of entries of a lane are arguments. In the common subset of C and CUDA.
*/
#ifndef AUTOCSR_SHAPES_H
#define AUTOCSR_SHAPES_H

#if defined(__cplusplus)
  #define AUTOCSR_SHAPE constexpr AUTOCSR_HD
#else
  #define AUTOCSR_SHAPE AUTOCSR_HD
#endif

AUTOCSR_SHAPE PetscInt AutoCSRCeilDivide(PetscInt a, PetscInt b)
{
  return a / b + (a % b > 0);
}

/* ---- Rows by lanes (agent_csr.cuh) */
#define AUTOCSR_ROWS_RESIDENTS (sizeof(PetscScalar) > 8 ? 3 : 6) /* blocks of a multiprocessor */
#define AUTOCSR_ROWS_WAVES     4                                 /* of blocks that must be left for several rows of a lane to pay */

AUTOCSR_SHAPE PetscInt AutoCSRRowsEach(PetscInt lanes)
{
  return lanes < 8 ? 1 : 4;
}

/* Rows that a warp fetches at a time (agent_fetch.cuh) */
AUTOCSR_SHAPE PetscInt AutoCSRRowsFetched(PetscInt lanes)
{
  return 4 * (32 / lanes);
}

/* ---- Tiles of the segmented sum (agent_segsum.cuh) */
#define AUTOCSR_SEGSUM_PATCH 4096 /* rows that are nearly all empty or not */

/* Entries by which a tile overlaps the next */
AUTOCSR_SHAPE PetscInt AutoCSRSegsumSlack(PetscInt tile)
{
  return tile / 16;
}

AUTOCSR_SHAPE PetscInt AutoCSRSegsumTiles(PetscInt nnz, PetscInt tile)
{
  return AutoCSRCeilDivide(nnz, tile - AutoCSRSegsumSlack(tile));
}

/* ---- Rows by patterns (agent_stencil.cuh) */
#define AUTOCSR_STENCIL_ROWS      4 /* of a lane */
#define AUTOCSR_STENCIL_RESIDENTS 4 /* thread blocks of a multiprocessor */
#define AUTOCSR_STENCIL_WAVES     4 /* of thread blocks that must be left for several rows of a lane to pay */

/* ---- Planes of a grid (agent_planes.cuh) */
#define AUTOCSR_PLANES_ROWS_OF_LANE (sizeof(PetscScalar) > 8 ? 2 : 4)
#define AUTOCSR_PLANES_STRIP        (AUTOCSR_THREADS * AUTOCSR_PLANES_ROWS_OF_LANE) /* rows, at most */
#define AUTOCSR_PLANES_TABLE        (AUTOCSR_PLANES_PATTERNS + 4)                 /* masks that a block keeps, and what agent_planes.cuh has behind them */
#define AUTOCSR_PLANES_RESIDENTS    4                                             /* blocks of a multiprocessor, at most */

/* ---- Products (agent_products.cuh) */
#define AUTOCSR_PRODUCTS_HEIGHT 4 /* of a thread at a time */

#endif
