// What comes with tensim, for the page of `tensim ui' (catalogue.c).
#ifndef TENSIM_CLI_CATALOGUE_H
#define TENSIM_CLI_CATALOGUE_H

// A file of memory with {"catalogue": {programs, gallery, steps, pipes, seeds}}, at its beginning; -1: no memory.
int ts_catalogue(void);

#endif
