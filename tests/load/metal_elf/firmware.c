// Firmware that follows tt-metal's protocol with the host (platform/run/plan/metal.c), and no more: boot, then kernels as
// launch messages ask for them. ON is the processor, 0 BRISC to 4 TRISC2; IMAGE is where the host puts the data's image.
#include <stdint.h>

#define WORD(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define BYTE(address) (*(volatile uint8_t *)(uintptr_t)(address))
#define HALF(address) (*(volatile uint16_t *)(uintptr_t)(address))
#define SYNC          0x68u
#define LAUNCH        0x70u
#define SIGNAL        0x4f3u
#define BANKS         0x13000u
#define RESET         0xffb121b0u
#define RESET_PC      0xffb12228u // of TRISC0..2, their override, of NCRISC, its override
#if ON < 2
#define STACK "0xffb02000"
#else
#define STACK "0xffb01000"
#endif

uint32_t *own_arguments, *common_arguments, *buffers, *semaphores;
uint16_t dram_bank_to_noc_xy[2][8], l1_bank_to_noc_xy[2][130];
uint32_t marked = 0x600d; // initialised: it comes from the image

static void fence(void)
{
    __asm__ volatile("fence" ::: "memory");
}

static uint32_t run(void)
{
    uint32_t base = WORD(LAUNCH);
    own_arguments = (uint32_t *)(uintptr_t)(base + HALF(LAUNCH + 28 + 4 * ON));
    common_arguments = (uint32_t *)(uintptr_t)(base + HALF(LAUNCH + 30 + 4 * ON));
    semaphores = (uint32_t *)(uintptr_t)(base + HALF(LAUNCH + 16));
    buffers = (uint32_t *)(uintptr_t)(base + HALF(LAUNCH + 24));
    return ((uint32_t(*)(void))(uintptr_t)(base + WORD(LAUNCH + 52 + 4 * ON)))();
}

#if ON == 0
static void copy(void *to, uint32_t from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes / 4; i++)
        ((volatile uint32_t *)to)[i] = WORD(from + 4 * i);
}

static void boot(void)
{
    static const uint32_t starts[] = {0x66e0, 0x70e0, 0x7ae0, 7, 0x5ce0, 1};
    copy(dram_bank_to_noc_xy, BANKS, sizeof dram_bank_to_noc_xy);
    copy(l1_bank_to_noc_xy, BANKS + sizeof dram_bank_to_noc_xy, sizeof l1_bank_to_noc_xy);
    for (unsigned i = 0; i < 6; i++)
        WORD(RESET_PC + 4 * i) = starts[i];
    WORD(SYNC) = 0x40404040;
    fence();
    WORD(RESET) = 0;
    while (WORD(SYNC) != 0)
        fence();
    BYTE(SIGNAL) = 0;
}

static void loop(void)
{
    while (BYTE(SIGNAL) != 0x80)
        fence();
    uint32_t enables = WORD(LAUNCH + 120);
    WORD(0xffb40028) = 0; // pages in circular buffer 0
    for (unsigned i = 1; i < 5; i++)
        if (enables >> i & 1)
            BYTE(SYNC + i - 1) = 0x80;
    if (enables & 1)
        run();
    while (WORD(SYNC) != 0)
        fence();
    BYTE(SIGNAL) = 0;
}
#else
static void boot(void)
{
    BYTE(SYNC + ON - 1) = marked == 0x600d ? 0 : 0xee;
}

static void loop(void)
{
    while (BYTE(SYNC + ON - 1) != 0x80)
        fence();
    run();
    BYTE(SYNC + ON - 1) = 0;
}
#endif

extern uint32_t __data[], __data_end[], __bss[], __bss_end[];

void start(void);

__attribute__((noreturn)) void start(void)
{
    for (uint32_t i = 0; __data + i < __data_end; i++)
        __data[i] = WORD(IMAGE + 4 * i);
    for (uint32_t *word = __bss; word < __bss_end; word++)
        *word = 0;
    boot();
    for (;;)
        loop();
}

__asm__(".section .start, \"ax\"\n.globl _start\n_start: li sp, " STACK "\nj start");
