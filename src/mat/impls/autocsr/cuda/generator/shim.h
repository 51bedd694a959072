/*
  Stands in for PETSc's and the system's headers when NVRTC compiles agents. source.c puts the macros that depend on the build
  before it: PETSC_USE_64BIT_INDICES, PETSC_USE_COMPLEX, PETSC_USE_REAL_SINGLE or PETSC_USE_REAL_DOUBLE.
*/
#ifndef AUTOCSR_SHIM_H
#define AUTOCSR_SHIM_H

typedef signed char        int8_t;
typedef short              int16_t;
typedef int                int32_t;
typedef long long          int64_t;
typedef unsigned char      uint8_t;
typedef unsigned short     uint16_t;
typedef unsigned           uint32_t;
typedef unsigned long long uint64_t, uintptr_t;

typedef int64_t PetscInt64;
#if defined(PETSC_USE_64BIT_INDICES)
typedef int64_t PetscInt;
  #define PETSC_MAX_INT 9223372036854775807ll
#else
typedef int PetscInt;
  #define PETSC_MAX_INT 2147483647
#endif
#if defined(PETSC_USE_REAL_SINGLE)
typedef float PetscReal;
#else
typedef double PetscReal;
#endif
typedef bool PetscBool;
typedef int  PetscErrorCode;

#if defined(PETSC_USE_COMPLEX)
/* As PETSc's type of the device lies in memory; products are the agents' own (MultiplyAdd()) */
struct alignas(2 * sizeof(PetscReal)) PetscScalar {
  PetscReal re, im;

  PetscScalar() = default;
  __host__ __device__ __forceinline__ constexpr PetscScalar(PetscReal a, PetscReal b = 0) : re(a), im(b) { }
  __host__ __device__ __forceinline__ PetscReal real() const { return re; }
  __host__ __device__ __forceinline__ PetscReal imag() const { return im; }
  __host__ __device__ __forceinline__ PetscScalar &operator+=(const PetscScalar &b)
  {
    re += b.re;
    im += b.im;
    return *this;
  }
};
static __host__ __device__ __forceinline__ PetscScalar operator+(PetscScalar a, const PetscScalar &b)
{
  return a += b;
}
#else
typedef PetscReal PetscScalar;
#endif

#ifndef NULL
  #define NULL 0
#endif
/* Types of other layouts: a segment only has pointers to them */
struct AutoCSRFit;
struct AutoCSRSliceFit;
struct AutoCSRTiledItem;
struct AutoCSRPropagatePart;

#define PETSC_TRUE      true
#define PETSC_FALSE     false
#define PetscMin(a, b)  ((a) < (b) ? (a) : (b))
#define PetscMax(a, b)  ((a) < (b) ? (b) : (a))
#define AUTOCSR_HD      static __host__ __device__ __forceinline__

#endif
