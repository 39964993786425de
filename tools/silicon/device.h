// The interface of a device that runs PTX kernels: a GPU, or a fake in tests.
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
  std::string driver;      // the driver's version of the API: "12.8"
  std::string capability;  // "9.0"
};

// A compiled kernel. Must be destroyed before its device.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // Computes lane i of `output` from lane i of each of `inputs`, which all have the length of `output`. Thread-safe.
  // Fails with Internal if the launch fails, after which the device is unusable, and with ResourceExhausted if memory
  // is insufficient even for a few lanes.
  virtual absl::Status Run(absl::Span<const std::vector<uint32_t>> inputs, absl::Span<uint32_t> output) = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  // Compiles a module and finds `entry` in it. Fails with InvalidArgument and the compiler's log if the text is
  // rejected.
  virtual absl::StatusOr<std::unique_ptr<Kernel>> Load(const std::string& ptx, const std::string& entry) = 0;
};

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_DEVICE_H_
