// tensim ops: the Tensix instruction set with the state of its model; the lints; the bit rules.
#include "platform/base/yaml.h"
#include "platform/cli/run.h"
#include "platform/out/text.h"
#include "platform/study/explore/explore.h"
#include "units/isa/bits.h"
#include "units/isa/effects.h"
#include "units/isa/lints.h"

#include <jansson.h>
#include <string.h>

static const char doc[] =
    "List the Tensix instructions: opcode, name, unit, specification, status, fields.\v"
    "Status: done, modelled; todo, specified but refused by the tile; none, no public "
    "specification "
    "(faults \"not implemented\"). A field is name:shift:width; where fewer bits have a meaning, "
    "/used. A line \"refused:\" below an instruction names modes of it that fault.\n"
    "`lints' lists the lints instead, by harm, with what to do and the source of the rule; `steps' "
    "the "
    "steps of small programs, `pipe' the instructions of TPUSH/TPOP programs.\n"
    "`rules' lists where Blackhole silicon and the reference simulator give other bits: the two "
    "behaviours and the evidence. --set bits=ttsim-1.10.0 runs as the reference, --set "
    "bits.RULE=ttsim-1.10.0 does for one rule.";

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
    const char *json;
    int list; // of `lists`
};

static const struct ts_take takes[] = {TS_FILE("json", struct arguments, json), {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    self->list = ts_word_index(LISTS, arg);
    if (self->list < 0 || state->arg_num > 0)
        argp_error(state, "'%s' is none of " LISTS, arg);
}

// ---- rules

static json_t *rules_json(void)
{
    json_t *rules = json_array();
    for (unsigned i = 0; i < TS_BIT_RULES; i++) {
        const struct ts_bit_rule_info *rule = &ts_bit_rule_info[i];
        json_array_append_new(rules, json_pack("{s:s, s:s, s:s, s:s}", "name", rule->name,
                                               "silicon", rule->silicon, "ttsim-1.10.0",
                                               rule->reference, "evidence", rule->evidence));
    }
    return json_pack("{s:o}", "rules", rules);
}

// ---- lints

static json_t *lints_json(void)
{
    json_t *lints = json_array();
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++) {
        const struct ts_lint_info *lint = &ts_lint_info[i];
        json_array_append_new(lints, json_pack("{s:s, s:s, s:b, s:s, s:s, s:s}", "name", lint->id,
                                               "harm", ts_lint_harm_name(lint->harm), "shown",
                                               !lint->idiom, "lint", lint->text, "remedy",
                                               lint->cure, "source", lint->source));
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

static void print_text(void)
{
    unsigned count[3] = {0};
    for (unsigned code = 0; code < 256; code++) {
        const struct ts_op_info *op = &ts_op_info[code];
        if (!op->name)
            continue;
        count[op->status]++;
        printf("0x%02x %-14s %-8s %-9s %s ", code, op->name,
               op->unit == TS_UNIT_UNPACK ? "UNPACK" : ts_unit_name(op->unit), docs[op->doc],
               states[op->status]);
        for (const struct ts_op_field *f = op->fields; f->name; f++) {
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
    printf("%u opcodes: %u done, %u todo, %u without specification\n",
           count[0] + count[1] + count[2], count[2], count[1], count[0]);
}

static json_t *to_json(void)
{
    json_t *ops = json_array();
    for (unsigned code = 0; code < 256; code++) {
        const struct ts_op_info *op = &ts_op_info[code];
        if (!op->name)
            continue;
        json_t *fields = json_array();
        for (const struct ts_op_field *f = op->fields; f->name; f++)
            json_array_append_new(fields,
                                  json_pack("{s:s, s:i, s:i, s:i}", "name", f->name, "shift",
                                            f->shift, "width", f->width, "used", f->used));
        json_t *refused = json_array();
        for (size_t i = 0; i < REFUSED_MODES; i++)
            if (refused_modes[i].op == code)
                json_array_append_new(refused,
                                      json_pack("{s:s, s:b}", "what", refused_modes[i].what,
                                                "contract", refused_modes[i].contract));
        json_array_append_new(
            ops, json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "opcode", code, "name",
                           op->name, "unit",
                           op->unit == TS_UNIT_UNPACK ? "UNPACK" : ts_unit_name(op->unit),
                           "specification", docs[op->doc], "status", states[op->status], "fields",
                           fields, "reads", states_json(ts_op_effects[code].reads), "writes",
                           states_json(ts_op_effects[code].writes), "refused", refused));
    }
    return json_pack("{s:o}", "ops", ops);
}

// ---- steps of small programs, instructions of TPUSH/TPOP programs

static void print_steps(void)
{
    ts_explore_list(stdout);
}

int ts_cmd_ops(int argc, char **argv)
{
    struct arguments self = {0};
    ts_parse(
        &(struct ts_parser){
            .takes = takes, .words = "[lints|rules|steps|pipe]", .doc = doc, .word = take_word},
        argc, argv, &self);
    static const struct {
        void (*print)(void); // NULL: config/text.def
        json_t *(*json)(void);
    } lists[] = {{print_text, to_json},
                 {NULL, lints_json},
                 {NULL, rules_json},
                 {print_steps, NULL},
                 {ts_pipe_list, NULL}};
    if (lists[self.list].print && (!self.json || lists[self.list].json == NULL)) {
        lists[self.list].print();
        return self.json ? ts_complain(TS_USAGE, "--json: this list is text") : TS_OK;
    }
    json_t *document = lists[self.list].json();
    int code = self.json ? ts_output_json(self.json, document) : TS_OK;
    json_object_set_new(
        document, "count",
        json_integer((json_int_t)json_array_size(json_object_get(document, "rules"))));
    if (!self.json)
        ts_text_print("ops", document, true, stdout);
    json_decref(document);
    return code;
}
