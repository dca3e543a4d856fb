// The thread that compresses a trace: takes pieces of text in blocks, in order, through two blocks: one
// is filled while the other is compressed. The bytes do not depend on when it does so.
#ifndef TENSIM_TRACE_CODER_H
#define TENSIM_TRACE_CODER_H

#include "platform/trace/gzip.h"

#include <pthread.h>

#define TS_CODER_PIECES 2048u
#define TS_CODER_TEXT   (64u * 1024)

// One piece: text of the block, which becomes a phrase if head is not NULL; or phrases around a few
// characters, as ts_gzip_add_line has them, each of the three if it is there.
struct ts_piece {
    struct ts_phrase *head, *tail;
    uint64_t few; // or where the text begins
    uint32_t length;
    bool text;
};

struct ts_coder_block {
    struct ts_piece pieces[TS_CODER_PIECES];
    unsigned count;
    char text[TS_CODER_TEXT + 8];
};

struct ts_coder {
    struct ts_gzip gzip;
    struct ts_coder_block blocks[2];
    struct ts_coder_block *filled; // what the thread works on; NULL: nothing
    bool quit;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t used; // of window
    char window[512u * 1024 + TS_PHRASE_UNIT];
};

// `file` is a descriptor. NULL: no memory, or no thread.
struct ts_coder *ts_coder_new(int file);
// Passes a block on. Returns the other one, which is empty.
struct ts_coder_block *ts_coder_pass(struct ts_coder *self, struct ts_coder_block *block);
// Waits until all blocks that were passed on are compressed.
void ts_coder_wait(struct ts_coder *self);
// Ends the stream and the thread. Returns 0, or an errno.
int ts_coder_free(struct ts_coder *self);

#endif
