/*
  Choosers that were learned from measured products (config/train-chooser.py; hou2017 III-C, dufrechou2021 3): trees, where
  they come from, and what they say. Inside choose/ only.
*/
#ifndef AUTOCSR_LEARNED_H
#define AUTOCSR_LEARNED_H

#include "features.h"

#define AUTOCSR_FEATURE_BIN AUTOCSR_FEATURES /* hou2017's binID: beside the features, of a bin alone */
#define AUTOCSR_LEAF        255              /* in the place of a feature */
#define AUTOCSR_KERNELS     9                /* 1, 2, 4 ... 256 lanes: what the forest KERNEL tells apart */

/* The left child is the next node: the feature is `at` most. A leaf has its answer in `at` */
typedef struct {
  float    at;
  uint16_t right; /* the other child, counted from the root */
  uint8_t  feature;
} AutoCSRTreeNode;

typedef struct {
  int                    trees; /* 0: there is no such forest */
  const uint16_t        *first; /* the root of each tree */
  const AutoCSRTreeNode *node;
} AutoCSRForest;

typedef enum {
  AUTOCSR_FOREST_TREES,       /* each tree votes for the strategy that takes least time, by the features of dufrechou2021 */
  AUTOCSR_FOREST_ENERGY,      /* the sum: the logarithm of a variant's power, by the mean power of its matrix's variants */
  AUTOCSR_FOREST_GRANULARITY, /* one tree: the place of U in AutoCSRGranularity, past these the single bin (hou2017) */
  AUTOCSR_FOREST_KERNEL,      /* one tree: the kernel of a bin, log2 of its lanes (hou2017) */
  AUTOCSR_FOREST_CORRECTED,   /* the sum: what comes to the logarithm of the cost model's seconds */
  AUTOCSR_FORESTS
} AutoCSRForestKind;

/* The forests of a machine. Other scalars or indices are another machine */
struct _AutoCSRLearned {
  const char        *backend, *scalar, *machine; /* machine: as AutoCSRFeaturesMachine() says */
  int                n_strategies;
  const char *const *strategy; /* the names that votes and AUTOCSR_FEATURE_STRATEGY count; "ranges": row ranges */
  AutoCSRForest      forest[AUTOCSR_FORESTS];
};

/* learned_tables.c, which config/train-chooser.py writes; NULL last */
PETSC_INTERN const AutoCSRLearned *const AutoCSRLearnedTables[];
/* learned_energy.c, which config/train-energy.py writes: tables that have the forest ENERGY alone, by strategies of their own; NULL last */
PETSC_INTERN const AutoCSRLearned *const AutoCSRLearnedEnergies[];

/*
  learned.c. The table by which a chooser goes: the one that -mat_autocsr_learned names, else the shipped one of this very
  machine; `corrected` takes any of the same backend, because the cost model knows the machine. NULL: there is none that has
  what the chooser needs, which -info says, and the cost model serves
*/
PETSC_INTERN PetscErrorCode AutoCSRLearnedFind(const AutoCSRBackend *, MatAutoCSRChooser, const AutoCSRLearned **);
/*
  What `auto` stands for: `corrected` where the user names trees, or on a device whose own are shipped, unless the figures are named and so may be
  another machine's; else the cost model (doc/choosers.md)
*/
PETSC_INTERN PetscErrorCode AutoCSRLearnedBest(const AutoCSRFigures *, MatAutoCSRChooser *);
/* The table by which joules are told: the one that the user names, else that of this very device, unless the figures are named; NULL: there is none, and time stands for energy */
PETSC_INTERN PetscErrorCode AutoCSRLearnedEnergy(const AutoCSRFigures *, const AutoCSRLearned **);
/* Nothing is allocated. votes[]: of so many classes */
PETSC_INTERN void   AutoCSRForestVote(const AutoCSRForest *, const float features[], int classes, int votes[]);
PETSC_INTERN double AutoCSRForestSum(const AutoCSRForest *, const float features[]);
/* The features that decide, the most asked for first, as words `name value`. class: of the trees that vote for it; -1: of all */
PETSC_INTERN PetscErrorCode AutoCSRForestDeciding(const AutoCSRForest *, const float features[], int class, size_t len, char text[]);
/* The place of a strategy in a table's list, n_strategies if it is not there */
PETSC_INTERN int AutoCSRLearnedStrategy(const AutoCSRLearned *, const char name[]);

/* learned_file.c: a table in a file. It is checked, so that no tree leads out of it. The file keeps its memory until the process ends PETSc */
PETSC_INTERN PetscErrorCode AutoCSRLearnedRead(const char path[], const AutoCSRBackend *, const AutoCSRLearned **);

/* choose_learned.c: what the choosers do with the cost model's candidates */
PETSC_INTERN PetscErrorCode AutoCSRChooserLearn(AutoCSRChooser *); /* once the profile is known; makes it the cost model's where there is no table */
/* Seconds and score of a candidate by `corrected`; with the objective energy the score is one of joules, by the mean power */
PETSC_INTERN void AutoCSRCandidateCorrect(const AutoCSRChooser *, AutoCSRCandidate *);
/* The votes for a strategy, those of `trees` */
PETSC_INTERN PetscInt AutoCSRChooserVotes(const AutoCSRChooser *, const AutoCSRStrategy *);
/* The axes that `two-stage` says, *found is PETSC_FALSE if the settings or the matrix leave no room for them */
PETSC_INTERN PetscErrorCode AutoCSRChooserBins(AutoCSRChooser *, AutoCSRAxes *, const AutoCSRStrategy **, PetscBool *found);
/* Who chose, and why: for the view */
PETSC_INTERN PetscErrorCode AutoCSRChooserExplain(AutoCSRChooser *, const AutoCSRCandidate *, const AutoCSRCandidate *other, AutoCSRPlan *);

#endif
