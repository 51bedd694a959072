/* The generated suite as data: name, generator, nonzeros at scale 1, values. And which suite is asked for. */
#include "matrices.h"

const Generator Generators[] = {
    {"poisson3d7", Poisson3d7, 55760000, 0},
    {"poisson3d7-const", Poisson3d7, 55760000, 6},
    {"poisson3d27", Poisson3d27, 55742968, 0},
    {"poisson3d27-const", Poisson3d27, 55742968, 26},
    {"poisson2d5", Poisson2d5, 44988000, 0},
    {"poisson2d5-const", Poisson2d5, 44988000, 4},
    {"fem3x3", Fem3x3, 18800000, 0},
    {"powerlaw", PowerLaw, 16000000, 0},
    {"circuit", Circuit, 10500000, 0},
    {"lp", LinearProgram, 11000000, 0},
    {"lpT", LinearProgramTall, 11000000, 0},
    {"uniform16", Uniform16, 16000000, 0},
    {"dense2k", Dense2k, 4000000, 0},
    {"road", Road, 5100000, 0},
    {"empty40", Empty40, 14000000, 0},
    {"webgraph", WebGraph, 260000000, 0},
    {"webgraph22", WebGraph22, 32000000, 0},
    {"poisson3d7-sym", Poisson3d7, 55760000, 0, PETSC_TRUE},
    {"poisson3d27-sym", Poisson3d27, 55742968, 0, PETSC_TRUE},
    {"poisson2d5-sym", Poisson2d5, 44988000, 0, PETSC_TRUE},
    {NULL, NULL, 0, 0}};

PetscErrorCode GeneratorsAsked(uint64_t seed, const Generator **g)
{
  const struct {
    const char      *option;
    const Generator *generators;
  } suites[]        = {{"-heldout", HeldOut}, {"-heldout_second", HeldOutSecond}, {"-heldout_third", HeldOutThird}};
  const char *asked = NULL;
  PetscInt    drawn = 0;
  PetscBool   draws;

  PetscFunctionBeginUser;
  *g = Generators;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(suites); k++) {
    PetscBool this = PETSC_FALSE;

    PetscCall(PetscOptionsGetBool(NULL, NULL, suites[k].option, &this, NULL));
    if (!this) continue;
    PetscCheck(!asked, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "%s and %s: one suite is run at a time; give one of them", asked, suites[k].option);
    asked = suites[k].option;
    *g    = suites[k].generators;
  }
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-drawn", &drawn, &draws));
  PetscCheck(!draws || !asked, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "%s and -drawn: one suite is run at a time; give one of them", asked);
  if (draws) PetscCall(DrawnSuite(drawn, seed, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}
