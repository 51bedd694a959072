static const char help[] = "Compares autocsr with PETSc's own sequential types (on a GPU also with cuSPARSE) on generated matrices and matrices from files.\n\
Load the library with -dll_append; without it only PETSc's types are measured. With -heldout, -heldout_second or -heldout_third other families of generated matrices, with -drawn N matrices that are drawn by lot; with -ones all their values are one. See src/benchmarks/README.md.\n\n";

#include "../harness/bench.h"

#define BENCH_COPIES 7 /* of a matrix must fit into the memory, else a smaller one is generated */

static const char Generated[] = "generated", FromFiles[] = "from files";

static PetscInt wrong; /* results */

static PetscErrorCode Run(const Machine *machine, const char group[], const char matrix[], Csr *csr, const Limits *limits, Report report)
{
  Result   result[BENCH_MAX_VARIANTS];
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(CsrShare(PETSC_COMM_WORLD, csr));
  for (const Op *op = Ops; op->name; op++) {
    PetscCall(Measure(machine, matrix, csr, op, limits, result, &n, &wrong));
    if (report) PetscCall(ReportMatrix(report, group, matrix, csr, op, result, n));
  }
  PetscCall(CsrDestroy(csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not reported: what is done once in a process (the library measures the machine) is no part of a matrix's setup */
static PetscErrorCode WarmUp(const Machine *machine, const Size *size, const Limits *limits)
{
  const Size small = {.scale = PetscMin(1e-3, size->scale), .seed = size->seed};
  Limits     brief = *limits;
  Csr        csr;

  PetscFunctionBeginUser;
  brief.seconds = 0;
  PetscCall(CsrGenerate(&Generators[0], &small, &csr));
  PetscCall(Run(machine, NULL, "warm-up", &csr, &brief, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunFile(const Machine *machine, const char file[], const Limits *limits, Report report)
{
  const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
  char        name[64], *dot;
  Csr         csr;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(name, base, sizeof(name)));
  if ((dot = strrchr(name, '.'))) *dot = 0;
  PetscCall(CsrLoad(file, &csr));
  PetscCall(Run(machine, FromFiles, name, &csr, limits, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Machine   *machine = &Cpu;
  Limits           limits;
  Size             size = {.seed = 1};
  PetscReal        scale, seconds, memory; /* in GB */
  PetscInt         seed = 1, files = 1024;
  PetscMPIInt      ranks;
  PetscBool        gpu                         = PETSC_FALSE;
  char             results[PETSC_MAX_PATH_LEN] = "", label[64] = "", matrices[1024] = "", *file[1024];
  Report           report;
  const Generator *g;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatInitializePackage()); /* fills the list of types */
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  if (gpu) PetscCall(GpuFind(&machine));
  limits  = machine->limits;
  scale   = machine->scale;
  seconds = limits.seconds;
  memory  = limits.memory;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Benchmark", NULL);
  PetscCall(PetscOptionsReal("-scale", "Multiplies rows and nonzeros of the generated matrices", NULL, scale, &scale, NULL));
  PetscCall(PetscOptionsInt("-seed", "Seed of the generated matrices", NULL, seed, &seed, NULL));
  PetscCall(PetscOptionsString("-matrices", "Generated matrices to run, comma-separated ('none': none; default: all)", NULL, matrices, matrices, sizeof(matrices), NULL));
  PetscCall(PetscOptionsStringArray("-files", "PETSc binary files to run, comma-separated", NULL, file, &files, NULL));
  PetscCall(PetscOptionsString("-variants", "Variants to run, comma-separated (the first always runs; default: all)", NULL, limits.only, limits.only, sizeof(limits.only), NULL));
  PetscCall(PetscOptionsReal("-seconds", "Time for measuring one matrix", NULL, seconds, &seconds, NULL));
  PetscCall(PetscOptionsReal("-memory", "Memory for one matrix in all its variants, GB", NULL, memory, &memory, NULL));
  PetscCall(PetscOptionsBoundedInt("-rounds", "Samples of each variant, at most", NULL, limits.rounds, &limits.rounds, NULL, 5));
  PetscCall(PetscOptionsString("-results", "Folder for the CSV file of results", NULL, results, results, sizeof(results), NULL));
  PetscCall(PetscOptionsString("-label", "Ends the name of the CSV file, so that runs of one day stay apart", NULL, label, label, sizeof(label), NULL));
  PetscOptionsEnd();
  PetscCheck(scale > 0 && scale <= 64, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-scale %g: must be in (0, 64]", (double)scale);
  size.scale     = scale;
  size.seed      = (uint64_t)seed;
  limits.seconds = seconds;
  limits.memory  = 1e9 * memory;
  PetscCall(VariantsCheck(machine, limits.only));

  PetscCall(WarmUp(machine, &size, &limits));
  PetscCall(ReportOpen(machine, results, label, &report));
  PetscCall(GeneratorsAsked(size.seed, &g));
  for (; g->name; g++) {
    Size      fitting = size;
    PetscBool wanted;
    Csr       csr;

    PetscCall(ListHas(matrices, g->name, &wanted));
    if (!wanted) continue;
    while (BENCH_COPIES * g->nnz * fitting.scale * (sizeof(PetscInt) + sizeof(PetscScalar)) > limits.memory || 1.1 * g->nnz * fitting.scale > (double)PETSC_MAX_INT) fitting.scale /= 2;
    if (fitting.scale < size.scale) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%s: at scale %g, for -memory %g and the range of PetscInt", g->name, fitting.scale, 1e-9 * limits.memory));
    PetscCall(CsrGenerate(g, &fitting, &csr));
    PetscCall(Run(machine, g->symmetric ? BENCH_ASIDE : Generated, g->name, &csr, &limits, report));
  }
  for (PetscInt f = 0; f < files; f++) {
    PetscCall(RunFile(machine, file[f], &limits, report));
    PetscCall(PetscFree(file[f]));
  }
  PetscCall(ReportClose(&report));
  PetscCheck(!wrong, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " results are wrong, see above", wrong);
  PetscCall(PetscFinalize());
  return 0;
}
