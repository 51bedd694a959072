/*
  What the presets share: sums of the profile over a problem's rows, the list of variants under the user's settings, the
  sizes of a segment's streams before it is built.
*/
#ifndef AUTOCSR_PRESET_H
#define AUTOCSR_PRESET_H

#include "strategy.h"

/* Lanes for rows of this mean length */
PETSC_INTERN PetscInt AutoCSRProblemLanes(const AutoCSRProblem *, double length);
/* Appends the axes unless the settings exclude them */
PETSC_INTERN void AutoCSRVariantAdd(const AutoCSRProblem *, const AutoCSRAxes *, PetscInt max, AutoCSRAxes[], PetscInt *n);
/* Is the strategy of this name asked for? */
PETSC_INTERN PetscErrorCode AutoCSRProblemAsksFor(const AutoCSRProblem *, const char strategy[], PetscBool *);
/* A vector of 2 to 32 lanes a row, by the mean length (dufrechou2021, 2.1.1) */
PETSC_INTERN PetscInt AutoCSRProblemVectorLanes(const AutoCSRProblem *);
/* Has one of the matrix's chunks far more of the entries than the mean has? What takes equal shares of rows, or of entries, then waits for what falls on it, or on the others */
PETSC_INTERN PetscBool AutoCSRProblemIsUneven(const AutoCSRProblem *);
/* How values of entries in place are read: none at all where all are the same */
PETSC_INTERN AutoCSRValue AutoCSRValueInPlace(const AutoCSRProblem *);
/* The value codings that entries in a segment's own order may have here; returns how many. constant: the strategy has kernels for one value, which then is the only coding: no other takes less */
#define AUTOCSR_STORED_CODINGS 3
PETSC_INTERN PetscInt AutoCSRStoredValueCodings(const AutoCSRProblem *, PetscBool constant, AutoCSRValue[AUTOCSR_STORED_CODINGS]);
/* Adds a variant for each of these */
PETSC_INTERN void AutoCSRVariantAddStored(const AutoCSRProblem *, PetscBool constant, const AutoCSRAxes *, PetscInt max, AutoCSRAxes list[], PetscInt *n);
/*
  A processor pays for every row of a bin that lies apart: its entries, its place in y and its length come from memory anew, where sorted slices stream.
  So bins are, unless asked for, for blocks of which such slices would be padding for a third part and more
*/
PETSC_INTERN PetscErrorCode AutoCSRSlicesWillDo(const AutoCSRProblem *, PetscBool *);
/* A value coding in words that follow "values" */
PETSC_INTERN const char *AutoCSRValueWords(AutoCSRValue);
/*
  Fills a part from its size: rows and nonzeros of the segment, entries stored or worked on, slices (0: none), and how many
  names ROWS holds (0: none).
*/
PETSC_INTERN void AutoCSRCostFill(const AutoCSRProblem *, const AutoCSRAxes *, double rows, double nnz, double entries, double slices, double names, AutoCSRCost *);
/* AutoCSRStrategy.cost of one segment over all rows of the problem, in place and in order */
PETSC_INTERN PetscErrorCode AutoCSRCostInPlace(const AutoCSRProblem *, const AutoCSRAxes *, AutoCSRCost[], PetscInt *n);
/* propagate.c: blocks of rows that end after so many rows, or entries */
PETSC_INTERN double AutoCSRPropagateRowBlocksOf(const AutoCSRProblem *, const AutoCSRAxes *);
/* propagate.c: tiles and row blocks of the backend; false, and why, if their runs are too many or too empty, or
  slots more than are counted: of each run, tile and block of rows so many are padding */
PETSC_INTERN PetscBool AutoCSRPropagateShape(const AutoCSRProblem *, PetscInt run_padding, PetscInt tile_padding, PetscInt block_padding, AutoCSRAxes *, const char **why);
/* coltile.c: the pieces that the rows make of so many tiles, all as likely */
PETSC_INTERN double AutoCSRTiledPieces(const AutoCSRProfile *, double tiles);
/* Adds a segment over all rows of the problem, in place of order or sorted, and encodes it */
PETSC_INTERN PetscErrorCode AutoCSRBuildContiguous(const AutoCSRProblem *, const char strategy[], const AutoCSRAxes *, AutoCSRPlan *);
/* More rows are empty than not: names of rows and a second segment pay */
PETSC_INTERN PetscBool AutoCSRRangeIsMostlyEmpty(const AutoCSRRange *);
/* Of the segment of rows without entries, which costs nothing where products are added to y */
PETSC_INTERN AutoCSRAxes AutoCSREmptyAxes(void);
/* Such a segment, and before it one of these axes of the rows that have entries. Both name their rows; there are rows of both kinds */
PETSC_INTERN PetscErrorCode AutoCSRBuildFilled(const AutoCSRProblem *, const char strategy[], const AutoCSRAxes *, AutoCSRPlan *);

#endif
