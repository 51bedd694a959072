/*
  The plan of one block: a list of segments (layout/segment.h). A plan says how a product is made; it holds no kernel.
*/
#ifndef AUTOCSR_PLAN_H
#define AUTOCSR_PLAN_H

#include "../layout/segment.h"

/*
  Operands of a product with one segment. `mult` kernels write y = z + A x for the segment's rows; z NULL: y = A x; z may be
  y. `transpose` kernels add to a y that the caller has set: y += A^T x, or A^H x if `conjugate`.
*/
typedef struct {
  const AutoCSRMatrix *csr;
  const PetscScalar   *x;
  const PetscScalar   *z;
  PetscScalar         *y;
  PetscBool            conjugate;
} AutoCSROperands;

#define AUTOCSR_MAX_EXECUTORS 128 /* of a backend */

/* A kernel that runs segments with certain axes. host/ and cuda/ own tables of executors; bound segments point to their entries */
struct _AutoCSRExecutor {
  const char *name; /* such as "sliced/16/copy": in views, and in the file of figures */
  void (*mult)(const AutoCSRSegment *, const AutoCSROperands *);
  void (*transpose)(const AutoCSRSegment *, const AutoCSROperands *);
  int id; /* below AUTOCSR_MAX_EXECUTORS, another for each executor of a backend's instruction set: the figures find its costs by it */
};

/*
  The block's entries up to `reach` columns from the diagonal and all others, each as a CSR of its own, in the plan's memory. Segments of near entries
  have the first one in the place of the block's CSR, those of far ones the second (COL_DIV by nearness). Once the plan is bound
  there is no profile, and col and val are there only where a segment reads them in place
*/
typedef struct {
  PetscInt        reach;
  AutoCSRMatrix   part[2];
  AutoCSRProfile *profile[2];
} AutoCSRDivision;

typedef struct {
  PetscInt              m, n, nnz;
  AutoCSRDivision      *division; /* NULL: segments have all entries of their rows */
  PetscInt              n_segments, max_segments;
  AutoCSRSegment       *segment;
  const AutoCSRBackend *backend; /* in whose memory the streams lie */
  void                 *launch;  /* of the backend, once the plan is bound */
  double                predicted, measured;
  double                joules; /* of a product; 0: not counted */
  PetscBool             parents; /* forward products are the parent type's own: rows in place, which it multiplies faster */
  const char           *by;              /* who chose it; NULL: nobody chose */
  char                  deciding[160];   /* features, or the cost model's terms, that decided */
  char                  runner_up[32];   /* the next best strategy; empty: there is none */
  double                runner_up_predicted;
  char                  chooser[640]; /* the same in words, with seconds; empty: nobody chose */
  char                  why[640]; /* one sentence: what the planner chose, and why */
} AutoCSRPlan;

/* plan/plan.c: life, invariants, sizes */
PETSC_INTERN PetscErrorCode AutoCSRPlanCreate(const AutoCSRMatrix *, AutoCSRPlan **);
PETSC_INTERN PetscErrorCode AutoCSRPlanDestroy(AutoCSRPlan **);
/* The segment's address is valid until the next call */
PETSC_INTERN PetscErrorCode AutoCSRPlanAddSegment(AutoCSRPlan *, const char *, const AutoCSRAxes *, AutoCSRSegment **);
/* plan/check.c: each nonzero and each row once, and streams that decode to the CSR bit for bit */
PETSC_INTERN PetscErrorCode AutoCSRPlanCheck(const AutoCSRPlan *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPlanGetBytes(const AutoCSRPlan *, PetscInt64 *own, double *moved);

/*
  plan/encode.c. Fills every stream that the axes call for. The caller has set row_begin, n_rows and, if the rows are named,
  ROWS. Sets nnz (which the caller may have set already), n_slices, n_patterns and bytes. Loops on the host and kernels in
  cuda/ run the same text on one row or slice, that of the layouts' headers.

  AutoCSRSegmentSortRows() makes ROWS for a contiguous segment with a sort window, or sorts the rows that ROWS names:
  stable, longest first.
*/
PETSC_INTERN PetscErrorCode AutoCSRSegmentSortRows(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRSegmentEncode(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);
PETSC_INTERN PetscErrorCode AutoCSRSegmentSortRows_Host(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRSegmentEncode_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);

/*
  plan/refresh.c: new values, same structure. *fits is false if a value coding cannot hold them; the plan is unchanged then,
  and the caller makes another
*/
PETSC_INTERN PetscErrorCode AutoCSRPlanRefresh(AutoCSRPlan *, const AutoCSRMatrix *, PetscBool *fits);
PETSC_INTERN PetscErrorCode AutoCSRPlanRefresh_Host(AutoCSRPlan *, const AutoCSRMatrix *, PetscInt most, PetscBool use_float32, PetscBool *fits);

/*
  plan/division.c. Create: both parts, with profiles. Renew: with the new values of the matrix. Trim: what the plan's segments do not read goes. MatrixOf:
  the CSR that the segment's streams are of; OperandsOf: of a product with it, which the far entries add to y; in `room` if they are others than the block's
*/
PETSC_INTERN PetscErrorCode AutoCSRDivisionCreate(const AutoCSRMatrix *, PetscInt reach, AutoCSRDivision **);
PETSC_INTERN PetscErrorCode AutoCSRDivisionDestroy(AutoCSRDivision **);
PETSC_INTERN PetscErrorCode AutoCSRDivisionCopy(const AutoCSRDivision *, const AutoCSRBackend *, AutoCSRDivision **);
PETSC_INTERN PetscErrorCode AutoCSRDivisionRenew(AutoCSRDivision *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRDivisionTrim(const AutoCSRPlan *);
PETSC_INTERN PetscInt64     AutoCSRDivisionBytes(const AutoCSRDivision *);
PETSC_INTERN PetscErrorCode AutoCSRMatrixDivide_Host(const AutoCSRMatrix *, PetscInt reach, AutoCSRNearness, AutoCSRMatrix *);

static inline const AutoCSRMatrix *AutoCSRPlanMatrixOf(const AutoCSRPlan *plan, const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  return seg->row_set.nearness ? &plan->division->part[seg->row_set.nearness - 1] : csr;
}

static inline const AutoCSROperands *AutoCSRPlanOperandsOf(const AutoCSRPlan *plan, AutoCSRNearness nearness, const AutoCSROperands *op, AutoCSROperands *room)
{
  if (!nearness) return op;
  *room     = *op;
  room->csr = &plan->division->part[nearness - 1];
  if (nearness == AUTOCSR_NEARNESS_FAR) room->z = room->y; /* the near ones are there */
  return room;
}

/* plan/copy.c: a matrix and its plan in the memory of another backend; the copy of the plan is not bound */
PETSC_INTERN PetscErrorCode AutoCSRMatrixCopy(const AutoCSRMatrix *, const AutoCSRBackend *, AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRMatrixCopyDestroy(AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPlanCopy(const AutoCSRPlan *, const AutoCSRBackend *, AutoCSRPlan **);

/* plan/interpret.c, the reference: any plan, entry by entry through the decoders */
PETSC_INTERN PetscErrorCode AutoCSRPlanInterpret(const AutoCSRPlan *, const AutoCSROperands *);
PETSC_INTERN PetscErrorCode AutoCSRPlanInterpretTranspose(const AutoCSRPlan *, const AutoCSROperands *);

#endif
