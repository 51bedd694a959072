/* What the C and the CUDA half of device_encoders.c call each other by */
#ifndef DEVICE_ENCODERS_H
#define DEVICE_ENCODERS_H

#include "../../src/mat/impls/autocsr/layout/block.h"
#include "../../src/mat/impls/autocsr/layout/layout.h"
#include "../../src/mat/impls/autocsr/layout/pattern.h"
#include "../../src/mat/impls/autocsr/layout/codes.h"
#include "../../src/mat/impls/autocsr/layout/sliced.h"
#include "../../src/mat/impls/autocsr/layout/work.h"

PETSC_EXTERN PetscErrorCode Encode_NVCC(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

#endif
