// Document 002, "INSTRN_BUF Address Map", "Other Key Address Regions", "Hardware Semaphores": the numbers of the SDK.
#include "compute_kernel_api/common.h"

static_assert(INSTRN_BUF_BASE == 0xFFE40000 && INSTRN1_BUF_BASE == 0xFFE50000 && INSTRN2_BUF_BASE == 0xFFE60000);
static_assert(REGFILE_BASE == 0xFFE00000);
static_assert(PC_BUF_BASE == 0xFFE80000 && PC1_BUF_BASE == 0xFFE90000 && PC2_BUF_BASE == 0xFFEA0000);
static_assert(TENSIX_MOP_CFG_BASE == 0xFFB80000);
static_assert(TENSIX_MAILBOX_BASE == 0xFFEC0000); // + 0x1000 for each core: BRISC, TRISC0, TRISC1, TRISC2
static_assert(TENSIX_CFG_BASE == 0xFFEF0000);
static_assert(semaphore::MATH_PACK == 1 && semaphore::UNPACK_TO_DEST == 2 && semaphore::MATH_DONE == 7);

void kernel_main() {}
