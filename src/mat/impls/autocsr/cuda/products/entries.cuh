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
  else if constexpr (index == AUTOCSR_INDEX_CSR)
    return LoadStreamIf(exists, (const PetscInt *)e.index + q);
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
#if defined(AGENT_CONSTANT)
  return AGENT_CONSTANT;
#else
  if constexpr (value == AUTOCSR_VALUE_CONSTANT)
    return LoadCached(seg.dictionary);
  else
    return 0;
#endif
}

/*
  A thread block takes at most `share` entries in the CSR's order, from the segment's q-th on, which is entry p of the CSR. A thread's
  first entry is that of its number. 16-bit columns count from the BASE of their share of `share` entries; a thread block meets two shares at most
*/
template <AutoCSRIndex index, AutoCSRValue value, int share>
struct FlatEntries {
  static constexpr bool     in_place = index == AUTOCSR_INDEX_CSR && (value == AUTOCSR_VALUE_CSR || value == AUTOCSR_VALUE_CONSTANT);
  typedef EntryCode<value> Code;

  DeviceEntries entries;
  PetscInt      first, second; /* bases */
  int           split;         /* of the block's entries, the first that counts from the second */

  __device__ __forceinline__ void Begin(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt q, PetscInt p)
  {
    if constexpr (index == AUTOCSR_INDEX_16) {
      const PetscInt s = q / share;

      first         = LoadCached(seg.base + s);
      second        = LoadCachedIf(s + 1 < seg.n_slices, seg.base + s + 1);
      split         = (int)(share - q % share);
      entries.index = (const uint16_t *)seg.index + q + threadIdx.x;
    } else
      entries.index = op.col + p + threadIdx.x;
    if constexpr (value == AUTOCSR_VALUE_CSR)
      entries.value = op.val + p + threadIdx.x;
    else if constexpr (value != AUTOCSR_VALUE_CONSTANT)
      entries.value = (const Code *)seg.value + q + threadIdx.x;
    entries.dictionary = seg.dictionary;
    entries.constant   = ConstantOf<value>(seg);
  }

  /* The code of a column, `after` entries after the thread's first */
  __device__ __forceinline__ PetscInt ColumnIf(bool exists, int after) const
  {
    return EntryColumnIf<index>(exists, entries, after, 0);
  }

  /* The column from which the code of an entry counts */
  __device__ __forceinline__ PetscInt Base(int after) const
  {
    if constexpr (index == AUTOCSR_INDEX_16)
      return after + (int)threadIdx.x < split ? first : second;
    else
      return 0;
  }

  __device__ __forceinline__ void LoadIf(bool exists, int after, Code *code) const
  {
    code->LoadIf(exists, entries, after);
  }

  /* Zero where there is no entry: the first of a dictionary, and a constant, may not be finite */
  __device__ __forceinline__ PetscScalar ValueIf(bool exists, const Code &code) const
  {
    if constexpr (value == AUTOCSR_VALUE_DICTIONARY || value == AUTOCSR_VALUE_CONSTANT)
      return exists ? code.Value(entries) : (PetscScalar)0;
    else
      return code.Value(entries);
  }
};

/* The place in the CSR of the segment's first entry; 0 if columns and values are read in place */
template <AutoCSRIndex index, AutoCSRValue value>
static __device__ __forceinline__ PetscInt FirstEntryOf(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op)
{
  if constexpr (FlatEntries<index, value, 1>::in_place)
    return 0;
  else
    return seg.row_begin ? LoadCached(op.row_ptr + seg.row_begin) : 0;
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
