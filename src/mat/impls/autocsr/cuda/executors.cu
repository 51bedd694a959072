/* The table of the device's executors, and the kernels that run a segment alone */
#include "kernels.cuh"

#define ENTRY(id, name, order, index, value, mapping, lanes, ...) \
  {{name, AutoCSRDeviceMultSegment, NULL}, AUTOCSR_ORDER_##order, AUTOCSR_INDEX_##index, AUTOCSR_VALUE_##value, AUTOCSR_MAP_##mapping, __VA_ARGS__::reduction, lanes, __VA_ARGS__::block, (const void *)AutoCSROne<__VA_ARGS__>, __VA_ARGS__::Blocks, __VA_ARGS__::ScratchBytes, __VA_ARGS__::light ? PETSC_TRUE : PETSC_FALSE, __VA_ARGS__::finish},

/* clang-format off */
const AutoCSRDeviceExecutor AutoCSRDeviceExecutors[] = {
  EACH_AGENT(ENTRY)
  {{NULL, NULL, NULL}}
};
/* clang-format on */
