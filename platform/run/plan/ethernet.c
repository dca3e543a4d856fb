// Kernels of Ethernet tiles in a program file for a system of chips.
//
//   ethernet:
//       - {name: out, source: send.cpp, on: erisc0, to: (chip.id + 1) % chip.count, link: 0, args: [...]}
//
// erisc0 has NoC 0, erisc1 NoC 1; on Wormhole, whose Ethernet tiles have one core, both names are this core. `to` is the chip at the other end of the tile's link, `link` counts the links to that chip.
// With `cores` there is one such kernel for each core of a range, and its expressions know that core.
#include "platform/run/plan/plan.h"

static struct ts_plan_scope scope_of(struct ts_plan *self, const struct ts_plan_eth *eth)
{
    const struct ts_plan_cores *cores = eth->kernel.cores.count ? &eth->kernel.cores : NULL;
    return (struct ts_plan_scope){.plan = self, .cores = cores, .index = eth->index};
}

static void find_tile(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_eth *to)
{
    const struct ts_plan_scope scope = scope_of(self, to);
    struct ts_yaml_node number = ts_yaml_find(node, "link");
    double chip = 0, link = 0;
    ts_plan_number(&scope, ts_yaml_require(node, "to"), 0, TS_SYSTEM_CHIPS, &chip);
    if (number.node)
        ts_plan_number(&scope, number, 0, TS_CHIP_ETH, &link);
    int channel = ts_system_channel(self->system, self->chip_id, (uint32_t)chip, (uint32_t)link);
    if (channel < 0 && self->yaml.error->code == TS_OK)
        ts_yaml_error(node, "%s: chip %u has no link %.0f to chip %.0f", self->system->name,
                      self->chip_id, link, chip);
    to->channel = (uint32_t)channel;
    bool found = false;
    for (uint8_t y = 0; y < self->soc.height; y++)
        for (uint8_t x = 0; x < self->soc.width; x++)
            if (self->soc.node[y][x] == TS_NOC_NODE_ETHERNET &&
                self->soc.index[y][x] == to->channel) {
                to->raw = (struct ts_noc_xy){x, y};
                found = true;
            }
    if (!found && self->yaml.error->code == TS_OK)
        ts_yaml_error(node, "chip %u (%s) has no Ethernet tile %d", self->chip_id, self->soc.name,
                      channel);
}

static void read_one(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_eth *to)
{
    struct ts_yaml_node name = ts_yaml_find(node, "name"), on = ts_yaml_require(node, "on");
    struct ts_yaml_node cores = ts_yaml_find(node, "cores");
    int core = ts_word_index("erisc0 erisc1", ts_yaml_text(on, ""));
    if (core < 0)
        ts_yaml_error(on, "a kernel of an Ethernet tile is on erisc0 or erisc1");
    if (name.node)
        ts_plan_name(self, name, to->name);
    if (cores.node)
        ts_plan_cores_read(self, cores, &to->kernel.cores);
    to->core = core > 0 && self->soc.machine->eth_start[1];
    to->kernel.noc = to->core; // two cores on one NoC would count each other's requests
    to->kernel.node = node;
    to->kernel.source = ts_yaml_text(ts_yaml_require(node, "source"), "");
    to->kernel.optimise = ts_yaml_text(ts_yaml_find(node, "optimise"), "O2");
    to->kernel.args = ts_yaml_find(node, "args");
    to->kernel.defines = ts_yaml_find(node, "defines");
    to->kernel.include = ts_yaml_find(node, "include");
}

// Its tile, which has no other kernel for this core.
static void give_tile(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_eth *to)
{
    find_tile(self, node, to);
    for (uint32_t i = 0; i < self->eth_count && self->yaml.error->code == TS_OK; i++)
        if (self->eth[i].channel == to->channel && self->eth[i].core == to->core)
            ts_yaml_error(node, "erisc%u of eth%u has a kernel already", to->core, to->channel);
}

static void read_all(struct ts_plan *self, struct ts_yaml_node node)
{
    ts_yaml_only(node, "name source on to link args defines optimise when include cores", NULL);
    if (!ts_plan_when(self, node))
        return;
    uint32_t times = 1;
    for (uint32_t i = 0; i < times; i++) {
        if (self->eth_count == TS_PLAN_ETH)
            ts_yaml_error(node, "more than %d kernels of Ethernet tiles", TS_PLAN_ETH);
        if (self->yaml.error->code != TS_OK)
            return;
        struct ts_plan_eth *to = &self->eth[self->eth_count];
        read_one(self, node, to);
        to->index = i;
        times = to->kernel.cores.count ? to->kernel.cores.count : 1;
        if (self->yaml.error->code == TS_OK)
            give_tile(self, node, to);
        self->eth_count++;
    }
}

void ts_plan_eth_read(struct ts_plan *self, struct ts_yaml_node list)
{
    if (list.node && self->system == NULL) {
        ts_yaml_error(list, "kernels of Ethernet tiles need a `system:'");
        return;
    }
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++)
        read_all(self, ts_yaml_at(list, i));
}

void ts_plan_eth_place(struct ts_plan *self)
{
    for (uint32_t i = 0; i < self->eth_count; i++) {
        struct ts_plan_eth *to = &self->eth[i];
        const struct ts_plan_scope scope = scope_of(self, to);
        struct ts_yaml_node args = to->kernel.args;
        for (size_t k = 0; args.node && k < ts_yaml_count(args); k++) {
            if (to->count == TS_ETH_ARGUMENTS)
                ts_yaml_error(args, "more than %d arguments", TS_ETH_ARGUMENTS);
            if (self->yaml.error->code != TS_OK)
                return;
            to->words[to->count++] = ts_plan_word(&scope, ts_plan_item(args, k));
        }
    }
}

// Is it the kernel that the core of a scope means by its name? A kernel without cores is the same for all.
static bool is_of(const struct ts_plan_eth *eth, const struct ts_plan_scope *scope)
{
    if (eth->kernel.cores.count == 0)
        return true;
    if (scope->cores == NULL)
        return false;
    const struct ts_plan_xy own = eth->kernel.cores.at[eth->index],
                            at = scope->cores->at[scope->index];
    return own.x == at.x && own.y == at.y;
}

bool ts_plan_eth_field(const struct ts_plan_scope *scope, const char *name, double *value)
{
    const struct ts_plan *self = scope->plan;
    char first[TS_PLAN_NAME];
    const char *dot = strchr(name, '.'), *field = dot + 1;
    if (dot == NULL || (size_t)(dot - name) >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(dot - name), name);
    for (uint32_t i = 0; i < self->semaphore_count; i++)
        if (strcmp(self->semaphores[i].name, first) == 0 && strcmp(field, "address") == 0) {
            *value = self->config + TS_SEMAPHORE_STEP * i;
            return true;
        }
    for (uint32_t i = 0; i < self->cb_count; i++) {
        char buffer[16];
        snprintf(buffer, sizeof buffer, "cb%u", self->cbs[i].id);
        if (strcmp(buffer, first) == 0 && strcmp(field, "address") == 0) {
            *value = self->cbs[i].address;
            return true;
        }
    }
    for (uint32_t i = 0; i < self->eth_count; i++) {
        const struct ts_plan_eth *eth = &self->eth[i];
        if (strcmp(eth->name, first) != 0 || !is_of(eth, scope))
            continue;
        struct ts_noc_xy noc = ts_soc_logical(&self->soc, eth->raw);
        const struct {
            const char *name;
            double value;
        } fields[] = {{"noc_x", noc.x}, {"noc_y", noc.y}, {"channel", eth->channel}};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            if (strcmp(field, fields[k].name) == 0) {
                *value = fields[k].value;
                return true;
            }
    }
    return false;
}

bool ts_plan_says(const char *path, const char *key, char *text, size_t size)
{
    struct ts_error ignored = {0};
    struct ts_yaml yaml;
    if (!ts_yaml_mentions(path, key) || !ts_yaml_load(&yaml, path, &ignored))
        return false;
    struct ts_yaml_node root = ts_yaml_root(&yaml);
    const bool said = ts_yaml_is_map(root) && ts_yaml_find(root, key).node;
    if (said && size)
        snprintf(text, size, "%s", ts_yaml_text(ts_yaml_find(root, key), ""));
    ts_yaml_free(&yaml);
    return said;
}

void ts_plan_system(const char *path, const struct ts_plan_options *options, char *name,
                    size_t size)
{
    const char *set = ts_plan_setting(options, "system");
    snprintf(name, size, "%s", set ? set : "");
    if (set == NULL)
        ts_plan_says(path, "system", name, size);
}

bool ts_plan_on_system(const char *path, struct ts_plan_options *options, struct ts_system *system,
                       struct ts_error *error)
{
    char name[64];
    ts_plan_system(path, options, name, sizeof name);
    if (name[0] && ts_system_find(system, name, error) == TS_OK)
        options->system = system;
    return error->code == TS_OK;
}
