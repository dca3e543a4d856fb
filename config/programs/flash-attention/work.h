// What all kernels of the program know: sizes in tiles, and which chunks of rows a core has.
#pragma once

constexpr uint32_t st = get_compile_time_arg_val(0), dt = get_compile_time_arg_val(1);
constexpr uint32_t qc = get_compile_time_arg_val(2), kc = get_compile_time_arg_val(3);
constexpr bool causal = get_compile_time_arg_val(4);
constexpr uint32_t sharers = get_compile_time_arg_val(5); // cores of a head
constexpr bool shared = get_compile_time_arg_val(6);    // one of them reads keys and values for all
constexpr uint32_t kts = get_compile_time_arg_val(7);   // rows of tiles of keys of a head
constexpr uint32_t group = get_compile_time_arg_val(8); // heads of q that have the same keys
constexpr uint32_t chunks = st / qc / sharers;          // of each core and head
static_assert(st % (qc * sharers) == 0,
              "seq must be whole chunks of rows for every core of a head");
static_assert(kts % kc == 0, "the keys must be whole chunks");
static_assert(qc <= 4 && kc <= 8 && (dt == 2 || dt == 4), "the tiles of a step must fit in Dst");

// ROUNDS: heads of a core, one after the other. Without it a core has one.
#ifdef ROUNDS
#define EACH_ROUND for (uint32_t round = 0; round < ROUNDS; round++)
#else
#define EACH_ROUND
#define ROUNDS 1
constexpr uint32_t round = 0;
#endif

enum {
    Q,
    K,
    V,
    ONES,
    MASKS,
    OUT = 16,
    SCORES = 24,
    POWERS,
    LARGEST,
    LARGER,
    SUMS,
    PARTS,
    FACTORS,
    RESULT
};

// The first row of tiles of a core's n-th chunk: to and fro, since under a causal mask later rows are more work.
inline uint32_t first_row(uint32_t part, uint32_t n)
{
    return qc * (n * sharers + (n % 2 ? sharers - 1 - part : part));
}
// How many chunks of keys the rows from `row` on see.
inline uint32_t key_chunks(uint32_t row)
{
    return causal ? (row + qc + kc - 1) / kc : kts / kc;
}
// How many chunks of keys come for the n-th chunk: if the cores of a head share them, what one of them sees.
inline uint32_t chunks_that_come(uint32_t part, uint32_t n)
{
    return key_chunks(shared ? qc * (n * sharers + sharers - 1) : first_row(part, n));
}
