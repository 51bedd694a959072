/* Trees of joules, written by config/train-energy.py: do not edit. learned.h tells the form */
#include "learned.h"

const AutoCSRLearned *const AutoCSRLearnedEnergies[] = {NULL};
