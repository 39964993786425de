#include "enumerator/lanes/kernels.h"

namespace rewrought::enumerator {

const KernelSet& GenericKernels();
#if defined(__x86_64__)
const KernelSet& Avx2Kernels();
const KernelSet& Avx512Kernels();
#endif

const KernelSet* const* AvailableKernelSets(int* count) {
  struct Sets {
    const KernelSet* sets[3];
    int count = 0;
  };
  static const Sets available = [] {
    Sets found{};
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
      found.sets[found.count++] = &Avx512Kernels();
    }
    if (avx2) found.sets[found.count++] = &Avx2Kernels();
#endif
    found.sets[found.count++] = &GenericKernels();
    return found;
  }();
  *count = available.count;
  return available.sets;
}

const KernelSet& Kernels() {
  int count = 0;
  static const KernelSet& best = *AvailableKernelSets(&count)[0];
  return best;
}

}  // namespace rewrought::enumerator
