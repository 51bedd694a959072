/*
  How far a search is, in a file beside the wisdom: a run that is killed loses a fiftieth of its time, and the next one of the same structure
  goes on. The file is named by what the wisdom would keep its graph by, and goes when that is written. Its lines:

    petscautocsr search <version>
    <fingerprint and the rest of the key, as in the wisdom>
    <seconds so far> <state of the random numbers>
    <seconds of a product, or -1 for what will not do> <graph>
    ...
    end <hash of all lines before>

  It is replaced as a whole. A file that is damaged, or of another structure, is not used and written anew; a file of something else stays as it is.
*/
#include "search_state.h"
#include "choose.h"
#include "../machine/figures.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "petscautocsr search"
#define LINE   (64 + AUTOCSR_GRAPH_LENGTH)

static uint64_t hash_line(uint64_t hash, const char line[])
{
  return AutoCSRHashText(AutoCSRHashText(hash, line), "\n");
}

PetscErrorCode AutoCSRSearchStateBegin(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, AutoCSRSearchState *state)
{
  AutoCSRFingerprint f = {.known = PETSC_FALSE};
  PetscBool          applies;

  PetscFunctionBegin;
  state->path[0] = 0;
  PetscCall(AutoCSRWisdomApplies(settings, &applies));
  if (applies) PetscCall((*csr->backend->fingerprint)(csr, &f));
  if (f.known) PetscCall(AutoCSRWisdomSearchFile(csr, settings, &f, state->path, sizeof(state->key), state->key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void put_line(FILE *file, uint64_t *hash, const char line[])
{
  fprintf(file, "%s\n", line);
  *hash = hash_line(*hash, line);
}

static void print_state(FILE *file, const AutoCSRSearchState *state, const AutoCSRSearch *s)
{
  uint64_t hash = AUTOCSR_HASH_OF_NOTHING;
  char     line[LINE];

  put_line(file, &hash, FORMAT " " AUTOCSR_FIGURES_VERSION);
  put_line(file, &hash, state->key);
  snprintf(line, sizeof(line), "%.6g %016llx", AutoCSRSearchElapsed(s), (unsigned long long)s->random);
  put_line(file, &hash, line);
  for (PetscInt k = 0; k < s->n; k++) {
    const AutoCSRTried *t = &s->tried[k];

    if (!(t->measured > 0) || !(t->predicted < PETSC_MAX_REAL)) continue; /* what does not suit is found again without a run */
    snprintf(line, sizeof(line), "%.9g %s", t->measured < PETSC_MAX_REAL ? t->measured : -1, t->graph);
    put_line(file, &hash, line);
  }
  fprintf(file, "end %016llx\n", (unsigned long long)hash);
}

/* A full disk, or a folder that nobody may write to, ends no search */
PetscErrorCode AutoCSRSearchStateWrite(const AutoCSRSearchState *state, const AutoCSRSearch *s)
{
  char      temporary[PETSC_MAX_PATH_LEN];
  FILE     *file = state->path[0] ? AutoCSRKeptOpenTemporary(state->path, temporary) : NULL;
  PetscBool written;
  locale_t  c, before;

  PetscFunctionBegin;
  if (!state->path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  written = (PetscBool)(file != NULL);
  if (file) {
    c = AutoCSRKeptUseC(&before);
    print_state(file, state, s);
    AutoCSRKeptUseBefore(c, before);
    written = (PetscBool)(!fflush(file) && !ferror(file));
    if (fclose(file)) written = PETSC_FALSE;
    if (written) written = (PetscBool)!rename(temporary, state->path);
    if (!written) unlink(temporary);
  }
  if (!written) PetscCall(PetscInfo(NULL, "Search: %s cannot be written, so a search that is killed begins again\n", state->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool read_line(FILE *file, char line[])
{
  char *end;

  if (!fgets(line, LINE, file) || !(end = strchr(line, '\n'))) return PETSC_FALSE;
  *end = 0;
  return PETSC_TRUE;
}

/* The lines before the graphs. *why: the reason if they are refused */
static PetscBool scan_head(FILE *file, const AutoCSRSearchState *state, uint64_t *hash, double *spent, uint64_t *random, const char **why)
{
  char               line[LINE];
  unsigned long long drawn = 0;
  int                end   = 0;

  *why = "another version's";
  if (!read_line(file, line) || strcmp(line, FORMAT " " AUTOCSR_FIGURES_VERSION)) return PETSC_FALSE;
  *hash = hash_line(AUTOCSR_HASH_OF_NOTHING, line);
  *why  = "another structure's";
  if (!read_line(file, line) || strcmp(line, state->key)) return PETSC_FALSE;
  *hash = hash_line(*hash, line);
  *why  = "damaged";
  if (!read_line(file, line) || sscanf(line, "%lf %16llx%n", spent, &drawn, &end) != 2 || line[end] || !(*spent >= 0) || !(*spent < 1e9) || !drawn) return PETSC_FALSE;
  *hash   = hash_line(*hash, line);
  *random = drawn;
  return PETSC_TRUE;
}

static PetscBool is_graph(const char text[])
{
  AutoCSRGraph   graph;
  PetscErrorCode ierr;

  if (PetscPushErrorHandler(PetscReturnErrorHandler, NULL)) return PETSC_FALSE;
  ierr = AutoCSRGraphParse(text, &graph);
  if (PetscPopErrorHandler()) return PETSC_FALSE;
  return (PetscBool)!ierr;
}

/* The lines of graphs up to the end, read once to see whether they are all there (s NULL), and once to take them */
static PetscErrorCode scan_graphs(FILE *file, uint64_t hash, AutoCSRSearch *s, PetscBool *whole)
{
  char line[LINE];

  PetscFunctionBegin;
  *whole = PETSC_FALSE;
  while (!*whole && read_line(file, line)) {
    unsigned long long sum = 0;
    double             seconds;
    int                end = 0;

    if (sscanf(line, "end %16llx%n", &sum, &end) == 1) {
      if (line[end] || sum != hash) break;
      *whole = PETSC_TRUE;
      continue;
    }
    hash = hash_line(hash, line);
    if (sscanf(line, "%lf %n", &seconds, &end) != 1 || !end || !(seconds > 0 ? seconds < 1e9 : seconds == -1) || strlen(line + end) >= AUTOCSR_GRAPH_LENGTH || !is_graph(line + end)) break;
    if (s) PetscCall(AutoCSRSearchRecall(s, line + end, seconds > 0 ? seconds : PETSC_MAX_REAL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_of_search(FILE *file)
{
  char head[sizeof(FORMAT)];

  return (PetscBool)(file && fgets(head, sizeof(head), file) && !strcmp(head, FORMAT));
}

void AutoCSRSearchStateRemove(const char path[])
{
  FILE *file = path[0] ? AutoCSRKeptOpen(path) : NULL;

  if (is_of_search(file)) (void)unlink(path);
  if (file) fclose(file);
}

static PetscErrorCode read_state(FILE *file, const AutoCSRSearchState *state, AutoCSRSearch *s, const char **why)
{
  uint64_t  hash = 0, random = 0;
  double    spent = 0;
  long      graphs;
  PetscBool whole = PETSC_FALSE;

  PetscFunctionBegin;
  if (!scan_head(file, state, &hash, &spent, &random, why)) PetscFunctionReturn(PETSC_SUCCESS);
  graphs = ftell(file);
  PetscCall(scan_graphs(file, hash, NULL, &whole));
  if (!whole || graphs < 0 || fseek(file, graphs, SEEK_SET)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(scan_graphs(file, hash, s, &whole));
  s->begin -= spent;
  s->random = random;
  *why      = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSearchStateRead(AutoCSRSearchState *state, AutoCSRSearch *s)
{
  FILE          *file = state->path[0] ? AutoCSRKeptOpen(state->path) : NULL;
  const PetscBool missing = (PetscBool)(!file && errno == ENOENT);
  const char    *why  = NULL;
  locale_t       c, before;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!state->path[0] || missing) PetscFunctionReturn(PETSC_SUCCESS);
  if (!is_of_search(file)) {
    PetscCall(PetscInfo(NULL, "Search: %s is no file of a search; it stays as it is, and this search is not kept\n", state->path));
    if (file) fclose(file);
    state->path[0] = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  rewind(file);
  c    = AutoCSRKeptUseC(&before);
  ierr = read_state(file, state, s, &why);
  AutoCSRKeptUseBefore(c, before);
  fclose(file);
  PetscCall(ierr);
  if (why)
    PetscCall(PetscInfo(NULL, "Search: %s is %s: the search begins anew\n", state->path, why));
  else
    PetscCall(PetscInfo(NULL, "Search: it goes on after %g s with %" PetscInt_FMT " graphs from %s\n", AutoCSRSearchElapsed(s), s->n_recalled, state->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
