static char help[] = "Wisdom: another run plans in one step; eight processes at once lose nothing, one that is killed harms nothing; damaged and foreign files;\n\
links, permissions and folders; rigor measure; values that wisdom does not suit; no memory.\n\n";

#include <petscautocsr.h>
#include "../rows.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 8

static char path[PETSC_MAX_PATH_LEN];

#define ROWS(k) (2000 + (k)) /* each k has a structure of its own */

/* Products until the plan is final; *plans: that were made until then */
static PetscErrorCode Multiply(PetscInt k, PetscInt *plans)
{
  MatAutoCSRInfo info = {.settled = PETSC_FALSE};
  Reference      r;
  Mat            B;

  PetscFunctionBeginUser;
  PetscCall(CreateBoth(PETSC_COMM_SELF, ROWS(k), ROWS(k), ShortRow, &r, &B));
  for (PetscInt p = 0; p < 1000 && !info.settled; p++) {
    PetscCall(CompareProduct(&r, &products[0], 0, &B, "Short rows"));
    PetscCall(MatAutoCSRGetInfo(B, &info));
  }
  *plans = info.plans;
  PetscCall(ReferenceDestroy(&r));
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

/* Wisdom that cannot be used is an error of the first product */
static PetscErrorCode Refused(PetscErrorCode expected)
{
  PetscErrorCode ierr;
  Mat            B;
  Vec            x, y;

  PetscFunctionBeginUser;
  PetscCall(CreateByRows(PETSC_COMM_SELF, MATAUTOCSR, ROWS(0), ROWS(0), ShortRow, &B));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_wisdom", path));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = MatMult(B, x, y);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(ierr == expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is error %d, not %d", path, (int)ierr, (int)expected);
  PetscCall(MatMult(B, x, y)); /* and the process goes on */
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A file of something else stays as it is */
static PetscErrorCode Foreign(void)
{
  PetscFunctionBeginUser;
  PetscCheck(!Append("something else\n", "w"), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s cannot be written", path);
  PetscCall(Refused(PETSC_ERR_FILE_READ));
  PetscCheck(Entries() == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A file of something else was written to");
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A band: each entry has its own value, or every row has the same */
static PetscInt BandRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  PetscInt length = 0;

  (void)val;
  for (PetscInt j = PetscMax(i - 3, 0); j <= i + 3 && j < n; j++) col[length++] = j;
  return length;
}

static PetscInt ConstantBandRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  const PetscInt length = BandRow(i, n, col, val);

  for (PetscInt k = 0; k < length; k++) val[k] = 1 + (col[k] - i) * (col[k] - i);
  return length;
}

static char graph[1024]; /* of the plan that was made last */

/* The plan in the end */
static PetscErrorCode PlanBand(PetscInt m, PetscBool constant, MatAutoCSRRigor rigor, MatAutoCSRInfo *info)
{
  Mat A;
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(CreateByRows(PETSC_COMM_SELF, MATAUTOCSR, m, m, constant ? ConstantBandRow : BandRow, &A));
  PetscCall(MatAutoCSRSetProgressive(A, PETSC_TRUE));
  PetscCall(MatAutoCSRSetRigor(A, rigor));
  PetscCall(MatAutoCSRSetSearch(A, 0.05, PETSC_FALSE));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSetScattered(x, 3));
  for (PetscInt p = 0; p < 1000; p++) PetscCall(MatMult(A, x, y));
  PetscCall(MatAutoCSRGetInfo(A, info));
  PetscCall(MatAutoCSRGetGraph(A, sizeof(graph), graph));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A search that leaves parts out is an experiment, whose graph is not kept */
static PetscErrorCode CheckParts(void)
{
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  for (int all = 0; all < 2; all++) {
    const int before = (int)Entries();

    PetscCall(all ? PetscOptionsClearValue(NULL, "-mat_autocsr_search_without") : PetscOptionsSetValue(NULL, "-mat_autocsr_search_without", "pruning"));
    PetscCall(PlanBand(3002, PETSC_FALSE, MAT_AUTOCSR_RIGOR_PATIENT, &info));
    PetscCheck((int)Entries() == before + all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Wisdom has %d entries after a search %s, before %d", (int)Entries(), all ? "with all parts" : "without pruning", before);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Wisdom of other values is not taken where they do not suit, nor an estimate for a measurement */
static PetscErrorCode Suits(void)
{
  MatAutoCSRInfo constant, with, without, measured;
  char           searched[sizeof(graph)];

  PetscFunctionBeginUser;
  PetscCall(PlanBand(3000, PETSC_TRUE, MAT_AUTOCSR_RIGOR_ESTIMATE, &constant));
  PetscCall(PlanBand(3000, PETSC_FALSE, MAT_AUTOCSR_RIGOR_ESTIMATE, &with));
  PetscCall(PlanBand(3001, PETSC_FALSE, MAT_AUTOCSR_RIGOR_ESTIMATE, &without)); /* another structure */
  PetscCheck(!strcmp(with.executor, without.executor), PETSC_COMM_SELF, PETSC_ERR_PLIB, "With wisdom of constant values, %s: %s, not %s", constant.executor, with.executor, without.executor);
  PetscCall(PlanBand(3000, PETSC_FALSE, MAT_AUTOCSR_RIGOR_MEASURE, &measured));
  PetscCheck(measured.measured > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rigor measure takes what was estimated: %s", measured.strategy);
  PetscCall(PlanBand(3000, PETSC_FALSE, MAT_AUTOCSR_RIGOR_PATIENT, &measured));
  PetscCheck(measured.measured > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A search is left out for what was measured");
  PetscCall(PetscStrncpy(searched, graph, sizeof(searched)));
  PetscCall(PlanBand(3000, PETSC_FALSE, MAT_AUTOCSR_RIGOR_PATIENT, &measured));
  PetscCheck(!strcmp(graph, searched), PETSC_COMM_SELF, PETSC_ERR_PLIB, "What was found is not taken: \"%s\", before \"%s\"", graph, searched);
  PetscCall(CheckParts());
  PetscFunctionReturn((PetscErrorCode)0);
}

/* PETSc's own allocator, behind one that fails once */
static PetscErrorCode (*Reallocate)(size_t, int, const char[], const char[], void **);
static PetscBool fails;

static PetscErrorCode ReallocateOrFail(size_t size, int line, const char function[], const char file[], void **result)
{
  if (fails && strstr(file, "wisdom")) {
    fails = PETSC_FALSE;
    return PETSC_ERR_MEM;
  }
  return (*Reallocate)(size, line, function, file, result);
}

/* Without memory for what is learnt products go on, and what is learnt later is kept */
static PetscErrorCode NoMemory(void)
{
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  Reallocate     = PetscTrRealloc;
  PetscTrRealloc = ReallocateOrFail;
  fails          = PETSC_TRUE;
  PetscCall(PlanBand(2999, PETSC_TRUE, MAT_AUTOCSR_RIGOR_ESTIMATE, &info));
  PetscCheck(!fails, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No allocation failed");
  PetscTrRealloc = Reallocate;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The program of a child */
static PetscErrorCode ProgramOfBands(int argc, char **argv, PetscBool missing)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  if (missing)
    PetscCall(Refused(PETSC_ERR_FILE_OPEN));
  else {
    PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_wisdom", path));
    PetscCall(NoMemory());
    PetscCall(Suits());
  }
  PetscCall(PetscFinalize());
  return (PetscErrorCode)0;
}

/* Where plans turned out slower than AIJ's own product (net.c), the next run begins with it, and stays */
static PetscErrorCode ProgramOfParent(int argc, char **argv)
{
  FILE          *file;
  char           line[512], text[1024], *end;
  int            n = 0;
  MatAutoCSRInfo info;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_wisdom", path));
  file = fopen(path, "r");
  PetscCheck(file && fgets(text, sizeof(text), file), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s cannot be read", path);
  while (fgets(line, sizeof(line), file)) { /* the one of a band of 3001 rows says parent */
    if (!strstr(line, " 3001 3001 ")) continue;
    for (end = line, n = 0; n < 9 && *end; end++) n += *end == ' ';
    (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.*sparent auto auto 1e-06", (int)(end - line), line);
  }
  fclose(file);
  PetscCheck(n == 9 && !Append(text, "w"), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s: no entry of 3001 rows", path);
  PetscCall(PlanBand(3001, PETSC_FALSE, MAT_AUTOCSR_RIGOR_ESTIMATE, &info));
  PetscCheck(!strcmp(info.executor, "parent") && info.plans == 1 && info.settled, PETSC_COMM_SELF, PETSC_ERR_PLIB, "By wisdom of the parent's product: %s, %" PetscInt_FMT " plans", info.executor, info.plans);
  PetscCall(PetscFinalize());
  return (PetscErrorCode)0;
}

static pid_t StartOfParent(int argc, char **argv)
{
  const pid_t child = fork();

  if (!child) _exit(ProgramOfParent(argc, argv) ? 1 : 0);
  return child;
}

static pid_t StartOfBands(int argc, char **argv, PetscBool missing)
{
  const pid_t child = fork();

  if (!child) _exit(ProgramOfBands(argc, argv, missing) ? 1 : 0);
  return child;
}

/* A file keeps its permissions, and a link to it stays. 0, or the number of what went wrong */
static int Files(int argc, char **argv, const char folder[])
{
  char        file[PETSC_MAX_PATH_LEN];
  struct stat is;

  strcpy(file, path);
  if (Append("", "w") || chmod(path, 0640) || snprintf(path, sizeof(path), "%s/link", folder) < 0 || symlink(file, path)) return 11;
  if (Failed(StartOfBands(argc, argv, PETSC_FALSE))) return 12;
  if (lstat(path, &is) || !S_ISLNK(is.st_mode)) return 13;
  unlink(path);
  snprintf(path, sizeof(path), "%s/missing/wisdom", folder);
  if (Failed(StartOfBands(argc, argv, PETSC_TRUE))) return 14;
  strcpy(path, file);
  if (stat(path, &is) || (is.st_mode & 0777) != 0640) return 15;
  if (Entries() <= 0) return 16;
  return Failed(StartOfParent(argc, argv)) ? 17 : 0; /* its file's last line does not end */
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/wisdomXXXXXX";
  int  wrong;

  if (!mkdtemp(folder) || snprintf(path, sizeof(path), "%s/wisdom", folder) < 0) return 1;
  wrong = Children(argc, argv); /* before MPI begins here */
  if (!wrong) wrong = Files(argc, argv, folder);
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
