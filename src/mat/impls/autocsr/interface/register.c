/*
  The library's entry: what PETSc calls when it loads the file with -dll_append, and MatAutoCSRRegisterAll() for programs
  that are linked with it.
*/
#define _GNU_SOURCE /* dladdr() */
#include "../product/product.h"
#include "../report/report.h"
#include "../../../../ksp/impls/autocsr/register.h"
#include <dlfcn.h>

static PetscBool Registered = PETSC_FALSE;

static PetscErrorCode AutoCSRFinalize(void)
{
  Registered = PETSC_FALSE;
  return PETSC_SUCCESS;
}

/*MC
  MATSEQAUTOCSR = "seqaijautocsr" - What `MATAUTOCSR` becomes on one process

  Level: beginner

  Note:
  The name begins with that of `MATSEQAIJ`: PETSc finds factorizations and preconditioners by it.

.seealso: `MATAUTOCSR`, `MATMPIAUTOCSR`, `MatCreateSeqAutoCSR()`
M*/

/*MC
  MATMPIAUTOCSR = "mpiaijautocsr" - What `MATAUTOCSR` becomes on several processes: two blocks of type `MATSEQAUTOCSR`

  Level: beginner

  Note:
  The name begins with that of `MATMPIAIJ`: PETSc finds factorizations and preconditioners by it.

.seealso: `MATAUTOCSR`, `MATSEQAUTOCSR`, `MatCreateMPIAutoCSR()`
M*/

/*MC
  MATAUTOCSR = "autocsr" - A sparse matrix type that is `MATAIJ` (CSR), and beside it keeps a plan: how this one matrix is
  best multiplied on this machine.

  It becomes `MATSEQAUTOCSR` on one process and `MATMPIAUTOCSR`, which has two blocks of that type, on several.

  Options Database Keys:
+ -mat_type autocsr                                                 - sets the type; for a `DM` use -dm_mat_type aijautocsr
. -mat_seqaij_type seqaijautocsr                                    - gives the type to every `MATSEQAIJ`, for programs that do not let choose the type
. -autocsr_view [ascii[:file[:ascii_info_detail|ascii_json]]]       - shows the plan after each assembly, see `MatAutoCSRView()`
. -mat_autocsr_strategy <auto>                                      - see `MatAutoCSRSetStrategy()`
. -mat_autocsr_graph <none>                                         - see `MatAutoCSRSetGraph()`
. -mat_autocsr_rigor (none|estimate|measure|patient|exhaustive)     - see `MatAutoCSRSetRigor()`
. -mat_autocsr_search_seconds <0>                                  - see `MatAutoCSRSetSearch()`
. -mat_autocsr_search_monitor <false>                              - see `MatAutoCSRSetSearch()`
. -mat_autocsr_search_without (pruning,surrogate,generator)         - see `MatAutoCSRSetSearch()`
. -mat_autocsr_objective (time|memory|energy)                       - see `MatAutoCSRSetObjective()`
. -mat_autocsr_chooser (auto|model|two-stage|trees|corrected)        - see `MatAutoCSRSetChooser()`
. -mat_autocsr_index_coding (auto|csr|32|16|pattern|fitted)         - see `MatAutoCSRSetIndexCoding()`
. -mat_autocsr_value_coding (auto|csr|copy|dictionary|float32|pattern|constant) - see `MatAutoCSRSetValueCoding()`
. -mat_autocsr_granularity <0>                                      - see `MatAutoCSRSetGranularity()`
. -mat_autocsr_max_bins <100>                                       - see `MatAutoCSRSetMaxBins()`
. -mat_autocsr_segsum_fixup (device|host)                           - see `MatAutoCSRSetSegsumFixup()`
. -mat_autocsr_exchange (auto|host|scatter)                         - see `MatAutoCSRSetExchange()`
. -mat_autocsr_dense (auto|columns|panels|alongside|adaptive|bundles) - see `MatAutoCSRSetDense()`
. -mat_autocsr_progressive <true>                                   - see `MatAutoCSRSetProgressive()`
. -mat_autocsr_reproducible <true>                                  - see `MatAutoCSRSetReproducible()`
. -mat_autocsr_keep_csr <false>                                     - see `MatAutoCSRSetKeepCSR()`
. -mat_autocsr_check_values <false>                                 - each product looks for values that were written silently, see below
. -mat_autocsr_machine (<file>|none|shipped:<name>)                 - where the machine's figures are kept, see `MatAutoCSRTune()`; none: those that are shipped
. -mat_autocsr_wisdom <file or folder>                              - what earlier runs have planned, to which this one adds, see below
. -mat_autocsr_takeover                                             - with a device: stands in for `MATAIJCUSPARSE`, see below
- -mat_autocsr_simd (auto|x86-64|avx2|avx512|avx512-gather)         - the instruction set of the host

  Level: beginner

  Notes:
  All operations of `MATAIJ` are there. The library makes the final plan once products have cost as much as planning will; until then the products
  of `MATAIJ`, or on a device those of a plan without a look at the matrix, serve (`MatAutoCSRSetProgressive()`). If the user asks for a strategy, a
  coding or another rigor than `estimate`, or for a view, the library makes the final plan at once. It plans again when the nonzero structure
  changes, and puts new values into the plan. Products are bitwise the same from run to run on the same machine and plan.

  Change the values through PETSc: a program that writes into the arrays which it gave to `MatCreateSeqAIJWithArrays()`
  does so between `MatSeqAIJGetArray()` and `MatSeqAIJRestoreArray()`. `MatSeqAIJGetArrayWrite()` counts as a change when it is
  called, `MatSeqAIJRestoreArrayWrite()` does not: make no product between the two. `MatCreateSubMatrix()` with `MAT_REUSE_MATRIX` may write other
  columns and say nothing of it: that is seen where the matrix it is taken of is of this type, not where its result alone was converted to it.

  -mat_autocsr_check_values tells in one run whether a program obeys: each product compares a checksum of every row with that of the arrays
  of which the plan was made. Other values under the same state are an error that names the matrix, the row and the remedy, as are other columns
  or row offsets under the same nonzero state. A product takes several times as long. doc/state.md lists what PETSc itself writes silently.

  With a CUDA PETSc 3.20 or later and a device it is `MATAIJCUSPARSE` and not `MATAIJ` that the type is, and products are made on the
  device, or on the host while the matrix is bound to it (`MatBindToCPU()`); without a device, or with an older PETSc, it is
  on the CPU, and -info says so. Transposed products make a transpose on the device at the first one, unless the matrix is
  known to be symmetric and to stay so (`MAT_SYMMETRY_ETERNAL`). Out of device memory a plan is used that stores nothing. A `MATAIJ` or `MATMAIJ` that is multiplied with it, as the P of `MatPtAP()`, is converted to this type in place, so
  that the product is made on the device. A product of a `MATSHELL` is found there if `MatShellSetMatProductOperation()` has registered it for
  `MATAIJCUSPARSE`, as for that type.

  `MatMatMult()` with a dense matrix, of a type of the host or of the device, is made by the library: panels of the dense matrix, some columns
  wide, are copied row by row and multiplied at once (on a device, of grids, as they lie), or its columns are multiplied one after the other, as is
  predicted to take less time. Room for a panel (the rows of the dense matrix by up to 64 columns) stays with the matrix.
  `MatMatTransposeMult()` with a dense matrix is the library's, too, and on one device `MatTransposeMatMult()`. Other products with
  dense matrices are those of the parent. `MatAutoCSRSDDMM()` samples the product of two dense matrices where a matrix of this type has nonzeros.

  With -mat_autocsr_wisdom a structure whose final plan an earlier run has noted down, on this machine and with these scalars, is planned in one
  step, at its first product. That makes what -mat_autocsr_rigor measure or -mat_autocsr_reproducible false have chosen by the clock
  the same in later runs. Any number of processes may use a file at once. In a folder the file is called wisdom.

  With -mat_autocsr_takeover, given when the library is loaded, matrices of type `MATAIJCUSPARSE` are of this type, under
  the name of that one, also those that `MatConvert()` or -mat_seqaij_type makes of `MATAIJ`: for programs, and places in
  PETSc, that ask for `MATSEQAIJCUSPARSE` by exact name, as `MatSeqAIJCUSPARSEGetArray()` does in debug builds.

  What PETSc asks of `MATAIJ` by exact type name is different: `MatCreateKAIJ()` on one process,
  `MatMPIAIJGetLocalMatCondensed()`, `MatComputeVariableBlockEnvelope()` on several processes, and `PCGAMG` of type classical with
  -pc_gamg_classical_type direct are errors (convert to `MATAIJ` before), as is `MatSeqAIJKron()` of a plain `MATSEQAIJ` with a matrix of
  this type (the other way round is none), `MatAIJGetLocalMat()` of several processes is the matrix itself
  (`MatMPIAIJGetLocalMat()` is right), `PCILU` takes `MAT_SHIFT_INBLOCKS` for
  `MAT_SHIFT_NONZERO`, sparse right-hand sides of MUMPS must be `MATAIJ`, and `MATCOMPOSITE` does not merge the
  communication of its matrices. `MatSetType()` on a matrix that was preallocated under another type and is not assembled
  drops the preallocation, as for every type. A matrix that is factored in place becomes a `MATSEQAIJ` factor.

  doc/papers.md says which paper each strategy is from; -citations prints those of a run.

.seealso: `MatCreateAutoCSR()`, `MatAutoCSRView()`, `MatAutoCSRGetInfo()`, `MATAIJ`, `MATSEQAUTOCSR`, `MATMPIAUTOCSR`
M*/

/*@
  MatAutoCSRGetVersion - Gets the version of the library

  Not Collective

  Output Parameters:
+ major    - the first number (may be `NULL`)
. minor    - the second (may be `NULL`); it is part of the library's name, `libpetscautocsr.so.<major>.<minor>`
- subminor - the third (may be `NULL`)

  Level: developer

  Note:
  The header's version is `PETSCAUTOCSR_VERSION_MAJOR`, `PETSCAUTOCSR_VERSION_MINOR` and `PETSCAUTOCSR_VERSION_SUBMINOR`. A program may call
  the function before `PetscInitialize()`.

.seealso: `MATAUTOCSR`, `MatAutoCSRRegisterAll()`, `PetscGetVersionNumber()`
@*/
PetscErrorCode MatAutoCSRGetVersion(PetscInt *major, PetscInt *minor, PetscInt *subminor)
{
  if (major) *major = PETSCAUTOCSR_VERSION_MAJOR;
  if (minor) *minor = PETSCAUTOCSR_VERSION_MINOR;
  if (subminor) *subminor = PETSCAUTOCSR_VERSION_SUBMINOR;
  return PETSC_SUCCESS;
}

/*@C
  MatAutoCSRRegisterAll - Makes the matrix types of this library known to PETSc

  Not Collective

  Level: advanced

  Note:
  PETSc calls it when the library is loaded with -dll_append. A program that is linked with the library calls it once
  after `PetscInitialize()`; `MatCreateAutoCSR()` and its relatives do so themselves.

.seealso: `MATAUTOCSR`, `MatCreateAutoCSR()`
@*/
PetscErrorCode MatAutoCSRRegisterAll(void)
{
  AutoCSRParent *seq, *mpi;
  PetscBool      device = PETSC_FALSE, takeover = PETSC_FALSE, machine;

  PetscFunctionBegin;
  if (Registered) PetscFunctionReturn(PETSC_SUCCESS);
  Registered = PETSC_TRUE;
  PetscCall(PetscRegisterFinalize(AutoCSRFinalize));
  PetscCall(MatInitializePackage());
#if defined(AUTOCSR_HAVE_CUDA)
  PetscCall(AutoCSRDeviceFind(&device));
#elif PetscDefined(HAVE_CUDA)
  PetscCall(PetscInfo(NULL, "autocsr matrices are on the CPU: for CUDA the library wants PETSc 3.20, with 64-bit indices 3.26\n"));
#endif
  /* -mat_autocsr_takeover: matrices of type `aijcusparse`, and what is converted to it, get this type under that name (no
     prefix, read when the library is loaded; with a device) */
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-mat_autocsr_takeover", &takeover, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_autocsr_machine", &machine)); /* the first plan reads it: until then -options_left is not to list it */
  PetscCall(AutoCSRSilentRegister());
  PetscCall(MatSeqAutoCSRInherit(device, takeover, &seq));
  PetscCall(MatMPIAutoCSRInherit(device, takeover, &mpi));
  seq->assembled = mpi->assembled = AutoCSRViewFromOptions;
  /* The first root of a type is the one that PETSc finds from the type; the one that begins with aij is right there */
  PetscCall(MatRegisterRootName(MATAIJAUTOCSR, seq->own, mpi->own));
  PetscCall(MatRegisterRootName(MATAUTOCSR, seq->own, mpi->own));
  PetscCall(MatRegister(seq->own, MatCreate_SeqAutoCSR));
  PetscCall(MatRegister(mpi->own, MatCreate_MPIAutoCSR));
  PetscCall(MatRegister(MATSEQAUTOCSR, MatCreate_SeqAutoCSR));
  PetscCall(MatRegister(MATMPIAUTOCSR, MatCreate_MPIAutoCSR));
  PetscCall(MatSeqAIJRegister(MATSEQAUTOCSR, MatConvert_Any_AutoCSR));
  PetscCall(AutoCSRProductRegister(seq, mpi));
  PetscCall(AutoCSREventsRegister());
  PetscCall(AutoCSRFusedRegister());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A program may have a static PETSc inside whose functions it does not export. The library then finds a shared PETSc, which nobody
  initializes and which cannot print errors. PetscInitialize() sets the communicator before it loads libraries
*/
static PetscErrorCode AutoCSRCheckShared(void)
{
  if (PETSC_COMM_WORLD != MPI_COMM_NULL) return PETSC_SUCCESS;
  (void)fprintf(stderr, "libpetscautocsr finds a PETSc that is not initialized: the program has another one inside, which the library does not see. Link the program with the shared PETSc, or with all of the static one and export it (-Wl,--whole-archive libpetsc.a -Wl,--no-whole-archive -rdynamic)\n");
  return PETSC_ERR_SUP;
}

/*
  Called in a PETSc that may be another one than the headers describe: nothing here may depend on the size of a PetscInt
  or a PetscBool of the running one, nor use PETSc's stack, until the version is known to be the same.
*/
static PetscErrorCode AutoCSRCheckVersion(void)
{
  PetscInt64 version[4] = {0, 0, 0, 0}; /* room for either size; the numbers are small and the low half comes first */

  (void)PetscGetVersionNumber((PetscInt *)&version[0], (PetscInt *)&version[1], (PetscInt *)&version[2], (PetscInt *)&version[3]);
  if (version[0] == PETSC_VERSION_MAJOR && version[1] == PETSC_VERSION_MINOR) return PETSC_SUCCESS;
  return PetscError(PETSC_COMM_SELF, __LINE__, "AutoCSRCheckVersion", __FILE__, PETSC_ERR_SUP, PETSC_ERROR_INITIAL,
                    "libpetscautocsr was built for PETSc %d.%d and is loaded into PETSc %d.%d: build it again with PETSC_DIR (and PETSC_ARCH) of the PETSc that the program uses", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, (int)version[0], (int)version[1]);
}

/* PETSC_SCALAR and PetscInt of the headers are compile-time constants; asked for by name the running PETSc answers */
static PetscErrorCode AutoCSRCheckScalars(void)
{
  PetscDataType scalar = PETSC_DATATYPE_UNKNOWN, real = PETSC_DATATYPE_UNKNOWN;
  PetscBool     found;
  size_t        real_size = 0, int_size = 0;

  (void)PetscDataTypeFromString("scalar", &scalar, &found);
  (void)PetscDataTypeFromString("real", &real, &found);
  (void)PetscDataTypeGetSize(real, &real_size);
  (void)PetscDataTypeGetSize(PETSC_INT, &int_size);
  if (scalar == PETSC_SCALAR && real == PETSC_REAL && int_size == sizeof(PetscInt)) return PETSC_SUCCESS;
  return PetscError(PETSC_COMM_SELF, __LINE__, "AutoCSRCheckScalars", __FILE__, PETSC_ERR_SUP, PETSC_ERROR_INITIAL,
                    "libpetscautocsr was built for %s scalars of %d-bit reals and %d-bit PetscInt, and is loaded into a PETSc of %s scalars of %d-bit reals and %d-bit PetscInt: build it again with PETSC_DIR (and PETSC_ARCH) of the PETSc that the program uses",
                    PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscReal)), (int)(8 * sizeof(PetscInt)), scalar == PETSC_COMPLEX ? "complex" : "real", (int)(8 * real_size), (int)(8 * int_size));
}

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petscautocsr(void);

PetscErrorCode PetscDLLibraryRegister_petscautocsr(void)
{
  PetscErrorCode ierr = AutoCSRCheckShared();

  if (!ierr) ierr = AutoCSRCheckVersion();
  if (!ierr) ierr = AutoCSRCheckScalars();
  if (ierr) return ierr;
  PetscFunctionBegin;
  PetscCall(MatAutoCSRRegisterAll());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PETSc looks for the function above by the file's name. In a file of another name, such as libpetscautocsr-cuda.so or
  libpetscautocsr.1.so, it finds none and says nothing, so that file registers the types when it is loaded. PETSc does not
  hear of an error then: it is printed, and the program goes on without the types
*/
__attribute__((constructor)) static void RegisterUnderAnotherName(void)
{
  static const char own[] = "libpetscautocsr." PETSC_SLSUFFIX; /* a version may follow */
  Dl_info           info;
  const char       *name;

  if (PETSC_COMM_WORLD == MPI_COMM_NULL || !dladdr((void *)&Registered, &info) || !info.dli_fname) return;
  name = strrchr(info.dli_fname, '/');
  name = name ? name + 1 : info.dli_fname;
  if (strncmp(name, own, sizeof(own) - 1)) (void)PetscDLLibraryRegister_petscautocsr();
}
