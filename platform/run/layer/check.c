// What a step of a sequence has written, against what it says (layer.h).
#include "platform/base/json.h"
#include "platform/run/layer/layer.h"
#include "platform/run/plan/data.h"

static struct ts_agreement compare(const struct ts_plan_tensor *t, const struct ts_value *got,
                                   const struct ts_value *want)
{
    const struct ts_matrix a = {.rows = t->rows, .columns = t->columns, .at = got->at},
                           b = {.rows = t->rows, .columns = t->columns, .at = want->at};
    return ts_matrix_compare(&a, &b, ts_datum_usable(t->format) ? t->format : 8);
}

// What a step has written on a chip, and what that would be without any error from the beginning on.
struct written {
    struct ts_value got[TS_PLAN_TENSORS], exact[TS_PLAN_TENSORS];
};

// Adds what was found on a chip to the row, if it is worse than on the chips before.
static void tell(json_t *row, const struct ts_plan_tensor *t, const struct ts_agreement *a,
                 const struct ts_agreement *b, bool right)
{
    const json_t *before = json_object_get(row, "rel_l2");
    if (before && right && json_number_value(before) >= a->rel_l2)
        return;
    json_object_set_new(row, "checked", json_string(t->name));
    json_object_set_new(row, "right", json_boolean(right));
    json_object_set_new(row, "rel_l2", ts_json_real(a->rel_l2));
    json_object_set_new(row, "pcc", ts_json_real(a->pcc));
    json_object_set_new(row, "end_to_end_rel_l2", ts_json_real(b->rel_l2));
    json_object_set_new(row, "end_to_end_pcc", ts_json_real(b->pcc));
}

static void check_tensor(struct ts_layer *self, struct ts_plan_tensor *t, struct ts_yaml_node node,
                         const struct ts_value *got, struct ts_value *exact, json_t *row)
{
    struct ts_value want = {0};
    struct ts_yaml_node pcc = ts_yaml_find(self->step, "pcc"),
                        tolerance = ts_yaml_find(self->step, "tolerance");
    const double least = ts_yaml_real(pcc, tolerance.node ? -1 : 0.99),
                 most = ts_yaml_real(tolerance, pcc.node ? HUGE_VAL : 0.1);
    ts_plan_evaluate(self->here->plan, t, node, false, &want);
    if (self->error->code == TS_OK)
        ts_plan_evaluate(self->here->plan, t, node, true, exact);
    if (self->error->code == TS_OK) {
        const struct ts_agreement a = compare(t, got, &want), b = compare(t, got, exact);
        const bool right = a.pcc >= least && a.rel_l2 <= most;
        char chip[24] = "";
        tell(row, t, &a, &b, right);
        if (self->options.system)
            snprintf(chip, sizeof chip, " on chip %u", self->here->plan->chip_id);
        if (!right && self->wrong[0] == '\0')
            snprintf(self->wrong, sizeof self->wrong,
                     "%.200s:%d: operation %s: %s is not what is expected%s: rel_l2 %.2e, PCC %.6f "
                     "(asked for: PCC at least %g, rel_l2 at most %g)",
                     self->here->plan->path, ts_yaml_line(node), self->name, t->name, chip,
                     a.rel_l2, a.pcc, least, most);
    }
    free(want.at);
}

// Reads what the program wrote on a chip, and compares it.
static void check_chip(struct ts_layer *self, struct written *to, json_t *row)
{
    struct ts_yaml_node map = ts_yaml_find(self->step, "expect");
    struct ts_plan *plan = self->here->plan;
    for (uint32_t i = 0; i < plan->tensor_count && self->error->code == TS_OK; i++)
        if (self->here->output[i])
            ts_plan_take(plan, &plan->tensors[i], &self->here->machine->chip, &to->got[i],
                         self->error);
    for (size_t i = 0; map.node && i < ts_yaml_count(map) && self->error->code == TS_OK; i++) {
        const int index = ts_plan_tensor_find(plan, ts_yaml_text(ts_yaml_key(map, i), ""));
        check_tensor(self, &plan->tensors[index], ts_yaml_value(map, i), &to->got[index],
                     &to->exact[index], row);
    }
}

// An expectation is about what was there before the step, on all chips; expressions of later steps are about what it wrote.
void ts_layer_check(struct ts_layer *self, json_t *row)
{
    struct written *all = calloc(self->system.chips, sizeof *all);
    if (all == NULL)
        ts_fail(self->error, TS_NO_MEMORY, "out of memory");
    for (uint32_t c = 0; all && c < self->system.chips; c++) {
        self->here = &self->chips[c];
        check_chip(self, &all[c], row);
    }
    for (uint32_t c = 0; all && c < self->system.chips; c++)
        for (uint32_t i = 0; i < self->chips[c].plan->tensor_count; i++) {
            struct ts_plan_tensor *t = &self->chips[c].plan->tensors[i];
            if (!self->chips[c].output[i])
                continue;
            free(t->original.at);
            free(t->data.at);
            t->original = all[c].exact[i];
            t->data = all[c].got[i];
            t->rounded = true;
            t->unseen = t->dropped = false;
        }
    self->here = self->chips;
    free(all);
}
