// A ring of chips, as the kernels of a worker see it: which chunk goes and comes when. A tensor is cut into one segment for each
// chip, a segment into chunks, which are pages of it. In each round a chip sends a segment to the next chip and receives one
// from the chip before; what it sends is what it received in the round before.
#include "dataflow_api.h"
#include "eth_launch.h"

constexpr uint32_t chips = get_compile_time_arg_val(0), me = get_compile_time_arg_val(1);
constexpr uint32_t segment = get_compile_time_arg_val(2), bytes = get_compile_time_arg_val(3);
constexpr uint32_t slots = get_compile_time_arg_val(4);
// Rounds in which what comes is added, and rounds in which it is kept.
constexpr uint32_t adding = get_compile_time_arg_val(5) ? chips - 1 : 0;
constexpr uint32_t keeping = get_compile_time_arg_val(6) ? chips - 1 : 0;
constexpr uint32_t total = (adding + keeping) * segment;

// The page that goes as number i.
inline uint32_t page_sent(uint32_t i)
{
    return (me + 2 * chips - i / segment) % chips * segment + i % segment;
}
inline uint32_t page_received(uint32_t i)
{
    return (me + 2 * chips - 1 - i / segment) % chips * segment + i % segment;
}
inline void wait_until(uint32_t semaphore, uint32_t value)
{
    noc_semaphore_wait_min((volatile tt_l1_ptr uint32_t *)get_semaphore(semaphore), value);
}
// Where other cores make the tensor first: until all of them have ended.
inline void wait_for_tensor()
{
#ifdef MAKERS
    wait_until(get_arg_val<uint32_t>(5), MAKERS);
#endif
}
