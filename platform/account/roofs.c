// Roofs of a run (roofs.h).
//
// Source: the accounts of the window (marks.h) and the units' counters of bytes.
// Inaccuracies: bytes are those of the complete run; before the window units move nothing, networks only what starts the
// kernels. L1 has the transfers of unpackers, packer and NoCs, not the requests of cores.
#include "platform/account/account.h"

struct maker {
    struct ts_roof *to;
    unsigned count;
    const struct ts_work *work;
    double per_second; // bytes of the window as GB/s
};

static struct ts_roof *add(struct maker *self, const char *name, enum ts_resource of, double share,
                           double rate, double peak, const char *unit)
{
    struct ts_roof *roof = &self->to[self->count];
    *roof = (struct ts_roof){.of = of, .share = share, .rate = rate, .peak = peak, .unit = unit};
    snprintf(roof->name, sizeof roof->name, "%s", name);
    self->count += share > 0;
    return roof;
}

// What the tiles of the figures did: all of a program, the first of a kernel.
struct tiles {
    double count, vector, unpack, pack; // shares: the mean of the tiles
    double unpacked, packed, l1;        // bytes
};

static double busy(const struct ts_work *work, const struct ts_component *component)
{
    return (double)ts_marks_account(&work->marks, component).busy /
           (double)ts_marks_cycles(&work->marks);
}

static struct tiles sum_tiles(const struct ts_work *work)
{
    struct tiles all = {.count = work->program ? work->made : 1};
    for (uint32_t i = 0; i < (uint32_t)all.count; i++) {
        const struct ts_tile *tile = work->jobs[i].tile;
        double first = busy(work, &tile->unpack[0].unit.component),
               second = busy(work, &tile->unpack[1].unit.component);
        all.vector += busy(work, &tile->vector.unit.component) / all.count;
        all.unpack += (first > second ? first : second) / all.count;
        all.pack += busy(work, &tile->pack.unit.component) / all.count;
        all.unpacked += (double)(tile->unpack[0].bytes + tile->unpack[1].bytes);
        all.packed += (double)tile->pack.bytes;
        const struct ts_noc_site *site = work->jobs[i].chip ? ts_noc_torus_site(&work->chip.torus,
                                                                                tile->x, tile->y)
                                                            : NULL;
        for (unsigned noc = 0; site && noc < TS_NOC_COUNT; noc++)
            all.l1 += (double)(site->niu[noc].bytes_in + site->niu[noc].bytes_out);
    }
    all.l1 += all.unpacked + all.packed;
    return all;
}

// At work in every cycle, they would move this at the widths that the run uses.
static void add_mover(struct maker *self, const char *name, enum ts_resource of, double share,
                      double bytes)
{
    double rate = bytes * self->per_second;
    add(self, name, of, share, rate, share > 0 ? rate / share : 0, "GB/s");
}

static uint64_t received(const struct ts_noc_torus *torus, unsigned noc)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < (uint32_t)torus->fabric.width * torus->fabric.height; i++)
        all += torus->sites[i].niu[noc].bytes_in;
    return all;
}

static void add_networks(struct maker *self, double clock_mhz)
{
    const struct ts_work *work = self->work;
    struct ts_network_use use = ts_network_use_of(work);
    struct ts_roof *dram = add(self, "DRAM", TS_RESOURCE_DRAM, use.dram, use.dram_rate,
                               use.dram_peak, "GB/s");
    snprintf(dram->detail, sizeof dram->detail, "the share is of channel %u, the busiest",
             use.channel);
    struct ts_roof *eth = add(self, "Ethernet", TS_RESOURCE_ETH, use.eth, use.eth_rate,
                              use.eth_peak, "GB/s");
    if (use.eth > 0)
        snprintf(eth->detail, sizeof eth->detail, "the link of eth%u, the busiest",
                 use.eth_channel);
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const char *path;
        char name[16];
        double peak = ts_noc_flit(&work->chip.torus.fabric.params) * clock_mhz / 1e3,
               share = ts_marks_busiest(&work->marks, &work->chip.torus, noc, &path);
        snprintf(name, sizeof name, "NoC %u", noc);
        struct ts_roof *roof = add(self, name, TS_RESOURCE_NOC, share, share * peak, peak, "GB/s");
        snprintf(roof->detail, sizeof roof->detail, "its busiest link, %s; %.0f GB/s in all", path,
                 (double)received(&work->chip.torus, noc) * self->per_second);
    }
}

void ts_moved_add(struct ts_moved *self, const struct ts_chip *chip)
{
    for (uint32_t i = 0; i < chip->soc.channels; i++) {
        self->dram_read += chip->dram[i].bytes_read;
        self->dram_written += chip->dram[i].bytes_written;
    }
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
        self->noc += received(&chip->torus, noc);
}

static int nearest_first(const void *a, const void *b)
{
    const struct ts_roof *p = a, *q = b;
    return TS_COMPARE(q->share, p->share);
}

unsigned ts_roofs_make(struct ts_roof *to, const struct ts_job_verdict *verdict,
                       const struct ts_work *work)
{
    const double cycles = (double)ts_marks_cycles(&work->marks), mhz = verdict->clock_mhz;
    if (cycles <= 0)
        return 0;
    struct maker self = {.to = to, .work = work, .per_second = mhz / cycles / 1e3};
    struct tiles tiles = sum_tiles(work);
    char name[32];
    snprintf(name, sizeof name, "matrix unit, %s",
             ts_fidelity_name(work->jobs[0].numbers.phases ? work->jobs[0].numbers.phases : 1));
    // A unit for free (config/free.def) has no roof.
    if (verdict->measures.flops == 0 && !work->jobs[0].tile->matrix.unit.at_once)
        add(&self, name, TS_RESOURCE_MATRIX, verdict->utilisation, verdict->tflops,
            verdict->peak_tflops, "TFLOP/s");
    if (!work->jobs[0].tile->vector.unit.at_once)
        add(&self, "vector unit", TS_RESOURCE_VECTOR, tiles.vector, 0, 0, "");
    // An unpacker that waits for its data works, too.
    add_mover(&self, "unpackers", TS_RESOURCE_OTHER, tiles.unpack, tiles.unpacked);
    add_mover(&self, "packer", TS_RESOURCE_PACK, tiles.pack, tiles.packed);
    const double l1_bytes = (work->jobs[0].tile->l1.bank_mask + 1) * TS_L1_GRANULE; // a cycle
    double l1 = tiles.l1 * self.per_second, l1_peak = tiles.count * l1_bytes * mhz / 1e3;
    add(&self, "L1", TS_RESOURCE_OTHER, l1 / l1_peak, l1, l1_peak, "GB/s");
    if (work->jobs[0].chip)
        add_networks(&self, mhz);
    qsort(to, self.count, sizeof *to, nearest_first);
    return self.count;
}

json_t *ts_roofs_json(const struct ts_roof *roofs, unsigned count)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < count; i++) {
        json_t *row = json_pack("{s:s, s:f}", "name", roofs[i].name, "share", roofs[i].share);
        if (roofs[i].peak > 0) {
            json_object_set_new(row, "rate", json_real(roofs[i].rate));
            json_object_set_new(row, "peak", json_real(roofs[i].peak));
            json_object_set_new(row, "unit", json_string(roofs[i].unit));
        }
        if (roofs[i].detail[0])
            json_object_set_new(row, "detail", json_string(roofs[i].detail));
        json_array_append_new(rows, row);
    }
    return rows;
}
