#include "tools/silicon/cuda_device.h"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace rewrought::silicon {
namespace {

// The part of the CUDA Driver API that this file uses (CUDA Driver API reference). Handles are opaque pointers, device
// addresses are 64-bit integers, and results are an enum in which 0 means success.
using CuResult = int;
using CuDevice = int;
using CuAddress = unsigned long long;
using CuHandle = void*;

constexpr CuResult kOutOfMemory = 2;
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;       // CUdevice_attribute
constexpr int kErrorLogBuffer = 5, kErrorLogBufferSizeBytes = 6;  // CUjit_option
constexpr unsigned kThreads = 256;                                // threads per block
constexpr size_t kFewLanes = 4096;

struct Driver {
  CuResult (*init)(unsigned flags) = nullptr;
  CuResult (*driver_version)(int* version) = nullptr;
  CuResult (*device_count)(int* count) = nullptr;
  CuResult (*device_get)(CuDevice* device, int index) = nullptr;
  CuResult (*device_name)(char* name, int length, CuDevice device) = nullptr;
  CuResult (*device_attribute)(int* value, int attribute, CuDevice device) = nullptr;
  CuResult (*context_create)(CuHandle* context, unsigned flags, CuDevice device) = nullptr;
  CuResult (*context_destroy)(CuHandle context) = nullptr;
  CuResult (*context_set_current)(CuHandle context) = nullptr;
  CuResult (*context_synchronize)() = nullptr;
  CuResult (*module_load)(CuHandle* module, const void* image, unsigned count, int* options, void** values) = nullptr;
  CuResult (*module_unload)(CuHandle module) = nullptr;
  CuResult (*module_function)(CuHandle* function, CuHandle module, const char* name) = nullptr;
  CuResult (*allocate)(CuAddress* address, size_t bytes) = nullptr;
  CuResult (*release)(CuAddress address) = nullptr;
  CuResult (*to_device)(CuAddress to, const void* from, size_t bytes) = nullptr;
  CuResult (*to_host)(void* to, CuAddress from, size_t bytes) = nullptr;
  CuResult (*launch)(CuHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                     unsigned block_y, unsigned block_z, unsigned shared_bytes, CuHandle stream, void** parameters,
                     void** extra) = nullptr;
  CuResult (*error_name)(CuResult error, const char** text) = nullptr;
  CuResult (*error_string)(CuResult error, const char** text) = nullptr;
};

// Returns "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure", for example.
std::string ErrorText(const Driver& driver, CuResult error) {
  const char *name = nullptr, *text = nullptr;
  if (driver.error_name(error, &name) != 0 || name == nullptr) return absl::StrCat("CUDA error ", error);
  if (driver.error_string(error, &text) != 0 || text == nullptr) return name;
  return absl::StrCat(name, ": ", text);
}

absl::Status FindFunctions(void* library, const std::string& path, Driver* driver) {
  absl::Status status;
  const auto find = [&](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(library, name));
    if (*function == nullptr) {
      status.Update(absl::FailedPreconditionError(absl::StrCat(
          path, " has no ", name, ", so it is not a CUDA driver or is older than CUDA 9; update the driver")));
    }
  };
  find("cuInit", &driver->init);
  find("cuDriverGetVersion", &driver->driver_version);
  find("cuDeviceGetCount", &driver->device_count);
  find("cuDeviceGet", &driver->device_get);
  find("cuDeviceGetName", &driver->device_name);
  find("cuDeviceGetAttribute", &driver->device_attribute);
  find("cuCtxCreate_v2", &driver->context_create);
  find("cuCtxDestroy_v2", &driver->context_destroy);
  find("cuCtxSetCurrent", &driver->context_set_current);
  find("cuCtxSynchronize", &driver->context_synchronize);
  find("cuModuleLoadDataEx", &driver->module_load);
  find("cuModuleUnload", &driver->module_unload);
  find("cuModuleGetFunction", &driver->module_function);
  find("cuMemAlloc_v2", &driver->allocate);
  find("cuMemFree_v2", &driver->release);
  find("cuMemcpyHtoD_v2", &driver->to_device);
  find("cuMemcpyDtoH_v2", &driver->to_host);
  find("cuLaunchKernel", &driver->launch);
  find("cuGetErrorName", &driver->error_name);
  find("cuGetErrorString", &driver->error_string);
  return status;
}

// A device with one context. Calls to the driver are serialized.
class CudaDevice : public Device {
 public:
  explicit CudaDevice(Driver driver) : driver_(driver) {}
  ~CudaDevice() override {
    if (context_ == nullptr) return;
    driver_.context_set_current(context_);
    for (const CuAddress buffer : buffers_) driver_.release(buffer);
    driver_.context_destroy(context_);
  }

  absl::Status Start(int index);
  const DeviceInfo& info() const override { return info_; }
  absl::StatusOr<std::unique_ptr<Kernel>> Load(const std::string& ptx, const std::string& entry) override;
  absl::Status Run(CuHandle function, absl::Span<const std::vector<uint32_t>> inputs, absl::Span<uint32_t> output);
  void Unload(CuHandle module) {
    const std::lock_guard<std::mutex> lock(mutex_);
    driver_.context_set_current(context_);
    driver_.module_unload(module);
  }

 private:
  absl::Status Failure(absl::string_view call, CuResult error) const {
    const std::string text = absl::StrCat(call, ": ", ErrorText(driver_, error));
    return error == kOutOfMemory ? absl::ResourceExhaustedError(text) : absl::InternalError(text);
  }
  absl::Status Reserve(size_t buffers, size_t lanes);
  absl::Status RunSlice(CuHandle function, absl::Span<const std::vector<uint32_t>> inputs, size_t first,
                        absl::Span<uint32_t> output);

  const Driver driver_;
  std::mutex mutex_;
  CuHandle context_ = nullptr;
  DeviceInfo info_;
  std::vector<CuAddress> buffers_;  // each has buffer_lanes_ words
  size_t buffer_lanes_ = 0;
  size_t most_lanes_ = ~size_t{0};  // reduced when an allocation fails
};

class CudaKernel : public Kernel {
 public:
  CudaKernel(CudaDevice* device, CuHandle module, CuHandle function)
      : device_(device), module_(module), function_(function) {}
  ~CudaKernel() override { device_->Unload(module_); }
  absl::Status Run(absl::Span<const std::vector<uint32_t>> inputs, absl::Span<uint32_t> output) override {
    return device_->Run(function_, inputs, output);
  }

 private:
  CudaDevice* const device_;
  const CuHandle module_, function_;
};

absl::Status CudaDevice::Start(int index) {
  if (const CuResult error = driver_.init(0); error != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(Failure("cuInit", error).message(), "; does nvidia-smi find a device on this machine?"));
  }
  int count = 0, version = 0, major = 0, minor = 0;
  CuDevice device = 0;
  if (const CuResult error = driver_.device_count(&count); error != 0) return Failure("cuDeviceGetCount", error);
  if (index < 0 || index >= count) {
    return absl::NotFoundError(absl::StrCat("no device ", index, "; the driver has ", count, ", numbered from 0"));
  }
  if (const CuResult error = driver_.device_get(&device, index); error != 0) return Failure("cuDeviceGet", error);
  char name[256] = "";
  if (const CuResult error = driver_.device_name(name, sizeof name - 1, device); error != 0)
    return Failure("cuDeviceGetName", error);
  for (const auto& [attribute, value] : {std::pair(kCapabilityMajor, &major), std::pair(kCapabilityMinor, &minor)}) {
    if (const CuResult error = driver_.device_attribute(value, attribute, device); error != 0)
      return Failure("cuDeviceGetAttribute", error);
  }
  if (const CuResult error = driver_.driver_version(&version); error != 0) return Failure("cuDriverGetVersion", error);
  info_ = {name, absl::StrCat(version / 1000, ".", version % 1000 / 10), absl::StrCat(major, ".", minor)};
  if (major < 7) {
    return absl::NotFoundError(
        absl::StrCat(info_.name, " has compute capability ", info_.capability,
                     "; the PTX rows require 7.0 (Volta) or later, so choose another device with --device"));
  }
  if (const CuResult error = driver_.context_create(&context_, 0, device); error != 0) {
    context_ = nullptr;
    return Failure("cuCtxCreate", error);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Kernel>> CudaDevice::Load(const std::string& ptx, const std::string& entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  driver_.context_set_current(context_);
  std::string log(16384, '\0');
  int options[] = {kErrorLogBuffer, kErrorLogBufferSizeBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CuHandle module = nullptr, function = nullptr;
  if (const CuResult error = driver_.module_load(&module, ptx.c_str(), 2, options, values); error != 0) {
    log.resize(log.find('\0'));
    const std::string text = absl::StrCat(Failure("cuModuleLoadDataEx", error).message(), log.empty() ? "" : "\n",
                                          absl::StripAsciiWhitespace(log));
    return error == kOutOfMemory ? absl::ResourceExhaustedError(text) : absl::InvalidArgumentError(text);
  }
  if (const CuResult error = driver_.module_function(&function, module, entry.c_str()); error != 0) {
    driver_.module_unload(module);
    return Failure(absl::StrCat("cuModuleGetFunction of ", entry), error);
  }
  return std::make_unique<CudaKernel>(this, module, function);
}

absl::Status CudaDevice::Reserve(size_t buffers, size_t lanes) {
  if (lanes > buffer_lanes_) {
    for (const CuAddress buffer : buffers_) driver_.release(buffer);
    buffers_.clear();
    buffer_lanes_ = lanes;
  }
  while (buffers_.size() < buffers) {
    CuAddress address = 0;
    if (const CuResult error = driver_.allocate(&address, buffer_lanes_ * sizeof(uint32_t)); error != 0) {
      for (const CuAddress buffer : buffers_) driver_.release(buffer);
      buffers_.clear();
      buffer_lanes_ = 0;
      return Failure("cuMemAlloc", error);
    }
    buffers_.push_back(address);
  }
  return absl::OkStatus();
}

// Runs the lanes from `first` to first + output.size(). The buffers must be large enough.
absl::Status CudaDevice::RunSlice(CuHandle function, absl::Span<const std::vector<uint32_t>> inputs, size_t first,
                                  absl::Span<uint32_t> output) {
  const size_t bytes = output.size() * sizeof(uint32_t);
  std::vector<void*> parameters;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const CuResult error = driver_.to_device(buffers_[i], inputs[i].data() + first, bytes); error != 0)
      return Failure("cuMemcpyHtoD", error);
    parameters.push_back(&buffers_[i]);
  }
  parameters.push_back(&buffers_[inputs.size()]);
  unsigned lanes = static_cast<unsigned>(output.size());
  parameters.push_back(&lanes);
  const unsigned blocks = (lanes + kThreads - 1) / kThreads;
  if (const CuResult error =
          driver_.launch(function, blocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters.data(), nullptr);
      error != 0) {
    return Failure("cuLaunchKernel", error);
  }
  if (const CuResult error = driver_.context_synchronize(); error != 0) return Failure("the kernel", error);
  if (const CuResult error = driver_.to_host(output.data(), buffers_[inputs.size()], bytes); error != 0)
    return Failure("cuMemcpyDtoH", error);
  return absl::OkStatus();
}

absl::Status CudaDevice::Run(CuHandle function, absl::Span<const std::vector<uint32_t>> inputs,
                             absl::Span<uint32_t> output) {
  const std::lock_guard<std::mutex> lock(mutex_);
  driver_.context_set_current(context_);
  for (size_t first = 0; first < output.size();) {
    const size_t lanes = std::min(output.size() - first, most_lanes_);
    if (absl::Status reserved = Reserve(inputs.size() + 1, lanes); !reserved.ok()) {
      if (!absl::IsResourceExhausted(reserved) || lanes <= kFewLanes) return reserved;
      most_lanes_ = lanes / 2;
      continue;
    }
    absl::Status ran = RunSlice(function, inputs, first, output.subspan(first, lanes));
    if (!ran.ok()) return ran;
    first += lanes;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> OpenCudaDevice(const CudaOptions& options) {
  void* const library = dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::NotFoundError(absl::StrCat(dlerror(),
                                            "; it is part of NVIDIA's GPU driver; install the driver, or name the "
                                            "file with --library"));
  }
  // The library is never closed, because drivers keep their own threads and handlers.
  Driver driver;
  if (absl::Status found = FindFunctions(library, options.library, &driver); !found.ok()) return found;
  auto device = std::make_unique<CudaDevice>(driver);
  if (absl::Status started = device->Start(options.index); !started.ok()) return started;
  return device;
}

}  // namespace rewrought::silicon
