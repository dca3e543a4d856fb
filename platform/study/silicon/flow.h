// Flows: the requests of a set of issuers on the networks, as scripts with the pace of the published
// issue loops, and what the issuers and a receiver see.
//
//   flow: one tile issues `count` requests of `length` bytes, then waits for the last answer
//         (posted and flushed ones: until the last one has left)
//
// A row names its flows, the figure that was measured, and the chip. Long measurements of a steady
// state are cut short: `cut` says by how much, and the figure is scaled back.
#ifndef TENSIM_STUDY_SILICON_FLOW_H
#define TENSIM_STUDY_SILICON_FLOW_H

#include "platform/study/silicon/rig.h"

enum flow_op { FLOW_WRITE, FLOW_POSTED, FLOW_READ, FLOW_INCREMENT, FLOW_MULTICAST };
enum flow_watch { FLOW_UNWATCHED, FLOW_WATCH_LAST, FLOW_WATCH_FIRST };

#define FLOW_DYNAMIC (-1) // channel: any of its class
#define FLOW_MAX     256

struct flow {
    uint8_t op; // enum flow_op
    uint8_t noc;
    struct ts_noc_xy by;   // the issuer
    struct ts_noc_xy at;   // to or from where; of a multicast the upper left corner
    struct ts_noc_xy last; // of a multicast the lower right corner
    uint32_t length, count;
    uint32_t gap; // cycles of the issue loop
    int8_t vc;    // static channel
    uint8_t priority;
    uint8_t spread; // takes turns with so many tiles of the row, from `at` on; 0: `at` alone
    uint8_t flush;  // waits until all have left after so many, linked to each other; 0: at the end
    uint8_t tag;    // after each such wait one more request of so many bytes, and a wait; 0: none
    bool blocking;  // waits for every answer
    uint32_t flags; // further bits of NOC_CTRL
    // DRAM: the bank, from 1 on, and its endpoint (0: the one that workers use on this NoC), instead of
    // `at`; `by` 0-0: the tile next to it.
    uint8_t bank, port;
    // Takes turns with so many banks, at the endpoints that workers use on its NoC; waits for the
    // answers after every `batch`.
    uint8_t channels;
    uint8_t batch;
    // After each request another one, with its own operation and place.
    bool twin;
    uint8_t twin_op;
    struct ts_noc_xy twin_at;
    // A component polls for the last word of its last or first packet, or for the sum of increments.
    uint8_t watch;            // enum flow_watch
    struct ts_noc_xy watcher; // its tile; 0-0: at the target
};

struct flow_times {
    ts_cycle started; // first issue
    ts_cycle issued;  // last one
    ts_cycle ended;   // the last answer is there, or all have left
    ts_cycle seen;    // the word is at the receiver
};

// Runs them all on a chip. False: the error says why.
bool flow_run(const char *chip, const struct flow *flows, unsigned count,
              const struct ts_silicon_context *context, struct flow_times *times,
              struct ts_error *error);

// --- rows ---

enum flow_figure {
    FLOW_REGION,     // cycles from first issue to last answer of flow `pick`
    FLOW_RATES,      // bytes a cycle of each flow
    FLOW_RATE,       // bytes a cycle, all flows, first issue to last answer
    FLOW_RATE_OF,    // of flow `pick`
    FLOW_WINDOW,     // cycles from the first issue of all to the last answer of all
    FLOW_SEEN,       // cycles from the first issue to the word at the receiver of flow `pick`
    FLOW_SEENS,      // that of every flow
    FLOW_SEEN_RATE,  // bytes a cycle until the word is seen everywhere
    FLOW_SEEN_AFTER, // cycles from the packet's leaving to the word at the receiver
    FLOW_TAIL,       // cycles from the last issue to the last answer of flow `pick`
    FLOW_PER_OP,     // cycles per request, all flows, first issue to last answer
    FLOW_SEEN_OP,    // cycles per request, all flows, first issue to the word at the receiver
};

struct flow_row {
    struct ts_silicon_row row;
    const char *chip;
    uint8_t figure; // enum flow_figure
    uint8_t pick;
    uint16_t cut; // the measurement had so many times as many requests; 0: as many
    double plus;  // cycles of the harness that a script does not have
    double scale; // of the figure; 0: 1
    unsigned count;
    const struct flow *flows;
    // Or flows made for the row: by cores and banks.
    unsigned (*make)(const struct flow_row *row, struct flow *flows);
    uint8_t noc, op, mode;
    uint16_t cores;
    uint32_t length, requests;
    const char *text; // our words for it; NULL: the flows say it
};

void flow_run_row(const struct ts_silicon_row *row, const struct ts_silicon_context *context,
                  double *simulated, struct ts_error *error);
void flow_describe(const struct ts_silicon_row *row, struct ts_silicon_text *text);

#endif
