/*
  The steps on a device. Each is a kernel or two on PETSc's stream; nothing is copied and nothing waits for the device but
  result(), which looks at page-locked memory until the kernel has written there.
*/
#include "../fused.h"
#include "passes.h"

#define RING       64     /* results that may be under way; a power of two */
#define RESIDENTS  4      /* thread blocks of a multiprocessor: what they load at once hides the way to the memory */
#define LOOKS      4096   /* at the ring, before the stream is asked whether a kernel has failed */
#define SMALL_ROWS 131072 /* below: a step takes as long as its launches, and the host is behind more than ahead */

struct _AutoCSRDevice {
  void        *memory; /* of the device: scalars, counter, partial sums */
  AutoCSRSlot *ring;
  PetscInt64   told;   /* results of earlier solves */
  PetscInt64   queued; /* results of this solve */
  PetscBool    first;  /* no combination was queued yet */
  AutoCSRPass  pass;
};

#define SCALARS_ROOM 256 /* bytes for the scalars, and for the counter */

static PetscErrorCode Destroy(AutoCSRDevice *device)
{
  PetscFunctionBegin;
  if (!*device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceSynchronize()); /* kernels that change nothing may still write to the ring */
  PetscCall(AutoCSRDeviceDeallocate((*device)->memory));
  if ((*device)->ring) PetscCallCUDA(cudaFreeHost((*device)->ring));
  PetscCall(PetscFree(*device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(AutoCSRDevice *device)
{
  int           id, processors;
  AutoCSRDevice d;

  PetscFunctionBegin;
  PetscCheck(AutoCSRPassScalarsBytes() <= SCALARS_ROOM, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The scalars of a solve take %zu bytes", AutoCSRPassScalarsBytes());
  PetscCall(PetscNew(device));
  d = *device;
  PetscCallCUDA(cudaGetDevice(&id));
  PetscCallCUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, id));
  d->pass.blocks = RESIDENTS * processors;
  PetscCall(AutoCSRDeviceAllocateZeros(2 * SCALARS_ROOM + (size_t)d->pass.blocks * AUTOCSR_PASS_SUMS * sizeof(PetscReal), &d->memory));
  d->pass.scalars = d->memory;
  d->pass.arrived = (unsigned *)((char *)d->memory + SCALARS_ROOM);
  d->pass.partial = (PetscReal *)((char *)d->memory + 2 * SCALARS_ROOM);
  AutoCSRCallCUDA(cudaHostAlloc((void **)&d->ring, RING * sizeof(*d->ring), cudaHostAllocDefault));
  PetscCall(PetscArrayzero(d->ring, RING));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetArrays(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  for (int k = 0; k < AUTOCSR_VECTORS; k++) {
    PetscMemType memtype;

    if (!s->vec[k]) continue;
    if (k == AUTOCSR_X)
      PetscCall(VecGetArrayAndMemType(s->vec[k], &s->array[k], &memtype));
    else if (k < AUTOCSR_B) /* the first pass writes all of it */
      PetscCall(VecGetArrayWriteAndMemType(s->vec[k], &s->array[k], &memtype));
    else
      PetscCall(VecGetArrayReadAndMemType(s->vec[k], (const PetscScalar **)&s->array[k], &memtype));
    PetscCheck(PetscMemTypeDevice(memtype), s->comm, PETSC_ERR_PLIB, "Vector %d of the solve lies on the host", k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays are there */
static PetscErrorCode BeginPasses(AutoCSRSolve *s, AutoCSRDevice *device)
{
  AutoCSRPass *pass;

  PetscFunctionBegin;
  if (!*device) PetscCall(Create(device));
  PetscCall(AutoCSRDeviceFollow());
  s->device         = *device;
  s->device->queued = 0;
  s->device->first  = PETSC_TRUE;
  pass              = &s->device->pass;
  pass->n           = s->n;
  pass->b           = s->array[AUTOCSR_B];
  pass->d           = s->array[AUTOCSR_D];
  pass->w           = s->array[AUTOCSR_W];
  pass->x           = s->array[AUTOCSR_X];
  pass->p           = s->array[AUTOCSR_P];
  pass->r           = s->array[AUTOCSR_R];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin(AutoCSRSolve *s, AutoCSRDevice *device)
{
  PetscFunctionBegin;
  PetscCall(GetArrays(s));
  PetscCall(BeginPasses(s, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Passes that change nothing may still be queued: what they tell has numbers of its own */
static void EndPasses(AutoCSRSolve *s)
{
  s->device->told += s->device->queued;
}

static PetscErrorCode End(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  EndPasses(s);
  for (int k = 0; k < AUTOCSR_VECTORS; k++) {
    if (!s->vec[k]) continue;
    if (k == AUTOCSR_X)
      PetscCall(VecRestoreArrayAndMemType(s->vec[k], &s->array[k]));
    else if (k < AUTOCSR_B)
      PetscCall(VecRestoreArrayWriteAndMemType(s->vec[k], &s->array[k]));
    else
      PetscCall(VecRestoreArrayReadAndMemType(s->vec[k], (const PetscScalar **)&s->array[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host needs some microseconds to see a result and to queue a step; steps beyond the last one are the price */
static PetscInt Ahead(const AutoCSRSolve *s)
{
  return s->n < SMALL_ROWS ? 4 : 2;
}

static PetscErrorCode Multiply(AutoCSRSolve *s, AutoCSRVectorName from)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(AutoCSRMultiplyArrays(s->mat, s->array[from], s->array[AUTOCSR_W], &done));
  if (!done) PetscCall(MatMult(s->mat, s->vec[from], s->vec[AUTOCSR_W]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pass that comes next; tells: the host will wait for its result */
static AutoCSRPass *NextPass(AutoCSRSolve *s, PetscBool tells)
{
  AutoCSRDevice d = s->device;

  d->pass.test      = s->test;
  d->pass.conjugate = s->conjugate;
  d->pass.slot      = NULL;
  if (tells) {
    d->pass.number = d->told + ++d->queued;
    d->pass.slot   = &d->ring[d->pass.number % RING];
  }
  return &d->pass;
}

static PetscErrorCode CGStart(AutoCSRSolve *s, PetscBool product)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassStart(NextPass(s, PETSC_TRUE), product));
  PetscCall(PetscLogGpuFlops(5.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGDot(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassDot(NextPass(s, PETSC_FALSE)));
  PetscCall(PetscLogGpuFlops(2.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGResidual(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassResidual(NextPass(s, PETSC_TRUE)));
  PetscCall(PetscLogGpuFlops(7.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGDirection(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassDirection(NextPass(s, PETSC_FALSE)));
  PetscCall(PetscLogGpuFlops(4.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Combine(AutoCSRSolve *s, const AutoCSRCombination *c)
{
  const PetscScalar coefficient[3] = {c->before, c->current, c->residual};

  PetscFunctionBegin;
  PetscCall(AutoCSRPassCombine(NextPass(s, (PetscBool)(s->test.norm != AUTOCSR_NORM_NONE)), coefficient, s->array[c->from], s->array[c->to], c->product, c->update, s->device->first));
  s->device->first = PETSC_FALSE;
  PetscCall(PetscLogGpuFlops(8.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel that fails writes nothing: the stream is asked now and then, which takes longer than a look */
static PetscErrorCode Result(AutoCSRSolve *s, PetscInt step, AutoCSRResult *result)
{
  const PetscInt64 number = s->device->told + step + 1;
  AutoCSRSlot     *slot   = &s->device->ring[number % RING];
  PetscBool        ended  = PETSC_FALSE;

  PetscFunctionBegin;
  for (unsigned looks = 1; __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE) != number; looks++) {
    PetscCheck(!ended, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Step %" PetscInt_FMT " of a solve was not told", step);
    if (looks % LOOKS) continue;
    {
      const cudaError_t error = cudaStreamQuery(AUTOCSR_STREAM);

      if (error == cudaErrorNotReady) continue;
      PetscCallCUDA(error);
      ended = PETSC_TRUE; /* one more look */
    }
  }
  *result = slot->result;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRSteps AutoCSRStepsCUDA = {"on the device", Begin, End, Ahead, Multiply, CGStart, CGDot, CGResidual, CGDirection, Combine, Result, Destroy};
