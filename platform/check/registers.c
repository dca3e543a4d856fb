// Races on registers; see registers.h.
#include "platform/check/accesses.h"

static void found(struct ts_check *self, enum ts_finding_kind kind, enum ts_check_object object,
                  unsigned number, bool weak, bool writes, struct ts_check_place access,
                  struct ts_check_place other)
{
    if (ts_checks_for(self, TS_CHECK_RACE))
        ts_check_findings_add(&self->findings,
                              &(struct ts_check_finding){.kind = (uint8_t)kind,
                                                         .object = (uint8_t)object,
                                                         .weak = weak,
                                                         .writes = {writes, !writes},
                                                         .length = 4,
                                                         .address = (uint64_t)number * 16,
                                                         .place = {access, other}});
}

static struct ts_check_place core_place(struct ts_check *self, unsigned core, unsigned region,
                                        uint32_t pc, uint32_t at)
{
    const struct ts_check_site site = {
        .pc = pc, .actor = TS_ACTOR_CORE(core, region), .core = (uint8_t)core, .how = TS_HOW_WRITE};
    return (struct ts_check_place){self->home, ts_check_site_of(&self->sites, &site), at};
}

// ---- configuration

void ts_registers_used(struct ts_check *self, unsigned thread, unsigned unit)
{
    struct ts_check_registers *registers = &self->registers;
    const struct ts_check_place place = ts_check_unit_place(self, thread, unit, TS_HOW_READ);
    const struct ts_known known = ts_check_known_thread(self, thread, unit, place.at);
    registers->used[unit][thread] = place;
    // Other threads' writes are as `disturb` sees them that come later.
    for (unsigned t = 0; t < TS_ACTOR_THREADS; t++) {
        const struct ts_check_place *set = &registers->set[unit][t].place;
        if (t != thread && set->at &&
            !ts_known_covers(&known, self->home, TS_ACTOR_GATE(t), set->at))
            found(self, TS_FINDING_RACE_CONFIG, TS_OBJECT_CONFIG, registers->set[unit][t].word,
                  false, true, *set, place);
    }
    if (!(registers->stored[unit].threads >> thread & 1))
        return;
    registers->stored[unit].threads &= (uint8_t) ~(1u << thread);
    const unsigned core = registers->stored[unit].core;
    const uint32_t at = registers->stored[unit].place.at;
    if (ts_known_covers(&known, self->home, TS_ACTOR_CORE(core, TS_REGION_TENSIX), at))
        return;
    // A word that the core pushed before its store may still be running: which of the two comes first is a matter of time.
    if (core == 1 + thread && !registers->stored[unit].latched &&
        self->threads[thread].pushed < at) {
        found(self, TS_FINDING_RACE_CONFIG, TS_OBJECT_CONFIG, registers->stored[unit].word, false,
              true, registers->stored[unit].place, place);
        return;
    }
    const bool pushed = core == 1 + thread ||
                        ts_known_covers(&known, self->home, TS_ACTOR_CORE(core, TS_REGION_LOADS),
                                        at);
    found(self, TS_FINDING_RACE_TRISC_CFG, TS_OBJECT_CONFIG, registers->stored[unit].word, pushed,
          false, place, registers->stored[unit].place);
}

// Units that may still run with what is written now.
static void disturb(struct ts_check *self, const struct ts_known *known, unsigned user,
                    unsigned word, struct ts_check_place access)
{
    for (unsigned t = 0; user && t < TS_ACTOR_THREADS; t++) {
        const struct ts_check_place *used = &self->registers.used[user][t];
        if (used->at && !ts_known_covers(known, self->home, TS_ACTOR_UNIT(t, user), used->at))
            found(self, TS_FINDING_RACE_CONFIG, TS_OBJECT_CONFIG, word, false, true, access, *used);
    }
}

void ts_registers_set(struct ts_check *self, unsigned thread, unsigned unit, unsigned word,
                      unsigned bytes, bool masked, uint8_t bits, unsigned user)
{
    const unsigned first = (unsigned)__builtin_ctz(bytes | 16);
    const struct ts_known known = ts_check_known_thread(self, thread, unit,
                                                        self->threads[thread].word[unit].at);
    ts_check_unit_bits(self, thread, unit, TS_OBJECT_CONFIG, masked ? TS_HOW_ATOMIC : TS_HOW_WRITE,
                       word * 16 + first, (uint32_t)__builtin_popcount(bytes), bits);
    self->registers.kept[word] = 0;
    const struct ts_check_place place = ts_check_unit_place(self, thread, unit, TS_HOW_WRITE);
    disturb(self, &known, user, word, place);
    if (user) {
        self->registers.set[user][thread].place = place;
        self->registers.set[user][thread].word = (uint16_t)word;
    }
}

bool ts_registers_kept(struct ts_check *self, unsigned word, uint32_t value)
{
    uint64_t *kept = &self->registers.kept[word];
    const bool same = *kept == (uint64_t)value + 1;
    *kept = (uint64_t)value + 1;
    return same;
}

void ts_registers_stored(struct ts_check *self, unsigned core, uint32_t pc, unsigned word,
                         unsigned user, bool latched, uint32_t at)
{
    const struct ts_known known = ts_check_known_core(self, core, TS_REGION_TENSIX, at);
    const struct ts_check_place place = core_place(self, core, TS_REGION_TENSIX, pc, at);
    ts_check_register(self, core, pc, TS_OBJECT_CONFIG, word, at);
    disturb(self, &known, latched ? 0 : user, word, place);
    if (user == 0)
        return;
    self->registers.stored[user].place = place;
    self->registers.stored[user].word = (uint16_t)word;
    self->registers.stored[user].core = (uint8_t)core;
    self->registers.stored[user].latched = latched;
    self->registers.stored[user].threads = (1u << TS_ACTOR_THREADS) - 1;
}

void ts_registers_base_taken(struct ts_check *self, unsigned thread, unsigned unit, unsigned bank,
                             unsigned context)
{
    struct ts_check_base *base = &self->registers.base[bank][unit == TS_ACTOR_UNPACK1][context];
    const struct ts_check_place place = ts_check_unit_place(self, thread, unit, TS_HOW_READ);
    base->taken[thread] = place;
    // Its core pushed it, and then stored the address of another tile.
    if (base->core == 1 + thread && self->threads[thread].pushed < base->stored.at)
        found(self, TS_FINDING_RACE_CONFIG, TS_OBJECT_CONFIG, base->word, false, true, base->stored,
              place);
}

void ts_registers_base_stored(struct ts_check *self, unsigned core, uint32_t pc, unsigned word,
                              unsigned unpacker, unsigned context, uint32_t at)
{
    struct ts_check_base *base = &self->registers.base[word / 1024][unpacker][context];
    const struct ts_known known = ts_check_known_core(self, core, TS_REGION_TENSIX, at);
    base->stored = core_place(self, core, TS_REGION_TENSIX, pc, at);
    base->word = (uint16_t)word;
    base->core = (uint8_t)core;
    for (unsigned t = 0; t < TS_ACTOR_THREADS; t++)
        if (base->taken[t].at &&
            !ts_known_covers(&known, self->home, TS_ACTOR_GATE(t), base->taken[t].at))
            found(self, TS_FINDING_RACE_CONFIG, TS_OBJECT_CONFIG, word, false, true, base->stored,
                  base->taken[t]);
}

void ts_registers_gpr(struct ts_check *self, unsigned core, uint32_t pc, unsigned thread,
                      unsigned gpr, uint32_t at)
{
    ts_check_register(self, core, pc, TS_OBJECT_GPR, thread * 64 + gpr, at);
}

// ---- banks of Src

void ts_registers_fill(struct ts_check *self, unsigned thread, unsigned unit, unsigned file)
{
    struct ts_check_registers *registers = &self->registers;
    const struct ts_check_place place = ts_check_unit_place(self, thread, unit, TS_HOW_WRITE);
    const struct ts_check_thread *by = &self->threads[thread];
    struct ts_check_filler *filler = &registers->filler[file];
    if (filler->clock == NULL || filler->thread != thread || filler->joined != by->joined) {
        ts_vclock_drop(filler->clock);
        *filler = (struct ts_check_filler){(uint8_t)thread, by->joined, ts_vclock_hold(by->clock)};
    }
    registers->filled[file] = place;
    if (registers->moved[file].at)
        found(self, TS_FINDING_RACE_BANK, TS_OBJECT_SRC, 2 * file, false, true,
              registers->moved[file], place);
    registers->moved[file].at = 0;
}

void ts_registers_handed(struct ts_check *self, unsigned file, unsigned bank)
{
    struct ts_check_registers *registers = &self->registers;
    struct ts_check_filler *by = &registers->handed[file][bank].by;
    registers->handed[file][bank].at = registers->filled[file].at;
    if (by->clock == registers->filler[file].clock)
        return;
    ts_vclock_drop(by->clock);
    *by = registers->filler[file];
    ts_vclock_hold(by->clock);
}

void ts_registers_free(struct ts_check_registers *self)
{
    for (unsigned file = 0; file < 2; file++) {
        ts_vclock_drop(self->filler[file].clock);
        for (unsigned bank = 0; bank < 2; bank++)
            ts_vclock_drop(self->handed[file][bank].by.clock);
    }
}

void ts_registers_take(struct ts_check *self, unsigned thread, unsigned file, unsigned bank)
{
    const struct ts_check_registers *registers = &self->registers;
    const struct ts_check_filler *by = &registers->handed[file][bank].by;
    ts_check_acquire_thread(self, thread, by->clock);
    ts_vclock_learn(&self->threads[thread].clock,
                    TS_ACTOR_UNIT(by->thread, file ? TS_ACTOR_UNPACK1 : TS_ACTOR_UNPACK0),
                    registers->handed[file][bank].at);
}

void ts_registers_wait(struct ts_check *self, unsigned files)
{
    for (unsigned file = 0; file < 2; file++)
        self->registers.waited[file] |= files >> file & 1;
}

static void move(struct ts_check *self, unsigned thread, unsigned unit, unsigned file, bool weak)
{
    struct ts_check_registers *registers = &self->registers;
    const struct ts_check_place place = ts_check_unit_place(self, thread, unit, TS_HOW_WRITE),
                                *filled = &registers->filled[file];
    const struct ts_known known = ts_check_known_thread(self, thread, unit, place.at);
    if (registers->waited[file])
        return;
    if (filled->at && registers->filler[file].thread == thread &&
        ts_known_covers(&known, self->home,
                        TS_ACTOR_UNIT(registers->filler[file].thread,
                                      file ? TS_ACTOR_UNPACK1 : TS_ACTOR_UNPACK0),
                        filled->at))
        return; // its thread has filled it itself, and waited
    if (filled->at)
        found(self, TS_FINDING_RACE_BANK, TS_OBJECT_SRC, 2 * file, weak, true, place,
              registers->filled[file]);
    else
        registers->moved[file] = place;
}

void ts_registers_move(struct ts_check *self, unsigned thread, unsigned unit, unsigned file)
{
    move(self, thread, unit, file, false);
}

void ts_registers_give(struct ts_check *self, unsigned thread, unsigned unit, unsigned files)
{
    struct ts_check_registers *registers = &self->registers;
    // The bank of the other file was waited for, and one thread fills both: its words leave in order, nothing else orders them.
    const bool emission_order = files == 3 && (registers->waited[0] || registers->waited[1]) &&
                                registers->filler[0].thread == registers->filler[1].thread;
    for (unsigned file = 0; file < 2; file++)
        if (files >> file & 1) {
            // Not waited for: as a move into a bank that another thread fills.
            if (registers->filled[file].at && registers->filler[file].thread != thread)
                move(self, thread, unit, file, emission_order);
            registers->waited[file] = false;
        }
}

// ---- Dst between MATRIX and VECTOR

void ts_check_dst_written(struct ts_check *self, unsigned thread, unsigned block, unsigned words)
{
    const struct ts_check_place place = ts_check_unit_place(self, thread, TS_ACTOR_MATRIX,
                                                            TS_HOW_WRITE);
    if (words < TS_CHECK_LATE)
        self->threads[thread].late[words] = (struct ts_check_late){
            .at = place.at, .site = place.site, .block = (uint8_t)block};
}

void ts_check_dst_loaded(struct ts_check *self, unsigned thread, unsigned block)
{
    const struct ts_check_late *late = self->threads[thread].late;
    for (unsigned i = 0; i < TS_CHECK_LATE; i++)
        if (late[i].at && late[i].block == block)
            found(self, TS_FINDING_RACE_LATE, TS_OBJECT_DST, block, false, false,
                  ts_check_unit_place(self, thread, TS_ACTOR_VECTOR, TS_HOW_READ),
                  (struct ts_check_place){self->home, late[i].site, late[i].at});
}

// ---- address counters

void ts_registers_adc(struct ts_check *self, unsigned thread, unsigned unit, unsigned of,
                      unsigned sets)
{
    for (unsigned set = of * 4; sets; set++, sets >>= 1) {
        if (!(sets & 1))
            continue;
        const uint32_t at = self->threads[thread].word[unit].at;
        for (unsigned t = 0; t < TS_ACTOR_THREADS; t++) {
            const uint32_t before = self->registers.adc[set][t].at;
            if (t == thread || before == 0)
                continue;
            const struct ts_known known = ts_check_known_thread(self, thread, 0, at);
            if (ts_known_covers(&known, self->home, TS_ACTOR_GATE(t), before))
                continue;
            const struct ts_check_site site = {
                .pc = self->registers.adc[set][t].pc,
                .actor = TS_ACTOR_UNIT(t, self->registers.adc[set][t].unit),
                .core = (uint8_t)(1 + t),
                .how = TS_HOW_WRITE,
                .detail = self->registers.adc[set][t].op};
            found(
                self, TS_FINDING_RACE_ADC, TS_OBJECT_ADC, set, false, true,
                ts_check_unit_place(self, thread, unit, TS_HOW_WRITE),
                (struct ts_check_place){self->home, ts_check_site_of(&self->sites, &site), before});
        }
        self->registers.adc[set][thread].at = at;
        self->registers.adc[set][thread].pc = self->threads[thread].word[unit].pc;
        self->registers.adc[set][thread].unit = (uint8_t)unit;
        self->registers.adc[set][thread].op = self->threads[thread].word[unit].op;
    }
}

// ---- the MOP expander

void ts_registers_mop(struct ts_check *self, unsigned core, uint32_t pc, uint32_t at)
{
    self->registers.mop[core - 1].at = at;
    self->registers.mop[core - 1].pc = pc;
}

void ts_registers_mop_done(struct ts_check *self, unsigned core)
{
    self->registers.mop[core - 1].at = 0;
}

void ts_registers_mop_stored(struct ts_check *self, unsigned core, uint32_t pc, unsigned number,
                             uint32_t at)
{
    const uint32_t pushed = self->registers.mop[core - 1].at;
    if (pushed)
        found(self, TS_FINDING_RACE_MOP, TS_OBJECT_MOP, (core - 1) * 16 + number, false, true,
              core_place(self, core, TS_REGION_TENSIX, pc, at),
              core_place(self, core, TS_REGION_PUSH, self->registers.mop[core - 1].pc, pushed));
}
