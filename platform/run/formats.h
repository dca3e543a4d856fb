// Which formats a kernel takes in which width of Dst, and what follows from them: the format of partial
// sums, the image of the kernel.
#ifndef TENSIM_RUN_FORMATS_H
#define TENSIM_RUN_FORMATS_H

#include "platform/run/job.h"

// The format of sums in a 16-bit Dst.
unsigned ts_job_partial_format(const struct ts_job_spec *spec);

// Has a matmul in blocks a buffer for the partial sums, and in which format? A 32-bit Dst has one only
// if the packer cannot add in the result: it adds in FP32, BF16 and FP16.
bool ts_job_partials(const struct ts_job_spec *spec, unsigned *format);

// The image of the kernel: NAME, or NAME_general for what the plain one leaves out.
void ts_job_image(const struct ts_job_spec *spec, char *name, size_t size);
// The image of its pack thread: another one, NAME_narrow, if exponents of a 32-bit Dst would wrap.
void ts_job_pack_image(const struct ts_job_spec *spec, char *name, size_t size);

// Can a matmul in blocks add its sums; can a kernel copy tiles of this format to Dst? False: text says
// why not.
bool ts_blocks_fit(const struct ts_job_spec *spec, char *text, size_t size);
bool ts_copy_fits(const struct ts_job_spec *spec, char *text, size_t size);

// Why the kernel does not take these integers; NULL: it does, or there are none.
const char *ts_integers_refused(const struct ts_job_spec *spec);

#endif
