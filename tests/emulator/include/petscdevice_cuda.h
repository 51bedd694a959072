/* What the device's room uses of PETSc's header of this name, for a PETSc without CUDA */
#ifndef EMULATOR_PETSCDEVICE_CUDA_H
#define EMULATOR_PETSCDEVICE_CUDA_H

#include <cuda_runtime.h>
#include <petscsys.h>

PETSC_EXTERN cudaStream_t PetscDefaultCudaStream;

#define PetscCallCUDA(...)                                                                               \
  do {                                                                                                   \
    const cudaError_t error_ = __VA_ARGS__;                                                              \
    PetscCheck(error_ == cudaSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "%s", cudaGetErrorString(error_)); \
  } while (0)
#define PetscCallCUDAVoid(...)                                                                                                                          \
  do {                                                                                                                                                  \
    const cudaError_t error_ = __VA_ARGS__;                                                                                                             \
    if (error_ != cudaSuccess) {                                                                                                                        \
      (void)PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_GPU, PETSC_ERROR_INITIAL, "%s", cudaGetErrorString(error_)); \
      return;                                                                                                                                           \
    }                                                                                                                                                   \
  } while (0)

#endif
