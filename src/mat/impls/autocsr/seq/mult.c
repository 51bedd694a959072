/*
  The products of MATSEQAUTOCSR: bring the plan up to date, hand the arrays to it; without a plan, the parent's product.
*/
#include "seqautocsr.h"
#include <petsc/private/vecimpl.h>
#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/runtime/record.h"
#endif

/* The operands are where the plan is. y holds z where both are the same vector, else nothing that is needed */
static PetscErrorCode AutoCSROperandsGet_Host(Vec x, Vec z, Vec y, AutoCSROperands *o)
{
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &o->x));
  if (z == y) {
    PetscCall(VecGetArray(y, &o->y));
    o->z = o->y;
  } else {
    if (z) PetscCall(VecGetArrayRead(z, &o->z));
    PetscCall(VecGetArrayWrite(y, &o->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSROperandsRestore_Host(Vec x, Vec z, Vec y, AutoCSROperands *o)
{
  PetscFunctionBegin;
  if (z == y)
    PetscCall(VecRestoreArray(y, &o->y));
  else {
    PetscCall(VecRestoreArrayWrite(y, &o->y));
    if (z) PetscCall(VecRestoreArrayRead(z, &o->z));
  }
  PetscCall(VecRestoreArrayRead(x, &o->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a vector on the host has, in the memory of the plan. The room for it stays with the plan */
static PetscErrorCode AutoCSROperandCopy(AutoCSRContext *ctx, PetscInt k, const PetscScalar *from, PetscInt n, PetscScalar **copy)
{
  const AutoCSRBackend *backend = ctx->planned.plan->backend;
  const size_t          bytes   = (size_t)n * sizeof(PetscScalar);

  PetscFunctionBegin;
  if (!ctx->copy[k]) PetscCall((*backend->allocate)((size_t)PetscMax(ctx->csr.m, ctx->csr.n) * sizeof(PetscScalar), (void **)&ctx->copy[k]));
  *copy = ctx->copy[k];
  if (from) {
    PetscCall((*backend->from_host)(*copy, from, bytes));
    PetscCall(PetscLogCpuToGpu((PetscLogDouble)bytes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of the vectors on the host, if they are there: NULL otherwise */
typedef struct {
  const PetscScalar *x, *z;
  PetscScalar       *y;
} AutoCSRHostOperands;

static PetscErrorCode AutoCSROperandsGet_Device(AutoCSRContext *ctx, Vec x, Vec z, Vec y, AutoCSROperands *o, AutoCSRHostOperands *host)
{
  PetscScalar *copy;
  PetscMemType memtype;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &o->x, &memtype));
  if (PetscUnlikely(PetscMemTypeHost(memtype))) {
    host->x = o->x;
    PetscCall(AutoCSROperandCopy(ctx, 0, host->x, x->map->n, &copy));
    o->x = copy;
  }
  if (z && z != y) {
    PetscCall(VecGetArrayReadAndMemType(z, &o->z, &memtype));
    if (PetscUnlikely(PetscMemTypeHost(memtype))) {
      host->z = o->z;
      PetscCall(AutoCSROperandCopy(ctx, 1, host->z, z->map->n, &copy));
      o->z = copy;
    }
  }
  if (z == y)
    PetscCall(VecGetArrayAndMemType(y, &o->y, &memtype));
  else
    PetscCall(VecGetArrayWriteAndMemType(y, &o->y, &memtype));
  if (PetscUnlikely(PetscMemTypeHost(memtype))) {
    host->y = o->y;
    PetscCall(AutoCSROperandCopy(ctx, 2, z == y ? host->y : NULL, y->map->n, &o->y));
  }
  if (z == y) o->z = o->y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSROperandsRestore_Device(AutoCSRContext *ctx, Vec x, Vec z, Vec y, AutoCSROperands *o, AutoCSRHostOperands *host)
{
  PetscFunctionBegin;
  if (PetscUnlikely(host->y)) {
    const size_t bytes = (size_t)y->map->n * sizeof(PetscScalar);

    PetscCall((*ctx->planned.plan->backend->to_host)(host->y, o->y, bytes));
    PetscCall(PetscLogGpuToCpu((PetscLogDouble)bytes));
    o->y = host->y;
  }
  if (z == y)
    PetscCall(VecRestoreArrayAndMemType(y, &o->y));
  else {
    PetscCall(VecRestoreArrayWriteAndMemType(y, &o->y));
    if (host->z) o->z = host->z;
    if (z) PetscCall(VecRestoreArrayReadAndMemType(z, &o->z));
  }
  if (host->x) o->x = host->x;
  PetscCall(VecRestoreArrayReadAndMemType(x, &o->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = z + A x, A^T x or A^H x; z may be NULL or y */
static PetscErrorCode AutoCSRMultiply(Mat A, AutoCSRProductKind kind, Vec x, Vec z, Vec y)
{
  AutoCSRContext     *ctx;
  AutoCSROperands     o;
  AutoCSRHostOperands host = {NULL, NULL, NULL};
  const AutoCSRPlan  *plan;
  PetscBool           resident, scatter = PETSC_FALSE, first = PETSC_FALSE, done = PETSC_FALSE;
  PetscLogDouble      flops;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (PetscUnlikely(!AutoCSRContextIsReady(A, ctx))) PetscCall(AutoCSRContextUpdate(A, ctx));
  o    = (AutoCSROperands){.csr = &ctx->csr, .conjugate = (PetscBool)(kind == AUTOCSR_PRODUCT_HERMITIAN)};
  plan = ctx->planned.plan;
  if (plan && kind != AUTOCSR_PRODUCT_FORWARD) {
    scatter = (PetscBool)(plan->backend->mult_transpose != NULL);
    if (!scatter) PetscCall(AutoCSRTransposedGet(A, ctx, &o, &plan));
  }
  if (PetscUnlikely(ctx->planned.progress.stage != AUTOCSR_STAGE_FINAL && plan == ctx->planned.plan)) {
    PetscCall(AutoCSRContextProceed(A, ctx, PETSC_FALSE));
    AutoCSRProgressCount(&ctx->planned.progress);
    plan = ctx->planned.plan;
    if (kind == AUTOCSR_PRODUCT_FORWARD) PetscCall(AutoCSRParentIsFirst(ctx, &first));
  }
  if (PetscUnlikely(first || (plan && plan->parents && kind == AUTOCSR_PRODUCT_FORWARD))) {
    if (ctx->net) PetscCall(AutoCSRNetBegin(A, ctx));
    PetscCall(AutoCSRParentForward(A, x, z, y));
    if (ctx->net) PetscCall(AutoCSRNetEnd(ctx));
    ctx->planned.products++;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (scatter || (ctx->yields && kind != AUTOCSR_PRODUCT_FORWARD)) {
    PetscCall(AutoCSRParentScatter(A, plan, kind, x, z, y, &done));
    if (done) {
      ctx->planned.products++;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (PetscUnlikely(!plan)) {
    PetscCall(AutoCSRParentProduct(A, kind, x, z, y));
    if (ctx->yields) PetscCall(MatSeqAutoCSRYield(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (PetscUnlikely(ctx->net && kind == AUTOCSR_PRODUCT_FORWARD)) {
    PetscCall(AutoCSRNetBegin(A, ctx));
    plan = ctx->planned.plan;
    if (plan->parents) { /* the net has just come back to it */
      PetscCall(AutoCSRParentForward(A, x, z, y));
      ctx->planned.products++;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  resident = AutoCSRContextIsResident(ctx);
  flops    = 2.0 * ctx->csr.nnz - (kind != AUTOCSR_PRODUCT_FORWARD || z ? 0 : AutoCSRContextNonemptyRows(ctx));
  if (resident)
    PetscCall(AutoCSROperandsGet_Device(ctx, x, z, y, &o, &host));
  else
    PetscCall(AutoCSROperandsGet_Host(x, z, y, &o));
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_MULT], A, x, y, 0));
  if (resident) {
    PetscCall(PetscLogGpuTimeBegin());
    PetscCall((*plan->backend->mult)(plan, &o));
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(flops));
  } else {
    PetscCall(scatter ? (*plan->backend->mult_transpose)(plan, &o) : (*plan->backend->mult)(plan, &o));
    PetscCall(PetscLogFlops(flops));
  }
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_MULT], A, x, y, 0));
  if (PetscUnlikely(ctx->net && kind == AUTOCSR_PRODUCT_FORWARD)) PetscCall(AutoCSRNetEnd(ctx));
  if (resident)
    PetscCall(AutoCSROperandsRestore_Device(ctx, x, z, y, &o, &host));
  else
    PetscCall(AutoCSROperandsRestore_Host(x, z, y, &o));
  ctx->planned.products++;
  if (!resident) {
    AutoCSRMeasuringPaid += plan->predicted;
    if (PetscUnlikely(AutoCSRMeasuringPaid >= AutoCSRMeasuringDue)) PetscCall(AutoCSRMeasuringProceed());
  }
  if (PetscUnlikely(AutoCSRContextProducts(ctx) >= ctx->release_at)) PetscCall(AutoCSRContextRelease(A, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan that multiplies arrays where the matrix lies on a device; NULL: none does that is final */
static const AutoCSRPlan *AutoCSRPlanOfArrays(Mat A, const AutoCSRContext *ctx)
{
  return AutoCSRContextIsReady(A, ctx) && AutoCSRContextIsResident(ctx) && !ctx->yields && ctx->planned.progress.stage == AUTOCSR_STAGE_FINAL ? ctx->planned.plan : NULL;
}

/* And the matrix that it multiplies by */
PetscErrorCode AutoCSRMultiplyArraysBy(Mat A, const AutoCSRPlan **plan, const AutoCSRMatrix **csr)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  *csr  = &ctx->csr;
  *plan = AutoCSRPlanOfArrays(A, ctx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not while launches are recorded, when nothing may wait for the device: a later product lets go then */
static PetscErrorCode AutoCSRReleaseWhenDue(Mat A, AutoCSRContext *ctx)
{
  PetscFunctionBegin;
  if (PetscLikely(AutoCSRContextProducts(ctx) < ctx->release_at)) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(AUTOCSR_HAVE_CUDA)
  if (AutoCSRRecordIsUnderWay()) PetscFunctionReturn(PETSC_SUCCESS);
#endif
  PetscCall(AutoCSRContextRelease(A, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Logged as MatMult() logs. op NULL: the caller has launched the product */
static PetscErrorCode AutoCSRMultiplyLogged(Mat A, AutoCSRContext *ctx, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(MAT_Mult, A, 0, 0, 0));
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_MULT], A, 0, 0, 0));
  if (op) {
    PetscCall(PetscLogGpuTimeBegin());
    PetscCall((*ctx->planned.plan->backend->mult)(ctx->planned.plan, op));
    PetscCall(PetscLogGpuTimeEnd());
  }
  PetscCall(PetscLogGpuFlops(2.0 * ctx->csr.nnz - AutoCSRContextNonemptyRows(ctx)));
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_MULT], A, 0, 0, 0));
  PetscCall(PetscLogEventEnd(MAT_Mult, A, 0, 0, 0));
  ctx->planned.products++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = A x for arrays: queued, without what MatMult() looks at. *done is false where no final plan multiplies; nothing is queued then */
PetscErrorCode AutoCSRMultiplyArrays(Mat A, const PetscScalar x[], PetscScalar y[], PetscBool *done)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  *done = (PetscBool)(AutoCSRPlanOfArrays(A, ctx) != NULL);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRMultiplyLogged(A, ctx, &(AutoCSROperands){.csr = &ctx->csr, .x = x, .y = y}));
  PetscCall(AutoCSRReleaseWhenDue(A, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many products were made by launches that are repeated */
PetscErrorCode AutoCSRMultiplyArraysRepeated(Mat A, PetscInt products)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  for (PetscInt k = 0; k < products; k++) PetscCall(AutoCSRMultiplyLogged(A, ctx, NULL));
  PetscCall(AutoCSRReleaseWhenDue(A, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_SeqAutoCSR(Mat A, Vec x, Vec y)
{
  return AutoCSRMultiply(A, AUTOCSR_PRODUCT_FORWARD, x, NULL, y);
}

PetscErrorCode MatMultAdd_SeqAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  return AutoCSRMultiply(A, AUTOCSR_PRODUCT_FORWARD, x, z, y);
}

PetscErrorCode MatMultTranspose_SeqAutoCSR(Mat A, Vec x, Vec y)
{
  return AutoCSRMultiply(A, AUTOCSR_PRODUCT_TRANSPOSE, x, NULL, y);
}

PetscErrorCode MatMultTransposeAdd_SeqAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  return AutoCSRMultiply(A, AUTOCSR_PRODUCT_TRANSPOSE, x, z, y);
}

PetscErrorCode MatMultHermitianTranspose_SeqAutoCSR(Mat A, Vec x, Vec y)
{
  return AutoCSRMultiply(A, AUTOCSR_PRODUCT_HERMITIAN, x, NULL, y);
}

PetscErrorCode MatMultHermitianTransposeAdd_SeqAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  return AutoCSRMultiply(A, AUTOCSR_PRODUCT_HERMITIAN, x, z, y);
}
