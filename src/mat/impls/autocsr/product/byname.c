/*
  Algorithms of PETSc that ask for MATSEQAIJ or MATMPIAIJ by exact name, or for those of AIJCUSPARSE: they are given the
  matrix as that, or as its parent, for the time that they look at it. Each is registered again, under its own name, with that
  put around its function.
*/
#include "product.h"
#include <petsc/private/pcimpl.h>

/*
  An object of Class whose `operation` reads its member `matrix`; parameters and arguments are those of the operation. Call is
  AUTOCSR_CALL_AS_AIJ or AUTOCSR_CALL_AS_PARENT
*/
#define AUTOCSR_AS(Call, Name, Class, matrix, operation, parameters, arguments) \
  static PetscErrorCode (*Name##Create)(Class);                                 \
  static PetscErrorCode(*Name##Operation) parameters;                           \
  static PetscErrorCode Name##OperationWrapped parameters                       \
  {                                                                             \
    PetscFunctionBegin;                                                         \
    Call(object->matrix, (*Name##Operation)arguments);                          \
    PetscFunctionReturn(PETSC_SUCCESS);                                         \
  }                                                                             \
  static PetscErrorCode Name##CreateWrapped(Class object)                       \
  {                                                                             \
    PetscFunctionBegin;                                                         \
    PetscCall((*Name##Create)(object));                                         \
    Name##Operation        = object->ops->operation;                            \
    object->ops->operation = Name##OperationWrapped;                            \
    PetscFunctionReturn(PETSC_SUCCESS);                                         \
  }

AUTOCSR_AS(AUTOCSR_CALL_AS_AIJ, ColoringJP, MatColoring, mat, apply, (MatColoring object, ISColoring *coloring), (object, coloring))
AUTOCSR_AS(AUTOCSR_CALL_AS_AIJ, ColoringPower, MatColoring, mat, apply, (MatColoring object, ISColoring *coloring), (object, coloring))
AUTOCSR_AS(AUTOCSR_CALL_AS_AIJ, ColoringGreedy, MatColoring, mat, apply, (MatColoring object, ISColoring *coloring), (object, coloring))
AUTOCSR_AS(AUTOCSR_CALL_AS_AIJ, CoarsenHEM, MatCoarsen, graph, apply, (MatCoarsen object), (object))
AUTOCSR_AS(AUTOCSR_CALL_AS_AIJ, ProjectionCP, PC, pmat, setup, (PC object), (object))
AUTOCSR_AS(AUTOCSR_CALL_AS_AIJ, CoarseTFS, PC, pmat, setup, (PC object), (object))
AUTOCSR_AS(AUTOCSR_CALL_AS_PARENT, PointBlockJacobi, PC, pmat, setup, (PC object), (object))
AUTOCSR_AS(AUTOCSR_CALL_AS_PARENT, VariablePointBlockJacobi, PC, pmat, setup, (PC object), (object))

#if PETSC_VERSION_LT(3, 26, 0)
/* MatGetOrdering() of a parallel matrix orders the diagonal block, if the type's name is that of the parent */
static PetscFunctionList Orderings;

static PetscErrorCode MatGetOrdering_AutoCSR(Mat A, MatOrderingType type, IS *row, IS *col)
{
  PetscErrorCode (*order)(Mat, MatOrderingType, IS *, IS *);

  PetscFunctionBegin;
  if (MatIsMPIAutoCSR(A))
    AUTOCSR_CALL_AS_AIJ(A, MatGetOrdering(A, type, row, col));
  else {
    PetscCall(PetscFunctionListFind(Orderings, type, &order));
    PetscCall((*order)(A, type, row, col));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSROrderingsFinalize(void)
{
  return PetscFunctionListDestroy(&Orderings);
}

static PetscErrorCode AutoCSROrderingsRegister(void)
{
  const char **names;
  int          n;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListDuplicate(MatOrderingList, &Orderings));
  PetscCall(PetscRegisterFinalize(AutoCSROrderingsFinalize));
  PetscCall(PetscFunctionListGet(MatOrderingList, &names, &n));
  for (int k = 0; k < n; k++) PetscCall(MatOrderingRegister(names[k], MatGetOrdering_AutoCSR));
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode AutoCSRByNameRegister(void)
{
#define REGISTER(Class, list, type, Name)                                    \
  do {                                                                       \
    PetscCall(PetscFunctionListFind(list, type, &Name##Create));             \
    if (Name##Create) PetscCall(Class##Register(type, Name##CreateWrapped)); \
  } while (0)

  PetscFunctionBegin;
  PetscCall(PCInitializePackage());
  REGISTER(MatColoring, MatColoringList, MATCOLORINGJP, ColoringJP);
  REGISTER(MatColoring, MatColoringList, MATCOLORINGPOWER, ColoringPower);
  REGISTER(MatColoring, MatColoringList, MATCOLORINGGREEDY, ColoringGreedy);
  REGISTER(MatCoarsen, MatCoarsenList, MATCOARSENHEM, CoarsenHEM);
  REGISTER(PC, PCList, PCCP, ProjectionCP);
  REGISTER(PC, PCList, PCTFS, CoarseTFS);
  REGISTER(PC, PCList, PCPBJACOBI, PointBlockJacobi);
  REGISTER(PC, PCList, PCVPBJACOBI, VariablePointBlockJacobi);
#undef REGISTER
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(AutoCSROrderingsRegister());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
