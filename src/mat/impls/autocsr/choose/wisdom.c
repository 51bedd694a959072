/*
  Wisdom (FFTW's word): what was chosen for structures, in a file that -mat_autocsr_wisdom names, so that the next run of a
  program plans in one step. An entry is a line:

    <fingerprint> <rows> <columns> <nonzeros> <adds> <backend> <machine> <scalars> <objective> <strategy> <index> <value> <seconds> [<graph>]

  strategy, index and value are the settings that make the plan, `auto` where segments differ, strategy `parent` for the parent type's own product, `graph` for what a search has found, with its graph; seconds are those of a product
  that were measured, or 0, which does not serve rigor measure. A measured plan has its graph, too: strategy and codings may stand for another one. The file is read once. What a process learns is added when it has learnt enough, and in
  PetscFinalize(): with a lock on the folder it reads the file again, adds its own, and replaces the file. So processes that
  write at once lose nothing, and one that is killed leaves the file as it was. The oldest of more than MOST entries go.
*/
#include "choose.h"
#include "search_state.h"
#include "../graph/graph.h"
#include "../machine/figures.h"
#include <petsc/private/hashmap.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "petscautocsr wisdom"
#define MOST   4096
#define ENOUGH 32  /* entries that are written before the end */
#define TRIES  500 /* to get the lock, 10 ms apart */
#define PARENTS "parent" /* in the place of a strategy: products are the parent type's own */
#define GRAPH   "graph"  /* the strategy of what a search has found */

/* Without padding, since keys are compared byte by byte */
typedef struct {
  uint64_t   at[2];
  PetscInt64 m, n, nnz;
  unsigned   machine;
  int        adds;
  char       backend[8], scalar[20], objective[12];
} Key;

typedef struct {
  Key    key;
  char   strategy[32], index[12], value[12];
  char   graph[AUTOCSR_GRAPH_LENGTH]; /* of strategy `graph`, or of a plan that was measured */
  double seconds;
  PetscBool gone; /* a later one has the same key */
} Entry;

static inline PetscHash_t hash_key(Key key)
{
  return (PetscHash_t)(key.at[0] ^ (key.at[0] >> 32) ^ key.machine); /* a fingerprint is a hash */
}

static inline int is_same_key(Key a, Key b)
{
  return !memcmp(&a, &b, sizeof(Key));
}

PETSC_HASH_MAP(HMapWise, Key, PetscInt, hash_key, is_same_key, -1)

/* The oldest first; at most 2 MOST */
typedef struct {
  PetscInt      n, max;
  Entry        *entry;
  PetscHMapWise place; /* of the latest with a key */
} Entries;

static struct {
  PetscBool asked; /* the option has been looked at */
  PetscBool read;  /* and the file */
  char      path[PETSC_MAX_PATH_LEN];
  Entries   known, learnt; /* learnt: that are not in the file yet */
} wisdom;

static PetscErrorCode destroy(Entries *all)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(all->entry));
  PetscCall(PetscHMapWiseDestroy(&all->place));
  PetscCall(PetscMemzero(all, sizeof(*all)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The latest MOST stay, without those that are gone */
static PetscErrorCode tighten(Entries *all)
{
  PetscInt left = 0, n = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < all->n; k++) left += !all->entry[k].gone;
  PetscCall(PetscHMapWiseClear(all->place));
  for (PetscInt k = 0; k < all->n; k++) {
    if (all->entry[k].gone || left-- > MOST) continue;
    all->entry[n] = all->entry[k];
    PetscCall(PetscHMapWiseSet(all->place, all->entry[n].key, n));
    n++;
  }
  all->n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put(Entries *all, const Entry *entry)
{
  PetscInt k;

  PetscFunctionBegin;
  if (!all->place) PetscCall(PetscHMapWiseCreate(&all->place));
  if (all->n == 2 * MOST) PetscCall(tighten(all));
  if (all->n == all->max) {
    const PetscInt max = PetscMin(2 * all->max + 16, 2 * MOST);

    PetscCall(PetscRealloc((size_t)max * sizeof(Entry), &all->entry));
    all->max = max;
  }
  PetscCall(PetscHMapWiseGet(all->place, entry->key, &k));
  PetscCall(PetscHMapWiseSet(all->place, entry->key, all->n));
  if (k >= 0) all->entry[k].gone = PETSC_TRUE;
  all->entry[all->n++] = *entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool scan_entry(const char line[], Entry *e)
{
  int                end = 0;
  long long          m, n, nnz;
  unsigned long long at[2];

  memset(e, 0, sizeof(*e));
  if (sscanf(line, "%16llx%16llx %lld %lld %lld %d %7s %8x %19s %7s %31s %11s %11s %lf%n", &at[0], &at[1], &m, &n, &nnz, &e->key.adds, e->key.backend, &e->key.machine, e->key.scalar, e->key.objective, e->strategy, e->index, e->value, &e->seconds, &end) != 14 || (line[end] && line[end] != ' ')) return PETSC_FALSE;
  if ((!line[end] && !strcmp(e->strategy, GRAPH)) || strlen(line + end) > sizeof(e->graph)) return PETSC_FALSE;
  if (line[end]) (void)strcpy(e->graph, line + end + 1);
  e->key.at[0] = at[0];
  e->key.at[1] = at[1];
  e->key.m     = m;
  e->key.n     = n;
  e->key.nnz   = nnz;
  return (PetscBool)(m >= 0 && n >= 0 && nnz >= 0 && e->seconds >= 0 && e->seconds < 1e9);
}

#define KEY_TEXT 192 /* characters of a key */

static void write_key(const Key *key, size_t len, char text[])
{
  snprintf(text, len, "%016llx%016llx %lld %lld %lld %d %s %08x %s %s", (unsigned long long)key->at[0], (unsigned long long)key->at[1], (long long)key->m, (long long)key->n, (long long)key->nnz, key->adds, key->backend, key->machine, key->scalar, key->objective);
}

static void print_entry(FILE *file, const Entry *e)
{
  char key[KEY_TEXT];

  write_key(&e->key, sizeof(key), key);
  fprintf(file, "%s %s %s %s %.6g%s%s\n", key, e->strategy, e->index, e->value, e->seconds, e->graph[0] ? " " : "", e->graph);
}

/* A line, without what ends it here or on another system. The last one may lack that */
static PetscBool read_line(FILE *file, char line[], int room)
{
  if (!fgets(line, room, file)) return PETSC_FALSE;
  line[strcspn(line, "\r\n")] = 0;
  return PETSC_TRUE;
}

/* Lines that are damaged are passed over. *other: the file holds something else, or cannot be read; that of another version counts as empty. all NULL: nothing else is asked */
static PetscErrorCode read_entries(const char path[], Entries *all, PetscBool *other)
{
  FILE          *file = AutoCSRKeptOpen(path);
  char           line[512 + AUTOCSR_GRAPH_LENGTH];
  PetscInt       damaged = 0;
  locale_t       c, before;
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  *other = (PetscBool)(!file && errno != ENOENT);
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  if (!read_line(file, line, sizeof(line)) || strncmp(line, FORMAT " ", strlen(FORMAT " "))) {
    *other = (PetscBool)(ftell(file) > 0); /* an empty file may be filled */
    fclose(file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (strcmp(line, FORMAT " " AUTOCSR_FIGURES_VERSION)) {
    if (all) PetscCall(PetscInfo(NULL, "The wisdom in %s is of another version: it is not used\n", path));
    fclose(file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  c = AutoCSRKeptUseC(&before);
  while (all && !ierr && read_line(file, line, sizeof(line))) {
    Entry e;

    if (scan_entry(line, &e))
      ierr = put(all, &e);
    else
      damaged++;
  }
  AutoCSRKeptUseBefore(c, before);
  fclose(file);
  PetscCall(ierr);
  if (damaged) PetscCall(PetscInfo(NULL, "%" PetscInt_FMT " lines of %s are no wisdom: they are passed over\n", damaged, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of the file, and for the same users */
static PetscBool write_entries(const Entries *all)
{
  char        temporary[PETSC_MAX_PATH_LEN];
  FILE       *file = AutoCSRKeptOpenTemporary(wisdom.path, temporary);
  PetscBool   written;
  locale_t    c, before;
  struct stat is;

  if (!file) return PETSC_FALSE;
  c = AutoCSRKeptUseC(&before);
  fprintf(file, FORMAT " " AUTOCSR_FIGURES_VERSION "\n");
  for (PetscInt k = 0; k < all->n; k++) print_entry(file, &all->entry[k]);
  AutoCSRKeptUseBefore(c, before);
  written = (PetscBool)(!fflush(file) && !ferror(file) && !fchmod(fileno(file), stat(wisdom.path, &is) ? 0644 : is.st_mode & 0777));
  if (fclose(file)) written = PETSC_FALSE;
  if (written) written = (PetscBool)!rename(temporary, wisdom.path);
  if (!written) unlink(temporary);
  return written;
}

/* Adds what was learnt to what the file has now */
static PetscErrorCode write_learnt(PetscBool *written)
{
  Entries        all = {0};
  PetscBool      other;
  int            lock;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *written = PETSC_FALSE;
  lock     = AutoCSRKeptLock(wisdom.path);
  for (int t = 1; t < TRIES && lock < 0 && errno == EWOULDBLOCK; t++) {
    usleep(10000);
    lock = AutoCSRKeptLock(wisdom.path);
  }
  if (lock < 0) PetscFunctionReturn(PETSC_SUCCESS);
  ierr = read_entries(wisdom.path, &all, &other);
  for (PetscInt k = 0; k < wisdom.learnt.n && !ierr; k++) ierr = put(&all, &wisdom.learnt.entry[k]);
  if (!ierr && all.n) ierr = tighten(&all);
  if (!ierr && !other) *written = write_entries(&all);
  close(lock);
  PetscCall(destroy(&all));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode flush_learnt(PetscBool *written)
{
  PetscFunctionBegin;
  *written = PETSC_TRUE;
  if (!wisdom.learnt.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(write_learnt(written));
  PetscCall(PetscInfo(NULL, *written ? "%" PetscInt_FMT " structures more are in %s\n" : "Wisdom of %" PetscInt_FMT " structures cannot be written to %s\n", wisdom.learnt.n, wisdom.path));
  PetscCall(destroy(&wisdom.learnt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finalize(void)
{
  PetscBool written;

  PetscFunctionBegin;
  PetscCall(flush_learnt(&written));
  PetscCall(destroy(&wisdom.known));
  PetscCall(destroy(&wisdom.learnt));
  PetscCall(PetscMemzero(&wisdom, sizeof(wisdom)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file itself in the place of a link to it, and its whole path, since programs change folders */
static PetscErrorCode find_path(void)
{
  char  folder[PETSC_MAX_PATH_LEN], name[PETSC_MAX_PATH_LEN] = "";
  char *slash, *real                                         = realpath(wisdom.path, NULL);

  PetscFunctionBegin;
  if (!real && errno == ENOENT) { /* what is still to be written */
    PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s%s", wisdom.path[0] == '/' ? "" : "./", wisdom.path));
    slash = strrchr(folder, '/');
    PetscCall(PetscStrncpy(name, slash, sizeof(name)));
    slash[slash == folder] = 0;
    real                   = realpath(folder, NULL);
    if (!real) {
      wisdom.path[0] = 0;
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-mat_autocsr_wisdom names a file in %s, and there is no such folder: make it, or name another", folder);
    }
  }
  if (real) PetscCall(PetscSNPrintf(wisdom.path, sizeof(wisdom.path), "%s%s", real, name));
  free(real);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a folder it is the file `wisdom` in it */
static PetscErrorCode ask(void)
{
  PetscBool given, is_folder, other;

  PetscFunctionBegin;
  if (wisdom.asked) PetscFunctionReturn(PETSC_SUCCESS);
  /* -mat_autocsr_wisdom: [a file or a folder] what earlier runs have chosen for structures, by which this run plans in one step, and to which
     it adds (no prefix, read once) */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_wisdom", wisdom.path, sizeof(wisdom.path), &given));
  PetscCheck(!given || wisdom.path[0], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-mat_autocsr_wisdom names nothing: say a file or a folder");
  PetscCall(PetscRegisterFinalize(finalize));
  wisdom.asked = PETSC_TRUE;
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTestDirectory(wisdom.path, 'r', &is_folder));
  if (is_folder) PetscCall(AutoCSRAppend(wisdom.path, "/wisdom", sizeof(wisdom.path)));
  PetscCall(find_path());
  PetscCall(read_entries(wisdom.path, NULL, &other));
  if (other) {
    char path[PETSC_MAX_PATH_LEN];

    PetscCall(PetscStrncpy(path, wisdom.path, sizeof(path)));
    wisdom.path[0] = 0;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "-mat_autocsr_wisdom %s: that is no file of wisdom, or cannot be read; it stays as it is: name another", path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of the user's are raised before, in ask(); this may lack memory */
static PetscErrorCode read_known(void)
{
  PetscBool other;

  PetscFunctionBegin;
  if (wisdom.read) PetscFunctionReturn(PETSC_SUCCESS);
  wisdom.read = PETSC_TRUE;
  PetscCall(read_entries(wisdom.path, &wisdom.known, &other));
  PetscCall(PetscInfo(NULL, "Wisdom of %" PetscInt_FMT " structures is read from %s\n", wisdom.known.n, wisdom.path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only what the user leaves to the library is asked for, and learnt */
PetscErrorCode AutoCSRWisdomApplies(const AutoCSRSettings *s, PetscBool *applies)
{
  PetscFunctionBegin;
  PetscCall(ask());
  *applies = (PetscBool)(wisdom.path[0] && s->rigor != MAT_AUTOCSR_RIGOR_NONE && !(s->search_without && AutoCSRSettingsSearch(s)) && s->index == MAT_AUTOCSR_INDEX_AUTO && s->value == MAT_AUTOCSR_VALUE_AUTO && !strcmp(s->strategy, "auto"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_key(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const AutoCSRFingerprint *f, Key *key)
{
  const AutoCSRFigures *figures;
  unsigned              hash = 2166136261u; /* FNV-1a */

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresOf(csr, settings->simd, &figures));
  PetscCall(PetscMemzero(key, sizeof(*key)));
  for (const char *c = figures->machine.name; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
  for (const char *c = figures->simd; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
  key->at[0]   = f->at[0];
  key->at[1]   = f->at[1];
  key->m       = csr->m;
  key->n       = csr->n;
  key->nnz     = csr->nnz;
  key->machine = hash;
  key->adds    = csr->adds;
  PetscCall(PetscStrncpy(key->backend, csr->backend->name, sizeof(key->backend)));
  PetscCall(PetscStrncpy(key->objective, MatAutoCSRObjectives[settings->objective], sizeof(key->objective)));
  PetscCall(AutoCSRKeptScalar(sizeof(key->scalar), key->scalar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void name_search_file(const char key[], char path[PETSC_MAX_PATH_LEN])
{
  const uint64_t hash = AutoCSRHashText(AUTOCSR_HASH_OF_NOTHING, key);

  if (snprintf(path, PETSC_MAX_PATH_LEN, "%s.search-%016llx", wisdom.path, (unsigned long long)hash) >= PETSC_MAX_PATH_LEN) path[0] = 0;
}

/* path: the file in which a search for the structure keeps how far it is (search_state.c), "" if the path is too long; text: the key of the structure */
PetscErrorCode AutoCSRWisdomSearchFile(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const AutoCSRFingerprint *f, char path[PETSC_MAX_PATH_LEN], size_t len, char text[])
{
  Key key;

  PetscFunctionBegin;
  PetscCall(make_key(csr, settings, f, &key));
  write_key(&key, len, text);
  name_search_file(text, path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRWisdomTakeGraph(AutoCSRSettings *wise, const char text[], PetscBool *known)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = AutoCSRSettingsSetGraph(wise, text);
  PetscCall(PetscPopErrorHandler());
  *known = (PetscBool)!ierr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *found: `wise` has the settings by which the structure is planned at once, and graph[] what comes of them, "" if it is not known; *parents: not by these, but by the parent type's own product */
PetscErrorCode AutoCSRWisdomFind(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const AutoCSRFingerprint *f, AutoCSRSettings *wise, char graph[AUTOCSR_GRAPH_LENGTH], PetscBool *parents, PetscBool *found)
{
  const Entry *e;
  Key          key;
  PetscInt     k = -1;
  PetscBool    known;
  PetscEnum    index, value;

  PetscFunctionBegin;
  graph[0] = 0;
  *found   = PETSC_FALSE;
  *parents = PETSC_FALSE;
  PetscCall(read_known());
  PetscCall(make_key(csr, settings, f, &key));
  if (wisdom.known.place) PetscCall(PetscHMapWiseGet(wisdom.known.place, key, &k));
  e = &wisdom.known.entry[PetscMax(k, 0)];
  if (k < 0 || (settings->rigor >= MAT_AUTOCSR_RIGOR_MEASURE && !(e->seconds > 0))) PetscFunctionReturn(PETSC_SUCCESS); /* an estimate is less than what is asked for */
  if (!strcmp(e->strategy, PARENTS)) {
    *wise  = *settings;
    *found = *parents = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (AutoCSRSettingsSearch(settings) && strcmp(e->strategy, GRAPH)) PetscFunctionReturn(PETSC_SUCCESS);
  *wise = *settings;
  known = PETSC_TRUE;
  if (!strcmp(e->strategy, GRAPH)) PetscCall(AutoCSRWisdomTakeGraph(wise, e->graph, &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscEnumFind(MatAutoCSRIndexCodings, e->index, &index, &known));
  if (known) PetscCall(PetscEnumFind(MatAutoCSRValueCodings, e->value, &value, &known));
  for (PetscInt s = 0; known && strcmp(e->strategy, "auto"); s++) { /* one that this library has */
    known = (PetscBool)(AutoCSRStrategies[s] != NULL);
    if (known && !strcmp(AutoCSRStrategies[s]->name, e->strategy)) break;
  }
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(wise->strategy, e->strategy, sizeof(wise->strategy)));
  wise->index       = (MatAutoCSRIndexCoding)index;
  wise->value       = (MatAutoCSRValueCoding)value;
  wise->rigor       = MAT_AUTOCSR_RIGOR_ESTIMATE;
  wise->progressive = PETSC_FALSE;
  PetscCall(PetscStrncpy(graph, e->graph, AUTOCSR_GRAPH_LENGTH));
  *found = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const AutoCSRSegment *first_segment(const AutoCSRPlan *plan)
{
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    if (plan->segment[s].axes.mapping != AUTOCSR_MAP_EMPTY) return &plan->segment[s];
  }
  return NULL;
}

/* Whether the plan that `wise` has made is what the graph says or, without one, these settings */
PetscBool AutoCSRWisdomHolds(const AutoCSRSettings *wise, const char graph[], const AutoCSRPlan *plan)
{
  const AutoCSRSegment *first = first_segment(plan);
  char                  text[AUTOCSR_GRAPH_LENGTH];

  if (!first) return PETSC_TRUE;
  if (graph[0]) return (PetscBool)(!AutoCSRGraphPrint(plan, sizeof(text), text) && !strcmp(text, graph));
  if (strcmp(wise->strategy, "auto") && strcmp(wise->strategy, first->strategy)) return PETSC_FALSE;
  if (wise->index != MAT_AUTOCSR_INDEX_AUTO && strcmp(MatAutoCSRIndexCodings[wise->index], AutoCSRIndexNames[first->axes.index])) return PETSC_FALSE;
  return (PetscBool)(wise->value == MAT_AUTOCSR_VALUE_AUTO || !strcmp(MatAutoCSRValueCodings[wise->value], AutoCSRValueNames[first->axes.value]));
}

/* The plan is final. seconds: of a product, as measured; 0: it was not */
PetscErrorCode AutoCSRWisdomLearn(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const AutoCSRFingerprint *f, const AutoCSRPlan *plan, double seconds)
{
  const AutoCSRSegment *first;
  Entry                 e;
  PetscBool             written = PETSC_FALSE;

  PetscFunctionBegin;
  if (!f->known || !plan) PetscFunctionReturn(PETSC_SUCCESS);
  first = first_segment(plan);
  PetscCall(read_known());
  PetscCall(PetscMemzero(&e, sizeof(e)));
  PetscCall(make_key(csr, settings, f, &e.key));
  PetscCall(PetscStrncpy(e.strategy, "auto", sizeof(e.strategy)));
  PetscCall(PetscStrncpy(e.index, "auto", sizeof(e.index)));
  PetscCall(PetscStrncpy(e.value, "auto", sizeof(e.value)));
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRSegment *seg = &plan->segment[s];
    PetscBool             known;
    PetscEnum             any;

    if (seg->axes.mapping == AUTOCSR_MAP_EMPTY) continue;
    if (seg == first) {
      PetscCall(PetscStrncpy(e.strategy, seg->strategy, sizeof(e.strategy)));
      PetscCall(PetscEnumFind(MatAutoCSRIndexCodings, AutoCSRIndexNames[seg->axes.index], &any, &known));
      if (known) PetscCall(PetscStrncpy(e.index, AutoCSRIndexNames[seg->axes.index], sizeof(e.index)));
      PetscCall(PetscEnumFind(MatAutoCSRValueCodings, AutoCSRValueNames[seg->axes.value], &any, &known));
      if (known) PetscCall(PetscStrncpy(e.value, AutoCSRValueNames[seg->axes.value], sizeof(e.value)));
    } else {
      if (strcmp(first->strategy, seg->strategy)) PetscCall(PetscStrncpy(e.strategy, "auto", sizeof(e.strategy)));
      if (first->axes.index != seg->axes.index) PetscCall(PetscStrncpy(e.index, "auto", sizeof(e.index)));
      if (first->axes.value != seg->axes.value) PetscCall(PetscStrncpy(e.value, "auto", sizeof(e.value)));
    }
  }
  if (plan->parents) PetscCall(PetscStrncpy(e.strategy, PARENTS, sizeof(e.strategy)));
  if (plan->parents || !strcmp(e.strategy, "auto")) { /* row ranges: the choice finds them again, whatever their codings */
    PetscCall(PetscStrncpy(e.index, "auto", sizeof(e.index)));
    PetscCall(PetscStrncpy(e.value, "auto", sizeof(e.value)));
  }
  if (!plan->parents && plan->n_segments <= AUTOCSR_MAX_LEAVES && (seconds > 0 || AutoCSRSettingsSearch(settings))) PetscCall(AutoCSRGraphPrint(plan, sizeof(e.graph), e.graph));
  if (strstr(e.graph, "...")) e.graph[0] = 0;
  if (e.graph[0] && AutoCSRSettingsSearch(settings)) {
    PetscCall(PetscStrncpy(e.strategy, GRAPH, sizeof(e.strategy)));
    PetscCall(PetscStrncpy(e.index, "auto", sizeof(e.index)));
    PetscCall(PetscStrncpy(e.value, "auto", sizeof(e.value)));
  }
  e.seconds = seconds;
  PetscCall(put(&wisdom.known, &e));
  PetscCall(put(&wisdom.learnt, &e));
  if (wisdom.learnt.n >= ENOUGH || AutoCSRSettingsSearch(settings)) PetscCall(flush_learnt(&written)); /* what took a minute is not lost */
  if (written && AutoCSRSettingsSearch(settings)) {
    char path[PETSC_MAX_PATH_LEN], key[KEY_TEXT];

    write_key(&e.key, sizeof(key), key);
    name_search_file(key, path);
    AutoCSRSearchStateRemove(path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
