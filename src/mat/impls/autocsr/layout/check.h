/* Shared by the checks of layouts and plans */
#ifndef AUTOCSR_CHECK_H
#define AUTOCSR_CHECK_H

#include "layout.h"
#include "codes.h"

/* `text` says what is wrong with the segment; the first argument is the segment's number */
#define AutoCSRCheckSegment(ok, text, ...) PetscCheck(ok, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT text, __VA_ARGS__)

#endif
