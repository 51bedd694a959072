/*
  Setters for what the options set. Each replaces a setting or two, checks all of them and hands them to the matrix; a plan that
  was made with others is dropped. On a matrix of another type they do nothing, as PETSc's do.
*/
#include "../seq/seqautocsr.h"

/* *has: the matrix has settings, since it is of the type */
static PetscErrorCode AutoCSRSettingsGet(Mat A, AutoCSRSettings *settings, PetscBool *has)
{
  PetscErrorCode (*get)(Mat, AutoCSRSettings *);

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatAutoCSRGetSettings_C", &get));
  *has = (PetscBool)(get != NULL);
  if (get) PetscCall((*get)(A, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRSettingsHand(Mat A, const AutoCSRSettings *settings)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRSettingsCheck(settings));
  PetscTryMethod(A, "MatAutoCSRSetSettings_C", (Mat, const AutoCSRSettings *), (A, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces `size` bytes of the settings. A text fills its array up with zeros, so that equal settings compare equal */
static PetscErrorCode AutoCSRSettingReplace(Mat A, size_t offset, const void *value, size_t size)
{
  AutoCSRSettings settings;
  PetscBool       has = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(AutoCSRSettingsGet(A, &settings, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemcpy((char *)&settings + offset, value, size));
  PetscCall(AutoCSRSettingsHand(A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#define REPLACE(A, setting, value) AutoCSRSettingReplace(A, offsetof(AutoCSRSettings, setting), &(value), sizeof(((AutoCSRSettings *)0)->setting))

/*@C
  MatAutoCSRSetStrategy - Sets the strategy by which a matrix is multiplied

  Logically Collective

  Input Parameters:
+ A        - the matrix
- strategy - `"auto"`, or the name of a strategy, see below

  Options Database Key:
. -mat_autocsr_strategy <auto> - the strategy

  Level: intermediate

  Notes:
  `"csr"` takes the rows in place; `"csr-vector"` likewise, with one number of lanes for all rows;
  `"csr-adaptive"` takes blocks of rows through shared memory, `"light"` has rows fetched by whoever is free, `"pcsr"` makes all
  products before the sums, `"merge"` cuts the merge path of rows and nonzeros (these as in Dufrechou et al. 2021); `"binned"` sorts groups of
  rows into bins by their length and gives each bin a kernel (Hou, Feng, Che 2017; on a device not chosen unless asked for); `"rowbins"` bins each row by its own
  length: short ones in slices, the longest over many blocks; `"segsum"` cuts the nonzeros into equal tiles (Liu, Vinter
  2015); `"sell"` stores slices of rows column by column, `"sellp"` with several lanes a row (devices only), `"ell"` with all rows as
  long as the longest; `"cusparse-alg1"`, `"cusparse-alg2"`, `"cusparse-sell"` and `"cusparse-bsr"` are the vendor's (devices only); `"pattern"` stores lists of column offsets and no index for an entry; `"symmetric"` of such rows the values on
  the diagonal and above it, where those below are the same (processors only); `"block"` one column for each dense block; `"inode"` the columns of one row for each run of rows that share them,
  as MATAIJ's i-nodes do (processors only);
  `"coltile"` cuts the columns into tiles whose part of x is kept near (shared memory on a device) and adds up sums of pieces of rows;
  `"propagate"` keeps all products in such tiles' order and adds them by blocks of rows, so that nothing is gathered from memory (devices only);
  `"popular"` takes tiles of the columns with the most entries first, as graphs have them, and sums of pieces by blocks of rows (devices only);
  `"graph"` is what `MatAutoCSRSetGraph()` has set.

  A strategy that cannot be applied to the matrix gives way to `"csr"`; `MatAutoCSRView()` says why.

  An unknown name is an error that lists the names (`PETSC_ERR_ARG_UNKNOWN_TYPE`). With the rigor `none` no strategy is looked at. On a matrix of another type nothing
  happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetRigor()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetStrategy(Mat A, const char strategy[])
{
  char name[sizeof(((AutoCSRSettings *)0)->strategy)] = "";

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(name, strategy, sizeof(name)));
  PetscCall(REPLACE(A, strategy, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetRigor - Sets how much work may go into choosing the plan of a matrix

  Logically Collective

  Input Parameters:
+ A     - the matrix
- rigor - `MAT_AUTOCSR_RIGOR_NONE`, `MAT_AUTOCSR_RIGOR_ESTIMATE` (the default), `MAT_AUTOCSR_RIGOR_MEASURE`, `MAT_AUTOCSR_RIGOR_PATIENT` or `MAT_AUTOCSR_RIGOR_EXHAUSTIVE`

  Options Database Key:
. -mat_autocsr_rigor (none|estimate|measure|patient|exhaustive) - the rigor

  Level: intermediate

  Note:
  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRRigor`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetRigor(Mat A, MatAutoCSRRigor rigor)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, rigor, rigor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetObjective - Sets what the choice of the plan minimizes

  Logically Collective

  Input Parameters:
+ A         - the matrix
- objective - `MAT_AUTOCSR_OBJECTIVE_TIME` (the default), `MAT_AUTOCSR_OBJECTIVE_MEMORY` or `MAT_AUTOCSR_OBJECTIVE_ENERGY`

  Options Database Key:
. -mat_autocsr_objective (time|memory|energy) - the objective

  Level: intermediate

  Notes:
  `MAT_AUTOCSR_OBJECTIVE_ENERGY` reads the counter of an NVIDIA GPU (NVML) with the rigor `MAT_AUTOCSR_RIGOR_MEASURE`: products of each candidate are
  repeated for half a second, and the plan that takes fewest joules stays. The counter is the whole device's, so other programs on it disturb. With
  another rigor trees tell the power of each candidate, if the library has trees of joules of this very device, or `-mat_autocsr_learned` names a file that
  has some. Without these or without a counter, time stands for energy, and the view says so.

  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRObjective`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetObjective(Mat A, MatAutoCSRObjective objective)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, objective, objective));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetChooser - Sets who chooses the plan of a matrix

  Logically Collective

  Input Parameters:
+ A       - the matrix
- chooser - `MAT_AUTOCSR_CHOOSER_AUTO` (the default), `MAT_AUTOCSR_CHOOSER_MODEL`, `MAT_AUTOCSR_CHOOSER_TWO_STAGE`, `MAT_AUTOCSR_CHOOSER_TREES` or `MAT_AUTOCSR_CHOOSER_CORRECTED`

  Options Database Key:
. -mat_autocsr_chooser (auto|model|two-stage|trees|corrected) - the chooser

  Level: intermediate

  Notes:
  `MAT_AUTOCSR_CHOOSER_AUTO` is `MAT_AUTOCSR_CHOOSER_CORRECTED` on a GPU for which the library ships trees, or where `-mat_autocsr_learned` names some,
  else `MAT_AUTOCSR_CHOOSER_MODEL`. Figures that `-mat_autocsr_machine` names are another machine's to it, for which no trees were trained.

  All but the cost model are decision trees, which were trained on products that were measured on one machine. The library ships
  them for some machines; those of another are trained there (`make tune`) and named by `-mat_autocsr_learned`. Where there are none, the
  cost model chooses, and `-info` and `MatAutoCSRView()` say so.

  A strategy that the user names stays; the chooser then chooses among its variants.

  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRChooser`, `MatAutoCSRSetStrategy()`, `MatAutoCSRSetRigor()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetChooser(Mat A, MatAutoCSRChooser chooser)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, chooser, chooser));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetIndexCoding - Sets how a plan stores the columns of the entries

  Logically Collective

  Input Parameters:
+ A      - the matrix
- coding - `MAT_AUTOCSR_INDEX_AUTO` (the default) or the only coding that may be used

  Options Database Key:
. -mat_autocsr_index_coding (auto|csr|32|16|pattern|fitted) - the coding

  Level: advanced

  Note:
  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRIndexCoding`, `MatAutoCSRSetValueCoding()`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetIndexCoding(Mat A, MatAutoCSRIndexCoding coding)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, index, coding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetValueCoding - Sets how a plan stores the values of the entries

  Logically Collective

  Input Parameters:
+ A      - the matrix
- coding - `MAT_AUTOCSR_VALUE_AUTO` (the default) or the only coding that may be used

  Options Database Key:
. -mat_autocsr_value_coding (auto|csr|copy|dictionary|float32|pattern|constant) - the coding

  Level: advanced

  Notes:
  Every coding is lossless: one that cannot hold the values bit for bit is not used.

  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRValueCoding`, `MatAutoCSRSetIndexCoding()`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetValueCoding(Mat A, MatAutoCSRValueCoding coding)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, value, coding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetGranularity - Sets the number of rows that the strategy `"binned"` puts into a bin together

  Logically Collective

  Input Parameters:
+ A    - the matrix
- rows - rows of a virtual row: 10, 20, 50, 100, ... 1000000, or 0 (the default): chosen

  Options Database Key:
. -mat_autocsr_granularity <0> - the number of rows

  Level: advanced

  Notes:
  This is U of Hou, Feng, Che 2017, III-B.

  On a device `"binned"` is among the strategies that `"auto"` chooses from only where this or `MatAutoCSRSetMaxBins()` was called:
  others took no longer.

  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetMaxBins()`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetGranularity(Mat A, PetscInt rows)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, granularity, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetMaxBins - Sets the most bins that the strategy `"binned"` makes

  Logically Collective

  Input Parameters:
+ A    - the matrix
- bins - from 1 (all rows in a single bin) to 100 (the default)

  Options Database Key:
. -mat_autocsr_max_bins <100> - the number of bins

  Level: advanced

  Notes:
  The last bin takes all longer rows (Hou, Feng, Che 2017, III-B).

  On a device fewer than 100 also have `"auto"` choose from `"binned"`, which it else leaves out there.

  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetGranularity()`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetMaxBins(Mat A, PetscInt bins)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, max_bins, bins));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetSegsumFixup - Sets where the segmented sum on a device joins the parts of rows that its tiles cut

  Logically Collective

  Input Parameters:
+ A     - the matrix
- fixup - `MAT_AUTOCSR_SEGSUM_FIXUP_DEVICE` (the default) or `MAT_AUTOCSR_SEGSUM_FIXUP_HOST`

  Options Database Key:
. -mat_autocsr_segsum_fixup <device> - device or host

  Level: advanced

  Notes:
  The host joins them in the paper (Liu, Vinter 2015, 3.2), on processors that share a memory; across a bus it costs every
  product two copies and a synchronization. Plans on the host are not concerned.

  The plan of the matrix is made again at the next product. An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another
  type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRSegsumFixup`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetSegsumFixup(Mat A, MatAutoCSRSegsumFixup fixup)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, segsum_fixup, fixup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetDense - Sets how products with dense matrices are made

  Logically Collective

  Input Parameters:
+ A   - the matrix
- way - `MAT_AUTOCSR_DENSE_AUTO` (the default), `MAT_AUTOCSR_DENSE_COLUMNS`, `MAT_AUTOCSR_DENSE_PANELS`, `MAT_AUTOCSR_DENSE_ALONGSIDE`, `MAT_AUTOCSR_DENSE_ADAPTIVE` or `MAT_AUTOCSR_DENSE_BUNDLES`

  Options Database Key:
. -mat_autocsr_dense <auto> - auto, columns, panels, alongside, adaptive or bundles

  Level: advanced

  Notes:
  It concerns `MatMatMult()` with a dense matrix, `MatAutoCSRSDDMM()` and what calls them. The plan for products with vectors
  stays. Adaptive sparse tiles (Hong and others, PPoPP 2019) keep a copy of columns and values, and their places in the CSR.
  Bundles keep each column once for the eight rows of a bundle, and are multiplied by the cores for 8 by 4 tiles of doubles.

  An unknown value is an error that lists the choices (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another type nothing happens.

.seealso: `MATAUTOCSR`, `MatAutoCSRDense`, `MatAutoCSRSDDMM()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetDense(Mat A, MatAutoCSRDense way)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, dense, way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetExchange - Sets how a parallel product on devices gets the entries of the vector that other processes own

  Logically Collective

  Input Parameters:
+ A        - the matrix
- exchange - `MAT_AUTOCSR_EXCHANGE_AUTO` (the default), `MAT_AUTOCSR_EXCHANGE_HOST` or `MAT_AUTOCSR_EXCHANGE_SCATTER`, the same on all processes

  Options Database Key:
. -mat_autocsr_exchange <auto> - auto, host or scatter

  Level: advanced

  Notes:
  Where MPI has no access to devices, PETSc's `VecScatter` copies on the stream of the products: what is received waits for the
  product of the diagonal block. The other ways are on a stream of their own, and take no time as long as that product takes longer.
  To open the memory of another device takes milliseconds: by default it is done once products have lost as much, by prediction
  (`MatAutoCSRSetProgressive()`); `MatAutoCSRInfo`'s settled tells when. The sums have the same bits.

  Matrices on the host, and MPI with access to devices (`-use_gpu_aware_mpi`), use PETSc's `VecScatter`. An unknown value is an
  error that lists the choices.

.seealso: `MATAUTOCSR`, `MatAutoCSRExchange`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetExchange(Mat A, MatAutoCSRExchange exchange)
{
  PetscFunctionBegin;
  PetscCall(REPLACE(A, exchange, exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetProgressive - Sets whether the plan of a matrix comes step by step

  Logically Collective

  Input Parameters:
+ A           - the matrix
- progressive - `PETSC_TRUE` (the default): the first products are made by a plan that costs nothing, until they have cost as
                much as a better one will; `PETSC_FALSE`: the plan is made before the first product, and stays

  Options Database Key:
. -mat_autocsr_progressive <true> - true or false

  Level: intermediate

  Notes:
  However many products a matrix will see, the time for them and for planning is then at most about twice that of the best
  plan made at the best time; of several processes, whose blocks are planned in the same products, a quarter more. The step
  comes after a number of products that follows from the costs that the cost model predicts, and no clock is looked at, so that it is the same in every run. With the plan the last bits of a product may
  change, since it adds in another order: set `PETSC_FALSE` where products in one run must have the same bits.

  Only what the library chooses itself is planned in steps: at rigor `MAT_AUTOCSR_RIGOR_ESTIMATE`, with the strategy `"auto"`
  and the codings left to it.

  The plan of the matrix is made again at the next product.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetRigor()`, `MatAutoCSRGetInfo()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetProgressive(Mat A, PetscBool progressive)
{
  const PetscBool value = progressive ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(REPLACE(A, progressive, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetReproducible - Sets whether products have the same bits in every run, or a plan that turns out slow may be undone

  Logically Collective

  Input Parameters:
+ A            - the matrix
- reproducible - `PETSC_TRUE` (the default): no clock has a say in which plan multiplies; `PETSC_FALSE`: see below

  Options Database Key:
. -mat_autocsr_reproducible <true> - true or false

  Level: advanced

  Notes:
  With `PETSC_FALSE` five products of the first plan of progressive planning (`MatAutoCSRSetProgressive()`) are timed, and five of the
  plan that follows; a device is not waited for. If the median of these is more than 1.1 times that of those, the next best candidate
  of another strategy takes the plan's place, twice at most, then the first plan. Then nothing is timed any more. -info tells the
  times.

  Each process times and undoes its own two blocks of a parallel matrix, without a message. All of them build other plans in products
  of the same number, each eighth, so that they seldom wait for each other.

  The plan of the matrix is made again at the next product.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetProgressive()`, `MatAutoCSRSetRigor()`, `MatAutoCSRGetInfo()`
@*/
PetscErrorCode MatAutoCSRSetReproducible(Mat A, PetscBool reproducible)
{
  const PetscBool value = reproducible ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(REPLACE(A, reproducible, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetKeepCSR - Sets whether the CSR of a matrix stays on a device beside a plan that makes no use of it

  Logically Collective

  Input Parameters:
+ A    - the matrix
- keep - `PETSC_TRUE`: the arrays stay; `PETSC_FALSE` (the default): they are let go once products have taken four times as
         long as bringing them back would, with `MAT_AUTOCSR_OBJECTIVE_MEMORY` after the plan's first product

  Options Database Key:
. -mat_autocsr_keep_csr <false> - true or false

  Level: advanced

  Notes:
  Copies of the host stay. What reads or changes the matrix on the device afterwards, such as `MatAXPY()`, brings the arrays there
  again, of the host's copy. They stay in any case where a segment of the plan uses them in place, where the device has the only
  values, once the matrix has been an operand or the result of a `MatProduct` or got values by `MatSetValuesCOO()` (a block of a
  parallel matrix: from the second time on), below a megabyte, and with `-mat_autocsr_takeover`.

  Unless they are to stay, in one of these cases or by this function, products bring a large matrix of the host to the device in
  arrays of the library's own, and PETSc has none there.

  Set `PETSC_TRUE` where a program holds the pointers that `MatSeqAIJCUSPARSEGetIJ()` or `MatSeqAIJCUSPARSEGetArrayRead()` gave
  while it multiplies, or calls `MatSeqAIJCUSPARSEGetArrayWrite()`, which wants arrays that are there. What
  `MatCUSPARSESetUseCPUSolve()` has set is forgotten with the arrays; options `-mat_cusparse_...` are read again.

  The plan of the matrix is made again at the next product.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetObjective()`, `MatAutoCSRGetInfo()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetKeepCSR(Mat A, PetscBool keep)
{
  const PetscBool value = keep ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(REPLACE(A, keep_csr, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatAutoCSRSetGraph - Sets the operator graph by which a matrix is multiplied

  Logically Collective

  Input Parameters:
+ A     - the matrix
- graph - the graph as text, up to 1,023 characters; "": none, the library chooses again

  Options Database Key:
. -mat_autocsr_graph <graph> - the graph

  Level: advanced

  Notes:
  A graph says which rows are multiplied how, operator by operator: `"bin(0:31) sort_sub(window=256) compress bmtb_pad slice_block; bin(32:) compress row_block(lanes=32)"`
  takes rows of up to 31 entries in sorted slices and longer ones in place by 32 lanes each. doc/graph.md has all operators. `MatAutoCSRGetGraph()` and `MatAutoCSRView()` tell the graph of a plan.

  It sets the strategy `"graph"`. Each block of the matrix (diagonal and off-diagonal on several processes) is multiplied by the graph; one that the graph does not suit is multiplied by `"csr"`, and
  `MatAutoCSRView()` says why. The transpose that transposed products make on a device is multiplied as the library chooses.

  Text that is no graph is an error that names the operator and the choices (`PETSC_ERR_USER_INPUT`). On a matrix of another type nothing happens.

  References:
. * - Z. Du et al., AlphaSparse: Generating High Performance SpMV Codes Directly from Sparse Matrices, SC 2022

.seealso: `MATAUTOCSR`, `MatAutoCSRGetGraph()`, `MatAutoCSRSetStrategy()`, `MatAutoCSRView()`
@*/
PetscErrorCode MatAutoCSRSetGraph(Mat A, const char graph[])
{
  AutoCSRSettings settings;
  PetscBool       has = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(AutoCSRSettingsGet(A, &settings, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRSettingsSetGraph(&settings, graph));
  PetscCall(AutoCSRSettingsHand(A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatAutoCSRSetSearch - Sets how long the search for an operator graph may take, and whether it tells how far it is

  Logically Collective

  Input Parameters:
+ A       - the matrix
. seconds - of a search, for each block of the matrix; 0: 60 at rigor patient, 300 at exhaustive
- monitor - `PETSC_TRUE`: each process prints every five seconds how many graphs have been run, what the best takes and how much time is left

  Options Database Keys:
+ -mat_autocsr_search_seconds <0>     - the seconds
. -mat_autocsr_search_monitor <false> - the monitor
- -mat_autocsr_search_without <parts>  - some of pruning, surrogate and generator, which are left out to find out what each is worth

  Level: advanced

  Notes:
  It has effect at the rigors `MAT_AUTOCSR_RIGOR_PATIENT` and `MAT_AUTOCSR_RIGOR_EXHAUSTIVE` (`MatAutoCSRSetRigor()`). The first product then searches. Structures of graphs are enumerated and annealed, and a surrogate that learns
  from those that were run proposes others. The product of each graph is compared with that of the CSR before it counts. `MatAutoCSRGetGraph()` gives what was found.
  With a strategy, a graph or a coding that is set, or with the objective memory, nothing is searched; these rigors are then `MAT_AUTOCSR_RIGOR_MEASURE`.

  More than 1e6 seconds or less than none are an error (`PETSC_ERR_ARG_OUTOFRANGE`). On a matrix of another type nothing happens.

  References:
. * - Z. Du et al., AlphaSparse: Generating High Performance SpMV Codes Directly from Sparse Matrices, SC 2022

.seealso: `MATAUTOCSR`, `MatAutoCSRSetRigor()`, `MatAutoCSRGetGraph()`, `MatAutoCSRSetGraph()`
@*/
PetscErrorCode MatAutoCSRSetSearch(Mat A, PetscReal seconds, PetscBool monitor)
{
  AutoCSRSettings settings;
  PetscBool       has = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(AutoCSRSettingsGet(A, &settings, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  settings.search_seconds = seconds;
  settings.search_monitor = monitor;
  PetscCall(AutoCSRSettingsHand(A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}
