static char help[] = "Rows whose columns lie in any order and come twice, as other programs write them: every product and the diagonal against AIJ's.\n\n";

#include <petscautocsr.h>
#include "../compare.h"
#include "../ways.h"

#define M 300

/* In PETSc's binary form, up to 11 entries a row, the first of which comes again as the last of a row where asked for */
static PetscErrorCode Write(PetscBool twice, const char file[])
{
  PetscInt    header[] = {MAT_FILE_CLASSID, M, M, 0}, length[M], *col;
  PetscScalar val[11 * M];
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(11 * M, &col));
  for (PetscInt i = 0; i < M; i++) {
    const PetscInt first = header[3];

    length[i] = i % 12;
    for (PetscInt k = 0; k < length[i]; k++) col[header[3]++] = (i + 37 * ((k * 5) % 12)) % M; /* distinct, in no order */
    if (twice && length[i]) col[header[3] - 1] = col[first];
  }
  for (PetscInt q = 0; q < header[3]; q++) val[q] = RandomScalar(twice, q);
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerBinaryWrite(viewer, header, 4, PETSC_INT));
  PetscCall(PetscViewerBinaryWrite(viewer, length, M, PETSC_INT));
  PetscCall(PetscViewerBinaryWrite(viewer, col, header[3], PETSC_INT));
  PetscCall(PetscViewerBinaryWrite(viewer, val, header[3], PETSC_SCALAR));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscFree(col));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Read(const char file[], MatType type, Mat *A)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetType(*A, type));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckUnsorted(const char strategy[], MatAutoCSRRigor rigor, PetscBool progressive, const Reference *r, const char file[])
{
  const char *const coded[] = {"sell", "sellp", "ell", "pattern", "symmetric", "block", "inode", "coltile", "propagate", "popular"}; /* strategies that code the columns of ascending rows */
  Mat               A;
  MatAutoCSRInfo    info;
  PetscBool         codes = PETSC_FALSE, same;

  PetscFunctionBeginUser;
  PetscCall(Read(file, MATAUTOCSR, &A));
  PetscCall(MatAutoCSRSetStrategy(A, strategy));
  PetscCall(MatAutoCSRSetRigor(A, rigor));
  PetscCall(MatAutoCSRSetProgressive(A, progressive));
  for (int k = 0; progressive && k < 300; k++) PetscCall(MatMult(A, r->x[RIGHT], r->y[LEFT])); /* past all steps of planning */
  PetscCall(CompareProducts(r, rigor != MAT_AUTOCSR_RIGOR_MEASURE, &A, strategy));
  PetscCall(MatGetDiagonal(A, r->y[LEFT]));
  PetscCall(MatGetDiagonal(r->A, r->ref[LEFT]));
  PetscCall(VecEqual(r->y[LEFT], r->ref[LEFT], &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the diagonal is not AIJ's", strategy);
  PetscCall(MatAutoCSRGetInfo(A, &info));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(coded); k++) codes = (PetscBool)(codes || !strcmp(info.strategy, coded[k]));
  PetscCheck(!codes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s became %s", strategy, info.strategy);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const char file[] = "unsorted_rows.bin";

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  for (int twice = 0; twice < 2; twice++) {
    Mat       A;
    Reference r;

    PetscCall(Write((PetscBool)twice, file));
    PetscCall(Read(file, MATAIJ, &A));
    PetscCall(ReferenceCreate(A, &r));
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
      if (WayIsStrategy(&ways[w])) PetscCall(CheckUnsorted(ways[w].strategy, MAT_AUTOCSR_RIGOR_ESTIMATE, PETSC_FALSE, &r, file));
    }
    PetscCall(CheckUnsorted("auto", MAT_AUTOCSR_RIGOR_ESTIMATE, PETSC_TRUE, &r, file));
    PetscCall(CheckUnsorted("auto", MAT_AUTOCSR_RIGOR_MEASURE, PETSC_FALSE, &r, file));
    PetscCall(CheckUnsorted("auto", MAT_AUTOCSR_RIGOR_NONE, PETSC_FALSE, &r, file));
    PetscCall(ReferenceDestroy(&r));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "As with AIJ\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/unsorted_rows_1.out

    test:
      suffix: 1

    test:
      suffix: cuda
      requires: cuda
      args: -vec_type cuda

TEST*/
