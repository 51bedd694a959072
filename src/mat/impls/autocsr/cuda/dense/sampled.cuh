/* Parameters and sums of all kernels that sample dense matrices (sampled.cu, sampled_adaptive.cu, sampled_whole.cu) */
#ifndef AUTOCSR_SAMPLED_CUH
#define AUTOCSR_SAMPLED_CUH

#include "dense_panel.cuh"

static constexpr int TOGETHER = 4; /* entries of a lane, by panels */

struct SampledParameters : DenseParameters {
  const PetscScalar *X, *Y;
  const DenseUnit   *panel;
  size_t             ldx, ldy;
  PetscScalar       *sum, *written; /* sum: of each entry, over the columns of panels so far. What is written may be val */
  bool               first, last;

  /* The CSR's place of an entry */
  __device__ __forceinline__ PetscInt Place(PetscInt entry) const
  {
    return entry;
  }
};

/* By adaptive tiles: entries are places of these (layout/adaptive.h) */
struct SampledTiles : SampledParameters {
  AutoCSRSegment seg;

  __device__ __forceinline__ PetscInt Column(PetscInt entry) const
  {
    return (PetscInt)LoadStream((const uint32_t *)seg.stream[AUTOCSR_STREAM_INDEX].data + entry);
  }

  __device__ __forceinline__ PetscInt Place(PetscInt entry) const
  {
    return LoadStream((const PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_PLACE].data + entry);
  }
};

/* By components, as MultiplyAdd(), and no zero is added: a product may be a negative one */
static __device__ __forceinline__ PetscScalar Multiply(PetscScalar a, PetscScalar b)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
#else
  return a * b;
#endif
}

/* What a panel gives for an entry */
template <typename P>
static __device__ __forceinline__ void PutSampled(const P &p, PetscInt entry, PetscScalar s)
{
  if (!p.first) s = p.sum[entry] + s;
  if (p.last) {
    const PetscInt place = p.Place(entry);

    p.written[place] = Multiply(p.val[place], s);
  } else
    p.sum[entry] = s;
}

/* Two of them are added up across lanes that are `o` apart: those whose bit is set have the second sum from then on, the others the first */
static __device__ __forceinline__ PetscScalar AddAcross(PetscScalar a, PetscScalar b, int o)
{
  const bool second = threadIdx.x & o;

  return (second ? b : a) + ShuffleXor(second ? a : b, o);
}

/* Four sums, over all lanes: of a lane that of its number among four */
template <int lanes>
static __device__ __forceinline__ PetscScalar AddTogether(const PetscScalar sum[TOGETHER])
{
  static_assert(TOGETHER == 4, "of four sums a lane has one after two steps");
  PetscScalar s = AddAcross(AddAcross(sum[0], sum[1], 1), AddAcross(sum[2], sum[3], 1), 2);

#pragma unroll
  for (int o = TOGETHER; o < lanes; o *= 2) s += ShuffleXor(s, o);
  return s;
}

/* sampled_adaptive.cu: the entries in heavy tiles. The panel is of so many lanes */
PETSC_INTERN PetscErrorCode AutoCSRDeviceSampleDenseHeavy(int lanes, const SampledTiles *);

/* sampled_whole.cu: makes all of Y X^T, then each entry takes its own */
PETSC_INTERN PetscErrorCode AutoCSRDeviceSampleDenseWhole(AutoCSRDense *, const AutoCSRSampledOperands *);

#endif
