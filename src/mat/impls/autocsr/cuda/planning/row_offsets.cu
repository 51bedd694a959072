/*
  The offsets of all rows, where MATSEQAIJCUSPARSE has on the device those of the rows with entries alone: of matrices most of whose rows are empty,
  as graphs and the off-diagonal blocks of parallel matrices have them. PETSc would bring all of them there from memory that is not pinned, at some 9 GB/s: the longest
  step of planning. A bit for each row, whether it has entries, is a 32nd of that. The host looks at each row only where others near it have entries: offsets do not fall,
  so that rows are empty before and after which they are the same.

  The parent does not say whether its offsets are compressed. If they are, the offset after as many rows as have entries is the number of
  nonzeros. If they are not and it is that number all the same, both readings of the array agree.
*/
#include "../common/sums.cuh"
#include "../../profile/passes.h"

#define SAMPLES 64   /* rows that tell whether it is worth a look at all of them */
#define FAR     1024 /* rows that are passed over at once */

/* Most of the sample's rows are empty */
static PetscBool MostAreEmpty(PetscInt m, const PetscInt row_ptr[])
{
  PetscInt empty = 0;

  for (PetscInt s = 0; s < SAMPLES && m >= SAMPLES; s++) {
    const PetscInt row = AutoCSRSample(m, SAMPLES, s);

    empty += row_ptr[row + 1] == row_ptr[row];
  }
  return (PetscBool)(2 * empty > SAMPLES);
}

/* Of 32 rows the bits of those with entries */
static uint32_t BitsOf(const PetscInt row_ptr[])
{
  uint8_t  differs[32];
  uint32_t bits = 0;

  for (int l = 0; l < 32; l++) differs[l] = row_ptr[l + 1] != row_ptr[l];
  for (int o = 0; o < 32; o += 8) {
    uint64_t eight;

    memcpy(&eight, differs + o, sizeof(eight));
    bits |= (uint32_t)(eight * 0x0102040810204080ull >> 56) << o; /* the lowest bit of each byte, side by side */
  }
  return bits;
}

/* Sets the bits of rows with entries, and counts these */
static PetscInt MarkRows(PetscInt m, const PetscInt row_ptr[], uint32_t bits[])
{
  PetscInt n = 0;

  for (PetscInt far = 0; far < m; far += PetscMin(FAR, m - far)) {
    const PetscInt end = far + PetscMin(FAR, m - far);

    if (row_ptr[end] == row_ptr[far]) continue;
    for (PetscInt row = far; row < end; row += 32) {
      uint32_t word = 0;

      if (end - row >= 32)
        word = BitsOf(row_ptr + row);
      else
        for (PetscInt l = 0; l < end - row; l++) word |= (uint32_t)(row_ptr[row + l + 1] != row_ptr[row + l]) << l;
      bits[row / 32] = word;
      n += __builtin_popcount(word);
    }
  }
  return n;
}

static __global__ void __launch_bounds__(BLOCK) CountBits(PetscInt words, const uint32_t bits[], PetscInt before[])
{
  PtxWaitForLast();
  for (PetscInt64 w = FirstOfThread(); w <= words; w += StrideOfThreads()) before[w] = w < words ? __popc(bits[w]) : 0;
}

/* before: rows with entries before each word of bits, and all */
static __global__ void __launch_bounds__(BLOCK) Expand(PetscInt m, const uint32_t bits[], const PetscInt before[], const PetscInt offset[], PetscInt row_ptr[])
{
  PtxWaitForLast();
  for (PetscInt64 row = FirstOfThread(); row <= m; row += StrideOfThreads()) {
    const uint32_t below = row % 32 ? bits[row / 32] & ((1u << row % 32) - 1) : 0;

    row_ptr[row] = offset[before[row / 32] + __popc(below)];
  }
}

PetscErrorCode AutoCSRDeviceExpandRows(PetscInt m, const PetscInt host_row_ptr[], const PetscInt offset[], PetscInt **row_ptr)
{
  const PetscInt words = Pieces(m, 32);
  DeviceScratch  scratch[2];
  uint32_t      *host, *bits = NULL;
  PetscInt      *before, n, last;
  void          *data;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *row_ptr = NULL;
  if (!MostAreEmpty(m, host_row_ptr)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(words, &host));
  n    = MarkRows(m, host_row_ptr, host);
  ierr = AutoCSRDeviceToHost(&last, offset + n, sizeof(last)); /* there are as many at least, whatever rows they are of */
  if (!ierr && last == host_row_ptr[m]) ierr = scratch[0].Allocate((size_t)words, &bits);
  if (!ierr && last == host_row_ptr[m]) ierr = AutoCSRDeviceFromHost(bits, host, (size_t)words * sizeof(*host));
  PetscCall(PetscFree(host));
  PetscCall(ierr);
  if (last != host_row_ptr[m]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(scratch[1].Allocate((size_t)words + 1, &before));
  Launch(CountBits, GridOfThreads((PetscInt64)words + 1), BLOCK, 0, AUTOCSR_STREAM)(words, bits, before);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(words, before));
  PetscCall(AutoCSRDeviceAllocate(((size_t)m + 1) * sizeof(**row_ptr), &data));
  *row_ptr = (PetscInt *)data;
  Launch(Expand, GridOfThreads((PetscInt64)m + 1), BLOCK, 0, AUTOCSR_STREAM)(m, bits, before, offset, *row_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
