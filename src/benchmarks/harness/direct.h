/* Products on a GPU without PETSc's types: cuSPARSE called directly, and the time that the bytes of a product take. */
#ifndef BENCH_DIRECT_H
#define BENCH_DIRECT_H

#include "bench.h"

extern const Direct Floor;
extern const Direct Cusparse[]; /* each algorithm for CSR without and with preprocess: default, 1, 2 */

/* cuSPARSE's SDDMM where a matrix has nonzeros, of dense matrices that lie on the device, column by column */
typedef struct _Sddmm *Sddmm;
PetscErrorCode         SddmmCreate(Mat A, Mat X, Mat Y, Sddmm *);
PetscErrorCode         SddmmApply(Sddmm);
PetscErrorCode         SddmmGet(Sddmm, PetscScalar[]); /* the values, on the host */
PetscErrorCode         SddmmDestroy(Sddmm *);

#endif
