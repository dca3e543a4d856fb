// tensim-bench prices: what single things cost, in host instructions.
//
// Each row runs something in two sizes under valgrind and divides the difference of the instructions by the difference of
// the sizes: set-up, boot and end cancel. The same build has the same figures on every run and on every host of its
// architecture, but for some thousand instructions of a run (hash tables with random seeds). A small thing is a guest of price_guests.c, which this program runs in a child of its own
// (--rounds); a whole run is a command of tensim. Bars and reaches are those that the engine works towards.
#include "platform/bench/bench.h"
#include "platform/bench/command.h"
#include "platform/bench/prices.h"
#include "platform/out/progress.h"

#include "platform/base/json.h"
#include "platform/base/private.h"

#include <sys/utsname.h>
#include <unistd.h>

// A transfer without cores: from tile to tile in a column, or from DRAM.
#define TRANSFER                                                                                \
    "{\"phases\": [{\"transfers\": [{\"packet_size\": 64, \"num_packets\": %u, \"src_x\": %u, " \
    "\"src_y\": %u, \"dst_x\": 1, \"dst_y\": %u, \"noc_type\": \"NOC_0\", "                     \
    "\"noc_event_type\": \"%s\"}]}]}"

static const struct price {
    const char *name;
    const char *unit;
    const char
        *command; // of tensim, with one size; NULL: a guest; "noc": a workload of the networks
    uint32_t size[2];
    double units; // between the two sizes; 0: the guest says how many
    double bar, reach;
    const char *over; // bar and reach are multiples of this row's price
} prices[] = {
#define TS_PRICE(name, unit, command, low, high, units, bar, reach, over) \
    {#name, unit, command, {low, high}, units, bar, reach, over},
#include "config/prices.def"
};
#define PRICES (sizeof prices / sizeof *prices)

// The workload of a row of the networks, in a file.
static bool write_transfer(const char *path, const struct price *self, uint32_t size)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    if (strcmp(self->name, "noc_hop") == 0)
        fprintf(file, TRANSFER, 4000, 1, 2, size, "WRITE");
    else
        fprintf(file, TRANSFER, size, 9, 0, 2, "READ");
    return fclose(file) == 0;
}

// Counts a run; returns the things that it did, 0 where it failed.
static double count(const struct price *self, const char *directory, const char *scratch,
                    uint32_t size, double *host)
{
    char program[420], text[256], *argv[24] = {program}, *rest = text;
    bool guest = self->command == NULL;
    snprintf(program, sizeof program, "%s/%s", directory, guest ? "tensim-bench" : "tensim");
    if (guest)
        snprintf(text, sizeof text, "prices --json=- --only=%s --rounds=%u", self->name, size);
    else if (strcmp(self->command, "noc") == 0)
        snprintf(text, sizeof text, "run %s -q", scratch);
    else {
        int length = snprintf(text, sizeof text, self->command, size);
        snprintf(text + length, sizeof text - (size_t)length, " -q");
    }
    for (size_t i = 1; i < 23 && (argv[i] = strtok_r(rest, " ", &rest)); i++)
        ;
    if (!guest && strcmp(self->command, "noc") == 0 && !write_transfer(scratch, self, size))
        return 0;
    struct ts_bench_cost cost = {0};
    json_t *answer = NULL;
    bool good = ts_bench_command(argv, false, true, &cost, guest ? &answer : NULL);
    double units = guest ? ts_json_number(answer, "units") : 1;
    json_decref(answer);
    *host = cost.host;
    return good && cost.host > 0 ? units : 0;
}

static json_t *run_guest(const struct ts_bench_options *options, const char *directory)
{
    double units = ts_price_guest(options->only ? options->only : "", options->rounds, directory);
    return units > 0 ? json_pack("{s:f}", "units", units) : NULL;
}

static double price_of(const json_t *rows, const char *name)
{
    size_t i;
    json_t *row;
    double price = 0;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
            price = json_real_value(json_object_get(row, "host_instructions"));
    }
    return price;
}

static bool named(const struct ts_bench_options *options, const struct price *self)
{
    return ts_bench_wanted(options->only, self->name) ||
           (self->bar > 0 && ts_bench_wanted(options->only, "bars"));
}

// Is the row asked for, or one that is a multiple of it?
static bool wanted(const struct ts_bench_options *options, const struct price *self)
{
    bool yes = named(options, self);
    for (size_t i = 0; i < PRICES; i++)
        if (prices[i].over && strcmp(prices[i].over, self->name) == 0)
            yes = yes || named(options, &prices[i]);
    return yes;
}

static json_t *run(const struct ts_bench_options *options)
{
    char directory[400], scratch[200];
    struct utsname host;
    ts_private_program(directory, sizeof directory);
    if (options->rounds > 0)
        return run_guest(options, directory);
    if (!ts_temporary_new(scratch, sizeof scratch, "price", false) || uname(&host) != 0) {
        fprintf(stderr, "tensim-bench: %s: cannot be created\n", scratch);
        return NULL;
    }
    size_t left = 0;
    for (size_t i = 0; i < PRICES; i++)
        left += wanted(options, &prices[i]);
    json_t *rows = json_array();
    struct ts_progress *progress = ts_progress_new("rows", (double)left, false);
    ts_progress_watch(progress, NULL, NULL);
    for (size_t i = 0; i < PRICES; i++) {
        const struct price *self = &prices[i];
        double counted[2] = {0}, things[2] = {0};
        if (!wanted(options, self))
            continue;
        for (unsigned k = 0; k < 2; k++)
            things[k] = count(self, directory, scratch, self->size[k], &counted[k]);
        ts_progress_add(progress, 1);
        if (things[0] == 0 || things[1] == 0)
            continue;
        double units = self->units > 0 ? self->units : things[1] - things[0];
        double price = (counted[1] - counted[0]) / units;
        json_t *row = json_pack("{s:s, s:s, s:f}", "name", self->name, "unit", self->unit,
                                "host_instructions", price);
        double base = self->over ? price_of(rows, self->over) : 1;
        if (self->bar > 0)
            ts_json_more(row, "{s:f, s:f}", "bar", self->bar * base, "reach", self->reach * base);
        if (self->over && base > 0)
            json_object_set_new(row, "times", json_real(price / base));
        json_array_append_new(rows, row);
    }
    ts_progress_free(progress);
    unlink(scratch);
    bool all = json_array_size(rows) == left;
    json_t *document = json_pack("{s:s, s:s, s:o}", "machine", host.machine, "compiler",
                                 __VERSION__, "rows", rows);
    if (all)
        return document;
    fprintf(stderr,
            "tensim-bench: prices need valgrind, and tensim and libttsim.so of this build\n");
    json_decref(document);
    return NULL;
}

const struct ts_bench ts_bench_prices = {
    .name = "prices",
    .text = "host instructions of single things",
    .run = run,
};
