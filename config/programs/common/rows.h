// Rows of a tensor that is stored row by row, 32 at a time: as many bytes as a row of tiles.
#include "dataflow_api.h"

constexpr uint32_t cb = get_compile_time_arg_val(0), across = get_compile_time_arg_val(1);
constexpr uint32_t row_bytes = across * get_tile_size(cb) / 32; // formats without a common exponent
constexpr auto x_args = TensorAccessorArgs<2>();
