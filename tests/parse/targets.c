// The parsers. Those that read files get one in a folder of their own.
#include "platform/base/eval.h"
#include "platform/base/hash.h"
#include "platform/base/params.h"
#include "platform/base/perturb.h"
#include "platform/base/yaml.h"
#include "platform/check/findings.h"
#include "platform/chip/chip.h"
#include "platform/chip/soc.h"
#include "platform/chip/system.h"
#include "platform/chip/workload.h"
#include "platform/crew/store.h"
#include "platform/explain/checks.h"
#include "platform/gdb/state.h"
#include "platform/live/inside.h"
#include "platform/load/conform.h"
#include "platform/load/listing.h"
#include "platform/load/loader.h"
#include "platform/load/metal_elf.h"
#include "platform/load/script.h"
#include "platform/load/symbols.h"
#include "platform/run/plan/npy.h"
#include "platform/run/plan/plan.h"
#include "platform/save/image.h"
#include "platform/save/stream.h"
#include "platform/study/explore/explore.h"
#include "platform/tensim.h"
#include "tests/parse/parse.h"
#include "units/isa/lints.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char folder[64], path[128];
static struct ts_kernel *kernel;
static struct ts_tile *tile;
static struct ts_soc soc;
static jmp_buf left;

_Noreturn void parse_leave(void)
{
    longjmp(left, 1);
}

// Writes the input to a file of this name.
static const char *file(const char *name, const char *bytes, size_t length)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        abort();
    close(fd);
    return path;
}

static void yaml(const char *bytes, size_t length)
{
    struct ts_yaml yaml;
    struct ts_error error = {0};
    (void)length;
    ts_yaml_parse(&yaml, "in", bytes, &error);
    ts_yaml_free(&yaml);
}

static void params(const char *bytes, size_t length)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    ts_chip_params_add(&params);
    ts_params_load(&params, file("in.yaml", bytes, length), &error);
    ts_params_free(&params);
}

static bool name_value(void *context, const char *name, struct ts_value *value)
{
    (void)context;
    return name[0] < 'm' ? ts_value_number(value, 3) : ts_value_init(value, 2, 3);
}

static void expression(const char *bytes, size_t length)
{
    const struct ts_eval_names names = {.name = name_value, .whole = length % 2};
    struct ts_value value = {0};
    char why[200];
    if (ts_eval_matrix(bytes, &names, &value, why, sizeof why))
        free(value.at);
}

static void elf(const char *bytes, size_t length)
{
    struct ts_error error = {0}, again = {0}, moved = {0};
    struct ts_loader loader;
    uint32_t entry;
    ts_loader_init(&loader, tile);
    ts_load_elf_bytes(&loader, TS_RV_TRISC0, bytes, length, "in", &entry, &error);
    FILE *nowhere = fopen("/dev/null", "w");
    ts_list_file(&ts_machines[0], bytes, length, "in", 0, nowhere, &again);
    fclose(nowhere);
    struct ts_metal_elf metal;
    if (ts_metal_elf_open(&metal, bytes, length, "in", &moved)) {
        const uint32_t size = ts_metal_elf_bytes(&metal);
        uint8_t *image = size <= 64 << 20 ? malloc(size + 1) : NULL;
        if (image)
            ts_metal_elf_move(&metal, 0x10000, image, &moved);
        free(image);
        ts_metal_elf_size_of(&metal, "main");
        ts_metal_elf_close(&metal);
    }
}

static void symbols(const char *bytes, size_t length)
{
    const struct ts_tile_program program = {.bytes = bytes, .length = length};
    struct ts_symbols *self = ts_symbols_open(&program);
    char text[200];
    for (uint32_t pc = 0x6000; self && pc < 0x6100; pc += 20) {
        const struct ts_frames frames = ts_symbols_frames(self, pc);
        ts_frames_text(&frames, text, sizeof text);
    }
    if (self)
        ts_symbols_variable(self, 0xffb00000, text, sizeof text);
    ts_symbols_close(self);
}

static void conform(const char *bytes, size_t length)
{
    struct ts_conform_file self = {0};
    struct ts_error error = {0};
    if (ts_conform_parse(&self, bytes, length, "in", &error))
        ts_conform_free(&self);
}

static void check_image(bool trust)
{
    struct ts_image_head head = {0};
    struct ts_error error = {0};
    ts_image_check(path, trust, &head, &error);
    ts_image_head_free(&head);
}

// A stranger's file, which is trusted: damaged in any way.
static void checkpoint(const char *bytes, size_t length)
{
    static const char nobody[8];
    char *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    if (length >= 24)
        memcpy(copy + 16, nobody, sizeof nobody);
    file("in.ckpt", copy, length);
    free(copy);
    check_image(true);
}

// This build, as platform/save/image.c names it.
static uint64_t own_program(void)
{
    static uint64_t hash;
    static uint64_t words[4096];
    FILE *program = hash ? NULL : fopen("/proc/self/exe", "rb");
    for (size_t count; program && (count = fread(words, 1, sizeof words, program)) > 0;)
        hash = ts_hash_words(hash ^ count, words, count / sizeof *words);
    if (program)
        fclose(program);
    return hash;
}

// What is in a file, packed and sealed again.
static void checkpoint_inside(const char *bytes, size_t length)
{
    struct ts_error error = {0};
    file("in.ckpt", "", 0);
    struct ts_stream *stream = ts_stream_create(path, &error);
    if (stream == NULL)
        abort();
    ts_stream_put_number(stream, own_program());
    ts_stream_put(stream, bytes, length);
    if (ts_stream_finish(stream, &error))
        check_image(false);
}

// Small programs and recordings.
static void script(const char *bytes, size_t length)
{
    static struct ts_script self;
    static struct ts_explore_program explored;
    struct ts_error error = {0}, again = {0};
    (void)length;
    ts_script_read(&self, "in", bytes, ts_machines, &error);
    ts_script_free(&self);
    ts_explore_load(&explored, "in", bytes, &again);
    ts_explore_free(&explored);
}

static void scenario(const char *bytes, size_t length)
{
    struct tensim_error error = {0};
    tensim_free(tensim_new_scenario(file("in.yaml", bytes, length), NULL, &error));
}

static void program(const char *bytes, size_t length)
{
    const struct ts_plan_options options = {.bare = true, .unchecked = true};
    struct ts_error error = {0};
    char names[200];
    file("in.yaml", bytes, length);
    ts_plan_is(path);
    ts_plan_settings(path, names, sizeof names);
    ts_plan_free(ts_plan_read(path, &options, &error));
}

static void system_file(const char *bytes, size_t length)
{
    static struct ts_system self;
    struct ts_error error = {0};
    ts_system_find(&self, file("in.yaml", bytes, length), &error);
}

static void chip(const char *bytes, size_t length)
{
    static struct ts_soc self;
    struct ts_error error = {0};
    ts_soc_load(&self, file("in.yaml", bytes, length), &error);
}

static void workload(const char *bytes, size_t length)
{
    struct ts_workload self = {0};
    struct ts_error error = {0};
    ts_workload_load(&self, file("in.json", bytes, length), &soc, &error);
    ts_workload_free(&self);
}

static void npy(const char *bytes, size_t length)
{
    struct ts_value value = {0};
    struct ts_error error = {0};
    if (ts_npy_read(file("in.npy", bytes, length), &value, &error))
        free(value.at);
}

static void journal(const char *bytes, size_t length)
{
    struct ts_error error = {0};
    char *copy = malloc(length + 1), sum[27];
    memcpy(copy, bytes, length + 1);
    // Lines with their sums, which a mutator does not find.
    for (char *line = copy, *end;
         length % 16 && (end = memchr(line, '\n', length - (size_t)(line - copy))) != NULL;
         line = end + 1)
        if (end - line > 26) {
            snprintf(sum, sizeof sum, "{\"sum\":\"%016llx\",",
                     (unsigned long long)ts_hash_bytes(TS_HASH_START, line + 26,
                                                       (size_t)(end - line) - 26));
            memcpy(line, sum, 26);
        }
    file("results.jsonl", copy, length);
    free(copy);
    json_decref(ts_store_about(folder, &error));
}

static void suppress(const char *bytes, size_t length)
{
    const struct ts_checks_how how = {.suppress = file("known", bytes, length)};
    struct ts_error error = {0};
    struct ts_checks_result result = ts_checks(kernel, &how, &error);
    ts_checks_free(&result);
}

// Values of options: --perturb, --lint, --check, --live, --allow, -D.
static void options(const char *bytes, size_t length)
{
    struct ts_perturb_how how = {0};
    struct ts_check_options check;
    struct ts_live_options live = {0};
    struct ts_params params = {0};
    struct ts_error error = {0};
    uint64_t shown;
    unsigned allow;
    char text[TS_LINTS_TEXT];
    (void)length;
    ts_perturb_parse(bytes, &how);
    ts_lints_parse(bytes, &shown, text, sizeof text);
    ts_check_parse(bytes, &check, text, sizeof text);
    ts_live_parse(bytes, &live, text, sizeof text);
    ts_plan_allow(bytes, &allow);
    ts_chip_params_add(&params);
    ts_params_set(&params, bytes, &error);
    ts_params_free(&params);
}

// --- servers

static void live(const char *bytes, size_t length)
{
    static struct ts_live self;
    static struct ts_live_shared shared;
    static struct ts_live_client client;
    if (self.kernel == NULL) {
        self.kernel = kernel;
        self.shared = &shared;
        if (!ts_gdb_machine_init(&self.machine, kernel))
            abort();
    }
    self.mode = length % 2 ? TS_LIVE_PAUSED : TS_LIVE_RUNS;
    client.socket = -1;
    client.used = client.length = client.sent = 0;
    if (length < TS_LIVE_LINE)
        ts_live_command(&self, &client, bytes, length);
}

// Packets with their sums, which a mutator does not find.
static void put_sums(char *bytes, size_t length)
{
    char sum[3];
    for (size_t i = 0, from = 0; i + 2 < length; i++) {
        if (bytes[i] == '$')
            from = i + 1;
        if (bytes[i] != '#' || from == 0)
            continue;
        unsigned total = 0;
        for (; from < i; from++)
            total += (unsigned char)bytes[from];
        snprintf(sum, sizeof sum, "%02x", total & 0xff);
        memcpy(bytes + i + 1, sum, 2);
        from = 0;
    }
}

// All packets of the input, from a connection that ends behind them.
static void gdb(const char *bytes, size_t length)
{
    static struct ts_gdb self;
    static struct ts_gdb_shared shared;
    int ends[2];
    if (self.kernel == NULL) {
        self.kernel = kernel;
        self.shared = &shared;
        self.number = calloc(1, sizeof *self.number);
        self.travel = ts_travel_new(2, 64);
        if (!ts_gdb_machine_init(&self.machine, kernel))
            abort();
        self.last = calloc(ts_gdb_threads(&self.machine), sizeof *self.last);
        if (!ts_gdb_looker_init(&self.looker, &self.machine, &shared.events))
            abort();
    }
    memset(&shared, 0, sizeof shared);
    shared.goal.thread = UINT32_MAX;
    if (length > 30000 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    const int room = 4 << 20;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room); // nobody reads the answers
    shared.wire.socket = ends[0];
    static char copy[30001];
    memcpy(copy, bytes, length);
    if (length % 16)
        put_sums(copy, length);
    if (write(ends[1], copy, length) != (ssize_t)length)
        abort();
    shutdown(ends[1], SHUT_WR);
    close(ends[1]);
    while (setjmp(left) != 0 || shared.wire.socket >= 0) {
        ts_gdb_serve(&self, "", true);
        if (shared.task == TS_GDB_FREE)
            break;
    }
    if (shared.wire.socket >= 0)
        close(shared.wire.socket);
    if (self.alone.on)
        ts_gdb_alone_end(&self);
    free(self.alone.stopped);
    free(self.alone.waits);
    free(self.alone.step);
    free(self.alone.watch);
    self.alone = (struct ts_gdb_alone){0};
}

// --- the table

static const char *const expressions[] = {
    "core / 4 + 3 * (n - 1)",  "relu(a @ b + bias)",    "max(x, 0) ** 2 - exp(-y)",
    "core % 8 == 0 && n >= 3", "sum(a * b) / sqrt(32)", "x ? 1 : -2.5e3",
    "floor(core / ht) * ht",   "normal(0, 1)",          NULL};
static const char *const option_texts[] = {"7:16",
                                           "T0@17+300,2-2/brisc.l1@3+2000",
                                           "result,-lost-post",
                                           "all",
                                           "race:strict,memory,sync",
                                           "back,pause",
                                           "compiler,save",
                                           "noc.hop=10",
                                           "bits=ttsim-1.10.0",
                                           "dram.turnaround=10",
                                           NULL};
static const char *const suppressions[] = {"race-l1 0x20000 1-2 # known\nmemory * * # all\n",
                                           "# nothing\n", NULL};
static const char *const journals[] = {
    "{\"sum\":\"3a0f4a0d2f6e0a10\",\"of\":\"1\",\"tensim\":\"0.1\",\"command\":\"x\",\"shard\":\"1/"
    "2\",\"arguments\":[\"sweep\"]}\n"
    "{\"sum\":\"0\",\"of\":\"1\",\"key\":\"a\",\"code\":0}\n",
    NULL};
static const char *const live_lines[] = {
    "{\"do\":\"run\"}",
    "{\"do\":\"pause\"}",
    "{\"do\":\"step\",\"what\":\"cycle\",\"count\":3}",
    "{\"do\":\"step\",\"what\":\"unit\",\"unit\":\"MATRIX\",\"tile\":\"1-2\"}",
    "{\"do\":\"back\",\"what\":\"write\",\"address\":4096,\"core\":\"trisc1\"}",
    "{\"do\":\"back\",\"what\":\"post\",\"semaphore\":1}",
    "{\"do\":\"step\",\"what\":\"register\",\"register\":31}",
    "{\"do\":\"goto\",\"cycle\":4000}",
    "{\"view\":{\"tile\":\"1-2\",\"core\":\"trisc1\",\"memory\":4096,\"chip\":true}}",
    NULL};
static const char *const packets[] = {
    "$qSupported:multiprocess+;swbreak+#00$Hgp1.3#00$qXfer:features:read:target.xml:0,ffb#00$?#00",
    "$g#67$p20#d2$p7a#3b$P5=01020304#00$m0,40#01$mffb00000,10#00$M8000,4:01020304#00",
    "$Z0,8000,4#00$z0,8000,4#00$Z2,1f00c,4#00$Z3,8000,8#00$vCont?#49$qfThreadInfo#bb$qsThreadInfo#"
    "c8",
    "$qThreadExtraInfo,p1.2#00$Tp1.5#00$vCont;s:p1.2;c#00$QStartNoAckMode#b0$vStopped#00$vCtrlC#00",
    "$QNonStop:1#8d$vCont;c:p1.2#00$vCont;t:p1.-1#00$bs#d5$bc#c5$s#73$c#63$D;1#00$k#6b",
    "$qRcmd,776879#00$qRcmd,6379636c65#00$qRcmd,676f746f203230#00$qRcmd,"
    "627265616b204d564d554c206f6e207431#00",
    "$qRcmd,73656d6170686f726573#00$qRcmd,6362#00$qRcmd,6473742030203136#00$qRcmd,7372632061203320#"
    "00",
    NULL};

const struct parse_target parse_targets[] = {
    {"yaml", yaml, "config/*.yaml config/pipes/*.yaml config/gallery/*.yaml", NULL, 100},
    {"params", params, "config/blackhole.yaml", NULL, 5},
    {"expression", expression, NULL, expressions, 200},
    {"pipe-yaml", parse_pipe_yaml, "config/pipes/*.yaml", NULL, 60},
    {"pipe-pto", parse_pipe_pto, "config/pipes/*.pto", NULL, 100},
    {"pipe-cpp", parse_pipe_cpp, "config/pipes/*.cpp", NULL, 100},
    {"elf", elf, "@guest/matmul.*.elf", NULL, 30},
    {"symbols", symbols, "@guest/matmul.*.elf", NULL, 5},
    {"conform", conform, "tests/conform/rv_*_0.ttv tests/conform/*mvmul*_0.ttv", NULL, 100},
    {"checkpoint", checkpoint, "@tests/seed.ckpt", NULL, 20},
    {"checkpoint-inside", checkpoint_inside, "@tests/seed.plain", NULL, 20},
    {"script", script, "config/gallery/*.yaml", NULL, 60},
    {"scenario", scenario, "config/gallery/tiles/*.yaml config/systems/*/*.yaml", NULL, 2},
    {"program", program, "config/programs/*/*.yaml", NULL, 40},
    {"system", system_file, "config/systems/*.yaml", NULL, 40},
    {"chip", chip, "config/chips/*.yaml", NULL, 60},
    {"workload", workload, "tests/chip/workloads/*.json", NULL, 60},
    {"npy", npy, "@tests/seed.npy", NULL, 100},
    {"journal", journal, NULL, journals, 60},
    {"suppress", suppress, NULL, suppressions, 60},
    {"options", options, NULL, option_texts, 60},
    {"live", live, NULL, live_lines, 200},
    {"gdb", gdb, NULL, packets, 60},
#ifdef TENSIM_WITH_UI
    {"command", parse_command, NULL, parse_lines, 30},
    {"http", parse_http, NULL, parse_requests, 30},
#endif
    {0}};

void parse_unpack(const char *from, const char *to)
{
    struct ts_error error = {0};
    char bytes[1000];
    struct ts_stream *stream = ts_stream_open(from, true, &error);
    FILE *plain = stream ? fopen(to, "wb") : NULL;
    if (stream)
        ts_stream_get_number(stream); // the program
    for (unsigned i = 0; plain && i < 60 && ts_stream_get(stream, bytes, sizeof bytes); i++)
        fwrite(bytes, 1, sizeof bytes, plain);
    if (plain)
        fclose(plain);
    if (stream)
        ts_stream_close(stream, false, &error);
}

void parse_begin(const char *in)
{
    struct ts_error error = {0};
    snprintf(folder, sizeof folder, "%s", in);
    kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    tile = ts_tile_new(ts_domain_new(kernel, "tile"), NULL, &error);
    if (tile == NULL || ts_kernel_elaborate(kernel, &error) != TS_OK ||
        ts_soc_find(&soc, "p150", &error) != TS_OK)
        abort();
    // What programs name: their kernels.
    char command[400];
    snprintf(command, sizeof command, "ln -s %s/config/programs/*/* %s 2> /dev/null",
             TENSIM_SOURCE_DIR, folder);
    if (system(command) < 0)
        abort();
}

void parse_end(void)
{
#ifdef TENSIM_WITH_UI
    parse_ui_end();
#endif
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}
