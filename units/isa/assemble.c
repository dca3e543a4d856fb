// units/isa/assemble.c: Tensix words from text, the reverse of the disassembler (opcodes.h).
#include "platform/base/number.h"
#include "units/isa/machine.h"

#include <strings.h>

#define SEPARATORS " \t,()"

static bool refuse(char *why, size_t size, const char *what, const char *text)
{
    snprintf(why, size, what, text);
    return false;
}

// A name as tables, kernels and the vendor's disassembler write it: MVMUL, TTI_MVMUL, ttmvmul.
static const struct ts_op_info *find(const char *name)
{
    static const char *const prefixes[] = {"", "TTI_", "TT_OP_", "TT_", "tt"};
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t length = strlen(prefixes[p]);
        if (strncmp(name, prefixes[p], length) != 0)
            continue;
        for (unsigned i = 0; i < 256; i++)
            if (ts_op_info[i].name && strcasecmp(ts_op_info[i].name, name + length) == 0)
                return &ts_op_info[i];
    }
    return NULL;
}

static bool number(const char *text, uint32_t *value)
{
    char *end;
    unsigned long long wide = strtoull(text, &end, ts_number_base(text));
    *value = (uint32_t)wide;
    return end != text && *end == '\0' && text[0] != '-' && wide <= UINT32_MAX;
}

static bool add(const struct ts_op_field *field, uint32_t value, uint32_t *word)
{
    *word |= value << field->shift;
    return value >> field->width == 0;
}

bool ts_assemble(const char *text, uint32_t *word, char *why, size_t size)
{
    return ts_machine_assemble(&ts_machines[0], text, word, why, size);
}

bool ts_machine_assemble(const struct ts_machine *self, const char *text, uint32_t *word, char *why,
                         size_t size)
{
    char copy[256];
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return refuse(why, size, "%s is too long for an instruction", "this");
    char *rest = NULL, *token = strtok_r(copy, SEPARATORS, &rest);
    if (token == NULL)
        return refuse(why, size, "no Tensix instruction '%s'", "");
    if (number(token, word)) {
        if (strtok_r(NULL, SEPARATORS, &rest) == NULL)
            return true;
        return refuse(why, size, "%s: a word takes no operands", token);
    }
    const struct ts_op_info *op = find(token);
    if (op == NULL)
        return refuse(why, size, "no Tensix instruction '%s'", token);
    const struct ts_op_field *fields = ts_machine_fields(self, op->code);
    if (fields == NULL) {
        snprintf(why, size, "%s has no instruction %s", self->title, op->name);
        return false;
    }
    *word = (uint32_t)op->code << 24;
    const struct ts_op_field *next = fields; // of an operand without a name
    while ((token = strtok_r(NULL, SEPARATORS, &rest)) != NULL) {
        char *equals = strchr(token, '=');
        const struct ts_op_field *field = fields;
        uint32_t value;
        if (equals == NULL) {
            while (next->name && next->hidden)
                next++;
            field = next;
            next += next->name != NULL;
        } else {
            *equals = '\0';
            while (field->name && strcmp(field->name, token) != 0)
                field++;
        }
        if (!field->name || !number(equals ? equals + 1 : token, &value) ||
            !add(field, value, word)) {
            snprintf(why, size, "%s has no field '%s', or not of this value", op->name, token);
            return false;
        }
    }
    return true;
}
