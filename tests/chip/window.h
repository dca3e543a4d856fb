// The longest window of the kernels that the chip's tests make.
#ifndef TENSIM_TESTS_CHIP_WINDOW_H
#define TENSIM_TESTS_CHIP_WINDOW_H

#include "platform/base/cycle.h"

static ts_cycle rig_window; // 0: as long as the model allows

#endif
