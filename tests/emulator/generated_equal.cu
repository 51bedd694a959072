/* Rows of seven entries each */
#define THREADS      64
#define IN_FLIGHT    3
#define EACH         2
#define LENGTH       7
#define NUMBERS      generated_equal
#define NUMBERS_LIST GeneratedEqual
#include "generated.cuh"
