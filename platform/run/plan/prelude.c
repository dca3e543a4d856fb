// The text that is included before a kernel: what the vendor's build says on its command line and in
// generated headers.
//
// Source: tt-metal, jit_build (build.cpp, genfiles.cpp).
#include "platform/load/loader.h"
#include "platform/run/plan/remedies.h"

static void define(FILE *file, const char *name, uint32_t value)
{
    fprintf(file, "#define %s %u\n", name, value);
}

static void banks(FILE *file, const char *kind, uint32_t count)
{
    fprintf(file, "#define NUM_%s_BANKS %u\n", kind, count);
    if ((count & (count - 1)) == 0)
        fprintf(file, "#define LOG_BASE_2_OF_NUM_%s_BANKS %d\n", kind, __builtin_ctz(count));
    else
        fprintf(file, "#define IS_NOT_POW2_NUM_%s_BANKS 1\n", kind);
}

static void processor_defines(FILE *file, enum ts_processor processor)
{
    static const char *const threads[] = {"UNPACK", "MATH", "PACK"};
    if (processor == TS_ON_BRISC)
        define(file, "COMPILE_FOR_BRISC", 1);
    else if (processor == TS_ON_NCRISC)
        define(file, "COMPILE_FOR_NCRISC", 1);
    else if (processor >= TS_ON)
        define(file, "COMPILE_FOR_ERISC", 1);
    else
        fprintf(file, "#define COMPILE_FOR_TRISC %d\n#define TRISC_%s 1\n#define UCK_CHLKC_%s 1\n",
                processor - TS_ON_TRISC0, threads[processor - TS_ON_TRISC0],
                threads[processor - TS_ON_TRISC0]);
    define(file, "PROCESSOR_INDEX", processor >= TS_ON ? processor - TS_ON : processor);
}

// A parameter's value (a fraction as a float), or the text as it is.
static void macro_text(const struct ts_plan *self, struct ts_yaml_node value, FILE *file)
{
    bool quoted = value.node && ts_yaml_is_quoted(value);
    const char *text = ts_yaml_text(value, "1"), *word = quoted ? NULL : ts_plan_chosen(self, text);
    double number;
    if (word || quoted || !ts_plan_known(self, text, &number))
        fprintf(file, "%s\n", word ? word : text);
    else if (number == floor(number))
        fprintf(file, "%.0f\n", number);
    else
        fprintf(file, "%.9gf\n", (double)(float)number);
}

static void arguments(const struct ts_plan *self, const struct ts_plan_kernel *kernel, FILE *file)
{
    for (uint32_t i = 0; i < kernel->word_count; i++)
        fprintf(file, "%s%u", i ? "," : "#define KERNEL_COMPILE_TIME_ARGS ", kernel->words[i]);
    fputs(kernel->word_count ? "\n" : "", file);
    struct ts_plan_scope scope = {.plan = (struct ts_plan *)self};
    size_t named = kernel->named.node ? ts_yaml_count(kernel->named) : 0;
    for (size_t i = 0; i < named; i++)
        fprintf(file, "%s{\"%s\", %u}", i ? ", " : "#define KERNEL_COMPILE_TIME_ARG_MAP ",
                ts_yaml_text(ts_yaml_key(kernel->named, i), ""),
                ts_plan_word(&scope, ts_yaml_value(kernel->named, i)));
    fputs(named ? "\n" : "", file);
    for (size_t i = 0; kernel->defines.node && i < ts_yaml_count(kernel->defines); i++) {
        struct ts_yaml_node value = ts_yaml_value(kernel->defines, i);
        if (ts_yaml_is_map(value) && !ts_plan_when((struct ts_plan *)self, value))
            continue;
        fprintf(file, "#define %s ", ts_yaml_text(ts_yaml_key(kernel->defines, i), ""));
        macro_text(self, ts_yaml_is_map(value) ? ts_yaml_find(value, "value") : value, file);
    }
}

// --- descriptors of the circular buffers ---

// The buffers that a kernel's cores have, by number.
static void buffers_of(const struct ts_plan *self, const struct ts_plan_kernel *kernel,
                       uint8_t formats[TS_PROGRAM_CBS], uint8_t faces[TS_PROGRAM_CBS],
                       uint8_t face_rows[TS_PROGRAM_CBS])
{
    memset(formats, TS_PLAN_FORMAT_NONE, TS_PROGRAM_CBS);
    for (const struct ts_plan_cb *cb = self->cbs; cb < self->cbs + self->cb_count; cb++)
        for (uint32_t c = 0; c < cb->cores.count; c++)
            for (uint32_t k = 0; k < kernel->cores.count; k++)
                if (memcmp(&cb->cores.at[c], &kernel->cores.at[k], sizeof kernel->cores.at[k]) ==
                    0) {
                    formats[cb->id] = (uint8_t)cb->format;
                    faces[cb->id] = cb->faces;
                    face_rows[cb->id] = cb->face_rows;
                }
}

static void array(FILE *file, const char *type, const char *name, const uint8_t formats[],
                  uint32_t (*of)(unsigned))
{
    fprintf(file, "constexpr %s %s[%d] = {", type, name, TS_PROGRAM_CBS);
    for (unsigned i = 0; i < TS_PROGRAM_CBS; i++)
        fprintf(file, "%s%u", i ? "," : "",
                of ? formats[i] == TS_PLAN_FORMAT_NONE ? 0 : of(formats[i]) : formats[i]);
    fputs("};\n", file);
}

static uint32_t tile_side(unsigned format)
{
    (void)format;
    return 32;
}

static void descriptors(const struct ts_plan *self, const struct ts_plan_kernel *kernel, FILE *file)
{
    static const char *const sides[] = {"unpack", "pack"};
    uint8_t formats[TS_PROGRAM_CBS], faces[TS_PROGRAM_CBS] = {0}, face_rows[TS_PROGRAM_CBS] = {0};
    struct ts_plan_formats table;
    buffers_of(self, kernel, formats, faces, face_rows);
    ts_plan_format_infer(&table, formats, kernel->fp32, kernel->precise, kernel->to_dest);
    fprintf(file, "#include <stdint.h>\n");
    fprintf(file, "constexpr bool DST_ACCUM_MODE = %s;\nconstexpr bool APPROX = %s;\n",
            kernel->fp32 ? "true" : "false", kernel->approx ? "true" : "false");
    define(file, "TS_DST_SYNC_FULL", kernel->full_sync);
    define(file, "TS_MATH_FIDELITY", kernel->fidelity);
    array(file, "uint8_t", "unpack_src_format", table.unpack_src, NULL);
    array(file, "uint8_t", "unpack_dst_format", table.unpack_dst, NULL);
    array(file, "uint8_t", "pack_src_format", table.pack_src, NULL);
    array(file, "uint8_t", "pack_dst_format", table.pack_dst, NULL);
    const struct {
        const char *type, *name;
        const uint8_t *values;
        uint32_t (*of)(unsigned);
    } rows[] = {{"uint16_t", "tile_size", formats, ts_plan_format_tile_bytes},
                {"uint8_t", "tile_r_dim", formats, tile_side},
                {"uint8_t", "tile_c_dim", formats, tile_side},
                {"uint8_t", "tile_num_faces", faces, NULL},
                {"uint8_t", "tile_face_r_dim", face_rows, NULL}};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s", sides[side], rows[i].name);
            array(file, rows[i].type, name, rows[i].values, rows[i].of);
        }
}

// --- names ---

static void named_words(FILE *file, struct ts_yaml_node map, const char *type)
{
    for (size_t i = 0; ts_yaml_is_map(map) && i < ts_yaml_count(map); i++)
        fprintf(file, "constexpr experimental::%s<uint32_t> %s{%zu};\n", type,
                ts_yaml_text(ts_yaml_key(map, i), ""), 4 * i);
}

static uint32_t words_of(struct ts_yaml_node node)
{
    return node.node ? (uint32_t)ts_yaml_count(node) : 0;
}

// Arguments behind those with a name: get_vararg(i), get_common_vararg(i).
static void unnamed_words(FILE *file, const char *kind, uint32_t first)
{
    fprintf(file,
            "FORCE_INLINE uint32_t get_%svararg(uint32_t index)\n"
            "{\n    return get_%sarg_val<uint32_t>(int(%u + index));\n}\n",
            kind, kind, first);
}

// What the kernel knows by name: namespaces args, dfb, sem and tensor, as the vendor's build makes
// them for programs whose host names everything.
static void bindings(const struct ts_plan *self, const struct ts_plan_kernel *kernel, bool moves,
                     FILE *file)
{
    struct ts_plan_scope scope = {.plan = (struct ts_plan *)self};
    if (!ts_yaml_is_map(kernel->args) && !ts_yaml_is_map(kernel->common) &&
        !ts_yaml_is_map(kernel->compile) && !kernel->tensors.node && !kernel->buffers.node &&
        !kernel->varargs.node && !kernel->common_varargs.node)
        return;
    fputs("#include \"experimental/kernel_args.h\"\n"
          "#include \"api/dataflow/dataflow_buffer.h\"\nnamespace args {\n",
          file);
    named_words(file, kernel->args, "RtaArg");
    named_words(file, kernel->common, "CrtaArg");
    for (size_t i = 0; ts_yaml_is_map(kernel->compile) && i < ts_yaml_count(kernel->compile); i++)
        fprintf(file, "constexpr experimental::CtaVal<uint32_t> %s{%u};\n",
                ts_yaml_text(ts_yaml_key(kernel->compile, i), ""),
                ts_plan_word(&scope, ts_yaml_value(kernel->compile, i)));
    fputs("}\nnamespace dfb {\n", file);
    for (size_t i = 0; kernel->buffers.node && i < ts_yaml_count(kernel->buffers); i++)
        fprintf(file, "constexpr DFBBindingToken %s{%u};\n",
                ts_yaml_text(ts_yaml_key(kernel->buffers, i), ""),
                ts_plan_word(&scope, ts_yaml_value(kernel->buffers, i)));
    fputs("}\nnamespace sem {\n", file);
    for (uint32_t i = 0; i < self->semaphore_count; i++)
        fprintf(file, "constexpr SemaphoreBindingToken %s{%u};\n", self->semaphores[i].name, i);
    fputs("}\nnamespace tensor {\n", file);
    for (uint32_t i = 0; moves && i < kernel->bound_count; i++)
        fprintf(file,
                "using %s_t = tensor_accessor::TensorBindingToken<%u, %u>;\nconstexpr %s_t %s{};\n",
                kernel->bound[i].name, kernel->bound[i].word, 4 * kernel->bound[i].address,
                kernel->bound[i].name, kernel->bound[i].name);
    fputs("}\n", file);
    unnamed_words(file, "", words_of(kernel->args));
    unnamed_words(file, "common_", words_of(kernel->common) + kernel->bound_count);
}

// ---- kernels that are functions with parameters: template <uint32_t a> TT_KERNEL void NAME(uint32_t b)

// Copies the text without its comments, on one line.
static char *without_comments(const char *text, size_t length)
{
    char *copy = ts_need(malloc(length + 1), "a kernel"), *to = copy;
    for (const char *at = text, *end = text + length; at < end;) {
        const char *stop = at[0] != '/' || at + 1 == end ? NULL
                           : at[1] == '/'                ? "\n"
                           : at[1] == '*'                ? "*/"
                                                         : NULL;
        if (stop == NULL) {
            *to++ = *at == '\n' ? ' ' : *at;
            at++;
            continue;
        }
        while (at < end && strncmp(at, stop, strlen(stop)) != 0)
            at++;
        at += at < end && *stop == '*' ? 2 : 0;
    }
    *to = '\0';
    return copy;
}

// The names of "type a, type b", each as get_arg(args::NAME).
static void pass(FILE *file, const char *list, size_t length)
{
    const char *end = list + length;
    for (const char *at = list, *comma; at < end; at = comma + 1) {
        comma = memchr(at, ',', (size_t)(end - at));
        comma = comma ? comma : end;
        const char *last = comma;
        while (last > at && isspace((unsigned char)last[-1]))
            last--;
        const char *first = last;
        while (first > at && (isalnum((unsigned char)first[-1]) || first[-1] == '_'))
            first--;
        if (first < last)
            fprintf(file, "%sget_arg(args::%.*s)", at == list ? "" : ", ", (int)(last - first),
                    first);
    }
}

// TT_KERNEL becomes: a declaration of the kernel's function, a kernel_main that calls the function, and the "template <...>" of
// the function once more, since the first one belongs to the declaration now.
static void entry(const struct ts_plan *self, const struct ts_plan_kernel *kernel, FILE *file)
{
    char path[PATH_MAX];
    size_t length;
    struct ts_error error = {0};
    ts_plan_source(self, path, sizeof path, kernel->source);
    char *bytes = ts_read_file(path, &length, &error);
    char *text = bytes ? without_comments(bytes, length) : NULL;
    const char *at = text ? strstr(text, "TT_KERNEL") : NULL;
    const char *list = at ? strchr(at, '(') : NULL, *close = list ? strchr(list, ')') : NULL;
    if (close) {
        const char *name = list;
        while (isalnum((unsigned char)name[-1]) || name[-1] == '_')
            name--;
        const char *before = at; // "template <...> "
        while (before > text && isspace((unsigned char)before[-1]))
            before--;
        const char *open = before;
        while (open > text && *open != '<' && before[-1] == '>')
            open--;
        int types = before[-1] == '>' ? (int)(before - 1 - (open + 1)) : 0;
        fprintf(file,
                "#undef TT_KERNEL\n#define TT_KERNEL static void %.*s; void kernel_main() { %.*s",
                (int)(close + 1 - name), name, (int)(list - name), name);
        if (types) {
            fputs("<", file);
            pass(file, open + 1, (size_t)types);
            fputs(">", file);
        }
        fputs("(", file);
        pass(file, list + 1, (size_t)(close - list - 1));
        fputs("); } ", file);
        if (types)
            fprintf(file, "template <%.*s> ", types, open + 1);
        fputs("static FORCE_INLINE\n", file);
    }
    free(text);
    free(bytes);
}

void ts_plan_prelude(const struct ts_plan *self, const struct ts_plan_kernel *kernel,
                     enum ts_processor processor, bool print, FILE *file)
{
    bool moves = processor <= TS_ON_NCRISC || processor >= TS_ON;
    fputs("#pragma once\n", file);
    define(file, self->soc.machine->arch, 1);
    define(file, "KERNEL_BUILD", 1);
    processor_defines(file, processor);
    define(file, "NOC_INDEX", kernel->noc);
    define(file, "NOC_MODE", kernel->dynamic_noc);
    banks(file, "DRAM", self->soc.banks);
    if (self->soc.parts > 1)
        fprintf(file, "#define TS_DRAM_PARTS %u\n#define TS_DRAM_PART_BYTES 0x%llxu\n",
                self->soc.parts, (unsigned long long)self->dram_end);
    banks(file, "L1", self->columns * self->rows);
    define(file, "PCIE_NOC_X", 19);
    define(file, "PCIE_NOC_Y", 24);
    define(file, "MM_THROTTLE", kernel->throttle);
    ts_remedies_define(self, file);
    if (self->space)
        define(file, "TS_SEQUENCE", 1);
    if (self->registers)
        define(file, "TS_CB_REGISTERS", 1);
    define(file, "PROFILE_KERNEL", 1);
    if (print)
        define(file, "DEBUG_PRINT_ENABLED", 1);
    arguments(self, kernel, file);
    descriptors(self, kernel, file);
    if (moves)
        fputs("#include \"api/dataflow/dataflow_api.h\"\n", file);
    bindings(self, kernel, moves, file);
    entry(self, kernel, file);
}
