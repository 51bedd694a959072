/* The table on standard output and the CSV file. */
#include "bench.h"
#include <ctype.h>
#include <time.h>

#define BENCH_MAX_MATRICES 256
#define BENCH_SLOWER       0.995 /* a ratio below this is printed as less than 1.00x */

/* One line of the closing table */
typedef struct {
  const char *group;
  char        matrix[64], chosen[32], peer[16];
  double      ratio[BENCH_MAX_VARIANTS]; /* best of PETSc's types over the variant's time, by place in Variants; 0: not measured */
  double      peer_us, us;
} Line;

struct _Report {
  FILE    *csv;
  char     date[16], device[128], petsc[64], scalar[32], path[PETSC_MAX_PATH_LEN];
  PetscInt n;
  Line     line[BENCH_MAX_MATRICES];
};

static PetscErrorCode Device(char device[], size_t len)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  char  text[256], *name = NULL;
#if defined(__x86_64__)
  const char *simd = __builtin_cpu_supports("avx512f") ? " avx512" : __builtin_cpu_supports("avx2") ? " avx2"
                                                                                                    : " sse2";
#else
  const char *simd = "";
#endif

  PetscFunctionBeginUser;
  while (file && !name && fgets(text, sizeof(text), file)) {
    if (!strncmp(text, "model name", 10) && (name = strchr(text, ':'))) name += 2;
  }
  if (file) fclose(file);
  if (!name) {
    PetscCall(PetscGetArchType(text, sizeof(text)));
    name = text;
  }
  for (char *c = name; *c; c++) {
    if (*c == ',' || *c == '\n') *c = *c == ',' ? ' ' : 0;
  }
  PetscCall(PetscSNPrintf(device, len, "cpu %s%s", name, simd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportOpen(const char folder[], Report *report)
{
  const time_t now = time(NULL);
  char         name[256];
  Report       r;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(report));
  r = *report;
  strftime(r->date, sizeof(r->date), "%Y-%m-%d", gmtime(&now));
  PetscCall(Device(r->device, sizeof(r->device)));
  PetscCall(PetscSNPrintf(r->petsc, sizeof(r->petsc), "%d.%d.%d%s%s", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, sizeof(PetscInt) == 8 ? "-int64" : "", PetscDefined(USE_DEBUG) ? "-debug" : ""));
  PetscCall(PetscSNPrintf(r->scalar, sizeof(r->scalar), "%s%s", PetscDefined(USE_COMPLEX) ? "complex" : "real", PetscDefined(USE_REAL_SINGLE) ? "32" : "64"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, PETSc %s, %s\n", r->device, r->petsc, r->scalar));
  if (folder[0]) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s-%s-petsc%s-%s.csv", r->date, r->device, r->petsc, r->scalar));
    for (char *c = name; *c; c++) *c = strchr(" ()@/", *c) ? '-' : (char)tolower(*c);
    PetscCall(PetscSNPrintf(r->path, sizeof(r->path), "%s/%s", folder, name));
    r->csv = fopen(r->path, "w");
    PetscCheck(r->csv, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s: -results must name a folder that is there", r->path);
    fprintf(r->csv, "date,device,petsc,matrix,rows,nnz,op,k,scalar,variant,us,setup_products,bytes\n");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportMatrix(Report r, const char group[], const char matrix[], const Csr *csr, const Op *op, const Result result[], PetscInt n)
{
  const PetscInt nnz  = csr->row_ptr[csr->m];
  const Result  *best = NULL;
  Line          *line = &r->line[r->n];

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
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n%s %s: %" PetscInt_FMT " x %" PetscInt_FMT ", %" PetscInt_FMT " nonzeros, CSR %.1f MB\n", matrix, op->name, csr->m, csr->n, nnz, 1e-6 * (double)CsrBytes(csr->m, nnz)));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %-16s %12s %7s %9s %9s %7s\n", "variant", "us", "ratio", "setup", "bytes/nnz", "GB/s"));
  for (PetscInt v = 0; v < n; v++) {
    const Result   *t     = &result[v];
    const double    ratio = best->us / t->us;
    const PetscBool plain = (PetscBool)!strcmp(t->variant->name, MATAUTOCSR);

    line->ratio[t->variant - Variants] = ratio;
    if (plain) {
      line->us = t->us;
      PetscCall(PetscStrncpy(line->chosen, t->chosen, sizeof(line->chosen)));
    }
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %-16s %12.2f %6.2fx %9.2f %9.2f %7.2f%s%s\n", t->variant->name, t->us, ratio, t->setup_products, (double)t->bytes / PetscMax((double)nnz, 1), 1e-3 * (double)t->bytes / t->us, plain ? " " : "", plain ? t->chosen : ""));
    if (r->csv) fprintf(r->csv, "%s,%s,%s,%s,%lld,%lld,%s,%lld,%s,%s,%.3f,%.3f,%lld\n", r->date, r->device, r->petsc, matrix, (long long)csr->m, (long long)nnz, op->name, (long long)op->k, r->scalar, t->variant->name, t->us, t->setup_products, (long long)t->bytes);
  }
  if (r->csv) fflush(r->csv);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Geometric means over the matrices of a group (NULL: all) where the variant was measured */
static PetscErrorCode Means(Report r, const char group[])
{
  PetscInt below = 0, measured = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "geometric mean, %-53s", group ? group : "all"));
  for (const Variant *v = Variants; v->name; v++) {
    double   sum   = 0;
    PetscInt count = 0;

    for (PetscInt i = 0; i < r->n; i++) {
      const double ratio = r->line[i].ratio[v - Variants];

      if (ratio <= 0 || (group && r->line[i].group != group)) continue;
      sum += log(ratio);
      count++;
      if (!strcmp(v->name, MATAUTOCSR)) {
        below += ratio < BENCH_SLOWER;
        measured++;
      }
    }
    if (count)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, " %9.2fx ", exp(sum / (double)count)));
    else
      PetscCall(PetscPrintf(PETSC_COMM_SELF, " %11s", "- "));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  autocsr slower on %" PetscInt_FMT " of %" PetscInt_FMT "\n", below, measured));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Closing(Report r)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nTimes faster than the best of PETSc's types; '<' marks what is slower\n%-22s %-9s %12s %12s  %-10s", "matrix", "best", "best us", "autocsr us", "choice"));
  for (const Variant *v = Variants; v->name; v++) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %11s", strchr(v->name, ':') ? strchr(v->name, ':') : v->name));
  for (PetscInt i = 0; i < r->n; i++) {
    const Line *l = &r->line[i];

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n%-22s %-9s %12.2f %12.2f  %-10s", l->matrix, l->peer, l->peer_us, l->us, l->chosen));
    for (const Variant *v = Variants; v->name; v++) {
      const double ratio = l->ratio[v - Variants];

      if (ratio > 0)
        PetscCall(PetscPrintf(PETSC_COMM_SELF, " %9.2fx%s", ratio, ratio < BENCH_SLOWER && !strcmp(v->name, MATAUTOCSR) ? "<" : " "));
      else
        PetscCall(PetscPrintf(PETSC_COMM_SELF, " %11s", "- "));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  for (PetscInt i = 0; i < r->n; i++) { /* the groups come one after the other */
    if (!i || r->line[i].group != r->line[i - 1].group) PetscCall(Means(r, r->line[i].group));
  }
  PetscCall(Means(r, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportClose(Report *report)
{
  PetscFunctionBeginUser;
  PetscCall(Closing(*report));
  if ((*report)->csv) {
    fclose((*report)->csv);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "results: %s\n", (*report)->path));
  }
  PetscCall(PetscFree(*report));
  PetscFunctionReturn(PETSC_SUCCESS);
}
