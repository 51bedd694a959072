/*
  Vectors of PetscScalar for the kernel text: LANES scalars in one register of the instruction set that the file is
  compiled for, complex ones as two registers. GCC's vector extensions, so that any processor can compile it.
*/
#ifndef AUTOCSR_HOST_SIMD_H
#define AUTOCSR_HOST_SIMD_H

#include "../../plan/plan.h"
#if defined(__AVX512F__)
  #include <immintrin.h>
#endif

/* The text says what is a vector: the compiler's own vectors for loops of a few turns cost more than they give */
#pragma GCC optimize("no-tree-vectorize")

#define KERNEL static inline __attribute__((always_inline))

#if defined(__AVX512F__)
  #define SIMD_BYTES 64
#elif defined(__AVX2__)
  #define SIMD_BYTES 32
#else
  #define SIMD_BYTES 16
#endif

/* An octet: rows of a slice that a kernel takes at once, one lane each, in OCTET_VECTORS vectors */
#define OCTET 8

/* EACH_LANE(f) is f(0), f(1), ...: spelt out, because only then does the compiler build a vector without a detour through memory */
#if defined(PETSC_USE_REAL_SINGLE)
typedef int32_t LaneInt;
  #define LANES (SIMD_BYTES >= 32 ? 8 : 4)
#else
typedef int64_t LaneInt;
  #define LANES (SIMD_BYTES / 8)
#endif
#if SIMD_BYTES == 64 || (defined(PETSC_USE_REAL_SINGLE) && SIMD_BYTES == 32)
  #define EACH_LANE(f)                               \
    {                                                \
      f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7) \
    }
#elif SIMD_BYTES == 32 || defined(PETSC_USE_REAL_SINGLE)
  #define EACH_LANE(f)       \
    {                        \
      f(0), f(1), f(2), f(3) \
    }
#else
  #define EACH_LANE(f) \
    {                  \
      f(0), f(1)       \
    }
#endif
#define OCTET_VECTORS (OCTET / LANES)
#define UNROLL        _Pragma("GCC unroll 16")

typedef PetscReal RealVector __attribute__((vector_size(LANES * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));
typedef LaneInt   LaneMask __attribute__((vector_size(LANES * sizeof(PetscReal))));
typedef PetscInt  IntVector __attribute__((vector_size(LANES * sizeof(PetscInt)), aligned(sizeof(PetscInt)), may_alias));
typedef uint16_t  ShortVector __attribute__((vector_size(LANES * sizeof(uint16_t)), aligned(sizeof(uint16_t)), may_alias));
typedef float     FloatVector __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

typedef struct {
  RealVector re;
#if defined(PETSC_USE_COMPLEX)
  RealVector im;
#endif
} Vector;

KERNEL PetscScalar ScalarMake(PetscReal re, PetscReal im)
{
#if defined(PETSC_USE_COMPLEX)
  return __builtin_complex(re, im);
#else
  return re;
#endif
}

KERNEL PetscScalar ScalarMultiply(PetscScalar a, PetscScalar b)
{
#if defined(PETSC_USE_COMPLEX)
  return ScalarMake(PetscRealPart(a) * PetscRealPart(b) - PetscImaginaryPart(a) * PetscImaginaryPart(b), PetscRealPart(a) * PetscImaginaryPart(b) + PetscImaginaryPart(a) * PetscRealPart(b));
#else
  return a * b;
#endif
}

/* s + a b by components: no recovery of infinities as in C's own complex product, which is a function call */
KERNEL PetscScalar ScalarMultiplyAdd(PetscScalar s, PetscScalar a, PetscScalar b)
{
#if defined(PETSC_USE_COMPLEX)
  const PetscReal re = PetscRealPart(s) + PetscRealPart(a) * PetscRealPart(b) - PetscImaginaryPart(a) * PetscImaginaryPart(b);
  const PetscReal im = PetscImaginaryPart(s) + PetscRealPart(a) * PetscImaginaryPart(b) + PetscImaginaryPart(a) * PetscRealPart(b);

  return ScalarMake(re, im);
#else
  return s + a * b;
#endif
}

KERNEL Vector VectorMultiplyAdd(Vector s, Vector a, Vector b)
{
#if defined(PETSC_USE_COMPLEX)
  s.re = s.re + a.re * b.re - a.im * b.im;
  s.im = s.im + a.re * b.im + a.im * b.re;
#else
  s.re += a.re * b.re;
#endif
  return s;
}

KERNEL Vector VectorAdd(Vector a, Vector b)
{
  a.re += b.re;
#if defined(PETSC_USE_COMPLEX)
  a.im += b.im;
#endif
  return a;
}

KERNEL Vector VectorZero(void)
{
  return (Vector){.re = {0}};
}

/* The vector of scalar expressions f(0), f(1), ..., where f is a macro */
#if defined(PETSC_USE_COMPLEX)
  #define VECTOR_OF(v, f)                                              \
    do {                                                               \
      const PetscScalar lane_[] = EACH_LANE(f);                        \
      (v).re                    = (RealVector)EACH_LANE(VECTOR_OF_RE); \
      (v).im                    = (RealVector)EACH_LANE(VECTOR_OF_IM); \
    } while (0)
  #define VECTOR_OF_RE(l) PetscRealPart(lane_[l])
  #define VECTOR_OF_IM(l) PetscImaginaryPart(lane_[l])
#else
  #define VECTOR_OF(v, f) (v).re = (RealVector)EACH_LANE(f)
#endif

KERNEL Vector VectorOfOne(PetscScalar a)
{
#define ONE_LANE(l) a
  Vector v;

  VECTOR_OF(v, ONE_LANE);
#undef ONE_LANE
  return v;
}

KERNEL Vector VectorLoad(const PetscScalar *p)
{
  Vector v;
#if defined(PETSC_USE_COMPLEX)
  #define LOAD_LANE(l) p[l]
  VECTOR_OF(v, LOAD_LANE);
  #undef LOAD_LANE
#else
  v.re = *(const RealVector *)p;
#endif
  return v;
}

KERNEL Vector VectorLoadFloat(const float *p)
{
  Vector v;
#if defined(PETSC_USE_COMPLEX)
  #define LOAD_LANE(l) ScalarMake(p[2 * (l)], p[2 * (l) + 1])
  VECTOR_OF(v, LOAD_LANE);
  #undef LOAD_LANE
#else
  v.re = __builtin_convertvector(*(const FloatVector *)p, RealVector);
#endif
  return v;
}

KERNEL PetscScalar VectorLane(Vector v, int l)
{
#if defined(PETSC_USE_COMPLEX)
  return ScalarMake(v.re[l], v.im[l]);
#else
  return v.re[l];
#endif
}

KERNEL void VectorStore(PetscScalar *p, Vector v)
{
#if defined(PETSC_USE_COMPLEX)
  UNROLL
  for (int l = 0; l < LANES; l++) p[l] = VectorLane(v, l);
#else
  *(RealVector *)p = v.re;
#endif
}

/* Lanes pairwise */
KERNEL PetscReal RealSum(RealVector v)
{
  UNROLL
  for (int half = LANES / 2; half; half /= 2) {
#define UPPER(l) (LaneInt)((l) + half) % LANES
    v += __builtin_shuffle(v, (LaneMask)EACH_LANE(UPPER));
#undef UPPER
  }
  return v[0];
}

KERNEL PetscScalar VectorSum(Vector v)
{
#if defined(PETSC_USE_COMPLEX)
  return ScalarMake(RealSum(v.re), RealSum(v.im));
#else
  return RealSum(v.re);
#endif
}

KERNEL RealVector RealSelect(LaneMask mask, RealVector a, RealVector b)
{
  return (RealVector)(((LaneMask)a & mask) | ((LaneMask)b & ~mask));
}

/* a where the mask is set, b elsewhere: what a masked lane has read never reaches b */
KERNEL Vector VectorSelect(LaneMask mask, Vector a, Vector b)
{
  a.re = RealSelect(mask, a.re, b.re);
#if defined(PETSC_USE_COMPLEX)
  a.im = RealSelect(mask, a.im, b.im);
#endif
  return a;
}

/* By one instruction: the lanes whose row is longer than t */
#if SIMD_BYTES == 64 && !defined(PETSC_USE_REAL_SINGLE)
  #define HAS_LANES_LONGER
KERNEL __mmask8 LanesLonger(LaneMask length, LaneInt t)
{
  return _mm512_cmpgt_epi64_mask((__m512i)length, _mm512_set1_epi64(t));
}
#endif

/* a in these lanes, b elsewhere */
KERNEL Vector VectorSelectLonger(LaneMask length, LaneInt t, Vector a, Vector b)
{
#if defined(HAS_LANES_LONGER)
  const __mmask8 longer = LanesLonger(length, t);

  a.re = (RealVector)_mm512_mask_mov_pd((__m512d)b.re, longer, (__m512d)a.re);
  #if defined(PETSC_USE_COMPLEX)
  a.im = (RealVector)_mm512_mask_mov_pd((__m512d)b.im, longer, (__m512d)a.im);
  #endif
  return a;
#else
  return VectorSelect(length > t, a, b);
#endif
}

#endif
