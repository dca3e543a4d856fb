// Figures that rows of config/silicon name: expressions of the results r[0], r[1] ...
#ifndef TENSIM_STUDY_SILICON_FIGURES_H
#define TENSIM_STUDY_SILICON_FIGURES_H

// A slope over the length of a loop, so that what is before and after it does not count.
#define SLOPE(rounds) ((r[1] - r[0]) / (rounds))
// The same less the slope of an empty loop, which runs first; and for 20 and 60 blocks, each by itself.
#define DOUBLE_SLOPE(rounds) ((r[3] - r[2] - r[1] + r[0]) / (rounds))
#define BLOCKS(words)        (((r[3] - r[2]) / 40 - (r[1] - r[0]) / 40) / (words))

#endif
