// nocread.cpp: tile 1-2 of a p150 reads from L1s of others.
//
// The reply goes round the ring, so distance does not matter, but direction does: 17 hops in a row, 12 in a column. What the
// report averaged are several runs here: rows and columns, and four strides of what is read or where it goes.
// Symbols: stateful (the source's coordinate is written once), reads, bytes. Result of a run: its cycles.
#include "guests.inc"

#define SYMBOLS(S) S(bytes, UNSET) S(reads, UNSET) S(stateful, 0)

.macro burst sink_stride, source_stride, count
run p150
at 1, 2
guest nocread.brisc, RESULTS, DATA, 32768, stateful, 0, 0, reads, bytes, \sink_stride, \source_stride, \count
.endm

.macro end_burst
end_guest
take RESULTS + 4 * 3
.endm

.macro row_of hops, sink_stride=0, source_stride=0
burst \sink_stride, \source_stride, 1
.4byte 1 + \hops, 2
end_burst
.endm

.macro column_of hops
burst 0, 0, 1
.4byte 1, 2 + \hops
end_burst
.endm

.macro both_of hops
row_of \hops
column_of \hops
.endm

// From several tiles in turn: columns 2 to 7, then 10 on.
.macro fan count
burst 0, 0, \count
i = 2
.rept \count
.if i > 7
.4byte i + 2, 2
.else
.4byte i, 2
.endif
i = i + 1
.endr
end_burst
.endm

.macro sink_strides hops
.irp stride, 0, 64, 128, 512
row_of \hops, \stride, 0
.endr
.endm

.macro source_strides hops
.irp stride, 0, 64, 128, 512
row_of \hops, 0, \stride
.endr
.endm

#include FAMILY_TABLE
