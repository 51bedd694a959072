/* Products on a GPU without PETSc's types: cuSPARSE called directly, and the time that the bytes of a product take. */
#ifndef BENCH_DIRECT_H
#define BENCH_DIRECT_H

#include "bench.h"

extern const Direct Floor;
extern const Direct Cusparse[]; /* each algorithm for CSR without and with preprocess: default, 1, 2 */

#endif
