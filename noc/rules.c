#include "noc/rules.h"

#define TAG_OVERLAY      (1u << 6)
#define TAG_HEADER_STORE (1u << 9)
#define BRCST_KEEP_SKIP  0xffu

typedef const struct ts_noc_look look;
typedef const struct ts_noc_end end;

// --- the ends of a request ---

// The registers of a Tensix tile that the NoC can reach: tile control, PIC, local RAM (slow path);
// NIUs, overlay.
static enum ts_noc_space tensix_space(const struct ts_machine *machine, uint64_t address)
{
    if (address < machine->l1_bytes)
        return TS_NOC_SPACE_L1;
    bool mapped = (address >= 0xffb12000 && address <= 0xffb1dfff) ||
                  (address >= 0xffb20000 && address <= 0xffb7ffff);
    return mapped ? TS_NOC_SPACE_REGISTERS : TS_NOC_SPACE_NOWHERE;
}

// The same of an Ethernet tile: control, NIUs, overlay, queues.
static enum ts_noc_space ethernet_space(const struct ts_machine *machine, uint64_t address)
{
    if (address < machine->eth_l1_bytes)
        return TS_NOC_SPACE_L1;
    bool mapped = (address >= 0xffb12000 && address <= 0xffb12fff) ||
                  (address >= 0xffb20000 && address <= 0xffb7ffff) ||
                  (address >= 0xffb90000 && address <= 0xffbaffff);
    return mapped ? TS_NOC_SPACE_REGISTERS : TS_NOC_SPACE_NOWHERE;
}

static bool inside(look *self, struct ts_noc_xy at)
{
    return at.x < self->niu->shape.width && at.y < self->niu->shape.height;
}

static void put_end(look *self, struct ts_noc_end *to, struct ts_noc_xy at, uint64_t address)
{
    *to = (struct ts_noc_end){.used = true, .at = at, .address = address};
    if (!inside(self, at))
        return;
    // Only Tensix tiles receive a broadcast.
    bool rectangle = to == &self->to && self->request->broadcast;
    to->node = rectangle ? TS_NOC_NODE_TENSIX
                         : ts_noc_fabric_node(self->niu->fabric, self->niu->noc, at);
    bool ethernet = to->node == TS_NOC_NODE_ETHERNET &&
                    ts_noc_fabric_ethernet(self->niu->fabric, self->niu->noc, at);
    to->tile = to->node == TS_NOC_NODE_TENSIX || ethernet;
    if (ethernet)
        to->space = ethernet_space(self->machine, address);
    else if (to->node == TS_NOC_NODE_TENSIX)
        to->space = tensix_space(self->machine, address);
    else if (to->node == TS_NOC_NODE_DRAM)
        to->space = TS_NOC_SPACE_DRAM;
    else if (ts_noc_fabric_attached(self->niu->fabric, self->niu->noc, at))
        to->space = TS_NOC_SPACE_DEVICE;
}

static void put_ends(struct ts_noc_look *self)
{
    const struct ts_noc_packet *request = self->request;
    switch ((enum ts_noc_kind)request->kind) {
    case TS_NOC_READ:
        put_end(self, &self->from, request->to, request->address);
        put_end(self, &self->to, request->back, request->back_address);
        break;
    case TS_NOC_WRITE:
        if (!request->inline_data)
            put_end(self, &self->from, self->niu->here, request->source);
        put_end(self, &self->to, request->to, request->address);
        break;
    default:
        put_end(self, &self->to, request->to, request->address);
        break;
    }
    if (request->kind != TS_NOC_READ && !request->posted)
        put_end(self, &self->back, request->back, request->back_address);
}

// --- what rules of config/noc_rules.def ask ---

static bool wrong_class(const struct ts_noc_packet *request)
{
    uint32_t class = request->vc >> 1;
    return request->vc_static && (class == TS_NOC_CLASS_RESPONSE ||
                                  (request->broadcast && class != TS_NOC_CLASS_BROADCAST));
}

static bool is_outside(look *self, end *where)
{
    return where->used && !inside(self, where->at);
}

static bool stands_at(end *where, enum ts_noc_node node)
{
    return where->used && where->node == node;
}

static bool is_empty(end *where)
{
    bool registers = where->address >= 0xffb20000 && where->address <= 0xffb3ffff;
    return stands_at(where, TS_NOC_NODE_EMPTY) && !registers;
}

static bool is_other(end *where)
{
    return where->used && !where->tile && where->node != TS_NOC_NODE_DRAM &&
           where->space != TS_NOC_SPACE_DEVICE;
}

static bool is_unmapped(end *where)
{
    return where->used && where->tile && where->space == TS_NOC_SPACE_NOWHERE;
}

static bool passes(end *where, enum ts_noc_space space, uint64_t size, uint64_t length)
{
    return where->used && where->space == space &&
           (where->address >= size || length > size - where->address);
}

static uint64_t l1_size(const struct ts_machine *machine, end *where)
{
    return where->node == TS_NOC_NODE_ETHERNET ? machine->eth_l1_bytes : machine->l1_bytes;
}

static uint64_t dram_size(const struct ts_noc_niu *niu)
{
    return (uint64_t)niu->fabric->dram.size * niu->fabric->dram_parts << 20;
}

static bool behind_split(const struct ts_noc_niu *niu)
{
    for (uint32_t i = 0; i < TS_NOC_INITIATORS; i++)
        if (niu->initiators[i].word[TS_NOC_CMD_CTRL] && niu->initiators[i].split)
            return true;
    return false;
}

// Two addresses that are not the same modulo `modulus'.
static bool unlike(look *self, enum ts_noc_space from, enum ts_noc_space to, uint64_t modulus)
{
    return self->from.space == from && self->to.space == to && !self->request->masked &&
           (self->from.address ^ self->to.address) % modulus;
}

static bool same_place(struct ts_noc_xy a, struct ts_noc_xy b)
{
    return a.x == b.x && a.y == b.y;
}

static bool leaves_link(const struct ts_noc_linked *open, const struct ts_noc_packet *request)
{
    return open->yes &&
           (request->broadcast != open->broadcast || !same_place(request->to, open->to) ||
            (request->broadcast &&
             (!same_place(request->start, open->start) || request->y_major != open->y_major)));
}

const struct ts_noc_rule ts_noc_rules[] = {
#define TS_NOC_RULE(name, code, breaks, text, source) {name, code, text, source},
#include "config/noc_rules.def"
    {0},
};

static void print_end(look *self, end *where, char *text, size_t size)
{
    struct ts_noc_xy tile = where->at;
    if (!inside(self, tile)) {
        snprintf(text, size, "%u-%u", tile.x, tile.y);
        return;
    }
    tile = ts_noc_mirror(self->niu->fabric, self->niu->noc, tile);
    bool tensix = where->node == TS_NOC_NODE_TENSIX, dram = where->node == TS_NOC_NODE_DRAM;
    char name[64];
    const struct ts_noc_niu *niu = self->niu;
    const bool named = (tensix || dram) && niu->memory && niu->memory->name &&
                       niu->memory->name(niu->context, dram, where->address, name, sizeof name);
    snprintf(text, size, "%s%s%u-%u:0x%llx%s%s%s", tensix ? "" : ts_noc_node_name(where->node),
             tensix ? "" : " ", tile.x, tile.y, (unsigned long long)where->address,
             named ? " (" : "", named ? name : "", named ? ")" : "");
}

static enum ts_code refuse(look *self, const struct ts_noc_rule *rule, struct ts_error *error)
{
    char from[112] = "", to[112] = "";
    if (self->from.used)
        print_end(self, &self->from, from, sizeof from);
    print_end(self, &self->to, to, sizeof to);
    return ts_fail(error, rule->code, "%s: %s: NoC %u %s, %llu bytes%s%s to %s%s", rule->name,
                   rule->text, self->niu->noc, ts_noc_kind_name(self->request->kind),
                   (unsigned long long)self->length, self->from.used ? " from " : "", from, to,
                   self->request->broadcast ? " (end of a rectangle)" : "");
}

enum ts_code ts_noc_rules_check(const struct ts_noc_niu *self, const uint32_t *word,
                                const struct ts_noc_packet *request, uint64_t length,
                                struct ts_error *error)
{
    const struct ts_machine *machine = self->fabric->machine;
    struct ts_noc_look seen = {
        .niu = self, .machine = machine, .word = word, .request = request, .length = length};
    const struct ts_noc_rule *rule = ts_noc_rules;
    const bool atomic = request->kind == TS_NOC_ATOMIC;
    put_ends(&seen);
    end *from = &seen.from, *to = &seen.to, *back = &seen.back;
#define TS_NOC_RULE(name, code, breaks, text, source) \
    if (__builtin_expect((breaks) != 0, 0))           \
        return refuse(&seen, rule, error);            \
    rule++;
#include "config/noc_rules.def"
    return TS_OK;
}
