// T1 of a large matmul (peak.h).
#include "platform/study/silicon/peak.h"
#include "platform/study/silicon/peak_words.h"

#define HALF_AT          0xffb00000u // which half of Dst, in the core's own memory
#define PUSH_AT          0xffe40000u
#define MVMUL(mode, dst) (OP(MVMUL) | (uint32_t)(mode) << 14 | (dst))
#define SHAPES           16

// Functions for tiles at the edges: a shape and its label.
struct shapes {
    struct {
        unsigned m, n, k, label;
    } at[SHAPES];
    unsigned count;
};

static void modifiers(struct peak_code *k)
{
    static const struct {
        uint16_t slot, source, dst;
    } all[] = {
        {3, 0, 1u << 13}, {7, 8u << 8, 1u << 15}, {0, 0x0800, 8},      {1, 0x4010, 8},
        {2, 0x6040, 8},   {4, 0x7060, 0x400},     {5, 0xc0c0, 0x2c00}, {6, 0xc0c0, 0x8c00},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        peak_tensix(k, SETC16(12 + all[i].slot, all[i].source));
        peak_tensix(k, SETC16(28 + all[i].slot, all[i].dst));
        peak_tensix(k, SETC16(47 + all[i].slot, 0));
    }
    peak_tensix(k, SETRWC(0, 15));
}

static void product_mop(struct peak_code *k, const struct peak *peak)
{
    const uint32_t play = REPLAY(16, 0) | 16u << 14;
    const uint32_t mop[9] = {1, peak->phases, NOP, SETRWC(1, 15), NOP, play, NOP, play, play};
    peak_mop(k, mop);
}

static void move_mop(struct peak_code *k)
{
    const uint32_t move = OP(MOVA2D) | 2u << 14 | 2u << 12;
    const uint32_t mop[9] = {4, 2, NOP, SETRWC(3, 3), NOP, move, NOP, move, move};
    peak_mop(k, mop);
}

static void record(struct peak_code *k)
{
    static const uint8_t order[16] = {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
    peak_tensix(k, REPLAY(16, 1) | 16u << 14);
    for (unsigned i = 0; i < 16; i++)
        peak_tensix(k, MVMUL(order[i], 0));
}

static void set_up(struct peak_code *k, const struct peak *peak)
{
    peak_set(k, HALF_AT, 0);
    peak_sync(k, T0);
    peak_tensix(k, OP(ZEROACC) | 3u << 19 | 1u << 14);
    peak_idle(k, CONFIG_SYNC);
    modifiers(k);
    record(k);
    move_mop(k);
    peak_sync(k, T0);
    peak_idle(k, 0xffe80020u + 4 * MATH_PACK);
    peak_tensix(k, OP(SEMINIT) | 2u << 20 | 4u << MATH_PACK);
    modifiers(k);
    record(k);
    product_mop(k, peak);
}

// The word that sets Dst's base to the half in use.
static void dst_base(struct peak_code *k, const struct peak *peak, unsigned rd)
{
    peak_get(k, rd, HALF_AT);
    peak_do(k, TS_RV_SLLI, rd, rd, 0, peak->wide ? 8 : 9);
    peak_li(k, T2, SETC16(1, 0));
    peak_do(k, TS_RV_ADD, rd, rd, T2, 0);
}

// Dst's base for a tile of the sub-block.
static void aim(struct peak_code *k, unsigned tile)
{
    peak_move(k, T1, T3);
    if (tile)
        peak_addi(k, T1, T1, (int32_t)(64 * tile));
    peak_put(k, PUSH_AT, T1);
}

static void reload(struct peak_code *k, const struct peak *peak)
{
    static const struct {
        uint16_t slot, step;
    } plain[] = {{3, 0}, {0, 1}, {2, 8}};
    for (unsigned i = 0; i < 3; i++) {
        peak_tensix(k, SETC16(12 + plain[i].slot, plain[i].step));
        peak_tensix(k, SETC16(28 + plain[i].slot, plain[i].step));
        peak_tensix(k, SETC16(47 + plain[i].slot, 0));
    }
    peak_tensix(k, SETC16(7, 0));
    peak_tensix(k, SETRWC(0, 15));
    move_mop(k);
    dst_base(k, peak, T1);
    for (unsigned tile = 0; tile < peak->height * peak->width; tile++) {
        if (tile)
            peak_addi(k, T1, T1, 64);
        peak_put(k, PUSH_AT, T1);
        peak_tensix(k, RUN_MOP);
        peak_tensix(k, SETRWC(0, 4));
    }
    peak_tensix(k, STALL(B_SYNC, C_MATH));
    peak_sync(k, T0);
    modifiers(k);
    product_mop(k, peak);
}

// ---- tiles at the edges

static unsigned at_most(unsigned all, unsigned from)
{
    return all <= from ? 0 : all - from > 32 ? 32 : all - from;
}

static unsigned shape(struct peak_code *k, struct shapes *shapes, unsigned m, unsigned n,
                      unsigned inner)
{
    for (unsigned i = 0; i < shapes->count; i++)
        if (shapes->at[i].m == m && shapes->at[i].n == n && shapes->at[i].k == inner)
            return shapes->at[i].label;
    unsigned i = shapes->count++;
    shapes->at[i].m = m;
    shapes->at[i].n = n;
    shapes->at[i].k = inner;
    return shapes->at[i].label = peak_label(k);
}

// A sub-block of m x n x inner elements.
static void edge_body(struct peak_code *k, const struct peak *peak, const unsigned size[3],
                      struct shapes *shapes, unsigned done)
{
    for (unsigned inner = 0; inner < peak->block; inner++)
        for (unsigned row = 0; row < peak->height; row++) {
            const unsigned kk = at_most(size[2], 32 * inner), mm = at_most(size[0], 32 * row);
            if (kk == 0 || mm == 0)
                continue;
            for (unsigned column = 0; column < peak->width; column++) {
                const unsigned nn = at_most(size[1], 32 * column);
                if (nn == 0)
                    continue;
                aim(k, row * peak->width + column);
                if (mm == 32 && nn == 32 && kk == 32)
                    peak_tensix(k, RUN_MOP);
                else
                    peak_call(k, RA, shape(k, shapes, mm, nn, kk));
            }
            peak_tensix(k, SETRWC(2, 15));
        }
    peak_jump(k, done);
}

// Bodies for each of the ways in which a sub-block can lie at the edges.
static void edges(struct peak_code *k, const struct peak *peak, unsigned axis, unsigned size[3],
                  struct shapes *shapes, unsigned done)
{
    const unsigned regs[3] = {S4, S5, S6};
    const unsigned extents[3] = {PEAK_M, PEAK_N, peak_inner(peak)};
    const unsigned steps[3] = {32 * peak->height, 32 * peak->width, 32 * peak->block};
    const unsigned counts[3] = {PEAK_SIDE / peak->height, PEAK_SIDE / peak->width,
                                peak_blocks(peak)};
    if (axis == 3) {
        edge_body(k, peak, size, shapes, done);
        return;
    }
    const unsigned full = extents[axis] / steps[axis];
    if (full < counts[axis]) {
        unsigned normal = peak_label(k);
        if (full) {
            peak_li(k, T0, full);
            peak_branch(k, TS_RV_BLT, regs[axis], T0, normal);
        }
        size[axis] = extents[axis] % steps[axis];
        edges(k, peak, axis + 1, size, shapes, done);
        peak_here(k, normal);
        if (full == 0)
            return;
    }
    size[axis] = steps[axis];
    edges(k, peak, axis + 1, size, shapes, done);
}

// A product of less than a tile, eight rows by sixteen columns at a time.
static void edge_function(struct peak_code *k, const struct peak *peak, unsigned m, unsigned n,
                          unsigned inner)
{
    unsigned now_a = 0, now_b = 0;
    peak_tensix(k, SETRWC(0, 15));
    for (unsigned kk = 0; kk < inner; kk += 16)
        for (unsigned nn = 0; nn < n; nn += 16)
            for (unsigned mm = 0; mm < m; mm += 8) {
                const unsigned a = kk / 16 * 32 + nn / 16 * 16;
                const unsigned b = mm / 16 * 32 + kk / 16 * 16 + mm % 16;
                const unsigned dst = mm / 16 * 32 + nn / 16 * 16 + mm % 16;
                const bool back_a = a < now_a, back_b = b < now_b;
                if (back_a || back_b)
                    peak_tensix(k, SETRWC(0, (uint32_t)back_a | (uint32_t)back_b << 1));
                now_a = back_a ? 0 : now_a;
                now_b = back_b ? 0 : now_b;
                while (a != now_a || b != now_b) {
                    unsigned da = a - now_a > 15 ? 15 : a - now_a;
                    unsigned db = b - now_b > 15 ? 15 : b - now_b;
                    peak_tensix(k, OP(INCRWC) | db << 10 | da << 6);
                    now_a += da;
                    now_b += db;
                }
                if (!peak->fp8)
                    peak_tensix(k, MVMUL(3, dst));
                peak_tensix(k, MVMUL(7, dst));
                now_b = b + 8;
            }
    peak_tensix(k, SETRWC(1, 15));
    peak_do(k, TS_RV_JALR, ZERO, RA, 0, 0);
}

// ---- the program

static void multiply(struct peak_code *k, const struct peak *peak, struct shapes *shapes)
{
    unsigned edge = peak_label(k), done = peak_label(k), size[3];
    const unsigned regs[3] = {S4, S5, S6};
    const unsigned full[3] = {PEAK_M / (32 * peak->height), PEAK_N / (32 * peak->width),
                              peak_inner(peak) / (32 * peak->block)};
    dst_base(k, peak, T3);
    for (unsigned i = 0; i < 3; i++) {
        peak_li(k, T0, full[i]);
        peak_branch(k, TS_RV_BGE, regs[i], T0, edge);
    }
    for (unsigned inner = 0; inner < peak->block; inner++)
        for (unsigned tile = 0; tile < peak->height * peak->width; tile++) {
            aim(k, tile);
            peak_tensix(k, RUN_MOP);
            if (tile % peak->width == peak->width - 1)
                peak_tensix(k, SETRWC(2, 15));
        }
    peak_jump(k, done);
    peak_here(k, edge);
    edges(k, peak, 0, size, shapes, done);
    peak_here(k, done);
}

static void commit(struct peak_code *k, const struct peak *peak)
{
    peak_count_start(k, peak, PEAK_COMMIT);
    peak_tensix(k, STALL(B_SYNC, C_MATH));
    peak_tensix(k, SEM(SEMPOST, MATH_PACK));
    if (!peak->unsynced)
        peak_sync(k, T0);
    peak_count_end(k, peak, PEAK_COMMIT);
    peak_get(k, T1, HALF_AT);
    peak_li(k, T2, 1);
    peak_do(k, TS_RV_SUB, T2, T2, T1, 0);
    peak_put(k, HALF_AT, T2);
    peak_tensix(k, STALL(B_CFG, C_MATH));
}

static void leave_unless(struct peak_code *k, unsigned count, unsigned end, unsigned done)
{
    unsigned body = peak_label(k);
    peak_li(k, T0, end);
    peak_branch(k, TS_RV_BLT, count, T0, body);
    peak_jump(k, done);
    peak_here(k, body);
}

void peak_math(struct peak_code *k, const struct peak *peak)
{
    const unsigned blocks = peak_blocks(peak);
    struct shapes shapes = {.count = 0};
    unsigned done = peak_label(k), rows_done = peak_label(k), columns_done = peak_label(k);
    unsigned finish = peak_label(k);
    set_up(k, peak);
    peak_threads(k, 1);
    peak_stamp(k, PEAK_START(PEAK_AT_TRISC1));
    peak_li(k, S6, 0);
    unsigned block = peak_mark(k);
    leave_unless(k, S6, blocks, done);
    peak_li(k, S4, 0);
    unsigned row = peak_mark(k);
    leave_unless(k, S4, PEAK_SIDE / peak->height, rows_done);
    peak_li(k, S5, 0);
    unsigned column = peak_mark(k);
    leave_unless(k, S5, PEAK_SIDE / peak->width, columns_done);
    peak_count_start(k, peak, PEAK_ROOM_WAIT);
    peak_tensix(k, SEMSPACE(B_SYNC | B_MATH | B_VECTOR, MATH_PACK));
    peak_count_end(k, peak, PEAK_ROOM_WAIT);
    if (blocks > 1 && !peak->wide) {
        unsigned not_last = peak_label(k);
        peak_li(k, T0, blocks - 1);
        peak_branch(k, TS_RV_BNE, S6, T0, not_last);
        reload(k, peak);
        peak_here(k, not_last);
    }
    multiply(k, peak, &shapes);
    commit(k, peak);
    peak_addi(k, S5, S5, 1);
    peak_jump(k, column);
    peak_here(k, columns_done);
    peak_addi(k, S4, S4, 1);
    peak_jump(k, row);
    peak_here(k, rows_done);
    peak_addi(k, S6, S6, 1);
    peak_jump(k, block);
    peak_here(k, done);
    peak_stamp(k, PEAK_END(PEAK_AT_TRISC1));
    peak_jump(k, finish);
    for (unsigned i = 0; i < shapes.count; i++) {
        peak_here(k, shapes.at[i].label);
        edge_function(k, peak, shapes.at[i].m, shapes.at[i].n, shapes.at[i].k);
    }
    peak_here(k, finish);
}
