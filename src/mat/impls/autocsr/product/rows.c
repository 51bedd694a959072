/*
  Rows of dense matrices for products with them: those that this process has, in the memory where they are multiplied, and
  those of other processes that the columns of a block off the diagonal stand for. The latter lie by rows, and come in one
  message a neighbour while the diagonal block is multiplied.
*/
#include "product.h"

AutoCSRStructureKey AutoCSRStructureOf(Mat A)
{
  return (AutoCSRStructureKey){((PetscObject)A)->id, A->nonzerostate};
}

PetscBool AutoCSRStructureIs(const AutoCSRStructureKey *structure, Mat A)
{
  return (PetscBool)(structure->id == ((PetscObject)A)->id && structure->state == A->nonzerostate);
}

/* Takes the array of the local matrix. A matrix that is bound to the CPU would not be any more if it was asked for the type of its memory */
static PetscErrorCode TakeArray(AutoCSRDenseRows *rows, PetscBool write, PetscMemType *memtype)
{
  PetscFunctionBegin;
  *memtype = PETSC_MEMTYPE_HOST;
  if (rows->on_host) {
    if (write)
      PetscCall(MatDenseGetArrayWrite(rows->local, &rows->writable));
    else
      PetscCall(MatDenseGetArrayRead(rows->local, &rows->taken));
  }
#if defined(AUTOCSR_HAVE_CUDA)
  if (!rows->on_host) {
    if (write)
      PetscCall(MatDenseGetArrayWriteAndMemType(rows->local, &rows->writable, memtype));
    else
      PetscCall(MatDenseGetArrayReadAndMemType(rows->local, &rows->taken, memtype));
  }
#endif
  if (write) rows->taken = rows->writable;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReturnArray(AutoCSRDenseRows *rows)
{
  PetscFunctionBegin;
  if (rows->on_host) {
    if (rows->writable)
      PetscCall(MatDenseRestoreArrayWrite(rows->local, &rows->writable));
    else
      PetscCall(MatDenseRestoreArrayRead(rows->local, &rows->taken));
  }
#if defined(AUTOCSR_HAVE_CUDA)
  if (!rows->on_host) {
    if (rows->writable)
      PetscCall(MatDenseRestoreArrayWriteAndMemType(rows->local, &rows->writable));
    else
      PetscCall(MatDenseRestoreArrayReadAndMemType(rows->local, &rows->taken));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What lies between the columns of rows that are written stays, since it may be another matrix's */
PetscErrorCode AutoCSRDenseRowsGet(Mat M, const AutoCSRBackend *backend, PetscBool write, AutoCSRDenseRows *rows)
{
  PetscMemType memtype;

  PetscFunctionBegin;
  *rows = (AutoCSRDenseRows){.backend = backend};
  PetscCall(MatDenseGetLocalMatrix(M, &rows->local));
  PetscCall(MatDenseGetLDA(rows->local, &rows->lda));
  rows->on_host = (PetscBool)(backend == &AutoCSRBackendHost || AutoCSRIsBound(rows->local));
  PetscCall(TakeArray(rows, write, &memtype));
  rows->array = rows->taken;
  if (backend == &AutoCSRBackendHost || PetscMemTypeDevice(memtype) || !M->rmap->n || !M->cmap->N) PetscFunctionReturn(PETSC_SUCCESS);
  rows->bytes = ((size_t)rows->lda * (size_t)(M->cmap->N - 1) + (size_t)M->rmap->n) * sizeof(PetscScalar); /* with the last column the memory may end */
  PetscCall((*backend->allocate)(rows->bytes, &rows->copy));
  PetscCall((*backend->from_host)(rows->copy, rows->taken, rows->bytes));
  rows->array = (const PetscScalar *)rows->copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseRowsRestore(AutoCSRDenseRows *rows)
{
  PetscFunctionBegin;
  if (rows->copy && rows->writable) PetscCall((*rows->backend->to_host)(rows->writable, rows->copy, rows->bytes));
  if (rows->copy) PetscCall((*rows->backend->deallocate)(rows->copy));
  PetscCall(ReturnArray(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph of rows that are packed, which rows these are, and of which structure */
#define GHOSTS       "MatAutoCSRGhosts"
#define GHOST_PLACES "MatAutoCSRGhostPlaces"
#define GHOSTS_OF    "MatAutoCSRGhostsOf"

/* Finds which own rows others need; among these each of the n rows of others has its place in their packed ones */
static PetscErrorCode MakeGraph(Mat A, Mat block)
{
  const PetscInt     n = block->cmap->n, *garray, *degree;
  const PetscSFNode *from;
  PetscSF            all, packed;
  PetscSFNode       *remote;
  PetscInt          *place, *at, *rows, count = 0;
  IS                 is;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, NULL, &garray));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &all));
  PetscCall(PetscSFSetGraphLayout(all, A->cmap, n, NULL, PETSC_OWN_POINTER, garray));
  PetscCall(PetscSFSetUp(all));
  PetscCall(PetscSFComputeDegreeBegin(all, &degree));
  PetscCall(PetscSFComputeDegreeEnd(all, &degree));
  PetscCall(PetscMalloc3(A->cmap->n, &place, A->cmap->n, &rows, n, &at));
  for (PetscInt i = 0; i < A->cmap->n; i++) {
    place[i] = count;
    if (degree[i]) rows[count++] = i;
  }
  PetscCall(PetscSFBcastBegin(all, MPIU_INT, place, at, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(all, MPIU_INT, place, at, MPI_REPLACE));
  PetscCall(PetscSFGetGraph(all, NULL, NULL, NULL, &from));
  PetscCall(PetscMalloc1(n, &remote));
  for (PetscInt i = 0; i < n; i++) {
    remote[i].rank  = from[i].rank;
    remote[i].index = at[i];
  }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &packed));
  PetscCall(PetscSFSetGraph(packed, count, n, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(packed));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, rows, PETSC_COPY_VALUES, &is));
  PetscCall(PetscObjectCompose((PetscObject)block, GHOSTS, (PetscObject)packed));
  PetscCall(PetscObjectCompose((PetscObject)block, GHOST_PLACES, (PetscObject)is));
  PetscCall(ISDestroy(&is));
  PetscCall(PetscSFDestroy(&packed));
  PetscCall(PetscFree3(place, rows, at));
  PetscCall(PetscSFDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph stays with the block, which PETSc makes anew, while the matrix has this structure */
static PetscErrorCode GetGraph(Mat A, Mat block, PetscSF *sf, IS *places)
{
  AutoCSRStructureKey *structure;

  PetscFunctionBegin;
  PetscCall(AutoCSRContain(block, GHOSTS_OF, sizeof(*structure), (void **)&structure));
  if (!AutoCSRStructureIs(structure, A)) {
    PetscCall(MakeGraph(A, block));
    *structure = AutoCSRStructureOf(A);
  }
  PetscCall(PetscObjectQuery((PetscObject)block, GHOSTS, (PetscObject *)sf));
  PetscCall(PetscObjectQuery((PetscObject)block, GHOST_PLACES, (PetscObject *)places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscMemType MemTypeOf(const AutoCSRBackend *backend)
{
  return backend == &AutoCSRBackendHost ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_CUDA;
}

PetscErrorCode AutoCSRGhostRowsBegin(Mat A, Mat block, PetscInt columns, const AutoCSRDenseRows *own, AutoCSRGhostRows *g)
{
  const AutoCSRBackend *backend = own->backend;
  const PetscInt       *index;
  PetscInt              count;
  PetscMPIInt           width;
  IS                    places;

  PetscFunctionBegin;
  *g = (AutoCSRGhostRows){.rows = {.backend = backend, .lda = columns}, .row = MPI_DATATYPE_NULL};
  if (!columns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetGraph(A, block, &g->sf, &places));
  PetscCall(ISGetLocalSize(places, &count));
  PetscCall(ISGetIndices(places, &index));
  PetscCall((*backend->allocate)((size_t)count * sizeof(*index), &g->places));
  PetscCall((*backend->from_host)(g->places, index, (size_t)count * sizeof(*index)));
  PetscCall(ISRestoreIndices(places, &index));
  PetscCall((*backend->allocate)((size_t)count * (size_t)columns * sizeof(PetscScalar), &g->packed));
  PetscCall((*backend->allocate)((size_t)block->cmap->n * (size_t)columns * sizeof(PetscScalar), &g->rows.copy));
  g->rows.array = (const PetscScalar *)g->rows.copy;
  PetscCall((*backend->pack_rows)(count, (const PetscInt *)g->places, columns, own->array, own->lda, (PetscScalar *)g->packed));
  PetscCall(PetscMPIIntCast(columns, &width));
  PetscCallMPI(MPI_Type_contiguous(width, MPIU_SCALAR, &g->row));
  PetscCallMPI(MPI_Type_commit(&g->row));
  PetscCall(PetscSFBcastWithMemTypeBegin(g->sf, g->row, MemTypeOf(backend), g->packed, MemTypeOf(backend), g->rows.copy, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGhostRowsEnd(AutoCSRGhostRows *g)
{
  PetscFunctionBegin;
  if (g->sf) PetscCall(PetscSFBcastEnd(g->sf, g->row, g->packed, g->rows.copy, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGhostRowsDestroy(AutoCSRGhostRows *g)
{
  const AutoCSRBackend *backend = g->rows.backend;

  PetscFunctionBegin;
  if (g->row != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(&g->row));
  PetscCall((*backend->deallocate)(g->places));
  PetscCall((*backend->deallocate)(g->packed));
  PetscCall((*backend->deallocate)(g->rows.copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
