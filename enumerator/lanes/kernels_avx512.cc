// Compiles the kernels for AVX-512. enumerator/lanes/BUILD sets the compiler flags.
#define REWROUGHT_KERNEL_SET Avx512Kernels
#define REWROUGHT_KERNEL_NAME "avx512"
#include "enumerator/lanes/kernels_body.inc"  // NOLINT
