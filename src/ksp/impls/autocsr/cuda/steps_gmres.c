/*
  The steps of GMRES on a device. Dot products and norms stay on the device; each step also tells them to the host, which turns
  them into the Hessenberg matrix while the next step runs.
*/
#include "steps.h"

static size_t ColumnReals(PetscInt restart)
{
  return (size_t)(restart + 1) * AUTOCSR_PASS_REALS + 1;
}

PetscErrorCode AutoCSRColumnsDestroy(AutoCSRDevice d)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceDeallocate(d->scalars));
  if (d->columns) PetscCallCUDA(cudaFreeHost(d->columns));
  if (d->dots) PetscCallCUDA(cudaFreeHost(d->dots));
  d->scalars = NULL;
  d->columns = NULL;
  d->dots    = NULL;
  d->restart = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Prepare(AutoCSRSolve *s, PetscInt restart)
{
  const size_t  groups = AUTOCSR_PASS_TOGETHER / AUTOCSR_PASS_GROUP, counters = groups * sizeof(PetscInt64);
  const size_t  dots = (size_t)(restart + 1) * sizeof(PetscScalar), norms = (size_t)(restart + 2) * sizeof(PetscReal);
  AutoCSRDevice d = s->device;

  PetscFunctionBegin;
  if (d->scalars && restart <= d->restart) PetscFunctionReturn(PETSC_SUCCESS);
  if (d->scalars) PetscCall(AutoCSRDeviceSynchronize()); /* steps of the last solve may still write */
  PetscCall(AutoCSRColumnsDestroy(d));
  PetscCall(AutoCSRDeviceAllocateZeros(counters + dots + norms + (size_t)d->pass.blocks * AUTOCSR_PASS_TOGETHER * AUTOCSR_PASS_REALS * sizeof(PetscReal), &d->scalars));
  AutoCSRCallCUDA(cudaHostAlloc(&d->columns, AUTOCSR_COLUMNS * (sizeof(PetscInt64) + ColumnReals(restart) * sizeof(PetscReal)), cudaHostAllocDefault));
  PetscCall(PetscMemzero(d->columns, AUTOCSR_COLUMNS * sizeof(PetscInt64)));
  if (s->size > 1) AutoCSRCallCUDA(cudaHostAlloc((void **)&d->dots, dots, cudaHostAllocDefault));
  d->restart        = restart;
  d->column.arrived = (unsigned *)d->scalars;
  d->column.dot     = (char *)d->scalars + counters;
  d->column.inverse = (PetscReal *)((char *)d->scalars + counters + dots);
  d->column.partial = d->column.inverse + restart + 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal *Told(AutoCSRDevice d, PetscInt64 number)
{
  return (PetscReal *)((PetscInt64 *)d->columns + AUTOCSR_COLUMNS) + (size_t)(number % AUTOCSR_COLUMNS) * ColumnReals(d->restart);
}

/* The column that comes next: k is the vector of the basis whose product it is */
static const AutoCSRPassColumn *NextColumn(AutoCSRSolve *s, PetscInt k)
{
  AutoCSRDevice d = s->device;

  d->column.k            = k;
  d->column.precondition = (PetscBool)(s->left && s->array[AUTOCSR_D]);
  d->column.value        = d->told + ++d->queued;
  d->column.told         = Told(d, d->column.value);
  d->column.number       = (PetscInt64 *)d->columns + d->column.value % AUTOCSR_COLUMNS;
  return &d->column;
}

/* The norm of a vector of the basis over several processes, and the dot products before it */
static PetscErrorCode FollowColumn(AutoCSRSolve *s, PetscInt dots)
{
  PetscReal sums[AUTOCSR_PASS_SUMS];

  PetscFunctionBegin;
  if (s->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRReducePass(s, sums));
  PetscCall(AutoCSRPassGMRESTell(&s->device->column, dots, sums[AUTOCSR_PASS_SQUARES]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReduceDots(AutoCSRSolve *s, PetscInt n)
{
  const AutoCSRDevice d = s->device;

  PetscFunctionBegin;
  if (s->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaMemcpyAsync(d->dots, d->column.dot, (size_t)n * sizeof(PetscScalar), cudaMemcpyDeviceToHost, AUTOCSR_STREAM));
  PetscCall(AutoCSRDeviceSynchronize());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d->dots, (PetscMPIInt)n, MPIU_SCALAR, MPIU_SUM, s->comm));
  PetscCallCUDA(cudaMemcpyAsync(d->column.dot, d->dots, (size_t)n * sizeof(PetscScalar), cudaMemcpyHostToDevice, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first vector of the basis is the residual after a given preconditioner on the left, which PETSc applies */
static PetscErrorCode StartGiven(AutoCSRSolve *s, PetscBool product)
{
  AutoCSRPass pass;

  PetscFunctionBegin;
  PetscCall(AutoCSRPassGivenResidual(AutoCSRNextPass(s, PETSC_FALSE), PETSC_TRUE, product));
  PetscCall((*s->steps->apply)(s, AUTOCSR_R, AUTOCSR_W));
  pass   = *AutoCSRNextPass(s, PETSC_FALSE);
  pass.b = s->array[AUTOCSR_W];
  PetscCall(AutoCSRPassGMRESStart(&pass, NextColumn(s, 0), PETSC_FALSE, s->array[AUTOCSR_BASIS]));
  PetscCall(FollowColumn(s, 0));
  PetscCall(PetscLogGpuFlops(3.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Start(AutoCSRSolve *s, PetscBool product)
{
  PetscFunctionBegin;
  if (s->given && s->left) {
    PetscCall(StartGiven(s, product));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRPassGMRESStart(AutoCSRNextPass(s, PETSC_FALSE), NextColumn(s, 0), product, s->array[AUTOCSR_BASIS]));
  PetscCall(FollowColumn(s, 0));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static AutoCSRPassBasis Basis(const AutoCSRSolve *s, PetscInt first, PetscInt end)
{
  AutoCSRPassBasis basis = {.first = first, .count = PetscMin(end - first, AUTOCSR_PASS_TOGETHER)};

  for (PetscInt k = 0; k < basis.count; k++) basis.vector[k] = s->array[AUTOCSR_BASIS + first + k];
  return basis;
}

static PetscErrorCode Orthogonalize(AutoCSRSolve *s, PetscInt k)
{
  const AutoCSRPassColumn *column = NextColumn(s, k);

  PetscFunctionBegin;
  for (PetscInt first = 0; first <= k; first += AUTOCSR_PASS_TOGETHER) {
    const AutoCSRPassBasis basis = Basis(s, first, k + 1);

    PetscCall(AutoCSRPassGMRESDots(&s->device->pass, column, &basis));
  }
  PetscCall(ReduceDots(s, k + 1));
  for (PetscInt first = 0; first <= k; first += AUTOCSR_PASS_TOGETHER) {
    const AutoCSRPassBasis basis = Basis(s, first, k + 1);

    PetscCall(AutoCSRPassGMRESSubtract(AutoCSRNextPass(s, PETSC_FALSE), column, &basis, s->array[AUTOCSR_BASIS + k + 1]));
  }
  PetscCall(FollowColumn(s, k + 1));
  PetscCall(PetscLogGpuFlops((4.0 * (k + 1) + 2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Result(AutoCSRSolve *s, PetscInt step, PetscInt n, AutoCSRColumn *column)
{
  AutoCSRDevice    d      = s->device;
  const PetscInt64 number = d->told + step + 1;
  const PetscReal *told   = Told(d, number);

  PetscFunctionBegin;
  PetscCall(AutoCSRAwaitPass((PetscInt64 *)d->columns + number % AUTOCSR_COLUMNS, number));
  column->norm = told[0];
  PetscCall(PetscMemcpy(column->dot, told + 1, (size_t)n * sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddBasis(AutoCSRSolve *s, PetscInt n, const PetscScalar coefficient[], PetscScalar *x)
{
  AutoCSRPass pass = s->device->pass;

  PetscFunctionBegin;
  pass.x = x;
  for (PetscInt first = 0; first < n; first += AUTOCSR_PASS_TOGETHER) {
    const AutoCSRPassBasis basis = Basis(s, first, n);

    PetscCall(AutoCSRPassGMRESCorrect(&pass, &basis, (const PetscReal *)coefficient, (PetscBool)(!s->left && s->array[AUTOCSR_D])));
  }
  PetscCall(PetscLogGpuFlops((2.0 * (n + s->block)) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Correct(AutoCSRSolve *s, PetscInt n, const PetscScalar coefficient[])
{
  const PetscScalar      one = 1;
  const AutoCSRPassBasis sum = {.vector = {s->array[AUTOCSR_W]}, .count = 1};

  PetscFunctionBegin;
  if (!s->given || s->left) {
    PetscCall(AddBasis(s, n, coefficient, s->array[AUTOCSR_X]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s->n) PetscCallCUDA(cudaMemsetAsync(s->array[AUTOCSR_R], 0, (size_t)s->n * sizeof(PetscScalar), AUTOCSR_STREAM));
  PetscCall(AddBasis(s, n, coefficient, s->array[AUTOCSR_R]));
  PetscCall((*s->steps->apply)(s, AUTOCSR_R, AUTOCSR_W));
  PetscCall(AutoCSRPassGMRESCorrect(&s->device->pass, &sum, (const PetscReal *)&one, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStepsGMRES AutoCSRStepsGMRESCUDA = {Prepare, Start, Orthogonalize, Result, Correct};
