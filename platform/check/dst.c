// Dst as memory: its bounds, the half that a thread has, tiles that nobody wrote; see memory.h.
//
// With two halves, math has the half that math gives to the packer next; the packer has the half that the packer gives back next. Both count from
// SEMINIT of the semaphore of tile_regs_* on, whose maximum is the number of parts.
// Source: tt-llk cmath_common.h, cpack_common.h; Dst.md.
// Inaccuracies: only of program files; unpackers that write Dst are not looked at.
#include "platform/check/accesses.h"

#define HALF_BLOCKS 64u
#define ROWS        1024u

static void found(struct ts_check *self, enum ts_finding_kind kind, uint64_t address,
                  uint32_t length, uint64_t number, struct ts_check_place place, bool writes)
{
    if (self->memory.whole && ts_checks_for(self, TS_CHECK_MEMORY))
        ts_memory_found(self, kind, TS_OBJECT_DST, address, length, number, place, writes);
}

void ts_memory_dst_half(struct ts_check *self, const struct ts_check_access *access)
{
    const unsigned number = access->mark.actor - TS_ACTOR_THREAD_FIRST,
                   unit = number % TS_ACTOR_UNITS, thread = number / TS_ACTOR_UNITS,
                   first = (unsigned)access->address / 16,
                   last = (unsigned)(access->address + access->length - 1) / 16;
    const bool math = thread == 1 && (unit == TS_ACTOR_MATRIX || unit == TS_ACTOR_VECTOR),
               pack = thread == 2 && unit == TS_ACTOR_PACK;
    if (self->pairs.parts != 2 || !(math || pack) || access->length > HALF_BLOCKS * 16)
        return;
    const unsigned half = (math ? self->pairs.given : self->pairs.back) % 2;
    if (first / HALF_BLOCKS != half || last / HALF_BLOCKS != half)
        found(self, TS_FINDING_DST_OVER, access->address, access->length, 0,
              (struct ts_check_place){access->mark.home, access->mark.site, access->mark.at},
              access->how != TS_HOW_READ);
}

void ts_memory_dst_over(struct ts_check *self, unsigned thread, unsigned unit, uint32_t row,
                        bool writes)
{
    if (row >= ROWS)
        found(self, TS_FINDING_DST_OVER, row / 8 * 16, 16, 0,
              ts_check_unit_place(self, thread, unit, writes ? TS_HOW_WRITE : TS_HOW_READ), writes);
}

void ts_memory_dst(struct ts_check *self, unsigned thread, unsigned unit, uint32_t row)
{
    found(self, TS_FINDING_DST, row / 8 * 16, 16, row / 64,
          ts_check_unit_place(self, thread, unit, TS_HOW_READ), false);
}
