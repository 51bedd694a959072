/*
  Included in front of PETSc's test programs: where a program itself compares names of types, autocsr counts as the type in
  whose place it is (TEST_WORDS of config/test-petsc-hook.sh).
*/
#include <petscmat.h>
#include <stdarg.h>
#include <stdlib.h>

static inline const char *TestName(const char *name)
{
  const char *words  = getenv("TEST_WORDS");
  const int   device = words && !strcmp(words, "aijcusparse");

  if (name && !strcmp(name, "seqaijautocsr")) return device ? "seqaijcusparse" : MATSEQAIJ;
  if (name && !strcmp(name, "mpiaijautocsr")) return device ? "mpiaijcusparse" : MATMPIAIJ;
  return name;
}

static inline PetscErrorCode TestTypeCompare(PetscObject object, const char name[], PetscBool *same)
{
  const char *type = NULL;

  *same = PETSC_FALSE;
  if (object) PetscCall(PetscObjectGetType(object, &type));
  return PetscStrcmp(TestName(type), TestName(name), same);
}

static inline PetscErrorCode TestTypeCompareAny(PetscObject object, PetscBool *same, const char name[], ...)
{
  va_list names;

  va_start(names, name);
  for (*same = PETSC_FALSE; !*same && name && *name; name = va_arg(names, const char *)) PetscCall(TestTypeCompare(object, name, same));
  va_end(names);
  return PETSC_SUCCESS;
}

#define PetscStrcmp(a, b, same)                      PetscStrcmp(TestName(a), TestName(b), same)
#define PetscObjectTypeCompare(object, name, same)   TestTypeCompare((PetscObject)(object), name, same)
#define PetscObjectTypeCompareAny(object, same, ...) TestTypeCompareAny((PetscObject)(object), same, __VA_ARGS__)
