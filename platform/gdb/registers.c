#include "platform/gdb/commands.h"

#define CORE 33 // x0 to x31, pc

// Registers of the coprocessor: of the core's own thread, or of the tile.
struct row {
    const char *name;
    unsigned count; // name0, name1 ...; 0: one, without a number
    unsigned words;
    bool of_thread;
    void (*read)(const struct ts_gdb *self, struct ts_tile *tile, unsigned thread, unsigned index,
                 uint32_t *words);
};

static void read_rwc(const struct ts_gdb *self, struct ts_tile *tile, unsigned thread,
                     unsigned index, uint32_t *words)
{
    const struct ts_rwc *rwc = ts_tensix_rwc(&tile->tensix, thread, self->now);
    const uint32_t counters[] = {rwc->srca, rwc->srca_cr, rwc->srcb,    rwc->srcb_cr,
                                 rwc->dst,  rwc->dst_cr,  rwc->fidelity};
    words[0] = counters[index];
}

#define READER(name, ...)                                                              \
    static void name(const struct ts_gdb *self, struct ts_tile *tile, unsigned thread, \
                     unsigned index, uint32_t *words)                                  \
    {                                                                                  \
        (void)self, (void)tile, (void)thread, (void)index;                             \
        __VA_ARGS__;                                                                   \
    }
READER(read_gpr, words[0] = ts_tensix_gprs(&tile->tensix, thread, self->now)[index])
READER(read_gate, const struct ts_frontend *front = &tile->front[thread];
       words[0] = front->gate_count ? front->gate[0].word : 0)
READER(read_fifo, words[0] = tile->front[thread].on_the_way)
READER(read_semaphore, words[0] = tile->sync.semaphore[index].value)
READER(read_lreg, memcpy(words, tile->vector.state.lreg[index], 4 * TS_LANES))
READER(read_time, memcpy(words, &self->now, sizeof self->now))

static const char *const rwc_names[] = {"srca", "srca_cr", "srcb", "srcb_cr",
                                        "dst",  "dst_cr",  "phase"};
#define RWCS (sizeof rwc_names / sizeof *rwc_names)

static const struct row rows[] = {
    {"gpr", TS_GPRS, 1, true, read_gpr},
    {"rwc_", RWCS, 1, true, read_rwc},
    {"gate", 0, 1, true, read_gate},
    {"on_the_way", 0, 1, true, read_fifo},
    {"semaphore", TS_SEMAPHORES, 1, false, read_semaphore},
    {"lreg", 8, TS_LANES, false, read_lreg},
    {"model_cycle", 0, 2, false, read_time},
};
#define ROWS (sizeof rows / sizeof *rows)

void ts_gdb_features(FILE *file)
{
    fputs("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
          "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">",
          file);
    for (unsigned i = 0; i < CORE - 1; i++)
        fprintf(file, "<reg name=\"x%u\" bitsize=\"32\" type=\"int\" regnum=\"%u\"/>", i, i);
    fprintf(file,
            "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"%u\"/></feature>"
            "<feature name=\"org.tenstorrent.tensix\">"
            "<vector id=\"lanes\" type=\"uint32\" count=\"%d\"/>",
            CORE - 1, TS_LANES);
    unsigned number = CORE;
    for (size_t r = 0; r < ROWS; r++)
        for (unsigned i = 0; i < (rows[r].count ? rows[r].count : 1); i++) {
            fprintf(file, "<reg name=\"%s", rows[r].name);
            if (rows[r].read == read_rwc)
                fputs(rwc_names[i], file);
            else if (rows[r].count)
                fprintf(file, "%u", i);
            fprintf(file, "\" bitsize=\"%u\" type=\"%s\" regnum=\"%u\" group=\"tensix\"/>",
                    32 * rows[r].words,
                    rows[r].words == 1   ? "uint32"
                    : rows[r].words == 2 ? "uint64"
                                         : "lanes",
                    number++);
        }
    fputs("</feature></target>", file);
}

static void say_tensix(const struct ts_gdb *self, struct ts_gdb_answer *answer,
                       unsigned long number)
{
    const uint32_t chosen = self->shared->general;
    const unsigned core = chosen % TS_RV_CORES;
    const bool trisc = core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2;
    for (size_t r = 0; r < ROWS; r++) {
        const unsigned count = rows[r].count ? rows[r].count : 1;
        if (number >= count) {
            number -= count;
            continue;
        }
        uint32_t words[TS_LANES] = {0};
        if (rows[r].of_thread && !trisc) { // such a core has no thread
            for (unsigned i = 0; i < rows[r].words; i++)
                ts_gdb_say(answer, "xxxxxxxx");
            return;
        }
        rows[r].read(self, self->machine.tiles[chosen / TS_RV_CORES],
                     trisc ? core - TS_RV_TRISC0 : 0, (unsigned)number, words);
        for (unsigned i = 0; i < rows[r].words; i++)
            ts_gdb_say_word(answer, words[i]);
        return;
    }
    ts_gdb_say(answer, "E01");
}

void ts_gdb_say_register(const struct ts_gdb *self, struct ts_gdb_answer *answer,
                         unsigned long number)
{
    const uint32_t thread = self->shared->general;
    if (number >= CORE)
        say_tensix(self, answer, number - CORE);
    else if (number == CORE - 1)
        ts_gdb_say_word(answer, ts_gdb_place(&self->machine, thread).pc);
    else
        ts_gdb_say_word(
            answer, number ? ts_rv_core_view(ts_gdb_core(&self->machine, thread)).x[number] : 0);
}

void ts_gdb_say_registers(const struct ts_gdb *self, struct ts_gdb_answer *answer)
{
    for (unsigned i = 0; i < CORE; i++)
        ts_gdb_say_register(self, answer, i);
}

bool ts_gdb_set_register(struct ts_gdb *self, unsigned long number, const char *value)
{
    uint8_t bytes[4];
    uint32_t word;
    if (number >= CORE - 1 || ts_gdb_hex(value, bytes, 4) != 4)
        return false; // the pc: the pipeline has begun with it
    memcpy(&word, bytes, 4);
    if (number)
        ts_gdb_core(&self->machine, self->shared->general)->r[number] = word;
    ts_travel_forget(self->travel, self->now);
    return true;
}
