/*
  Nodes: runs of rows with the same columns, as those of the unknowns of one point of a mesh are, whatever its neighbours have: where
  some unknowns are fixed and left out nothing is made of dense aligned blocks any more, but of nodes.
*/
#include "passes.h"

static PetscBool HaveSameColumns(const AutoCSRMatrix *csr, PetscInt row, PetscInt other)
{
  const PetscInt begin = csr->row_ptr[row], length = csr->row_ptr[row + 1] - begin, from = csr->row_ptr[other];

  if (csr->row_ptr[other + 1] - from != length) return PETSC_FALSE;
  return (PetscBool)(!length || (csr->col[begin] == csr->col[from] && !memcmp(csr->col + begin, csr->col + from, (size_t)length * sizeof(*csr->col)))); /* mostly the first tells */
}

PetscInt AutoCSRNodeEnd(const AutoCSRMatrix *csr, PetscInt row, PetscInt row_end)
{
  PetscInt end = row + 1;

  while (end < row_end && end - row < AUTOCSR_NODE_ROWS && HaveSameColumns(csr, row, end)) end++;
  return end;
}

#define FEW 8 /* of so many sampled rows one */

/* Fewer than one row in FEW has the columns of the next: it is not worth to look at all */
static PetscBool SampleShowsFew(const AutoCSRMatrix *csr, const AutoCSRZone *zone)
{
  const PetscInt rows = zone->row_end - zone->row_begin, samples = AutoCSRSampleRows(rows);
  PetscInt       same = 0;

  for (PetscInt k = 0; k < samples; k++) {
    const PetscInt row = zone->row_begin + AutoCSRSampleRow(rows, samples, k);

    same += row + 1 < zone->row_end && HaveSameColumns(csr, row, row + 1);
  }
  return (PetscBool)(same * FEW < samples);
}

void AutoCSRProfileNodes(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  for (PetscInt c = 0; c < profile->zones; c++) {
    AutoCSRZone *zone = &profile->zone[c];

    if (SampleShowsFew(csr, zone)) {
      zone->nodes        = zone->row_end - zone->row_begin;
      zone->node_entries = zone->nnz;
      continue;
    }
    for (PetscInt row = zone->row_begin, end; row < zone->row_end; row = end) {
      end = AutoCSRNodeEnd(csr, row, zone->row_end);
      zone->nodes++;
      zone->node_entries += csr->row_ptr[row + 1] - csr->row_ptr[row];
    }
  }
}
