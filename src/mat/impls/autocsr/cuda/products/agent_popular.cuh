/*
  Column tiles of the most popular columns first (order popular, layout/popular.h): what graphs and other matrices have of which a few
  columns have most of the entries. A first kernel reads x in the order of COLUMN; a block then keeps a tile of that, as for order
  tiled (agent_tiled.cuh), and makes sums of pieces; the third adds these by blocks of rows (agent_propagate.cuh).

  Bytes (real double): 10.1 an entry, 19 a piece (its sum written and read, and its codes), 20 a column that has entries, 8 a row. No entry
  is gathered from beyond shared memory. L2 serves a limited number of requests a second, and a gather is one request whatever it finds.
  With columns in their own order nearly every entry of an R-MAT graph is a piece; here a third of them is.
*/
#ifndef AUTOCSR_AGENT_POPULAR_CUH
#define AUTOCSR_AGENT_POPULAR_CUH

#include "agent_propagate.cuh"
#include "agent_tiled.cuh"

/* What is read by COLUMN */
static __device__ __forceinline__ PetscScalar *PopularX(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles)
{
  return (PetscScalar *)seg.scratch + tiles.x;
}

/* Makes the sums of an item's pieces */
template <AutoCSRValue value>
struct AgentPopularPieces : AgentTiled<value> {
  typedef AgentPropagateSum<1> Then;

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *room)
  {
    AutoCSRDeviceOperands ordered = op;

    ordered.x = PopularX(seg, tiles);
    AgentTiled<value>::Run(seg, tiles, ordered, block, room);
  }
};

/* Reads x in the order of COLUMN */
template <AutoCSRValue value>
struct AgentPopular : AgentBase {
  typedef AgentPopularPieces<value> Then;

  static constexpr bool alone   = true;
  static constexpr int  at_once = 4; /* columns of a thread */

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(AutoCSRPopularColumns(seg), at_once * threads);
  }

  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return AutoCSRPopularScratchBytes(seg);
  }
#endif

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *)
  {
    const PetscInt first = block * (at_once * threads) + (PetscInt)threadIdx.x;
    PetscInt       column[at_once];
    PetscScalar    x[at_once];

#pragma unroll
    for (int u = 0; u < at_once; u++) column[u] = LoadStreamIf(first + u * threads < tiles.n_columns, tiles.column + (first + u * threads));
#pragma unroll
    for (int u = 0; u < at_once; u++) x[u] = LoadCachedIf(first + u * threads < tiles.n_columns, op.x + column[u]);
#pragma unroll
    for (int u = 0; u < at_once; u++) {
      if (first + u * threads < tiles.n_columns) PopularX(seg, tiles)[first + u * threads] = x[u];
    }
  }
};

#endif
