// The operation table as ops_perf_results.csv (layer.h): the columns of tt-metal's profiler, in its order, as tt-perf-report and
// ttnn-visualizer read them. A cell that tensim knows nothing of is empty: host times, hashes of sources, counters, traces.
//
// Source: tt-metal tools/tracy/process_ops_logs.py (OPS_CSV_HEADER), tt-perf-report perf_report.py.
// Times are integer ns of cycles at the clock. The kernel window is tensim's: firmware around kernels is part of the gaps, so the
// firmware columns stay empty. PM columns are the vendor's formulas (matmul: 2*M*K*N / (cores x 4096) x phases).
#include "platform/base/json.h"
#include "platform/run/layer/layer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TENSORS 8 // inputs, and outputs, at most

// Commas would be columns.
static void put(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc(*text == ',' || *text == '"' || *text == '\n' ? ';' : *text, file);
}

static unsigned widest(const json_t *rows, bool output)
{
    unsigned most = 0;
    size_t i, k;
    json_t *row, *tensor;
    json_array_foreach(rows, i, row)
    {
        unsigned count = 0;
        json_array_foreach(json_object_get(row, "tensors"), k, tensor)
            count += json_is_true(json_object_get(tensor, "output")) == output;
        most = count > most ? count : most;
    }
    return most < TENSORS ? most : TENSORS;
}

static const json_t *tensor_at(const json_t *row, bool output, unsigned index)
{
    size_t i;
    json_t *tensor;
    json_array_foreach(json_object_get(row, "tensors"), i,
                       tensor) if (json_is_true(json_object_get(tensor, "output")) == output &&
                                   index-- == 0) return tensor;
    return NULL;
}

// The vendor's name of a format.
static const char *datatype(const char *format)
{
    static const char *const names[][2] = {
        {"bf16", "BFLOAT16"}, {"fp32", "FLOAT32"},  {"bfp8", "BFLOAT8_B"}, {"bfp4", "BFLOAT4_B"},
        {"uint32", "UINT32"}, {"uint16", "UINT16"}, {"int32", "INT32"},    {"uint8", "UINT8"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], format) == 0)
            return names[i][1];
    return "";
}

static void put_tensor(FILE *file, const json_t *tensor)
{
    if (tensor == NULL) {
        fputs(",,,,,,,", file);
        return;
    }
    const json_int_t rows = ts_json_integer(tensor, "rows"),
                     columns = ts_json_integer(tensor, "columns");
    const char *memory = json_string_value(json_object_get(tensor, "memory"));
    // Which of the vendor's three ways to shard it is: not known, so ND.
    const char *layout = strcmp(memory, "L1_SHARDED") == 0     ? "L1_ND_SHARDED"
                         : strcmp(memory, "DRAM_SHARDED") == 0 ? "DRAM_ND_SHARDED"
                                                               : memory;
    fprintf(file,
            "1[1],1[1],%" JSON_INTEGER_FORMAT "[%" JSON_INTEGER_FORMAT "],%" JSON_INTEGER_FORMAT
            "[%" JSON_INTEGER_FORMAT "],%s,%s,DEV_0_%s,",
            rows, rows, columns, columns, json_string_value(json_object_get(tensor, "layout")),
            datatype(json_string_value(json_object_get(tensor, "format"))), layout);
}

static void put_tensor_heads(FILE *file, const char *kind, unsigned count)
{
    static const char *const names[] = {"W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]",
                                        "X_PAD[LOGICAL]", "LAYOUT",         "DATATYPE",
                                        "MEMORY"};
    for (unsigned i = 0; i < count; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            fprintf(file, "%s_%u_%s,", kind, i, names[n]);
}

struct clock {
    double mhz;
};

static void put_ns(FILE *file, const struct clock *clock, double cycles)
{
    fprintf(file, "%.0f,", cycles * 1000 / clock->mhz);
}

// First begin to last end of a processor; empty: it has no kernel.
static void put_span(FILE *file, const struct clock *clock, const json_t *row, const char *name)
{
    const json_t *span = json_object_get(json_object_get(row, "spans"), name);
    if (span)
        put_ns(file, clock,
               json_number_value(json_array_get(span, 1)) -
                   json_number_value(json_array_get(span, 0)));
    else
        fputc(',', file);
}

// From the first begin of a kernel that moves data to the end.
static void put_from_movers(FILE *file, const struct clock *clock, const json_t *row)
{
    double first = HUGE_VAL;
    for (unsigned p = 0; p < 2; p++) {
        const json_t *span = json_object_get(json_object_get(row, "spans"),
                                             ts_program_processors[p]);
        if (span && json_number_value(json_array_get(span, 0)) < first)
            first = json_number_value(json_array_get(span, 0));
    }
    if (first < HUGE_VAL)
        put_ns(file, clock, ts_json_number(row, "cycles") - first);
    else
        fputc(',', file);
}

static bool is_matmul(const json_t *row)
{
    const char *program = json_string_value(json_object_get(row, "program"));
    return strstr(program, "@") != NULL;
}

static void put_code(FILE *file, const json_t *row)
{
    if (is_matmul(row))
        fputs("Matmul ", file);
    put(file, json_string_value(json_object_get(row, "name")));
    fputc(',', file);
}

// IDEAL, COMPUTE, BANDWIDTH, REQ I BW, REQ O BW, FPU UTIL.
static void put_model(FILE *file, const struct clock *clock, const json_t *row)
{
    const char *fidelity = json_string_value(json_object_get(row, "fidelity"));
    const double phases = fidelity[0] == 'h' ? fidelity[4] - '0' : 1,
                 compute = ts_json_number(row, "flops") /
                           (ts_json_number(row, "available") * 4096) * phases,
                 kernel = ts_json_number(row, "cycles");
    double ns = 1;
    size_t i;
    json_t *tensor;
    json_array_foreach(json_object_get(row, "tensors"), i, tensor)
    {
        const double bytes = ts_json_number(tensor, "bytes") / (512.0 * 1.073741824);
        if (strncmp(json_string_value(json_object_get(tensor, "memory")), "DRAM", 4) == 0)
            ns = bytes > ns ? bytes : ns;
    }
    const double computes = compute * 1000 / clock->mhz;
    if (is_matmul(row))
        fprintf(file, "%.0f,%.0f,%.0f,,,%.3f", computes > ns ? computes : ns, computes, ns,
                kernel > 0 ? 100 * compute / kernel : 0);
    else
        fputs("1,1,1,,,", file);
}

static const char heads[] =
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,"
    "AVAILABLE WORKER CORE COUNT,SUB DEVICE ID,PARALLELIZATION STRATEGY,HOST START TS,HOST END TS,"
    "HOST DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END CYCLE,OP TO OP LATENCY [ns],"
    "OP TO OP LATENCY BR/NRISC START [ns],DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],"
    "DEVICE KERNEL DURATION DM START [ns],DEVICE KERNEL DURATION PER CORE MIN [ns],"
    "DEVICE KERNEL DURATION PER CORE MAX [ns],DEVICE KERNEL DURATION PER CORE AVG [ns],"
    "DEVICE KERNEL FIRST TO LAST START [ns],DEVICE BRISC KERNEL DURATION [ns],"
    "DEVICE NCRISC KERNEL DURATION [ns],DEVICE TRISC0 KERNEL DURATION [ns],"
    "DEVICE TRISC1 KERNEL DURATION [ns],DEVICE TRISC2 KERNEL DURATION [ns],"
    "DEVICE ERISC KERNEL DURATION [ns],DEVICE COMPUTE CB WAIT FRONT [ns],"
    "DEVICE COMPUTE CB RESERVE BACK [ns],DISPATCH TOTAL CQ CMD OP TIME [ns],"
    "DISPATCH GO SEND WAIT TIME [ns],";
static const char tail[] =
    "METAL TRACE ID,METAL TRACE REPLAY SESSION ID,COMPUTE KERNEL SOURCE,COMPUTE KERNEL HASH,"
    "DATA MOVEMENT KERNEL SOURCE,DATA MOVEMENT KERNEL HASH,PROGRAM HASH,PROGRAM CACHE HIT,"
    "PM IDEAL [ns],PM COMPUTE [ns],PM BANDWIDTH [ns],PM REQ I BW,PM REQ O BW,PM FPU UTIL (%),"
    "NOC UTIL (%),MULTICAST NOC UTIL (%),DRAM BW UTIL (%),DRAM BW UTIL PER CTRL (%),"
    "ETH BW UTIL (%),NPE CONG IMPACT (%)\n";

static const char *fidelity_of(const json_t *row)
{
    static const char *const names[][2] = {
        {"lofi", "LoFi"}, {"hifi2", "HiFi2"}, {"hifi3", "HiFi3"}, {"hifi4", "HiFi4"}};
    const char *name = json_string_value(json_object_get(row, "fidelity"));
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return "";
}

static void put_row(FILE *file, const struct clock *clock, const json_t *row, size_t number,
                    unsigned inputs, unsigned outputs)
{
    put_code(file, row);
    fprintf(file, "tt_dnn_device,%zu,0,blackhole,", 1024 * (number + 1));
    put(file, json_string_value(json_object_get(row, "settings")));
    fprintf(file, ",%s,%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ",,,,,,,,", fidelity_of(row),
            ts_json_integer(row, "cores"), ts_json_integer(row, "available"));
    put_ns(file, clock, ts_json_number(row, "gap"));
    fputs(",,", file); // latency to the movers' start, firmware
    put_ns(file, clock, ts_json_number(row, "cycles"));
    put_from_movers(file, clock, row);
    fputs(",,,", file); // of each core
    put_ns(file, clock, ts_json_number(row, "first_to_last_start"));
    for (unsigned p = 0; p < TS_ON; p++)
        put_span(file, clock, row, ts_program_processors[p]);
    fputs(",,,,,", file); // Ethernet, waits of buffers, dispatch
    for (unsigned i = 0; i < inputs; i++)
        put_tensor(file, tensor_at(row, false, i));
    for (unsigned i = 0; i < outputs; i++)
        put_tensor(file, tensor_at(row, true, i));
    fprintf(file, ",,,,,,%" JSON_INTEGER_FORMAT ",,", ts_json_integer(row, "hash"));
    put_model(file, clock, row);
    fputs(",,,,,,\n", file);
}

void ts_layer_csv(const void *document, FILE *file)
{
    const json_t *rows = json_object_get(document, "operations");
    const struct clock clock = {ts_json_number(document, "clock_mhz")};
    const unsigned inputs = widest(rows, false), outputs = widest(rows, true);
    size_t i;
    json_t *row;
    fputs(heads, file);
    put_tensor_heads(file, "INPUT", inputs);
    put_tensor_heads(file, "OUTPUT", outputs);
    fputs(tail, file);
    json_array_foreach(rows, i, row) put_row(file, &clock, row, i, inputs, outputs);
}
