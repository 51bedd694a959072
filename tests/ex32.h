/* What the C and the CUDA half of ex32 call each other by */
#ifndef EX32_H
#define EX32_H

#include "../src/mat/impls/autocsr/layout/block.h"
#include "../src/mat/impls/autocsr/layout/layout.h"
#include "../src/mat/impls/autocsr/layout/pattern.h"
#include "../src/mat/impls/autocsr/layout/codes.h"
#include "../src/mat/impls/autocsr/layout/sliced.h"
#include "../src/mat/impls/autocsr/layout/work.h"

PETSC_EXTERN PetscErrorCode Encode_NVCC(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

#endif
