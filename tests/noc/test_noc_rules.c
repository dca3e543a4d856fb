// The rules of NoC requests (noc/rules.h): for each one a request that breaks it and a similar
// legal request that completes.
#include "noc/rules.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

enum base { READ, WRITE, ATOMIC, MULTICAST, DRAM_READ, DRAM_WRITE, HOST_READ, HOST_WRITE };

struct set {
    uint32_t word, value;
};

#define INLINE               (TS_NOC_WRITE | TS_NOC_CTRL_WR_INLINE)
#define MASKED               (TS_NOC_WRITE | TS_NOC_CTRL_WR_BE | TS_NOC_CTRL_RESP_MARKED)
#define CAST                 (TS_NOC_WRITE | TS_NOC_CTRL_BRCST)
#define VC(n)                (TS_NOC_CTRL_VC_STATIC | (uint32_t)(n) << TS_NOC_CTRL_VC_SHIFT)
#define XY(x, y)             ((uint32_t)(x) | (uint32_t)(y) << 6)
#define RECT(fx, fy, lx, ly) (XY(lx, ly) | XY(fx, fy) << 12)
#define END                  0x180000u

// The registers that differ from a plain request of 64 bytes from 1-2, of a p100. `before` is
// issued first and is legal.
static const struct {
    const char *rule;
    enum base base;
    struct set bad[3], good[3];
    struct set before[2];
} cases[] = {
    {"noc-type", WRITE, {{TS_NOC_CTRL, 3}}, {{TS_NOC_CTRL, 2}}, {{0}}},
    {"noc-l1-acc", WRITE, {{TS_NOC_CTRL, 2 | TS_NOC_CTRL_L1_ACC}}, {{0}}, {{0}}},
    {"noc-overlay", WRITE, {{TS_NOC_TAG, 1 << 6}}, {{TS_NOC_TAG, 15 << 10}}, {{0}}},
    {"noc-header-store", WRITE, {{TS_NOC_TAG, 1 << 9}}, {{0}}, {{0}}},
    {"noc-rect-read", READ, {{TS_NOC_CTRL, TS_NOC_CTRL_BRCST}}, {{0}}, {{0}}},
    {"noc-rect-skip", MULTICAST, {{TS_NOC_BRCST_EXCLUDE, 1}}, {{0}}, {{0}}},
    // Class 3 is for answers; broadcasts have class 2, which cards also take for unicast.
    {"noc-vc", WRITE, {{TS_NOC_CTRL, 2 | VC(7)}}, {{TS_NOC_CTRL, 2 | VC(4)}}, {{0}}},
    {"noc-vc", WRITE, {{TS_NOC_CTRL, 2 | VC(6)}}, {{TS_NOC_CTRL, 2 | VC(0)}}, {{0}}},
    {"noc-vc", MULTICAST, {{TS_NOC_CTRL, CAST | VC(1)}}, {{TS_NOC_CTRL, CAST | VC(5)}}, {{0}}},
    {"noc-zero", READ, {{TS_NOC_AT_LEN_BE, 0}}, {{TS_NOC_AT_LEN_BE, 1}}, {{0}}},
    {"noc-zero", WRITE, {{TS_NOC_AT_LEN_BE, 0}}, {{TS_NOC_AT_LEN_BE, 1}}, {{0}}},
    {"noc-tile", READ, {{TS_NOC_TARG_HI, XY(20, 3)}}, {{TS_NOC_TARG_HI, XY(3, 3)}}, {{0}}},
    {"noc-tile", WRITE, {{TS_NOC_RET_HI, XY(31, 31)}}, {{TS_NOC_RET_HI, XY(1, 2)}}, {{0}}},
    {"noc-tile-back", WRITE, {{TS_NOC_TARG_HI, XY(31, 31)}}, {{0}}, {{0}}},
    {"noc-rect-grid",
     MULTICAST,
     {{TS_NOC_RET_HI, RECT(2, 3, 31, 3)}},
     {{TS_NOC_RET_HI, RECT(2, 3, 3, 3)}},
     {{0}}},
    // Only the sender, which does not receive; DRAM and Ethernet tiles, which never do. Such tiles
    // inside of a rectangle, and one that wraps around, are legal.
    {"noc-rect-empty",
     MULTICAST,
     {{TS_NOC_RET_HI, RECT(1, 2, 1, 2)}},
     {{TS_NOC_RET_HI, RECT(1, 2, 1, 3)}},
     {{0}}},
    {"noc-rect-empty",
     MULTICAST,
     {{TS_NOC_RET_HI, RECT(8, 3, 9, 4)}},
     {{TS_NOC_RET_HI, RECT(7, 3, 10, 4)}},
     {{0}}},
    {"noc-rect-empty",
     MULTICAST,
     {{TS_NOC_RET_HI, RECT(2, 1, 4, 1)}},
     {{TS_NOC_RET_HI, RECT(14, 10, 2, 3)}},
     {{0}}},
    {"noc-harvested", READ, {{TS_NOC_TARG_HI, XY(15, 3)}}, {{TS_NOC_TARG_HI, XY(14, 3)}}, {{0}}},
    {"noc-empty", WRITE, {{TS_NOC_RET_HI, XY(1, 0)}}, {{0}}, {{0}}},
    {"noc-other", WRITE, {{TS_NOC_RET_HI, XY(8, 0)}}, {{0}}, {{0}}},
    // Between L1 and the registers; a core's own view of its local RAM; backend configuration.
    {"noc-unmapped", READ, {{TS_NOC_TARG_LO, END}}, {{TS_NOC_TARG_LO, END - 64}}, {{0}}},
    {"noc-unmapped", WRITE, {{TS_NOC_RET_MID, 1}}, {{TS_NOC_RET_MID, 0}}, {{0}}},
    {"noc-unmapped",
     READ,
     {{TS_NOC_TARG_LO, 0xffb00000}, {TS_NOC_AT_LEN_BE, 4}},
     {{TS_NOC_TARG_LO, 0x20000}, {TS_NOC_AT_LEN_BE, 4}},
     {{0}}},
    {"noc-unmapped", WRITE, {{TS_NOC_RET_LO, 0xffef0000}, {TS_NOC_AT_LEN_BE, 4}}, {{0}}, {{0}}},
    {"noc-range-l1", READ, {{TS_NOC_TARG_LO, END - 48}}, {{TS_NOC_TARG_LO, END - 64}}, {{0}}},
    {"noc-range-l1", WRITE, {{TS_NOC_RET_LO, END - 48}}, {{TS_NOC_RET_LO, END - 64}}, {{0}}},
    {"noc-range-l1", WRITE, {{TS_NOC_TARG_LO, END - 16}}, {{TS_NOC_TARG_LO, END - 64}}, {{0}}},
    {"noc-range-l1", MULTICAST, {{TS_NOC_RET_LO, END - 48}}, {{TS_NOC_RET_LO, END - 64}}, {{0}}},
    {"noc-range-dram",
     DRAM_READ,
     {{TS_NOC_TARG_LO, 0xffffffc0}, {TS_NOC_AT_LEN_BE, 128}},
     {{TS_NOC_TARG_LO, 0xffffff80}, {TS_NOC_AT_LEN_BE, 128}},
     {{0}}},
    {"noc-atomic", ATOMIC, {{TS_NOC_TARG_LO, 0xffb12000}}, {{0}}, {{0}}},
    {"noc-atomic", ATOMIC, {{TS_NOC_TARG_HI, XY(17, 12)}}, {{0}}, {{0}}},
    {"noc-atomic-align", ATOMIC, {{TS_NOC_TARG_LO, 0x30002}}, {{TS_NOC_TARG_LO, 0x30004}}, {{0}}},
    {"noc-atomic-back", ATOMIC, {{TS_NOC_RET_LO, 0x15002}}, {{TS_NOC_RET_LO, 0x15004}}, {{0}}},
    {"noc-atomic-back", ATOMIC, {{TS_NOC_RET_LO, 0xffb12000}}, {{0}}, {{0}}},
    {"noc-inline", WRITE, {{TS_NOC_CTRL, INLINE}, {TS_NOC_TARG_HI, XY(2, 2)}}, {{0}}, {{0}}},
    {"noc-inline-dram", WRITE, {{TS_NOC_CTRL, INLINE}, {TS_NOC_TARG_HI, XY(17, 12)}}, {{0}}, {{0}}},
    {"noc-mask-register",
     WRITE,
     {{TS_NOC_CTRL, MASKED}, {TS_NOC_RET_LO, 0xffb12000}},
     {{TS_NOC_CTRL, MASKED}, {TS_NOC_RET_LO, 0x30004}},
     {{0}}},
    {"noc-register", WRITE, {{TS_NOC_RET_LO, 0xffb12000}}, {{0}}, {{0}}},
    {"noc-register", READ, {{TS_NOC_TARG_LO, 0xffb12002}, {TS_NOC_AT_LEN_BE, 4}}, {{0}}, {{0}}},
    // Up to 16384 bytes are a packet, at any address; more are split, from multiples of 64 on.
    {"noc-split-align",
     READ,
     {{TS_NOC_TARG_LO, 0x20010}, {TS_NOC_RET_LO, 0x30010}, {TS_NOC_AT_LEN_BE, 16400}},
     {{TS_NOC_TARG_LO, 0x20010}, {TS_NOC_RET_LO, 0x30010}, {TS_NOC_AT_LEN_BE, 16384}},
     {{0}}},
    {"noc-split-align",
     WRITE,
     {{TS_NOC_RET_LO, 0x30020}, {TS_NOC_AT_LEN_BE, 32768}},
     {{TS_NOC_RET_LO, 0x30040}, {TS_NOC_AT_LEN_BE, 32768}},
     {{0}}},
    {"noc-split-alone", WRITE, {{0}}, {{0}}, {{TS_NOC_AT_LEN_BE, 0x40000}}},
    // The addresses agree with each other; they need not be aligned by themselves.
    {"noc-align",
     READ,
     {{TS_NOC_TARG_LO, 0x20008}, {TS_NOC_RET_LO, 0x30000}},
     {{TS_NOC_TARG_LO, 0x20008}, {TS_NOC_RET_LO, 0x30018}},
     {{0}}},
    {"noc-align",
     WRITE,
     {{TS_NOC_TARG_LO, 0x20001}},
     {{TS_NOC_TARG_LO, 0x20001}, {TS_NOC_RET_LO, 0x30011}},
     {{0}}},
    {"noc-align", MULTICAST, {{TS_NOC_RET_LO, 0x30004}}, {{TS_NOC_RET_LO, 0x30010}}, {{0}}},
    {"noc-align-dram-read",
     DRAM_READ,
     {{TS_NOC_TARG_LO, 32}},
     {{TS_NOC_TARG_LO, 32}, {TS_NOC_RET_LO, 0x30020}},
     {{0}}},
    {"noc-align-dram-write", DRAM_WRITE, {{TS_NOC_RET_LO, 8}}, {{TS_NOC_RET_LO, 16}}, {{0}}},
    {"noc-align-host-read",
     HOST_READ,
     {{TS_NOC_TARG_LO, 32}},
     {{TS_NOC_TARG_LO, 32}, {TS_NOC_RET_LO, 0x30020}},
     {{0}}},
    {"noc-align-host-write", HOST_WRITE, {{TS_NOC_RET_LO, 8}}, {{TS_NOC_RET_LO, 16}}, {{0}}},
    {"noc-linked",
     MULTICAST,
     {{TS_NOC_RET_HI, RECT(2, 2, 3, 5)}},
     {{0}},
     {{TS_NOC_CTRL, CAST | TS_NOC_CTRL_LINKED}}},
    {"noc-linked",
     MULTICAST,
     {{TS_NOC_CTRL, TS_NOC_WRITE}, {TS_NOC_RET_HI, XY(3, 4)}},
     {{TS_NOC_CTRL, CAST | TS_NOC_CTRL_SRC_INCLUDE}},
     {{TS_NOC_CTRL, CAST | TS_NOC_CTRL_LINKED}}},
    {"noc-linked",
     MULTICAST,
     {{TS_NOC_CTRL, CAST | TS_NOC_CTRL_BRCST_Y}},
     {{TS_NOC_CTRL, CAST}},
     {{TS_NOC_CTRL, CAST | TS_NOC_CTRL_LINKED}}},
    {"noc-linked-vc",
     MULTICAST,
     {{TS_NOC_CTRL, CAST | VC(5)}},
     {{TS_NOC_CTRL, CAST | VC(4)}},
     {{TS_NOC_CTRL, CAST | TS_NOC_CTRL_LINKED | VC(4)}}},
};
#define CASES (sizeof cases / sizeof *cases)

// --- a device behind the PCIe site, which takes everything ---

static const char *host_read(void *context, uint64_t address, void *bytes, uint32_t length,
                             ts_cycle now)
{
    (void)context, (void)address, (void)now;
    memset(bytes, 0, length);
    return NULL;
}

static const char *host_write(void *context, uint64_t address, const void *bytes, uint32_t length,
                              ts_cycle now)
{
    (void)context, (void)address, (void)bytes, (void)length, (void)now;
    return NULL;
}

static void attach_host(struct ts_chip *chip)
{
    static const struct ts_noc_memory memory = {.read = host_read, .write = host_write};
    ts_chip_site(chip, chip->soc.pcie)->niu[0].memory = &memory;
    chip->torus.fabric.attached[chip->soc.pcie.y][chip->soc.pcie.x] = true;
}

static struct ts_traffic_op base_of(struct rig *rig, enum base base)
{
    struct ts_chip *chip = &rig->chip;
    struct ts_noc_xy me = at(1, 2), to = at(2, 2), dram = chip->soc.dram[0][0];
    switch (base) {
    case READ:
        return ts_traffic_read(chip, 0, me, to, 0x20000, 0x30000, 64);
    case ATOMIC:
        return ts_traffic_increment(chip, 0, me, to, 0x30000, 0x15000, 1, false);
    case MULTICAST:
        return ts_traffic_multicast(chip, 0, me, at(2, 2), at(3, 4), 0x20000, 0x30000, 64, 0);
    case DRAM_READ:
        return ts_traffic_read(chip, 0, me, dram, 0, 0x30000, 64);
    case DRAM_WRITE:
        return ts_traffic_write(chip, 0, me, dram, 0x20000, 0, 64, -1, false);
    case HOST_READ:
        return ts_traffic_read(chip, 0, me, chip->soc.pcie, 0, 0x30000, 64);
    case HOST_WRITE:
        return ts_traffic_write(chip, 0, me, chip->soc.pcie, 0x20000, 0, 64, -1, false);
    case WRITE:
        break;
    }
    return ts_traffic_write(chip, 0, me, to, 0x20000, 0x30000, 64, -1, false);
}

static void change(struct ts_traffic_op *op, const struct set *sets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sets[i].word || sets[i].value)
            op->word[sets[i].word] = sets[i].value;
}

// A script that issues the case's request, at another initiator than the one before it if that is
// what matters.
static void run(struct rig *rig, size_t i, bool bad)
{
    rig_init(rig, "p100", 1, NULL);
    attach_host(&rig->chip);
    static struct ts_traffic_op ops[2];
    size_t count = 0;
    bool alone = strcmp(cases[i].rule, "noc-split-alone") == 0;
    if (cases[i].before[0].value) {
        ops[count] = base_of(rig, alone ? READ : cases[i].base);
        change(&ops[count++], cases[i].before, 2);
    }
    ops[count] = base_of(rig, cases[i].base);
    change(&ops[count], bad ? cases[i].bad : cases[i].good, 3);
    ops[count].at = alone && !bad ? 50000 : 0;
    rig_drive(rig, at(1, 2), ops, count + 1);
    ck_assert_int_eq(ts_kernel_elaborate(rig->kernel, &rig->error), TS_OK);
    rig->run = ts_kernel_run(rig->kernel, 200000);
}

START_TEST(test_rule)
{
    static struct rig rig;
    const char *name = cases[_i].rule;
    const struct ts_noc_rule *rule = ts_noc_rules;
    while (rule->name && strcmp(rule->name, name) != 0)
        rule++;
    ck_assert_msg(rule->name != NULL, "there is no rule %s", name);
    run(&rig, (size_t)_i, true);
    ck_assert_msg(rig.run.stop == TS_STOP_FAULT, "%s, case %d: not seen", name, _i);
    ck_assert_int_eq(rig.run.error.code, rule->code);
    ck_assert_msg(strstr(rig.run.error.text, name) && strstr(rig.run.error.text, rule->text), "%s",
                  rig.run.error.text);
    ck_assert_ptr_nonnull(strstr(rig.run.error.text, "tile[1-2].traffic0: cycle "));
    rig_free(&rig);
    run(&rig, (size_t)_i, false);
    ck_assert_msg(rig.run.stop == TS_STOP_DONE, "%s, case %d: %s", name, _i, rig.run.error.text);
    rig_free(&rig);
}
END_TEST

START_TEST(test_all_are_tested)
{
    for (const struct ts_noc_rule *rule = ts_noc_rules; rule->name; rule++) {
        size_t found = 0;
        for (size_t i = 0; i < CASES; i++)
            found += strcmp(cases[i].rule, rule->name) == 0;
        ck_assert_msg(found, "%s has no case", rule->name);
        ck_assert_uint_gt(strlen(rule->source), 0);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_rule, 0, CASES);
    tcase_add_test(tests, test_all_are_tested);
}

SUITE("noc_rules", add_tests)
