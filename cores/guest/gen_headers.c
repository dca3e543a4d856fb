// Writes what guest programs need of our tables as C headers, and guest programs as C arrays.
//
//   guest-gen ops MACHINE          tensix_ops.h: TT_OP_X, TT_X, TTI_X of opcodes (config/tensix.def)
//   guest-gen cfg MACHINE          cfg_defines.h: address, shift, mask of fields (config/cfgregs.def)
//   guest-gen machine MACHINE      machine.h: its rules, sizes and wait conditions (units/isa/machine.h)
//   guest-gen embed NAME=FILE...   a C file with all programs, for platform/run/guest.c
//   guest-gen check TABLE INDEX IDS   fails if a row of the table (config/silicon) sets a symbol that its
//                                  probes do not have, or if IDS (config/silicon_ids.def) does not have
//                                  its id; INDEX is what the assembler made of table and probes
//
// A field of an instruction is not masked: SETDMAREG's 16-bit immediate spans two of them, as in
// the vendor's macros.
#include "units/isa/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_op(const struct ts_op_info *op, const struct ts_op_field *fields)
{
    char name[32];
    snprintf(name, sizeof name, "%s", op->name);
    char list[512] = "";
    for (const struct ts_op_field *f = fields; f->name; f++) {
        if (f->hidden)
            continue;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", f->name);
    }
    // Vendor's spelling: opcodes without operands are macros without parentheses.
    bool bare = list[0] == '\0';
    const char *open = bare ? "" : "(", *close = bare ? "" : ")";
    if (fields != op->fields)
        printf("#define TT_OTHER_%s\n", name);
    printf("#define TT_CODE_%s TT_OPCODE(0x%02x000000)\n", name, op->code);
    printf("#define TT_OP_%s%s%s%s (TT_CODE_%s", name, open, list, close, name);
    for (const struct ts_op_field *f = fields; f->name; f++)
        if (!f->hidden && fields != op->fields && strstr(f->name, "addr_mode"))
            printf(" + TT_MODE(%s, %u, %u)", f->name, f->shift, f->used);
        else if (!f->hidden)
            printf(" + TT_FIELD(%s, %u)", f->name, f->shift);
    printf(")\n");
    printf("#define TT_%s%s%s%s ts_push(TT_OP_%s%s%s%s)\n", name, open, list, close, name, open,
           list, close);
    printf("#define TTI_%s%s%s%s TS_INLINE(TT_OP_%s%s%s%s)\n", name, open, list, close, name, open,
           list, close);
}

static void write_ops(const struct ts_machine *machine)
{
    printf("// Tensix instructions, generated from config/tensix.def: do not edit.\n"
           "//   TT_OP_X(...) the word    TT_X(...) pushed by a store    TTI_X(...) inline in the "
           "code, constants only\n"
           "//   TT_CODE_X the word without operands\n"
           "#ifndef TENSIM_GUEST_TENSIX_OPS_H\n#define TENSIM_GUEST_TENSIX_OPS_H\n"
           "#ifdef __ASSEMBLER__\n#define TT_OPCODE(word) word\n"
           "#define TT_FIELD(value, shift) ((value) << shift)\n"
           "#define TS_INLINE(word) .4byte (((word) << 2 | (word) >> 30) & 0xffffffff)\n"
           "#else\n#include \"tensix.h\"\n#define TT_OPCODE(word) word##u\n"
           "#define TT_FIELD(value, shift) ((uint32_t)(value) << shift)\n#endif\n");
    // A mode of addresses that Blackhole's kernels name would spill into the field next to it.
    if (machine != ts_machines)
        printf("#ifdef __ASSEMBLER__\n#define TT_MODE(value, shift, bits) TT_FIELD(value, "
               "shift)\n#else\n"
               "#define TT_MODE(value, shift, bits)                                   \\\n"
               "    TT_FIELD((value) + (__builtin_constant_p(value) && (value) >> bits \\\n"
               "                            ? ts_no_such_mode()                        \\\n"
               "                            : 0),                                      \\\n"
               "             shift)\n"
               "uint32_t ts_no_such_mode()\n"
               "    __attribute__((error(\"%s has no such mode of addresses\")));\n#endif\n",
               machine->title);
    for (unsigned code = 0; code < 256; code++)
        if (ts_op_info[code].name && ts_machine_fields(machine, (uint8_t)code))
            write_op(&ts_op_info[code], ts_machine_fields(machine, (uint8_t)code));
    printf("#endif\n");
}

// Where the machine has a field; false: it does not have it.
static bool find_field(const struct ts_machine *machine, const struct ts_cfg_field *f,
                       struct ts_machine_field *at)
{
    *at = (struct ts_machine_field){f->addr, f->addr, f->shift, f->shift, f->bits};
    for (unsigned i = 0; f->thread && machine->thd && i < machine->thd_words; i++)
        if (machine->thd[i] == f->addr) {
            at->from = (uint16_t)i;
            return true;
        }
    for (unsigned i = 0; !f->thread && i < machine->cfg_count; i++)
        if (machine->cfg[i].to == f->addr && machine->cfg[i].to_shift == f->shift) {
            *at = machine->cfg[i];
            return true;
        }
    return machine->cfg == NULL && !f->own;
}

static void write_cfg(const struct ts_machine *machine)
{
    printf("// Configuration fields, generated from config/cfgregs.def: do not edit.\n"
           "#ifndef TENSIM_GUEST_CFG_DEFINES_H\n#define TENSIM_GUEST_CFG_DEFINES_H\n");
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *f = &ts_cfg_fields[i];
        struct ts_machine_field at;
        if (find_field(machine, f, &at))
            printf("#define %s_ADDR32 %u\n#define %s_SHAMT %u\n#define %s_MASK 0x%xu\n", f->name,
                   at.from, f->name, at.from_shift, f->name,
                   (unsigned)(TS_FIELD_MASK(at.bits) << at.from_shift));
    }
    printf("#endif\n");
}

// Where an interface has the units' register.
static unsigned niu_at(const struct ts_machine *machine, unsigned home)
{
    for (const struct ts_machine_niu *row = machine->niu; row && row->words; row++)
        if (home >= row->home && home < row->home + 4u * row->words)
            return row->at + home - row->home;
    return home;
}

static void write_machine(const struct ts_machine *machine)
{
    printf("// What guest programs need of %s, generated from units/isa/machine.c: do not edit.\n"
           "#ifndef TENSIM_GUEST_MACHINE_H\n#define TENSIM_GUEST_MACHINE_H\n",
           machine->title);
    for (unsigned i = 0; i < TS_MACHINE_RULES; i++)
        printf("#define TS_RULE_%s %d\n", ts_machine_rule_info[i].name,
               ts_machine_has(machine, (enum ts_machine_rule)i));
    // STALLWAIT's conditions, by the bit that config/tensix.def has for them.
    for (unsigned c = 0; c < 13; c++)
        printf("#define TS_WAIT_%u 0x%xu\n", c, (unsigned)ts_machine_waits(machine, 1u << c));
    printf("#define TS_NOC_WORD %u\n#define TS_NOC_PACKET %u\n#define TS_NIU_STEP 0x%x\n"
           "#define TS_NIU_DATA_AT 0x%x\n#define TS_NIU_GO_AT 0x%x\n#define TS_NIU_NAME_AT 0x%x\n",
           machine->noc_word, machine->noc_packet, machine->niu ? 0x400u : 0x800u,
           niu_at(machine, 0x28), niu_at(machine, 0x40), niu_at(machine, 0x148));
    printf("#define TS_STREAM_START 0x%x\n#define TS_STREAM_SIZE 0x%x\n"
           "#define TS_STREAM_UPDATE 0x%x\n#define TS_STREAM_SPACE 0x%x\n",
           machine->overlay[TS_OVERLAY_START], machine->overlay[TS_OVERLAY_SIZE],
           machine->overlay[TS_OVERLAY_UPDATE], machine->overlay[TS_OVERLAY_SPACE]);
    printf(
        "#define TS_L1_BYTES 0x%xu\n#define TS_LOCAL_TRISC %u\n"
        "#define TS_BUFFERS %u\n#define TS_ETH_L1 0x%xu\n#define TS_ETH_PACKET_QUEUES %u\n#endif\n",
        (unsigned)machine->l1_bytes, machine->local_bytes[1], machine->buffers,
        (unsigned)machine->eth_l1_bytes, machine->eth_numbered);
}

static int embed(int count, char **rows)
{
    printf("// Guest programs, generated: do not edit.\n#include \"platform/run/guest.h\"\n");
    for (int i = 0; i < count; i++) {
        char *equals = strchr(rows[i], '=');
        if (!equals)
            return 1;
        *equals = '\0';
        // The assembler reads the file: a compiler takes 20 seconds for all of them as numbers.
        printf("extern const unsigned char program_%d[] __attribute__((visibility(\"hidden\")));\n"
               "__asm__(\".pushsection .rodata\\n.balign 16\\nprogram_%d: .incbin \\\"%s\\\"\\n"
               ".popsection\");\n",
               i, i, equals + 1);
    }
    printf("const struct ts_guest_program ts_guest_programs[] = {\n");
    for (int i = 0; i < count; i++) {
        const char *path = rows[i] + strlen(rows[i]) + 1;
        struct stat status;
        if (stat(path, &status) != 0) {
            fprintf(stderr, "guest-gen: %s cannot be opened\n", path);
            return 1;
        }
        printf("    {\"%s\", program_%d, %ld},\n", rows[i], i, (long)status.st_size);
    }
    printf("    {0}};\n");
    return 0;
}

// Is a name one of "name;name;"?
static bool is_symbol(const char *symbols, const char *name, size_t length)
{
    for (const char *at = symbols; *at; at += strcspn(at, ";") + 1)
        if (strncmp(at, name, length) == 0 && at[length] == ';')
            return true;
    return false;
}

// The symbols that statements set: "call 1, 2; name=value; ..."; says which are unknown. A row is its id and its line.
static int check_statements(const char *text, const char *symbols, const char *table,
                            const char *row)
{
    int unknown = 0;
    for (const char *at = text; *at; at += strcspn(at, ";"), at += strspn(at, "; ")) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        if (at[length + strspn(at + length, " ")] != '=' || is_symbol(symbols, at, length))
            continue;
        fprintf(stderr, "%s:%s: error: row %s sets `%.*s', which its probes do not have (%s)\n",
                table, row + strlen(row) + 1, row, (int)length, at, symbols);
        unknown = 1;
    }
    return unknown;
}

// Is the id of a row in "B0001-B0003 B0006", anywhere in the text? Words behind the id tell a second figure of it.
static bool is_published(const char *ids, const char *id)
{
    enum { ID = 5 }; // a letter and four digits
    for (const char *at = ids; *at; at++) {
        if (!isupper((unsigned char)*at) || strspn(at + 1, "0123456789") != ID - 1)
            continue;
        const char *last = at[ID] == '-' ? at + ID + 1 : at;
        if (strncmp(id, at, ID) >= 0 && strncmp(id, last, ID) <= 0)
            return true;
        at = last + ID - 1;
    }
    return false;
}

enum { ROOM = 1 << 22 };

// The bytes of a file, with a zero behind them; 0: it cannot be opened, is empty or too large.
static size_t read_file(const char *path, char bytes[ROOM + 1])
{
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(bytes, 1, ROOM, file) : 0;
    if (file)
        fclose(file);
    if (length == 0 || length == ROOM) {
        fprintf(stderr, "guest-gen: %s cannot be opened, is empty or larger than %d bytes\n", path,
                ROOM);
        return 0;
    }
    bytes[length] = '\0';
    return length;
}

// An index (config/probes/probe.inc): what it is, bytes of operands, operands.
static int check(const char *table, const char *path, const char *ids_path)
{
    enum { ROW = 1, SYMBOLS = 13 };
    static char index[ROOM + 1], ids[ROOM + 1];
    size_t length = read_file(path, index);
    if (length == 0 || read_file(ids_path, ids) == 0)
        return 1;
    const char *symbols = "";
    int unknown = 0;
    for (size_t at = 0; at + 8 <= length;) {
        uint32_t head[2];
        memcpy(head, index + at, sizeof head);
        const char *text = index + at + sizeof head;
        at += sizeof head + head[1];
        if (head[0] == SYMBOLS)
            symbols = text;
        if (head[0] != ROW)
            continue;
        const char *line = text + strlen(text) + 1, *program = line + strlen(line) + 1;
        unknown |= check_statements(program, symbols, table, text);
        unknown |= check_statements(program + strlen(program) + 1, symbols, table, text);
        if (strcmp(line, "0") == 0 || is_published(ids, text)) // without a line: a test's own
            continue;
        fprintf(stderr, "%s:%s: error: %s has no id %s\n", table, line, strstr(ids_path, "config/"),
                text);
        unknown = 1;
    }
    return unknown;
}

int main(int argc, char **argv)
{
    const struct ts_machine *machine = argc == 3 ? ts_machine_by_name(argv[2]) : NULL;
    if (machine && strcmp(argv[1], "ops") == 0)
        write_ops(machine);
    else if (machine && strcmp(argv[1], "cfg") == 0)
        write_cfg(machine);
    else if (machine && strcmp(argv[1], "machine") == 0)
        write_machine(machine);
    else if (argc >= 2 && strcmp(argv[1], "embed") == 0)
        return embed(argc - 2, argv + 2);
    else if (argc == 5 && strcmp(argv[1], "check") == 0)
        return check(argv[2], argv[3], argv[4]);
    else
        return 64;
    return ferror(stdout) ? 1 : 0;
}
