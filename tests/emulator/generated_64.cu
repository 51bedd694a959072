/* Small thread blocks, few loads at once, two rows a lane */
#define THREADS      64
#define IN_FLIGHT    3
#define EACH         2
#define LENGTH       0
#define NUMBERS      generated64
#define NUMBERS_LIST Generated64
#include "generated.cuh"
