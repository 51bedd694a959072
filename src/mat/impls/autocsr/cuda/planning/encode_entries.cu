/*
  INDEX and VALUE: columns and values of the CSR, coded, in the order of the segment. In slices, a warp takes entries of 32
  rows through shared memory, 8 of each at a time: reads run along the rows, writes along the slice.
*/
#include "encode.cuh"
#include "../runtime/preload.h"

#define TILE 8    /* entries of each row that a warp turns around at once */
#define SPAN 1024 /* slots of a warp, at most; */
#define FEW  512  /* fewer where there would be less than so many blocks */

static constexpr int WARPS = BLOCK / WARP;

/* Where a warp copies values of a whole slice: its room has 27 doubles of each row */
static constexpr int WIDE_WARPS = 4, WIDE_TURNS = 2, WIDE_BYTES = 28 * WARP * 8;

static_assert(WARP * (TILE + 1) * sizeof(PetscScalar) <= WIDE_BYTES, "a tile fits in, too");

/* ---- The codings: From is what the CSR has, To what a stream has; base is the slice's */

struct CodeBase {
  static constexpr size_t shared = 1; /* bytes that a block keeps */

  __device__ __forceinline__ void Begin(const AutoCSRDictionary *, void *)
  {
  }
};

struct CodeIndex32 : CodeBase {
  typedef PetscInt From;
  typedef uint32_t To;

  __device__ __forceinline__ To operator()(From col, PetscInt) const
  {
    return (To)col;
  }
};

struct CodeIndex16 : CodeBase {
  typedef PetscInt From;
  typedef uint16_t To;

  __device__ __forceinline__ To operator()(From col, PetscInt base) const
  {
    return (To)(col - base);
  }
};

struct CodeCopy : CodeBase {
  typedef PetscScalar From;
  typedef PetscScalar To;

  __device__ __forceinline__ To operator()(From v, PetscInt) const
  {
    return v;
  }
};

struct CodeFloat32 : CodeBase {
  typedef PetscScalar From;
  typedef struct {
    float part[sizeof(PetscScalar) / sizeof(PetscReal)];
  } To;

  __device__ __forceinline__ To operator()(From v, PetscInt) const
  {
    To f;

    (void)AutoCSRFloatsFromScalar(&v, f.part);
    return f;
  }
};

struct CodeDictionary {
  typedef PetscScalar     From;
  typedef uint8_t         To;
  static constexpr size_t shared = sizeof(AutoCSRDictionary);
  AutoCSRDictionary      *own;

  __device__ __forceinline__ void Begin(const AutoCSRDictionary *dictionary, void *memory)
  {
    own = (AutoCSRDictionary *)memory;
    for (int i = (int)threadIdx.x; i < (int)(sizeof(*own) / sizeof(int)); i += BLOCK) ((int *)own)[i] = ((const int *)dictionary)[i];
    __syncthreads();
  }

  __device__ __forceinline__ To operator()(From v, PetscInt) const
  {
    unsigned slot;

    return (To)AutoCSRDictionaryFind(own, &v, &slot);
  }
};

/* What a slot holds that no entry is in */
template <typename Code>
static __device__ __forceinline__ typename Code::To PaddingOf(const AutoCSRSegment &seg)
{
  if constexpr (std::is_same<Code, CodeIndex32>::value)
    return AutoCSREncodePadding(&seg.axes);
  else
    return typename Code::To{};
}

/* ---- Order sliced */

/* A slice as a warp takes it: where it ends, and the lane's row. Its loads wait for nothing but ROWS, and nothing waits for them before they are used */
struct SliceRow {
  PetscInt stop, first, length, base;

  __device__ __forceinline__ void Load(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, PetscInt64 s, PetscInt64 k)
  {
    const PetscInt *bases = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BASE].data;

    stop = first = length = base = 0;
    if (s >= seg.n_slices) return;
    stop = ((const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data)[s + 1];
    base = bases ? bases[s] : 0;
    if (k < seg.n_rows) {
      const PetscInt row = AutoCSRSegmentRow(&seg, (PetscInt)k);

      first  = csr.row_ptr[row];
      length = csr.row_ptr[row + 1] - first;
    }
  }
};

/* The first slot of a warp. Blocks begin at the end: whoever has written the values has written the last ones last, and a product reads first what is written last here, so that a cache may still have both */
static __device__ __forceinline__ PetscInt64 FirstSlotOfWarp(int span)
{
  return ((PetscInt64)(gridDim.x - 1 - blockIdx.x) * WARPS + threadIdx.x / WARP) * span;
}

/* A multiple of what a warp turns around at once */
static int SpanOf(PetscInt slots)
{
  int span = SPAN;

  while (span > TILE * WARP && slots < (PetscInt64)FEW * WARPS * span) span /= 2;
  return span;
}

/* The slots [q, stop) of a slice that begins at `start`, by way of a warp's tile */
template <typename Code>
static __device__ __forceinline__ void TurnSlice(const AutoCSRSegment &seg, const Code &code, const SliceRow &row, PetscInt64 start, PetscInt64 q, PetscInt64 stop, const typename Code::From from[], typename Code::To to[], typename Code::To tile[])
{
  const int entry = Lane() % TILE, row_of_load = Lane() / TILE;

  for (; q < stop; q += TILE * WARP) {
    const PetscInt      t = (PetscInt)((q - start) / WARP), columns = (PetscInt)((stop - q) / WARP);
    typename Code::From read[TILE];
    unsigned            present = 0;

#pragma unroll
    for (int i = 0; i < TILE; i++) {
      const int      r      = i * (WARP / TILE) + row_of_load;
      const bool     exists = t + entry < __shfl_sync(ALL_LANES, row.length, r);
      const PetscInt at     = __shfl_sync(ALL_LANES, row.first, r) + t + entry;

      read[i] = LoadCachedIf(exists, from + at); /* the next tile reads the sectors that rows share */
      if (exists) present |= 1u << i;
    }
#pragma unroll
    for (int i = 0; i < TILE; i++) tile[(i * (WARP / TILE) + row_of_load) * (TILE + 1) + entry] = present >> i & 1 ? code(read[i], row.base) : PaddingOf<Code>(seg);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < TILE; i++) {
      if (i < columns) to[q + i * WARP + Lane()] = tile[Lane() * (TILE + 1) + i];
    }
    __syncwarp();
  }
}

template <typename Code>
static __global__ void __launch_bounds__(BLOCK, sizeof(typename Code::From) + sizeof(PetscInt) > 12 ? 4 : 5) EncodeSliced(AutoCSRSegment seg, AutoCSRMatrix csr, const typename Code::From from[], typename Code::To to[], PetscInt slots, int span, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  typedef typename Code::To To;
  __shared__ __align__(16) unsigned char memory[Code::shared];
  __shared__ __align__(16) unsigned char tiles[WARPS * WARP * (TILE + 1) * sizeof(To)];
  const PetscInt                        *slice_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscInt64                       begin = FirstSlotOfWarp(span), end = begin + span < slots ? begin + span : slots;
  Code                                   code;
  SliceRow                               now, next;

  code.Begin(dictionary, memory);
  if (begin >= slots) return;
  PetscInt64 s = WarpFindLast([=](PetscInt i) { return slice_ptr[i]; }, seg.n_slices, (PetscInt)begin), q = begin, start = slice_ptr[s];

  next.Load(seg, csr, s, s * WARP + Lane());
  while (q < end) {
    now = next;
    s++;
    next.Load(seg, csr, s, s * WARP + Lane());
    TurnSlice(seg, code, now, start, q, now.stop < end ? now.stop : end, from, to, (To *)tiles + threadIdx.x / WARP * (WARP * (TILE + 1)));
    q = start = now.stop;
  }
}

const void *const AutoCSREncodeKernel = (const void *)EncodeSliced<CodeIndex16>;

/*
  Values of wide slices of neighbouring rows: a warp's entries are copied as they lie, asynchronously and each sector once, and a lane takes its
  row from there. Rows of an odd length do not meet in the banks of shared memory; slices of others, and of too many entries, are turned around tile by tile
*/
static __global__ void __launch_bounds__(WIDE_WARPS *WARP) CopyWideSlices(AutoCSRSegment seg, AutoCSRMatrix csr, PetscScalar to[])
{
  PtxWaitForLast();
  __shared__ __align__(16) unsigned char rooms[WIDE_WARPS][WIDE_BYTES + 16];
  unsigned char                         *room  = rooms[threadIdx.x / WARP];
  const PetscInt64                       first = ((PetscInt64)(gridDim.x - 1 - blockIdx.x) * WIDE_WARPS + threadIdx.x / WARP) * WIDE_TURNS; /* as FirstSlotOfWarp() */
  const PetscInt64                       last  = first + WIDE_TURNS < seg.n_slices ? first + WIDE_TURNS : seg.n_slices;
  SliceRow                               now, next;

  if (first >= last) return;
  PetscInt64 q = ((const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data)[first];

  next.Load(seg, csr, first, first * WARP + Lane());
  for (PetscInt64 s = first; s < last; s++) {
    now                      = next;
    const PetscInt     begin = __shfl_sync(ALL_LANES, now.first, 0), entries = WarpMax(now.first + now.length) - begin;
    const bool         fits = (PetscInt64)entries * (PetscInt64)sizeof(PetscScalar) <= WIDE_BYTES && (now.stop - q) / WARP % 2;
    const int          lead = (int)((uintptr_t)(csr.val + begin) % 16), bytes = fits ? lead + (int)(entries * (PetscInt)sizeof(PetscScalar)) : 0;
    const char        *from = (const char *)(csr.val + begin) - lead;
    const PtxShared    at   = PtxSharedAddress(room);
    const PetscScalar *row  = (const PetscScalar *)(room + lead) + (now.first - begin);

    for (int o = Lane() * 16; o < bytes; o += WARP * 16) PtxCopyPart(at + o, from + o, bytes - o < 16 ? bytes - o : 16);
    if (s + 1 < last) next.Load(seg, csr, s + 1, (s + 1) * WARP + Lane());
    PtxWait();
    __syncwarp();
    if (fits) {
#pragma unroll 4
      for (PetscInt t = 0; t < (now.stop - q) / WARP; t++) {
        PetscScalar v = 0;

        if (t < now.length) v = row[t];
        to[q + (PetscInt64)t * WARP + Lane()] = v;
      }
    } else
      TurnSlice(seg, CodeCopy(), now, q, q, now.stop, csr.val, to, (PetscScalar *)room);
    __syncwarp();
    q = now.stop;
  }
}

/* Whether a segment's values are copied so */
static PetscBool AreWide(const AutoCSRSegment *seg, PetscInt slots)
{
  const AutoCSRAxes *a = &seg->axes;

  return (PetscBool)(a->order == AUTOCSR_ORDER_SLICED && a->value == AUTOCSR_VALUE_COPY && a->lanes == 1 && !seg->stream[AUTOCSR_STREAM_ROWS].data && slots / seg->n_slices > TILE * WARP);
}

/* Several lanes a row: neighbours in a row are neighbours in the slice */
template <typename Code>
static __global__ void __launch_bounds__(BLOCK) EncodeLanes(AutoCSRSegment seg, AutoCSRMatrix csr, const typename Code::From from[], typename Code::To to[], PetscInt slots, int span, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  __shared__ __align__(16) unsigned char memory[Code::shared];
  const PetscInt                        *slice_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscInt                         lanes = seg.axes.lanes, h = seg.axes.slice_height;
  const PetscInt64                       begin = FirstSlotOfWarp(span), end = begin + span < slots ? begin + span : slots;
  Code                                   code;
  SliceRow                               now, next;

  code.Begin(dictionary, memory);
  if (begin >= slots) return;
  PetscInt64 s = WarpFindLast([=](PetscInt i) { return slice_ptr[i]; }, seg.n_slices, (PetscInt)begin), q = begin, start = slice_ptr[s];

  next.Load(seg, csr, s, s * h + Lane() / lanes);
  while (q < end) {
    now = next;
    s++;
    next.Load(seg, csr, s, s * h + Lane() / lanes);
    for (const PetscInt64 stop = now.stop < end ? now.stop : end; q < stop; q += WARP) {
      const PetscInt t = (PetscInt)((q - start) / WARP) * lanes + Lane() % lanes;

      to[q + Lane()] = t < now.length ? code(from[now.first + t], now.base) : PaddingOf<Code>(seg);
    }
    q = start = now.stop;
  }
}

/* ---- Order csr: the entries as they lie */

template <typename Code>
static __global__ void __launch_bounds__(BLOCK) EncodeFlat(AutoCSRSegment seg, AutoCSRMatrix csr, const typename Code::From from[], typename Code::To to[], PetscInt slots, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  __shared__ __align__(16) unsigned char memory[Code::shared];
  const PetscInt                         begin = csr.row_ptr[seg.row_begin];
  Code                                   code;

  code.Begin(dictionary, memory);
  for (PetscInt64 q = FirstOfThread(); q < slots; q += StrideOfThreads()) to[q] = code(from[begin + q], 0);
}

/* A warp goes along as many entries as any other, through the slices or runs that they are in */
static __global__ void __launch_bounds__(BLOCK) EncodeFlat16(AutoCSRSegment seg, AutoCSRMatrix csr, uint16_t to[], PetscInt slots, int span)
{
  PtxWaitForLast();
  const PetscInt  *bases = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BASE].data, *row_ptr = csr.row_ptr + seg.row_begin, begin = row_ptr[0];
  const PetscInt   run   = AutoCSRAxesBaseEntries(&seg.axes);
  const auto       start = [=](PetscInt s) { return s == seg.n_slices ? slots : run ? s * run : row_ptr[s * WARP] - begin; };
  const PetscInt64 first = FirstOfThread() / WARP * span, end = first + span < slots ? first + span : slots;

  if (first >= slots) return;
  for (PetscInt64 q = first, s = WarpFindLast(start, seg.n_slices, (PetscInt)first); q < end; s++) {
    const PetscInt64 next = start((PetscInt)s + 1), stop = next < end ? next : end;
    const PetscInt   base = bases[s];

    for (PetscInt64 i = q + Lane(); i < stop; i += WARP) to[i] = (uint16_t)(csr.col[begin + i] - base);
    q = stop;
  }
}

template <typename Code>
static PetscErrorCode Encode(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const typename Code::From from[], AutoCSRStreamKind kind, PetscInt slots, const AutoCSRDictionary *dictionary)
{
  typename Code::To *to   = (typename Code::To *)seg->stream[kind].data;
  const int          span = SpanOf(slots);

  PetscFunctionBegin;
  if (seg->axes.order == AUTOCSR_ORDER_SLICED && seg->axes.lanes > 1)
    Launch(EncodeLanes<Code>, (unsigned)Pieces(slots, span * WARPS), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, from, to, slots, span, dictionary);
  else if (seg->axes.order == AUTOCSR_ORDER_SLICED)
    Launch(EncodeSliced<Code>, (unsigned)Pieces(slots, span * WARPS), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, from, to, slots, span, dictionary);
  else
    Launch(EncodeFlat<Code>, GridOf(Pieces(slots, BLOCK), 4096), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, from, to, slots, dictionary);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeIndex(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt slots)
{
  PetscFunctionBegin;
  if (!slots) PetscFunctionReturn(PETSC_SUCCESS);
  if (seg->axes.index == AUTOCSR_INDEX_32)
    PetscCall(Encode<CodeIndex32>(seg, csr, csr->col, AUTOCSR_STREAM_INDEX, slots, NULL));
  else if (seg->axes.order == AUTOCSR_ORDER_SLICED)
    PetscCall(Encode<CodeIndex16>(seg, csr, csr->col, AUTOCSR_STREAM_INDEX, slots, NULL));
  else {
    const int span = SpanOf(slots);

    Launch(EncodeFlat16, (unsigned)Pieces(slots, span * WARPS), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, (uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data, slots, span);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscInt slots)
{
  PetscFunctionBegin;
  if (!slots) PetscFunctionReturn(PETSC_SUCCESS);
  if (seg->axes.order == AUTOCSR_ORDER_BLOCKED)
    PetscCall(DeviceEncodeBlockValue(seg, csr));
  else if (AreWide(seg, slots)) {
    Launch(CopyWideSlices, (unsigned)Pieces(seg->n_slices, WIDE_WARPS * WIDE_TURNS), WIDE_WARPS * WARP, 0, AUTOCSR_STREAM)(*seg, *csr, (PetscScalar *)seg->stream[AUTOCSR_STREAM_VALUE].data);
    AutoCSRCallCUDA(cudaGetLastError());
  } else if (seg->axes.value == AUTOCSR_VALUE_COPY)
    PetscCall(Encode<CodeCopy>(seg, csr, csr->val, AUTOCSR_STREAM_VALUE, slots, NULL));
  else if (seg->axes.value == AUTOCSR_VALUE_FLOAT32)
    PetscCall(Encode<CodeFloat32>(seg, csr, csr->val, AUTOCSR_STREAM_VALUE, slots, NULL));
  else
    PetscCall(Encode<CodeDictionary>(seg, csr, csr->val, AUTOCSR_STREAM_VALUE, slots, dictionary));
  PetscFunctionReturn(PETSC_SUCCESS);
}
