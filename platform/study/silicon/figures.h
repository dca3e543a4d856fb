// Figures that rows of config/silicon name: expressions of the results r[0], r[1] ...
#ifndef TENSIM_STUDY_SILICON_FIGURES_H
#define TENSIM_STUDY_SILICON_FIGURES_H

// A slope over the length of a loop, so that what is before and after it does not count.
#define SLOPE(rounds) ((r[1] - r[0]) / (rounds))

#endif
