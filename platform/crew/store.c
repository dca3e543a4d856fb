// The journal of results (store.h).
#include "platform/crew/store.h"

#include "platform/base/hash.h"

#include <fcntl.h>
#include <unistd.h>

#define JOURNAL    "results.jsonl"
#define SUM        "{\"sum\":\"%016llx\"," // begins a line: hash of what follows
#define SUM_LENGTH 26

// --- who we are

static void hex(char text[20], uint64_t hash)
{
    snprintf(text, 20, "%016llx", (unsigned long long)hash);
}

void ts_crew_key(const struct ts_crew_list *list, size_t index, char key[TS_CREW_KEY])
{
    char whole[32768];
    list->key(list->context, index, whole, sizeof whole);
    size_t length = strlen(whole);
    snprintf(key, TS_CREW_KEY, "%.*s", TS_CREW_KEY - 1, whole);
    json_t *text = json_string(key);
    const bool plain = text != NULL; // UTF-8
    json_decref(text);
    for (char *at = key; *at && !plain; at++)
        *at = (unsigned char)*at > 127 ? '?' : *at;
    const size_t place = strlen(key) < TS_CREW_KEY - 20 ? strlen(key) : TS_CREW_KEY - 20;
    if (length >= TS_CREW_KEY || !plain)
        snprintf(key + place, 20, "...%016llx",
                 (unsigned long long)ts_hash_bytes(TS_HASH_START, whole, length));
}

void ts_identity_make(struct ts_identity *self, const struct ts_crew_list *list)
{
    char key[TS_CREW_KEY];
    snprintf(self->tensim, sizeof self->tensim, TENSIM_VERSION " sources %s", ts_hash_sources);
    hex(self->configuration, list->configuration);
    uint64_t of = ts_hash_bytes(TS_HASH_START, self->tensim, strlen(self->tensim) + 1);
    of = ts_hash_bytes(of, list->command, strlen(list->command) + 1);
    hex(self->of, ts_hash_word(of, list->configuration));
    uint64_t keys = TS_HASH_START;
    for (size_t i = 0; i < list->count; i++) {
        ts_crew_key(list, i, key);
        keys = ts_hash_bytes(keys, key, strlen(key) + 1);
    }
    hex(self->list, keys);
}

// --- reading

static char *journal_of(const char *directory)
{
    char *path;
    if (asprintf(&path, "%s/" JOURNAL, directory) < 0)
        ts_out_of_memory("the list of runs");
    return path;
}

// Is the line as it was written?
static bool is_whole(const char *line, size_t length)
{
    char sum[SUM_LENGTH + 1];
    if (length <= SUM_LENGTH)
        return false;
    snprintf(
        sum, sizeof sum, SUM,
        (unsigned long long)ts_hash_bytes(TS_HASH_START, line + SUM_LENGTH, length - SUM_LENGTH));
    return memcmp(line, sum, SUM_LENGTH) == 0;
}

// Calls `each` with every line of JSON; it takes a reference if it wants one. Returns the length of
// the complete lines; -1: errno. Counts damaged lines and leaves them out.
static off_t each_line(const char *path, void (*each)(void *context, json_t *line), void *context,
                       size_t *damaged)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return errno == ENOENT ? 0 : -1;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    off_t good = 0;
    while ((length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n') {
        const bool whole = is_whole(line, (size_t)length - 1);
        json_t *document = whole ? json_loadb(line, (size_t)length, 0, NULL) : NULL;
        good += length;
        *damaged += document == NULL;
        if (document)
            each(context, document);
        json_decref(document);
    }
    free(line);
    fclose(file);
    return good;
}

// Rows by their keys, as a journal is read.
struct reading {
    struct ts_crew *crew;
    const char *of;
    json_t *places; // key: index
    json_t *about;  // the last description of `of`, or of anything if `of` is NULL
};

static json_t *places_of(const struct ts_crew_list *list)
{
    json_t *places = json_object();
    char key[TS_CREW_KEY];
    for (size_t i = 0; i < list->count; i++) {
        ts_crew_key(list, i, key);
        json_object_set_new(places, key, json_integer((json_int_t)i));
    }
    return places;
}

static void take_line(void *context, json_t *line)
{
    struct reading *self = context;
    const char *of = json_string_value(json_object_get(line, "of"));
    const char *key = json_string_value(json_object_get(line, "key"));
    if (of == NULL || (self->of && strcmp(of, self->of) != 0))
        return;
    if (key == NULL) {
        json_decref(self->about);
        self->about = json_incref(line);
        return;
    }
    const json_t *place = self->places ? json_object_get(self->places, key) : NULL;
    size_t index = (size_t)json_integer_value(place);
    if (place && self->crew->rows[index] == NULL) {
        json_object_del(line, "of");
        json_object_del(line, "sum");
        self->crew->rows[index] = json_incref(line);
        self->crew->resumed++;
    }
}

json_t *ts_store_about(const char *directory, struct ts_error *error)
{
    struct reading reading = {0};
    char *path = journal_of(directory);
    size_t damaged = 0;
    off_t length = each_line(path, take_line, &reading, &damaged);
    if (length >= 0 && damaged) {
        ts_fail(error, TS_SETUP,
                "%s: is damaged: %zu lines have not the checksum that they were written with; run "
                "the shard again",
                path, damaged);
        json_decref(reading.about);
        reading.about = NULL;
    } else if (length < 0)
        ts_fail(error, TS_SETUP, "%s: cannot be read: %s", path, strerror(errno));
    else if (reading.about == NULL)
        ts_fail(error, TS_SETUP,
                "%s: no results of a shard: there is no " JOURNAL ", or no run has begun in it",
                directory);
    free(path);
    return reading.about;
}

// --- writing

struct ts_store {
    char *path;
    int fd;
    const struct ts_identity *identity;
    char *lines; // to be written
    size_t length, room;
    bool synced;
};

static bool fail_write(const struct ts_store *self, struct ts_error *error)
{
    return ts_refuse(error, TS_SETUP, "%s: cannot be written: %s", self->path, strerror(errno));
}

void ts_store_add(struct ts_store *self, const char *row)
{
    size_t size = strlen(row) + sizeof self->identity->of + SUM_LENGTH + 16;
    if (self->room - self->length < size) {
        self->room = 2 * (self->room + size);
        self->lines = ts_need(realloc(self->lines, self->room), "the list of runs");
    }
    char *line = self->lines + self->length, sum[SUM_LENGTH + 1];
    size_t length = (size_t)snprintf(line + SUM_LENGTH, size - SUM_LENGTH, "\"of\":\"%s\",%s\n",
                                     self->identity->of, row + 1);
    snprintf(sum, sizeof sum, SUM,
             (unsigned long long)ts_hash_bytes(TS_HASH_START, line + SUM_LENGTH, length - 1));
    memcpy(line, sum, SUM_LENGTH);
    self->length += SUM_LENGTH + length;
}

bool ts_store_write(struct ts_store *self, struct ts_error *error)
{
    if (self->length == 0)
        return true;
    errno = ENOSPC; // of a write that takes only a part
    bool good = write(self->fd, self->lines, self->length) == (ssize_t)self->length;
    self->length = 0;
    self->synced = false;
    return good || fail_write(self, error);
}

static bool append(struct ts_store *self, const json_t *document, struct ts_error *error)
{
    char *text = json_dumps(document, JSON_COMPACT);
    if (text == NULL)
        ts_out_of_memory("the list of runs");
    ts_store_add(self, text);
    free(text);
    return ts_store_write(self, error);
}

// The words of the command, without -q: a merge decides that for itself.
static json_t *arguments_of(const struct ts_crew *crew)
{
    json_t *words = json_array();
    bool own = true; // not behind "--"
    for (int i = 0; i < crew->argc; i++) {
        const char *word = crew->argv[i];
        own &= strcmp(word, "--") != 0;
        if (i == 0 && strncmp(word, "tensim ", 7) == 0)
            word += 7;
        if (!own || (strcmp(word, "-q") != 0 && strcmp(word, "--quiet") != 0))
            json_array_append_new(words, json_string(word));
    }
    return words;
}

static json_t *describe(const struct ts_crew *crew, const struct ts_crew_list *list,
                        const struct ts_identity *identity)
{
    char shard[40];
    snprintf(shard, sizeof shard, "%u/%u", crew->shards ? crew->shard : 1,
             crew->shards ? crew->shards : 1);
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:o}", "tensim", identity->tensim, "command",
                     list->command, "configuration", identity->configuration, "list",
                     identity->list, "runs", (json_int_t)list->count, "shard", shard, "arguments",
                     arguments_of(crew));
}

struct ts_store *ts_store_open(struct ts_crew *crew, const struct ts_crew_list *list,
                               const struct ts_identity *identity, struct ts_error *error)
{
    struct ts_store *self = ts_need(calloc(1, sizeof *self), "the list of runs");
    *self = (struct ts_store){.path = journal_of(crew->directory), .identity = identity, .fd = -1};
    bool old = access(self->path, F_OK) == 0;
    struct reading reading = {
        .crew = crew, .of = identity->of, .places = old ? places_of(list) : NULL};
    size_t damaged = 0;
    off_t good = each_line(self->path, take_line, &reading, &damaged);
    if (damaged && !crew->quiet)
        fprintf(stderr,
                "tensim: warning: %s: %zu lines have not the checksum that they were written with "
                "and are not used: their runs run again\n",
                self->path, damaged);
    json_t *about = describe(crew, list, identity);
    if (good >= 0)
        self->fd = open(self->path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool fine = self->fd >= 0 && (ftruncate(self->fd, good) == 0 || fail_write(self, error));
    if (self->fd < 0)
        fail_write(self, error);
    if (reading.about) {
        json_object_del(reading.about, "of");
        json_object_del(reading.about, "sum");
    }
    if (fine && !json_equal(reading.about, about))
        fine = append(self, about, error);
    json_decref(reading.places);
    json_decref(reading.about);
    json_decref(about);
    if (fine)
        return self;
    ts_store_close(self);
    return NULL;
}

bool ts_store_sync(struct ts_store *self, struct ts_error *error)
{
    if (self->synced)
        return true;
    self->synced = true;
    return fdatasync(self->fd) == 0 || errno == EINVAL || fail_write(self, error);
}

void ts_store_close(struct ts_store *self)
{
    if (self == NULL)
        return;
    if (self->fd >= 0)
        close(self->fd);
    free(self->lines);
    free(self->path);
    free(self);
}

// --- merging

static bool differs(const char *directory, const json_t *about, const char *name, const char *what,
                    const char *wanted, struct ts_error *error)
{
    const char *there = json_string_value(json_object_get(about, name));
    if (there && strcmp(there, wanted) == 0)
        return false;
    ts_fail(error, TS_SETUP, "%s: has results of another %s: %s, not %s", directory, what,
            there ? there : "none", wanted);
    return true;
}

// Is it a shard of this list? Its number is noted.
static bool check_shard(const struct ts_crew *crew, const struct ts_crew_list *list,
                        const struct ts_identity *identity, size_t place, size_t *by_number,
                        unsigned *shards, struct ts_error *error)
{
    const char *directory = crew->merge[place];
    json_t *about = ts_store_about(directory, error);
    unsigned shard = 0, of = 0;
    bool good = about && !differs(directory, about, "tensim", "tensim", identity->tensim, error) &&
                !differs(directory, about, "command", "command", list->command, error) &&
                !differs(directory, about, "configuration", "configuration",
                         identity->configuration, error) &&
                !differs(directory, about, "list", "list of runs", identity->list, error);
    const char *text = good ? json_string_value(json_object_get(about, "shard")) : NULL;
    if (good &&
        (text == NULL || sscanf(text, "%u/%u", &shard, &of) != 2 || shard < 1 || shard > of))
        good = false, ts_fail(error, TS_SETUP, "%s: '%s' is no shard", directory, text ? text : "");
    if (good && *shards && of != *shards)
        good = false, ts_fail(error, TS_SETUP, "%s: is shard %u/%u, and %s is one of %u", directory,
                              shard, of, crew->merge[0], *shards);
    if (good && of > crew->merges)
        good = false,
        ts_fail(error, TS_SETUP, "%s: is shard %u/%u, and only %zu directories are given",
                directory, shard, of, crew->merges);
    if (good && by_number[shard - 1])
        good = false, ts_fail(error, TS_SETUP, "%s: is shard %u/%u, and so is %s", directory, shard,
                              of, crew->merge[by_number[shard - 1] - 1]);
    if (good) {
        *shards = of;
        by_number[shard - 1] = place + 1;
    }
    json_decref(about);
    return good;
}

// A run that is missing, up to the row that stops the list.
static bool check_gaps(const struct ts_crew *crew, const struct ts_crew_list *list,
                       const size_t *by_number, unsigned shards, struct ts_error *error)
{
    size_t missing = 0, first = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (crew->rows[i] && list->stops && list->stops(crew->rows[i]))
            break;
        if (crew->rows[i] == NULL && missing++ == 0)
            first = i;
    }
    if (missing == 0)
        return true;
    char key[TS_CREW_KEY];
    ts_crew_key(list, first, key);
    return ts_refuse(
        error, TS_SETUP,
        "%s: shard %zu/%u has no result of '%s' (%zu of %zu %s are missing); run it again",
        crew->merge[by_number[first % shards] - 1], first % shards + 1, shards, key, missing,
        list->count, list->unit);
}

bool ts_store_merge(struct ts_crew *crew, const struct ts_crew_list *list,
                    const struct ts_identity *identity, struct ts_error *error)
{
    size_t *by_number = calloc(crew->merges, sizeof *by_number); // its place, from 1
    unsigned shards = 0;
    bool good = true;
    if (by_number == NULL)
        ts_out_of_memory("the list of runs");
    for (size_t i = 0; good && i < crew->merges; i++)
        good = check_shard(crew, list, identity, i, by_number, &shards, error);
    for (unsigned i = 0; good && i < shards; i++)
        if (by_number[i] == 0) {
            ts_fail(error, TS_SETUP, "shard %u/%u is missing: none of the directories has it",
                    i + 1, shards);
            good = false;
        }
    struct reading reading = {
        .crew = crew, .of = identity->of, .places = good ? places_of(list) : NULL};
    for (size_t i = 0; good && i < crew->merges; i++) {
        char *path = journal_of(crew->merge[i]);
        size_t damaged = 0; // check_shard has looked
        each_line(path, take_line, &reading, &damaged);
        free(path);
    }
    good = good && check_gaps(crew, list, by_number, shards, error);
    json_decref(reading.places);
    json_decref(reading.about);
    free(by_number);
    return good;
}
