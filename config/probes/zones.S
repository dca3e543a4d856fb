// zones.cpp, events.cpp: zones of the vendor's profiler around a loop of requests and a barrier, on a p150 or an n150.
//
// The NoC estimator's kernels issue transactions and wait for all of them (`zone': results are the two marks); nocevbench waits
// for each one, with the events of the network trace (`events': results are issue and end of barrier of each). Reads are
// NCRISC's, writes BRISC's. The tile is the card's first one; its partner `to' is a neighbour, in a column or across, or a channel of DRAM.
// Symbols: count, bytes.
#include "guests.inc"

BANK = 0x100040 // where a shard begins
#ifdef WORMHOLE
#define CARD n150
TILE = 101
SAME = 1819
DIFF = 1919
BANK0_NOC0 = 11 // 0-11
BANK0_NOC1 = 900
#else
#define CARD p150
TILE = 102
SAME = 103
DIFF = 203
#endif

#define SYMBOLS(S) S(bytes, UNSET) S(count, UNSET)

.macro start program, to
run CARD, 10000000
at_xy TILE
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
