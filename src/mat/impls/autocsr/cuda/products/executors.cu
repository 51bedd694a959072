/* The table of the device's executors, and the kernels that run a segment alone */
#include "first.cuh"
#include "kernels.cuh"
#include <type_traits>

template <class Agent>
static constexpr const void *KernelOf()
{
  if constexpr (std::is_same_v<Agent, AutoCSRFirstAgent>)
    return (const void *)AutoCSRFirst;
  else
    return (const void *)AutoCSROne<Agent>;
}

template <class Agent>
static constexpr AutoCSRDeviceStep StepOf()
{
  if constexpr (std::is_void_v<Agent>)
    return {NULL, 0, NULL, NULL};
  else
    return {KernelOf<Agent>(), Agent::threads, Agent::Blocks, Agent::SharedBytes};
}

/* What comes after what comes after an agent */
template <class Agent>
static constexpr AutoCSRDeviceStep LastStepOf()
{
  if constexpr (std::is_void_v<Agent>)
    return StepOf<void>();
  else
    return StepOf<typename Agent::Then>();
}

#define ENTRY(id, name, order, index, value, mapping, lanes, ...) \
  {{name, AutoCSRDeviceMultSegment, NULL, AGENT_##id}, AUTOCSR_ORDER_##order, AUTOCSR_INDEX_##index, AUTOCSR_VALUE_##value, AUTOCSR_MAP_##mapping, __VA_ARGS__::reduction, lanes, __VA_ARGS__::block, {StepOf<__VA_ARGS__>(), StepOf<typename __VA_ARGS__::Then>(), LastStepOf<typename __VA_ARGS__::Then>()}, __VA_ARGS__::alone || !__VA_ARGS__::shares ? PETSC_TRUE : PETSC_FALSE, __VA_ARGS__::ScratchBytes, __VA_ARGS__::lean ? PETSC_TRUE : PETSC_FALSE, __VA_ARGS__::finish},

static_assert(AGENT_COUNT <= AUTOCSR_VENDOR_EXECUTOR, "AUTOCSR_MAX_EXECUTORS is too small");

/* clang-format off */
const AutoCSRDeviceExecutor AutoCSRDeviceExecutors[] = {
  EACH_AGENT(ENTRY)
  {{NULL, NULL, NULL, 0}}
};
/* clang-format on */
