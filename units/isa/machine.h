// units/isa/machine.h: what makes a tile Wormhole's or Blackhole's: tables, and rules with a name.
//
//   a program's word --ts_machine_word--> the word as config/tensix.def has it --> front ends, units, everything above
//   a register of its map --ts_machine_config--> words of config/cfgregs.def ----> the same
//
// Units know one form of instructions and of configuration: Blackhole's. Another machine's words are rewritten where
// they enter the front end, its registers where they are written; so a unit's code and its speed are the same for all, and
// rooms above the tile see one form. What is left, behaviour, is a rule (config/machine_rules.def): units ask for it by name
// where machines differ.
//
// A machine is: config/NAME/tensix.def, waits.def, cfgregs.def, own.def, reset.def and niu.def, a column of machine_rules.def,
// and config/NAME.yaml.
#pragma once

#include "units/isa/cfgregs.h"
#include "units/isa/opcodes.h"

enum ts_machine_rule {
#define TS_MACHINE_RULE(name, ...) TS_RULE_##name,
#include "config/machine_rules.def"
    TS_MACHINE_RULES
};

// What the cores' instruction set consists of (config/riscv.def).
enum ts_rv_extension {
#define TS_RV_EXTENSION(id, name, last) TS_RV_HAS_##id,
#include "config/riscv.def"
};

// A field of the configuration that lies elsewhere than in config/cfgregs.def.
struct ts_machine_field {
    uint16_t from, to; // words
    uint8_t from_shift, to_shift, bits;
};

// A field that has one value on the machine, whatever is written.
struct ts_machine_reset {
    uint16_t addr, value;
    uint8_t shift, thread;
};

// Registers of a network interface that lie elsewhere than the units have them.
struct ts_machine_niu {
    uint16_t at, words, home;
};

struct ts_machine_form;

// Registers of a stream of the NoC overlay, as software uses them that does not stream.
enum ts_overlay_register {
    TS_OVERLAY_SCRATCH,
    TS_OVERLAY_START,
    TS_OVERLAY_SIZE,
    TS_OVERLAY_SPACE,
    TS_OVERLAY_UPDATE,
    TS_OVERLAY_REGISTERS
};

struct ts_machine {
    const char *name;    // "wormhole", as in chip files
    const char *title;   // "Wormhole"
    const char *numbers; // its file in config
    const char *images;  // before the names of guest programs for it
    // What its programs are compiled with: folder of the SDK's headers, instruction set, the vendor's name of its cores.
    const char *headers, *march, *cpu, *arch;
    uint8_t dispatch_columns, dispatch_rows; // of its Tensix tiles, that tt-metal keeps for itself
    // NULL: words are in the form of the units
    const struct ts_machine_form *forms; // by opcode
    // NULL: registers are in the form of the units. In the order of `from`.
    const struct ts_machine_field *cfg;
    const uint8_t *thd; // by word: the units' word
    const struct ts_machine_reset *resets;
    uint16_t cfg_count, reset_count;
    uint16_t cfg_words, cfg_global, cfg_thcon, thd_words; // of its map
    uint32_t rules;
    uint32_t extensions; // of the cores' instruction set: a bit of each of enum ts_rv_extension
    uint32_t l1_bytes;
    uint16_t local_bytes[5]; // of the cores' own RAM: BRISC, TRISC0 to 2, NCRISC
    uint16_t cache_bytes[5]; // of their instruction caches
    uint16_t iram_bytes; // of the instruction RAM of NCRISC, and of the core of an Ethernet tile
    uint8_t buffers; // that the RAM of its TRISCs has room for (tt-metal's NUM_CIRCULAR_BUFFERS)
    // Networks.
    const struct ts_machine_niu *
        niu; // NULL: interfaces have their registers as the units do; else a row of 0 words is the last
    uint16_t noc_packet; // bytes of payload, at most
    uint8_t noc_word;    // bytes: what counters count, of long requests' addresses, of byte masks
    uint8_t noc_entry_bits;                 // of an entry of the tables that translate coordinates
    uint16_t overlay[TS_OVERLAY_REGISTERS]; // of a stream
    // Ethernet tiles (noc/eth.h).
    uint32_t eth_l1_bytes;
    uint32_t eth_start[2]; // registers of where its cores start; 0: no such core
    uint16_t eth_cache;    // of a core's instruction cache, bytes
    uint16_t eth_receive;  // of the RX queues' registers, from those of the TX queues on
    uint8_t eth_queues;    // of each kind
    uint8_t
        eth_numbered; // of these can write registers of the other end, and firmware sets them up for packets
    uint8_t eth_word; // bytes: what counters count
};

#define TS_MACHINES 2
// Blackhole's, which are the largest: see noc_word and noc_packet.
#define TS_NOC_WORD       64
#define TS_NOC_PACKET_MAX 16384
extern const struct ts_machine ts_machines[TS_MACHINES]; // Blackhole is the first
// "wormhole", "WORMHOLE_B0", ...; NULL: none.
const struct ts_machine *ts_machine_by_name(const char *name);

struct ts_machine_rule_info {
    const char *name, *text, *source;
};
extern const struct ts_machine_rule_info ts_machine_rule_info[TS_MACHINE_RULES];

static inline bool ts_machine_has(const struct ts_machine *self, enum ts_machine_rule rule)
{
    return self->rules >> rule & 1;
}

// Not a word of any program: one that the machine does not have (low bits 0), or a mode that is not implemented (1); the
// opcode is in bits 23:16.
#define TS_OP_NO_WORD 0xff

// A program's word in the form of the units.
uint32_t ts_machine_rewrite(const struct ts_machine *self, uint32_t word);
static inline uint32_t ts_machine_word(const struct ts_machine *self, uint32_t word)
{
    return __builtin_expect(self->forms != NULL, 0) ? ts_machine_rewrite(self, word) : word;
}

// The fields in a word of Config; their number.
unsigned ts_machine_config(const struct ts_machine *self, unsigned addr,
                           const struct ts_machine_field **fields);
// The units' word that a program's word of Config, or of ThreadConfig, is for the most part.
unsigned ts_machine_home(const struct ts_machine *self, unsigned addr);
static inline unsigned ts_machine_thread(const struct ts_machine *self, unsigned addr)
{
    return self->thd ? self->thd[addr] : addr;
}

// The units' place of a register of a network interface; none: a place behind all of them.
uint32_t ts_machine_niu_home(const struct ts_machine *self, uint32_t offset);

// The fields of an opcode as the machine's programs have them; NULL: no such opcode.
const struct ts_op_field *ts_machine_fields(const struct ts_machine *self, uint8_t op);
// ts_disasm, ts_disasm_fields and ts_assemble for a program's words.
int ts_machine_disasm(const struct ts_machine *self, uint32_t word, char *text, size_t size);
int ts_machine_disasm_fields(const struct ts_machine *self, uint32_t word, char *text, size_t size);
bool ts_machine_assemble(const struct ts_machine *self, const char *text, uint32_t *word, char *why,
                         size_t size);
// STALLWAIT's conditions, which are in the units' form, as the machine's programs have them; 0: it has none of them.
uint32_t ts_machine_waits(const struct ts_machine *self, uint32_t conditions);
// Bits of a program's word that must be 0.
uint32_t ts_machine_reserved(const struct ts_machine *self, uint8_t op);
