/* Rows whose lengths the kernel knows */
#define THREADS      64
#define IN_FLIGHT    3
#define EACH         2
#define LENGTH       0
#define STRETCHES
#define NUMBERS      generated_stretches
#define NUMBERS_LIST GeneratedStretches
#include "generated.cuh"
