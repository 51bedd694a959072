/* The benchmark on a GPU: the variants, how their setup is measured, time. A new variant is a line here. */
#include "bench.h"

#if defined(AUTOCSR_HAVE_CUDA)
  #include "direct.h"
  #include <petscdevice_cuda.h>
  #include <petsctime.h>

/* MATSELLCUDA has slices of 16 rows */
static PetscInt64 StoredSELL16(const Csr *csr)
{
  return StoredSELL(csr, 16);
}

static const Variant Variants[] = {
    {"aijcusparse", MATAIJCUSPARSE, NULL, PETSC_TRUE, NULL, StoredCSR, NULL},
    {"sellcuda", MATSELLCUDA, NULL, PETSC_TRUE, NULL, StoredSELL16, NULL},
    {"floor", NULL, NULL, PETSC_FALSE, NULL, StoredCSR, &Floor},
    {"cusparse_default", NULL, NULL, PETSC_TRUE, NULL, StoredCSR, &Cusparse[0]},
    {"cusparse_default_pre", NULL, NULL, PETSC_TRUE, NULL, StoredCSR, &Cusparse[1]},
    {"cusparse_alg1", NULL, NULL, PETSC_TRUE, NULL, StoredCSR, &Cusparse[2]},
    {"cusparse_alg1_pre", NULL, NULL, PETSC_TRUE, NULL, StoredCSR, &Cusparse[3]},
    {"cusparse_alg2", NULL, NULL, PETSC_TRUE, NULL, StoredCSR, &Cusparse[4]},
    {"cusparse_alg2_pre", NULL, NULL, PETSC_TRUE, NULL, StoredCSR, &Cusparse[5]},
    VARIANTS_AUTOCSR,
    {"autocsr_measure", MATAUTOCSR, "-mat_autocsr_rigor measure", PETSC_FALSE, NULL, NULL, NULL},
    VARIANTS_SEARCH,
    {NULL, NULL, NULL, PETSC_FALSE, NULL, NULL, NULL}};

static const Column Columns[] = {
    {"floor", "floor", PETSC_FALSE},
    {"cusparse", "cusparse_*", PETSC_TRUE},
    {"aijcusparse", "aijcusparse", PETSC_TRUE},
    {"sellcuda", "sellcuda", PETSC_TRUE},
    {"measure", "autocsr_measure", PETSC_FALSE},
    {"search", VARIANT_SEARCH, PETSC_FALSE},
    {"forced", "autocsr:*", PETSC_FALSE},
    {NULL, NULL, PETSC_FALSE}};

/* The version of the driver: its own where the system says it, else the newest CUDA that it serves */
static PetscErrorCode Driver(char driver[], size_t len)
{
  FILE *file = fopen("/proc/driver/nvidia/version", "r");
  char  text[256], *word = NULL;
  int   cuda;

  PetscFunctionBeginUser;
  if (file && fgets(text, sizeof(text), file)) {
    for (word = strtok(text, " "); word && !(strchr(word, '.') && strspn(word, "0123456789.") == strlen(word)); word = strtok(NULL, " ")) {
    }
  }
  if (file) fclose(file);
  if (word)
    PetscCall(PetscStrncpy(driver, word, len));
  else {
    PetscCallCUDA(cudaDriverGetVersion(&cuda));
    PetscCall(PetscSNPrintf(driver, len, "%d.%d", cuda / 1000, cuda % 1000 / 10));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(char device[], size_t len)
{
  struct cudaDeviceProp property;
  char                  driver[64];
  int                   id, cuda;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaGetDevice(&id));
  PetscCallCUDA(cudaGetDeviceProperties(&property, id));
  PetscCallCUDA(cudaRuntimeGetVersion(&cuda));
  PetscCall(Driver(driver, sizeof(driver)));
  PetscCall(PetscSNPrintf(device, len, "gpu %s driver%s cuda%d.%d", property.name, driver, cuda / 1000, cuda % 1000 / 10));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WallTime(double *seconds)
{
  PetscLogDouble now;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscTime(&now));
  *seconds = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By all programs */
static double MemoryTaken(void)
{
  size_t left = 0, all = 0;

  (void)cudaMemGetInfo(&left, &all);
  return (double)(all - left);
}

static PetscErrorCode MemoryLeave(double bytes)
{
  static void *ballast;
  size_t       left, all;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaFree(ballast));
  ballast = NULL;
  PetscCallCUDA(cudaMemGetInfo(&left, &all));
  if (bytes < (double)left) PetscCallCUDA(cudaMalloc(&ballast, left - (size_t)bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As a program makes one: no type converts into it */
static PetscErrorCode MakeSELL(const Csr *csr, Mat *A)
{
  PetscInt *len;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, csr->m, csr->n, csr->m, csr->n));
  PetscCall(MatSetType(*A, MATSELLCUDA));
  PetscCall(PetscMalloc1(csr->m, &len));
  for (PetscInt i = 0; i < csr->m; i++) len[i] = csr->row_ptr[i + 1] - csr->row_ptr[i];
  PetscCall(MatSeqSELLSetPreallocation(*A, 0, len));
  PetscCall(PetscFree(len));
  for (PetscInt i = 0; i < csr->m; i++) PetscCall(MatSetValues(*A, 1, &i, csr->row_ptr[i + 1] - csr->row_ptr[i], csr->col + csr->row_ptr[i], csr->val + csr->row_ptr[i], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank's rows; made as a program does, because PETSc's parallel types convert the blocks of a matrix that is there only in part */
static PetscErrorCode MakeParallel(const Variant *v, const Csr *csr, Vec x, Mat *A)
{
  PetscInt columns;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &columns));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, csr->m, columns, PETSC_DETERMINE, csr->n));
  PetscCall(MatSetType(*A, v->type));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, csr->row_ptr, csr->col, csr->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The upload of the CSR arrays is no part of the setup, but for MATSELLCUDA, which has none; nor is it on several ranks, where what is timed is the first product */
static PetscErrorCode Make(const Variant *v, const Csr *csr, const Op *op, Vec x, Vec y, PetscInt products, Mat *A, double *seconds)
{
  const PetscBool sell = (PetscBool)!strcmp(v->type, MATSELLCUDA);
  double          begin, end;
  PetscScalar    *val;
  PetscMemType    place;
  PetscMPIInt     ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks > 1)
    PetscCall(MakeParallel(v, csr, x, A));
  else if (!sell) {
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, csr->m, csr->n, csr->row_ptr, csr->col, csr->val, A));
    PetscCall(MatConvert(*A, v->type, MAT_INPLACE_MATRIX, A));
    PetscCall(MatSeqAIJGetCSRAndMemType(*A, NULL, NULL, &val, &place));
    PetscCheck(PetscMemTypeDevice(place), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the matrix is not on the device", v->name);
  }
  PetscCall(WallTime(&begin));
  if (sell) PetscCall(MakeSELL(csr, A));
  for (PetscInt i = 0; i < products; i++) PetscCall(op->apply(*A, x, y));
  PetscCall(WallTime(&end));
  *seconds = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Machine Gpu = {
    .backend  = "cuda",
    .vec      = VECCUDA,
    .variants = Variants,
    .peers    = "cuSPARSE's algorithms and PETSc's types",
    .width    = 20,
    .columns  = Columns,
    .against  = PETSC_TRUE,
    .upload   = PETSC_TRUE,
    .show_own = PETSC_TRUE,
    .sample   = 2e-3,
    .setups   = 3,
    .scale    = 1,
    .limits   = {.seconds = 1.5, .memory = 64, .rounds = 101},
    .describe = Describe,
    .clock    = WallTime,
    .taken    = MemoryTaken,
    .leave    = MemoryLeave,
    .make     = Make};

PetscErrorCode GpuFind(const Machine **machine)
{
  int               devices;
  const cudaError_t error = cudaGetDeviceCount(&devices);

  PetscFunctionBeginUser;
  PetscCheck(error == cudaSuccess && devices, PETSC_COMM_SELF, PETSC_ERR_GPU_RESOURCE, "-gpu: %s", error == cudaSuccess ? "CUDA finds no device" : cudaGetErrorString(error));
  *machine = &Gpu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode GpuFind(const Machine **machine)
{
  PetscFunctionBeginUser;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "-gpu: this program was built without CUDA: that takes a PETSc 3.20 or later with CUDA");
}
#endif
