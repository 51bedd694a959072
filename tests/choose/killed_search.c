static char help[] = "A search that is killed half-way goes on in the next run; a state that is damaged, of another structure or machine, or no file of a search is not used, and does no harm; nor does a full disk, or a folder that nobody may write to.\n\n";

#include <petscautocsr.h>
#include <petsctime.h>
#include "../compare.h"
#include <glob.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 1.5

static char folder[] = "/tmp/searchXXXXXX", wisdom[64], told[64], state[PETSC_MAX_PATH_LEN];

/* How the next child runs: NULL, or the machine whose figures it takes and the wisdom that it names; whether it searches with a full disk */
static const char *machine, *elsewhere;
static PetscBool   full;

static PetscErrorCode Create(MatType type, Mat *A)
{
  const PetscInt m = 3000;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, m, m, m, m));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 64, NULL));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j <= (i % 50 ? i * 7 % 9 : 60); j++) PetscCall(MatSetValue(*A, i, (i + j * j * 31) % m, RandomScalar(i, j), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

#define ROOM 100 /* bytes that a file may have on a full disk: less than a state with one graph */

static void FillDisk(PetscBool is)
{
  static rlim_t before = RLIM_INFINITY;
  struct rlimit limit;

  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  if (is) before = limit.rlim_cur;
  limit.rlim_cur = is ? ROOM : before;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/* The program of a child: it searches, and tells how long that took and what the view says */
static PetscErrorCode Program(int argc, char **argv)
{
  Mat            A, B;
  Vec            x, y, z;
  PetscReal      off, all;
  PetscLogDouble begin, end;
  PetscViewer    viewer;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_wisdom", elsewhere ? elsewhere : wisdom));
  if (machine) PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_machine", machine));
  PetscCall(Create(MATAIJ, &A));
  PetscCall(Create(MATAUTOCSR, &B));
  PetscCall(MatAutoCSRSetRigor(B, MAT_AUTOCSR_RIGOR_PATIENT));
  PetscCall(MatAutoCSRSetSearch(B, SECONDS, PETSC_FALSE));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSetScattered(x, 3));
  PetscCall(MatMult(A, x, z));
  PetscCall(VecNorm(z, NORM_INFINITY, &all));
  if (full) FillDisk(PETSC_TRUE);
  PetscCall(PetscTime(&begin));
  PetscCall(MatMult(B, x, y));
  PetscCall(PetscTime(&end));
  if (full) FillDisk(PETSC_FALSE);
  PetscCall(VecAXPY(y, -1, z));
  PetscCall(VecNorm(y, NORM_INFINITY, &off));
  PetscCheck(off <= 20 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The product is off by %g", (double)off);
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, told, &viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%g\n", end - begin));
  PetscCall(MatAutoCSRView(B, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscFinalize());
  return (PetscErrorCode)0;
}

static pid_t Start(int argc, char **argv)
{
  const pid_t child = fork();

  if (!child) _exit(Program(argc, argv) ? 1 : 0);
  return child;
}

static int Failed(pid_t child)
{
  int status;

  return waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status);
}

/* The state's lines, at most `room` characters; 0: there is none. It is replaced as a whole, so what is read is whole */
static size_t Read(char text[], size_t room)
{
  glob_t found;
  char   pattern[96];
  FILE  *file;
  size_t n = 0;

  snprintf(pattern, sizeof(pattern), "%s.search-*", wisdom);
  if (!glob(pattern, 0, NULL, &found)) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      const char *end = strrchr(found.gl_pathv[i], '-');

      if (strlen(end) == 17) snprintf(state, sizeof(state), "%s", found.gl_pathv[i]); /* not what is being written */
    }
  }
  globfree(&found);
  file = state[0] ? fopen(state, "r") : NULL;
  if (!file) return 0;
  n       = fread(text, 1, room - 1, file);
  text[n] = 0;
  fclose(file);
  return n;
}

static int Write(const char text[])
{
  FILE *file = fopen(state, "w");

  return !file || fputs(text, file) < 0 || fclose(file);
}

/* A search from this state, "" for none: whether it went on. 0, or the number of what went wrong */
static int SearchFrom(int argc, char **argv, const char from[], PetscBool goes_on, double *wall, double *seconds)
{
  static char text[1 << 16];
  const char *why;
  FILE       *file;

  (void)unlink(wisdom);
  if (from[0] && Write(from)) return 1;
  if (Failed(Start(argc, argv))) return 2;
  file = fopen(told, "r");
  if (!file) return 3;
  text[fread(text, 1, sizeof(text) - 1, file)] = 0;
  fclose(file);
  why = strstr(text, "graphs in ");
  if (!why || sscanf(text, "%lf", wall) != 1 || sscanf(why, "graphs in %lf", seconds) != 1) return 4;
  if (!strstr(why, "earlier run") != !goes_on) return 5;
  return !access(wisdom, R_OK) == (full || elsewhere) ? 6 : 0; /* a full disk has no room for it */
}

/* FNV-1a of all lines before the last, in which it stands */
static void Hash(char text[])
{
  char              *end  = strstr(text, "\nend ") + 1;
  unsigned long long hash = 14695981039346656037ull;

  for (const char *c = text; c < end; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
  sprintf(end, "end %016llx\n", hash);
}

/* The state with another letter where the k-th word of its second line begins, which tells the structure and the machine */
static void Change(const char from[], int k, char to[])
{
  char *at;

  strcpy(to, from);
  for (at = strchr(to, '\n') + 1; k; k--) at = strchr(at, ' ') + 1;
  *at = *at == 'a' ? 'b' : 'a';
  Hash(to);
}

static const int others[] = {0, 5, 6}; /* words of the state's second line: of the structure, the backend, the machine */

static char kept[1 << 20], changed[1 << 20];

/* 0, or the number of what went wrong */
static int Children(int argc, char **argv)
{
  double spent = 0, wall, seconds;
  pid_t  child = Start(argc, argv);
  int    wrong;
  char  *at;

  do { /* until a third of the time has gone */
    usleep(10000);
    if (Read(kept, sizeof(kept)) && (at = strchr(kept, '\n')) && (at = strchr(at + 1, '\n'))) spent = atof(at + 1);
  } while (spent < SECONDS / 3 && !waitpid(child, NULL, WNOHANG));
  kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  if (!Read(kept, sizeof(kept)) || !access(wisdom, F_OK)) return 10;
  if ((wrong = SearchFrom(argc, argv, "", PETSC_TRUE, &wall, &seconds))) return 20 + wrong;
  if (wall > seconds - spent / 2) return 30;   /* time of both runs, of which this one had less */
  if (!access(state, F_OK)) return 31;         /* the wisdom has all that was found */
  strcpy(changed, kept);
  strrchr(changed, ' ')[1] ^= 1;
  if ((wrong = SearchFrom(argc, argv, changed, PETSC_FALSE, &wall, &seconds))) return 40 + wrong; /* damaged at its end */
  strcpy(changed, kept);
  changed[strlen(changed) / 2] = 0;
  if ((wrong = SearchFrom(argc, argv, changed, PETSC_FALSE, &wall, &seconds))) return 50 + wrong; /* half of it */
  strcpy(changed, kept);
  Hash(changed);
  if (strcmp(changed, kept)) return 59; /* else what follows would be damaged, too */
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(others); k++) {
    Change(kept, others[k], changed);
    if ((wrong = SearchFrom(argc, argv, changed, PETSC_FALSE, &wall, &seconds))) return 60 + wrong;
  }
  if (!access(state, F_OK)) return 70;
  if ((wrong = SearchFrom(argc, argv, "something else\n", PETSC_FALSE, &wall, &seconds))) return 80 + wrong;
  if (Read(changed, sizeof(changed)) != 15 || strcmp(changed, "something else\n") || unlink(state)) return 89;
  if (mkdir(state, 0700)) return 90;
  if ((wrong = SearchFrom(argc, argv, "", PETSC_FALSE, &wall, &seconds))) return 100 + wrong;
  if (rmdir(state)) return 110; /* a folder stays */
  machine = "shipped:xeon"; /* whose state is another file */
  if ((wrong = SearchFrom(argc, argv, kept, PETSC_FALSE, &wall, &seconds))) return 120 + wrong;
  machine = NULL;
  if (!Read(changed, sizeof(changed)) || strcmp(changed, kept)) return 127;
  full = PETSC_TRUE; /* what an earlier run has left is used, and stays */
  if ((wrong = SearchFrom(argc, argv, kept, PETSC_TRUE, &wall, &seconds))) return 130 + wrong;
  if (!Read(changed, sizeof(changed)) || strcmp(changed, kept) || unlink(state)) return 137;
  if ((wrong = SearchFrom(argc, argv, "", PETSC_FALSE, &wall, &seconds))) return 140 + wrong;
  full      = PETSC_FALSE;
  elsewhere = "/proc/self/wisdom"; /* where the system's administrator may not write either */
  return (wrong = SearchFrom(argc, argv, "", PETSC_FALSE, &wall, &seconds)) ? 150 + wrong : 0;
}

int main(int argc, char **argv)
{
  int wrong;

  if (!mkdtemp(folder)) return 1;
  snprintf(wisdom, sizeof(wisdom), "%s/wisdom", folder);
  snprintf(told, sizeof(told), "%s/told", folder);
  wrong = Children(argc, argv); /* before MPI begins here */
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCheck(!wrong, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Step %d of the children failed; see %s", wrong, folder);
  unlink(wisdom);
  unlink(told);
  PetscCheck(!rmdir(folder), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is not empty", folder);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Searches go on\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: !cuda
    timeoutfactor: 2

TEST*/
