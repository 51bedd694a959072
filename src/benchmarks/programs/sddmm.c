static const char help[] = "Dense matrices sampled, MatAutoCSRSDDMM(): on a GPU against cuSPARSE's SDDMM of the same arrays, else against a plain loop; in turn.\n\
Load the library with -dll_append. Options: -gpu, -matrices, -files, -scale, suites as of the benchmark; -columns: of the dense matrices; a column is explained in src/benchmarks/README.md.\n\n";

#include "../harness/direct.h"
#include <petsctime.h>

#define MOST    100  /* products in a row */
#define SECONDS 0.02 /* of products in a row, if those are fewer */
#define ROUNDS  5    /* in turn; the middle one counts */

static const Machine *machine = &Cpu;
static PetscBool      gpu;
static PetscErrorCode (*sddmm)(Mat, Mat, Mat, Mat);

typedef struct {
  const Csr         *csr;
  PetscInt           columns;
  const PetscScalar *X, *Y;
  PetscScalar       *val;
  Mat                S, Z, dense[2];
  Sddmm              direct;
} Operands;

/* The loop that a user would write */
static PetscErrorCode Plain(const Operands *o)
{
  const Csr *csr = o->csr;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt q = csr->row_ptr[i]; q < csr->row_ptr[i + 1]; q++) {
      PetscScalar sum = 0;

      for (PetscInt k = 0; k < o->columns; k++) sum += o->X[i + (size_t)k * csr->m] * o->Y[csr->col[q] + (size_t)k * csr->n];
      o->val[q] = csr->val[q] * sum;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cuSPARSE's; without CUDA nothing asks for it (GpuFind()) */
static PetscErrorCode Peer(const Operands *o)
{
  PetscFunctionBeginUser;
#if defined(AUTOCSR_HAVE_CUDA)
  PetscCall(SddmmApply(o->direct));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its operands: those of the device, or arrays of the host */
static PetscErrorCode PeerCreate(Operands *o, Mat A)
{
  PetscFunctionBeginUser;
#if defined(AUTOCSR_HAVE_CUDA)
  if (gpu) {
    PetscCall(SddmmCreate(A, o->dense[0], o->dense[1], &o->direct));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(MatDenseGetArrayRead(o->dense[0], &o->X));
  PetscCall(MatDenseGetArrayRead(o->dense[1], &o->Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* val: what it has found */
static PetscErrorCode PeerEnd(Operands *o)
{
  PetscFunctionBeginUser;
#if defined(AUTOCSR_HAVE_CUDA)
  if (gpu) {
    PetscCall(SddmmGet(o->direct, o->val));
    PetscCall(SddmmDestroy(&o->direct));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(MatDenseRestoreArrayRead(o->dense[0], &o->X));
  PetscCall(MatDenseRestoreArrayRead(o->dense[1], &o->Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Ours(const Operands *o)
{
  PetscFunctionBeginUser;
  PetscCall((*sddmm)(o->S, o->dense[0], o->dense[1], o->Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeRow(PetscErrorCode (*apply)(const Operands *), const Operands *o, PetscInt n, double *seconds)
{
  double begin, end;

  PetscFunctionBeginUser;
  PetscCall(machine->clock(&begin));
  for (PetscInt i = 0; i < n; i++) PetscCall((*apply)(o));
  PetscCall(machine->clock(&end));
  *seconds = (end - begin) / (double)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DenseCreate(PetscInt m, PetscInt columns, Mat *D)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, D));
  PetscCall(MatSetSizes(*D, m, columns, m, columns));
  PetscCall(MatSetType(*D, gpu ? MATSEQDENSECUDA : MATSEQDENSE));
  PetscCall(MatSetUp(*D));
  PetscCall(MatSetRandom(*D, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunColumns(const char name[], const Csr *csr, PetscInt columns)
{
  PetscErrorCode (*const apply[2])(const Operands *) = {gpu ? Peer : Plain, Ours};
  const PetscInt     nnz                             = csr->row_ptr[csr->m];
  Operands           o                               = {.csr = csr, .columns = columns};
  double             seconds[2][ROUNDS], off = 0, all = 0;
  PetscInt           n[2];
  Mat                plain;
  const PetscScalar *val;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(DenseCreate(k ? csr->n : csr->m, columns, &o.dense[k]));
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, csr->m, csr->n, csr->row_ptr, csr->col, csr->val, &plain));
  PetscCall(MatConvert(plain, MATAUTOCSR, MAT_INITIAL_MATRIX, &o.S));
  PetscCall(MatDuplicate(o.S, MAT_DO_NOT_COPY_VALUES, &o.Z));
  PetscCall(PetscMalloc1(nnz + 1, &o.val));
  PetscCall(PeerCreate(&o, plain));
  for (int v = 0; v < 2; v++) {
    double guess;

    PetscCall(TimeRow(apply[v], &o, 1, &guess));
    for (int k = 0; k < (gpu ? 30 : 3); k++) PetscCall(TimeRow(apply[v], &o, 1, &guess)); /* past the steps of planning */
    n[v] = (PetscInt)PetscMax(1, PetscMin(MOST, SECONDS / guess));
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int v = 0; v < 2; v++) PetscCall(TimeRow(apply[v], &o, n[v], &seconds[v][round]));
  }
  for (int v = 0; v < 2; v++) qsort(seconds[v], ROUNDS, sizeof(double), CompareDoubles);
  PetscCall(PeerEnd(&o));
  PetscCall(MatSeqAIJGetArrayRead(o.Z, &val));
  for (PetscInt q = 0; q < nnz; q++) {
    const PetscScalar expected = gpu ? csr->val[q] * o.val[q] : o.val[q];

    off += PetscSqr((double)PetscAbsScalar(val[q] - expected));
    all += PetscSqr((double)PetscAbsScalar(expected));
  }
  PetscCall(MatSeqAIJRestoreArrayRead(o.Z, &val));
  PetscCheck(off <= PetscSqr(100 * PETSC_MACHINE_EPSILON) * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns: the two results differ by %g of their norm", name, columns, sqrt(off / all));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-20s %9" PetscInt_FMT " %10" PetscInt_FMT " %4" PetscInt_FMT " %11.2f %11.2f %6.2fx\n", name, csr->m, nnz, columns, 1e6 * seconds[0][ROUNDS / 2], 1e6 * seconds[1][ROUNDS / 2], seconds[0][ROUNDS / 2] / seconds[1][ROUNDS / 2]));
  PetscCall(PetscFree(o.val));
  PetscCall(MatDestroy(&o.Z));
  PetscCall(MatDestroy(&o.S));
  PetscCall(MatDestroy(&plain));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&o.dense[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  if (gpu) PetscCall(GpuFind(&machine));
  PetscCall(AutoCSRFunction("MatAutoCSRSDDMM", (void **)&sddmm));
  PetscCall(EachDescribe(machine));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-20s %9s %10s %4s %11s %11s %7s\n", "matrix", "rows", "nonzeros", "cols", gpu ? "cusparse" : "loop", "autocsr", "ratio"));
  PetscCall(EachMatrix(machine, RunColumns));
  PetscCall(PetscFinalize());
  return 0;
}
