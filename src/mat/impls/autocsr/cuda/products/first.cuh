/* The agent of the first products of a matrix (choose/make.c, first_strategy()), whose kernel is in first.cu */
#ifndef AUTOCSR_FIRST_CUH
#define AUTOCSR_FIRST_CUH

#include "agent_segsum.cuh"

typedef AgentSegsum<8, AUTOCSR_REDUCE_SEGMENTED> AutoCSRFirstAgent;

__global__ void AutoCSRFirst(const __grid_constant__ AutoCSROneParameters);

#endif
