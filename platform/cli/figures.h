// The figures of a page as SVG files: a browser draws them (report/svg.js), as the page's own buttons do.
#pragma once

#include "platform/base/error.h"

// Writes every figure of a page to DIRECTORY/svg/PAGE-NAME.svg and prints the paths. The browser: $TENSIM_BROWSER, or the
// first of chromium, google-chrome and chrome that is there.
enum ts_code ts_figures_write(const char *directory, const char *page, struct ts_error *error);
