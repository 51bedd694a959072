/*
  What the kernels of products with dense matrices share (dense.cu, dense_columns.cu, in part sampled.cu): a block of threads takes a block of A's rows
  (plan/dense.h), whose entries go to shared memory; the sums over parts of a row that is cut are added by the block that comes last.
*/
#ifndef AUTOCSR_DENSE_CUH
#define AUTOCSR_DENSE_CUH

#include "../products/agent.cuh"
#include "../common/early.cuh"
#include "../planning/planner.h"

/* What goes with a launch: A, its blocks, and columns of dense matrices; */
struct DenseParameters {
  const PetscInt    *row_ptr, *col, *work;
  const PetscScalar *val;
  PetscInt           columns;

  __device__ __forceinline__ PetscInt Column(PetscInt place) const
  {
    return LoadStream(col + place);
  }
};

/* of a product, where it goes, too */
struct ProductParameters : DenseParameters {
  PetscScalar *C, *share; /* share: of each block, where rows are cut */
  unsigned    *arrived;
  PetscInt     ldc;
  bool         add;

  /* Whether nothing is to be written of a row */
  __device__ __forceinline__ bool Skips(PetscInt) const
  {
    return false;
  }

  /* The only sum of an entry of C */
  __device__ __forceinline__ void Put(PetscInt row, PetscInt column, PetscScalar sum) const
  {
    PetscScalar *c = C + row + (size_t)column * ldc;

    *c = add ? *c + sum : sum;
  }
};

/* A block of A: the rows [row, row + rows), the entries [entry, entry + count) */
struct DenseBlock {
  PetscInt row, entry;
  int      rows, count;
};

static __device__ __forceinline__ DenseBlock DenseBlockOf(const DenseParameters &p)
{
  const PetscInt *work = p.work + 2 * blockIdx.x;

  return {work[0], work[1], (int)(work[2] - work[0]), (int)(work[3] - work[1])};
}

/* Where its k-th row begins, and the one before it ends, counted from its first entry; of a row that is cut this may lie outside */
static __device__ __forceinline__ PetscInt RowBegin(const DenseParameters &p, const DenseBlock &b, int k)
{
  return LoadCached(p.row_ptr + b.row + k) - b.entry;
}

/* Scalars in shared memory, where complex ones could not be: they are initialized */
template <int most>
struct SharedScalars {
  PetscReal part[most][sizeof(PetscScalar) / sizeof(PetscReal)];

  __device__ __forceinline__ PetscScalar Get(int i) const
  {
#if defined(PETSC_USE_COMPLEX)
    return PetscScalar(part[i][0], part[i][1]);
#else
    return part[i][0];
#endif
  }

  __device__ __forceinline__ void Put(int i, PetscScalar s)
  {
    memcpy((void *)part[i], (const void *)&s, sizeof(s));
  }
};

/* A block's entries in shared memory */
template <int most>
struct DenseEntries {
  SharedScalars<most> val;
  PetscInt            col[most];
  int                 is_last;

  template <typename P>
  __device__ __forceinline__ void Load(const P &p, const DenseBlock &b)
  {
    for (int i = (int)threadIdx.x; i < b.count; i += AUTOCSR_THREADS) {
      const PetscScalar a = LoadStream(p.val + b.entry + i);

      col[i] = p.Column(b.entry + i);
      val.Put(i, a);
    }
    __syncthreads();
  }
};

/* The only row of a block, or the part of it that the block has, if it is cut */
struct DenseRow {
  PetscInt row, parts, first; /* first: the block of the first part */

  __device__ __forceinline__ DenseRow(const DenseParameters &p, const DenseBlock &b, PetscInt most)
  {
    const PetscInt begin = p.row_ptr[b.row], length = p.row_ptr[b.row + 1] - begin;

    row   = b.row;
    parts = length <= most ? 1 : CeilDivide(length, most);
    first = (PetscInt)blockIdx.x - (parts > 1 ? (b.entry - begin) / most : 0);
  }

  template <typename P>
  __device__ __forceinline__ void Put(const P &p, int column, PetscScalar sum) const
  {
    if (parts > 1)
      p.share[(size_t)blockIdx.x * p.columns + column] = sum;
    else
      p.Put(row, column, sum);
  }

  /* Once this block has put all of its sums: parts are added in their order by the block that comes last */
  template <typename P>
  __device__ __forceinline__ void Finish(const P &p, int *is_last) const
  {
    if (parts == 1) return;
    __syncthreads();
    if (threadIdx.x == 0) *is_last = CountArrival(&p.arrived[first]) == (unsigned)(parts - 1);
    __syncthreads();
    if (!*is_last) return;
    for (int j = (int)threadIdx.x; j < p.columns; j += AUTOCSR_THREADS) {
      PetscScalar sum = p.share[(size_t)first * p.columns + j];

      for (PetscInt i = 1; i < parts; i++) sum += p.share[(size_t)(first + i) * p.columns + j];
      p.Put(row, j, sum);
    }
    if (threadIdx.x == 0) p.arrived[first] = 0; /* for the next columns */
  }
};

/* Columns that go side by side where no panel is copied: with fewer A is read too often, more leave less of B in L2 */
static constexpr int DENSE_SWEEP = 32;

/* dense_adaptive.cu: makes adaptive tiles, if they are not there, and blocks of the entries in light ones; light: these, as a matrix */
PETSC_INTERN PetscErrorCode AutoCSRDenseFindLight(AutoCSRDense *, const AutoCSRMatrix *, AutoCSRMatrix *light);
/* The rows of row panels that have heavy tiles; if nothing is `light`, the others too, which are zero. The panel is of so many lanes */
PETSC_INTERN PetscErrorCode AutoCSRDeviceMultDenseHeavy(const AutoCSRSegment *, int lanes, const void *panel, PetscBool light, const ProductParameters *);

/* dense_bundled.cu: by bundles, which are made if they are not there; only where AUTOCSR_HAS_BUNDLES */
PETSC_INTERN PetscErrorCode AutoCSRDeviceMultDenseBundled(AutoCSRDense *, const AutoCSRDenseOperands *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceSampleDenseBundled(AutoCSRDense *, const AutoCSRSampledOperands *);

/* dense_columns.cu: p says all but C and its columns */
PETSC_INTERN PetscErrorCode AutoCSRDeviceMultDenseColumns(const AutoCSRDenseOperands *, PetscInt blocks, ProductParameters p);

#endif
