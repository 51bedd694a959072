static char help[] = "Wisdom: another run plans in one step; eight processes at once lose nothing, one that is killed harms nothing; damaged and foreign files.\n\n";

#include <petscautocsr.h>
#include "../compare.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 8

static char path[PETSC_MAX_PATH_LEN];

/* A matrix of its own structure for each k */
static PetscErrorCode Create(MatType type, PetscInt k, Mat *A)
{
  const PetscInt m = 2000 + k;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, m, m, m, m));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j <= (i + k) * 7 % 5; j++) PetscCall(MatSetValue(*A, i, (i + j * j * 31) % m, RandomScalar(i, j), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Products until the plan is final; *plans: that were made until then */
static PetscErrorCode Multiply(PetscInt k, PetscInt *plans)
{
  MatAutoCSRInfo info;
  Mat            A, B;
  Vec            x, y, z;
  PetscReal      off, all;

  PetscFunctionBeginUser;
  PetscCall(Create(MATAIJ, k, &A));
  PetscCall(Create(MATAUTOCSR, k, &B));
  PetscCall(MatAutoCSRSetProgressive(B, PETSC_TRUE));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSetScattered(x, 3));
  PetscCall(MatMult(A, x, z));
  PetscCall(VecNorm(z, NORM_INFINITY, &all));
  for (PetscInt p = 0; p < 1000; p++) {
    PetscCall(MatMult(B, x, y));
    PetscCall(VecAXPY(y, -1, z));
    PetscCall(VecNorm(y, NORM_INFINITY, &off));
    PetscCheck(off <= 10 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Product %" PetscInt_FMT " is off by %g", p, (double)off);
    PetscCall(MatAutoCSRGetInfo(B, &info));
    if (info.settled) break;
  }
  *plans = info.plans;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The program of a child: structures [begin, end), each of which takes so many plans */
static PetscErrorCode Program(int argc, char **argv, PetscInt begin, PetscInt end, PetscInt expected)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_wisdom", path));
  for (PetscInt k = begin; k < end; k++) {
    PetscInt plans;

    PetscCall(Multiply(k, &plans));
    PetscCheck(plans == expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Structure %" PetscInt_FMT ": %" PetscInt_FMT " plans, not %" PetscInt_FMT, k, plans, expected);
  }
  PetscCall(PetscFinalize());
  return (PetscErrorCode)0;
}

static pid_t Start(int argc, char **argv, PetscInt begin, PetscInt end, PetscInt expected)
{
  const pid_t child = fork();

  if (!child) _exit(Program(argc, argv, begin, end, expected) ? 1 : 0);
  return child;
}

static int Failed(pid_t child)
{
  int status;

  return waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status);
}

/* Lines after the first; -1: the file is none of wisdom */
static int Entries(void)
{
  FILE *file = fopen(path, "r");
  char  line[512];
  int   n = -1;

  if (!file) return -1;
  while (fgets(line, sizeof(line), file)) n++;
  fclose(file);
  return n;
}

static int Append(const char text[], const char mode[])
{
  FILE *file = fopen(path, mode);

  return !file || fputs(text, file) < 0 || fclose(file);
}

/* 0, or the number of what went wrong */
static int Children(int argc, char **argv)
{
  pid_t child[PROCESSES];
  int   failed = 0, entries;

  for (int c = 0; c < PROCESSES; c++) child[c] = Start(argc, argv, 3 * c, 3 * c + 3, 2);
  for (int c = 0; c < PROCESSES; c++) failed += Failed(child[c]);
  if (failed) return 1;
  if (Entries() != 3 * PROCESSES) return 2;
  if (Failed(Start(argc, argv, 0, 3 * PROCESSES, 1))) return 3; /* each in one step */
  if (Append("no entry\n0123 4 5\n", "a")) return 4;
  if (Failed(Start(argc, argv, 0, 3, 1))) return 5;   /* damaged lines */
  if (Failed(Start(argc, argv, 50, 51, 2))) return 6; /* and gone, where more is written */
  if (Entries() != 3 * PROCESSES + 1) return 7;
  child[0] = Start(argc, argv, 100, 100000, 2);
  do usleep(20000);
  while (Entries() < 3 * PROCESSES + 20 && !waitpid(child[0], NULL, WNOHANG)); /* until it has written */
  kill(child[0], SIGKILL);
  (void)waitpid(child[0], NULL, 0);
  entries = Entries();
  if (entries < 3 * PROCESSES + 20) return 8;
  if (Failed(Start(argc, argv, 0, 3 * PROCESSES, 1))) return 9;
  return Entries() == entries ? 0 : 10;
}

/* A file of something else is an error, and stays as it is */
static PetscErrorCode Foreign(void)
{
  PetscErrorCode ierr;
  Mat            B;
  Vec            x, y;

  PetscFunctionBeginUser;
  PetscCall(Create(MATAUTOCSR, 0, &B));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCheck(!Append("something else\n", "w"), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s cannot be written", path);
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_wisdom", path));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = MatMult(B, x, y);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(ierr == PETSC_ERR_FILE_READ, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A file of something else is error %d", (int)ierr);
  PetscCheck(Entries() == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A file of something else was written to");
  PetscCall(MatMult(B, x, y)); /* and the process goes on */
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/wisdomXXXXXX";
  int  wrong;

  if (!mkdtemp(folder) || snprintf(path, sizeof(path), "%s/wisdom", folder) < 0) return 1;
  wrong = Children(argc, argv); /* before MPI begins here */
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCheck(!wrong, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Step %d of the children failed, with %d entries", wrong, Entries());
  PetscCall(Foreign());
  unlink(path);
  rmdir(folder);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Wisdom is kept\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: !cuda

TEST*/
