static char help[] = "Processes that find different figures of their machines plan a parallel matrix by those of the first; sequential matrices by their own.\n\n";

#include "../../src/mat/impls/autocsr/machine/figures.h"
#include <petscautocsr.h>
#include <unistd.h>

#define ROWS 3000

/* Figures by which rows in place are fast, and all else slow, or the reverse */
static PetscErrorCode FiguresWrite(const char path[], PetscBool in_place)
{
  AutoCSRFigures f;
  PetscBool      written;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, "avx2", "reference", NULL, &f));
  PetscCall(PetscStrncpy(f.machine.name, in_place ? "one processor" : "another processor", sizeof(f.machine.name)));
  for (PetscInt i = 0; i < f.n_executors; i++) {
    AutoCSRExecutorCost *c    = &f.executor[i].cost;
    const PetscBool      fast = (PetscBool)(in_place == (PetscBool)!strncmp(f.executor[i].name, "csr/csr/", 8));

    c->entry *= fast ? 0.1 : 10;
    c->row *= fast ? 0.1 : 10;
  }
  PetscCall(AutoCSRKeptWrite(path, &f, PETSC_TRUE, &written));
  PetscCheck(written, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s is not written", path);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The strategy of the blocks of each process, as a number; *least and *most over all */
static PetscErrorCode ChosenIn(Mat A, const char *strategy[], PetscInt *least, PetscInt *most)
{
  MatAutoCSRInfo info;
  PetscInt       n[2];

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(A, &info));
  *strategy = info.strategy;
  n[0] = n[1] = 0;
  for (const char *c = info.strategy; *c; c++) n[0] = (31 * n[0] + *c) % 1000003;
  n[1] = -n[0];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  *most  = n[0];
  *least = -n[1];
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Each process has the same block: nine diagonals, all values different */
static PetscErrorCode BlocksCreate(MPI_Comm comm, MatType type, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, ROWS, ROWS, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 9, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 9, NULL, 1, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    for (PetscInt k = 0; k < 9; k++) PetscCall(MatSetValue(*A, i, begin + (i - begin + k) % ROWS, (PetscScalar)(1 + (i - begin) * 9 + k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Multiply(Mat A)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char        folder[] = "figuresXXXXXX", path[64];
  const char *own, *chosen, *again;
  PetscInt    least, most;
  PetscMPIInt rank;
  Mat         S, A, B;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No folder can be made");
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/figures", folder));
  PetscCall(FiguresWrite(path, (PetscBool)(rank == 0)));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_machine", path));
  PetscCall(MatAutoCSRRegisterAll());

  PetscCall(BlocksCreate(PETSC_COMM_SELF, MATAUTOCSR, &S));
  PetscCall(Multiply(S));
  PetscCall(ChosenIn(S, &own, &least, &most));
  PetscCheck(least < most, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Sequential matrices of both processes go by %s: the figures make no difference", own);

  PetscCall(BlocksCreate(PETSC_COMM_WORLD, MATAUTOCSR, &A));
  PetscCall(Multiply(A));
  PetscCall(ChosenIn(A, &chosen, &least, &most));
  PetscCheck(least == most && (rank || !strcmp(chosen, own)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Process %d goes by %s, the first by its own, and their sequential ones by %s", (int)rank, chosen, own);

  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B)); /* of its own accord alike */
  PetscCall(Multiply(B));
  PetscCall(ChosenIn(B, &again, &least, &most));
  PetscCheck(least == most && !strcmp(again, chosen), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A duplicate goes by %s, not %s", again, chosen);
  PetscCall(MatDestroy(&B));
  PetscCall(MatAutoCSRSetObjective(A, MAT_AUTOCSR_OBJECTIVE_MEMORY)); /* other settings are agreed on again */
  PetscCall(Multiply(A));
  PetscCall(ChosenIn(A, &again, &least, &most));
  PetscCheck(least == most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "With other settings process %d goes by %s", (int)rank, again);
  PetscCall(MatDestroy(&A));

  PetscCall(BlocksCreate(PETSC_COMM_SELF, MATAUTOCSR, &B)); /* the process's own stay as they are */
  PetscCall(Multiply(B));
  PetscCall(ChosenIn(B, &again, &least, &most));
  PetscCheck(!strcmp(again, own), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A sequential matrix goes by %s, one before by %s", again, own);
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&S));
  unlink(path);
  PetscCheck(!rmdir(folder), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Files are left in %s", folder);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "All processes choose alike\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    nsize: 2

TEST*/
