// Numbers that people write: hexadecimal behind 0x, otherwise decimal. 010 is ten, not eight.
#pragma once

#include <ctype.h>

// The base for strtoul and its relatives.
static inline int ts_number_base(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    text += *text == '-' || *text == '+';
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
}
