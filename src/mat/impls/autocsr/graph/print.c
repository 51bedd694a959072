/* A plan's segments as a graph */
#include "graph.h"

typedef struct {
  char     *text;
  size_t    len, n; /* characters that there is room for, with the 0 that ends them; that are written */
  PetscBool cut;    /* there was no room for more */
} Writer;

static PetscErrorCode Write(Writer *w, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
static PetscErrorCode Write(Writer *w, const char format[], ...)
{
  char        more[128];
  const char *from = more;
  size_t      n;
  va_list     args;

  PetscFunctionBegin;
  va_start(args, format);
  PetscCall(PetscVSNPrintf(more, sizeof(more), format, NULL, args));
  va_end(args);
  if (!w->n && *from == ' ') from++;
  PetscCall(PetscStrlen(from, &n));
  w->cut = (PetscBool)(w->cut || n >= w->len - w->n);
  if (w->cut) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(w->text + w->n, from, n + 1));
  w->n += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const AutoCSROperator *OperatorOf(AutoCSROperatorKind kind, int value)
{
  const AutoCSROperator *op = AutoCSROperators;

  while (op->word && (op->kind != kind || op->value != value)) op++;
  return op;
}

/* The word, and those of its numbers that are not 0 */
static PetscErrorCode WriteOperator(Writer *w, AutoCSROperatorKind kind, int value, const AutoCSRAxes *axes)
{
  const AutoCSROperator *op = OperatorOf(kind, value);
  const char            *between = "(";

  PetscFunctionBegin;
  PetscCall(Write(w, " %s", op->word));
  for (int p = 0; p < AUTOCSR_OPERATOR_PARAMETERS && op->parameter[p].name; p++) {
    const PetscInt number = *(const PetscInt *)((const char *)axes + op->parameter[p].axis);

    if (!number) continue;
    PetscCall(Write(w, "%s%s=%" PetscInt_FMT, between, op->parameter[p].name, number));
    between = ",";
  }
  if (*between == ',') PetscCall(Write(w, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bins of hou2017, runs of them joined by "+" */
static PetscErrorCode WriteBins(Writer *w, const AutoCSRRowSet *rows)
{
  const char *between = "";

  PetscFunctionBegin;
  PetscCall(Write(w, " bin_group(rows=%" PetscInt_FMT ",bins=%" PetscInt_FMT ",in=", rows->row_group, rows->bins));
  for (PetscInt b = 0; b < rows->bins; b++) {
    PetscInt last = b;

    if (!AutoCSRRowSetHasBin(rows, b)) continue;
    while (last + 1 < rows->bins && AutoCSRRowSetHasBin(rows, last + 1)) last++;
    PetscCall(Write(w, "%s%" PetscInt_FMT ":%" PetscInt_FMT, between, b, last));
    between = "+";
    b       = last;
  }
  PetscCall(Write(w, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteRows(Writer *w, PetscInt m, const AutoCSRRowSet *rows)
{
  PetscFunctionBegin;
  if (rows->begin > 0 || rows->end < m) PetscCall(Write(w, " row_div(%" PetscInt_FMT ":%" PetscInt_FMT ")", rows->begin, PetscMin(rows->end, m)));
  if (rows->nearness) PetscCall(Write(w, " %s(columns=%" PetscInt_FMT ")", OperatorOf(AUTOCSR_KIND_NEARNESS, rows->nearness)->word, rows->reach));
  if (rows->row_group)
    PetscCall(WriteBins(w, rows));
  else if (rows->longest < PETSC_MAX_INT)
    PetscCall(Write(w, " bin(%" PetscInt_FMT ":%" PetscInt_FMT ")", rows->shortest, rows->longest));
  else if (rows->shortest > 0)
    PetscCall(Write(w, " bin(%" PetscInt_FMT ":)", rows->shortest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteLeaf(Writer *w, PetscInt m, const AutoCSRRowSet *rows, const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  if (w->n) PetscCall(Write(w, ";"));
  PetscCall(WriteRows(w, m, rows));
  if (a->mapping == AUTOCSR_MAP_EMPTY) {
    PetscCall(WriteOperator(w, AUTOCSR_KIND_MAPPING, a->mapping, a));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (a->sort_window == PETSC_MAX_INT)
    PetscCall(Write(w, " sort"));
  else if (a->sort_window > 1)
    PetscCall(WriteOperator(w, AUTOCSR_KIND_SORT, 1, a));
  PetscCall(Write(w, " compress(index=%s,value=%s)", AutoCSRIndexNames[a->index], AutoCSRValueNames[a->value]));
  if (a->order != AUTOCSR_ORDER_CSR) PetscCall(WriteOperator(w, AUTOCSR_KIND_ORDER, a->order, a));
  if (a->block > 1) PetscCall(WriteOperator(w, AUTOCSR_KIND_BLOCK, 0, a));
  PetscCall(WriteOperator(w, AUTOCSR_KIND_MAPPING, a->mapping, a));
  PetscCall(WriteOperator(w, AUTOCSR_KIND_REDUCTION, a->reduction, a));
  if (AutoCSRAxesHaveResources(a)) PetscCall(WriteOperator(w, AUTOCSR_KIND_RESOURCES, 0, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Finish(Writer *w)
{
  const size_t at = PetscMin(w->n, w->len - PetscMin(w->len, 4));

  PetscFunctionBegin;
  if (w->cut) PetscCall(PetscStrncpy(w->text + at, "...", w->len - at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGraphPrint(const AutoCSRPlan *plan, size_t len, char text[])
{
  Writer w = {.text = text, .len = len};

  PetscFunctionBegin;
  text[0] = 0;
  for (PetscInt s = 0; s < plan->n_segments; s++) PetscCall(WriteLeaf(&w, plan->m, &plan->segment[s].row_set, &plan->segment[s].axes));
  PetscCall(Finish(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGraphWrite(const AutoCSRGraph *graph, PetscInt m, size_t len, char text[])
{
  Writer w = {.text = text, .len = len};

  PetscFunctionBegin;
  text[0] = 0;
  for (PetscInt i = 0; i < graph->n; i++) PetscCall(WriteLeaf(&w, m, &graph->leaf[i].rows, &graph->leaf[i].axes));
  PetscCall(Finish(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
