/*
  The operator graph by which a matrix is multiplied, got from the plan. setters.c sets it.
*/
#include "../seq/seqautocsr.h"
#include "../graph/graph.h"

/*@C
  MatAutoCSRGetGraph - Gets the operator graph of the plan by which a matrix is multiplied

  Not Collective

  Input Parameters:
+ A   - the matrix, of type `MATAUTOCSR`
- len - the length of `graph`, in characters

  Output Parameter:
. graph - the graph of the diagonal block's plan (on one process: of the matrix's); "" if there is no plan

  Level: advanced

  Note:
  It makes no plan: call it after a product or `MatAutoCSRView()`. `MatAutoCSRSetGraph()` takes the text, for this matrix or one with the same structure, and makes the same plan of it. If it does not fit
  `graph` it ends with "...", which is no graph.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetGraph()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRGetGraph(Mat A, size_t len, char graph[])
{
  Mat             blocks[AUTOCSR_MAX_BLOCKS];
  AutoCSRContext *ctx;
  PetscErrorCode (*is_own)(Mat, Mat[]);

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(len > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A graph of %zu characters: it takes at least one", len);
  graph[0] = 0;
  PetscCall(AutoCSRGetBlocks(A, blocks));
  if (!blocks[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectQueryFunction((PetscObject)blocks[0], "MatAutoCSRGetBlocks_C", &is_own));
  if (!is_own) PetscFunctionReturn(PETSC_SUCCESS); /* before the first assembly */
  PetscCall(AutoCSRContextGet(blocks[0], &ctx));
  if (ctx->planned.plan) PetscCall(AutoCSRGraphPrint(ctx->planned.plan, len, graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}
