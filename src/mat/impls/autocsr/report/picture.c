/*
  The pattern of a matrix on a raster, by segments of its plan.

  Each process looks at rows of each of its segments, spread evenly over the segment, and at entries of each row, spread evenly
  over the row. A looked-at entry counts for those beside it. So a picture costs little, and no segment is missed.
*/
#include "../mpi/mpiautocsr.h"
#include "../backend.h"
#include "picture.h"

#define AUTOCSR_PICTURE_ROWS    32 /* rows of a segment that are looked at for each row of cells */
#define AUTOCSR_PICTURE_ENTRIES 4  /* entries of a row that are looked at for each column of cells */

/* One block of this process, on the host, and where it lies in the matrix */
typedef struct {
  const AutoCSRContext *ctx;
  Mat                   mat;
  PetscInt              m, nnz;
  const PetscInt       *row_ptr, *col;
  PetscInt              row_begin, col_begin;
  const PetscInt       *columns; /* of the matrix, by the block's; NULL: they begin at col_begin */
} AutoCSRPictureBlock;

/* NULL: the parent multiplies the block, which then counts as one segment */
static const AutoCSRPlan *AutoCSRPicturePlan(const AutoCSRPictureBlock *b)
{
  const AutoCSRPlan *plan = b->ctx->planned.plan;

  return plan && !plan->parents ? plan : NULL;
}

static PetscInt AutoCSRPictureSegments(const AutoCSRPictureBlock *b)
{
  const AutoCSRPlan *plan = AutoCSRPicturePlan(b);

  return plan ? plan->n_segments : b->nnz > 0;
}

/* The k-th of `looks` places among n, unevenly enough to hit no period of a grid */
static PetscInt AutoCSRPicturePlace(PetscInt k, PetscInt looks, PetscInt n)
{
  double shift;

  if (looks == n) return k;
  shift = 0.6180339887498949 * (double)k;
  shift -= PetscFloorReal((PetscReal)shift);
  return PetscMin((PetscInt)(((double)k + shift) * (double)n / (double)looks), n - 1);
}

/* Rows begin to begin + n - 1 of a block or, if there are names, those of the segment; of a set, NULL: of none, its entries alone */
static void AutoCSRPictureCount(const AutoCSRPictureBlock *b, const AutoCSRPicture *p, const AutoCSRSegment *named, const AutoCSRRowSet *set, PetscInt begin, PetscInt n, float *cells)
{
  const PetscInt looks = PetscMin(n, AUTOCSR_PICTURE_ROWS * p->rows);

  for (PetscInt k = 0; k < looks; k++) {
    const PetscInt at    = AutoCSRPicturePlace(k, looks, n);
    const PetscInt row   = named ? AutoCSRSegmentRow(named, at) : begin + at;
    const PetscInt first = b->row_ptr[row], length = b->row_ptr[row + 1] - first;
    const PetscInt entries = PetscMin(length, AUTOCSR_PICTURE_ENTRIES * p->cols);
    const PetscInt y       = PetscMin((PetscInt)((double)(b->row_begin + row) * (double)p->rows / p->m), p->rows - 1);
    const float    weight  = (float)((double)n / looks * length / PetscMax(entries, 1));

    for (PetscInt e = 0; e < entries; e++) {
      const PetscInt col = b->col[first + AutoCSRPicturePlace(e, entries, length)];

      if (set && !AutoCSRHasNearness(row, col, set->reach, set->nearness)) continue;
      const PetscInt x   = PetscMin((PetscInt)((double)(b->columns ? b->columns[col] : b->col_begin + col) * (double)p->cols / p->n), p->cols - 1);

      cells[y * p->cols + x] += weight;
    }
  }
}

/* A copy of the segment whose names of rows lie on the host; free its ROWS */
static PetscErrorCode AutoCSRPictureNames(const AutoCSRSegment *s, AutoCSRSegment *host)
{
  const AutoCSRStream *rows = &s->stream[AUTOCSR_STREAM_ROWS];
  void                *names;

  PetscFunctionBegin;
  *host = *s;
  if (!rows->data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc(rows->bytes, &names));
  PetscCall((*s->backend->to_host)(names, rows->data, rows->bytes));
  host->stream[AUTOCSR_STREAM_ROWS].data = names;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRPictureLabel(const AutoCSRPictureBlock *b, const AutoCSRSegment *s, char label[], size_t length)
{
  PetscFunctionBegin;
  if (s)
    PetscCall(PetscSNPrintf(label, length, "%s, %s%s", s->strategy, s->executor ? s->executor->name : "no executor", b->columns ? ", off-diagonal" : ""));
  else
    PetscCall(PetscSNPrintf(label, length, "as AIJ multiplies%s", b->columns ? ", off-diagonal" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The key of this label, or the last one if there is no room for another */
static PetscInt AutoCSRPictureFind(AutoCSRPictureKey key[], PetscInt *n, const char label[])
{
  PetscInt k = 0;

  while (k < *n && strcmp(key[k].label, label)) k++;
  if (k < *n) return k;
  if (*n < AUTOCSR_PICTURE_KEYS - 1) {
    (void)PetscStrncpy(key[*n].label, label, sizeof(key[*n].label));
    return (*n)++;
  }
  *n = AUTOCSR_PICTURE_KEYS;
  (void)PetscStrncpy(key[*n - 1].label, "further segments", sizeof(key[*n - 1].label));
  return *n - 1;
}

static void AutoCSRPictureAdd(AutoCSRPictureKey *to, const AutoCSRPictureKey *from, PetscBool others)
{
  to->segments += from->segments;
  to->rows += from->rows;
  to->nnz += from->nnz;
  to->bytes += from->bytes;
  to->seconds  = others ? PetscMax(to->seconds, from->seconds) : to->seconds + from->seconds;
  to->measured = to->measured || from->measured;
}

/* Keys of this process's blocks; of[] has each segment's, block after block: -1 if it has no entries */
static PetscErrorCode AutoCSRPictureOwnKeys(const AutoCSRPictureBlock block[], PetscInt n_blocks, AutoCSRPictureKey own[], PetscInt *n_own, PetscInt of[])
{
  PetscFunctionBegin;
  *n_own = 0;
  for (PetscInt k = 0, at = 0; k < n_blocks; k++) {
    const AutoCSRPictureBlock *b    = &block[k];
    const AutoCSRPlan         *plan = AutoCSRPicturePlan(b);
    const PetscInt             n    = AutoCSRPictureSegments(b);

    for (PetscInt s = 0; s < n; s++, at++) {
      const AutoCSRSegment *seg  = plan ? &plan->segment[s] : NULL;
      AutoCSRPictureKey     add  = {.segments = 1};
      PetscInt              same = 1;
      size_t                length;

      of[at] = -1;
      if (seg && !seg->nnz) continue;
      PetscCall(AutoCSRPictureLabel(b, seg, add.label, sizeof(add.label)));
      for (PetscInt t = 0; t < s; t++) {
        char label[sizeof(add.label)];

        PetscCall(AutoCSRPictureLabel(b, &plan->segment[t], label, sizeof(label)));
        if (!strcmp(label, add.label)) same++;
      }
      PetscCall(PetscStrlen(add.label, &length));
      if (same > 1) PetscCall(PetscSNPrintf(add.label + length, sizeof(add.label) - length, " (%" PetscInt_FMT ")", same));
      add.rows     = (double)(seg ? seg->n_rows : b->m);
      add.nnz      = (double)(seg ? seg->nnz : b->nnz);
      add.bytes    = seg ? seg->bytes : (double)b->nnz * (sizeof(PetscInt) + sizeof(PetscScalar));
      add.measured = seg && seg->measured > 0;
      add.seconds  = seg ? (add.measured ? seg->measured : seg->predicted) : 0;
      of[at]       = AutoCSRPictureFind(own, n_own, add.label);
      AutoCSRPictureAdd(&own[of[at]], &add, PETSC_FALSE);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The keys of all processes, the same on each, in place of this process's in of[] */
static PetscErrorCode AutoCSRPictureAllKeys(MPI_Comm comm, AutoCSRPicture *p, const AutoCSRPictureKey own[], PetscInt n_own, PetscInt n, PetscInt of[])
{
  AutoCSRPictureKey *all = NULL;
  PetscMPIInt        rank;
  PetscInt           where[AUTOCSR_PICTURE_KEYS];
  const PetscMPIInt  bytes = (PetscMPIInt)(AUTOCSR_PICTURE_KEYS * sizeof(*all));

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) PetscCall(PetscCalloc1((size_t)p->size * AUTOCSR_PICTURE_KEYS, &all));
  PetscCallMPI(MPI_Gather((void *)own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, comm));
  for (PetscInt k = 0; !rank && k < p->size * AUTOCSR_PICTURE_KEYS; k++) {
    if (all[k].segments) AutoCSRPictureAdd(&p->key[AutoCSRPictureFind(p->key, &p->n_keys, all[k].label)], &all[k], PETSC_TRUE);
  }
  PetscCall(PetscFree(all));
  PetscCallMPI(MPI_Bcast(&p->n_keys, 1, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(p->key, bytes, MPI_BYTE, 0, comm));
  for (PetscInt k = 0; k < n_own; k++) {
    PetscInt known = p->n_keys;

    where[k] = AutoCSRPictureFind(p->key, &known, own[k].label);
  }
  for (PetscInt k = 0; k < n; k++) {
    if (of[k] >= 0) of[k] = where[of[k]];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds up the cells of a key over the processes; the first one keeps what has the most in each cell */
static PetscErrorCode AutoCSRPictureReduce(MPI_Comm comm, AutoCSRPicture *p, PetscInt key, float *cells, float *sum, float *most)
{
  const PetscInt n = p->rows * p->cols;

  PetscFunctionBegin;
  if (p->size > 1)
    PetscCallMPI(MPI_Reduce(cells, sum, (PetscMPIInt)n, MPI_FLOAT, MPI_SUM, 0, comm));
  else
    sum = cells;
  for (PetscInt k = 0; most && k < n; k++) {
    p->entries[k] += sum[k];
    if (sum[k] > most[k]) {
      most[k]  = sum[k];
      p->of[k] = (unsigned char)key;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AutoCSRPictureLevels(AutoCSRPicture *p)
{
  float most = 0;

  for (PetscInt k = 0; k < p->rows * p->cols; k++) most = PetscMax(most, p->entries[k]);
  for (PetscInt k = 0; k < p->rows * p->cols; k++) {
    /* the third root: a cell with an eighth of the entries has half the strength */
    if (p->entries[k] > 0) p->level[k] = (unsigned char)PetscMax(1, PetscMin(AUTOCSR_PICTURE_LEVELS, (int)PetscCeilReal(AUTOCSR_PICTURE_LEVELS * PetscPowReal(p->entries[k] / most, 1. / 3))));
  }
}

/* Cells of the two sides: no more than there are rows and columns, and of the shorter side an eighth of the longer one's at least */
static void AutoCSRPictureShape(AutoCSRPicture *p, PetscInt cells)
{
  const double longer = PetscMax(p->m, p->n);

  p->rows = PetscMax(1, (PetscInt)PetscMin(p->m, PetscMax(cells * (p->m / PetscMax(longer, 1)), cells / 8)));
  p->cols = PetscMax(1, (PetscInt)PetscMin(p->n, PetscMax(cells * (p->n / PetscMax(longer, 1)), cells / 8)));
}

static PetscErrorCode AutoCSRPictureGetBlocks(Mat A, AutoCSRPictureBlock block[], PetscInt *n)
{
  Mat             blocks[AUTOCSR_MAX_BLOCKS];
  const PetscInt *columns = NULL;

  PetscFunctionBegin;
  PetscCall(AutoCSRGetBlocks(A, blocks));
  if (MatIsMPIAutoCSR(A)) PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, NULL, &columns));
  for (*n = 0; *n < AUTOCSR_MAX_BLOCKS && blocks[*n]; (*n)++) {
    AutoCSRPictureBlock *b = &block[*n];
    AutoCSRContext      *ctx;
    PetscBool            done;

    PetscCall(AutoCSRContextGet(blocks[*n], &ctx));
    b->ctx       = ctx;
    b->mat       = blocks[*n];
    b->row_begin = A->rmap->rstart;
    b->col_begin = A->cmap->rstart;
    b->columns   = *n ? columns : NULL;
    PetscCall(MatGetRowIJ(b->mat, 0, PETSC_FALSE, PETSC_FALSE, &b->m, &b->row_ptr, &b->col, &done)); /* on the host, with every parent; of the user's arrays nothing is there, and no cell is drawn */
    b->nnz = done && b->row_ptr && b->m ? b->row_ptr[b->m] : 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells of those segments of this process that have the key */
static PetscErrorCode AutoCSRPictureFill(const AutoCSRPicture *p, const AutoCSRPictureBlock block[], PetscInt n_blocks, const PetscInt of[], PetscInt key, float *cells)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(cells, p->rows * p->cols));
  for (PetscInt k = 0, at = 0; k < n_blocks; k++) {
    const AutoCSRPlan *plan = AutoCSRPicturePlan(&block[k]);
    const PetscInt     n    = AutoCSRPictureSegments(&block[k]);

    for (PetscInt s = 0; s < n; s++, at++) {
      AutoCSRSegment host;

      if (of[at] != key || !block[k].nnz) continue;
      if (!plan) {
        AutoCSRPictureCount(&block[k], p, NULL, NULL, 0, block[k].m, cells);
        continue;
      }
      PetscCall(AutoCSRPictureNames(&plan->segment[s], &host));
      AutoCSRPictureCount(&block[k], p, host.stream[AUTOCSR_STREAM_ROWS].data ? &host : NULL, &host.row_set, host.row_begin, host.n_rows, cells);
      PetscCall(PetscFree(host.stream[AUTOCSR_STREAM_ROWS].data));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPictureCreate(Mat A, PetscInt most_cells, AutoCSRPicture *p)
{
  const MPI_Comm      comm = PetscObjectComm((PetscObject)A);
  AutoCSRPictureBlock block[AUTOCSR_MAX_BLOCKS];
  AutoCSRPictureKey  *own;
  PetscInt            n_blocks = 0, n_own, n = 0, *of;
  PetscMPIInt         rank;
  float              *cells, *sum = NULL, *most = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  PetscCall(PetscMemzero(block, sizeof(block)));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &p->size));
  p->m = (double)A->rmap->N;
  p->n = (double)A->cmap->N;
  AutoCSRPictureShape(p, most_cells);
  PetscCall(AutoCSRPictureGetBlocks(A, block, &n_blocks));
  for (PetscInt k = 0; k < n_blocks; k++) n += AutoCSRPictureSegments(&block[k]);
  PetscCall(PetscMalloc1(n, &of));
  PetscCall(PetscCalloc1(AUTOCSR_PICTURE_KEYS, &own));
  PetscCall(AutoCSRPictureOwnKeys(block, n_blocks, own, &n_own, of));
  PetscCall(AutoCSRPictureAllKeys(comm, p, own, n_own, n, of));
  PetscCall(PetscFree(own));
  PetscCall(PetscMalloc1(p->rows * p->cols, &cells));
  if (!rank) {
    PetscCall(PetscMalloc1(p->rows * p->cols, &sum));
    PetscCall(PetscCalloc1(p->rows * p->cols, &most));
    PetscCall(PetscCalloc1(p->rows * p->cols, &p->entries));
    PetscCall(PetscCalloc1(p->rows * p->cols, &p->of));
    PetscCall(PetscCalloc1(p->rows * p->cols, &p->level));
  }
  for (PetscInt key = 0; key < p->n_keys; key++) {
    p->nnz += p->key[key].nnz;
    PetscCall(AutoCSRPictureFill(p, block, n_blocks, of, key, cells));
    PetscCall(AutoCSRPictureReduce(comm, p, key, cells, sum, most));
  }
  if (!rank) AutoCSRPictureLevels(p);
  PetscCall(PetscFree(most));
  PetscCall(PetscFree(sum));
  PetscCall(PetscFree(cells));
  PetscCall(PetscFree(of));
  for (PetscInt k = 0; k < n_blocks; k++) {
    PetscBool done;

    PetscCall(MatRestoreRowIJ(block[k].mat, 0, PETSC_FALSE, PETSC_FALSE, &block[k].m, &block[k].row_ptr, &block[k].col, &done));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPictureDestroy(AutoCSRPicture *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->level));
  PetscCall(PetscFree(p->of));
  PetscCall(PetscFree(p->entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}
