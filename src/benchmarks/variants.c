/* The operations and the variants of the benchmark, as data. A new one is a line here. */
#include "bench.h"

const Op Ops[] = {
    {"mult", 1, MatMult},
    {NULL, 0, NULL}};

static PetscInt64 StoredCSR(const Csr *csr)
{
  return CsrBytes(csr->m, csr->row_ptr[csr->m]);
}

/* PETSc's SELL: slices of 8 rows, each padded to its longest row */
static PetscInt64 StoredSELL(const Csr *csr)
{
  PetscInt64 entries = 0;

  for (PetscInt i = 0; i < csr->m; i += 8) {
    PetscInt longest = 0;

    for (PetscInt r = i; r < PetscMin(i + 8, csr->m); r++) longest = PetscMax(longest, csr->row_ptr[r + 1] - csr->row_ptr[r]);
    entries += 8 * (PetscInt64)longest;
  }
  return CsrBytes(csr->m / 8 + 1, entries);
}

const Variant Variants[] = {
    {"aij", MATAIJ, NULL, NULL, PETSC_TRUE, NULL, StoredCSR},
    {"aij_noinode", MATAIJ, "-mat_no_inode", "1", PETSC_FALSE, NULL, StoredCSR},
    {"aijsell", MATAIJSELL, NULL, NULL, PETSC_TRUE, NULL, StoredSELL},
    {"aijperm", MATAIJPERM, NULL, NULL, PETSC_TRUE, NULL, StoredCSR},
    {"autocsr", MATAUTOCSR, NULL, NULL, PETSC_FALSE, NULL, NULL},
    {"autocsr:csr", MATAUTOCSR, "-mat_autocsr_strategy", "csr", PETSC_FALSE, "csr", NULL},
    {"autocsr:binned", MATAUTOCSR, "-mat_autocsr_strategy", "binned", PETSC_FALSE, "binned", NULL},
    {"autocsr:segsum", MATAUTOCSR, "-mat_autocsr_strategy", "segsum", PETSC_FALSE, "segsum", NULL},
    {"autocsr:sell", MATAUTOCSR, "-mat_autocsr_strategy", "sell", PETSC_FALSE, "sell", NULL},
    {"autocsr:pattern", MATAUTOCSR, "-mat_autocsr_strategy", "pattern", PETSC_FALSE, "pattern", NULL},
    {NULL, NULL, NULL, NULL, PETSC_FALSE, NULL, NULL}};

PetscErrorCode ListHas(const char list[], const char name[], PetscBool *has)
{
  char **names;
  int    n;

  PetscFunctionBeginUser;
  *has = (PetscBool)!list[0];
  PetscCall(PetscStrToArray(list, ',', &n, &names));
  for (int i = 0; i < n && !*has; i++) PetscCall(PetscStrcmp(names[i], name, has));
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VariantUsable(const Variant *v, PetscBool *usable)
{
  char sequential[64];
  void (*create)(void);

  PetscFunctionBeginUser;
  PetscCall(PetscStrcmp(v->type, MATAUTOCSR, usable));
  PetscCall(PetscSNPrintf(sequential, sizeof(sequential), "seq%s", *usable ? MATAIJAUTOCSR : v->type));
  PetscCall(PetscFunctionListFind(MatList, sequential, &create));
  *usable = (PetscBool)(create != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The library is loaded at run time, as by any program: its function is looked up there */
PetscErrorCode AutoCSRInfoGet(Mat A, MatAutoCSRInfo *info, PetscBool *is)
{
  PetscErrorCode (*get)(Mat, MatAutoCSRInfo *);

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAUTOCSR, is));
  if (*is) {
    PetscCall(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, NULL, "MatAutoCSRGetInfo", (void **)&get));
    PetscCheck(get, PETSC_COMM_SELF, PETSC_ERR_LIB, "The loaded library has no MatAutoCSRGetInfo");
    PetscCall(get(A, info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
