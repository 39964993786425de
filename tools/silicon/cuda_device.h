// Runs PTX on an NVIDIA GPU using only the driver, libcuda.so.1, which is opened at run time and compiles PTX text.
#ifndef REWROUGHT_TOOLS_SILICON_CUDA_DEVICE_H_
#define REWROUGHT_TOOLS_SILICON_CUDA_DEVICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/silicon/device.h"

namespace rewrought::silicon {

struct CudaOptions {
  std::string library = "libcuda.so.1";
  int index = 0;  // the device's number
};

// Opens the device. Fails with NotFound if the library or the device does not exist, with FailedPrecondition if the
// library lacks a function or fails to start, and with ResourceExhausted if there is no memory for a context. Each
// message states a remedy.
absl::StatusOr<std::unique_ptr<Device>> OpenCudaDevice(const CudaOptions& options);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_CUDA_DEVICE_H_
