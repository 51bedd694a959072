/*
  MatAutoCSRGetInfo(): the figures of the plans of this process's blocks, added up.
*/
#include "../mpi/exchange.h"
#include "../backend.h"

/*@
  MatAutoCSRGetInfo - Gets what an autocsr matrix did so far, summed over the blocks of this process

  Not Collective

  Input Parameter:
. A - the matrix, of type `MATAUTOCSR`

  Output Parameter:
. info - the figures, see `MatAutoCSRInfo`; bytes in bytes, times in seconds

  Level: intermediate

  Note:
  It makes no plan: before the first product or view `segments` is zero and `strategy` is `"none"`. The string is valid for the
  life of the program.

.seealso: `MATAUTOCSR`, `MatAutoCSRInfo`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRGetInfo(Mat A, MatAutoCSRInfo *info)
{
  Mat blocks[AUTOCSR_MAX_BLOCKS];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(PetscMemzero(info, sizeof(*info)));
  info->strategy = "none";
  info->executor = "none";
  info->settled  = PETSC_TRUE;
  info->backend  = "none";
  PetscCall(AutoCSRGetBlocks(A, blocks));
#if defined(AUTOCSR_HAVE_CUDA)
  if (MatIsMPIAutoCSR(A)) PetscCall(AutoCSRExchangeIsSettled(A, &info->settled));
#endif
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    AutoCSRContext *ctx;
    PetscInt        most = 0;
    PetscBool       first;
    PetscInt64      own;
    double          moved;
    PetscErrorCode (*is_own)(Mat, Mat[]);

    if (!blocks[k]) continue;
    PetscCall(PetscObjectQueryFunction((PetscObject)blocks[k], "MatAutoCSRGetBlocks_C", &is_own));
    if (!is_own) continue; /* before the first assembly */
    PetscCall(AutoCSRContextGet(blocks[k], &ctx));
    info->plans += ctx->plans;
    info->refreshes += ctx->refreshes;
    info->products += AutoCSRContextProducts(ctx);
    info->dense_products += ctx->dense_products;
    info->setup += ctx->setup;
    if (ctx->planned.progress.stage != AUTOCSR_STAGE_FINAL || ctx->net) info->settled = PETSC_FALSE;
    if (!ctx->planned.plan) continue;
    for (PetscInt i = 0; i < ctx->planned.plan->n_segments && !ctx->planned.plan->parents; i++) { /* ways to gather x that still take turns */
      if (ctx->planned.plan->segment[i].contested) info->settled = PETSC_FALSE;
    }
    PetscCall(AutoCSRTransposedGetBytes(&ctx->transposed, &own));
    info->transpose_bytes += own;
    PetscCall(AutoCSRPlanGetBytes(ctx->planned.plan, &own, &moved));
    info->segments += ctx->planned.plan->n_segments;
    info->nnz += ctx->planned.plan->nnz;
    info->csr_bytes += AutoCSRMatrixBytes(&ctx->csr);
    info->plan_bytes += own;
    info->released_bytes += AutoCSRContextReleasedBytes(blocks[k], ctx);
    PetscCall(AutoCSRParentIsFirst(ctx, &first));
    if (!k) info->backend = ctx->planned.plan->backend->name;
    info->product_bytes += (PetscInt64)moved;
    info->predicted += ctx->planned.plan->predicted;
    info->measured += ctx->planned.plan->measured;
    for (PetscInt s = 0; !k && s < ctx->planned.plan->n_segments; s++) {
      if (ctx->planned.plan->segment[s].nnz > most) {
        most           = ctx->planned.plan->segment[s].nnz;
        info->strategy = ctx->planned.plan->segment[s].strategy;
        info->executor = first ? "parent" : ctx->planned.plan->segment[s].executor->name;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
