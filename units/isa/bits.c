// The table of the bit rules.
#include "units/isa/bits.h"

const struct ts_bit_rule_info ts_bit_rule_info[TS_BIT_RULES] = {
#define TS_BIT_RULE(name, silicon, reference, evidence) {#name, silicon, reference, evidence},
#include "config/bit_rules.def"
};

const char *const ts_bits_names[] = {"ttsim-1.10.0", "silicon", NULL};

int ts_bits_by_name(const char *name)
{
    for (int i = 0; ts_bits_names[i]; i++)
        if (strcmp(ts_bits_names[i], name) == 0)
            return i;
    return -1;
}

struct ts_bits ts_bits_all(unsigned value)
{
    struct ts_bits bits = {0};
    for (unsigned i = 0; i < TS_BIT_RULES; i++)
        bits.silicon[i] = value;
    return bits;
}

void ts_bits_add(struct ts_params *params)
{
    static const struct ts_param rows[] = {
#define TS_BIT_RULE(name, silicon, reference, evidence) \
    {#name, "(0: ttsim-1.10.0, 1: silicon)", 0, 1, silicon "; ttsim-1.10.0: " reference},
#include "config/bit_rules.def"
    };
    static const char *const evidence[] = {
#define TS_BIT_RULE(name, silicon, reference, evidence) evidence,
#include "config/bit_rules.def"
    };
    ts_params_add_choices(params, "bits", rows, TS_BIT_RULES, ts_bits_names, evidence);
}

struct ts_bits ts_bits_get(const struct ts_params *params)
{
    struct ts_bits bits = {0};
    ts_params_fill32(params, "bits", bits.silicon, TS_BIT_RULES);
    return bits;
}
