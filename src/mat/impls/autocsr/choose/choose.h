/*
  Chooses and makes the plan of a block, for seq/, mpi/, product/ and interface/. These rooms also call other rooms: seq/
  refreshes and checks plans, products call the backend that a plan names, and interface/ reads the table of strategies.
*/
#ifndef AUTOCSR_CHOOSE_H
#define AUTOCSR_CHOOSE_H

#include "../machine/machine.h"
#include "../plan/dense.h"
#include "../profile/fingerprint.h"
#include "../strategy/strategy.h"

/* Another type from PETSc 3.23 on */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *AutoCSROptionItems;
#else
typedef PetscOptionItems AutoCSROptionItems;
#endif

/*
  cost_dense.c: seconds of a product with so many dense columns, and which way is taken for it (plan/dense.h): the one that
  is asked for, or the fastest. The profile may be NULL
*/
PETSC_INTERN PetscErrorCode AutoCSRCostDense(const AutoCSRMatrix *, const AutoCSRProfile *, MatAutoCSRDense asked, PetscInt columns, double *seconds, AutoCSRDenseWay *);

/* Creates an AutoCSRDense (plan/dense.h) with the machine's shape of adaptive tiles */
PETSC_INTERN PetscErrorCode AutoCSRCostDenseCreate(const AutoCSRMatrix *, AutoCSRDense **);

/*
  Whether adaptive tiles are taken for a product on a processor, which takes so many seconds by panels. They are made once
  products have lost as much without them as making them takes, after a look at some row panels that products have paid for,
  too. Nothing is measured
*/
PETSC_INTERN PetscErrorCode AutoCSRCostConsiderTiles(const AutoCSRMatrix *, AutoCSRDense *, PetscInt columns, double seconds, PetscBool *take);

/* The same of bundles of rows, on a device. sampled: the product is; at_once: products need not have paid */
PETSC_INTERN PetscErrorCode AutoCSRCostConsiderBundles(const AutoCSRMatrix *, const AutoCSRProfile *, AutoCSRDense *, PetscInt columns, PetscBool sampled, double seconds, PetscBool at_once, PetscBool *take);

/* Whether of a sampled product all of Y X^T is made, on a device: A is nearly dense */
PETSC_INTERN PetscErrorCode AutoCSRCostConsiderWhole(const AutoCSRMatrix *, const AutoCSRSampledOperands *, PetscBool *take);

/* The default settings, and all checks of the user's. Errors name the value, the choices and the remedy */
PETSC_INTERN PetscErrorCode AutoCSRSettingsInitialize(AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRSettingsCheck(const AutoCSRSettings *);
PETSC_INTERN double         AutoCSRSearchSeconds(const AutoCSRSettings *); /* that a search may take: as set, else by the rigor */
PETSC_INTERN PetscErrorCode AutoCSRSettingsSetGraph(AutoCSRSettings *, const char[]);
PETSC_INTERN PetscErrorCode AutoCSRSettingsSetFromOptions(PetscObject, AutoCSRSettings *, AutoCSROptionItems); /* options.c */
/* The user leaves strategy, codings and rigor to the library */
PETSC_INTERN PetscBool AutoCSRSettingsAreAutomatic(const AutoCSRSettings *);
/* Graphs are searched: the rigor asks for it, and nothing else says how products are made or what a plan may keep */
PETSC_INTERN PetscBool AutoCSRSettingsSearch(const AutoCSRSettings *);
/* Whether a plan by one of the settings is a plan by the other */
PETSC_INTERN PetscBool AutoCSRSettingsPlanAlike(const AutoCSRSettings *, const AutoCSRSettings *);

typedef struct _AutoCSRChoice AutoCSRChoice; /* make.c */

/* progress.c: how far the planning of a block has come, and when it goes on */
typedef enum {
  AUTOCSR_STAGE_FINAL,  /* no product will change the plan */
  AUTOCSR_STAGE_FIRST,  /* the plan is the first plan, which takes no look at the matrix */
  AUTOCSR_STAGE_CHOSEN, /* the same, and another plan is chosen and not built yet */
} AutoCSRPlanStage;

typedef struct {
  AutoCSRPlanStage stage;
  /* Steps wait for products of a round number, in which the other processes take theirs */
  PetscBool  in_step;
  PetscInt64 products; /* so far */
  /* Predicted seconds: of a product by the first plan, of a look, of all products so far, and the sum at which the next step is due */
  double product, look, spent, due;
  /* After the look: seconds of a product by the chosen plan, and of look and building together; else 0 */
  double better, steps;
  /* The next life is expected to be short: steps wait AUTOCSR_PATIENCE times as long */
  PetscBool patient;
} AutoCSRProgress;

/* How long the structures of an object lived of late, or the structures of other objects of its size */
typedef struct {
  /* The number of latest lives in a row that outlived a look and did not pay for it */
  PetscInt in_vain;
  /* Seconds of products by the first plan that pay for look and building, by the last look; 0: no look yet */
  double pays;
  /* The number of latest structures in a row whose fingerprint no other structure had */
  PetscInt strange;
} AutoCSRLives;

/*
  1 / lambda of ski rental with predictions: steps wait for this multiple of their cost. Right advice costs at most a
  quarter more than the best in hindsight, wrong advice at most five times the best
*/
#define AUTOCSR_PATIENCE 4
/* After this number of lives in vain, one after the other, the next life counts as short */
#define AUTOCSR_IN_VAIN 2

PETSC_INTERN void AutoCSRProgressBegin(AutoCSRProgress *, PetscBool in_step, double product, double look);
/* Called right after Begin */
PETSC_INTERN void AutoCSRProgressExpect(AutoCSRProgress *, const AutoCSRLives *);
PETSC_INTERN void AutoCSRProgressChosen(AutoCSRProgress *, double product, double better, double build);
PETSC_INTERN void AutoCSRProgressReturn(AutoCSRProgress *);
/* Asked before each product */
PETSC_INTERN PetscBool AutoCSRProgressIsDue(const AutoCSRProgress *);
/* Counts the product */
PETSC_INTERN void AutoCSRProgressCount(AutoCSRProgress *);
/* Counts as many products as take `seconds`, up to the next step */
PETSC_INTERN void     AutoCSRProgressSpend(AutoCSRProgress *, double seconds);
PETSC_INTERN PetscInt AutoCSRProgressRemaining(const AutoCSRProgress *);
/* A life of so many products has ended */
PETSC_INTERN void AutoCSRLivesRecord(AutoCSRLives *, const AutoCSRProgress *, PetscInt64 products);

/* What planning has made of a structure */
typedef struct {
  AutoCSRPlan    *plan;
  AutoCSRProfile *profile;
  AutoCSRChoice  *choice;   /* of this profile: takes the place of the plan, but is not built yet */
  AutoCSRProgress progress; /* final if there is no plan */
  PetscInt        nonempty; /* rows with entries, for the count of flops; -1: not counted yet */
  PetscInt64      products; /* of the structure's life */
} AutoCSRPlanned;

/*
  kept_plans.c: kept plans, for structures that may come back: their matrices are gone or have another structure. And the lives
  of matrices of a size, for a matrix that has had none
*/

#define AUTOCSR_KEPT       16         /* kept plans at most: a program that steps in time has a few structures (`make lives`) */
#define AUTOCSR_KEPT_BYTES (64 << 20) /* bytes of all kept plans together, at most */

/* Keeps or destroys what was planned. Nothing is planned then */
PETSC_INTERN PetscErrorCode AutoCSRPlannedKeep(AutoCSRPlanned *, const AutoCSRMatrix *sizes, const AutoCSRSettings *, const AutoCSRFingerprint *);
/* found->plan is NULL if no kept plan fits. The fingerprint is found if a kept plan has the matrix's sizes */
PETSC_INTERN PetscErrorCode AutoCSRPlannedFind(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRFingerprint *, AutoCSRPlanned *);
PETSC_INTERN PetscErrorCode AutoCSRPlannedDestroy(AutoCSRPlanned *);
PETSC_INTERN PetscErrorCode AutoCSRLivesOfSize(const AutoCSRMatrix *, AutoCSRLives **);

/* wisdom.c: what earlier runs have chosen for structures. Find and Learn only where it applies */
PETSC_INTERN PetscErrorCode AutoCSRWisdomApplies(const AutoCSRSettings *, PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRWisdomFind(const AutoCSRMatrix *, const AutoCSRSettings *, const AutoCSRFingerprint *, AutoCSRSettings *wise, char graph[AUTOCSR_GRAPH_LENGTH], PetscBool *parents, PetscBool *);
PETSC_INTERN PetscBool      AutoCSRWisdomHolds(const AutoCSRSettings *wise, const char graph[], const AutoCSRPlan *);
PETSC_INTERN PetscErrorCode AutoCSRWisdomTakeGraph(AutoCSRSettings *wise, const char[], PetscBool *known); /* known: the text is a graph that this library understands */
PETSC_INTERN PetscErrorCode AutoCSRWisdomSearchFile(const AutoCSRMatrix *, const AutoCSRSettings *, const AutoCSRFingerprint *, char path[PETSC_MAX_PATH_LEN], size_t len, char key[]);
PETSC_INTERN PetscErrorCode AutoCSRWisdomLearn(const AutoCSRMatrix *, const AutoCSRSettings *, const AutoCSRFingerprint *, const AutoCSRPlan *, double seconds);

/*
  make.c. In debug builds AutoCSRPlanCheck() compares each plan with the CSR.

    First   makes the first plan, and predicts the seconds of its products and of a look
    Look    makes profile and choice. product: predicted seconds of one product by the first plan, now that the profile tells what
            it gathers; 0: not known. better: of one by the chosen plan. build: of building. product and better may be NULL
    Build   makes the chosen plan, for the same matrix with the same values, and ends the choice
    Make    takes all steps at once; with rigor none it makes a plan without a profile
*/
PETSC_INTERN PetscBool      AutoCSRPlanIsProgressive(const AutoCSRMatrix *, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRPlanFirst(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRPlan **, double *product, double *look);
PETSC_INTERN PetscErrorCode AutoCSRPlanLook(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRProfile **, AutoCSRChoice **, double *product, double *better, double *build);
/* The chosen plan has a coding that may not fit other values */
PETSC_INTERN PetscBool      AutoCSRChoiceIsOfValues(const AutoCSRChoice *);
PETSC_INTERN void           AutoCSRChoiceTakeValues(AutoCSRChoice *); /* there are new values: only candidates that fit any are left beside the chosen one */
PETSC_INTERN PetscErrorCode AutoCSRPlanBuild(AutoCSRChoice **, const AutoCSRMatrix *, AutoCSRPlan **);
PETSC_INTERN PetscErrorCode AutoCSRPlanMake(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRPlan **, AutoCSRProfile **);
PETSC_INTERN PetscErrorCode AutoCSRChoiceDestroy(AutoCSRChoice **);
/* A choice that outlives the one that is built, as long as its profile does; and the plan of the first candidate after the *k-th, which becomes *k, by a strategy that no candidate before it has. NULL: there is none */
PETSC_INTERN PetscErrorCode AutoCSRChoiceCopy(const AutoCSRChoice *, AutoCSRChoice **);
PETSC_INTERN PetscErrorCode AutoCSRPlanBuildOther(AutoCSRChoice *, const AutoCSRMatrix *, PetscInt *k, AutoCSRPlan **);

/* cite.c: the papers of a plan's strategies, for PETSc's -citations */
PETSC_INTERN PetscErrorCode AutoCSRCite(const AutoCSRPlan *);
PETSC_INTERN PetscErrorCode AutoCSRCiteDense(AutoCSRDenseWay);

#endif
