/* The strategies: a new one is a file of its own and its name in this list (as dft/conf.c of FFTW) */
#include "preset.h"

#define ALL_STRATEGIES(F) F(csr) F(csr_vector) F(csr_adaptive) F(light) F(pcsr) F(merge) F(pattern) F(symmetric) F(sell) F(sellp) F(ell) F(block) F(inode) F(coltile) F(propagate) F(popular) F(binned) F(rowbins) F(segsum) F(cusparse_alg1) F(cusparse_alg2) F(cusparse_sell) F(cusparse_bsr) F(graph)

#define DECLARE(name) extern const AutoCSRStrategy AutoCSRStrategy_##name;
#define POINTER(name) &AutoCSRStrategy_##name,
ALL_STRATEGIES(DECLARE)
const AutoCSRStrategy *const AutoCSRStrategies[] = {ALL_STRATEGIES(POINTER) NULL};

PetscErrorCode AutoCSRStrategyBuild(const AutoCSRStrategy *strategy, const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  if (strategy->build)
    PetscCall((*strategy->build)(problem, axes, plan));
  else
    PetscCall(AutoCSRBuildContiguous(problem, strategy->name, axes, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRStrategyFind(const char name[], const AutoCSRStrategy **strategy)
{
  char names[512] = "auto";

  PetscFunctionBegin;
  *strategy = NULL;
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
    PetscBool same;

    PetscCall(PetscStrcmp(name, AutoCSRStrategies[s]->name, &same));
    if (same) {
      *strategy = AutoCSRStrategies[s];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(AutoCSRAppend(names, ", ", sizeof(names)));
    PetscCall(AutoCSRAppend(names, AutoCSRStrategies[s]->name, sizeof(names)));
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "There is no autocsr strategy \"%s\"; -mat_autocsr_strategy and MatAutoCSRSetStrategy() take one of: %s", name, names);
}
