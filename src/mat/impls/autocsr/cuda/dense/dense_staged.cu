/*
  The heavy tiles of products with dense matrices on the device in two stages (hong2019, 4.3, Listing 2): while a block of threads
  multiplies a tile, the next one is copied to shared memory, its entries and the rows of B that it reads, and the map of the one after
  it is on its way to registers. A thread waits once a tile, for what was asked for a tile before. Sums stay in registers (dense_adaptive.cu).

  Rows of B come from the panel, or straight from its columns: then neighbouring threads copy the columns of neighbouring slots, which
  lie side by side where the columns of a tile are neighbours, and light entries read B as it lies, too (dense_columns.cu): no panel is copied.

  Bytes are those of dense_adaptive.cu. Straight, B costs no panel, and 32 for each sector and column of a heavy tile.
*/
#include "dense_tiles.cuh"

struct StagedParameters : ProductParameters {
  AutoCSRSegment     seg;
  const DenseUnit   *panel;
  const PetscScalar *B; /* in place of it */
  size_t             ldb;
  bool               light; /* there are light entries */
};

/* The rows of a panel by slot. A thread copies a unit of `mapped` of them */
template <int of_lanes>
struct RowsOfPanel {
  static constexpr int lanes = of_lanes, groups = AUTOCSR_THREADS / lanes, mapped = WIDTH / groups;

  alignas(16) DenseUnit unit[WIDTH][lanes];

  static __device__ __forceinline__ void Map(const PetscInt map[], PetscInt column[])
  {
#pragma unroll
    for (int k = 0; k < mapped; k++) column[k] = LoadCached(map + k * groups + (int)threadIdx.x / lanes);
  }

  __device__ __forceinline__ void Prepare(const StagedParameters &) { }

  __device__ __forceinline__ void Copy(const StagedParameters &p, const PetscInt column[])
  {
    const int lane = (int)threadIdx.x % lanes;

#pragma unroll
    for (int k = 0; k < mapped; k++) {
      if (column[k] != AUTOCSR_ADAPTIVE_NONE) PtxCopy<16>(PtxSharedAddress(&unit[k * groups + (int)threadIdx.x / lanes][lane]), p.panel + (size_t)column[k] * lanes + lane);
    }
  }

  __device__ __forceinline__ void AddProduct(DenseUnit &sum, PetscScalar a, int slot, int lane) const
  {
    sum.AddProduct(a, unit[slot][lane]);
  }

  /* The column that is part u of a lane's sum */
  static __device__ __forceinline__ int ColumnOf(int lane, int u)
  {
    return lane * UNIT + u;
  }
};

/* The same by column of B. Slot s of column j is s + j places away from its beginning, round about: threads that copy a column and lanes that read a row find other banks each */
template <int of_lanes>
struct RowsOfColumns {
  static constexpr int lanes = of_lanes, columns = lanes * UNIT, mapped = 1, at_once = AUTOCSR_THREADS / WIDTH;

  alignas(16) PetscReal part[columns][WIDTH][sizeof(PetscScalar) / sizeof(PetscReal)];

  static __device__ __forceinline__ void Map(const PetscInt map[], PetscInt column[])
  {
    column[0] = LoadCached(map + (int)threadIdx.x % WIDTH);
  }

  __device__ __forceinline__ PetscReal *At(int j, int slot)
  {
    return part[j][(slot + j) % WIDTH];
  }

  /* Columns that B lacks */
  __device__ __forceinline__ void Prepare(const StagedParameters &p)
  {
    const PetscScalar zero = 0;

    for (int i = (int)threadIdx.x + p.columns * WIDTH; i < columns * WIDTH; i += AUTOCSR_THREADS) memcpy((void *)part[i / WIDTH][i % WIDTH], (const void *)&zero, sizeof(zero));
  }

  __device__ __forceinline__ void Copy(const StagedParameters &p, const PetscInt column[])
  {
    const int slot = (int)threadIdx.x % WIDTH, first = (int)threadIdx.x / WIDTH;

    if (column[0] == AUTOCSR_ADAPTIVE_NONE) return;
#pragma unroll
    for (int k = 0; k < columns / at_once; k++) {
      const int j = first + k * at_once;

      if (j < p.columns) PtxCopy<sizeof(PetscScalar)>(PtxSharedAddress(At(j, slot)), p.B + column[0] + (size_t)j * p.ldb);
    }
  }

  __device__ __forceinline__ void AddProduct(DenseUnit &sum, PetscScalar a, int slot, int lane) const
  {
#pragma unroll
    for (int u = 0; u < UNIT; u++) {
      const int   j = ColumnOf(lane, u);
      PetscScalar b;

      memcpy((void *)&b, (const void *)part[j][(slot + j) % WIDTH], sizeof(b));
      sum.Put(u, MultiplyAdd(sum.Get(u), a, b));
    }
  }

  static __device__ __forceinline__ int ColumnOf(int lane, int u)
  {
    return u * lanes + lane;
  }
};

/* What is known of a tile before it is copied */
template <typename Rows>
struct TileAhead {
  PetscInt tile, column[Rows::mapped], begin, end;

  __device__ __forceinline__ void Look(const AutoCSRSegment &seg, PetscInt c)
  {
    const PetscInt *ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_TILE_ROW_PTR].data + (size_t)c * HEIGHT;

    tile  = c;
    begin = LoadCached(ptr);
    end   = LoadCached(ptr + HEIGHT);
    Rows::Map((const PetscInt *)seg.stream[AUTOCSR_STREAM_MAP].data + (size_t)c * WIDTH, column);
  }
};

/* A tile in shared memory: its rows of B, where its rows begin, and its first `most` entries; others are read where they lie */
template <typename Rows>
struct TileStage {
  static constexpr int most = Rows::lanes < WARP ? 512 : 256;

  Rows                              B;
  alignas(16) SharedScalars<most> value;
  uint32_t                          index[most];
  alignas(16) PetscInt ptr[HEIGHT + 1];

  __device__ __forceinline__ void Copy(const StagedParameters &p, const TileAhead<Rows> &ahead)
  {
    const PetscInt    *from  = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_TILE_ROW_PTR].data + (size_t)ahead.tile * HEIGHT;
    const uint32_t    *codes = (const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data + ahead.begin;
    const PetscScalar *a     = (const PetscScalar *)p.seg.stream[AUTOCSR_STREAM_VALUE].data + ahead.begin;
    const int          n     = ahead.end - ahead.begin < most ? (int)(ahead.end - ahead.begin) : most;

    B.Copy(p, ahead.column);
    if (threadIdx.x <= HEIGHT) PtxCopy<sizeof(PetscInt)>(PtxSharedAddress(&ptr[threadIdx.x]), from + threadIdx.x);
    for (int i = (int)threadIdx.x; i < n; i += AUTOCSR_THREADS) {
      PtxCopy<sizeof(PetscScalar)>(PtxSharedAddress(value.part[i]), a + i);
      PtxCopy<sizeof(uint32_t)>(PtxSharedAddress(&index[i]), codes + i);
    }
  }

  /* Adds the entries of the i-th row to a sum */
  __device__ __forceinline__ void AddRow(const StagedParameters &p, int i, int lane, DenseUnit &sum) const
  {
    const PetscInt first = ptr[0];
    int            q = (int)(ptr[i] - first), end = (int)(ptr[i + 1] - first), here = end < most ? end : most;

#pragma unroll 4
    for (; q < here; q++) B.AddProduct(sum, value.Get(q), (int)(index[q] % WIDTH), lane);
    for (; q < end; q++) B.AddProduct(sum, LoadCached((const PetscScalar *)p.seg.stream[AUTOCSR_STREAM_VALUE].data + first + q), (int)(LoadCached((const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data + first + q) % WIDTH), lane);
  }
};

template <typename Rows>
union StagedShared {
  TileStage<Rows> stage[2];
  PetscReal       sum[HEIGHT][(Rows::lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
};

/* Blocks that a multiprocessor of 228 KiB has room for, 1 KiB each of which is the system's, and no more than leave a thread 48 registers */
template <typename Rows>
static constexpr int residents = (228 << 10) / (sizeof(StagedShared<Rows>) + 1024) < 5 ? (int)((228 << 10) / (sizeof(StagedShared<Rows>) + 1024)) : 5;

template <typename Rows>
static __global__ void __launch_bounds__(AUTOCSR_THREADS, residents<Rows>) MultiplyStaged(StagedParameters p)
{
  PtxWaitForLast();
  constexpr int       lanes = Rows::lanes, groups = AUTOCSR_THREADS / lanes, rows = HEIGHT / groups;
  StagedShared<Rows> &shared = *(StagedShared<Rows> *)PtxDynamicShared();
  const PetscInt      panel = (PetscInt)blockIdx.x, *tile = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_PANEL_PTR].data + panel, begin = tile[0], end = tile[1];
  const int           lane = (int)threadIdx.x % lanes, group = (int)threadIdx.x / lanes;
  PetscInt            begin_row, end_row;
  TileAhead<Rows>     ahead;
  DenseUnit           sum[rows];

  static_assert(rows * groups == HEIGHT && AUTOCSR_THREADS % WIDTH == 0 && AUTOCSR_THREADS > HEIGHT, "every thread has as many rows and slots");
  if (p.light && begin == end) return;
  AutoCSRAdaptiveRows(&p.seg, panel, &begin_row, &end_row);
#pragma unroll
  for (int r = 0; r < rows; r++) sum[r].Zero();
  if (begin < end) {
    for (int s = 0; s < 2; s++) shared.stage[s].B.Prepare(p);
    ahead.Look(p.seg, begin);
    shared.stage[0].Copy(p, ahead);
    if (begin + 1 < end) ahead.Look(p.seg, begin + 1);
  }
  for (PetscInt c = begin; c < end; c++) {
    const TileStage<Rows> &here = shared.stage[(c - begin) % 2];

    PtxWait();
    __syncthreads(); /* the tile is there, and no thread reads the one before it any more */
    if (c + 1 < end) shared.stage[(c - begin + 1) % 2].Copy(p, ahead);
    if (c + 2 < end) ahead.Look(p.seg, c + 2);
#pragma unroll
    for (int r = 0; r < rows; r++) here.AddRow(p, r * groups + group, lane, sum[r]);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < rows; r++) {
#pragma unroll
    for (int u = 0; u < UNIT; u++) ((PetscScalar *)shared.sum[r * groups + group])[Rows::ColumnOf(lane, u)] = sum[r].Get(u);
  }
  __syncthreads();
  for (int j = (int)threadIdx.x / HEIGHT; j < p.columns; j += AUTOCSR_THREADS / HEIGHT) {
    const int i = (int)threadIdx.x % HEIGHT;

    if (begin_row + i < end_row) p.Put(p.seg.row_begin + begin_row + i, j, ((const PetscScalar *)shared.sum[i])[j]);
  }
}

template <typename Rows>
static PetscErrorCode LaunchStaged(const StagedParameters &p)
{
  const int shared = (int)sizeof(StagedShared<Rows>);

  PetscFunctionBegin;
  PetscCallCUDA(cudaFuncSetAttribute((const void *)MultiplyStaged<Rows>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  Launch(MultiplyStaged<Rows>, (unsigned)AutoCSRAdaptiveRowPanels(&p.seg), AUTOCSR_THREADS, (size_t)shared, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceMultDenseStaged(const AutoCSRSegment *tiles, int lanes, const void *panel, PetscBool light, const ProductParameters *product)
{
  StagedParameters p;

  PetscFunctionBegin;
  (ProductParameters &)p = *product;
  p.seg                  = *tiles;
  p.panel                = (const DenseUnit *)panel;
  p.B                    = NULL;
  p.ldb                  = 0;
  p.light                = light;
  PetscCall(WithLanes(lanes, [&](auto of) { return LaunchStaged<RowsOfPanel<decltype(of)::lanes>>(p); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceMultDenseStraight(const AutoCSRDenseOperands *op, const AutoCSRSegment *tiles, PetscInt blocks, const ProductParameters *product)
{
  constexpr int    most = MOST_LANES / 2; /* wider tiles leave room for too few blocks */
  StagedParameters p;

  PetscFunctionBegin;
  (ProductParameters &)p = *product;
  p.seg                  = *tiles;
  p.panel                = NULL;
  p.ldb                  = (size_t)op->ldb;
  p.light                = blocks > 0;
  for (PetscInt first = 0; first < op->columns && tiles->stream[AUTOCSR_STREAM_MAP].bytes; first += p.columns) {
    const int lanes = PetscMin(LanesFor(op->columns - first), most);

    p.columns = PetscMin(lanes * UNIT, op->columns - first);
    p.B       = op->B + first * p.ldb;
    p.C       = op->C + (size_t)first * op->ldc;
    PetscCall(WithLanes(lanes, [&](auto of) { return LaunchStaged<RowsOfColumns<decltype(of)::lanes < most ? decltype(of)::lanes : most>>(p); }));
  }
  if (blocks > 0) PetscCall(AutoCSRDeviceMultDenseColumns(op, blocks, tiles, *product));
  PetscFunctionReturn(PETSC_SUCCESS);
}
