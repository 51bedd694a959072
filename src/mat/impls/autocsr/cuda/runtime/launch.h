/*
  What goes to the device with a launch: plain data, made when a plan is bound (launch.c) and read by the agents. No more
  than kernels compiled at run time could be given too.
*/
#ifndef AUTOCSR_LAUNCH_H
#define AUTOCSR_LAUNCH_H

#include "../../plan/plan.h"
#include "../../layout/pattern.h"
#include "../../layout/popular.h"
#include "shapes.h"

#if !defined(AUTOCSR_THREADS)
  #define AUTOCSR_THREADS 256 /* threads of a block, of every agent that is compiled ahead: so they share a launch */
#endif
#define AUTOCSR_MANY_SEGMENTS 12  /* of one launch, more than the bins of one strategy: their data are a kernel's parameters, of which each 1,000 bytes take the host some 0.25 us */

/* The operands of a product, fetched anew for each: an application's arrays move */
typedef struct {
  const PetscInt    *row_ptr, *col;
  const PetscScalar *val, *x, *z;
  PetscScalar       *y;
  int                conjugate;
} AutoCSRDeviceOperands;

/* A segment as its agent sees it: see plan.h, streams that it does not have are NULL */
typedef struct {
  const PetscInt           *rows, *slice_ptr, *base;
  const void               *index;
  const AutoCSRFit         *fit;
  const AutoCSRSliceFit    *slice_fit;
  const uint16_t           *pattern_id;
  const PetscInt           *pattern_ptr, *pattern_offset;
  const AutoCSRPatternRoot *pattern_root;
  const PetscScalar        *pattern_value;
  const void               *value;
  const PetscScalar        *dictionary;
  const PetscInt           *work;
  void                     *scratch; /* of the agent's ScratchBytes(), zero before the first product */
  PetscInt                  row_begin, n_rows, row_group, nnz, n_slices, n_patterns, n_work, blocks;
  int                       lanes; /* the axes' */
  int                       agent; /* its place in the table of executors */
} AutoCSRDeviceSegment;

/* How the rows of mapping planes are shared out: an item is `steps` planes of a strip of `rows` rows of each */
typedef struct {
  PetscInt stride, planes, rows, strips, steps;
  int      around, reach, room; /* room: scalars of a window of x */
} AutoCSRDevicePlanes;

/* And what orders tiled, propagated and popular, and mapping planes, have, which are never with others in a launch */
typedef struct {
  const AutoCSRTiledItem     *item;
  const uint8_t              *end;
  const PetscInt             *piece_ptr, *run_ptr;
  const uint16_t             *piece_row;
  const PetscInt             *block_row, *chunk_ptr, *part_ptr;
  const AutoCSRPropagatePart *part;
  const PetscInt             *code_ptr;
  const uint16_t             *code;
  const PetscInt             *column;
  size_t                      x; /* where what is read by COLUMN begins in scratch */
  PetscInt                    n_columns, n_tiles, tile_width, tile_height;
  AutoCSRDevicePlanes         planes;
} AutoCSRDeviceTiles;

/* The parameters of the two kernels; both begin with the operands */
typedef struct {
  AutoCSRDeviceOperands operands;
  AutoCSRDeviceSegment  segment;
  AutoCSRDeviceTiles    tiles;
} AutoCSROneParameters;

typedef struct {
  AutoCSRDeviceOperands operands;
  int                   n_segments;
  PetscInt              block_end[AUTOCSR_MANY_SEGMENTS]; /* sums of the segments' blocks */
  AutoCSRDeviceSegment  segment[AUTOCSR_MANY_SEGMENTS];
} AutoCSRManyParameters;

#if !defined(__CUDACC_RTC__)
/* What an executor has still to do once its kernel is launched, on the host */
typedef PetscErrorCode AutoCSRDeviceFinish(const AutoCSRDeviceSegment *, const AutoCSRDeviceOperands *);

/* A kernel for a segment alone; shared_bytes: on top of what the kernel declares */
typedef struct {
  const void *kernel; /* NULL: no such step */
  int         threads;
  PetscInt (*blocks)(const AutoCSRSegment *);
  size_t (*shared_bytes)(const AutoCSRSegment *);
} AutoCSRDeviceStep;

#define AUTOCSR_DEVICE_STEPS 3

/* The axes that an executor is for, lanes (of tiles: their height) 0 and reduction none: any; its kernels for a segment alone, one after the other; what its agent says of a segment */
typedef struct {
  AutoCSRExecutor   executor; /* first: an executor's address is that of its entry */
  AutoCSROrder      order;
  AutoCSRIndex      index;
  AutoCSRValue      value;
  AutoCSRMapping    mapping;
  AutoCSRReduction  reduction;
  PetscInt          lanes;
  PetscInt          block; /* with any index, if it is more than 1 */
  AutoCSRDeviceStep step[AUTOCSR_DEVICE_STEPS];
  PetscBool         alone; /* never with others in a launch */
  size_t (*scratch_bytes)(const AutoCSRSegment *);
  PetscBool            lean;      /* see agent.cuh */
  AutoCSRDeviceFinish *finish;    /* NULL: nothing */
  PetscBool            generated; /* the kernel of its one step is compiled at run time (generator/) */
} AutoCSRDeviceExecutor;

/* executors.cu: ends with a name that is NULL */
PETSC_INTERN const AutoCSRDeviceExecutor AutoCSRDeviceExecutors[];
/* many.cu: the kernels that run segments of any executors, and of lean ones */
PETSC_INTERN const void *const AutoCSRManyKernel, *const AutoCSRLeanKernel;

/* vendor.c: the executors of the vendor's library, which have no kernel of ours; their ids begin here, after the agents' */
#define AUTOCSR_VENDOR_EXECUTOR (AUTOCSR_MAX_EXECUTORS - 4)
PETSC_INTERN const AutoCSRExecutor       *AutoCSRVendorExecutorOf(int id);
PETSC_INTERN const AutoCSRDeviceExecutor *AutoCSRVendorFind(const AutoCSRAxes *);
PETSC_INTERN PetscErrorCode               AutoCSRVendorCreate(const AutoCSRSegment *, const AutoCSRMatrix *, void **);
PETSC_INTERN PetscErrorCode               AutoCSRVendorMult(void *, const AutoCSRDeviceOperands *);
PETSC_INTERN PetscErrorCode               AutoCSRVendorDestroy(void **);
/* C, n by m by columns, = Y X^T by cuBLAS, where row i of Y lies as AutoCSRSampledOperands tells. All numbers are an int's. C NULL: makes ready only, by memory of the library's own */
PETSC_INTERN PetscErrorCode AutoCSRVendorMultiplyDense(PetscInt n, PetscInt m, PetscInt columns, const PetscScalar Y[], PetscInt ldy, PetscBool by_rows, const PetscScalar X[], PetscInt ldx, PetscScalar C[]);

/* Shared memory for a tile of so many columns, and for the sums of groups (agent_tiled.cuh) */
static inline size_t AutoCSRDeviceTileBytes(PetscInt columns)
{
  return ((size_t)columns + AUTOCSR_TILED_SHARES * AUTOCSR_TILED_GROUP) * sizeof(PetscScalar);
}

#define AUTOCSR_PROPAGATE_THREADS     512 /* of a block that adds products (agent_propagate.cuh) */
#define AUTOCSR_PROPAGATE_CHUNK_BYTES (AUTOCSR_PROPAGATE_CHUNK * sizeof(PetscScalar) + AUTOCSR_PROPAGATE_CODES * sizeof(uint16_t))

/* Shared memory for two chunks, of which one is added while the other is copied, and the sums of so many rows */
static inline size_t AutoCSRDevicePropagateBytes(PetscInt rows)
{
  return (size_t)rows * sizeof(PetscScalar) + 2 * AUTOCSR_PROPAGATE_CHUNK_BYTES;
}

/* Shared memory for masks, for two lists of entries, and for windows of x: of all planes that a row reads and one more */
static inline size_t AutoCSRDevicePlanesBytes(const AutoCSRDevicePlanes *p)
{
  return AUTOCSR_PLANES_TABLE * sizeof(unsigned) + 2 * (AUTOCSR_PLANES_ENTRIES + 1) * PetscMax(16, 2 * sizeof(PetscScalar)) + (2 * (size_t)p->around + 2) * (size_t)p->room * sizeof(PetscScalar);
}

/* A kernel of products; symbol: NULL if it was compiled at run time; function: as the driver has it, NULL if the runtime launches it; early: it may be launched early (device.h) */
typedef struct {
  const void *symbol;
  void       *function;
  PetscBool   early;
} AutoCSRDeviceKernel;

/* kernel.c: loads the kernel of a symbol, with so much shared memory on top of what it declares; launches it with one block of parameters */
PETSC_INTERN PetscErrorCode AutoCSRDeviceLoadKernel(size_t, AutoCSRDeviceKernel *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceLaunchKernel(const AutoCSRDeviceKernel *, unsigned blocks, unsigned threads, size_t shared, void *parameters);

/* launch.c */
PETSC_INTERN void                   AutoCSRDeviceShapeTiles(PetscInt, PetscInt, PetscInt, AutoCSRAxes *); /* backend.h */
PETSC_INTERN PetscInt               AutoCSRDeviceProcessors(void);                                        /* multiprocessors of the current device */
PETSC_INTERN AutoCSRDevicePlanes    AutoCSRDeviceShapePlanes(const AutoCSRAxes *, PetscInt rows);
PETSC_INTERN const AutoCSRExecutor *AutoCSRDeviceExecutorOf(int id);
PETSC_INTERN PetscErrorCode         AutoCSRDeviceFindExecutor(const AutoCSRAxes *, const char[], const AutoCSRExecutor **);
PETSC_INTERN PetscErrorCode         AutoCSRDevicePrepare(const AutoCSRPlan *, size_t, char[]);
PETSC_INTERN PetscErrorCode         AutoCSRDeviceBind(AutoCSRPlan *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode         AutoCSRDeviceUnbind(AutoCSRPlan *);
PETSC_INTERN PetscErrorCode         AutoCSRDeviceMult(const AutoCSRPlan *, const AutoCSROperands *);
PETSC_INTERN void                   AutoCSRDeviceMultSegment(const AutoCSRSegment *, const AutoCSROperands *);
PETSC_INTERN PetscInt64             AutoCSRDeviceRecordable(const AutoCSRPlan *); /* another number for each plan that is bound; 0: its products do more than launch kernels of ours */
/* The parameters of a bound plan's only launch: of one segment with all rows, by an agent that is compiled ahead. NULL: the plan has other launches */
PETSC_INTERN const AutoCSROneParameters *AutoCSRDeviceAlone(const AutoCSRPlan *);
#endif

#endif
