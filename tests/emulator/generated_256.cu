/* Thread blocks as those of kernels compiled ahead, of agents that have constants */
#define THREADS      256
#define IN_FLIGHT    0
#define EACH         0
#define LENGTH       0
#define NUMBERS      generated256
#define NUMBERS_LIST Generated256
#include "generated.cuh"
