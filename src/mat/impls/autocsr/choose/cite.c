/*
  The papers of the strategies that a plan uses, for PETSc's -citations: a strategy's source begins with the paper's key.
*/
#include "choose.h"

static struct {
  const char *paper, *entry;
  PetscBool   set;
} Citations[] = {
    {"hou2017",
     "@inproceedings{hou2017,\n"
     "  author    = {Kaixi Hou and Wu-chun Feng and Shuai Che},\n"
     "  title     = {Auto-Tuning Strategies for Parallelizing Sparse Matrix-Vector (SpMV) Multiplication on Multi- and Many-Core Processors},\n"
     "  booktitle = {IEEE International Parallel and Distributed Processing Symposium Workshops (IPDPSW)},\n"
     "  year      = {2017}\n}\n",
     PETSC_FALSE},
    {"liu2015",
     "@article{liu2015,\n"
     "  author  = {Weifeng Liu and Brian Vinter},\n"
     "  title   = {Speculative Segmented Sum for Sparse Matrix-Vector Multiplication on Heterogeneous Processors},\n"
     "  journal = {Parallel Computing},\n"
     "  volume  = {49},\n"
     "  pages   = {179--193},\n"
     "  year    = {2015}\n}\n",
     PETSC_FALSE},
    {"du2022",
     "@inproceedings{du2022,\n"
     "  author    = {Zhen Du and Jiajia Li and Yinshan Wang and Xueqi Li and Guangming Tan and Ninghui Sun},\n"
     "  title     = {AlphaSparse: Generating High Performance SpMV Codes Directly from Sparse Matrices},\n"
     "  booktitle = {International Conference for High Performance Computing, Networking, Storage and Analysis (SC)},\n"
     "  year      = {2022}\n}\n",
     PETSC_FALSE},
    {"lee2004",
     "@inproceedings{lee2004,\n"
     "  author    = {Benjamin C. Lee and Richard W. Vuduc and James W. Demmel and Katherine A. Yelick},\n"
     "  title     = {Performance Models for Evaluation and Automatic Tuning of Symmetric Sparse Matrix-Vector Multiply},\n"
     "  booktitle = {International Conference on Parallel Processing (ICPP)},\n"
     "  year      = {2004}\n}\n",
     PETSC_FALSE},
    {"dufrechou2021",
     "@article{dufrechou2021,\n"
     "  author  = {Ernesto Dufrechou and Pablo Ezzatti and Enrique S. Quintana-Ort{\\'\\i}},\n"
     "  title   = {Selecting Optimal {SpMV} Realizations for {GPUs} via Machine Learning},\n"
     "  journal = {The International Journal of High Performance Computing Applications},\n"
     "  volume  = {35},\n"
     "  number  = {3},\n"
     "  pages   = {254--267},\n"
     "  year    = {2021}\n}\n",
     PETSC_FALSE},
    {"hong2019",
     "@inproceedings{hong2019,\n"
     "  author    = {Changwan Hong and Aravind Sukumaran-Rajam and Israt Nisa and Kunal Singh and P. Sadayappan},\n"
     "  title     = {Adaptive Sparse Tiling for Sparse Matrix Multiplication},\n"
     "  booktitle = {Symposium on Principles and Practice of Parallel Programming (PPoPP)},\n"
     "  year      = {2019}\n}\n",
     PETSC_FALSE},
    {"beamer2017",
     "@inproceedings{beamer2017,\n"
     "  author    = {Scott Beamer and Krste Asanovi{\\'c} and David Patterson},\n"
     "  title     = {Reducing Pagerank Communication via Propagation Blocking},\n"
     "  booktitle = {IEEE International Parallel and Distributed Processing Symposium (IPDPS)},\n"
     "  year      = {2017}\n}\n",
     PETSC_FALSE},
    {"zhang2017",
     "@inproceedings{zhang2017,\n"
     "  author    = {Yunming Zhang and Vladimir Kiriansky and Charith Mendis and Saman Amarasinghe and Matei Zaharia},\n"
     "  title     = {Making Caches Work for Graph Analytics},\n"
     "  booktitle = {IEEE International Conference on Big Data},\n"
     "  year      = {2017}\n}\n",
     PETSC_FALSE}};

/* source: as a strategy names its papers, the first one first */
static PetscErrorCode CiteSource(const char source[])
{
  PetscFunctionBegin;
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(Citations); c++) {
    PetscBool uses;

    PetscCall(PetscStrbeginswith(source, Citations[c].paper, &uses));
    if (uses) PetscCall(PetscCitationsRegister(Citations[c].entry, &Citations[c].set));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCite(const AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRStrategy *strategy;

    PetscCall(AutoCSRStrategyFind(plan->segment[s].strategy, &strategy));
    PetscCall(CiteSource(strategy->source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCiteDense(AutoCSRDenseWay way)
{
  PetscFunctionBegin;
  if (way == AUTOCSR_DENSE_ADAPTIVE) PetscCall(CiteSource("hong2019"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
