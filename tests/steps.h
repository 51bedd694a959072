/* The steps of a device in the emulator, for solves of the host's vectors */
#ifndef STEPS_H
#define STEPS_H

#define AUTOCSR_HAVE_CUDA
#include "../src/ksp/impls/autocsr/cuda/steps.h"
#include "emulator/control.h"

/* Vectors are the host's: they are copied to the device's memory when a solve begins, and back when it ends */
static PetscErrorCode EmulatedGet(AutoCSRSolve *s, PetscInt k)
{
  const PetscScalar *from;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(s->vec[k], &n)); /* point blocks have more entries than there are rows */
  PetscCall(AutoCSRDeviceAllocate((size_t)n * sizeof(PetscScalar), (void **)&s->array[k]));
  PetscCall(VecGetArrayRead(s->vec[k], &from));
  PetscCall(AutoCSRDeviceFromHost(s->array[k], from, (size_t)n * sizeof(PetscScalar)));
  PetscCall(VecRestoreArrayRead(s->vec[k], &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool through_host; /* sums are handed to the host, as of two processes; the communicator has this one alone */

static PetscErrorCode EmulatedBegin(AutoCSRSolve *s, AutoCSRDevice *device)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->vectors; k++) {
    if (s->vec[k]) PetscCall(EmulatedGet(s, k));
  }
  if (through_host) s->size = 2;
  PetscCall(AutoCSRPassesBegin(s, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopyBack(AutoCSRSolve *s, PetscInt k)
{
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(VecGetArray(s->vec[k], &to));
  PetscCall(AutoCSRDeviceToHost(to, s->array[k], (size_t)s->n * sizeof(PetscScalar)));
  PetscCall(VecRestoreArray(s->vec[k], &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EmulatedEnd(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  AutoCSRPassesEnd(s);
  for (PetscInt k = 0; k < s->vectors; k++) {
    if (!s->vec[k]) continue;
    if (k < AUTOCSR_B) PetscCall(CopyBack(s, k));
    PetscCall(AutoCSRDeviceDeallocate(s->array[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies `from` to the host before PETSc's function and `to` to the device after it */
static PetscErrorCode CallPETSc(AutoCSRSolve *s, PetscInt from, PetscInt to, PetscBool preconditions)
{
  const PetscScalar *made;

  PetscFunctionBegin;
  PetscCall(CopyBack(s, from));
  PetscCall(preconditions ? KSP_PCApply(s->given, s->vec[from], s->vec[to]) : MatMult(s->mat, s->vec[from], s->vec[to]));
  PetscCall(VecGetArrayRead(s->vec[to], &made));
  PetscCall(AutoCSRDeviceFromHost(s->array[to], made, (size_t)s->n * sizeof(PetscScalar)));
  PetscCall(VecRestoreArrayRead(s->vec[to], &made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EmulatedMultiply(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  return CallPETSc(s, from, to, PETSC_FALSE);
}

static PetscErrorCode EmulatedApply(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  return CallPETSc(s, from, to, PETSC_TRUE);
}

/* The table of the device's steps, without what asks where vectors and matrices lie */
static AutoCSRSteps EmulatedSteps(void)
{
  AutoCSRSteps steps = AutoCSRStepsCUDA;

  steps.where    = "in the emulator";
  steps.begin    = EmulatedBegin;
  steps.end      = EmulatedEnd;
  steps.get      = EmulatedGet;
  steps.multiply = EmulatedMultiply;
  steps.apply    = EmulatedApply;
  return steps;
}

static PetscInt n = 700; /* several thread blocks, the last one partly without rows */

/* shift: an indefinite matrix if it is large */
static PetscErrorCode CreateMatrix(PetscReal shift, PetscInt block, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, A));
  PetscCall(MatSetBlockSize(*A, block));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(*A, i, i, 2.6 + 0.3 * PetscSinReal((PetscReal)(i * i % 1000)) - shift, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*A, i, i - 1, -1 - 0.1 * PetscSinReal((PetscReal)i), INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, -1 - 0.1 * PetscSinReal((PetscReal)(i + 1)), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(*A, MATAUTOCSR, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
