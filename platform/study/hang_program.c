// Synchronisation programs: from YAML to guest code, and running it; see hang_program.h.
#include "platform/study/hang_program.h"

#include "platform/tile/coprocessor.h"
#include "platform/tile/watchdog.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 6 // of repeat

// Where each core's code lies.
static const uint32_t places[TS_RV_CORES] = {0, 0x8000, 0x10000, 0x18000, 0x20000};

// --- reading

// "SEMWAIT stall_res=64 sem_sel=2": the word.
static bool tensix_word(struct ts_yaml_node node, const char *text, uint32_t *word)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    char *rest = NULL, *token = strtok_r(copy, " ", &rest);
    const struct ts_op_info *op = NULL;
    for (unsigned i = 0; token && i < 256; i++)
        if (ts_op_info[i].name && strcmp(ts_op_info[i].name, token) == 0)
            op = &ts_op_info[i];
    if (op == NULL) {
        ts_yaml_error(node, "no Tensix instruction '%s'", token ? token : "");
        return false;
    }
    *word = (uint32_t)op->code << 24;
    while ((token = strtok_r(NULL, " ", &rest)) != NULL) {
        char *equals = strchr(token, '=');
        const struct ts_op_field *field = op->fields;
        int64_t value = -1;
        if (equals)
            *equals = '\0';
        while (field->name && strcmp(field->name, token) != 0)
            field++;
        if (!field->name || !equals || !ts_parse_int(equals + 1, &value) || value < 0 ||
            value >> field->width != 0) {
            ts_yaml_error(node, "%s has no field '%s', or not of this value", op->name, token);
            return false;
        }
        *word |= (uint32_t)value << field->shift;
    }
    return true;
}

static int core_named(struct ts_yaml_node node)
{
    const char *name = ts_yaml_text(node, "");
    int core = ts_rv_core_by_name(name);
    if (core < 0)
        ts_yaml_error(node, "no core '%s'", name);
    return core;
}

static void at_address(struct ts_rvasm *code, uint32_t address)
{
    ts_rvasm_li(code, 5, address);
}

static void semaphore(struct ts_rvasm *code, struct ts_yaml_node node, uint32_t value)
{
    at_address(code, 0xffe80020u + 4 * (uint32_t)ts_yaml_int(node, 0, 7, 0));
    ts_rvasm_li(code, 6, value);
    ts_rvasm(code, TS_RV_SW, 0, 5, 6, 0);
}

static void delay(struct ts_rvasm *code, int64_t length)
{
    if (length <= 16) {
        for (int64_t i = 0; i < length; i++)
            ts_rvasm(code, TS_RV_ADDI, 0, 0, 0, 0);
        return;
    }
    ts_rvasm_li(code, 6, (uint32_t)length / 2);
    uint32_t here = ts_rvasm_here(code);
    ts_rvasm(code, TS_RV_ADDI, 6, 6, 0, -1);
    ts_rvasm_back(code, TS_RV_BNE, 6, 0, here);
}

static void until(struct ts_rvasm *code, struct ts_yaml_node node)
{
    static const char *const keys[] = {"semaphore", "l1", "is", "below", NULL};
    ts_yaml_only(node, keys);
    struct ts_yaml_node sem = ts_yaml_find(node, "semaphore"), below = ts_yaml_find(node, "below");
    if (sem.node)
        at_address(code, 0xffe80020u + 4 * (uint32_t)ts_yaml_int(sem, 0, 7, 0));
    else
        at_address(code, (uint32_t)ts_yaml_int(ts_yaml_require(node, "l1"), 0, TS_L1_SIZE - 4, 0));
    ts_rvasm_li(
        code, 6,
        (uint32_t)ts_yaml_int(below.node ? below : ts_yaml_require(node, "is"), 0, UINT32_MAX, 0));
    uint32_t here = ts_rvasm_here(code);
    ts_rvasm(code, TS_RV_LW, 7, 5, 0, 0);
    ts_rvasm_back(code, below.node ? TS_RV_BGEU : TS_RV_BNE, 7, 6, here);
}

static void memory(struct ts_rvasm *code, struct ts_yaml_node node, bool add)
{
    static const char *const keys[] = {"l1", "value", NULL};
    ts_yaml_only(node, keys);
    at_address(code, (uint32_t)ts_yaml_int(ts_yaml_require(node, "l1"), 0, TS_L1_SIZE - 4, 0));
    ts_rvasm_li(code, 6, (uint32_t)ts_yaml_int(ts_yaml_require(node, "value"), 0, UINT32_MAX, 0));
    if (add)
        ts_rvasm(code, TS_RV_AMOADD, 0, 5, 6, 0);
    else
        ts_rvasm(code, TS_RV_SW, 0, 5, 6, 0);
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
}

static void mail(struct ts_rvasm *code, struct ts_yaml_node node)
{
    static const char *const keys[] = {"to", "value", NULL};
    ts_yaml_only(node, keys);
    int to = core_named(ts_yaml_require(node, "to"));
    at_address(code, 0xffec0000u + 0x1000 * (uint32_t)(to & 3));
    ts_rvasm_li(code, 6, (uint32_t)ts_yaml_int(ts_yaml_find(node, "value"), 0, UINT32_MAX, 0));
    ts_rvasm(code, TS_RV_SW, 0, 5, 6, 0);
}

// A load whose value is waited for.
static void arrive(struct ts_rvasm *code, uint32_t address)
{
    at_address(code, address);
    ts_rvasm(code, TS_RV_LW, 7, 5, 0, 0);
    ts_rvasm(code, TS_RV_AND, 0, 7, 7, 0);
}

static void push(struct ts_rvasm *code, struct ts_yaml_node node)
{
    static const char *const keys[] = {"thread", "tt", NULL};
    ts_yaml_only(node, keys);
    uint32_t word, thread = (uint32_t)ts_yaml_int(ts_yaml_require(node, "thread"), 0, 2, 0);
    struct ts_yaml_node tt = ts_yaml_require(node, "tt");
    if (!tensix_word(tt, ts_yaml_text(tt, ""), &word))
        return;
    at_address(code, 0xffe40000u + 0x10000 * thread);
    ts_rvasm_li(code, 6, word);
    ts_rvasm(code, TS_RV_SW, 0, 5, 6, 0);
}

static void steps(struct ts_rvasm *code, struct ts_yaml_node list, unsigned depth,
                  const struct ts_error *error);

static void repeat(struct ts_rvasm *code, struct ts_yaml_node node, unsigned depth,
                   const struct ts_error *error)
{
    static const char *const keys[] = {"times", "do", NULL};
    ts_yaml_only(node, keys);
    if (depth == DEPTH) {
        ts_yaml_error(node, "repeat in repeat: at most %d deep", DEPTH);
        return;
    }
    ts_rvasm_li(code, 10 + depth,
                (uint32_t)ts_yaml_int(ts_yaml_require(node, "times"), 1, INT32_MAX, 1));
    uint32_t here = ts_rvasm_here(code);
    steps(code, ts_yaml_require(node, "do"), depth + 1, error);
    ts_rvasm(code, TS_RV_ADDI, 10 + depth, 10 + depth, 0, -1);
    ts_rvasm_back(code, TS_RV_BNE, 10 + depth, 0, here);
}

static void one(struct ts_rvasm *code, struct ts_yaml_node row, unsigned depth,
                const struct ts_error *error)
{
    static const char *const verbs[] = {"mail", "read", "delay", "post", "get",    "until", "write",
                                        "add",  "tt",   "push",  "sync", "repeat", NULL};
    ts_yaml_only(row, verbs);
    if (error->code != TS_OK)
        return;
    const char *verb = ts_yaml_text(ts_yaml_key(row, 0), "");
    struct ts_yaml_node value = ts_yaml_value(row, 0);
    uint32_t word;
    if (strcmp(verb, "mail") == 0)
        mail(code, value);
    else if (strcmp(verb, "read") == 0)
        arrive(code, 0xffec0000u + 0x1000 * (uint32_t)(core_named(value) & 3));
    else if (strcmp(verb, "delay") == 0)
        delay(code, ts_yaml_int(value, 0, 100000000, 0));
    else if (strcmp(verb, "post") == 0 || strcmp(verb, "get") == 0)
        semaphore(code, value, verb[0] == 'g');
    else if (strcmp(verb, "until") == 0)
        until(code, value);
    else if (strcmp(verb, "write") == 0 || strcmp(verb, "add") == 0)
        memory(code, value, verb[0] == 'a');
    else if (strcmp(verb, "push") == 0)
        push(code, value);
    else if (strcmp(verb, "sync") == 0)
        arrive(code, 0xffe80000u + (strcmp(ts_yaml_text(value, ""), "mop") == 0 ? 8 : 4));
    else if (strcmp(verb, "repeat") == 0)
        repeat(code, value, depth, error);
    else if (tensix_word(value, ts_yaml_text(value, ""), &word))
        ts_rvasm_word(code, ts_word_to_inline(word));
}

static void steps(struct ts_rvasm *code, struct ts_yaml_node list, unsigned depth,
                  const struct ts_error *error)
{
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(list); i++)
        one(code, ts_yaml_at(list, i), depth, error);
}

static void expectations(struct ts_hang_program *self, struct ts_yaml_node node)
{
    static const char *const keys[] = {"verdict", "object", "path", "says", NULL};
    if (node.node == NULL)
        return;
    ts_yaml_only(node, keys);
    snprintf(self->verdict, sizeof self->verdict, "%s",
             ts_yaml_text(ts_yaml_require(node, "verdict"), ""));
    snprintf(self->object, sizeof self->object, "%s",
             ts_yaml_text(ts_yaml_find(node, "object"), ""));
    snprintf(self->path, sizeof self->path, "%s", ts_yaml_text(ts_yaml_find(node, "path"), ""));
    snprintf(self->says, sizeof self->says, "%s", ts_yaml_text(ts_yaml_find(node, "says"), ""));
}

bool ts_hang_program_read(struct ts_hang_program *self, const char *path, struct ts_error *error)
{
    static const char *const top[] = {"about", "cores", "expect", NULL};
    struct ts_yaml yaml = {0};
    memset(self, 0, sizeof *self);
    if (!ts_yaml_load(&yaml, path, error))
        return false;
    struct ts_yaml_node root = ts_yaml_root(&yaml);
    ts_yaml_only(root, top);
    snprintf(self->about, sizeof self->about, "%s", ts_yaml_text(ts_yaml_find(root, "about"), ""));
    struct ts_yaml_node cores = ts_yaml_require(root, "cores");
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(cores); i++) {
        int core = core_named(ts_yaml_key(cores, i));
        if (core < 0)
            break;
        self->has[core] = true;
        struct ts_rvasm *code = &self->code[core];
        steps(code, ts_yaml_value(cores, i), 0, error);
        ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0); // the end
        if (code->overflow && error->code == TS_OK)
            ts_yaml_error(ts_yaml_key(cores, i), "more than %d instructions", TS_RVASM_WORDS);
    }
    expectations(self, ts_yaml_find(root, "expect"));
    ts_yaml_free(&yaml);
    return error->code == TS_OK;
}

// --- running

static bool set_up(const struct ts_hang_program *self, struct ts_tile *tile,
                   struct ts_kernel *kernel, struct ts_error *error)
{
    if (!ts_coprocessor_furnish(tile, NULL, error) || ts_kernel_elaborate(kernel, error) != TS_OK)
        return false;
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        if (!self->has[core])
            continue;
        ts_l1_write(&tile->l1, places[core], self->code[core].words, self->code[core].count * 4, 0);
        if (!ts_tile_start(tile, core, places[core], 0, error))
            return false;
        ts_rv_core_configure(&tile->cores[core], TS_RV_CFG0_DIS_LOW_CASH);
    }
    return true;
}

static void explain(struct ts_hang_outcome *outcome, const struct ts_kernel *kernel)
{
    struct ts_hang hang = ts_hang_new(kernel, outcome->cycle);
    ts_hang_line(&hang, outcome->line, sizeof outcome->line);
    outcome->document = ts_hang_json(&hang, kernel);
    size_t size;
    FILE *file = open_memstream(&outcome->screen, &size);
    if (file != NULL) {
        ts_hang_print(&hang, file);
        fclose(file);
    }
    ts_hang_free(&hang);
}

void ts_hang_program_run(const struct ts_hang_program *self, const struct ts_tile_config *config,
                         ts_cycle limit, struct ts_hang_outcome *outcome)
{
    struct ts_error error = {0};
    memset(outcome, 0, sizeof *outcome);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile *tile = calloc(1, sizeof *tile);
    bool built = tile != NULL && ts_tile_init(tile, ts_domain_new(kernel, "tile[1-2]"), config);
    if (built) {
        tile->x = 1;
        tile->y = 2;
    }
    if (built && set_up(self, tile, kernel, &error)) {
        struct ts_run run = ts_watched_run(kernel, limit);
        outcome->cycle = run.cycle;
        outcome->code = run.stop == TS_STOP_DEADLOCK ? TS_HANG
                        : run.stop == TS_STOP_LIMIT  ? TS_LIMIT
                        : run.stop == TS_STOP_FAULT  ? run.error.code
                                                     : TS_OK;
        if (run.stop == TS_STOP_FAULT)
            snprintf(outcome->text, sizeof outcome->text, "%.255s", run.error.text);
        if (outcome->code == TS_HANG)
            explain(outcome, kernel);
    } else {
        outcome->code = error.code ? error.code : TS_SETUP;
        snprintf(outcome->text, sizeof outcome->text, "%.255s",
                 error.code ? error.text : "out of memory");
    }
    if (built)
        ts_tile_free(tile);
    free(tile);
    ts_kernel_free(kernel);
}

void ts_hang_outcome_free(struct ts_hang_outcome *self)
{
    json_decref(self->document);
    free(self->screen);
    *self = (struct ts_hang_outcome){0};
}
