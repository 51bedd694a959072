/*
  Row ranges with strategies of their own (ROW_DIV of du2022-alphasparse, Table II): dynamic programming over districts of the
  profile's zones, where going from one strategy to another costs a launch.
*/
#include "candidate.h"

#define MAX_STATES 64 /* variants of strategies, each a state of the search */

typedef struct {
  PetscInt        n_states;
  AutoCSRRowRange state[MAX_STATES];
  double         *cost; /* [district][state], PETSC_MAX_REAL where the state does not apply */
} Table;

/* Districts of neighbouring zones: the first zone of district g is g * zones / districts */
static PetscInt count_districts(const AutoCSRChooser *chooser)
{
  const AutoCSRProfile *profile = chooser->problem.profile;

  return PetscMin(profile->zones, PetscMax(1, profile->nnz / (chooser->figures->machine.parallel ? DISTRICT_PARALLEL : DISTRICT)));
}

#define COUNTS 12

/* What costs are counted by */
typedef struct {
  struct {
    double is, of; /* a count, and what it is a part of */
  } count[COUNTS];
} Counts;

static Counts counts_of(const AutoCSRRange *r)
{
  const double lines = LINE_ENTRIES * r->gather_lines * r->nnz, bytes = r->fitted * r->padded;

  return (Counts){{
      {r->nnz, r->nnz},
      {r->padded, r->padded},
      {r->padded_sorted, r->padded_sorted},
      {r->node_entries, r->nnz},
      {lines, lines + r->nnz},
      {bytes, (sizeof(PetscInt) + sizeof(PetscScalar)) * r->padded},
      {r->nodes, r->rows},
      {r->empty_rows, r->rows},
      {r->pattern_rows, r->rows},
      {r->uniform_slices, r->slices},
      {r->slices_16, r->slices},
      {r->slices_16_sorted, r->slices},
  }};
}

/*
  A district that has the same share of each count takes about that share of the time, whatever the strategy that all rows can have: where all districts do, as in a grid or where
  columns are anywhere, no ranges beat the best for all rows
*/
static PetscBool districts_are_alike(const AutoCSRProblem *problem, PetscInt districts)
{
  const PetscInt zones = problem->profile->zones;
  const Counts   all   = counts_of(&problem->range);

  for (PetscInt g = 0; g < districts; g++) {
    const AutoCSRProblem part  = AutoCSRProblemOfZones(problem, g * zones / districts, (g + 1) * zones / districts);
    const double         share = (double)part.range.rows / problem->range.rows;
    const Counts         own   = counts_of(&part.range);

    if (part.range.longest < (1 - ALIKE) * problem->range.longest) return PETSC_FALSE; /* a lane would have less to do in it */
    for (int i = 0; i < COUNTS; i++) {
      if (PetscAbsReal(own.count[i].is - share * all.count[i].is) > ALIKE * share * all.count[i].of) return PETSC_FALSE;
      if (own.count[i].is == own.count[i].of && all.count[i].is < all.count[i].of) return PETSC_FALSE; /* what needs all slices or rows to be so may be had there */
    }
  }
  return PETSC_TRUE;
}

/* They are asked for in the same order for each district: *state is the last one found, at first -1 */
static PetscErrorCode find_state(Table *table, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes, PetscInt districts, PetscInt *state)
{
  PetscFunctionBegin;
  for (PetscInt i = 0, k = *state + 1; i < table->n_states; i++, k++) {
    if (k >= table->n_states) k = 0;
    if (table->state[k].strategy != strategy || memcmp(&table->state[k].axes, axes, sizeof(*axes))) continue;
    *state = k;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (table->n_states == MAX_STATES) {
    *state = -1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *state               = table->n_states++;
  table->state[*state] = (AutoCSRRowRange){strategy, *axes, 0, 0};
  for (PetscInt g = 0; g < districts; g++) table->cost[g * MAX_STATES + *state] = PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_table(AutoCSRChooser *chooser, PetscInt districts, Table *table)
{
  const PetscInt    zones = chooser->problem.profile->zones;
  AutoCSRAxes       axes[AUTOCSR_MAX_VARIANTS];
  AutoCSREvaluation e;
  const char       *why;

  PetscFunctionBegin;
  table->n_states = 0;
  for (PetscInt g = 0; g < districts; g++) {
    const AutoCSRProblem problem = AutoCSRProblemOfZones(&chooser->problem, g * zones / districts, (g + 1) * zones / districts);
    AutoCSRProblem       among   = problem; /* the rows of other ranges keep lanes busy too: no more lanes a row for want of rows */
    PetscInt             state   = -1;

    among.parallel = PETSC_FALSE;
    for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
      PetscInt n;

      if (AutoCSRStrategies[s]->whole) continue;
      PetscCall(AutoCSRStrategies[s]->variants(&among, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
      for (PetscInt v = 0; v < n; v++) {
        double score;

        PetscCall(find_state(table, AutoCSRStrategies[s], &axes[v], districts, &state));
        if (state < 0) continue;
        PetscCall(AutoCSRCostEvaluate(chooser, &problem, AutoCSRStrategies[s], &axes[v], &e));
        score = AutoCSRCostScore(&problem, &e);
        if (score < PETSC_MAX_REAL) table->cost[g * MAX_STATES + state] = score - e.launches;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of all districts, each by its cheapest state, if a change from one state to another cost nothing */
static double least(const Table *table, PetscInt districts)
{
  double sum = 0;

  for (PetscInt g = 0; g < districts; g++) {
    double cheapest = PETSC_MAX_REAL;

    for (PetscInt s = 0; s < table->n_states; s++) cheapest = PetscMin(cheapest, table->cost[g * MAX_STATES + s]);
    sum += cheapest;
  }
  return sum;
}

/* The cheapest state of each district, as a path through the table; PETSC_FALSE if a district has none */
static PetscErrorCode cheapest_path(const Table *table, PetscInt districts, double launch, PetscInt path[], PetscBool *found)
{
  double   before[MAX_STATES], now[MAX_STATES];
  PetscInt best = 0, *from;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(districts * MAX_STATES, &from));
  for (PetscInt s = 0; s < table->n_states; s++) before[s] = 0;
  for (PetscInt g = 0; g < districts; g++) {
    PetscInt next_best = 0;

    for (PetscInt s = 0; s < table->n_states; s++) {
      const PetscInt p = before[s] <= before[best] + launch ? s : best;

      from[g * MAX_STATES + s] = p;
      now[s]                   = table->cost[g * MAX_STATES + s] == PETSC_MAX_REAL ? PETSC_MAX_REAL : before[p] + (p == s ? 0 : launch) + table->cost[g * MAX_STATES + s];
      if (now[s] < now[next_best]) next_best = s;
    }
    PetscCall(PetscArraycpy(before, now, table->n_states));
    best = next_best;
  }
  *found = (PetscBool)(table->n_states && before[best] < PETSC_MAX_REAL);
  for (PetscInt g = districts - 1, s = best; g >= 0 && *found; s = from[g * MAX_STATES + s], g--) path[g] = s;
  PetscCall(PetscFree(from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRChooseRanges(AutoCSRChooser *chooser, double best, AutoCSRCandidate *candidate)
{
  const PetscInt zones = chooser->problem.profile->zones, most = count_districts(chooser);
  PetscInt       districts = PetscMin(most, FEW_DISTRICTS), path[AUTOCSR_MAX_ZONES];
  PetscBool      found   = PETSC_FALSE, promising;
  Table          table   = {0};
  PetscErrorCode ierr; /* to be out of memory is one that the caller lives with */

  PetscFunctionBegin;
  *candidate = (AutoCSRCandidate){.seconds = chooser->figures->machine.product, .score = chooser->figures->machine.product};
  if (most < 2 || chooser->problem.profile->rows_only) PetscFunctionReturn(PETSC_SUCCESS); /* what little there is to gain would not pay for the search */
  if (districts_are_alike(&chooser->problem, districts)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(most * MAX_STATES, &table.cost));
  ierr      = fill_table(chooser, districts, &table);
  promising = (PetscBool)(!ierr && chooser->figures->machine.product + chooser->figures->machine.launch + least(&table, districts) < BETTER_RANGES * best);
  if (promising && districts < most) { /* where few gain nothing, more would not gain much */
    districts = most;
    ierr    = fill_table(chooser, districts, &table);
  }
  if (promising && !ierr) ierr = cheapest_path(&table, districts, chooser->figures->machine.launch, path, &found);
  PetscCall(PetscFree(table.cost));
  PetscCall(ierr);
  for (PetscInt g = 0; g < districts && found; g++) {
    if (g && path[g] == path[g - 1]) continue;
    if (g) chooser->range[candidate->n_ranges - 1].zone_end = g * zones / districts;
    chooser->range[candidate->n_ranges]            = table.state[path[g]];
    chooser->range[candidate->n_ranges].zone_begin = g * zones / districts;
    chooser->range[candidate->n_ranges++].zone_end = zones;
  }
  if (found) candidate->first = chooser->range[0];
  for (PetscInt p = 0; p < candidate->n_ranges; p++) {
    const AutoCSRRowRange *range   = &chooser->range[p];
    const AutoCSRProblem   problem = AutoCSRProblemOfZones(&chooser->problem, range->zone_begin, range->zone_end);
    AutoCSREvaluation      e;

    PetscCall(AutoCSRCostEvaluate(chooser, &problem, range->strategy, &range->axes, &e));
    candidate->seconds += e.seconds;
    candidate->bytes += e.bytes;
    candidate->build += e.build;
    candidate->score += AutoCSRCostScore(&problem, &e);
  }
  if (candidate->n_ranges < 2 || !(candidate->score < BETTER_RANGES * best)) candidate->n_ranges = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
