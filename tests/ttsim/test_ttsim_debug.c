// The debug registers of a tile as a debugger on the host uses them: pauses, steps, registers, memory, watchpoints.
#include "tests/suite.h"
#include "tests/ttsim/debugger.h"

#include <sys/wait.h>
#include <unistd.h>

#define SMALL "--chip=" TENSIM_SOURCE_DIR "/tests/ttsim/small.yaml"
#define X     1
#define Y     2

static struct card card;
static struct debugger on;

static const uint32_t reset_bit[] = {1u << 11, 1u << 12, 1u << 13, 1u << 14};
static uint32_t base; // of the program

static void open_card(const char *options)
{
    setenv("TENSIM_OPTIONS", options, 1);
    card_open(&card);
    card.init();
}

static void open_small(void)
{
    open_card(SMALL);
}

static void close_card(void)
{
    card.exit();
    ck_assert_int_eq(dlclose(card.library), 0);
}

static void hold_cores(void)
{
    card_write32(&card, X, Y, SOFT_RESET, HELD);
}

// Starts a core at the program that `emit_program` writes; BRISC can start at 0 only.
static void launch(uint32_t core, void (*emit_program)(struct program *))
{
    struct program program = {.count = 0};
    emit_program(&program);
    on = (struct debugger){&card, X, Y, core};
    base = core * 0x1000;
    card_write(&card, X, Y, base, program.word, 4 * program.count);
    if (core != 0) {
        card_write32(&card, X, Y, 0xffb12228 + 4 * (core - 1), base);
        card_write32(&card, X, Y, 0xffb12234, 1u << (core - 1));
    }
    card_write32(&card, X, Y, SOFT_RESET, HELD & ~reset_bit[core]);
}

#define ADDI(rd, rs, value) (((uint32_t)(value)&0xfffu) << 20 | (rs) << 15 | (rd) << 7 | 0x13u)
#define LW(rd, rs)          ((rs) << 15 | 2u << 12 | (rd) << 7 | 0x03u)
#define SW(rs2, rs1)        ((rs2) << 20 | (rs1) << 15 | 2u << 12 | 0x23u)
#define EBREAK              0x00100073u
#define STAY                0x0000006fu
#define BACK_12             0xff5ff06fu // j -12

static void emit_words(struct program *self, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        emit(self, words[i]);
}

// ebreak, then loads and stores, and a jump to itself.
//   00 ebreak  04 li x10, 10000  08 li x11, 45678000  0c sw x11, (x10)
//   10 li x10, 11000  14 lw x12, (x10)  18 li x10, 12000  1c sw x11, (x10)  20 j .
static void emit_accesses(struct program *self)
{
    static const uint32_t words[] = {EBREAK,       0x00010537,   0x456785b7,
                                     SW(11u, 10u), 0x00011537,   LW(12u, 10u),
                                     0x00012537,   SW(11u, 10u), STAY};
    emit_words(self, words, sizeof words / sizeof *words);
}

// x11 counts in a loop, and is stored twice: stores to one place only would merge for ever.
//   00 li x10, 10000  04 li x11, 0  08 addi x11, x11, 1  0c sw x11, (x10)  10 sw x11, 40(x10)  14 j -12
static void emit_counter(struct program *self)
{
    static const uint32_t words[] = {0x00010537,   ADDI(11u, 0u, 0),        ADDI(11u, 11u, 1),
                                     SW(11u, 10u), 2u << 25 | SW(11u, 10u), BACK_12};
    emit_words(self, words, sizeof words / sizeof *words);
}

static void emit_break_and_counter(struct program *self)
{
    emit(self, EBREAK);
    emit_counter(self);
}

// Counts in one word, faster than its stores wait for partners.
static void emit_stores(struct program *self)
{
    static const uint32_t words[] = {0x00010537,        ADDI(11u, 0u, 0), EBREAK,
                                     ADDI(11u, 11u, 1), SW(11u, 10u),     0xff9ff06f};
    emit_words(self, words, sizeof words / sizeof *words);
}

// A word of configuration of 17 bits, X of the packer's counters.
static void emit_settings(struct program *self)
{
    emit_store(self, 0xffef0000 + 4 * 100, 0x1234567);
    emit_store(self, 0xffe40000, 0x50u << 24 | 4u << 21 | 0x123); // SETADC
    emit_end(self);
}

// Row counters: carriage returns SrcA 3, SrcB 5, Dst 9, and as much further.
static void emit_rows(struct program *self)
{
    emit_store(self, 0xffe40000, 0x38000000 | 7u << 18 | 9u << 14 | 5u << 10 | 3u << 6); // INCRWC
    emit_store(self, 0xffe40000, 0x38000000 | 9u << 14 | 5u << 10 | 3u << 6);
    emit_end(self);
}

START_TEST(an_ebreak_pauses_and_can_be_passed)
{
    for (uint32_t core = 0; core < 4; core++) {
        launch(core, emit_accesses);
        ck_assert_uint_eq(debug_status(&on), IS_HALTED | HIT_EBREAK);
        ck_assert_uint_eq(debug_pc(&on), base + 4);
        ck_assert_uint_eq(card_read32(&card, X, Y, 0x10000), 0);
        debug_resume(&on);
        ck_assert_uint_eq(debug_status(&on), 0);
        ck_assert_uint_eq(card_read32(&card, X, Y, 0x10000), 0x45678000);
        debug_halt(&on); // in the jump to itself
        ck_assert_uint_eq(debug_status(&on), IS_HALTED);
        ck_assert_uint_eq(debug_pc(&on), base + 0x20);
        hold_cores();
        ck_assert_uint_eq(debug_status(&on), 0);
        card_write32(&card, X, Y, 0x10000, 0);
    }
}
END_TEST

START_TEST(steps_one_instruction)
{
    launch(0, emit_accesses);
    ck_assert_uint_eq(debug_status(&on), IS_HALTED | HIT_EBREAK); // time passes
    for (uint32_t pc = 4; pc <= 0x20; pc += 4) {
        ck_assert_uint_eq(debug_pc(&on), pc);
        ck_assert_uint_eq(card_read32(&card, X, Y, 0x10000), pc > 0x0c ? 0x45678000 : 0);
        debug_command(&on, STEP); // half a step
        ck_assert_uint_eq(debug_pc(&on), pc);
        debug_command(&on, STEP);
        ck_assert_uint_eq(debug_status(&on), IS_HALTED);
    }
    ck_assert_uint_eq(debug_pc(&on), 0x20); // it jumps to itself
    debug_step(&on);
    ck_assert_uint_eq(debug_pc(&on), 0x20);
}
END_TEST

START_TEST(registers_and_memory)
{
    launch(1, emit_counter);
    card.clock(1);
    uint32_t before = card_read32(&card, X, Y, 0x10000);
    ck_assert_uint_gt(before, 10);
    debug_halt(&on);
    uint32_t count = debug_gpr(&on, 11), pc = debug_pc(&on);
    ck_assert_uint_ge(count, before);
    ck_assert(pc >= base + 8 && pc <= base + 0x14);
    ck_assert_uint_eq(debug_gpr(&on, 0), 0);
    ck_assert_uint_eq(debug_gpr(&on, 10), 0x10000);
    card.clock(3); // it stands still
    ck_assert_uint_eq(debug_gpr(&on, 11), count);
    // Memory: L1, local RAM, registers that only cores reach.
    ck_assert_uint_eq(debug_load(&on, 0x10000), pc == base + 0xc ? count - 1 : count);
    debug_store(&on, 0x10100, 0x1234);
    ck_assert_uint_eq(card_read32(&card, X, Y, 0x10100), 0x1234);
    debug_store(&on, 0xffb00010, 0x77);
    ck_assert_uint_eq(debug_load(&on, 0xffb00010), 0x77);
    debug_store(&on, 0xffe00010, 0x99); // a GPR of the coprocessor
    ck_assert_uint_eq(debug_load(&on, 0xffe00010), 0x99);
    // It goes on from what the debugger left.
    debug_set_gpr(&on, 11, 0x500000);
    debug_set_gpr(&on, 10, 0x10200);
    debug_set_gpr(&on, 0, 5);
    debug_resume(&on);
    ck_assert_uint_gt(card_read32(&card, X, Y, 0x10200), 0x500000);
    debug_halt(&on);
    debug_command(&on, CLEAR_GPRS);
    ck_assert_uint_eq(debug_gpr(&on, 11) | debug_gpr(&on, 10) | debug_gpr(&on, 31), 0);
    debug_set_pc(&on, base);
    ck_assert_uint_eq(debug_pc(&on), base);
    debug_resume(&on);
    ck_assert_uint_eq(debug_status(&on), 0);
}
END_TEST

// Watchpoints of the program of emit_accesses, in the order in which they are hit.
START_TEST(watchpoints_halt)
{
    static const struct {
        uint32_t mode, address, status, pc;
    } rows[] = {
        {ON_PC, 0x08, HIT_PC, 0x0c},            // after it
        {ON_WRITE, 0x10000, HIT_MEMORY, 0x10},  // after it
        {ON_READ, 0x11000, HIT_MEMORY, 0x14},   // before it
        {ON_ACCESS, 0x12001, HIT_MEMORY, 0x20}, // one of its bytes
        {ON_PC, 0x20, HIT_PC, 0x20},
    };
    const uint32_t count = sizeof rows / sizeof *rows;
    for (uint32_t core = 0; core < 4; core++) {
        launch(core, emit_accesses);
        ck_assert_uint_eq(debug_status(&on), IS_HALTED | HIT_EBREAK);
        for (uint32_t i = 0; i < count; i++)
            debug_watch(&on, i, rows[i].mode, rows[i].address + (rows[i].mode == ON_PC ? base : 0));
        debug_watch(&on, 5, ON_READ, 0x12000); // a store does not hit it
        debug_watch(&on, 6, 7, 0x10000);       // off
        for (uint32_t i = 0; i < count; i++) {
            debug_resume(&on);
            ck_assert_uint_eq(debug_status(&on),
                              IS_HALTED | rows[i].status | (unsigned)HIT_FIRST << i);
            ck_assert_uint_eq(debug_pc(&on), base + rows[i].pc);
        }
        ck_assert_uint_eq(debug_gpr(&on, 12), 0);
        ck_assert_uint_eq(dr_read(&on, DR_WATCHPOINT + 3), 0x12001);
        dr_write(&on, DR_MODES, 0);
        debug_resume(&on);
        ck_assert_uint_eq(debug_status(&on), 0);
        hold_cores();
    }
}
END_TEST

// The halted core is where it would be without running ahead, after any number of steps of the host.
START_TEST(halts_where_it_is_step_by_step)
{
    for (int quantum = 60; quantum < 70; quantum++) {
        uint32_t seen[2][3];
        for (int slow = 0; slow < 2; slow++) {
            char options[200];
            snprintf(options, sizeof options, "%s --quantum=%d%s", SMALL, quantum,
                     slow ? " --step-by-step" : "");
            close_card();
            open_card(options);
            launch(2, emit_counter);
            card.clock(3);
            debug_halt(&on);
            seen[slow][0] = debug_pc(&on);
            seen[slow][1] = debug_gpr(&on, 11);
            seen[slow][2] = card_read32(&card, X, Y, 0x10000);
        }
        for (int i = 0; i < 3; i++)
            ck_assert_msg(seen[0][i] == seen[1][i], "quantum %d: %x and %x", quantum, seen[0][i],
                          seen[1][i]);
    }
}
END_TEST

// In slow execution mode each store is seen, also of a core that runs.
START_TEST(shows_stores)
{
    for (uint32_t core = 0; core < 4; core++) {
        launch(core, emit_stores);
        debug_resume(&on);
        uint32_t before = 0;
        for (int i = 0; i < 4; i++) {
            card.clock(1);
            uint32_t seen = card_read32(&card, X, Y, 0x10000);
            ck_assert_msg(seen > before, "core %u: 0x%x behind 0x%x", core, seen, before);
            before = seen;
        }
        hold_cores();
        card_write32(&card, X, Y, 0x10000, 0);
    }
}
END_TEST

// pcs, address counters, configuration and Dst, of cores that run.
START_TEST(looks_without_stopping)
{
    static const uint32_t pc_signal[] = {11, 13, 15, 17};
    for (uint32_t core = 0; core < 4; core++) {
        launch(core, emit_counter);
        uint32_t pc = debug_signal(&on, 7, pc_signal[core], 1);
        ck_assert_msg(pc >= base + 8 && pc <= base + 0x14, "core %u: 0x%x", core, pc);
        debug_halt(&on);
        ck_assert_uint_eq(debug_signal(&on, 7, pc_signal[core], 1), debug_pc(&on));
        hold_cores();
    }
    // NCRISC has the signal, and no debug interface.
    struct program program = {.count = 0};
    emit_counter(&program);
    card_write(&card, X, Y, 0x5000, program.word, 4 * program.count);
    card_write32(&card, X, Y, 0xffb12238, 0x5000);
    card_write32(&card, X, Y, 0xffb1223c, 1);
    card_write32(&card, X, Y, SOFT_RESET, HELD & ~(1u << 18));
    uint32_t pc = debug_signal(&on, 7, 25, 1);
    ck_assert_msg(pc >= 0x5008 && pc <= 0x5014, "0x%x", pc);
    hold_cores();
    launch(3, emit_settings);
    card.clock(2);
    ck_assert_uint_eq(debug_config(&on, 100), 0x14567);
    ck_assert_uint_eq(debug_signal(&on, 6, 4, 0), 0x123 | 0x123 << 18);
    ck_assert_uint_eq(debug_signal(&on, 6, 5, 0), 0);
    debug_halt(&on); // Dst, through the core and through the debug array
    debug_store(&on, 0xffbd8000, 0x12345678);
    uint32_t cells = debug_array(&on, 2, 0, 0) | debug_array(&on, 2, 8, 0);
    ck_assert_uint_ne(cells, 0);
    ck_assert_uint_eq(debug_array(&on, 2, 5, 3), 0);
}
END_TEST

// Signals 2 and 3 of chain 3, after each thread has counted: places as tt-exalens has them.
START_TEST(reads_rows)
{
    static const uint32_t counted[3][8] = {
        {0xc06, 0xa0000000, 0x140, 0x12000000, 0x24},
        {0xc6000000, 0, 0x14a00000, 0, 0x2412000},
        {0, 0xc0600, 0, 0x140a0, 0, 0x2412},
    };
    uint32_t wanted[8] = {0};
    for (uint32_t thread = 0; thread < 3; thread++) {
        launch(1 + thread, emit_rows);
        card.clock(2);
        for (uint32_t i = 0; i < 8; i++) {
            wanted[i] |= counted[thread][i];
            ck_assert_uint_eq(debug_signal(&on, 3, 2 + i / 4, i % 4), wanted[i]);
        }
        hold_cores();
    }
    ck_assert_uint_eq(debug_signal(&on, 3, 4, 1), 0); // fidelity phases
    // All of a signal to L1: twice to the same 16 bytes, then behind each other.
    for (uint32_t mode = 0; mode < 2; mode++) {
        debug_signal(&on, 3, 2, 0);
        card_write32(&card, X, Y, 0xffb12050, 15);
        card_write32(&card, X, Y, 0xffb12048, 0x20000 >> 4);
        for (uint32_t i = 0; i < 2; i++) {
            card_write32(&card, X, Y, 0xffb12050, mode);
            card_write32(&card, X, Y, 0xffb12050, mode | 1u << 12);
        }
        for (uint32_t i = 0; i < 8; i++)
            ck_assert_uint_eq(card_read32(&card, X, Y, 0x20000 + 4 * i),
                              mode == 1 || i < 4 ? wanted[i % 4] : 0);
    }
}
END_TEST

#define MOVD2A(row, dst)    (0x08u << 24 | (row) << 17 | (dst))
#define MOVDBGA2D(row, dst) (0x09u << 24 | (row) << 17 | (dst))

// A row of SrcA, as tt-exalens reads it: instructions that the host pushes move it to Dst.
START_TEST(reads_srca)
{
    launch(2, emit_end);
    debug_halt(&on);
    uint32_t wanted[8], zero = 0;
    for (uint32_t i = 0; i < 4; i++)
        debug_store(&on, 0xffbd8000 + 4 * i, 0x3f804000 + i);
    for (uint32_t part = 0; part < 8; part++)
        wanted[part] = debug_array(&on, 2, 0, part);
    ck_assert_uint_ne(wanted[0], 0);
    debug_push(&on, 1, MOVD2A(3u, 0u));
    for (uint32_t i = 0; i < 4; i++)
        debug_store(&on, 0xffbd8000 + 4 * i, 0);
    for (uint32_t part = 0; part < 8; part++)
        zero |= debug_array(&on, 2, 0, part);
    ck_assert_uint_eq(zero, 0);
    debug_push(&on, 1, MOVDBGA2D(3u, 0u));
    for (uint32_t part = 0; part < 8; part++)
        ck_assert_uint_eq(debug_array(&on, 2, 0, part), wanted[part]);
    ck_assert_uint_eq(card_read32(&card, X, Y, PUSH_CONTROL), 0);
    ck_assert_uint_eq(card_read32(&card, X, Y, PUSH_WORD), MOVDBGA2D(3u, 0u));
    debug_resume(&on);
    ck_assert_uint_eq(debug_status(&on), 0);
}
END_TEST

// What is refused: a process that does it ends with the exit code and says why.
static void halt_held(void)
{
    on = (struct debugger){&card, X, Y, 0};
    debug_command(&on, HALT);
}
static void read_running(void)
{
    debug_gpr(&on, 5);
}
static void halt_now(void)
{
    debug_halt(&on);
}
static void resume_fast(void)
{
    halt_now();
    dr_write(&on, DR_COMMAND, RESUME);
}
static void read_no_register(void)
{
    halt_now();
    debug_gpr(&on, 33);
}
static void read_no_dr(void)
{
    dr_read(&on, 6);
}
static void load_unmapped(void)
{
    halt_now();
    debug_load(&on, 0x80000000);
}
static void load_odd(void)
{
    halt_now();
    debug_load(&on, 0x10002);
}
static void load_mailbox(void)
{
    halt_now();
    debug_load(&on, 0xffec0000);
}
static void load_trisc2(void)
{
    halt_now();
    ck_assert_uint_eq(debug_load(&on, 0xffb00004), 0);
    debug_load(&on, 0xffb00008);
}
static void resume_ebreak(void)
{
    debug_command(&on, RESUME);
}
static void read_and_write(void)
{
    halt_now();
    debug_command(&on, READ_MEMORY | WRITE_MEMORY);
}
static void reserved(void)
{
    debug_command(&on, 0x200);
}
static void read_no_signal(void)
{
    debug_signal(&on, 3, 1, 0);
}
static void write_no_signal(void)
{
    debug_signal(&on, 7, 11, 1);
    card_write32(&card, X, Y, 0xffb12050, 1u << 12);
}
static void write_series(void)
{
    card_write32(&card, X, Y, 0xffb12050, 4);
}
static void write_bus_off(void)
{
    card_write32(&card, X, Y, 0xffb12050, 1u << 12);
}
static void read_bus_off(void)
{
    card_read32(&card, X, Y, 0xffb1205c);
}
static void read_src(void)
{
    debug_array(&on, 0, 0, 0);
}
static void read_array_off(void)
{
    card_read32(&card, X, Y, 0xffb1206c);
}

static void push_taken(void)
{
    card_write32(&card, X, Y, PUSH_CONTROL, 4);
    hold_cores();
    launch(3, emit_settings);
    card.clock(1);
}
static void push_reserved(void)
{
    card_write32(&card, X, Y, PUSH_CONTROL, 0x100);
}
static void push_full(void)
{
    card_write32(&card, X, Y, PUSH_WORD, 0xa2u << 24 | 0x1ff << 15 | 1 << 7); // STALLWAIT, for ever
    for (uint32_t i = 0; i < 20; i++) {
        card_write32(&card, X, Y, PUSH_CONTROL, 1);
        card_write32(&card, X, Y, PUSH_CONTROL, 0x11);
        card.clock(1);
    }
}

START_TEST(refuses)
{
    static const struct {
        void (*act)(void);
        uint32_t core;
        bool breaks; // the program begins with an ebreak
        int code;
        const char *text;
    } rows[] = {
        {read_running, 0, false, 4, "brisc: command 0x80000008: the core is not paused"},
        {resume_fast, 0, false, 5, "outside slow execution mode"},
        {resume_ebreak, 0, true, 5, "resumption at an ebreak"},
        {read_no_register, 1, false, 4, "there is no register 33"},
        {read_no_dr, 0, false, 5, "there is no DR(6)"},
        {load_unmapped, 0, false, 4, "load from unmapped address 0x80000000"},
        {load_odd, 0, false, 4, "misaligned load from 0x00010002"},
        {load_mailbox, 0, false, 5, "load from 0xffec0000, which waits"},
        {load_trisc2, 3, false, 5, "TRISC2 gives a debugger"},
        {read_and_write, 0, false, 4, "exclude each other"},
        {reserved, 0, false, 5, "command 0x80000200"},
        {read_no_signal, 0, false, 5, "word 0 of signal 1, daisy chain 3"},
        {write_no_signal, 0, false, 5, "all of signal 11, daisy chain 7, for L1"},
        {write_series, 0, false, 5, "only single writes of the debug bus"},
        {write_bus_off, 0, false, 4, "needs bit 29 of DBG_BUS_CTRL"},
        {read_bus_off, 0, false, 4, "the debug bus, which is not enabled"},
        {read_src, 0, false, 5, "debug array 0"},
        {read_array_off, 0, false, 4, "the debug array, which is not enabled"},
        {push_taken, 0, false, 4, "a push into T2, which a debugger has taken"},
        {push_reserved, 0, false, 5, "reserved bits of INSTRN_BUF_CTRL0"},
        {push_full, 0, false, 4, "into T0, whose FIFO is full"},
        {halt_held, 9, false, 4, "the core is in soft reset"},
    };
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        if (rows[_i].core != 9)
            launch(rows[_i].core, rows[_i].breaks ? emit_break_and_counter : emit_counter);
        card.clock(1);
        rows[_i].act();
        _exit(0);
    }
    close(ends[1]);
    char text[4096];
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    int status;
    waitpid(child, &status, 0);
    close(ends[0]);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == rows[_i].code &&
                      strstr(text, rows[_i].text),
                  "row %d: status %d: %s", _i, status, text);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_small, close_card);
    tcase_add_loop_test(tests, refuses, 0, 19);
    tcase_add_test(tests, an_ebreak_pauses_and_can_be_passed);
    tcase_add_test(tests, steps_one_instruction);
    tcase_add_test(tests, registers_and_memory);
    tcase_add_test(tests, watchpoints_halt);
    tcase_add_test(tests, looks_without_stopping);
    tcase_add_test(tests, reads_rows);
    tcase_add_test(tests, shows_stores);
    tcase_add_test(tests, reads_srca);
    tcase_add_test(tests, halts_where_it_is_step_by_step);
}

SUITE("ttsim debug", add_tests)
