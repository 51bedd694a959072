/*
  The one way in which an autocsr type is put on top of a matrix of the parent's type, taken off it, and taken off for the
  time of a call: for what PETSc finds by exact type names, the matrix goes as its parent.
*/
#include "seqautocsr.h"

static void (*AutoCSRGetOperation(const struct _MatOps *ops, const AutoCSROperation *o))(void)
{
  void (*function)(void);

  memcpy(&function, (const char *)ops + o->offset, sizeof(function));
  return function;
}

static void AutoCSRSetOperation(struct _MatOps *ops, const AutoCSROperation *o, void (*function)(void))
{
  memcpy((char *)ops + o->offset, &function, sizeof(function));
}

PetscErrorCode AutoCSRParentExtend(AutoCSRParent *parent, const AutoCSROperation operations[], const AutoCSRMethod methods[])
{
  PetscInt k;

  PetscFunctionBegin;
  for (; operations && operations->function; operations++) {
    for (k = 0; parent->operations[k].function && parent->operations[k].offset != operations->offset;) k++;
    PetscCheck(k < AUTOCSR_MAX_OPERATIONS - 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "AUTOCSR_MAX_OPERATIONS is too small");
    parent->operations[k] = *operations;
  }
  for (; methods && methods->function; methods++) {
    for (k = 0; parent->methods[k].function && strcmp(parent->methods[k].name, methods->name);) k++;
    PetscCheck(k < AUTOCSR_MAX_METHODS - 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "AUTOCSR_MAX_METHODS is too small");
    parent->methods[k] = *methods;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The parent's functions are not exported; a fresh matrix of its type shows them. Its empty options database keeps
  -mat_seqaij_type, which may name ours, away from it, and -help; PETSc prints the help of a prefix only once, so it has one
  of its own. The matrices of a program cannot be asked: the first that comes may be bound to the CPU.
*/
PetscErrorCode AutoCSRParentMakeTables(AutoCSRParent *parent)
{
  Mat          T;
  PetscOptions options;
  char         name[256];

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(MatCreate(PETSC_COMM_SELF, &T));
  PetscCall(PetscObjectSetOptions((PetscObject)T, options));
  PetscCall(MatSetOptionsPrefix(T, "autocsr_parent_"));
  PetscCall(MatSetSizes(T, 0, 0, 0, 0));
  PetscCall((*parent->create)(T));
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s_C", AutoCSRParentAIJ(parent), parent->type));
  PetscCall(PetscObjectQueryFunction((PetscObject)T, name, &parent->from_aij));
  for (PetscInt bound = 0; bound < 2; bound++) {
    if (bound) PetscCall(MatBindToCPU(T, PETSC_TRUE));
    parent->table[bound].ops = *T->ops;
    for (PetscInt k = 0; parent->methods[k].name; k++) PetscCall(PetscObjectQueryFunction((PetscObject)T, parent->methods[k].name, &parent->table[bound].methods[k]));
  }
  PetscCall(MatDestroy(&T));
  PetscCall(PetscOptionsDestroy(&options));
  parent->has_tables = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRParentGetMethod(const AutoCSRParent *parent, Mat A, const char name[], void (**method)(void))
{
  PetscFunctionBegin;
  *method = NULL;
  for (PetscInt k = 0; parent->methods[k].name; k++) {
    if (!strcmp(parent->methods[k].name, name)) *method = AutoCSRParentTableOf(parent, A)->methods[k];
  }
  PetscCheck(*method, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s composes no %s", parent->type, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void AutoCSROverride(Mat A, const AutoCSROperation operations[])
{
  for (; operations->function; operations++) AutoCSRSetOperation(A->ops, operations, operations->function);
}

/* The same, but what is neither the parent's nor absent stays */
void AutoCSROverrideParent(Mat A, const AutoCSRParent *parent, const AutoCSROperation operations[])
{
  for (; operations->function; operations++) {
    void (*const now)(void) = AutoCSRGetOperation(A->ops, operations);

    if (!now || now == AutoCSRGetOperation(&parent->table[0].ops, operations) || now == AutoCSRGetOperation(&parent->table[1].ops, operations)) AutoCSRSetOperation(A->ops, operations, operations->function);
  }
}

/* What the parent does itself goes without ours, until they are put on again; what a program has put there stays */
void AutoCSRYield(Mat A, const AutoCSRParent *parent, const AutoCSROperation operations[])
{
  const AutoCSRParentTable *table = AutoCSRParentTableOf(parent, A);

  for (; operations->function; operations++) {
    if (AutoCSRGetOperation(A->ops, operations) == operations->function && AutoCSRGetOperation(&table->ops, operations)) AutoCSRSetOperation(A->ops, operations, AutoCSRGetOperation(&table->ops, operations));
  }
}

/* What the parent takes off while it is bound to the CPU stays off: PETSC then has another way */
PetscErrorCode AutoCSRCompose(Mat A, const AutoCSRParent *parent)
{
  const AutoCSRParentTable *table = AutoCSRParentTableOf(parent, A);

  PetscFunctionBegin;
  for (PetscInt k = 0; parent->methods[k].name; k++) {
    const PetscBool off = (PetscBool)(parent->table[0].methods[k] && !table->methods[k]);

    PetscCall(PetscObjectComposeFunction((PetscObject)A, parent->methods[k].name, off ? NULL : parent->methods[k].function));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRAttach_Private(Mat A, const AutoCSRParent *parent, const AutoCSRSettings *settings)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRContextCreate(A, settings));
  PetscCall(AutoCSRCompose(A, parent));
  if (strcmp(((PetscObject)A)->type_name, parent->own)) PetscCall(PetscObjectChangeTypeName((PetscObject)A, parent->own));
  AutoCSROverride(A, parent->operations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In MatHeaderMerge() the type name and the lists of composed things are off the matrix: nothing may be added to them */
PetscErrorCode AutoCSRSuspend_Private(Mat A, const AutoCSRParent *parent, AutoCSRSuspended *s)
{
  const PetscBool           merging = (PetscBool) !((PetscObject)A)->type_name;
  const AutoCSRParentTable *table   = AutoCSRParentTableOf(parent, A);
  char                     *name;
  PetscErrorCode            ierr;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(parent->type, &name)); /* what can fail comes first: nothing is taken off without it */
  ierr = AutoCSRContextTake(A, &s->context);
  if (ierr) {
    s->context = NULL;
    PetscCall(PetscFree(name));
  }
  PetscCall(ierr);
  s->mat                      = A;
  s->id                       = ((PetscObject)A)->id;
  s->name                     = ((PetscObject)A)->type_name;
  ((PetscObject)A)->type_name = name;
  for (PetscInt k = 0; parent->methods[k].name; k++) PetscCall(PetscObjectComposeFunction((PetscObject)A, parent->methods[k].name, merging ? NULL : table->methods[k]));
  for (const AutoCSROperation *o = parent->operations; o->function; o++) { /* what is not ours is left alone */
    if (AutoCSRGetOperation(A->ops, o) == o->function) AutoCSRSetOperation(A->ops, o, AutoCSRGetOperation(&table->ops, o));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRResume_Private(Mat A, const AutoCSRParent *parent, AutoCSRSuspended *s)
{
  const AutoCSRParentTable *table = AutoCSRParentTableOf(parent, A);

  PetscFunctionBegin;
  for (const AutoCSROperation *o = parent->operations; o->function; o++) {
    if (AutoCSRGetOperation(A->ops, o) == AutoCSRGetOperation(&table->ops, o)) AutoCSRSetOperation(A->ops, o, o->function);
  }
  PetscCall(PetscFree(((PetscObject)A)->type_name));
  ((PetscObject)A)->type_name = s->name;
  s->name                     = NULL;
  PetscCall(AutoCSRContextGive(A, &s->context));
  PetscCall(AutoCSRCompose(A, parent));
  s->mat = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- For either kind of matrix */

const AutoCSRKind *AutoCSRKinds[AUTOCSR_KINDS];

PetscErrorCode AutoCSRAttach(Mat A, const AutoCSRSettings *settings)
{
  PetscFunctionBegin;
  PetscCall((*AutoCSRKinds[AutoCSRKindOf(((PetscObject)A)->type_name)]->attach)(A, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of it or nothing */
PetscErrorCode AutoCSRSuspend(Mat A, AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s, 1 + AUTOCSR_MAX_BLOCKS));
  if (!A) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < AUTOCSR_KINDS && !s[0].mat && !ierr; k++) {
    if ((*AutoCSRKinds[k]->is)(A)) ierr = (*AutoCSRKinds[k]->suspend)(A, s);
  }
  if (ierr) PetscCall(AutoCSRResume(s));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product may have made another type of its result */
PetscErrorCode AutoCSRResume(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  if (!s[0].mat) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < AUTOCSR_KINDS; k++) {
    const AutoCSRParent *parent;
    PetscBool            same;

    PetscCall((*AutoCSRKinds[k]->get_parent)(&parent));
    PetscCall(PetscObjectTypeCompare((PetscObject)s[0].mat, parent->type, &same));
    if (!same) continue;
    PetscCall((*AutoCSRKinds[k]->resume)(s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRDiscard(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRResumeBlocks(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  for (PetscInt k = 1; k <= AUTOCSR_MAX_BLOCKS; k++) {
    if (s[k].mat) PetscCall(MatSeqAutoCSRResume(&s[k]));
    PetscCall(PetscMemzero(&s[k], sizeof(s[k])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDiscard(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 1 + AUTOCSR_MAX_BLOCKS; k++) {
    PetscCall(PetscFree(s[k].name));
    PetscCall(PetscContainerDestroy(&s[k].context));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRRename(Mat A, const char name[])
{
  char *copy;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(name, &copy));
  PetscCall(PetscFree(((PetscObject)A)->type_name));
  ((PetscObject)A)->type_name = copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of a block are brought to the host: AIJ's own algorithms read its arrays */
static PetscErrorCode AutoCSRSuspendedToAIJ(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS], PetscBool mpi)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 1 + AUTOCSR_MAX_BLOCKS; k++) {
    const PetscScalar *values;

    if (!s[k].mat) continue;
    PetscCall(AutoCSRRename(s[k].mat, mpi && !k ? MATMPIAIJ : MATSEQAIJ));
    if (mpi && !k) continue;
    PetscCall(MatSeqAIJGetArrayRead(s[k].mat, &values));
    PetscCall(MatSeqAIJRestoreArrayRead(s[k].mat, &values));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSuspendAsAIJ(Mat A, AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  const PetscBool mpi = (*AutoCSRKinds[AUTOCSR_KIND_MPI]->is)(A);
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRSuspend(A, s));
  ierr = AutoCSRSuspendedToAIJ(s, mpi);
  if (ierr) PetscCall(AutoCSRResumeAsAIJ(s));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the name before: this one is AIJ's, whatever the parent is */
PetscErrorCode AutoCSRResumeAsAIJ(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  if (!s[0].mat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*AutoCSRKinds[AutoCSRKindOf(s[0].name)]->resume)(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
