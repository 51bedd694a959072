/* What registration calls of this room */
#ifndef AUTOCSR_FUSED_REGISTER_H
#define AUTOCSR_FUSED_REGISTER_H

#include <petscsys.h>

PETSC_INTERN PetscErrorCode AutoCSRFusedRegister(void); /* fused.c */

#endif
