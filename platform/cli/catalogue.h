// What comes with tensim, for the page of `tensim ui' (catalogue.c).
#pragma once

// A file of memory with {"catalogue": {programs, gallery, steps, pipes, seeds}}, at its beginning; -1: no memory.
int ts_catalogue(void);
