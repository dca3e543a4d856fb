// What a polling core waits for, as text: the location, its value, and who could change it.
#include "platform/explain/looker.h"
#include "platform/tile/buffers.h"

#include <stdio.h>
#include <string.h>

// A register of a network interface.
static void niu_text(struct ts_hang_node *node, uint32_t address, uint32_t value, bool first)
{
    static const char *const counters[] = {"ATOMIC_RESP_RECEIVED", "WR_ACK_RECEIVED",
                                           "RD_RESP_RECEIVED"};
    unsigned noc = (address >> 16) - 0xffb2, offset = address & 0xffff,
             index = (offset & 0x7ff) / 4;
    char object[40];
    if (index == 16) {
        snprintf(object, sizeof object, "noc%u command buffer %u", noc, offset / 0x800);
        ts_hang_say(node, "%s%s: its request has not left", first ? "polls " : ", ", object);
    } else if (index >= 0x80 && index < 0xc0) {
        index -= 0x80;
        if (index < 3)
            snprintf(object, sizeof object, "noc%u counter %s", noc, counters[index]);
        else
            snprintf(object, sizeof object, "noc%u counter %u", noc, index);
        ts_hang_say(node, "%s%s = %u", first ? "polls " : ", ", object, value);
    } else {
        snprintf(object, sizeof object, "register 0x%x", address);
        ts_hang_say(node, "%s%s = 0x%x", first ? "polls " : ", ", object, value);
    }
    if (first)
        snprintf(node->object, sizeof node->object, "%s", object);
}

void ts_hang_poll_text(const struct ts_hang_looker *self, int at, uint32_t address, uint32_t value)
{
    struct ts_hang_node *node = &self->story->node[at];
    unsigned id = (unsigned)at - CORE;
    bool first = node->object[0] == '\0';
    if (address >= 0xffe80020u && address < 0xffe80040u && id >= TS_RV_TRISC0 &&
        id <= TS_RV_TRISC2) {
        unsigned index = (address - 0xffe80020u) / 4;
        ts_hang_say(node, "%ssemaphore %u (%s) = %u, max %u", first ? "polls " : ", ", index,
                    ts_hang_semaphore_names[index], value, self->tile->sync.semaphore[index].max);
        if (first) {
            snprintf(node->object, sizeof node->object, "semaphore %u", index);
            ts_hang_last_change(node, &self->tile->sync.semaphore[index]);
            node->to = ts_hang_changer(self, index, value == 0, at);
        }
        return;
    }
    if (address >= 0xffec0000u && address < 0xffec4000u) {
        unsigned from = address >> 12 & 3;
        ts_hang_say(node, "%sthe mailbox from %s: %s", first ? "polls " : ", ",
                    ts_rv_core_names[from], value ? "not empty" : "empty");
        if (first) {
            snprintf(node->object, sizeof node->object, "mailbox[%s-%s]", ts_rv_core_names[from],
                     ts_rv_core_names[id]);
            node->to = CORE + (int)from;
        }
        return;
    }
    bool full;
    const struct ts_buffer *buffer = ts_buffers_at(self->tile, address, &full);
    if (buffer != NULL) {
        uint32_t fill = ts_buffer_fill(self->tile, buffer);
        ts_hang_say(node, "%s%s in circular buffer %s: %u of %u pages are in it",
                    first ? "polls for " : ", ", full ? "pages" : "room", buffer->name, fill,
                    buffer->pages);
        if (!first)
            return;
        snprintf(node->object, sizeof node->object, "buffer %s", buffer->name);
        ts_hang_last_writer(self, node, address);
        uint8_t by = full ? buffer->pushed_by : buffer->popped_by;
        node->to = by == TS_BY_NOBODY ? -1 : ts_hang_node_of(by);
        if (by == TS_BY_NOBODY)
            snprintf(node->last, sizeof node->last, "nobody has ever %s",
                     full ? "put a page in" : "taken a page out");
        if (node->to == at)
            node->to = -1;
        return;
    }
    if (address >= 0xffb20000u && address < 0xffb40000u) {
        niu_text(node, address, value, first);
        return;
    }
    const char *what = address < TS_L1_SIZE ? "L1 word" : "register";
    ts_hang_say(node, "%s%s 0x%x = 0x%x", first ? "polls " : ", ", what, address, value);
    if (!first)
        return;
    snprintf(node->object, sizeof node->object, "%s 0x%x", what, address);
    if (address >= TS_L1_SIZE)
        return;
    uint32_t real;
    memcpy(&real, self->tile->l1.bytes + (address & ~3u), sizeof real);
    if (real != value && address % 4 == 0)
        ts_hang_say(node, " from its L0 cache (L1 has 0x%x: it is not invalidated)", real);
    int by = ts_hang_last_writer(self, node, address);
    node->to = by == at ? -1 : by;
}

// What the loop waits for, from its last branch.
void ts_hang_loop_text(struct ts_hang_node *node, const struct ts_rv_spin *spin)
{
    uint32_t a = spin->branch.a, b = spin->branch.b;
    bool taken = spin->branch.taken;
    if (spin->branch.pc == 0)
        return;
    switch (spin->branch.op) {
    case TS_RV_BEQ:
    case TS_RV_BNE:
        if ((spin->branch.op == TS_RV_BNE) == taken)
            ts_hang_say(node, ", until %u is %u", a, b);
        else
            ts_hang_say(node, ", until it is not %u", b);
        break;
    case TS_RV_BLTU:
    case TS_RV_BLT:
        ts_hang_say(node, taken ? ", has %u, needs %u" : ", %u must fall below %u", a, b);
        break;
    case TS_RV_BGEU:
    case TS_RV_BGE:
        if (taken)
            ts_hang_say(node, ", %u must fall below %u", a, b);
        else
            ts_hang_say(node, ", has %u, needs %u", a, b);
        break;
    default:
        break;
    }
}
