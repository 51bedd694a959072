/*
  MATSEQAIJCUSPARSE as the parent. Its functions ask for its exact name, most of them in debug builds only, and it differs
  from MATSEQAIJ in what a CSR is (arrays on the device, made when they are asked for) and in being bound to the CPU.
  Not inherited are errors of it: diagonals of blocks with many empty rows, values that change while it is bound to the CPU or that methods of MATSEQAIJ change where they lie,
  transposes that are made again, and (see seq/fallback.c) transposed sums.
*/
#include "seqautocsr.h"
#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/device.h"

PETSC_EXTERN PetscErrorCode MatGetFactor_seqaijcusparse_cusparse(Mat, MatFactorType, Mat *);

/* Asked before anything of CUDA or AIJCUSPARSE is touched: without a device, or where PETSc may not use it, that would be an error */
PetscErrorCode AutoCSRDeviceFind(PetscBool *found)
{
  const char *const options[] = {"-device_enable", "-device_enable_cuda"};
  int               devices   = 0;
  const cudaError_t error     = cudaGetDeviceCount(&devices);

  PetscFunctionBegin;
  *found = (PetscBool)(error == cudaSuccess && devices > 0);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options) && *found; k++) {
    char      value[16];
    PetscBool set, none = PETSC_FALSE;

    PetscCall(PetscOptionsGetString(NULL, NULL, options[k], value, sizeof(value), &set));
    if (set) PetscCall(PetscStrcasecmp(value, "none", &none));
    if (!none) continue;
    PetscCall(PetscInfo(NULL, "autocsr matrices are on the CPU: %s none\n", options[k]));
    *found = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (error != cudaSuccess) {
    PetscCall(PetscInfo(NULL, "autocsr matrices are on the CPU: %s\n", cudaGetErrorString(error)));
    (void)cudaGetLastError();
  } else if (!*found)
    PetscCall(PetscInfo(NULL, "autocsr matrices are on the CPU: there is no CUDA device\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

  /* For a call that looks at the name and at nothing else that is ours */
  #define AUTOCSR_CALL_BY_NAME(A, call)                          \
    do {                                                         \
      char          *name_ = ((PetscObject)(A))->type_name;      \
      PetscErrorCode ierr_;                                      \
                                                                 \
      ((PetscObject)(A))->type_name = (char *)MATSEQAIJCUSPARSE; \
      ierr_                         = call;                      \
      ((PetscObject)(A))->type_name = name_;                     \
      PetscCall(ierr_);                                          \
    } while (0)

  #define AUTOCSR_OPERATION_BY_NAME(Name, operation, parameters, arguments)                \
    static PetscErrorCode Mat##Name##_SeqAutoCSR_CUSPARSE parameters                       \
    {                                                                                      \
      const AutoCSRParent *parent;                                                         \
                                                                                           \
      PetscFunctionBegin;                                                                  \
      PetscCall(MatSeqAutoCSRGetParent(&parent));                                          \
      AUTOCSR_CALL_BY_NAME(A, (*AutoCSRParentTableOf(parent, A)->ops.operation)arguments); \
      PetscFunctionReturn(PETSC_SUCCESS);                                                  \
    }

  #define AUTOCSR_METHOD_BY_NAME(Name, parameters, arguments)                                     \
    static PetscErrorCode Mat##Name##_SeqAutoCSR_CUSPARSE parameters                              \
    {                                                                                             \
      const AutoCSRParent *parent;                                                                \
      PetscErrorCode(*method) parameters;                                                         \
                                                                                                  \
      PetscFunctionBegin;                                                                         \
      PetscCall(MatSeqAutoCSRGetParent(&parent));                                                 \
      PetscCall(AutoCSRParentGetMethod(parent, A, "Mat" #Name "_C", (void (**)(void)) & method)); \
      AUTOCSR_CALL_BY_NAME(A, (*method)arguments);                                                \
      PetscFunctionReturn(PETSC_SUCCESS);                                                         \
    }

AUTOCSR_OPERATION_BY_NAME(SetOption, setoption, (Mat A, MatOption option, PetscBool value), (A, option, value))
AUTOCSR_OPERATION_BY_NAME(Scale, scale, (Mat A, PetscScalar a), (A, a))
AUTOCSR_METHOD_BY_NAME(SetValuesCOO, (Mat A, const PetscScalar v[], InsertMode mode), (A, v, mode))
AUTOCSR_METHOD_BY_NAME(SeqAIJCopySubArray, (Mat A, PetscInt n, const PetscInt indices[], PetscScalar v[]), (A, n, indices, v))

/* It hangs something on vectors of the host that these never free, and refuses those of Kokkos: a copy on the device, then */
static PetscErrorCode AutoCSRVecToDevice(Mat A, Vec v, PetscBool left, Vec *d)
{
  PetscBool foreign = PETSC_FALSE;

  PetscFunctionBegin;
  *d = v;
  if (v && !AutoCSRIsBound(A)) PetscCall(AutoCSRVecIsForeign(v, &foreign));
  if (foreign) {
    PetscCall(MatCreateVecs(A, left ? NULL : d, left ? d : NULL));
    PetscCall(AutoCSRVecCopyValues(v, *d));
  } else
    PetscCall(PetscObjectReference((PetscObject)v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDiagonalScale_SeqAutoCSR_CUSPARSE(Mat A, Vec left, Vec right)
{
  const AutoCSRParent *parent;
  Vec                  l, r;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRVecToDevice(A, left, PETSC_TRUE, &l));
  PetscCall(AutoCSRVecToDevice(A, right, PETSC_FALSE, &r));
  AUTOCSR_CALL_BY_NAME(A, (*AutoCSRParentTableOf(parent, A)->ops.diagonalscale)(A, l, r));
  PetscCall(VecDestroy(&l));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* It sets the type of the matrix anew */
static PetscErrorCode MatSetPreallocationCOO_SeqAutoCSR_CUSPARSE(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  const AutoCSRParent *parent;
  PetscErrorCode (*method)(Mat, PetscCount, PetscInt[], PetscInt[]);

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRParentGetMethod(parent, A, "MatSetPreallocationCOO_C", (void (**)(void)) & method));
  AUTOCSR_CALL_AS_PARENT(A, (*method)(A, n, i, j));
  PetscCall(AutoCSRHoldArrays(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the host is ahead the device may have the arrays of another structure still, and the parent would fill those */
static PetscErrorCode MatZeroEntries_SeqAutoCSR_CUSPARSE(Mat A)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (!AutoCSRIsBound(A) && !(A->offloadmask & PETSC_OFFLOAD_GPU))
    PetscCall((*parent->table[1].ops.zeroentries)(A));
  else
    AUTOCSR_CALL_BY_NAME(A, (*AutoCSRParentTableOf(parent, A)->ops.zeroentries)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Most rows are empty: the parent may have compressed the row offsets (by its MatCheckCompressedRow()) */
static PetscErrorCode AutoCSRRowsAreFew(Mat A, PetscBool *few)
{
  const PetscInt *row_ptr, *col;
  PetscInt        m, empty = 0;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
  for (PetscInt i = 0; i < m; i++) empty += row_ptr[i] == row_ptr[i + 1];
  *few = (PetscBool)(2 * empty > m);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, NULL, &row_ptr, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Y goes as its parent already */
static PetscErrorCode AutoCSRAXPYOfParents(Mat Y, PetscScalar a, Mat X, MatStructure structure)
{
  PetscFunctionBegin;
  AUTOCSR_CALL_AS_PARENT(X, (*Y->ops->axpy)(Y, a, X, structure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The device adds matrices that have the same method; PETSc adds matrices of two types (ours and plain AIJCUSPARSE) on the
  host. With a subset of the pattern the parent reads the offsets as the offsets of all rows, past their end if they are
  compressed
*/
static PetscErrorCode MatAXPY_SeqAutoCSR_CUSPARSE(Mat Y, PetscScalar a, Mat X, MatStructure structure)
{
  const AutoCSRParent *parent;
  PetscBool            few = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (structure == SUBSET_NONZERO_PATTERN && !AutoCSRIsBound(Y)) {
    PetscCall(AutoCSRRowsAreFew(Y, &few));
    if (!few) PetscCall(AutoCSRRowsAreFew(X, &few));
  }
  if (few) {
    PetscCall(AutoCSRValuesToHost(Y, PETSC_TRUE));
    PetscCall((*parent->table[1].ops.axpy)(Y, a, X, structure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  AUTOCSR_CALL_AS_PARENT(Y, AutoCSRAXPYOfParents(Y, a, X, structure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the parent has compressed the row offsets to the rows that are not empty, the full ones are made of these once */
static PetscErrorCode MatSeqAutoCSRExpandRows_CUSPARSE(Mat A, AutoCSROwn *own, AutoCSRMatrix *csr, PetscBool *expanded)
{
  AutoCSROwn     now = {.parents = csr->row_ptr, .backend = csr->backend, .id = ((PetscObject)A)->id, .nonzerostate = A->nonzerostate};
  const PetscInt *col;
  PetscBool       done;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &now.m, &now.host, &col, &done));
  now.nnz = now.m ? now.host[now.m] : 0;
  if (!AutoCSROwnIsOf(own, &now)) {
    PetscCall(AutoCSROwnForget(own));
    ierr = AutoCSRTryBegin();
    if (!ierr) {
      ierr = AutoCSRDeviceExpandRows(now.m, now.host, csr->row_ptr, &now.row_ptr);
      PetscCall(PetscPopErrorHandler());
    }
    if (ierr != PETSC_ERR_MEM) PetscCall(ierr); /* else the parent's way */
    if (now.row_ptr) PetscCall(PetscInfo(A, "The offsets of %" PetscInt_FMT " rows, most of them empty, are made on the device\n", now.m));
    *own = now;
  }
  *expanded = (PetscBool)(own->row_ptr != NULL);
  if (*expanded) csr->row_ptr = own->row_ptr;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &now.m, &now.host, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row offsets are the full ones */
static PetscErrorCode MatSeqAutoCSRGetCSR_CUSPARSE(Mat A, AutoCSRMatrix *csr)
{
  AutoCSRContext *ctx;
  PetscScalar    *val;
  PetscMemType    memtype;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(AutoCSRUploadGet(A, ctx, csr, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  AUTOCSR_CALL_BY_NAME(A, MatSeqAIJGetCSRAndMemType(A, &csr->row_ptr, &csr->col, &val, &memtype));
  csr->backend = AutoCSRBackendOf(memtype);
  if (PetscMemTypeDevice(memtype)) {
    PetscBool expanded = PETSC_FALSE;

    PetscCall(MatSeqAutoCSRExpandRows_CUSPARSE(A, &ctx->own, csr, &expanded));
    if (!expanded) AUTOCSR_CALL_BY_NAME(A, MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &csr->row_ptr, &csr->col));
  }
  csr->val = val;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parent writes to arrays that are there */
PetscErrorCode AutoCSRDeviceGetValues(Mat A, PetscBool read, PetscScalar **values)
{
  PetscMemType    memtype;
  const PetscInt *row_ptr, *col;
  PetscScalar    *val;

  PetscFunctionBegin;
  AUTOCSR_CALL_BY_NAME(A, MatSeqAIJGetCSRAndMemType(A, &row_ptr, &col, &val, &memtype));
  if (read)
    AUTOCSR_CALL_BY_NAME(A, MatSeqAIJCUSPARSEGetArray(A, values));
  else
    AUTOCSR_CALL_BY_NAME(A, MatSeqAIJCUSPARSEGetArrayWrite(A, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceRestoreValues(Mat A, PetscBool read, PetscScalar **values)
{
  PetscFunctionBegin;
  if (read)
    AUTOCSR_CALL_BY_NAME(A, MatSeqAIJCUSPARSERestoreArray(A, values));
  else
    AUTOCSR_CALL_BY_NAME(A, MatSeqAIJCUSPARSERestoreArrayWrite(A, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  What the parent has on the device changes places with what an empty matrix has, and goes with that: PETSc has no function for it. What
  was set by options is set again; of what is set by a call, MatCUSPARSESetUseCPUSolve() alone has a meaning, and would be forgotten
*/
static PetscErrorCode MatSeqAutoCSRRelease_CUSPARSE(Mat A)
{
  const AutoCSRParent *parent;
  Mat                  empty;
  void                *spptr = A->spptr;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(MatCreate(PETSC_COMM_SELF, &empty));
  PetscCall(MatSetSizes(empty, 0, 0, 0, 0));
  PetscCall(PetscObjectSetOptions((PetscObject)empty, ((PetscObject)A)->options));
  PetscCall(MatSetOptionsPrefix(empty, ((PetscObject)A)->prefix));
  PetscCall((*parent->create)(empty));
  PetscObjectOptionsBegin((PetscObject)empty);
  PetscTryTypeMethod(empty, setfromoptions, PetscOptionsObject);
  PetscOptionsEnd();
  A->spptr       = empty->spptr;
  empty->spptr   = spptr;
  A->offloadmask = PETSC_OFFLOAD_UNALLOCATED; /* MatSeqAIJRestoreArrayWrite() tells new values by the mask alone */
  PetscCall(MatDestroy(&empty));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host makes the diagonal where it has the values or the vector, by the function of the parent that is bound to the CPU. Where products have brought values to the device and the host has newer ones, these are brought now, and not at the next product */
static PetscErrorCode MatGetDiagonal_SeqAutoCSR_CUSPARSE(Mat A, Vec diagonal)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
  AutoCSRMatrix        csr     = {.m = A->rmap->n, .n = A->cmap->n};
  PetscMemType         memtype = PETSC_MEMTYPE_HOST;
  PetscScalar         *d;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (!AutoCSRIsBound(A) && ((A->offloadmask & PETSC_OFFLOAD_GPU) || ctx->own.col)) {
    PetscCall(VecGetArrayWriteAndMemType(diagonal, &d, &memtype));
    if (PetscMemTypeDevice(memtype)) {
      PetscCall(MatSeqAutoCSRGetCSR_CUSPARSE(A, &csr));
      PetscCall(AutoCSRDeviceGetDiagonal(&csr, d));
    }
    PetscCall(VecRestoreArrayWriteAndMemType(diagonal, &d));
  }
  if (PetscMemTypeHost(memtype)) PetscCall((*parent->table[1].ops.getdiagonal)(A, diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Again into a matrix that has been on the device, it writes the values of the host and leaves those of the device as they were */
static PetscErrorCode MatTranspose_SeqAutoCSR_CUSPARSE(Mat A, MatReuse reuse, Mat *B)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.transpose)(A, reuse, B));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(AutoCSRValuesWritten(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

  #if PETSC_VERSION_LT(3, 26, 0)
/* Older PETSc writes the values of the host and leaves those of the device as they were */
static PetscErrorCode MatCopy_SeqAutoCSR_CUSPARSE(Mat A, Mat B, MatStructure structure)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.copy)(A, B, structure));
  if (MatIsSeqAutoCSR(B) && structure == SAME_NONZERO_PATTERN) PetscCall(AutoCSRValuesWritten(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

  #define AUTOCSR_OPERATION_ON_HOST(Name, operation, written, parameters, arguments) \
    static PetscErrorCode Mat##Name##_SeqAutoCSR_CUSPARSE parameters                 \
    {                                                                                \
      const AutoCSRParent *parent;                                                   \
                                                                                     \
      PetscFunctionBegin;                                                            \
      PetscCall(MatSeqAutoCSRGetParent(&parent));                                    \
      PetscCall(AutoCSRValuesToHost(A, written));                                    \
      PetscCall((*AutoCSRParentTableOf(parent, A)->ops.operation)arguments);         \
      PetscFunctionReturn(PETSC_SUCCESS);                                            \
    }

AUTOCSR_OPERATION_ON_HOST(Load, load, PETSC_TRUE, (Mat A, PetscViewer viewer), (A, viewer))
AUTOCSR_OPERATION_ON_HOST(EliminateZeros, eliminatezeros, PETSC_TRUE, (Mat A, PetscBool keep), (A, keep))
AUTOCSR_OPERATION_ON_HOST(Shift, shift, PETSC_TRUE, (Mat A, PetscScalar a), (A, a))
AUTOCSR_OPERATION_ON_HOST(GetColumnReductions, getcolumnreductions, PETSC_FALSE, (Mat A, PetscInt type, PetscReal *reductions), (A, type, reductions))
AUTOCSR_OPERATION_ON_HOST(SOR, sor, PETSC_FALSE, (Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x), (A, b, omega, flag, shift, its, lits, x))

/* It puts the operations of another parent in; and it forgets that what changes on the host is to be copied afterwards */
static PetscErrorCode MatBindToCPU_SeqAutoCSR_CUSPARSE(Mat A, PetscBool bind)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  AUTOCSR_CALL_AS_PARENT(A, (*A->ops->bindtocpu)(A, bind));
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (bind)
    ctx->bound_state = ((PetscObject)A)->state;
  else if (A->offloadmask == PETSC_OFFLOAD_BOTH && ctx->bound_state != ((PetscObject)A)->state)
    A->offloadmask = PETSC_OFFLOAD_CPU;
  ctx->owner = NULL; /* the arrays are others now */
  PetscCall(AutoCSROwnForget(&ctx->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const AutoCSROperation Operations[] = {
    AUTOCSR_OPERATION(residual, MatResidual_SeqAutoCSR),
    AUTOCSR_OPERATION(getdiagonal, MatGetDiagonal_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(diagonalscale, MatDiagonalScale_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(bindtocpu, MatBindToCPU_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(zeroentries, MatZeroEntries_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(transpose, MatTranspose_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(axpy, MatAXPY_SeqAutoCSR_CUSPARSE),
  #if PETSC_VERSION_LT(3, 26, 0)
    AUTOCSR_OPERATION(copy, MatCopy_SeqAutoCSR_CUSPARSE),
  #endif
    AUTOCSR_OPERATION(load, MatLoad_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(eliminatezeros, MatEliminateZeros_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(shift, MatShift_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(getcolumnreductions, MatGetColumnReductions_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(sor, MatSOR_SeqAutoCSR_CUSPARSE),
    {0, NULL}};

/* Not needed where ours has the parent's name */
static const AutoCSROperation OperationsByName[] = {
    AUTOCSR_OPERATION(setoption, MatSetOption_SeqAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(scale, MatScale_SeqAutoCSR_CUSPARSE),
    {0, NULL}};
static const AutoCSRMethod MethodsByName[] = {
    AUTOCSR_METHOD("MatSetPreallocationCOO_C", MatSetPreallocationCOO_SeqAutoCSR_CUSPARSE),
    AUTOCSR_METHOD("MatSetValuesCOO_C", MatSetValuesCOO_SeqAutoCSR_CUSPARSE),
    AUTOCSR_METHOD("MatSeqAIJCopySubArray_C", MatSeqAIJCopySubArray_SeqAutoCSR_CUSPARSE),
    AUTOCSR_METHOD("MatConvert_seqaijautocsr_seqaijcusparse_C", MatConvert_AutoCSR_Any),
    {NULL, NULL}};

static PetscErrorCode (*CreateAIJ[AUTOCSR_KINDS])(Mat);

/* Takeover: an AIJ that PETSc converts to the parent becomes ours */
static PetscErrorCode MatCreate_SeqAIJ_Takeover(Mat A)
{
  PetscFunctionBegin;
  PetscCall((*CreateAIJ[AUTOCSR_KIND_SEQ])(A));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_seqaij_seqaijcusparse_C", MatConvert_Any_AutoCSR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_MPIAIJ_Takeover(Mat A)
{
  PetscFunctionBegin;
  PetscCall((*CreateAIJ[AUTOCSR_KIND_MPI])(A));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatConvert_mpiaij_mpiaijcusparse_C", MatConvert_Any_AutoCSR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRParentSetName_CUSPARSE(AutoCSRParent *parent, PetscBool takeover, const AutoCSROperation operations[], const AutoCSRMethod methods[])
{
  const MatType          aij  = AutoCSRParentAIJ(parent);
  const AutoCSRKindIndex kind = AutoCSRKindOf(parent->type);

  PetscFunctionBegin;
  parent->by_name = (PetscBool)!takeover;
  if (takeover) {
    parent->own = parent->type;
    PetscCall(PetscFunctionListFind(MatList, aij, &CreateAIJ[kind]));
    PetscCall(MatRegister(aij, kind == AUTOCSR_KIND_MPI ? MatCreate_MPIAIJ_Takeover : MatCreate_SeqAIJ_Takeover));
  } else
    PetscCall(AutoCSRParentExtend(parent, operations, methods));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAutoCSRInherit_CUSPARSE(AutoCSRParent *parent, PetscBool takeover)
{
  PetscFunctionBegin;
  parent->type       = MATSEQAIJCUSPARSE;
  parent->device     = PETSC_TRUE;
  parent->get_csr    = MatSeqAutoCSRGetCSR_CUSPARSE;
  parent->prepare    = AutoCSRDevicePreload;
  parent->release    = takeover ? NULL : MatSeqAutoCSRRelease_CUSPARSE; /* there calls of the parent's functions do not pass by ours, which see to it that they find what they write to */
  parent->solver     = MATSOLVERCUSPARSE;
  parent->get_factor = MatGetFactor_seqaijcusparse_cusparse;
  PetscCall(AutoCSRParentExtend(parent, Operations, NULL));
  PetscCall(AutoCSRParentSetName_CUSPARSE(parent, takeover, OperationsByName, MethodsByName));
  if (takeover) PetscCall(MatSeqAIJRegister(MATSEQAIJCUSPARSE, MatConvert_Any_AutoCSR));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
