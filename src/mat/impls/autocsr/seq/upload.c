/*
  The CSR of a matrix that was assembled on the host, brought to the device by the library: the parent's copy takes five times as long. The parent finds its own arrays
  on the device, if there are any, as they were, and by the matrix's mask the host's values as the only ones: it makes its own copy when it needs one, and
  what it then writes there shows in the mask. The mask says "unallocated", not "CPU", until values of the host change (seq/release.c does the same).
*/
#include "seqautocsr.h"
#include <petsctime.h>

PetscErrorCode AutoCSROwnForget(AutoCSROwn *own)
{
  PetscFunctionBegin;
  if (own->row_ptr) PetscCall((*own->backend->deallocate)(own->row_ptr));
  if (own->col) PetscCall((*own->backend->deallocate)(own->col));
  if (own->val) PetscCall((*own->backend->deallocate)(own->val));
  PetscCall(PetscMemzero(own, sizeof(*own)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool AutoCSROwnIsOf(const AutoCSROwn *own, const AutoCSROwn *now)
{
  return (PetscBool)(own->parents == now->parents && own->host == now->host && own->host_col == now->host_col && own->m == now->m && own->nnz == now->nnz && own->id == now->id && own->nonzerostate == now->nonzerostate);
}

#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/runtime/upload.h"

static PetscErrorCode Allocate(AutoCSROwn *own)
{
  PetscFunctionBegin;
  PetscCall((*own->backend->allocate)(((size_t)own->m + 1) * sizeof(*own->row_ptr), (void **)&own->row_ptr));
  PetscCall((*own->backend->allocate)((size_t)own->nnz * sizeof(*own->col), (void **)&own->col));
  PetscCall((*own->backend->allocate)((size_t)own->nnz * sizeof(*own->val), (void **)&own->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* new_structure: offsets and columns, too */
static PetscErrorCode Upload(Mat A, const AutoCSROwn *own, PetscBool new_structure, const PetscScalar val[])
{
  const AutoCSRUpload array[] = {
      {own->val,     val,           (size_t)own->nnz * sizeof(*own->val)        },
      {own->col,     own->host_col, (size_t)own->nnz * sizeof(*own->col)        },
      {own->row_ptr, own->host,     ((size_t)own->m + 1) * sizeof(*own->row_ptr)},
  };
  const int      n     = new_structure ? 3 : 1;
  size_t         bytes = 0;
  int            threads;
  PetscLogDouble begin, end;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  for (int k = 0; k < n; k++) bytes += array[k].bytes;
  PetscCall(AutoCSRDeviceUploadThreads(&threads));
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_UPLOAD], A, 0, 0, 0));
  PetscCall(PetscTime(&begin));
  ierr = AutoCSRDeviceUpload(n, array, threads);
  PetscCall(PetscTime(&end));
  PetscCall(PetscLogCpuToGpu((PetscLogDouble)bytes));
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_UPLOAD], A, 0, 0, 0));
  PetscCall(ierr);
  PetscCall(PetscInfo(A, "%.3g MB of %s of %" PetscInt_FMT " nonzeros are brought to the device in %.3g ms, %.3g GB/s, by %d threads\n", 1e-6 * (double)bytes, new_structure ? "the CSR" : "new values", own->nnz, 1e3 * (end - begin), 1e-9 * (double)bytes / PetscMax(end - begin, 1e-9), threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without memory for it nothing is left of own: the arrays are the parent's then */
static PetscErrorCode TryUpload(Mat A, AutoCSROwn *own, const AutoCSROwn *now, PetscBool same, const PetscScalar val[])
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!same) PetscCall(AutoCSROwnForget(own));
  if (!same) *own = *now;
  own->state = AUTOCSR_NO_STATE;
  ierr       = AutoCSRTryBegin();
  if (!ierr) {
    if (!same) ierr = Allocate(own);
    if (!ierr) ierr = Upload(A, own, (PetscBool)!same, val);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr) PetscCall(AutoCSROwnForget(own));
  if (ierr == PETSC_ERR_MEM) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ierr);
  own->state     = ((PetscObject)A)->state;
  A->offloadmask = PETSC_OFFLOAD_UNALLOCATED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan's arrays are the parent's, on the device and of this structure: only values are new, which go there the parent's way */
static PetscBool HasParents(Mat A, const AutoCSRContext *ctx)
{
  return (PetscBool)(!ctx->own.col && ctx->csr.val && AutoCSRContextIsResident(ctx) && ctx->owner == A && ctx->nonzerostate == A->nonzerostate && ctx->id == ((PetscObject)A)->id && ctx->spptr == A->spptr);
}

/*
  *done is false where the parent has what is current, where it is to keep its arrays, and of few entries: the arrays are the parent's then. Where other arrays, or values, are got than the
  plan's product knows of, the context is no longer current
*/
PetscErrorCode AutoCSRUploadGet(Mat A, AutoCSRContext *ctx, AutoCSRMatrix *csr, PetscBool *done)
{
  const AutoCSRParent *parent;
  const PetscScalar   *val;
  PetscBool            got;
  AutoCSROwn          *own = &ctx->own, now = {.backend = AutoCSRBackendOf(PETSC_MEMTYPE_CUDA), .id = ((PetscObject)A)->id, .nonzerostate = A->nonzerostate};

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (!AutoCSRIsBound(A) && !(A->offloadmask & PETSC_OFFLOAD_GPU) && !ctx->held && !ctx->settings.keep_csr && parent->release && !HasParents(A, ctx)) {
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &now.m, &now.host, &now.host_col, &got));
    now.nnz = now.host && now.m ? now.host[now.m] : 0;
    PetscCall(MatSeqAIJGetArrayRead(A, &val));
    if (val && (size_t)now.nnz * (sizeof(*now.col) + sizeof(*now.val)) >= AUTOCSR_UPLOAD_LEAST) {
      const PetscBool same = (PetscBool)(own->col && AutoCSROwnIsOf(own, &now));

      if (!same || own->state != ((PetscObject)A)->state || A->offloadmask != PETSC_OFFLOAD_UNALLOCATED) {
        ctx->state = AUTOCSR_NO_STATE;
        PetscCall(TryUpload(A, own, &now, same, val));
      }
      *done = (PetscBool)(own->col != NULL);
    }
    PetscCall(MatSeqAIJRestoreArrayRead(A, &val));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &now.m, &now.host, &now.host_col, &got));
  }
  if (*done) {
    csr->backend = own->backend;
    csr->row_ptr = own->row_ptr;
    csr->col     = own->col;
    csr->val     = own->val;
  } else if (own->col) {
    ctx->state = AUTOCSR_NO_STATE;
    PetscCall(AutoCSROwnForget(own));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
