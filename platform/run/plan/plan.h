// A program file (YAML), read and placed: tensors, core ranges, circular buffers, semaphores,
// kernels, arguments, and what to expect. README.md describes the file.
//
//   ts_plan_read --> ts_plan_compile (images of the kernels) --> ts_plan_place (addresses, a launch
//   block for each core) --> ts_plan_load (tiles, DRAM) --> run --> ts_plan_check
//
// Kernels, memory and arguments lie where the vendor's runtime puts them (tt-metal); our own places
// are in cores/guest/include/program.h.
#pragma once

#include "cores/guest/include/eth_launch.h"
#include "cores/guest/include/program.h"
#include "platform/account/tensor.h"
#include "platform/base/eval.h"
#include "platform/base/yaml.h"
#include "platform/chip/system.h"

#define TS_PLAN_TENSORS    64
#define TS_PLAN_KERNELS    64
#define TS_PLAN_SETS       32
#define TS_PLAN_PARAMS     64
#define TS_PLAN_SEMAPHORES 16
#define TS_PLAN_CORES      TS_PROGRAM_BANKS
#define TS_PLAN_WORDS      512 // of a core's configuration, and of a kernel's compile-time arguments
#define TS_PLAN_CONFIG     2048 // words of arguments of a core
#define TS_PLAN_DIMENSIONS 8    // of a tensor
#define TS_PLAN_BOUND      16   // tensors of a kernel by name
#define TS_PLAN_NAME       32
#define TS_PLAN_ETH        28 // kernels of Ethernet tiles: two cores of each

// --- formats (format.c): codes are the vendor's DataFormat ---

enum {
    TS_PLAN_FORMAT_UINT16 = 9,
    TS_PLAN_FORMAT_UINT32 = 24,
    TS_PLAN_FORMAT_UINT8 = 30,
    TS_PLAN_FORMAT_NONE = 255
};

// "bf16" or the vendor's "Float16_b"; -1: none.
int ts_plan_format_by_name(const char *name);
const char *ts_plan_format_name(unsigned format);
bool ts_plan_format_integer(unsigned format);
uint32_t ts_plan_format_tile_bytes(unsigned format);
uint32_t ts_plan_format_bytes(unsigned format); // of one datum; 0: block floats
// The register formats of a compute kernel, from those of its circular buffers.
struct ts_plan_formats {
    uint8_t unpack_src[TS_PROGRAM_CBS], unpack_dst[TS_PROGRAM_CBS];
    uint8_t pack_src[TS_PROGRAM_CBS], pack_dst[TS_PROGRAM_CBS];
};
void ts_plan_format_infer(struct ts_plan_formats *self, const uint8_t formats[TS_PROGRAM_CBS],
                          bool fp32, bool precise, uint64_t to_dest);

// --- parts of a plan ---

struct ts_plan_xy {
    uint8_t x, y; // logical
};

// Cores in an order: arguments count in it.
struct ts_plan_cores {
    char name[TS_PLAN_NAME];
    uint32_t count;
    struct ts_plan_xy at[TS_PLAN_CORES];
};

// A parameter: NAME: EXPRESSION, or an option of the program, {value: EXPRESSION, text: ...} (read_option.c).
enum ts_plan_type { TS_PARAM_WHOLE, TS_PARAM_REAL, TS_PARAM_FLAG, TS_PARAM_PAIR, TS_PARAM_EVENTS };
struct ts_plan_param {
    char name[TS_PLAN_NAME];
    struct ts_yaml_node node;
    enum {
        TS_PARAM_UNREAD,
        TS_PARAM_READING,
        TS_PARAM_READ
    } state; // read when somebody asks for it
    enum ts_plan_type type;
    bool given; // a setting says it
    double
        value; // of a choice: its place among them; of an option: a format's code, a number's value
    double second;    // of a pair
    bool fraction;    // may have a fractional part
    char word[24];    // a format, a fidelity or a choice instead of a number
    bool choice;      // one of a list that the file has
    const char *text; // of an option: what it is; NULL: it follows from others and cannot be set
};

// The ARC firmware's throttle word changes (firmware.c).
#define TS_FLIPS        31
#define TS_THROTTLE_MAX 5 // the level that it asks for
struct ts_flip {
    ts_cycle at; // from the start of the kernel
    int level;   // from now on: TS_THROTTLE_MAX or that of the kernel; -1: the other one
};

// Counter-measures against steps of current that a setting asks for (remedies.c).
enum {
#define TS_REMEDY(id, name, form, where, text) TS_REMEDY_##id,
#include "config/remedies.def"
    TS_REMEDIES
};
struct ts_plan_remedies {
    uint32_t given; // a bit for each
    char set[TS_REMEDIES][80];
    uint32_t throttle;
    unsigned stagger_type, stagger_by; // 1 first, 2 every, 3 every 20th; rows, columns, chips
    unsigned wave_by;                  // rows, columns, diagonal
    uint32_t stagger, wave;            // cycles
    uint32_t nops_each, nops_after, nops_before;
};

// `runtime: llk`: low-level kernels, without a host's runtime (llk.c).
struct ts_plan_llk {
    bool on;
    bool lone;         // tiles without a chip: each has operands of its own
    const char *title; // what runs, with the values of parameters: "{m}x{n}"
    struct ts_yaml_node args;
    const char *image; // of the compute kernel
    bool general, narrow;
    uint32_t core; // whose tensors are looked at
};

struct ts_plan_tensor {
    char name[TS_PLAN_NAME];
    struct ts_yaml_node node;
    uint32_t rows, columns; // leading dimensions are rows
    uint32_t shape[TS_PLAN_DIMENSIONS], dimensions;
    unsigned format;
    bool tiled, dram;
    bool host;             // only expressions use it: the device does not have it
    uint32_t page, stride; // bytes of a page, and from one to the next in a bank
    uint32_t pages, pages_down, pages_across;
    // Shards: `shard_down` x `shard_across` pages on each of these cores (or DRAM banks).
    bool sharded;
    struct ts_plan_cores shard_cores;
    uint32_t shard_down, shard_across;
    uint64_t seed;
    struct ts_value data;     // as it is stored before the run
    bool filled;              // the file or a setting says with what; otherwise 0
    bool seen;                // kernels branch on its values: also without arithmetic
    bool made;                // by the file's expression, or 0: it can be made again
    bool unseen;              // `data` is left out: nobody looks
    bool dropped;             // `data` was there and can be made again
    bool rounded;             // `data` to the format
    struct ts_value original; // before its format rounded it; `at` NULL: the same
    bool expected;            // the file says what it is after the run
    struct ts_value want;     // expected after it; `at` NULL: not checked
    struct ts_value exact;    // the same, from the original values in float64; `at` NULL: no other
    double pcc, tolerance;
    const char *save;                   // .npy
    uint32_t tile_rows, tile_columns;   // `runtime: llk': of a tile,
    uint32_t block_rows, block_columns; // and of a block of tiles that lie one after the other
    // Placed.
    bool bound; // a tensor of a sequence: it has its place and its contents
    uint32_t address;
    uint64_t bank_bytes; // in the bank that holds most
    // Checked.
    struct ts_value got;
    struct ts_agreement agreement, end_to_end; // with `want`, with `exact`
    bool checked, wrong;
};

struct ts_plan_cb {
    struct ts_yaml_node node;
    uint32_t id, pages, page;
    unsigned format;
    uint8_t faces, face_rows; // of a tile, as compute kernels see it
    struct ts_plan_cores cores;
    int with; // index of the buffer whose memory it shares; -1
    int on;   // tensor it lies on; -1
    uint32_t address;
};

struct ts_plan_semaphore {
    char name[TS_PLAN_NAME];
    uint32_t value;
    struct ts_plan_cores cores;
};

enum ts_plan_on { TS_PLAN_BRISC, TS_PLAN_NCRISC, TS_PLAN_COMPUTE };

// Which compiler a kernel names (compiler.c).
struct ts_plan_compiler {
    char program[PATH_MAX]; // "": ours
    char include[PATH_MAX]; // its headers; "": none
    bool vendor;            // it knows SFPI
};

struct ts_plan_kernel {
    struct ts_yaml_node node;
    const char *source; // NULL: images are given
    bool boot;          // only starts the core: the file has no kernel for BRISC
    enum ts_plan_on on;
    unsigned noc;
    bool dynamic_noc, fp32, full_sync, approx, precise;
    unsigned fidelity; // 0 LoFi, 2, 3, 4
    uint32_t throttle;
    uint64_t to_dest; // circular buffers that are unpacked to Dst
    const char *optimise;
    struct ts_plan_cores cores;
    // Lists, or mappings whose names the kernel uses (args::name, dfb::name, tensor::name).
    struct ts_yaml_node compile, named, args, common, varargs, common_varargs;
    struct ts_yaml_node defines, include, tensors, buffers;
    struct ts_plan_compiler compiler;
    struct {
        const char *name;
        uint32_t tensor, word, address; // index, first compile-time word, common argument
    } bound[TS_PLAN_BOUND];
    uint32_t bound_count;
    uint32_t words[TS_PLAN_WORDS], word_count; // compile-time arguments
    char image[TS_ON][PATH_MAX];               // ELF files; "": none for this processor
};

// A kernel of an Ethernet tile (ethernet.c).
struct ts_plan_eth {
    char name[TS_PLAN_NAME];
    struct ts_plan_kernel kernel; // source, headers, image
    uint32_t index;               // of the core that it is for, in kernel.cores if there are any
    unsigned core;                // 0: erisc0, 1: erisc1
    uint32_t channel;
    struct ts_noc_xy raw; // NoC 0
    uint32_t words[TS_ETH_ARGUMENTS], count;
};

// A core that runs kernels.
struct ts_plan_core {
    struct ts_plan_xy at;
    struct ts_noc_xy raw;     // NoC 0
    int kernel[TS_ON];        // index; -1: none
    uint32_t given[2][TS_ON]; // arguments: own, common
    struct ts_program block;
    // The configuration behind it: semaphores, arguments, then buffers.
    uint32_t words[TS_PLAN_CONFIG + 4 * TS_PLAN_SEMAPHORES + 4 * TS_PROGRAM_CBS + 8], word_count;
};

struct ts_plan {
    struct ts_yaml yaml;
    const struct ts_plan_options *options; // while it is read
    struct ts_plan_llk llk;
    char path[PATH_MAX], folder[PATH_MAX];
    const struct ts_metal_layout *metal; // tt-metal built the kernels (metal.h); NULL: we do
    char firmware[TS_ON][PATH_MAX];      // tt-metal's
    bool sequence;                       // of programs: no kernels of its own (platform/run/layer)
    bool registers;                      // buffers count in the NoC overlay, not in L1
    struct ts_captured *captured;        // from a host (captured.h); NULL: the file says what runs
    uint32_t config;                     // where in L1 the configuration of a core lies
    struct ts_space
        *space; // of a sequence that it is part of (space.h); NULL: it has memory for itself
    char sources[PATH_MAX]; // where paths of kernels start; ends with a slash or is empty
    char name[64];
    struct ts_soc soc;
    uint64_t dram_end;                      // tensors in a bank end here
    uint32_t columns, rows;                 // the compute grid
    uint8_t raw_x[16], raw_y[16];           // of logical columns and rows
    struct ts_plan_xy banks[TS_PLAN_CORES]; // L1 banks by number
    struct ts_plan_param params[TS_PLAN_PARAMS];
    uint32_t param_count;
    struct ts_plan_cores sets[TS_PLAN_SETS];
    uint32_t set_count;
    struct ts_plan_tensor tensors[TS_PLAN_TENSORS];
    uint32_t tensor_count;
    struct ts_plan_cb cbs[TS_PROGRAM_CBS * 4];
    uint32_t cb_count;
    struct ts_plan_semaphore semaphores[TS_PLAN_SEMAPHORES];
    uint32_t semaphore_count;
    struct ts_plan_kernel kernels[TS_PLAN_KERNELS + 1];
    uint32_t kernel_count;
    const struct ts_system *system;     // NULL: one chip
    uint32_t chip_id;                   // the chip of it that this plan is of
    const struct ts_plan *const *peers; // of a sequence: the file as each of its chips has it
    struct ts_plan_eth eth[TS_PLAN_ETH];
    uint32_t eth_count;
    char boot[PATH_MAX];         // source of the kernel that only starts a core
    struct ts_yaml_node zones;   // names that the verdict shows; none: all
    struct ts_yaml_node include; // folders for all kernels
    struct ts_plan_core *cores;
    uint32_t core_count;
    struct ts_flip flips[TS_FLIPS + 1]; // of the firmware's word; ends with cycle 0
    struct ts_plan_remedies remedies;
    double flops;   // that it is to compute; 0: the file does not say
    double bytes;   // of a collective's tensor; 0: the file does not say
    double sent;    // of them, that each chip has to send at least
    bool print;     // kernels print
    bool unchecked; // nobody asks what the results should be
    unsigned allow; // TS_PLAN_ALLOW_*
    bool no_floats; // nobody computes: random floats are not prepared
    bool bare;      // nobody asks for anything but cycles
};

// Settings replace a parameter of the file, "tiles=128", or the contents of a tensor, "a=FILE.npy".
// What a file may do only if a person says so (platform/cli/TRUST.md): name its compiler, save tensors outside its folder.
#define TS_PLAN_ALLOW          "compiler save" // --allow
#define TS_PLAN_ALLOW_COMPILER 1u
#define TS_PLAN_ALLOW_SAVE     2u
// "compiler,save" or NULL as bits. False: a word is none of them.
bool ts_plan_allow(const char *list, unsigned *allow);

struct ts_plan_options {
    const char *const *params;
    size_t param_count;
    const char *sources; // folder of the kernels' sources; NULL: the file says it, or its own
    unsigned allow;      // TS_PLAN_ALLOW_*
    bool alone;          // of a low-level kernel: only the values of the settings are checked
    bool print;          // DPRINT
    bool unchecked;      // results are not compared: what they should be is not worked out
    bool no_floats;      // nobody computes: random floats are not prepared
    bool bare; // only cycles are asked for, and they do not depend on data: tensors stay 0, nobody
               // accounts for lost cycles
    uint64_t dram_bytes; // of a channel; 0: not known
    // Of a program of a sequence (platform/run/layer): memory, and who says which tensors are there already.
    bool sequence; // of a sequence itself
    const char *const *
        changes; // of a sequence: "LINE:NAME=VALUE" sets it for the program of the step at this line
    size_t change_count;
    struct ts_space *space;
    void (*bind)(void *context, struct ts_plan *plan);
    void *bind_context;
    FILE *notes;                    // what is compiled; NULL: nothing
    const struct ts_system *system; // that the file is for; NULL: one chip
    uint32_t chip_id;
};

// Does the file have this key at its root? `size` not 0: its text.
bool ts_plan_says(const char *path, const char *key, char *text, size_t size);
// The system that a file is for, or that a setting names; "": one chip.
void ts_plan_system(const char *path, const struct ts_plan_options *options, char *name,
                    size_t size);
// Sets the options' system if there is one. False: it is not known.
bool ts_plan_on_system(const char *path, struct ts_plan_options *options, struct ts_system *system,
                       struct ts_error *error);

// The program file of a name: the file itself, `tensim new's folder, or one of config/programs by its folder's name. The result is
// `name` or `path`; NULL: a plain word that is none of them, and error lists the names.
const char *ts_plan_find(const char *name, char *path, size_t size, struct ts_error *error);
// Is it a name of config/programs, or the folder of a program?
bool ts_plan_known_name(const char *name);
// The names of config/programs, for a message.
void ts_plan_names(char *text, size_t size);
// What `-p' can set of a file, separated by blanks: parameters, tensors, cores, chip. "": it cannot be read.
void ts_plan_settings(const char *path, char *text, size_t size);
// Does this file describe a program, not a scenario?
bool ts_plan_is(const char *path);
// Reads and checks it. NULL: error has file, line and column.
struct ts_plan *ts_plan_read(const char *path, const struct ts_plan_options *options,
                             struct ts_error *error);
void ts_plan_free(struct ts_plan *self);
// Would it be read and placed?
bool ts_plan_accepts(const char *path, const struct ts_plan_options *options);
// Compiles what is not in the cache, and names the images.
bool ts_plan_compile(struct ts_plan *self, const struct ts_plan_options *options,
                     struct ts_error *error);
// Writes compile_commands.json and .clangd into a folder: how the kernels are compiled, for editors.
bool ts_plan_commands(struct ts_plan *self, const struct ts_plan_options *options,
                      const char *folder, struct ts_error *error);
// Gives everything its place and every core its launch block.
bool ts_plan_place(struct ts_plan *self);

// --- for the files of this folder ---

#define TS_PLAN_FIDELITIES "lofi hifi2 hifi3 hifi4"
struct ts_plan_scope;
// The text of a format, a fidelity or a choice, which may be the name of a parameter that holds it.
const char *ts_plan_choice(const struct ts_plan *self, struct ts_yaml_node node,
                           const char *otherwise);
// The parameter of this name, which is read now if it was not; NULL: none.
const struct ts_plan_param *ts_plan_param(const struct ts_plan *self, const char *name);
// Is `setting` one of `name`? "-" is "_" in it. Its value, "" of a flag alone; NULL: no.
const char *ts_plan_sets(const char *setting, const char *name);
// An option (read_option.c), and its value as text.
bool ts_plan_is_option(struct ts_yaml_node node);
void ts_plan_option_read(struct ts_plan_scope *scope, struct ts_plan_param *to);
void ts_plan_option_text(const struct ts_plan_param *param, char *text, size_t size);
// A word that options choose from, as expressions compare it. False: none does.
bool ts_plan_word_value(const struct ts_plan *self, const char *name, double *number);
// Code of a format's name, as this file's runtime has it; -1: none.
int ts_plan_format_code(const struct ts_plan *self, const char *name);
// A text with {NAME} for the value of a parameter.
void ts_plan_say(struct ts_plan *self, const char *text, char *to, size_t size);
// `require:`, or `warnings:`: the first that does not hold; NULL: all do.
struct ts_yaml_node ts_plan_broken(struct ts_plan *self, struct ts_yaml_node list);
// An expression, or the first of [{when: CONDITION, is: EXPRESSION}] whose condition holds.
struct ts_yaml_node ts_plan_case(struct ts_plan *self, struct ts_yaml_node node);
// read_llk.c: what a file with `runtime: llk' has besides.
void ts_plan_llk_read(struct ts_plan *self, const struct ts_plan_options *options);
// The word that a parameter of this name holds; NULL: none.
const char *ts_plan_chosen(const struct ts_plan *self, const char *name);
// true, false, or an expression that is not 0.
bool ts_plan_flag(struct ts_plan *self, struct ts_yaml_node node);
// Is a part of the file there? Without `when: EXPRESSION' it is.
bool ts_plan_when(struct ts_plan *self, struct ts_yaml_node node);

// Numbers by expression: names of parameters, tensors (addresses), semaphores (numbers), the core.
struct ts_plan_scope {
    struct ts_plan *plan;
    const struct ts_plan_cores *cores; // NULL: nothing about a core is known
    uint32_t index;                    // in `cores`
    uint32_t turn; // `i' of an argument that is there several times: 1 more; 0: there is none
};
// A name that expressions can use, and that is not taken. False: the error is recorded.
bool ts_plan_name(const struct ts_plan *self, struct ts_yaml_node node, char to[TS_PLAN_NAME]);
// A parameter, or what a tensor or a range of cores has: "tiles", "a.tiles", "sender.noc_x".
bool ts_plan_known(const struct ts_plan *self, const char *name, double *number);
// Element i of a list, value i of a mapping.
static inline struct ts_yaml_node ts_plan_item(struct ts_yaml_node node, size_t i)
{
    return ts_yaml_is_map(node) ? ts_yaml_value(node, i) : ts_yaml_at(node, i);
}
// At the node; false: the error is recorded.
bool ts_plan_number(const struct ts_plan_scope *scope, struct ts_yaml_node node, double low,
                    double high, double *value);
uint32_t ts_plan_word(const struct ts_plan_scope *scope, struct ts_yaml_node node);
// The same outside kernels, within bounds.
uint32_t ts_plan_whole(struct ts_plan *self, struct ts_yaml_node node, double low, double high);
// With a fractional part.
bool ts_plan_real(const struct ts_plan_scope *scope, struct ts_yaml_node node, double *value);
// "4x2", "1,0", "1,0..3,2", "all", a name, {at: [x, y], size: [columns, rows]}; a list of them.
// Without a node: the first range of the file.
void ts_plan_cores_read(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to);
// The same; without a node, all ranges of the file.
void ts_plan_cores_any(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to);
// The value of `-p NAME=VALUE'; NULL: not given.
const char *ts_plan_setting(const struct ts_plan_options *options, const char *name);
void ts_plan_params_read(struct ts_plan *self, struct ts_yaml_node map);
// Once parameters and tensors are known: refuses settings of anything else.
void ts_plan_settings_check(struct ts_plan *self, const struct ts_plan_options *options);
void ts_plan_kernels_read(struct ts_plan *self, struct ts_yaml_node list);
void ts_plan_compiler_read(const struct ts_plan *self, struct ts_yaml_node node,
                           struct ts_plan_kernel *to);
// Adds to a refusal the nearest `sizes:` of the file with which it would be accepted, if there are any.
void ts_plan_nearest(const char *path, struct ts_yaml_node root,
                     const struct ts_plan_options *options, struct ts_error *error);
void ts_plan_tensors_read(struct ts_plan *self, struct ts_yaml_node map);
void ts_plan_buffers_read(struct ts_plan *self, struct ts_yaml_node list);
// Contents and expectations, once all tensors are known. A setting names an .npy file instead of the file's contents.
void ts_plan_tensors_fill(struct ts_plan *self, struct ts_yaml_node map,
                          const struct ts_plan_options *options);
// A path of the file: relative to its folder, or to that of the sources.
void ts_plan_path(const struct ts_plan *self, char *to, size_t size, const char *name);
void ts_plan_source(const struct ts_plan *self, char *to, size_t size, const char *name);
int ts_plan_tensor_find(const struct ts_plan *self, const char *name);
// A range of cores by its name; NULL: none.
const struct ts_plan_cores *ts_plan_set_find(const struct ts_plan *self, const char *name);
// Numbers of L1 banks, by core in row-major order.
void ts_plan_shuffle(uint32_t *banks, uint32_t count);
// Coordinates of a core: raw NoC 0, and translated as kernels use them.
struct ts_noc_xy ts_plan_raw(const struct ts_plan *self, struct ts_plan_xy at);
// Gives a tensor its place; false: the error shows what is taken.
struct ts_space;
bool ts_plan_tensor_place(struct ts_plan *self, struct ts_plan_tensor *tensor,
                          struct ts_space *space);
// How many banks a tensor is spread over, and where in which of them a page lies.
uint64_t ts_plan_page_at(const struct ts_plan *self, const struct ts_plan_tensor *tensor,
                         uint32_t page, uint32_t *bank);
// ethernet.c: kernels of Ethernet tiles, and their arguments once everything has its place.
void ts_plan_eth_read(struct ts_plan *self, struct ts_yaml_node list);
void ts_plan_eth_place(struct ts_plan *self);
// NAME.noc_x and the like, for a core.
bool ts_plan_eth_field(const struct ts_plan_scope *scope, const char *name, double *value);
// The text that is included before a kernel.
void ts_plan_prelude(const struct ts_plan *self, const struct ts_plan_kernel *kernel,
                     enum ts_processor processor, bool print, FILE *file);
