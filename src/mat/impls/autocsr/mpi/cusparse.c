/*
  MATMPIAIJCUSPARSE as the parent. What it does to its blocks asks for the exact name of these.
*/
#include "exchange.h"
#if defined(AUTOCSR_HAVE_CUDA)
  #include <petscsf.h>

  #if PETSC_VERSION_LT(3, 26, 0)
    #define FOREST "AutoCSRForest"
/*
  PETSc keeps the forest to itself before 3.26: another one like it is made. It goes with the off-diagonal block, which goes when other columns of x are needed. A structure
  that is new on any process is so on all
*/
PetscErrorCode MatMPIAutoCSRGetForest(Mat A, PetscBool make, PetscSF *sf)
{
  PetscObjectState *made; /* one more than the structure for which the forest was made; 0: there is none */
  const PetscInt   *columns;
  Mat               off_diagonal;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &off_diagonal, &columns));
  PetscCall(AutoCSRContain(off_diagonal, FOREST "For", sizeof(*made), (void **)&made));
  PetscCall(PetscObjectQuery((PetscObject)off_diagonal, FOREST, (PetscObject *)sf));
  if (*made == A->nonzerostate + 1 || !make) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), sf));
  PetscCall(PetscSFSetGraphLayout(*sf, A->cmap, off_diagonal->cmap->n, NULL, PETSC_OWN_POINTER, columns));
  PetscCall(PetscSFSetUp(*sf));
  PetscCall(PetscObjectCompose((PetscObject)off_diagonal, FOREST, (PetscObject)*sf));
  PetscCall(PetscObjectDereference((PetscObject)*sf));
  *made = A->nonzerostate + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #else
PetscErrorCode MatMPIAutoCSRGetForest(Mat A, PetscBool make, PetscSF *sf)
{
  PetscFunctionBegin;
  (void)make;
  PetscCall(MatGetMultPetscSF(A, sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

/* The matrix and its blocks go as their parents for a call of what the parent composes */
  #define AUTOCSR_METHOD_AS_PARENT(Name, parameters, arguments)                                   \
    static PetscErrorCode Mat##Name##_MPIAutoCSR_CUSPARSE parameters                              \
    {                                                                                             \
      const AutoCSRParent *parent;                                                                \
      PetscErrorCode(*method) parameters;                                                         \
                                                                                                  \
      PetscFunctionBegin;                                                                         \
      PetscCall(MatMPIAutoCSRGetParent(&parent));                                                 \
      PetscCall(AutoCSRParentGetMethod(parent, A, "Mat" #Name "_C", (void (**)(void)) & method)); \
      PetscCall(AutoCSRHoldArrays(A));                                                            \
      AUTOCSR_CALL_AS_PARENT(A, (*method)arguments);                                              \
      PetscFunctionReturn(PETSC_SUCCESS);                                                         \
    }

AUTOCSR_METHOD_AS_PARENT(SetPreallocationCOO, (Mat A, PetscCount n, PetscInt i[], PetscInt j[]), (A, n, i, j))
AUTOCSR_METHOD_AS_PARENT(SetValuesCOO, (Mat A, const PetscScalar v[], InsertMode mode), (A, v, mode))
AUTOCSR_METHOD_AS_PARENT(MPIAIJGetLocalMatMerge, (Mat A, MatReuse reuse, IS *columns, Mat *local), (A, reuse, columns, local))

/* Products y = A x, or y = z + A x, that exchange entries of x beside themselves; else the parent's, through the same blocks */
static PetscErrorCode Product(Mat A, Vec x, Vec z, Vec y)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
  AutoCSRExchange     *exchange;
  Mat                  diagonal, off_diagonal;
  Vec                  received;
  PetscInt             n;
  PetscErrorCode       ierr;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(AutoCSRExchangeGet(A, &ctx->settings, x, &exchange));
  if (!exchange) {
    if (z)
      PetscCall((*AutoCSRParentTableOf(parent, A)->ops.multadd)(A, x, z, y));
    else
      PetscCall((*AutoCSRParentTableOf(parent, A)->ops.mult)(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetLocalSize(x, &n));
  PetscCheck(n == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Incompatible partition of A (%" PetscInt_FMT ") and x (%" PetscInt_FMT ")", A->cmap->n, n);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, NULL));
  PetscCall(AutoCSRExchangeBegin(exchange, x));
  ierr = z ? (*diagonal->ops->multadd)(diagonal, x, z, y) : (*diagonal->ops->mult)(diagonal, x, y);
  PetscCall(AutoCSRExchangeEnd(exchange, x, &received)); /* in any case: the other processes wait for it */
  PetscCall(ierr);
  PetscUseTypeMethod(off_diagonal, multadd, received, y, y);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_MPIAutoCSR_CUSPARSE(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(Product(A, x, NULL, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultAdd_MPIAutoCSR_CUSPARSE(Mat A, Vec x, Vec z, Vec y)
{
  PetscFunctionBegin;
  PetscCall(Product(A, x, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its methods for MATMPIAIJ read the blocks' values on the host as they lie */
static PetscErrorCode BlocksToHost(Mat A)
{
  Mat diagonal, off_diagonal;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, NULL));
  PetscCall(AutoCSRValuesToHost(diagonal, PETSC_FALSE));
  PetscCall(AutoCSRValuesToHost(off_diagonal, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetColumnReductions_MPIAutoCSR_CUSPARSE(Mat A, PetscInt type, PetscReal *reductions)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(BlocksToHost(A));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.getcolumnreductions)(A, type, reductions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the 1-norm the sums of columns are added to what entries of new vectors happen to be, which of those of the host is zero */
static PetscErrorCode MatNorm_MPIAutoCSR_CUSPARSE(Mat A, NormType type, PetscReal *norm)
{
  const AutoCSRParent *parent;
  Mat                  with_vectors[2] = {A, NULL};
  char                *types[2];
  PetscErrorCode       ierr;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  if (type != NORM_1) {
    PetscCall((*AutoCSRParentTableOf(parent, A)->ops.norm)(A, type, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &with_vectors[1], NULL));
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscStrallocpy(with_vectors[k]->defaultvectype, &types[k]));
    PetscCall(MatSetVecType(with_vectors[k], VECSTANDARD));
  }
  ierr = (*AutoCSRParentTableOf(parent, A)->ops.norm)(A, type, norm);
  for (int k = 0; k < 2; k++) {
    PetscCall(MatSetVecType(with_vectors[k], types[k]));
    PetscCall(PetscFree(types[k]));
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetMultiProcBlock_MPIAutoCSR_CUSPARSE(Mat A, MPI_Comm comm, MatReuse reuse, Mat *S)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(BlocksToHost(A));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.getmultiprocblock)(A, comm, reuse, S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

  #if defined(PETSC_USE_COMPLEX)
/*
  What other processes set before anything is preallocated comes in messages that align a complex number to its parts. The parent, which is CUDA C++, takes it for
  aligned as a whole (PETSc 3.26: a segmentation fault); MATMPIAIJ has the same code in C, which an empty matrix tells
*/
static PetscErrorCode MatSetUp_MPIAutoCSR_CUSPARSE(Mat A)
{
  const AutoCSRParent *parent;
  Mat                  plain;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.setup)(A));
  if (!A->hash_active) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreate(PETSC_COMM_SELF, &plain));
  PetscCall(MatSetSizes(plain, 0, 0, 0, 0));
  PetscCall(MatSetType(plain, MATMPIAIJ));
  PetscCall(MatSetUp(plain));
  A->ops->assemblyend = plain->ops->assemblyend;
    #if PETSC_VERSION_GE(3, 24, 0)
  A->ops->copyhashtoxaij = plain->ops->copyhashtoxaij;
    #endif
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

static const AutoCSROperation OperationsOnDevice[] = {
  #if defined(PETSC_USE_COMPLEX)
    AUTOCSR_OPERATION(setup, MatSetUp_MPIAutoCSR_CUSPARSE),
  #endif
    AUTOCSR_OPERATION(mult, MatMult_MPIAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(multadd, MatMultAdd_MPIAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(residual, MatResidual_AutoCSR),
    AUTOCSR_OPERATION(norm, MatNorm_MPIAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(getcolumnreductions, MatGetColumnReductions_MPIAutoCSR_CUSPARSE),
    AUTOCSR_OPERATION(getmultiprocblock, MatGetMultiProcBlock_MPIAutoCSR_CUSPARSE),
    {0, NULL}};

/* Not needed where ours has the parent's name */
static const AutoCSRMethod MethodsByName[] = {
    AUTOCSR_METHOD("MatSetPreallocationCOO_C", MatSetPreallocationCOO_MPIAutoCSR_CUSPARSE),
    AUTOCSR_METHOD("MatSetValuesCOO_C", MatSetValuesCOO_MPIAutoCSR_CUSPARSE),
    AUTOCSR_METHOD("MatMPIAIJGetLocalMatMerge_C", MatMPIAIJGetLocalMatMerge_MPIAutoCSR_CUSPARSE),
    AUTOCSR_METHOD("MatConvert_mpiaijautocsr_mpiaijcusparse_C", MatConvert_AutoCSR_Any),
    {NULL, NULL}};

PetscErrorCode MatMPIAutoCSRInherit_CUSPARSE(AutoCSRParent *parent, PetscBool takeover)
{
  PetscFunctionBegin;
  parent->type = MATMPIAIJCUSPARSE;
  PetscCall(AutoCSRParentExtend(parent, OperationsOnDevice, NULL));
  PetscCall(AutoCSRParentSetName_CUSPARSE(parent, takeover, NULL, MethodsByName));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
