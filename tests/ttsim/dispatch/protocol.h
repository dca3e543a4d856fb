// What the host of test_ttsim_dispatch.c and its kernels agree on.
#ifndef TENSIM_TESTS_DISPATCH_PROTOCOL_H
#define TENSIM_TESTS_DISPATCH_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#define XY(x, y)  ((x) | (y) << 6)
#define FETCHER   XY(15u, 2u)
#define ISSUER    XY(16u, 2u)
#define PCIE      XY(19u, 24u)
#define COLUMNS   4u
#define ROWS      3u
#define WORKERS   (XY(1u, 2u) << 12 | XY(COLUMNS, 1 + ROWS)) // the rectangle from 1-2 on
#define WORKERS_1 (XY(COLUMNS, 1 + ROWS) << 12 | XY(1u, 2u)) // on NoC 1

// Of the host's memory, as window 4 shows it.
#define HOST_WINDOW   (4ull << 58)
#define HOST_EVENTS   0x0u
#define HOST_RESULTS  0x1000u
#define HOST_COMMANDS 0x8000u
#define HOST_RING     0x4000u

// L1 of the tiles.
#define QUEUE     0x8000u // FETCH: bytes of the next pieces, written by the host
#define ENTRIES   8u
#define CREDITS   0x8100u
#define COUNT     0x8104u // ISSUE: pieces that have come
#define ORDER     0x8200u // launches that START owes, and how many must have finished before
#define SCRATCH   0x9000u
#define RING      0x20000u // of PIECES
#define PIECE     2048u
#define PIECES    4u
#define LAST      64u     // bytes of the last piece
#define SIGNAL    0x8300u // the workers' launches
#define NEVER     0x8310u
#define DONE      0x8320u
#define ARGUMENTS 0x8340u // function, number, words
#define DATA_IN   0xa000u
#define RESULTS   0xc000u
#define STUCK     99u

// Stream register 48 of ISSUE's tile counts workers that have finished.
#define STREAM          (0xffb40000u + 0x1000u * 48)
#define FINISHED        (STREAM + 0x4a4u)
#define FINISHED_SIZE   (STREAM + 0x28u)
#define FINISHED_UPDATE (STREAM + 0x438u)

// Commands: kind, bytes up to the next one, arguments, and in the last word 1 where a piece ends: 64 bytes. Then a payload.
enum { CONFIGURE = 1, START, WAIT, COLLECT, COMPLETE, END };

#endif
