// A device that runs kernels of PTX: the driver's, or a test's.
#ifndef REWROUGHT_TOOLS_SILICON_DEVICE_H_
#define REWROUGHT_TOOLS_SILICON_DEVICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace rewrought::silicon {

struct DeviceInfo {
  std::string name;        // "NVIDIA H200"
  std::string driver;      // as the driver numbers the API: "12.8"
  std::string capability;  // "9.0"
};

// Freed before its device.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // Lane i of `output` from lane i of each of `inputs`, all as long as `output`. Thread-safe. Internal when the launch
  // failed, which nothing after it survives; ResourceExhausted when memory does not suffice for a few lanes either.
  virtual absl::Status Run(absl::Span<const std::vector<uint32_t>> inputs, absl::Span<uint32_t> output) = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  // Compiles a module and finds `entry` in it. InvalidArgument with the compiler's log when it refuses the text.
  virtual absl::StatusOr<std::unique_ptr<Kernel>> Load(const std::string& ptx, const std::string& entry) = 0;
};

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_DEVICE_H_
