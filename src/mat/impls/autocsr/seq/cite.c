/*
  The papers of the strategies that a plan uses, for PETSc's -citations.
*/
#include "seqautocsr.h"

static struct {
  const char *strategy, *entry;
  PetscBool   set;
} Citations[] = {
    {"binned",
     "@inproceedings{hou2017,\n"
     "  author    = {Kaixi Hou and Wu-chun Feng and Shuai Che},\n"
     "  title     = {Auto-Tuning Strategies for Parallelizing Sparse Matrix-Vector (SpMV) Multiplication on Multi- and Many-Core Processors},\n"
     "  booktitle = {IEEE International Parallel and Distributed Processing Symposium Workshops (IPDPSW)},\n"
     "  year      = {2017}\n}\n",
     PETSC_FALSE},
    {"segsum",
     "@article{liu2015,\n"
     "  author  = {Weifeng Liu and Brian Vinter},\n"
     "  title   = {Speculative Segmented Sum for Sparse Matrix-Vector Multiplication on Heterogeneous Processors},\n"
     "  journal = {Parallel Computing},\n"
     "  volume  = {49},\n"
     "  pages   = {179--193},\n"
     "  year    = {2015}\n}\n",
     PETSC_FALSE}};

PetscErrorCode AutoCSRCite(const AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(Citations); c++) {
      PetscBool uses;

      PetscCall(PetscStrcmp(plan->segment[s].strategy, Citations[c].strategy, &uses));
      if (uses) PetscCall(PetscCitationsRegister(Citations[c].entry, &Citations[c].set));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
