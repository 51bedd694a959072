/* What tests say to the emulator, in C and C++ */
#ifndef EMULATOR_CONTROL_H
#define EMULATOR_CONTROL_H

#if defined(__cplusplus)
extern "C" {
#endif

/* The order in which blocks, and the threads of a block, run. What is read from shared memory without having been written is other in each */
typedef enum {
  EMULATOR_FORWARD,
  EMULATOR_BACKWARD,
  EMULATOR_SHUFFLED,
  EMULATOR_ORDERS
} EmulatorOrder;

void EmulatorSetOrder(EmulatorOrder);

/* Whether there is page-locked memory of the host to be had */
void EmulatorRefuseHostMemory(int refuse);

/* Launches so far, of a graph each of its kernels; launches of graphs */
unsigned long long EmulatorLaunches(void);
unsigned long long EmulatorGraphLaunches(void);

/* Graphs cannot be made, as by a driver that has none */
void EmulatorRefuseGraphs(int);

#if defined(__cplusplus)
}
#endif

#endif
