// Small programs: Tensix words with names, and what they do to what threads share (script.h).
#include "platform/load/script.h"

// --- names in fields

static const char blocks[] = "tdma sync pack unpack mover scalar math cfg sfpu";
static const char conditions[] =
    "thcon unpack0 unpack1 pack math srca_clr srcb_clr srca_vld srcb_vld mover trisc_cfg sfpu cfg";

static const struct {
    const char *field, *names; // one bit each; NULL: objects of the program
} named[] = {{"sem_sel", NULL},
             {"mutex_index", NULL},
             {"stall_res", blocks},
             {"wait_res", conditions},
             {"wait_sem_cond", "zero max"}};
#define NAMED (sizeof named / sizeof *named)

// An error at a place of a scalar's text; a quoted one begins one column later.
static void error_at(struct ts_yaml_node node, size_t offset, const char *what, const char *name)
{
    struct ts_yaml_node at = node;
    yaml_node_t moved = *node.node;
    moved.start_mark.column += offset + (ts_yaml_is_quoted(node) ? 1 : 0);
    at.node = &moved;
    ts_yaml_error(at, what, name);
}

// The bit, or the number, of a name in a field; -1: there is none.
static int64_t value_of(const struct ts_script *self, unsigned field, const char *name)
{
    if (named[field].names == blocks && strcmp(name, "all") == 0)
        return TS_B_ALL;
    if (named[field].names) {
        int bit = ts_word_index(named[field].names, name);
        int64_t value = bit < 0 ? -1 : (int64_t)(1u << bit);
        if (named[field].names == conditions && bit >= 0)
            value = ts_machine_waits(self->machine, 1u << bit);
        return value ? value : -1;
    }
    if (field == 1) {
        for (unsigned i = 0; i < self->mutex_count; i++)
            if (strcmp(self->mutexes[i].name, name) == 0)
                return self->mutexes[i].index;
        return -1;
    }
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        if (strcmp(self->semaphores[i].name, name) == 0)
            return (int64_t)(1u << i);
    return -1;
}

static void say_unknown(const struct ts_script *self, struct ts_yaml_node node, size_t offset,
                        unsigned field, const char *name)
{
    char text[200];
    if (named[field].names && ts_word_index(named[field].names, name) >= 0)
        snprintf(text, sizeof text, "%s has no %s '%%s'", self->machine->title, named[field].field);
    else if (named[field].names)
        snprintf(text, sizeof text, "%s knows no '%%s': %s", named[field].field,
                 named[field].names);
    else
        snprintf(text, sizeof text, "no %s '%%s'", field == 1 ? "mutex" : "semaphore");
    error_at(node, offset, text, name);
}

// "math_pack+3" of a field to a number; false: an error.
static bool number_of(const struct ts_script *self, struct ts_yaml_node node, const char *whole,
                      unsigned field, char *list, uint32_t *number)
{
    *number = 0;
    for (char *rest = NULL, *name = strtok_r(list, "+", &rest); name;
         name = strtok_r(NULL, "+", &rest)) {
        int64_t value = value_of(self, field, name);
        if (value < 0 && !ts_parse_int(name, &value)) {
            say_unknown(self, node, (size_t)(name - whole), field, name);
            return false;
        }
        *number |= (uint32_t)value;
    }
    return true;
}

// What the operations of `tensim run --explore` are called now.
static const struct {
    const char *old, *now;
} before[] = {
#define TS_STEP_BEFORE(old, now) {#old, now},
#include "config/steps_before.def"
};

static void say_wrong(struct ts_yaml_node node, const char *text, const char *why)
{
    char now[100] = "";
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strlen(before[i].old) == length && strncmp(before[i].old, text, length) == 0)
            snprintf(now, sizeof now, "; it is now `%s'", before[i].now);
    if (strstr(text, " on=") || strstr(text, " block="))
        snprintf(now, sizeof now,
                 "; on= and block= are now wait_sem_cond= or wait_res=, and "
                 "stall_res=");
    ts_yaml_error(node, "%s%s", why, now);
}

bool ts_script_assemble(const struct ts_script *self, struct ts_yaml_node node, uint32_t *word)
{
    const char *text = ts_yaml_text(node, "");
    char copy[256], plain[300] = "", why[160];
    *word = 0;
    snprintf(copy, sizeof copy, "%s", text);
    size_t used = 0;
    for (char *at = copy; *at && used < sizeof plain - 12;) {
        size_t length = strcspn(at, " \t,()"), field = NAMED;
        char *equals = memchr(at, '=', length);
        for (unsigned i = 0; equals && i < NAMED; i++)
            if (strlen(named[i].field) == (size_t)(equals - at) &&
                strncmp(named[i].field, at, (size_t)(equals - at)) == 0)
                field = i;
        char end = at[length];
        if (field < NAMED) {
            uint32_t number;
            at[length] = '\0';
            if (!number_of(self, node, copy, (unsigned)field, equals + 1, &number))
                return false;
            used += (size_t)snprintf(plain + used, sizeof plain - used, "%s=%u%c",
                                     named[field].field, number, end);
        } else {
            used += (size_t)snprintf(plain + used, sizeof plain - used, "%.*s%c", (int)length, at,
                                     end);
        }
        at += length + (end != '\0');
    }
    if (strlen(text) < sizeof copy &&
        ts_machine_assemble(self->machine, plain, word, why, sizeof why))
        return true;
    say_wrong(node, text, strlen(text) < sizeof copy ? why : "this is too long for a Tensix word");
    return false;
}

// --- effects

static uint8_t semaphores_of(uint32_t word)
{
    const struct ts_args_SEMWAIT wait = ts_decode_SEMWAIT(word);
    switch (TS_OP_OF(word)) {
    case TS_OP_SEMINIT:
        return (uint8_t)ts_decode_SEMINIT(word).sem_sel;
    case TS_OP_SEMPOST:
        return (uint8_t)ts_decode_SEMPOST(word).sem_sel;
    case TS_OP_SEMGET:
        return (uint8_t)ts_decode_SEMGET(word).sem_sel;
    case TS_OP_SEMWAIT:
        return (uint8_t)(wait.wait_sem_cond & 3 ? wait.sem_sel : 0);
    default:
        return 0;
    }
}

struct ts_script_effect ts_script_effect(uint32_t word)
{
    const uint32_t bank = 3u << 22, one = 1u << 23;
    uint8_t op = TS_OP_OF(word);
    struct ts_script_effect self = {.held = ts_op_hot[op].block & TS_B_ALL,
                                    .core = word & 0xff000000u};
    switch (ts_op_hot[op].unit) {
    case TS_UNIT_FRONT:
        self.kind = op == TS_OP_MOP || op == TS_OP_REPLAY ? TS_EFFECT_FRONT : TS_EFFECT_NONE;
        break;
    case TS_UNIT_SYNC:
        self.kind = TS_EFFECT_SYNC;
        self.core = word;
        self.semaphores = semaphores_of(word);
        break;
    case TS_UNIT_UNPACK: {
        bool valid = op == TS_OP_UNPACR ? ts_decode_UNPACR(word).set_dat_valid
                                        : ts_unpack_nop_gives(NULL, ts_decode_UNPACR_NOP(word));
        self.kind = valid ? TS_EFFECT_UNPACK : TS_EFFECT_WORK;
        self.needs = word & one ? 2 : 1;
        self.core = !valid ? self.core : op == TS_OP_UNPACR_NOP ? word : word & (one | 0xff000000u);
        if (valid && op == TS_OP_UNPACR)
            ts_assemble(word & one ? "UNPACR unpack_block_selection=1 set_dat_valid=1"
                                   : "UNPACR set_dat_valid=1",
                        &self.core, (char[4]){0}, 4);
        break;
    }
    case TS_UNIT_MISC:
        if (op == TS_OP_SETDVALID && (word & 3)) {
            self.kind = TS_EFFECT_GIVE;
            self.clears = word & 3;
            self.core = word;
        }
        break;
    case TS_UNIT_MATRIX:
        self.needs = (uint8_t)ts_matrix_needs(word);
        self.clears = (uint8_t)ts_matrix_returns(word);
        self.core |= self.clears ? word & bank : 0;
        self.kind = self.needs | self.clears ? TS_EFFECT_MATRIX : TS_EFFECT_WORK;
        break;
    case TS_UNIT_VECTOR:
    case TS_UNIT_PACK:
        self.kind = TS_EFFECT_WORK;
        break;
    case TS_UNIT_SCALAR:
        self.kind = op == TS_OP_STOREIND ? TS_EFFECT_STORE : TS_EFFECT_NONE;
        break;
    }
    return self;
}
