// The Ethernet end of a tile: TX queues and RX queues, three of each (on Wormhole two), and one link to such an end of another tile.
//
//   core --ETH_TXQ_CMD--> command --> packets --L1 read--> frame --link--> RX queue --> L1 or register
//                             ^          |                  (rate, latency)    |
//                             |          '-- kept until acknowledged           |
//                             '------------- acknowledgement <-----------------'
//
// A command is a raw packet (1), a write to the other tile's L1 (2) or to one of its registers (4). A TX queue takes
// ETH_TXQ_DATA_PACKET_ACCEPT_AHEAD commands before the first of them has left. It cuts a transfer into packets of at most
// ETH_TXQ_MAX_PKT_SIZE_BYTES, reads a packet out of L1 and then sends it: the next one is read meanwhile. The link takes
// one frame after the other, of the queues in turn.
//
// Packets of kinds 2 and 4 are numbered. The receiver takes the next number only and drops others; it acknowledges with
// every such packet it sends itself, or with a packet of its own after ETH_TXQ_LOCAL_SEQ_UPDATE_TIMEOUT. What is not
// acknowledged after ETH_TXQ_REMOTE_SEQ_TIMEOUT is read out of L1 and sent again, with all that followed. Raw frames are
// neither numbered nor sent again.
//
// A link that is down accepts no frame, and loses what is on its way. The host sets both ends between runs.
//
// What machines do otherwise: struct ts_machine (units/isa/machine.h), its rules eth_polls_command and eth_fills_iram, config/eth_registers.def.
//
// Source: EthernetTile/EthernetTxRx.md, BabyRISCV/README.md, of BlackholeA0 and of WormholeB0.
// Timing: config/eth.def.
// Inaccuracies: the bytes of a packet reach L1 together, with its last one. Acknowledgements that say nothing new are
// not sent. Frames of TX queue n go to RX queue n: of the RX classifier nothing is modelled, of the TX header table only
// addresses and type of raw frames; other registers are refused by name. What queues read and write takes nothing from
// others at L1's banks.
#pragma once

#include "noc/niu.h"

#define TS_ETH_QUEUES    3u // Blackhole's, which are the most
#define TS_ETH_HEADERS   10u
#define TS_ETH_HEADER    14u // bytes: addresses and type
#define TS_ETH_BASE      0xffb90000u
#define TS_ETH_END       0xffba0000u
#define TS_ETH_AHEAD_MAX 64u
#define TS_ETH_UNACKED   128u // a power of 2, above eth.unacknowledged
#define TS_ETH_BUFFERS   2u   // packets that are read and not yet sent

enum ts_eth_kind { TS_ETH_RAW, TS_ETH_DATA, TS_ETH_REGISTER, TS_ETH_NUMBERS };

// A command, or what is left of it; a packet that waits for its acknowledgement.
struct ts_eth_part {
    uint8_t kind;               // enum ts_eth_kind
    bool last;                  // of its command
    uint8_t header;             // raw: entry of the header table
    uint32_t source;            // in L1
    uint32_t to;                // L1 address or register of the other end
    uint32_t length;            // bytes
    uint32_t data;              // of a register
    struct ts_check_trip *trip; // how checks follow the command; NULL: they do not
};

// What crosses a link.
struct ts_eth_frame {
    struct ts_noc_packet *body; // its bytes, and how checks follow them; NULL: it has none
    ts_cycle tail;              // its last byte is at the receiver
    uint32_t to, data;
    uint8_t kind, queue;
    uint8_t number, next; // its own, and the next one that its sender expects
    uint32_t trained;     // how often the link had been up when it left
    bool last;            // of its command
};

struct ts_eth_tx {
    // Registers.
    uint32_t ctrl, max_packet, start, size, to, data, resend_after, acknowledge_after, accept_ahead;
    uint32_t select_sw, select_hw, select_ovl;
    uint32_t header[5]; // Wormhole: addresses and type of its raw frames, which RX queues strip
    uint32_t transfers, packets_begun, packets_ended, words;
    // Commands: the first one is being cut.
    bool ongoing; // ETH_TXQ_STATUS_CMD_ONGOING_BIT
    struct ts_eth_part command;
    ts_cycle command_at; // the queue may take it
    struct ts_eth_part ahead[TS_ETH_AHEAD_MAX];
    uint32_t first, count;
    // Numbers: packets from `oldest` on are not acknowledged, `again` is the next one to be sent.
    struct ts_eth_part kept[TS_ETH_UNACKED];
    ts_cycle sent_at; // the oldest one, for the last time
    uint32_t oldest, again, next;
    ts_cycle spoke; // the last numbered packet left, in whole periods of keep-alive
};

struct ts_eth_rx {
    uint32_t ctrl, bytes, pointer, buffer, size, words, strip, packets_begun, packets_ended, drops;
    uint32_t expects, acknowledged; // numbers: that it takes next, that it has said last
    ts_cycle news;                  // since when the two differ
    uint32_t other_expects;         // as the other end said last
};

// A packet that was read out of L1, or a frame that arrives.
struct ts_eth_buffer {
    struct ts_eth_frame frame;
    ts_cycle ready;
    uint32_t source; // in L1, of a packet that is being read; UINT32_MAX: it has been
    uint32_t bytes;  // on the wire
    bool again;      // it has been sent before
};

struct ts_eth {
    struct ts_component base;
    struct ts_object status; // that pollers of the registers wait for
    struct ts_object wire;   // that a TX queue without a link waits for
    const struct ts_machine *machine;
    const struct ts_eth_params *params;
    const struct ts_noc_memory *memory;
    void *context;
    uint32_t chip, channel;
    struct ts_check *check; // NULL: none
    // The link.
    struct ts_eth *other;  // NULL: no cable
    struct ts_fifo frames; // to the other end
    struct ts_port out, in;
    bool up;
    uint32_t trained;
    uint32_t clock_mhz;
    uint64_t free; // the next frame may leave, in 2^-16 cycles
    // Queues.
    struct ts_eth_tx tx[TS_ETH_QUEUES];
    struct ts_eth_rx rx[TS_ETH_QUEUES];
    uint32_t headers[TS_ETH_HEADERS][32], address_routing;
    uint32_t turn; // the queue that is asked first
    struct ts_eth_buffer out_buffer[TS_ETH_BUFFERS];
    uint32_t out_first, out_count;
    ts_cycle reading; // the port to L1 is free
    struct ts_eth_buffer *arriving;
    uint32_t arriving_mask, arriving_first, arriving_count;
    struct ts_noc_pool pool;
    bool changed, stuck;
    // Wormhole: words of the MAC that have RX and TX off; until then the core's instruction RAM is filled (platform/tile/eth.c).
    uint8_t off;
    ts_cycle filled;
    // Counters.
    uint64_t sent, received, lost, resent, bytes_out, bytes_in, busy; // busy: 2^-16 cycles
};

void ts_eth_init(struct ts_eth *self, struct ts_domain *domain, const struct ts_machine *machine,
                 const struct ts_eth_params *params, uint32_t clock_mhz,
                 const struct ts_noc_memory *memory, void *context, uint32_t chip,
                 uint32_t channel);
// Connects two ends by a link that is up; before elaboration.
void ts_eth_connect(struct ts_eth *a, struct ts_eth *b);
// Between runs, both ends of a link.
void ts_eth_train(struct ts_eth *self, bool up, ts_cycle now);
void ts_eth_free(struct ts_eth *self);

// Register access; whole addresses. TS_OK, or a failure with its text. `core`, `pc`: who stores, for checks.
enum ts_code ts_eth_load(struct ts_eth *self, uint32_t address, uint32_t *value,
                         struct ts_error *error);
enum ts_code ts_eth_store(struct ts_eth *self, uint32_t address, uint32_t value, unsigned core,
                          uint32_t pc, ts_cycle now, struct ts_error *error);
// With checks: what a core learns from a load of a register.
void ts_eth_loaded(struct ts_eth *self, uint32_t address, unsigned core, ts_cycle now);

// eth_send.c and eth_receive.c, for eth.c: the next cycle in which there is something to do.
ts_cycle ts_eth_send(struct ts_eth *self, ts_cycle now);
ts_cycle ts_eth_receive(struct ts_eth *self, ts_cycle now);
// A numbered packet came: the other end has all before `next`.
void ts_eth_acknowledged(struct ts_eth *self, uint32_t queue, uint8_t next, ts_cycle now);

// What an end does when it waits: "waits for a packet from chip 0 eth 7", with what came and went.
void ts_eth_text(const struct ts_eth *self, char *text, size_t size);
// Conservation: what left came in, or was lost with its link.
enum ts_code ts_eth_audit(const struct ts_eth *self, struct ts_error *error);
