// Compiles the kernels for any processor. enumerator/lanes/BUILD sets the compiler flags.
#define REWROUGHT_KERNEL_SET GenericKernels
#define REWROUGHT_KERNEL_NAME "generic"
#include "enumerator/lanes/kernels_body.inc"  // NOLINT
