/*
  The reference executor: any plan, entry by entry through the decoders. Slow and plain; the kernels are compared with it.
*/
#include "plan.h"
#include "../layout/layout.h"

/* y = z + A x; z NULL: y = A x; z may be y */
PetscErrorCode AutoCSRPlanInterpret(const AutoCSRPlan *plan, const AutoCSROperands *o)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    const AutoCSRSegment  *seg    = &plan->segment[i];
    const AutoCSRLayout   *layout = AutoCSRLayoutOf(&seg->axes);
    AutoCSROperands        room;
    const AutoCSROperands *of = AutoCSRPlanOperandsOf(plan, seg->row_set.nearness, o, &room);

    for (PetscInt k = 0; k < seg->n_rows; k++) {
      const PetscInt row = AutoCSRSegmentRow(seg, k), length = AutoCSRSegmentRowLength(seg, of->csr, k);
      PetscScalar    sum = 0;

      for (PetscInt t = 0; t < length; t++) sum += AutoCSRDecodeValue(layout, seg, of->csr, k, t) * of->x[(*layout->column)(seg, of->csr, k, t)];
      of->y[row] = of->z ? of->z[row] + sum : sum;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = z + A^T x, or z + A^H x if conjugate; z NULL: without it; z may be y */
PetscErrorCode AutoCSRPlanInterpretTranspose(const AutoCSRPlan *plan, const AutoCSROperands *o)
{
  PetscFunctionBegin;
  if (!o->z)
    PetscCall(PetscArrayzero(o->y, plan->n));
  else if (o->z != o->y)
    PetscCall(PetscArraycpy(o->y, o->z, plan->n));
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    const AutoCSRSegment *seg    = &plan->segment[i];
    const AutoCSRLayout  *layout = AutoCSRLayoutOf(&seg->axes);
    const AutoCSRMatrix  *csr    = AutoCSRPlanMatrixOf(plan, seg, o->csr);

    for (PetscInt k = 0; k < seg->n_rows; k++) {
      const PetscInt    length = AutoCSRSegmentRowLength(seg, csr, k);
      const PetscScalar alpha  = o->x[AutoCSRSegmentRow(seg, k)];

      for (PetscInt t = 0; t < length; t++) {
        const PetscScalar a = AutoCSRDecodeValue(layout, seg, csr, k, t);

        o->y[(*layout->column)(seg, csr, k, t)] += (o->conjugate ? PetscConj(a) : a) * alpha;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
