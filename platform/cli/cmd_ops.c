// tensim ops: the Tensix instruction set with the state of its model; the lints; the bit rules.
#include "platform/base/json.h"
#include "platform/chip/soc.h"
#include "platform/cli/run.h"
#include "platform/load/script.h"
#include "platform/out/text.h"

#define LISTS "instructions lints rules steps pipe"

static const struct refused_mode {
    uint8_t op;
    bool contract;
    const char *what;
} refused_modes[] = {
#define NOT_IMPLEMENTED                   false
#define CONTRACT                          true
#define TS_REFUSED_MODE(name, kind, what) {TS_OP_##name, kind, what},
#include "config/refused_modes.def"
#undef TS_REFUSED_MODE
#undef NOT_IMPLEMENTED
#undef CONTRACT
};
#define REFUSED_MODES (sizeof refused_modes / sizeof *refused_modes)

static const char *const docs[] = {"none", "wormhole", "blackhole"};
static const char *const states[] = {"none", "todo", "done"};

struct arguments {
    const char *json, *chip;
    int list;         // of `lists`
    const char *name; // of the one instruction that is asked for
};

// The opcodes that are listed.
struct codes {
    unsigned first, last;
};

static const struct ts_take takes[] = {
    TS_FILE("json", struct arguments, json), TS_TEXT("chip", struct arguments, chip), {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    const int list = ts_word_index(LISTS, arg);
    if (state->arg_num > 0)
        argp_error(state, "'%s': one list, or one instruction", arg);
    if (list >= 0)
        self->list = list;
    else
        self->name = arg;
}

// ---- rules

// The machine's own rules, as differences from Blackhole.
static void add_machine_rules(json_t *rules, const struct ts_machine *machine)
{
    for (unsigned i = 0; i < TS_MACHINE_RULES; i++)
        if (ts_machine_has(machine, (enum ts_machine_rule)i)) {
            const struct ts_machine_rule_info *rule = &ts_machine_rule_info[i];
            ts_json_add(rules, "{s:s, s:s, s:s, s:s}", "name", rule->name, "silicon", rule->text,
                        "ttsim-1.10.0", "the same", "evidence", rule->source);
        }
}

static json_t *rules_json(const struct ts_machine *machine, struct codes codes)
{
    (void)codes;
    json_t *rules = json_array();
    add_machine_rules(rules, machine);
    for (unsigned i = 0; i < TS_BIT_RULES; i++) {
        const struct ts_bit_rule_info *rule = &ts_bit_rule_info[i];
        ts_json_add(rules, "{s:s, s:s, s:s, s:s}", "name", rule->name, "silicon", rule->silicon,
                    "ttsim-1.10.0", rule->reference, "evidence", rule->evidence);
    }
    return json_pack("{s:o}", "rules", rules);
}

// ---- lints

static json_t *lints_json(const struct ts_machine *machine, struct codes codes)
{
    (void)machine, (void)codes;
    json_t *lints = json_array();
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++) {
        const struct ts_lint_info *lint = &ts_lint_info[i];
        ts_json_add(lints, "{s:s, s:s, s:b, s:s, s:s, s:s}", "name", lint->id, "harm",
                    ts_lint_harm_name(lint->harm), "shown", !lint->idiom, "lint", lint->text,
                    "remedy", lint->cure, "source", lint->source);
    }
    return json_pack("{s:o}", "lints", lints);
}

// ---- instructions

// "SRCA SRCB DST"
static void print_states(const char *verb, unsigned mask)
{
    for (unsigned i = 0; i < TS_STATE_COUNT; i++)
        if (mask & ~(unsigned)TS_STATE_LOOKS & 1u << i) {
            printf("%s%s", verb, ts_state_name((enum ts_state)i));
            verb = " ";
        }
}

static json_t *states_json(unsigned mask)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < TS_STATE_COUNT; i++)
        if (mask & ~(unsigned)TS_STATE_LOOKS & 1u << i)
            json_array_append_new(list, json_string(ts_state_name((enum ts_state)i)));
    return list;
}

// DONE, or what the machine's programs cannot have of it.
static unsigned status_of(const struct ts_machine *machine, unsigned code)
{
    const uint32_t word = ts_machine_word(machine, code << 24);
    const bool refused = machine->forms && TS_OP_OF(word) == TS_OP_NO_WORD;
    return refused ? TS_STATUS_TODO : ts_op_info[code].status;
}

static void print_text(const struct ts_machine *machine, struct codes codes)
{
    unsigned count[3] = {0};
    for (unsigned code = codes.first; code <= codes.last; code++) {
        const struct ts_op_info *op = &ts_op_info[code];
        const struct ts_op_field *f = ts_machine_fields(machine, (uint8_t)code);
        if (!f)
            continue;
        count[status_of(machine, code)]++;
        printf("0x%02x %-14s %-8s %-9s %s ", code, op->name,
               op->unit == TS_UNIT_UNPACK ? "UNPACK" : ts_unit_name(op->unit), docs[op->doc],
               states[status_of(machine, code)]);
        for (; f->name; f++) {
            printf(" %s:%u:%u", f->name, f->shift, f->width);
            if (f->used != f->width)
                printf("/%u", f->used);
        }
        putchar('\n');
        if (ts_op_effects[code].reads | ts_op_effects[code].writes) {
            print_states("     reads ", ts_op_effects[code].reads);
            print_states(ts_op_effects[code].reads ? "; writes " : "     writes ",
                         ts_op_effects[code].writes);
            putchar('\n');
        }
        for (size_t i = 0; i < REFUSED_MODES; i++)
            if (refused_modes[i].op == code)
                printf("     refused: %s%s\n", refused_modes[i].what,
                       refused_modes[i].contract ? " (undefined in the documents)" : "");
    }
    if (codes.first != codes.last)
        printf("%u opcodes: %u done, %u todo, %u without specification\n",
               count[0] + count[1] + count[2], count[2], count[1], count[0]);
}

static json_t *to_json(const struct ts_machine *machine, struct codes codes)
{
    json_t *ops = json_array();
    for (unsigned code = codes.first; code <= codes.last; code++) {
        const struct ts_op_info *op = &ts_op_info[code];
        const struct ts_op_field *f = ts_machine_fields(machine, (uint8_t)code);
        if (!f)
            continue;
        json_t *fields = json_array();
        for (; f->name; f++)
            ts_json_add(fields, "{s:s, s:i, s:i, s:i}", "name", f->name, "shift", f->shift, "width",
                        f->width, "used", f->used);
        json_t *refused = json_array();
        for (size_t i = 0; i < REFUSED_MODES; i++)
            if (refused_modes[i].op == code)
                ts_json_add(refused, "{s:s, s:b}", "what", refused_modes[i].what, "contract",
                            refused_modes[i].contract);
        ts_json_add(ops, "{s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "opcode", code, "name",
                    op->name, "unit",
                    op->unit == TS_UNIT_UNPACK ? "UNPACK" : ts_unit_name(op->unit), "specification",
                    docs[op->doc], "status", states[status_of(machine, code)], "fields", fields,
                    "reads", states_json(ts_op_effects[code].reads), "writes",
                    states_json(ts_op_effects[code].writes), "refused", refused);
    }
    return json_pack("{s:o}", "ops", ops);
}

// ---- steps of small programs, instructions of TPUSH/TPOP programs

static void print_steps(const struct ts_machine *machine, struct codes codes)
{
    (void)machine, (void)codes;
    ts_script_print_steps(stdout);
}

static void print_pipe(const struct ts_machine *machine, struct codes codes)
{
    (void)machine, (void)codes;
    ts_pipe_list();
}

int ts_cmd_ops(int argc, char **argv)
{
    struct arguments self = {0};
    ts_parse(&(struct ts_parser){.help = "ops", .takes = takes, .word = take_word}, argc, argv,
             &self);
    static const struct {
        void (*print)(const struct ts_machine *machine,
                      struct codes codes); // NULL: config/text.def
        json_t *(*json)(const struct ts_machine *machine, struct codes codes);
    } lists[] = {{print_text, to_json},
                 {NULL, lints_json},
                 {NULL, rules_json},
                 {print_steps, NULL},
                 {print_pipe, NULL}};
    struct ts_soc soc;
    struct ts_error error = {0};
    if (ts_soc_find(&soc, self.chip ? self.chip : "p150", &error) != TS_OK)
        return ts_complain_error(&error);
    struct codes codes = {0, 255};
    uint32_t word;
    char why[160];
    if (self.name && !ts_machine_assemble(soc.machine, self.name, &word, why, sizeof why))
        return ts_complain(TS_USAGE, "%s; lists are " LISTS, why);
    if (self.name)
        codes = (struct codes){word >> 24, word >> 24};
    if (lists[self.list].print && (!self.json || lists[self.list].json == NULL)) {
        lists[self.list].print(soc.machine, codes);
        return self.json ? ts_complain(TS_USAGE, "--json: this list is text") : TS_OK;
    }
    json_t *document = lists[self.list].json(soc.machine, codes);
    int code = self.json ? ts_output_json(self.json, document) : TS_OK;
    json_object_set_new(
        document, "count",
        json_integer((json_int_t)json_array_size(json_object_get(document, "rules"))));
    if (!self.json)
        ts_text_print("ops", document, true, stdout);
    json_decref(document);
    return code;
}
