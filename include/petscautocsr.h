/*
  The public interface of MATAUTOCSR: a sparse matrix type that keeps AIJ (CSR) storage and chooses, from the sparsity,
  how it is multiplied. Load libpetscautocsr.so with -dll_append and use -mat_type autocsr, or include this file and link.
*/
#ifndef PETSCAUTOCSR_H
#define PETSCAUTOCSR_H

#include <petscmat.h>

/* SUBMANSEC = Mat */

/*
  The names of the matrix type. MATAUTOCSR is what a user passes to MatSetType() or -mat_type; it becomes MATSEQAUTOCSR on one
  process and MATMPIAUTOCSR on several. For DMs use MATAIJAUTOCSR (-dm_mat_type aijautocsr).
*/
#define MATAUTOCSR    "autocsr"
#define MATAIJAUTOCSR "aijautocsr"
#define MATSEQAUTOCSR "seqaijautocsr"
#define MATMPIAUTOCSR "mpiaijautocsr"

/* The types of matrices on arrays of a device, which MatCreateSeqAutoCSRWithDeviceArrays() and MatCreateMPIAutoCSRWithDeviceArrays() make: products, and conversion to the others */
#define MATSEQAUTOCSRDEVICE "seqautocsrdevice"
#define MATMPIAUTOCSRDEVICE "mpiautocsrdevice"

/* The version of this file. MatAutoCSRGetVersion() tells the library's */
#define PETSCAUTOCSR_VERSION_MAJOR    0
#define PETSCAUTOCSR_VERSION_MINOR    2
#define PETSCAUTOCSR_VERSION_SUBMINOR 0
/* Whether the header is of this version or a later one */
#define PETSCAUTOCSR_VERSION_GE(major, minor, subminor) \
  (PETSCAUTOCSR_VERSION_MAJOR > (major) || (PETSCAUTOCSR_VERSION_MAJOR == (major) && (PETSCAUTOCSR_VERSION_MINOR > (minor) || (PETSCAUTOCSR_VERSION_MINOR == (minor) && PETSCAUTOCSR_VERSION_SUBMINOR >= (subminor)))))

/*E
  MatAutoCSRRigor - how much work may go into choosing the plan of a matrix

+ `MAT_AUTOCSR_RIGOR_NONE`     - the speculative segmented sum straight on the CSR: nothing is looked at, nothing stored
. `MAT_AUTOCSR_RIGOR_ESTIMATE` - one pass over the CSR and a cost model (the default)
. `MAT_AUTOCSR_RIGOR_MEASURE`  - the best few by the cost model are built and timed
. `MAT_AUTOCSR_RIGOR_PATIENT`  - operator graphs are searched for a minute (Du et al. 2022)
- `MAT_AUTOCSR_RIGOR_EXHAUSTIVE` - the same for five minutes

  Level: intermediate

.seealso: `MATAUTOCSR`, `MatAutoCSRSetRigor()`
E*/
typedef enum {
  MAT_AUTOCSR_RIGOR_NONE,
  MAT_AUTOCSR_RIGOR_ESTIMATE,
  MAT_AUTOCSR_RIGOR_MEASURE,
  MAT_AUTOCSR_RIGOR_PATIENT,
  MAT_AUTOCSR_RIGOR_EXHAUSTIVE
} MatAutoCSRRigor;
PETSC_EXTERN const char *const MatAutoCSRRigors[];

/*E
  MatAutoCSRObjective - what the choice of a plan minimizes

+ `MAT_AUTOCSR_OBJECTIVE_TIME`   - the time of a product (the default)
. `MAT_AUTOCSR_OBJECTIVE_MEMORY` - the memory: only plans that copy no values and keep at most a twentieth of the CSR
- `MAT_AUTOCSR_OBJECTIVE_ENERGY` - the joules of a product, where they are counted (see `MatAutoCSRSetObjective()`)

  Level: intermediate

.seealso: `MATAUTOCSR`, `MatAutoCSRSetObjective()`
E*/
typedef enum {
  MAT_AUTOCSR_OBJECTIVE_TIME,
  MAT_AUTOCSR_OBJECTIVE_MEMORY,
  MAT_AUTOCSR_OBJECTIVE_ENERGY
} MatAutoCSRObjective;
PETSC_EXTERN const char *const MatAutoCSRObjectives[];

/*E
  MatAutoCSRChooser - who chooses the plan of a matrix among what the strategies offer

+ `MAT_AUTOCSR_CHOOSER_MODEL`     - a cost model, whose figures are those of the machine
. `MAT_AUTOCSR_CHOOSER_TWO_STAGE` - decision trees that tell the granularity of binning, then the kernel of each bin (Hou, Feng, Che 2017)
. `MAT_AUTOCSR_CHOOSER_TREES`     - bagged decision trees that vote for a strategy (Dufrechou, Ezzatti, Quintana-Orti 2021)
. `MAT_AUTOCSR_CHOOSER_CORRECTED` - the cost model, whose predictions decision trees correct
- `MAT_AUTOCSR_CHOOSER_AUTO`      - what is best on this machine (the default): `MAT_AUTOCSR_CHOOSER_CORRECTED` on a GPU for which the library ships trees, or where
                                    `-mat_autocsr_learned` names some; elsewhere `MAT_AUTOCSR_CHOOSER_MODEL`

  Level: intermediate

.seealso: `MATAUTOCSR`, `MatAutoCSRSetChooser()`
E*/
typedef enum {
  MAT_AUTOCSR_CHOOSER_MODEL,
  MAT_AUTOCSR_CHOOSER_TWO_STAGE,
  MAT_AUTOCSR_CHOOSER_TREES,
  MAT_AUTOCSR_CHOOSER_CORRECTED,
  MAT_AUTOCSR_CHOOSER_AUTO
} MatAutoCSRChooser;
PETSC_EXTERN const char *const MatAutoCSRChoosers[];

/*E
  MatAutoCSRIndexCoding - how a plan stores the column of an entry

+ `MAT_AUTOCSR_INDEX_AUTO`    - the cost model chooses
. `MAT_AUTOCSR_INDEX_CSR`     - the CSR column array itself, no copy
. `MAT_AUTOCSR_INDEX_32`      - 32-bit columns
. `MAT_AUTOCSR_INDEX_16`      - 16-bit offsets from the smallest column of a slice of rows or of a run of entries
. `MAT_AUTOCSR_INDEX_PATTERN` - none: the row names one of a few lists of offsets from the diagonal
- `MAT_AUTOCSR_INDEX_FITTED`  - a model (constant, linear, step or periodic) for the t-th entries of each slice of rows, and what it leaves in 0, 1, 2 or 4 bytes an entry

  Level: advanced

.seealso: `MATAUTOCSR`, `MatAutoCSRSetIndexCoding()`
E*/
typedef enum {
  MAT_AUTOCSR_INDEX_AUTO,
  MAT_AUTOCSR_INDEX_CSR,
  MAT_AUTOCSR_INDEX_32,
  MAT_AUTOCSR_INDEX_16,
  MAT_AUTOCSR_INDEX_PATTERN,
  MAT_AUTOCSR_INDEX_FITTED
} MatAutoCSRIndexCoding;
PETSC_EXTERN const char *const MatAutoCSRIndexCodings[];

/*E
  MatAutoCSRValueCoding - how a plan stores the value of an entry; every coding is lossless

+ `MAT_AUTOCSR_VALUE_AUTO`       - the cost model chooses
. `MAT_AUTOCSR_VALUE_CSR`        - the CSR value array itself: no copy, new values cost nothing
. `MAT_AUTOCSR_VALUE_COPY`       - a copy in the order of the plan
. `MAT_AUTOCSR_VALUE_DICTIONARY` - one byte an entry, into at most 256 distinct values
. `MAT_AUTOCSR_VALUE_FLOAT32`    - float32, where every value is exactly one
. `MAT_AUTOCSR_VALUE_PATTERN`    - none: rows that name one list of offsets from the diagonal have the same values (stencils of constant coefficients)
- `MAT_AUTOCSR_VALUE_CONSTANT`   - none: all entries have one value (graphs, incidences)

  Level: advanced

.seealso: `MATAUTOCSR`, `MatAutoCSRSetValueCoding()`
E*/
typedef enum {
  MAT_AUTOCSR_VALUE_AUTO,
  MAT_AUTOCSR_VALUE_CSR,
  MAT_AUTOCSR_VALUE_COPY,
  MAT_AUTOCSR_VALUE_DICTIONARY,
  MAT_AUTOCSR_VALUE_FLOAT32,
  MAT_AUTOCSR_VALUE_PATTERN,
  MAT_AUTOCSR_VALUE_CONSTANT
} MatAutoCSRValueCoding;
PETSC_EXTERN const char *const MatAutoCSRValueCodings[];

/*E
  MatAutoCSRSegsumFixup - where the segmented sum on a device joins the parts of rows that its tiles cut

+ `MAT_AUTOCSR_SEGSUM_FIXUP_DEVICE` - on the device, in the same launch (the default)
- `MAT_AUTOCSR_SEGSUM_FIXUP_HOST`   - on the host, as in the paper of Liu and Vinter: each product copies the cut rows there and back

  Level: advanced

.seealso: `MATAUTOCSR`, `MatAutoCSRSetSegsumFixup()`
E*/
typedef enum {
  MAT_AUTOCSR_SEGSUM_FIXUP_DEVICE,
  MAT_AUTOCSR_SEGSUM_FIXUP_HOST
} MatAutoCSRSegsumFixup;
PETSC_EXTERN const char *const MatAutoCSRSegsumFixups[];

/*E
  MatAutoCSRDense - how products with dense matrices, and sampled products of dense matrices, are made

+ `MAT_AUTOCSR_DENSE_AUTO`      - chosen by predicted time, for each number of columns (the default)
. `MAT_AUTOCSR_DENSE_COLUMNS`   - one column after the other, by the matrix's plan. Sampled products take panels instead
. `MAT_AUTOCSR_DENSE_PANELS`    - some columns at a time are copied so that rows lie side by side
. `MAT_AUTOCSR_DENSE_ALONGSIDE` - on a device, columns are read as they lie, for matrices whose neighbouring rows have neighbouring columns. A processor takes panels instead
. `MAT_AUTOCSR_DENSE_ADAPTIVE`  - adaptive sparse tiles: columns with several entries in a row panel are read once for all of these
- `MAT_AUTOCSR_DENSE_BUNDLES`   - on a device, in real double, bundles of eight rows read each of their columns once. Elsewhere panels are taken

  Level: advanced

.seealso: `MATAUTOCSR`, `MatAutoCSRSetDense()`
E*/
typedef enum {
  MAT_AUTOCSR_DENSE_AUTO,
  MAT_AUTOCSR_DENSE_COLUMNS,
  MAT_AUTOCSR_DENSE_PANELS,
  MAT_AUTOCSR_DENSE_ALONGSIDE,
  MAT_AUTOCSR_DENSE_ADAPTIVE,
  MAT_AUTOCSR_DENSE_BUNDLES
} MatAutoCSRDense;
PETSC_EXTERN const char *const MatAutoCSRDenses[];

/*E
  MatAutoCSRExchange - how a parallel product on devices gets the entries of the vector that other processes own

+ `MAT_AUTOCSR_EXCHANGE_AUTO`    - written from device to device where all processes are on one node and the devices reach each other's memory, else as with `MAT_AUTOCSR_EXCHANGE_HOST` (the default)
. `MAT_AUTOCSR_EXCHANGE_HOST`    - through the memory of the hosts, beside the product of the diagonal block
- `MAT_AUTOCSR_EXCHANGE_SCATTER` - by PETSc's `VecScatter`, on the stream of the products

  Level: advanced

  Notes:
  With progressive planning (`MatAutoCSRSetProgressive()`) `MAT_AUTOCSR_EXCHANGE_AUTO` begins with PETSc's `VecScatter`, until what
  products have lost by it is as much as the other way takes to be set up: some milliseconds for each process that is sent to.

  With MPI that has access to devices (`-use_gpu_aware_mpi`) it is always PETSc's `VecScatter`.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetExchange()`
E*/
typedef enum {
  MAT_AUTOCSR_EXCHANGE_AUTO,
  MAT_AUTOCSR_EXCHANGE_HOST,
  MAT_AUTOCSR_EXCHANGE_SCATTER
} MatAutoCSRExchange;
PETSC_EXTERN const char *const MatAutoCSRExchanges[];

/*S
  MatAutoCSRInfo - what an autocsr matrix did, summed over the blocks of this rank

  Level: intermediate

.seealso: `MATAUTOCSR`, `MatAutoCSRGetInfo()`
S*/
typedef struct {
  PetscInt    segments;        /* segments of the plans of this rank's blocks; 0 before the first product */
  PetscInt    plans;           /* plans built since the blocks were made (PETSc makes an off-diagonal block anew when it gets new columns) */
  PetscInt    refreshes;       /* times that new values were put into a plan without building it again */
  PetscInt64  products;        /* MatMult-like products made with plans */
  PetscInt64  dense_products;  /* products with a dense matrix, MatMatMult(), made by the library */
  PetscBool   settled;         /* PETSC_FALSE while a first plan stands in for one that products have not paid for yet, see MatAutoCSRSetProgressive(), while two ways to gather x take turns (on a processor), and while entries of other processes come by PETSc's scatter until products have paid for another way (on devices) */
  PetscInt64  nnz;             /* nonzeros covered by the plans */
  PetscInt64  csr_bytes;       /* bytes of the CSR arrays */
  PetscInt64  released_bytes;  /* bytes of these that a device has let go (`MatAutoCSRSetKeepCSR()`) */
  PetscInt64  plan_bytes;      /* bytes that the plans take on top of the CSR arrays */
  PetscInt64  transpose_bytes; /* bytes of the transposed blocks and their plans, where transposed products have made them on a device */
  PetscInt64  product_bytes;   /* bytes that one product moves by the plans' own count */
  double      predicted;       /* seconds of one product by the cost model, 0 if not predicted */
  double      measured;        /* seconds of one product as timed at rigor measure, 0 if not timed */
  double      setup;           /* seconds spent on profiling, choosing, building and refreshing */
  const char *strategy;        /* strategy of the segment with the most nonzeros of the diagonal block ("none" if no plan) */
  const char *executor;        /* the kernel that runs this segment: its codings and lanes in short ("none" if no plan; "parent" while the first products are AIJ's own) */
  const char *backend;         /* "host" or "cuda": where the plan of the diagonal block lies and runs ("none" if no plan) */
} MatAutoCSRInfo;

PETSC_EXTERN PetscErrorCode MatAutoCSRRegisterAll(void);
PETSC_EXTERN PetscErrorCode MatAutoCSRGetVersion(PetscInt *, PetscInt *, PetscInt *);

PETSC_EXTERN PetscErrorCode MatCreateAutoCSR(MPI_Comm, PetscInt, PetscInt, PetscInt, PetscInt, PetscInt, const PetscInt[], PetscInt, const PetscInt[], Mat *);
PETSC_EXTERN PetscErrorCode MatCreateSeqAutoCSR(MPI_Comm, PetscInt, PetscInt, PetscInt, const PetscInt[], Mat *);
PETSC_EXTERN PetscErrorCode MatCreateMPIAutoCSR(MPI_Comm, PetscInt, PetscInt, PetscInt, PetscInt, PetscInt, const PetscInt[], PetscInt, const PetscInt[], Mat *);
PETSC_EXTERN PetscErrorCode MatCreateSeqAutoCSRWithArrays(MPI_Comm, PetscInt, PetscInt, PetscInt[], PetscInt[], PetscScalar[], Mat *);
PETSC_EXTERN PetscErrorCode MatCreateMPIAutoCSRWithArrays(MPI_Comm, PetscInt, PetscInt, PetscInt, PetscInt, const PetscInt[], const PetscInt[], const PetscScalar[], Mat *);
PETSC_EXTERN PetscErrorCode MatCreateSeqAutoCSRWithDeviceArrays(MPI_Comm, PetscInt, PetscInt, const PetscInt[], const PetscInt[], const PetscScalar[], Mat *);
PETSC_EXTERN PetscErrorCode MatCreateMPIAutoCSRWithDeviceArrays(MPI_Comm, PetscInt, PetscInt, PetscInt, PetscInt, const PetscInt[], const PetscInt[], const PetscScalar[], const PetscInt[], const PetscInt[], const PetscScalar[], PetscInt, const PetscInt[], Mat *);
PETSC_EXTERN PetscErrorCode MatAutoCSRDeviceValuesChanged(Mat);

PETSC_EXTERN PetscErrorCode MatAutoCSRSetStrategy(Mat, const char[]);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetGraph(Mat, const char[]);
PETSC_EXTERN PetscErrorCode MatAutoCSRGetGraph(Mat, size_t, char[]);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetRigor(Mat, MatAutoCSRRigor);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetSearch(Mat, PetscReal, PetscBool);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetObjective(Mat, MatAutoCSRObjective);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetChooser(Mat, MatAutoCSRChooser);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetIndexCoding(Mat, MatAutoCSRIndexCoding);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetValueCoding(Mat, MatAutoCSRValueCoding);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetGranularity(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetMaxBins(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetSegsumFixup(Mat, MatAutoCSRSegsumFixup);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetExchange(Mat, MatAutoCSRExchange);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetDense(Mat, MatAutoCSRDense);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetProgressive(Mat, PetscBool);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetReproducible(Mat, PetscBool);
PETSC_EXTERN PetscErrorCode MatAutoCSRSetKeepCSR(Mat, PetscBool);
PETSC_EXTERN PetscErrorCode MatAutoCSRGetInfo(Mat, MatAutoCSRInfo *);
PETSC_EXTERN PetscErrorCode MatAutoCSRView(Mat, PetscViewer);

PETSC_EXTERN PetscErrorCode MatAutoCSRSDDMM(Mat, Mat, Mat, Mat);
PETSC_EXTERN PetscErrorCode MatAutoCSRTune(const char[], PetscViewer);

#endif
