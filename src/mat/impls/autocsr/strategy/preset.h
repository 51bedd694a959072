/*
  Shared by the presets: sums of the profile over a problem's rows, the list of variants under the user's settings, and the
  sizes of a segment's streams before it is built.
*/
#ifndef AUTOCSR_PRESET_H
#define AUTOCSR_PRESET_H

#include "strategy.h"

/*
  Whether a strategy may pad its entries to `slots` slots. More than `most` slots are not worth it (*why is `hopeless`
  then); more than a PetscInt counts cannot be
*/
PETSC_INTERN PetscBool AutoCSRMayPad(double slots, double most, const char hopeless[], const char **why);
/* Lanes for rows of this mean length */
PETSC_INTERN PetscInt AutoCSRProblemLanes(const AutoCSRProblem *, double length);
/* Appends the axes unless the settings, unsorted rows or too many columns exclude them */
PETSC_INTERN void AutoCSRVariantAdd(const AutoCSRProblem *, const AutoCSRAxes *, PetscInt max, AutoCSRAxes[], PetscInt *n);
/* Whether the user asks for the strategy of this name */
PETSC_INTERN PetscErrorCode AutoCSRProblemAsksFor(const AutoCSRProblem *, const char strategy[], PetscBool *);
/* Lanes of a row's vector, 2 to 32, by the mean length (dufrechou2021, 2.1.1) */
PETSC_INTERN PetscInt AutoCSRProblemVectorLanes(const AutoCSRProblem *);
/* Whether one of the profile's zones has far more entries than the mean. Equal shares of rows or of entries are then not equally long */
PETSC_INTERN PetscBool AutoCSRProblemIsUneven(const AutoCSRProblem *);
/* The value coding of entries in place: CONSTANT if all values are the same and the settings allow it */
PETSC_INTERN AutoCSRValue AutoCSRValueInPlace(const AutoCSRProblem *);
/*
  The value codings that entries in a segment's own order may have here; returns how many. `constant`: the strategy has
  kernels for one value. If all values are the same that coding is the only one, because no other takes less
*/
#define AUTOCSR_STORED_CODINGS 3
PETSC_INTERN PetscInt AutoCSRStoredValueCodings(const AutoCSRProblem *, PetscBool constant, AutoCSRValue[AUTOCSR_STORED_CODINGS]);
/* Adds a variant for each of these */
PETSC_INTERN void AutoCSRVariantAddStored(const AutoCSRProblem *, PetscBool constant, const AutoCSRAxes *, PetscInt max, AutoCSRAxes list[], PetscInt *n);
/* Whether 16 bits surely hold the columns of any share of as many entries as a thread block takes: they lie in neighbouring rows, none farther from its row than the profile's bandwidth */
PETSC_INTERN PetscBool AutoCSRSharesFit16(const AutoCSRProblem *, const AutoCSRAxes *);
/* Whether a strategy lists codings without measured figures on a device: the user names a coding, or has variants timed */
PETSC_INTERN PetscBool AutoCSRProblemWantsCodes(const AutoCSRProblem *);
/*
  Adds a variant of rows in the CSR's order for each coding that takes less than the CSR's columns and values. can_16: 16 bits hold the
  columns; columns: these go with the CSR's values, too
*/
PETSC_INTERN void AutoCSRVariantAddCoded(const AutoCSRProblem *, PetscBool can_16, PetscBool columns, const AutoCSRAxes *, PetscInt max, AutoCSRAxes list[], PetscInt *n);
/*
  Whether sorted slices will do, so that a strategy with bins need not be tried. A processor pays for each row of a bin that
  lies apart: its entries, its place in y and its length come from memory anew, but sorted slices stream. Unless the user
  asks for bins, they are for blocks whose slices would be padding for a third and more
*/
PETSC_INTERN PetscErrorCode AutoCSRSlicesWillDo(const AutoCSRProblem *, PetscBool *);
/* A value coding in words that follow "values" */
PETSC_INTERN const char *AutoCSRValueWords(AutoCSRValue);
/* How rows in the CSR's order have their values, in words: strategies put "16-bit columns" before it */
PETSC_INTERN const char *AutoCSRCodedWords(const AutoCSRAxes *);
/*
  Fills a cost from its size: rows and nonzeros of the segment, entries stored or worked on, slices (0: none), and names in
  ROWS (0: none)
*/
PETSC_INTERN void AutoCSRCostFill(const AutoCSRProblem *, const AutoCSRAxes *, double rows, double nnz, double entries, double slices, double names, AutoCSRCost *);
/* AutoCSRStrategy.cost of one segment over all rows of the problem, in place and in order */
PETSC_INTERN PetscErrorCode AutoCSRCostInPlace(const AutoCSRProblem *, const AutoCSRAxes *, AutoCSRCost[], PetscInt *n);
/* propagate.c: row blocks that end after so many rows or entries */
PETSC_INTERN double AutoCSRPropagateRowBlocksOf(const AutoCSRProblem *, const AutoCSRAxes *);
/*
  propagate.c: sets tiles and row blocks of the backend. Each run, tile and row block may have so many slots of padding.
  False if the runs are too many or too empty, or the slots more than a PetscInt counts; *why says why
*/
PETSC_INTERN PetscBool AutoCSRPropagateShape(const AutoCSRProblem *, PetscInt run_padding, PetscInt tile_padding, PetscInt block_padding, AutoCSRAxes *, const char **why);
/*
  propagate.c: bytes that a device takes to sort entries and to make own_bytes of streams from them. beside: bytes of other
  arrays meanwhile
*/
PETSC_INTERN double AutoCSRSortScratch(const AutoCSRProblem *, double own_bytes, double beside);
/* coltile.c: the pieces that the rows make in `tiles` tiles, all equally likely */
PETSC_INTERN double AutoCSRTiledPieces(const AutoCSRProfile *, double tiles);
/* Adds a segment over all rows of the problem, in order or sorted, and encodes it */
PETSC_INTERN PetscErrorCode AutoCSRBuildContiguous(const AutoCSRProblem *, const char strategy[], const AutoCSRAxes *, AutoCSRPlan *);
/* Whether more rows are empty than not: names of rows and a second segment pay then */
PETSC_INTERN PetscBool AutoCSRRangeIsMostlyEmpty(const AutoCSRRange *);
/* The axes of the segment of rows without entries; it costs nothing if products are added to y */
PETSC_INTERN AutoCSRAxes AutoCSREmptyAxes(void);
/*
  Adds a segment of the rows with entries, with these axes, then one of the rows without. Both name their rows; the problem
  has rows of both kinds
*/
PETSC_INTERN PetscErrorCode AutoCSRBuildFilled(const AutoCSRProblem *, const char strategy[], const AutoCSRAxes *, AutoCSRPlan *);

#endif
