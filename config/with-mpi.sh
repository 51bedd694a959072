#!/usr/bin/env bash
# Runs a command with what MPI needs on small machines and in containers: more ranks than cores, no fixed cores, root allowed.
# Open MPI starts in half the time, because it looks for no network (OMPI_MCA_pml chooses another way).
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export OMPI_MCA_pml="${OMPI_MCA_pml:-ob1}" OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_base_warn_component_unused=0
exec "$@"
