static char help[] = "Digests of the products of generated matrices, a line for each strategy and coding. A change that moves no bit of a product changes no line.\n\
Each line counts the results that the strategy made; matrices to which it does not apply are left out.\n\
  -each : a line for each matrix too, to find the one that differs\n\n";

#include <petscautocsr.h>
#define MAX_NNZ 60000
#include "../dense.h"
#include "../ways.h"

#define COLUMNS 13 /* of the dense matrices: no multiple of a register's lanes */

/* Dense blocks of b rows, nine to a row, which are nodes too */
static PetscInt BlocksOf(PetscInt b, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  for (PetscInt o = 0; o < 9; o++) {
    for (PetscInt j = i / b * b + 3 * o * b, end = j + b; j < end && j < n; j++) col[k++] = j;
  }
  return k;
}
#define BLOCKS(b)                                                               \
  static PetscInt Blocks##b(PetscInt m, PetscInt n, PetscInt i, PetscInt col[]) \
  {                                                                             \
    return BlocksOf(b, n, i, col);                                              \
  }
BLOCKS(2)
BLOCKS(4)
BLOCKS(5)
BLOCKS(6)
BLOCKS(7)
BLOCKS(8)

/* Larger than those of generate.h, with the values that each coding needs */
static const Generator larger[] = {
    {"3d stencil of many values", 4320, 4320, Grid3, VALUES_MANY, ENTRY_OWNER},
    {"3d stencil of few values", 4320, 4320, Grid3, VALUES_FEW, ENTRY_OWNER},
    {"3d stencil of float32 values", 4320, 4320, Grid3, VALUES_FLOATS, ENTRY_OWNER},
    {"3d stencil of one value", 4320, 4320, Grid3, VALUES_ONE, ENTRY_OWNER},
    {"2d stencil of constant coefficients", 3000, 3000, Grid2, VALUES_OFFSET, ENTRY_OWNER},
    {"2d stencil of symmetric values", 3000, 3000, Grid2, VALUES_SYMMETRIC, ENTRY_OWNER},
    {"uneven rows of many values", 2500, 2500, Uneven, VALUES_MANY, ENTRY_OWNER},
    {"uneven rows of few values", 2500, 2500, Uneven, VALUES_FEW, ENTRY_OWNER},
    {"uneven rows of float32 values", 2500, 2500, Uneven, VALUES_FLOATS, ENTRY_OWNER},
    {"many uneven rows of one value", 2500, 2500, Uneven, VALUES_ONE, ENTRY_OWNER},
    {"blocks of 3 of many values", 2400, 2400, Blocks, VALUES_MANY, ENTRY_OWNER},
    {"blocks of 3 of few values", 2400, 2400, Blocks, VALUES_FEW, ENTRY_OWNER},
    {"blocks of 3 of float32 values", 2400, 2400, Blocks, VALUES_FLOATS, ENTRY_OWNER},
    {"blocks of 2", 840, 840, Blocks2, VALUES_FEW, ENTRY_OWNER},
    {"blocks of 4", 840, 840, Blocks4, VALUES_MANY, ENTRY_OWNER},
    {"blocks of 5", 840, 840, Blocks5, VALUES_FLOATS, ENTRY_OWNER},
    {"blocks of 6", 840, 840, Blocks6, VALUES_MANY, ENTRY_OWNER},
    {"blocks of 7", 840, 840, Blocks7, VALUES_FEW, ENTRY_OWNER},
    {"blocks of 8", 840, 840, Blocks8, VALUES_MANY, ENTRY_OWNER},
    {"large power law", 900, 900, PowerLaw, VALUES_MANY, ENTRY_OWNER},
    {"power law of few values", 900, 900, PowerLaw, VALUES_FEW, ENTRY_OWNER},
};

#define N_GENERATORS (PETSC_STATIC_ARRAY_LENGTH(generators) + PETSC_STATIC_ARRAY_LENGTH(larger))
#define N_WAYS       PETSC_STATIC_ARRAY_LENGTH(ways)

static const Generator *GeneratorAt(size_t i)
{
  return i < PETSC_STATIC_ARRAY_LENGTH(generators) ? &generators[i] : &larger[i - PETSC_STATIC_ARRAY_LENGTH(generators)];
}

/* FNV-1a with 64 bits over this rank's entries of `count` results */
typedef struct {
  uint64_t hash;
  PetscInt count;
} Digest;
static const Digest Empty = {UINT64_C(0xcbf29ce484222325), 0};

static void DigestAdd(Digest *d, const void *data, size_t bytes)
{
  for (size_t k = 0; k < bytes; k++) d->hash = (d->hash ^ ((const unsigned char *)data)[k]) * UINT64_C(0x100000001b3);
}

static PetscErrorCode DigestVec(Digest *d, Vec y)
{
  const PetscScalar *a;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(y, &a));
  DigestAdd(d, a, (size_t)n * sizeof(*a));
  PetscCall(VecRestoreArrayRead(y, &a));
  d->count++;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Prints the digests of all ranks as one */
static PetscErrorCode DigestPrint(const char name[], const Digest *mine)
{
  PetscMPIInt size;
  Digest     *all, sum = Empty;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscCalloc1(size, &all));
  PetscCallMPI(MPI_Gather(mine, sizeof(*mine), MPI_BYTE, all, sizeof(*mine), MPI_BYTE, 0, PETSC_COMM_WORLD));
  for (PetscMPIInt r = 0; r < size; r++) {
    sum.count += all[r].count;
    DigestAdd(&sum, &all[r].hash, sizeof(all[r].hash));
  }
  if (sum.count) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-54s %4" PetscInt_FMT "  %016llx\n", name, sum.count, (unsigned long long)sum.hash));
  PetscCall(PetscFree(all));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The digest of forward and transposed products, alone and added to a vector */
static PetscErrorCode DigestProducts(Mat A, const char strategy[], Digest *d)
{
  MatAutoCSRInfo info;
  Vec            v[2], y[2];
  PetscBool      used;
  Digest         done = *d;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &v[0], &v[1]));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecSetScattered(v[k], 1 + k));
    PetscCall(VecDuplicate(v[k], &y[k]));
  }
  PetscCall(MatMult(A, v[0], y[1]));
  PetscCall(DigestVec(&done, y[1]));
  PetscCall(MatMultAdd(A, v[0], v[1], y[1]));
  PetscCall(DigestVec(&done, y[1]));
  PetscCall(MatMultTranspose(A, v[1], y[0]));
  PetscCall(DigestVec(&done, y[0]));
  PetscCall(MatMultTransposeAdd(A, v[1], v[0], y[0]));
  PetscCall(DigestVec(&done, y[0]));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&v[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(PetscStrcmp(strategy, "auto", &used));
  if (!used) PetscCall(PetscStrcmp(strategy, info.strategy, &used));
  if (used) *d = done;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The digests of C = A B and of X Y^T sampled where A has entries. X and Y have `of_sampled` columns: the second-level cache decides how many panels these are, and with that the bits */
static PetscErrorCode DigestDense(Mat A, PetscInt of_sampled, Digest *product, Digest *sampled)
{
  PetscInt           begin[2], end[2], M, N, lda, rows;
  const PetscScalar *c;
  Mat                B, C, X, Y, S;
  Vec                ones, sums;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &M, &N));
  if (!M || !N) PetscFunctionReturn((PetscErrorCode)0);
  PetscCall(MatGetOwnershipRange(A, &begin[0], &end[0]));
  PetscCall(MatGetOwnershipRangeColumn(A, &begin[1], &end[1]));
  PetscCall(DenseCreate(begin[1], end[1], N, COLUMNS, 50, &B));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(MatGetLocalSize(C, &rows, NULL));
  PetscCall(MatDenseGetLDA(C, &lda));
  PetscCall(MatDenseGetArrayRead(C, &c));
  for (PetscInt j = 0; j < COLUMNS; j++) DigestAdd(product, c + j * lda, (size_t)rows * sizeof(*c));
  PetscCall(MatDenseRestoreArrayRead(C, &c));
  product->count++;
  PetscCall(DenseCreate(begin[0], end[0], M, of_sampled, 80, &X));
  PetscCall(DenseCreate(begin[1], end[1], N, of_sampled, 110, &Y));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &S));
  PetscCall(MatAutoCSRSDDMM(A, X, Y, S));
  PetscCall(MatCreateVecs(S, &ones, &sums));
  PetscCall(VecSetScattered(ones, 7)); /* a factor of its own for each entry of a row */
  PetscCall(MatAutoCSRSetStrategy(S, "csr"));
  PetscCall(MatMult(S, ones, sums));
  PetscCall(DigestVec(sampled, sums));
  PetscCall(VecDestroy(&ones));
  PetscCall(VecDestroy(&sums));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  Digest      digest[N_WAYS], none = Empty, dense = Empty, sampled = Empty;
  PetscBool   each = PETSC_FALSE;
  PetscInt    of_sampled = COLUMNS;
  PetscMPIInt size;
  char        name[N_WAYS][128];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-each", &each, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-of_sampled", &of_sampled, NULL));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t w = 0; w < N_WAYS; w++) digest[w] = Empty;
  for (size_t i = size > 1 ? PETSC_STATIC_ARRAY_LENGTH(generators) : 0; i < N_GENERATORS; i++) {
    const Generator *g = GeneratorAt(i);
    char             way[256];
    Mat              A;

    PetscCall(MatrixCreate(g, MATAUTOCSR, &A));
    for (size_t w = 0; w < N_WAYS; w++) {
      PetscCall(WaySet(A, &ways[w], MAT_AUTOCSR_RIGOR_ESTIMATE, sizeof(way), way));
      PetscCall(PetscSNPrintf(name[w], sizeof(name[w]), "%s, index %s, value %s", ways[w].strategy, MatAutoCSRIndexCodings[ways[w].index], MatAutoCSRValueCodings[ways[w].value]));
      if (ways[w].objective) PetscCall(PetscStrlcat(name[w], ", memory", sizeof(name[w])));
      if (!strcmp(ways[w].strategy, "binned")) PetscCall(PetscSNPrintf(name[w], sizeof(name[w]), "binned, granularity %" PetscInt_FMT ", bins %" PetscInt_FMT, ways[w].granularity, ways[w].max_bins));
      if (size > 1 && (!WayIsStrategy(&ways[w]) || w % 2 != i % 2)) continue; /* the blocks are multiplied as matrices on one rank are */
      PetscCall(DigestProducts(A, ways[w].strategy, &digest[w]));
      if (each) {
        PetscCall(PetscSNPrintf(way, sizeof(way), "%s: %s", g->name, name[w]));
        PetscCall(DigestPrint(way, &digest[w]));
      }
    }
    PetscCall(WaySet(A, &ways[0], MAT_AUTOCSR_RIGOR_ESTIMATE, sizeof(way), way));
    PetscCall(DigestDense(A, of_sampled, &dense, &sampled));
    PetscCall(MatAutoCSRSetRigor(A, MAT_AUTOCSR_RIGOR_NONE));
    PetscCall(DigestProducts(A, "auto", &none));
    PetscCall(MatDestroy(&A));
  }
  for (size_t w = 0; w < N_WAYS; w++) PetscCall(DigestPrint(name[w], &digest[w]));
  PetscCall(DigestPrint("rigor none", &none));
  PetscCall(DigestPrint("dense products", &dense));
  PetscCall(DigestPrint("sampled products", &sampled));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    requires: real double !define(PETSC_USE_64BIT_INDICES)

    test:
      suffix: 1
      nsize: {{1 2}separate output}
      args: -mat_autocsr_simd x86-64

    test:
      suffix: avx2
      requires: avx2
      args: -mat_autocsr_simd avx2 -of_sampled 2

    test:
      suffix: avx512
      requires: avx512
      args: -mat_autocsr_simd avx512

    test:
      suffix: gather
      requires: avx512
      args: -mat_autocsr_simd avx512-gather
      output_file: output/digests_avx512.out

TEST*/
