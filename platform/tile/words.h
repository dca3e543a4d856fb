// What crossed the network, for explanations: the requests that a tile's cores issued, by target
// and call site, and the words of its L1 that small writes and atomics of others changed.
//
// Both tables are small; what was not used for the longest time makes room.
#pragma once

#include "noc/niu.h"
#include "platform/mem/l1.h"

#define TS_SENT        64u
#define TS_GOT         32u
#define TS_WORDS_SMALL 64u // bytes: larger requests are counted by call site, not by address

// Requests of one core to one place. Coordinates are those of NoC 0.
struct ts_sent {
    uint64_t count;
    ts_cycle first, at; // and the last one
    uint64_t address;
    uint32_t pc, length;
    uint32_t amount; // of the last atomic
    uint32_t source; // of the last write: where its bytes lie here; of a read: where they go
    struct ts_noc_xy to, start;
    uint8_t kind; // enum ts_noc_kind
    uint8_t noc, core;
    bool broadcast, linked;
    bool loopback; // a multicast that includes its sender
    struct ts_noc_xy from;
};

// A word that the network changed.
struct ts_got {
    uint32_t word;  // address / 4 + 1; 0: none
    uint32_t count; // changes
    uint32_t after; // value after the last one
    uint16_t from;  // x | y << 8 of the last one
    ts_cycle at, issued;
    uint32_t
        again; // changes since the tile's last one that found the value they brought already there
    uint32_t seen;           // the value that a core of the tile saw last
    bool looked;             // a core of the tile has loaded it
    bool settled;            // the tile has changed the word since then, and `lost` knows
    struct ts_l1_last reset; // who of the tile changed it last
    struct ts_lost { // the tile itself changed the word when not all that came had been seen
        uint32_t from, to, count; // what came unseen, or how many changes were seen as one
        bool merged;              // the latter
        uint32_t since;           // changes of the tile since then that lost nothing
        struct ts_l1_last by;
        ts_cycle arrived;
    } lost; // count 0: never
};

struct ts_words {
    struct ts_sent sent[TS_SENT];
    struct ts_got got[TS_GOT];
};

struct ts_tile;
// A core of the tile has issued the request of an initiator.
void ts_words_issued(struct ts_tile *tile, const struct ts_noc_niu *niu, unsigned initiator,
                     unsigned core, ts_cycle now);
// The network is about to write a few bytes to L1.
void ts_words_arrive(struct ts_tile *tile, uint32_t address, const void *bytes, uint32_t length,
                     ts_cycle now);
// A core of the tile has loaded a word that the network changed.
void ts_words_looked(void *tile, uint32_t address, uint32_t value);
// What the tile has lost of a word, up to now.
struct ts_lost ts_words_lost(const struct ts_tile *tile, uint32_t address);
// The record of a word; NULL: none.
const struct ts_got *ts_words_got(const struct ts_tile *tile, uint32_t address);
// Does a request write (or increment) any of these bytes of the tile at x, y?
bool ts_sent_hits(const struct ts_sent *sent, struct ts_noc_xy at, uint64_t address, uint32_t size);
