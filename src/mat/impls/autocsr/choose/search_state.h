/* How far a search is, kept beside the wisdom for a run that goes on */
#ifndef AUTOCSR_SEARCH_STATE_H
#define AUTOCSR_SEARCH_STATE_H

#include "../search/search.h"

/* FNV-1a of a text after others */
#define AUTOCSR_HASH_OF_NOTHING 14695981039346656037ull

static inline uint64_t AutoCSRHashText(uint64_t hash, const char text[])
{
  for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
  return hash;
}

typedef struct {
  char path[PETSC_MAX_PATH_LEN]; /* "": nothing is kept */
  char key[256];                 /* of what, as text */
} AutoCSRSearchState;

PETSC_INTERN PetscErrorCode AutoCSRSearchStateBegin(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRSearchState *);
/* For a search that begins: all that an earlier run has found, or nothing */
PETSC_INTERN PetscErrorCode AutoCSRSearchStateRead(AutoCSRSearchState *, AutoCSRSearch *);
PETSC_INTERN PetscErrorCode AutoCSRSearchStateWrite(const AutoCSRSearchState *, const AutoCSRSearch *);
PETSC_INTERN void           AutoCSRSearchStateRemove(const char path[]); /* if it is one */

#endif
