// Texts of files for a terminal: a control character could move its cursor or change its title.
#pragma once

#include "platform/base/std.h"

static inline bool ts_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

// Control characters become question marks.
static inline void ts_plain(char *text)
{
    for (; *text; text++)
        if (ts_is_control(*text))
            *text = '?';
}
