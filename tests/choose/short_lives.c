static char help[] = "Lives of structures under progressive planning: one that comes back goes on where it was; those that were short before wait longer for a look.\n\n";

#include <petscautocsr.h>
#include "../generate.h"

#define MOST 100000

/* A stencil with the values of step k. It is multiplied until the plan is final, at most `most` times, and then `again` times as often */
static PetscErrorCode Step(PetscInt points, PetscInt k, PetscInt most, PetscInt again, PetscInt *made, MatAutoCSRInfo *info)
{
  const PetscInt m = points * points;
  Mat            B;
  Vec            x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, m, m, 5, NULL, &B));
  for (PetscInt i = 0; i < m; i++) {
    PetscInt       col[7];
    const PetscInt n = Grid(i, points, points, 1, col);

    for (PetscInt j = 0; j < n; j++) PetscCall(MatSetValue(B, i, col[j], RandomScalar(i + k, col[j]), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(B, MATAUTOCSR, MAT_INPLACE_MATRIX, &B));
  PetscCall(MatAutoCSRSetProgressive(B, PETSC_TRUE));
  PetscCall(MatBindToCPU(B, PETSC_TRUE));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(VecSet(x, 1));
  *made = 0;
  do {
    PetscCall(MatMult(B, x, y));
    PetscCall(MatAutoCSRGetInfo(B, info));
  } while (++*made < most && !info->settled);
  for (PetscInt j = 0; j < again * *made; j++) PetscCall(MatMult(B, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  MatAutoCSRInfo info;
  PetscInt       first, other, made, spent = 0, steps;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());

  /* Final after some products; what follows has the plan from its first product on */
  PetscCall(Step(25, 0, MOST, 0, &first, &info));
  PetscCheck(info.settled && first > 8 && info.plans == 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Settled by %" PetscInt_FMT " products, %" PetscInt_FMT " plans", first, info.plans);
  for (PetscInt k = 1; k < 4; k++) {
    PetscCall(Step(25, k, 5, 0, &made, &info));
    PetscCheck(made == 1 && info.plans == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Step %" PetscInt_FMT ": settled by %" PetscInt_FMT " products, %" PetscInt_FMT " plans", k, made, info.plans);
  }

  /* Lives too short for a plan: together they pay for it, by as many products as one long life */
  PetscCall(Step(41, 0, MOST, 0, &other, &info));
  for (steps = 0; steps < 1000; steps++) {
    PetscCall(Step(42, steps, 10, 0, &made, &info));
    spent += made;
    if (info.settled) break;
  }
  PetscCheck(info.settled && steps > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " products in %" PetscInt_FMT " lives of one structure", spent, steps);
  PetscCheck(PetscAbsInt(spent - other) <= 2 + other / 8, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Settled by %" PetscInt_FMT " products in several lives, by %" PetscInt_FMT " in one", spent, other);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "A structure that comes back goes on where it was\n"));

  /* Other structures, a product too short for their plan: after two of them steps wait, until one has lived long */
  PetscCall(Step(60, 0, MOST, 0, &other, &info));
  PetscCall(Step(60, 0, MOST, 100 * other, &made, &info));
  for (steps = 0; steps < 2; steps++) PetscCall(Step(61 + steps, 0, other - 1, 0, &made, &info));
  PetscCall(Step(64, 0, MOST, 100, &made, &info));
  PetscCheck(made > 3 * other, PETSC_COMM_SELF, PETSC_ERR_PLIB, "After short lives settled by %" PetscInt_FMT " products, at first by %" PetscInt_FMT, made, other);
  PetscCall(Step(65, 0, MOST, 100, &made, &info));
  PetscCheck(made < 2 * other, PETSC_COMM_SELF, PETSC_ERR_PLIB, "After a long life settled by %" PetscInt_FMT " products, at first by %" PetscInt_FMT, made, other);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "After short lives planning waits\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
