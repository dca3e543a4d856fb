// The loader: the files it accepts, its messages for those it refuses, and 10,000 mutated files
// that must not crash it.
#include "platform/kernel/kernel.h"
#include "platform/load/conform.h"
#include "platform/load/listing.h"
#include "platform/load/loader.h"
#include "tests/suite.h"

#include <check.h>
#include <elf.h>
#include <stdlib.h>

static struct ts_kernel *kernel;
static struct ts_tile *tile;
static struct ts_loader loader;

static void set_up(void)
{
    kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    tile = ts_tile_new(ts_domain_new(kernel, "tile"), NULL, &error);
    ck_assert_ptr_nonnull(tile);
    ts_loader_init(&loader, tile);
}

static void tear_down(void)
{
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

struct image {
    Elf32_Ehdr header;
    Elf32_Phdr segments[2];
    uint32_t code[4];
};

static struct image good_image(void)
{
    struct image image = {0};
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS32;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_ident[EI_VERSION] = EV_CURRENT;
    image.header.e_type = ET_EXEC;
    image.header.e_machine = EM_RISCV;
    image.header.e_version = EV_CURRENT;
    image.header.e_entry = 0x6000;
    image.header.e_phoff = offsetof(struct image, segments);
    image.header.e_ehsize = sizeof image.header;
    image.header.e_phentsize = sizeof image.segments[0];
    image.header.e_phnum = 2;
    for (unsigned i = 0; i < 2; i++) {
        image.segments[i].p_type = PT_LOAD;
        image.segments[i].p_offset = offsetof(struct image, code) + i * 8;
        image.segments[i].p_vaddr = image.segments[i].p_paddr = i ? 0xffb00010u : 0x6000;
        image.segments[i].p_filesz = 8;
        image.segments[i].p_memsz = i ? 64 : 8;
        image.segments[i].p_flags = PF_R | PF_X;
    }
    for (unsigned i = 0; i < 4; i++)
        image.code[i] = 0x11111111u * (i + 1);
    return image;
}

START_TEST(test_good)
{
    struct image image = good_image();
    struct ts_error error = {0};
    uint32_t entry, word;
    memset(tile->local[TS_RV_TRISC0], 0xee, 256);
    ck_assert_msg(
        ts_load_elf_bytes(&loader, TS_RV_TRISC0, &image, sizeof image, "a.elf", &entry, &error),
        "%s", error.text);
    ck_assert_uint_eq(entry, 0x6000);
    memcpy(&word, tile->l1.bytes + 0x6004, 4);
    ck_assert_uint_eq(word, 0x22222222);
    memcpy(&word, tile->local[TS_RV_TRISC0] + 0x10, 4);
    ck_assert_uint_eq(word, 0x33333333);
    ck_assert_uint_eq(tile->local[TS_RV_TRISC0][0x18], 0); // the rest of the segment is cleared
    ck_assert_uint_eq(tile->local[TS_RV_TRISC0][0x50], 0xee);
    // The same again: it overlaps itself.
    ck_assert(
        !ts_load_elf_bytes(&loader, TS_RV_TRISC0, &image, sizeof image, "a.elf", &entry, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "overlaps"));
    ck_assert_int_eq(error.code, TS_SETUP);
}
END_TEST

START_TEST(test_refused)
{
    for (unsigned i = 0; i < 9; i++) {
        static const char *const parts[] = {"not an ELF", "32-bit",    "for machine",
                                            "not linked", "truncated", "outside L1",
                                            "not a word", "truncated", "more bytes"};
        struct image image = good_image();
        size_t length = sizeof image;
        switch (i) {
        case 0:
            image.header.e_ident[0] = 'x';
            break;
        case 1:
            image.header.e_ident[EI_CLASS] = ELFCLASS64;
            break;
        case 2:
            image.header.e_machine = EM_386;
            break;
        case 3:
            image.header.e_type = ET_REL;
            break;
        case 4:
            length -= 4;
            break;
        case 5:
            image.segments[0].p_paddr = 0x17fffc;
            break;
        case 6:
            image.header.e_entry = 0x6001;
            break;
        case 7:
            length = 20;
            break;
        default:
            image.segments[0].p_memsz = 4;
            break;
        }
        struct ts_error error = {0};
        uint32_t entry;
        ts_loader_init(&loader, tile);
        ck_assert(
            !ts_load_elf_bytes(&loader, TS_RV_TRISC0, &image, length, "a.elf", &entry, &error));
        ck_assert_int_eq(error.code, TS_SETUP);
        ck_assert_msg(strstr(error.text, parts[i]) != NULL, "%u: %s", i, error.text);
    }
}
END_TEST

static uint64_t seed = 88172645463325252u;

static uint32_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

START_TEST(test_mutated)
{
    unsigned refused = 0;
    FILE *nowhere = fopen("/dev/null", "w");
    for (unsigned i = 0; i < 10000; i++) {
        struct image image = good_image();
        size_t length = sizeof image;
        unsigned changes = 1 + draw() % 4;
        for (unsigned k = 0; k < changes; k++)
            ((unsigned char *)&image)[draw() % sizeof image] = (unsigned char)draw();
        if (draw() % 4 == 0)
            length = draw() % sizeof image;
        // An exact copy on the heap, so that a read past the end is seen.
        void *bytes = malloc(length ? length : 1);
        memcpy(bytes, &image, length);
        struct ts_error error = {0};
        uint32_t entry;
        ts_loader_init(&loader, tile);
        if (i % 2 == 0) {
            bool good = ts_load_elf_bytes(&loader, draw() % TS_RV_CORES, bytes, length, "m.elf",
                                          &entry, &error);
            ck_assert(good == (error.code == TS_OK));
            ck_assert(good || (error.code == TS_SETUP && error.text[0] != '\0'));
            refused += !good;
        } else {
            bool good = ts_load_bytes(&loader, draw() & 0x3fffff, bytes, length, "m.bin", &error);
            ck_assert(good == (error.code == TS_OK));
            refused += !good;
        }
        struct ts_error listing = {0};
        ts_list_file(&ts_machines[0], bytes, length, "m.elf", 0, nowhere, &listing);
        free(bytes);
    }
    fclose(nowhere);
    ck_assert_uint_gt(refused, 1000);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_good);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_mutated);
}

SUITE("loader", add_tests)
