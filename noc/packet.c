#include "noc/packet.h"

#include "platform/check/check.h"

static const char *const kind_names[] = {
    [TS_NOC_READ] = "read",
    [TS_NOC_ATOMIC] = "atomic",
    [TS_NOC_WRITE] = "write",
    [TS_NOC_READ_RESPONSE] = "read response",
    [TS_NOC_ATOMIC_RESPONSE] = "atomic response",
    [TS_NOC_WRITE_ACK] = "write acknowledgement",
};

const char *ts_noc_kind_name(enum ts_noc_kind kind)
{
    return kind_names[kind];
}

struct ts_noc_packet *ts_noc_packet_new(struct ts_noc_pool *pool, uint32_t length)
{
    if (pool->free == NULL)
        pool->free = atomic_exchange_explicit(&pool->returned, NULL, memory_order_acquire);
    struct ts_noc_packet *packet = pool->free;
    if (packet) {
        pool->free = packet->next;
    } else {
        packet = calloc(1, sizeof *packet);
        if (packet == NULL)
            return NULL;
        packet->made = pool->made;
        pool->made = packet;
    }
    unsigned char *bytes = packet->bytes;
    uint32_t room = packet->room;
    struct ts_noc_packet *made = packet->made;
    if (room < length) {
        room = length <= 256 ? 256 : length <= 4096 ? 4096 : length;
        free(bytes);
        bytes = malloc(room);
        if (bytes == NULL) {
            packet->bytes = NULL;
            packet->room = 0;
            packet->next = pool->free;
            pool->free = packet;
            return NULL;
        }
    }
    memset(packet, 0, sizeof *packet);
    packet->pool = pool;
    packet->made = made;
    packet->bytes = bytes;
    packet->room = room;
    packet->length = length;
    atomic_store_explicit(&packet->holders, 1, memory_order_relaxed);
    return packet;
}

void ts_noc_packet_release(struct ts_noc_packet *packet)
{
    if (atomic_fetch_sub_explicit(&packet->holders, 1, memory_order_acq_rel) != 1)
        return;
    struct ts_noc_pool *pool = packet->pool;
    if (__builtin_expect(packet->trip != NULL, 0))
        ts_check_trip_drop(packet->trip);
    packet->trip = NULL;
    packet->next = atomic_load_explicit(&pool->returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&pool->returned, &packet->next, packet,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

void ts_noc_pool_free(struct ts_noc_pool *pool)
{
    while (pool->made) {
        struct ts_noc_packet *packet = pool->made;
        pool->made = packet->made;
        ts_check_trip_drop(packet->trip);
        free(packet->bytes);
        free(packet);
    }
    pool->free = NULL;
    atomic_store(&pool->returned, NULL);
}
