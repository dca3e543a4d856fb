// Copies its data from .loader_init into local RAM, like the start-up code of the vendor's kernels,
// and writes a sum of data, zeroed data and arguments to RESULT.
extern unsigned image_start[], data_start[], data_end[], arguments[];

static volatile unsigned table[3] = {1000, 200, 30}; // in local RAM, with an image
static volatile unsigned zero;                       // in local RAM, without

// A zone of the event buffer; its id is the hash of this string.
#define MARKER "LLK_PROFILER:/some/where/kernel.cpp:17:TILE_LOOP"
#define ZONE   0x5207u
__attribute__((section(".profiler_meta"), used)) static const char meta[] = MARKER;

__attribute__((section(".init"), naked, used)) void _start(void)
{
    __asm__ volatile("la sp, stack_top\n j body");
}

__attribute__((used, noreturn)) void body(void)
{
    const unsigned *from = image_start;
    for (unsigned *to = data_start; to != data_end; to++)
        *to = *from++;
    *(volatile unsigned *)RESULT = table[0] + table[1] + table[2] + zero + arguments[CORE];
    volatile unsigned *events = (volatile unsigned *)0x31000;
    events[0] = 0xau << 28 | ZONE << 12;
    events[1] = 100;
    events[2] = 0xbu << 28 | ZONE << 12;
    events[3] = 142;
    for (;;)
        ;
}
