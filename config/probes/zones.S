// zones.cpp, events.cpp: zones of the vendor's profiler around a loop of requests and a barrier, on a p150.
//
// The NoC estimator's kernels issue transactions and wait for all of them (`zone': results are the two marks); nocevbench waits
// for each one, with the events of the network trace (`events': results are issue and end of barrier of each). Reads are
// NCRISC's, writes BRISC's. The tile is 1-2; its partner `to' is a neighbour, in a column or across, or a channel of DRAM.
// Symbols: count, bytes.
#include "guests.inc"

BANK = 0x100040 // where a shard begins
SAME = 103
DIFF = 203

#define SYMBOLS(S) S(bytes, UNSET) S(count, UNSET)

.macro start program, to
run p150, 10000000
at 1, 2
.if (\to) == BANK0_NOC0 || (\to) == BANK0_NOC1
guest \program, \to / 100, \to % 100, BANK, count, bytes
.else
guest \program, \to / 100, \to % 100, DATA, count, bytes
.endif
end_guest
.endm

.macro zone program, to
start \program, \to
take RESULTS + 4 * 1
take RESULTS + 4 * 3
.endm

// Three marks of four words for each transaction.
.macro events program, to
count = 8
start \program, \to
i = 0
.rept 8
take RESULTS + 4 * (12 * i + 1)
take RESULTS + 4 * (12 * i + 9)
i = i + 1
.endr
.endm

#include FAMILY_TABLE
