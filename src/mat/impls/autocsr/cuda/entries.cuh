/* One entry of a segment as the device reads it: its column and its value, by the codings (plan.h, Streams) */
#ifndef AUTOCSR_ENTRIES_CUH
#define AUTOCSR_ENTRIES_CUH

#include "agent.cuh"

/* Where the entries of one row are; entry t is in slot q of INDEX and VALUE (t and q differ by more than a constant in slices) */
typedef struct {
  const void        *index, *value; /* of the segment */
  const PetscInt    *offset;        /* of the row's pattern */
  const PetscScalar *dictionary;
  PetscInt           shift; /* what is added to a code: BASE, or the row */
} DeviceEntries;

/* The column of entry t, in slot q */
template <AutoCSRIndex index>
static __device__ __forceinline__ PetscInt EntryColumn(const DeviceEntries &e, PetscInt q, PetscInt t)
{
  if constexpr (index == AUTOCSR_INDEX_PATTERN)
    return e.shift + LoadCached(e.offset + t);
  else if constexpr (index == AUTOCSR_INDEX_16)
    return e.shift + LoadStream((const uint16_t *)e.index + q);
  else
    return (PetscInt)LoadStream((const uint32_t *)e.index + q);
}

/* The value in slot q. Its code first: what a dictionary makes of it does not hold up the loads of others */
template <AutoCSRValue value>
struct EntryCode;
template <>
struct EntryCode<AUTOCSR_VALUE_COPY> {
  PetscScalar code;

  __device__ __forceinline__ void Load(const DeviceEntries &e, PetscInt q)
  {
    code = LoadStream((const PetscScalar *)e.value + q);
  }
  __device__ __forceinline__ PetscScalar Value(const DeviceEntries &) const
  {
    return code;
  }
};
template <>
struct EntryCode<AUTOCSR_VALUE_DICTIONARY> {
  unsigned char code;

  __device__ __forceinline__ void Load(const DeviceEntries &e, PetscInt q)
  {
    code = LoadStream((const unsigned char *)e.value + q);
  }
  __device__ __forceinline__ PetscScalar Value(const DeviceEntries &e) const
  {
    return LoadCached(e.dictionary + code);
  }
};
template <>
struct EntryCode<AUTOCSR_VALUE_FLOAT32> {
  typedef struct {
    float part[sizeof(PetscScalar) / sizeof(PetscReal)];
  } Floats;
  Floats code;

  __device__ __forceinline__ void Load(const DeviceEntries &e, PetscInt q)
  {
    code = LoadStream((const Floats *)e.value + q);
  }
  __device__ __forceinline__ PetscScalar Value(const DeviceEntries &) const
  {
#if defined(PETSC_USE_COMPLEX)
    return PetscScalar(code.part[0], code.part[1]);
#else
    return code.part[0];
#endif
  }
};

#endif
