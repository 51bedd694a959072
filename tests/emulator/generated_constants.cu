/* The same where these have constants */
#define THREADS      256
#define IN_FLIGHT    0
#define EACH         0
#define LENGTH       0
#define CONSTANTS
#define NUMBERS      generated_constants
#define NUMBERS_LIST GeneratedConstants
#include "generated.cuh"
