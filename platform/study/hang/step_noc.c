// The steps of synchronisation programs that use the network; see step.c.
#include "platform/study/hang/step_code.h"
#include "platform/tile/nodes.h"

#include <string.h>

#define NIU(n) (TS_AT_NIUS + 0x10000u * (n))

static void issue(struct ts_hang_steps *self, struct ts_yaml_node node,
                  const struct ts_traffic_op *op)
{
    uint32_t base = NIU(op->noc) + TS_NOC_BUF_STRIDE * number_of(node, "initiator", 0);
    self->noc = true;
    poll(self, base + 4 * TS_NOC_CMD_CTRL, 0, TS_RV_BNE);
    for (uint32_t i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        store(self, base + 4 * i, op->word[i]);
    store(self, base + 4 * TS_NOC_CMD_CTRL, 1);
    if (ts_yaml_bool(ts_yaml_find(node, "settle"), true))
        fence(self);
}

void ts_hang_noc_write(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"to",     "from",      "at",     "length", "noc", "vc",
                                       "posted", "initiator", "inline", "settle", NULL};
    struct ts_noc_xy to;
    (void)depth;
    ts_yaml_only(node, keys);
    if (!ts_hang_coordinates(ts_yaml_require(node, "to"), &to))
        return;
    struct ts_yaml_node value = ts_yaml_find(node, "inline");
    struct ts_traffic_op op = ts_traffic_write(
        self->chip, number_of(node, "noc", 0), self->here, to, number_of(node, "from", 0),
        (uint32_t)ts_yaml_int(ts_yaml_require(node, "at"), 0, UINT32_MAX, 0), // registers, too
        number_of(node, "length", 4), (int)ts_yaml_int(ts_yaml_find(node, "vc"), -1, 15, -1),
        ts_yaml_bool(ts_yaml_find(node, "posted"), false));
    if (value.node) {
        // Inline: target and data lie where a read would have its source.
        memcpy(&op.word[TS_NOC_TARG_LO], &op.word[TS_NOC_RET_LO], 3 * sizeof op.word[0]);
        op.word[TS_NOC_CTRL] |= TS_NOC_CTRL_WR_INLINE;
        op.word[TS_NOC_AT_LEN_BE] = 0xf;
        op.word[TS_NOC_AT_DATA] = (uint32_t)ts_yaml_int(value, 0, UINT32_MAX, 0);
    }
    issue(self, node, &op);
}

void ts_hang_noc_multicast(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"first",   "last",      "from",   "at",   "length",
                                       "noc",     "reserve",   "linked", "self", "vc",
                                       "y_first", "initiator", "settle", NULL};
    struct ts_noc_xy first, last;
    (void)depth;
    ts_yaml_only(node, keys);
    if (!ts_hang_coordinates(ts_yaml_require(node, "first"), &first) ||
        !ts_hang_coordinates(ts_yaml_require(node, "last"), &last))
        return;
    uint32_t ctrl = 0;
    if (ts_yaml_bool(ts_yaml_find(node, "reserve"), true))
        ctrl |= TS_NOC_CTRL_PATH_RESERVE;
    if (ts_yaml_bool(ts_yaml_find(node, "linked"), false))
        ctrl |= TS_NOC_CTRL_LINKED;
    if (ts_yaml_bool(ts_yaml_find(node, "self"), false))
        ctrl |= TS_NOC_CTRL_SRC_INCLUDE;
    if (ts_yaml_bool(ts_yaml_find(node, "y_first"), false))
        ctrl |= TS_NOC_CTRL_BRCST_Y;
    struct ts_yaml_node vc = ts_yaml_find(node, "vc");
    if (vc.node)
        ctrl |= TS_NOC_CTRL_VC_STATIC | (uint32_t)ts_yaml_int(vc, 0, 15, 0) << TS_NOC_CTRL_VC_SHIFT;
    struct ts_traffic_op op = ts_traffic_multicast(
        self->chip, number_of(node, "noc", 0), self->here, first, last, l1_of(node, "from"),
        l1_of(node, "at"), number_of(node, "length", 4), ctrl);
    issue(self, node, &op);
}

void ts_hang_noc_increment(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"to",     "last",      "at",     "by", "noc",
                                       "posted", "initiator", "settle", NULL};
    struct ts_noc_xy to, last;
    (void)depth;
    ts_yaml_only(node, keys);
    if (!ts_hang_coordinates(ts_yaml_require(node, "to"), &to))
        return;
    struct ts_traffic_op op = ts_traffic_increment(
        self->chip, number_of(node, "noc", 0), self->here, to, l1_of(node, "at"), 0x2fff0,
        number_of(node, "by", 1), ts_yaml_bool(ts_yaml_find(node, "posted"), true));
    struct ts_yaml_node corner = ts_yaml_find(node, "last");
    if (corner.node && ts_hang_coordinates(corner, &last))
        ts_traffic_spread(self->chip, &op, to, last);
    issue(self, node, &op);
}

// Until a counter of the interface has a value.
void ts_hang_noc_wait(struct ts_hang_steps *self, struct ts_yaml_node node, unsigned depth)
{
    static const char *const keys[] = {"noc", "acks", "sent", NULL};
    (void)depth;
    ts_yaml_only(node, keys);
    struct ts_yaml_node acks = ts_yaml_find(node, "acks");
    uint32_t counter = acks.node ? TS_NOC_MST_WR_ACK_RECEIVED : TS_NOC_MST_NONPOSTED_WR_REQ_SENT;
    self->noc = true;
    poll(self, NIU(number_of(node, "noc", 0)) + 0x200 + 4 * counter,
         number_of(node, acks.node ? "acks" : "sent", 1), TS_RV_BNE);
}
