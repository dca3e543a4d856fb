// Traces of a matmul read back: every word in every format, with names, pcs and lines; the formats
// against their grammars; the limit.
#include "tests/folder.h"
#include "tests/suite.h"

#include "platform/base/json.h"
#include "platform/kernel/kernel.h"
#include "platform/load/names.h"
#include "platform/tile/watchdog.h"
#include "platform/trace/attach.h"
#include "tests/job/kernel.h"
#include "units/trace.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint64_t passed[TS_THREADS][256]; // words of the last run, by opcode
static struct ts_trace_end ends[TS_TRACE_FORMATS];

static const char *path_of(enum ts_trace_format format)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, ts_trace_formats[format].file);
    return path;
}

// The default matmul, in all formats.
static void trace_matmul(bool run_ahead, ts_cycle from, ts_cycle to, uint64_t limit)
{
    struct ts_error error = {0};
    struct ts_tile_config config = ts_tile_config_default();
    struct kernel_run self;
    config.run_ahead = config.automaton = config.park = run_ahead;
    ck_assert_msg(kernel_build(&self, &config, "matmul") &&
                      ts_kernel_elaborate(self.kernel, &error) == TS_OK,
                  "%s%s", self.error.text, error.text);
    struct ts_kernel *kernel = self.kernel;
    struct ts_trace_names *names = ts_names_new();
    struct ts_trace_options options = {
        .clock_mhz = 1350, .from = from, .to = to, .names = names, .limit = limit, .ends = ends};
    char *paths[TS_TRACE_FORMATS];
    memset(ends, 0, sizeof ends);
    for (unsigned f = 0; f < TS_TRACE_FORMATS; f++)
        options.path[f] = paths[f] = strdup(path_of(f));
    struct ts_trace_writer *writer = ts_trace_open(kernel, &options, &error);
    ck_assert_msg(writer != NULL, "%s", error.text);
    struct ts_trace *trace = ts_trace_attach(kernel, &writer, 1, &error);
    ck_assert(ts_work_start(self.work, &error));
    struct ts_run run = ts_work_run(self.work, 1000000);
    ck_assert(ts_work_finish(self.work, &run, &error));
    ck_assert_int_eq(self.work->result.code, TS_OK);
    for (unsigned t = 0; t < TS_THREADS; t++)
        memcpy(passed[t], self.job->tile->front[t].passed, sizeof passed[t]);
    ts_kernel_trace_end(kernel);
    ck_assert_int_eq(ts_trace_free(trace), 0);
    ts_names_free(names);
    kernel_free(&self);
    for (unsigned f = 0; f < TS_TRACE_FORMATS; f++)
        free(paths[f]);
}

static char *read_whole(enum ts_trace_format format)
{
    gzFile file = gzopen(path_of(format), "rb");
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    int got;
    ck_assert_ptr_nonnull(file);
    while ((got = gzread(file, text + size, (unsigned)(room - size - 1))) > 0) {
        size += (size_t)got;
        if (size + 1 == room)
            text = realloc(text, room *= 2);
    }
    text[size] = '\0';
    gzclose(file);
    return text;
}

static json_t *read_json(void)
{
    char *text = read_whole(TS_TRACE_JSON);
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    ck_assert_msg(json != NULL, "%s at line %d", error.text, error.line);
    free(text);
    return json;
}

// --- the schema of a Chrome trace: for each phase, the keys of an event, with their types

static const struct {
    const char *phase,
        *keys; // i integer, n number, s string, o object; a key in brackets may be missing
} schema[] = {
    {"M", "s:name i:pid i:tid o:args"},          {"X", "s:name i:pid i:tid n:ts n:dur [o:args]"},
    {"C", "s:name i:pid i:tid n:ts o:args"},     {"i", "s:name i:pid i:tid n:ts s:s o:args"},
    {"s", "s:name s:cat i:pid i:tid n:ts i:id"}, {"f", "s:name s:cat s:bp i:pid i:tid n:ts i:id"},
};

static bool has_type(const json_t *value, char type)
{
    return type == 'i'   ? json_is_integer(value)
           : type == 'n' ? json_is_number(value)
           : type == 's' ? json_is_string(value)
                         : json_is_object(value);
}

static void check_event(const json_t *event)
{
    const char *phase = ts_json_text(event, "ph");
    size_t row = 0, known = 1;
    while (row < sizeof schema / sizeof *schema && strcmp(schema[row].phase, phase) != 0)
        row++;
    ck_assert_msg(row < sizeof schema / sizeof *schema, "phase '%s'", phase);
    char keys[128], *rest = keys, *key;
    snprintf(keys, sizeof keys, "%s", schema[row].keys);
    while ((key = strsep(&rest, " ")) != NULL) {
        bool may_miss = key[0] == '[';
        key += may_miss;
        key[strcspn(key, "]")] = '\0';
        const json_t *value = json_object_get(event, key + 2);
        ck_assert_msg((may_miss && !value) || has_type(value, key[0]), "%s: '%s'", phase, key);
        known += value != NULL;
    }
    ck_assert_msg(known == json_object_size(event), "%s: another key", phase);
}

// --- JSON

static uint8_t op_of(const char *name)
{
    for (unsigned op = 0; op < 256; op++)
        if (ts_op_info[op].name && strcmp(ts_op_info[op].name, name) == 0)
            return (uint8_t)op;
    return 0;
}

#define LANES 1024
START_TEST(chrome)
{
    static size_t named[LANES], used[LANES];
    static uint64_t seen[256], flows[1 << 16];
    size_t located = 0, wanted = 0, i;
    json_t *event;
    folder_make();
    trace_matmul(true, 0, TS_NEVER, 0);
    json_t *json = read_json();
    json_array_foreach(json_object_get(json, "traceEvents"), i, event)
    {
        const char *phase = ts_json_text(event, "ph"), *name = ts_json_text(event, "name");
        const json_t *args = json_object_get(event, "args");
        size_t tid = (size_t)json_integer_value(json_object_get(event, "tid"));
        check_event(event);
        ck_assert_uint_lt(tid, LANES);
        named[tid] += strcmp(name, "thread_name") == 0;
        used[tid] += phase[0] == 'X';
        if (phase[0] == 's' || phase[0] == 'f')
            flows[json_integer_value(json_object_get(event, "id"))] += phase[0] == 's' ? 1 : 100;
        if (phase[0] != 'X' || !json_object_get(args, "operands"))
            continue;
        seen[op_of(name)]++;
        bool counts = strcmp(name, "MVMUL") == 0 || strcmp(name, "UNPACR") == 0 ||
                      strcmp(name, "PACR") == 0;
        wanted += counts;
        located += counts && strncmp(ts_json_text(args, "pc"), "0x", 2) == 0 &&
                   strchr(ts_json_text(args, "line"), ':');
    }
    for (size_t lane = 1; lane < LANES; lane++)
        ck_assert_msg((named[lane] == 1) == (used[lane] > 0), "lane %zu: %zu names, %zu slices",
                      lane, named[lane], used[lane]);
    // Every word that passed a gate is there, those of streams too.
    for (unsigned op = 0; op < 256; op++)
        ck_assert_msg(seen[op] == passed[0][op] + passed[1][op] + passed[2][op], "%s: %" PRIu64,
                      ts_op_info[op].name, seen[op]);
    ck_assert_uint_eq(seen[TS_OP_MVMUL], 1024);
    ck_assert_msg(100 * located >= 95 * wanted, "%zu of %zu have pc and line", located, wanted);
    for (size_t id = 1; id < 1 << 16 && flows[id]; id++)
        ck_assert_uint_eq(flows[id], 101);
    ck_assert_uint_eq(flows[1], 101);
    json_decref(json);
    folder_remove();
}
END_TEST

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// What the trace says of each word: cycles, operands, pc, line and wait; in the order of these texts.
static size_t words_of_trace(char *words[20000])
{
    json_t *json = read_json(), *event;
    size_t i, count = 0;
    json_array_foreach(json_object_get(json, "traceEvents"), i, event)
    {
        if (json_object_get(json_object_get(event, "args"), "operands") == NULL)
            continue;
        ck_assert_uint_lt(count, 20000);
        json_object_del(event, "tid"); // lanes are numbered as they are used
        words[count++] = json_dumps(event, JSON_SORT_KEYS);
    }
    json_decref(json);
    qsort(words, count, sizeof *words, by_text);
    return count;
}

// Words are the same step by step and with all that runs ahead.
START_TEST(ahead_or_not)
{
    static char *ahead[20000], *steps[20000];
    folder_make();
    trace_matmul(true, 0, TS_NEVER, 0);
    size_t count = words_of_trace(ahead);
    trace_matmul(false, 0, TS_NEVER, 0);
    ck_assert_uint_gt(count, 1024);
    ck_assert_uint_eq(words_of_trace(steps), count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(ahead[i], steps[i]);
        free(ahead[i]);
        free(steps[i]);
    }
    folder_remove();
}
END_TEST

// --- VCD

struct signal {
    char id[8], name[160];
    bool number;
};

static struct signal signals[512];
static size_t signal_count;

static struct signal *find(const char *id)
{
    for (size_t i = 0; i < signal_count; i++)
        if (strcmp(signals[i].id, id) == 0)
            return &signals[i];
    return NULL;
}

// The head: scopes and variables up to $enddefinitions.
static void read_head(char **rest)
{
    char scope[4][64];
    unsigned depth = 0, width;
    char *line, type[16], name[64], id[8];
    while (strcmp(line = strsep(rest, "\n"), "$enddefinitions $end") != 0) {
        if (sscanf(line, "$scope module %63s $end", name) == 1) {
            ck_assert_uint_lt(depth, 4);
            strcpy(scope[depth++], name);
        } else if (strcmp(line, "$upscope $end") == 0) {
            ck_assert_uint_gt(depth, 0);
            depth--;
        } else if (sscanf(line, "$var %15s %u %7s %63s $end", type, &width, id, name) == 4) {
            struct signal *s = &signals[signal_count++];
            ck_assert(find(id) == NULL && depth == 2 && signal_count < 512);
            strcpy(s->id, id);
            s->number = strcmp(type, "wire") == 0;
            ck_assert(s->number ? width == 32 : strcmp(type, "string") == 0);
            snprintf(s->name, sizeof s->name, "%s.%s", scope[1], name);
        } else {
            ck_assert_msg(strstr(line, "$end") && line[0] == '$', "%s", line);
        }
    }
    ck_assert_uint_eq(depth, 0);
}

START_TEST(vcd)
{
    folder_make();
    trace_matmul(true, 0, TS_NEVER, 0);
    char *text = read_whole(TS_TRACE_VCD), *rest = text, *line, value[200], id[8];
    unsigned long long now = 0, next, busy = 0, since = 0;
    bool first = true, multiplies = false;
    signal_count = 0;
    read_head(&rest);
    while ((line = strsep(&rest, "\n")) != NULL && *line) {
        if (line[0] == '#') {
            ck_assert_int_eq(sscanf(line, "#%llu", &next), 1);
            ck_assert(first || next > now);
            first = false;
            now = next;
            continue;
        }
        ck_assert_msg(!first && sscanf(line + 1, "%199s %7s", value, id) == 2, "%s", line);
        const struct signal *s = find(id);
        ck_assert_msg(s && line[0] == (s->number ? 'b' : 's'), "%s", line);
        if (s->number)
            ck_assert_uint_eq(strspn(value, "01"), strlen(value));
        if (strcmp(s->name, "matrix.op_t1") != 0)
            continue;
        if (multiplies)
            busy += now - since;
        since = now;
        multiplies = strcmp(value, "MVMUL") == 0;
    }
    ck_assert_uint_eq(busy, 1024);
    ck_assert_uint_gt(signal_count, 20);
    free(text);
    folder_remove();
}
END_TEST

// A file that reaches its limit is complete up to there, and says where.
START_TEST(limit)
{
    folder_make();
    trace_matmul(true, 0, TS_NEVER, 100000);
    ck_assert(ends[TS_TRACE_JSON].full > 3000 && ends[TS_TRACE_JSON].full < 9000);
    json_t *json = read_json();
    ck_assert_uint_gt(json_array_size(json_object_get(json, "traceEvents")), 300);
    json_decref(json);
    trace_matmul(true, 0, TS_NEVER, 5000);
    ck_assert_uint_gt(ends[TS_TRACE_VCD].full, 0);
    trace_matmul(true, 8000, 8100, 0);
    ck_assert_uint_eq(ends[TS_TRACE_JSON].full, 0);
    json = read_json();
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(json, "traceEvents"), i, event)
    {
        double from = 1000 * json_number_value(json_object_get(event, "ts"));
        double to = from + 1000 * json_number_value(json_object_get(event, "dur"));
        if (ts_json_text(event, "ph")[0] == 'X')
            ck_assert_msg(from < 8101 && to > 7999, "%s: %g-%g", ts_json_text(event, "name"), from,
                          to);
    }
    json_decref(json);
    folder_remove();
}
END_TEST

// --- what is long

static char long_name[2000];

static const char *any_op(void *context, uint32_t word)
{
    (void)context, (void)word;
    return "SFPADD";
}

static void no_operands(void *context, uint32_t word, char *text, size_t size)
{
    (void)context, (void)word, (void)size;
    text[0] = '\0';
}

static const struct ts_trace_place *any_place(void *context, const struct ts_object *emitter,
                                              uint32_t pc)
{
    static const char *const frames[] = {long_name};
    static const struct ts_trace_place place = {long_name, "", frames, 1};
    (void)context, (void)emitter, (void)pc;
    return &place;
}

struct counter {
    struct ts_trace_writer base;
    unsigned records;
};

static void count_record(struct ts_trace_writer *base, const struct ts_record *record)
{
    (void)record;
    ((struct counter *)base)->records++;
}

static int close_nothing(struct ts_trace_writer *base)
{
    (void)base;
    return 0;
}

// Names of functions, work of a word, wait of a word in its unit: none is cut. As many writers as you
// like.
START_TEST(long_ones)
{
    static struct kernel_run self;
    static struct counter counters[9];
    struct ts_error error = {0};
    const struct ts_trace_names names = {NULL, any_op, no_operands, any_place, NULL, NULL};
    struct ts_trace_options options = {.clock_mhz = 1350, .to = TS_NEVER, .names = &names};
    struct ts_trace_writer *writers[10];
    folder_make();
    memset(long_name, 'f', sizeof long_name - 1);
    ck_assert(kernel_build(&self, NULL, "matmul") &&
              ts_kernel_elaborate(self.kernel, &error) == TS_OK);
    struct ts_kernel *kernel = self.kernel;
    char *path = strdup(path_of(TS_TRACE_JSON));
    options.path[TS_TRACE_JSON] = path;
    for (int i = 0; i < 9; i++) {
        counters[i] = (struct counter){.base = {count_record, close_nothing, false, NULL}};
        writers[i] = &counters[i].base;
    }
    writers[9] = ts_trace_open(kernel, &options, &error);
    ck_assert_msg(writers[9] != NULL, "%s", error.text);
    struct ts_trace *trace = ts_trace_attach(kernel, writers, 10, &error);
    ck_assert_msg(error.code == TS_OK, "%s", error.text);
    const struct ts_unit *unit = &self.job->tile->unpack[0].unit;
    ts_trace_word(&self.job->tile->tensix, unit, (struct ts_word){.word = 1}, 10, 100010, 300010);
    ts_trace_word(&self.job->tile->tensix, unit, (struct ts_word){.word = 1}, 20, 300010, 300015);
    ts_kernel_trace_end(kernel);
    ck_assert_int_eq(ts_trace_free(trace), 0);
    char *text = read_whole(TS_TRACE_JSON);
    ck_assert_ptr_nonnull(strstr(text, long_name));
    ck_assert_ptr_nonnull(strstr(text, "\"dur\":200.000,\"name\":\"SFPADD\""));
    ck_assert_ptr_nonnull(strstr(text, "\"dur\":0.005,\"name\":\"SFPADD\""));
    for (int i = 0; i < 9; i++)
        ck_assert_uint_eq(counters[i].records, 4); // words, each with its work
    free(text);
    free(path);
    kernel_free(&self);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, long_ones);
    tcase_add_test(tests, chrome);
    tcase_add_test(tests, ahead_or_not);
    tcase_add_test(tests, vcd);
    tcase_add_test(tests, limit);
}

SUITE("words", add_tests)
