// The root cause of a hang: one verdict and one sentence.
//
// Every waiting node is followed to the end of its chain. Cycles come before chains; of several, the
// one that most others wait for. The verdict is then a matter of the facts about its last member.
#include "platform/explain/chip.h"

const char *ts_hang_verdict_name(enum ts_hang_verdict verdict)
{
    static const char *const names[] = {
        [TS_CAUSE_CYCLE] = "cycle",
        [TS_CAUSE_SELF] = "self-deadlock",
        [TS_CAUSE_NEVER] = "can never succeed",
        [TS_CAUSE_LOST] = "lost operation",
        [TS_CAUSE_ENDED] = "waits for one that has ended",
        [TS_CAUSE_STARVED] = "starved",
        [TS_CAUSE_ASTRAY] = "wrong address",
        [TS_CAUSE_ABSENT] = "never started",
        [TS_CAUSE_BROKE] = "broke off",
        [TS_CAUSE_FEW] = "too few",
        [TS_CAUSE_UNKNOWN] = "not known",
    };
    return names[verdict];
}

const char *ts_hang_certainty_name(enum ts_hang_certainty certainty)
{
    static const char *const names[] = {
        [TS_PROVED] = "proved", [TS_LIKELY] = "likely", [TS_NOT_KNOWN] = "not known"};
    return names[certainty];
}

const char *ts_hang_nobody(const struct ts_hang_chip *self, char *text, size_t size)
{
    switch (self->sight) {
    case TS_SIGHT_SURE:
        snprintf(text, size, "no core that still runs would");
        break;
    case TS_SIGHT_LIKELY:
        snprintf(text, size, "probably no core that still runs would");
        break;
    case TS_SIGHT_PART:
        snprintf(text, size,
                 "whether a core that still runs would is not known: %s was followed for %u "
                 "instructions",
                 self->part, TS_FORESEE_STEPS);
        break;
    }
    return text;
}

// --- the chain

struct place {
    size_t tile;
    int node;
};

static const struct ts_hang_node *node_at(const struct ts_hang_chip *self, struct place at)
{
    return &self->tiles[at.tile].node[at.node];
}

static bool next(const struct ts_hang_chip *self, struct place *at)
{
    const struct ts_hang_node *node = node_at(self, *at);
    if (node->state < TS_HANG_IDLE || node->to < 0)
        return false;
    struct place to = {node->to_tile >= 0 ? (size_t)node->to_tile : at->tile, node->to};
    // A node that serves several others does not wait for any single one of them, unless that one is absent.
    if (node->serves && node_at(self, to)->state != TS_HANG_ABSENT)
        return false;
    *at = to;
    return true;
}

static size_t number(struct place at)
{
    return at.tile * TS_HANG_NODES + (size_t)at.node;
}

// The end of the chain from a node: its last member, or the first one of its cycle.
static struct place end_of(const struct ts_hang_chip *self, struct place from, uint32_t *seen,
                           uint32_t mark, bool *cycle)
{
    struct place at = from;
    *cycle = false;
    for (;;) {
        struct place before = at;
        seen[number(at)] = mark;
        if (!next(self, &at))
            return before;
        if (seen[number(at)] == mark)
            break;
    }
    *cycle = true;
    struct place first = at, lowest = at;
    while (next(self, &at) && number(at) != number(first))
        if (number(at) < number(lowest))
            lowest = at;
    return lowest;
}

struct choice {
    struct place end;
    bool cycle;
    uint32_t followers;
    struct place from; // the node with the longest path to `end`; of several the first
    uint32_t way;
};

static uint32_t way_to(const struct ts_hang_chip *self, struct place from, struct place end)
{
    uint32_t way = 0;
    while (number(from) != number(end) && next(self, &from) && way < 10000)
        way++;
    return way;
}

static bool choose(const struct ts_hang_chip *self, struct choice *best)
{
    size_t all = self->count * TS_HANG_NODES;
    const bool waits = ts_hang_one_waits(self);
    uint32_t *seen = calloc(all, sizeof *seen), *followers = calloc(all, sizeof *followers);
    bool found = false;
    for (uint32_t pass = 0; seen && followers && pass < 2; pass++)
        for (size_t i = 0; i < all; i++) {
            struct place from = {i / TS_HANG_NODES, (int)(i % TS_HANG_NODES)};
            if (from.node >= (int)self->tiles[from.tile].count ||
                node_at(self, from)->state < TS_HANG_WAITS ||
                (waits && node_at(self, from)->serves))
                continue;
            bool cycle;
            struct place end = end_of(self, from, seen, (uint32_t)(pass * all + i + 1), &cycle);
            if (pass == 0) {
                followers[number(end)]++;
                continue;
            }
            uint32_t count = followers[number(end)], way = way_to(self, from, end);
            bool same = found && number(end) == number(best->end);
            bool better = !found || (cycle && !best->cycle) ||
                          (cycle == best->cycle && count > best->followers);
            if (better || (same && way > best->way))
                *best = (struct choice){end, cycle, count, from, way};
            found = true;
        }
    free(seen);
    free(followers);
    return found;
}

static void fill_path(const struct ts_hang_chip *self, const struct choice *choice,
                      struct ts_hang_cause *cause)
{
    struct place at = choice->cycle ? choice->end : choice->from;
    cause->is_cycle = choice->cycle;
    do {
        cause->path[cause->length].tile = at.tile;
        cause->path[cause->length++].node = at.node;
        if (!choice->cycle && number(at) == number(choice->end))
            break;
    } while (cause->length < TS_HANG_PATH && next(self, &at) &&
             !(choice->cycle && number(at) == number(choice->end)));
}

// --- the verdict

// A core that stopped at an ebreak in compiled code: a failed ASSERT, or what the compiler puts where
// a null pointer is used. Programs that are written in a scenario end with one.
static bool broken_of(const struct ts_hang_tile *tile, int *node)
{
    for (*node = 0; *node < (int)tile->count; ++*node)
        if (tile->node[*node].broke && tile->node[*node].line[0] &&
            strstr(tile->node[*node].line, ".yaml:") == NULL)
            return true;
    return false;
}

// Such a core in the waiter's tile, or in one that it waits for.
static bool broken(const struct ts_hang_chip *self, const struct ts_hang_cause *cause,
                   struct place waiter, struct place *at)
{
    at->tile = waiter.tile;
    for (size_t i = 0; !broken_of(&self->tiles[at->tile], &at->node); i++) {
        if (i == cause->length)
            return false;
        at->tile = cause->path[i].tile;
    }
    return true;
}

static enum ts_hang_verdict judge(const struct ts_hang_chip *self,
                                  const struct ts_hang_cause *cause, struct place *waiter)
{
    size_t last = cause->length - 1;
    struct place broke;
    if (broken(self, cause, *waiter, &broke) && node_at(self, broke)->failed)
        return TS_CAUSE_BROKE;
    for (size_t i = 0; i < cause->length; i++) { // a wait that nobody can end explains all others
        struct place at = {cause->path[i].tile, cause->path[i].node};
        if (node_at(self, at)->state >= TS_HANG_WAITS) {
            bool idle = node_at(self, at)->serves && i == last;
            if ((!cause->is_cycle && !idle) || node_at(self, at)->never[0])
                *waiter = at;
            if (node_at(self, at)->never[0])
                return TS_CAUSE_NEVER;
        }
    }
    for (size_t i = 0; i < cause->length && cause->is_cycle; i++) {
        struct place at = {cause->path[i].tile, cause->path[i].node};
        ts_hang_look_lost(self->of[at.tile], &self->tiles[at.tile].node[at.node]);
        if (node_at(self, at)->lost[0]) {
            *waiter = at;
            return TS_CAUSE_LOST;
        }
    }
    const struct ts_hang_node *n = node_at(self, *waiter);
    ts_hang_look_lost(self->of[waiter->tile], &self->tiles[waiter->tile].node[waiter->node]);
    if (n->lost[0])
        return TS_CAUSE_LOST;
    for (size_t i = 0; i < cause->length; i++) { // not a member of the cycle is to blame
        struct place at = {cause->path[i].tile, cause->path[i].node};
        if (node_at(self, at)->few[0] && (cause->is_cycle || number(at) == number(*waiter))) {
            *waiter = at;
            return TS_CAUSE_FEW;
        }
    }
    if (cause->is_cycle)
        return cause->length == 1 ? TS_CAUSE_SELF : TS_CAUSE_CYCLE;
    if (n->to_self)
        return TS_CAUSE_SELF;
    if (n->astray[0])
        return TS_CAUSE_ASTRAY;
    if (n->taken[0])
        return TS_CAUSE_STARVED;
    if (broken(self, cause, *waiter, &broke))
        return TS_CAUSE_BROKE;
    const struct ts_hang_node *end = node_at(
        self, (struct place){cause->path[last].tile, cause->path[last].node});
    if (end->serves)
        return ts_hang_look_credit(self, &waiter->tile, &waiter->node) ? TS_CAUSE_LOST
                                                                       : TS_CAUSE_UNKNOWN;
    if (end != n && end->state != TS_HANG_ABSENT)
        return TS_CAUSE_ENDED;
    return end == n && self->sight == TS_SIGHT_PART ? TS_CAUSE_UNKNOWN : TS_CAUSE_ABSENT;
}

static enum ts_hang_certainty weigh(const struct ts_hang_chip *self,
                                    const struct ts_hang_cause *cause, struct place waiter)
{
    const struct ts_hang_node *n = node_at(self, waiter);
    bool sure = true;
    switch (cause->verdict) {
    case TS_CAUSE_LOST:
        return n->lost_likely ? TS_LIKELY : TS_PROVED;
    case TS_CAUSE_NEVER:
    case TS_CAUSE_STARVED:
    case TS_CAUSE_BROKE: // recorded
        return TS_PROVED;
    case TS_CAUSE_ASTRAY: // what was meant is not recorded
        return TS_LIKELY;
    case TS_CAUSE_CYCLE:
        for (size_t i = 0; i < cause->length; i++)
            sure &= node_at(self, (struct place){cause->path[i].tile, cause->path[i].node})->sure;
        return sure ? TS_PROVED : TS_LIKELY;
    case TS_CAUSE_UNKNOWN:
        return TS_NOT_KNOWN;
    case TS_CAUSE_ENDED:
        return n->sure && (n->kept[0] || self->sight == TS_SIGHT_SURE) ? TS_PROVED : TS_LIKELY;
    case TS_CAUSE_ABSENT: // over chips, who would is known from what was sent only
        sure = n->to_tile < 0 || n->sure || !self->of[waiter.tile]->system;
        return sure && self->sight == TS_SIGHT_SURE ? TS_PROVED : TS_LIKELY;
    case TS_CAUSE_FEW:
        return !n->would[0] && self->sight == TS_SIGHT_SURE ? TS_PROVED : TS_LIKELY;
    default:
        return self->sight == TS_SIGHT_SURE ? TS_PROVED : TS_LIKELY;
    }
}

// --- the sentence

struct sentence {
    const struct ts_hang_chip *chip;
    char *text;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void put(struct sentence *self, const char *format,
                                                      ...)
{
    size_t used = strlen(self->text);
    TS_VSNPRINTF(self->text + used, self->size - used, format);
}

// "waits at reader.cpp:30 for semaphore ready (has 7, needs 8)".
static void put_wait(struct sentence *self, struct place at)
{
    const struct ts_hang_node *n = node_at(self->chip, at);
    put(self, "waits");
    if (n->doing[0])
        put(self, " in %s", n->doing);
    if (n->line[0])
        put(self, " at %s", n->line);
    else if (n->pc != TS_HANG_NO_PC)
        put(self, " at pc 0x%x", n->pc);
    put(self, " for %s", n->object[0] ? n->object : ts_stall_name(n->reason));
    if (n->need.text[0])
        put(self, " (%s)", n->need.text);
    else if (n->object[0])
        put(self, " (%s)", ts_stall_name(n->reason));
}

static void put_who(struct sentence *self, struct place at)
{
    char who[40];
    put(self, "%s", ts_hang_who(self->chip, at.tile, at.node, who, sizeof who));
}

static void put_cycle(struct sentence *self, const struct ts_hang_cause *cause)
{
    for (size_t i = 0; i <= cause->length; i++) {
        struct place at = {cause->path[i % cause->length].tile,
                           cause->path[i % cause->length].node};
        const struct ts_hang_node *n = node_at(self->chip, at);
        if (i)
            put(self, " from ");
        put_who(self, at);
        if (i == cause->length)
            break;
        put(self, i ? ", which " : " ");
        if (n->state >= TS_HANG_WAITS)
            put_wait(self, at);
        else
            put(self, "has nothing to do and waits for its core's next instruction");
    }
}

// Who should have done it, and what became of it.
static void put_end(struct sentence *self, struct place waiter, struct place end)
{
    const struct ts_hang_node *n = node_at(self->chip, waiter), *e = node_at(self->chip, end);
    put(self, " from ");
    put_who(self, end);
    if (n->kept[0])
        put(self, ", which %s", n->kept);
    else if (e->state == TS_HANG_ENDED)
        put(self, ", which has ended");
    else
        put(self, ", which has nothing to do");
    if (n->sent[0])
        put(self, "; %s", n->sent);
    else if (n->last[0] && !n->kept[0])
        put(self, "; %s", n->last);
}

static void put_absent(struct sentence *self, struct place waiter, struct place end)
{
    const struct ts_hang_node *n = node_at(self->chip, waiter);
    char text[360];
    if (end.tile != waiter.tile || end.node != waiter.node) {
        put(self, " from ");
        put_who(self, end);
        put(self, node_at(self->chip, end)->serves ? ", which serves its channels"
                                                   : ", which has no program or is held in reset");
    } else {
        char nobody[160];
        ts_hang_nobody(self->chip, nobody, sizeof nobody);
        put(self, n->last[0] ? "; %s, and %s" : "; %s%s", n->last, nobody);
        if (n->last[0] == '\0' && self->chip->sight != TS_SIGHT_PART)
            put(self, " change it");
        if (n->elsewhere[0])
            put(self, "; %s", n->elsewhere);
    }
    if (self->chip->of[waiter.tile]->system)
        put(self, "%s",
            ts_hang_link_text(self->chip, waiter.tile, end.tile, end.node, text, sizeof text));
}

static void put_few(struct sentence *self, const struct ts_hang_node *n)
{
    char nobody[160];
    put(self, ": %s", n->few);
    if (n->would[0] == '\0')
        put(self, "; %s", ts_hang_nobody(self->chip, nobody, sizeof nobody));
    if (n->would[0] == '\0' && self->chip->sight != TS_SIGHT_PART)
        put(self, " send more");
}

static void write_sentence(const struct ts_hang_chip *self, struct ts_hang_cause *cause,
                           struct place waiter)
{
    struct sentence sentence = {self, cause->text, sizeof cause->text};
    const struct ts_hang_node *n = node_at(self, waiter);
    struct place end = {cause->path[cause->length - 1].tile, cause->path[cause->length - 1].node};
    put(&sentence, "%s%s: ", cause->certainty == TS_LIKELY ? "likely " : "",
        ts_hang_verdict_name(cause->verdict));
    if (cause->verdict == TS_CAUSE_CYCLE) {
        put_cycle(&sentence, cause);
        return;
    }
    struct place broke;
    if (cause->verdict == TS_CAUSE_BROKE && broken(self, cause, waiter, &broke)) {
        put_who(&sentence, broke);
        put(&sentence, " at an ebreak, pc 0x%x%s (a failed ASSERT, or a null pointer); ",
            node_at(self, broke)->pc, node_at(self, broke)->place);
    }
    put_who(&sentence, waiter);
    put(&sentence, " ");
    put_wait(&sentence, waiter);
    switch (cause->verdict) {
    case TS_CAUSE_SELF:
        put(&sentence, ", which only itself would change");
        if (n->would[0])
            put(&sentence, ", at %s, behind this wait", n->would);
        break;
    case TS_CAUSE_NEVER:
        put(&sentence, ": %s", n->never);
        break;
    case TS_CAUSE_LOST:
        put(&sentence, ": %s", n->lost);
        break;
    case TS_CAUSE_ASTRAY:
        put(&sentence, ": %s", n->astray);
        break;
    case TS_CAUSE_STARVED:
        put(&sentence, ": %s", n->taken);
        break;
    case TS_CAUSE_FEW:
        put_few(&sentence, n);
        break;
    case TS_CAUSE_ENDED:
        put_end(&sentence, waiter, end);
        break;
    case TS_CAUSE_BROKE:
        break;
    default:
        put_absent(&sentence, waiter, end);
        break;
    }
}

// Packets that wait for each other explain what waits for the network.
static void blame_network(const struct ts_hang_noc *noc, struct ts_hang_cause *cause)
{
    struct sentence sentence = {NULL, cause->text, sizeof cause->text};
    cause->verdict = TS_CAUSE_CYCLE;
    cause->text[0] = '\0';
    put(&sentence, "cycle: ");
    for (unsigned i = 0; i < noc->count; i++)
        put(&sentence, "%s%s%s waits for %s", i ? ", held by " : "", noc->packets[i].name,
            i ? ", which" : "", noc->packets[i].waits);
    put(&sentence, ", held by %s", noc->packets[0].name);
}

void ts_hang_find_cause(const struct ts_hang_chip *self, struct ts_hang_cause *cause)
{
    struct choice choice = {0};
    memset(cause, 0, sizeof *cause);
    if (!choose(self, &choice))
        return;
    fill_path(self, &choice, cause);
    struct place waiter = {cause->path[0].tile, cause->path[0].node};
    cause->known = true;
    cause->verdict = judge(self, cause, &waiter);
    cause->certainty = weigh(self, cause, waiter);
    // None of those that it waits for is to blame.
    if (cause->verdict == TS_CAUSE_FEW ||
        (cause->verdict == TS_CAUSE_LOST && node_at(self, waiter)->serves)) {
        cause->path[0].tile = waiter.tile;
        cause->path[0].node = waiter.node;
        cause->length = 1;
        cause->is_cycle = false;
    }
    const struct ts_hang_node *n = node_at(self, waiter);
    snprintf(cause->tile, sizeof cause->tile, "%s", self->tiles[waiter.tile].at);
    snprintf(cause->who, sizeof cause->who, "%s", n->name);
    snprintf(cause->object, sizeof cause->object, "%s", n->object);
    snprintf(cause->line, sizeof cause->line, "%s", n->line);
    snprintf(cause->holder, sizeof cause->holder, "%s", n->to_name);
    cause->waiter = malloc(sizeof *n);
    if (cause->waiter)
        *cause->waiter = *n;
    for (size_t i = 0; i < cause->length; i++)
        ts_hang_who(self, cause->path[i].tile, cause->path[i].node, cause->path[i].name,
                    sizeof cause->path[i].name);
    write_sentence(self, cause, waiter);
    if (self->noc->is_cycle && n->address != TS_HANG_NO_PC && n->address >= TS_L1_SIZE)
        blame_network(self->noc, cause);
}
