#include "platform/cluster/cluster.h"

#include "platform/base/clock.h"
#include "platform/base/private.h"
#include "platform/cluster/pages.h"
#include "platform/cluster/peers.h"
#include "platform/cluster/wire.h"
#include "platform/crew/ranks.h"
#include "platform/save/region.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SIGNALLED_S     0.2  // without an answer, for a process that is to end
#define PATIENCE_S      300  // without an answer
#define PATIENCE_END_S  3600 // at the end: the first rank writes its files
#define PATIENCE_LAST_S 3    // until the first rank has said why it ends
#define READ_MS         1000 // at most, until the launcher has read what a rank says at its end

// Of this process.
static struct {
    struct ts_cluster kernel;
    const struct ts_wire *wire; // NULL: one process
    int (*main)(int, char **);
    const struct ts_kernel *of; // the kernel that the following is of
    unsigned *peers;            // ranks that it exchanges with
    struct ts_wire_mail *mails;
    struct ts_bytes *outs;
    size_t peer_count;
    struct ts_pages *pages[TS_PLACES]; // of its places
    struct ts_peers *ranks;            // NULL: they have not met yet
    int error;                         // stderr, as it was; -1: it is
    FILE *said;                        // what a silent one would have said; NULL: nothing
    bool ended, leaving;
    // For TENSIM_RANK_TIMES: CPU seconds of the thread that runs the kernel, in windows and between them.
    bool timed;
    uint64_t windows, sent; // bytes
    double since, work, meeting, gathering;
} self = {.error = -1};

struct ts_cluster *ts_kernel_cluster(void)
{
    return self.wire ? &self.kernel : NULL;
}

unsigned ts_cluster_ranks(void)
{
    return self.wire ? self.kernel.ranks : 1;
}

bool ts_cluster_first(void)
{
    return self.wire == NULL || self.kernel.rank == 0;
}

// --- silence ---

static void be_silent(void)
{
    self.error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    self.said = ts_temporary_file(); // without a name: a killed process leaves nothing
    int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(none, STDOUT_FILENO);
    dup2(self.said ? fileno(self.said) : none, STDERR_FILENO);
}

static int loud(void)
{
    return self.error >= 0 ? self.error : STDERR_FILENO;
}

// What only this rank has to say: the first one has not failed.
static void say(void)
{
    char line[600];
    if (self.said == NULL)
        return;
    rewind(self.said);
    while (fgets(line, sizeof line, self.said))
        dprintf(loud(), "rank %u: %s", self.kernel.rank, line);
}

// --- ranks that are lost ---

// Open MPI's launcher ends the job when the first rank ends badly, and drops what it has not read of the others.
static void wait_until_read(void)
{
    int left = 0;
    for (int i = 0; i < READ_MS && ioctl(loud(), FIONREAD, &left) == 0 && left > 0; i++)
        usleep(1000);
    usleep(1000 * READ_MS / 10); // it writes it, too
}

// Of the ranks of a host the first one that knows says why they end.
__attribute__((format(printf, 1, 2))) static void end_all(const char *format, ...)
{
    va_list args;
    if (self.ranks == NULL || ts_peers_say(self.ranks)) {
        va_start(args, format);
        vdprintf(loud(), format, args);
        va_end(args);
    }
    wait_until_read();
    _exit(TS_SETUP);
}

static void fails(void)
{
    end_all("tensim: a rank of this simulation is lost: MPI reports it to rank %u of %u\n",
            self.kernel.rank, self.kernel.ranks);
}

static void waits(double seconds)
{
    const unsigned rank = self.kernel.rank, ranks = self.kernel.ranks;
    unsigned lost = self.ranks ? ts_peers_lost(self.ranks) : ranks;
    int patience = self.leaving ? PATIENCE_END_S : PATIENCE_S;
    if (lost < ranks)
        end_all("tensim: rank %u of %u of this simulation is lost: process %lld on %s has ended\n",
                lost, ranks, (long long)self.ranks->peers[lost].pid, self.ranks->peers[lost].host);
    // The launcher has perhaps lost a rank on another host.
    if (self.of && ts_kernel_signal(self.of) != 0 && seconds > SIGNALLED_S)
        end_all(
            "tensim: a rank of this simulation is lost, or the launcher ends the job: rank %u of "
            "%u waits, with signal %d\n",
            rank, ranks, ts_kernel_signal(self.of));
    if (seconds > patience)
        end_all("tensim: a rank of this simulation is lost: rank %u of %u has waited for %d s\n",
                rank, ranks, patience);
}

static const struct ts_wire_owner owner = {waits, fails};

// --- what the kernel asks for ---

static void enter(void *context, uint32_t place)
{
    (void)context;
    ts_region_enter(place);
}

// The ranks whose places have links to ours; with a trace also the first one, which writes it.
static void find_peers(struct ts_kernel *kernel)
{
    bool *wanted = calloc(self.kernel.ranks, sizeof *wanted);
    self.peers = calloc(self.kernel.ranks, sizeof *self.peers);
    self.mails = calloc(self.kernel.ranks, sizeof *self.mails);
    self.outs = calloc(self.kernel.ranks, sizeof *self.outs);
    if (!wanted || !self.peers || !self.mails || !self.outs)
        ts_out_of_memory("the cluster of ranks");
    ts_cut_peers(kernel, wanted);
    for (unsigned i = 0; i < self.kernel.ranks; i++)
        if (wanted[i] && i != self.kernel.rank)
            self.peers[self.peer_count++] = i;
    free(wanted);
}

static void exchange(struct ts_kernel *kernel)
{
    for (size_t i = 0; i < self.peer_count; i++) {
        self.outs[i].length = 0;
        ts_cut_pack(kernel, self.peers[i], &self.outs[i]);
        self.mails[i] = (struct ts_wire_mail){.out = self.outs[i].bytes,
                                              .out_length = self.outs[i].length};
        self.sent += self.outs[i].length;
    }
    self.wire->swap(self.peers, self.peer_count, self.mails);
    for (size_t i = 0; i < self.peer_count; i++) {
        if (self.mails[i].in_length) {
            ts_region_inside(true);
            ts_cut_unpack(kernel, self.mails[i].in, self.mails[i].in_length);
            ts_region_inside(false);
        }
        free(self.mails[i].in);
    }
}

// Before the first window: all processes have built the same.
static void begin(struct ts_kernel *kernel)
{
    self.of = kernel;
    find_peers(kernel);
    ts_cut_traces(kernel, false);
    for (uint32_t place = 1; ts_kernel_has_place(kernel, place); place++) {
        self.pages[place] = ts_pages_new(place);
        uint64_t hash = ts_pages_hash(self.pages[place]), least = hash, most = hash;
        self.wire->reduce(&least, 1, TS_WIRE_LEAST);
        self.wire->reduce(&most, 1, TS_WIRE_MOST);
        if (least != most)
            end_all("tensim: chip %u is not the same in all ranks: different builds of tensim, or "
                    "different files?\n",
                    place - 1);
    }
    if (self.said) // from here on what fails in one rank fails in all
        dup2(STDOUT_FILENO, STDERR_FILENO);
    ts_cut_traces(kernel, true);
}

// Since the last call.
static double passed(void)
{
    if (!self.timed)
        return 0;
    double before = self.since;
    self.since = 1e-9 * (double)ts_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return self.since - before;
}

static void meet(void *context, struct ts_kernel *kernel, uint64_t least[TS_AGREED_COUNT])
{
    (void)context;
    bool inside = ts_region_inside(false);
    if (self.of != kernel) {
        begin(kernel);
        passed();
    }
    self.work += passed();
    self.windows++;
    exchange(kernel);
    ts_groups_least(kernel, least);
    self.wire->reduce(least, TS_AGREED_COUNT, TS_WIRE_LEAST);
    self.meeting += passed();
    ts_region_inside(inside);
}

static uint64_t all(void *context, uint64_t value, enum ts_all what)
{
    (void)context;
    bool inside = ts_region_inside(false);
    self.wire->reduce(&value, 1, what == TS_ALL_SUM ? TS_WIRE_SUM : TS_WIRE_MOST);
    ts_region_inside(inside);
    return value;
}

static void tell(void *context, uint32_t rank, void *bytes, size_t length)
{
    (void)context;
    bool inside = ts_region_inside(false);
    self.wire->spread(rank, bytes, length);
    ts_region_inside(inside);
}

// Bytes of one rank, to all; freed by the caller.
static struct ts_bytes spread(unsigned rank, struct ts_bytes bytes)
{
    uint64_t length = bytes.length;
    self.wire->spread(rank, &length, sizeof length);
    if (rank != self.kernel.rank) {
        bytes = (struct ts_bytes){0};
        ts_bytes_more(&bytes, length);
    }
    self.wire->spread(rank, bytes.bytes, length);
    return bytes;
}

static void gather(void *context, struct ts_kernel *kernel)
{
    (void)context;
    bool inside = ts_region_inside(false);
    struct ts_bytes own = {0};
    self.work += passed();
    exchange(kernel); // records of the trace
    ts_cut_keep(kernel, &own);
    struct ts_bytes changed[TS_PLACES] = {{0}}; // all ranks look for theirs at the same time
    for (uint32_t place = 1; ts_kernel_has_place(kernel, place); place++)
        if (ts_kernel_rank_of(kernel, place) == self.kernel.rank)
            ts_pages_pack(self.pages[place], &changed[place]);
    for (uint32_t place = 1; ts_kernel_has_place(kernel, place); place++) {
        unsigned rank = ts_kernel_rank_of(kernel, place);
        struct ts_bytes bytes = spread(rank, changed[place]);
        if (rank != self.kernel.rank)
            ts_pages_unpack(bytes.bytes, bytes.length);
        free(bytes.bytes);
    }
    for (unsigned rank = 0; rank < self.kernel.ranks; rank++) {
        struct ts_bytes bytes = spread(rank, rank == self.kernel.rank ? own : (struct ts_bytes){0});
        ts_cut_restore(kernel, bytes.bytes, bytes.length);
        free(bytes.bytes);
    }
    ts_cut_traces(kernel, true);
    self.gathering += passed();
    ts_region_inside(inside);
}

// --- a process of several ---

static void leave(int status, void *context)
{
    (void)context;
    if (!self.ended && status != TS_OK) {
        fflush(NULL);
        if (self.kernel.rank > 0) {
            sleep(PATIENCE_LAST_S);
            if (ts_peers_say(self.ranks))
                say();
        }
        _exit(status); // the launcher ends the others
    }
    self.leaving = true;
    atomic_store(&self.ranks->board->ended[self.kernel.rank], true);
    self.wire->leave();
}

void ts_cluster_model(bool begins)
{
    if (self.wire)
        ts_region_inside(begins);
}

int ts_cluster_agree(int code)
{
    if (self.wire)
        code = (int)all(NULL, (uint64_t)code, TS_ALL_MOST);
    self.ended |= code != TS_OK;
    return code;
}

void ts_cluster_end(void)
{
    self.ended = true;
    if (self.wire && self.timed)
        dprintf(
            loud(),
            "rank %u: %llu windows, %.3f s of CPU in them, %.3f s between them (waits that spin "
            "included), %.3f s to gather, %llu bytes sent\n",
            self.kernel.rank, (unsigned long long)self.windows, self.work, self.meeting,
            self.gathering, (unsigned long long)self.sent);
    if (self.wire && self.kernel.rank > 0)
        exit(TS_OK);
}

static int call(int argc, char **argv)
{
    struct ts_error error = {0};
    ts_region_inside(false);
    if (!self.wire->join(self.kernel.rank, self.kernel.ranks, &owner, &error)) {
        fprintf(stderr, "tensim: %s\n", error.text);
        return (int)error.code;
    }
    self.ranks = ts_peers_new(self.kernel.rank, self.kernel.ranks, self.wire->spread);
    if (self.ranks == NULL)
        ts_out_of_memory("the cluster of ranks");
    on_exit(leave, NULL);
    if (self.kernel.rank > 0)
        be_silent();
    return self.main(argc, argv);
}

int ts_cluster_main(int (*main)(int, char **), int argc, char **argv)
{
    static char buffer[BUFSIZ];
    struct ts_crew_place place;
    struct ts_error error = {0};
    void *module = NULL;
    if (!ts_crew_place(&place, &error)) {
        if (place.rank == 0) // one of them says it
            fprintf(stderr, "tensim: %s\n", error.text);
        return place.rank == 0 ? (int)error.code : TS_OK;
    }
    module = dlopen(TS_RANKS_MODULE, RTLD_NOW | RTLD_GLOBAL);
    self.wire = module ? dlsym(module, TS_WIRE_NAME) : NULL;
    if (self.wire == NULL || !ts_region_open(TS_PLACES)) {
        fprintf(stderr, "tensim: %u ranks: %s\n", place.ranks,
                self.wire ? "memory cannot be at fixed addresses" : dlerror());
        return TS_SETUP;
    }
    self.main = main;
    self.kernel = (struct ts_cluster){.rank = place.rank,
                                      .ranks = place.ranks,
                                      .enter = enter,
                                      .meet = meet,
                                      .all = all,
                                      .tell = tell,
                                      .gather = gather};
    setvbuf(stdout, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
    json_object_seed(1);
    self.timed = getenv("TENSIM_RANK_TIMES") != NULL;
    return ts_region_call(call, argc, argv);
}
