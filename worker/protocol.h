/* protocol.h - what the minimizer and a worker say to each other: frames, one
 * JSON object on one line each. The whole public face of worker/.
 *
 *   worker -> minimizer          minimizer -> worker
 *     hello   who I am             setup   the job: one, before any run
 *     ready   the job can run      run     one trial
 *     result  how a trial ended    cancel  end that trial early
 *     note    text for the user    rest    end children that wait for runs
 *     room    runs that make       ping    still there?
 *             sense at a time
 *     pong
 *
 * The worker says hello first, answers setup by ready (which may say why it
 * can't), each run by one result, each ping by a pong. A second ready, not ok,
 * means that the job cannot be run any more. End of its stdin tells it to end
 * all and leave. Unknown members are ignored, unknown frame types are
 * an error. Bytes that need not be UTF-8 travel as base64. Pure: no I/O. */
#ifndef AUTODD_PROTOCOL_H
#define AUTODD_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/config.h"
#include "config/err.h"

#define PROTOCOL_VERSION 2
#define FRAME_MAX_BYTES (64u << 20) /* one line, newline included */

/* ---- hello ---- */
struct hello {
    int version;
    int64_t pid;
    char *host;
};

/* ---- setup ---- */
struct pattern {
    char *text; /* bytes as given; UTF-8 expected but not demanded */
    bool regex; /* PCRE2, multi-line */
};

struct job_setup {
    int slots;           /* runs at once */
    char *python;        /* name or path of the interpreter */
    char *script_name;   /* file name a candidate gets: "gemm.py" */
    char *script_dir;    /* absolute; what lies there is reachable in runs */
    struct strings argv; /* the script's own arguments */
    struct strings env;  /* "K=V", set over the worker's environment */
    struct strings hide; /* names in script_dir that runs do not see: our own
                          * output, reports, state */
    char *cwd;           /* absolute, or NULL: the run's own folder */
    char *command;       /* shell command with {file} in it, or NULL */
    char *test;          /* shell command whose exit 0 means yes, or NULL */
    enum config_backend backend;
    char *sanitizer;    /* tool of compute-sanitizer, for runs that are not
                         * forked, or NULL */
    bool fill;          /* runs may have AID_FILL */
    char *gpus;         /* --gpus; NULL, "none": what there is, unwatched */
    struct strings xid; /* --xid: "CODE=CLASS" */
    struct pattern *patterns;
    size_t npatterns;
    struct strings preload;   /* modules the zygote imports; siblings of the
                               * script are left out there */
    struct strings early_env; /* "K=V" set in the zygote before that */
    bool about;               /* ready shall tell of machine and packages */
    char *mark;               /* value of AUTODD_JOB in all processes of it */
    uint64_t memory_max;      /* bytes of RSS of one run's processes; 0: none */
    uint64_t file_max;        /* bytes, RLIMIT_FSIZE; 0: none */
    uint64_t procs_max;       /* processes of one run; 0: none */
    uint64_t output_max; /* bytes kept of each stream, half head half tail */
    uint64_t grace_ms;   /* TERM to KILL, exit to EOF */
};

/* ---- ready ---- */
struct ready {
    bool ok;
    char *error;          /* !ok: a sentence with the remedy */
    bool usage;           /* !ok: what the user asked for is at fault */
    char *python;         /* absolute path of the interpreter */
    char *python_version; /* "3.11.7" */
    /* For setup.about, as far as they could be found out, NULL and none else:
     * for people. */
    char *platform;          /* system, processor, C library */
    char *gpu;               /* models and driver */
    struct strings packages; /* "torch 2.11.0": of the preload list */
    char *sanitizer;         /* version of the one asked for, if it says it */
    bool forks; /* a fork server is being started; where it then turns out to be
                 * of no use, forked runs are fresh ones, and a note says why */
    char *no_fork_reason; /* !forks: why, as a sentence */
};

/* ---- run ---- */
enum run_how {
    RUN_FORK,  /* forked from the zygote if there is one, else fresh */
    RUN_FRESH, /* a new interpreter, empty caches */
    RUN_TRACE, /* as RUN_FORK, and traced; fresh and untraced where there is no
                * fork server */
    RUN_OBSERVE, /* as RUN_TRACE, and the values of expressions are noted */
    RUN_WARM, /* as RUN_FORK; in a child that has made its CUDA context ahead,
               * if one is ready */
    RUN_HOT   /* as RUN_FORK, in a child that runs one after another: it may
               * say no alone */
};

/* What is done to make a failure show each time, or in one place. */
enum run_aid {
    AID_FILL = 1 << 0,    /* memory that nobody has written to is filled */
    AID_BLOCKING = 1 << 1 /* CUDA_LAUNCH_BLOCKING=1 */
};
#define AIDS_ALL (AID_FILL | AID_BLOCKING)

/* What kernels do in Triton's interpreter, which does not mind. */
enum run_reach {
    REACH_SEEN = 1 << 0,    /* read or write memory */
    REACH_OUTSIDE = 1 << 1, /* of other than the tensors they were given */
    REACH_IDLE = 1 << 2     /* end and have changed nothing in these */
};
#define REACH_ALL (REACH_SEEN | REACH_OUTSIDE | REACH_IDLE)

/* What a run does to its fork server. */
enum run_learn {
    LEARN_NOTHING,
    LEARN_LAZY, /* once it is over, what it loaded by itself is loaded ahead for
                 * runs that are asked for from then on */
    LEARN_UNDO  /* it, and what comes after, has a server that did not do so */
};

struct run_request {
    uint64_t id;
    struct bytes text; /* of the candidate; owned after decoding */
    enum run_how how;
    uint64_t timeout_ms;
    unsigned aids;   /* set of enum run_aid */
    bool loads;      /* tell what its imports load, if it is forked */
    unsigned bounds; /* set of enum run_reach, to be told whether its kernels do
                      * that, if it is forked; what is more than REACH_SEEN ends
                      * a run that is not traced */
    bool caches;     /* tell whether it has put something into its caches */
    enum run_learn learn; /* RUN_FORK */
    char *compared; /* NULL, or first and past-the-last bytes of expressions,
                     * "12-20 35-41", of what forked runs come to: see
                     * observation.figures. "6 12-20 35-41": to six digits */
    char *path;     /* NULL; else run this very file (the final check): text is
                     * ignored, the run's folder is laid as always and is the
                     * cwd */
    char *cwd; /* NULL: the setup's, else the run's folder; else absolute */
    /* RUN_HOT: runs of one lane, one at a time, share a child; one of another
     * generation begins with a new child. */
    uint32_t lane, generation;
};

/* Of one that has been decoded, or copied: its text and strings are its own. */
void run_request_deinit(struct run_request *request);
void run_request_copy(struct run_request *to, const struct run_request *from);

/* Move it; `from` keeps its number alone. */
void run_request_take(struct run_request *to, struct run_request *from);

/* ---- result ---- */
#define FIGURES_PATTERN 0xfu       /* how the sides lie to one another */
#define FIGURES_FIRST 0x3fff0u     /* what the first came to */
#define FIGURES_OTHERS 0xfffc0000u /* and the others */

enum observed_end {
    END_EXIT,    /* exit_code */
    END_SIGNAL,  /* signal */
    END_TIMEOUT, /* was killed at the deadline */
    END_LIMIT,   /* was killed over a limit: what is in `why` */
    END_SYNTAX,  /* does not compile: never run; message in `exc_message` */
    END_LOST     /* could not be run: no verdict; reason in `why` */
};

#define MATCH_LINES_MAX 16 /* distinct lines of plain output kept a pattern */

/* Where one pattern occurred in the output, echoes of source left out. */
struct pattern_match {
    bool in_exception;  /* in type or message of that exception */
    uint64_t plain;     /* times in other output */
    uint64_t plain_err; /* of these, on standard error */
    uint64_t echo;      /* times in echoed source: counts for nothing */
    char *lines[MATCH_LINES_MAX]; /* whole lines of plain output with it,
                                   * distinct, each at most 1024 bytes */
    size_t nlines;
};

#define RAN_MAX_BYTES (1u << 20) /* of observation.ran */
#define EXC_FRAMES_MAX_BYTES 1024

#define VALUES_MAX_BYTES (1u << 20) /* of observation.values */
#define LOADS_MAX_BYTES 64

struct observation {
    enum observed_end end;
    int exit_code;
    int signal;
    char *why; /* END_LIMIT, END_LOST; NULL else */
    bool forked;
    char *gpu;     /* uuid of the one it was given; NULL: none in particular */
    bool cuda;     /* forked, not ended by a signal: had made a CUDA context */
    bool warm;     /* made it ahead of the run */
    uint64_t hot;  /* number of the hot child that it ran in; 0: in none */
    uint64_t turn; /* hot: which run in that child, from 1 */
    bool kept;     /* hot: the child is fit for another run */
    /* Forked: modules that were loaded ahead, by LEARN_LAZY. */
    uint32_t learned;
    /* Which of them the run has imported, as a sum: two runs with the same one
     * have very likely imported the same. */
    uint32_t shown;
    /* For request.compared: a number for what these came to, each time that
     * they were not the same and the last time, and for how they lay to one
     * another the last time: whether some elements were right, for one. Its
     * bits are FIGURES_*. 0: not known. Two runs of one computation have the
     * same, one of another hardly ever has. */
    uint32_t figures;
    unsigned reach; /* for request.bounds, set of enum run_reach */

    /* The last traceback on stderr; of several that have nothing to do with
     * one another the last with a text of the setup. NULL: there is none. */
    char *exc_type;    /* as printed, dotted: "struct.error" */
    char *exc_message; /* all lines of it, "" when it has none */
    uint32_t exc_line; /* innermost line of the script in it; 0: unknown */
    char *exc_frames;  /* lines of the script in it, "12,80,45", innermost
                        * last, and before them those of what it was raised
                        * from; NULL: none. At most EXC_FRAMES_MAX_BYTES */
    bool exc_later;    /* it was not the last */

    struct pattern_match *matches; /* one a pattern of the setup */
    size_t nmatches;

    uint64_t wall_ms, cpu_ms;
    bool busy;         /* at its deadline it worked without a pause */
    bool compiled;     /* for request.caches: more files in the compilers'
                        * caches after it than before */
    uint64_t peak_rss; /* bytes; 0: not measured */
    char *out, *err;   /* head and tail of each stream, NUL-terminated */
    size_t out_len, err_len;
    bool out_cut, err_cut; /* the middle was dropped; "\n...\n" stands there */

    /* RUN_TRACE: lines of the script that ran, as ranges "1-5,7,9-12",
     * ascending; NULL: not traced, or not to its end. Only a line that begins
     * some code can be here: of a statement of many lines not all are, and what
     * has no code (docstrings, `global`, `else:`) has no line. Forks of the run
     * count, processes that it spawned do not. */
    char *ran;

    /* RUN_OBSERVE: expressions of the script, one line each, ascending, the
     * outer one before those in it: "START-END=VALUE" for one that had this
     * simple value each time it ran, the bytes of the script and source text
     * in ASCII that is no longer, or, for a name, not much; "START-END+" for
     * another call, attribute or operation that came back. NULL: not noted. */
    char *values;

    /* For request.loads: a short text. Two scripts with the same one, forked by
     * workers of one job, would by themselves load the same modules with the
     * same environment, those of the standard library aside. NULL: not
     * known. */
    char *loads;
};

/* ---- a frame ---- */
enum frame_type {
    FRAME_HELLO,
    FRAME_SETUP,
    FRAME_READY,
    FRAME_RUN,
    FRAME_RESULT,
    FRAME_CANCEL,
    FRAME_PING,
    FRAME_PONG,
    FRAME_NOTE,
    FRAME_ROOM,
    FRAME_REST
};

/* What a rest is for: hot children are wanted again only with a run, and else
 * hold memory, of a GPU too. */
enum rest {
    REST_HOT, /* hot children that wait */
    REST_ALL  /* warm ones too */
};

struct frame {
    enum frame_type type;
    uint64_t id; /* RESULT, CANCEL, PING, PONG; runs of ROOM; enum rest */
    union {
        struct hello hello;
        struct job_setup setup;
        struct ready ready;
        struct run_request run;
        struct observation result;
        char *note;
    } u;
};

/* Append the frame as one line with its newline. The frame is borrowed. 0 or
 * -E2BIG. */
int frame_encode(const struct frame *frame, struct buf *out);

/* Read one line (without or with its newline) into *frame, which then owns its
 * strings: frame_deinit(). -EINVAL with a sentence in err for anything that is
 * not a whole, valid frame; *frame needs no deinit then. */
int frame_decode(const char *line, size_t len, struct frame *frame,
                 struct err *err);
void frame_deinit(struct frame *frame);

void observation_deinit(struct observation *observation);

/* A deep copy; the caller deinits it. */
void observation_copy(struct observation *to, const struct observation *from);

/* "exit 1", "signal SIGSEGV", "timeout", ...: into out, which is returned. */
const char *observation_ending(const struct observation *observation, char *out,
                               size_t size);

/* The worker's main: `autodd-c worker`. Serves frames on stdin and stdout until
 * EOF; returns the exit code. */
int worker_main(void);

/* For the end of a job, when its workers are gone: kill the processes and
 * delete the folders that they left, a worker killed at the wrong moment being
 * unable to. Blocks for some 50 ms. */
void worker_clean(const char *mark);

/* `autodd-c gpu watch|list|canary`: what asks the driver, in a process of its
 * own, for it may hang. Exit code. */
int gpu_main(int argc, char **argv);

/* `autodd-c limits`: argv as worker/limits.h says; does not return but on
 * error (exit code). */
int limits_main(int argc, char **argv);

#endif
