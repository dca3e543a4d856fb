// Circular buffers whose pages another core sends (the vendor's global circular buffers). Their set-up is the host's, and a
// program file cannot say it: kernels that have them for some of their uses compile, a call of one of these does not.
#pragma once
#include "internal/objects.h"

namespace experimental {

#define TS_REMOTE_CB(result, name)                                                           \
    [[gnu::error(                                                                            \
        "remote circular buffers: a program file cannot set one up")]] void refuse_##name(); \
    template <auto... flags> FORCE_INLINE result name(auto &&...)                            \
    {                                                                                        \
        refuse_##name();                                                                     \
        return result();                                                                     \
    }
TS_REMOTE_CB(void, remote_cb_wait_front)
TS_REMOTE_CB(void, remote_cb_pop_front)
TS_REMOTE_CB(void, remote_cb_reserve_back)
TS_REMOTE_CB(void, remote_cb_sender_barrier)
TS_REMOTE_CB(void, remote_cb_push_back_and_write_pages)
TS_REMOTE_CB(void, resize_remote_sender_cb_interface)
TS_REMOTE_CB(void, resize_remote_receiver_cb_interface)
TS_REMOTE_CB(void, align_local_cbs_to_remote_cb)
TS_REMOTE_CB(void, update_remote_cb_config_in_l1)
#undef TS_REMOTE_CB

} // namespace experimental
