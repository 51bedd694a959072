/* What products with dense matrices keep: blocks of whole rows, parts of longer ones (dufrechou2021, 2.1.3), or the band; and room for a panel */
#include "dense.h"
#include "../backend.h"

PetscErrorCode AutoCSRDenseFindBlocks(AutoCSRDense *dense, const AutoCSRMatrix *csr, PetscInt entries)
{
  const PetscInt    width = csr->backend->tile_width;
  const AutoCSRAxes axes  = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .tile_width = width, .tile_height = entries / width, .row_limit = entries / 4};
  AutoCSRSegment   *seg;

  PetscFunctionBegin;
  if (dense->blocks && dense->entries == entries) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanDestroy(&dense->blocks));
  dense->entries = 0;
  PetscCall(AutoCSRPlanCreate(csr, &dense->blocks));
  PetscCall(AutoCSRPlanAddSegment(dense->blocks, "csr-adaptive", &axes, &seg));
  seg->n_rows = csr->m;
  PetscCall(AutoCSRSegmentEncode(seg, csr, NULL));
  dense->entries = entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns are looked at in all rows: they need not ascend */
PetscErrorCode AutoCSRDenseFindBand(AutoCSRDense *dense, const AutoCSRMatrix *csr)
{
  const PetscInt chunks = (csr->m + AUTOCSR_DENSE_CHUNK - 1) / AUTOCSR_DENSE_CHUNK;
  PetscInt      *first, to_come = csr->n;

  PetscFunctionBegin;
  if (dense->last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(chunks, &dense->last));
  PetscCall(PetscMalloc1(chunks, &first));
  for (PetscInt c = 0; c < chunks; c++) {
    const PetscInt end = csr->row_ptr[PetscMin(csr->m, (c + 1) * AUTOCSR_DENSE_CHUNK)];

    first[c]       = csr->n;
    dense->last[c] = c ? dense->last[c - 1] : 0;
    for (PetscInt q = csr->row_ptr[c * AUTOCSR_DENSE_CHUNK]; q < end; q++) {
      first[c]       = PetscMin(first[c], csr->col[q]);
      dense->last[c] = PetscMax(dense->last[c], csr->col[q] + 1);
    }
  }
  dense->window = 0;
  for (PetscInt c = chunks - 1; c >= 0; c--) {
    to_come       = PetscMin(to_come, first[c]);
    dense->window = PetscMax(dense->window, dense->last[c] - to_come);
  }
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseCreate(const AutoCSRBackend *backend, AutoCSRDense **dense)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(dense));
  (*dense)->backend = backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseDestroy(AutoCSRDense **dense)
{
  PetscFunctionBegin;
  if (!*dense) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanDestroy(&(*dense)->blocks));
  PetscCall(PetscFree((*dense)->last));
  PetscCall((*(*dense)->backend->release)((*dense)->panel));
  PetscCall(PetscFree(*dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseGetPanel(AutoCSRDense *dense, size_t bytes, void **panel)
{
  PetscFunctionBegin;
  if (dense->panel_bytes < bytes) {
    PetscCall((*dense->backend->release)(dense->panel));
    dense->panel       = NULL;
    dense->panel_bytes = 0;
    PetscCall((*dense->backend->allocate)(bytes, &dense->panel));
    dense->panel_bytes = bytes;
  }
  *panel = dense->panel;
  PetscFunctionReturn(PETSC_SUCCESS);
}
