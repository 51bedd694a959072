/*
  Which figures are an executor's. The file of figures names executors; a process reads these names once, and finds figures by the executor's id and the kind of its segment.
*/
#include "figures.h"

int AutoCSRFigureKind(const AutoCSRFigures *figures, const AutoCSRAxes *axes, PetscBool named, PetscInt values)
{
  const PetscBool nodes = (PetscBool)(axes->mapping == AUTOCSR_MAP_NODES), parallel = figures->machine.parallel;
  const PetscInt  by = axes->block > 1 ? axes->block : axes->lanes;

  if (axes->block > 1 || nodes) return by < 2 || by > AUTOCSR_NODE_ROWS ? -1 : (int)by + (nodes && axes->width ? AUTOCSR_FIGURE_BY_SHORT : AUTOCSR_FIGURE_BY);
  return (!parallel && axes->value == AUTOCSR_VALUE_DICTIONARY && values <= AUTOCSR_FEW_VALUES ? AUTOCSR_FIGURE_FEW : 0) + (named && axes->mapping == (parallel ? AUTOCSR_MAP_LANES : AUTOCSR_MAP_SLICE) ? AUTOCSR_FIGURE_NAMED : 0);
}

PetscErrorCode AutoCSRFigureName(const AutoCSRExecutor *executor, int kind, size_t len, char name[])
{
  const PetscBool is_short = (PetscBool)(kind >= AUTOCSR_FIGURE_BY_SHORT + 2);

  PetscFunctionBegin;
  if (kind >= AUTOCSR_FIGURE_BY + 2)
    PetscCall(PetscSNPrintf(name, len, "%s/by%d%s", executor->name, kind - (is_short ? AUTOCSR_FIGURE_BY_SHORT : AUTOCSR_FIGURE_BY), is_short ? "/short" : ""));
  else
    PetscCall(PetscSNPrintf(name, len, "%s%s%s", executor->name, kind & AUTOCSR_FIGURE_FEW ? "/few" : "", kind & AUTOCSR_FIGURE_NAMED ? "/named" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool ends_with(const char name[], size_t *length, const char end[])
{
  const size_t n = strlen(end);

  if (*length < n || strncmp(name + *length - n, end, n)) return PETSC_FALSE;
  *length -= n;
  return PETSC_TRUE;
}

/* The kind that a name ends with; length: of the executor's name before it */
static int kind_of(const char name[], size_t *length)
{
  int       kind     = 0, b;
  PetscBool is_short = ends_with(name, length, "/short");

  if (ends_with(name, length, "/named")) kind |= AUTOCSR_FIGURE_NAMED;
  if (ends_with(name, length, "/few")) kind |= AUTOCSR_FIGURE_FEW;
  for (b = 2; b <= AUTOCSR_NODE_ROWS; b++) {
    const char by[] = {'/', 'b', 'y', (char)('0' + b), 0};

    if (ends_with(name, length, by)) kind = b + (is_short ? AUTOCSR_FIGURE_BY_SHORT : AUTOCSR_FIGURE_BY);
  }
  return kind;
}

static PetscBool is_of(const AutoCSRExecutor *executor, const char name[], size_t length)
{
  return (PetscBool)(!strncmp(executor->name, name, length) && !executor->name[length]);
}

/* Executors follow each other as their figures mostly do, and those of one name side by side: they share figures, each has its kinds of them */
void AutoCSRFiguresIndex(AutoCSRFigures *figures)
{
  const AutoCSRExecutor *executor[AUTOCSR_MAX_EXECUTORS];
  int                    n = 0, at = 0;

  for (int id = 0; id < AUTOCSR_MAX_EXECUTORS; id++) {
    if ((executor[n] = (*figures->backend->executor)(id))) n++;
  }
  memset(figures->place, 0, sizeof(figures->place));
  for (PetscInt i = 0; i < figures->n_executors; i++) {
    const char *name   = figures->executor[i].name;
    size_t      length = strlen(name);
    const int   kind   = kind_of(name, &length);
    int         k      = 0;

    for (; k < n && !is_of(executor[at], name, length); k++) at = (at + 1) % n;
    for (int j = at; k < n && j < n && is_of(executor[j], name, length); j++) figures->place[executor[j]->id][kind] = (int16_t)(1 + i);
  }
}

PetscErrorCode AutoCSRFiguresFind(const AutoCSRFigures *figures, const AutoCSRAxes *axes, PetscBool named, PetscInt values, AutoCSRExecutorCost *cost, PetscBool *runs)
{
  const AutoCSRExecutor *executor;
  const int              kind  = AutoCSRFigureKind(figures, axes, named, values);
  int                    place = 0;

  PetscFunctionBegin;
  PetscCall((*figures->backend->find_executor)(axes, figures->simd, &executor));
  *runs = (PetscBool)(executor != NULL);
  if (executor && kind >= 0) place = figures->place[executor->id][kind];
  *cost = place ? figures->executor[place - 1].cost : figures->unknown;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt AutoCSRFigureByName(const AutoCSRExecutorFigure figure[], PetscInt n, const char name[], PetscInt from)
{
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt i = (from + k) % n;

    if (!strcmp(name, figure[i].name)) return i;
  }
  return n;
}
