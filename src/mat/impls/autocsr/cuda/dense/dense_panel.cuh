/* Panels: some columns of a dense matrix, copied row by row. A row is read by `lanes` lanes, each of which has UNIT neighbouring columns */
#ifndef AUTOCSR_DENSE_PANEL_CUH
#define AUTOCSR_DENSE_PANEL_CUH

#include "dense.cuh"

static constexpr int UNIT = sizeof(PetscScalar) < 16 ? 16 / (int)sizeof(PetscScalar) : 1; /* columns of a lane, which it loads at once */

/* What a lane has of a row of the panel */
struct alignas(16) DenseUnit {
  static constexpr int parts = UNIT * (int)(sizeof(PetscScalar) / sizeof(PetscReal));

  PetscReal part[parts];

  __device__ __forceinline__ void Zero()
  {
#pragma unroll
    for (int i = 0; i < parts; i++) part[i] = 0;
  }

  __device__ __forceinline__ PetscScalar Get(int u) const
  {
#if defined(PETSC_USE_COMPLEX)
    return PetscScalar(part[2 * u], part[2 * u + 1]);
#else
    return part[u];
#endif
  }

  __device__ __forceinline__ void Put(int u, PetscScalar s)
  {
#if defined(PETSC_USE_COMPLEX)
    part[2 * u]     = s.real();
    part[2 * u + 1] = s.imag();
#else
    part[u] = s;
#endif
  }

  __device__ __forceinline__ void AddProduct(PetscScalar a, const DenseUnit &b)
  {
#pragma unroll
    for (int u = 0; u < UNIT; u++) Put(u, MultiplyAdd(Get(u), a, b.Get(u)));
  }

  __device__ __forceinline__ void Add(const DenseUnit &b)
  {
#pragma unroll
    for (int i = 0; i < parts; i++) part[i] += b.part[i];
  }

  /* That of the lane so far away */
  __device__ __forceinline__ DenseUnit Across(int lanes) const
  {
    DenseUnit b;

#pragma unroll
    for (int i = 0; i < parts; i++) b.part[i] = __shfl_xor_sync(ALL_LANES, part[i], lanes);
    return b;
  }
};

static constexpr int PACKED = WARP; /* rows of a block */

/* Whether packing finds an Inf or a NaN: *where becomes `serial`. Asked by bundles alone */
struct PackFinite {
  unsigned *where, serial;

  __device__ __forceinline__ bool Is(PetscScalar s) const
  {
    const PetscReal *part   = (const PetscReal *)&s;
    bool             finite = true;

#pragma unroll
    for (size_t i = 0; i < sizeof(s) / sizeof(*part); i++) finite = finite && fabs(part[i]) <= PETSC_MAX_REAL;
    return finite || !where;
  }

  /* A thread, once */
  __device__ __forceinline__ void Tell(bool all) const
  {
    if (!all) atomicMax(where, serial);
  }
};

/* panel: B row by row, `width` columns of which those that are not there are zero */
template <int width>
static __global__ void __launch_bounds__(AUTOCSR_THREADS) PackDense(PetscInt n, PetscInt columns, PetscInt ldb, const PetscScalar B[], PetscScalar panel[], PackFinite finite)
{
  PtxWaitForLast();
  constexpr int group = width < WARP ? width : WARP; /* columns at a time */
  __shared__ __align__(16) unsigned char room[PACKED * (group + 1) * sizeof(PetscScalar)];
  PetscScalar                        (*tile)[group + 1] = (PetscScalar(*)[group + 1]) room;
  const PetscInt64                     first           = (PetscInt64)blockIdx.x * PACKED;
  bool                                 all             = true;

  for (int c = 0; c < width; c += group) {
    if (c) __syncthreads();
    for (int j = (int)threadIdx.x / PACKED; j < group; j += AUTOCSR_THREADS / PACKED) {
      const PetscInt64  i = first + threadIdx.x % PACKED;
      const PetscScalar b = i < n && c + j < columns ? LoadStream(B + i + (size_t)(c + j) * ldb) : PetscScalar(0);

      all = finite.Is(b) && all;
      tile[threadIdx.x % PACKED][j] = b;
    }
    __syncthreads();
    for (int k = (int)threadIdx.x / group; k < PACKED; k += AUTOCSR_THREADS / group) {
      if (first + k < n) panel[(size_t)(first + k) * width + c + threadIdx.x % group] = tile[k][threadIdx.x % group];
    }
  }
  finite.Tell(all);
}

/* The same where the rows of B lie side by side */
template <int width>
static __global__ void __launch_bounds__(AUTOCSR_THREADS) PackRows(PetscInt n, PetscInt columns, PetscInt ldb, const PetscScalar B[], PetscScalar panel[], PackFinite finite)
{
  PtxWaitForLast();
  const int        c     = (int)threadIdx.x % width;
  const PetscInt64 first = (PetscInt64)blockIdx.x * PACKED;
  bool             all   = true;

  for (int k = (int)threadIdx.x / width; k < PACKED && first + k < n; k += AUTOCSR_THREADS / width) {
    const PetscScalar b = c < columns ? LoadStream(B + (size_t)(first + k) * ldb + c) : PetscScalar(0);

    all = finite.Is(b) && all;
    panel[(size_t)(first + k) * width + c] = b;
  }
  finite.Tell(all);
}

template <int lanes>
static PetscErrorCode PackPanel(PetscInt n, PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscBool by_rows, PetscScalar panel[], PackFinite finite = {})
{
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(by_rows ? PackRows<lanes * UNIT> : PackDense<lanes * UNIT>, (unsigned)CeilDivide(n, PACKED), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(n, columns, ldb, B, panel, finite);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static constexpr int LEAST_LANES = 4, MOST_LANES = WARP;

/* As many as the columns that are left need; half of the most first where that leaves less than a quarter of them */
static int LanesFor(PetscInt columns)
{
  int lanes = LEAST_LANES;

  while (lanes < MOST_LANES && lanes * UNIT < columns) lanes *= 2;
  if (lanes == MOST_LANES && 4 * (PetscInt64)columns < 3 * (PetscInt64)lanes * UNIT) lanes /= 2;
  return lanes;
}

/* f(a type that names as many lanes): what is compiled for each number of them */
template <int n>
struct LanesOf {
  static constexpr int lanes = n;
};

template <typename F>
static inline PetscErrorCode WithLanes(int lanes, F f)
{
  static_assert(LEAST_LANES == 4 && MOST_LANES == 32, "these are all");
  switch (lanes) {
  case 4:
    return f(LanesOf<4>());
  case 8:
    return f(LanesOf<8>());
  case 16:
    return f(LanesOf<16>());
  default:
    return f(LanesOf<32>());
  }
}

static inline size_t PanelBytes(PetscInt n, PetscInt columns)
{
  return ((size_t)n * LanesFor(columns) * UNIT * sizeof(PetscScalar) + 255) / 256 * 256;
}

#endif
