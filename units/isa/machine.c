// units/isa/machine.c: the tables of the machines, and how a word is rewritten; see machine.h.
#include "units/isa/machine.h"

#include <strings.h>

struct ts_machine_move {
    uint8_t shift, width, to; // width 0 ends the list
};

// How a word of another machine becomes one of the units. No moves: it is as it is.
struct ts_machine_form {
    const struct ts_machine_move *moves;
    const struct ts_op_field *fields;
    uint32_t reserved;
    uint32_t (*rewrite)(uint32_t word, uint32_t to); // what the moves leave; NULL: nothing
    uint16_t modes;                                  // of instr_mod1 that exist; 0: all
    bool absent;
};

// ---- Wormhole's words

static const uint8_t wormhole_thd[] = {
#define TS_THD_AT(addr, name) [addr] = TS_THD_ADDR_##name,
#include "config/wormhole/cfgregs.def"
};

#define SAME NULL

static uint32_t no_word(uint32_t word, bool refused)
{
    return (uint32_t)TS_OP_NO_WORD << 24 | word >> 24 << 16 | refused;
}

static uint32_t REFUSED(uint32_t word, uint32_t to)
{
    (void)to;
    return no_word(word, true);
}

// Counts of template 1 are those of the expander's registers alone.
static uint32_t WORMHOLE_MOP(uint32_t word, uint32_t to)
{
    return word >> 23 & 1 ? to & ~0x7fffffu : to;
}

static uint32_t WORMHOLE_ZEROACC(uint32_t word, uint32_t to)
{
    return to | TS_BITS(word, 19, 2) << 19 | TS_BITS(word, 21, 1) << 18;
}

// Row-start search for rare zeros: nobody has specified it.
static uint32_t WORMHOLE_UNPACR(uint32_t word, uint32_t to)
{
    return word >> 5 & 1 ? no_word(word, true) : to;
}

// Five instructions in one (UNPACR_NOP_*.md); the write of a register (4) is not implemented.
static uint32_t WORMHOLE_UNPACR_NOP(uint32_t word, uint32_t to)
{
    enum { CLEAR = 1, NOTHING = 2, POP_STREAM = 3 };
    switch (word & 7) {
    case 0: // a message of the stream that the configuration names
        return to;
    case 3:
        return to | POP_STREAM | (uint32_t)(TS_BITS(word, 4, 11) != 0) << 12 |
               TS_BITS(word, 16, 6) << 16;
    case 1: // zeros
    case 5: // minus infinity
        return to | CLEAR | TS_BITS(word, 2, 1) << 2 | TS_BITS(word, 3, 1) << 4 |
               TS_BITS(word, 4, 1) << 5;
    case 2:
        return to | NOTHING;
    case 7: // the bank goes to the matrix unit
        return to | NOTHING | 1 << 8;
    default:
        return no_word(word, true);
    }
}

// Words of ThreadConfig have the same fields, elsewhere.
static uint32_t WORMHOLE_SETC16(uint32_t word, uint32_t to)
{
    const unsigned addr = TS_BITS(word, 16, 8);
    return addr < sizeof wormhole_thd ? to | (uint32_t)wormhole_thd[addr] << 16 : to | 0xff0000u;
}

static uint32_t WORMHOLE_WAITS(uint32_t word, uint32_t to)
{
    static const uint16_t waits[] = {
#define TS_WAIT(here) here,
#include "config/wormhole/waits.def"
    };
    for (uint32_t mask = word & 0x7fff; mask; mask &= mask - 1)
        to |= waits[__builtin_ctz(mask)];
    return to;
}

#define M(name, shift, width, used, to) {#name, shift, width, used, false},
#define X(name, shift, width, used)     {#name, shift, width, used, false},
#define TS_FORM(name, rewrite, ...) \
    static const struct ts_op_field wormhole_fields_##name[] = {__VA_ARGS__{NULL, 0, 0, 0, false}};
#define TS_ABSENT(name)
#define TS_MODES(name, mask)
#include "config/wormhole/tensix.def"
#undef M
#undef X

#define M(name, shift, width, used, to) {shift, used, to},
#define X(name, shift, width, used)
#define TS_FORM(name, rewrite, ...) \
    static const struct ts_machine_move wormhole_moves_##name[] = {__VA_ARGS__{0, 0, 0}};
#define TS_ABSENT(name)
#define TS_MODES(name, mask)
#include "config/wormhole/tensix.def"
#undef M
#undef X

#define USED(shift, width)              | ((UINT32_C(1) << (width)) - 1) << (shift)
#define M(name, shift, width, used, to) USED(shift, used)
#define X(name, shift, width, used)     USED(shift, used)
#define TS_FORM(name, rewrite, ...)                  \
    [TS_OP_##name] = {wormhole_moves_##name,         \
                      wormhole_fields_##name,        \
                      0xffffffu & ~(0u __VA_ARGS__), \
                      rewrite,                       \
                      0,                             \
                      false},
#define TS_ABSENT(name)      [TS_OP_##name] = {.absent = true},
#define TS_MODES(name, mask) [TS_OP_##name] = {.modes = mask},
static const struct ts_machine_form wormhole_forms[256] = {
#include "config/wormhole/tensix.def"
};
#undef M
#undef X

uint32_t ts_machine_rewrite(const struct ts_machine *self, uint32_t word)
{
    const struct ts_machine_form *form = &self->forms[TS_OP_OF(word)];
    if (form->absent)
        return no_word(word, false);
    if (form->modes && !(form->modes >> (word & 15) & 1))
        return no_word(word, true);
    if (form->moves == NULL)
        return word;
    uint32_t to = word & 0xff000000u;
    for (const struct ts_machine_move *move = form->moves; move->shift | move->width; move++)
        to |= TS_BITS(word, move->shift, move->width) << move->to;
    if (form->rewrite)
        to = form->rewrite(word, to);
    // A bit that means nothing there means nothing here, too.
    if (word & form->reserved && TS_OP_OF(to) != TS_OP_NO_WORD) {
        const uint32_t spare = ts_op_hot[TS_OP_OF(word)].reserved;
        to |= spare & (0u - spare);
    }
    return to;
}

// ---- registers

static const struct ts_machine_field wormhole_cfg[] = {
#define TS_CFG_AT(name, addr, shift, bits) \
    {addr, TS_CFG_ADDR_##name, shift, TS_CFG_SHIFT_##name, bits},
#define TS_CFG_WORD(addr, to) {addr, to, 0, 0, 32},
#include "config/wormhole/cfgregs.def"
};
static const struct ts_machine_reset wormhole_resets[] = {
#define TS_CFG_IS(name, value) {TS_CFG_ADDR_##name, value, TS_CFG_SHIFT_##name, 0},
#define TS_THD_IS(name, value) {TS_THD_ADDR_##name, value, TS_THD_SHIFT_##name, 1},
#include "config/wormhole/reset.def"
};

static const struct ts_machine_niu wormhole_niu[] = {
#define TS_NIU_AT(at, words, home) {at, words, home},
#include "config/wormhole/niu.def"
    {0, 0, 0},
};

uint32_t ts_machine_niu_home(const struct ts_machine *self, uint32_t offset)
{
    const uint32_t initiator = offset / 0x400, within = offset % 0x400;
    for (const struct ts_machine_niu *row = self->niu; row->words; row++)
        if (within >= row->at && within < row->at + 4u * row->words)
            return initiator * 0x800 + row->home + within - row->at;
    return UINT32_MAX - 3;
}

unsigned ts_machine_config(const struct ts_machine *self, unsigned addr,
                           const struct ts_machine_field **fields)
{
    unsigned low = 0, high = self->cfg_count, count = 0;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (self->cfg[middle].from < addr)
            low = middle + 1;
        else
            high = middle;
    }
    *fields = self->cfg + low;
    while (low + count < self->cfg_count && self->cfg[low + count].from == addr)
        count++;
    return count;
}

unsigned ts_machine_home(const struct ts_machine *self, unsigned addr)
{
    const struct ts_machine_field *fields;
    if (self->cfg == NULL)
        return addr;
    return ts_machine_config(self, addr, &fields) ? fields->to : TS_CFG_ALL - 1;
}

const struct ts_machine_rule_info ts_machine_rule_info[TS_MACHINE_RULES] = {
#define TS_MACHINE_RULE(name, wormhole, text, source) {#name, text, source},
#include "config/machine_rules.def"
};

// ---- the machines

#define COUNT(table) sizeof(table) / sizeof *(table)
const struct ts_machine ts_machines[TS_MACHINES] = {
    {.name = "blackhole",
     .title = "Blackhole",
     .numbers = "blackhole.yaml",
     .images = "",
     .headers = "generated",
     .march = "rv32im_zba_zbb_zicsr",
     .cpu = "tt-bh",
     .arch = "ARCH_BLACKHOLE",
     .dispatch_columns = 1,
     .cfg_words = TS_CFG_WORDS,
     .cfg_global = TS_CFG_GLOBAL_BASE,
     .cfg_thcon = TS_CFG_THCON_BASE,
     .thd_words = TS_THD_WORDS,
     .extensions = UINT32_MAX,
     .l1_bytes = 1536 << 10,
     .local_bytes = {8192, 4096, 4096, 4096, 8192},
     .cache_bytes = {4096, 4096, 4096, 4096, 4096},
     .buffers = 64,
     .noc_packet = TS_NOC_PACKET_MAX,
     .noc_word = TS_NOC_WORD,
     .noc_entry_bits = 5,
     .overlay = {0x010, 0x020, 0x028, 0x4a4, 0x438},
     .eth_l1_bytes = 512 << 10,
     .eth_start = {0xffb14000, 0xffb14008},
     .eth_cache = 4096,
     .eth_receive = 0x4000,
     .eth_queues = 3,
     .eth_numbered = 2,
     .eth_word = 96},
    {.name = "wormhole",
     .title = "Wormhole",
     .numbers = "wormhole.yaml",
     .images = "wormhole.",
     .headers = "generated/wormhole",
     .march = "rv32im",
     .cpu = "tt-wh",
     .arch = "ARCH_WORMHOLE",
     .dispatch_rows = 1,
     .forms = wormhole_forms,
     .cfg = wormhole_cfg,
     .thd = wormhole_thd,
     .resets = wormhole_resets,
     .cfg_count = COUNT(wormhole_cfg),
     .reset_count = COUNT(wormhole_resets),
     .cfg_words = 188, // CFG_STATE_SIZE * 4
     .cfg_global = 152,
     .cfg_thcon = 52,
     .thd_words = COUNT(wormhole_thd),
     .extensions = 1u << TS_RV_HAS_I | 1u << TS_RV_HAS_M,
     .l1_bytes = 1464 << 10,
     .local_bytes = {4096, 2048, 2048, 2048, 4096},
     .cache_bytes = {2048, 2048, 512, 2048, 512},
     .iram_bytes = 16384,
     .buffers = 32,
     .niu = wormhole_niu,
     .noc_packet = 8192,
     .noc_word = 32,
     .noc_entry_bits = 4,
     .overlay = {0x000, 0x00c, 0x010, 0x100, 0x088},
     .eth_l1_bytes = 256 << 10,
     .eth_start = {0xffb9409c},
     .eth_cache = 512,
     .eth_receive = 0x2000,
     .eth_queues = 2,
     .eth_numbered = 1,
     .eth_word = 16,
     .rules = 0
#define TS_MACHINE_RULE(name, wormhole, ...) | (uint32_t)(wormhole) << TS_RULE_##name
#include "config/machine_rules.def"
    },
};

uint32_t ts_machine_waits(const struct ts_machine *self, uint32_t conditions)
{
    uint32_t waits = 0;
    for (unsigned i = 0; i < 15; i++)
        if (ts_machine_word(self, (uint32_t)TS_OP_STALLWAIT << 24 | 1u << i) & conditions & 0x7fff)
            waits |= 1u << i;
    return waits;
}

const struct ts_machine *ts_machine_by_name(const char *name)
{
    for (unsigned i = 0; i < TS_MACHINES; i++)
        if (strncasecmp(name, ts_machines[i].name, strlen(ts_machines[i].name)) == 0)
            return &ts_machines[i];
    return NULL;
}

// ---- fields

const struct ts_op_field *ts_machine_fields(const struct ts_machine *self, uint8_t op)
{
    if (self->forms && self->forms[op].absent)
        return NULL;
    return self->forms && self->forms[op].fields ? self->forms[op].fields : ts_op_info[op].fields;
}

uint32_t ts_machine_reserved(const struct ts_machine *self, uint8_t op)
{
    return self->forms && self->forms[op].fields ? self->forms[op].reserved
                                                 : ts_op_hot[op].reserved;
}
