/*
  The kernel text as a table: included once for each instruction set, which names the table HOST_EXECUTORS. What a kernel
  runs is fixed here, at compile time, by one line.
*/
#include "kernels_block.h"
#include "kernels_diagonal.h"
#include "kernels_fitted.h"
#include "kernels_nodes.h"
#include "kernels_sliced.h"
#include "kernels_tile.h"
#include "kernels_tiled.h"
#include "executors.h"

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
#define CSR_PAIR(I, V, L) KERNEL_PAIR(CSR_##I##_##V##_##L, CSRMultiply(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, L), CSRTranspose(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V))
#define PATTERN_PAIR(V)   KERNEL_PAIR(CSR_PATTERN_##V, CSRPatternRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), CSRPatternRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))
#define BLOCK_PAIR(V)     KERNEL_PAIR(CSR_BLOCK_##V, BlockRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), BlockRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))
#define SLICED_PAIR(I, V) KERNEL_PAIR(SLICED_##I##_##V, SlicedMultiply(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, RUNS_##I##_##V, RUNS_##I##_FEW), SlicedTranspose(seg, op, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V))
#define NO_RUNS(I, V)     static const RunKernel *const RUNS_##I##_##V = NULL;
#define TILED_PAIR(V)     KERNEL_PAIR(TILED_##V, TiledRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), TiledRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))
#define DIAGONAL_PAIR(V)  KERNEL_PAIR(DIAGONAL_##V, DiagonalMultiply(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), DiagonalTranspose(seg, op, AUTOCSR_VALUE_##V))
#define NAME_CSR          "csr"
#define NAME_32           "32"
#define NAME_16           "16"
#define NAME_PATTERN      "pattern"
#define NAME_COPY         "copy"
#define NAME_DICTIONARY   "dictionary"
#define NAME_FITTED       "fitted"
#define NAME_FLOAT32      "float32"
#define NAME_CONSTANT     "constant"
#define CSR_LINE(I, V, L) {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, L, {"csr/" NAME_##I "/" NAME_##V "/lanes" #L, CSR_##I##_##V##_##L##Multiply, CSR_##I##_##V##_##L##Transpose}},
#define PATTERN_LINE(V)   {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_PATTERN, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, 0, {"csr/pattern/" NAME_##V, CSR_PATTERN_##V##Multiply, CSR_PATTERN_##V##Transpose}},
#define BLOCK_LINE(V)     {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, 0, {"csr/block/" NAME_##V, CSR_BLOCK_##V##Multiply, CSR_BLOCK_##V##Transpose}, PETSC_TRUE},
#define TILED_LINE(V)     {AUTOCSR_ORDER_TILED, AUTOCSR_INDEX_16, AUTOCSR_VALUE_##V, AUTOCSR_MAP_GROUP, 1, {"tiled/16/" NAME_##V, TILED_##V##Multiply, TILED_##V##Transpose}},
#define DIAGONAL_LINE(V)  {AUTOCSR_ORDER_DIAGONAL, AUTOCSR_INDEX_PATTERN, AUTOCSR_VALUE_##V, AUTOCSR_MAP_LANES, 0, {"diagonal/" NAME_##V, DIAGONAL_##V##Multiply, DIAGONAL_##V##Transpose}},
#define FITTED_PAIR(V)    KERNEL_PAIR(SLICED_FITTED_##V, FittedRun(seg, op, AUTOCSR_VALUE_##V, PETSC_FALSE), FittedRun(seg, op, AUTOCSR_VALUE_##V, PETSC_TRUE))
#define SLICED_LINE(I, V) {AUTOCSR_ORDER_SLICED, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V, AUTOCSR_MAP_SLICE, 0, {"sliced/" NAME_##I "/" NAME_##V, SLICED_##I##_##V##Multiply, SLICED_##I##_##V##Transpose}},
#define EACH_CSR(do, I, V) \
  do (I, V, 1) do(I, V, 2) do(I, V, 4) do(I, V, 8) do(I, V, 16) do(I, V, 32)
/* Where PetscScalar is single, float32 narrows nothing */
#if defined(PETSC_USE_REAL_SINGLE)
  #define EACH_FLOAT32(...)
#else
  #define EACH_FLOAT32(...) __VA_ARGS__
#endif
#define EACH_PATTERN(do) \
  do (CSR) do(DICTIONARY) EACH_FLOAT32(do(FLOAT32))
#define EACH_STORED(do) \
  do (COPY) do(DICTIONARY) EACH_FLOAT32(do(FLOAT32))
#define EACH_SLICED(do, I) \
  do (I, COPY) do(I, DICTIONARY) EACH_FLOAT32(do(I, FLOAT32))

EACH_CSR(CSR_PAIR, CSR, CSR)
EACH_CSR(CSR_PAIR, CSR, CONSTANT)
EACH_CSR(CSR_PAIR, 16, CSR)
EACH_PATTERN(PATTERN_PAIR)
PATTERN_PAIR(PATTERN)
EACH_PATTERN(BLOCK_PAIR)
KERNEL_PAIR(NODES_16, NodesRun(seg, op, AUTOCSR_INDEX_16, PETSC_FALSE), NodesRun(seg, op, AUTOCSR_INDEX_16, PETSC_TRUE))
KERNEL_PAIR(NODES_32, NodesRun(seg, op, AUTOCSR_INDEX_32, PETSC_FALSE), NodesRun(seg, op, AUTOCSR_INDEX_32, PETSC_TRUE))
EACH_SLICED(RUN_KERNELS, 32)
EACH_SLICED(RUN_KERNELS, 16)
RUN_KERNELS(32, CONSTANT)
RUN_KERNELS(16, CONSTANT)
EACH_SLICED(NO_RUNS, PATTERN)
#if defined(VALUE_FEW)
RUN_KERNELS(32, FEW)
RUN_KERNELS(16, FEW)
#else
  #define RUNS_32_FEW NULL
  #define RUNS_16_FEW NULL
#endif
#define RUNS_PATTERN_FEW NULL
EACH_SLICED(SLICED_PAIR, 32)
EACH_SLICED(SLICED_PAIR, 16)
EACH_SLICED(SLICED_PAIR, PATTERN)
SLICED_PAIR(32, CONSTANT)
SLICED_PAIR(16, CONSTANT)
EACH_STORED(TILED_PAIR)
TILED_PAIR(CONSTANT)
EACH_STORED(DIAGONAL_PAIR)
EACH_STORED(FITTED_PAIR)
FITTED_PAIR(CONSTANT)

/* clang-format off */
const AutoCSRHostExecutor HOST_EXECUTORS[] = {
  {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, AUTOCSR_MAP_EMPTY, 0, {"empty", EmptyMultiply, EmptyTranspose}},
  {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, AUTOCSR_MAP_TILE, 0, {"csr/tile", TileMultiply, CSR_CSR_CSR_1Transpose}},
  EACH_CSR(CSR_LINE, CSR, CSR)
  EACH_CSR(CSR_LINE, CSR, CONSTANT)
  EACH_CSR(CSR_LINE, 16, CSR)
  EACH_PATTERN(PATTERN_LINE)
  PATTERN_LINE(PATTERN)
  EACH_PATTERN(BLOCK_LINE)
  {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_16, AUTOCSR_VALUE_CSR, AUTOCSR_MAP_NODES, 0, {"nodes/16", NODES_16Multiply, NODES_16Transpose}},
  {AUTOCSR_ORDER_CSR, AUTOCSR_INDEX_32, AUTOCSR_VALUE_CSR, AUTOCSR_MAP_NODES, 0, {"nodes/32", NODES_32Multiply, NODES_32Transpose}},
  EACH_SLICED(SLICED_LINE, 32)
  EACH_SLICED(SLICED_LINE, 16)
  EACH_SLICED(SLICED_LINE, PATTERN)
  SLICED_LINE(32, CONSTANT)
  SLICED_LINE(16, CONSTANT)
  EACH_STORED(TILED_LINE)
  TILED_LINE(CONSTANT)
  EACH_STORED(DIAGONAL_LINE)
  EACH_SLICED(SLICED_LINE, FITTED)
  SLICED_LINE(FITTED, CONSTANT)
  {.executor.name = NULL}
};
/* clang-format on */
