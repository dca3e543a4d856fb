// Bits as silicon has them, or as the reference simulator has them: one rule per difference.
//
// The rows are in config/bit_rules.def. A unit asks for a rule only where the two differ for the data at
// hand, so that the counts say which rules mattered in a run.
#pragma once

#include "platform/base/params.h"
#include "units/isa/machine.h"

enum ts_bit_rule {
#define TS_BIT_RULE(name, silicon, reference, evidence) TS_BITS_##name,
#include "config/bit_rules.def"
    TS_BIT_RULES
};

struct ts_bits {
    uint32_t silicon[TS_BIT_RULES]; // 0: as the reference
    uint64_t asked[TS_BIT_RULES];   // how often the two differed
    uint32_t machine;               // rules of the machine (units/isa/machine.h)
};

struct ts_bit_rule_info {
    const char *name, *silicon, *reference, *evidence;
};
extern const struct ts_bit_rule_info ts_bit_rule_info[TS_BIT_RULES];

// "ttsim-1.10.0", "silicon": the values of a rule, and of all.
extern const char *const ts_bits_names[];
enum { TS_BITS_REFERENCE, TS_BITS_SILICON };
int ts_bits_by_name(const char *name); // -1: neither

// All rules alike; the default is silicon.
struct ts_bits ts_bits_all(unsigned value);

// Call where the two behaviours differ: is it silicon's? NULL: silicon's, and nobody counts.
static inline bool ts_bits_ask(struct ts_bits *self, enum ts_bit_rule rule)
{
    if (!self)
        return true;
    self->asked[rule]++;
    return self->silicon[rule];
}
// The rule without counting, for what is decided before data are known.
static inline bool ts_bits_silicon(const struct ts_bits *self, enum ts_bit_rule rule)
{
    return !self || self->silicon[rule];
}

// A rule of the machine. NULL: Blackhole's.
static inline bool ts_bits_machine(const struct ts_bits *self, enum ts_machine_rule rule)
{
    return self && self->machine >> rule & 1;
}

// Registers the group "bits" with the parameters, and copies its loaded values.
void ts_bits_add(struct ts_params *params);
struct ts_bits ts_bits_get(const struct ts_params *params);
