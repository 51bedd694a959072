static char help[] = "Generated matrices: each product by each strategy, rigor, coding and binning against plain AIJ, and the same bits again.\n\
  -only <name> : one matrix\n\n";

#include <petscautocsr.h>
#include "../generate.h"
#include "../ways.h"

/* What was asked for is what multiplies, wherever it applies */
static PetscErrorCode CheckUsed(const Generator *g, const Way *w, MatAutoCSRRigor rigor, Mat B, const char context[])
{
  MatAutoCSRInfo info;
  const char    *want = rigor == MAT_AUTOCSR_RIGOR_NONE ? "segsum" : w->strategy;
  PetscBool      is, some[9], stencil = (PetscBool)(g->row == Grid2 || g->row == Grid3); /* sell, ell and pattern apply to these for sure */
  PetscBool      dense = (PetscBool)(g->row == Blocks);                                  /* and block and inode to these */
  PetscMPIInt    size;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(B, &info));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrcmp(want, "auto", &some[0]));
  PetscCall(PetscStrcmp(want, "sell", &some[1]));
  PetscCall(PetscStrcmp(want, "pattern", &some[2]));
  PetscCall(PetscStrcmp(want, "block", &some[3]));
  PetscCall(PetscStrcmp(want, "ell", &some[4]));
  PetscCall(PetscStrcmp(want, "sellp", &some[5])); /* on a device only, as the vendor's */
  if (!some[5]) PetscCall(PetscStrncmp(want, "cusparse", 8, &some[5]));
  PetscCall(PetscStrcmp(want, "symmetric", &some[6])); /* on a processor only */
  PetscCall(PetscStrcmp(want, "propagate", &some[7])); /* on a device only, of any matrix */
  if (!some[7]) PetscCall(PetscStrcmp(want, "popular", &some[7]));
  PetscCall(PetscStrcmp(want, "inode", &some[8])); /* on a processor only */
  if (some[8] && strcmp(info.backend, "host")) PetscFunctionReturn((PetscErrorCode)0);
  if (some[7] && !strcmp(info.backend, "host")) PetscFunctionReturn((PetscErrorCode)0);
  if (some[6] && (g->values != VALUES_SYMMETRIC || strcmp(info.backend, "host"))) PetscFunctionReturn((PetscErrorCode)0);
  if (size > 1 || some[0] || some[5] || ((some[1] || some[2] || some[4]) && !stencil) || ((some[3] || some[8]) && !dense)) PetscFunctionReturn((PetscErrorCode)0);
  if (!WayIsStrategy(w) && !stencil && !some[3] && !some[8]) PetscFunctionReturn((PetscErrorCode)0);
  if (w->value > MAT_AUTOCSR_VALUE_COPY || !info.nnz) PetscFunctionReturn((PetscErrorCode)0);
  PetscCall(PetscStrcmp(want, info.strategy, &is));
  PetscCheck(is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s is used", context, info.strategy);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* All products by two matrices that were made alike; when timing decides they may be multiplied in different ways */
static PetscErrorCode CompareWay(const Generator *g, const Way *w, MatAutoCSRRigor rigor, const Reference *r, Mat B[2])
{
  char way[192], context[256];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(WaySet(B[k], w, rigor, sizeof(way), way));
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s by %s", g->name, way));
  PetscCall(CompareProducts(r, WayVaries(w) ? 0 : rigor == MAT_AUTOCSR_RIGOR_MEASURE ? 1
                                                                                     : 2,
                            B, context));
  PetscCall(CheckUsed(g, w, rigor, B[0], context));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char        name[64];
  PetscInt    compared = 0;
  PetscMPIInt size;
  PetscBool   only;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-only", name, sizeof(name), &only));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) {
    const Generator *g = &generators[i];
    Reference        r;
    Mat              A, B[2];
    PetscBool        same = PETSC_TRUE, some = PETSC_FALSE;

    if (only) PetscCall(PetscStrcmp(name, g->name, &same));
    if (!same) continue;
    PetscCall(MatrixCreate(g, MATAIJ, &A));
    PetscCall(ReferenceCreate(A, &r));
    for (int k = 0; k < 2; k++) PetscCall(MatrixCreate(g, MATAUTOCSR, &B[k]));
    PetscCall(SomeWaysWillDo(B[0], &some));
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
      for (int rigor = MAT_AUTOCSR_RIGOR_NONE; rigor <= MAT_AUTOCSR_RIGOR_MEASURE; rigor++) {
        const PetscBool estimate = (PetscBool)(rigor == MAT_AUTOCSR_RIGOR_ESTIMATE), each = WayIsStrategy(&ways[w]);

        if (!(estimate && each) && !((estimate || each) && WayIsDue(w, i + size, some))) continue;
        PetscCall(CompareWay(g, &ways[w], (MatAutoCSRRigor)rigor, &r, B));
        compared += PRODUCT_COUNT;
      }
    }
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
    PetscCall(ReferenceDestroy(&r));
  }
  PetscCheck(compared > (only ? 0 : 2000), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " comparisons", compared);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/strategies_1.out

    test:
      suffix: 1
      nsize: {{1 2 3}}

    test:
      suffix: all
      nsize: 4

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda

    test:
      suffix: takeover
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda -mat_autocsr_takeover

    test:
      suffix: simd
      args: -mat_autocsr_simd x86-64

    test:
      suffix: avx2
      requires: avx2
      args: -mat_autocsr_simd avx2

    test:
      suffix: avx512
      requires: avx512
      args: -mat_autocsr_simd avx512

    test:
      suffix: avx512-gather
      requires: avx512 !complex
      args: -mat_autocsr_simd avx512-gather

TEST*/
