// Compares the state of a tile with that of the cycle before, and gives each change to the
// instruction that made it.
#include "platform/base/json.h"
#include "platform/study/step/step.h"

// What an instruction can change: decides which one a change belongs to.
enum kind { RWC, ADC, SRC, DST, BANK, SEMAPHORE, CFG, GPR, LREG, MEMORY };

struct extent { // of L1, up to high; 0: none
    uint32_t low, high;
};

struct effect { // of one instruction
    uint64_t src[2][2];
    uint64_t dst[TS_DST_ROWS / 64], undefined[TS_DST_ROWS / 64];
    struct extent l1;
};

struct state {
    struct ts_rwc rwc[TS_THREADS];
    struct ts_adcs adcs;
    uint32_t src[2][2][TS_SRC_ROWS][TS_SRC_COLS];
    uint8_t owner[2][2], matrix[2], unpacker[2];
    uint16_t dst[TS_DST_ROWS][TS_DST_COLS];
    uint8_t valid[TS_DST_ROWS];
    uint8_t semaphore[TS_SEMAPHORES][2];
    uint32_t cfg[2][TS_CFG_ALL];
    uint16_t thd[TS_THREADS][TS_THD_ALL];
    uint32_t gpr[TS_THREADS][TS_GPRS];
    uint32_t lreg[8][TS_LANES];
    uint32_t flags, use;
};

struct ts_step_watch {
    struct ts_tile *tile;
    struct ts_step *step;
    unsigned seen; // instructions whose cycle is over
    struct state before, now;
    struct effect *effects;
    struct extent written; // in this cycle
};

static void take_state(const struct ts_step_watch *self, struct state *to)
{
    const struct ts_tile *tile = self->tile;
    const struct ts_tensix *tensix = &tile->tensix;
    memcpy(to->rwc, tensix->streamed.rwc, sizeof to->rwc);
    to->adcs = tensix->adcs;
    for (unsigned f = 0; f < 2; f++) {
        const struct ts_src_file *file = f ? &tile->files.streamed.srcs.b
                                           : &tile->files.streamed.srcs.a;
        to->matrix[f] = file->matrix;
        to->unpacker[f] = file->unpacker;
        for (unsigned b = 0; b < 2; b++) {
            memcpy(to->src[f][b], file->bank[b].w, sizeof to->src[f][b]);
            to->owner[f][b] = file->bank[b].owner;
        }
    }
    memcpy(to->dst, tile->files.streamed.dst.bits, sizeof to->dst);
    memcpy(to->valid, tile->files.streamed.dst.valid, sizeof to->valid);
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        to->semaphore[i][0] = tile->sync.semaphore[i].value;
        to->semaphore[i][1] = tile->sync.semaphore[i].max;
    }
    memcpy(to->cfg, tensix->cfg.bank, sizeof to->cfg);
    memcpy(to->thd, tensix->cfg.thd, sizeof to->thd);
    for (unsigned t = 0; t < TS_THREADS; t++)
        memcpy(to->gpr[t], ts_tensix_own_gprs(tensix, t), sizeof to->gpr[t]);
    memcpy(to->lreg, tile->vector.state.lreg, sizeof to->lreg);
    to->flags = tile->vector.state.flags;
    to->use = tile->vector.state.use;
}

// --- whose change it is ---

static bool can(enum kind kind, uint32_t word)
{
    static const uint16_t states[] = {[RWC] = TS_STATE_RWC,
                                      [ADC] = TS_STATE_ADC,
                                      [SRC] = TS_STATE_SRCA | TS_STATE_SRCB,
                                      [DST] = TS_STATE_DST,
                                      [BANK] = TS_STATE_BANKS,
                                      [SEMAPHORE] = TS_STATE_SEM,
                                      [CFG] = TS_STATE_CFG | TS_STATE_THD,
                                      [GPR] = TS_STATE_GPR,
                                      [LREG] = TS_STATE_LREG,
                                      [MEMORY] = TS_STATE_L1};
    return ts_op_effects[TS_OP_OF(word)].writes & states[kind];
}

#define ANY TS_THREADS

// The last instruction that can have changed it; -1: none.
static int author(const struct ts_step_watch *self, enum kind kind, unsigned thread)
{
    for (unsigned i = self->step->count; i-- > 0;) {
        const struct ts_step_row *row = &self->step->rows[i];
        if ((thread == ANY || row->thread == thread) && can(kind, row->word))
            return (int)i;
    }
    return -1;
}

__attribute__((format(printf, 4, 5))) static void say(struct ts_step_watch *self, enum kind kind,
                                                      unsigned thread, const char *format, ...)
{
    char text[160];
    int by = author(self, kind, thread);
    va_list arguments;
    if (by < 0)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct ts_step_row *row = &self->step->rows[by];
    if (row->changes == NULL)
        row->changes = json_array();
    json_array_append_new(row->changes, json_string(text));
}

// --- counters ---

static void look_rwc(struct ts_step_watch *self)
{
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const struct ts_rwc *a = &self->before.rwc[t], *b = &self->now.rwc[t];
#define COUNTER(name, of) \
    if (a->of != b->of)   \
        say(self, RWC, t, "RWC " name " %u -> %u", a->of, b->of);
        COUNTER("SrcA", srca)
        COUNTER("SrcA_Cr", srca_cr)
        COUNTER("SrcB", srcb)
        COUNTER("SrcB_Cr", srcb_cr)
        COUNTER("Dst", dst)
        COUNTER("Dst_Cr", dst_cr)
        COUNTER("phase", fidelity)
    }
}

static void look_adc(struct ts_step_watch *self)
{
    static const char *const groups[] = {"UNPACK0", "UNPACK1", "PACK"};
    for (unsigned t = 0; t < TS_THREADS; t++)
        for (unsigned g = 0; g < TS_ADC_GROUPS; g++)
            for (unsigned c = 0; c < 2; c++)
                for (unsigned d = 0; d < TS_ADC_DIMS; d++) {
                    const struct ts_adc_channel *a = &self->before.adcs.set[t][g].channel[c],
                                                *b = &self->now.adcs.set[t][g].channel[c];
                    if (a->v[d] != b->v[d])
                        say(self, ADC, ANY, "ADC T%u %s channel %u %c %u -> %u", t, groups[g], c,
                            "XYZW"[d], a -> v[d], b -> v[d]);
                    if (a->cr[d] != b->cr[d])
                        say(self, ADC, ANY, "ADC T%u %s channel %u %c_Cr %u -> %u", t, groups[g], c,
                            "XYZW"[d], a -> cr[d], b -> cr[d]);
                }
}

// --- registers of data ---

// JSON has no NaN and no infinity: their names, as they are printed.
static json_t *value_of(double value)
{
    return isfinite(value) ? json_real(value)
                           : json_string(isnan(value) ? "nan"
                                         : value < 0  ? "-inf"
                                                      : "inf");
}

static void add_values(struct ts_step_row *row, const char *what, unsigned number,
                       const double *values)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < 16; i++)
        json_array_append_new(list, value_of(values[i]));
    if (row->values == NULL)
        row->values = json_array();
    ts_json_add(row->values, "{s:s, s:i, s:o}", "what", what, "row", (int)number, "values", list);
}

static void look_src(struct ts_step_watch *self)
{
    static const char *const names[2][2] = {{"SrcA[0]", "SrcA[1]"}, {"SrcB[0]", "SrcB[1]"}};
    int by = author(self, SRC, ANY);
    for (unsigned f = 0; f < 2; f++)
        for (unsigned b = 0; b < 2; b++)
            for (unsigned r = 0; by >= 0 && r < TS_SRC_ROWS; r++) {
                const uint32_t *row = self->now.src[f][b][r];
                if (memcmp(self->before.src[f][b][r], row, sizeof self->now.src[f][b][r]) == 0)
                    continue;
                self->effects[by].src[f][b] |= UINT64_C(1) << r;
                if (!self->step->with_values)
                    continue;
                const struct ts_src_file *file = f ? &self->tile->files.streamed.srcs.b
                                                   : &self->tile->files.streamed.srcs.a;
                double values[16];
                for (unsigned c = 0; c < 16; c++)
                    values[c] = ts_setup_src_value(row[c], file->bank[b].format);
                add_values(&self->step->rows[by], names[f][b], r, values);
            }
}

// Rows in the view that the thread has: a 32-bit row is two of the file.
static void look_dst(struct ts_step_watch *self)
{
    int by = author(self, DST, ANY);
    if (by < 0)
        return;
    struct ts_step_row *author_row = &self->step->rows[by];
    const struct ts_dst *dst = &self->tile->files.streamed.dst;
    bool wide = ts_setup_dst_wide(self->tile, author_row->thread);
    for (unsigned row = 0; row < (wide ? TS_DST_ROWS / 2 : TS_DST_ROWS); row++) {
        uint32_t at = wide ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row);
        bool lost = self->before.valid[at] && !self->now.valid[at];
        bool same = memcmp(self->before.dst[at], self->now.dst[at], sizeof self->now.dst[at]) ==
                        0 &&
                    (!wide ||
                     memcmp(self->before.dst[at + TS_DST_LO_ROW], self->now.dst[at + TS_DST_LO_ROW],
                            sizeof self->now.dst[at]) == 0);
        if (lost)
            self->effects[by].undefined[row / 64] |= UINT64_C(1) << row % 64;
        else if (!same || (!self->before.valid[at] && self->now.valid[at]))
            self->effects[by].dst[row / 64] |= UINT64_C(1) << row % 64;
        if (lost || same || !self->step->with_values)
            continue;
        double values[16];
        for (unsigned c = 0; c < 16; c++)
            values[c] = ts_setup_dst_value(self->tile, author_row->thread, row, c);
        add_values(author_row, "Dst", row, values);
    }
}

static void look_banks(struct ts_step_watch *self)
{
    static const char *const owners[] = {"unpacker", "matrix unit"};
    for (unsigned f = 0; f < 2; f++) {
        for (unsigned b = 0; b < 2; b++)
            if (self->before.owner[f][b] != self->now.owner[f][b])
                say(self, BANK, ANY, "Src%c bank %u: to the %s", "AB"[f], b,
                    owners[self->now.owner[f][b]]);
        if (self->before.matrix[f] != self->now.matrix[f])
            say(self, BANK, ANY, "matrix unit uses bank %u of Src%c", self->now.matrix[f], "AB"[f]);
        if (self->before.unpacker[f] != self->now.unpacker[f])
            say(self, BANK, ANY, "unpacker fills bank %u of Src%c", self->now.unpacker[f], "AB"[f]);
    }
}

static void look_vector(struct ts_step_watch *self)
{
    for (unsigned i = 0; i < 8; i++) {
        int by = author(self, LREG, ANY);
        if (by < 0 ||
            memcmp(self->before.lreg[i], self->now.lreg[i], sizeof self->now.lreg[i]) == 0)
            continue;
        say(self, LREG, ANY, "LReg %u", i);
        char name[16];
        double values[16];
        for (unsigned half = 0; self->step->with_values && half < 2; half++) {
            for (unsigned c = 0; c < 16; c++)
                values[c] = ts_setup_src_value(self->now.lreg[i][16 * half + c], TS_FMT_FP32);
            snprintf(name, sizeof name, "LReg %u", i);
            add_values(&self->step->rows[by], name, 16 * half, values);
        }
    }
    if (self->before.flags != self->now.flags || self->before.use != self->now.use)
        say(self, LREG, ANY, "lane flags 0x%08x, in use 0x%08x", self->now.flags, self->now.use);
}

// --- registers of control ---

static void look_fields(struct ts_step_watch *self, unsigned thread, unsigned addr, uint32_t was,
                        uint32_t is, bool of_thread)
{
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *f = &ts_cfg_fields[i];
        uint32_t mask = TS_FIELD_MASK(f->bits) << f->shift;
        if (f->addr != addr || (bool)f->thread != of_thread || !((was ^ is) & mask))
            continue;
        say(self, CFG, of_thread ? thread : ANY, "%s %u -> %u", f->name, (was & mask) >> f->shift,
            (is & mask) >> f->shift);
    }
}

static void look_control(struct ts_step_watch *self)
{
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        const uint8_t *a = self->before.semaphore[i], *b = self->now.semaphore[i];
        if (a[0] != b[0] || a[1] != b[1])
            say(self, SEMAPHORE, ANY, "semaphore %u: %u -> %u (max %u)", i, a[0], b[0], b[1]);
    }
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned w = 0; w < TS_CFG_ALL; w++)
            if (self->before.cfg[bank][w] != self->now.cfg[bank][w] &&
                (bank == 0 || w < TS_CFG_GLOBAL_BASE))
                look_fields(self, 0, w, self->before.cfg[bank][w], self->now.cfg[bank][w], false);
    for (unsigned t = 0; t < TS_THREADS; t++) {
        for (unsigned w = 0; w < TS_THD_ALL; w++)
            if (self->before.thd[t][w] != self->now.thd[t][w])
                look_fields(self, t, w, self->before.thd[t][w], self->now.thd[t][w], true);
        for (unsigned g = 0; g < TS_GPRS; g++)
            if (self->before.gpr[t][g] != self->now.gpr[t][g])
                say(self, GPR, ANY, "GPR %u 0x%x -> 0x%x", g, self->before.gpr[t][g],
                    self->now.gpr[t][g]);
    }
}

// Bytes are written before the instruction counts as passed: kept until the end of the cycle.
static void l1_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct extent *written = &((struct ts_step_watch *)context)->written;
    (void)at;
    if (written->high == 0 || address < written->low)
        written->low = address;
    if (address + length > written->high)
        written->high = address + length;
}

static void look_l1(struct ts_step_watch *self)
{
    const struct extent *written = &self->written;
    int by = written->high ? author(self, MEMORY, ANY) : -1;
    if (by >= 0) {
        struct extent *l1 = &self->effects[by].l1;
        if (l1->high == 0 || written->low < l1->low)
            l1->low = written->low;
        if (written->high > l1->high)
            l1->high = written->high;
    }
    self->written = (struct extent){0};
}

// --- the rows that the counters name ---

static void range(char *text, size_t size, const char *name, unsigned first, unsigned count)
{
    ts_append(text, size, count == 1 ? "%s[%u]" : "%s[%u..%u]", name, first, first + count - 1);
}

static void note_rows(const struct ts_step_watch *self, struct ts_step_row *row)
{
    const struct ts_rwc *rwc = &self->before.rwc[row->thread];
    const uint32_t *cfg = ts_cfg_of(&self->tile->tensix.cfg, row->thread);
    unsigned offset = TS_THD(self->before.thd[row->thread], DEST_TARGET_REG_CFG_MATH_Offset) +
                      TS_CFG(cfg, DEST_REGW_BASE_Base);
    unsigned dst = (row->word & 0x3ff) + offset + rwc->dst, size = sizeof row->rows;
    uint8_t op = TS_OP_OF(row->word);
    bool elw = op == TS_OP_ELWADD || op == TS_OP_ELWSUB || op == TS_OP_ELWMUL;
    bool pool = op == TS_OP_GMPOOL;
    if (op == TS_OP_SFPLOAD || op == TS_OP_SFPSTORE) {
        range(row->rows, size, op == TS_OP_SFPLOAD ? "Dst" : "-> Dst", dst & 0x3fc, 4);
        return;
    }
    if (op != TS_OP_MVMUL && !elw && !pool)
        return;
    bool repeat = pool || (elw && ts_decode_ELWADD(row->word).instr_mod19 & 2); // SRCB_BCAST_ROW
    range(row->rows, size, "SrcB", rwc->srcb & (repeat && elw ? 0x3f : 0x38), repeat ? 1 : 8);
    range(row->rows, size, ", SrcA", rwc->srca & (pool ? 0x30 : 0x38), elw ? 8 : 16);
    range(row->rows, size, " -> Dst", dst & (pool ? 0x3fc : 0x3f8), pool ? 4 : 8);
}

// --- all together ---

// "0-7 16-23"
static void add_rows(struct ts_step_row *row, const char *name, const uint64_t *mask,
                     unsigned count)
{
    char text[200];
    bool any = false;
    snprintf(text, sizeof text, "%s", name);
    for (unsigned i = 0; i < count; i++) {
        if (!(mask[i / 64] >> i % 64 & 1))
            continue;
        unsigned first = i;
        while (i + 1 < count && mask[(i + 1) / 64] >> (i + 1) % 64 & 1)
            i++;
        ts_append(text, sizeof text, first == i ? " %u" : " %u-%u", first, i);
        any = true;
    }
    if (!any)
        return;
    if (row->changes == NULL)
        row->changes = json_array();
    json_array_insert_new(row->changes, 0, json_string(text));
}

static void finish(struct ts_step_watch *self)
{
    static const char *const names[2][2] = {{"SrcA bank 0 rows", "SrcA bank 1 rows"},
                                            {"SrcB bank 0 rows", "SrcB bank 1 rows"}};
    for (unsigned i = 0; i < self->step->count; i++) {
        struct ts_step_row *row = &self->step->rows[i];
        struct effect *effect = &self->effects[i];
        for (unsigned f = 2; f-- > 0;)
            for (unsigned b = 2; b-- > 0;)
                add_rows(row, names[f][b], &effect->src[f][b], TS_SRC_ROWS);
        add_rows(row, "Dst undefined, rows", effect->undefined, TS_DST_ROWS);
        add_rows(row, "Dst rows", effect->dst, TS_DST_ROWS);
        if (effect->l1.high == 0)
            continue;
        if (row->changes == NULL)
            row->changes = json_array();
        json_array_append_new(row->changes,
                              json_sprintf("L1 0x%x to 0x%x", effect->l1.low, effect->l1.high - 1));
    }
}

struct ts_step_watch *ts_step_watch_new(struct ts_tile *tile, struct ts_step *step)
{
    struct ts_step_watch *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->tile = tile;
    self->step = step;
    self->effects = calloc(TS_STEP_ROWS, sizeof *self->effects);
    bool good = self->effects &&
                ts_l1_watch_add(&tile->l1,
                                &(struct ts_l1_watch){.more = TS_L1_SIZE / TS_L1_GRANULE - 1,
                                                      .port = UINT32_MAX,
                                                      .written = l1_written,
                                                      .context = self});
    if (!good) {
        free(self->effects);
        free(self);
        return NULL;
    }
    take_state(self, &self->before);
    return self;
}

void ts_step_watch_look(struct ts_step_watch *self)
{
    take_state(self, &self->now);
    for (; self->seen < self->step->count; self->seen++) {
        struct ts_step_row *row = &self->step->rows[self->seen];
        note_rows(self, row);
        row->counts = can(RWC, row->word);
        row->rwc = self->now.rwc[row->thread];
    }
    look_l1(self);
    if (memcmp(&self->before, &self->now, sizeof self->now) != 0) {
        look_src(self);
        look_dst(self);
        look_rwc(self);
        look_adc(self);
        look_banks(self);
        look_vector(self);
        look_control(self);
        self->before = self->now;
    }
}

void ts_step_watch_free(struct ts_step_watch *self)
{
    if (self == NULL)
        return;
    finish(self);
    free(self->effects);
    free(self);
}
