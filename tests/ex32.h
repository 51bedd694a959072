/* What the C and the CUDA half of ex32 call each other by */
#ifndef EX32_H
#define EX32_H

#include "../src/mat/impls/autocsr/plan/encode.h"

PETSC_EXTERN PetscErrorCode Encode_NVCC(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);
PETSC_EXTERN PetscErrorCode Decode_NVCC(const AutoCSRSegment *, const AutoCSRMatrix *);

#endif
