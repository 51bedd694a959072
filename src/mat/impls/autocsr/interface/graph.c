/*
  The operator graph by which a matrix is multiplied: set, and got from the plan.
*/
#include "../seq/seqautocsr.h"
#include "../graph/graph.h"

/*@C
  MatAutoCSRSetGraph - Sets the operator graph by which a matrix is multiplied

  Logically Collective

  Input Parameters:
+ A     - the matrix
- graph - the graph as text, up to 1,023 characters; "": none, the library chooses again

  Options Database Key:
. -mat_autocsr_graph <graph> - the graph

  Level: advanced

  Notes:
  A graph says which rows are multiplied how, operator by operator: `"bin(0:31) sort_sub(window=256) compress bmtb_pad slice_block; bin(32:) compress row_block(lanes=32)"`
  takes rows of up to 31 entries in sorted slices and longer ones in place by 32 lanes each. doc/graph.md has all operators. `MatAutoCSRGetGraph()` and `MatAutoCSRView()` tell the graph of a plan.

  It sets the strategy `"graph"`. Each block of the matrix (diagonal and off-diagonal on several processes) is multiplied by the graph; one that the graph does not suit is multiplied by `"csr"`, and
  `MatAutoCSRView()` says why. The transpose that transposed products make on a device is multiplied as the library chooses.

  Text that is no graph is an error that names the operator and the choices (`PETSC_ERR_USER_INPUT`). On a matrix of another type nothing happens.

  References:
. * - Z. Du et al., AlphaSparse: Generating High Performance SpMV Codes Directly from Sparse Matrices, SC 2022

.seealso: `MATAUTOCSR`, `MatAutoCSRGetGraph()`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetGraph(Mat A, const char graph[])
{
  AutoCSRSettings settings;
  PetscErrorCode (*get)(Mat, AutoCSRSettings *);

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatAutoCSRGetSettings_C", &get));
  if (!get) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*get)(A, &settings));
  PetscCall(AutoCSRSettingsSetGraph(&settings, graph));
  PetscTryMethod(A, "MatAutoCSRSetSettings_C", (Mat, const AutoCSRSettings *), (A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetSearch - Sets how long the search for an operator graph may take, and whether it tells how far it is

  Logically Collective

  Input Parameters:
+ A       - the matrix
. seconds - of a search, for each block of the matrix; 0: 60 at rigor patient, 300 at exhaustive
- monitor - `PETSC_TRUE`: each process prints every five seconds how many graphs have been run, what the best takes and how much time is left

  Options Database Keys:
+ -mat_autocsr_search_seconds <0>     - the seconds
- -mat_autocsr_search_monitor <false> - the monitor

  Level: advanced

  Notes:
  It has effect at the rigors `MAT_AUTOCSR_RIGOR_PATIENT` and `MAT_AUTOCSR_RIGOR_EXHAUSTIVE` (`MatAutoCSRSetRigor()`). The first product then searches. Structures of graphs are enumerated and annealed, and a surrogate that learns
  from those that were run proposes others. The product of each graph is compared with that of the CSR before it counts. `MatAutoCSRGetGraph()` gives what was found.
  With a strategy, a graph or a coding that is set, or with the objective memory, nothing is searched; these rigors are then `MAT_AUTOCSR_RIGOR_MEASURE`.

  More than 1e6 seconds or less than none are an error (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another type nothing happens.

  References:
. * - Z. Du et al., AlphaSparse: Generating High Performance SpMV Codes Directly from Sparse Matrices, SC 2022

.seealso: `MATAUTOCSR`, `MatAutoCSRSetRigor()`, `MatAutoCSRGetGraph()`, `MatAutoCSRSetGraph()`
@*/
PetscErrorCode MatAutoCSRSetSearch(Mat A, PetscReal seconds, PetscBool monitor)
{
  AutoCSRSettings settings;
  PetscErrorCode (*get)(Mat, AutoCSRSettings *);

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatAutoCSRGetSettings_C", &get));
  if (!get) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*get)(A, &settings));
  settings.search_seconds = seconds;
  settings.search_monitor = monitor;
  PetscCall(AutoCSRSettingsCheck(&settings));
  PetscTryMethod(A, "MatAutoCSRSetSettings_C", (Mat, const AutoCSRSettings *), (A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscUseMethod(A, "MatAutoCSRGetBlocks_C", (Mat, Mat[]), (A, blocks));
  if (!blocks[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectQueryFunction((PetscObject)blocks[0], "MatAutoCSRGetBlocks_C", &is_own));
  if (!is_own) PetscFunctionReturn(PETSC_SUCCESS); /* before the first assembly */
  PetscCall(AutoCSRContextGet(blocks[0], &ctx));
  if (ctx->planned.plan) PetscCall(AutoCSRGraphPrint(ctx->planned.plan, len, graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}
