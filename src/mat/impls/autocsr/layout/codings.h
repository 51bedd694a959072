/*
  The codings for which the host and the device have kernels: lists for their tables of executors, and the names of codings in an executor's name.
*/
#ifndef AUTOCSR_CODINGS_H
#define AUTOCSR_CODINGS_H

#define NAME_CSR        "csr"
#define NAME_32         "32"
#define NAME_16         "16"
#define NAME_PATTERN    "pattern"
#define NAME_FITTED     "fitted"
#define NAME_COPY       "copy"
#define NAME_DICTIONARY "dictionary"
#define NAME_FLOAT32    "float32"
#define NAME_CONSTANT   "constant"

/* Where PetscScalar is single, float32 narrows nothing */
#if defined(PETSC_USE_REAL_SINGLE)
  #define EACH_FLOAT32(...)
#else
  #define EACH_FLOAT32(...) __VA_ARGS__
#endif

/* do(arguments, coding) for each value coding of entries in the CSR's order, and of entries in an order of the segment's own */
/* clang-format off */
#define EACH_IN_PLACE(do, ...) do(__VA_ARGS__, CSR) do(__VA_ARGS__, DICTIONARY) EACH_FLOAT32(do(__VA_ARGS__, FLOAT32))
#define EACH_STORED(do, ...)   do(__VA_ARGS__, COPY) do(__VA_ARGS__, DICTIONARY) EACH_FLOAT32(do(__VA_ARGS__, FLOAT32))
/* clang-format on */

#endif
