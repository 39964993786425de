// The kernels for one instruction set; enumerator/lanes/BUILD sets the compiler flags.
#define REWROUGHT_KERNEL_SET GenericKernels
#define REWROUGHT_KERNEL_NAME "generic"
#include "enumerator/lanes/kernels_body.inc"  // NOLINT
