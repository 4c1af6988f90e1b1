/* plot.h - the size of the text in the course of a minimization, as an SVG
 * element for a page of HTML. Pure.
 *
 * A line that falls at each accepted step and runs on to the end of the search;
 * each step is a circle, with its title for the pointer. Colours are the page's
 * (page.css): classes plot, grid, axis, line, step, mutated, began. */
#ifndef AUTODD_PLOT_H
#define AUTODD_PLOT_H

#include "config/buf.h"

struct report;

enum plot_over { PLOT_OVER_RUNS, PLOT_OVER_TIME };

/* Append it; of a report without steps nothing. */
void plot_svg(const struct report *report, enum plot_over over,
              struct buf *out);

#endif
