// Races; see races.h.
//
// Two strengths: an order that no document promises, though hardware nearly always keeps it, makes a race weak.
// Source: BabyRISCV/MemoryOrdering.md, NoC/Ordering.md (Wormhole), NoC/Counters.md, WaitGate.md, EthernetTxRx.md.
// Inaccuracies: the value of a load counts as used before the core's next store; a granule remembers its last writer
// and two readers.
#include "platform/check/races.h"

static unsigned noc_of(unsigned actor)
{
    return (actor - TS_ACTOR_NOC_FIRST) / TS_ACTOR_NOC_EACH;
}

// The core that the earlier access belongs to: it made the access, issued the request or pushed the word.
static unsigned core_of(const struct ts_touch *mark)
{
    if (mark->actor < TS_ACTOR_THREAD_FIRST)
        return mark->actor / TS_REGIONS;
    if (mark->actor < TS_ACTOR_NOC_FIRST)
        return 1 + (mark->actor - TS_ACTOR_THREAD_FIRST) / TS_ACTOR_UNITS;
    return mark->detail >> 4;
}

// Two requests of one NIU over one static channel arrive in their order: writes of the same bytes, and a read behind a
// write. (Other bytes: the vendor's idiom of payload and flag.) So do packets of one Ethernet queue.
static bool same_channel(const struct ts_check_access *access, const struct ts_touch *before)
{
    const struct ts_touch *mark = &access->mark;
    if (mark->actor >= TS_ACTOR_ETH_FIRST)
        return mark->actor == before->actor && mark->home == before->home;
    return mark->actor >= TS_ACTOR_NOC_FIRST && before->actor >= TS_ACTOR_NOC_FIRST &&
           mark->home == before->home && noc_of(mark->actor) == noc_of(before->actor) &&
           (mark->detail & 15) == (before->detail & 15) && (mark->detail & 15) < 8 &&
           ts_actor_class(before->actor) == TS_CLASS_LANDED &&
           ts_actor_class(mark->actor) != TS_CLASS_ATOMIC;
}

// Does the later one know of something that its core, or its thread, did behind the earlier access?
static bool signalled(const struct ts_check_access *access, const struct ts_touch *before)
{
    unsigned core = core_of(before);
    if (access->mark.home == before->home && access->mark.actor < TS_ACTOR_THREAD_FIRST &&
        access->mark.actor / TS_REGIONS == core)
        return true;
    unsigned actor = TS_ACTOR_CORE(core, TS_REGION_LOADS);
    if (ts_actor_class(before->actor) == TS_CLASS_UNIT)
        actor = TS_ACTOR_GATE(core - 1);
    return ts_known_covers(access->known, before->home, actor, before->at);
}

static bool weak(const struct ts_check *self, const struct ts_check_access *access,
                 const struct ts_touch *before, bool known)
{
    switch (ts_actor_class(before->actor)) {
    case TS_CLASS_CORE: // its stores left in order
        return known;
    case TS_CLASS_UNIT: // readers of Dst are held while MATRIX writes the block; SCALAR reads operands late, behind RDCFG
        return known && ((access->object == TS_OBJECT_DST &&
                          before->actor == TS_ACTOR_UNIT(core_of(before) - 1, TS_ACTOR_MATRIX)) ||
                         (access->object == TS_OBJECT_GPR &&
                          before->actor == TS_ACTOR_UNIT(core_of(before) - 1, TS_ACTOR_CFG)));
    case TS_CLASS_LANDED: // the signal came behind it, over the same NIU
    case TS_CLASS_ATOMIC:
        return access->mark.home == self->home && (before->detail & 15) < 8 &&
               ts_known_covers(access->known, before->home, TS_ACTOR_ISSUE(noc_of(before->actor)),
                               before->at);
    case TS_CLASS_ETH_SENT: // a core sends its counter again, newer: the queue has read the one before, or loses nothing
        return known && self->sites.list[before->site].detail &&
               access->mark.actor / TS_REGIONS == core_of(before);
    default:
        return false;
    }
}

// What the core or thread of an access of this tile knows now.
static const struct ts_vclock *clock_of(const struct ts_check *self, const struct ts_touch *mark)
{
    return ts_actor_class(mark->actor) == TS_CLASS_UNIT
               ? self->threads[(mark->actor - TS_ACTOR_THREAD_FIRST) / TS_ACTOR_UNITS].clock
               : self->cores[core_of(mark)].clock;
}

// The bytes of a request come late, and an actor that accessed them before has heard of the request: the
// request is then the earlier one, which was not waited for.
static bool early_bird(const struct ts_check *self, const struct ts_check_access *access,
                       const struct ts_touch *before)
{
    const struct ts_touch *late = &access->mark;
    if (late->actor < TS_ACTOR_NOC_FIRST || before->home != self->home || before->at < late->at)
        return false;
    bool own = late->home == self->home && before->actor < TS_ACTOR_THREAD_FIRST &&
               core_of(before) == core_of(late);
    return own || ts_vclock_at(clock_of(self, before), late->home,
                               TS_ACTOR_CORE(core_of(late), TS_REGION_LOADS)) >= late->at;
}

// Two accesses to a word of configuration that are in order without an edge: two writes of different bits, since each leaves the
// other's bits alone; and a write by the CFG unit, for an actor that is behind a later word of the same thread.
static bool settled(const struct ts_check *self, const struct ts_check_access *access,
                    const struct ts_touch *before)
{
    if (access->object != TS_OBJECT_CONFIG || before->actor < TS_ACTOR_THREAD_FIRST)
        return false;
    return (access->how == TS_HOW_ATOMIC && self->sites.list[before->site].how == TS_HOW_ATOMIC &&
            !(access->mark.detail & before->detail)) ||
           signalled(access, before);
}

// Is it a word that orders accesses?
static bool orders(const struct ts_check *self, enum ts_check_object object, uint64_t address)
{
    const struct ts_check_word *word = object <= TS_OBJECT_DRAM
                                           ? ts_check_word_find(&self->words,
                                                                (uint32_t)address & ~3u)
                                           : NULL;
    return word && word->sync;
}

// Does a write leave the word that orders accesses as the write before it left the word? Then nothing is lost.
static bool repeats(const struct ts_check *self, const struct ts_check_access *access,
                    uint64_t address)
{
    const struct ts_check_word *word = access->object == TS_OBJECT_L1 && self->peek
                                           ? ts_check_word_find(&self->words,
                                                                (uint32_t)address & ~3u)
                                           : NULL;
    return access->how == TS_HOW_WRITE && word && word->sync && word->releases.count &&
           word->releases.list[word->releases.count - 1].value ==
               self->peek(self->context, (uint32_t)address & ~3u);
}

// An atomic of a core of this tile.
static bool plain_atomic(const struct ts_check *self, const struct ts_touch *mark)
{
    return mark->home == self->home && self->sites.list[mark->site].how == TS_HOW_ATOMIC;
}

// Bytes of a write that came later than the signal behind it: over one static channel they never did on a card. The verdict is
// the same whichever comes first in a run.
static bool late_channel(const struct ts_check *self, const struct ts_touch *late,
                         const struct ts_touch *before)
{
    return ts_actor_class(late->actor) == TS_CLASS_LANDED && (late->detail & 15) < 8 &&
           (late->home == self->home ||
            ts_vclock_at(clock_of(self, before), late->home, TS_ACTOR_ISSUE(noc_of(late->actor))) >=
                late->at);
}

// A request reads the word that another one of the same core may still be changing, once: it orders nothing.
static bool reads_own_atomic(const struct ts_check_access *access, const struct ts_touch *before)
{
    return ts_actor_class(before->actor) == TS_CLASS_ATOMIC && !access->polls &&
           ts_actor_class(access->mark.actor) == TS_CLASS_READ &&
           access->mark.home == before->home && core_of(&access->mark) == core_of(before);
}

static void clash(void *context, const struct ts_check_access *access,
                  const struct ts_touch *before, bool writes, uint64_t address, uint32_t length)
{
    static const uint8_t kinds[TS_CLASSES] = {[TS_CLASS_CORE] = TS_FINDING_RACE_UNSYNCED,
                                              [TS_CLASS_UNIT] = TS_FINDING_RACE_UNIT,
                                              [TS_CLASS_READ] = TS_FINDING_RACE_READ,
                                              [TS_CLASS_SENT] = TS_FINDING_RACE_FLUSH,
                                              [TS_CLASS_POSTED] = TS_FINDING_RACE_POSTED,
                                              [TS_CLASS_LANDED] = TS_FINDING_RACE_LANDED,
                                              [TS_CLASS_ATOMIC] = TS_FINDING_RACE_UNSYNCED,
                                              [TS_CLASS_ETH_SENT] = TS_FINDING_RACE_ETH_SOURCE,
                                              [TS_CLASS_ETH_LANDED] = TS_FINDING_RACE_ETH};
    struct ts_check *self = context;
    const struct ts_touch *mark = &access->mark;
    const bool own = reads_own_atomic(access, before);
    if (same_channel(access, before) || settled(self, access, before) ||
        (ts_actor_class(before->actor) == TS_CLASS_ATOMIC && !own) || // its word orders accesses
        (!own && orders(self, access->object, address) && signalled(access, before)) ||
        (writes && repeats(self, access, address)))
        return;
    const bool swap = early_bird(self, access, before);
    const struct ts_touch *first = swap ? mark : before, *second = swap ? before : mark;
    const enum ts_actor_class class = ts_actor_class(first->actor);
    const bool known = swap || signalled(access, before);
    struct ts_check_finding finding = {
        .kind = known ? kinds[class] : TS_FINDING_RACE_UNSYNCED,
        .object = (uint8_t)access->object,
        .weak = swap ? late_channel(self, mark, before) : weak(self, access, before, known),
        .source = own || class == TS_CLASS_SENT || class == TS_CLASS_POSTED ||
                  class == TS_CLASS_ETH_SENT,
        .address = address,
        .length = length,
        .writes = {access->how == TS_HOW_WRITE || access->how == TS_HOW_ATOMIC, writes},
        .place = {{second->home, second->site, second->at}, {first->home, first->site, first->at}}};
    if (swap) {
        finding.writes[0] = writes;
        finding.writes[1] = access->how != TS_HOW_READ;
    }
    if (!known && access->object == TS_OBJECT_DST)
        finding.kind = TS_FINDING_RACE_DST;
    if (access->object == TS_OBJECT_CONFIG)
        finding.kind = TS_FINDING_RACE_CONFIG_WORD;
    if (access->object == TS_OBJECT_GPR)
        finding.kind = class == TS_CLASS_CORE ? TS_FINDING_RACE_TRISC_CFG : TS_FINDING_RACE_GPR;
    if (finding.weak && class == TS_CLASS_CORE && access->object == TS_OBJECT_L1)
        finding.kind = TS_FINDING_RACE_READ_BACK;
    if (class == TS_CLASS_ETH_SENT || class == TS_CLASS_ETH_LANDED)
        finding.kind = kinds[class];
    else if (!known && ts_actor_class(second->actor) == TS_CLASS_ETH_LANDED)
        finding.kind = TS_FINDING_RACE_ETH;
    // A store that an increment does not know of, whichever comes first: the store may undo it.
    if (access->how == TS_HOW_ATOMIC && access->object == TS_OBJECT_L1 && writes && !swap &&
        class == TS_CLASS_CORE && !plain_atomic(self, before)) {
        finding.kind = TS_FINDING_RACE_ATOMIC;
        finding.writes[0] = finding.writes[1] = true;
        finding.place[0] = finding.place[1];
        finding.place[1] = (struct ts_check_place){mark->home, mark->site, mark->at};
    }
    if (ts_races_stands(self, &finding))
        ts_check_findings_add(&self->findings, &finding);
}

bool ts_races_stands(const struct ts_check *self, const struct ts_check_finding *finding)
{
    // Who looks at a word that orders accesses does not race with who writes it. Two that write it do: one of the two is lost.
    return finding->object > TS_OBJECT_DRAM || finding->source ||
           finding->kind == TS_FINDING_RACE_ATOMIC ||
           !orders(self, (enum ts_check_object)finding->object, finding->address) ||
           (finding->writes[0] && finding->writes[1] && finding->object == TS_OBJECT_L1 &&
            finding->length <= 4 && !finding->weak);
}

void ts_races_look(struct ts_check *self, const struct ts_check_access *access)
{
    ts_shadow_access(&self->shadow[access->object], access, clash, self);
}
