// Circular buffers between cores (remote_cb.h): one sender, three receivers, a ring that no number of pages fills, and pages
// of another size after half of the blocks. Each receiver writes what it got into its part of y.
#include "tests/api/program.h"
#include "tests/suite.h"

static const char sender[] =
    "#include \"api/dataflow/dataflow_api.h\"\n"
    "#include \"api/remote_circular_buffer.h\"\n"
    "void kernel_main()\n"
    "{\n"
    "    using namespace experimental;\n"
    "    constexpr auto args = TensorAccessorArgs<1>();\n"
    "    const auto a = TensorAccessor(args, get_arg_val<uint32_t>(0), 192);\n"
    "    uint32_t row = 0;\n"
    "    for (uint32_t rows = 4; rows >= 2; rows -= 2) {\n"
    "        if (rows == 2)\n"
    "            resize_remote_sender_cb_interface<true>(31, 64 * rows, noc_index);\n"
    "        for (uint32_t block = 0; block < get_compile_time_arg_val(0); block++) {\n"
    "            cb_reserve_back(0, 1);\n"
    "            const uint32_t at = get_write_ptr(0);\n"
    "            for (uint32_t i = 0; i < rows; i++)\n"
    "                noc_async_read(a.get_noc_addr(row++), at + 192 * i, 192);\n"
    "            noc_async_read_barrier();\n"
    "            remote_cb_reserve_back(31, 1);\n"
    "            remote_cb_push_back_and_write_pages<false>(31, at, 1, rows, 1, 64);\n"
    "            noc_async_writes_flushed();\n"
    "        }\n"
    "    }\n"
    "    remote_cb_sender_barrier(31);\n"
    "    update_remote_cb_config_in_l1(31);\n"
    "    noc_async_write_barrier();\n"
    "    noc_async_atomic_barrier();\n"
    "}\n";
static const char receiver[] =
    "#include \"api/dataflow/dataflow_api.h\"\n"
    "#include \"api/remote_circular_buffer.h\"\n"
    "void kernel_main()\n"
    "{\n"
    "    constexpr auto args = TensorAccessorArgs<1>();\n"
    "    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0), 64);\n"
    "    constexpr uint32_t blocks = get_compile_time_arg_val(0);\n"
    "    uint32_t row = get_arg_val<uint32_t>(1) * blocks * 6;\n"
    "    experimental::RemoteCircularBuffer ring(31);\n"
    "    Noc noc;\n"
    "    for (uint32_t rows = 4; rows >= 2; rows -= 2) {\n"
    "        if (rows == 2)\n"
    "            ring.set_receiver_page_size(noc, 64 * rows);\n"
    "        for (uint32_t block = 0; block < blocks; block++) {\n"
    "            ring.wait_front(1);\n"
    "            const uint32_t at = get_remote_receiver_cb_interface(31).fifo_rd_ptr;\n"
    "            for (uint32_t i = 0; i < rows; i++)\n"
    "                noc_async_write(at + 64 * i, y.get_noc_addr(row++), 64);\n"
    "            noc_async_writes_flushed();\n"
    "            ring.pop_front(noc, 1);\n"
    "        }\n"
    "    }\n"
    "    ring.commit();\n"
    "    noc_async_write_barrier();\n"
    "    noc_async_atomic_barrier();\n"
    "}\n";
static const char program[] =
    "params: {blocks: 9, bytes: 1152}\n"
    "cores: {all: 4x1, sender: '0,0', receivers: '1,0..3,0'}\n"
    "tensors:\n"
    "    a: {shape: [6 * blocks, 48], format: int32, layout: rows, fill: row * 100 + column}\n"
    "    ring: {shape: [4, bytes / 4], format: int32, layout: rows, in: l1, shard: {shape: [1, "
    "bytes / 4], cores: all}}\n"
    "    counters: {shape: [4, 28], format: int32, layout: rows, in: l1, shard: {shape: [1, 28], "
    "cores: all}, fill: 0}\n"
    "    y: {shape: [18 * blocks, 16], format: int32, layout: rows, expect: 'concat(cols(a, 0, "
    "16), cols(a, 16, 32), cols(a, 32, 48), 0)'}\n"
    "buffers: [{id: 0, format: int32, page: 768, pages: 1, cores: sender}]\n"
    "kernels:\n"
    "    - source: sender.cpp\n"
    "      on: reader\n"
    "      cores: sender\n"
    "      compile: [blocks, tensor: a]\n"
    "      named: {remote_cbs: 0}\n"
    "      args: [a]\n"
    "      common: [1, 31, ring, bytes, 256, counters, 3, sender.noc_x, sender.noc_y, noc_x(1), "
    "noc_y(0), noc_x(2), noc_y(0), noc_x(3), noc_y(0)]\n"
    "    - source: receiver.cpp\n"
    "      on: writer\n"
    "      cores: receivers\n"
    "      compile: [blocks, tensor: y]\n"
    "      named: {remote_cbs: 0}\n"
    "      args: [y, core]\n"
    "      common: [1, 31, ring, bytes, 256, counters, 3, sender.noc_x, sender.noc_y, noc_x(1), "
    "noc_y(0), noc_x(2), noc_y(0), noc_x(3), noc_y(0)]\n";

START_TEST(pages_reach_all_receivers)
{
    folder_make();
    put("sender.cpp", sender);
    put("receiver.cpp", receiver);
    put("program.yaml", program);
    run_program();
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, pages_reach_all_receivers);
}

SUITE("api remote", add_tests)
