// Parameters of a kernel by their names on the command line (kernel_run.h).
#include "config/yaml.h"
#include "platform/study/kernel_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char *value, uint32_t low, uint32_t high, uint32_t *to, const char *name,
                   char *text, size_t size)
{
    int64_t result;
    if (!ts_parse_int(value, &result) || result < low || result > high) {
        snprintf(text, size, "--%s: '%s' is not a number from %u to %u", name, value, low, high);
        return false;
    }
    *to = (uint32_t)result;
    return true;
}

static bool real(const char *value, double low, double high, double *to, const char *name,
                 char *text, size_t size)
{
    char *end;
    *to = strtod(value, &end);
    if (end != value && *end == '\0' && *to >= low && *to <= high)
        return true;
    snprintf(text, size, "--%s: '%s' is not a number from %g to %g", name, value, low, high);
    return false;
}

static bool choose(const char *value, const char *const *names, uint32_t *to, const char *name,
                   char *text, size_t size)
{
    for (uint32_t i = 0; names[i]; i++)
        if (strcmp(names[i], value) == 0) {
            *to = i;
            return true;
        }
    snprintf(text, size, "--%s: no '%s'", name, value);
    return false;
}

bool ts_spec_set(struct ts_job_spec *spec, const char *name, const char *value, char *text,
                 size_t size)
{
    static const char *const fidelities[] = {"lofi", "hifi2", "hifi3", "hifi4", NULL};
    static const char *const widths[] = {"16", "32", NULL};
    static const char *const types[] = {"l1_to_l1",     "unpack_isolate", "math_isolate",
                                        "pack_isolate", "l1_congestion",  NULL};
    uint32_t to = 0;
    if (strcmp(name, "m") == 0)
        return number(value, 32, 1 << 20, &spec->m, name, text, size);
    if (strcmp(name, "n") == 0)
        return number(value, 32, 1 << 20, &spec->n, name, text, size);
    if (strcmp(name, "k") == 0)
        return number(value, 32, 1 << 20, &spec->k, name, text, size);
    if (strcmp(name, "throttle") == 0)
        return number(value, 0, 5, &spec->throttle, name, text, size);
    if (strcmp(name, "repeat") == 0)
        return number(value, 1, 1 << 20, &spec->repeat, name, text, size);
    if (strcmp(name, "blocks") == 0)
        return number(value, 1, 1 << 16, &spec->blocks, name, text, size);
    if (strcmp(name, "seed") == 0) {
        bool good = number(value, 0, INT32_MAX, &to, name, text, size);
        spec->seed = to;
        return good;
    }
    if (strcmp(name, "mean") == 0)
        return real(value, -1e6, 1e6, &spec->mean, name, text, size);
    if (strcmp(name, "spread") == 0)
        return real(value, 0, 1e6, &spec->spread, name, text, size);
    if (strcmp(name, "format") == 0 || strcmp(name, "out-format") == 0) {
        int format = ts_datum_by_name(value);
        if (format < 0) {
            snprintf(text, size, "--%s: no '%s'", name, value);
            return false;
        }
        bool a = format == TS_DF_FP16 || format == TS_DF_FP8 || format == TS_DF_BFP8A ||
                 format == TS_DF_BFP4A || format == TS_DF_BFP2A;
        if (name[0] == 'f')
            spec->format = (unsigned)format;
        // The result is 16 bits wide unless asked for otherwise: 5-bit exponents in, 5-bit
        // exponents out.
        if (name[0] == 'o' || !spec->out_given)
            spec->out_format = name[0] == 'o'         ? (unsigned)format
                               : format == TS_DF_INT8 ? TS_DF_INT32
                               : a                    ? TS_DF_FP16
                                                      : TS_DF_BF16;
        spec->dst32 = spec->dst32 || format == TS_DF_INT8; // sums of integers are 32 bits wide
        spec->out_given = spec->out_given || name[0] == 'o';
        return true;
    }
    if (strcmp(name, "fidelity") == 0) {
        bool good = choose(value, fidelities, &to, name, text, size);
        spec->phases = to + 1;
        return good;
    }
    if (strcmp(name, "dst") == 0) {
        bool good = choose(value, widths, &to, name, text, size);
        spec->dst32 = to == 1;
        return good;
    }
    if (strcmp(name, "run-type") == 0) {
        bool good = choose(value, types, &to, name, text, size);
        spec->run_type = (enum ts_run_type)to;
        return good;
    }
    if (strcmp(name, "sub-block") == 0) {
        unsigned h, w;
        int end = 0;
        if (sscanf(value, "%ux%u%n", &h, &w, &end) != 2 || value[end] || h == 0 || w == 0) {
            snprintf(text, size, "--sub-block: '%s' is not HxW", value);
            return false;
        }
        spec->sub_h = h;
        spec->sub_w = w;
        return true;
    }
    if (strcmp(name, "grid") == 0) {
        unsigned columns, rows;
        int end = 0;
        if (sscanf(value, "%ux%u%n", &columns, &rows, &end) != 2 || value[end] || rows == 0 ||
            columns == 0) {
            snprintf(text, size, "--grid: '%s' is not COLUMNSxROWS", value);
            return false;
        }
        spec->grid_rows = rows;
        spec->grid_columns = columns;
        return true;
    }
    if (strcmp(name, "storage") == 0) {
        static const char *const places[] = {"l1/dram/l1", "l1/dram/dram", "dram/dram/l1",
                                             "dram/dram/dram", NULL};
        if (!choose(value, places, &to, name, text, size))
            return false;
        spec->storage_given = true;
        spec->in0_dram = to >= 2;
        spec->out_dram = to % 2 == 1;
        return true;
    }
    if (strcmp(name, "op") == 0)
        spec->op = value;
    else if (strcmp(name, "broadcast") == 0)
        spec->broadcast = value;
    else {
        snprintf(text, size, "no parameter '%s'", name);
        return false;
    }
    return true;
}
