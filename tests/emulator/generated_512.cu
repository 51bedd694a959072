/* Large thread blocks */
#define THREADS      512
#define IN_FLIGHT    0
#define EACH         0
#define LENGTH       0
#define NUMBERS      generated512
#define NUMBERS_LIST Generated512
#include "generated.cuh"
