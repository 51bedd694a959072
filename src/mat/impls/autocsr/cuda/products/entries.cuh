/*
  One entry of a segment as the device reads it: its column and its value, by the codings (layout/segment.h, Streams).

  Value coding `constant`: kernels multiply each entry by the constant, not the sum at the end. A sum of x may overflow
  where the sum of the products does not. A product in place then reads 4 bytes an entry instead of 12 (real double,
  32-bit columns), slices 2 or 4, column tiles 2 and a bit.
*/
#ifndef AUTOCSR_ENTRIES_CUH
#define AUTOCSR_ENTRIES_CUH

#include "agent.cuh"

/* Where the entries of a row are */
typedef struct {
  const void        *index, *value; /* of slot 0 */
  const PetscInt    *offset;        /* of the row's pattern, of entry 0 */
  const PetscScalar *dictionary;
  const PetscScalar *x; /* what codes of columns count from: BASE, or the row */
  PetscScalar        constant; /* of all entries */
} DeviceEntries;

/* The code of the column of entry t, in slot q */
template <AutoCSRIndex index>
static __device__ __forceinline__ PetscInt EntryColumn(const DeviceEntries &e, PetscInt q, PetscInt t)
{
  if constexpr (index == AUTOCSR_INDEX_PATTERN)
    return LoadCached(e.offset + t);
  else if constexpr (index == AUTOCSR_INDEX_16)
    return LoadStream((const uint16_t *)e.index + q);
  else
    return (PetscInt)LoadStream((const uint32_t *)e.index + q);
}

template <AutoCSRIndex index>
static __device__ __forceinline__ PetscInt EntryColumnIf(bool exists, const DeviceEntries &e, PetscInt q, PetscInt t)
{
  if constexpr (index == AUTOCSR_INDEX_PATTERN)
    return LoadCachedIf(exists, e.offset + t);
  else if constexpr (index == AUTOCSR_INDEX_16)
    return LoadStreamIf(exists, (const uint16_t *)e.index + q);
  else
    return (PetscInt)LoadStreamIf(exists, (const uint32_t *)e.index + q);
}

/* The value in slot q: its code, and what the code means. Apart, so that a dictionary does not hold up the loads of codes */
template <AutoCSRValue value>
struct EntryCode {
  PetscScalar code;

  __device__ __forceinline__ void Load(const DeviceEntries &e, PetscInt q)
  {
    code = LoadStream((const PetscScalar *)e.value + q);
  }
  __device__ __forceinline__ void LoadIf(bool exists, const DeviceEntries &e, PetscInt q)
  {
    code = LoadStreamIf(exists, (const PetscScalar *)e.value + q);
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
  __device__ __forceinline__ void LoadIf(bool exists, const DeviceEntries &e, PetscInt q)
  {
    code = LoadStreamIf(exists, (const unsigned char *)e.value + q);
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
  __device__ __forceinline__ void LoadIf(bool exists, const DeviceEntries &e, PetscInt q)
  {
    code = LoadStreamIf(exists, (const Floats *)e.value + q);
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

/* No code: one value is all that there is, and in a register */
template <>
struct EntryCode<AUTOCSR_VALUE_CONSTANT> {
  unsigned char code;

  __device__ __forceinline__ void Load(const DeviceEntries &, PetscInt) { }
  __device__ __forceinline__ void LoadIf(bool, const DeviceEntries &, PetscInt) { }
  __device__ __forceinline__ PetscScalar Value(const DeviceEntries &e) const
  {
    return e.constant;
  }
};

template <AutoCSRValue value>
static __device__ __forceinline__ PetscScalar ConstantOf(const AutoCSRDeviceSegment &seg)
{
  if constexpr (value == AUTOCSR_VALUE_CONSTANT)
    return LoadCached(seg.dictionary);
  else
    return 0;
}

/* The same entries, `slots` slots and `entries` entries on */
template <AutoCSRIndex index, AutoCSRValue value>
static __device__ __forceinline__ void AdvanceEntries(DeviceEntries *e, PetscInt slots, PetscInt entries)
{
  if constexpr (index == AUTOCSR_INDEX_PATTERN)
    e->offset += entries;
  else if constexpr (index == AUTOCSR_INDEX_16)
    e->index = (const uint16_t *)e->index + slots;
  else
    e->index = (const uint32_t *)e->index + slots;
  if constexpr (value != AUTOCSR_VALUE_CONSTANT) e->value = (const EntryCode<value> *)e->value + slots;
}

#endif
