/* The benchmark on the CPU: the variants, how their setup is measured, time. A new variant is a line here. */
#include "bench.h"
#include <time.h>
#include <unistd.h>

/* PETSc's SELL has slices of 8 rows */
static PetscInt64 StoredSELL8(const Csr *csr)
{
  return StoredSELL(csr, 8);
}

static const Variant Variants[] = {
    {"aij", MATAIJ, NULL, PETSC_TRUE, NULL, StoredCSR, NULL},
    {"aij_noinode", MATAIJ, "-mat_no_inode 1", PETSC_FALSE, NULL, StoredCSR, NULL},
    {"aijsell", MATAIJSELL, NULL, PETSC_TRUE, NULL, StoredSELL8, NULL},
    {"aijperm", MATAIJPERM, NULL, PETSC_TRUE, NULL, StoredCSR, NULL},
    VARIANTS_AUTOCSR,
    VARIANTS_SEARCH,
    {NULL, NULL, NULL, PETSC_FALSE, NULL, NULL, NULL}};

static const Column Columns[] = {
    {"aij", "aij", PETSC_FALSE},
    {"aij_noinode", "aij_noinode", PETSC_FALSE},
    {"aijsell", "aijsell", PETSC_FALSE},
    {"aijperm", "aijperm", PETSC_FALSE},
    {"autocsr", "autocsr", PETSC_TRUE},
    {":csr", "autocsr:csr", PETSC_FALSE},
    {":binned", "autocsr:binned", PETSC_FALSE},
    {":segsum", "autocsr:segsum", PETSC_FALSE},
    {":sell", "autocsr:sell", PETSC_FALSE},
    {":pattern", "autocsr:pattern", PETSC_FALSE},
    {NULL, NULL, PETSC_FALSE}};

static PetscErrorCode Describe(char device[], size_t len)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  char  text[256], *name = NULL;
#if defined(__x86_64__)
  const char *simd = __builtin_cpu_supports("avx512f") ? " avx512" : __builtin_cpu_supports("avx2") ? " avx2"
                                                                                                    : " sse2";
#else
  const char *simd = "";
#endif

  PetscFunctionBeginUser;
  while (file && !name && fgets(text, sizeof(text), file)) {
    if (!strncmp(text, "model name", 10) && (name = strchr(text, ':'))) name += 2;
  }
  if (file) fclose(file);
  if (!name) {
    PetscCall(PetscGetArchType(text, sizeof(text)));
    name = text;
  }
  for (char *c = name; *c; c++) {
    if (*c == ',' || *c == '\n') *c = *c == ',' ? ' ' : 0;
  }
  PetscCall(PetscSNPrintf(device, len, "cpu %s%s", name, simd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CPU time of all threads, in seconds: on a quiet machine the same as the time on the wall, on others nearer to it */
static PetscErrorCode CpuTime(double *seconds)
{
  struct timespec t;

  PetscFunctionBeginUser;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  *seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of this process that are in memory */
static double MemoryTaken(void)
{
  FILE         *file  = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;

  if (file && fscanf(file, "%*s %lu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* PETSc's parallel types convert their blocks only when they are preallocated, so that a matrix that is there would stay what it was */
static PetscErrorCode Convert(Mat A, const Variant *v)
{
  Mat       block[2] = {NULL, NULL};
  PetscBool parallel;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel && v->baseline) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
  PetscCall(MatConvert(A, v->type, MAT_INPLACE_MATRIX, &A));
  for (int k = 0; k < 2; k++) {
    if (block[k]) PetscCall(MatConvert(block[k], v->type, MAT_INPLACE_MATRIX, &block[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one rank the CSR arrays are shared: every type reads, none changes them */
static PetscErrorCode Make(const Variant *v, const Csr *csr, const Op *op, Vec x, Vec y, PetscInt products, Mat *A, double *seconds)
{
  double      begin, end;
  PetscInt    columns;
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(VecGetLocalSize(x, &columns));
  if (ranks == 1)
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_WORLD, csr->m, csr->n, csr->row_ptr, csr->col, csr->val, A));
  else
    PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, csr->m, columns, PETSC_DETERMINE, csr->n, csr->row_ptr, csr->col, csr->val, A));
  PetscCall(op->apply(*A, x, y)); /* as plain AIJ: warms the caches, so that the next one measures the setup */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(CpuTime(&begin));
  PetscCall(Convert(*A, v));
  for (PetscInt i = 0; i < products; i++) PetscCall(op->apply(*A, x, y));
  PetscCall(CpuTime(&end));
  *seconds = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Machine Cpu = {
    .backend  = "host",
    .vec      = VECSTANDARD,
    .variants = Variants,
    .peers    = "PETSc's types",
    .width    = 9,
    .columns  = Columns,
    .sample   = 3e-2,
    .setups   = 5,
    .scale    = 0.5,
    .limits   = {.seconds = 6, .memory = 8, .rounds = 101},
    .describe = Describe,
    .clock    = CpuTime,
    .taken    = MemoryTaken,
    .make     = Make};
