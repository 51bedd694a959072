static char help[] = "Real matrices: each strategy and rigor against plain AIJ, entry by entry within 1e-13 (|A||x| + |z|), and the same bits again.\n\
  -folder <folder>      : where the matrices are, in PETSc's binary form\n\
  -matrices <a,b,...>   : which\n\
  -strategies <a,b,...> : which\n\n";

#include <petscautocsr.h>

#define TOLERANCE     (450 * PETSC_MACHINE_EPSILON) /* 1e-13 in double precision */
#define MAX_NAMES     64
#define DISTRIBUTED_X 0
#define DISTRIBUTED_Y 1

/* A and |A| as plain AIJ; of each vector layout (that of x and that of y = A x) a vector to multiply and one to add */
typedef struct {
  Mat A, abs;
  Vec x[2], z[2];
} Reference;

typedef struct {
  const char *name;
  int         from; /* the layout of what is multiplied */
  PetscErrorCode (*mult)(Mat, Vec, Vec);
  PetscErrorCode (*mult_add)(Mat, Vec, Vec, Vec);
} Product;

static const Product products[] = {
    {"MatMult", DISTRIBUTED_X, MatMult, NULL},
    {"MatMultAdd", DISTRIBUTED_X, MatMult, MatMultAdd},
    {"MatMultTranspose", DISTRIBUTED_Y, MatMultTranspose, NULL},
    {"MatMultTransposeAdd", DISTRIBUTED_Y, MatMultTranspose, MatMultTransposeAdd},
    {"MatMultHermitianTranspose", DISTRIBUTED_Y, MatMultHermitianTranspose, NULL},
    {"MatMultHermitianTransposeAdd", DISTRIBUTED_Y, MatMultHermitianTranspose, MatMultHermitianTransposeAdd},
};

static PetscErrorCode AbsoluteValues(Mat block)
{
  PetscScalar *val;
  MatInfo      info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(block, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(block, &val));
  for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) val[k] = PetscAbsScalar(val[k]);
  PetscCall(MatSeqAIJRestoreArray(block, &val));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ReferenceCreate(const char file[], Reference *r)
{
  PetscViewer viewer;
  PetscRandom random;
  PetscMPIInt size;
  Mat         blocks[2];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &r->A));
  PetscCall(MatSetType(r->A, MATAIJ));
  PetscCall(MatLoad(r->A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatDuplicate(r->A, MAT_COPY_VALUES, &r->abs));
  if (size == 1) {
    PetscCall(AbsoluteValues(r->abs));
  } else {
    PetscCall(MatMPIAIJGetSeqAIJ(r->abs, &blocks[0], &blocks[1], NULL));
    PetscCall(AbsoluteValues(blocks[0]));
    PetscCall(AbsoluteValues(blocks[1]));
  }
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  PetscCall(PetscRandomSetInterval(random, -1, 1));
  PetscCall(MatCreateVecs(r->A, &r->x[DISTRIBUTED_X], &r->x[DISTRIBUTED_Y]));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(r->x[k], &r->z[k]));
    PetscCall(VecSetRandom(r->x[k], random));
    PetscCall(VecSetRandom(r->z[k], random));
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ReferenceDestroy(Reference *r)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&r->A));
  PetscCall(MatDestroy(&r->abs));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&r->x[k]));
    PetscCall(VecDestroy(&r->z[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The product by B, twice, against that by plain AIJ; an error names the worst entry */
static PetscErrorCode Compare(const Reference *r, Mat B, const Product *p, const char context[])
{
  Vec                x = r->x[p->from], z = r->z[1 - p->from], abs_x, y, again, ref, bound;
  const PetscScalar *a_y, *a_ref, *a_bound, *a_z;
  PetscInt           n;
  PetscBool          same;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &abs_x));
  PetscCall(VecDuplicate(z, &y));
  PetscCall(VecDuplicate(z, &again));
  PetscCall(VecDuplicate(z, &ref));
  PetscCall(VecDuplicate(z, &bound));
  PetscCall(VecCopy(x, abs_x));
  PetscCall(VecAbs(abs_x));
  PetscCall((p->from == DISTRIBUTED_X ? MatMult : MatMultTranspose)(r->abs, abs_x, bound));
  PetscCall((*p->mult)(r->A, x, ref));
  if (p->mult_add) {
    PetscCall(VecAXPY(ref, 1, z));
    PetscCall((*p->mult_add)(B, x, z, y));
    PetscCall(VecCopy(z, again));
    PetscCall((*p->mult_add)(B, x, again, again));
  } else {
    PetscCall((*p->mult)(B, x, y));
    PetscCall((*p->mult)(B, x, again));
  }
  PetscCall(VecEqual(y, again, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: other bits the second time", context, p->name);

  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(y, &a_y));
  PetscCall(VecGetArrayRead(ref, &a_ref));
  PetscCall(VecGetArrayRead(bound, &a_bound));
  PetscCall(VecGetArrayRead(z, &a_z));
  for (PetscInt i = 0; i < n; i++) {
    PetscReal error = PetscAbsScalar(a_y[i] - a_ref[i]), allowed = TOLERANCE * (PetscAbsScalar(a_bound[i]) + (p->mult_add ? PetscAbsScalar(a_z[i]) : 0));

    PetscCheck(error <= allowed, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s: local entry %" PetscInt_FMT " is off by %g, allowed %g", context, p->name, i, (double)error, (double)allowed);
  }
  PetscCall(VecRestoreArrayRead(y, &a_y));
  PetscCall(VecRestoreArrayRead(ref, &a_ref));
  PetscCall(VecRestoreArrayRead(bound, &a_bound));
  PetscCall(VecRestoreArrayRead(z, &a_z));
  PetscCall(VecDestroy(&abs_x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&again));
  PetscCall(VecDestroy(&ref));
  PetscCall(VecDestroy(&bound));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char      folder[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN], context[256], *matrix[MAX_NAMES], *strategy[MAX_NAMES];
  PetscInt  n_matrices = MAX_NAMES, n_strategies = MAX_NAMES, compared = 0;
  PetscBool has[3];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-folder", folder, sizeof(folder), &has[0]));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-matrices", matrix, &n_matrices, &has[1]));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-strategies", strategy, &n_strategies, &has[2]));
  PetscCheck(has[0] && has[1] && has[2], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Say which: -folder <folder> -matrices <a,b,...> -strategies <a,b,...>");

  for (PetscInt m = 0; m < n_matrices; m++) {
    Reference r;

    PetscCall(PetscSNPrintf(file, sizeof(file), "%s/%s.bin", folder, matrix[m]));
    PetscCall(ReferenceCreate(file, &r));
    for (PetscInt s = 0; s < n_strategies; s++) {
      for (int rigor = 0; rigor <= MAT_AUTOCSR_RIGOR_MEASURE; rigor++) {
        Mat B;

        PetscCall(MatConvert(r.A, MATAUTOCSR, MAT_INITIAL_MATRIX, &B));
        PetscCall(MatAutoCSRSetRigor(B, (MatAutoCSRRigor)rigor));
        PetscCall(MatAutoCSRSetStrategy(B, strategy[s]));
        PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %s, rigor %s", matrix[m], strategy[s], MatAutoCSRRigors[rigor]));
        for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(products); k++) {
          PetscCall(Compare(&r, B, &products[k], context));
          compared++;
        }
        PetscCall(MatDestroy(&B));
      }
    }
    PetscCall(ReferenceDestroy(&r));
    PetscCall(PetscFree(matrix[m]));
  }
  for (PetscInt s = 0; s < n_strategies; s++) PetscCall(PetscFree(strategy[s]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " products agree\n", compared));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -folder ${AUTOCSR_DATA} -strategies auto,csr,binned,segsum,sell,pattern
    nsize: {{1 3}}
    timeoutfactor: 3

    test:
      suffix: real
      args: -matrices ACTIVSg200_KKT,adder_dcop_05,ash219,bcsstk28,rza,web-webbase-2001,wiki-Vote

    test:
      suffix: complex
      requires: complex
      args: -matrices mhd1280b,young1c

  test:
    suffix: more
    requires: datafilespath double !complex
    timeoutfactor: 10
    nsize: {{1 4}}
    args: -folder ${DATAFILESPATH} -strategies auto,csr,binned,segsum,sell,pattern \
      -matrices CONT-300_KKT,ScaleMicrogrid_N1000,air04,beam_tet_dof2475,ca-AstroPh,ch8-8-b4,fxm3_6,ibm14,lp_pilot87,mbeacxc,rail507,rail_79841,tucker21935

TEST*/
