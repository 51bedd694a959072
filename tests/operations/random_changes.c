static char help[] = "Matrices, ways to multiply, and what is done to a matrix between products, drawn by lot: the products are AIJ's. What fails is told with all that led to it; -seed and -draws try others.\n\n";

#include <petscautocsr.h>
#include "../changes.h"
#include "../generate.h"
#include "../ways.h"

#define STEPS 8 /* of a matrix, at most */

/* All ranks draw the same */
static PetscInt64 seed = 1, drawn;

static PetscInt Draw(PetscInt below)
{
  return (PetscInt)Random(seed, drawn++, below);
}

/* ---- Of both matrices alike (changes.h) */

/*
  Rows that become zero must have a diagonal entry, and what a diagonal is a subset of: such a matrix is shifted first. Not in parallel: after some of the others MatSetValues() of plain MPIAIJ corrupts memory where it makes room (PETSc 3.18), and MatZeroRowsColumns() of MPIAIJCUSPARSE that is bound
  to the CPU adds to a duplicate of a vector, which is not set to zero there (3.26)
*/
typedef struct {
  const char *name;
  PetscBool   square, diagonal, parallel;
  PetscErrorCode (*apply)(Mat A, Mat like);
} Change;

static const Change changes[] = {
    {"nothing", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, Nothing},
    {"set values", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, SetValues},
    {"add values", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, AddValues},
    {"scale", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, Scale},
    {"shift", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, Shift},
    {"set diagonal", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, DiagonalSet},
    {"scale rows and columns", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, DiagonalScale},
    {"scale rows and columns by many values", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, DiagonalScaleRandom},
    {"write the array", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, Arrays},
    {"copy", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, CopySame},
    {"add itself", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, AXPYSame},
    {"add plain AIJ", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, AXPYLike},
    {"conjugate", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, Conjugate},
    {"zero entries", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, Zero},
    {"read from a file", PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, Load},
    {"take small entries out", PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, Filter},
    {"zero rows, pattern kept", PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, ZeroRowsKeep},
    {"zero rows", PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, ZeroRows},
    {"zero rows and columns", PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, ZeroRowsAndColumns},
    {"new nonzeros", PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, NewNonzeros},
    {"add a subset", PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, AXPYSubset},
    {"add a different pattern", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, AXPYDifferent},
    {"add an unknown pattern", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, AXPYUnknown},
    {"transpose in place", PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, TransposeInPlace},
};

/* ---- Of ours alone: the entries stay */

static PetscErrorCode Duplicate(Mat *B)
{
  Mat copy;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(*B, MAT_COPY_VALUES, &copy));
  PetscCall(MatDestroy(B));
  *B = copy;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ConvertAndBack(Mat *B)
{
  PetscFunctionBeginUser;
  PetscCall(MatConvert(*B, MATAIJ, MAT_INPLACE_MATRIX, B));
  PetscCall(MatConvert(*B, MATAUTOCSR, MAT_INPLACE_MATRIX, B));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Bind(Mat *B)
{
  PetscFunctionBeginUser;
  PetscCall(MatBindToCPU(*B, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode BindBack(Mat *B)
{
  PetscFunctionBeginUser;
  PetscCall(MatBindToCPU(*B, PETSC_FALSE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static const Way *way;

static PetscErrorCode MultiplyOtherwise(Mat *B)
{
  char text[192];

  PetscFunctionBeginUser;
  way = &ways[Draw(PETSC_STATIC_ARRAY_LENGTH(ways))];
  PetscCall(WaySet(*B, way, (MatAutoCSRRigor)Draw(MAT_AUTOCSR_RIGOR_MEASURE + 1), sizeof(text), text));
  PetscCall(MatAutoCSRSetProgressive(*B, (PetscBool)!Draw(3)));
  PetscFunctionReturn((PetscErrorCode)0);
}

typedef struct {
  const char *name;
  PetscErrorCode (*apply)(Mat *B);
} Detour;

static const Detour detours[] = {
    {"duplicate", Duplicate},
    {"convert and back", ConvertAndBack},
    {"bind to the CPU", Bind},
    {"bind to the device", BindBack},
    {"multiply otherwise", MultiplyOtherwise},
};

/* ---- */

/* What was done is put down before it is, so that also what fails with an error of PETSc's own is told, by -info */
static PetscErrorCode Tell(char story[], size_t size, const char name[], const char more[])
{
  size_t n;

  PetscFunctionBeginUser;
  PetscCall(PetscStrlen(story, &n));
  PetscCall(PetscSNPrintf(story + n, size - n, "; %s%s", name, more));
  PetscCall(PetscInfo(NULL, "%s\n", story));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ChangeBoth(Reference *r, Mat B, char story[], size_t size)
{
  Mat           like;
  const Change *c;
  PetscInt      m, n;
  PetscMPIInt   ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(MatGetSize(B, &m, &n));
  do {
    c = &changes[Draw(PETSC_STATIC_ARRAY_LENGTH(changes))];
  } while ((c->square && (m != n || m < 6)) || (ranks > 1 && !c->parallel));
  PetscCall(Tell(story, size, c->name, ""));
  PetscCall(MatDuplicate(r->A, MAT_COPY_VALUES, &like));
  PetscCall(MatSetOption(r->A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (c->diagonal) {
    PetscCall(Shift(r->A, like));
    PetscCall(Shift(B, like));
  }
  PetscCall((*c->apply)(r->A, like));
  PetscCall((*c->apply)(B, like));
  PetscCall(MatDestroy(&like));
  PetscCall(ReferenceUpdate(r));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CompareSome(const Reference *r, Mat B, const char story[])
{
  MatAutoCSRInfo info;
  PetscMPIInt    settled;
  const PetscInt n = Draw(4);

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(MatAutoCSRGetInfo(B, &info));
    settled = info.settled;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &settled, 1, MPI_INT, MPI_LAND, PETSC_COMM_WORLD));
    PetscCall(CompareProduct(r, &products[Draw(PRODUCT_COUNT)], settled && !WayVaries(way), &B, story));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckDrawn(void)
{
  const Generator *g     = &generators[Draw(PETSC_STATIC_ARRAY_LENGTH(generators))];
  const PetscInt   steps = 1 + Draw(STEPS);
  char             story[1024];
  Reference        r;
  Mat              A, B;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(story, sizeof(story), "Seed %lld, %s", (long long)seed, g->name));
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(MatrixCreate(g, MATAUTOCSR, &B));
  PetscCall(MultiplyOtherwise(&B));
  PetscCall(Tell(story, sizeof(story), "by ", way->strategy));
  PetscCall(CompareSome(&r, B, story));
  for (PetscInt s = 0; s < steps; s++) {
    if (Draw(3))
      PetscCall(ChangeBoth(&r, B, story, sizeof(story)));
    else {
      const Detour *d = &detours[Draw(PETSC_STATIC_ARRAY_LENGTH(detours))];

      PetscCall(Tell(story, sizeof(story), d->name, ""));
      PetscCall((*d->apply)(&B));
      PetscCall(Tell(story, sizeof(story), "by ", way->strategy));
    }
    PetscCall(CompareSome(&r, B, story));
  }
  PetscCall(CompareProducts(&r, 0, &B, story));
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt draws = 200, first = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-draws", &draws, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &first, NULL));
  for (seed = first; seed < first + draws; seed++) {
    drawn = 0;
    PetscCall(CheckDrawn());
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/random_changes_1.out

    test:
      suffix: 1
      nsize: {{1 2 3}}

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda -draws 60

TEST*/
