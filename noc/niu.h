// An NIU: the network interface of a tile to one NoC.
//
//   registers --> initiators (4) --queue--> virtual channel --> trains --up link--> router
//                                               ^
//   memory <-- commit <-- receive <--down link--|--- router
//     '------> responses: data and short, a queue each
//
// Software fills an initiator and writes NOC_CMD_CTRL. The request waits for a virtual channel,
// then its trains leave one flit a cycle, interleaved with those of other channels. The NIU serves
// arrivals in order on each channel: bytes go to memory when their last flit is there, reads and
// acknowledgements answer on class 3. A request that causes an answer keeps its buffer until the
// answer starts to leave, so back-pressure stops the network before anything overflows.
//
// It is busy while flits leave or arrive, and while it performs an atomic.
//
// Source: BlackholeA0/NoC/MemoryMap.md, Counters.md, Atomics.md, Interrupts.md;
// WormholeB0/NoC/Ordering.md.
// Timing: config/noc.def.
// Inaccuracies: bytes leave memory when their train leaves and reach it when its last flit is
// there, 64 bytes a cycle, later where L1's banks are taken. A packet has as many data flits as its
// length needs, whatever its alignment. Not modelled, and refused by name (rules.h): the overlay,
// header store, L1 accumulation, keep/skip broadcasts, security fences.
#pragma once

#include "noc/fabric.h"
#include "noc/link.h"
#include "noc/refusal.h"
#include "noc/translate.h"
#include "platform/base/perturb.h"
#include "platform/check/check.h"

// Path reservation: which NIU may broadcast over which links.
//
//   NIU --ask(tree)--> arbiter --grant--> NIU ... --done--> arbiter          one for each NoC
//
// A broadcast with NOC_CMD_PATH_RESERVE first reserves a virtual channel on all links of its tree.
// In hardware a probe walks the tree, answers come back, and a refused one
// retries after a back-off. Here one arbiter keeps the reserved links of both broadcast channels; a
// request that finds a link taken waits. Two reserved broadcasts never hold parts of each other's
// paths: no deadlock.
//
// Time. A probe takes `reserve` to start, half of `reserve_hop` for each hop, and as much back.
//
//   sender ===> trunk ==+==> ... ==+==> last line       trunk: reserved by the sender
//                       |          |                    line: reserved by the router it leaves
//                     line       line
//
// The first flit leaves when the trunk is reserved. A rectangle's lines are reserved by the routers of
// the trunk, each from the cycle in which the probe has passed it and taken `reserve` to start
// the line's; the packet waits at a line that is not reserved yet (router.c). A broadcast along the
// sender's own line, or along the trunk alone, has no such lines. So a near rectangle with long
// lines is late at its first line and a little later at each line (B0976: 18 and 1.5 cycles), a far
// one is not (B0977), and the sender waits less than for a line as long as its longest branch
// (B0964). `reserve` and `reserve_hop` are those of single lines (B0942, B0947).
//
// Source: BlackholeA0/NoC/README.md (Performance), MemoryMap.md (NOC_CMD_PATH_RESERVE); B0942 to
// B0947.
// Inaccuracies: the back-off is one reserve_retry, not random and not exponential; grants are in
// the order of requests.

#define TS_NOC_LINK_WORDS (TS_NOC_WIDTH_MAX * TS_NOC_HEIGHT_MAX * 2 / 64)

// Messages from an NIU, and to it.
struct ts_noc_ask {
    bool done;      // the tail has left: the links are free again
    bool vc_static; // only this channel is acceptable
    bool y_major;
    uint8_t vc;
    struct ts_noc_xy start, to;
};

struct ts_noc_grant {
    uint8_t vc;
    bool waited;
};

// One tile's line to the arbiter. The NIU has the other ends of both FIFOs.
struct ts_noc_line {
    struct ts_fifo asks, grants;
    struct ts_port ask_out, ask_in, grant_out, grant_in;
    struct ts_noc_xy from;
};

struct ts_noc_tree {
    bool active, waited;
    uint32_t line;
    struct ts_noc_ask ask;
    uint64_t links[TS_NOC_LINK_WORDS];
};

struct ts_noc_arbiter {
    struct ts_component base;
    struct ts_noc_shape shape;
    struct ts_noc_line **lines;
    uint32_t line_count, line_room;
    struct ts_noc_tree *trees; // two for each line, in the order of requests
    uint32_t tree_count;
    uint64_t held[2][TS_NOC_LINK_WORDS]; // by buddy
    uint64_t granted, refused;           // counters
};

// `lines`: the largest number of rows and columns.
void ts_noc_arbiter_init(struct ts_noc_arbiter *self, struct ts_domain *domain,
                         const struct ts_noc_shape *shape, uint32_t lines);
// Connects an NIU: requests travel `there` cycles, grants `back`.
void ts_noc_arbiter_connect(struct ts_noc_arbiter *self, struct ts_noc_line *line,
                            struct ts_component *niu, struct ts_noc_xy from, ts_cycle there,
                            ts_cycle back, const char *name);

#define TS_NOC_INITIATORS      4u
#define TS_NOC_INITIATOR_WORDS 17u
#define TS_NOC_BUF_STRIDE      0x800u
#define TS_NOC_COUNTERS        64u
#define TS_NOC_SEND_VCS        8u // channels an NIU sends on: the dateline bit is 0

// Registers of an initiator, as words.
enum ts_noc_register {
    TS_NOC_TARG_LO,
    TS_NOC_TARG_MID,
    TS_NOC_TARG_HI,
    TS_NOC_RET_LO,
    TS_NOC_RET_MID,
    TS_NOC_RET_HI,
    TS_NOC_TAG,
    TS_NOC_CTRL,
    TS_NOC_AT_LEN_BE,
    TS_NOC_AT_LEN_BE_1,
    TS_NOC_AT_DATA,
    TS_NOC_BRCST_EXCLUDE,
    TS_NOC_CMD_CTRL = 16,
};

// Bits of NOC_CTRL.
#define TS_NOC_CTRL_TYPE         3u
#define TS_NOC_CTRL_WR_BE        (1u << 2)
#define TS_NOC_CTRL_WR_INLINE    (1u << 3)
#define TS_NOC_CTRL_RESP_MARKED  (1u << 4)
#define TS_NOC_CTRL_BRCST        (1u << 5)
#define TS_NOC_CTRL_LINKED       (1u << 6)
#define TS_NOC_CTRL_VC_STATIC    (1u << 7)
#define TS_NOC_CTRL_PATH_RESERVE (1u << 8)
#define TS_NOC_CTRL_VC_SHIFT     13
#define TS_NOC_CTRL_BRCST_Y      (1u << 16)
#define TS_NOC_CTRL_SRC_INCLUDE  (1u << 17)
#define TS_NOC_CTRL_PRIO_SHIFT   27
#define TS_NOC_CTRL_L1_ACC       (1u << 31)

// Indices of counters.
enum ts_noc_counter {
    TS_NOC_MST_ATOMIC_RESP_RECEIVED = 0,
    TS_NOC_MST_WR_ACK_RECEIVED,
    TS_NOC_MST_RD_RESP_RECEIVED,
    TS_NOC_MST_RD_DATA_WORD_RECEIVED,
    TS_NOC_MST_CMD_ACCEPTED,
    TS_NOC_MST_RD_REQ_SENT,
    TS_NOC_MST_NONPOSTED_ATOMIC_SENT,
    TS_NOC_MST_POSTED_ATOMIC_SENT,
    TS_NOC_MST_NONPOSTED_WR_DATA_WORD_SENT,
    TS_NOC_MST_POSTED_WR_DATA_WORD_SENT,
    TS_NOC_MST_NONPOSTED_WR_REQ_SENT,
    TS_NOC_MST_POSTED_WR_REQ_SENT,
    TS_NOC_MST_NONPOSTED_WR_REQ_STARTED,
    TS_NOC_MST_POSTED_WR_REQ_STARTED,
    TS_NOC_MST_RD_REQ_STARTED,
    TS_NOC_MST_NONPOSTED_ATOMIC_STARTED,
    TS_NOC_MST_REQS_OUTSTANDING_ID = 16,
    TS_NOC_MST_WRITE_REQS_OUTGOING_ID = 32,
    TS_NOC_SLV_ATOMIC_RESP_SENT = 48,
    TS_NOC_SLV_WR_ACK_SENT,
    TS_NOC_SLV_RD_RESP_SENT,
    TS_NOC_SLV_RD_DATA_WORD_SENT,
    TS_NOC_SLV_REQ_ACCEPTED,
    TS_NOC_SLV_RD_REQ_RECEIVED,
    TS_NOC_SLV_NONPOSTED_ATOMIC_RECEIVED,
    TS_NOC_SLV_POSTED_ATOMIC_RECEIVED,
    TS_NOC_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED,
    TS_NOC_SLV_POSTED_WR_DATA_WORD_RECEIVED,
    TS_NOC_SLV_NONPOSTED_WR_REQ_RECEIVED,
    TS_NOC_SLV_POSTED_WR_REQ_RECEIVED,
    TS_NOC_SLV_NONPOSTED_WR_REQ_STARTED,
    TS_NOC_SLV_POSTED_WR_REQ_STARTED,
};

// When memory takes or delivers bytes.
struct ts_noc_admission {
    ts_cycle turn;  // the request gets the memory; it may be asked for the next one then
    ts_cycle start; // first byte
    ts_cycle room;  // write: the memory takes its bytes as fast as they come
    uint32_t rate;  // bytes per 1000 cycles from then on; 0: as fast as the link
    uint32_t after; // write: cycles from the last byte to the acknowledgement
    uint32_t early; // write: cycles by which bytes may wait behind the acknowledgement
    bool clash;     // with requests of the other NoC: a fault
};

// The memory behind an NIU. The sender of a request has checked its addresses.
struct ts_noc_memory {
    // NULL, or why not.
    const char *(*read)(void *context, uint64_t address, void *bytes, uint32_t length,
                        ts_cycle now);
    const char *(*write)(void *context, uint64_t address, const void *bytes, uint32_t length,
                         ts_cycle now);
    // Queues an access, a complete request; NULL: memory is always ready. `port` says which
    // endpoint and NoC of a memory. A port asks for one read at a time.
    void (*admit)(void *context, unsigned port, bool write, uint64_t address, uint32_t length,
                  ts_cycle now, struct ts_noc_admission *admission);
    // A transfer over a NoC's link would begin at `now`, 64 bytes a cycle: the cycle in which it
    // begins. NULL: always at once.
    ts_cycle (*begin)(void *context, unsigned noc, bool write, uint64_t address, uint32_t length,
                      ts_cycle now);
    // What the program of the context's tile calls a place in L1 of any tile, or in DRAM; returns NULL: nothing. NULL: there is no program.
    const char *(*name)(void *context, bool dram, uint64_t address, char *text, size_t size);
    // The sender of the next write (NoC 0 coordinates); NULL: not needed.
    void (*writer)(void *context, struct ts_noc_xy from, ts_cycle issued);
};

struct ts_noc_initiator {
    uint32_t word[TS_NOC_INITIATOR_WORDS];
    uint64_t left;              // bytes of a request that hardware splits
    ts_cycle ready;             // may get a channel
    unsigned proc;              // the core that issued it, for the trace
    bool split;                 // into several packets, by hardware
    struct ts_check_trip *trip; // of the last request; NULL: none
};

// The last request, as far as a linked one binds the next.
struct ts_noc_linked {
    bool yes, broadcast, y_major, vc_static;
    uint8_t vc;
    struct ts_noc_xy to, start;
};

// A train whose bytes, or an atomic whose turn, is still pending; a train that keeps its room until
// memory takes it.
struct ts_noc_pending {
    struct ts_noc_train train;
    ts_cycle due;
};

struct ts_noc_pendings {
    struct ts_noc_pending *ring;
    uint32_t mask, first, count;
};

struct ts_noc_packets {
    struct ts_noc_packet *first, *last;
};

// One issued request, in the form of tt-npe's traces.
struct ts_noc_event {
    ts_cycle cycle;
    uint32_t ctrl, length;
    struct ts_noc_xy to, start; // NoC 0 coordinates
    uint8_t proc;
    int8_t vc;
};

struct ts_noc_log {
    struct ts_noc_event *events;
    size_t count, room;
};

struct ts_noc_tally {
    uint64_t packets, bytes;
};

struct ts_noc_niu {
    struct ts_component base;
    struct ts_object status; // object that pollers of counters and NOC_CMD_CTRL wait for
    // Configuration and ports.
    const struct ts_noc_fabric *fabric;
    struct ts_noc_shape shape;
    unsigned noc;
    struct ts_noc_xy here; // in the NoC's own coordinates
    const struct ts_noc_memory *memory;
    void *context;
    unsigned port;
    uint32_t node_id, endpoint_id;
    struct ts_noc_link *up, *down;
    struct ts_noc_line *line; // to the arbiter of path reservations; NULL: none
    struct ts_noc_pool pool;
    struct ts_noc_log *log;    // NULL: no trace
    struct ts_perturb perturb; // of requests
    void (*interrupt)(void *context, unsigned noc, bool raised,
                      ts_cycle now); // NULL: not connected
    // A core issued a request of so many packets that keeps the rules: how checks follow it, or NULL. NULL: not connected.
    struct ts_check_trip *(*issued)(void *context, const struct ts_noc_niu *self, unsigned core,
                                    const struct ts_noc_packet *request, uint32_t packets,
                                    ts_cycle now);
    struct ts_check *check; // of its memory; NULL: none
    // Architectural state.
    struct ts_noc_initiator initiators[TS_NOC_INITIATORS];
    uint32_t counters[TS_NOC_COUNTERS];
    uint32_t ahead[TS_NOC_MST_RD_RESP_RECEIVED +
                   1]; // the first of them, as if every answer were here: fabric->hidden
    uint32_t config[TS_NOC_CFG_WORDS];
    uint32_t rtz_source;
    struct ts_noc_linked open;
    // Pipeline state: sending.
    uint8_t queue[TS_NOC_INITIATORS]; // initiators that wait for a channel
    uint32_t queued;
    struct ts_noc_packet *sending[TS_NOC_SEND_VCS];
    uint32_t active; // mask of channels that send
    uint32_t turn;
    uint32_t asking;                   // mask of channels whose packet waits for its path
    uint32_t reserved;                 // and that have one
    int linked_vc;                     // the channel a linked transaction keeps; -1: none
    struct ts_noc_packets data, brief; // answers that wait for a channel
    // Receiving.
    struct ts_noc_pendings commits, atomics, held;
    struct ts_noc_packets reads; // requests that wait for their turn at the memory
    ts_cycle next_read;
    uint64_t answer_free;       // L1 is read for the next answer, in thousandths of a cycle
    uint64_t asked, asked_most; // bytes that memory was asked for and that have not begun to leave
    ts_cycle atomic_free;
    ts_cycle settled[TS_NOC_VCS]; // bytes of writes that came over a channel are in memory
    bool changed;                 // counters, in this step
    bool stuck;                   // something could not leave in this step
    // Counters.
    uint64_t sent, received, bytes_out, bytes_in;
    // By kind of packet: what all receivers together must get from here, and what came in here.
    struct ts_noc_tally due[TS_NOC_KINDS], in[TS_NOC_KINDS];
};

struct ts_noc_niu_description {
    const struct ts_noc_fabric *fabric;
    unsigned noc;
    struct ts_noc_xy tile; // NoC 0 coordinates
    const struct ts_noc_memory *memory;
    void *context;
    unsigned port;
    uint32_t endpoint_id;
    const char *name; // after "niu0"
};

// The NIU that a component is; NULL: none.
const struct ts_noc_niu *ts_noc_niu_of(const struct ts_component *component);

void ts_noc_niu_init(struct ts_noc_niu *self, struct ts_domain *domain,
                     const struct ts_noc_niu_description *description);
void ts_noc_niu_free(struct ts_noc_niu *self);
// Puts a memory behind the NIU, before it runs.
void ts_noc_niu_connect(struct ts_noc_niu *self, const struct ts_noc_memory *memory, void *context,
                        unsigned port);

// The units' place of a register of the machine's map (`offset` from NIU_BASE); an initiator's words as programs see them.
static inline uint32_t ts_noc_niu_home(const struct ts_noc_niu *self, uint32_t offset)
{
    const struct ts_machine *machine = self->fabric->machine;
    return __builtin_expect(machine->niu == NULL, 1) ? offset
                                                     : ts_machine_niu_home(machine, offset);
}
uint32_t ts_noc_initiator_word(const struct ts_machine *machine,
                               const struct ts_noc_initiator *self, uint32_t word);
void ts_noc_initiator_set(const struct ts_machine *machine, struct ts_noc_initiator *self,
                          uint32_t word, uint32_t value);

// Register access; `offset` from NIU_BASE. TS_OK, or a failure with its text.
enum ts_code ts_noc_niu_load(struct ts_noc_niu *self, uint32_t offset, ts_cycle now,
                             uint32_t *value, struct ts_error *error);
enum ts_code ts_noc_niu_store(struct ts_noc_niu *self, uint32_t offset, uint32_t value,
                              unsigned proc, ts_cycle now, struct ts_error *error);

// True while the NIU has packets in flight.
bool ts_noc_niu_busy(const struct ts_noc_niu *self);

// niu_request.c: an address of an initiator's registers; the next packet of its request, without
// payload and without channel; the receivers of a broadcast.
uint64_t ts_noc_request_address(const uint32_t *word, uint32_t lo);
void ts_noc_request_build(const struct ts_noc_niu *self, const struct ts_noc_initiator *initiator,
                          struct ts_noc_packet *packet);
uint32_t ts_noc_request_receivers(const struct ts_noc_niu *self,
                                  const struct ts_noc_packet *packet);

// niu_request.c, niu_send.c and niu_receive.c, for niu.c.
enum ts_code ts_noc_niu_issue(struct ts_noc_niu *self, unsigned initiator, unsigned proc,
                              ts_cycle now, struct ts_error *error);
ts_cycle ts_noc_niu_send(struct ts_noc_niu *self, ts_cycle now);
ts_cycle ts_noc_niu_receive(struct ts_noc_niu *self, ts_cycle now);
ts_cycle ts_noc_niu_take_reads(struct ts_noc_niu *self, ts_cycle now);
void ts_noc_niu_outstanding(struct ts_noc_niu *self, uint32_t id, uint32_t value, ts_cycle now);
// Bytes of the payload that a train carries: from, length.
void ts_noc_train_bytes(const struct ts_noc_train *train, const struct ts_noc_params *params,
                        uint32_t *from, uint32_t *length);

// Bytes of a flit.
static inline uint32_t ts_noc_flit(const struct ts_noc_params *params)
{
    return 16 * (uint32_t)params->link_width;
}

// Flits of a packet with that much payload.
static inline uint32_t ts_noc_flits(const struct ts_noc_params *params, uint32_t bytes)
{
    uint32_t flit = ts_noc_flit(params),
             flits = (uint32_t)params->header + (bytes + flit - 1) / flit;
    return flits ? flits : 1;
}

// Words of a payload, as the counters of an NIU count them: whatever the link's width is.
static inline uint32_t ts_noc_words(const struct ts_noc_niu *self,
                                    const struct ts_noc_packet *packet)
{
    const uint32_t word = self->fabric->machine->noc_word;
    return (packet->length + word - 1) / word;
}

static inline void ts_noc_niu_count(struct ts_noc_niu *self, uint32_t counter, uint32_t by)
{
    self->counters[counter] += by;
    self->changed = true;
}
