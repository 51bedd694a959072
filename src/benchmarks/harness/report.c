/* The table on standard output and the CSV file. */
#include "bench.h"
#include <ctype.h>
#include <time.h>

#define BENCH_MAX_MATRICES 1024
#define BENCH_MAX_COLUMNS  16
#define BENCH_SLOWER       0.995 /* a ratio below this is printed as less than 1.00x */

/* One line of the closing table */
typedef struct {
  const char *group;
  char        matrix[64], chosen[32], peer[32];
  double      ratio[BENCH_MAX_COLUMNS]; /* 0: not measured */
  double      peer_us, us;
} Line;

struct _Report {
  const Machine *machine;
  FILE          *csv; /* of the first rank */
  PetscMPIInt    ranks;
  char           date[16], device[128], petsc[64], scalar[32], path[PETSC_MAX_PATH_LEN];
  PetscInt       n;
  Line           line[BENCH_MAX_MATRICES];
};

PetscErrorCode ReportOpen(const Machine *machine, const char folder[], const char label[], Report *report)
{
  const time_t now = time(NULL);
  char         name[256], several[16];
  PetscMPIInt  rank;
  Report       r;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(report));
  r          = *report;
  r->machine = machine;
  strftime(r->date, sizeof(r->date), "%Y-%m-%d", gmtime(&now));
  PetscCall(machine->describe(r->device, sizeof(r->device)));
  PetscCall(PetscSNPrintf(r->petsc, sizeof(r->petsc), "%d.%d.%d%s%s", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, sizeof(PetscInt) == 8 ? "-int64" : "", PetscDefined(USE_DEBUG) ? "-debug" : ""));
  PetscCall(PetscSNPrintf(r->scalar, sizeof(r->scalar), "%s%s", PetscDefined(USE_COMPLEX) ? "complex" : "real", PetscDefined(USE_REAL_SINGLE) ? "32" : "64"));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &r->ranks));
  PetscCall(PetscSNPrintf(several, sizeof(several), r->ranks > 1 ? "-%dranks" : "", r->ranks));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, PETSc %s, %s%s\n", r->device, r->petsc, r->scalar, several));
  if (folder[0] && !rank) {
    const char *driver = strstr(r->device, " driver"); /* names leave out what changes with each update of the machine: a newer run takes the place of an older one */

    PetscCall(PetscSNPrintf(name, sizeof(name), "%.*s-%s%s%s%s.csv", driver ? (int)(driver - r->device) : (int)strlen(r->device), r->device, r->scalar, several, label[0] ? "-" : "", label));
    for (char *c = name; *c; c++) *c = strchr(" ()@/", *c) ? '-' : (char)tolower(*c);
    PetscCall(PetscSNPrintf(r->path, sizeof(r->path), "%s/%s", folder, name));
    r->csv = fopen(r->path, "w");
    PetscCheck(r->csv, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s: -results must name a folder that is there", r->path);
    fprintf(r->csv, "date,device,petsc,matrix,rows,nnz,op,k,scalar,variant,us,setup_products,bytes,own,executor,predicted,ranks\n");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shortest time of a column's variants; 0: not measured */
static PetscErrorCode ColumnTime(const Column *column, const Result result[], PetscInt n, double *us)
{
  const char  *star = strchr(column->variant, '*');
  const size_t len  = star ? (size_t)(star - column->variant) : strlen(column->variant) + 1;

  PetscFunctionBeginUser;
  *us = 0;
  for (PetscInt v = 0; v < n; v++) {
    if (!strncmp(result[v].variant->name, column->variant, len) && (*us <= 0 || result[v].us < *us)) *us = result[v].us;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportMatrix(Report r, const char group[], const char matrix[], const Csr *csr, const Op *op, const Result result[], PetscInt n)
{
  const PetscInt64 nnz   = csr->nnz;
  const int        width = PetscMax(16, r->machine->width);
  const Result    *best  = NULL;
  Line            *line  = &r->line[r->n];

  PetscFunctionBeginUser;
  PetscCheck(r->n < BENCH_MAX_MATRICES, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "More than %d matrices", BENCH_MAX_MATRICES);
  r->n++;
  line->group = group;
  for (PetscInt v = 0; v < n; v++) {
    if (result[v].variant->baseline && (!best || result[v].us < best->us)) best = &result[v];
  }
  PetscCall(PetscStrncpy(line->matrix, matrix, sizeof(line->matrix)));
  PetscCall(PetscStrncpy(line->peer, best->variant->name, sizeof(line->peer)));
  line->peer_us = best->us;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%s %s: %" PetscInt64_FMT " x %" PetscInt_FMT ", %" PetscInt64_FMT " nonzeros, CSR %.1f MB\n", matrix, op->name, csr->rows, csr->n, nnz, 1e-6 * (double)CsrBytes(csr->rows, nnz)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-*s %12s %7s %9s %9s %7s%s\n", width, "variant", "us", "ratio", "setup", "bytes/nnz", "GB/s", r->machine->show_own ? " own/CSR" : ""));
  for (PetscInt v = 0; v < n; v++) {
    const Result   *t     = &result[v];
    const double    ratio = best->us / t->us;
    const PetscBool plain = (PetscBool)!strcmp(t->variant->name, MATAUTOCSR);

    if (plain) {
      line->us = t->us;
      PetscCall(PetscStrncpy(line->chosen, t->chosen, sizeof(line->chosen)));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-*s %12.2f %6.2fx %9.2f %9.2f %7.2f", width, t->variant->name, t->us, ratio, t->setup_products, (double)t->bytes / PetscMax((double)nnz, 1), 1e-3 * (double)t->bytes / t->us));
    if (r->machine->show_own) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %7.2f", (double)t->own / (double)CsrBytes(csr->rows, nnz)));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%s\n", plain ? " " : "", plain ? t->chosen : ""));
    if (r->csv) fprintf(r->csv, "%s,%s,%s,%s,%lld,%lld,%s,%lld,%s,%s,%.3f,%.3f,%lld,%lld,%s,%.3f,%d\n", r->date, r->device, r->petsc, matrix, (long long)csr->rows, (long long)nnz, op->name, (long long)op->k, r->scalar, t->variant->name, t->us, t->setup_products, (long long)t->bytes, (long long)t->own, t->executor, t->predicted, r->ranks);
  }
  if (r->csv) fflush(r->csv);
  for (const Column *c = r->machine->columns; c->title; c++) {
    double us;

    PetscCall(ColumnTime(c, result, n, &us));
    if (us > 0 && (line->us > 0 || !r->machine->against)) line->ratio[c - r->machine->columns] = r->machine->against ? us / line->us : best->us / us;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool Below(double ratio)
{
  return (PetscBool)(ratio > 0 && ratio < BENCH_SLOWER);
}

/* Does a matrix belong to a group (NULL: all but those that are aside)? */
static PetscBool Belongs(const Line *line, const char group[])
{
  return (PetscBool)(group ? line->group == group : strcmp(line->group, BENCH_ASIDE) != 0);
}

/* Geometric means over the matrices of a group (NULL: all) where a column was measured */
static PetscErrorCode Means(Report r, const char group[])
{
  PetscInt below = 0, measured = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "geometric mean, %-*s", 44 + r->machine->width, group ? group : "all"));
  for (const Column *c = r->machine->columns; c->title; c++) {
    double   sum   = 0;
    PetscInt count = 0;

    for (PetscInt i = 0; i < r->n; i++) {
      const double ratio = r->line[i].ratio[c - r->machine->columns];

      if (ratio <= 0 || !Belongs(&r->line[i], group)) continue;
      sum += log(ratio);
      count++;
    }
    if (count)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %9.2fx ", exp(sum / (double)count)));
    else
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %11s", "- "));
  }
  for (PetscInt i = 0; i < r->n; i++) {
    const Line *l = &r->line[i];

    if (l->us <= 0 || !Belongs(l, group)) continue;
    measured++;
    below += Below(l->peer_us / l->us);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  autocsr slower on %" PetscInt_FMT " of %" PetscInt_FMT "\n", below, measured));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices on which autocsr is slower than a marked column */
static PetscErrorCode Slower(Report r, const Column *column)
{
  PetscInt below = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "slower than %s:", column->title));
  for (PetscInt i = 0; i < r->n; i++) {
    const double ratio = r->line[i].ratio[column - r->machine->columns];

    if (!Below(ratio)) continue;
    below++;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %s (%.2fx)", r->line[i].matrix, ratio));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", below ? "" : " nowhere"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Closing(Report r)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, r->machine->against ? "\nTimes that autocsr is faster than each; '<' marks where it is slower (best: of %s)" : "\nTimes faster than the best of %s; '<' marks what is slower", r->machine->peers));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%-22s %-*s %12s %12s  %-10s", "matrix", r->machine->width, "best", "best us", "autocsr us", "choice"));
  for (const Column *c = r->machine->columns; c->title; c++) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %11s", c->title));
  for (PetscInt i = 0; i < r->n; i++) {
    const Line *l = &r->line[i];

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%-22s %-*s %12.2f %12.2f  %-10s", l->matrix, r->machine->width, l->peer, l->peer_us, l->us, l->chosen));
    for (const Column *c = r->machine->columns; c->title; c++) {
      const double ratio = l->ratio[c - r->machine->columns];

      if (ratio > 0)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %9.2fx%s", ratio, c->mark && Below(ratio) ? "<" : " "));
      else
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %11s", "- "));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  for (PetscInt i = 0; i < r->n; i++) { /* the groups come one after the other */
    if (!i || r->line[i].group != r->line[i - 1].group) PetscCall(Means(r, r->line[i].group));
  }
  PetscCall(Means(r, NULL));
  for (const Column *c = r->machine->columns; c->title; c++) {
    if (r->machine->against && c->mark) PetscCall(Slower(r, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportClose(Report *report)
{
  PetscFunctionBeginUser;
  PetscCall(Closing(*report));
  if ((*report)->csv) {
    fclose((*report)->csv);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "results: %s\n", (*report)->path));
  }
  PetscCall(PetscFree(*report));
  PetscFunctionReturn(PETSC_SUCCESS);
}
