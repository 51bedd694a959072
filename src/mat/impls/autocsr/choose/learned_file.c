/*
  A table of trees in a file, as config/train-chooser.py --file writes it. What is read is checked: a tree whose children lie
  behind their parents, within it, comes to a leaf; a leaf's answer is a class that there is.
*/
#include "learned.h"
#include "../backend.h"

#define FORMAT   "petscautocsr learned 1"
#define MAX_NODE 65535 /* of a forest: `first` counts no more */
#define MAX_TREE 1024
#define NAME     32

typedef struct {
  AutoCSRLearned table;
  char           backend[16], scalar[32], machine[160], name[AUTOCSR_MAX_STRATEGIES][NAME];
  const char    *strategy[AUTOCSR_MAX_STRATEGIES];
  void          *first[AUTOCSR_FORESTS], *node[AUTOCSR_FORESTS];
} File;

static File     *kept[2]; /* one a backend at most */
static PetscBool keeping;

static PetscErrorCode destroy(File **file)
{
  PetscFunctionBegin;
  if (!*file) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < AUTOCSR_FORESTS; k++) {
    PetscCall(PetscFree((*file)->first[k]));
    PetscCall(PetscFree((*file)->node[k]));
  }
  PetscCall(PetscFree(*file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_kept(void)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) PetscCall(destroy(&kept[k]));
  keeping = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Classes of a forest's answers; 0: any number */
static int classes(const AutoCSRLearned *t, int kind)
{
  const int of[AUTOCSR_FORESTS] = {t->n_strategies, 0, AUTOCSR_GRANULARITIES + 1, AUTOCSR_KERNELS, 0};

  return of[kind];
}

static PetscBool tree_is_sound(const AutoCSRTreeNode *root, long nodes, int n_classes)
{
  for (long k = 0; k < nodes; k++) {
    const AutoCSRTreeNode *n = &root[k];

    if (n->feature == AUTOCSR_LEAF) {
      if (!(n->at >= (n_classes ? 0 : -10) && n->at < (n_classes ? n_classes : 10))) return PETSC_FALSE;
    } else if (n->feature > AUTOCSR_FEATURE_BIN || n->right <= k + 1 || n->right >= nodes || PetscIsNanReal((PetscReal)n->at))
      return PETSC_FALSE;
  }
  return (PetscBool)(nodes > 0 && root[nodes - 1].feature == AUTOCSR_LEAF);
}

static PetscErrorCode read_forest(FILE *in, File *file, int kind, long trees, long nodes, PetscBool *good)
{
  uint16_t        *first;
  AutoCSRTreeNode *node;

  PetscFunctionBegin;
  *good = (PetscBool)(trees > 0 && trees <= MAX_TREE && nodes >= trees && nodes <= MAX_NODE && !file->node[kind]);
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(trees, &first));
  PetscCall(PetscMalloc1(nodes, &node));
  file->first[kind] = first;
  file->node[kind]  = node;
  for (long t = 0; t < trees && *good; t++) *good = (PetscBool)(fscanf(in, "%hu", &first[t]) == 1 && first[t] < nodes && (t ? first[t] > first[t - 1] : !first[t]));
  for (long k = 0; k < nodes && *good; k++) *good = (PetscBool)(fscanf(in, "%hhu %hu %f", &node[k].feature, &node[k].right, &node[k].at) == 3);
  for (long t = 0; t < trees && *good; t++) *good = tree_is_sound(node + first[t], (t + 1 < trees ? first[t + 1] : nodes) - first[t], classes(&file->table, kind));
  file->table.forest[kind] = (AutoCSRForest){(int)trees, first, node};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *good: it is a table of this form and these features */
static PetscErrorCode read_table(FILE *in, File *file, PetscBool *good)
{
  static const char *const kinds[AUTOCSR_FORESTS] = {"trees", "energy", "granularity", "kernel", "corrected"};
  char                     word[16];
  int                      features;
  long                     trees, nodes;

  PetscFunctionBegin;
  *good = (PetscBool)(fscanf(in, FORMAT " backend %15s scalar %31s machine %159[^\n] features %d strategies %d", file->backend, file->scalar, file->machine, &features, &file->table.n_strategies) == 5 && features == AUTOCSR_FEATURES && file->table.n_strategies > 0 && file->table.n_strategies <= AUTOCSR_MAX_STRATEGIES);
  for (int s = 0; *good && s < file->table.n_strategies; s++) {
    *good             = (PetscBool)(fscanf(in, "%31s", file->name[s]) == 1);
    file->strategy[s] = file->name[s];
  }
  while (*good && fscanf(in, "%15s", word) == 1) {
    int kind = 0;

    if (!strcmp(word, "end")) PetscFunctionReturn(PETSC_SUCCESS);
    *good = (PetscBool)(!strcmp(word, "forest") && fscanf(in, "%15s %ld %ld", word, &trees, &nodes) == 3);
    while (kind < AUTOCSR_FORESTS && strcmp(word, kinds[kind])) kind++;
    *good = (PetscBool)(*good && kind < AUTOCSR_FORESTS);
    if (*good) PetscCall(read_forest(in, file, kind, trees, nodes, good));
  }
  *good = PETSC_FALSE; /* it does not come to its end */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRLearnedRead(const char path[], const AutoCSRBackend *backend, const AutoCSRLearned **learned)
{
  FILE          *in = AutoCSRKeptOpen(path);
  File          *file;
  char           scalar[32];
  PetscBool      good;
  PetscErrorCode ierr;
  locale_t       c, before;

  PetscFunctionBegin;
  *learned = NULL;
  PetscCheck(in, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-mat_autocsr_learned %s: the file cannot be read; make tune writes one (config/train-chooser.py --file)", path);
  PetscCall(PetscNew(&file));
  c    = AutoCSRKeptUseC(&before);
  ierr = read_table(in, file, &good);
  AutoCSRKeptUseBefore(c, before);
  fclose(in);
  PetscCall(ierr);
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  good = (PetscBool)(good && !strcmp(file->backend, backend->name) && !strcmp(file->scalar, scalar));
  if (!good) PetscCall(destroy(&file));
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "-mat_autocsr_learned %s: the file holds no trees of %s with these scalars and indices that this version can use; make tune writes it anew", path, backend->name);
  file->table.backend  = file->backend;
  file->table.scalar   = file->scalar;
  file->table.machine  = file->machine;
  file->table.strategy = file->strategy;
  if (!keeping) PetscCall(PetscRegisterFinalize(destroy_kept));
  keeping = PETSC_TRUE;
  PetscCall(destroy(&kept[backend->parallel]));
  kept[backend->parallel] = file;
  *learned                = &file->table;
  PetscFunctionReturn(PETSC_SUCCESS);
}
