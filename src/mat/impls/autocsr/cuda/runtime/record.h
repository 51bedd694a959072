/* Launches that are recorded once, and then repeated in less time than they take the host one by one */
#ifndef AUTOCSR_RECORD_H
#define AUTOCSR_RECORD_H

#include "../device.h"
#include "launch.h"

typedef cudaGraphExec_t AutoCSRRecord;

/* Where kernels of products and of solves are launched: PETSc's stream, or the one that records */
PETSC_INTERN cudaStream_t AutoCSRLaunchStream(void);

/* Between the two, launches are recorded and nothing runs (IsUnderWay). Nothing else may be begun on a stream there, nor may anything wait. record NULL afterwards: *why says why there is none */
PETSC_INTERN PetscErrorCode AutoCSRRecordBegin(PetscBool *begun, const char **why);
PETSC_INTERN PetscErrorCode AutoCSRRecordEnd(AutoCSRRecord *, const char **why);
PETSC_INTERN PetscBool      AutoCSRRecordIsUnderWay(void);
PETSC_INTERN PetscErrorCode AutoCSRRecordRepeat(AutoCSRRecord); /* on PETSc's stream */
PETSC_INTERN PetscErrorCode AutoCSRRecordDestroy(AutoCSRRecord *);

#endif
