// The card's management firmware acts on a run (--activity=CARD[:WATTS[:MICROSECONDS]]).
//
//   MVMULs of a period --> power as a ratio --> firmware.h --> clock, and the word in L1 that matmul_block reads at its next call
//
// WATTS is what a ratio of 1 means (default: config/power.yaml's, assumed). Periods of 1 ms, or of so many microseconds, count from
// the start of the kernels, at the full clock.
// Inaccuracies: power counts MVMULs only. All tiles have the word in the same cycle: the real one is broadcast over NoC 0. The clock changes
// what a cycle lasts; DRAM, whose time in cycles would change with it, stays as chip.clock_mhz has it.
#pragma once

#include "platform/cli/session.h"

// In place of ts_session_run_sim, for a program on one chip. An exit code: of the argument alone.
int ts_card_loop(struct ts_session *session);
