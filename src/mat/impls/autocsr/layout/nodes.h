/* Layout nodes, for encoders and kernels */
#ifndef AUTOCSR_NODES_H
#define AUTOCSR_NODES_H

#include "segment.h"

/* A node: neighbouring rows with the same columns, up to the row of the next node */
typedef struct {
  PetscInt row, code; /* the first row, and where its columns begin in INDEX */
  PetscInt base;      /* where 16-bit codes count from; else 0 */
} AutoCSRNode;

AUTOCSR_HD PetscInt AutoCSRSegmentNodes(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_NODE].bytes / sizeof(AutoCSRNode)) - 1;
}

#endif
