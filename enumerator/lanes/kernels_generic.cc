// The kernels for one instruction set; see enumerator/lanes/BUILD for its flags.
#define REWROUGHT_KERNEL_SET GenericKernels
#define REWROUGHT_KERNEL_NAME "generic"
#include "enumerator/lanes/kernels_body.inc"  // NOLINT
