/*
  The entries of x that the off-diagonal block multiplies, exchanged while the diagonal block multiplies. For MPI without
  access to devices, where PETSc's own exchange is on the stream of the products: its copies wait for these, and these for
  it. On one node the devices write to each other's memory, and messages without content tell when; else entries pass
  through the host. An exchange stays with the star forest that says who needs what. With progressive planning it is set up
  once PETSc's scatters have taken as much longer as that will: the entries are the same either way, and so are the sums.
*/
#ifndef AUTOCSR_EXCHANGE_H
#define AUTOCSR_EXCHANGE_H

#include "mpiautocsr.h"

typedef struct _p_AutoCSRExchange AutoCSRExchange;

PETSC_INTERN PetscErrorCode AutoCSRExchangeGet(Mat, const AutoCSRSettings *, Vec x, AutoCSRExchange **); /* collective; NULL: it is PETSc's to do */
PETSC_INTERN PetscErrorCode AutoCSRExchangeIsSettled(Mat, PetscBool *);                                  /* PETSC_FALSE: it is PETSc's to do until products have paid for more */
PETSC_INTERN PetscErrorCode AutoCSRExchangeBegin(AutoCSRExchange *, Vec x);
PETSC_INTERN PetscErrorCode AutoCSRExchangeEnd(AutoCSRExchange *, Vec x, Vec *received); /* which belongs to the exchange */

#endif
