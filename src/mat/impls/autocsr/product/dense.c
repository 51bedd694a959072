/*
  C = A B and C = A B^T with a dense B: by panels of B (plan/dense.h), or column by column. The symbolic phase stays the
  parent's, which knows of what type C is to be. So does the numeric one if there is no plan, and on the host if there are
  few columns or no memory. The columns of B^T lie by rows, so they are always multiplied by panels. On a device C = A^T B is
  A B with the transpose and its plan (seq/transpose.c); on the host the parent makes it. dense_parallel.c multiplies the
  blocks of parallel matrices by AutoCSRDenseBlock().
*/
#include "product.h"

/* A, or its transpose: what is multiplied, by which plan if column by column, and what products with dense matrices keep of it */
typedef struct {
  AutoCSRContext       *ctx;
  const AutoCSRMatrix  *csr;
  const AutoCSRPlan    *plan;
  const AutoCSRProfile *profile; /* NULL: it was not looked at */
  AutoCSRDense        **dense;
  PetscBool             transposed;
} AutoCSRDenseFactor;

/* Whether C is A B or A B^T with a dense B. type: MATSEQDENSE or MATMPIDENSE, of which B is, or a subclass of it */
PetscErrorCode AutoCSRDenseProductIs(Mat C, MatType type, PetscBool *is)
{
  const Mat_Product *product = C->product;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if ((product->type == MATPRODUCT_AB || product->type == MATPRODUCT_ABt) && (MatIsSeqAutoCSR(product->A) || MatIsMPIAutoCSR(product->A))) PetscCall(PetscObjectBaseTypeCompare((PetscObject)product->B, type, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Dense products pay for planning, as products with vectors that take as long do; planning makes the steps that are due.
  Blocks of several processes plan in the same products, so that only products with vectors pay there
*/
PetscErrorCode AutoCSRDensePay(Mat A, AutoCSRContext *ctx, double seconds)
{
  PetscFunctionBegin;
  if (ctx->planned.progress.stage == AUTOCSR_STAGE_FINAL || ctx->in_step) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRContextProceed(A, ctx, PETSC_FALSE));
  AutoCSRProgressSpend(&ctx->planned.progress, seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether bundles take the place of panels on a device, and adaptive tiles on a processor; without memory they do not. On a device tiles are slower than panels: by name only */
PetscErrorCode AutoCSRDenseConsider(Mat A, AutoCSRContext *ctx, PetscInt columns, PetscBool sampled, double seconds, AutoCSRDenseWay *way)
{
  const PetscBool resident = AutoCSRContextIsResident(ctx);
  PetscErrorCode  ierr;
  PetscBool       take = PETSC_FALSE;

  PetscFunctionBegin;
  if (*way != AUTOCSR_DENSE_PANELS || ctx->settings.dense != MAT_AUTOCSR_DENSE_AUTO || ctx->settings.objective == MAT_AUTOCSR_OBJECTIVE_MEMORY) PetscFunctionReturn(PETSC_SUCCESS);
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    if (resident) ierr = AutoCSRContextReclaim(A, ctx); /* bundles are counted in the CSR */
    if (!ierr && resident && !ctx->dense) ierr = AutoCSRCostDenseCreate(&ctx->csr, &ctx->dense);
    if (!ierr) ierr = resident ? AutoCSRCostConsiderBundles(&ctx->csr, ctx->planned.profile, ctx->dense, columns, sampled, seconds, (PetscBool)!ctx->settings.progressive, &take) : AutoCSRCostConsiderTiles(&ctx->csr, ctx->dense, columns, seconds, &take);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  if (ierr && ctx->dense) ctx->dense->no_room = PETSC_TRUE;
  if (take) *way = resident ? AUTOCSR_DENSE_BUNDLES : AUTOCSR_DENSE_ADAPTIVE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product was made: the view tells its way, and -citations whose that is */
PetscErrorCode AutoCSRDenseTook(AutoCSRContext *ctx, PetscInt columns, PetscBool sampled, AutoCSRDenseWay way)
{
  AutoCSRDenseTaken *taken = ctx->taken;
  PetscInt           k     = 0;

  PetscFunctionBegin;
  if (!columns) PetscFunctionReturn(PETSC_SUCCESS);
  while (k < AUTOCSR_DENSE_TAKEN - 1 && taken[k].columns && (taken[k].columns != columns || taken[k].sampled != sampled)) k++;
  PetscCall(PetscArraymove(taken + 1, taken, k));
  taken[0] = (AutoCSRDenseTaken){columns, sampled, way};
  PetscCall(AutoCSRCiteDense(way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns are multiplied one by one where the plan makes so little of them that copying B, or reading A, costs more */
static PetscErrorCode AutoCSRDenseChoose(Mat A, AutoCSRDenseFactor *f, AutoCSRDenseOperands *op)
{
  AutoCSRContext       *ctx        = f->ctx;
  const MatAutoCSRDense asked      = ctx->settings.dense;
  PetscBool             one_by_one = PETSC_FALSE;
  double                seconds;

  PetscFunctionBegin;
  op->longest = f->profile ? f->profile->max_length : PETSC_MAX_INT;
  PetscCall(AutoCSRCostDense(f->csr, f->profile, asked, op->columns, &seconds, &op->way));
  if (!f->transposed) {
    PetscCall(AutoCSRDensePay(A, ctx, seconds));
    f->plan = ctx->planned.plan;
  }
  if (op->by_rows || op->add) /* the plan cannot do it */
    one_by_one = PETSC_FALSE;
  else if (asked == MAT_AUTOCSR_DENSE_COLUMNS)
    one_by_one = PETSC_TRUE;
  else if (asked == MAT_AUTOCSR_DENSE_AUTO && (f->transposed || ctx->planned.progress.stage == AUTOCSR_STAGE_FINAL) && f->plan->predicted > 0)
    one_by_one = (PetscBool)(op->columns * f->plan->predicted < seconds);
  if (one_by_one) seconds = op->columns * f->plan->predicted;
  if (!f->transposed && (!one_by_one || (AutoCSRContextIsResident(ctx) && !ctx->released))) PetscCall(AutoCSRDenseConsider(A, ctx, op->columns, PETSC_FALSE, seconds, &op->way));
  if (one_by_one && op->way != AUTOCSR_DENSE_BUNDLES) op->way = AUTOCSR_DENSE_COLUMNS;
  if (op->way == AUTOCSR_DENSE_ALONGSIDE && op->by_rows) op->way = AUTOCSR_DENSE_PANELS;
  PetscCall(PetscInfo(A, "%" PetscInt_FMT " dense columns%s by way of %s: %g us expected, by the plan %g us each\n", op->columns, f->transposed ? " with the transpose" : "", AutoCSRDenseWayNames[op->way], 1e6 * seconds, 1e6 * f->plan->predicted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By panels; not done: the columns are few, or there is no memory */
static PetscErrorCode AutoCSRDensePanels(Mat A, const AutoCSRDenseFactor *f, AutoCSRDenseOperands *op, PetscBool *done)
{
  AutoCSRContext *ctx = f->ctx;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  *done    = PETSC_FALSE;
  op->simd = ctx->settings.simd;
  ierr     = AutoCSRTryBegin();
  if (!ierr) {
    if (!f->transposed) ierr = AutoCSRContextReclaim(A, ctx);
    op->csr = f->csr;
    if (!ierr && !*f->dense) ierr = AutoCSRCostDenseCreate(f->csr, f->dense);
    if (!ierr) ierr = (*f->csr->backend->mult_dense)(*f->dense, op, done);
    if (ierr == PETSC_ERR_MEM && (op->way == AUTOCSR_DENSE_ADAPTIVE || op->way == AUTOCSR_DENSE_BUNDLES)) { /* these take the most */
      ierr                = AutoCSRPlanDestroy(&(*f->dense)->tiles);
      (*f->dense)->no_room = PETSC_TRUE;
      op->way             = AUTOCSR_DENSE_PANELS;
      if (!ierr) ierr = (*f->csr->backend->mult_dense)(*f->dense, op, done);
    }
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr || ctx->settings.objective == MAT_AUTOCSR_OBJECTIVE_MEMORY) PetscCall(AutoCSRDenseDestroy(f->dense));
  if (ierr == PETSC_ERR_MEM) {
    *done = PETSC_FALSE;
    PetscCall(PetscInfo(A, "No memory on %s for a few columns of %" PetscInt_FMT " rows side by side\n", f->csr->backend->name, f->csr->n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the plan, column by column: no columns that lie by rows, and nothing is added */
static PetscErrorCode AutoCSRDenseColumns(const AutoCSRDenseFactor *f, const AutoCSRDenseOperands *op)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < op->columns; j++) {
    const AutoCSROperands o = {.csr = f->csr, .x = op->B + (size_t)j * op->ldb, .y = op->C + (size_t)j * op->ldc};

    PetscCall((*f->plan->backend->mult)(f->plan, &o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Multiplies arrays of B and C in the memory of A's. always: column by column if the backend's way is refused; else it is not
  done then
*/
static PetscErrorCode AutoCSRDenseMultiply(Mat A, const AutoCSRDenseFactor *f, AutoCSRDenseOperands *op, PetscBool always, PetscBool *done)
{
  const PetscBool resident = AutoCSRContextIsResident(f->ctx);

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_DENSE], A, 0, 0, 0));
  if (resident) PetscCall(PetscLogGpuTimeBegin());
  if (op->way != AUTOCSR_DENSE_COLUMNS) PetscCall(AutoCSRDensePanels(A, f, op, done));
  if (!*done && (op->way == AUTOCSR_DENSE_COLUMNS || always)) {
    op->way = AUTOCSR_DENSE_COLUMNS;
    PetscCall(AutoCSRDenseColumns(f, op));
    *done = PETSC_TRUE;
  }
  if (resident) PetscCall(PetscLogGpuTimeEnd());
  if (*done) PetscCall(resident ? PetscLogGpuFlops(2.0 * f->csr->nnz * op->columns) : PetscLogFlops(2.0 * f->csr->nnz * op->columns));
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_DENSE], A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  On the host. Not done: it is the parent's turn, whose product is faster if the columns are few. always: the parent is
  AIJCUSPARSE, which cannot multiply on the host between the phases of its own product
*/
static PetscErrorCode AutoCSRDenseProduct_Host(Mat A, Mat B, Mat C, const AutoCSRDenseFactor *f, AutoCSRDenseOperands *op, PetscBool always, PetscBool *done)
{
  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(B, &op->ldb));
  PetscCall(MatDenseGetLDA(C, &op->ldc));
  PetscCall(MatDenseGetArrayRead(B, &op->B));
  PetscCall(MatDenseGetArrayWrite(C, &op->C));
  PetscCall(AutoCSRDenseMultiply(A, f, op, always, done));
  PetscCall(MatDenseRestoreArrayWrite(C, &op->C));
  PetscCall(MatDenseRestoreArrayRead(B, &op->B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(AUTOCSR_HAVE_CUDA)
/* As the parent does it: a matrix of the host is one of the device for the time of the product */
static PetscErrorCode AutoCSRDenseToDevice(Mat M, PetscBool *moved)
{
  PetscBool there;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)M, MATSEQDENSECUDA, &there));
  *moved = (PetscBool)!there;
  if (*moved) PetscCall(MatConvert(M, MATSEQDENSECUDA, MAT_INPLACE_MATRIX, &M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where B or C is bound to the CPU: vectors know the way */
static PetscErrorCode AutoCSRDenseVectors(Mat A, Mat B, Mat C, PetscBool transposed)
{
  PetscFunctionBegin;
  PetscCall(MatSetUp(C)); /* AIJCUSPARSE's symbolic phase leaves that to who asks for the array */
  for (PetscInt j = 0; j < B->cmap->n; j++) {
    Vec b, c;

    PetscCall(MatDenseGetColumnVecRead(B, j, &b));
    PetscCall(MatDenseGetColumnVecWrite(C, j, &c));
    PetscCall(transposed ? MatMultTranspose(A, b, c) : MatMult_SeqAutoCSR(A, b, c));
    PetscCall(MatDenseRestoreColumnVecWrite(C, j, &c));
    PetscCall(MatDenseRestoreColumnVecRead(B, j, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Always done, but for A B^T without memory: the parent's product leaves other bits in every run */
static PetscErrorCode AutoCSRDenseProduct_Device(Mat A, Mat B, Mat C, const AutoCSRDenseFactor *f, AutoCSRDenseOperands *op, PetscBool *done)
{
  PetscMemType memtype[2];
  PetscBool    moved[2];

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseToDevice(B, &moved[0]));
  PetscCall(AutoCSRDenseToDevice(C, &moved[1]));
  PetscCall(MatDenseGetLDA(B, &op->ldb));
  PetscCall(MatDenseGetLDA(C, &op->ldc));
  PetscCall(MatDenseGetArrayReadAndMemType(B, &op->B, &memtype[0]));
  PetscCall(MatDenseGetArrayWriteAndMemType(C, &op->C, &memtype[1]));
  if (PetscMemTypeDevice(memtype[0]) && PetscMemTypeDevice(memtype[1])) PetscCall(AutoCSRDenseMultiply(A, f, op, (PetscBool)!op->by_rows, done));
  PetscCall(MatDenseRestoreArrayWriteAndMemType(C, &op->C));
  PetscCall(MatDenseRestoreArrayReadAndMemType(B, &op->B));
  if (!*done && !op->by_rows) {
    PetscCall(AutoCSRDenseVectors(A, B, C, f->transposed));
    op->way = AUTOCSR_DENSE_COLUMNS;
    *done   = PETSC_TRUE;
  }
  if (moved[1]) PetscCall(MatConvert(C, MATSEQDENSE, MAT_INPLACE_MATRIX, &C));
  if (moved[0]) PetscCall(MatConvert(B, MATSEQDENSE, MAT_INPLACE_MATRIX, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* What is multiplied. No plan: it is the parent's turn */
static PetscErrorCode AutoCSRDenseFactorGet(Mat A, PetscBool transposed, AutoCSRDenseFactor *f)
{
  AutoCSRContext *ctx;
  AutoCSROperands o = {.conjugate = PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (!AutoCSRContextIsReady(A, ctx)) PetscCall(AutoCSRContextUpdate(A, ctx));
  *f = (AutoCSRDenseFactor){.ctx = ctx, .csr = &ctx->csr, .plan = ctx->planned.plan, .profile = ctx->planned.profile, .dense = &ctx->dense};
  if (!transposed || !f->plan) PetscFunctionReturn(PETSC_SUCCESS);
  f->plan = NULL;
  if (!AutoCSRContextIsResident(ctx)) PetscFunctionReturn(PETSC_SUCCESS);
  o.csr = &ctx->csr;
  PetscCall(AutoCSRTransposedGet(A, ctx, &o, &f->plan));
  if (o.conjugate) f->plan = NULL;
  if (f->plan && o.csr != &ctx->csr) {
    f->csr        = o.csr;
    f->profile    = NULL;
    f->dense      = &ctx->transposed.dense;
    f->transposed = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseBlock(Mat A, const AutoCSRBackend *backend, AutoCSRDenseOperands *op, PetscBool *done)
{
  AutoCSRDenseFactor f = {.plan = NULL};

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(AutoCSRDenseFactorGet(A, PETSC_FALSE, &f));
  if (!f.plan || f.csr->backend != backend) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDenseChoose(A, &f, op));
  PetscCall(AutoCSRDenseMultiply(A, &f, op, (PetscBool)!(op->by_rows || op->add), done));
  if (*done) PetscCall(AutoCSRDenseTook(f.ctx, op->columns, PETSC_FALSE, op->way));
  f.ctx->dense_products += *done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_LT(3, 26, 0)
/* A matrix without entries makes C zero. Before PETSc 3.26 the parent's product with such a matrix fails in cuSPARSE on a device */
static PetscErrorCode AutoCSRDenseWithoutEntries(Mat A, Mat C, PetscBool *done)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *done = (PetscBool)(info.nz_used == 0);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatZeroEntries(C));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* host: C was a dense matrix of the host before the symbolic phase, and is to be one again. Not done: it is the parent's turn */
PetscErrorCode AutoCSRDenseProduct(Mat C, PetscBool host, PetscBool *done)
{
  Mat                  A = C->product->A, B = C->product->B;
  const PetscBool      transposed = (PetscBool)(C->product->type == MATPRODUCT_AtB);
  const PetscBool      by_rows = (PetscBool)(C->product->type == MATPRODUCT_ABt);
  const PetscInt       m = transposed ? A->cmap->n : A->rmap->n, n = transposed ? A->rmap->n : A->cmap->n;
  const PetscInt       b_rows = by_rows ? B->cmap->n : B->rmap->n, b_columns = by_rows ? B->rmap->n : B->cmap->n; /* of B, or of B^T */
  const AutoCSRParent *parent;
  AutoCSRDenseFactor   f;
  AutoCSRDenseOperands op = {.columns = b_columns, .by_rows = by_rows, .few = by_rows};
  PetscBool            dense;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(AutoCSRDenseProductIs(C, MATSEQDENSE, &dense));
  if (!dense && transposed && MatIsSeqAutoCSR(A)) PetscCall(PetscObjectBaseTypeCompare((PetscObject)B, MATSEQDENSE, &dense));
  if (dense) PetscCall(PetscObjectBaseTypeCompare((PetscObject)C, MATSEQDENSE, &dense)); /* C, too: a user may have said otherwise */
  if (!dense || m == 0 || b_columns == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(n == b_rows && m == C->rmap->n && b_columns == C->cmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "A %" PetscInt_FMT " by %" PetscInt_FMT " matrix times one of %" PetscInt_FMT " by %" PetscInt_FMT " is none of %" PetscInt_FMT " by %" PetscInt_FMT, m, n, b_rows, b_columns, C->rmap->n, C->cmap->n);
  PetscCall(MatSeqAutoCSRGetParent(&parent));
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(AutoCSRDenseWithoutEntries(A, C, done));
  if (*done && host && parent->device) PetscCall(MatConvert(C, MATSEQDENSE, MAT_INPLACE_MATRIX, &C));
  if (*done) PetscFunctionReturn(PETSC_SUCCESS);
#endif
  PetscCall(AutoCSRDenseFactorGet(A, transposed, &f));
  if (!f.plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDenseChoose(A, &f, &op));
#if defined(AUTOCSR_HAVE_CUDA)
  if (AutoCSRContextIsResident(f.ctx)) PetscCall(AutoCSRDenseProduct_Device(A, B, C, &f, &op, done));
#endif
  if (!AutoCSRContextIsResident(f.ctx)) PetscCall(AutoCSRDenseProduct_Host(A, B, C, &f, &op, (PetscBool)(parent->device && !by_rows), done));
  if (*done && host && parent->device) PetscCall(MatConvert(C, MATSEQDENSE, MAT_INPLACE_MATRIX, &C));
  if (*done) PetscCall(AutoCSRDenseTook(f.ctx, op.columns, PETSC_FALSE, op.way));
  f.ctx->dense_products += *done;
  PetscFunctionReturn(PETSC_SUCCESS);
}
