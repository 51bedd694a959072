/*
  The steps on a device. Each is a kernel or two on PETSc's stream; nothing is copied and nothing waits for the device but
  result(), which looks at page-locked memory until the kernel has written there.
*/
#include "level.h"

#define LOOKS      4096   /* at the ring, before the stream is asked whether a kernel has failed */
#define SMALL_ROWS 131072 /* below: a step takes as long as its launches, and the host is behind more than ahead */

#define SCALARS_ROOM 256 /* bytes for the scalars, and for what follows them in the device's memory: */
#define TOLD_AT      64  /* bytes after the counter of thread blocks is the number of the last result, */
#define TEST_AT      128 /* and so many after it is the test */

static PetscErrorCode Destroy(AutoCSRDevice *device)
{
  PetscFunctionBegin;
  if (!*device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceSynchronize()); /* kernels that change nothing may still write to the ring */
  PetscCall(AutoCSRRecordDestroy(&(*device)->repeat.record));
  PetscCall(AutoCSRDeviceDeallocate((*device)->memory));
  PetscCall(AutoCSRDeviceDeallocate((*device)->partial));
  PetscCall(AutoCSRColumnsDestroy(*device));
  if ((*device)->ring) PetscCallCUDA(cudaFreeHost((*device)->ring));
  if ((*device)->sums) PetscCallCUDA(cudaFreeHost((*device)->sums));
  PetscCall(PetscFree(*device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Allocate(AutoCSRDevice d)
{
  int id, processors;

  PetscFunctionBegin;
  PetscCheck(AutoCSRPassScalarsBytes() <= SCALARS_ROOM, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The scalars of a solve take %zu bytes", AutoCSRPassScalarsBytes());
  PetscCallCUDA(cudaGetDevice(&id));
  PetscCallCUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, id));
  d->pass.blocks = AUTOCSR_PASS_RESIDENTS * processors;
  PetscCall(AutoCSRDeviceAllocateZeros(2 * SCALARS_ROOM + (size_t)d->pass.blocks * AUTOCSR_PASS_SUMS * sizeof(PetscReal), &d->memory));
  d->pass.scalars = d->memory;
  d->pass.arrived = (unsigned *)((char *)d->memory + SCALARS_ROOM);
  d->pass.told    = (PetscInt64 *)((char *)d->memory + SCALARS_ROOM + TOLD_AT);
  d->pass.test = d->test = (AutoCSRTest *)((char *)d->memory + SCALARS_ROOM + TEST_AT);
  d->pass.partial = (PetscReal *)((char *)d->memory + 2 * SCALARS_ROOM);
  AutoCSRCallCUDA(cudaHostAlloc((void **)&d->ring, AUTOCSR_RING * sizeof(*d->ring), cudaHostAllocDefault));
  PetscCall(PetscArrayzero(d->ring, AUTOCSR_RING));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-log_view_gpu_time", &d->repeat.refused)); /* the user wants to know the time of each product */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* There is nothing where something is missing */
static PetscErrorCode Create(AutoCSRDevice *device)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscNew(device));
  ierr = Allocate(*device);
  if (ierr) PetscCall(Destroy(device));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B and D are only read; a solve begins with x, and the first passes write all of the others */
static PetscErrorCode Get(AutoCSRSolve *s, PetscInt k)
{
  PetscMemType memtype;

  PetscFunctionBegin;
  if (k == AUTOCSR_X)
    PetscCall(VecGetArrayAndMemType(s->vec[k], &s->array[k], &memtype));
  else if (k < AUTOCSR_B || k >= AUTOCSR_BASIS)
    PetscCall(VecGetArrayWriteAndMemType(s->vec[k], &s->array[k], &memtype));
  else
    PetscCall(VecGetArrayReadAndMemType(s->vec[k], (const PetscScalar **)&s->array[k], &memtype));
  PetscCheck(PetscMemTypeDevice(memtype), s->comm, PETSC_ERR_PLIB, "Vector %" PetscInt_FMT " of the solve lies on the host", k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Put(AutoCSRSolve *s, PetscInt k)
{
  PetscFunctionBegin;
  if (k == AUTOCSR_X)
    PetscCall(VecRestoreArrayAndMemType(s->vec[k], &s->array[k]));
  else if (k < AUTOCSR_B || k >= AUTOCSR_BASIS)
    PetscCall(VecRestoreArrayWriteAndMemType(s->vec[k], &s->array[k]));
  else
    PetscCall(VecRestoreArrayReadAndMemType(s->vec[k], (const PetscScalar **)&s->array[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PointToArrays(AutoCSRSolve *s)
{
  AutoCSRPass *pass = &s->device->pass;

  pass->b      = s->array[AUTOCSR_B];
  pass->d      = s->array[AUTOCSR_D];
  pass->w      = s->array[AUTOCSR_W];
  pass->x      = s->array[AUTOCSR_X];
  pass->p      = s->array[AUTOCSR_P];
  pass->r      = s->array[AUTOCSR_R];
  pass->shadow = s->array[AUTOCSR_SHADOW];
  pass->v      = s->array[AUTOCSR_V];
  pass->s      = s->array[AUTOCSR_S];
  pass->t      = s->array[AUTOCSR_T];
}

/* The arrays are there */
PetscErrorCode AutoCSRPassesBegin(AutoCSRSolve *s, AutoCSRDevice *device)
{
  AutoCSRPass *pass;

  PetscFunctionBegin;
  if (!*device) PetscCall(Create(device));
  PetscCall(AutoCSRDeviceFollow());
  s->device = *device;
  if (s->size > 1 && !s->device->sums) {
    AutoCSRCallCUDA(cudaHostAlloc((void **)&s->device->sums, sizeof(*s->device->sums), cudaHostAllocDefault));
    PetscCall(PetscArrayzero(s->device->sums, 1));
  }
  s->device->queued = 0;
  s->device->first  = PETSC_TRUE;
  pass              = &s->device->pass;
  pass->sums        = s->device->sums;
  pass->n           = s->n;
  pass->block       = s->block;
  PointToArrays(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin(AutoCSRSolve *s, AutoCSRDevice *device)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->vectors; k++) {
    if (s->vec[k]) PetscCall(Get(s, k));
  }
  PetscCall(AutoCSRPassesBegin(s, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Passes that change nothing may still be queued: what they tell has numbers of its own */
void AutoCSRPassesEnd(AutoCSRSolve *s)
{
  s->device->told += s->device->queued;
}

static PetscErrorCode End(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  AutoCSRPassesEnd(s);
  for (PetscInt k = 0; k < s->vectors; k++) {
    if (s->vec[k]) PetscCall(Put(s, k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host needs some microseconds to see a result and to queue a step; steps beyond the last one are the price. The host waits for each pass whose sums it adds up over processes; a preconditioner that is
   given costs more than any wait */
static PetscInt Ahead(const AutoCSRSolve *s)
{
  return s->size > 1 || s->given ? 0 : s->n < SMALL_ROWS ? 4 : 2;
}

/* Functions of vectors take those whose arrays are given back. What they leave may lie on the host, as by a preconditioner that works there: it is read */
static PetscErrorCode GetAgain(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  const PetscInt names[] = {from, to};
  PetscMemType   memtype;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(VecGetArrayAndMemType(s->vec[names[k]], &s->array[names[k]], &memtype));
    PetscCheck(PetscMemTypeDevice(memtype), s->comm, PETSC_ERR_PLIB, "Vector %" PetscInt_FMT " of the solve lies on the host", names[k]);
  }
  PointToArrays(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CallPETSc(AutoCSRSolve *s, PetscInt from, PetscInt to, PetscBool preconditions)
{
  PetscFunctionBegin;
  PetscCall(Put(s, from));
  PetscCall(Put(s, to));
  PetscCall(preconditions ? KSP_PCApply(s->given, s->vec[from], s->vec[to]) : MatMult(s->mat, s->vec[from], s->vec[to]));
  PetscCall(GetAgain(s, from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  if (MatIsSeqAutoCSR(s->mat)) PetscCall(AutoCSRMultiplyArrays(s->mat, s->array[from], s->array[to], &done));
  if (!done) PetscCall(CallPETSc(s, from, to, PETSC_FALSE));
  s->device->products += done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan by which Multiply() multiplies, if it has nothing to look at before */
static PetscErrorCode Product(const AutoCSRSolve *s, AutoCSRProduct *product)
{
  const AutoCSRPlan   *plan = NULL;
  const AutoCSRMatrix *csr  = NULL;

  PetscFunctionBegin;
  if (MatIsSeqAutoCSR(s->mat)) PetscCall(AutoCSRMultiplyArraysBy(s->mat, &plan, &csr));
  if (plan) *product = (AutoCSRProduct){plan, AutoCSRDeviceRecordable(plan), csr->row_ptr, csr->col, csr->val};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Counted(AutoCSRSolve *s, PetscInt products)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRMultiplyArraysRepeated(s->mat, products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetTest(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassSetTest(s->device->test, &s->test));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  return CallPETSc(s, from, to, PETSC_TRUE);
}

/* The residual, z in w, and what they tell */
static PetscErrorCode GivenResidual(AutoCSRSolve *s, PetscBool first, PetscBool product)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassGivenResidual(AutoCSRNextPass(s, PETSC_FALSE), first, product));
  PetscCall((*s->steps->apply)(s, AUTOCSR_R, AUTOCSR_W));
  PetscCall(AutoCSRPassGiven(AutoCSRNextPass(s, PETSC_TRUE), first));
  PetscCall(AutoCSRFollowPass(s, first ? AUTOCSR_FOLLOW_START : AUTOCSR_FOLLOW_RESIDUAL));
  PetscCall(PetscLogGpuFlops(6.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Precondition(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassPrecondition(&s->device->pass, s->array[from], s->array[to]));
  PetscCall(PetscLogGpuFlops((2.0 * s->block - 1) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

AutoCSRPass *AutoCSRNextPass(AutoCSRSolve *s, PetscBool tells)
{
  AutoCSRDevice d = s->device;

  d->pass.norm        = s->test.norm;
  d->pass.conjugate   = s->conjugate;
  d->pass.ring        = tells ? d->ring : NULL;
  d->queued          += tells;
  d->pass.sums_number = ++d->summed;
  return &d->pass;
}

PetscErrorCode AutoCSRReducePass(AutoCSRSolve *s, PetscReal sums[])
{
  AutoCSRDevice d = s->device;

  PetscFunctionBegin;
  PetscCall(AutoCSRAwaitPass(&d->sums->number, d->summed));
  PetscCallMPI(MPI_Allreduce(d->sums->v, sums, AUTOCSR_PASS_SUMS, MPIU_REAL, MPIU_SUM, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFollowPass(AutoCSRSolve *s, AutoCSRFollow follow)
{
  PetscReal sums[AUTOCSR_PASS_SUMS];

  PetscFunctionBegin;
  if (s->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRReducePass(s, sums));
  PetscCall(AutoCSRPassFollow(&s->device->pass, follow, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGStart(AutoCSRSolve *s, PetscBool product)
{
  PetscFunctionBegin;
  if (s->given) {
    PetscCall(GivenResidual(s, PETSC_TRUE, product));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRPassStart(AutoCSRNextPass(s, PETSC_TRUE), product));
  PetscCall(AutoCSRFollowPass(s, AUTOCSR_FOLLOW_START));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 3) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *done is false where the plan has no kernel that makes a dot product, too */
static PetscErrorCode ProductWithDot(AutoCSRSolve *s, PetscBool *done)
{
  AutoCSRDevice               d       = s->device;
  AutoCSRProduct              product = {NULL};
  const AutoCSROneParameters *alone;
  AutoCSROneParameters        one;
  AutoCSRPass                 pass;

  PetscFunctionBegin;
  PetscCall((*s->steps->product)(s, &product));
  alone = product.plan ? AutoCSRDeviceAlone(product.plan) : NULL;
  *done = (PetscBool)(alone && AutoCSRPassHasProduct(alone));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  if (d->partials < alone->segment.blocks) {
    PetscCall(AutoCSRDeviceDeallocate(d->partial));
    d->partial  = NULL;
    d->partials = 0;
    PetscCall(AutoCSRDeviceAllocate((size_t)alone->segment.blocks * AUTOCSR_PASS_SQUARES * sizeof(PetscReal), (void **)&d->partial));
    d->partials = alone->segment.blocks;
  }
  one          = *alone;
  one.operands = (AutoCSRDeviceOperands){product.row_ptr, product.col, product.val, s->array[AUTOCSR_P], NULL, s->array[AUTOCSR_W], 0};
  pass         = *AutoCSRNextPass(s, PETSC_FALSE);
  pass.partial = d->partial;
  d->products++;
  PetscCall(PetscLogEventBegin(MAT_Mult, s->mat, 0, 0, 0)); /* around the one that counted() logs, so that the time on the device is its own */
  PetscCall(PetscLogGpuTimeBegin());
  PetscCall(AutoCSRPassProduct(&pass, &one));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall((*s->steps->counted)(s, 1));
  PetscCall(PetscLogEventEnd(MAT_Mult, s->mat, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGProduct(AutoCSRSolve *s)
{
  PetscBool joined = PETSC_FALSE;

  PetscFunctionBegin;
  if (s->joins && s->size == 1 && s->n <= AUTOCSR_FEW_ROWS) PetscCall(ProductWithDot(s, &joined));
  if (!joined) {
    PetscCall((*s->steps->multiply)(s, AUTOCSR_P, AUTOCSR_W));
    PetscCall(AutoCSRPassDot(AutoCSRNextPass(s, PETSC_FALSE)));
    PetscCall(AutoCSRFollowPass(s, AUTOCSR_FOLLOW_PRODUCT));
  }
  PetscCall(PetscLogGpuFlops(2.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGResidual(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  if (s->given) {
    PetscCall(GivenResidual(s, PETSC_FALSE, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRPassResidual(AutoCSRNextPass(s, PETSC_TRUE)));
  PetscCall(AutoCSRFollowPass(s, AUTOCSR_FOLLOW_RESIDUAL));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 5) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CGDirection(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassDirection(AutoCSRNextPass(s, PETSC_FALSE), (PetscBool)(s->given != NULL)));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Combine(AutoCSRSolve *s, const AutoCSRCombination *c)
{
  const PetscScalar coefficient[3] = {c->before, c->current, c->residual};

  PetscFunctionBegin;
  PetscCall(AutoCSRPassCombine(AutoCSRNextPass(s, (PetscBool)(s->test.norm != AUTOCSR_NORM_NONE)), coefficient, s->array[c->from], s->array[c->to], c->product, c->update, s->device->first));
  if (s->test.norm != AUTOCSR_NORM_NONE) PetscCall(AutoCSRFollowPass(s, s->device->first ? AUTOCSR_FOLLOW_FIRST_COMBINED : AUTOCSR_FOLLOW_COMBINED));
  s->device->first = PETSC_FALSE;
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 6) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel that fails writes nothing: the stream is asked now and then, which takes longer than a look */
PetscErrorCode AutoCSRAwaitPass(const PetscInt64 *place, PetscInt64 number)
{
  PetscBool ended = PETSC_FALSE;

  PetscFunctionBegin;
  for (unsigned looks = 1; __atomic_load_n(place, __ATOMIC_ACQUIRE) != number; looks++) {
    PetscCheck(!ended, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Step %" PetscInt64_FMT " of the solves was not told", number);
    if (looks % LOOKS) continue;
    {
      const cudaError_t error = cudaStreamQuery(AUTOCSR_STREAM);

      if (error == cudaErrorNotReady) continue;
      PetscCallCUDA(error);
      ended = PETSC_TRUE; /* one more look */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Result(AutoCSRSolve *s, PetscInt step, AutoCSRResult *result)
{
  const PetscInt64 number = s->device->told + step + 1;
  AutoCSRSlot     *slot   = &s->device->ring[number % AUTOCSR_RING];

  PetscFunctionBegin;
  PetscCall(AutoCSRAwaitPass(&slot->number, number));
  *result = slot->result;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernels of all types are loaded beside the program's assembly: nobody knows then which of them will run */
void AutoCSRPassesPreload(PetscErrorCode (*wanted)(PetscBool *))
{
  static const void *kernels[6];

  kernels[0] = AutoCSRPassKernel;
  kernels[1] = AutoCSRPassBCGSKernel;
  kernels[2] = AutoCSRPassGMRESKernel;
  kernels[3] = AutoCSRPassProductKernel;
  kernels[4] = AutoCSRPassLevelKernel;
  AutoCSRDevicePreloadAlso(kernels, wanted);
}

const AutoCSRSteps AutoCSRStepsCUDA = {"on the device", Begin, End, Ahead, Get, Multiply, Precondition, Apply, SetTest, AutoCSRRepeatSteps, Product, Counted, CGStart, CGProduct, CGResidual, CGDirection, Combine, AutoCSRLevelSmooth, Result, Destroy, &AutoCSRStepsBCGSCUDA, &AutoCSRStepsGMRESCUDA};
