/* How long a product with a dense matrix takes (plan/dense.h), and which way it goes */
#include "choose.h"
#include "policy.h"
#include "../backend.h"
#include "../layout/bundled.h"

/*
  Panels move A once for each panel, and B and C. A device reads B, writes the panel and reads it again, since no panel stays
  in a cache. A processor reads B once, and reads C before it writes it. Each entry reads a row of the panel from the cache
  beside the first. share: of the entries, by which that is multiplied if rows share what they read
*/
static double CostOfPanels(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, PetscInt columns, double share)
{
  const double made = PetscMax(columns, PANEL_LEAST), panels = ceil(made / PANEL), scalar = sizeof(PetscScalar) * made;
  const double bytes = AutoCSRMatrixBytes(csr) * panels + scalar * (machine->parallel ? 3.0 * csr->n + csr->m : csr->n + 2.0 * csr->m);
  const double work  = share * scalar * csr->nnz * (1 + PANEL_LEAST / PetscMin(made, PANEL));

  return machine->product + machine->dense_at_once * (bytes / machine->bandwidth[3] + work / machine->bandwidth[1]) + machine->dense_row * csr->m * panels;
}

/* A block of rows has its lines of a column from L2 once, an entry finds them beside it */
static double CostAsItLies(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, PetscInt columns)
{
  const double scalar = sizeof(PetscScalar) * (double)columns, bytes = AutoCSRMatrixBytes(csr) * ceil((double)columns / PANEL) + scalar * ((double)csr->n + csr->m);
  double       lines = 0;

  for (PetscInt c = 0; c < profile->zones; c++) lines += profile->zone[c].gather_lines * profile->zone[c].nnz;
  return machine->product + machine->dense_as_lies * (bytes / machine->bandwidth[3] + AUTOCSR_LINE * lines * columns / machine->bandwidth[1] + scalar * csr->nnz / machine->bandwidth[0]);
}

/* Whether a device reads columns as they lie unasked: rows have patterns, and a row block has as many rows as a warp has lanes, so that they read side by side */
static PetscBool LiesWell(const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  double of_patterns = 0;

  for (PetscInt c = 0; profile && c < profile->zones; c++) of_patterns += profile->zone[c].pattern_rows;
  return (PetscBool)(profile && of_patterns >= OF_PATTERNS * csr->m && OF_PATTERNS_ROWS * (double)csr->nnz <= AUTOCSR_DENSE_BLOCK_ALONGSIDE * (double)csr->m);
}

/* Tiles and bundles have 32-bit columns */
static PetscBool TilesHold(const AutoCSRMatrix *csr)
{
  return (PetscBool)((double)csr->n <= 4294967296.0);
}

/* There are kernels, and a PetscInt counts the units of all bundles */
static PetscBool BundlesHold(const AutoCSRMachine *machine, const AutoCSRMatrix *csr)
{
  return (PetscBool)(AUTOCSR_HAS_BUNDLES && machine->parallel && TilesHold(csr) && AutoCSRIsCounted((double)csr->nnz + (double)csr->m + AUTOCSR_BUNDLE_ROWS));
}

PetscErrorCode AutoCSRCostDense(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, MatAutoCSRDense asked, PetscInt columns, double *seconds, AutoCSRDenseWay *way)
{
  const AutoCSRMachine *machine;

  PetscFunctionBegin;
  PetscCall(AutoCSRMachineGet(csr, &machine));
  *way = AUTOCSR_DENSE_PANELS;
  if (asked == MAT_AUTOCSR_DENSE_ADAPTIVE && TilesHold(csr))
    *way = AUTOCSR_DENSE_ADAPTIVE;
  else if (asked == MAT_AUTOCSR_DENSE_BUNDLES && BundlesHold(machine, csr))
    *way = AUTOCSR_DENSE_BUNDLES;
  else if (machine->parallel && (asked == MAT_AUTOCSR_DENSE_ALONGSIDE || (asked == MAT_AUTOCSR_DENSE_AUTO && LiesWell(csr, profile))))
    *way = AUTOCSR_DENSE_ALONGSIDE;
  *seconds = *way == AUTOCSR_DENSE_ALONGSIDE && profile ? CostAsItLies(machine, csr, profile, columns) : CostOfPanels(machine, csr, columns, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Whether products by adaptive tiles are faster than by panels of B, on a processor. Tiles keep rows of B in the second-level
  cache. A panel of one line a row must not fit there, or it would do the same
*/
static PetscBool TilesGain(const AutoCSRMachine *machine, const AutoCSRDense *dense, PetscInt columns)
{
  const AutoCSRTileShare share     = dense->share;
  const PetscBool        has_tiles = (PetscBool)(share.panels >= TILES_PANELS && share.heavy >= TILES_HEAVY && share.heavy >= TILES_ROW * share.rows);
  const PetscBool        is_wide   = (PetscBool)(columns * sizeof(PetscScalar) >= TILES_LINES * AUTOCSR_LINE);
  const PetscBool        fits      = (PetscBool)((double)dense->window * AUTOCSR_LINE <= machine->cache[1] / 2);

  return (PetscBool)(has_tiles && is_wide && !fits);
}

/* A PetscInt counts the rows of all tiles, were these as many as the entries in heavy ones can make */
static PetscBool TilesAreCounted(const AutoCSRMatrix *csr, const AutoCSRDense *dense)
{
  AutoCSRAxes axes = {.order = AUTOCSR_ORDER_ADAPTIVE};

  (*csr->backend->shape_tiles)(csr->m, csr->n, csr->nnz, &axes);
  AutoCSRDenseShapeTiles(dense, &axes);
  return AutoCSRIsCounted((double)csr->m + (double)axes.tile_height * dense->share.heavy * (double)csr->nnz / ((double)axes.tile_steps * (double)axes.row_limit));
}

/* Whether products have paid for a sample of tiles, which is then taken */
static PetscErrorCode PayForSample(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, AutoCSRDense *dense, double seconds, PetscBool *known)
{
  PetscFunctionBegin;
  dense->spent += seconds;
  *known = dense->share.known;
  if (*known || dense->spent < machine->dense_sample) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDenseSampleTiles(dense, csr));
  *known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether tiles of this order are there, or products have lost as much as making them takes; this one would save `saved` seconds */
static PetscBool PayForTiles(AutoCSRDense *dense, AutoCSROrder order, double saved, double make)
{
  const AutoCSRPlan *tiles = dense->tiles;

  dense->owed += saved;
  return (PetscBool)((tiles && tiles->n_segments && tiles->segment->bytes > 0 && tiles->segment->axes.order == order) || dense->owed >= make);
}

PetscErrorCode AutoCSRCostDenseCreate(const AutoCSRMatrix *csr, AutoCSRDense **dense)
{
  const AutoCSRMachine *machine;

  PetscFunctionBegin;
  PetscCall(AutoCSRMachineGet(csr, &machine));
  PetscCall(AutoCSRDenseCreate(csr->backend, dense));
  (*dense)->heavy_from = (PetscInt)machine->dense_heavy;
  (*dense)->tile_rows  = (PetscInt)machine->dense_rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCostConsiderTiles(const AutoCSRMatrix *csr, AutoCSRDense *dense, PetscInt columns, double seconds, PetscBool *take)
{
  const AutoCSRMachine *machine;
  PetscBool             known;

  PetscFunctionBegin;
  *take = PETSC_FALSE;
  if (!dense || !dense->last || !TilesHold(csr)) PetscFunctionReturn(PETSC_SUCCESS); /* the first product finds out how many rows of B it needs at a time */
  PetscCall(AutoCSRMachineGet(csr, &machine));
  PetscCall(PayForSample(machine, csr, dense, seconds, &known));
  if (!known || !TilesGain(machine, dense, columns) || !TilesAreCounted(csr, dense)) PetscFunctionReturn(PETSC_SUCCESS);
  *take = PayForTiles(dense, AUTOCSR_ORDER_ADAPTIVE, TILES_SAVE * seconds, machine->dense_tile * csr->nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCostConsiderWhole(const AutoCSRMatrix *csr, const AutoCSRSampledOperands *op, PetscBool *take)
{
  const PetscInt        most = PetscMax(PetscMax(csr->m, csr->n), PetscMax(PetscMax(op->ldx, op->ldy), op->columns));
  const AutoCSRMachine *machine;

  PetscFunctionBegin;
  PetscCall(AutoCSRMachineGet(csr, &machine));
  *take = (PetscBool)(machine->parallel && op->columns >= WHOLE_COLUMNS && (double)most <= INT_MAX && (double)csr->nnz >= WHOLE_SHARE * (double)csr->m * (double)csr->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of bundles an entry, at most: a panel gains even where neighbouring rows share nothing */
static double MostUnits(PetscInt columns, PetscBool sampled)
{
  if (sampled) return BUNDLES_UNITS;
  return columns > PANEL ? BUNDLES_WIDE : columns > PANEL_LEAST ? PETSC_MAX_REAL : 1;
}

PetscErrorCode AutoCSRCostConsiderBundles(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, AutoCSRDense *dense, PetscInt columns, PetscBool sampled, double seconds, PetscBool at_once, PetscBool *take)
{
  const AutoCSRMachine *machine;
  double                longest, saved; /* longest: entries of a bundle, whose rows but one are as long as they are on average */

  PetscFunctionBegin;
  *take = PETSC_FALSE;
  if (!dense || dense->no_room || columns < PANEL_LEAST / 2 || !profile || profile->max_length > BUNDLES_LONGEST || (columns <= PANEL_LEAST && csr->m < BUNDLES_LEAST * AUTOCSR_BUNDLE_ROWS)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRMachineGet(csr, &machine));
  if (!BundlesHold(machine, csr)) PetscFunctionReturn(PETSC_SUCCESS);
  dense->spent += seconds;
  if (dense->spent < machine->dense_sample && !at_once) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDenseSampleBundles(dense, csr));
  if (dense->units > MostUnits(columns, sampled)) PetscFunctionReturn(PETSC_SUCCESS);
  longest = profile->max_length + (AUTOCSR_BUNDLE_ROWS - 1.0) * csr->nnz / PetscMax(1, csr->m);
  saved   = PetscMax(BUNDLES_SAVE * seconds, seconds - CostOfPanels(machine, csr, columns, dense->units));
  *take   = (PetscBool)(PayForTiles(dense, AUTOCSR_ORDER_BUNDLED, saved, machine->dense_tile * csr->nnz + machine->dense_long * longest) || at_once);
  PetscFunctionReturn(PETSC_SUCCESS);
}
