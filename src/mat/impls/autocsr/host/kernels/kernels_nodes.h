/*
  Kernels over runs of rows with the same columns (i-nodes, as MATAIJ's): a column and its entry of x are found once for all rows of a node, the values
  are the CSR's. Each row has sums of its own, vectors of neighbouring entries, which are added at its end.
*/
#ifndef AUTOCSR_HOST_KERNELS_NODES_H
#define AUTOCSR_HOST_KERNELS_NODES_H

#include "kernels_csr.h"
#include "../../layout/nodes.h"

#define NODE_SUMS       8         /* vectors of sums that are kept at once: they hide the latency of additions, and fit the registers */
#define NODE_AHEAD      (4 << 10) /* values between what is read and what is prefetched */
#define NODE_AHEAD_SLOW 512       /* bytes, the same of streams of which a node takes few */

_Static_assert(AUTOCSR_NODE_ROWS <= NODE_SUMS && AUTOCSR_NODE_ROWS == 8, "Each row has a sum, and a case below");

/* A node: where its rows' values begin, one row after the other, and its columns, which x has been advanced for */
typedef struct {
  PetscInt           row, length;
  const PetscScalar *value;
  Entries            columns;
  const PetscScalar *x;
} NodeRows;

/*
  As many lines as the node has, if that is no more than lies ahead (longer rows are read ahead by the processor itself), at once and into the second-level cache: asked for bit by bit while the rows are walked side by side, or into the first one, they come too late
*/
KERNEL void NodePrefetch(const AutoCSROperands *op, const NodeRows *n, const AutoCSRNode *node, PetscInt rows, size_t code_bytes)
{
  for (PetscInt q = 0; q < rows * n->length; q += LINE) __builtin_prefetch(n->value + NODE_AHEAD + q, 0, 2);
  for (size_t q = 0; q < (size_t)n->length * code_bytes; q += LINE * sizeof(PetscScalar)) __builtin_prefetch((const char *)n->columns.index + NODE_AHEAD_SLOW + q);
  __builtin_prefetch((const char *)node + NODE_AHEAD_SLOW);
  __builtin_prefetch((const char *)(op->csr->row_ptr + n->row) + NODE_AHEAD_SLOW);
  __builtin_prefetch((char *)(op->y + n->row) + NODE_AHEAD_SLOW, 1);
}

/* The next LANES entries of each row */
KERNEL void NodeAdd(const NodeRows *n, AutoCSRIndex index, PetscInt t, int rows, Vector sum[])
{
  const Vector x = EntryGather(n->columns, index, (size_t)t, n->x);

  UNROLL
  for (int i = 0; i < rows; i++) sum[i] = VectorMultiplyAdd(sum[i], VectorLoad(n->value + (i * n->length + t)), x);
}

#if SIMD_BYTES == 64 && defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
/* The last entries of each row, fewer than LANES. What lies past them is neither read nor multiplied */
KERNEL void NodeAddLast(const NodeRows *n, AutoCSRIndex index, PetscInt t, int rows, Vector sum[])
{
  const int      last = (int)(n->length - t);
  const __mmask8 mask = (__mmask8)((1 << last) - 1);
  Vector         x;

  #define ONE_X(l) n->x[EntryColumn(n->columns, index, (size_t)(t + ((l) < last ? (l) : 0)))]
  VECTOR_OF(x, ONE_X);
  #undef ONE_X
  x.re = (RealVector)_mm512_maskz_mov_pd(mask, (__m512d)x.re);
  UNROLL
  for (int i = 0; i < rows; i++) sum[i] = VectorMultiplyAdd(sum[i], (Vector){.re = (RealVector)_mm512_maskz_loadu_pd(mask, n->value + (i * n->length + t))}, x);
}
  #define NODE_LAST_AT_ONCE
#endif

/* Rows of few entries, column by column: to add a vector up for each row takes longer than they do */
KERNEL void NodeMultiplyShort(const AutoCSROperands *op, const NodeRows *n, AutoCSRIndex index, int rows)
{
  PetscScalar sum[NODE_SUMS];

  UNROLL
  for (int i = 0; i < rows; i++) sum[i] = AddendOf(op, n->row + i);
  for (PetscInt t = 0; t < n->length; t++) {
    const PetscScalar x = n->x[EntryColumn(n->columns, index, (size_t)t)];

    UNROLL
    for (int i = 0; i < rows; i++) sum[i] = ScalarMultiplyAdd(sum[i], n->value[i * n->length + t], x);
  }
  UNROLL
  for (int i = 0; i < rows; i++) op->y[n->row + i] = sum[i];
}

KERNEL void NodeMultiply(const AutoCSROperands *op, const NodeRows *n, AutoCSRIndex index, int rows)
{
  const int turns = PetscMax(1, NODE_SUMS / rows); /* vectors of each row at once */
  Vector    sum[NODE_SUMS];
  PetscInt  t = 0;

  if (n->length < AUTOCSR_NODE_SHORT) {
    NodeMultiplyShort(op, n, index, rows);
    return;
  }
  UNROLL
  for (int i = 0; i < turns * rows; i++) sum[i] = VectorZero();
  for (; t + turns * LANES <= n->length; t += turns * LANES) {
    UNROLL
    for (int u = 0; u < turns; u++) NodeAdd(n, index, t + u * LANES, rows, sum + u * rows);
  }
  for (; t + LANES <= n->length; t += LANES) NodeAdd(n, index, t, rows, sum);
  UNROLL
  for (int i = rows; i < turns * rows; i++) sum[i % rows] = VectorAdd(sum[i % rows], sum[i]);
#if defined(NODE_LAST_AT_ONCE)
  if (t < n->length) NodeAddLast(n, index, t, rows, sum);
  t = n->length;
#endif
  UNROLL
  for (int i = 0; i < rows; i++) {
    PetscScalar s = AddendOf(op, n->row + i) + VectorSum(sum[i]);

    for (PetscInt last = t; last < n->length; last++) s = ScalarMultiplyAdd(s, n->value[i * n->length + last], n->x[EntryColumn(n->columns, index, (size_t)last)]);
    op->y[n->row + i] = s;
  }
}

/* y += rows of the node transposed times x */
KERNEL void NodeScatter(const AutoCSROperands *op, const NodeRows *n, AutoCSRIndex index, int rows, PetscScalar *y)
{
  for (PetscInt t = 0; t < n->length; t++) {
    const size_t c = EntryColumn(n->columns, index, (size_t)t);
    PetscScalar  s = y[c];

    UNROLL
    for (int i = 0; i < rows; i++) s = ScalarMultiplyAdd(s, ScalarConjugateIf(n->value[i * n->length + t], op->conjugate), op->x[n->row + i]);
    y[c] = s;
  }
}

KERNEL void NodesRun(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRIndex index, PetscBool transpose)
{
  const PetscInt    *row_ptr = op->csr->row_ptr, nodes = AutoCSRSegmentNodes(seg);
  const AutoCSRNode *node = (const AutoCSRNode *)seg->stream[AUTOCSR_STREAM_NODE].data;
  const Entries      e    = {seg->stream[AUTOCSR_STREAM_INDEX].data, NULL, NULL};
  const PetscBool    far  = seg->far;

  for (PetscInt i = 0; i < nodes; i++, node++) {
    const PetscInt rows = node[1].row - node->row;
    const NodeRows n    = {.row = node->row, .length = row_ptr[node->row + 1] - row_ptr[node->row], .value = op->csr->val + row_ptr[node->row], .columns = EntriesFrom(e, index, AUTOCSR_VALUE_CONSTANT, (size_t)node->code), .x = op->x + node->base};

    if (far && rows * n.length <= NODE_AHEAD) NodePrefetch(op, &n, node, rows, IndexSize(index));
#define RUN_ROWS(b)                                    \
case b:                                                \
  if (transpose)                                       \
    NodeScatter(op, &n, index, b, op->y + node->base); \
  else                                                 \
    NodeMultiply(op, &n, index, b);                    \
  break;
    switch (rows) {
      RUN_ROWS(1)
      RUN_ROWS(2)
      RUN_ROWS(3)
      RUN_ROWS(4)
      RUN_ROWS(5)
      RUN_ROWS(6)
      RUN_ROWS(7)
      RUN_ROWS(8)
    }
#undef RUN_ROWS
  }
}

#endif
