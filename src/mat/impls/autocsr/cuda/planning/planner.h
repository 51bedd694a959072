/*
  The planner on the device: what backend.h asks for, by the files of this room. The bits of profiles and streams are those
  that the host makes with slices of AUTOCSR_DEVICE_SLICE_HEIGHT rows.
*/
#ifndef AUTOCSR_PLANNER_H
#define AUTOCSR_PLANNER_H

#include "../device.h"

/*
  memory.c. Scratch: without the room past the end; allocated and freed in the order of a stream. Beside: a stream whose work begins
  when all is done that was on PETSc's stream at Fork, and which PETSc's stream waits for from Join on. Mailbox: memory of the host to which kernels write what the host is to know, until the next
  copy from the device. Zeros: memory of the device that who borrows it sets to zero again, in the last kernel that uses it, and then
  returns; what was not returned, after an error, is set to zero when it is borrowed again. None borrows it while another has it. Pieces: whether
  small ones are cut from slabs (not in debug builds, unless asked for), or the device is asked for each, so that whatever checks accesses knows its ends
*/
PETSC_INTERN PetscErrorCode AutoCSRDeviceAllocateScratch(size_t, cudaStream_t, void **);
PETSC_INTERN PetscErrorCode AutoCSRDeviceFreeScratch(void *, cudaStream_t);
PETSC_INTERN void           AutoCSRDeviceCutSlabs(PetscBool);
PETSC_INTERN PetscErrorCode AutoCSRDeviceFork(cudaStream_t *beside);
PETSC_INTERN PetscErrorCode AutoCSRDeviceJoin(void);
PETSC_INTERN PetscErrorCode AutoCSRDeviceGetMailbox(size_t, void **);
PETSC_INTERN PetscErrorCode AutoCSRDeviceFindMailbox(size_t, void **); /* NULL if there is no memory for it */
PETSC_INTERN PetscErrorCode AutoCSRDeviceBorrowZeros(size_t, void **);
PETSC_INTERN PetscErrorCode AutoCSRDeviceReturnZeros(void);
PETSC_INTERN PetscErrorCode AutoCSRDeviceSend(void *, const void *, size_t); /* to the device, on PETSc's stream, without waiting */

PETSC_INTERN PetscErrorCode AutoCSRDeviceProfile(const AutoCSRMatrix *, AutoCSRProfile *); /* profile.cu */

/* fingerprint.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceFingerprint(const AutoCSRMatrix *, AutoCSRFingerprint *);

/* bins.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceCountBins(const AutoCSRMatrix *, PetscInt, PetscInt, AutoCSRBins *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceNameBins(const AutoCSRMatrix *, PetscInt, PetscInt, const PetscBool[], PetscInt[]);
PETSC_INTERN PetscErrorCode AutoCSRDeviceNameRows(const AutoCSRMatrix *, PetscInt, PetscInt, PetscInt, const AutoCSRRowKind[]);

PETSC_INTERN PetscErrorCode AutoCSRDeviceDivide(const AutoCSRMatrix *, PetscInt, AutoCSRNearness, AutoCSRMatrix *);       /* divide.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceSortRows(AutoCSRSegment *, const AutoCSRMatrix *);                               /* sort.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceEncode(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);         /* encode.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceRefresh(AutoCSRPlan *, const AutoCSRMatrix *, PetscInt, PetscBool, PetscBool *); /* refresh.cu */

/* transpose.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceTranspose(const AutoCSRMatrix *, AutoCSRMatrix *, PetscInt **);
PETSC_INTERN PetscErrorCode AutoCSRDevicePermute(PetscInt, const PetscInt[], const PetscScalar[], PetscScalar[]);

#endif
