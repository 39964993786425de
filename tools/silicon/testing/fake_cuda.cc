// A libcuda for tests: implements the driver's functions that silicon calls, on the host (testing/ptx_interpreter.h).
// The device's name states that it is not a real device. FAKE_CUDA selects how it fails, and FAKE_CUDA_QUIRK selects
// its wrong results.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/silicon/testing/ptx_interpreter.h"

namespace {

using rewrought::silicon::PtxKernel;
using rewrought::silicon::Quirks;

constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kInvalidPtx = 218, kNotFound = 500,
              kLaunchFailed = 719;
constexpr size_t kLittleMemory = 5 * 4096 * sizeof(uint32_t);

bool Fails(const char* how) {
  const char* const wanted = std::getenv("FAKE_CUDA");
  return wanted != nullptr && std::strcmp(wanted, how) == 0;
}

Quirks WantedQuirks() {
  const char* const wanted = std::getenv("FAKE_CUDA_QUIRK");
  const std::string name = wanted == nullptr ? "" : wanted;
  Quirks quirks;
  quirks.keeps_denormals = name == "keeps_denormals";
  quirks.nan_maximum = name == "nan_maximum";
  quirks.product_one_off = name == "product_one_off";
  quirks.clamps_at_two = name == "clamps_at_two";
  return quirks;
}

struct Module {
  std::string text;
  std::map<std::string, PtxKernel> kernels;
};

std::map<uint64_t, size_t>& Allocations() {
  static std::map<uint64_t, size_t>& allocations = *new std::map<uint64_t, size_t>;
  return allocations;
}

bool is_broken = false;  // after a failed launch, every call fails, as with a real context

}  // namespace

extern "C" {

int cuInit(unsigned) { return Fails("no_driver") ? kNoDevice : kSuccess; }
int cuDriverGetVersion(int* version) { return *version = 12080, kSuccess; }
int cuDeviceGetCount(int* count) { return *count = Fails("no_device") ? 0 : 1, kSuccess; }
int cuDeviceGet(int* device, int index) { return *device = index, index == 0 ? kSuccess : kInvalidValue; }
int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<size_t>(length), "host float unit (test library, no device)");
  return kSuccess;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  const bool old = Fails("old_device");
  *value = attribute == 75 ? (old ? 6 : 7) : attribute == 76 ? (old ? 1 : 0) : -1;
  return *value >= 0 ? kSuccess : kInvalidValue;
}
int cuCtxCreate_v2(void** context, unsigned, int) {
  static int token;
  *context = &token;
  return Fails("no_context") ? kOutOfMemory : kSuccess;
}
int cuCtxDestroy_v2(void*) { return Allocations().empty() || is_broken ? kSuccess : kInvalidValue; }
int cuCtxSetCurrent(void*) { return kSuccess; }
int cuCtxSynchronize() { return is_broken ? kLaunchFailed : kSuccess; }

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options, void** values) {
  const std::string text(static_cast<const char*>(image));
  std::string error;
  PtxKernel kernel;
  const size_t entry = text.find(".entry ") + 7;
  const bool parsed = kernel.Parse(text, text.substr(entry, text.find('(', entry) - entry), WantedQuirks(), &error);
  if (Fails("jit_error"))
    error = "ptxas application ptx input, line 3; error : Arguments mismatch for instruction 'add'";
  if (!parsed || !error.empty()) {
    char* log = nullptr;
    size_t bytes = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5) log = static_cast<char*>(values[i]);
      if (options[i] == 6) bytes = reinterpret_cast<size_t>(values[i]);
    }
    if (log != nullptr && bytes > 0) std::snprintf(log, bytes, "%s", error.c_str());
    return kInvalidPtx;
  }
  *module = new Module{text, {}};
  return kSuccess;
}
int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  return kSuccess;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  Module* const mine = static_cast<Module*>(module);
  std::string error;
  PtxKernel& kernel = mine->kernels[name];
  if (!kernel.Parse(mine->text, name, WantedQuirks(), &error)) return kNotFound;
  *function = &kernel;
  return kSuccess;
}

int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  size_t held = bytes;
  for (const auto& [start, size] : Allocations()) held += size;
  if (Fails("no_memory") || (Fails("little_memory") && held > kLittleMemory)) return kOutOfMemory;
  *address = reinterpret_cast<unsigned long long>(std::malloc(bytes));
  Allocations()[*address] = bytes;
  return kSuccess;
}
int cuMemFree_v2(unsigned long long address) {
  if (Allocations().erase(address) == 0) return kInvalidValue;
  std::free(reinterpret_cast<void*>(address));
  return kSuccess;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  const auto allocation = Allocations().find(to);
  if (allocation == Allocations().end() || allocation->second < bytes) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  const auto allocation = Allocations().find(from);
  if (allocation == Allocations().end() || allocation->second < bytes) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}

int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   void*, void** parameters, void**) {
  if (Fails("launch_failure")) is_broken = true;
  const PtxKernel& kernel = *static_cast<PtxKernel*>(function);
  if (is_broken) return kSuccess;  // the next cuCtxSynchronize reports it, as with a real device
  std::vector<uint64_t> values;
  for (size_t i = 0; i + 1 < kernel.parameters(); ++i) values.push_back(*static_cast<uint64_t*>(parameters[i]));
  values.push_back(*static_cast<uint32_t*>(parameters[kernel.parameters() - 1]));
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned thread = 0; thread < threads; ++thread) kernel.Run(thread, threads, block, values);
  }
  return kSuccess;
}

int cuGetErrorName(int error, const char** text) {
  *text = error == kOutOfMemory    ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kNoDevice     ? "CUDA_ERROR_NO_DEVICE"
          : error == kInvalidPtx   ? "CUDA_ERROR_INVALID_PTX"
          : error == kNotFound     ? "CUDA_ERROR_NOT_FOUND"
          : error == kLaunchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
                                   : "CUDA_ERROR_INVALID_VALUE";
  return kSuccess;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == kLaunchFailed ? "unspecified launch failure" : "as its name says";
  return kSuccess;
}

}  // extern "C"
