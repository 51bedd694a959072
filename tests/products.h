/*
  Products of a plan on the host by the executors it is bound to, against the interpreter.
*/
#ifndef AUTOCSR_TESTS_PRODUCTS_H
#define AUTOCSR_TESTS_PRODUCTS_H

#include "plans.h"

static inline PetscBool SameParts(PetscReal a, PetscReal b, PetscReal bound)
{
  return (PetscBool)(PetscIsInfOrNanReal(b) ? (PetscIsNanReal(b) ? PetscIsNanReal(a) : a == b) : PetscAbsReal(a - b) <= bound);
}

/* Complex products are formed by components: of these the finite ones are told from the others */
static inline PetscBool Close(PetscScalar a, PetscScalar b, PetscReal bound)
{
  if (PetscDefined(USE_COMPLEX) && PetscIsInfOrNanScalar(b)) return PetscIsInfOrNanScalar(a);
  return (PetscBool)(SameParts(PetscRealPart(a), PetscRealPart(b), bound) && SameParts(PetscImaginaryPart(a), PetscImaginaryPart(b), bound));
}

/* A product, twice; x and y begin an entry off the borders of vectors. bound: of the difference of an entry */
static inline PetscErrorCode CheckProduct(const AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscBool transpose, PetscInt add, PetscBool infinite, PetscReal bound, const char context[])
{
  PetscScalar    *x, *z, *y[2], *expected;
  AutoCSROperands o = {.csr = csr, .conjugate = transpose};
  PetscBool       same;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc5(csr->n + 1, &x, csr->m + 1, &z, csr->m + 1, &y[0], csr->m + 1, &y[1], csr->m + 1, &expected));
  for (PetscInt i = 0; i <= csr->n; i++) x[i] = Value(VALUES_MANY, 3, i);
  for (PetscInt i = 0; i <= csr->m; i++) z[i] = Value(VALUES_MANY, 4, i);
  if (infinite) {
    x[1]              = INFINITY;
    x[1 + csr->n / 3] = -INFINITY;
    x[csr->n]         = NAN;
  }
  o.x = x + 1;
  for (int again = 0; again < 3; again++) {
    PetscScalar *to = again < 2 ? y[again] : expected;

    PetscCall(PetscArraycpy(to, z, csr->m + 1));
    o.y = to + 1;
    o.z = add == 0 ? NULL : (add == 1 ? z : to) + 1;
    if (again < 2)
      PetscCall((transpose ? csr->backend->mult_transpose : csr->backend->mult)(plan, &o));
    else
      PetscCall((transpose ? AutoCSRPlanInterpretTranspose : AutoCSRPlanInterpret)(plan, &o));
  }
  PetscCall(PetscMemcmp(y[0], y[1], (size_t)(csr->m + 1) * sizeof(**y), &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other bits the second time", context);
  for (PetscInt i = 0; i <= csr->m; i++) PetscCheck(Close(y[0][i], expected[i], bound), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, transposed %d, add %" PetscInt_FMT ": entry %" PetscInt_FMT " is %g, not %g", context, transpose, add, i - 1, (double)PetscRealPart(y[0][i]), (double)PetscRealPart(expected[i]));
  PetscCall(PetscFree5(x, z, y[0], y[1], expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
