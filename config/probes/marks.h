// The vendor's profiler (tt-metal, tools/profiler) as it costs time: a buffer in L1, its index and the room that open
// zones need in the core's own memory, and a mark that reads the clock's upper word first and its lower word last.
//
// Results: from PROBE_RESULTS on, two words a mark, the second one the lower word.
#pragma once
#include "probe.h"

struct mark_buffer {
    uint32_t data[512];
};
extern uint32_t mark_index, mark_open;
extern volatile mark_buffer *mark_words;
uint32_t mark_index, mark_open;
volatile mark_buffer *mark_words = (volatile mark_buffer *)PROBE_RESULTS;

FORCE_INLINE void mark(uint32_t index, uint32_t id)
{
    volatile uint32_t *clock = (volatile uint32_t *)RISCV_WALL_CLOCK;
    mark_words->data[index] = 0x80000000 | (id & 0x7ffff) << 12 | (clock[1] & 0xfff);
    mark_words->data[index + 1] = clock[0];
}

// So many words more, besides what open zones need.
FORCE_INLINE bool room_for_marks(uint32_t words = 0)
{
    return mark_index + words < sizeof(mark_buffer) / 4 - mark_open;
}

// From here to the end of the scope.
struct zone {
    bool marked = false;
    FORCE_INLINE zone()
    {
        if (room_for_marks()) {
            mark_open += 2;
            marked = true;
            mark(mark_index, 0x5a5a);
            mark_index += 2;
        }
    }
    FORCE_INLINE ~zone()
    {
        if (marked) {
            mark(mark_index, 0x15a5a);
            mark_index += 2;
            mark_open -= 2;
        }
    }
};

// The vendor's barriers end with a fence where cores have a data cache.
FORCE_INLINE void fence()
{
#ifndef ARCH_WORMHOLE
    __asm__ volatile("fence" : : : "memory");
#endif
}
