// Compiles the kernels for AVX2. enumerator/lanes/BUILD sets the compiler flags.
#define REWROUGHT_KERNEL_SET Avx2Kernels
#define REWROUGHT_KERNEL_NAME "avx2"
#include "enumerator/lanes/kernels_body.inc"  // NOLINT
