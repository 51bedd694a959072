/* The operations of the benchmark, as data, and what holds for the variants of all machines (cpu.c, gpu.c). */
#include "bench.h"

const Op Ops[] = {
    {"mult", 1, MatMult},
    {NULL, 0, NULL}};

PetscInt64 StoredCSR(const Csr *csr)
{
  return CsrBytes(csr->m, csr->row_ptr[csr->m]);
}

PetscInt64 StoredSELL(const Csr *csr, PetscInt height)
{
  PetscInt64 entries = 0;

  for (PetscInt i = 0; i < csr->m; i += height) {
    PetscInt longest = 0;

    for (PetscInt r = i; r < PetscMin(i + height, csr->m); r++) longest = PetscMax(longest, csr->row_ptr[r + 1] - csr->row_ptr[r]);
    entries += height * (PetscInt64)longest;
  }
  return CsrBytes(csr->m / height + 1, entries);
}

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

PetscErrorCode VariantsCheck(const Machine *machine, const char list[])
{
  char **names, choices[1024] = "";
  int    n;

  PetscFunctionBeginUser;
  for (const Variant *v = machine->variants; v->name; v++) {
    if (v != machine->variants) PetscCall(PetscStrlcat(choices, ",", sizeof(choices)));
    PetscCall(PetscStrlcat(choices, v->name, sizeof(choices)));
  }
  PetscCall(PetscStrToArray(list, ',', &n, &names));
  for (int i = 0; i < n; i++) {
    PetscBool has;

    PetscCall(ListHas(choices, names[i], &has));
    PetscCheck(has, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-variants %s: there is no variant \"%s\"; take some of: %s", list, names[i], choices);
  }
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VariantUsable(const Variant *v, PetscBool *usable)
{
  char        sequential[64];
  PetscMPIInt ranks;
  void (*create)(void);

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  *usable = (PetscBool)(ranks == 1);
  if (v->direct) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrcmp(v->type, "sellcuda", usable)); /* has no function that takes CSR arrays; of complex values PETSc 3.26's default kernel makes no product */
  if (*usable && (ranks > 1 || PetscDefined(USE_COMPLEX))) {
    *usable = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscStrcmp(v->type, MATAUTOCSR, usable));
  PetscCall(PetscSNPrintf(sequential, sizeof(sequential), "seq%s", *usable ? MATAIJAUTOCSR : v->type));
  PetscCall(PetscFunctionListFind(MatList, sequential, &create));
  *usable = (PetscBool)(create != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The library is loaded at run time, as by any program: its functions are looked up there */
PetscErrorCode AutoCSRFunction(const char name[], void **function)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, NULL, name, function));
  PetscCheck(*function, PETSC_COMM_SELF, PETSC_ERR_LIB, "The loaded library has no %s", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRInfoGet(Mat A, MatAutoCSRInfo *info, PetscBool *is)
{
  static PetscErrorCode (*get)(Mat, MatAutoCSRInfo *) = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, is, MATSEQAUTOCSR, MATMPIAUTOCSR, ""));
  if (*is) {
    if (!get) PetscCall(AutoCSRFunction("MatAutoCSRGetInfo", (void **)&get));
    PetscCall(get(A, info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
