/* Values become points of a box of WIDTH by HEIGHT units, which the page scales
 * to the room there is: on a phone to some three quarters, so that its text
 * must be readable then.
 *
 *     +-------+----------------------------+
 *     | TOP   |                            |
 *     | LEFT  |  line, circles             | RIGHT
 *     | sizes |                            |
 *     +-------+----------------------------+
 *             |  runs or time    BOTTOM    |
 */
#include "minimizer/report/plot.h"

#include <stdio.h>

#include "minimizer/report/escape.h"
#include "minimizer/report/figure.h"
#include "minimizer/report/report.h"
#include "minimizer/report/scale.h"

#define WIDTH 460
#define HEIGHT 290
#define LEFT 62
#define RIGHT 16
#define TOP 30
#define BOTTOM 46
#define CROWDED 400 /* so many steps get smaller circles */

struct plot {
    const struct report *report;
    enum plot_over over;
    struct buf *out;
    struct scale x, y;
    double end; /* where the search ended, on the x axis */
};

/* ---- values ---- */

static double step_x(const struct plot *p, const struct report_step *step)
{
    return p->over == PLOT_OVER_RUNS ? (double)step->run : step->t;
}

static void set_scales(struct plot *p)
{
    const struct report *r = p->report;
    double first = (double)r->original.text.len, max = first, min = first;

    p->end = p->over == PLOT_OVER_RUNS ? (double)r->runs : r->wall_s;
    for (size_t i = 0; i < r->nsteps; i++) {
        double bytes = (double)r->steps[i].bytes;
        double x = step_x(p, &r->steps[i]);

        max = bytes > max ? bytes : max;
        min = bytes < min ? bytes : min;
        p->end = x > p->end ? x : p->end;
    }
    p->y = scale_sizes(min, max);
    p->x = p->over == PLOT_OVER_RUNS ? scale_linear(p->end, 5)
                                     : scale_seconds(p->end, 5);
}

static double at_x(const struct plot *p, double x)
{
    return LEFT + scale_at(&p->x, x) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct plot *p, double bytes)
{
    return HEIGHT - BOTTOM - scale_at(&p->y, bytes) * (HEIGHT - TOP - BOTTOM);
}

/* ---- words ---- */

struct label {
    char text[24];
};

/* 20000 is "20 k": a power of a thousand and what is left. */
static struct label short_count(double n)
{
    static const char *const units[] = { "", " k", " M", " G" };
    struct label label;
    unsigned unit = 0;

    while (n >= 1000 && unit < 3) {
        n /= 1000;
        unit++;
    }
    snprintf(label.text, sizeof(label.text), "%.4g%s", n, units[unit]);
    return label;
}

static struct label short_seconds(double s, double max)
{
    struct label label;

    if (max >= 7200)
        snprintf(label.text, sizeof(label.text), "%.4g h", s / 3600);
    else if (max >= 120)
        snprintf(label.text, sizeof(label.text), "%.4g min", s / 60);
    else if (max >= 1)
        snprintf(label.text, sizeof(label.text), "%.4g s", s);
    else
        snprintf(label.text, sizeof(label.text), "%.4g ms", s * 1000);
    return label;
}

static void add_words(const struct plot *p)
{
    const struct report *r = p->report;
    const char *over = p->over == PLOT_OVER_RUNS ? "runs" : "time";
    struct figure steps = figure_of(r->nsteps, "step", "steps");

    buf_addf(p->out,
             "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 %d %d\" "
             "aria-labelledby=\"plot-%s plot-%s-text\">\n"
             "<title id=\"plot-%s\">Size over %s</title>\n"
             "<desc id=\"plot-%s-text\">From %s ",
             WIDTH, HEIGHT, over, over, over, over, over,
             figure_of(r->original.text.len, "byte", "bytes").text);
    buf_addf(p->out, "to %s in %s, ",
             figure_of(r->steps[r->nsteps - 1].bytes, "byte", "bytes").text,
             steps.text);
    buf_addf(p->out, "%s and %s.</desc>\n",
             figure_of(r->runs, "run", "runs").text,
             figure_seconds(r->wall_s).text);
}

/* ---- axes ---- */

static void add_sizes(const struct plot *p)
{
    for (unsigned i = 0; i < p->y.n; i++) {
        double y = at_y(p, p->y.ticks[i]);

        buf_addf(p->out,
                 "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
                 "y2=\"%.1f\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\" "
                 "text-anchor=\"end\">%s</text>\n",
                 LEFT, y, WIDTH - RIGHT, y, LEFT - 7, y + 4,
                 short_count(p->y.ticks[i]).text);
    }
    buf_addf(p->out, "<text class=\"unit\" x=\"6\" y=\"12\">bytes%s</text>\n",
             p->y.log ? ", logarithmic" : "");
}

static void add_abscissa(const struct plot *p)
{
    const int bottom = HEIGHT - BOTTOM;

    buf_addf(p->out,
             "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" "
             "y2=\"%d\"/>\n",
             LEFT, bottom, WIDTH - RIGHT, bottom);
    for (unsigned i = 0; i < p->x.n; i++) {
        double value = p->x.ticks[i], x = at_x(p, value);
        struct label label = p->over == PLOT_OVER_RUNS
                                 ? short_count(value)
                                 : short_seconds(value, p->x.high);

        buf_addf(p->out,
                 "<line class=\"axis\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                 "y2=\"%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\" "
                 "text-anchor=\"middle\">%s</text>\n",
                 x, bottom, x, bottom + 4, x, bottom + 18, label.text);
    }
    buf_addf(p->out,
             "<text class=\"unit\" x=\"%d\" y=\"%d\" "
             "text-anchor=\"end\">%s</text>\n",
             WIDTH - RIGHT, HEIGHT - 6,
             p->over == PLOT_OVER_RUNS ? "runs" : "time since the start");
}

/* ---- what happened ---- */

static void add_line(const struct plot *p)
{
    const struct report *r = p->report;
    double y = at_y(p, (double)r->original.text.len);

    buf_addf(p->out, "<polyline class=\"line\" points=\"%.1f,%.1f", at_x(p, 0),
             y);
    for (size_t i = 0; i < r->nsteps; i++) {
        double x = at_x(p, step_x(p, &r->steps[i]));

        buf_addf(p->out, " %.1f,%.1f", x, y);
        y = at_y(p, (double)r->steps[i].bytes);
        buf_addf(p->out, " %.1f,%.1f", x, y);
    }
    buf_addf(p->out, " %.1f,%.1f\"/>\n", at_x(p, p->end), y);
}

static void add_began(const struct plot *p)
{
    const struct report *r = p->report;

    size_t began = report_mutation_began(r);
    if (began == r->nsteps)
        return;
    double x = at_x(p, step_x(p, &r->steps[began]));
    bool left = x > (LEFT + WIDTH - RIGHT) / 2.0;
    buf_addf(p->out,
             "<line class=\"began\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
             "y2=\"%d\"/><text class=\"began\" x=\"%.1f\" y=\"%d\" "
             "text-anchor=\"%s\">mutation from here</text>\n",
             x, TOP, x, HEIGHT - BOTTOM, left ? x - 5 : x + 5, TOP + 11,
             left ? "end" : "start");
}

static void add_steps(const struct plot *p)
{
    const struct report *r = p->report;

    for (size_t i = 0; i < r->nsteps; i++) {
        const struct report_step *s = &r->steps[i];

        buf_addf(p->out,
                 "<circle class=\"step%s\" cx=\"%.1f\" cy=\"%.1f\" "
                 "r=\"%s\"><title>step %zu, ",
                 s->mutated ? " mutated" : "", at_x(p, step_x(p, s)),
                 at_y(p, (double)s->bytes), r->nsteps > CROWDED ? "1.6" : "2.8",
                 i + 1);
        escape_html(p->out, bytes_of_text(s->kind));
        buf_addf(p->out, ": %s after ",
                 figure_of(s->bytes, "byte", "bytes").text);
        buf_addf(p->out, "%s, %s</title></circle>\n",
                 figure_of(s->run, "run", "runs").text,
                 figure_seconds(s->t).text);
    }
}

void plot_svg(const struct report *report, enum plot_over over, struct buf *out)
{
    struct plot p = { .report = report, .over = over, .out = out };

    if (report->nsteps == 0)
        return;
    set_scales(&p);
    add_words(&p);
    add_sizes(&p);
    add_abscissa(&p);
    add_began(&p);
    add_line(&p);
    add_steps(&p);
    buf_adds(out, "</svg>\n");
}
