/* How far a search is, kept beside the wisdom for a run that goes on */
#ifndef AUTOCSR_SEARCH_STATE_H
#define AUTOCSR_SEARCH_STATE_H

#include "../search/search.h"

typedef struct {
  char path[PETSC_MAX_PATH_LEN]; /* "": nothing is kept */
  char key[256];                 /* of what, as text */
} AutoCSRSearchState;

PETSC_INTERN PetscErrorCode AutoCSRSearchStateBegin(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRSearchState *);
/* What an earlier run has found, for a search that begins; all of it or nothing */
PETSC_INTERN PetscErrorCode AutoCSRSearchStateRead(AutoCSRSearchState *, AutoCSRSearch *);
PETSC_INTERN PetscErrorCode AutoCSRSearchStateWrite(const AutoCSRSearchState *, const AutoCSRSearch *);
PETSC_INTERN void           AutoCSRSearchStateRemove(const char path[]); /* if it is one */

#endif
