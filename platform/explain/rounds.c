// Loops of a walk; see rounds.h.
#include "platform/explain/rounds.h"

#include "platform/base/hash.h"

#define WAIT  64 // instructions of a waiting loop
#define CALLS 4  // that are nested in one

static struct ts_round_place *place_of(struct ts_rounds *self, uint32_t pc)
{
    return &self->place[pc / 4 % TS_ROUND_PLACES];
}

bool ts_rounds_reached(struct ts_rounds *self, uint32_t pc, uint32_t since)
{
    return place_of(self, pc)->pc == pc && place_of(self, pc)->when >= since;
}

void ts_rounds_changed(struct ts_rounds *self)
{
    self->changed = self->now + 1;
}

void ts_rounds_note(struct ts_rounds *self, const struct ts_rv_walk *walk, bool vague)
{
    const struct ts_rv_insn *in = &walk->insn;
    struct ts_round_place *place = place_of(self, walk->at);
    self->now++;
    if (walk->pc != walk->at + 4)
        self->way += ts_hash_word(walk->at, walk->pc);
    bool branch = in->cls == TS_RV_CLASS_BRANCH, load = in->cls == TS_RV_CLASS_LOAD;
    uint32_t a = branch ? walk->a : load ? walk->address : 0, b = branch ? walk->b : 0;
    // Two counts that grow alike stay equal, or different.
    bool alike = branch && (in->op == TS_RV_BEQ || in->op == TS_RV_BNE) &&
                 a - b == place->a - place->b;
    if (place->pc != walk->at)
        *place = (struct ts_round_place){.pc = walk->at};
    if (place->when == 0 || !(alike || (place->a == a && place->b == b)))
        self->changed = self->now;
    place->when = self->now;
    place->a = a;
    place->b = b;
    place->branch = branch;
    place->other = walk->other;
    place->vague = branch && vague;
}

bool ts_rounds_endless(struct ts_rounds *self, uint32_t pc, uint32_t *last)
{
    struct ts_round_place *head = place_of(self, pc);
    if (head->pc != pc)
        *head = (struct ts_round_place){.pc = pc};
    const uint64_t round = self->way - head->way;
    head->way = self->way;
    if (round != head->round)
        memset(head->began, 0, sizeof head->began);
    head->round = round;
    const uint32_t oldest = head->began[TS_ROUND_PATIENCE - 1];
    *last = head->began[0];
    memmove(head->began + 1, head->began, sizeof head->began - sizeof head->began[0]);
    head->began[0] = self->now + 1;
    return oldest != 0 && self->changed < oldest;
}

struct ts_round_place *ts_rounds_way_out(struct ts_rounds *self, uint32_t since, uint32_t effects,
                                         bool *several)
{
    struct ts_round_place *best = NULL, *vague = NULL;
    uint64_t first = UINT64_MAX;
    *several = false;
    for (uint32_t i = 0; i < TS_ROUND_PLACES; i++) {
        struct ts_round_place *p = &self->place[i];
        if (!p->branch || p->when < since || ts_rounds_reached(self, p->other, since))
            continue;
        *several |= vague && p->vague && vague->other != p->other;
        vague = p->vague ? p : vague;
        uint64_t rank = p->when | (uint64_t)!p->vague << 32 |
                        (uint64_t)(p->left == effects + 1) << 33;
        if (rank < first) {
            first = rank;
            best = p;
        }
    }
    if (best)
        best->left = effects + 1;
    return best;
}

static bool leads_back(const struct ts_l1 *l1, uint32_t branch, uint32_t pc, uint32_t *calls,
                       unsigned depth, unsigned *left)
{
    uint32_t word;
    while (ts_rv_code(l1, pc, &word) && (*left)-- > 0) {
        struct ts_rv_insn in = ts_rv_decode(word);
        if (pc == branch)
            return true;
        switch (in.cls) {
        case TS_RV_CLASS_STORE:
            if (in.rs1 != 2) // not to the stack
                return false;
            pc += 4;
            break;
        case TS_RV_CLASS_ALU:
        case TS_RV_CLASS_MUL:
        case TS_RV_CLASS_LOAD:
        case TS_RV_CLASS_FENCE:
        case TS_RV_CLASS_CSR:
            pc += 4;
            break;
        case TS_RV_CLASS_BRANCH:
            if (in.imm > 0 && !leads_back(l1, branch, pc + (uint32_t)in.imm, calls, depth, left))
                return false;
            pc += 4;
            break;
        case TS_RV_CLASS_JUMP:
            if (in.op == TS_RV_JAL && in.rd <= 1 && (in.rd == 0 || depth < CALLS)) {
                if (in.rd)
                    calls[depth++] = pc + 4;
                pc += (uint32_t)in.imm;
            } else if (in.op == TS_RV_JALR && in.rd == 0 && in.rs1 == 1 && depth) {
                pc = calls[--depth];
            } else {
                return false;
            }
            break;
        default:
            return false;
        }
    }
    return false;
}

bool ts_rounds_waits_at(const struct ts_l1 *l1, uint32_t branch, uint32_t pc)
{
    uint32_t calls[CALLS];
    unsigned left = WAIT;
    return leads_back(l1, branch, pc, calls, 0, &left);
}
