// Document 000, "ADDR_MOD: hardware auto-increment".
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
#ifdef TRISC_MATH
addr_mod_t {
  .srca = {.incr = 0,  .clr = 0, .cr = 0},   // SrcA stays (reused across 8-row chunks)
  .srcb = {.incr = 8,  .clr = 0, .cr = 0},   // SrcB advances 8 rows
  .dest = {.incr = 8,  .clr = 0, .cr = 0},   // DST advances 8 rows
}.set(ADDR_MOD_0);  // inner loop step

addr_mod_t {
  .srca = {.incr = 16, .clr = 0, .cr = 0},   // SrcA advances to next face
  .srcb = {.incr = 0,  .clr = 0, .cr = 1},   // SrcB resets (carry-reset)
  .dest = {.incr = 8,  .clr = 0, .cr = 0},   // DST continues
}.set(ADDR_MOD_1);  // face boundary
#endif
}
