// The clients of a live run: lines in, lines out, never waiting for either.
#pragma once

#include "platform/base/error.h"

#define TS_LIVE_CLIENTS 8
#define TS_LIVE_LINE    4096u      // bytes of a command
#define TS_LIVE_OUT     (4u << 20) // bytes that wait for a client

// What a client looks at.
struct ts_live_view {
    uint32_t tile, core; // of the machine's tiles; of its cores
    uint32_t memory;     // address of the bytes that it sees
    bool chip;           // the map of the chip, too
};

struct ts_live_client {
    int socket;    // -1: nobody
    uint64_t slow; // bytes wait since then; 0: none
    bool owed;     // a state was left out
    struct ts_live_view view;
    uint64_t heard; // lines of it
    size_t used, length, sent;
    char in[TS_LIVE_LINE], out[TS_LIVE_OUT];
};

struct ts_live_wire {
    int listener;
    struct ts_live_client clients[TS_LIVE_CLIENTS];
};

// Makes the socket in a directory, for its owner alone. False: error says why.
bool ts_live_wire_open(struct ts_live_wire *self, const char *directory, struct ts_error *error);
// Removes it: the results of a run come with a new directory, and take it along.
void ts_live_wire_close(struct ts_live_wire *self, const char *directory);
// Takes new clients in, sends what waits, reads. `wait_ms`: for news; 0: does not wait. `taken` is called for each new client,
// `line` for each line until it returns true; the rest stays. True: it did.
bool ts_live_wire_look(struct ts_live_wire *self, int wait_ms,
                       void (*taken)(void *context, struct ts_live_client *client),
                       bool (*line)(void *context, struct ts_live_client *client, const char *text,
                                    size_t length),
                       void *context);
unsigned ts_live_wire_count(const struct ts_live_wire *self);
// A line for a client. A state is left out while another one waits; a client for whom there is no room is dropped.
void ts_live_send(struct ts_live_client *client, const char *text, bool state);
bool ts_live_waits_for(const struct ts_live_client *client);

// The connections to the process that goes on, and from the one that did so far.
void ts_live_wire_hand_over(struct ts_live_wire *self, int to);
void ts_live_wire_take_over(struct ts_live_wire *self, int from);
