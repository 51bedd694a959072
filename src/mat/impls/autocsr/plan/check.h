/* What checks of a plan share. Private to plan/ */
#ifndef AUTOCSR_CHECK_H
#define AUTOCSR_CHECK_H

#include "encode.h"

/* text: what is wrong with the segment, whose number is the first of its arguments */
#define AutoCSRCheckSegment(ok, text, ...) PetscCheck(ok, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT text, __VA_ARGS__)

#endif
