static char help[] = "The emulator that kernels run on: what is right gives right results, and each kind of fault is found and named.\n\n";

#include <petscdevice_cuda.h>
#include "../emulator/control.h"
#include "../emulator/device.h"
#include <string>

static constexpr unsigned ALL = 0xffffffffu;

#define THREADS 64

static inline int Lane()
{
  return (int)threadIdx.x % 32;
}

/* ---- What is right */

static void Shuffles(int *out)
{
  const int t = (int)threadIdx.x, lane = Lane(), up = __shfl_up_sync(ALL, t, 1), down = __shfl_down_sync(ALL, t, 3, 8), from = __shfl_sync(ALL, t, 5);
  double    sum = t;

  for (int half = 16; half; half /= 2) sum += __shfl_xor_sync(ALL, sum, half);
  out[t] = up == (lane ? t - 1 : t) && down == (lane % 8 + 3 < 8 ? t + 3 : t) && from == t - lane + 5 && sum == 32 * (t - lane) + 496;
}

static void Votes(int *out)
{
  const int t = (int)threadIdx.x, lane = Lane();

  out[t] = __ballot_sync(ALL, lane % 3 == 0) == 0x49249249u && __any_sync(ALL, lane == 7) && !__all_sync(ALL, lane != 7) && __match_any_sync(ALL, lane % 2) == (lane % 2 ? 0xaaaaaaaau : 0x55555555u) && __reduce_max_sync(ALL, lane - 40) == -9 && __reduce_min_sync(ALL, lane - 40) == -40 && __reduce_add_sync(ALL, (unsigned)lane) == 496;
}

static void Barriers(int *out)
{
  __shared__ int of_block[THREADS], of_warp[THREADS];
  const int      t = (int)threadIdx.x;

  of_block[t] = t;
  __syncthreads();
  of_warp[t] = of_block[THREADS - 1 - t];
  __syncwarp();
  out[t] = of_warp[t ^ 31] == THREADS - 1 - (t ^ 31);
  __syncthreads();
  if (t % 2) of_block[7] = 3; /* one value by several threads */
}

/* The block that comes last adds what all have left; 4 blocks of one value each */
static void Counters(int *out, int *share, unsigned *arrived)
{
  __shared__ int is_last;
  int            sum = 0;

  if (threadIdx.x % 2) share[blockIdx.x * THREADS + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) is_last = PtxCount(arrived) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  for (unsigned b = 0; b < gridDim.x; b++) sum += share[b * THREADS + (threadIdx.x | 1)];
  out[threadIdx.x] = sum == (int)gridDim.x;
  if (threadIdx.x == 0) *arrived = 0;
}

static void Copies(int *out, const int *in)
{
  PtxShared to = PtxSharedAddress(PtxDynamicShared());

  if (threadIdx.x < THREADS / 4) PtxCopyPart(to + 16 * threadIdx.x, in + 4 * threadIdx.x, threadIdx.x == THREADS / 4 - 1 ? 12 : 16);
  PtxWait();
  __syncthreads();
  out[threadIdx.x] = !threadIdx.x || ((int *)PtxDynamicShared())[THREADS - 1 - threadIdx.x] == THREADS - 1 - (int)threadIdx.x; /* the last word is not copied */
}

/* ---- What is wrong */

static void ShuffleBehindAnd(int *out)
{
  const bool low = Lane() < 3 && __shfl_sync(ALL, 1, 0);

  out[threadIdx.x] = low;
}

static void BranchesWithShuffles(int *out)
{
  int v = 1;

  if (Lane() % 2)
    v = __shfl_xor_sync(ALL, 2, 1);
  else
    v += __shfl_xor_sync(ALL, 3, 1);
  out[threadIdx.x] = v;
}

static void OtherOperations(int *out)
{
  out[threadIdx.x] = Lane() < 16 ? __any_sync(ALL, 1) : __all_sync(ALL, 1);
}

static void ExitBeforeBarrier(int *out)
{
  if (threadIdx.x == 5) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

static void BarrierOfHalf(int *out)
{
  if (threadIdx.x < 32)
    __syncthreads();
  else
    out[threadIdx.x] = 1;
}

static void BarrierAndShuffle(int *out)
{
  if (Lane() == 3)
    __syncthreads();
  else
    out[threadIdx.x] = __shfl_sync(ALL, 1, 0);
}

static void NotInMask(int *out)
{
  out[threadIdx.x] = __shfl_sync(0xffffu, 1, 0);
}

static void PartsOfWarps(int *out)
{
  const unsigned mask[] = {0x3u, 0x6u, 0x5u};

  if (Lane() < 3) out[threadIdx.x] = (int)EmulatorMeet(6, mask[Lane()], 1, 0, 0);
}

static void NoBarrier(int *out)
{
  __shared__ int v[THREADS];

  v[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = v[THREADS - 1 - threadIdx.x];
}

static void NoWarpBarrier(int *out)
{
  __shared__ int v[THREADS];

  v[threadIdx.x] = 1;
  (void)__shfl_sync(ALL, 1, 0); /* orders nothing */
  out[threadIdx.x] = v[threadIdx.x ^ 1];
}

static void WrittenBeforeAllHaveRead(int *out)
{
  __shared__ int v[THREADS];

  for (int i = 0; i < 2; i++) {
    v[threadIdx.x] = i;
    __syncthreads();
    out[threadIdx.x] = v[threadIdx.x ^ 32];
  }
}

static void OtherValues(int *out)
{
  out[0] = (int)threadIdx.x;
}

static void BlocksMeet(int *out)
{
  out[threadIdx.x] = out[threadIdx.x + THREADS] + 1;
  if (blockIdx.x) out[threadIdx.x + THREADS] = 2;
}

static void PastEnd(int *out)
{
  out[threadIdx.x + 2 * THREADS - 63] = 1;
}

static void BeforeBegin(int *out)
{
  out[threadIdx.x] = out[(int)threadIdx.x - 1];
}

static void OfHost(int *out, const int *host)
{
  out[threadIdx.x] = *host;
}

static void Odd(int *out)
{
  out[threadIdx.x] = (int)*(long long *)(out + 1);
}

static void NeverWritten(int *out, const int *fresh)
{
  out[threadIdx.x] = *fresh;
}

static void NotFromShared(int *out)
{
  __shared__ int v[THREADS];

  if (threadIdx.x) v[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = v[threadIdx.x];
}

static void PastShared(int *out)
{
  ((int *)PtxDynamicShared())[threadIdx.x + 1] = 1;
  out[threadIdx.x]                             = 1;
}

static void CountedTooEarly(int *out, int *share, unsigned *arrived)
{
  __shared__ int is_last;

  share[blockIdx.x * THREADS + threadIdx.x] = 1;
  if (threadIdx.x == 0) is_last = PtxCount(arrived) == gridDim.x - 1;
  __syncthreads();
  if (is_last) out[threadIdx.x] = share[(gridDim.x - 1 - blockIdx.x) * THREADS + threadIdx.x];
}

static void LoadedAsConstant(int *out)
{
  out[threadIdx.x] = 1;
  out[threadIdx.x] = __ldg(out + threadIdx.x);
}

static void NoWait(int *out, const int *in)
{
  int *shared = (int *)PtxDynamicShared();

  if (threadIdx.x < THREADS / 4) PtxCopy<16>(PtxSharedAddress(shared) + 16 * threadIdx.x, in + 4 * threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x];
  PtxWait();
}

static void OnlyOwnWait(int *out, const int *in)
{
  int *shared = (int *)PtxDynamicShared();

  if (threadIdx.x < THREADS / 4) PtxCopy<16>(PtxSharedAddress(shared) + 16 * threadIdx.x, in + 4 * threadIdx.x);
  PtxWait();
  out[threadIdx.x] = shared[threadIdx.x];
}

/* ---- Launched early */

static void WaitsForLast(int *out, const int *in)
{
  PtxWaitForLast();
  out[threadIdx.x] = in[threadIdx.x] == (int)threadIdx.x;
}

static void WaitsTooLate(int *out, const int *in)
{
  const int i = in[threadIdx.x];

  PtxWaitForLast();
  out[threadIdx.x] = i == (int)threadIdx.x;
}

/* ---- Running them */

typedef struct {
  int      *out, *in, *fresh; /* of 2 THREADS ints, which are their numbers; fresh: not written */
  int       host;
  unsigned *arrived;
} Data;

typedef struct {
  const char *name;
  void (*launch)(const Data *);
  const char *found; /* what is said of the fault; NULL: there is none */
} Case;

#define BLOCKS(n)                   (unsigned)(n), THREADS, THREADS * sizeof(int)
#define CASE(kernel, n, found, ...) CASE_OF(kernel, false, n, found, __VA_ARGS__)
#define CASE_OF(kernel, early, n, found, ...)                                                      \
  {                                                                                                \
    #kernel, [](const Data *d) { EmulatorLaunchOf(early, kernel, BLOCKS(n), NULL)(__VA_ARGS__); }, found \
  }

static const Case cases[] = {
    CASE(Shuffles, 1, NULL, d->out),
    CASE(Votes, 1, NULL, d->out),
    CASE(Barriers, 1, NULL, d->out),
    CASE(Counters, 4, NULL, d->out, d->in, d->arrived),
    CASE(Copies, 1, NULL, d->out, d->in),
    CASE(ShuffleBehindAnd, 1, "ends while", d->out),
    CASE(BranchesWithShuffles, 1, "__shfl_xor_sync() at faults.cxx:", d->out),
    CASE(OtherOperations, 1, "__any_sync() at faults.cxx:", d->out),
    CASE(ExitBeforeBarrier, 1, "thread 5 (warp 0, lane 5)", d->out),
    CASE(BarrierOfHalf, 1, "__syncthreads() at faults.cxx:", d->out),
    CASE(BarrierAndShuffle, 1, "neither can go on", d->out),
    CASE(NotInMask, 1, "is not in the mask 0xffff", d->out),
    CASE(PartsOfWarps, 1, "waits for ever", d->out),
    CASE(NoBarrier, 1, "with nothing between, at faults.cxx:", d->out),
    CASE(NoWarpBarrier, 1, "with nothing between, at faults.cxx:", d->out),
    CASE(WrittenBeforeAllHaveRead, 1, "with nothing between, at faults.cxx:", d->out),
    CASE(OtherValues, 1, "writes another value than", d->out),
    CASE(BlocksMeet, 2, "with nothing between", d->out),
    CASE(PastEnd, 1, "writes 4 bytes at 512 of an allocation of 512", d->out),
    CASE(BeforeBegin, 1, "reads 4 bytes 4 before an allocation of 512", d->out),
    CASE(OfHost, 1, "that are not the device's", d->out, &d->host),
    CASE(Odd, 1, "which is no multiple of it, at faults.cxx:", d->out),
    CASE(NeverWritten, 1, "that were never written", d->out, d->fresh),
    CASE(NotFromShared, 1, "other results", d->out),
    CASE(PastShared, 1, "of 256 bytes of shared memory", d->out),
    CASE(CountedTooEarly, 2, "with nothing between", d->out, d->in, d->arrived),
    CASE(LoadedAsConstant, 1, "by a load for what nobody writes, at faults.cxx:", d->out),
    CASE(NoWait, 1, "with nothing between", d->out, d->in),
    CASE(OnlyOwnWait, 1, "with nothing between", d->out, d->in),
    CASE_OF(WaitsForLast, true, 1, NULL, d->out, d->in),
    CASE_OF(WaitsTooLate, true, 1, "before it has waited for the launches before, at faults.cxx:", d->out, d->in),
};

static PetscErrorCode DataCreate(Data *d)
{
  int number[2 * THREADS];

  PetscFunctionBeginUser;
  for (int i = 0; i < 2 * THREADS; i++) number[i] = i;
  d->host = 0;
  PetscCallCUDA(cudaMallocAsync((void **)&d->out, sizeof(number), NULL));
  PetscCallCUDA(cudaMallocAsync((void **)&d->in, 2 * sizeof(number), NULL));
  PetscCallCUDA(cudaMallocAsync((void **)&d->fresh, sizeof(number), NULL));
  PetscCallCUDA(cudaMallocAsync((void **)&d->arrived, sizeof(*d->arrived), NULL));
  PetscCallCUDA(cudaMemcpyAsync(d->out, number, sizeof(number), cudaMemcpyHostToDevice, NULL));
  PetscCallCUDA(cudaMemcpyAsync(d->in, number, sizeof(number), cudaMemcpyHostToDevice, NULL));
  PetscCallCUDA(cudaMemcpyAsync(d->in + 2 * THREADS, number, sizeof(number), cudaMemcpyHostToDevice, NULL));
  PetscCallCUDA(cudaMemsetAsync(d->arrived, 0, sizeof(*d->arrived), NULL));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode DataDestroy(Data *d)
{
  PetscFunctionBeginUser;
  PetscCallCUDA(cudaFreeAsync(d->out, NULL));
  PetscCallCUDA(cudaFreeAsync(d->in, NULL));
  PetscCallCUDA(cudaFreeAsync(d->fresh, NULL));
  PetscCallCUDA(cudaFreeAsync(d->arrived, NULL));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* In every order; a fault need not show in all of them. A case that is right writes ones */
static PetscErrorCode Check(const Case *c)
{
  std::string found;
  int         out[EMULATOR_ORDERS][THREADS];

  PetscFunctionBeginUser;
  for (int order = 0; order < EMULATOR_ORDERS; order++) {
    Data        d;
    cudaError_t error;

    PetscCall(DataCreate(&d));
    EmulatorSetOrder((EmulatorOrder)order);
    for (int again = 0; again < 2; again++) {
      c->launch(&d);
      error = cudaGetLastError();
      if (error && found.empty()) found = cudaGetErrorString(error);
    }
    PetscCallCUDA(cudaMemcpyAsync(out[order], d.out, sizeof(out[order]), cudaMemcpyDeviceToHost, NULL));
    for (int t = 0; t < THREADS && !c->found && found.empty(); t++) PetscCheck(out[order][t] == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: thread %d: %d", c->name, t, out[order][t]);
    if (found.empty() && memcmp(out[order], out[0], sizeof(out[0]))) found = "other results";
    PetscCall(DataDestroy(&d));
  }
  PetscCheck(c->found || found.empty(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is right, but: %s", c->name, found.c_str());
  PetscCheck(!c->found || found.find(c->found) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: nothing \"%s\" is found, but: %s", c->name, c->found, found.c_str());
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", c->name, c->found ? "found" : "right"));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (const Case &c : cases) PetscCall(Check(&c));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

TEST*/
