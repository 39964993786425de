// The kernels for one instruction set; see enumerator/BUILD for its flags.
#define REWROUGHT_KERNEL_SET Avx2Kernels
#define REWROUGHT_KERNEL_NAME "avx2"
#include "enumerator/kernels_body.inc"  // NOLINT
