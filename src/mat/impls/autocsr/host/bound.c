/*
  Binding of a plan: what products with its segments need to know of the matrix and would find out again each time.
*/
#include "bound.h"
#include "executors.h"

/* Found with `make bench` on matrices of sizes around them, of which each is multiplied with and without prefetches */
#define LAST_CACHE 1e7       /* bytes of a product that stay in a core's share of the last cache: the processor's own prefetch keeps up with that, where ours only costs */
#define X_ROWS     16        /* block rows of a sample */
#define X_BLOCKS   8         /* blocks of each of these, at most */
#define X_NEAR     (4 << 10) /* columns of x that the first-level cache surely holds */
#define X_BESIDE   64        /* columns of x: some lines */

/*
  Do blocks lie far from their rows, where the block row before has none either? By a few blocks of a few block rows. The lines of x that they read are asked for some blocks ahead, since few are on
  their way at once otherwise: a branch at the end of each short block row, and its sums, lie between them. Of grids and meshes these are in a cache, and asking costs
*/
static PetscBool BlocksAreScattered(const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt b = seg->axes.block, rows = b > 1 ? seg->n_rows / b : 0;
  PetscInt       seen = 0, scattered = 0;

  if (seg->axes.index == AUTOCSR_INDEX_CSR) return PETSC_FALSE;
  for (PetscInt i = 0; i < X_ROWS && rows > X_ROWS; i++) {
    const PetscInt row = seg->row_begin + (rows / X_ROWS * i + 1) * b, end = csr->row_ptr[row] + PetscMin(csr->row_ptr[row + 1] - csr->row_ptr[row], X_BLOCKS * b);
    PetscInt       p = csr->row_ptr[row - b];

    for (PetscInt q = csr->row_ptr[row], left = end - q; left > 0; q += PetscMin(left, b), left -= b) {
      const PetscInt col = csr->col[q];

      while (p < csr->row_ptr[row - b + 1] && csr->col[p] < col - X_BESIDE) p++;
      scattered += (col < row - X_NEAR || col - X_NEAR > row) && (p == csr->row_ptr[row - b + 1] || csr->col[p] - X_BESIDE > col);
      seen++;
    }
  }
  return (PetscBool)(4 * scattered > seen);
}

PetscErrorCode AutoCSRHostBind(AutoCSRPlan *plan, const AutoCSRMatrix *csr)
{
  AutoCSRBound *bound;
  double        bytes = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(PetscMax(plan->n_segments, 1), &bound));
  plan->launch = bound;
  for (PetscInt s = 0; s < plan->n_segments; s++) bytes += plan->segment[s].bytes;
  for (PetscInt s = 0; s < plan->n_segments; s++, bound++) {
    AutoCSRSegment      *seg = &plan->segment[s];
    const AutoCSRMatrix *of  = AutoCSRPlanMatrixOf(plan, seg, csr);

    seg->launch = bound;
    seg->far    = (PetscBool)(bytes > LAST_CACHE);
    PetscCall(AutoCSRStripsFind(seg, of, &bound->n_strips, &bound->strip));
    bound->scattered = BlocksAreScattered(seg, of);
    PetscCall(AutoCSRContestBegin(seg, &bound->contest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostUnbind(AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    AutoCSRBound *bound = (AutoCSRBound *)plan->launch + s;

    PetscCall(PetscFree(bound->strip));
    PetscCall(PetscFree(bound->contest));
    plan->segment[s].launch    = NULL;
    plan->segment[s].contested = PETSC_FALSE;
  }
  PetscCall(PetscFree(plan->launch));
  PetscFunctionReturn(PETSC_SUCCESS);
}
