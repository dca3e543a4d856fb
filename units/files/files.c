// units/files/files.c: see files.h.
#include "units/files/files.h"

#include "units/refusal.h"

// A bank's holder is the unit that owns it.
static struct ts_component *bank_holder(const struct ts_object *object)
{
    const struct ts_bank *bank = (const struct ts_bank *)object;
    const struct ts_src_file *file = ts_files_src(bank->files, bank->srcb);
    bool matrix = file->bank[bank->index].owner == TS_SRC_MATRIX;
    unsigned id = matrix ? TS_UNIT_MATRIX : TS_UNIT_UNPACK0 + bank->srcb;
    struct ts_unit *unit = bank->files->tensix->unit[id];
    return unit ? &unit->component : NULL;
}

void ts_files_init(struct ts_files *self, struct ts_tensix *tensix, struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    self->tensix = tensix;
    self->dst_access = TS_NEVER;
    ts_srcs_reset(&self->streamed.srcs);
    ts_dst_reset(&self->streamed.dst);
    for (unsigned b = 0; b < 2; b++)
        for (unsigned i = 0; i < 2; i++) {
            struct ts_bank *bank = &self->bank[b][i];
            bank->files = self;
            bank->srcb = (uint8_t)b;
            bank->index = (uint8_t)i;
            ts_resource_init(&bank->object, domain, bank_holder, "src%c[%u]", "ab"[b], i);
        }
    ts_resource_init(&self->dst_object, domain, NULL, "dst");
}

void ts_files_handed_over(struct ts_files *self, unsigned srcb, unsigned index, ts_cycle at)
{
    struct ts_bank *bank = &self->bank[srcb][index];
    bank->valid = at;
    if (__builtin_expect(self->tensix->check != NULL, 0))
        ts_registers_handed(self->tensix->check, srcb, index);
    ts_trace_level(&bank->object, at, NULL, 1);
    if (bank->object.waiters)
        ts_wake_all(&bank->object, at);
}

static void given_back(struct ts_files *self, unsigned srcb, unsigned index, ts_cycle now)
{
    struct ts_bank *bank = &self->bank[srcb][index];
    bank->freed = now + 1;
    ts_trace_level(&bank->object, now + 1, NULL, 0);
    if (bank->object.waiters)
        ts_wake_all(&bank->object, now + 1);
}

void ts_files_changed(struct ts_files *self, unsigned before, ts_cycle now)
{
    unsigned after = ts_files_owners(self);
    for (unsigned diff = before ^ after; diff; diff &= diff - 1) {
        unsigned i = (unsigned)__builtin_ctz(diff);
        if (after >> i & 1)
            ts_files_handed_over(self, i >> 1, i & 1, now + 1);
        else
            given_back(self, i >> 1, i & 1, now);
    }
}

bool ts_files_condition(const struct ts_files *self, unsigned condition, ts_cycle now,
                        struct ts_hold *hold)
{
    // C5, C6: the unpacker's bank of SrcA, SrcB is not the unpacker's. C7, C8: the matrix unit's.
    unsigned srcb = condition == 6 || condition == 8;
    const struct ts_src_file *file = ts_files_src(self, srcb);
    return condition <= 6 ? ts_files_unpacker_has(self, srcb, file->unpacker, now, hold)
                          : ts_files_matrix_has(self, srcb, now, hold);
}

bool ts_unit_refused(struct ts_unit *unit, struct ts_word in, ts_cycle now,
                     const struct ts_refusal *refusal)
{
    char text[200];
    snprintf(text, sizeof text, "%s%s (%u)",
             refusal->kind == TS_NOT_IMPLEMENTED ? "not implemented: " : "", refusal->what,
             refusal->value);
    return refusal->kind == TS_NOT_IMPLEMENTED ? ts_unit_refuse(unit, in, now, text)
                                               : ts_unit_breach(unit, in, now, text);
}
