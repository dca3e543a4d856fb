#include <stdio.h>

int main(void)
{
    puts("tensim " TENSIM_VERSION);
    return 0;
}
