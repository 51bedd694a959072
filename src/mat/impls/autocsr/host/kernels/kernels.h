/*
  The kernel text as a table: included once for each instruction set, which names the table HOST_EXECUTORS. What a kernel
  runs is fixed here, at compile time, by one line.
*/
#include "kernels_adaptive.h"
#include "kernels_block.h"
#include "kernels_diagonal.h"
#include "kernels_fitted.h"
#include "kernels_nodes.h"
#include "kernels_sliced.h"
#include "kernels_segsum.h"
#include "kernels_tiled.h"
#include "../executors.h"
#include "../../layout/codings.h"

static void EmptyMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    op->y[row] = AddendOf(op, row);
  }
}

static void EmptyTranspose(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
}

static void TileMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  TileRun(seg, op);
}

/* Two functions of a kernel: name, and the calls with their codings */
#define KERNEL_PAIR(name, multiply, transpose)                                      \
  static void name##Multiply(const AutoCSRSegment *seg, const AutoCSROperands *op)  \
  {                                                                                 \
    multiply;                                                                       \
  }                                                                                 \
  static void name##Transpose(const AutoCSRSegment *seg, const AutoCSROperands *op) \
  {                                                                                 \
    transpose;                                                                      \
  }
#define CSR_PAIR(I, V, L)   KERNEL_PAIR(CSR_##I##_##V##_##L, CSRMultiply(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, L), CSRTranspose(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V))
#define PATTERN_PAIR(I, V)  KERNEL_PAIR(CSR_##I##_##V, CSRPatternRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), CSRPatternRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))
#define BLOCK_PAIR(I, V)    KERNEL_PAIR(CSR_BLOCK_##V, BlockRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), BlockRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))
#define NODES_PAIR(I)       KERNEL_PAIR(NODES_##I, NodesRun(seg, op, AUTOCSR_INDEX_##I, PETSC_FALSE), NodesRun(seg, op, AUTOCSR_INDEX_##I, PETSC_TRUE))
#define SLICED_PAIR(I, V)   KERNEL_PAIR(SLICED_##I##_##V, SlicedMultiply(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, STRIPS_##I##_##V, STRIPS_##I##_FEW), SlicedTranspose(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V))
#define TILED_PAIR(I, V)    KERNEL_PAIR(TILED_##V, TiledRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), TiledRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))
#define DIAGONAL_PAIR(I, V) KERNEL_PAIR(DIAGONAL_##V, DiagonalMultiply(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), DiagonalTranspose(seg, op, AUTOCSR_VALUE_##V))
#define FITTED_PAIR(I, V)   KERNEL_PAIR(SLICED_##I##_##V, FittedRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), FittedRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))

/* Its line of the table */
#define CSR_LINE(I, V, L)   {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, L, {"csr/" NAME_##I "/" NAME_##V "/lanes" #L, CSR_##I##_##V##_##L##Multiply, CSR_##I##_##V##_##L##Transpose, EXECUTOR_CSR_##I##_##V##_##L}},
#define PATTERN_LINE(I, V)  {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, 0, {"csr/" NAME_##I "/" NAME_##V, CSR_##I##_##V##Multiply, CSR_##I##_##V##Transpose, EXECUTOR_CSR_##I##_##V}},
#define BLOCK_LINE(I, V)    {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, 0, {"csr/block/" NAME_##V, CSR_BLOCK_##V##Multiply, CSR_BLOCK_##V##Transpose, EXECUTOR_CSR_BLOCK_##V}, PETSC_TRUE},
#define NODES_LINE(I)       {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_CSR, AUTOCSR_MAP_NODES, 0, {"nodes/" NAME_##I, NODES_##I##Multiply, NODES_##I##Transpose, EXECUTOR_NODES_##I}},
#define TILED_LINE(I, V)    {AUTOCSR_ORDER_TILED, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_GROUP, 1, {"tiled/" NAME_##I "/" NAME_##V, TILED_##V##Multiply, TILED_##V##Transpose, EXECUTOR_TILED_##V}},
#define DIAGONAL_LINE(I, V) {AUTOCSR_ORDER_DIAGONAL, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, 0, {"diagonal/" NAME_##V, DIAGONAL_##V##Multiply, DIAGONAL_##V##Transpose, EXECUTOR_DIAGONAL_##V}},
#define SLICED_LINE(I, V)   {AUTOCSR_ORDER_SLICED, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_SLICE, 0, {"sliced/" NAME_##I "/" NAME_##V, SLICED_##I##_##V##Multiply, SLICED_##I##_##V##Transpose, EXECUTOR_SLICED_##I##_##V}},
#define FITTED_LINE(I, V)   SLICED_LINE(I, V)

/* Its id, the same in each instruction set */
#define CSR_ID(I, V, L)   EXECUTOR_CSR_##I##_##V##_##L,
#define PATTERN_ID(I, V)  EXECUTOR_CSR_##I##_##V,
#define BLOCK_ID(I, V)    EXECUTOR_CSR_BLOCK_##V,
#define NODES_ID(I)       EXECUTOR_NODES_##I,
#define TILED_ID(I, V)    EXECUTOR_TILED_##V,
#define DIAGONAL_ID(I, V) EXECUTOR_DIAGONAL_##V,
#define SLICED_ID(I, V)   EXECUTOR_SLICED_##I##_##V,
#define FITTED_ID(I, V)   SLICED_ID(I, V)

/* By lanes */
#define EACH_CSR(do, I, V) \
  do (I, V, 1) do(I, V, 2) do(I, V, 4) do(I, V, 8) do(I, V, 16) do(I, V, 32)
/* Rows with codes of their own have kernels of 4 and 8 lanes alone: each coding is compiled for every instruction set */
#define EACH_CODED(do, I, V) do (I, V, 4) do(I, V, 8)
/* All kernels by their codings: functions are made of them, and lines of the table */
/* clang-format off */
#define EACH_KERNEL(csr, pattern, block, nodes, sliced, tiled, diagonal, fitted) \
  EACH_CSR(csr, CSR, CSR) \
  EACH_CSR(csr, CSR, CONSTANT) \
  EACH_CSR(csr, 16, CSR) \
  EACH_CODED(csr, CSR, DICTIONARY) \
  EACH_FLOAT32(EACH_CODED(csr, CSR, FLOAT32)) \
  EACH_CODED(csr, 16, DICTIONARY) \
  EACH_FLOAT32(EACH_CODED(csr, 16, FLOAT32)) \
  EACH_CODED(csr, 16, CONSTANT) \
  EACH_IN_PLACE(pattern, PATTERN) \
  pattern(PATTERN, PATTERN) \
  EACH_IN_PLACE(block, CSR) \
  nodes(16) \
  nodes(32) \
  EACH_STORED(sliced, 32) \
  EACH_STORED(sliced, 16) \
  EACH_STORED(sliced, PATTERN) \
  sliced(32, CONSTANT) \
  sliced(16, CONSTANT) \
  EACH_STORED(tiled, 16) \
  tiled(16, CONSTANT) \
  EACH_STORED(diagonal, PATTERN) \
  EACH_STORED(fitted, FITTED) \
  fitted(FITTED, CONSTANT)
/* clang-format on */

/* Slices of strips of rows of one length; patterns have none */
#define NO_STRIPS(I, V) static const StripKernel *const STRIPS_##I##_##V = NULL;
EACH_STORED(STRIP_KERNELS, 32)
EACH_STORED(STRIP_KERNELS, 16)
STRIP_KERNELS(32, CONSTANT)
STRIP_KERNELS(16, CONSTANT)
EACH_STORED(NO_STRIPS, PATTERN)
#if defined(VALUE_FEW)
STRIP_KERNELS(32, FEW)
STRIP_KERNELS(16, FEW)
#else
  #define STRIPS_32_FEW NULL
  #define STRIPS_16_FEW NULL
#endif
#define STRIPS_PATTERN_FEW NULL

EACH_KERNEL(CSR_PAIR, PATTERN_PAIR, BLOCK_PAIR, NODES_PAIR, SLICED_PAIR, TILED_PAIR, DIAGONAL_PAIR, FITTED_PAIR)

enum {
  EXECUTOR_EMPTY,
  EXECUTOR_TILE,
  EACH_KERNEL(CSR_ID, PATTERN_ID, BLOCK_ID, NODES_ID, SLICED_ID, TILED_ID, DIAGONAL_ID, FITTED_ID) EXECUTORS
};
_Static_assert(EXECUTORS <= AUTOCSR_MAX_EXECUTORS, "AUTOCSR_MAX_EXECUTORS is too small");

/* clang-format off */
const AutoCSRHostExecutor HOST_EXECUTORS[] = {
  {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, AUTOCSR_MAP_EMPTY, 0, {"empty", EmptyMultiply, EmptyTranspose, EXECUTOR_EMPTY}},
  {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, AUTOCSR_MAP_TILE, 0, {"csr/tile", TileMultiply, CSR_CSR_CSR_1Transpose, EXECUTOR_TILE}},
  EACH_KERNEL(CSR_LINE, PATTERN_LINE, BLOCK_LINE, NODES_LINE, SLICED_LINE, TILED_LINE, DIAGONAL_LINE, FITTED_LINE)
  {.executor.name = NULL}
};
/* clang-format on */

/* Products with dense matrices gather nothing: once for each instruction set */
#if defined(HOST_DENSE)
DENSE_KERNEL(1)
DENSE_KERNEL(2)
DENSE_KERNEL(4)
SAMPLED_KERNEL(1)
SAMPLED_KERNEL(2)
SAMPLED_KERNEL(4)
ADAPTIVE_KERNELS(1)
ADAPTIVE_KERNELS(2)
ADAPTIVE_KERNELS(4)

const AutoCSRHostDenseKernels HOST_DENSE = {LANES, {Dense1, Dense2, Dense4}, {Sampled1, Sampled2, Sampled4}, {DenseAdaptive1, DenseAdaptive2, DenseAdaptive4}, {SampledAdaptive1, SampledAdaptive2, SampledAdaptive4}};
#endif
