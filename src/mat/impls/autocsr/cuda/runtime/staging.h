/*
  Entries of a vector on their way between the devices of processes, beside the products: staging.cu. Messages are the
  caller's to send.
*/
#ifndef AUTOCSR_STAGING_H
#define AUTOCSR_STAGING_H

#include "../device.h"

/* A process that entries are sent to: those from begin on, and where they are written, in products of even and of odd number */
typedef struct {
  PetscScalar *to[2];
  PetscInt     begin, end;
  void        *opened; /* memory of its device, as it is seen from here */
} AutoCSRDevicePeer;

/* What another process needs to write to the memory of this one's device */
typedef struct {
  cudaIpcMemHandle_t handle;
  PetscInt           size; /* of the half for products of even number */
  PetscBool          there;
} AutoCSRDeviceOffer;

typedef struct {
  PetscInt           n_peers, n_send, n_receive, longest;
  AutoCSRDevicePeer *peer, *device_peer;
  PetscScalar       *send, *receive; /* on the host */
  PetscScalar       *landing;        /* on the device, where others write: twice n_receive */
  PetscInt          *index;          /* on the device: the entries that are sent */
  PetscScalar       *copy;           /* on the device: of a vector that is on the host */
  cudaStream_t       stream;
  cudaEvent_t        begun, packed, delivered;
  const char        *failed, *error; /* the call of Offer or Open that failed, and CUDA's name of its error; NULL: none */
} AutoCSRDeviceStaging;

/* After Create either UseHost, or Offer and Open for each process; then Ready. Close before others free what was opened */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingCreate(PetscInt n_peers, const PetscInt begin[], const PetscInt index[], PetscInt n_receive, AutoCSRDeviceStaging *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingOffer(AutoCSRDeviceStaging *, AutoCSRDeviceOffer *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingOpen(AutoCSRDeviceStaging *, PetscInt peer, const AutoCSRDeviceOffer *, PetscInt place, PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingUseHost(AutoCSRDeviceStaging *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingReady(AutoCSRDeviceStaging *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingClose(AutoCSRDeviceStaging *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingWithdraw(AutoCSRDeviceStaging *); /* what was offered, once nobody has it open */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingDestroy(AutoCSRDeviceStaging *);

/* In each product, in this order */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingWaitDelivered(const AutoCSRDeviceStaging *);                                                  /* through the host: it waits until `receive` has been read */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingPack(AutoCSRDeviceStaging *, int turn, PetscInt n, const PetscScalar x[], PetscBool on_host); /* x has n entries */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingWaitPacked(const AutoCSRDeviceStaging *);                                                     /* the host waits: the entries are written, and what was received before has been read */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingDeliver(AutoCSRDeviceStaging *, PetscScalar x[]);                                             /* through the host: `receive`, to the device; what PETSc's stream is given from now on waits for it */

#endif
