// A tree of chips: each adds what its children send to its own tensor and sends the sums to its parent, chunk by chunk; the
// root's sums are those of all chips, and go down to all of them. Two workers on each chip:
//
//     children --links--> in (E1) --NoC--> up   --NoC--> out (E0) --link--> parent
//     children <--links-- out (E0) <--NoC-- down <--NoC-- in (E1) <--link-- parent
//
// The root has no parent: its worker `up' gives chunks to its worker `down'.
#include <stdint.h>

constexpr uint32_t chunk = get_compile_time_arg_val(0), slots = get_compile_time_arg_val(1);
constexpr uint32_t children = get_compile_time_arg_val(2); // 0 to 2
constexpr bool is_root = get_compile_time_arg_val(3);

// Circular buffers: this chip's chunks; those of the first and the second child; sums; sums of all chips.
constexpr uint32_t OWN = 2, CAME = 3, SECOND = 4, SUMS = 17, KEPT = 24;
constexpr uint32_t OWN_CHUNKS = 8;
