// units/isa/opcodes.c: tables and disassembler of the Tensix instruction set.
#include "units/isa/machine.h"

#define USED(shift, width) (((UINT32_C(1) << (width)) - 1) << (shift))

#define F(name, shift, width, used) | USED(shift, used)
#define FX(name, shift, width)      | USED(shift, width)
#define TS_OP(code, name, unit, block, sync, doc, status, ...) \
    [code] = {TS_UNIT_##unit, TS_SYNC_##sync, TS_##block, 0xffffffu & ~(0u __VA_ARGS__)},
const struct ts_op_hot ts_op_hot[256] = {
#include "config/tensix.def"
};
#undef TS_OP
#undef F
#undef FX

#define F(name, shift, width, used) {#name, shift, width, used, false},
#define FX(name, shift, width)      {#name, shift, width, width, true},
#define TS_OP(code, name, unit, block, sync, doc, status, ...) \
    static const struct ts_op_field fields_##name[] = {__VA_ARGS__{NULL, 0, 0, 0, false}};
#include "config/tensix.def"
#undef TS_OP
#undef F
#undef FX

#define F(...)
#define FX(...)
#define TS_OP(code, name, unit, block, sync, doc, status, ...) \
    [code] = {#name, fields_##name, TS_UNIT_##unit, TS_DOC_##doc, TS_STATUS_##status, code},
const struct ts_op_info ts_op_info[256] = {
#include "config/tensix.def"
};
#undef TS_OP
#undef F
#undef FX

const char *ts_unit_name(enum ts_unit_id unit)
{
    static const char *const names[] = {
#define X(name) [TS_UNIT_##name] = #name,
        TS_UNITS(X)
#undef X
    };
    return (unsigned)unit < TS_UNIT_COUNT ? names[unit] : "?";
}

// snprintf that appends, never writes past the end, and counts what would have been written.
__attribute__((format(printf, 4, 5))) static int append(char *text, size_t size, int at,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t used = (size_t)at < size ? (size_t)at : size;
    int n = vsnprintf(size ? text + used : NULL, size - used, format, args);
    va_end(args);
    return at + n;
}

int ts_machine_disasm(const struct ts_machine *self, uint32_t word, char *text, size_t size)
{
    const struct ts_op_info *op = &ts_op_info[TS_OP_OF(word)];
    const struct ts_op_field *fields = ts_machine_fields(self, TS_OP_OF(word));
    if (!fields)
        return snprintf(text, size, ".ttinsn 0x%08x", word);
    int at = append(text, size, 0, "tt");
    for (const char *c = op->name; *c; c++)
        at = append(text, size, at, "%c", tolower((unsigned char)*c));
    const char *sep = " ";
    for (const struct ts_op_field *f = fields; f->name; f++) {
        if (f->hidden)
            continue;
        at = append(text, size, at, "%s%u", sep, TS_BITS(word, f->shift, f->width));
        sep = ",";
    }
    return at;
}

int ts_machine_disasm_fields(const struct ts_machine *self, uint32_t word, char *text, size_t size)
{
    const struct ts_op_info *op = &ts_op_info[TS_OP_OF(word)];
    const struct ts_op_field *fields = ts_machine_fields(self, TS_OP_OF(word));
    if (!fields)
        return snprintf(text, size, "word 0x%08x", word);
    int at = append(text, size, 0, "%s", op->name);
    for (const struct ts_op_field *f = fields; f->name; f++) {
        uint32_t value = TS_BITS(word, f->shift, f->used);
        if (value)
            at = append(text, size, at, " %s=%u", f->name, value);
    }
    const uint32_t reserved = word & ts_machine_reserved(self, op->code);
    return reserved ? append(text, size, at, " reserved=0x%x", reserved) : at;
}

int ts_disasm(uint32_t word, char *text, size_t size)
{
    return ts_machine_disasm(&ts_machines[0], word, text, size);
}

int ts_disasm_fields(uint32_t word, char *text, size_t size)
{
    return ts_machine_disasm_fields(&ts_machines[0], word, text, size);
}
