/*
  How a type of KSP becomes ours: it is registered again under its own name. The new creator calls PETSc's, whose data, methods and
  operations stay, and puts a few operations in their place: solve asks each time whether ours serves, set-up and options keep it
  there, view tells of it, reset and destroy give memory back.
*/
#include "fused.h"

#define FUSED "KSPAutoCSRFused"

static const AutoCSRFusedType *const types[] = {&AutoCSRFusedCG, &AutoCSRFusedBCGS, &AutoCSRFusedGMRES, &AutoCSRFusedFGMRES, &AutoCSRFusedChebyshev, &AutoCSRFusedRichardson};
static PetscErrorCode (*parents[PETSC_STATIC_ARRAY_LENGTH(types)])(KSP);

#if defined(AUTOCSR_HAVE_CUDA)
/* Solvers and their prefixes are not known yet */
static PetscErrorCode MayRun(PetscBool *may)
{
  PetscFunctionBegin;
  *may = PETSC_TRUE;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ksp_autocsr_default", may, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode AutoCSRFusedRegister(void)
{
  PetscFunctionBegin;
  PetscCall(KSPInitializePackage());
#if defined(AUTOCSR_HAVE_CUDA)
  AutoCSRPassesPreload(MayRun);
#endif
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); k++) {
    PetscErrorCode (*create)(KSP);

    PetscCall(PetscFunctionListFind(KSPList, types[k]->type, &create));
    if (!create || create == types[k]->create) continue;
    parents[k] = create;
    PetscCall(KSPRegister(types[k]->type, types[k]->create));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFusedGet(KSP ksp, AutoCSRFused **f)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ksp, FUSED, (PetscObject *)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)ksp), PETSC_ERR_PLIB, "A KSP with operations of this library has lost what it keeps for them");
  PetscCall(PetscContainerGetPointer(container, (void **)f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyOwn(AutoCSRFused *f)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < f->owns; k++) PetscCall(VecDestroy(&f->own[k]));
  PetscCall(PetscFree(f->own));
  f->owns = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FusedReset(AutoCSRFused *f)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&f->diagonal));
  PetscCall(DestroyOwn(f));
  if (f->device) PetscCall((*f->steps->destroy)(&f->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FusedDestroy(AutoCSRHeld held)
{
  AutoCSRFused *f = (AutoCSRFused *)AUTOCSR_HELD(held);

  PetscFunctionBegin;
  PetscCall(FusedReset(f));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFusedOwn(KSP ksp, AutoCSRFused *f, PetscInt n)
{
  VecType     type;
  PetscLayout own, now;
  PetscBool   same[2];

  PetscFunctionBegin;
  if (f->owns) { /* the program may solve for a vector of another type or size */
    PetscCall(VecGetType(f->own[0], &type));
    PetscCall(PetscObjectTypeCompare((PetscObject)ksp->vec_sol, type, &same[0]));
    PetscCall(VecGetLayout(f->own[0], &own));
    PetscCall(VecGetLayout(ksp->vec_sol, &now));
    PetscCall(PetscLayoutCompare(own, now, &same[1])); /* for all processes */
    if (!same[0] || !same[1]) PetscCall(DestroyOwn(f));
  }
  if (n <= f->owns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRealloc((size_t)n * sizeof(*f->own), &f->own));
  for (; f->owns < n; f->owns++) PetscCall(VecDuplicate(ksp->vec_sol, &f->own[f->owns]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSolve_Fused(KSP ksp)
{
  AutoCSRFused       *f;
  const AutoCSRSteps *steps = NULL;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  f->ran     = PETSC_FALSE;
  f->refused = NULL;
  if (f->on) {
    PetscCall(AutoCSRFusedServe(ksp, f, &steps, &f->refused));
    if (!steps) PetscCall(PetscInfo(ksp, "PETSc's own solve runs: %s\n", f->refused));
  }
  if (steps) {
    f->ran   = PETSC_TRUE;
    f->where = steps->where;
    PetscCall(PetscInfo(ksp, "The solve runs beside the matrix %s\n", f->where));
    PetscCall(AutoCSRFusedSolve(ksp, f, steps));
  } else
    PetscCall((*f->parent.solve)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Set-up and setters of PETSc's type choose among its solves */
PetscErrorCode AutoCSRFusedTakeSolve(KSP ksp, AutoCSRFused *f)
{
  PetscFunctionBegin;
  if (ksp->ops->solve == KSPSolve_Fused) PetscFunctionReturn(PETSC_SUCCESS);
  f->parent.solve = ksp->ops->solve;
  if (!f->first) f->first = f->parent.solve;
  if (f->parent.solve) ksp->ops->solve = KSPSolve_Fused;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetUp_Fused(KSP ksp)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  if (f->parent.setup) PetscCall((*f->parent.setup)(ksp));
  PetscCall(AutoCSRFusedTakeSolve(ksp, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_Fused(KSP ksp, AutoCSROptionItems PetscOptionsObject)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  if (f->parent.setfromoptions) PetscCall((*f->parent.setfromoptions)(ksp, PetscOptionsObject));
  PetscCall(AutoCSRFusedTakeSolve(ksp, f));
  PetscOptionsHeadBegin(PetscOptionsObject, "Solvers beside autocsr matrices");
  /* -ksp_autocsr: [`true`, `false`] solvers of type `cg`, `bcgs`, `gmres`, `fgmres`, `chebyshev` and `richardson` run beside a matrix of type `autocsr`: fewer passes over the
     vectors, on a device without waiting for scalars. PETSc's own solve runs where they do not serve ([guide.md](guide.md)); it takes the solver's prefix */
  PetscCall(PetscOptionsBool("-ksp_autocsr", "Solve by passes over all vectors at once", NULL, f->on, &f->on, &f->asked));
  /* -ksp_autocsr_repeat: [`true`, `false`] on a device, several steps of a small problem with `cg` or `bcgs` are recorded as a CUDA graph, which is then repeated: the host launches it in less
     time than their kernels. The same kernels run in the same order; it takes the solver's prefix */
  PetscCall(PetscOptionsBool("-ksp_autocsr_repeat", "Repeat steps that were recorded", NULL, f->repeats, &f->repeats, NULL));
  /* -ksp_autocsr_join: [`true`, `false`] on a device, up to 400,000 rows, a product of `cg` makes its dot product in the same kernel where the plan is one of those that can; it takes the solver's prefix */
  PetscCall(PetscOptionsBool("-ksp_autocsr_join", "Products make their dot products", NULL, f->joins, &f->joins, NULL));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_Fused(KSP ksp, PetscViewer viewer)
{
  AutoCSRFused *f;
  PetscBool     ascii;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  if (f->parent.view) PetscCall((*f->parent.view)(ksp, viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii || !f->on) PetscFunctionReturn(PETSC_SUCCESS);
  if (f->ran)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  fused by autocsr %s\n", f->where));
  else if (f->asked && f->refused)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  not fused by autocsr: %s\n", f->refused));
  else if (f->asked)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  fused by autocsr where that serves\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The work vectors of PETSc's types hold a residual after their solves, and not always after ours */
static PetscErrorCode KSPBuildResidual_Fused(KSP ksp, Vec t, Vec v, Vec *V)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall(f->ran ? KSPBuildResidualDefault(ksp, t, v, V) : (*f->parent.buildresidual)(ksp, t, v, V));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPReset_Fused(KSP ksp)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall(FusedReset(f));
  if (f->parent.reset) PetscCall((*f->parent.reset)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the KSP composes is PETSc's to take off, under the same names */
static PetscErrorCode KSPDestroy_Fused(KSP ksp)
{
  AutoCSRFused *f;
  PetscErrorCode (*destroy)(KSP);

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  destroy = f->parent.destroy;
  PetscCall(PetscObjectCompose((PetscObject)ksp, FUSED, NULL));
  if (destroy) PetscCall((*destroy)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Method k of this type of KSP, if PETSc's has one of this name: the caller's function calls f->method[k] */
PetscErrorCode AutoCSRFusedCompose(KSP ksp, AutoCSRFused *f, int k, const char name[], PetscErrorCode (*method)(KSP), PetscBool *found)
{
  PetscErrorCode (*there)(KSP);

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, name, &there));
  if (found) *found = there ? PETSC_TRUE : PETSC_FALSE;
  if (!there || there == method) PetscFunctionReturn(PETSC_SUCCESS);
  f->method[k] = there;
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, name, method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFusedCreate(KSP ksp, const AutoCSRFusedType *type)
{
  AutoCSRFused  *f;
  PetscContainer container;
  size_t         k = 0;

  PetscFunctionBegin;
  while (types[k] != type) k++;
  PetscCall((*parents[k])(ksp));
  PetscCall(PetscNew(&f));
  f->type   = type;
  f->parent = *ksp->ops;
  f->on = f->repeats = f->joins = PETSC_TRUE;
  /* -ksp_autocsr_default: [`true`, `false`] the default of `-ksp_autocsr`, for solvers of every prefix; this option takes no prefix */
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ksp_autocsr_default", &f->on, NULL));
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)ksp), &container));
  PetscCall(PetscContainerSetPointer(container, f));
  PetscCall(AutoCSRContainerSetDestroy(container, FusedDestroy));
  PetscCall(PetscObjectCompose((PetscObject)ksp, FUSED, (PetscObject)container));
  PetscCall(PetscObjectDereference((PetscObject)container));
  PetscCall(AutoCSRFusedTakeSolve(ksp, f));
  ksp->ops->setup          = KSPSetUp_Fused;
  ksp->ops->setfromoptions = KSPSetFromOptions_Fused;
  ksp->ops->view           = KSPView_Fused;
  ksp->ops->buildresidual  = KSPBuildResidual_Fused;
  ksp->ops->reset          = KSPReset_Fused;
  ksp->ops->destroy        = KSPDestroy_Fused;
  if (type->compose) PetscCall((*type->compose)(ksp, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
