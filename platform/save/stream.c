#include "platform/save/stream.h"

#include "platform/base/input.h"
#include "platform/base/private.h"
#include "platform/save/seal.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#define LEVEL  1
#define WINDOW 27 // log2 of the bytes that matches are looked for in: tiles resemble each other
#define PART   (1u << 18)

static const char magic[16] = "tensim.ckpt 2\n"; // with the version

// Behind the magic: who wrote the file, and the keyed checksum of all that follows.
struct sealed {
    uint64_t user, seal;
};

struct ts_stream {
    char *path, *part; // part: until it is complete
    FILE *file;
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    char *plain, *packed;
    size_t used;      // of plain, when it is written
    ZSTD_inBuffer in; // of packed, when it is read
    size_t hint;      // of zstd: 0 after a complete frame
    bool wrong;       // written: errno in `reason`; read: damaged
    int reason;
    struct ts_seal seal;
    struct sealed sealed; // of the file
    bool known;           // the user's own file: its seal counts
};

// A name of the key, which says nothing about it.
static uint64_t user_of(const unsigned char key[TS_PRIVATE_KEY])
{
    struct ts_seal seal;
    ts_seal_begin(&seal, key);
    ts_seal_add(&seal, magic, sizeof magic);
    return ts_seal_end(&seal);
}

static void free_stream(struct ts_stream *self)
{
    ZSTD_freeCCtx(self->pack);
    ZSTD_freeDCtx(self->unpack);
    if (self->file)
        fclose(self->file);
    free(self->path);
    free(self->part);
    free(self->plain);
    free(self->packed);
    free(self);
}

static struct ts_stream *new_stream(const char *path, struct ts_error *error)
{
    struct ts_stream *self = calloc(1, sizeof *self);
    if (self) {
        self->path = strdup(path);
        self->plain = malloc(PART);
        self->packed = malloc(PART);
    }
    if (self && self->path && self->plain && self->packed)
        return self;
    if (self)
        free_stream(self);
    return ts_nothing(error, TS_NO_MEMORY, "out of memory");
}

// --- writing ---

struct ts_stream *ts_stream_create(const char *path, struct ts_error *error)
{
    struct ts_stream *self = new_stream(path, error);
    if (self == NULL)
        return NULL;
    if (asprintf(&self->part, "%s.part", path) < 0)
        self->part = NULL;
    unsigned char key[TS_PRIVATE_KEY];
    if (!ts_private_key(key, error)) {
        free_stream(self);
        return NULL;
    }
    ts_seal_begin(&self->seal, key);
    self->sealed.user = user_of(key);
    const int fd = self->part ? open(self->part,
                                     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)
                              : -1;
    self->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    self->pack = ZSTD_createCCtx();
    if (self->file == NULL || self->pack == NULL) {
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(errno));
        free_stream(self);
        return NULL;
    }
    ZSTD_CCtx_setParameter(self->pack, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(self->pack, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(self->pack, ZSTD_c_windowLog, WINDOW);
    ZSTD_CCtx_setParameter(self->pack, ZSTD_c_enableLongDistanceMatching, 1);
    self->wrong = fwrite(magic, sizeof magic, 1, self->file) != 1 ||
                  fwrite(&self->sealed, sizeof self->sealed, 1, self->file) != 1;
    return self;
}

static void pack(struct ts_stream *self, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {self->plain, self->used, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {self->packed, PART, 0};
        left = ZSTD_compressStream2(self->pack, &out, &in, how);
        if (!ZSTD_isError(left))
            ts_seal_add(&self->seal, self->packed, out.pos);
        if (ZSTD_isError(left) || fwrite(self->packed, 1, out.pos, self->file) != out.pos) {
            self->reason = ZSTD_isError(left) ? ENOMEM : errno;
            self->wrong = true;
            return;
        }
    } while (how == ZSTD_e_end ? left != 0 : in.pos < in.size);
    self->used = 0;
}

void ts_stream_put(struct ts_stream *self, const void *bytes, size_t length)
{
    const char *from = bytes;
    while (length > 0 && !self->wrong) {
        size_t part = PART - self->used < length ? PART - self->used : length;
        memcpy(self->plain + self->used, from, part);
        self->used += part;
        from += part;
        length -= part;
        if (self->used == PART)
            pack(self, ZSTD_e_continue);
    }
}

void ts_stream_put_number(struct ts_stream *self, uint64_t value)
{
    ts_stream_put(self, &value, sizeof value);
}

bool ts_stream_finish(struct ts_stream *self, struct ts_error *error)
{
    if (!self->wrong)
        pack(self, ZSTD_e_end);
    bool good = !self->wrong;
    self->sealed.seal = ts_seal_end(&self->seal);
    if (good && (fseek(self->file, sizeof magic, SEEK_SET) != 0 ||
                 fwrite(&self->sealed, sizeof self->sealed, 1, self->file) != 1)) {
        self->reason = errno;
        good = false;
    }
    if (fclose(self->file) != 0 && good) {
        self->reason = errno;
        good = false;
    }
    self->file = NULL;
    if (good && rename(self->part, self->path) != 0) {
        self->reason = errno;
        good = false;
    }
    if (!good) {
        unlink(self->part);
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", self->path, strerror(self->reason));
    }
    free_stream(self);
    return good;
}

// --- reading ---

// Reads on, and seals what it reads.
static void refill(struct ts_stream *self)
{
    self->in.size = fread(self->packed, 1, PART, self->file);
    self->in.pos = 0;
    ts_seal_add(&self->seal, self->packed, self->in.size);
}

// Nothing of a stranger's file is unpacked.
static void check_seal(struct ts_stream *self, bool trust, struct ts_error *error)
{
    unsigned char key[TS_PRIVATE_KEY];
    if (fread(&self->sealed, sizeof self->sealed, 1, self->file) != 1) {
        ts_fail(error, TS_SETUP, "%s: is damaged: cut off, or altered", self->path);
        return;
    }
    if (!ts_private_key(key, error))
        return;
    self->known = self->sealed.user == user_of(key);
    if (!self->known && !trust) {
        ts_fail(
            error, TS_SETUP,
            "%s: was not written by this user of this host; a checkpoint is memory and registers, "
            "so to resume it "
            "is to run it as a program. If you trust its writer: tensim run --resume FILE "
            "--allow=checkpoint",
            self->path);
        return;
    }
    ts_seal_begin(&self->seal, key);
    do
        refill(self);
    while (self->in.size > 0);
    if (self->known && ts_seal_end(&self->seal) != self->sealed.seal)
        ts_fail(error, TS_SETUP, "%s: is damaged: cut off, or altered", self->path);
    else if (fseek(self->file, sizeof magic + sizeof self->sealed, SEEK_SET) != 0)
        ts_fail(error, TS_SETUP, "%s: cannot be read: %s", self->path, strerror(errno));
    ts_seal_begin(&self->seal, key);
}

struct ts_stream *ts_stream_open(const char *path, bool trust, struct ts_error *error)
{
    char begin[sizeof magic];
    struct ts_stream *self = new_stream(path, error);
    if (self == NULL)
        return NULL;
    self->file = ts_open_input(path, error);
    self->unpack = ZSTD_createDCtx();
    self->in.src = self->packed;
    self->hint = 1;
    if (self->file == NULL || self->unpack == NULL)
        ts_fail(error, TS_SETUP, "%s: cannot be read: %s", path, strerror(errno));
    else if (fread(begin, sizeof begin, 1, self->file) != 1 || memcmp(begin, magic, 12) != 0)
        ts_fail(error, TS_SETUP, "%s: is not a checkpoint", path);
    else if (memcmp(begin, magic, sizeof magic) != 0)
        ts_fail(error, TS_SETUP, "%s: a checkpoint of version %.3s, not %.1s", path, begin + 12,
                magic + 12);
    else
        check_seal(self, trust, error);
    if (error->code == TS_OK)
        return self;
    free_stream(self);
    return NULL;
}

bool ts_stream_get(struct ts_stream *self, void *bytes, size_t length)
{
    ZSTD_outBuffer out = {bytes, length, 0};
    while (out.pos < out.size && !self->wrong) {
        if (self->in.pos == self->in.size)
            refill(self);
        size_t before = out.pos;
        bool ended = self->in.size == 0 || self->hint == 0;
        if (!ended)
            self->hint = ZSTD_decompressStream(self->unpack, &out, &self->in);
        self->wrong = (ended && out.pos == before) || ZSTD_isError(self->hint);
    }
    if (self->wrong)
        memset(bytes, 0, length);
    return !self->wrong;
}

uint64_t ts_stream_get_number(struct ts_stream *self)
{
    uint64_t value;
    ts_stream_get(self, &value, sizeof value);
    return value;
}

bool ts_stream_close(struct ts_stream *self, bool end, struct ts_error *error)
{
    bool good = !self->wrong;
    // What is left of the frame is its checksum.
    char more;
    while (end && good && self->hint != 0) {
        ZSTD_outBuffer out = {&more, 1, 0};
        if (self->in.pos == self->in.size)
            refill(self);
        if (self->in.size == 0)
            break;
        self->hint = ZSTD_decompressStream(self->unpack, &out, &self->in);
        good = !ZSTD_isError(self->hint) && out.pos == 0;
    }
    if (end)
        good = good && self->hint == 0 && self->in.pos == self->in.size &&
               fgetc(self->file) == EOF &&
               (!self->known || ts_seal_end(&self->seal) == self->sealed.seal);
    if (!good)
        ts_fail(error, TS_SETUP, "%s: is damaged: cut off, or altered", self->path);
    free_stream(self);
    return good;
}
