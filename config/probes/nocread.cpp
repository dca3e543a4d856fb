// A burst of reads of nocreadbench, by the function that writes all registers, or by the one that keeps the source.
//
// Source: mesham/tt-sim, perfbench/nocreadbench. As there, a burst that samples the requests in flight follows the timed one:
// the registers that it needs decide what the compiler does around the timed one. Its other samples and the transaction that
// proves the mode are left out.
#include "probe.h"

namespace {

constexpr uint32_t SOURCES = 8;

struct plan {
    uint64_t from[SOURCES];
    uint32_t source, sink, reads, bytes;
    uint32_t sink_stride, source_stride, sink_span, source_span;
    uint32_t sources, tag, sample;
};

uint32_t outstanding(uint32_t tag)
{
    return NOC_STATUS_READ_REG(noc_index, NIU_MST_REQS_OUTSTANDING_ID(tag));
}

template <bool keeps_state> void burst(const plan &p, volatile uint32_t *out)
{
    // All of it out of memory before the clock is read.
    const uint64_t *const from = p.from;
    const uint32_t source = p.source, sink = p.sink, reads = p.reads, bytes = p.bytes;
    const uint32_t sink_stride = p.sink_stride, source_stride = p.source_stride;
    const uint32_t sink_span = p.sink_span, source_span = p.source_span;
    const uint32_t sources = p.sources, tag = p.tag, sample = p.sample;

    if constexpr (keeps_state)
        noc_async_read_set_state(from[0], noc_index);

    uint32_t to = 0, at = 0, which = 0;
    auto issue = [&]() __attribute__((always_inline))
    {
        if constexpr (keeps_state)
            noc_async_read_with_state(source + at, sink + to, bytes, noc_index);
        else
            noc_async_read(from[which] + at, sink + to, bytes);
    };
    auto next = [&]() __attribute__((always_inline))
    {
        // Back to the start by comparison: a remainder takes longer than all the rest.
        to += sink_stride;
        if (to > sink_span)
            to = 0;
        at += source_stride;
        if (at > source_span)
            at = 0;
        which++;
        if (which >= sources)
            which = 0;
    };
    const uint32_t before = probe_clock();
    for (uint32_t i = 0; i < reads; i++) {
        issue();
        next();
    }
    noc_async_read_barrier();
    const uint32_t after = probe_clock();

    const uint32_t rest = outstanding(tag);
    uint32_t most = 0, last = 0, samples = 0;
    if (sample != 0) {
        to = at = which = 0;
        for (uint32_t i = 0; i < reads; i++) {
            issue();
            last = outstanding(tag);
            most = last > most ? last : most;
            samples++;
            next();
        }
        noc_async_read_barrier();
    }
    out[NOCREAD_OUT_REST] = rest;
    out[NOCREAD_OUT_MOST] = most;
    out[NOCREAD_OUT_LAST] = last;
    out[NOCREAD_OUT_SAMPLES] = samples;

    out[NOCREAD_OUT_BEFORE] = before;
    out[NOCREAD_OUT_AFTER] = after;
    out[NOCREAD_OUT_CYCLES] = after - before;
    out[NOCREAD_OUT_READS] = reads;
    out[NOCREAD_OUT_BYTES] = bytes;
    out[NOCREAD_OUT_TAG] = tag;
    out[NOCREAD_OUT_STATE] = keeps_state;
    out[NOCREAD_OUT_DONE] = PROBE_DONE;
}

} // namespace

void kernel_main()
{
    const uint32_t results = get_arg_val<uint32_t>(NOCREAD_RESULTS);
    const uint32_t data = get_arg_val<uint32_t>(NOCREAD_DATA);
    const uint32_t half = get_arg_val<uint32_t>(NOCREAD_DATA_BYTES) / 2;
    const uint32_t keeps_state = get_arg_val<uint32_t>(NOCREAD_KEEPS_STATE);
    const uint32_t asked = get_arg_val<uint32_t>(NOCREAD_SOURCES);
    const uint32_t sources = asked == 0 ? 1 : asked > SOURCES ? SOURCES : asked;
    plan p;
    p.reads = get_arg_val<uint32_t>(NOCREAD_READS);
    p.bytes = get_arg_val<uint32_t>(NOCREAD_BYTES);
    p.sink_stride = get_arg_val<uint32_t>(NOCREAD_SINK_STRIDE);
    p.source_stride = get_arg_val<uint32_t>(NOCREAD_SOURCE_STRIDE);
    p.sources = sources;
    p.tag = get_arg_val<uint32_t>(NOCREAD_TAG) & 0xf;
    p.sample = get_arg_val<uint32_t>(NOCREAD_SAMPLE);
    p.sink = data + half; // sources lie in the lower half of the data, what was read in the upper
    p.source = data;
    p.sink_span = half > p.bytes ? half - p.bytes : 0;
    p.source_span = half > p.bytes ? half - p.bytes : 0;
    noc_async_read_set_trid(p.tag, noc_index);
    for (uint32_t i = 0; i < sources; i++) {
        const uint32_t x = get_arg_val<uint32_t>(NOCREAD_SOURCE_XY + 2 * i);
        const uint32_t y = get_arg_val<uint32_t>(NOCREAD_SOURCE_XY + 2 * i + 1);
        p.from[i] = get_noc_addr(x, y, p.source);
    }
    if (keeps_state)
        burst<true>(p, (volatile uint32_t *)results);
    else
        burst<false>(p, (volatile uint32_t *)results);
}
