/* The search at work on a fleet that the test plays. */
#include "test/test.h"

#include <string.h>

#include "grammar/twin.h"
#include "minimizer/screen.h"
#include "minimizer/trials.h"
#include "test/unit/fake_fleet.h"

#define LIMIT_MS 3000

static struct config config = { .tightness = TIGHT_TEMPLATE,
                                .timeout_cap_s = 300 };

static const char script[] = "import os\n"
                             "a = 1\n"
                             "b = 2\n"
                             "c = a + b\n"
                             "raise KeyError(os)\n";

struct play {
    const char *needed[3]; /* lines a failing text holds */
    unsigned misses;       /* runs that pass by chance before any other */
    bool forked_lies;      /* forked runs fail without their import too */
    const char *loads;     /* what forked runs tell; NULL: nothing */
    bool spoilt;           /* CUDA does not start in forked runs */
    const struct fleet *fleet;
    const char *leaks;      /* without this line a run spoils its hot child */
    bool fatal;             /* or ends it */
    const char *unneeded;   /* of what is needed, this is not in hot children */
    const char *unforked;   /* and this not in forked ones */
    uint64_t spoilt_hot[8]; /* children, by lane */
    unsigned hot, lies;
    uint64_t takes_ms; /* a run that fails */
    /* Without this line a run takes so long, and longer than any limit for
     * 0. */
    struct {
        const char *line;
        uint64_t ms;
    } slow[3];
    unsigned doubts;     /* of noes before, told as rows of the log */
    unsigned others;     /* rows of no report, these with them */
    unsigned lost_every; /* every n-th run comes to nothing; 0: none */
    unsigned refused;
    struct hash128 last_refused;
    unsigned good_asked;
    unsigned asked, reports, expected, yes, accepts, finishes, failures;
    const char *why;
    const struct search *search;
    struct hash128 seen[512]; /* that failed in clean runs */
    unsigned nseen, unseen_steps;
    struct store_report log[512];
};

static struct observation failure(void)
{
    return (struct observation){
        .end = END_EXIT,
        .exit_code = 1,
        .exc_type = xstrdup("KeyError"),
        .exc_message = xstrdup("x"),
    };
}

static struct observation oracle(void *arg, const char *text, enum run_how how)
{
    struct play *play = arg;

    play->asked++;
    if (play->lost_every > 0 && play->asked % play->lost_every == 0)
        return (struct observation){ .end = END_LOST,
                                     .why = xstrdup("no room") };
    if (play->spoilt && how == RUN_FORK)
        return (struct observation){
            .end = END_EXIT,
            .exit_code = 1,
            .forked = true,
            .exc_type = xstrdup("RuntimeError"),
            .exc_message = xstrdup("CUDA error: initialization error"),
        };
    if (play->misses > 0) {
        play->misses--;
        return (struct observation){ .end = END_EXIT };
    }
    for (size_t i = 0; i < ARRAY_LEN(play->needed); i++) {
        const char *line = play->needed[i];
        bool lie = play->forked_lies && how == RUN_FORK && line &&
                   strstr(line, "import");

        lie = lie || (how == RUN_HOT && play->unneeded == line);
        lie = lie || (how == RUN_FORK && play->unforked == line);
        if (line && !lie && !strstr(text, line))
            return (struct observation){ .end = END_EXIT };
    }
    struct observation o = failure();
    if (how != RUN_HOT)
        play->seen[play->nseen++ % ARRAY_LEN(play->seen)] =
            hash_bytes(text, strlen(text));
    o.forked = how == RUN_FORK;
    if (o.forked)
        o.loads = xstrdup(play->loads);
    return o;
}

/* Runs that take their time. */
static struct observation timed_oracle(void *arg, const char *text,
                                       enum run_how how)
{
    struct play *play = arg;
    struct observation o = oracle(arg, text, how);
    uint64_t limit = play->fleet->timeout_ms;

    o.wall_ms = play->takes_ms;
    for (size_t i = 0; i < ARRAY_LEN(play->slow); i++) {
        if (play->slow[i].line && !strstr(text, play->slow[i].line))
            o.wall_ms = play->slow[i].ms ? play->slow[i].ms : UINT64_MAX;
    }
    if (o.wall_ms <= limit)
        return o;
    observation_deinit(&o);
    return (struct observation){ .end = END_TIMEOUT,
                                 .wall_ms = limit,
                                 .forked = how == RUN_FORK };
}

/* Plain runs: they pass, or die where the import is missing, or hang where the
 * slow line is. */
static struct observation plain_oracle(void *arg, const char *text,
                                       enum run_how how)
{
    struct play *play = arg;

    if (how == RUN_FRESH)
        return oracle(arg, text, how);
    play->asked++;
    assert_int_equal(how, RUN_FORK);
    if (play->slow[0].line && !strstr(text, play->slow[0].line))
        return (struct observation){ .end = END_TIMEOUT,
                                     .wall_ms = play->fleet->timeout_ms,
                                     .forked = true };
    if (strstr(text, "import os"))
        return (struct observation){ .end = END_EXIT, .forked = true };
    struct observation o = failure();
    o.forked = true;
    return o;
}

/* Hot children: in one that a candidate has spoilt nothing fails any more. */
static struct observation hot_oracle(void *arg, const char *text,
                                     enum run_how how)
{
    struct play *play = arg;
    struct observation o;
    uint64_t child = 1 + 16 * play->fleet->generation + play->fleet->lane;
    uint64_t *spoilt = &play->spoilt_hot[play->fleet->lane];

    if (how != RUN_HOT)
        return oracle(arg, text, how);
    play->hot++;
    if (*spoilt == child && !play->fatal) {
        play->lies++;
        o = (struct observation){ .end = END_EXIT };
    } else {
        o = oracle(arg, text, how);
    }
    if (play->leaks && !strstr(text, play->leaks))
        *spoilt = child;
    o.forked = true;
    o.hot = child;
    o.kept = !(*spoilt == child && play->fatal);
    return o;
}

/* Whether a clean run has seen the text fail. */
static bool was_seen(const struct play *play, struct bytes text)
{
    struct hash128 hash = hash_bytes(text.data, text.len);

    for (unsigned i = 0; i < play->nseen; i++)
        if (hash_equal(play->seen[i], hash))
            return true;
    return false;
}

static void on_reported(void *arg, const struct store_report *row,
                        bool accepted)
{
    struct play *play = arg;

    unsigned rows = play->reports + play->expected + play->others;

    play->log[rows % ARRAY_LEN(play->log)] = *row;
    play->others += row->trial == 0;
    play->doubts += row->trial == 0 && row->verdict == VERDICT_NO;
    play->reports += !row->expected && row->trial > 0;
    play->expected += row->expected;
    play->yes += !row->expected && row->verdict == VERDICT_YES;
    play->accepts += accepted;
    play->unseen_steps +=
        accepted && !was_seen(play, search_text(play->search));
}

static void on_refused(void *arg, struct hash128 text, const char *why)
{
    struct play *play = arg;

    play->refused++;
    play->last_refused = text;
    assert_true(why[0] != '\0');
}

static void on_finished(void *arg, const char *why)
{
    struct play *play = arg;

    play->finishes++;
    play->why = why;
}

static void on_failed(void *arg, const struct err *err)
{
    struct play *play = arg;
    (void)err;

    play->failures++;
}

/* The other environment: passes only with the line `sound`. */
static const char *const sound = "b = 2";

static struct observation other_oracle(void *arg, const char *text,
                                       enum run_how how)
{
    struct observation o = { .end = END_EXIT, .forked = how == RUN_FORK };
    unsigned *asked = arg;

    ++*asked;
    return strstr(text, sound) ? o : failure();
}

/* The good form: passes unless it lost what makes it good. */
static struct observation good_oracle(void *arg, const char *text,
                                      enum run_how how)
{
    struct play *play = arg;

    if (strstr(text, "b = 2")) /* the bad form */
        return oracle(arg, text, how);
    play->good_asked++;
    assert_non_null(strstr(text, "b = 3"));
    return (struct observation){ .end = END_EXIT,
                                 .exit_code = !strstr(text, "c = a") };
}

struct stage {
    struct twin twin;
    const char *good; /* set before set_up() */
    struct fleet other;
    unsigned other_asked;
    struct control control;
    bool controlled;             /* set before set_up() */
    bool in_order;               /* set before set_up() */
    bool width_told;             /* set before set_up() */
    bool hot;                    /* set before set_up() */
    bool confirm;                /* set before set_up() */
    bool plain;                  /* set before set_up() */
    bool timed, hangs, outlasts; /* set before set_up() */
    struct fleet fleet;
    struct signature *signature;
    struct search *search;
    struct trials *trials;
};

static void set_up(struct stage *stage, struct play *play, unsigned slots,
                   uint64_t max_runs)
{
    static const struct trials_events events = { on_reported, on_refused,
                                                 on_finished, on_failed };
    struct search_opts opts = { .width = stage->hot ? 4 * slots : slots };
    struct observation first = failure();
    struct bytes text = bytes_of(script, sizeof(script) - 1);

    bool controlled = stage->controlled, in_order = stage->in_order;
    static const struct screen screen = { .passes = true };
    bool hot = stage->hot, plain = stage->plain, confirm = stage->confirm;
    bool width_told = stage->width_told;
    bool timed = stage->timed, hangs = stage->hangs;
    bool outlasts = stage->outlasts;
    const char *good = stage->good;

    memset(stage, 0, sizeof(*stage));
    stage->other = (struct fleet){ .slots = slots,
                                   .oracle = other_oracle,
                                   .arg = &stage->other_asked };
    stage->control = (struct control){ .what = "there",
                                       .fleet = &stage->other,
                                       .fork = true };
    stage->fleet.slots = slots;
    stage->fleet.oracle = hot     ? hot_oracle
                          : plain ? plain_oracle
                          : timed ? timed_oracle
                                  : oracle;
    play->fleet = &stage->fleet;
    stage->fleet.arg = play;
    if (hangs)
        first.end = END_TIMEOUT;
    stage->signature = signature_pin(&config, text, &first, NULL);
    assert_non_null(stage->signature);
    observation_deinit(&first);
    if (good) {
        assert_int_equal(twin_init(&stage->twin, text,
                                   bytes_of(good, strlen(good)), "good.py",
                                   NULL),
                         0);
        stage->fleet.oracle = good_oracle;
        stage->control.fleet = &stage->fleet;
        stage->control.good_form = true;
        opts.marks = stage->twin.marks;
        opts.nmarks = stage->twin.nplaces;
    }
    stage->search =
        search_new(text, stage->twin.frozen, stage->twin.nfrozen, &opts);
    struct trials_spec spec = {
        .fleet = &stage->fleet,
        .search = stage->search,
        .signature = stage->signature,
        .fork = true,
        .screen = plain ? &screen : NULL,
        .tries = 1,
        .width = width_told ? opts.width : 0,
        .max_runs = max_runs,
        .config = &config,
        .fork_timeout_ms = LIMIT_MS,
        .fresh_timeout_ms = LIMIT_MS,
        .fork_long_ms = LIMIT_MS,
        .fresh_long_ms = LIMIT_MS,
        .hangs = hangs,
        .outlasts = outlasts,
        .loads = "as the original",
        .confirm = confirm,
        .in_order = in_order,
        .hot = hot,
        .lanes = slots,
        .controls = &stage->control,
        .ncontrols = controlled || good ? 1 : 0,
        .twin = good ? &stage->twin : NULL,
    };
    play->search = stage->search;
    stage->trials = trials_new(&spec, &events, play);
}

static void tear_down(struct stage *stage)
{
    trials_free(stage->trials);
    search_free(stage->search);
    signature_free(stage->signature);
    twin_deinit(&stage->twin);
}

/* Answer the runs in an order that `seed` decides, until all is over. */
static void carry_out(struct stage *stage, struct play *play, unsigned seed)
{
    trials_pump(stage->trials);
    while (play->finishes == 0 && stage->fleet.n + stage->other.n > 0) {
        unsigned n = stage->fleet.n, at;

        assert_true(n + stage->other.n <= stage->fleet.slots);
        seed = seed * 1103515245u + 12345u;
        at = (seed >> 16) % (n + stage->other.n);
        if (at < n)
            fake_fleet_turn(&stage->fleet, at);
        else
            fake_fleet_turn(&stage->other, at - n);
    }
}

static void only_needed_lines_stay(void **state)
{
    uint64_t dropped = 0;

    (void)state;
    for (unsigned slots = 1; slots <= 8; slots *= 2) {
        struct play play = { .needed = { "import os", "raise KeyError" } };
        struct stage stage = { 0 };

        set_up(&stage, &play, slots, 0);
        carry_out(&stage, &play, slots);
        struct bytes text = search_text(stage.search);

        assert_int_equal(play.finishes, 1);
        assert_null(play.why);
        assert_true(play.refused > 0);
        assert_non_null(strstr(text.data, "import os\nraise KeyError"));
        assert_null(strstr(text.data, "a = "));
        assert_int_equal(trials_counts(stage.trials).runs,
                         play.asked + stage.fleet.dropped);
        assert_int_equal(trials_counts(stage.trials).dropped,
                         stage.fleet.dropped);
        dropped += stage.fleet.dropped;
        tear_down(&stage);
    }
    assert_true(dropped > 0); /* what is settled is not run to its end */
}

static void plain_run_is_asked_first_and_never_alone_for_a_yes(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 8; slots *= 2) {
        /* The import is needed in plain runs alone. */
        struct play play = { .needed = { "raise KeyError", "c = " } };
        struct stage stage = { .plain = true };
        struct bytes text;

        set_up(&stage, &play, slots, 0);
        carry_out(&stage, &play, slots);
        text = search_text(stage.search);
        assert_int_equal(play.finishes, 1);
        assert_non_null(strstr(text.data, "import os"));
        assert_non_null(strstr(text.data, "c = "));
        assert_null(strstr(text.data, "b = "));
        /* Each accepted text had one, and some refused ones had none. */
        assert_true(stage.fleet.fresh >= play.accepts);
        assert_true(2 * stage.fleet.fresh < stage.fleet.asked);
        tear_down(&stage);
    }
}

static void plain_run_of_the_best_passes_and_means_nothing(void **state)
{
    struct play play = { .needed = { "raise KeyError", "c = " },
                         .slow = { { "b = ", 0 } } };
    struct stage stage = { .plain = true };
    (void)state;

    set_up(&stage, &play, 1, 0);
    carry_out(&stage, &play, 1);
    assert_int_equal(play.finishes, 1);
    assert_true(trials_counts(stage.trials).measured > 0);
    assert_int_equal(play.doubts, 0);
    tear_down(&stage);
}

static void slow_machine_does_not_make_noes(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 8; slots *= 2) {
        struct play play = { .needed = { "import os", "raise KeyError" },
                             .takes_ms = LIMIT_MS + 2000,
                             .slow = { { "b = 2", 0 } } };
        struct stage stage = { .timed = true };
        struct trials_counts counts;
        struct bytes text;

        set_up(&stage, &play, slots, 0);
        carry_out(&stage, &play, slots);
        text = search_text(stage.search);
        counts = trials_counts(stage.trials);
        assert_int_equal(play.finishes, 1);
        assert_null(strstr(text.data, "a = "));
        assert_non_null(strstr(text.data, "b = 2")); /* hangs without */
        assert_true(counts.measured > 0);
        assert_int_equal(stage.fleet.n, 0);
        tear_down(&stage);
    }
}

static void quick_machine_is_measured_once_for_each_timeout(void **state)
{
    struct play play = { .needed = { "raise KeyError" },
                         .takes_ms = 100,
                         .slow = { { "import os", 0 } } };
    struct stage stage = { .timed = true };
    struct trials_counts counts;
    (void)state;

    set_up(&stage, &play, 1, 0);
    carry_out(&stage, &play, 1);
    counts = trials_counts(stage.trials);
    assert_non_null(strstr(search_text(stage.search).data, "import os"));
    assert_true(counts.measured > 0 && counts.measured <= play.refused);
    assert_int_equal(counts.runs + counts.measured,
                     play.asked + stage.fleet.dropped);
    assert_int_equal(counts.fresh_limit_ms, LIMIT_MS);
    tear_down(&stage);
}

static void what_seems_to_hang_must_last_where_others_have_ended(void **state)
{
    (void)state;
    for (int outlasts = 0; outlasts < 2; outlasts++) {
        /* Without a it ends soon, without the last line some time. */
        struct play play = { .takes_ms = UINT64_MAX,
                             .slow = { { "a = ", LIMIT_MS - 1000 },
                                       { "raise", LIMIT_MS + 1000 } } };
        struct stage stage = { .timed = true,
                               .hangs = true,
                               .outlasts = outlasts };
        const char *text;

        set_up(&stage, &play, 1, 0);
        carry_out(&stage, &play, 1);
        text = search_text(stage.search).data;
        assert_int_equal(play.finishes, 1);
        assert_int_equal(strstr(text, "raise") != NULL, outlasts);
        assert_null(strstr(text, "import"));
        tear_down(&stage);
    }
}

/* All reports of a search whose runs end in an order that `seed` decides. */
static struct play in_order(unsigned slots, uint64_t max_runs, unsigned seed,
                            bool controlled)
{
    struct play play = { .needed = { "import os", "raise KeyError" } };
    struct stage stage = { .in_order = true, .controlled = controlled };

    set_up(&stage, &play, slots, max_runs);
    carry_out(&stage, &play, seed);
    assert_int_equal(play.finishes, 1);
    /* Two asks, and a fresh run of the first; a dropped trial counts as one. */
    assert_true(trials_counts(stage.trials).runs <= 3 * play.reports);
    tear_down(&stage);
    return play;
}

static void assert_same_reports(const struct play *one,
                                const struct play *other)
{
    assert_int_equal(one->reports, other->reports);
    assert_int_equal(one->accepts, other->accepts);
    assert_true(one->why == other->why);
    for (unsigned r = 0; r < one->reports; r++) {
        assert_int_equal(one->log[r].trial, other->log[r].trial);
        assert_int_equal(one->log[r].issued, other->log[r].issued);
        assert_int_equal(one->log[r].verdict, other->log[r].verdict);
        assert_true(hash_equal(one->log[r].hash, other->log[r].hash));
    }
}

static void in_order_no_run_is_too_late(void **state)
{
    static const uint64_t budgets[] = { 0, 9 };

    (void)state;
    for (unsigned i = 0; i < 2 * 8 * 2; i++) {
        uint64_t max_runs = budgets[i % 2];
        unsigned slots = i < 16 ? 2 : 8;
        struct play one = in_order(slots, max_runs, 1, false);
        struct play other = in_order(slots, max_runs, i + 2, false);

        assert_same_reports(&one, &other);
    }
}

static void forked_yes_to_a_dropped_import_is_asked_again_fresh(void **state)
{
    struct play play = { .needed = { "import os", "raise" },
                         .forked_lies = true };
    struct stage stage = { 0 };
    (void)state;

    set_up(&stage, &play, 2, 0);
    carry_out(&stage, &play, 1);
    assert_non_null(strstr(search_text(stage.search).data, "import os"));
    assert_true(stage.fleet.fresh > 0);
    tear_down(&stage);
}

static void forked_yes_is_enough_where_the_same_is_loaded(void **state)
{
    static const struct {
        const char *loads; /* the text without the import; NULL: not told */
        unsigned fresh;
    } rows[] = { { "as the original", 0 }, { "less", 1 }, { NULL, 1 } };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct play play = { .needed = { "raise" }, .loads = rows[i].loads };
        struct stage stage = { 0 };

        set_up(&stage, &play, 1, 0);
        carry_out(&stage, &play, 1);
        assert_null(strstr(search_text(stage.search).data, "import"));
        assert_int_equal(stage.fleet.fresh, rows[i].fresh);
        tear_down(&stage);
    }
}

/* Whatever differs in a fork, and not what the text loads alone. */
static void every_forked_yes_is_confirmed_where_forks_were_wrong(void **state)
{
    (void)state;
    for (int wrong = 0; wrong <= 1; wrong++) {
        struct play play = { .needed = { "b = 2", "raise" },
                             .unforked = "b = 2",
                             .loads = "as the original" };
        struct stage stage = { .confirm = wrong };

        play.needed[0] = play.unforked;
        set_up(&stage, &play, 2, 0);
        carry_out(&stage, &play, 1);
        assert_int_equal(
            strstr(search_text(stage.search).data, "b = 2") != NULL, wrong);
        assert_true(wrong ? stage.fleet.fresh >= play.accepts
                          : stage.fleet.fresh == 0);
        tear_down(&stage);
    }
}

static void what_must_pass_elsewhere_goes_on_passing(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 8; slots *= 2) {
        struct play play = { .needed = { "raise KeyError" } };
        struct stage stage = { .controlled = true };

        set_up(&stage, &play, slots, 0);
        carry_out(&stage, &play, slots);
        struct bytes text = search_text(stage.search);

        assert_int_equal(play.finishes, 1);
        assert_non_null(strstr(text.data, sound));
        assert_null(strstr(text.data, "a = 1"));
        assert_true(stage.other_asked > 0);
        assert_int_equal(trials_counts(stage.trials).runs,
                         play.asked + stage.other_asked + stage.fleet.dropped +
                             stage.other.dropped);
        tear_down(&stage);
    }
}

static void good_form_of_each_candidate_goes_on_passing(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 8; slots *= 2) {
        struct play play = { .needed = { "raise KeyError" } };
        struct stage stage = { .good = "import os\n"
                                       "a = 1\n"
                                       "b = 3\n"
                                       "c = a + b\n"
                                       "raise KeyError(os)\n" };

        set_up(&stage, &play, slots, 0);
        carry_out(&stage, &play, slots);
        struct bytes text = search_text(stage.search);
        struct span mark;

        assert_int_equal(play.finishes, 1);
        assert_true(play.good_asked > 0);
        assert_non_null(strstr(text.data, "c = a"));
        assert_null(strstr(text.data, "import"));
        search_marks(stage.search, 0, &mark);
        assert_int_equal(span_len(mark), 1);
        assert_int_equal(text.data[mark.start], '2');
        tear_down(&stage);
    }
}

static void stop_reaches_the_other_fleet(void **state)
{
    struct play play = { .needed = { "raise" } };
    struct stage stage = { .controlled = true };
    (void)state;

    set_up(&stage, &play, 2, 0);
    trials_pump(stage.trials);
    while (stage.other.n == 0 && fake_fleet_turn(&stage.fleet, 0))
        ;
    assert_true(stage.other.n > 0);
    trials_stop(stage.trials, "interrupt");
    assert_true(stage.other.cancelled);
    while (fake_fleet_turn(&stage.fleet, 0) || fake_fleet_turn(&stage.other, 0))
        ;
    assert_int_equal(play.finishes, 1);
    tear_down(&stage);
}

static void run_that_came_to_nothing_is_no_verdict(void **state)
{
    struct play play = { .needed = { "raise" }, .lost_every = 3 };
    struct stage stage = { 0 };
    (void)state;

    set_up(&stage, &play, 1, 0);
    carry_out(&stage, &play, 1);
    assert_int_equal(play.finishes, 1);
    assert_int_equal(play.failures, 0);
    assert_null(strstr(search_text(stage.search).data, "a = 1"));
    assert_true(trials_counts(stage.trials).no_verdict > 0);
    tear_down(&stage);
}

static void broken_machine_stops_the_search(void **state)
{
    struct play play = { .needed = { "raise" }, .lost_every = 1 };
    struct stage stage = { 0 };
    (void)state;

    set_up(&stage, &play, 2, 0);
    carry_out(&stage, &play, 1);
    while (fake_fleet_turn(&stage.fleet, 0))
        ;
    assert_int_equal(play.failures, 1);
    assert_int_equal(play.finishes, 1);
    assert_string_equal(play.why, "environment");
    assert_int_equal(search_text(stage.search).len, sizeof(script) - 1);
    tear_down(&stage);
}

static void budget_of_runs_is_kept(void **state)
{
    struct play play = { .needed = { "raise" } };
    struct stage stage = { 0 };
    (void)state;

    set_up(&stage, &play, 4, 3);
    carry_out(&stage, &play, 1);
    assert_string_equal(play.why, "max-runs");
    assert_true(play.asked <= 3);
    tear_down(&stage);
}

/* What is over budget is not begun, and what is done is told all the same. */
static void in_order_no_run_of_the_budget_is_lost(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 20; seed++) {
        struct play play = { .needed = { "import os", "raise" } };
        struct stage stage = { .in_order = true };

        set_up(&stage, &play, 4, 5);
        carry_out(&stage, &play, seed);
        assert_string_equal(play.why, "max-runs");
        assert_true(play.asked <= 5);
        assert_int_equal(play.reports, play.asked + stage.fleet.dropped);
        assert_int_equal(play.finishes, 1);
        tear_down(&stage);
    }
}

/* Which of two asks goes first is learned from what was reported. */
static void in_order_the_asks_depend_on_no_clock(void **state)
{
    (void)state;
    for (uint64_t max_runs = 0; max_runs < 24; max_runs++) {
        struct play one = in_order(4, max_runs, 1, true);

        for (unsigned seed = 2; seed < 12; seed++) {
            struct play other = in_order(4, max_runs, seed, true);

            assert_same_reports(&one, &other);
        }
    }
}

static void stop_ends_it_once_what_is_out_is_answered(void **state)
{
    struct play play = { .needed = { "raise" } };
    struct stage stage = { 0 };
    (void)state;

    set_up(&stage, &play, 2, 0);
    trials_pump(stage.trials);
    assert_true(stage.fleet.n > 0);
    trials_stop(stage.trials, "interrupt");
    assert_int_equal(play.finishes, 0);
    while (fake_fleet_turn(&stage.fleet, 0))
        ;
    assert_int_equal(play.finishes, 1);
    assert_string_equal(play.why, "interrupt");
    tear_down(&stage);
}

static void replay_brings_the_search_to_where_it_stood(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 4; slots *= 2) {
        struct play first = { .needed = { "import os", "raise" } };
        struct stage a = { 0 };

        set_up(&a, &first, slots, 0);
        carry_out(&a, &first, 7);

        for (unsigned cut = 0; cut <= first.reports; cut++) {
            struct play second = { .needed = { "import os", "raise" } };
            struct stage b = { 0 };

            set_up(&b, &second, slots, 0);
            for (unsigned i = 0; i < cut; i++) {
                bool accepted;

                assert_true(trials_replay(b.trials, &first.log[i], &accepted));
            }
            carry_out(&b, &second, 7);
            assert_int_equal(search_text(b.search).len,
                             search_text(a.search).len);
            /* Nothing but what was out at the cut is run twice. */
            assert_true(second.asked + cut <= first.reports + 2 * slots);
            tear_down(&b);
        }
        tear_down(&a);
    }
}

/* Fewer or more slots than when the log was written. */
static void log_of_another_width_is_gone_on_with(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * 3 * 3; i++) {
        unsigned slots[] = { 1u << (i % 3 * 2), 1u << (i / 3 % 3 * 2) };
        struct play first = { .needed = { "import os", "raise KeyError" } };
        struct stage a = { .width_told = true, .in_order = i >= 9 };
        unsigned rows;

        set_up(&a, &first, slots[0], 0);
        carry_out(&a, &first, i);
        rows = first.reports + first.others;
        for (unsigned cut = 0; cut <= rows; cut++) {
            struct play second = { .needed = { "import os",
                                               "raise KeyError" } };
            struct stage b = { .width_told = true, .in_order = i >= 9 };
            unsigned known = cut > 0 ? cut - 1 : 0; /* the first: its width */

            set_up(&b, &second, slots[1], 0);
            for (unsigned row = 0; row < cut; row++) {
                bool accepted;

                assert_true(
                    trials_replay(b.trials, &first.log[row], &accepted));
            }
            trials_pump(b.trials);
            while (second.finishes == 0)
                assert_true(fake_fleet_turn(&b.fleet, 0));
            assert_int_equal(second.others, cut == 0 || slots[0] != slots[1]);
            assert_string_equal(search_text(b.search).data,
                                search_text(a.search).data);
            assert_true(search_minimal(b.search));
            assert_true(second.asked + known <=
                        first.reports + 2 * (slots[0] + slots[1]));
            tear_down(&b);
        }
        tear_down(&a);
    }
}

static void log_of_another_search_is_refused(void **state)
{
    struct play play = { .needed = { "raise" } };
    struct store_report row = { .issued = 1, .trial = 1, .verdict = 1 };
    struct stage stage = { 0 };
    bool accepted;
    (void)state;

    set_up(&stage, &play, 1, 0);
    assert_false(trials_replay(stage.trials, &row, &accepted));
    carry_out(&stage, &play, 1);
    assert_int_equal(play.finishes, 1);
    tear_down(&stage);
}

static void
forks_without_cuda_are_repeated_fresh_and_then_given_up(void **state)
{
    struct play play = { .needed = { "import os", "raise KeyError" },
                         .spoilt = true };
    struct stage stage = { 0 };
    (void)state;

    set_up(&stage, &play, 2, 0);
    carry_out(&stage, &play, 1);
    assert_int_equal(play.failures, 0);
    assert_string_equal(search_text(stage.search).data,
                        "import os\nraise KeyError\n");
    assert_true(search_minimal(stage.search));
    assert_in_range(stage.fleet.asked - stage.fleet.fresh, 3, 4);
    tear_down(&stage);
}

static void hot_children_find_what_clean_ones_find(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 4; slots *= 2) {
        for (unsigned seed = 1; seed <= 5; seed++) {
            struct play play = { .needed = { "import os", "raise KeyError" } };
            struct stage stage = { .hot = true };
            struct trials_counts counts;

            set_up(&stage, &play, slots, 0);
            carry_out(&stage, &play, seed);
            counts = trials_counts(stage.trials);
            assert_string_equal(search_text(stage.search).data,
                                "import os\nraise KeyError\n");
            assert_true(search_minimal(stage.search));
            assert_int_equal(play.finishes, 1);
            assert_true(counts.lanes.noes > 0);
            assert_int_equal(counts.lanes.voided, 0);
            assert_int_equal(counts.kinds.hot, play.hot);
            /* No yes without a clean run. */
            assert_true(play.asked - play.hot >= play.accepts);
            assert_int_equal(stage.fleet.rests[REST_HOT], 0);
            assert_int_equal(stage.fleet.rests[REST_ALL], 1);
            tear_down(&stage);
        }
    }
}

/* A run without `leaks` spoils its child: what that says then is void. */
static void spoilt_hot_children_never_have_a_say(void **state)
{
    uint64_t voided = 0;

    (void)state;
    for (unsigned slots = 1; slots <= 4; slots *= 2) {
        for (unsigned fatal = 0; fatal < 2; fatal++) {
            struct play play = { .needed = { "import os", "raise KeyError" },
                                 .leaks = "b = 2",
                                 .fatal = fatal };
            struct stage stage = { .hot = true };

            set_up(&stage, &play, slots, 0);
            carry_out(&stage, &play, slots);
            assert_string_equal(search_text(stage.search).data,
                                "import os\nraise KeyError\n");
            assert_true(search_minimal(stage.search));
            assert_true(play.lies > 0 || fatal);
            voided += trials_counts(stage.trials).lanes.voided;
            tear_down(&stage);
        }
    }
    assert_true(voided > 0);
}

/* The first run of a kind, or none, that waits for its answer: -1. */
static int first_of(const struct fleet *fleet, enum run_how how)
{
    for (unsigned i = 0; i < fleet->n; i++)
        if (fleet->runs[i].how == how)
            return (int)i;
    return -1;
}

/* Answer hot runs as long as there are any. How many candidates on top of the
 * one whose clean run waits were run: without `word`, and shorter than it. */
static unsigned answer_hot_ones(struct fleet *fleet, const char *word)
{
    unsigned ahead = 0;
    int at;

    while ((at = first_of(fleet, RUN_HOT)) >= 0) {
        int clean = first_of(fleet, RUN_FORK);

        if (clean >= 0 && !strstr(fleet->runs[clean].text, word) &&
            !strstr(fleet->runs[at].text, word))
            ahead +=
                strlen(fleet->runs[at].text) < strlen(fleet->runs[clean].text);
        fake_fleet_turn(fleet, (unsigned)at);
    }
    return ahead;
}

/* Whether the clean run agrees or not: then the search is where it was. */
static void search_goes_on_from_a_hot_yes_before_its_clean_run(void **state)
{
    (void)state;
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        static const char word[] = "b = 2";
        struct play play = {
            .needed = { "import os", "raise KeyError", wrong ? word : NULL },
            .unneeded = word,
        };
        struct stage stage = { .hot = true };
        struct trials_counts counts;
        unsigned ahead = 0;

        set_up(&stage, &play, 4, 0);
        trials_pump(stage.trials);
        while (play.finishes == 0 && stage.fleet.n > 0) {
            ahead += answer_hot_ones(&stage.fleet, word);
            fake_fleet_turn(&stage.fleet, 0);
        }
        counts = trials_counts(stage.trials);
        assert_true(ahead > 0);
        assert_int_equal(counts.lanes.denied > 0, wrong);
        assert_true(counts.dropped > 0 || !wrong);
        assert_string_equal(search_text(stage.search).data,
                            wrong ? "import os\nb = 2\nraise KeyError\n"
                                  : "import os\nraise KeyError\n");
        assert_true(search_minimal(stage.search));
        tear_down(&stage);
    }
}

/* Each step is a text that a clean run has seen fail, and few are run. */
static void clean_runs_are_for_the_last_of_many_hot_yeses(void **state)
{
    uint64_t spared = 0;

    (void)state;
    for (unsigned slots = 1; slots <= 4; slots *= 2) {
        struct play play = { .needed = { "import os", "raise KeyError" } };
        struct stage stage = { .hot = true };
        struct lanes_counts counts;

        set_up(&stage, &play, slots, 0);
        trials_pump(stage.trials);
        while (play.finishes == 0 && stage.fleet.n > 0) {
            answer_hot_ones(&stage.fleet, "no such word");
            fake_fleet_turn(&stage.fleet, 0);
        }
        counts = trials_counts(stage.trials).lanes;
        assert_int_equal(play.unseen_steps, 0);
        assert_true(play.accepts <= counts.checked);
        spared += counts.yes - counts.checked;
        assert_string_equal(search_text(stage.search).data,
                            "import os\nraise KeyError\n");
        tear_down(&stage);
    }
    assert_true(spared > 0);
}

static void replay_knows_what_was_expected(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 8; seed++) {
        struct play first = { .needed = { "import os", "raise" },
                              .unneeded = "import os" };
        struct stage a = { .hot = true };

        set_up(&a, &first, 4, 0);
        carry_out(&a, &first, seed);
        assert_true(first.expected > 0);
        for (unsigned cut = 0; cut <= first.reports + first.expected; cut++) {
            struct play second = { .needed = { "import os", "raise" } };
            struct stage b = { .hot = true };

            set_up(&b, &second, 4, 0);
            for (unsigned i = 0; i < cut; i++) {
                bool accepted;

                assert_true(trials_replay(b.trials, &first.log[i], &accepted));
            }
            carry_out(&b, &second, seed);
            assert_string_equal(search_text(b.search).data,
                                search_text(a.search).data);
            tear_down(&b);
        }
        tear_down(&a);
    }
}

static void budget_that_ends_leaves_no_refusal_unsaid(void **state)
{
    struct play play = { .needed = { "import os", "b = 2", "raise" } };
    struct stage stage = { .hot = true };
    (void)state;

    set_up(&stage, &play, 1, 6);
    carry_out(&stage, &play, 1);
    assert_string_equal(play.why, "max-runs");
    assert_int_equal(trials_out(stage.trials), 0);
    assert_int_equal(trials_counts(stage.trials).lanes.noes + play.yes + 0u,
                     play.reports);
    assert_true(play.yes > 0);
    tear_down(&stage);
}

/* A void lane leaves the trial that all others hang on without a verdict and
 * without an expectation, however little is left of the budget then. */
static void budget_ends_the_search_whatever_was_void(void **state)
{
    uint64_t voided = 0;

    (void)state;
    for (unsigned i = 0; i < 40 * 3 * 2 * 4; i++) {
        uint64_t max_runs = 1 + i % 40;
        unsigned slots = 1u << (i / 40 % 3), seed = i / 240;
        struct play play = { .needed = { "import os", "raise KeyError" },
                             .leaks = seed % 2 ? "b = 2" : "a = 1",
                             .fatal = i / 120 % 2 };
        struct stage stage = { .hot = true };

        set_up(&stage, &play, slots, max_runs);
        carry_out(&stage, &play, seed);
        assert_int_equal(play.finishes, 1);
        assert_int_equal(trials_out(stage.trials), 0);
        assert_true(play.why || search_minimal(stage.search));
        assert_int_equal(play.unseen_steps, 0);
        voided += trials_counts(stage.trials).lanes.voided;
        tear_down(&stage);
    }
    assert_true(voided > 0);
}

/* Whatever a trial is made of: confirmations, what must pass, clean runs after
 * hot ones, and whatever of it was under way when the budget ended. */
static void no_search_makes_more_runs_than_its_budget(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 30 * 3 * 2 * 2 * 2 * 3; i++) {
        uint64_t max_runs = 1 + i % 30;
        unsigned slots = 1u << (i / 30 % 3), seed = i / 720;
        struct play play = { .needed = { "import os", "raise KeyError" },
                             .unneeded = seed % 2 ? "b = 2" : NULL,
                             .loads = seed % 3 ? NULL : "less" };
        struct stage stage = { .in_order = i / 90 % 2,
                               .hot = i / 90 % 2 == 0 && i / 180 % 2,
                               .controlled = i / 360 % 2 };
        struct trials_counts counts;

        play.needed[2] = play.unneeded;
        set_up(&stage, &play, slots, max_runs);
        if (seed == 1)
            trials_tune(stage.trials, 3, LIMIT_MS, LIMIT_MS, false);
        carry_out(&stage, &play, seed);
        counts = trials_counts(stage.trials);
        assert_int_equal(play.finishes, 1);
        assert_true(counts.runs <= max_runs);
        assert_true(play.why || search_minimal(stage.search));
        if (play.why)
            assert_int_equal(counts.runs, max_runs);
        tear_down(&stage);
    }
}

/* The check that a step needs is kept for it. */
static void last_run_of_the_budget_is_for_what_hot_children_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3 * 2; i++) {
        struct play play = { .needed = { "raise KeyError" } };
        struct stage stage = { .hot = true };

        set_up(&stage, &play, 1u << (i / 2), 1 + i % 2);
        carry_out(&stage, &play, 1);
        assert_string_equal(play.why, "max-runs");
        assert_true(play.accepts > 0);
        assert_int_equal(play.unseen_steps, 0);
        tear_down(&stage);
    }
}

/* What a replay left expected is no yes of a hot child that is at hand. */
static void budget_ends_a_search_that_was_taken_up_again(void **state)
{
    static const char *const needed = "import os";

    (void)state;
    for (unsigned i = 0; i < 3 * 6; i++) {
        unsigned slots = 1u << (i % 3), seed = i / 3;
        struct play first = { .needed = { needed, "raise" },
                              .leaks = seed % 2 ? "b = 2" : NULL };
        struct stage a = { .hot = true };

        set_up(&a, &first, slots, 0);
        carry_out(&a, &first, seed);
        assert_true(first.expected > 0);
        for (unsigned c = 0; c < (first.reports + first.expected) * 12; c++) {
            struct play second = { .needed = { needed, "raise" },
                                   .leaks = first.leaks };
            struct stage b = { .hot = true };

            set_up(&b, &second, slots, 1 + c % 12);
            for (unsigned row = 0; row < c / 12; row++) {
                bool accepted;

                assert_true(
                    trials_replay(b.trials, &first.log[row], &accepted));
            }
            carry_out(&b, &second, seed);
            assert_int_equal(second.finishes, 1);
            assert_int_equal(trials_out(b.trials), 0);
            tear_down(&b);
        }
        tear_down(&a);
    }
}

/* The original turns out to fail only sometimes when the search has begun. */
static void candidates_are_tried_more_often_once_the_rate_is_known(void **s)
{
    struct play steady = { .needed = { "import os", "raise" } };
    struct play tuned = { .needed = { "import os", "raise" } };
    struct stage stage = { 0 };
    (void)s;

    set_up(&stage, &steady, 1, 0);
    carry_out(&stage, &steady, 1);
    tear_down(&stage);
    stage = (struct stage){ 0 };
    set_up(&stage, &tuned, 1, 0);
    trials_tune(stage.trials, 3, 1000, 1000, false);
    carry_out(&stage, &tuned, 1);
    assert_int_equal(tuned.reports, steady.reports);
    assert_int_equal(tuned.accepts, steady.accepts);
    /* Three runs make a no, and two a yes. */
    assert_true(tuned.asked >= 2 * steady.asked + steady.refused);
    tear_down(&stage);
}

/* What was said no to before by one run each is asked about again, and a log
 * knows when that began. */
static void noes_by_chance_do_not_outlive_that_the_rate_is_known(void **state)
{
    struct play all = { .needed = { "import os", "raise KeyError" },
                        .misses = 1000 };
    struct play play = all, again = all;
    struct stage a = { 0 }, b = { 0 };
    bool accepted;
    unsigned asked;
    (void)state;

    set_up(&a, &all, 1, 0);
    carry_out(&a, &all, 1);
    assert_int_equal(all.accepts, 0);
    tear_down(&a);

    a = (struct stage){ 0 };
    set_up(&a, &play, 1, 0);
    trials_pump(a.trials);
    while (play.reports + 1 < all.reports) /* all but the last */
        fake_fleet_turn(&a.fleet, 0);
    asked = play.asked;
    trials_tune(a.trials, 3, LIMIT_MS, LIMIT_MS, false);
    play.misses = 3; /* what is out is a no */
    carry_out(&a, &play, 1);
    assert_string_equal(search_text(a.search).data,
                        "import os\nraise KeyError\n");
    assert_true(search_minimal(a.search));

    again.misses = 3;
    set_up(&b, &again, 1, 0);
    for (unsigned row = 0; row < all.reports; row++)
        assert_true(trials_replay(b.trials, &play.log[row], &accepted));
    carry_out(&b, &again, 1);
    assert_string_equal(search_text(b.search).data, search_text(a.search).data);
    assert_int_equal(again.asked, play.asked - asked);
    tear_down(&a);
    tear_down(&b);
}

/* A run of the best so far is made where a candidate takes too long. */
static void best_that_passes_shows_that_the_failure_comes_and_goes(void **state)
{
    struct play play = { .needed = { "import os", "raise" },
                         .takes_ms = 10,
                         .slow = { { .line = "a = 1" } } };
    struct stage stage = { .timed = true };
    unsigned before;
    (void)state;

    set_up(&stage, &play, 1, 0);
    trials_pump(stage.trials);
    while (trials_counts(stage.trials).measured == 0) {
        before = play.asked;
        play.misses = stage.fleet.runs[0].done != NULL &&
                      strcmp(stage.fleet.runs[0].text,
                             search_text(stage.search).data) == 0;
        assert_true(fake_fleet_turn(&stage.fleet, 0));
        assert_true(play.asked > before);
    }
    assert_int_equal(play.doubts, 1);
    carry_out(&stage, &play, 1);
    assert_int_equal(play.doubts, 1);
    assert_true(search_minimal(stage.search));
    tear_down(&stage);
}

/* Nobody will ask for them: once no run is out in a lane, and at the end. */
static void children_of_lanes_that_are_off_wait_for_nothing(void **state)
{
    struct play play = { .needed = { "import os", "raise" } };
    struct stage stage = { .hot = true };
    (void)state;

    set_up(&stage, &play, 4, 0);
    trials_pump(stage.trials);
    for (unsigned turn = 0; turn < 6; turn++)
        fake_fleet_turn(&stage.fleet, 0);
    assert_true(first_of(&stage.fleet, RUN_HOT) >= 0);
    trials_tune(stage.trials, 3, LIMIT_MS, LIMIT_MS, false);
    while (stage.fleet.rests[REST_HOT] == 0) {
        assert_int_equal(play.finishes, 0);
        assert_true(fake_fleet_turn(&stage.fleet, 0));
    }
    assert_true(first_of(&stage.fleet, RUN_HOT) < 0);
    carry_out(&stage, &play, 1);
    assert_int_equal(stage.fleet.rests[REST_HOT], 1);
    assert_int_equal(stage.fleet.rests[REST_ALL], 1);
    tear_down(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_needed_lines_stay),
        cmocka_unit_test(plain_run_is_asked_first_and_never_alone_for_a_yes),
        cmocka_unit_test(plain_run_of_the_best_passes_and_means_nothing),
        cmocka_unit_test(slow_machine_does_not_make_noes),
        cmocka_unit_test(quick_machine_is_measured_once_for_each_timeout),
        cmocka_unit_test(what_seems_to_hang_must_last_where_others_have_ended),
        cmocka_unit_test(in_order_no_run_is_too_late),
        cmocka_unit_test(forked_yes_to_a_dropped_import_is_asked_again_fresh),
        cmocka_unit_test(forked_yes_is_enough_where_the_same_is_loaded),
        cmocka_unit_test(every_forked_yes_is_confirmed_where_forks_were_wrong),
        cmocka_unit_test(what_must_pass_elsewhere_goes_on_passing),
        cmocka_unit_test(good_form_of_each_candidate_goes_on_passing),
        cmocka_unit_test(stop_reaches_the_other_fleet),
        cmocka_unit_test(run_that_came_to_nothing_is_no_verdict),
        cmocka_unit_test(broken_machine_stops_the_search),
        cmocka_unit_test(budget_of_runs_is_kept),
        cmocka_unit_test(in_order_no_run_of_the_budget_is_lost),
        cmocka_unit_test(in_order_the_asks_depend_on_no_clock),
        cmocka_unit_test(stop_ends_it_once_what_is_out_is_answered),
        cmocka_unit_test(replay_brings_the_search_to_where_it_stood),
        cmocka_unit_test(log_of_another_width_is_gone_on_with),
        cmocka_unit_test(log_of_another_search_is_refused),
        cmocka_unit_test(
            forks_without_cuda_are_repeated_fresh_and_then_given_up),
        cmocka_unit_test(hot_children_find_what_clean_ones_find),
        cmocka_unit_test(spoilt_hot_children_never_have_a_say),
        cmocka_unit_test(search_goes_on_from_a_hot_yes_before_its_clean_run),
        cmocka_unit_test(clean_runs_are_for_the_last_of_many_hot_yeses),
        cmocka_unit_test(replay_knows_what_was_expected),
        cmocka_unit_test(budget_that_ends_leaves_no_refusal_unsaid),
        cmocka_unit_test(budget_ends_the_search_whatever_was_void),
        cmocka_unit_test(no_search_makes_more_runs_than_its_budget),
        cmocka_unit_test(last_run_of_the_budget_is_for_what_hot_children_found),
        cmocka_unit_test(budget_ends_a_search_that_was_taken_up_again),
        cmocka_unit_test(noes_by_chance_do_not_outlive_that_the_rate_is_known),
        cmocka_unit_test(
            best_that_passes_shows_that_the_failure_comes_and_goes),
        cmocka_unit_test(children_of_lanes_that_are_off_wait_for_nothing),
        cmocka_unit_test(
            candidates_are_tried_more_often_once_the_rate_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
