// Since when nothing has changed: the last time that a component went to sleep, that a word of L1 or a register
// was stored, or that a request was sent. Polls change nothing, nor do reads that are repeated over the
// network and the packets that they send.
#include "platform/explain/chip.h"

static ts_cycle later(ts_cycle a, ts_cycle b)
{
    return a > b ? a : b;
}

// Requests of the tile's cores. One that a loop repeats counts from its first time.
static ts_cycle last_sent(const struct ts_tile *tile, const bool *asks)
{
    ts_cycle last = 0;
    for (unsigned i = 0; i < TS_SENT; i++) {
        const struct ts_sent *row = &tile->words.sent[i];
        bool again = row->kind == TS_NOC_READ && row->core < TS_RV_CORES && asks[row->core];
        if (row->count)
            last = later(last, again ? row->first : row->at);
    }
    return last;
}

static ts_cycle last_stored(const struct ts_tile *tile, bool asks)
{
    ts_cycle last = 0;
    for (uint32_t i = 0; tile->l1.last && i < TS_L1_LAST; i++)
        if (tile->l1.last[i].word && !(asks && tile->l1.last[i].by == TS_BY_NOC))
            last = later(last, tile->l1.last[i].at);
    return last;
}

static ts_cycle last_posted(const struct ts_tile *tile)
{
    ts_cycle last = 0;
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        const struct ts_sync_semaphore *s = &tile->sync.semaphore[i];
        last = later(later(last, s->posted.at), later(s->got.at, s->dropped.at));
    }
    return last;
}

ts_cycle ts_hang_since(const struct ts_kernel *kernel, const struct ts_far *far,
                       const struct ts_hang *hang)
{
    ts_cycle since = 0, network = 0;
    bool any = false;
    for (size_t d = 0; d < ts_kernel_domain_count(kernel); d++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, d);
        const struct ts_tile *tile = ts_hang_tile_of(domain);
        bool asks[TS_RV_CORES] = {false}, here = false;
        for (unsigned c = 0; tile && c < TS_RV_CORES; c++) {
            struct ts_rv_spin spin;
            struct ts_far_poll poll;
            here |= asks[c] = ts_core_asks(&tile->cores[c], far, &spin, &poll);
            since = later(since, asks[c] ? 0 : ts_rv_core_view(&tile->cores[c]).wrote);
        }
        any |= here;
        if (tile)
            since = later(later(since, last_posted(tile)),
                          later(last_sent(tile, asks), last_stored(tile, here)));
        for (uint32_t i = 0; i < domain->count; i++) {
            const struct ts_component *c = domain->components[i];
            if (c->asleep == TS_AWAKE || c->asleep == TS_STALLED)
                continue;
            if (ts_noc_niu_of(c) || strcmp(c->ops->kind, "router") == 0)
                network = later(network, ts_asleep_since(c));
            else if (!ts_hang_polls(c, hang))
                since = later(since, ts_asleep_since(c));
        }
    }
    return any ? since : later(since, network);
}
