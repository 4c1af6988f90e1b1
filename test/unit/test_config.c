/* What a user may write on the command line and in YAML, and what they are
 * told when it is wrong. Each test has a folder of its own with a.py in it;
 * HOME is there, XDG_CONFIG_HOME is not set. */
#include "test/test.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "config/config.h"
#include "config/file.h"
#include "config/options.h"
#include "test/folder.h"

#define WORDS_MAX 16

static int enter(void **state)
{
    if (folder_enter(state) || !folder_put("a.py", "boom()\n"))
        return -1;
    unsetenv("XDG_CONFIG_HOME");
    return setenv("HOME", *state, 1);
}

/* Load from words that end with NULL; words[0] is the first argument. */
static int load(struct config *config, struct err *err,
                const char *const *words)
{
    char *argv[WORDS_MAX + 2] = { (char *)"autodd-c" };
    int argc = 1;

    err->text[0] = '\0';
    while (words[argc - 1]) {
        argv[argc] = (char *)words[argc - 1];
        argc++;
    }
    return config_load(config, argc, argv, err);
}

static struct config good(const char *const *words)
{
    struct config config;
    struct err err;

    if (load(&config, &err, words))
        fail_msg("refused: %s", err.text);
    return config;
}

static void assert_refused(const char *part, const char *const *words)
{
    struct config config;
    struct err err;
    int error = load(&config, &err, words);

    if (error == 0) {
        config_deinit(&config);
        fail_msg("accepted, but should say: %s", part);
    }
    if (!strstr(err.text, part))
        fail_msg("no '%s' in: %s", part, err.text);
    assert_null(config.python); /* deinitialised */
}

#define GOOD(...) good((const char *const[]){ __VA_ARGS__, NULL })
#define REFUSED(part, ...)                                                     \
    assert_refused(part, (const char *const[]){ __VA_ARGS__, NULL })

static void put(const char *path, const char *text)
{
    assert_true(folder_put(path, text));
}

/* ---- the command line ---- */

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    struct config c = GOOD("a.py");

    assert_int_equal(c.action, ACTION_MINIMIZE);
    assert_string_equal(c.script, "a.py");
    assert_int_equal(c.tightness, TIGHT_TEMPLATE);
    assert_int_equal(c.expect, EXPECT_AS_ORIGINAL);
    assert_int_equal(c.backend, BACKEND_AUTO);
    assert_int_equal(c.children, CHILDREN_AUTO);
    assert_string_equal(c.python, "python3");
    assert_string_equal(c.gpus, "all");
    assert_null(c.command);
    assert_null(c.test);
    assert_null(c.cwd);
    assert_null(c.output);
    assert_null(c.state);
    assert_true(c.timeout_s == 0);
    assert_true(c.timeout_cap_s == 300);
    assert_int_equal(c.repeat, 3);
    assert_int_equal(c.memory_max_mb, 0);
    assert_int_equal(c.file_max_mb, 1024);
    assert_int_equal(c.procs_max, 256);
    assert_int_equal(c.output_max_kb, 256);
    assert_in_range(c.jobs, 1, 8);
    assert_true(c.max_time_s == 0);
    assert_int_equal(c.max_runs, 0);
    assert_int_equal(c.mutate, MUTATE_TO_ALL);
    assert_false(c.rename);
    assert_false(c.deterministic);
    assert_int_equal(c.seed, 0);
    assert_false(c.no_cache || c.force || c.json || c.quiet);
    assert_int_equal(c.verbose, 0);
    config_deinit(&c);
}

static void parts_of_another_environment_are_a_list(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--pass-with", "python:/opt/py",
                           "--pass-with=env:A=b=c", "--pass-with", "path:.");

    assert_int_equal(c.pass_with.n, 3);
    assert_string_equal(config_part(c.pass_with.at[1], PART_ENV), "A=b=c");
    assert_null(config_part(c.pass_with.at[1], PART_PYTHON));
    config_deinit(&c);
    REFUSED("python:PROGRAM, env:NAME=VALUE or path:DIR", "a.py", "--pass-with",
            "/opt/py");
    REFUSED("does not fit", "a.py", "--pass-with", "env:1=2");
    REFUSED("does not fit", "a.py", "--pass-with", "python:");
    REFUSED("is no folder", "a.py", "--pass-with", "path:nowhere");
    REFUSED("names 2 interpreters", "a.py", "--pass-with", "python:a",
            "--pass-with", "python:b");
    REFUSED("cannot replace the interpreter", "a.py", "--pass-with", "python:a",
            "--command", "python3 {file}");
    REFUSED("contradict", "a.py", "--pass-with", "env:A=1", "--test", "./t");
    REFUSED("contradict", "a.py", "--good", "b.py", "--test", "./t");
}

static void gpus_are_all_none_or_a_list(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--gpus", "0,GPU-8f3c21a0,MIG-1/2/3");

    assert_string_equal(c.gpus, "0,GPU-8f3c21a0,MIG-1/2/3");
    config_deinit(&c);
    REFUSED("all, none, or numbers and UUIDs", "a.py", "--gpus", "0,,1");
    REFUSED("does not fit", "a.py", "--gpus", ",0");
    REFUSED("does not fit", "a.py", "--gpus", "0 1");
    REFUSED("is empty", "a.py", "--gpus=");
}

static void a_sanitizer_decides_alone(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--sanitizer", "racecheck");

    assert_int_equal(c.sanitizer, SANITIZER_RACECHECK);
    config_deinit(&c);
    REFUSED("memcheck, racecheck, initcheck or synccheck", "a.py",
            "--sanitizer", "asan");
    REFUSED("contradict", "a.py", "--sanitizer", "memcheck", "--err-msg", "x");
    REFUSED("contradict", "a.py", "--sanitizer", "memcheck", "--test", "./t");
    REFUSED("--backend runner cannot run a --sanitizer", "a.py", "--sanitizer",
            "memcheck", "--backend", "runner");
}

static void what_helps_runs_is_chosen(void **state)
{
    (void)state;
    put("autodd.yaml", "fill: nan\nlaunch-blocking: off\n");
    struct config c = GOOD("a.py");

    assert_int_equal(c.fill, FILL_NAN);
    assert_int_equal(c.blocking, BLOCKING_OFF);
    config_deinit(&c);
    c = GOOD("a.py", "--fill", "off", "--launch-blocking=on");
    assert_int_equal(c.fill, FILL_OFF);
    assert_int_equal(c.blocking, BLOCKING_ON);
    config_deinit(&c);
    unlink("autodd.yaml");
    c = GOOD("a.py");
    assert_int_equal(c.fill, FILL_OFF);
    assert_int_equal(c.blocking, BLOCKING_AUTO);
    config_deinit(&c);
    REFUSED("give off or nan", "a.py", "--fill", "zero");
    REFUSED("auto, on or off", "a.py", "--launch-blocking", "yes");
}

static void xids_have_a_class(void **state)
{
    (void)state;
    put("autodd.yaml", "xid: [94=app, '79=suspect']\n");
    struct config c = GOOD("a.py");

    assert_int_equal(c.xid.n, 2);
    assert_string_equal(c.xid.at[1], "79=suspect");
    config_deinit(&c);
    unlink("autodd.yaml");
    REFUSED("an Xid and app, suspect or quarantine", "a.py", "--xid", "94");
    REFUSED("does not fit", "a.py", "--xid", "94=fine");
    REFUSED("does not fit", "a.py", "--xid", "=app");
    REFUSED("does not fit", "a.py", "--xid", "12345678901=app");
}

static void paths_in_parts_count_from_the_settings_file(void **state)
{
    (void)state;
    mkdir("d", 0700);
    mkdir("d/fixed", 0700);
    put("d/autodd.yaml", "pass-with: ['python:bin/py', 'path:fixed', "
                         "'env:A=x/y', 'python:py']\n");
    REFUSED("names 2 interpreters", "d/b.py");
    put("d/autodd.yaml",
        "pass-with: ['python:bin/py', 'path:fixed', 'env:A=x/y']\n");
    struct config c = GOOD("d/b.py");

    assert_string_equal(c.pass_with.at[0], "python:d/bin/py");
    assert_string_equal(c.pass_with.at[1], "path:d/fixed");
    assert_string_equal(c.pass_with.at[2], "env:A=x/y");
    config_deinit(&c);
    put("d/autodd.yaml", "pass-with: 'python:py'\n");
    c = GOOD("d/b.py");
    assert_string_equal(c.pass_with.at[0], "python:py");
    config_deinit(&c);
    unlink("d/autodd.yaml");
}

static void empty_lists_are_never_null(void **state)
{
    (void)state;
    struct config c = GOOD("a.py");
    const struct strings lists[] = { c.err_msgs,   c.err_regex, c.not_msgs,
                                     c.keep,       c.env,       c.reports,
                                     c.script_args };

    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        assert_int_equal(lists[i].n, 0);
        assert_non_null(lists[i].at);
        assert_null(lists[i].at[0]);
    }
    config_deinit(&c);
}

static void the_flags_of_tilelang_autodd_work_unchanged(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--err-msg", "T.gemm K shape check failed",
                           "-o", "out.py", "-j", "8", "--timeout", "60",
                           "--backend", "subproc", "--children", "hot");

    assert_string_equal(c.err_msgs.at[0], "T.gemm K shape check failed");
    assert_null(c.err_msgs.at[1]);
    assert_string_equal(c.output, "out.py");
    assert_int_equal(c.jobs, 8);
    assert_true(c.timeout_s == 60);
    assert_int_equal(c.backend, BACKEND_SUBPROC);
    assert_int_equal(c.children, CHILDREN_HOT);
    config_deinit(&c);
    c = GOOD("--backend=runner", "--jobs", "2", "a.py", "--output=b.py");
    assert_int_equal(c.backend, BACKEND_RUNNER);
    assert_int_equal(c.jobs, 2);
    assert_string_equal(c.output, "b.py");
    config_deinit(&c);
}

static void short_flags_take_values_and_bundle(void **state)
{
    (void)state;
    struct config c = GOOD("-j8", "-vv", "-oout.py", "a.py");

    assert_int_equal(c.jobs, 8);
    assert_int_equal(c.verbose, 2);
    assert_string_equal(c.output, "out.py");
    config_deinit(&c);
    c = GOOD("a.py", "-vj4", "-o=out.py", "-vvvvv");
    assert_int_equal(c.jobs, 4);
    assert_int_equal(c.verbose, 3); /* no more to say */
    assert_string_equal(c.output, "out.py");
    config_deinit(&c);
    c = GOOD("a.py", "-qj", "5");
    assert_true(c.quiet);
    assert_int_equal(c.jobs, 5);
    config_deinit(&c);
}

static void values_may_begin_with_a_dash_or_hold_an_equals_sign(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--err-msg", "--jobs", "--err-msg=a=b",
                           "--env=X=-1", "--env", "Y=");

    assert_int_equal(c.err_msgs.n, 2);
    assert_string_equal(c.err_msgs.at[0], "--jobs");
    assert_string_equal(c.err_msgs.at[1], "a=b");
    assert_string_equal(c.env.at[0], "X=-1");
    assert_string_equal(c.env.at[1], "Y=");
    config_deinit(&c);
}

static void what_stands_after_two_dashes_is_the_scripts(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "-j", "2", "--", "--jobs", "--", "-x", "");

    assert_int_equal(c.jobs, 2);
    assert_int_equal(c.script_args.n, 4);
    assert_string_equal(c.script_args.at[0], "--jobs");
    assert_string_equal(c.script_args.at[1], "--");
    assert_string_equal(c.script_args.at[3], "");
    assert_null(c.script_args.at[4]);
    config_deinit(&c);
}

static void the_last_of_a_single_value_wins_and_lists_grow(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--seed", "1", "--seed", "2", "--not-msg",
                           "a", "--not-msg", "b", "--keep", "f", "--keep", "g",
                           "--report", "r.json");

    assert_int_equal(c.seed, 2);
    assert_int_equal(c.not_msgs.n, 2);
    assert_int_equal(c.keep.n, 2);
    assert_string_equal(c.reports.at[0], "r.json");
    config_deinit(&c);
}

static void booleans_take_no_value_or_yes_or_no(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--json", "--force=yes", "--no-cache=false");

    assert_true(c.json && c.force);
    assert_false(c.no_cache);
    config_deinit(&c);
    REFUSED("--json: 'maybe' does not fit; give true, false, yes or no", "a.py",
            "--json=maybe");
}

static void times_may_have_a_fraction_and_a_unit(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double seconds;
    } good_ones[] = { { "0", 0 },    { "1.5", 1.5 },    { ".25", 0.25 },
                      { "90s", 90 }, { "10m", 600 },    { "1.5h", 5400 },
                      { "2.", 2 },   { "86400", 86400 } };
    const char *bad_ones[] = { "-1",  "nan",   "inf", "1e3", "0x10", ".",
                               "5 s", "86401", "25h", "1,5", "s",    "1.2.3" };

    for (size_t i = 0; i < ARRAY_LEN(good_ones); i++) {
        struct config c = GOOD("a.py", "--timeout", good_ones[i].text);

        assert_true(c.timeout_s == good_ones[i].seconds);
        config_deinit(&c);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad_ones); i++)
        REFUSED("does not fit; give seconds from 0 to 86400", "a.py",
                "--timeout", bad_ones[i]);
}

static void numbers_are_whole_and_in_range(void **state)
{
    (void)state;
    const char *bad_ones[] = {
        "0",  "257", "-1",  "8x", "0x8",
        " 8", "8 ",  "1.5", "+8", "99999999999999999999"
    };
    struct config c =
        GOOD("a.py", "-j256", "--repeat=1000", "--seed", "4294967295");

    assert_int_equal(c.jobs, 256);
    assert_int_equal(c.repeat, 1000);
    assert_true(c.seed == UINT32_MAX);
    config_deinit(&c);
    for (size_t i = 0; i < ARRAY_LEN(bad_ones); i++)
        REFUSED("does not fit; give a whole number from 1 to 256", "a.py",
                "--jobs", bad_ones[i]);
    REFUSED("--repeat: '0'", "a.py", "--repeat", "0");
    REFUSED("--output-max: '3'", "a.py", "--output-max", "3");
}

static void choices_are_listed_when_wrong(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--signature", "exact");

    assert_int_equal(c.tightness, TIGHT_EXACT);
    config_deinit(&c);
    c = GOOD("a.py", "--signature", "type");
    assert_int_equal(c.tightness, TIGHT_TYPE);
    config_deinit(&c);
    c = GOOD("a.py", "--signature", "text");
    assert_int_equal(c.tightness, TIGHT_TEXT);
    config_deinit(&c);
    c = GOOD("a.py", "--mutate", "ints", "--rename", "--deterministic");
    assert_int_equal(c.mutate, MUTATE_TO_INTS);
    assert_true(c.rename);
    assert_true(c.deterministic);
    config_deinit(&c);
    c = GOOD("a.py", "--mutate", "none");
    assert_int_equal(c.mutate, MUTATE_TO_NONE);
    config_deinit(&c);
    REFUSED("--mutate: 'some' does not fit; give all, ints or none", "a.py",
            "--mutate", "some");
    REFUSED("--signature: 'tex' does not fit; give exact, template, type or "
            "text",
            "a.py", "--signature", "tex");
    REFUSED("--children: 'cold'", "a.py", "--children", "cold");
    REFUSED("--backend: 'exact|type'", "a.py", "--backend", "exact|type");
}

static void expect_takes_exit_signal_and_timeout(void **state)
{
    (void)state;
    const char *bad_ones[] = { "exit",       "exit:",       "exit:256",
                               "exit:-1",    "exit:x",      "signal:",
                               "signal:FOO", "signal:0",    "signal:65",
                               "timeout:5",  "exit:nonzero" };
    struct config c = GOOD("a.py", "--expect", "exit:3");

    assert_int_equal(c.expect, EXPECT_EXIT);
    assert_int_equal(c.expect_value, 3);
    config_deinit(&c);
    c = GOOD("a.py", "--expect", "signal:SEGV");
    assert_int_equal(c.expect, EXPECT_SIGNAL);
    assert_int_equal(c.expect_value, SIGSEGV);
    config_deinit(&c);
    c = GOOD("a.py", "--expect", "exit:3", "--expect", "timeout");
    assert_int_equal(c.expect, EXPECT_TIMEOUT);
    assert_int_equal(c.expect_value, 0);
    config_deinit(&c);
    for (size_t i = 0; i < ARRAY_LEN(bad_ones); i++)
        REFUSED("give exit:N (0 to 255), signal:NAME", "a.py", "--expect",
                bad_ones[i]);
}

static void env_command_and_report_are_checked_for_their_form(void **state)
{
    (void)state;
    REFUSED("--env: 'X' does not fit; give NAME=VALUE", "a.py", "--env", "X");
    REFUSED("NAME=VALUE", "a.py", "--env", "=1");
    REFUSED("NAME=VALUE", "a.py", "--env", "1X=1");
    REFUSED("NAME=VALUE", "a.py", "--env", "A B=1");
    REFUSED("{file}", "a.py", "--command", "python3 -m pytest");
    REFUSED(".json, .html or .md", "a.py", "--report", "r.txt");
    REFUSED(".json, .html or .md", "a.py", "--report", ".md");
    struct config c = GOOD("a.py", "--command", "python3 -m pytest {file}",
                           "--report", "r.html", "--report", "r.md");

    assert_string_equal(c.command, "python3 -m pytest {file}");
    assert_string_equal(c.reports.at[1], "r.md");
    config_deinit(&c);
}

static void empty_texts_are_refused_with_what_to_do(void **state)
{
    (void)state;
    REFUSED("--err-msg: is empty; give TEXT, or leave it out", "a.py",
            "--err-msg", "");
    REFUSED("--output: is empty", "a.py", "--output=");
    REFUSED("--python: is empty", "a.py", "--python=");
    REFUSED("--jobs: is empty", "a.py", "-j", "");
}

static void unknown_flags_get_a_suggestion(void **state)
{
    (void)state;
    REFUSED("--err-mgs: unknown flag; did you mean --err-msg?", "a.py",
            "--err-mgs", "x");
    REFUSED("did you mean --err-msg?", "a.py", "--err_msg=x");
    REFUSED("did you mean --jobs?", "a.py", "--job", "8");
    REFUSED("did you mean --timeout?", "a.py", "--time-out=3");
    REFUSED("did you mean --signature?", "a.py", "--sig", "type");
    REFUSED("--frobnicate: unknown flag; autodd-c --help", "a.py",
            "--frobnicate");
    REFUSED("-z: unknown flag", "a.py", "-z");
    REFUSED("-vz: unknown flag", "a.py", "-vz");
    REFUSED("--a\\x1b[1m: unknown", "a.py", "--a\x1b[1m");
}

static void a_missing_value_or_script_is_said(void **state)
{
    (void)state;
    REFUSED("--err-msg: a value is missing; give --err-msg TEXT", "a.py",
            "--err-msg");
    REFUSED("--jobs: a value is missing", "a.py", "-j");
    REFUSED("no script is given; say autodd-c SCRIPT", "-j", "8");
    REFUSED("no script is given; say autodd-c SCRIPT [options] [-- ARGS]", "--",
            "a.py");
    REFUSED("'b.py': a second script beside 'a.py'; give one", "a.py", "b.py");
    REFUSED("'-' is no script", "-");
    REFUSED("'' is no script", "");
    assert_refused("no script is given", (const char *const[]){ NULL });
}

static void help_and_version_stop_the_reading(void **state)
{
    (void)state;
    struct config c = GOOD("--help", "--frobnicate");

    assert_int_equal(c.action, ACTION_HELP);
    config_deinit(&c);
    c = GOOD("a.py", "-vh");
    assert_int_equal(c.action, ACTION_HELP);
    config_deinit(&c);
    c = GOOD("--version", "a.py", "b.py");
    assert_int_equal(c.action, ACTION_VERSION);
    config_deinit(&c);
    REFUSED("--frobnicate", "--frobnicate", "--help");
    REFUSED("--help: takes no value", "--help=x");
    put("autodd.yaml", "broken: [\n"); /* help must work all the same */
    c = GOOD("a.py", "--help");
    config_deinit(&c);
}

static void doctor_is_a_command_unless_it_is_a_path(void **state)
{
    (void)state;
    struct config c = GOOD("-v", "doctor", "--python", "python3.12");

    assert_int_equal(c.action, ACTION_DOCTOR);
    assert_null(c.script);
    assert_string_equal(c.python, "python3.12");
    config_deinit(&c);
    c = GOOD("./doctor");
    assert_int_equal(c.action, ACTION_MINIMIZE);
    assert_string_equal(c.script, "./doctor");
    config_deinit(&c);
    REFUSED("doctor takes no script; a script of the name doctor is given as "
            "./doctor",
            "doctor", "a.py");
    REFUSED("a second script", "a.py", "doctor");
    REFUSED("doctor takes no arguments", "doctor", "--", "x");
}

static void hidden_commands_keep_their_arguments_to_themselves(void **state)
{
    (void)state;
    put("autodd.yaml", "broken: [\n");
    struct config c = GOOD("worker", "--frobnicate", "--jobs", "x");

    assert_int_equal(c.action, ACTION_WORKER);
    assert_null(c.script);
    assert_string_equal(c.python, "python3");
    config_deinit(&c);
    c = GOOD("limits", "0", "0", "--", "true");
    assert_int_equal(c.action, ACTION_LIMITS);
    assert_int_equal(c.script_args.n, 0);
    config_deinit(&c);
    unlink("autodd.yaml");
    c = GOOD("./worker");
    assert_int_equal(c.action, ACTION_MINIMIZE);
    config_deinit(&c);
}

static void contradictions_are_errors_with_a_remedy(void **state)
{
    (void)state;
    REFUSED("--test and --err-msg contradict each other: the test alone "
            "decides; leave one of them out",
            "a.py", "--test", "./t", "--err-msg", "x");
    REFUSED("--test and --err-regex", "a.py", "--err-regex", "x", "--test",
            "./t");
    REFUSED("--test and --not-msg", "a.py", "--not-msg", "x", "--test", "t");
    REFUSED("--test and --expect", "a.py", "--expect", "exit:1", "--test", "t");
    REFUSED("--test and --command", "a.py", "--command", "p {file}", "--test",
            "t");
    REFUSED("--quiet and --verbose", "a.py", "-qv");
    REFUSED("--keep none", "a.py", "--keep", "f", "--keep", "none");
    REFUSED("--backend runner cannot run a --test", "a.py", "--test", "t",
            "--backend", "runner");
    REFUSED("--backend runner cannot run a --command", "a.py", "--command",
            "p {file}", "--backend", "runner");
    struct config c =
        GOOD("a.py", "-v", "--quiet=no", "--test", "t", "--backend", "subproc");

    config_deinit(&c);
}

static void targets_are_looked_at_before_the_search(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0700), 0);
    assert_int_equal(symlink("a.py", "link.py"), 0);
    REFUSED("--output: folder 'no' does not exist", "a.py", "-o", "no/b.py");
    REFUSED("--output: folder 'a.py' does not", "a.py", "-o", "a.py/b.py");
    REFUSED("--output: 'd' is a folder; give a file", "a.py", "-o", "d");
    REFUSED("is the script itself", "a.py", "-o", "a.py");
    REFUSED("is the script itself", "a.py", "-o", "./d/../a.py");
    REFUSED("is the script itself", "a.py", "-o", "link.py");
    REFUSED("--report: folder 'no'", "a.py", "--report", "no/r.json");
    REFUSED("is also --output", "a.py", "--report", "r.json", "-o", "r.json");
    REFUSED("--cwd: 'no' is no folder", "a.py", "--cwd", "no");
    REFUSED("--cwd: 'a.py' is no folder", "a.py", "--cwd", "a.py");
    struct config c = GOOD("a.py", "-o", "d/b.py", "--cwd", "d");

    config_deinit(&c);
}

/* ---- the files ---- */

static void a_file_beside_the_script_is_read(void **state)
{
    (void)state;
    put("autodd.yaml", "err-msg: [one, 'two: 2']\nenv: A=1\njobs: 3\n"
                       "timeout: 1.5\nforce: yes\njson: false\n"
                       "signature: type\nexpect: exit:7\nverbose: 2\n");
    struct config c = GOOD("a.py");

    assert_int_equal(c.err_msgs.n, 2);
    assert_string_equal(c.err_msgs.at[1], "two: 2");
    assert_string_equal(c.env.at[0], "A=1");
    assert_int_equal(c.jobs, 3);
    assert_true(c.timeout_s == 1.5);
    assert_true(c.force);
    assert_false(c.json);
    assert_int_equal(c.tightness, TIGHT_TYPE);
    assert_int_equal(c.expect_value, 7);
    assert_int_equal(c.verbose, 2);
    config_deinit(&c);
}

static void it_is_looked_for_beside_the_script_not_here(void **state)
{
    (void)state;
    put("autodd.yaml", "jobs: 3\n");
    assert_int_equal(mkdir("d", 0700), 0);
    put("d/b.py", "");
    put("d/autodd.yaml", "jobs: 4\n");
    struct config c = GOOD("d/b.py");

    assert_int_equal(c.jobs, 4);
    config_deinit(&c);
    c = GOOD("d/b.py", "--config", "autodd.yaml");
    assert_int_equal(c.jobs, 3);
    config_deinit(&c);
    c = GOOD("doctor", "--config=d/autodd.yaml");
    assert_int_equal(c.jobs, 4);
    config_deinit(&c);
}

static void flags_win_over_files_and_the_near_file_over_the_users(void **state)
{
    (void)state;
    assert_int_equal(file_mkdirs(".config/autodd-c", NULL), 0);
    put(".config/autodd-c/config.yaml",
        "jobs: 2\nseed: 2\nrepeat: 2\nerr-msg: [u, v]\nkeep: u\nenv: U=1\n");
    put("autodd.yaml", "jobs: 3\nseed: 3\nerr-msg: near\nenv: []\n");
    struct config c = GOOD("a.py", "-j4", "--err-msg", "x", "--err-msg", "y");

    assert_int_equal(c.jobs, 4);
    assert_int_equal(c.seed, 3);
    assert_int_equal(c.repeat, 2);
    assert_int_equal(c.err_msgs.n, 2); /* a list is replaced as a whole */
    assert_string_equal(c.err_msgs.at[0], "x");
    assert_string_equal(c.keep.at[0], "u");
    assert_int_equal(c.env.n, 0);
    config_deinit(&c);
    c = GOOD("a.py");
    assert_int_equal(c.err_msgs.n, 1);
    assert_string_equal(c.err_msgs.at[0], "near");
    config_deinit(&c);
}

static void of_a_contradiction_over_two_layers_the_higher_stays(void **state)
{
    (void)state;
    put("autodd.yaml", "quiet: true\nerr-msg: x\nbackend: runner\n");
    struct config c = GOOD("a.py", "-v", "--test", "./t");

    assert_false(c.quiet);
    assert_int_equal(c.verbose, 1);
    assert_int_equal(c.err_msgs.n, 0);
    assert_string_equal(c.test, "./t");
    assert_int_equal(c.backend, BACKEND_AUTO);
    config_deinit(&c);
    put("autodd.yaml", "verbose: 2\ntest: ./t\n");
    c = GOOD("a.py", "-v", "--err-msg", "x");
    assert_int_equal(c.verbose, 1); /* counted anew */
    assert_null(c.test);
    config_deinit(&c);
    put("autodd.yaml", "quiet: true\nverbose: 1\n");
    REFUSED("--quiet and --verbose contradict", "a.py");
}

static void the_users_file_follows_xdg_and_home(void **state)
{
    char xdg[200];
    const char *home = *state;

    snprintf(xdg, sizeof(xdg), "%s/x", home);
    assert_int_equal(file_mkdirs("x/autodd-c", NULL), 0);
    assert_int_equal(file_mkdirs(".config/autodd-c", NULL), 0);
    put("x/autodd-c/config.yaml", "seed: 1\n");
    put(".config/autodd-c/config.yaml", "seed: 2\n");

    const struct {
        const char *xdg, *home;
        int seed;
    } cases[] = {
        { xdg, home, 1 }, { NULL, home, 2 }, { "", home, 2 },
        { "x", home, 2 }, /* relative does not count */
        { xdg, NULL, 1 }, { NULL, NULL, 0 }, { NULL, "", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cases[i].xdg ? setenv("XDG_CONFIG_HOME", cases[i].xdg, 1)
                     : unsetenv("XDG_CONFIG_HOME");
        cases[i].home ? setenv("HOME", cases[i].home, 1) : unsetenv("HOME");
        struct config c = GOOD("a.py");

        assert_int_equal(c.seed, cases[i].seed);
        config_deinit(&c);
    }
    unsetenv("XDG_CONFIG_HOME");
}

static void mistakes_in_a_file_are_named_with_line_and_column(void **state)
{
    (void)state;
    const struct {
        const char *text, *part;
    } cases[] = {
        { "seed: 1\nerr-mgs: x\n",
          "autodd.yaml:2:1: unknown key 'err-mgs'; did you mean 'err-msg'?" },
        { "err_msg: x\n", "did you mean 'err-msg'?" },
        { "xyzzy: 1\n", "autodd.yaml:1:1: unknown key 'xyzzy'; keys are" },
        { "halp: 1\n", "unknown key 'halp'; keys are" },
        { "jobs: 0\n", "autodd.yaml:1:7: jobs: '0' does not fit; give a "
                       "whole number from 1 to 256" },
        { "jobs:\n", "jobs: is empty" },
        { "cwd: ~\n", "autodd.yaml:1:6: cwd: has no value" },
        { "jobs: [1]\n", "autodd.yaml:1:7: jobs: give one value, no list" },
        { "jobs: {a: 1}\n", "jobs: give one value, no mapping" },
        { "env:\n  - A=1\n  - B\n", "autodd.yaml:3:5: env: 'B'" },
        { "env: [[A=1]]\n", "env: give one value, no list" },
        { "env: {A: 1}\n", "env: give one value, no mapping" },
        { "force: on\n", "give true, false, yes or no" },
        { "force: TRUE\n", "give true, false, yes or no" },
        { "config: x.yaml\n", "autodd.yaml:1:1: 'config' is no key" },
        { "help: true\n", "'help' is no key" },
        { "- jobs\n", "autodd.yaml:1:1: no settings" },
        { "jobs\n", "no settings" },
        { "jobs: 1\njobs: 2\n", "autodd.yaml:2:1: key 'jobs' stands" },
        { "command: pytest\n", "{file}" },
        { "\"\": 1\n", "unknown key ''" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        put("autodd.yaml", cases[i].text);
        REFUSED(cases[i].part, "a.py");
    }
    put("autodd.yaml", "# nothing\n");
    struct config c = GOOD("a.py");

    config_deinit(&c);
}

static void a_file_that_is_there_must_be_readable(void **state)
{
    (void)state;
    assert_int_equal(symlink("autodd.yaml", "autodd.yaml"), 0); /* a loop */
    REFUSED("autodd.yaml: cannot be read", "a.py");
    unlink("autodd.yaml");
    assert_int_equal(mkdir("autodd.yaml", 0700), 0);
    REFUSED("autodd.yaml: is a folder", "a.py");
    rmdir("autodd.yaml");
    assert_int_equal(mkfifo("autodd.yaml", 0600), 0); /* must not hang */
    REFUSED("autodd.yaml: is no regular file", "a.py");
    unlink("autodd.yaml");
    REFUSED("no.yaml: cannot be read", "a.py", "--config", "no.yaml");
    REFUSED("--config: a value is missing", "a.py", "--config");
    put("a.txt", "");
    struct config c = GOOD("a.txt/x.py"); /* whoever reads it will say so */

    config_deinit(&c);
}

static void a_home_that_may_not_be_searched_is_as_good_as_none(void **state)
{
    (void)state;
    int error;
    struct config c;
    struct err err;
    const char *words[] = { "a.py", NULL };

    setenv("XDG_CONFIG_HOME", *state, 1);
    assert_int_equal(mkdir("autodd-c", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    if (geteuid() == 0) /* root may search everything */
        assert_int_equal(seteuid(65534), 0);
    error = load(&c, &err, words);
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    unsetenv("XDG_CONFIG_HOME");
    chmod("autodd-c", 0700);
    assert_int_equal(error, 0);
    config_deinit(&c);
}

static void a_users_file_without_permission_is_an_error(void **state)
{
    int error;
    struct config c;
    struct err err;
    const char *words[] = { "a.py", NULL };

    setenv("XDG_CONFIG_HOME", *state, 1);
    assert_int_equal(mkdir("autodd-c", 0755), 0);
    put("autodd-c/config.yaml", "seed: 1\n");
    assert_int_equal(chmod("autodd-c/config.yaml", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    error = load(&c, &err, words);
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    unsetenv("XDG_CONFIG_HOME");
    assert_int_equal(error, -EACCES);
    assert_non_null(strstr(err.text, "config.yaml: cannot be read"));
}

static void relative_paths_in_a_file_count_from_its_folder(void **state)
{
    (void)state;
    assert_int_equal(file_mkdirs("d/work", NULL), 0);
    put("d/b.py", "");
    put("d/autodd.yaml", "output: c.py\nreport: [r.json, /tmp/r.json]\n"
                         "cwd: work\npython: venv/bin/python\n"
                         "state: s.db\nerr-msg: a/b\n");
    struct config c = GOOD("d/b.py");

    assert_string_equal(c.output, "d/c.py");
    assert_string_equal(c.reports.at[0], "d/r.json");
    assert_string_equal(c.reports.at[1], "/tmp/r.json");
    assert_string_equal(c.cwd, "d/work");
    assert_string_equal(c.python, "d/venv/bin/python");
    assert_string_equal(c.state, "d/s.db");
    assert_string_equal(c.err_msgs.at[0], "a/b");
    config_deinit(&c);
    put("d/autodd.yaml", "python: python3.12\n");
    c = GOOD("d/b.py", "-o", "c.py");
    assert_string_equal(c.python, "python3.12");
    assert_string_equal(c.output, "c.py");
    config_deinit(&c);
}

/* ---- the table ---- */

static void every_option_is_complete_and_its_default_fits(void **state)
{
    (void)state;
    size_t n;
    const struct option *o = options_table(&n);
    struct config c;

    options_init(&c);
    for (size_t i = 0; i < n; i++) {
        bool is_switch = o[i].type == OPTION_ACTION ||
                         o[i].type == OPTION_BOOL || o[i].type == OPTION_COUNT;

        assert_true(is_switch == (o[i].metavar == NULL));
        assert_true(o[i].help && *o[i].help);
        assert_true((o[i].type == OPTION_CHOICE) == (o[i].choices != NULL));
        assert_int_equal(option_index(&o[i]), i);
        assert_ptr_equal(option_by_name(o[i].name, strlen(o[i].name)), &o[i]);
        if (o[i].letter)
            assert_ptr_equal(option_by_letter(o[i].letter), &o[i]);
        if (o[i].otherwise)
            assert_int_equal(
                option_set(&o[i], &c, o[i].otherwise, "here", NULL), 0);
    }
    assert_null(option_by_letter('\0'));
    options_deinit(&c);
}

static void help_names_every_option_and_fits_a_terminal(void **state)
{
    (void)state;
    size_t n;
    const struct option *o = options_table(&n);
    struct buf help;
    char flag[40];

    buf_init(&help, 1 << 16);
    options_help(&help);
    for (size_t i = 0; i < n; i++) {
        snprintf(flag, sizeof(flag), "--%s", o[i].name);
        assert_non_null(strstr(buf_str(&help), flag));
        if (o[i].otherwise && !o[i].shown) {
            snprintf(flag, sizeof(flag), "%s)", o[i].otherwise);
            assert_non_null(strstr(buf_str(&help), flag));
        }
    }
    for (const char *line = buf_str(&help); *line;) {
        size_t len = strcspn(line, "\n");

        assert_in_range(len, 0, 79);
        assert_true(len == 0 || line[len - 1] != ' ');
        line += len + 1;
    }
    buf_deinit(&help);
}

static void suggestions_are_near_or_absent(void **state)
{
    (void)state;
    const struct {
        const char *given, *meant;
    } cases[] = {
        { "err-mgs", "err-msg" },
        { "errmsg", "err-msg" },
        { "ouptut", "output" },
        { "max_runs", "max-runs" },
        { "verb", "verbose" },
        { "jbos", "jobs" },
        { "quite", "quiet" },
        { "xyzzy", NULL },
        { "frobnicate", NULL },
        { "", NULL },
        { "a-name-that-is-longer-than-any-of-the-names", NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *meant =
            option_nearest(cases[i].given, strlen(cases[i].given));

        if (!cases[i].meant)
            assert_null(meant);
        else
            assert_string_equal(meant ? meant : "", cases[i].meant);
    }
}

static void signals_have_names_and_numbers(void **state)
{
    (void)state;
    assert_int_equal(config_signal_number("SEGV"), SIGSEGV);
    assert_int_equal(config_signal_number("SIGSEGV"), SIGSEGV);
    assert_int_equal(config_signal_number("sigsegv"), SIGSEGV);
    assert_int_equal(config_signal_number("11"), 11);
    assert_int_equal(config_signal_number("IOT"), SIGABRT);
    assert_int_equal(config_signal_number("64"), 64);
    const char *none[] = { "", "SIG", "FOO", "0", "65", "-1", "1x", "0011" };

    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        assert_int_equal(config_signal_number(none[i]), 0);
    for (int i = 1; i <= 31; i++)
        assert_int_equal(config_signal_number(config_signal_name(i)), i);
    assert_string_equal(config_signal_name(SIGABRT), "SIGABRT");
    assert_string_equal(config_signal_name(0), "SIG??");
    assert_string_equal(config_signal_name(99), "SIG??");
}

static void deinit_may_be_called_twice(void **state)
{
    (void)state;
    struct config c = GOOD("a.py", "--err-msg", "x", "--", "y");

    config_deinit(&c);
    config_deinit(&c);
}

#define here(name) cmocka_unit_test_setup_teardown(name, enter, folder_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        here(defaults_are_those_of_the_table),
        here(parts_of_another_environment_are_a_list),
        here(gpus_are_all_none_or_a_list),
        here(a_sanitizer_decides_alone),
        here(what_helps_runs_is_chosen),
        here(xids_have_a_class),
        here(paths_in_parts_count_from_the_settings_file),
        here(empty_lists_are_never_null),
        here(the_flags_of_tilelang_autodd_work_unchanged),
        here(short_flags_take_values_and_bundle),
        here(values_may_begin_with_a_dash_or_hold_an_equals_sign),
        here(what_stands_after_two_dashes_is_the_scripts),
        here(the_last_of_a_single_value_wins_and_lists_grow),
        here(booleans_take_no_value_or_yes_or_no),
        here(times_may_have_a_fraction_and_a_unit),
        here(numbers_are_whole_and_in_range),
        here(choices_are_listed_when_wrong),
        here(expect_takes_exit_signal_and_timeout),
        here(env_command_and_report_are_checked_for_their_form),
        here(empty_texts_are_refused_with_what_to_do),
        here(unknown_flags_get_a_suggestion),
        here(a_missing_value_or_script_is_said),
        here(help_and_version_stop_the_reading),
        here(doctor_is_a_command_unless_it_is_a_path),
        here(hidden_commands_keep_their_arguments_to_themselves),
        here(contradictions_are_errors_with_a_remedy),
        here(targets_are_looked_at_before_the_search),
        here(a_file_beside_the_script_is_read),
        here(it_is_looked_for_beside_the_script_not_here),
        here(flags_win_over_files_and_the_near_file_over_the_users),
        here(of_a_contradiction_over_two_layers_the_higher_stays),
        here(the_users_file_follows_xdg_and_home),
        here(mistakes_in_a_file_are_named_with_line_and_column),
        here(a_file_that_is_there_must_be_readable),
        here(a_home_that_may_not_be_searched_is_as_good_as_none),
        here(a_users_file_without_permission_is_an_error),
        here(relative_paths_in_a_file_count_from_its_folder),
        cmocka_unit_test(every_option_is_complete_and_its_default_fits),
        cmocka_unit_test(help_names_every_option_and_fits_a_terminal),
        cmocka_unit_test(suggestions_are_near_or_absent),
        cmocka_unit_test(signals_have_names_and_numbers),
        here(deinit_may_be_called_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
