// What the firmware does for the kernel API once, before and after a kernel.
#pragma once

inline void ts_api_boot() {}
inline void ts_api_begin() {}
inline void ts_api_end() {}
