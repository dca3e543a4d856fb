// The kernel's part of a run in the accounts of all components, DRAM channels and links.
//
//   first begin of a kernel --break--> accounts so far --+
//                                                         +--> what each did in the kernel's cycles
//   last end of a kernel ----break--> accounts so far ---+
//
// Every figure of a run is of the same cycles: from the first begin of its kernels to their last end. What is before it,
// boot and launch, has a line of its own. The accounts are exact where a run stops, and a stop comes some cycles after the
// kernel has written its time: one of the same few at both ends, or with several tiles at the end of the run. The difference
// is taken from what a component has most of then: nothing to do, or polls; or it is added to it. Cores may be ahead of the
// clock at a stop that they do not foresee: the accounts of those that do not poll then end with the run, and up to the first begin they note when they
// stall (ts_rv_core_note): fast and step by step give the same.
//
// busy: the cycles in which a component works. A core that polls a location works on nothing: its polls are a wait (rv_poll) with
// all their cycles, which the kernel's own accounts, and with them stats.json, have as busy and as stalls of its pipeline.
#pragma once

#include "noc/torus.h"
#include "platform/kernel/kernel.h"

// What the accounts said at a stop.
struct ts_mark {
    ts_cycle cycle;              // 0: it has not been taken
    struct ts_account *accounts; // of all components, by domain and index
    uint64_t *busy;              // of DRAM channels and links, by id
};

struct ts_marks {
    const struct ts_kernel *kernel;
    uint32_t *base;       // of the accounts of a domain
    bool both;            // the end is marked too: there is one domain
    bool ending;          // the next stop is one of an end
    ts_cycle first, last; // the window, after the run
    struct ts_mark begin, end;
    // Called when a mark is taken; NULL: nobody asks.
    void (*taken)(void *context, bool begins, ts_cycle now);
    void *taken_context;
};

// False: out of memory.
bool ts_marks_init(struct ts_marks *self, const struct ts_kernel *kernel);
void ts_marks_free(struct ts_marks *self);
// From a component's step: the kernel begins, or ends, here.
void ts_marks_begin(struct ts_marks *self, struct ts_component *by, ts_cycle now);
void ts_marks_end(struct ts_marks *self, struct ts_component *by, ts_cycle now);
// After a stop of the run. True: the kernel begins here.
bool ts_marks_stopped(struct ts_marks *self, ts_cycle now);
// After the run, which stopped at `now`: the window that the figures are quoted for.
void ts_marks_close(struct ts_marks *self, ts_cycle first, ts_cycle last, ts_cycle now);

static inline ts_cycle ts_marks_cycles(const struct ts_marks *self)
{
    return self->last - self->first;
}

// After that: what a component did in the window, which it adds up to.
struct ts_account ts_marks_account(const struct ts_marks *self,
                                   const struct ts_component *component);
// The share of the window in which a DRAM channel or a link works.
double ts_marks_busy(const struct ts_marks *self, const struct ts_object *object);
// That of the busiest link of a NoC. "": none.
double ts_marks_busiest(const struct ts_marks *self, const struct ts_noc_torus *torus, unsigned noc,
                        const char **path);
