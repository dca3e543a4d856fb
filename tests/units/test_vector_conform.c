// The vector unit against the golden data of the vendor's simulator: tests/conform/sfpu_*.ttv.
//
// The guest programs have no branches: this test reads the Tensix words out of them (inline, or
// stored to the push address), gives the few that are not the vector unit's a minimal meaning
// (UNPACR of 32-bit data to Dst, ZEROACC, PACR as a raw dump of Dst), and compares the bytes that
// the packs write. With the cores built, `tensim run` runs the same files on the complete tile.
// The folder is tests/conform, or TENSIM_VECTORS; without any file the test is skipped.
#include "tests/suite.h"
#include "tests/units/vector_execute.h"
#include "units/files/format.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define L1_BYTES 0x180000u
#define PUSH     0xFFE40000u
#define CONFIG   0xFFEF0000u
#define REGS     512u

enum { CFG_ALU = 1, CFG_PACK_ADDR = 69, CFG_PACK_ROW = 180 };
enum { CFG_UNPACK_ADDR = 76, CFG_READ32 = 18, CFG_SEED = 186 };
enum { THREAD_MATH_OFFSET = 1, THREAD_ADDR_MOD_DST = 28 };

struct machine {
    struct ts_vector v;
    struct ts_dst dst;
    uint32_t cfg[REGS];
    uint16_t thread_cfg[256];
    uint32_t x[32];
    uint32_t rwc_dst;
    uint32_t pack_count; // rows packed since the pack address was set
    bool clocked;        // through ts_vector_cycle instead of ts_vector_execute
    uint8_t *l1;
    unsigned long words;
    const char *name;
};

struct blob {
    uint32_t addr, offset, length;
};

static uint32_t rd32(const uint8_t *p)
{
    uint32_t w;
    memcpy(&w, p, 4);
    return w;
}

static struct ts_bits reference; // all rules as the reference has them

static void vector_word(struct machine *m, uint32_t word)
{
    struct ts_vector_insn i;
    struct ts_vector_done done = {0};
    ck_assert(ts_vector_decode(word, &i));
    if (ts_vector_touches_dst(i.op)) {
        uint32_t alu = m->cfg[CFG_ALU];
        struct ts_vector_view view = {
            .math_offset = m->thread_cfg[THREAD_MATH_OFFSET],
            .dst_rwc = (uint16_t)m->rwc_dst,
            .srcb_format = alu >> 21 & 15,
            .fp32 = alu >> 30 & 1,
            .bits = &reference,
        };
        ts_vector_bind(&i, &view);
        m->rwc_dst += m->thread_cfg[THREAD_ADDR_MOD_DST + i.addr_mod] & 0x3FF;
    }
    if (m->clocked) {
        ts_vector_cycle(&m->v, &m->dst, &i, &done);
        // Words that the programs do not separate: let two-cycle results settle as a stall would.
        if (!ts_vector_idle(&m->v)) {
            struct ts_vector_done rest;
            ts_vector_cycle(&m->v, &m->dst, NULL, &rest);
        }
    } else {
        done.fault = ts_vector_execute(&m->v, &m->dst, &i);
    }
    ck_assert_msg(!done.fault, "%s: %08x: %s", m->name, word, ts_vector_fault_text(done.fault));
    m->words++;
}

static void unpack_to_dst(struct machine *m)
{
    uint32_t from = (m->cfg[CFG_UNPACK_ADDR] + 1) << 4;
    for (uint32_t n = 0; n < 1024; n++)
        ts_dst_set32(&m->dst, n / 16, n % 16, ts_fp32_to_cell(rd32(m->l1 + from + 4 * n)));
}

static void pack(struct machine *m)
{
    bool wide = m->cfg[CFG_READ32] & 1;
    uint32_t to = (m->cfg[CFG_PACK_ADDR] + 1) << 4, row0 = m->cfg[CFG_PACK_ROW];
    for (uint32_t r = 0; r < 4; r++, m->pack_count++) {
        for (uint32_t c = 0; c < 16; c++) {
            uint32_t row = row0 + m->pack_count, n = 16 * m->pack_count + c;
            if (wide) {
                uint32_t w = ts_fp32_from_cell(ts_dst_get32(&m->dst, row, c));
                memcpy(m->l1 + to + 4 * n, &w, 4);
            } else {
                uint16_t h = ts_dst_get16(&m->dst, row, c);
                memcpy(m->l1 + to + 2 * n, &h, 2);
            }
        }
    }
}

static void zeroacc(struct machine *m, uint32_t word)
{
    uint32_t mode = word >> 19 & 3, where = word & 0x3FF;
    bool wide = word >> 18 & 1;
    if (mode == 0)
        ts_dst_clear32(&m->dst, where, 1, false);
    else if (mode == 1)
        wide ? ts_dst_clear32(&m->dst, 16 * where, 16, false)
             : ts_dst_clear16(&m->dst, 16 * where, 16, false);
    else
        ts_dst_clear16(&m->dst, 0, TS_DST_ROWS, false);
}

static void tensix_word(struct machine *m, uint32_t word)
{
    uint32_t op = word >> 24;
    if (op >= TS_VECTOR_FIRST && op <= TS_VECTOR_LAST)
        vector_word(m, word);
    else if (op == TS_OP_SETC16)
        m->thread_cfg[word >> 16 & 0xFF] = (uint16_t)word;
    else if (op == TS_OP_SETRWC)
        m->rwc_dst = 0;
    else if (op == TS_OP_ZEROACC)
        zeroacc(m, word);
    else if (op == TS_OP_UNPACR && !(word >> 23 & 1) && !(word >> 6 & 1))
        unpack_to_dst(m); // data valid not set: the 32-bit unpack to Dst
    else if (op == TS_OP_PACR)
        pack(m);
}

static void store(struct machine *m, uint32_t addr, uint32_t value)
{
    if (addr == PUSH) {
        tensix_word(m, value);
    } else if (addr - CONFIG < 4 * REGS) {
        uint32_t reg = (addr - CONFIG) / 4;
        m->cfg[reg] = value;
        if (reg == CFG_SEED)
            ts_vector_seed(&m->v, value, false);
        if (reg == CFG_PACK_ADDR)
            m->pack_count = 0;
    }
}

// Runs the straight line from pc to its closing jump to itself.
static void run(struct machine *m, uint32_t pc)
{
    for (;; pc += 4) {
        uint32_t w = rd32(m->l1 + pc), rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31;
        if ((w & 3) != 3)
            tensix_word(m, ts_inline_to_word(w));
        else if ((w & 0x7F) == 0x37)
            m->x[rd] = w & 0xFFFFF000u;
        else if ((w & 0x707F) == 0x13)
            m->x[rd] = m->x[rs1] + (uint32_t)((int32_t)w >> 20);
        else if ((w & 0x707F) == 0x2023)
            store(m, m->x[rs1] + (uint32_t)((int32_t)(w & 0xFE000000u) >> 20) + rd, m->x[rs2]);
        else if (w == 0x0000006F)
            return;
        else // loads and the instruction that consumes them: only for order
            ck_assert_msg((w & 0x7F) == 0x03 || (w & 0x7F) == 0x33, "%s: %08x at %x", m->name, w,
                          pc);
        m->x[0] = 0;
    }
}

static int compare(struct machine *m, const struct blob *expect, const uint8_t *data,
                   uint32_t length)
{
    for (uint32_t n = 0; n < length; n += 4) {
        uint32_t got = rd32(m->l1 + expect->addr + n), want = rd32(data + expect->offset + n);
        if (got != want) {
            printf("%s%s: %05x: %08x, not %08x\n", m->name, m->clocked ? " (clocked)" : "",
                   expect->addr + n, got, want);
            return 1;
        }
    }
    return 0;
}

// One file, one way. Returns 0 if the bytes are right.
static int replay(const char *path, const char *name, bool clocked, unsigned long *words)
{
    static struct machine m;
    static uint8_t l1[L1_BYTES];
    static char file[1 << 20];
    struct blob load[8], expect[8];
    unsigned loads = 0, expects = 0;
    uint32_t pc = 0;
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    size_t size = fread(file, 1, sizeof file - 1, in);
    fclose(in);
    file[size] = 0;

    const uint8_t *data = NULL;
    for (char *line = file; line && !data;) {
        char *end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        struct blob b;
        if (sscanf(line, "load %*d %i %i %i", (int *)&b.addr, (int *)&b.offset, (int *)&b.length) ==
            3)
            load[loads++] = b;
        else if (sscanf(line, "expect %*d %i %i %i", (int *)&b.addr, (int *)&b.offset,
                        (int *)&b.length) == 3)
            expect[expects++] = b;
        else if (!strncmp(line, "data ", 5))
            data = (const uint8_t *)end + 1;
        else
            sscanf(line, "core %*d %*s %i", (int *)&pc);
        line = end + 1;
    }
    struct ts_bits rules = ts_bits_all(TS_BITS_REFERENCE);
    memset(&m, 0, sizeof m);
    memset(l1, 0, sizeof l1);
    m.l1 = l1;
    m.name = name;
    m.clocked = clocked;
    ts_vector_reset(&m.v);
    m.v.bits = &rules;
    ts_dst_reset(&m.dst);
    for (unsigned n = 0; n < loads; n++)
        memcpy(l1 + load[n].addr, data + load[n].offset, load[n].length);
    run(&m, pc);
    *words += m.words;
    int bad = 0;
    for (unsigned n = 0; n < expects; n++) {
        // The last eight rows of this case are the matrix unit's.
        bool elw = strstr(name, "invalid_rows") != NULL;
        bad |= compare(&m, &expect[n], data, elw ? 4096 : expect[n].length);
    }
    return bad;
}

static int is_sfpu(const struct dirent *entry)
{
    return !strncmp(entry->d_name, "sfpu_", 5) && strstr(entry->d_name, ".ttv");
}

static void replay_all(bool clocked)
{
    const char *folder = getenv("TENSIM_VECTORS");
    folder = folder ? folder : TENSIM_SOURCE_DIR "/tests/conform";
    struct dirent **names;
    int count = scandir(folder, &names, is_sfpu, alphasort);
    if (count <= 0) {
        printf("skipped: no sfpu_*.ttv in %s\n", folder);
        return;
    }
    int failed = 0;
    unsigned long words = 0;
    for (int n = 0; n < count; n++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[n]->d_name);
        failed += replay(path, names[n]->d_name, clocked, &words);
        free(names[n]);
    }
    free(names);
    printf("%d passed, %d failed, %lu vector instructions%s\n", count - failed, failed, words,
           clocked ? ", clocked" : "");
    ck_assert_int_eq(failed, 0);
}

START_TEST(at_once)
{
    replay_all(false);
}
END_TEST

START_TEST(clocked)
{
    replay_all(true);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, at_once);
    tcase_add_test(tests, clocked);
}

SUITE("vector_ttv", add_tests)
