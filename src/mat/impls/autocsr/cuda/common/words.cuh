/* Loads of values of any type, as words: ptx.cuh */
#ifndef AUTOCSR_WORDS_CUH
#define AUTOCSR_WORDS_CUH

#include "ptx.cuh"
#include <string.h>

template <int bytes>
struct StreamWord;
template <>
struct StreamWord<1> {
  typedef unsigned char type;
};
template <>
struct StreamWord<2> {
  typedef unsigned short type;
};
template <>
struct StreamWord<4> {
  typedef unsigned int type;
};
template <>
struct StreamWord<8> {
  typedef unsigned long long type;
};
template <>
struct StreamWord<16> {
  typedef ulonglong2 type;
};

/* A load of what is read once: not kept in L1, where x is */
template <typename T>
static __device__ __forceinline__ T LoadStream(const T *p)
{
  const auto w = PtxLoadStream((const typename StreamWord<sizeof(T)>::type *)p);
  T          v;

  memcpy((void *)&v, &w, sizeof(v));
  return v;
}

/* A load of what others will read again: entries of x, row offsets, dictionaries */
template <typename T>
static __device__ __forceinline__ T LoadCached(const T *p)
{
  typename StreamWord<sizeof(T)>::type w = __ldg((const typename StreamWord<sizeof(T)>::type *)p);
  T                                    v;

  memcpy((void *)&v, &w, sizeof(v));
  return v;
}

/* Loads of entries that may not exist: nothing is read then, and no load waits for the one before (ptx.cuh) */
template <typename T>
static __device__ __forceinline__ T LoadStreamIf(bool exists, const T *p)
{
  const auto w = PtxLoadStreamIf(exists, (const typename StreamWord<sizeof(T)>::type *)p);
  T          v;

  memcpy((void *)&v, &w, sizeof(v));
  return v;
}

template <typename T>
static __device__ __forceinline__ T LoadCachedIf(bool exists, const T *p)
{
  const auto w = PtxLoadCachedIf(exists, (const typename StreamWord<sizeof(T)>::type *)p);
  T          v;

  memcpy((void *)&v, &w, sizeof(v));
  return v;
}

#endif
