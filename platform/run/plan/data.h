// Contents of a plan's tensors on the host and on the chip.
#pragma once

#include "platform/run/plan/plan.h"

// Frees the contents.
void ts_plan_drop(struct ts_value *value);
// One page to bytes, or from them.
void ts_plan_page(const struct ts_plan_tensor *tensor, struct ts_value *value, uint32_t page,
                  uint8_t *bytes, bool write);
// On a system of chips only one chip's matrices are in memory at a time: contents that an expression can make again and
// expectations are dropped, and made when somebody looks. With one chip they stay.
void ts_plan_tensors_drop(struct ts_plan *self);
void ts_plan_tensor_provide(struct ts_plan *self, struct ts_plan_tensor *tensor,
                            struct ts_error *error);
void ts_plan_tensor_expect(struct ts_plan *self, struct ts_plan_tensor *tensor,
                           struct ts_error *error);
// The value of an expression or of an .npy file, in the tensor's shape; exact: float64 on the original values. Has rounding
// changed it?
bool ts_plan_evaluate(struct ts_plan *self, struct ts_plan_tensor *tensor, struct ts_yaml_node node,
                      bool exact, struct ts_value *value);
// All tensors to the chip.
bool ts_plan_store(struct ts_plan *self, struct ts_chip *chip, struct ts_error *error);
// One tensor with contents.
bool ts_plan_put(struct ts_plan *self, struct ts_plan_tensor *tensor, struct ts_chip *chip,
                 struct ts_error *error);
// A tensor from it. value->at is the caller's, also after an error.
bool ts_plan_take(struct ts_plan *self, struct ts_plan_tensor *tensor, struct ts_chip *chip,
                  struct ts_value *value, struct ts_error *error);
// Results from it: compared and saved.
bool ts_plan_fetch(struct ts_plan *self, struct ts_chip *chip, struct ts_error *error);
