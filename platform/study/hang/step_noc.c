// The steps of synchronisation programs that use the network; see step.c.
#include "platform/study/hang/step_code.h"
#include "platform/tile/nodes.h"

#include <string.h>

#define NIU(n) (TS_AT_NIUS + 0x10000u * (n))

static void issue(struct ts_hang_steps *self, const struct ts_script_step *step,
                  const struct ts_traffic_op *op)
{
    uint32_t base = NIU(op->noc) + TS_NOC_BUF_STRIDE * arg(step, "initiator");
    self->noc = true;
    poll(self, base + 4 * TS_NOC_CMD_CTRL, 0, TS_RV_BNE, false);
    for (uint32_t i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        store(self, base + 4 * i, op->word[i]);
    store(self, base + 4 * TS_NOC_CMD_CTRL, 1);
    if (arg(step, "settle"))
        fence(self);
}

void ts_hang_noc_write(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    struct ts_traffic_op op = ts_traffic_write(
        self->chip, arg(step, "noc"), self->here, ts_script_arg_xy(step, "to"), arg(step, "from"),
        arg(step, "at"), arg(step, "length"), (int)ts_script_arg(step, "vc"), arg(step, "posted"));
    if (ts_script_given(step, "inline")) {
        // Inline: target and data lie where a read would have its source.
        memcpy(&op.word[TS_NOC_TARG_LO], &op.word[TS_NOC_RET_LO], 3 * sizeof op.word[0]);
        op.word[TS_NOC_CTRL] |= TS_NOC_CTRL_WR_INLINE;
        op.word[TS_NOC_AT_LEN_BE] = 0xf;
        op.word[TS_NOC_AT_DATA] = arg(step, "inline");
    }
    issue(self, step, &op);
}

void ts_hang_noc_read(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    const struct ts_traffic_op op = ts_traffic_read(self->chip, arg(step, "noc"), self->here,
                                                    ts_script_arg_xy(step, "from"), arg(step, "at"),
                                                    arg(step, "to"), arg(step, "length"));
    issue(self, step, &op);
}

void ts_hang_noc_multicast(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    uint32_t ctrl = 0;
    if (arg(step, "reserve"))
        ctrl |= TS_NOC_CTRL_PATH_RESERVE;
    if (arg(step, "linked"))
        ctrl |= TS_NOC_CTRL_LINKED;
    if (arg(step, "self"))
        ctrl |= TS_NOC_CTRL_SRC_INCLUDE;
    if (arg(step, "y_first"))
        ctrl |= TS_NOC_CTRL_BRCST_Y;
    if (ts_script_given(step, "vc"))
        ctrl |= TS_NOC_CTRL_VC_STATIC | arg(step, "vc") << TS_NOC_CTRL_VC_SHIFT;
    struct ts_traffic_op op = ts_traffic_multicast(
        self->chip, arg(step, "noc"), self->here, ts_script_arg_xy(step, "first"),
        ts_script_arg_xy(step, "last"), arg(step, "from"), arg(step, "at"), arg(step, "length"),
        ctrl);
    issue(self, step, &op);
}

void ts_hang_noc_increment(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    struct ts_noc_xy to = ts_script_arg_xy(step, "to");
    struct ts_traffic_op op = ts_traffic_increment(self->chip, arg(step, "noc"), self->here, to,
                                                   arg(step, "at"), 0x2fff0, arg(step, "by"),
                                                   arg(step, "posted"));
    if (ts_script_given(step, "last"))
        ts_traffic_spread(self->chip, &op, to, ts_script_arg_xy(step, "last"));
    issue(self, step, &op);
}

// Until a counter of the interface has a value.
void ts_hang_noc_wait(struct ts_hang_steps *self, const struct ts_script_step *step)
{
    static const struct {
        const char *key;
        uint32_t counter;
    } rows[] = {{"acks", TS_NOC_MST_WR_ACK_RECEIVED},
                {"sent", TS_NOC_MST_NONPOSTED_WR_REQ_SENT},
                {"reads", TS_NOC_MST_RD_RESP_RECEIVED},
                {"posted", TS_NOC_MST_POSTED_WR_REQ_SENT},
                {"atomics", TS_NOC_MST_ATOMIC_RESP_RECEIVED}};
    self->noc = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ts_script_given(step, rows[i].key))
            poll(self, NIU(arg(step, "noc")) + 0x200 + 4 * rows[i].counter, arg(step, rows[i].key),
                 TS_RV_BNE, false);
}
