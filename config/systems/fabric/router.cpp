// A router on one core: its sender and its receiver in turn, in the order of the vendor's on Wormhole (fabric.h). Arguments: those of
// sender.cpp, then those of receiver.cpp.
#define ROUTER
#include "receiver.cpp"
#include "sender.cpp"

void kernel_main()
{
    const volatile uint32_t *stop = (const volatile uint32_t *)STOP;
    sender_begin();
    self.x = get_arg_val<uint32_t>(5), self.y = get_arg_val<uint32_t>(6);
    for (uint32_t round = 0; *stop == 0; round++) {
        if (measures && round % ROUNDS == 0)
            measured.next();
        own.step();
        if constexpr (fabric == NEAR) {
            self.step_near();
        } else {
            self.step();
            passing.step();
        }
    }
}
