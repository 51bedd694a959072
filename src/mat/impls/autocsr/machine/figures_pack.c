/* Figures as they go from process to process: those of a communicator's first process serve all blocks of a parallel matrix (mpi/agree.c) */
#include "figures.h"

typedef struct _Received *Received;
struct _Received {
  uint64_t       digest; /* as they came: completed ones have another */
  AutoCSRFigures figures;
  Received       next;
};

size_t AutoCSRFiguresBytes(void)
{
  return sizeof(AutoCSRFigures);
}

static void mix(uint64_t *hash, const void *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++) *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u; /* FNV-1a */
}

/* Field by field: the bytes between fields have no meaning */
uint64_t AutoCSRFiguresDigest(const AutoCSRFigures *f)
{
  const AutoCSRMachine *m     = &f->machine;
  const double          all[] = {m->strided, m->product, m->launch, m->alone, m->in_work, m->not_hidden, m->dense_heavy, m->dense_rows, (double)m->parallel, (double)f->as_shipped, (double)f->n_executors};
  uint64_t              hash  = 14695981039346656037u;

  mix(&hash, m->bandwidth, sizeof(m->bandwidth));
  mix(&hash, m->cache, sizeof(m->cache));
  mix(&hash, m->random_line, sizeof(m->random_line));
  mix(&hash, all, sizeof(all));
  mix(&hash, &f->unknown, sizeof(f->unknown));
  for (PetscInt i = 0; i < f->n_executors; i++) {
    mix(&hash, f->executor[i].name, strlen(f->executor[i].name));
    mix(&hash, &f->executor[i].cost, sizeof(f->executor[i].cost));
  }
  return hash;
}

PetscErrorCode AutoCSRFiguresGetDigest(const AutoCSRBackend *backend, const char simd[], uint64_t *digest)
{
  const AutoCSRFigures *figures;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresGet(backend, simd, &figures));
  *digest = figures->digest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresPack(const AutoCSRBackend *backend, const char simd[], void *bytes)
{
  const AutoCSRFigures *figures;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresGet(backend, simd, &figures));
  PetscCall(PetscMemcpy(bytes, figures, sizeof(*figures)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Received figures are never freed, because plans and the cost model refer to them by address. malloc() serves, so that PETSc reports no leak. They are few: one for each file of a first process.
   *figures is NULL where they are the process's own */
PetscErrorCode AutoCSRFiguresUnpack(const AutoCSRBackend *backend, const char simd[], const void *bytes, const AutoCSRFigures **figures)
{
  static Received       received = NULL;
  const AutoCSRFigures *own;
  AutoCSRFigures        next;
  Received              link = received;

  PetscFunctionBegin;
  *figures = NULL;
  PetscCall(AutoCSRFiguresGet(backend, simd, &own));
  PetscCall(PetscMemcpy(&next, bytes, sizeof(next)));
  if (next.digest == own->digest) PetscFunctionReturn(PETSC_SUCCESS);
  while (link && (link->digest != next.digest || link->figures.backend != backend || link->figures.simd != own->simd)) link = link->next;
  if (!link) {
    link = (Received)malloc(sizeof(*link));
    PetscCheck(link, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the figures of another process");
    next.backend  = backend;
    next.simd     = own->simd;
    next.traits   = own->traits;
    link->digest  = next.digest;
    link->figures = next;
    link->next    = received;
    received      = link;
    PetscCall(AutoCSRFiguresComplete(&link->figures, own)); /* another instruction set may have other executors */
  }
  *figures = &link->figures;
  PetscFunctionReturn(PETSC_SUCCESS);
}
