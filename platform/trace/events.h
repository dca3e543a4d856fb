// What a trace shows, from the records of the bus: one list of events for all file formats.
//
//   records --> events.c: words from push to end, functions of cores, waits, levels
//           --> a sink for each format: chrome.c (Perfetto), vcd.c (GTKWave)
//
// Records of words and pcs come without names. A struct ts_trace_names, from a floor that knows
// instructions and programs, has them; each pair of word and pc is asked for once.
#pragma once

#include "platform/kernel/component.h"
#include "platform/kernel/trace.h"

struct ts_kernel;
struct ts_domain;

enum ts_trace_format { TS_TRACE_JSON, TS_TRACE_VCD, TS_TRACE_FORMATS };

struct ts_trace_format_info {
    const char *name; // as an option has it
    const char *file; // in a run directory
    const char *text;
};
extern const struct ts_trace_format_info ts_trace_formats[TS_TRACE_FORMATS];

#define TS_TRACE_NO_PC UINT32_MAX

// What is known of a pc; strings live as long as the names.
struct ts_trace_place {
    const char *function;      // the user's, or the innermost; "": not known
    const char *line;          // "matmul.cpp:30"; "": not known
    const char *const *frames; // the functions around it, outermost first
    unsigned depth;
};

struct ts_trace_names {
    void *context;
    const char *(*op)(void *context, uint32_t word);
    void (*operands)(void *context, uint32_t word, char *text, size_t size);
    // Of a core, or of the core that feeds a front end. Never NULL.
    const struct ts_trace_place *(*place)(void *context, const struct ts_object *emitter,
                                          uint32_t pc);
    // What is at an address that a core polls. Never NULL.
    const char *(*polled)(void *context, const struct ts_object *core, uint32_t address);
    // What users call a domain; NULL: its path.
    const char *(*domain)(void *context, const struct ts_domain *domain);
};

// A word of a front end with its pc: what all its executions have in common.
struct ts_trace_insn {
    uint32_t word, pc;
    const char *op;
    const struct ts_trace_place *place;
    char operands[];
};

// One execution of a word. pushed <= gate <= passed <= from < to.
struct ts_trace_word {
    struct ts_trace_insn *insn;
    const struct ts_object *front, *unit;
    unsigned thread;
    ts_cycle pushed, gate, passed, from, to;
    bool first; // of the word that was pushed: the others come out of MOP or REPLAY
    // The longest wait at the gate.
    enum ts_stall reason;
    const struct ts_object *on;
    ts_cycle waited;
};

// A function of a core; depth 0 is outermost.
struct ts_trace_frame {
    const struct ts_object *core;
    const char *name;
    unsigned depth;
    ts_cycle from, to;
};

// A core at one pc.
struct ts_trace_visit {
    const struct ts_object *core;
    uint32_t pc;
    const struct ts_trace_place *place;
    ts_cycle from, to;
};

// Other records, with their objects.
struct ts_trace_episode {
    enum ts_record_kind kind; // BUSY STALL SLICE COUNT ZONE
    const struct ts_object *who, *other;
    const char *polled; // of a STALL: the name of what is polled; NULL: nothing is, or it has none
    const char *label;
    enum ts_stall reason;
    ts_cycle from, to; // COUNT: one cycle
    uint64_t value;
};

// A format. Any but close may be NULL.
struct ts_trace_sink {
    void (*episode)(struct ts_trace_sink *self, const struct ts_trace_episode *episode);
    void (*word)(struct ts_trace_sink *self, const struct ts_trace_word *word);
    void (*frame)(struct ts_trace_sink *self, const struct ts_trace_frame *frame);
    void (*visit)(struct ts_trace_sink *self, const struct ts_trace_visit *visit);
    // Ends the file; returns 0, or an errno. Frees the sink.
    int (*close)(struct ts_trace_sink *self);
    bool full; // at its limit: it gets nothing more
};

// How a file ended.
struct ts_trace_end {
    ts_cycle full; // the cycle at which it reached its limit; 0: it did not
    int error;     // an errno, or 0
};

struct ts_trace_options {
    const char *path[TS_TRACE_FORMATS]; // NULL: not written
    uint32_t clock_mhz;                 // of the cycles
    ts_cycle from, to;                  // only what touches these cycles
    const struct ts_trace_names *names; // NULL: no words, no functions
    uint64_t limit;                     // bytes of each file before compression; 0: TS_TRACE_LIMIT
    struct ts_trace_end *ends;          // by format; NULL: not asked for
};
#define TS_TRACE_LIMIT (UINT64_C(1) << 30)

// A writer of all formats that have a path. NULL: error says why.
struct ts_trace_writer *ts_trace_open(const struct ts_kernel *kernel,
                                      const struct ts_trace_options *options,
                                      struct ts_error *error);

// The name of an object in its domain.
const char *ts_trace_short(const struct ts_object *object);
// The channel that an object is, from a place to another one (kernel/cluster.h): a link of chips; NULL: it is none.
const struct ts_fifo *ts_trace_link(const struct ts_object *object);

// The formats. NULL: error says why.
struct ts_trace_sink *ts_chrome_sink(const struct ts_kernel *kernel,
                                     const struct ts_trace_options *options,
                                     struct ts_error *error);
struct ts_trace_sink *ts_vcd_sink(const struct ts_kernel *kernel,
                                  const struct ts_trace_options *options, struct ts_error *error);
