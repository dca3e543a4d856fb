#include "platform/save/image.h"

#include "platform/base/hash.h"
#include "platform/save/stream.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#define ARGUMENTS    4096u
#define TEXT         65536u
#define OUTSIDE_MOST (UINT64_C(1) << 24)
#define RUN_MOST     (UINT64_C(1) << 38)
#define FILES        1024 // descriptors that are looked at

static struct ts_outside outside; // of this process
static uint64_t outside_hash;

const char *ts_image_refused(void)
{
#if defined(__SSP__) || defined(__SSP_ALL__) || defined(__SSP_STRONG__)
    return "frames of a build with stack protectors are those of one process";
#elif defined(__ARM_FEATURE_PAC_DEFAULT)
    return "frames of a build with signed return addresses are those of one process";
#else
    Elf64_Ehdr head = {.e_type = ET_NONE};
    FILE *program = fopen("/proc/self/exe", "rb");
    bool read = program && fread(&head, sizeof head, 1, program) == 1;
    if (program)
        fclose(program);
    if (!read || head.e_type != ET_EXEC)
        return "this build's addresses are not fixed";
    return ts_region_is_open() ? NULL : "its memory cannot be at fixed addresses";
#endif
}

static uint64_t program_hash(void)
{
    static uint64_t hash;
    uint64_t words[4096];
    FILE *file = hash ? NULL : fopen("/proc/self/exe", "rb");
    for (size_t count; file && (count = fread(words, 1, sizeof words, file)) > 0;)
        hash = ts_hash_words(hash ^ count, words, count / sizeof *words);
    if (file)
        fclose(file);
    return hash;
}

void ts_image_head_free(struct ts_image_head *self)
{
    for (int i = 0; i < self->argc; i++)
        free(self->argv[i]);
    free(self->argv);
}

// Frames are read and written as a whole, with what AddressSanitizer puts between their variables.
static void open_stack(void)
{
#if defined(__SANITIZE_ADDRESS__)
    const struct ts_region_extent stack = ts_region_whole_stack();
    __asan_unpoison_memory_region(stack.begin, (size_t)(stack.end - stack.begin));
#endif
}

bool ts_image_start(struct ts_error *error)
{
    open_stack();
    bool was = ts_region_inside(false);
    bool good = ts_outside_find(&outside, __builtin_frame_address(0));
    outside_hash = ts_outside_hash(&outside);
    ts_region_inside(was);
    if (!good)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    return good;
}

// --- writing ---

static bool put_run(void *context, char *at, size_t bytes)
{
    struct ts_stream *stream = context;
    ts_stream_put_number(stream, (uint64_t)at);
    ts_stream_put_number(stream, bytes);
    ts_stream_put(stream, at, bytes);
    return true;
}

// A regular file that the run writes; the lock of its directory and the checkpoint are not of the run.
static bool is_written(int fd, struct stat *about)
{
    char link[64], name[512];
    int mode = fcntl(fd, F_GETFL);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY || fstat(fd, about) != 0 ||
        !S_ISREG(about->st_mode) || length <= 0)
        return false;
    name[length] = '\0';
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    return (slash == NULL || slash[1] != '.') && (dot == NULL || strcmp(dot, ".part") != 0);
}

static void put_files(struct ts_stream *stream)
{
    char bytes[65536], link[64];
    for (int fd = 3; fd < FILES; fd++) {
        struct stat about;
        off_t length = is_written(fd, &about) ? lseek(fd, 0, SEEK_CUR) : 0;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        int again = length > 0 ? open(link, O_RDONLY | O_CLOEXEC) : -1;
        if (again < 0)
            continue;
        ts_stream_put_number(stream, (uint64_t)fd);
        ts_stream_put_number(stream, (uint64_t)length);
        for (off_t at = 0; at < length;) {
            size_t part = (size_t)(length - at) < sizeof bytes ? (size_t)(length - at)
                                                               : sizeof bytes;
            ssize_t got = pread(again, bytes, part, at);
            if (got <= 0)
                memset(bytes, 0, part);
            ts_stream_put(stream, bytes, got > 0 ? (size_t)got : part);
            at += got > 0 ? got : (ssize_t)part;
        }
        close(again);
    }
    ts_stream_put_number(stream, 0);
}

static bool write_all(const char *path, const struct ts_image_head *head, const void *frame,
                      struct ts_error *error)
{
    const struct ts_region_extent stack = ts_region_stack(frame);
    open_stack();
    struct ts_stream *stream = ts_stream_create(path, error);
    if (stream == NULL)
        return false;
    ts_stream_put_number(stream, program_hash());
    ts_stream_put_number(stream, head->cycle);
    ts_stream_put_number(stream, (uint64_t)head->argc);
    for (int i = 0; i < head->argc; i++) {
        ts_stream_put_number(stream, strlen(head->argv[i]));
        ts_stream_put(stream, head->argv[i], strlen(head->argv[i]));
    }
    ts_stream_put_number(stream, outside.count);
    ts_stream_put(stream, outside.words, outside.count * sizeof *outside.words);
    ts_stream_put_number(stream, outside_hash);
    ts_region_runs(0, put_run, stream);
    put_run(stream, stack.begin, (size_t)(stack.end - stack.begin));
    ts_stream_put_number(stream, 0);
    put_files(stream);
    return ts_stream_finish(stream, error);
}

enum ts_image_end ts_image_write(struct ts_image *self, const char *path,
                                 const struct ts_image_head *head, struct ts_error *error)
{
    bool was = ts_region_inside(false);
    self->resumed = false;
    fflush(stdout);
    getcontext(&self->registers);
    // Everything from here on happens in another process, too, if self->resumed.
    enum ts_image_end end = TS_IMAGE_RESUMED;
    if (!*(volatile bool *)&self->resumed)
        end = write_all(path, head, __builtin_frame_address(0), error) ? TS_IMAGE_WRITTEN
                                                                       : TS_IMAGE_FAILED;
    ts_region_inside(was);
    return end;
}

// --- reading ---

static bool get_head(struct ts_stream *stream, struct ts_image_head *head)
{
    *head = (struct ts_image_head){0};
    head->program = ts_stream_get_number(stream);
    head->cycle = ts_stream_get_number(stream);
    uint64_t count = ts_stream_get_number(stream);
    if (count == 0 || count > ARGUMENTS)
        return false;
    head->argv = calloc(count + 1, sizeof *head->argv);
    for (uint64_t i = 0; head->argv && i < count; i++) {
        uint64_t length = ts_stream_get_number(stream);
        char *text = length < TEXT ? calloc(1, length + 1) : NULL;
        if (text == NULL || !ts_stream_get(stream, text, length)) {
            free(text);
            return false;
        }
        head->argv[head->argc++] = text;
    }
    return head->argv != NULL;
}

static bool get_outside(struct ts_stream *stream, struct ts_outside *there, uint64_t *hash)
{
    *there = (struct ts_outside){.count = ts_stream_get_number(stream)};
    if (there->count > OUTSIDE_MOST)
        return false;
    there->words = malloc((there->count + 1) * sizeof *there->words);
    bool good = there->words &&
                ts_stream_get(stream, there->words, there->count * sizeof *there->words);
    *hash = ts_stream_get_number(stream);
    return good;
}

// One run of the region; `read` says whether to put it there. Ends with *at == 0.
static bool get_run(struct ts_stream *stream, const struct ts_outside_map *map, char **at)
{
    char bytes[65536];
    *at = (char *)(uintptr_t)ts_stream_get_number(stream);
    if (*at == NULL)
        return true;
    uint64_t length = ts_stream_get_number(stream);
    if (length == 0 || length > RUN_MOST || length % 8 || (uint64_t)*at % 8 ||
        !ts_region_has(*at) || !ts_region_has(*at + length - 1))
        return false;
    for (uint64_t done = 0; done < length;) {
        size_t part = length - done < sizeof bytes ? (size_t)(length - done) : sizeof bytes;
        char *to = map ? *at + done : bytes;
        if (!ts_stream_get(stream, to, part))
            return false;
        if (map)
            ts_outside_translate(map, (uint64_t *)(uintptr_t)to, part / 8);
        done += part;
    }
    return true;
}

// The contents of one file that the run has written so far. Ends with *fd == 0.
static bool get_file(struct ts_stream *stream, bool write_it, int *fd)
{
    char bytes[65536];
    struct stat about;
    uint64_t number = ts_stream_get_number(stream);
    *fd = (int)number;
    if (number == 0)
        return true;
    uint64_t length = ts_stream_get_number(stream);
    bool good = number < FILES &&
                (!write_it || (is_written(*fd, &about) && ftruncate(*fd, 0) == 0 &&
                               lseek(*fd, 0, SEEK_SET) == 0));
    for (uint64_t done = 0; good && done < length;) {
        size_t part = length - done < sizeof bytes ? (size_t)(length - done) : sizeof bytes;
        good = ts_stream_get(stream, bytes, part) &&
               (!write_it || write(*fd, bytes, part) == (ssize_t)part);
        done += part;
    }
    return good;
}

// Everything behind the outside words. With a map it is put in its place.
static bool get_rest(struct ts_stream *stream, const struct ts_outside_map *map)
{
    char *at = NULL;
    int fd = 0;
    do {
        if (!get_run(stream, map, &at))
            return false;
    } while (at != NULL);
    do {
        if (!get_file(stream, map != NULL, &fd))
            return false;
    } while (fd != 0);
    return true;
}

bool ts_image_check(const char *path, bool trust, struct ts_image_head *head,
                    struct ts_error *error)
{
    struct ts_outside there = {0};
    uint64_t hash;
    struct ts_stream *stream = ts_stream_open(path, trust, error);
    if (stream == NULL)
        return false;
    bool good = get_head(stream, head);
    if (good && head->program != program_hash()) {
        ts_stream_close(stream, false, error);
        return ts_refuse(error, TS_SETUP, "%s: was written by another build of tensim", path);
    }
    good = good && get_outside(stream, &there, &hash) && get_rest(stream, NULL);
    free(there.words);
    if (!ts_stream_close(stream, true, error))
        return false;
    if (!good)
        ts_fail(error, TS_SETUP, "%s: is damaged: cut off, or altered", path);
    return good;
}

// On a stack of its own, because that of the command is read.
struct reader {
    struct ts_image *image;
    struct ts_stream *stream;
    struct ts_outside_map map;
    ucontext_t own, back;
    bool good;
};
static struct reader reader;
static char reader_stack[1 << 18] __attribute__((aligned(16)));

static void read_all(void)
{
    const struct ts_region_extent blocks = ts_region_blocks(0);
    struct ts_error ignored = {0};
    open_stack();
    madvise(blocks.begin, (size_t)(blocks.end - blocks.begin), MADV_DONTNEED);
    bool good = get_rest(reader.stream, &reader.map);
    good = ts_stream_close(reader.stream, true, &ignored) && good;
    if (!good) {
        fputs("tensim: the checkpoint has changed while it was read\n", stderr);
        _exit(TS_SETUP); // nothing of the command is left
    }
    free(reader.map.pairs);
    reader.image->resumed = true;
    setcontext(&reader.image->registers);
}

void ts_image_read(struct ts_image *self, const char *path, bool trust, struct ts_error *error)
{
    struct ts_image_head head;
    struct ts_outside there = {0};
    uint64_t hash;
    bool was = ts_region_inside(false);
    reader.image = self;
    reader.stream = ts_stream_open(path, trust, error);
    if (reader.stream && get_head(reader.stream, &head) &&
        get_outside(reader.stream, &there, &hash) && hash == ts_outside_hash(&there) &&
        ts_outside_map(&reader.map, &there, &outside)) {
        free(there.words);
        ts_image_head_free(&head);
        getcontext(&reader.own);
        reader.own.uc_stack.ss_sp = reader_stack;
        reader.own.uc_stack.ss_size = sizeof reader_stack;
        reader.own.uc_link = NULL;
        makecontext(&reader.own, read_all, 0);
        setcontext(&reader.own);
    }
    if (reader.stream) {
        ts_stream_close(reader.stream, false, error);
        ts_fail(error, TS_SETUP,
                "%s: the command makes another machine now: its files, parameters or environment "
                "have changed",
                path);
    }
    ts_region_inside(was);
}
