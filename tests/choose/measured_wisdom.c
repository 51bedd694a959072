static char help[] = "What rigor measure has found is taken at once by the next run, with the same plan and the same bits: whichever candidate was the fastest, by a clock that this program sets, and where another variant of the strategy was.\n\n";

#include <petscautocsr.h>
#include "../rows.h"
#include <unistd.h>

#define FASTEST 6          /* candidates, at most, of which each is the fastest once */
#define LOOKS   14         /* at the clock, while a plan of one segment is timed */
#define GRAPH   1024
#define KEPT    "measured"               /* the file */
#define SORTED  "sort_sub(window=16384) " /* in the graph of slices whose rows are sorted */

/* Two looks at the clock, which takes the place of MPI's (PetscTime() asks that), lie the nearer together, the nearer they are to look `middle` */
static PetscInt looks, middle;

double MPI_Wtime(void)
{
  static double now = 0;

  return now += 1e-3 * (1 + 0.01 * PetscAbsInt(looks++ - middle));
}

/* What a run has made of a structure */
typedef struct {
  char           graph[GRAPH];
  MatAutoCSRInfo info;
  PetscScalar    y[3000 + FASTEST];
} Made;

/* Rows of 1 to 40 entries, most of them short: several variants of a strategy are near each other */
static PetscInt MixedRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  const PetscInt length = i % 17 ? 1 + i * 7 % 9 : 40;

  (void)val;
  for (PetscInt j = 0; j < length; j++) col[j] = (i + j * (1 + j * 31)) % n;
  return length;
}

static PetscInt EvenRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  (void)val;
  for (PetscInt j = 0; j < 8; j++) col[j] = (i + 3 * j) % n;
  return 8;
}

static PetscInt HalvedRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  const PetscInt length = i < n / 2 ? 3 : 2 + i % 30;

  (void)val;
  for (PetscInt j = 0; j < length; j++) col[j] = (i + j * (1 + j * 31)) % n;
  return length;
}

static const RowFunction kinds[] = {MixedRow, EvenRow, HalvedRow};

static PetscErrorCode Run(PetscInt k, PetscInt kind, MatAutoCSRRigor rigor, Made *made)
{
  const PetscScalar *y;
  Mat                A;
  Vec                x, b;
  PetscInt           m;

  PetscFunctionBeginUser;
  PetscCall(CreateByRows(PETSC_COMM_SELF, MATAUTOCSR, 3000 + k, 3000 + k, kinds[kind], &A));
  PetscCall(MatAutoCSRSetRigor(A, rigor));
  PetscCall(MatAutoCSRSetProgressive(A, PETSC_TRUE));
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSetScattered(x, 3));
  looks  = 0;
  middle = k * LOOKS + LOOKS / 2;
  PetscCall(MatMult(A, x, b));
  PetscCall(MatAutoCSRGetInfo(A, &made->info));
  PetscCall(MatAutoCSRGetGraph(A, sizeof(made->graph), made->graph));
  PetscCall(VecGetArrayRead(b, &y));
  memcpy(made->y, y, (size_t)m * sizeof(PetscScalar));
  PetscCall(VecRestoreArrayRead(b, &y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The structures of a run of the program */
static PetscErrorCode Program(int argc, char **argv, MatAutoCSRRigor rigor, Made made[3][FASTEST])
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_wisdom", KEPT));
  for (PetscInt kind = 0; kind < 3; kind++) {
    for (PetscInt k = 0; k < FASTEST; k++) PetscCall(Run(k, kind, rigor, &made[kind][k]));
  }
  PetscCall(PetscFinalize());
  return (PetscErrorCode)0;
}

static PetscErrorCode Compare(const Made *first, const Made *next, PetscInt kind, PetscInt k, const char what[])
{
  PetscFunctionBeginUser;
  PetscCheck(next->info.plans == 1 && next->info.settled, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, kind %" PetscInt_FMT ", fastest %" PetscInt_FMT ": %" PetscInt_FMT " plans, or more are to come", what, kind, k, next->info.plans);
  PetscCheck(!strcmp(first->graph, next->graph), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, kind %" PetscInt_FMT ", fastest %" PetscInt_FMT ": \"%s\", measured was \"%s\"", what, kind, k, next->graph, first->graph);
  PetscCheck(!memcmp(first->y, next->y, (size_t)(3000 + k) * sizeof(PetscScalar)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, kind %" PetscInt_FMT ", fastest %" PetscInt_FMT ": other bits", what, kind, k);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* As if slices without sorted rows had been the fastest, which the cost model says of no such matrix */
static int Unsort(void)
{
  char  text[64 * GRAPH], *at;
  FILE *file = fopen(KEPT, "r");
  int   n    = 0;

  if (!file) return 0;
  text[fread(text, 1, sizeof(text) - 1, file)] = 0;
  fclose(file);
  for (; (at = strstr(text, SORTED)); n++) memmove(at, at + strlen(SORTED), strlen(at + strlen(SORTED)) + 1);
  file = fopen(KEPT, "w");
  return !file || fputs(text, file) < 0 || fclose(file) ? 0 : n;
}

int main(int argc, char **argv)
{
  static Made measured[3][FASTEST], estimated[3][FASTEST], again[3][FASTEST], unsorted[3][FASTEST];
  PetscInt    others = 0;

  unlink(KEPT);
  MPI_Init(&argc, &argv);
  PetscCall(Program(argc, argv, MAT_AUTOCSR_RIGOR_MEASURE, measured));
  PetscCall(Program(argc, argv, MAT_AUTOCSR_RIGOR_ESTIMATE, estimated));
  PetscCall(Program(argc, argv, MAT_AUTOCSR_RIGOR_MEASURE, again));
  if (Unsort() < 6) return 1;
  PetscCall(Program(argc, argv, MAT_AUTOCSR_RIGOR_MEASURE, unsorted));
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt kind = 0; kind < 3; kind++) {
    for (PetscInt k = 0; k < FASTEST; k++) {
      PetscCheck(measured[kind][k].info.measured > 0 && again[kind][k].info.measured == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Measured %g s, and with wisdom %g s again", (double)measured[kind][k].info.measured, (double)again[kind][k].info.measured);
      others += strcmp(measured[kind][k].graph, measured[kind][0].graph) != 0;
    }
  }
  PetscCheck(others > 5, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The clock makes %" PetscInt_FMT " other plans only", others);
  for (PetscInt kind = 0; kind < 3; kind++) {
    for (PetscInt k = 0; k < FASTEST; k++) {
      PetscCall(Compare(&measured[kind][k], &estimated[kind][k], kind, k, "Rigor estimate"));
      PetscCall(Compare(&measured[kind][k], &again[kind][k], kind, k, "Rigor measure"));
      PetscCheck(unsorted[kind][k].info.plans == 1 && !(unsorted[kind][k].info.measured > 0) && !strstr(unsorted[kind][k].graph, SORTED), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Kind %" PetscInt_FMT ", fastest %" PetscInt_FMT ": \"%s\", where rows were not sorted", kind, k, unsorted[kind][k].graph);
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "What was measured is taken at once\n"));
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return 0;
}

/*TEST

  test:
    requires: !cuda

TEST*/
