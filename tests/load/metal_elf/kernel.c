// A kernel for firmware.c. BRISC fetches a page from DRAM into circular buffer 0 and later writes it back; the math
// thread adds to every word what its arguments say. Both find everything through the launch message. Functions are called
// through tables of addresses in local data, and the data have values: all of it was linked for another place.
#include <stdint.h>

#define WORD(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define NIU           0xffb20000u
#define BYTES         4096u
#define RECEIVED \
    0xffb40028u // pages that came into circular buffer 0: a register of the NoC overlay

extern uint32_t *own_arguments, *common_arguments, *buffers, *semaphores;
extern uint16_t dram_bank_to_noc_xy[2][8];

static inline void set(uint32_t *semaphore, uint32_t value)
{
    *(volatile uint32_t *)semaphore = value;
    __asm__ volatile("fence" ::: "memory");
}

static inline void wait(uint32_t *semaphore, uint32_t value)
{
    while (*(volatile uint32_t *)semaphore != value)
        __asm__ volatile("fence" ::: "memory");
}

#if ON == 0
// A request of NoC 0 with an answer, which a counter counts.
static void request(uint32_t from, uint32_t from_xy, uint32_t to, uint32_t to_xy, uint32_t control,
                    uint32_t counter)
{
    uint32_t before = WORD(counter);
    WORD(NIU + 0x00) = from;
    WORD(NIU + 0x04) = 0;
    WORD(NIU + 0x08) = from_xy;
    WORD(NIU + 0x0c) = to;
    WORD(NIU + 0x10) = 0;
    WORD(NIU + 0x14) = to_xy;
    WORD(NIU + 0x1c) = control | 1u << 4;
    WORD(NIU + 0x20) = BYTES;
    WORD(NIU + 0x40) = 1;
    while (WORD(counter) == before)
        ;
}

static void fetch(uint32_t mine)
{
    request(own_arguments[0], dram_bank_to_noc_xy[0][0], buffers[0], mine, 0, NIU + 0x208);
}

static void send(uint32_t mine)
{
    request(buffers[0], mine, own_arguments[1], dram_bank_to_noc_xy[0][0], 2, NIU + 0x204);
}

static void (*const steps[])(uint32_t) = {fetch, send};

static uint32_t kernel(void)
{
    uint32_t id = WORD(NIU + 0x148) & 0xfff; // as requests name this core
    for (uint32_t i = 0; i < 2; i++) {
        steps[i](id);
        if (i == 0) {
            WORD(RECEIVED) = 1;
            wait(&semaphores[0], 1);
        }
    }
    return 0;
}
#elif ON == 3
static uint32_t factor = 3;

static uint32_t scaled(uint32_t x)
{
    return x * factor;
}

static uint32_t plain(uint32_t x)
{
    return x + common_arguments[0];
}

static uint32_t (*const functions[])(uint32_t) = {plain, scaled};

static uint32_t kernel(void)
{
    volatile uint32_t *words = (uint32_t *)(uintptr_t)buffers[0];
    while (WORD(RECEIVED) == 0)
        ;
    for (uint32_t i = 0; i < BYTES / 4; i++)
        words[i] = functions[own_arguments[0]](words[i]);
    set(&semaphores[0], 1);
    return factor;
}
#else
static uint32_t kernel(void)
{
    return 0;
}
#endif

extern uint32_t __kernel_data[], __kernel_data_end[], __image[], __kernel_bss[], __kernel_bss_end[];

__attribute__((section(".start"))) uint32_t _start(void);

uint32_t _start(void)
{
    for (uint32_t i = 0; __kernel_data + i < __kernel_data_end; i++)
        __kernel_data[i] = __image[i];
    for (uint32_t *word = __kernel_bss; word < __kernel_bss_end; word++)
        *word = 0;
    return kernel();
}
