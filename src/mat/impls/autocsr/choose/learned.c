/* Which table of trees a chooser goes by, and what its trees say */
#include "learned.h"
#include "../backend.h"

#define DECIDING 3 /* features that are named */

static const char *const needed[] = {"", "granularity", "trees", "corrected"};

/* The forest without which a chooser cannot do */
static AutoCSRForestKind forest_of(MatAutoCSRChooser chooser)
{
  return chooser == MAT_AUTOCSR_CHOOSER_TREES ? AUTOCSR_FOREST_TREES : chooser == MAT_AUTOCSR_CHOOSER_CORRECTED ? AUTOCSR_FOREST_CORRECTED
                                                                                                                : AUTOCSR_FOREST_GRANULARITY;
}

static const AutoCSRLearned *find_shipped(const AutoCSRLearned *const tables[], const char backend[], const char scalar[], const char machine[])
{
  for (int k = 0; tables[k]; k++) {
    const AutoCSRLearned *t = tables[k];

    if (!strcmp(t->backend, backend) && !strcmp(t->scalar, scalar) && (!machine || !strcmp(t->machine, machine))) return t;
  }
  return NULL;
}

/* What a process has found for a backend: asked for once */
typedef struct {
  const AutoCSRBackend *backend;
  const AutoCSRLearned *named, *own, *like, *energy; /* the file's, this machine's, any of the backend's; this machine's of joules */
  char                  machine[160];
} Found;
static Found     found[2];
static PetscBool finding;

static PetscErrorCode forget_found(void)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(found, sizeof(found)));
  finding = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find(const AutoCSRBackend *backend, Found *f)
{
  char      path[PETSC_MAX_PATH_LEN] = "", scalar[32];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  PetscCall(AutoCSRFeaturesMachine(backend, sizeof(f->machine), f->machine));
  /* -mat_autocsr_learned: [a file] trees of this machine, as config/train-chooser.py writes them (`make tune`), for
     `-mat_autocsr_chooser`; a device's are in the file with `.cuda` after its name (no prefix, read once) */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_learned", path, sizeof(path), &given));
  PetscCheck(!given || path[0], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-mat_autocsr_learned names nothing: say a file");
  if (given && backend->parallel) PetscCall(AutoCSRAppend(path, ".cuda", sizeof(path)));
  if (given) PetscCall(AutoCSRLearnedRead(path, backend, &f->named));
  f->own     = find_shipped(AutoCSRLearnedTables, backend->name, scalar, f->machine);
  f->like    = find_shipped(AutoCSRLearnedTables, backend->name, scalar, NULL);
  f->energy  = find_shipped(AutoCSRLearnedEnergies, backend->name, scalar, f->machine);
  f->backend = backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_once(const AutoCSRBackend *backend, const Found **which)
{
  Found *f = found;

  PetscFunctionBegin;
  while (f->backend && f->backend != backend) f++;
  if (!f->backend) {
    if (!finding) PetscCall(PetscRegisterFinalize(forget_found));
    finding = PETSC_TRUE;
    PetscCall(find(backend, f));
  }
  *which = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRLearnedBest(const AutoCSRFigures *figures, MatAutoCSRChooser *chooser)
{
  const Found          *f = NULL;
  const AutoCSRLearned *t;

  PetscFunctionBegin;
  PetscCall(find_once(figures->backend, &f));
  t        = f->named ? f->named : figures->backend->parallel && !figures->as_shipped ? f->own : NULL;
  *chooser = t && t->forest[AUTOCSR_FOREST_CORRECTED].trees ? MAT_AUTOCSR_CHOOSER_CORRECTED : MAT_AUTOCSR_CHOOSER_MODEL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRLearnedEnergy(const AutoCSRFigures *figures, const AutoCSRLearned **learned)
{
  const Found *f = NULL;

  PetscFunctionBegin;
  PetscCall(find_once(figures->backend, &f));
  *learned = figures->as_shipped ? NULL : f->energy;
  if (f->named && f->named->forest[AUTOCSR_FOREST_ENERGY].trees) *learned = f->named;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRLearnedFind(const AutoCSRBackend *backend, MatAutoCSRChooser chooser, const AutoCSRLearned **learned)
{
  const Found            *f    = NULL;
  const AutoCSRForestKind kind = forest_of(chooser);

  PetscFunctionBegin;
  *learned = NULL;
  if (chooser == MAT_AUTOCSR_CHOOSER_MODEL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_once(backend, &f));
  *learned = f->named ? f->named : f->own                                 ? f->own
                               : chooser == MAT_AUTOCSR_CHOOSER_CORRECTED ? f->like
                                                                          : NULL;
  if (*learned && !(*learned)->forest[kind].trees) *learned = NULL;
  if (!*learned) PetscCall(PetscInfo(NULL, "Chooser %s: there are no trees (%s) of %s with these scalars and indices; the cost model chooses\n", MatAutoCSRChoosers[chooser], needed[chooser], f->machine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline float answer(const AutoCSRTreeNode *root, const float f[])
{
  const AutoCSRTreeNode *n = root;

  while (n->feature != AUTOCSR_LEAF) n = f[n->feature] <= n->at ? n + 1 : root + n->right;
  return n->at;
}

void AutoCSRForestVote(const AutoCSRForest *forest, const float f[], int classes, int votes[])
{
  for (int c = 0; c < classes; c++) votes[c] = 0;
  for (int t = 0; t < forest->trees; t++) {
    const int c = (int)answer(forest->node + forest->first[t], f);

    if (c >= 0 && c < classes) votes[c]++;
  }
}

double AutoCSRForestSum(const AutoCSRForest *forest, const float f[])
{
  double sum = 0;

  for (int t = 0; t < forest->trees; t++) sum += (double)answer(forest->node + forest->first[t], f);
  return sum;
}

PetscErrorCode AutoCSRForestDeciding(const AutoCSRForest *forest, const float f[], int class, size_t len, char text[])
{
  int asked[AUTOCSR_FEATURES + 1] = {0};

  PetscFunctionBegin;
  text[0] = 0;
  for (int t = 0; t < forest->trees; t++) {
    const AutoCSRTreeNode *root = forest->node + forest->first[t], *n = root;

    if (class >= 0 && (int)answer(root, f) != class) continue;
    for (; n->feature != AUTOCSR_LEAF; n = f[n->feature] <= n->at ? n + 1 : root + n->right) asked[n->feature]++;
  }
  for (int k = 0; k < DECIDING; k++) {
    char what[64];
    int  most = 0;

    for (int i = 1; i <= AUTOCSR_FEATURES; i++) most = asked[i] > asked[most] ? i : most;
    if (!asked[most]) break;
    asked[most] = 0;
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s%s %.3g", k ? ", " : "", most < AUTOCSR_FEATURES ? AutoCSRFeatureNames[most] : "bin", (double)f[most]));
    PetscCall(AutoCSRAppend(text, what, len));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int AutoCSRLearnedStrategy(const AutoCSRLearned *learned, const char name[])
{
  int k = 0;

  while (k < learned->n_strategies && strcmp(learned->strategy[k], name)) k++;
  return k;
}
