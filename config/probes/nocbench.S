// nocbench.cpp: writes and reads between L1s by one to six masters, 64 requests each, on a p150.
//
// Every master meets the others; the first one comes last, as the host launched it. `pick' is the master whose region was
// measured. Result: its cycles.
#include "guests.inc"

LATE = 2000
WRITES = 0
READS = 1

#define SYMBOLS(S) S(pick, 0)

.macro masters count
run p150
master_count = \count
.endm

.macro master number, by, to, bytes, channel, direction, all:vararg
at_xy \by
.if \number
guest nocbench.brisc, 0
.else
guest nocbench.brisc, LATE
.endif
.4byte RESULTS, DATA, \number, master_count - 1, \to / 100, \to % 100, 64, \bytes, \direction, \channel
seen = 0
.irp peer, \all
.if \peer != \by && seen < master_count
.4byte \peer / 100, \peer % 100
.endif
seen = seen + 1
.endr
end_guest
.if \number == pick
take RESULTS + 4 * 4
.endif
.endm

.macro one by, to, bytes
masters 1
master 0, \by, \to, \bytes, 1, WRITES, \by
.endm

// Two whose paths share links.
.macro shared by, to, bytes
masters 2
master 0, 1502, 603, \bytes, 1, WRITES, 1502, \by
master 1, \by, \to, \bytes, 1, WRITES, 1502, \by
.endm

// Several into one tile.
.macro merge count
masters \count
n = 0
.irp by, 111, 210, 309, 408, 507, 606
.if n < \count
master n, \by, 1102, 4096, 1, WRITES, 111, 210, 309, 408, 507, 606
.endif
n = n + 1
.endr
.endm

// Two on different channels.
.macro channels channel
masters 2
master 0, 102, 303, 16384, 1, WRITES, 102, 202
master 1, 202, 404, 16384, \channel, WRITES, 102, 202
.endm

.macro reads count
masters \count
master 0, 211, 102, 8192, 1, READS, 211, 310
.if \count == 2
master 1, 310, 102, 8192, 1, READS, 211, 310
.endif
.endm

#include FAMILY_TABLE
