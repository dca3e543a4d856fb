#include "noc/rules.h"

#include <stdio.h>

#define L1_SIZE          0x180000u
#define ETH_L1_SIZE      0x80000u // of an Ethernet tile
#define TAG_OVERLAY      (1u << 6)
#define TAG_HEADER_STORE (1u << 9)
#define BRCST_KEEP_SKIP  0xffu

typedef const struct ts_noc_look look;
typedef const struct ts_noc_end end;

// --- the ends of a request ---

// The registers of a Tensix tile that the NoC can reach: tile control, PIC, local RAM (slow path);
// NIUs, overlay.
static enum ts_noc_space tensix_space(uint64_t address)
{
    if (address < L1_SIZE)
        return TS_NOC_SPACE_L1;
    bool mapped = (address >= 0xffb12000 && address <= 0xffb1dfff) ||
                  (address >= 0xffb20000 && address <= 0xffb7ffff);
    return mapped ? TS_NOC_SPACE_REGISTERS : TS_NOC_SPACE_NOWHERE;
}

// The same of an Ethernet tile: control, NIUs, overlay, queues.
static enum ts_noc_space ethernet_space(uint64_t address)
{
    if (address < ETH_L1_SIZE)
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
        to->space = ethernet_space(address);
    else if (to->node == TS_NOC_NODE_TENSIX)
        to->space = tensix_space(address);
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

// --- flags ---

static bool reserved_type(look *self)
{
    return (self->word[TS_NOC_CTRL] & TS_NOC_CTRL_TYPE) == 3;
}

static bool accumulates(look *self)
{
    return self->word[TS_NOC_CTRL] & TS_NOC_CTRL_L1_ACC;
}

static bool to_overlay(look *self)
{
    return self->word[TS_NOC_TAG] & TAG_OVERLAY;
}

static bool stores_header(look *self)
{
    return self->word[TS_NOC_TAG] & TAG_HEADER_STORE;
}

static bool broadcast_read(look *self)
{
    return self->request->broadcast && self->request->kind == TS_NOC_READ;
}

static bool keeps_and_skips(look *self)
{
    return self->request->broadcast && self->word[TS_NOC_BRCST_EXCLUDE] & BRCST_KEEP_SKIP;
}

static bool wrong_class(look *self)
{
    uint32_t class = self->request->vc >> 1;
    return self->request->vc_static &&
           (class == TS_NOC_CLASS_RESPONSE ||
            (self->request->broadcast && class != TS_NOC_CLASS_BROADCAST));
}

// --- places ---

static bool is_outside(look *self, end *where)
{
    return where->used && !inside(self, where->at);
}

static bool outside_grid(look *self)
{
    return !self->request->broadcast &&
           (is_outside(self, &self->from) || is_outside(self, &self->to));
}

static bool back_outside_grid(look *self)
{
    return is_outside(self, &self->back);
}

static bool rectangle_outside_grid(look *self)
{
    return self->request->broadcast &&
           (!inside(self, self->request->to) || !inside(self, self->request->start));
}

static bool no_receiver(look *self)
{
    return self->request->broadcast && ts_noc_request_receivers(self->niu, self->request) == 0;
}

static bool stands_at(look *self, enum ts_noc_node node)
{
    return (self->from.used && self->from.node == node) || (self->to.used && self->to.node == node);
}

static bool harvested(look *self)
{
    return stands_at(self, TS_NOC_NODE_HARVESTED);
}

static bool is_empty(end *where)
{
    bool registers = where->address >= 0xffb20000 && where->address <= 0xffb3ffff;
    return where->used && where->node == TS_NOC_NODE_EMPTY && !registers;
}

static bool empty_site(look *self)
{
    return is_empty(&self->from) || is_empty(&self->to);
}

static bool is_other(end *where)
{
    return where->used && !where->tile && where->node != TS_NOC_NODE_DRAM &&
           where->space != TS_NOC_SPACE_DEVICE;
}

static bool other_tile(look *self)
{
    return is_other(&self->from) || is_other(&self->to);
}

static bool is_unmapped(end *where)
{
    return where->used && where->tile && where->space == TS_NOC_SPACE_NOWHERE;
}

static bool unmapped(look *self)
{
    return is_unmapped(&self->from) || is_unmapped(&self->to);
}

static bool passes(end *where, enum ts_noc_space space, uint64_t size, uint64_t length)
{
    return where->used && where->space == space &&
           (where->address >= size || length > size - where->address);
}

static uint64_t l1_size(end *where)
{
    return where->node == TS_NOC_NODE_ETHERNET ? ETH_L1_SIZE : L1_SIZE;
}

static bool past_l1(look *self)
{
    return passes(&self->from, TS_NOC_SPACE_L1, l1_size(&self->from), self->length) ||
           passes(&self->to, TS_NOC_SPACE_L1, l1_size(&self->to), self->length);
}

static bool past_dram(look *self)
{
    uint64_t size = (uint64_t)self->niu->fabric->dram.size << 20;
    return passes(&self->from, TS_NOC_SPACE_DRAM, size, self->length) ||
           passes(&self->to, TS_NOC_SPACE_DRAM, size, self->length);
}

// --- lengths ---

static bool zero_length(look *self)
{
    return self->length == 0;
}

static bool is_split(look *self)
{
    return self->length > TS_NOC_PACKET_MAX;
}

static bool split_unaligned(look *self)
{
    return is_split(self) && (self->from.address % TS_NOC_WORD || self->to.address % TS_NOC_WORD);
}

static bool behind_split(look *self)
{
    for (uint32_t i = 0; i < TS_NOC_INITIATORS; i++)
        if (self->niu->initiators[i].word[TS_NOC_CMD_CTRL] && self->niu->initiators[i].split)
            return true;
    return false;
}

// --- registers, atomics, inline writes ---

static bool of_registers(look *self)
{
    return self->from.space == TS_NOC_SPACE_REGISTERS || self->to.space == TS_NOC_SPACE_REGISTERS;
}

static bool masked_registers(look *self)
{
    return self->request->masked && self->to.space == TS_NOC_SPACE_REGISTERS;
}

static bool register_length(look *self)
{
    return of_registers(self) && self->request->kind != TS_NOC_ATOMIC &&
           (self->length != 4 || self->from.address % 4 || self->to.address % 4);
}

static bool atomic_elsewhere(look *self)
{
    return self->request->kind == TS_NOC_ATOMIC && self->to.space != TS_NOC_SPACE_L1;
}

static bool atomic_unaligned(look *self)
{
    return self->request->kind == TS_NOC_ATOMIC && self->to.address % 4;
}

static bool atomic_result(look *self)
{
    return self->request->kind == TS_NOC_ATOMIC && self->back.used &&
           (self->back.space != TS_NOC_SPACE_L1 || self->back.address % 4);
}

static bool inline_to_l1(look *self)
{
    return self->request->inline_data && self->to.space == TS_NOC_SPACE_L1;
}

static bool inline_to_dram(look *self)
{
    return self->request->inline_data && self->to.space == TS_NOC_SPACE_DRAM;
}

// --- alignment: of the two addresses to each other ---

static bool unlike(look *self, enum ts_noc_space from, enum ts_noc_space to, uint64_t modulus)
{
    return self->from.space == from && self->to.space == to && !self->request->masked &&
           (self->from.address ^ self->to.address) % modulus;
}

static bool unlike_l1(look *self)
{
    return unlike(self, TS_NOC_SPACE_L1, TS_NOC_SPACE_L1, 16);
}

static bool unlike_from_dram(look *self)
{
    return unlike(self, TS_NOC_SPACE_DRAM, TS_NOC_SPACE_L1, 64) ||
           unlike(self, TS_NOC_SPACE_DRAM, TS_NOC_SPACE_DRAM, 64);
}

static bool unlike_to_dram(look *self)
{
    return unlike(self, TS_NOC_SPACE_L1, TS_NOC_SPACE_DRAM, 16);
}

static bool is_host(end *where)
{
    return where->used && where->node == TS_NOC_NODE_PCIE;
}

static bool unlike_from_host(look *self)
{
    return is_host(&self->from) && (self->from.address ^ self->to.address) % 64;
}

static bool unlike_to_host(look *self)
{
    return is_host(&self->to) && self->from.used && !self->request->masked &&
           (self->from.address ^ self->to.address) % 16;
}

// --- linked transactions ---

static bool same_place(struct ts_noc_xy a, struct ts_noc_xy b)
{
    return a.x == b.x && a.y == b.y;
}

static bool leaves_link(look *self)
{
    const struct ts_noc_linked *open = &self->niu->open;
    const struct ts_noc_packet *request = self->request;
    return open->yes &&
           (request->broadcast != open->broadcast || !same_place(request->to, open->to) ||
            (request->broadcast &&
             (!same_place(request->start, open->start) || request->y_major != open->y_major)));
}

static bool leaves_channel(look *self)
{
    const struct ts_noc_linked *open = &self->niu->open;
    return open->yes && open->vc_static && self->request->vc_static &&
           self->request->vc != open->vc;
}

const struct ts_noc_rule ts_noc_rules[] = {
#define TS_NOC_RULE(name, code, breaks, text, source) {name, code, breaks, text, source},
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
    struct ts_noc_look seen = {.niu = self, .word = word, .request = request, .length = length};
    put_ends(&seen);
    for (const struct ts_noc_rule *rule = ts_noc_rules; rule->name; rule++)
        if (__builtin_expect(rule->breaks(&seen), 0))
            return refuse(&seen, rule, error);
    return TS_OK;
}
