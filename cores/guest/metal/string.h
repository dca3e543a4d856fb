// Byte blocks; the bodies are in runtime.cpp. A C header, for kernels that include it.
#pragma once
#include <stddef.h>
extern "C" {
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
}
