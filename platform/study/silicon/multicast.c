// Truth table: multicasts, with and without a reserved path.
//
// One tile multicasts along its row or to a rectangle; cores of the receivers poll for the last word
// and take their clock. The programs are those of the reports (tenstorrent-docs, microbenching/noc),
// instruction by instruction:
//   SEEN, AFTER  riscv_noc_one_way_latency, riscv_noc_mcast_one_way_latency: one packet at a time;
//                from issue, or from the packet's leaving, to the last word seen
//   ROUNDS       riscv_noc_mcast_vc_linked: rounds of linked packets, a wait after each round
//   PAIR         riscv_noc_competing_mcast_matmul_style: two senders, a packet and a tag a round;
//                receivers of both wait for both tags
// On NoC 1 the way from 1-4 to 2-4 is the long one, 16 hops. The second sender of a pair is launched
// APART cycles after the first: the report's windows of each stream and of both say 573 to 587.
#include "platform/study/silicon/listing.h"
#include "platform/study/silicon/rig.h"
#include "platform/study/silicon/squad.h"

#include <stdio.h>
#include <stdlib.h>

enum cast_kind { CAST_UNICAST, CAST_SEEN, CAST_AFTER, CAST_ROUNDS, CAST_PAIR };

#define APART 580

#define KIB16     16384u
#define MARK      0xb6000001u
#define MARK_B    0xdb000001u
#define DATA      0x37000u
#define DATA_B    0x90000u
#define SLOT      KIB16
#define TAGS      0x160000u
#define TAGS_B    0x168000u
#define TAG       16 // bytes
#define STAMPS    0x170000u
#define SENDER    0 // initiator
#define ONE_WAY   32
#define MANY      128
#define PAIRS     16
#define START     4096 // rounds of the delay before the first packet, and between packets
#define BETWEEN   2048
#define RECEIVERS 32
#define LIMIT     4000000

struct cast_row {
    struct ts_silicon_row row;
    uint8_t kind, noc;
    uint8_t depth; // linked packets a round
    bool reserve;
    uint32_t bytes;
    struct ts_noc_xy by, first, last; // the sender; the rectangle
    struct ts_noc_xy second_by, second_first, second_last;
    struct ts_noc_xy at; // AFTER: the receiver
};

// --- senders ---

struct sender {
    struct ts_rvasm *p;
    unsigned noc;
    uint32_t ctrl, data, tags, mark;
};

static uint32_t control(const struct cast_row *row, bool linked, bool first)
{
    if (row->kind == CAST_UNICAST)
        return TS_NOC_WRITE | TS_NOC_CTRL_VC_STATIC | 1u << TS_NOC_CTRL_VC_SHIFT;
    return TS_NOC_WRITE | TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC | TS_NOC_CTRL_BRCST |
           5u << TS_NOC_CTRL_VC_SHIFT | (linked ? TS_NOC_CTRL_LINKED : 0) |
           (row->reserve && first ? TS_NOC_CTRL_PATH_RESERVE : 0);
}

// From a place, in a register or a number, to the same place of the receivers (s9).
static void send(const struct sender *self, uint32_t ctrl, unsigned reg, uint32_t place,
                 unsigned length)
{
    const struct listing_word words[] = {
        {TS_NOC_CTRL, L_ZERO, ctrl},
        {TS_NOC_TARG_LO, (uint8_t)reg, place},
        {TS_NOC_RET_LO, (uint8_t)reg, place},
        {TS_NOC_RET_MID, L_ZERO, 0},
        {TS_NOC_RET_HI, L_S9, 0},
        {TS_NOC_AT_LEN_BE, (uint8_t)length, 0},
        {TS_NOC_AT_LEN_BE_1, L_ZERO, 0},
    };
    listing_request(self->p, self->noc, SENDER, words, sizeof words / sizeof *words);
}

// The clock into the words of this round.
static void stamp(struct ts_rvasm *p, int32_t offset)
{
    listing_clock(p, L_A2, L_A3);
    listing_store(p, L_A2, L_S10, offset);
    listing_store(p, L_A3, L_S10, offset + 4);
}

static unsigned sent(const struct cast_row *row)
{
    return row->kind == CAST_UNICAST ? TS_NOC_MST_POSTED_WR_REQ_SENT
                                     : TS_NOC_MST_NONPOSTED_WR_REQ_SENT;
}

static void mark_slot(const struct sender *self, const struct cast_row *row, unsigned slot)
{
    ts_rvasm_li(self->p, L_S11, self->data + slot * SLOT + row->bytes - 4);
    listing_store(self->p, L_S8, L_S11, 0);
}

static void one_way(const struct sender *self, const struct cast_row *row)
{
    struct ts_rvasm *p = self->p;
    listing_store(p, L_S8, L_S11, 0);
    listing_fence(p);
    send(self, control(row, false, true), L_S2, 0, L_S4);
    stamp(p, 0);
    listing_addi(p, L_S6, L_S6, 1);
    listing_wait(p, self->noc, sent(row), L_S6);
    stamp(p, 8);
    if (row->kind != CAST_UNICAST) { // a little longer each time: the polls must not keep step
        listing_addi(p, L_S3, L_S3, 1);
        listing_delay(p, L_S3);
    }
}

static void linked_round(const struct sender *self, const struct cast_row *row)
{
    struct ts_rvasm *p = self->p;
    for (unsigned slot = 0; slot < row->depth; slot++)
        mark_slot(self, row, slot);
    listing_fence(p);
    stamp(p, 0);
    for (unsigned slot = 0; slot < row->depth; slot++)
        send(self, control(row, slot + 1u < row->depth, slot == 0), L_ZERO,
             self->data + slot * SLOT, L_S4);
    listing_addi(p, L_S6, L_S6, row->depth);
    listing_wait(p, self->noc, sent(row), L_S6);
    stamp(p, 8);
}

static void tagged_round(const struct sender *self, const struct cast_row *row)
{
    struct ts_rvasm *p = self->p;
    mark_slot(self, row, 0);
    listing_fence(p);
    stamp(p, 0);
    send(self, control(row, false, true), L_ZERO, self->data, L_S4);
    listing_addi(p, L_S6, L_S6, 1);
    listing_wait(p, self->noc, sent(row), L_S6);
    listing_fence(p);
    ts_rvasm_li(p, L_T0, TAG);
    listing_store(p, L_S8, L_S1, 0);
    send(self, control(row, false, true), L_S1, 0, L_T0);
    listing_addi(p, L_S6, L_S6, 1);
    listing_wait(p, self->noc, sent(row), L_S6);
    listing_fence(p);
    stamp(p, 8);
}

static unsigned rounds(const struct cast_row *row)
{
    return row->kind == CAST_ROUNDS ? MANY : row->kind == CAST_PAIR ? PAIRS : ONE_WAY;
}

// To `to` (s9), a tile or a rectangle, after a wait of `late` rounds.
static void sender(const struct sender *self, const struct cast_row *row, uint32_t own, uint32_t to,
                   uint32_t late)
{
    struct ts_rvasm *p = self->p;
    listing_begin(p);
    ts_rvasm_li(p, L_S5, own);
    listing_word(p, self->noc, SENDER, (struct listing_word){TS_NOC_TARG_HI, L_S5, 0});
    ts_rvasm_li(p, L_S9, to);
    ts_rvasm_li(p, L_S2, self->data);
    ts_rvasm_li(p, L_S4, row->bytes);
    ts_rvasm_li(p, L_S11, self->data + row->bytes - 4);
    ts_rvasm_li(p, L_S10, STAMPS);
    ts_rvasm_li(p, L_S8, self->mark);
    ts_rvasm_li(p, L_S1, self->tags);
    listing_counter(p, self->noc, sent(row), L_S7);
    listing_addi(p, L_S6, L_S7, 0);
    ts_rvasm_li(p, L_S3, late);
    listing_delay(p, L_S3);
    ts_rvasm_li(p, L_S3, BETWEEN);
    ts_rvasm_li(p, L_S0, rounds(row));
    uint32_t top = ts_rvasm_here(p), done = 0, body = 0;
    if (row->kind == CAST_ROUNDS) { // whose body is too long for a branch over it
        body = listing_forward(p, TS_RV_BNE, L_S0, L_ZERO);
        listing_end(p);
        listing_here(p, body);
        linked_round(self, row);
    } else {
        done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
        if (row->kind == CAST_PAIR)
            tagged_round(self, row);
        else
            one_way(self, row);
    }
    listing_addi(p, L_S10, L_S10, 16);
    if (row->kind == CAST_PAIR)
        listing_addi(p, L_S1, L_S1, TAG);
    listing_addi(p, L_S8, L_S8, 1);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    if (done)
        listing_here(p, done);
    listing_end(p);
}

// --- receivers ---

// Polls for the next mark at (s2) and takes the clock.
static void receiver(struct ts_rvasm *p, const struct cast_row *row)
{
    unsigned slot = row->kind == CAST_ROUNDS ? row->depth - 1u : 0;
    listing_begin(p);
    ts_rvasm_li(p, L_S1, MARK);
    ts_rvasm_li(p, L_S2, DATA + slot * SLOT + row->bytes - 4);
    ts_rvasm_li(p, L_S10, STAMPS);
    ts_rvasm_li(p, L_S0, rounds(row));
    uint32_t outer = ts_rvasm_here(p);
    uint32_t done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    uint32_t poll = ts_rvasm_here(p);
    listing_load(p, L_T1, L_S2, 0);
    uint32_t seen = listing_forward(p, TS_RV_BEQ, L_T1, L_S1);
    listing_addi(p, L_S8, L_S8, 1);
    listing_jump(p, poll);
    listing_here(p, seen);
    stamp(p, 0);
    listing_addi(p, L_S10, L_S10, 8);
    listing_addi(p, L_S1, L_S1, 1);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, outer);
    listing_here(p, done);
    listing_end(p);
}

// A stream of a pair, as its receivers see it.
struct stream {
    unsigned mark, tag, seen; // registers
    int32_t stamp;
    uint32_t data;
};

static const struct stream streams[2] = {
    {L_S1, L_S2, L_S5, 0, DATA},
    {L_S3, L_S4, L_S6, 8, DATA_B},
};

// The clock, and a look at the data that came before the tag.
static void seen_tag(struct ts_rvasm *p, const struct stream *stream, bool both)
{
    if (!both && stream->stamp)
        for (int32_t offset = 0; offset < 8; offset += 4)
            listing_store(p, L_ZERO, L_S10, offset);
    stamp(p, stream->stamp);
    if (!both && !stream->stamp)
        for (int32_t offset = 8; offset < 16; offset += 4)
            listing_store(p, L_ZERO, L_S10, offset);
    if (both)
        ts_rvasm_li(p, stream->seen, 1);
    ts_rvasm_li(p, L_T2, stream->data + KIB16 - 4);
    listing_load(p, L_T1, L_T2, 0);
    uint32_t good = listing_forward(p, TS_RV_BGEU, L_T1, stream->mark);
    listing_addi(p, L_S7, L_S7, 1);
    listing_here(p, good);
}

static void poll_one(struct ts_rvasm *p, const struct stream *stream)
{
    uint32_t poll = ts_rvasm_here(p);
    listing_load(p, L_T1, stream->tag, 0);
    uint32_t seen = listing_forward(p, TS_RV_BEQ, L_T1, stream->mark);
    listing_addi(p, L_S8, L_S8, 1);
    listing_jump(p, poll);
    listing_here(p, seen);
    seen_tag(p, stream, false);
}

static void poll_both(struct ts_rvasm *p)
{
    listing_addi(p, L_S5, L_ZERO, 0);
    listing_addi(p, L_S6, L_ZERO, 0);
    uint32_t poll = ts_rvasm_here(p);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t had = listing_forward(p, TS_RV_BNE, streams[i].seen, L_ZERO);
        listing_load(p, L_T1, streams[i].tag, 0);
        uint32_t none = listing_forward(p, TS_RV_BNE, L_T1, streams[i].mark);
        seen_tag(p, &streams[i], true);
        listing_here(p, had);
        listing_here(p, none);
    }
    ts_rvasm(p, TS_RV_AND, L_T1, L_S5, L_S6, 0);
    uint32_t all = listing_forward(p, TS_RV_BNE, L_T1, L_ZERO);
    listing_addi(p, L_S8, L_S8, 1);
    listing_jump(p, poll);
    listing_here(p, all);
}

// Of stream 0, of stream 1 or of both (mask).
static void pair_receiver(struct ts_rvasm *p, unsigned mask)
{
    listing_begin(p);
    ts_rvasm_li(p, L_S1, MARK);
    ts_rvasm_li(p, L_S2, TAGS);
    ts_rvasm_li(p, L_S3, MARK_B);
    ts_rvasm_li(p, L_S4, TAGS_B);
    ts_rvasm_li(p, L_S10, STAMPS);
    ts_rvasm_li(p, L_S0, PAIRS);
    uint32_t outer = ts_rvasm_here(p);
    uint32_t done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    if (mask == 3)
        poll_both(p);
    else
        poll_one(p, &streams[mask - 1]);
    listing_addi(p, L_S10, L_S10, 16);
    listing_addi(p, L_S2, L_S2, TAG);
    listing_addi(p, L_S4, L_S4, TAG);
    listing_addi(p, L_S1, L_S1, 1);
    listing_addi(p, L_S3, L_S3, 1);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, outer);
    listing_here(p, done);
    listing_end(p);
}

// --- the run ---

struct receivers {
    struct ts_noc_xy at[RECEIVERS];
    uint8_t mask[RECEIVERS]; // of the streams that it has
    unsigned count;
};

static void add_receiver(struct receivers *all, struct ts_noc_xy at, unsigned mask)
{
    unsigned i = 0;
    while (i < all->count && (all->at[i].x != at.x || all->at[i].y != at.y))
        i++;
    if (i == RECEIVERS)
        return;
    all->at[i] = at;
    all->mask[i] |= (uint8_t)mask;
    all->count += i == all->count;
}

static void add_rectangle(struct receivers *all, const struct ts_soc *soc, struct ts_noc_xy first,
                          struct ts_noc_xy last, unsigned mask)
{
    for (uint8_t y = first.y; y <= last.y; y++)
        for (uint8_t x = first.x; x <= last.x; x++)
            if (soc->node[y][x] == TS_NOC_NODE_TENSIX)
                add_receiver(all, (struct ts_noc_xy){x, y}, mask);
}

// Who polls: the corners of a rectangle and three of a row where packets come one at a time.
static void find_receivers(const struct cast_row *row, const struct ts_soc *soc,
                           struct receivers *all)
{
    if (row->kind == CAST_AFTER && row->first.y == row->last.y) {
        add_receiver(all, row->first, 1);
        add_receiver(all, at(5, row->first.y), 1);
        add_receiver(all, row->last, 1);
    } else if (row->kind == CAST_AFTER) {
        for (unsigned corner = 0; corner < 4; corner++)
            add_receiver(all,
                         at(corner & 1 ? row->last.x : row->first.x,
                            corner & 2 ? row->last.y : row->first.y),
                         1);
    } else {
        add_rectangle(all, soc, row->first, row->last, 1);
        if (row->kind == CAST_PAIR)
            add_rectangle(all, soc, row->second_first, row->second_last, 2);
    }
}

// A rectangle as a multicast names it: NoC 1 runs the other way and starts at the other corner.
static uint32_t rectangle(const struct squad *squad, const struct cast_row *row,
                          struct ts_noc_xy first, struct ts_noc_xy last)
{
    uint32_t from = squad_name(squad, row->noc ? last : first);
    uint32_t to = squad_name(squad, row->noc ? first : last);
    return row->kind == CAST_UNICAST ? to : from << 12 | to;
}

static void write_programs(struct squad *squad, const struct cast_row *row,
                           const struct receivers *all)
{
    bool rests = row->kind != CAST_ROUNDS && row->kind != CAST_PAIR;
    struct sender first = {.p = squad_code(squad, row->by, TS_RV_BRISC),
                           .noc = row->noc,
                           .data = DATA,
                           .tags = TAGS,
                           .mark = MARK};
    sender(&first, row, squad_name(squad, row->by), rectangle(squad, row, row->first, row->last),
           rests ? START : 0);
    if (row->kind == CAST_PAIR) {
        struct sender second = {.p = squad_code(squad, row->second_by, TS_RV_BRISC),
                                .noc = row->noc,
                                .data = DATA_B,
                                .tags = TAGS_B,
                                .mark = MARK_B};
        sender(&second, row, squad_name(squad, row->second_by),
               rectangle(squad, row, row->second_first, row->second_last), APART / 3);
    }
    for (unsigned i = 0; i < all->count; i++) {
        struct ts_rvasm *p = squad_code(squad, all->at[i], TS_RV_BRISC);
        if (row->kind == CAST_PAIR)
            pair_receiver(p, all->mask[i]);
        else
            receiver(p, row);
    }
}

// --- figures ---

static uint32_t stamp_of(struct squad *squad, struct ts_noc_xy tile, unsigned word)
{
    return squad_word(squad, tile, STAMPS + 4 * word);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Issue or leaving to seen: the median of the rounds.
static double median(struct squad *squad, const struct cast_row *row, struct ts_noc_xy receiver_at)
{
    double cycles[ONE_WAY];
    for (unsigned i = 0; i < ONE_WAY; i++)
        cycles[i] = (int32_t)(stamp_of(squad, receiver_at, 2 * i) -
                              stamp_of(squad, row->by, 4 * i + (row->kind == CAST_AFTER ? 2 : 0)));
    qsort(cycles, ONE_WAY, sizeof *cycles, ascending);
    return (cycles[ONE_WAY / 2 - 1] + cycles[ONE_WAY / 2]) / 2;
}

// Bytes that all receivers have, from the first issue to the last tag seen.
static double delivered(struct squad *squad, const struct cast_row *row,
                        const struct receivers *all)
{
    uint32_t first = stamp_of(squad, row->by, 0), last = 0;
    double bytes = 0;
    for (unsigned i = 0; i < all->count; i++)
        for (unsigned stream = 0; stream < 2; stream++)
            if (all->mask[i] & 1u << stream) {
                uint32_t seen = stamp_of(squad, all->at[i], 4 * (PAIRS - 1) + 2 * stream) - first;
                last = seen > last ? seen : last;
                bytes += (double)PAIRS * row->bytes;
            }
    return bytes / last;
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct cast_row *row = (const struct cast_row *)base;
    struct squad *squad = squad_new("p100", context, error);
    struct receivers all = {.count = 0};
    find_receivers(row, &squad->soc, &all);
    if (error->code == TS_OK)
        write_programs(squad, row, &all);
    if (squad_run(squad, LIMIT)) {
        if (row->kind == CAST_PAIR)
            *simulated = delivered(squad, row, &all);
        else if (row->kind == CAST_ROUNDS)
            *simulated = (double)row->bytes * row->depth * MANY /
                         (stamp_of(squad, row->by, 4 * (MANY - 1) + 2) -
                          stamp_of(squad, row->by, 0));
        else
            *simulated = median(squad, row, row->kind == CAST_AFTER ? row->at : row->first);
    }
    squad_free(squad);
}

// --- rows ---

#define ONE_TO(name, value, how, n, size, res)                                        \
    {                                                                                 \
        .row = {.id = name, .measured = value}, .kind = how, .noc = n, .bytes = size, \
        .reserve = res, .by = {1, 4}, .first = {2, 4}, .last = {                      \
            2,                                                                        \
            4                                                                         \
        }                                                                             \
    }
#define ONE(name, unicast, multicast, reserved, n, size)            \
    ONE_TO(name " unicast", unicast, CAST_UNICAST, n, size, false), \
        ONE_TO(name, multicast, CAST_SEEN, n, size, false),         \
        ONE_TO(name " reserved", reserved, CAST_SEEN, n, size, true)
#define ROUNDS(name, value, n, to, packets)                                                    \
    {                                                                                          \
        .row = {.id = name, .measured = value}, .kind = CAST_ROUNDS, .noc = n, .bytes = KIB16, \
        .depth = packets, .reserve = true, .by = {1, 4}, .first = {2, 4}, .last = {            \
            to,                                                                                \
            4                                                                                  \
        }                                                                                      \
    }
#define AFTER(name, value, fx, fy, lx, ly, wx, wy, why)                                     \
    {                                                                                       \
        .row = {.id = name, .measured = value, .cause = why}, .kind = CAST_AFTER, .noc = 1, \
        .bytes = KIB16, .reserve = true, .by = {1, 2}, .first = {fx, fy}, .last = {lx, ly}, \
        .at = {                                                                             \
            wx,                                                                             \
            wy                                                                              \
        }                                                                                   \
    }
#define PAIR(name, value, n, fx, fy, lx, ly, res, why)                                     \
    {                                                                                      \
        .row = {.id = name, .measured = value, .cause = why}, .kind = CAST_PAIR, .noc = n, \
        .bytes = KIB16, .reserve = res, .by = {1, 2}, .first = {2, 3}, .last = {5, 6},     \
        .second_by = {11, 2}, .second_first = {fx, fy}, .second_last = {                   \
            lx,                                                                            \
            ly                                                                             \
        }                                                                                  \
    }

#define SHARE "inferred: the unit in which multicasts share a link is not published"
#define SKEW \
    "the clock of the card's tile 5-2 is 9 cycles behind: on NoC 0 it sees packets 10 early too"
#define PORTS \
    "inferred: on the card the receiver's polls take L1 from the packet, 5 or 6 cycles in 16 KiB"
#define BACK_OFF "the back-off of a refused reservation is random on the card, constant here"

// clang-format off
static const struct cast_row rows[] = {
    ONE("B0942", 43, 45, 62.5, 0, 64),
    ONE("B0943", 60, 60, 78, 0, 1024),
    ONE("B0945", 180, 178, 407, 1, 16),
    ONE("B0947", 443, 442, 668, 1, 16384),
    ROUNDS("B0949", 42.742, 0, 3, 1),
    ROUNDS("B0950", 40.021, 0, 5, 1),
    ROUNDS("B0951", 32.141, 0, 12, 1),
    ROUNDS("B0953", 28.456, 1, 2, 1),
    ROUNDS("B0954", 28.456, 1, 3, 1),
    ROUNDS("B0955", 28.456, 1, 5, 1),
    ROUNDS("B0958", 32.137, 0, 12, 1),
    ROUNDS("B0959", 41.981, 0, 12, 2),
    ROUNDS("B0960", 49.076, 0, 12, 4),
    ROUNDS("B0961", 28.453, 1, 12, 1),
    ROUNDS("B0962", 38.638, 1, 12, 2),
    ROUNDS("B0963", 46.804, 1, 12, 4),
    PAIR("B0965", 1154.0, 0, 12, 3, 16, 6, false, NULL),
    PAIR("B0966", 291.7, 0, 4, 5, 10, 8, true, BACK_OFF),
    PAIR("B0967", 760.5, 0, 4, 5, 10, 8, false, SHARE),
    PAIR("B0968", 267.8, 0, 2, 3, 5, 6, true, BACK_OFF),
    PAIR("B0969", 880.5, 0, 2, 3, 5, 6, false, SHARE),
    PAIR("B0970", 195.4, 1, 12, 3, 16, 6, true, BACK_OFF),
    AFTER("B0973 16-2", 36, 2, 2, 16, 2, 16, 2, PORTS),
    AFTER("B0973 5-2", 126, 2, 2, 16, 2, 5, 2, SKEW),
    AFTER("B0973 2-2", 164, 2, 2, 16, 2, 2, 2, NULL),
    AFTER("B0977 16-11", 65, 2, 3, 16, 11, 16, 11, NULL),
    AFTER("B0977 16-3", 138, 2, 3, 16, 11, 16, 3, NULL),
    AFTER("B0977 2-11", 192, 2, 3, 16, 11, 2, 11, NULL),
    AFTER("B0977 2-3", 264, 2, 3, 16, 11, 2, 3, NULL),
};
// clang-format on

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const figures[] = {"cycles, issue to word seen",
                                          "cycles, issue to word seen", "cycles, sent to word seen",
                                          "B per cycle of the source", "B per cycle delivered"};
    const struct cast_row *row = (const struct cast_row *)base;
    char where[32] = "";
    if (row->kind == CAST_AFTER)
        snprintf(where, sizeof where, ", seen at %u-%u", row->at.x, row->at.y);
    else if (row->kind == CAST_PAIR)
        snprintf(where, sizeof where, ", and 11-2 to %u-%u..%u-%u", row->second_first.x,
                 row->second_first.y, row->second_last.x, row->second_last.y);
    snprintf(text->workload, sizeof text->workload, "%s of %u B%s, 1-%u to %u-%u..%u-%u, NoC %u%s",
             row->kind == CAST_UNICAST ? "posted write" : "multicast", row->bytes,
             row->reserve ? " with a reserved path" : "", row->by.y, row->first.x, row->first.y,
             row->last.x, row->last.y, row->noc, where);
    text->metric = figures[row->kind];
}

const struct ts_silicon_family ts_silicon_multicast = {
    .name = "multicast",
    .title = "networks: multicasts",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.03,
    .p90 = 0.09,
    .groups = "riscv noc",
};
