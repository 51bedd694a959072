static char help[] = "Blocks of very different sizes on the ranks, each multiplied its own way, while logged operations are collective.\n\n";

#include <petscautocsr.h>

/* The k-th of a few pseudo-random numbers in [-1, 1) of a row */
static PetscScalar Number(PetscInt i, PetscInt k)
{
  return ((i * 7919 + k * 104729) % 2003) / 1001.5 - 1;
}

/*
  Rank 0 has four rows, the others ten thousand each: a diagonal and what lies far from it, rank 0's columns among that.
  Of a chain: two diagonals, by which each rank receives from the rank before it and sends to the next
*/
static PetscErrorCode Create(MPI_Comm comm, MatType type, PetscBool chain, Mat *A)
{
  PetscInt    begin, end, N;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, rank ? 10000 : 4, rank ? 10000 : 4, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 6, NULL, 6, NULL));
  PetscCall(MatGetSize(*A, &N, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt    col[6] = {i, (i + 1) % N, (i + N / 2) % N, i % 3 ? -1 : (i * 17) % N, i % 5 ? -1 : i % 4, (i + N - 1) % N};
    const PetscScalar val[6] = {Number(i, 0), Number(i, 1), Number(i, 2), Number(i, 3), Number(i, 4), Number(i, 5)};

    if (chain) {
      const PetscInt two[2] = {i, i - 1};

      PetscCall(MatSetValues(*A, 1, &i, 2, two, val, ADD_VALUES));
    } else
      PetscCall(MatSetValues(*A, 1, &i, 6, col, val, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscBool few = PETSC_FALSE; /* products: for tools that watch each access to memory */

/* Many products, each of what the one before gave, with nothing between them that waits; the later the rank, the more other work it has */
static PetscErrorCode Power(Mat A, PetscReal factor, Vec *x)
{
  Vec         y, work; /* which is of each rank by itself */
  VecType     type;
  PetscInt    n;
  PetscMPIInt rank;
  PetscBool   device;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatCreateVecs(A, x, &y));
  PetscCall(VecSetFromOptions(*x));
  PetscCall(VecSetFromOptions(y));
  PetscCall(VecGetType(y, &type));
  PetscCall(PetscStrendswith(type, "cuda", &device));
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecCreate(PETSC_COMM_SELF, &work));
  PetscCall(VecSetSizes(work, n, n));
  PetscCall(VecSetType(work, device ? VECCUDA : VECSEQ));
  PetscCall(VecSet(*x, 1));
  PetscCall(VecSet(work, 1));
  for (int k = 0; k < (few ? 4 : 30); k++) {
    PetscCall(MatMult(A, *x, y));
    for (int busy = 0; busy < rank * k; busy++) PetscCall(VecScale(work, -1));
    PetscCall(MatMultAdd(A, y, *x, *x));
    PetscCall(VecScale(*x, factor));
  }
  PetscCall(VecDestroy(&work));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ComparePowers(Mat A, Mat B)
{
  const PetscScalar *a, *b;
  PetscReal          size, norm[2] = {0, 0}; /* largest, of the difference and of the result */
  PetscInt           n;
  Vec                x, y;

  PetscFunctionBeginUser;
  PetscCall(MatNorm(A, NORM_INFINITY, &size));
  PetscCall(Power(A, 1 / (1 + size * size), &x));
  PetscCall(Power(B, 1 / (1 + size * size), &y));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  for (PetscInt i = 0; i < n; i++) {
    norm[0] = PetscMax(norm[0], PetscAbsScalar(a[i] - b[i]));
    norm[1] = PetscMax(norm[1], PetscAbsScalar(a[i]));
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)A)));
  PetscCheck(norm[1] > 0 && norm[0] <= 1000 * PETSC_MACHINE_EPSILON * norm[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "The powers differ by %g of %g", (double)norm[0], (double)norm[1]);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Compare(PetscBool chain)
{
  PetscErrorCode (*const equal[])(Mat, Mat, PetscInt, PetscBool *) = {MatMultEqual, MatMultAddEqual, MatMultTransposeEqual, MatMultTransposeAddEqual};
  Mat A, B, C;

  PetscFunctionBeginUser;
  PetscCall(Create(PETSC_COMM_WORLD, MATAIJ, chain, &A));
  PetscCall(Create(PETSC_COMM_WORLD, MATAUTOCSR, chain, &B));
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(equal); k++) {
      PetscBool same;

      PetscCall((*equal[k])(A, B, few ? 4 : 25, &same)); /* past the steps of progressive planning */
      PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Products of kind %d differ", (int)k);
    }
    PetscCall(ComparePowers(A, B));
    PetscCall(MatScale(A, 3)); /* then with new values */
    PetscCall(MatScale(B, 3));
  }
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C)); /* which outlives what it shares messages with */
  PetscCall(ComparePowers(B, C));
  PetscCall(MatDestroy(&B));
  PetscCall(ComparePowers(A, C));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Product by product, until the exchange of entries and the plans are those that stay: the bits are those of PETSc's scatter */
static PetscErrorCode CompareScatter(MPI_Comm comm, PetscBool chain)
{
  MatAutoCSRInfo info;
  PetscInt       k = 0;
  PetscBool      same;
  PetscMPIInt    settled;
  Mat            A, B;
  Vec            x, y, z;

  PetscFunctionBeginUser;
  PetscCall(Create(comm, MATAUTOCSR, chain, &A));
  PetscCall(Create(comm, MATAUTOCSR, chain, &B));
  PetscCall(MatAutoCSRSetProgressive(A, PETSC_TRUE)); /* the runner of the tests has it off */
  PetscCall(MatAutoCSRSetProgressive(B, PETSC_TRUE));
  PetscCall(MatAutoCSRSetExchange(B, MAT_AUTOCSR_EXCHANGE_SCATTER));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSetRandom(x, NULL));
  do {
    PetscCall(MatMult(A, x, y));
    PetscCall(MatMult(B, x, z));
    PetscCall(VecEqual(y, z, &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Other bits than with PETSc's scatter, in product %" PetscInt_FMT, k);
    PetscCall(MatAutoCSRGetInfo(A, &info));
    settled = info.settled;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &settled, 1, MPI_INT, MPI_LAND, comm));
  } while (!settled && ++k < (few ? 4 : 20000));
  PetscCheck(few || settled, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Not settled by %" PetscInt_FMT " products", k);
  PetscCall(ComparePowers(A, B));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Two of the ranks by themselves first: what they know then, the others do not */
static PetscErrorCode CompareScatters(PetscBool chain)
{
  PetscMPIInt rank, size;
  MPI_Comm    two;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two));
  if (size > 2 && rank < 2) PetscCall(CompareScatter(two, chain));
  if (rank < 2) PetscCallMPI(MPI_Comm_free(&two));
  PetscCall(CompareScatter(PETSC_COMM_WORLD, chain));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-few", &few));
  PetscCall(Compare(PETSC_FALSE));
  PetscCall(Compare(PETSC_TRUE));
  PetscCall(CompareScatters(PETSC_FALSE));
  PetscCall(CompareScatters(PETSC_TRUE));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree, and all ranks have logged the same\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    nsize: {{1 2 3}}
    args: -log_sync -log_view :/dev/null

  test:
    suffix: cuda
    requires: cuda
    nsize: {{2 4}}
    args: -log_sync -log_view :/dev/null
    output_file: output/uneven_ranks_1.out

  test:
    suffix: exchange
    requires: cuda
    nsize: {{2 4}}
    args: -mat_autocsr_exchange {{auto host scatter}}
    output_file: output/uneven_ranks_1.out

  test:
    suffix: way
    requires: cuda defined(PETSC_USE_INFO)
    nsize: {{2 4}}
    args: -mat_autocsr_exchange host -info :mat
    filter: grep -o "exchange entries of x .*" | sort -u

  test:
    suffix: later
    requires: cuda defined(PETSC_USE_INFO)
    nsize: {{2 4}}
    args: -mat_autocsr_progressive 1 -info :mat
    filter: grep -o "until they have paid for another\|exchange entries of x" | sort -u

  # the vectors and blocks of rank 0 stay on the CPU; a debug build of PETSc itself waits for ever there
  test:
    suffix: bound
    requires: cuda opt
    nsize: {{2 4}}
    args: -vec_bind_below 100 -mat_bind_below 100 -mat_autocsr_exchange {{auto host}}
    output_file: output/uneven_ranks_1.out

TEST*/
