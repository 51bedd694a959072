static const char help[] = "Training data of the learned choosers: features, predicted and measured seconds of every variant of every strategy (planner/rows.h), of many matrices.\n\
Options of the suite as for bench (-drawn, -heldout, ..., -matrices, -files, -seed), -scale: several take turns; -out: the file, to which matrices are added that it lacks; -gpu: products on a device;\n\
-derived: so many pairs of some rows of each matrix and their transpose are added; -seconds_total: ends before; -worth: variants predicted to take more than so many times the least are left out;\n\
-round, -rounds: how a variant is timed; -bins: of so many bins at most each kernel is timed; -energy_seconds: of products, for which joules are counted, -energy_variants: of so many near the best, -energy_every: of every so many matrices;\n\
-energy_only: of every matrix, and of nothing else more than that takes.\n\n";

#include "../planner/rows.h"
#include <omp.h>
#include <petscdevice.h>
#include <petsctime.h>
#include <unistd.h>

#define KEY   128
#define AGAIN 4 /* of every so many matrices with joules they are counted again */

/* A matrix that is wanted */
typedef struct {
  const Generator *generator; /* NULL: the file */
  const char      *file;
  Size             size;
  PetscInt         derived; /* 0: itself; 2 k - 1: some of its rows; 2 k: their transpose */
  char             key[KEY];
} Job;

typedef struct {
  PetscInt n, max;
  Job     *job;
} Jobs;

static PetscErrorCode add_job(Jobs *jobs, const Job *job)
{
  PetscFunctionBeginUser;
  if (jobs->n == jobs->max) {
    jobs->max = 2 * jobs->max + 64;
    PetscCall(PetscRealloc((size_t)jobs->max * sizeof(Job), &jobs->job));
  }
  jobs->job[jobs->n++] = *job;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix and what is derived of it; key: of the matrix */
static PetscErrorCode add_jobs(Jobs *jobs, Job *job, PetscInt derived)
{
  char key[KEY];

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(key, job->key, sizeof(key)));
  for (job->derived = 0; job->derived <= 2 * derived; job->derived++) {
    if (job->derived) PetscCall(PetscSNPrintf(job->key, sizeof(job->key), "%s~%d%s", key, (int)(job->derived + 1) / 2, job->derived % 2 ? "" : "t"));
    PetscCall(add_job(jobs, job));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_wanted(const char list[], const char name[], PetscBool *is)
{
  char **names;
  int    n;

  PetscFunctionBeginUser;
  *is = (PetscBool)!list[0];
  PetscCall(PetscStrToArray(list, ',', &n, &names));
  for (int i = 0; i < n && !*is; i++) PetscCall(PetscStrcmp(names[i], name, is));
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_jobs(Jobs *jobs)
{
  char             matrices[1024] = "", *file[1024];
  PetscInt         seed = 1, files = 1024, scales = 16, derived = 0, k = 0;
  PetscReal        scale[16] = {1};
  PetscBool        given, drawn, ones = PETSC_FALSE;
  const Generator *g;
  Job              job = {0};

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-scale", scale, &scales, &given));
  if (!given) scales = 1;
  PetscCheck(scales > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-scale names nothing: give one number or several, 0.3,1,3");
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &seed, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-derived", &derived, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ones", &ones, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-matrices", matrices, sizeof(matrices), NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-files", file, &files, &given));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-drawn", &drawn));
  PetscCall(GeneratorsAsked((uint64_t)seed, &g));
  for (; g->name && strcmp(matrices, "none"); g++, k++) {
    PetscBool wanted;

    job.generator = g;
    job.size      = (Size){.scale = (double)scale[k % scales], .seed = (uint64_t)seed};
    PetscCall(is_wanted(matrices, g->name, &wanted));
    if (!wanted || 1.1 * g->nnz * job.size.scale > (double)PETSC_MAX_INT) continue;
    snprintf(job.key, sizeof(job.key), "%s%s/%dx%g/%s", drawn ? "drawn" : "suite", ones ? "-ones" : "", (int)seed, job.size.scale, g->name);
    PetscCall(add_jobs(jobs, &job, derived));
  }
  for (k = 0; given && k < files; k++) {
    char *name = strrchr(file[k], '/') ? strrchr(file[k], '/') + 1 : file[k], *dot = strrchr(name, '.');

    job = (Job){.file = file[k], .size = {.seed = (uint64_t)seed}};
    PetscCall(PetscSNPrintf(job.key, sizeof(job.key), "file/%.*s", dot ? (int)(dot - name) : (int)strlen(name), name));
    PetscCall(add_jobs(jobs, &job, derived));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another seed for each derived matrix */
static uint64_t seed_of(const Job *job)
{
  uint64_t hash = job->size.seed;

  for (const char *c = job->key; *c && *c != '~'; c++) hash = RandomMix(hash ^ (uint64_t)(unsigned char)*c);
  return RandomMix(hash + (uint64_t)(job->derived + 1) / 2);
}

/* By one thread, while another measures: no function of PETSc that is not a generator's */
static PetscErrorCode make(const Job *job, Csr *csr)
{
  Csr whole, some;

  PetscFunctionBeginUser;
  if (job->generator)
    PetscCall(CsrGenerate(job->generator, &job->size, csr));
  else
    PetscCall(CsrLoad(job->file, csr));
  if (!job->derived) PetscFunctionReturn(PETSC_SUCCESS);
  whole = *csr;
  PetscCall(CsrSomeRows(&whole, seed_of(job), &some));
  PetscCall(CsrDestroy(&whole));
  *csr = some;
  if (job->derived % 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CsrTranspose(&some, csr));
  PetscCall(CsrDestroy(&some));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many lines follow the line M of a matrix: its last two numbers; it ends after its key then */
static long cut_matrix(char line[])
{
  char *bins = strrchr(line, ','), *variants = bins;
  long  n = bins ? strtol(bins + 1, NULL, 10) : 0;

  while (variants && --variants > line && *variants != ',') {
  }
  if (variants) n += strtol(variants + 1, NULL, 10);
  line[2 + strcspn(line + 2, ",")] = 0;
  return n;
}

static void forget(Jobs *jobs, const char key[])
{
  PetscInt kept = 0;

  for (PetscInt k = 0; k < jobs->n; k++) {
    if (strcmp(jobs->job[k].key, key)) jobs->job[kept++] = jobs->job[k];
  }
  jobs->n = kept;
}

/* Takes out the jobs that the file has. What follows its last whole matrix was cut off, and goes. *begins: it has no head yet */
static PetscErrorCode resume(const char path[], Jobs *jobs, PetscBool *begins)
{
  FILE   *file = fopen(path, "r");
  char   *line = NULL, key[KEY] = "";
  size_t  room  = 0;
  long    whole = 0, left = 0;
  ssize_t n;

  PetscFunctionBeginUser;
  *begins = PETSC_TRUE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  while ((n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
    *begins = PETSC_FALSE;
    if (line[0] == 'M') {
      left = cut_matrix(line);
      PetscCall(PetscStrncpy(key, line + 2, sizeof(key)));
    } else if (left)
      left--;
    if (!left) {
      whole = ftell(file);
      forget(jobs, key);
    }
  }
  free(line);
  fclose(file);
  PetscCheck(!truncate(path, whole), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-out %s: the matrix that was cut off cannot be taken away", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RowsWanted wanted;
  Jobs       jobs;
  FILE      *file;
  PetscReal  energy; /* seconds, of every `every`-th matrix */
  PetscInt   every;
  PetscReal  total; /* seconds, of the program; 0: any */
} Training;

static PetscErrorCode measure(Training *t, PetscInt k, const Csr *csr, double begin)
{
  const AutoCSRMatrix host = {.m = csr->m, .n = csr->n, .nnz = csr->row_ptr[csr->m], .row_ptr = csr->row_ptr, .col = csr->col, .val = csr->val, .backend = &AutoCSRBackendHost};
  const char         *key  = t->jobs.job[k].key;
  RowsSummary         summary;
  char               *text;
  size_t              length;
  FILE               *rows = open_memstream(&text, &length);
  PetscLogDouble      now;

  PetscFunctionBeginUser;
  PetscCheck(rows, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the rows");
  if (!host.nnz) {
    fclose(rows);
    free(text);
    printf("%" PetscInt_FMT "/%" PetscInt_FMT " %s: no entries\n", k + 1, t->jobs.n, key);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  t->wanted.energy = k % t->every ? 0 : (double)t->energy;
  t->wanted.again  = (PetscBool)!(k % (AGAIN * t->every));
  PetscCall(RowsOfMatrix(&t->wanted, key, &host, rows, &summary));
  fclose(rows);
  PetscCheck(fwrite(text, 1, length, t->file) == length && !fflush(t->file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "The rows cannot be written");
  free(text);
  PetscCall(PetscTime(&now));
  printf("%" PetscInt_FMT "/%" PetscInt_FMT " %s: %d variants, least %s %.4g us, the choice %.2f times that, joules of %d; %.1f s\n", k + 1, t->jobs.n, key, (int)summary.variants, summary.strategy, 1e6 * summary.best, summary.model / summary.best, (int)summary.counted, now - begin);
  fflush(stdout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A device multiplies while other threads make the next matrix. PETSc's functions keep a stack in debug builds, which is for one thread */
static PetscErrorCode measure_and_make(Training *t, PetscInt k, const Csr *csr, Csr *next, double begin)
{
  const PetscBool more = (PetscBool)(k + 1 < t->jobs.n), at_once = (PetscBool)(more && t->wanted.figures->machine.parallel && t->jobs.job[k + 1].generator && !PetscDefined(USE_DEBUG));
  PetscErrorCode  measured = PETSC_SUCCESS, made = PETSC_SUCCESS;
  const int       threads = omp_get_max_threads();

  PetscFunctionBeginUser;
#pragma omp parallel num_threads(at_once ? 2 : 1)
  {
    if (!omp_get_thread_num()) measured = measure(t, k, csr, begin);
    if (more && omp_get_thread_num() == omp_get_num_threads() - 1) {
      omp_set_num_threads(at_once ? PetscMax(1, threads - 1) : threads);
      made = make(&t->jobs.job[k + 1], next);
    }
  }
  omp_set_num_threads(threads);
  PetscCall(measured);
  PetscCall(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(Training *t)
{
  PetscLogDouble begin, now, longest = 0, last;
  Csr            csr, next;
  PetscInt       k = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&begin));
  last = begin;
  if (t->jobs.n) PetscCall(make(&t->jobs.job[0], &next));
  for (; k < t->jobs.n; k++) {
    csr = next;
    PetscCall(PetscTime(&now));
    longest = PetscMax(longest, now - last);
    last    = now;
    if (t->total > 0 && now - begin + 2 * longest > (double)t->total) {
      PetscCall(CsrDestroy(&csr));
      break;
    }
    PetscCall(measure_and_make(t, k, &csr, &next, begin));
    PetscCall(CsrDestroy(&csr));
  }
  PetscCall(PetscTime(&now));
  printf("%" PetscInt_FMT " matrices in %.1f s, %" PetscInt_FMT " left\n", k, now - begin, t->jobs.n - k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Training              t                        = {.wanted = {.clock = {3e-4, 5, PETSC_TRUE}, .worth = 4, .bins = 4, .counted = 8}, .every = 25};
  const AutoCSRBackend *backend                  = &AutoCSRBackendHost;
  char                  path[PETSC_MAX_PATH_LEN] = "training.csv";
  PetscBool             gpu = PETSC_FALSE, begins;
  PetscReal             round = 3e-4, worth = 4;
  PetscInt              rounds = 5;
  double                joules = -1;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", path, sizeof(path), NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-seconds_total", &t.total, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-worth", &worth, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-round", &round, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bins", &t.wanted.bins, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-energy_only", &t.wanted.unasked, NULL));
  if (t.wanted.unasked) {
    t.energy      = 0.3;
    t.every       = 1;
    t.wanted.bins = 0;
  }
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-energy_seconds", &t.energy, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-energy_variants", &t.wanted.counted, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-energy_every", &t.every, NULL));
  PetscCheck(rounds > 0 && rounds <= MAX_ROUNDS && t.every > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-rounds %" PetscInt_FMT " must be in [1, %d], -energy_every %" PetscInt_FMT " above 0", rounds, MAX_ROUNDS, t.every);
  t.wanted.clock = (Clock){(double)round, (int)rounds, PETSC_TRUE};
  t.wanted.worth = (double)worth;
#if defined(AUTOCSR_HAVE_CUDA)
  if (gpu) backend = &AutoCSRBackendCUDA;
  if (gpu) PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
#endif
  PetscCheck(!gpu || backend != &AutoCSRBackendHost, PETSC_COMM_SELF, PETSC_ERR_SUP, "-gpu: this program was built without CUDA");
  if (t.energy > 0 && backend->joules) PetscCall((*backend->joules)(&joules));
  PetscCheck(t.energy <= 0 || joules >= 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "-energy_seconds: products are made where nothing counts joules; with -gpu an NVIDIA device does (libnvidia-ml.so.1)");
  omp_set_max_active_levels(2);
  PetscCall(AutoCSRFiguresGet(backend, "auto", &t.wanted.figures));
  PetscCall(list_jobs(&t.jobs));
  PetscCall(resume(path, &t.jobs, &begins));
  t.file = fopen(path, "a");
  PetscCheck(t.file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-out %s: cannot be written", path);
  if (begins) PetscCall(RowsHead(&t.wanted, t.file));
  PetscCall(run(&t));
  fclose(t.file);
  PetscCall(PetscFree(t.jobs.job));
  PetscCall(PetscFinalize());
  return 0;
}
