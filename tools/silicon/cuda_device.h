// An NVIDIA GPU by its driver alone: libcuda.so.1, opened at run time; its compiler takes PTX as text.
#ifndef REWROUGHT_TOOLS_SILICON_CUDA_DEVICE_H_
#define REWROUGHT_TOOLS_SILICON_CUDA_DEVICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/silicon/device.h"

namespace rewrought::silicon {

struct CudaOptions {
  std::string library = "libcuda.so.1";
  int index = 0;  // of the device
};

// NotFound: no library, or no device of this index; FailedPrecondition: the library lacks a function or fails to start;
// ResourceExhausted: no memory for a context. Messages say what to do.
absl::StatusOr<std::unique_ptr<Device>> OpenCudaDevice(const CudaOptions& options);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_CUDA_DEVICE_H_
