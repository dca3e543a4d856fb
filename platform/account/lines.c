// The cycles of cores and front ends, by instruction (lines.h).
#include "platform/account/lines.h"

#include "cores/frontend/stages.h"
#include "platform/base/hash.h"

// --- cells ---

static uint32_t place_of(const struct ts_cells *self, const struct ts_cell *key)
{
    uint64_t hash = ts_hash_word(TS_HASH_START, (uint64_t)key->pc << 32 | key->path);
    hash = ts_hash_word(hash,
                        (uint64_t)key->address << 32 | (uint32_t)key->reason << 8 | key->transfer);
    hash = ts_hash_word(hash, key->object ? key->object->id + 1u : 0);
    uint32_t at = (uint32_t)(hash >> 20) & (self->room - 1);
    for (;; at = (at + 1) & (self->room - 1)) {
        const struct ts_cell *c = &self->cell[at];
        if (!c->used || (c->pc == key->pc && c->path == key->path && c->reason == key->reason &&
                         c->transfer == key->transfer && c->address == key->address &&
                         c->object == key->object))
            return at;
    }
}

static bool grow(struct ts_cells *self)
{
    struct ts_cells larger = {.room = self->room ? 2 * self->room : 64};
    larger.cell = calloc(larger.room, sizeof *larger.cell);
    if (larger.cell == NULL)
        return false;
    for (uint32_t i = 0; i < self->room; i++)
        if (self->cell[i].used)
            larger.cell[place_of(&larger, &self->cell[i])] = self->cell[i];
    free(self->cell);
    self->cell = larger.cell;
    self->room = larger.room;
    return true;
}

struct ts_cell *ts_cells_at(struct ts_cells *self, const struct ts_cell *key)
{
    if (4 * self->count >= 3 * self->room && !grow(self)) {
        self->lost = true;
        return NULL;
    }
    struct ts_cell *cell = &self->cell[place_of(self, key)];
    if (!cell->used) {
        *cell = *key;
        cell->used = true;
        cell->count = 0;
        self->count++;
    }
    return cell;
}

static void add(struct ts_cells *self, const struct ts_cell *key, int64_t count)
{
    struct ts_cell *cell = count ? ts_cells_at(self, key) : NULL;
    if (cell)
        cell->count += count;
}

static void clear(struct ts_cells *self)
{
    if (self->count)
        memset(self->cell, 0, self->room * sizeof *self->cell);
    self->count = 0;
}

// --- charges ---

// Cycles of the part at a pc. What a core loses or works while it may poll is in the journal too.
static void charge(struct ts_lines_part *self, uint32_t pc, uint32_t path, unsigned reason,
                   const struct ts_object *object, int64_t cycles)
{
    struct ts_cell key = {.pc = pc, .path = path, .reason = (uint16_t)reason, .object = object};
    if (reason == TS_STALL_IDLE) { // belongs to no instruction
        key.pc = TS_NO_PC;
        key.path = 0;
    }
    add(&self->cells, &key, cycles);
    if (self->poll_from != TS_NEVER && reason != TS_STALL_IDLE && reason != TS_CELL_INSTRUCTIONS)
        add(&self->journal, &key, cycles);
}

static void lost_of(const struct ts_lines_part *self, uint64_t lost[TS_STALL_COUNT])
{
    if (!self->front) {
        ts_rv_core_lost((const struct ts_rv_core *)self->component, lost);
        return;
    }
    for (unsigned r = 0; r < TS_STALL_COUNT; r++)
        lost[r] = ts_lost(self->component, (enum ts_stall)r);
}

// How long the unit that a front end sleeps on has waited for a bank of Src.
static uint64_t unit_blocked(const struct ts_lines_part *self, ts_cycle now)
{
    const struct ts_component *c = self->component,
                              *unit = self->front && c->on ? ts_object_component(c->on) : NULL;
    return unit ? ts_component_account(unit, now).lost[TS_STALL_SRC_NOT_FREE] : 0;
}

// The step ends a sleep: what it lost has a reason and an object.
static void charge_sleep(struct ts_lines_part *self, ts_cycle now)
{
    const struct ts_component *c = self->component;
    uint64_t lost = ts_lost(c, c->reason), all[TS_STALL_COUNT];
    if (!self->front) {
        lost_of(self, all);
        lost = all[c->reason];
    }
    int64_t cycles = (int64_t)(lost - self->lost[c->reason]);
    if (cycles == 0)
        return;
    const struct ts_object *on = c->reason == TS_STALL_IDLE ? NULL : c->on;
    int64_t blocked = (int64_t)(unit_blocked(self, now) - self->blocked);
    blocked = blocked < 0 || on == NULL ? 0 : blocked < cycles ? blocked : cycles;
    charge(self, self->pc, self->path, c->reason, on, cycles - blocked);
    add(&self->cells,
        &(struct ts_cell){.pc = self->pc,
                          .path = self->path,
                          .reason = (uint16_t)c->reason,
                          .transfer = TS_CELL_BLOCKED,
                          .object = on},
        blocked);
    self->lost[c->reason] = lost;
    self->early += cycles;
}

// All other cycles before `to`: losses by reason, the rest is busy.
static void charge_rest(struct ts_lines_part *self, uint32_t pc, uint32_t path,
                        const uint64_t lost[TS_STALL_COUNT], ts_cycle to)
{
    int64_t busy = (int64_t)(to - self->from) - self->early;
    for (unsigned r = 0; r < TS_STALL_COUNT; r++) {
        int64_t cycles = (int64_t)(lost[r] - self->lost[r]);
        if (cycles == 0)
            continue;
        charge(self, pc, path, r, NULL, cycles);
        self->lost[r] = lost[r];
        busy -= cycles;
    }
    charge(self, pc, path, TS_CELL_BUSY, NULL, busy > 0 ? busy : 0);
    self->from = to;
    self->early = busy < 0 ? -busy : 0; // a stall that lasts longer
}

// --- polls ---

// Moves cycles of one reason from where they were charged to the poll of `key`: first those of the journal, then, as far as
// the account knows more, those of the load itself.
static void move_reason(struct ts_lines_part *self, const struct ts_cell *key, unsigned reason,
                        int64_t cycles)
{
    for (uint32_t i = 0; i < self->journal.room && cycles > 0; i++) {
        const struct ts_cell *from = &self->journal.cell[i];
        if (!from->used || from->reason != reason || from->count <= 0)
            continue;
        struct ts_cell poll = *key;
        int64_t part = from->count < cycles ? from->count : cycles;
        poll.pc = from->pc;
        poll.path = from->path;
        add(&self->cells, from, -part);
        add(&self->cells, &poll, part);
        cycles -= part;
    }
    struct ts_cell rest = *key;
    rest.reason = (uint16_t)reason;
    rest.transfer = 0;
    rest.address = 0;
    add(&self->cells, &rest, -cycles);
    add(&self->cells, key, cycles);
}

// A poll has ended, or goes on at the end of the window: it is a wait with all its cycles.
static void move_polls(struct ts_lines_part *self, const struct ts_rv_polled *all)
{
    const struct ts_loss *loss = self->tile->loss;
    struct ts_cell key = {.pc = self->poll_pc,
                          .path = self->poll_path,
                          .reason = TS_STALL_RV_POLL,
                          .address = self->poll_address};
    unsigned transfer = loss ? ts_loss_transfer(loss, key.address, NULL) : TS_LOSS_POLL;
    key.transfer = (uint8_t)(transfer == TS_LOSS_POLL ? 0 : transfer);
    int64_t busy = (int64_t)(all->cycles - self->polled.cycles);
    for (unsigned i = 0; i < TS_RV_OWN_STALLS; i++) {
        int64_t lost = (int64_t)(all->lost[i] - self->polled.lost[i]);
        move_reason(self, &key, TS_STALL_RV_FETCH + i, lost);
        busy -= lost;
    }
    move_reason(self, &key, TS_CELL_BUSY, busy);
    self->polled = *all;
}

// --- cores ---

// The call that `pc` makes from `path`; 0: no memory.
static uint32_t call_of(struct ts_lines_tile *self, unsigned core, uint32_t pc, uint32_t path)
{
    struct ts_call *calls = self->calls[core];
    uint32_t i = 1;
    while (i < self->call_count[core] && (calls[i].pc != pc || calls[i].path != path))
        i++;
    if (i < self->call_count[core])
        return i;
    if (i >= self->call_room[core]) {
        calls = realloc(calls, 2 * (i + 8) * sizeof *calls);
        if (calls == NULL)
            return 0;
        self->calls[core] = calls;
        self->call_room[core] = 2 * (i + 8);
    }
    calls[i] = (struct ts_call){pc, path};
    self->call_count[core] = i + 1;
    return i;
}

// The instruction at `pc` has led to `to`: a call, a return, or neither.
static uint32_t path_after(struct ts_lines_part *self, uint32_t pc, uint32_t to)
{
    const struct ts_lines_tile *tile = self->tile;
    const struct ts_call *calls = tile->calls[self->core];
    uint32_t word, path = self->path;
    if (to == pc + 4 || !ts_rv_code(&tile->tile->l1, pc, &word))
        return path;
    const struct ts_rv_insn insn = ts_rv_decode(word);
    if ((insn.op == TS_RV_JAL || insn.op == TS_RV_JALR) && insn.rd == 1)
        return call_of(self->tile, self->core, pc, path);
    if (insn.op != TS_RV_JALR || insn.rs1 != 1 || insn.rd != TS_RV_SINK)
        return path;
    while (path != 0 && calls[path].pc + 4 != to)
        path = calls[path].path;
    return path != 0 ? calls[path].path : 0;
}

// Words of the instruction belong to the path that executed it last.
static void note_path(struct ts_lines_part *self)
{
    unsigned thread = self->core - TS_RV_TRISC0;
    struct ts_cell *cell = thread < TS_THREADS && self->path
                               ? ts_cells_at(&self->tile->pushed[thread],
                                             &(struct ts_cell){.pc = self->pc})
                               : NULL;
    if (cell)
        cell->count = self->path;
}

static void before_core(struct ts_watcher *watcher, ts_cycle now)
{
    struct ts_lines_part *self = (struct ts_lines_part *)watcher;
    if (!self->tile->closed)
        charge_sleep(self, now);
}

static void look_at_polls(struct ts_lines_part *self, const struct ts_rv_view *view)
{
    const struct ts_rv_core *core = (const struct ts_rv_core *)self->component;
    if (core->polled.cycles != self->polled.cycles)
        move_polls(self, &core->polled);
    if (view->polled_from == self->poll_from)
        return;
    clear(&self->journal);
    self->poll_from = view->polled_from;
    self->poll_pc = view->polled_pc;
    self->poll_path = self->last_path;
    self->poll_address = view->polled;
}

static void after_core(struct ts_watcher *watcher, ts_cycle now)
{
    struct ts_lines_part *self = (struct ts_lines_part *)watcher;
    (void)now;
    if (self->tile->closed)
        return;
    const struct ts_rv_view view = ts_rv_core_view((const struct ts_rv_core *)self->component);
    if (view.time >= TS_RV_BLOCKED ||
        (view.time <= self->from && view.instructions == self->instructions)) {
        self->pc = view.pc;
        return;
    }
    uint64_t lost[TS_STALL_COUNT];
    lost_of(self, lost);
    charge_rest(self, self->pc, self->path, lost, view.time);
    charge(self, self->pc, self->path, TS_CELL_INSTRUCTIONS, NULL,
           (int64_t)(view.instructions - self->instructions));
    note_path(self);
    self->instructions = view.instructions;
    self->last = self->pc;
    self->last_path = self->path;
    self->path = path_after(self, self->pc, view.pc);
    self->pc = view.pc;
    look_at_polls(self, &view);
}

// --- front ends ---

static void before_front(struct ts_watcher *watcher, ts_cycle now)
{
    struct ts_lines_part *self = (struct ts_lines_part *)watcher;
    struct ts_frontend *front = (struct ts_frontend *)self->component;
    if (self->tile->closed)
        return;
    ts_frontend_move(front, now);
    self->pc = front->gate_count ? ts_frontend_pc(front) : TS_NO_PC;
    self->path = 0;
    const struct ts_cells *pushed = &self->tile->pushed[front->thread];
    if (pushed->count) {
        const struct ts_cell *cell =
            &pushed->cell[place_of(pushed, &(struct ts_cell){.pc = self->pc})];
        self->path = cell->used ? (uint32_t)cell->count : 0;
    }
    charge_sleep(self, now);
    if (self->passed && now > self->from && (int64_t)(now - self->from) > self->early) {
        charge(self, self->last, self->last_path, TS_CELL_BUSY, NULL, 1);
        self->from++;
    }
    uint64_t lost[TS_STALL_COUNT];
    lost_of(self, lost);
    charge_rest(self, self->pc, self->path, lost, now);
}

static void after_front(struct ts_watcher *watcher, ts_cycle now)
{
    struct ts_lines_part *self = (struct ts_lines_part *)watcher;
    const struct ts_frontend *front = (const struct ts_frontend *)self->component;
    if (self->tile->closed)
        return;
    self->blocked = unit_blocked(self, now);
    self->passed = front->dispatched != self->instructions;
    if (!self->passed)
        return;
    charge(self, self->pc, self->path, TS_CELL_WORDS, NULL,
           (int64_t)(front->dispatched - self->instructions));
    self->instructions = front->dispatched;
    self->last = self->pc;
    self->last_path = self->path;
}

// --- the window ---

// The accounts at `now`, at which the run has stopped. A stall that ends later is taken back.
static void settle(struct ts_lines_part *self, ts_cycle now)
{
    const struct ts_account account = ts_component_account(self->component, now);
    const bool sleeps = self->component->asleep != TS_AWAKE;
    int64_t busy = (int64_t)now - (int64_t)self->from - self->early;
    for (unsigned r = 0; r < TS_STALL_COUNT; r++) {
        int64_t cycles = (int64_t)(account.lost[r] - self->lost[r]);
        bool own = sleeps && self->component->reason == r && r != TS_STALL_IDLE;
        charge(self, cycles < 0 ? self->last : self->pc, cycles < 0 ? self->last_path : self->path,
               r, own ? self->component->on : NULL, cycles);
        self->lost[r] = account.lost[r];
        busy -= cycles;
    }
    charge(self, busy < 0 ? self->last : self->pc, busy < 0 ? self->last_path : self->path,
           TS_CELL_BUSY, NULL, busy);
    self->from = now;
    self->early = 0;
    if (!self->front) {
        const struct ts_rv_polled all = ts_rv_core_polled(
            (const struct ts_rv_core *)self->component, now);
        if (all.cycles != self->polled.cycles)
            move_polls(self, &all);
    }
}

static void taken(struct ts_lines_part *self, bool begins, ts_cycle now)
{
    settle(self, now);
    if (begins) {
        clear(&self->cells);
        clear(&self->journal);
    }
}

void ts_lines_taken(void *context, bool begins, ts_cycle now)
{
    struct ts_lines *self = context;
    for (uint32_t i = 0; i < self->count; i++) {
        struct ts_lines_tile *tile = &self->tiles[i];
        for (unsigned core = 0; tile->tile && core < TS_RV_CORES; core++)
            taken(&tile->core[core], begins, now);
        for (unsigned thread = 0; tile->tile && thread < TS_THREADS; thread++)
            taken(&tile->front[thread], begins, now);
        tile->closed = !begins;
    }
}

// --- set-up ---

struct ts_lines *ts_lines_new(uint32_t tiles)
{
    struct ts_lines *self = calloc(1, sizeof *self);
    if (self)
        self->tiles = calloc(tiles, sizeof *self->tiles);
    if (self == NULL || self->tiles == NULL) {
        free(self);
        return NULL;
    }
    self->count = tiles;
    return self;
}

static void watch(struct ts_lines_tile *tile, struct ts_lines_part *part,
                  struct ts_component *component, unsigned core, bool front)
{
    *part = (struct ts_lines_part){
        .watcher = {front ? before_front : before_core, front ? after_front : after_core},
        .component = component,
        .tile = tile,
        .core = core,
        .front = front,
        .pc = TS_NO_PC,
        .last = TS_NO_PC,
        .poll_from = TS_NEVER};
    ts_component_watch(component, &part->watcher);
}

void ts_lines_add(struct ts_lines *self, uint32_t i, struct ts_tile *tile,
                  const struct ts_loss *loss)
{
    struct ts_lines_tile *to = &self->tiles[i];
    to->tile = tile;
    to->loss = loss;
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        watch(to, &to->core[core], &tile->cores[core].component, core, false);
    for (unsigned thread = 0; thread < TS_THREADS; thread++)
        watch(to, &to->front[thread], &tile->front[thread].component, TS_RV_TRISC0 + thread, true);
}

static void free_part(struct ts_lines_part *self)
{
    free(self->cells.cell);
    free(self->journal.cell);
}

void ts_lines_free(struct ts_lines *self)
{
    if (self == NULL)
        return;
    for (uint32_t i = 0; i < self->count; i++) {
        struct ts_lines_tile *tile = &self->tiles[i];
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            free_part(&tile->core[core]);
            free(tile->calls[core]);
        }
        for (unsigned thread = 0; thread < TS_THREADS; thread++) {
            free_part(&tile->front[thread]);
            free(tile->pushed[thread].cell);
        }
    }
    free(self->tiles);
    free(self);
}
