/* What a candidate must keep: named calls, and the test that decides. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "grammar/guard.h"
#include "grammar/node.h"
#include "grammar/observed.h"

static struct tree *parse(const char *text)
{
    return tree_parse(bytes_of(text, strlen(text)));
}

/* The line, from 1, in which `part` stands first. */
static uint32_t line_with(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    uint32_t line = 1;

    assert_non_null(at);
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static bool holds(const char *original, const struct guard_failure *failure,
                  const char *text)
{
    struct tree *tree = parse(original), *candidate = parse(text);
    struct guard guard;
    bool result;

    guard_init(&guard, tree, failure, NULL, 0);
    if (!guard.words)
        fail_msg("nothing is kept of:\n%s", original);
    assert_true(guard_holds(&guard, tree));
    result = guard_holds(&guard, candidate);
    guard_deinit(&guard);
    tree_free(tree);
    tree_free(candidate);
    return result;
}

/* The failure is raised in the line with `where`, or printed by it. */
static struct guard_failure raised(const char *original, const char *where)
{
    return (struct guard_failure){ .line = line_with(original, where),
                                   .own_words = true };
}

static struct guard_failure printed(const char *text)
{
    return (struct guard_failure){ .texts = { text }, .ntexts = 1 };
}

static void check(const char *original, const struct guard_failure *failure,
                  const char *const *kept, const char *const *lost)
{
    for (; *kept; kept++)
        if (!holds(original, failure, *kept))
            fail_msg("refused:\n%s", *kept);
    for (; *lost; lost++)
        if (holds(original, failure, *lost))
            fail_msg("let through:\n%s", *lost);
}

#define TEXTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char triton[] =
    "import torch, triton\n"
    "@triton.jit\n"
    "def other(x_ptr, out_ptr, n):\n"
    "    tl.store(out_ptr, tl.load(x_ptr) * 2)\n"
    "@triton.jit\n"
    "def double(x_ptr, out_ptr, stride):\n"
    "    at = out_ptr + stride * tl.program_id(0)\n"
    "    tl.store(at, tl.load(x_ptr) * 2)\n"
    "class Op:\n"
    "    def __call__(self, x):\n"
    "        out = torch.zeros_like(x)\n"
    "        double[(1,)](x, out, x.stride(0))\n"
    "        return out\n"
    "def reference(x):\n"
    "    return x + x\n"
    "def main():\n"
    "    x = torch.ones(2)\n"
    "    y = torch.zeros(2)\n"
    "    other[(1,)](x, y, 2)\n"
    "    op = Op()\n"
    "    got, want = op(x), reference(x)\n"
    "    torch.testing.assert_close(got, want, rtol=1e-3)\n"
    "main()\n";

static void a_kernels_result_stays_in_the_comparison(void **state)
{
    struct guard_failure failure = raised(triton, "testing.assert_close");
    (void)state;

    check(triton, &failure,
          TEXTS("@triton.jit\n"
                "def double(out_ptr):\n"
                "    tl.store(out_ptr, tl.program_id(0))\n"
                "out = torch.zeros(2)\n"
                "double[1,](out)\n"
                "torch.testing.assert_close(out, torch.ones(2))\n",
                "@triton.jit\n"
                "def double(x_ptr, out_ptr):\n"
                "    tl.store(out_ptr, tl.load(x_ptr) * 2)\n"
                "def run(x):\n"
                "    out = torch.empty_like(x)\n"
                "    double[1,](x, out)\n"
                "    return out\n"
                "x = torch.ones(2)\n"
                "torch.testing.assert_close(run(x), x + x)\n",
                "@triton.jit\n"
                "def double(x_ptr, out_ptr):\n"
                "    tl.store(out_ptr, tl.load(x_ptr) * 2)\n"
                "x = torch.ones(2)\n"
                "out = x.clone()\n"
                "double[1,](x, out_ptr=out)\n"
                "torch.testing.assert_close(actual=out, expected=x * 2)\n"),
          TEXTS(
              /* no test, a constant one */
              "@triton.jit\n"
              "def double(out_ptr):\n"
              "    tl.store(out_ptr, 1)\n"
              "out = torch.zeros(2)\n"
              "double[1,](out)\n",
              "torch.testing.assert_close(1, 2)\n",
              /* no launch, a launch of what is not compared */
              "@triton.jit\n"
              "def double(out_ptr):\n"
              "    tl.store(out_ptr, 1)\n"
              "x = torch.ones(2)\n"
              "double[Shape(*x)]\n"
              "torch.testing.assert_close(x, 1 / x)\n",
              "@triton.jit\n"
              "def double():\n"
              "    pass\n"
              "x = torch.randn(1, 1)\n"
              "rows, cols = x.shape\n"
              "double[(rows,)]()\n"
              "torch.testing.assert_close(torch.empty_like(x), x)\n",
              "@triton.jit\n"
              "def double(out_ptr):\n"
              "    tl.store(out_ptr, 1)\n"
              "out = torch.zeros(2)\n"
              "x = torch.ones(2)\n"
              "double[1,](out)\n"
              "torch.testing.assert_close(x, torch.zeros(2))\n",
              /* the kernel writes nothing, or elsewhere */
              "@triton.jit\n"
              "def double(out_ptr):\n"
              "    pass\n"
              "out = torch.zeros(2)\n"
              "double[1,](out)\n"
              "torch.testing.assert_close(out, torch.ones(2))\n",
              "@triton.jit\n"
              "def double(x_ptr, out_ptr):\n"
              "    tl.store(out_ptr, tl.load(x_ptr) * 2)\n"
              "x = torch.ones(2)\n"
              "out = torch.zeros(2)\n"
              "double[1,](x, out)\n"
              "torch.testing.assert_close(x, out * 0)\n"
              "torch.testing.assert_close(x, x + x)\n"
              "torch.testing.assert_close(out, 0)\n",
              /* another kernel */
              "@triton.jit\n"
              "def other(out_ptr):\n"
              "    tl.store(out_ptr, 1)\n"
              "out = torch.zeros(2)\n"
              "other[1,](out)\n"
              "torch.testing.assert_close(out, torch.ones(2))\n",
              /* nothing to compare with: a number, the input, no values */
              "@triton.jit\n"
              "def double(out_ptr):\n"
              "    tl.store(out_ptr, 1)\n"
              "out = torch.zeros(2)\n"
              "double[1,](out)\n"
              "torch.testing.assert_close(out, 0.0)\n",
              "@triton.jit\n"
              "def double(x_ptr, out_ptr):\n"
              "    tl.store(out_ptr, tl.load(x_ptr) * 2)\n"
              "x = torch.ones(2)\n"
              "out = torch.zeros(2)\n"
              "double[1,](x, out)\n"
              "torch.testing.assert_close(out, x)\n",
              "@triton.jit\n"
              "def double(out_ptr):\n"
              "    tl.store(out_ptr, 1)\n"
              "out = torch.zeros(2)\n"
              "double[1,](out)\n"
              "torch.testing.assert_close(out, torch.empty(2))\n"));
}

static void a_reference_beside_the_kernel_may_leave_its_class(void **state)
{
    static const char original[] =
        "class Op:\n"
        "    def __init__(self, scale):\n"
        "        self.scale = scale\n"
        "        self.kernel = make(scale)\n"
        "    def __call__(self, x):\n"
        "        return self.kernel(x)\n"
        "    def reference(self, x):\n"
        "        return torch.relu(x * self.scale)\n"
        "@tilelang.jit\n"
        "def make(scale):\n"
        "    return f\n"
        "op = Op(2)\n"
        "x = torch.randn(4)\n"
        "for i, (a, b) in enumerate(zip(op(x), op.reference(x))):\n"
        "    torch.testing.assert_close(a, b)\n";
    struct guard_failure failure = raised(original, "testing.assert_close");
    (void)state;

    check(original, &failure,
          TEXTS("@tilelang.jit\n"
                "def make(scale):\n"
                "    return f\n"
                "x = torch.randn(4)\n"
                "torch.testing.assert_close(make(2)(x), torch.relu(x))\n"),
          TEXTS("@tilelang.jit\n"
                "def make(scale):\n"
                "    return f\n"
                "x = torch.randn(4)\n"
                "make(2)(x)\n"
                "torch.testing.assert_close(x * 2, torch.relu(x))\n"));
}

static void opaque_kernels_may_write_any_argument(void **state)
{
    static const char raw[] = "k = cupy.RawKernel(source, 'k')\n"
                              "out = cupy.zeros(2)\n"
                              "k((1,), (1,), (out, 2))\n"
                              "assert (out == want(2)).all()\n";
    static const char factory[] = "@tilelang.jit(out_idx=[-1])\n"
                                  "def matmul(M, N):\n"
                                  "    @T.prim_func\n"
                                  "    def main(A: T.Tensor((M, N))):\n"
                                  "        T.copy(A, B)\n"
                                  "    return main\n"
                                  "kernel = matmul(8, 8)\n"
                                  "a = torch.randn(8, 8)\n"
                                  "c = kernel(a)\n"
                                  "torch.testing.assert_close(c, a @ a)\n";
    static const char numba[] = "@cuda.jit\n"
                                "def k(a):\n"
                                "    i = cuda.grid(1)\n"
                                "    a[i] = i\n"
                                "def run():\n"
                                "    out = np.zeros(4)\n"
                                "    k[1, 4](out)\n"
                                "    return out\n"
                                "assert list(run()) == [0, 1, 2]\n";
    struct guard_failure failure = raised(raw, "assert");
    (void)state;

    check(raw, &failure,
          TEXTS("k = cupy.RawKernel('', 'k')\n"
                "out = cupy.zeros(2)\n"
                "k((1,), (1,), (out,))\n"
                "assert (out == cupy.ones(2)).all()\n"),
          TEXTS("out = cupy.zeros(2)\n"
                "assert (out == cupy.ones(2)).all()\n"));
    failure = raised(factory, "testing.assert_close");
    check(factory, &failure,
          TEXTS("@tilelang.jit\n"
                "def matmul():\n"
                "    return f\n"
                "a = torch.randn(8)\n"
                "torch.testing.assert_close(matmul()(a), a @ a)\n"),
          TEXTS("@tilelang.jit\n"
                "def matmul():\n"
                "    return f\n"
                "matmul()\n"
                "a = torch.randn(8)\n"
                "torch.testing.assert_close(a, a @ a)\n"));
    failure = raised(numba, "assert");
    check(numba, &failure,
          TEXTS("@cuda.jit\n"
                "def k(a):\n"
                "    a[0] = cuda.grid(1)\n"
                "out = np.zeros(4)\n"
                "k[1, 4](out)\n"
                "assert list(out) == [0]\n"),
          TEXTS("@cuda.jit\n"
                "def k(a):\n"
                "    a[0] = 1\n"
                "out = np.zeros(4)\n"
                "assert list(out) == [0]\n",
                "@cuda.jit\n"
                "def k(a):\n"
                "    a[0] = 1\n"
                "out = np.zeros(4)\n"
                "k[1, 4](out)\n"
                "assert False\n"));
}

/* Kernels and tests in plain Python, as the failure is raised or printed. */
#define PLAIN                                                                  \
    "def dot(a, b):\n"                                                         \
    "    total = 0\n"                                                          \
    "    for k in range(len(a) - 1):\n"                                        \
    "        total += a[k] * b[k]\n"                                           \
    "    return total\n"                                                       \
    "def reference(a, b):\n"                                                   \
    "    return sum(x * y for x, y in zip(a, b))\n"                            \
    "a = [random.random() for _ in range(4)]\n"                                \
    "b = [random.random() for _ in range(4)]\n"                                \
    "got = dot(a, b)\n"                                                        \
    "want = reference(a, b)\n"

static void a_raise_stays_under_its_condition(void **state)
{
    static const char original[] = PLAIN "if abs(got - want) > 1e-9:\n"
                                         "    raise ValueError('boom')\n";
    struct guard_failure failure = raised(original, "raise");
    (void)state;

    check(
        original, &failure,
        TEXTS("def dot(a):\n"
              "    return a[0] * a[0]\n"
              "a = [random.random()]\n"
              "if dot(a) - sum(x for x in a):\n"
              "    raise ValueError('boom')\n",
              PLAIN "error = got - want\n"
                    "if error:\n"
                    "    raise ValueError('boom')\n",
              PLAIN "def check(x, y):\n"
                    "    if x != y:\n"
                    "        raise ValueError('boom')\n"
                    "check(got, want)\n",
              PLAIN "if got == want:\n"
                    "    exit()\n"
                    "raise ValueError('boom')\n",
              PLAIN "def fail():\n"
                    "    raise ValueError('boom')\n"
                    "if got != want:\n"
                    "    fail()\n",
              PLAIN "errors = 0\n"
                    "if got != want:\n"
                    "    errors += 1\n"
                    "if errors:\n"
                    "    raise ValueError('boom')\n"),
        TEXTS("def rows(n):\n"
              "    b = [n]\n"
              "    for g, w in zip([0] * n, [b for r in [random.Random()]]):\n"
              "        if g != w:\n"
              "            raise ValueError('boom')\n"
              "rows(2)\n",
              "raise ValueError('boom')\n",
              "if 1:\n"
              "    raise ValueError('boom')\n",
              "if 2 - 1 > 1e-9:\n"
              "    raise ValueError('boom')\n",
              PLAIN "raise ValueError('boom')\n",
              PLAIN "if got:\n"
                    "    raise ValueError('boom')\n",
              PLAIN "if got - 1:\n"
                    "    raise ValueError('boom')\n",
              "a = random.random()\n"
              "b = random.random()\n"
              "if a - b:\n"
              "    raise ValueError('boom')\n"));
}

static void another_raise_does_not_stand_for_it(void **state)
{
    static const char original[] = PLAIN "if abs(got - want) > 1e-9:\n"
                                         "    raise ValueError('boom')\n";
    struct guard_failure failure = raised(original, "raise");
    (void)state;

#define OTHER(what)                                                            \
    PLAIN "def other():\n"                                                     \
          "    if got != want:\n"                                              \
          "        " what "\n"                                                 \
          "raise ValueError('boom')\n"
    check(original, &failure,
          TEXTS(PLAIN "text = 'boom'\n"
                      "if got != want:\n"
                      "    raise ValueError(text)\n",
                PLAIN "if got != want:\n"
                      "    raise builtins.ValueError(f'row {1}: boom')\n",
                PLAIN "error = ValueError('boom')\n"
                      "if got != want:\n"
                      "    raise error\n"),
          TEXTS(OTHER("raise"), OTHER("raise ValueError"),
                OTHER("raise ValueError()"), OTHER("raise TypeError('boom')"),
                OTHER("raise ValueError('another')")));
}

static void the_line_tells_whether_it_is_what_failed(void **state)
{
    static const char original[] = PLAIN "if abs(got - want) > 1e-9:\n"
                                         "    raise ValueError('boom')\n";
    static const char other[] = PLAIN "def unused():\n"
                                      "    if got != want:\n"
                                      "        raise ValueError(\n"
                                      "            'boom')\n"
                                      "raise ValueError('bo' + 'om')\n";
    struct guard_failure failure = raised(original, "raise");
    struct tree *tree = parse(original);
    struct bytes text = bytes_of(other, strlen(other));
    uint32_t last = 0;
    struct guard guard;
    (void)state;

    for (const char *c = other; *c; c++)
        last += *c == '\n';
    guard_init(&guard, tree, &failure, NULL, 0);
    assert_true(guard_failed(&guard, bytes_of(original, strlen(original)),
                             failure.line));
    assert_false(guard_failed(&guard, text, last));
    assert_true(guard_failed(&guard, text, last - 1));
    assert_true(guard_failed(&guard, text, last - 2));
    assert_false(guard_failed(&guard, text, last - 3));
    assert_false(guard_failed(&guard, text, last + 9));
    assert_true(guard_failed(&guard, text, 0));
    guard_deinit(&guard);
    tree_free(tree);
}

static void what_never_runs_gives_nothing(void **state)
{
    static const char original[] = PLAIN "if abs(got - want) > 1e-9:\n"
                                         "    raise ValueError('boom')\n";
    struct guard_failure failure = raised(original, "raise");
    (void)state;

    check(original, &failure,
          TEXTS("def f(got, want):\n"
                "    for i in range(2):\n"
                "        if got != want:\n"
                "            raise ValueError('boom')\n"
                "        got += random.random()\n"
                "        want = got + 1\n"
                "f(0, 1)\n"),
          TEXTS("def f(got, want):\n"
                "    if got == want:\n"
                "        return\n"
                "    raise ValueError('boom')\n"
                "    got *= random.random()\n"
                "    want = got + 1\n"
                "f(0, 1)\n",
                "def f(got, want):\n"
                "    if got != want:\n"
                "        raise ValueError('boom')\n"
                "    got *= random.random()\n"
                "    want = got + 1\n"
                "f(0, 1)\n",
                "got = 0\n"
                "want = 1\n"
                "if got != want:\n"
                "    raise ValueError('boom')\n"
                "got *= random.random()\n"
                "want = got + 1\n"));
}

static void a_printed_text_stays_under_its_condition(void **state)
{
    static const char original[] =
        PLAIN "bad = [i for i in range(1) if got != want]\n"
              "if bad:\n"
              "    print(f'row {bad[0]}: mismatch of {got}')\n"
              "    sys.exit(1)\n";
    struct guard_failure failure = printed("mismatch of");
    (void)state;

    check(original, &failure,
          TEXTS(PLAIN "if got != want:\n"
                      "    print('mismatch of')\n",
                PLAIN "got == want or print('mismatch of')\n",
                PLAIN "print('mismatch of' if got != want else '')\n",
                PLAIN "try:\n"
                      "    assert got == want\n"
                      "except AssertionError:\n"
                      "    print('mismatch of')\n"),
          TEXTS("print('mismatch of')\n"
                "sys.exit(1)\n",
                PLAIN "print('mismatch of')\n"
                      "if got != want:\n"
                      "    sys.exit(1)\n",
                PLAIN "if a:\n"
                      "    print('mismatch of')\n"));
}

static void a_bare_exit_stays_under_its_condition(void **state)
{
    static const char original[] = PLAIN "def main():\n"
                                         "    if got != want:\n"
                                         "        sys.exit(1)\n"
                                         "main()\n";
    struct guard_failure failure = { .exits = true };
    (void)state;

    check(original, &failure,
          TEXTS(PLAIN "if got != want:\n"
                      "    sys.exit(1)\n"),
          TEXTS("import sys\n"
                "sys.exit(1)\n"));
}

static void conversions_of_one_source_may_be_compared(void **state)
{
    static const char original[] =
        "class Stats:\n"
        "    def __init__(self, dtype):\n"
        "        self.dtype = dtype\n"
        "    def mean(self, x):\n"
        "        return x.to(self.dtype).sum() / x.numel()\n"
        "def compare(a, b):\n"
        "    torch.testing.assert_close(a, b)\n"
        "x = torch.linspace(0, 1, 5)\n"
        "half, full = Stats(torch.float16), Stats(torch.float32)\n"
        "compare(half.mean(x), full.mean(x))\n";
    struct guard_failure failure = raised(original, "testing.assert_close");
    (void)state;

    check(original, &failure,
          TEXTS("x = torch.linspace(0.15, 0.85, 2)\n"
                "torch.testing.assert_close(x.to(torch.float16).float(), x)\n"),
          TEXTS("x = torch.linspace(0.15, 0.85, 2)\n"
                "torch.testing.assert_close(torch.zeros(2), x)\n",
                "x = torch.linspace(0.15, 0.85, 2)\n"
                "torch.testing.assert_close(torch.empty_like(x), x)\n"));
}

static void nothing_is_kept_where_nothing_is_tested(void **state)
{
    static const struct {
        const char *text, *where;
        bool own_words;
    } cases[] = {
        { "assert 1 == 2\n", "assert", true },
        { "raise ValueError('boom')\n", "raise", true },
        { "if __name__ == '__main__':\n    raise ValueError('boom')\n", "raise",
          true },
        { "x = f()\nif x:\n    raise ValueError(x)\n", "raise", false },
        { "x = f()\nif x:\n    T.gemm(x)\n", "gemm", true },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tree *tree = parse(cases[i].text);
        struct guard_failure failure = raised(cases[i].text, cases[i].where);
        struct guard guard;

        failure.own_words = cases[i].own_words;
        guard_init(&guard, tree, &failure, NULL, 0);
        assert_null(guard.words);
        assert_false(guard_keeps(&guard));
        assert_true(guard_holds(&guard, tree));
        guard_deinit(&guard);
        guard_init(&guard, tree, NULL, NULL, 0);
        assert_false(guard_keeps(&guard));
        guard_deinit(&guard);
        tree_free(tree);
    }
}

static void the_user_is_told_lines_and_sides(void **state)
{
    struct tree *tree = parse(triton);
    struct guard_failure failure = raised(triton, "testing.assert_close");
    struct guard guard;
    (void)state;

    guard_init(&guard, tree, &failure, NULL, 0);
    assert_string_equal(guard.words,
                        "the test in line 22 and what it compares: got (by "
                        "double in line 12), want");
    guard_deinit(&guard);
    tree_free(tree);
}

static void named_calls_stay_all_of_them(void **state)
{
    char *names[] = { (char *)(uintptr_t) "zeros_like",
                      (char *)(uintptr_t) "nowhere" };
    struct tree *tree = parse(triton);
    struct tree *kept = parse("torch.zeros_like(1)\n");
    struct tree *lost = parse("zeros_like = 1\n");
    struct guard guard;
    (void)state;

    guard_init(&guard, tree, NULL, names, 2);
    assert_true(guard_keeps(&guard));
    assert_int_equal(guard.counts[1], 0);
    assert_true(guard_holds(&guard, tree));
    assert_true(guard_holds(&guard, kept));
    assert_false(guard_holds(&guard, lost));
    guard_deinit(&guard);
    tree_free(tree);
    tree_free(kept);
    tree_free(lost);
}

/* ---- what is not the fault, but shows its words ---- */

#define SCAN(kernel, host)                                                     \
    "@cuda.jit\n"                                                              \
    "def add(sums, offsets):\n" kernel host                                    \
    "np.testing.assert_array_equal(sums, want)\n"
#define SUMS                                                                   \
    "sums = np.zeros(20)\n"                                                    \
    "add[3, 8](sums, np.ones(3))\n"                                            \
    "want = np.cumsum(np.ones(20))\n"

static const char scan[] = SCAN("    t = cuda.threadIdx.x\n"
                                "    i = cuda.grid(1)\n"
                                "    if i < sums.size and t < 7:\n"
                                "        value = offsets[cuda.blockIdx.x]\n"
                                "        sums[i] += value\n",
                                SUMS);

static void what_a_kernel_writes_does_not_become_constant(void **state)
{
    struct guard_failure failure = raised(scan, "testing.assert");
    (void)state;

    check(scan, &failure,
          TEXTS(SCAN("    sums[0] = offsets[0]\n", SUMS),
                SCAN("    x = offsets[0] + 1\n"
                     "    sums[0] = x\n",
                     SUMS),
                SCAN("    sums[0] = cuda.blockIdx.x\n", SUMS),
                SCAN("    for i in range(3):\n"
                     "        sums[0] = i\n",
                     SUMS)),
          TEXTS(SCAN("    sums[0] = 0\n", SUMS),
                SCAN("    if 0:\n"
                     "        sums[0] = offsets[0]\n",
                     SUMS),
                SCAN("    local = cuda.shared.array(8, int32)\n"
                     "    local[0] = offsets[0]\n",
                     SUMS),
                SCAN("    sums[0] = 0\n"
                     "    local = cuda.local.array(offsets.size, int32)\n"
                     "    local[0] = offsets[0]\n",
                     SUMS),
                SCAN("    sums[0] = offsets[0]\n",
                     "sums = 0\n"
                     "add[3, 8](sums, np.ones(3))\n"
                     "want = np.cumsum(np.ones(20))\n"),
                SCAN("    x = 3\n"
                     "    sums[cuda.grid(1)] = x * 2\n",
                     SUMS),
                SCAN("    local = offsets[0]\n", SUMS)));
}

static void where_some_are_wrong_what_decides_which_stays(void **state)
{
    struct guard_failure failure = raised(scan, "testing.assert");
    (void)state;

    failure.some = true;
    check(scan, &failure,
          TEXTS(SCAN("    if cuda.threadIdx.x:\n"
                     "        sums[cuda.grid(1)] += offsets[0]\n",
                     SUMS),
                SCAN("    i = cuda.grid(1)\n"
                     "    while i < 7:\n"
                     "        sums[i] = offsets[0]\n",
                     SUMS)),
          TEXTS(SCAN("    sums[cuda.grid(1)] += offsets[0]\n", SUMS),
                SCAN("    if 1:\n"
                     "        sums[cuda.grid(1)] += offsets[0]\n",
                     SUMS),
                SCAN("    if cuda.threadIdx.x:\n"
                     "        sums[0] += offsets[0]\n",
                     SUMS)));
}

/* A kernel in Triton, and the test behind what it writes into `out`. */
#define STORED(kernel, test)                                                   \
    "@triton.jit\n"                                                            \
    "def k(x_ptr, out_ptr, n):\n"                                              \
    "    at = tl.arange(0, 8)\n" kernel "x = torch.ones(8)\n"                  \
    "out = torch.zeros(8)\n"                                                   \
    "k[1,](x, out, 8)\n" test
#define ALL_CLOSE "torch.testing.assert_close(out, x * 8)\n"

static void one_value_of_many_stays_that(void **state)
{
    static const char summed[] =
        STORED("    total = tl.sum(tl.load(x_ptr + at), axis=0)\n"
               "    tl.store(out_ptr + at, total)\n",
               ALL_CLOSE);
    static const char looped[] = STORED("    total = 0.0\n"
                                        "    for i in range(n):\n"
                                        "        total += tl.load(x_ptr + i)\n"
                                        "    mean = total / n\n"
                                        "    tl.store(out_ptr + at, mean)\n",
                                        ALL_CLOSE);
    static const char atomic[] =
        STORED("    tl.atomic_add(out_ptr, tl.load(x_ptr + at))\n", ALL_CLOSE);
    static const char *const kept[] = {
        STORED("    tl.store(out_ptr, tl.sum(at))\n", ALL_CLOSE),
        STORED("    tl.store(out_ptr, tl.max(tl.load(x_ptr + at), 0))\n",
               ALL_CLOSE),
        STORED("    local = T.alloc_fragment(1)\n"
               "    T.reduce_sum(x_ptr, local)\n"
               "    out_ptr[0] = local\n",
               ALL_CLOSE),
        STORED("    total = 0\n"
               "    while n:\n"
               "        total += at\n"
               "    tl.store(out_ptr, total)\n",
               ALL_CLOSE),
        STORED("    for i in range(n):\n"
               "        out_ptr[0] += i\n",
               ALL_CLOSE),
        STORED("    tl.atomic_max(out_ptr, at)\n", ALL_CLOSE),
        NULL
    };
    static const char *const lost[] = {
        STORED("    tl.store(out_ptr, tl.load(x_ptr))\n", ALL_CLOSE),
        STORED("    tl.store(out_ptr, max(n, 1))\n", ALL_CLOSE),
        STORED("    total = 0\n"
               "    total += n\n"
               "    tl.store(out_ptr, total)\n",
               ALL_CLOSE),
        STORED("    out_ptr[0] += n\n", ALL_CLOSE),
        STORED("    total = at\n"
               "    while 0:\n"
               "        total += at\n"
               "    for i in range(0):\n"
               "        total = tl.sum(at)\n"
               "    for i in ():\n"
               "        total += at\n"
               "    tl.store(out_ptr, total)\n",
               ALL_CLOSE),
        STORED("    i = 0\n"
               "    while i < n:\n"
               "        i += 1\n"
               "    tl.store(out_ptr, tl.load(x_ptr + i))\n",
               ALL_CLOSE),
        STORED("    local = tl.sum(at)\n"
               "    tl.store(out_ptr, n)\n",
               ALL_CLOSE),
        NULL
    };
    const char *const originals[] = { summed, looped, atomic };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(originals); i++) {
        struct guard_failure failure = raised(originals[i], "testing.assert");

        check(originals[i], &failure, kept, lost);
    }
}

#define COPIED(test)                                                           \
    STORED("    tl.store(out_ptr + at, tl.load(x_ptr + at))\n", test)

static void a_tolerance_stays_or_is_the_default(void **state)
{
    static const char close[] = COPIED(
        "torch.testing.assert_close(out, x * 8, rtol=1e-3, atol=0.01)\n");
    static const char above[] = COPIED("limit = 1e-3\n"
                                       "worst = (out - x * 8).abs().max()\n"
                                       "assert worst <= limit\n");
    static const char unknown[] =
        COPIED("from m import EPS\n"
               "assert (out - x * 8).abs().max() <= EPS\n");
    static const char exact[] = COPIED("assert (out == x * 8).all()\n");
    static const char word[] =
        COPIED("assert ('ok' if (out == x * 8).all() else '') == 'ok'\n");
    struct guard_failure failure = raised(close, "testing.assert");
    (void)state;

    check(close, &failure,
          TEXTS(COPIED("torch.testing.assert_close(out, x * 8)\n"),
                COPIED("t = 1e-3\n"
                       "torch.testing.assert_close(out, x * 8, rtol=t)\n"),
                COPIED("torch.testing.assert_close(out, x * 8, atol=f())\n"),
                COPIED("torch.testing.assert_close(out, x * 8, msg=0)\n")),
          TEXTS(COPIED("torch.testing.assert_close(out, x * 8, rtol=0)\n"),
                COPIED("torch.allclose(out, x * 8, 1e-4)\n"),
                COPIED("t = 0\n"
                       "torch.testing.assert_close(out, x * 8, atol=t)\n")));
    failure = raised(above, "assert worst");
    check(above, &failure,
          TEXTS(COPIED("assert (out - x * 8) < 1e-3\n"),
                COPIED("assert torch.allclose(out, x * 8)\n")),
          TEXTS(COPIED("assert (out - x * 8).abs() < 0\n"),
                COPIED("assert not (out - x * 8).any()\n"),
                COPIED("assert out == x * 8\n"),
                COPIED("assert torch.allclose(out, x * 8, 0)\n")));
    failure = raised(unknown, "assert");
    check(unknown, &failure, TEXTS(COPIED("assert (out - x * 8) < 1e-3\n")),
          TEXTS(COPIED("assert (out - x * 8).abs() < 0\n"),
                COPIED("assert out == x * 8\n")));
    failure = raised(exact, "assert");
    check(exact, &failure, TEXTS(COPIED("assert (out - x * 8).abs() < 0\n")),
          TEXTS("assert False\n"));
    failure = raised(word, "assert");
    check(word, &failure, TEXTS(COPIED("assert out == x * 8\n")),
          TEXTS("assert False\n"));
}

/* A launch behind a function of the script. */
#define LAUNCHED(launch, result)                                               \
    "@triton.jit\n"                                                            \
    "def k(x_ptr, out_ptr, n):\n"                                              \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "def launch(kernel, grid, *args):\n"                                       \
    "    kernel[grid](*args, BLOCK=8)\n"                                       \
    "def run(x):\n"                                                            \
    "    out = torch.zeros(8)\n"                                               \
    "    " launch "\n"                                                         \
    "    return " result "\n"                                                  \
    "x = torch.ones(8)\n"                                                      \
    "torch.testing.assert_close(run(x), x * 8)\n"

static void a_tolerance_stays_without_a_kernel_too(void **state)
{
#define OFF(limit)                                                             \
    "x = torch.rand(3)\n"                                                      \
    "got, want = f(x), x * 2\n"                                                \
    "assert (got - want).abs().max() < " limit ", 'off'\n"
    static const char original[] = OFF("1e-3");
    struct guard_failure failure = raised(original, "assert");
    (void)state;

    check(original, &failure,
          TEXTS(OFF("0.001"), "x = torch.rand(3)\n"
                              "assert torch.equal(f(x), x * 2), 'off'\n"),
          TEXTS(OFF("0"), OFF("1")));
#undef OFF
}

static void what_is_handed_on_is_written_where_the_kernel_writes(void **state)
{
    static const char original[] =
        LAUNCHED("launch(k, (1,), x, out, 8)", "out");
    static const char method[] = "@triton.jit\n"
                                 "def k(x_ptr, out_ptr):\n"
                                 "    tl.store(out_ptr, tl.load(x_ptr))\n"
                                 "class Launcher:\n"
                                 "    def launch(self, kernel, first, *args):\n"
                                 "        first[0] = 0\n"
                                 "        kernel[1,](*args)\n"
                                 "x = torch.ones(8)\n"
                                 "y = torch.zeros(8)\n"
                                 "launch = Launcher().launch\n"
                                 "launch(k, y, x, y)\n"
                                 "torch.testing.assert_close(%s, x * 8)\n";
    struct guard_failure failure = raised(original, "testing.assert");
    char wrong[512], right[512];
    (void)state;

    check(original, &failure,
          TEXTS(LAUNCHED("launch(k, (1,), 0, out)", "out"),
                LAUNCHED("k[1,](x, out, 8)", "out")),
          TEXTS(LAUNCHED("launch(k, (1,), x, out, 8)", "x"),
                LAUNCHED("launch(k, (1,), x, 0, out)", "out"),
                LAUNCHED("launch(k, (1,), out)", "out")));
    snprintf(right, sizeof(right), method, "y");
    snprintf(wrong, sizeof(wrong), method, "x");
    failure = raised(right, "testing.assert");
    check(right, &failure, TEXTS(right), TEXTS(wrong));
}

static void a_kernel_that_clears_the_result_does_not_stand_for_it(void **state)
{
#define CLEARED(kernel, launch, side)                                          \
    "@cuda.jit\n"                                                              \
    "def clear(out, value):\n"                                                 \
    "    out[0] = value\n"                                                     \
    "@cuda.jit\n"                                                              \
    "def add(x, out):\n" kernel "out = np.zeros(8)\n"                          \
    "clear[1, 8](out, 3)\n" launch "np.testing.assert_allclose(out, " side     \
    ")\n"
#define ADDS                                                                   \
    "    for i in range(8):\n"                                                 \
    "        out[0] += x[i]\n"
    static const char original[] =
        CLEARED(ADDS, "add[1, 8](np.ones(8), out)\n", "np.ones(8).sum()");
    struct guard_failure failure = raised(original, "testing.assert");
    (void)state;

    check(original, &failure, TEXTS(original),
          TEXTS(CLEARED(ADDS, "", "np.ones(8).sum()"),
                CLEARED("    out[0] = x[0]\n", "add[1, 8](np.ones(8), out)\n",
                        "np.ones(8).sum()")));
}

/* The check that passes, and the one that fails. */
#define CHECKED(first, second)                                                 \
    "@cuda.jit\n"                                                              \
    "def negate(x):\n"                                                         \
    "    x[0] = -x[0]\n"                                                       \
    "@cuda.jit\n"                                                              \
    "def double(x):\n"                                                         \
    "    x[0] = x[0] + x[0]\n"                                                 \
    "a, b = np.ones(1), np.ones(1)\n"                                          \
    "negate[1, 1](a)\n"                                                        \
    "double[1, 1](b)\n" first second
#define IS_CLOSE                                                               \
    "def close(got, want):\n"                                                  \
    "    return np.allclose(got, want)\n"
#define SAME                                                                   \
    "def same(p):\n"                                                           \
    "    return p\n"
#define COMPARE                                                                \
    "def compare(got, want):\n"                                                \
    "    np.testing.assert_allclose(got, want)\n"

static void of_two_calls_the_one_that_failed_counts(void **state)
{
    static const char condition[] =
        CHECKED(IS_CLOSE "assert close(a, -np.ones(1) * 1)\n",
                "if not close(b, np.ones(1) * 3):\n"
                "    raise ValueError('boom')\n");
    static const char shared[] =
        CHECKED(SAME "same(a)\n",
                "np.testing.assert_allclose(same(b), np.ones(1) * 3)\n");
    static const char traced[] =
        CHECKED(COMPARE "compare(a, -np.ones(1) * 1)\n",
                "compare(b, np.ones(1) * 3)\n");
    struct guard_failure failure = raised(condition, "raise");
    char frames[32];
    (void)state;

    check(condition, &failure,
          TEXTS(CHECKED("", "if not np.allclose(b, np.ones(1) * 3):\n"
                            "    raise ValueError('boom')\n")),
          TEXTS(CHECKED("", "if not np.allclose(a, np.ones(1) * 3):\n"
                            "    raise ValueError('boom')\n")));
    failure = raised(shared, "testing.assert");
    check(
        shared, &failure, TEXTS(shared),
        TEXTS(CHECKED(SAME "same(b)\n",
                      "np.testing.assert_allclose(same(a), np.ones(1) * 3)\n"),
              CHECKED("def one(p):\n"
                      "    return np.ones(1)\n",
                      "np.testing.assert_allclose(one(b), np.ones(1) * 3)\n"),
              "@cuda.jit\n"
              "def double(x):\n"
              "    total = x[0] * x[0]\n"
              "    local = cuda.local.array(1, int32)\n"
              "    local[0] = total\n"
              "b = np.ones(1)\n"
              "double[1, 1](b)\n"
              "np.testing.assert_allclose(b, np.ones(1) * 3)\n"));
    failure = raised(traced, "testing.assert");
    snprintf(frames, sizeof(frames), "%u,%u", line_with(traced, "compare(b"),
             failure.line);
    failure.frames = frames;
    check(traced, &failure,
          TEXTS(CHECKED("", "np.testing.assert_allclose(b, np.ones(1) * 3)\n")),
          TEXTS(CHECKED("", "np.testing.assert_allclose(a, np.ones(1) * 3)\n"),
                CHECKED(COMPARE, "compare(a, np.ones(1) * 3)\n")));
}

/* The same, with what a traced run has seen of it. */
static bool holds_seen(const char *original, struct guard_failure *failure,
                       const char *lines, const char *candidate)
{
    struct observed seen;
    bool result;

    assert_int_equal(observed_read(&seen, lines, strlen(original), NULL), 0);
    failure->seen = &seen;
    result = holds(original, failure, candidate);
    failure->seen = NULL;
    observed_deinit(&seen);
    return result;
}

#define KEYED(sides)                                                           \
    "@triton.jit\n"                                                            \
    "def one(x_ptr, out_ptr):\n"                                               \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "@triton.jit\n"                                                            \
    "def two(x_ptr, out_ptr):\n"                                               \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "def run(x):\n"                                                            \
    "    y, d = torch.zeros(8), torch.zeros(8)\n"                              \
    "    one[1,](x, y)\n"                                                      \
    "    two[1,](x, d)\n"                                                      \
    "    return {'y': y, \"dx\": d}\n"                                         \
    "x = torch.ones(8)\n"                                                      \
    "got, want = run(x), {'y': x * 1, 'dx': x * 2}\n" sides
#define EACH                                                                   \
    "for name in sorted(want):\n"                                              \
    "    torch.testing.assert_close(got[name], want[name])\n"

static void of_a_dictionary_the_key_that_failed_counts(void **state)
{
    static const char original[] = KEYED(EACH);
    static const char own[] =
        KEYED("torch.testing.assert_close(got['dx'], want['dx'])\n");
    static const char other[] =
        KEYED("torch.testing.assert_close(got['y'], x * 3)\n");
    static const char named[] = /* and not what else is written out there */
        KEYED("name = 'y'\n"
              "torch.testing.assert_close({'dx': got, 'y': x}[name], x * 3)\n");
    static const char filled[] =
        KEYED("got['y'] = got['dx']\n"
              "torch.testing.assert_close(got['y'], x * 3)\n");
    struct guard_failure failure = raised(original, "testing.assert");
    unsigned at = (unsigned)(strstr(original, "name in") - original);
    char turn[64];
    (void)state;

    snprintf(turn, sizeof(turn), "%u-%u~'dx'\n", at, at + 4);
    assert_true(holds_seen(original, &failure, turn, original));
    assert_true(holds_seen(original, &failure, turn, own));
    assert_false(holds_seen(original, &failure, turn, other));
    assert_false(holds_seen(original, &failure, turn, named));
    assert_true(holds_seen(original, &failure, turn, filled));
    assert_true(holds_seen(original, &failure, "", other));
}

static void what_a_traced_run_never_reached_decides_nothing(void **state)
{
    static const char original[] = "def parse(text):\n"
                                   "    if text:\n"
                                   "        return text.split(',')\n"
                                   "    return 3\n"
                                   "assert parse('') == 4\n";
    static const char candidate[] = "x = y\n"
                                    "assert x == 4\n";
    struct guard_failure failure = raised(original, "assert");
    const char *at = strstr(original, "        return");
    struct span idle = { (uint32_t)(at - original),
                         (uint32_t)(strchr(at, '\n') + 1 - original) };
    struct span whole = { 17, (uint32_t)(strstr(at, "assert") - original) };
    struct tree *tree = parse(original);
    struct guard guard;
    (void)state;

    assert_false(holds(original, &failure, candidate));
    failure.idle = &whole; /* as if it were compiled */
    failure.nidle = 1;
    assert_false(holds(original, &failure, candidate));
    failure.idle = &idle;
    failure.nidle = 1;
    guard_init(&guard, tree, &failure, NULL, 0);
    assert_null(guard.words); /* 3 is constant */
    guard_deinit(&guard);
    tree_free(tree);
}

static void the_key_is_found_in_what_an_object_gives(void **state)
{
#define OBJECT(test)                                                           \
    "@triton.jit\n"                                                            \
    "def one(x_ptr, out_ptr):\n"                                               \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "@triton.jit\n"                                                            \
    "def two(x_ptr, out_ptr):\n"                                               \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "class Both:\n"                                                            \
    "    def __call__(self, x):\n"                                             \
    "        y, z = torch.zeros(8), torch.zeros(8)\n"                          \
    "        one[1,](x, y)\n"                                                  \
    "        two[1,](x, z)\n"                                                  \
    "        return {'y': y, 'z': z}\n"                                        \
    "op, x = Both(), torch.ones(8)\n" test
    static const char original[] =
        OBJECT("torch.testing.assert_close(op(x)['z'], x * 3)\n");
    struct guard_failure failure = raised(original, "testing.assert");
    (void)state;

    check(original, &failure, TEXTS(original),
          TEXTS(OBJECT("torch.testing.assert_close(op(x)['y'], x * 3)\n")));
#undef OBJECT
}

static void what_is_handed_beside_a_kernel_is_behind_it(void **state)
{
#define TWICE(first, second, test)                                             \
    "@triton.jit\n"                                                            \
    "def one(x_ptr, out_ptr):\n"                                               \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "@triton.jit\n"                                                            \
    "def two(x_ptr, out_ptr):\n"                                               \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "def launch(kernel, *args):\n"                                             \
    "    kernel[1,](*args)\n"                                                  \
    "x, y, z = torch.ones(8), torch.zeros(8), torch.zeros(8)\n" first second   \
    "torch.testing.assert_close(" test ", x * 8)\n"
    static const char original[] =
        TWICE("launch(one, x, y)\n", "launch(two, y, z)\n", "z");
    struct guard_failure failure = raised(original, "testing.assert");
    (void)state;

    check(original, &failure, TEXTS(TWICE("", "launch(two, x, z)\n", "z")),
          TEXTS(TWICE("launch(one, x, y)\n", "", "y"),
                TWICE("launch(one, x, z)\n", "", "z")));
#undef TWICE
}

static void a_grid_of_nothing_is_seen_behind_names(void **state)
{
    static const char original[] =
        LAUNCHED("launch(k, (1,), x, out, 8)", "out");
    struct guard_failure failure = raised(original, "testing.assert");
    (void)state;

    check(original, &failure,
          TEXTS(LAUNCHED("grid = 1, 2; launch(k, grid, x, out)", "out"),
                LAUNCHED("launch(k, lambda m: (1,), x, out)", "out")),
          TEXTS(LAUNCHED("launch(k, (0,), x, out)", "out"),
                LAUNCHED("launch(k, 0, x, out)", "out"),
                LAUNCHED("n = 0; launch(k, (1, n), x, out)", "out"),
                LAUNCHED("grid = 0, 1; launch(k, grid, x, out)", "out"),
                LAUNCHED("f = k; f[0,](x, out)", "out"),
                LAUNCHED("k[lambda m: (0,)](x, out)", "out"),
                "def blocks():\n"
                "    return 0\n" LAUNCHED("k[blocks()](x, out)", "out")));
}

static void a_gradient_is_what_the_scripts_backward_gives(void **state)
{
#define AUTOGRAD(launch, side)                                                 \
    "@triton.jit\n"                                                            \
    "def forward_kernel(x_ptr, out_ptr):\n"                                    \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "@triton.jit\n"                                                            \
    "def backward_kernel(x_ptr, out_ptr):\n"                                   \
    "    tl.store(out_ptr, tl.load(x_ptr))\n"                                  \
    "class Own(torch.autograd.Function):\n"                                    \
    "    @staticmethod\n"                                                      \
    "    def forward(ctx, x):\n"                                               \
    "        y = torch.zeros(8)\n"                                             \
    "        forward_kernel[1,](x, y)\n"                                       \
    "        return y\n"                                                       \
    "    @staticmethod\n"                                                      \
    "    def backward(ctx, grad):\n"                                           \
    "        dx = torch.zeros(8)\n"                                            \
    "        " launch "\n"                                                     \
    "        return dx\n"                                                      \
    "x = torch.ones(8, requires_grad=True)\n"                                  \
    "y = Own.apply(x)\n"                                                       \
    "y.sum().backward()\n"                                                     \
    "torch.testing.assert_close(" side ", x * 2)\n"
    static const char gradient[] =
        AUTOGRAD("backward_kernel[1,](grad, dx)", "x.grad");
    static const char value[] = AUTOGRAD("backward_kernel[1,](grad, dx)", "y");
    struct guard_failure failure = raised(gradient, "testing.assert");
    (void)state;

    check(gradient, &failure,
          TEXTS(AUTOGRAD("backward_kernel[1,](dx, dx)", "x.grad")),
          TEXTS(AUTOGRAD("pass", "x.grad"), value));
    check(gradient, &failure,
          TEXTS(AUTOGRAD("backward_kernel[1,](grad, dx)\n"
                         "        return dx, 0",
                         "x.grad")),
          TEXTS(AUTOGRAD("dx, dz = 0, dx\n"
                         "        backward_kernel[1,](grad, dz)\n"
                         "        return dx, dz",
                         "x.grad")));
    failure = raised(value, "testing.assert");
    check(value, &failure, TEXTS(AUTOGRAD("pass", "y")), TEXTS(gradient));
#undef AUTOGRAD
}

#define MASKED(store)                                                          \
    "@triton.jit\n"                                                            \
    "def k(x_ptr, out_ptr, n):\n"                                              \
    "    at = tl.program_id(0) * 8 + tl.arange(0, 8)\n" store                  \
    "out = torch.zeros(20)\n"                                                  \
    "k[3,](torch.ones(20), out, 20)\n"                                         \
    "torch.testing.assert_close(out, torch.ones(20))\n"

static void a_mask_is_a_condition(void **state)
{
    static const char masked[] =
        MASKED("    tl.store(out_ptr + at, tl.load(x_ptr + at), at < n)\n");
    struct guard_failure failure = raised(masked, "testing.assert");
    (void)state;

    failure.some = true;
    check(masked, &failure,
          TEXTS(MASKED("    tl.store(out_ptr + at, at, mask=at < 9)\n"),
                MASKED("    tl.atomic_add(out_ptr + at, at, at < 9)\n")),
          TEXTS(MASKED("    tl.store(out_ptr + at, at)\n"),
                MASKED("    tl.store(out_ptr + at, at, mask=1)\n"),
                MASKED("    r = 0\n"
                       "    tl.store(out_ptr + at + r, at, mask=r < 1)\n"),
                MASKED("    tl.store(out_ptr, at, mask=at < 9)\n")));
}

static void memory_that_nobody_wrote_to_is_no_input(void **state)
{
    static const char original[] = SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                                        "state = np.empty(20)\n"
                                        "for i in range(20):\n"
                                        "    state[i] = i\n"
                                        "sums = np.empty(20)\n"
                                        "add[3, 8](sums, state)\n"
                                        "want = np.cumsum(state)\n");
    struct guard_failure failure = raised(original, "testing.assert");
    (void)state;

    check(original, &failure,
          TEXTS(SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.ones(20)\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "state[:] = 1\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "state[0] = 1\n"
                     "state[1:] = 2\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "state[0:] = 1\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "state[::-1] = 1\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "state[:5] = 1\n"
                     "state[5:] = 2\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n")),
          TEXTS(SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "i = 0\n"
                     "state[i] = 1\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "state[:1] = 1\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "state[::2] = 1\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty((2, 10))\n"
                     "state[:, 1:-1] = 1\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "for i in ():\n"
                     "    state[i] = i\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "state = np.empty(20)\n"
                     "for k in range(3):\n"
                     "    for i in range(0):\n"
                     "        state[i] = i\n"
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, state)\n"
                     "want = np.cumsum(state)\n"),
                SCAN("    sums[cuda.grid(1)] = state[0] + offsets[0]\n",
                     "state = np.empty(20)\n"
                     "sums = np.zeros(20)\n"
                     "add[3, 8](sums, np.ones(20))\n"
                     "want = np.cumsum(np.ones(20))\n"),
                SCAN("    sums[cuda.grid(1)] = offsets[0]\n",
                     "sums = np.empty(20)\n"
                     "add[3, 8](sums, np.empty(20) * 2)\n"
                     "want = np.cumsum(np.ones(20))\n")));
}

/* Two kernels, the second of which reads what the first has written. */
#define STAGES(body)                                                           \
    "@cuda.jit\n"                                                              \
    "def first(x, sums):\n"                                                    \
    "    sums[0] = x[0]\n"                                                     \
    "@cuda.jit\n"                                                              \
    "def second(sums, means):\n"                                               \
    "    means[0] = sums[0] / 2\n"                                             \
    "class Op:\n"                                                              \
    "    def __init__(self):\n"                                                \
    "        self.sums = cuda.device_array(1)\n"                               \
    "        self.means = cuda.device_array(1)\n"                              \
    "    def run(self, x):\n" body                                             \
    "        return self.means.copy_to_host()\n"                               \
    "x = np.ones(1)\n"                                                         \
    "np.testing.assert_allclose(Op().run(x), x)\n"

static void buffers_of_objects_are_written_before_they_are_read(void **state)
{
    static const char original[] =
        STAGES("        first[1, 1](x, self.sums)\n"
               "        second[1, 1](self.sums, self.means)\n");
    struct guard_failure failure = raised(original, "np.testing.assert");
    (void)state;

    check(original, &failure,
          TEXTS(STAGES("        self.sums[0] = 1\n"
                       "        second[1, 1](self.sums, self.means)\n"),
                STAGES("        self.sums.copy_to_device(x)\n"
                       "        second[1, 1](self.sums, self.means)\n"),
                STAGES("        first[1, 1](x, sums=self.sums)\n"
                       "        second[1, 1](self.sums, self.means)\n"),
                STAGES("        second[1, 1](x, self.means)\n")),
          TEXTS(STAGES("        second[1, 1](self.sums, self.means)\n"),
                STAGES("        second[1, 1](sums=self.sums, "
                       "means=self.means)\n")));
}

static void what_was_seeded_stays_seeded(void **state)
{
    static const char original[] = "torch.manual_seed(0)\n"
                                   "x = torch.randn(4)\n"
                                   "torch.testing.assert_close(f(x), x * 2)\n";
    static const char unseeded[] = "x = torch.randn(4)\n"
                                   "torch.testing.assert_close(f(x), x * 2)\n";
    static const char drawn[] = "g = torch.Generator().manual_seed(0)\n"
                                "x = torch.randn(4, generator=g)\n"
                                "torch.testing.assert_close(f(x), x * 2)\n";
    struct guard_failure failure = raised(original, "testing.assert");
    (void)state;

    check(original, &failure,
          TEXTS("x = torch.ones(4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "x = np.random.default_rng(7).normal(size=4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "seed()\n"
                "x = torch.randn(4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n"),
          TEXTS(unseeded,
                "torch.seed()\n"
                "x = torch.randn(4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "random.seed(None)\n"
                "x = random.random()\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "x = np.random.default_rng().normal(size=4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "a = np.random.default_rng(7).normal(size=4)\n"
                "x = np.random.default_rng().normal(size=4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n"));
    failure = raised(drawn, "testing.assert");
    check(drawn, &failure,
          TEXTS("g = torch.Generator().manual_seed(0)\n"
                "x = torch.randn(1, generator=g)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "torch.manual_seed(0)\n"
                "x = torch.zeros(4).normal_()\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "x = random.Random(3).random()\n"
                "torch.testing.assert_close(f(x), x * 2)\n"),
          TEXTS("g = torch.Generator().manual_seed(0)\n"
                "x = torch.randn(4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "torch.Generator().manual_seed(0)\n"
                "x = torch.randn(4)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "g = torch.Generator()\n"
                "x = torch.randn(4, generator=g)\n"
                "torch.testing.assert_close(f(x), x * 2)\n",
                "g = torch.Generator().manual_seed(0)\n"
                "x = torch.zeros(4)\n"
                "x.normal_()\n"
                "torch.testing.assert_close(f(x), x * 2)\n"));
    failure = raised(unseeded, "testing.assert");
    check(unseeded, &failure,
          TEXTS("x = torch.randn(1)\n"
                "torch.testing.assert_close(f(x), x * 2)\n"),
          TEXTS("torch.testing.assert_close(1, 2)\n"));
}

static void what_had_elements_keeps_some(void **state)
{
    struct guard_failure failure = raised(scan, "testing.assert");
    (void)state;

#define WRITES "    sums[cuda.grid(1)] = offsets[0]\n"
    check(scan, &failure,
          TEXTS(SCAN(WRITES, "sums = np.zeros(1)\n"
                             "add[1, 1, 0](sums, np.ones(1))\n"
                             "want = np.cumsum(np.ones((1, 1)))\n"),
                SCAN(WRITES, "sums = np.zeros(1)\n"
                             "add[1, 1](sums, np.arange(0, 3))\n"
                             "want = np.cumsum(np.full(1, 0))\n")),
          TEXTS(SCAN(WRITES, "n = 0\n"
                             "sums = np.zeros(1)\n"
                             "add[1, 1](sums, np.ones(n))\n"
                             "want = np.cumsum(np.ones(1))\n"),
                SCAN(WRITES, "sums = np.zeros((0, 8))\n"
                             "add[1, 1](sums, np.ones(1))\n"
                             "want = np.cumsum(np.ones(1))\n"),
                SCAN(WRITES, "sums = np.zeros(1)\n"
                             "add[0, 1](sums, np.ones(1))\n"
                             "want = np.cumsum(np.ones(1))\n"),
                SCAN(WRITES, "sums = np.zeros(1)\n"
                             "add[(1, 0), 1](sums, np.arange(0))\n"
                             "want = np.cumsum(np.ones(1))\n"),
                SCAN(WRITES, "sums = np.zeros(1)\n"
                             "add[1, 1](sums, np.array([]))\n"
                             "want = np.cumsum(np.ones(1))\n")));
#undef WRITES
}

static void where_access_crashes_arrays_keep_elements(void **state)
{
    static const char crash[] = "x = torch.randn(8)\n"
                                "k[(1,)](x)\n";
    static const char no_arrays[] = "ctypes.string_at(0)\n";
    struct guard_failure failure = { .texts = { "Fatal" },
                                     .ntexts = 1,
                                     .dies = true };
    struct tree *tree = parse(no_arrays);
    struct guard guard;
    (void)state;

    check(crash, &failure, TEXTS("k[(0,)](torch.randn(1))\n", "pass\n"),
          TEXTS("k[(1,)](torch.randn(0))\n", "n = 0\n"
                                             "k[(1,)](torch.ones(8, n))\n"));
    guard_init(&guard, tree, &failure, NULL, 0);
    assert_false(guard_keeps(&guard));
    guard_deinit(&guard);
    tree_free(tree);
}

static void what_the_address_is_made_of_stays_where_it_crashes(void **state)
{
#define RAGGED(loads, launch)                                                  \
    "@triton.jit\n"                                                            \
    "def k(x_ptr, at_ptr, out_ptr):\n"                                         \
    "    row = tl.program_id(0)\n" loads "x = torch.ones(8)\n"                 \
    "y = torch.ones(8)\n" launch
#define LAUNCH "k[2,](x, x.int(), y)\n"
    static const char original[] =
        RAGGED("    at = tl.load(at_ptr.to(tl.pointer_type(tl.int64)) + row)\n"
               "    value = tl.load(x_ptr + at)\n"
               "    tl.store(out_ptr + row, value)\n",
               LAUNCH);
    static const char plain[] =
        RAGGED("    tl.store(out_ptr + row * 9, row)\n", LAUNCH);
    struct guard_failure failure = { .dies = true,
                                     .crash = line_with(original, "value =") };
    (void)state;

    check(original, &failure,
          TEXTS(RAGGED("    tl.load(x_ptr + tl.load(at_ptr.to(int64)))\n",
                       LAUNCH),
                RAGGED("    p = x_ptr + tl.load(at_ptr.cast(int64))\n"
                       "    tl.store(p, 1)\n",
                       LAUNCH)),
          TEXTS(RAGGED("    tl.load(x_ptr + tl.load(at_ptr + row))\n", LAUNCH),
                RAGGED("    tl.load(at_ptr.to(tl.int64) + row)\n", LAUNCH),
                RAGGED("    tl.load(x_ptr + tl.load(at_ptr.to(int64)))\n", ""),
                RAGGED("    tl.load(x_ptr + tl.load(at_ptr.to(int64)))\n",
                       "torch.ones(0)\n" LAUNCH)));
    failure.crash = line_with(plain, "tl.store");
    check(plain, &failure,
          TEXTS(RAGGED("    tl.store(out_ptr + row, 1)\n", LAUNCH),
                RAGGED("    out_ptr[row] = 1\n", LAUNCH)),
          TEXTS(RAGGED("    tl.store(out_ptr + 900, row)\n", LAUNCH),
                RAGGED("    out_ptr[3] = row\n", LAUNCH)));
}

static void a_parameter_may_be_named_twice(void **state)
{
    static const char original[] = "import torch\n"
                                   "def f(a, a):\n"
                                   "    a[0] = 1\n"
                                   "x = torch.ones(2)\n"
                                   "f(x, x)\n"
                                   "assert x.sum() == 3\n";
    struct guard_failure failure = raised(original, "assert");
    (void)state;

    /* An error to Python, but not to the grammar: it must end. */
    assert_true(holds(original, &failure, original));
}

/* What of a key tells one guard from another. */
static char *key_of(const char *original, const struct guard_failure *failure)
{
    struct tree *tree = parse(original);
    struct guard guard;
    struct buf key;

    guard_init(&guard, tree, failure, NULL, 0);
    assert_non_null(guard.words);
    buf_init(&key, 1u << 16);
    guard_key(&guard, &key);
    guard_deinit(&guard);
    tree_free(tree);
    return buf_take(&key, NULL);
}

static void check_keys(const char *a, const struct guard_failure *failure,
                       const char *b, bool same)
{
    char *x = key_of(a, failure), *y = key_of(b, failure);

    if ((strcmp(x, y) == 0) != same)
        fail_msg("%s:\n%s\nand\n%s", same ? "other keys" : "one key", a, b);
    free(x);
    free(y);
}

static void another_guard_has_another_key(void **state)
{
    static const char masked[] =
        MASKED("    tl.store(out_ptr + at, tl.load(x_ptr + at), at < n)\n");
    static const char bare[] =
        MASKED("    tl.store(out_ptr + at, tl.load(x_ptr + at))\n");
    static const char crash[] =
        RAGGED("    tl.store(out_ptr + row, row)\n", LAUNCH);
    static const char loose[] =
        COPIED("torch.testing.assert_close(out, x * 8, rtol=1e-3)\n");
    static const char tight[] =
        COPIED("torch.testing.assert_close(out, x * 8, rtol=1e-4)\n");
    static const char again[] =
        COPIED("torch.testing.assert_close(out, x * 8, rtol=0.001)\n");
    struct guard_failure failure = raised(masked, "testing.assert");
    (void)state;

    failure.some = true;
    check_keys(masked, &failure, masked, true);
    check_keys(masked, &failure, bare, false);
    check_keys(crash,
               &(struct guard_failure){ .dies = true,
                                        .crash = line_with(crash, "tl.store") },
               RAGGED("    tl.store(out_ptr + tl.load(at_ptr), row)\n", LAUNCH),
               false);
    failure = raised(loose, "testing.assert");
    check_keys(loose, &failure, tight, false);
    check_keys(loose, &failure, again, true);
}

static void numbers_may_be_written_in_any_way(void **state)
{
    static const char thousand[] =
        COPIED("assert (out - x * 8).abs().max() <= 1_000\n");
    static const char one[] =
        COPIED("assert (out - x * 8).abs().max() <= 0b1\n");
    static const char part[] =
        COPIED("assert (out - x * 8).abs().max() <= 1_0.2_5e-0_1\n");
    struct guard_failure failure = raised(thousand, "assert");
    (void)state;

    check(thousand, &failure,
          TEXTS(COPIED("assert (out - x * 8).abs() < 1000\n"),
                COPIED("assert (out - x * 8).abs() < 0o1750\n"),
                COPIED("assert (out - x * 8).abs() < 0x3_e8\n"),
                COPIED("assert (out - x * 8).abs() < 1e3\n")),
          TEXTS(COPIED("assert (out - x * 8).abs() < 1\n"),
                COPIED("assert (out - x * 8).abs() < 1_001\n")));
    check(one, &failure, TEXTS(COPIED("assert (out - x * 8).abs() < 1\n")),
          TEXTS(COPIED("assert (out - x * 8).abs() < 0\n"),
                COPIED("assert (out == x * 8).all()\n")));
    check(part, &failure, TEXTS(COPIED("assert (out - x * 8) < 1.025\n")),
          TEXTS(COPIED("assert (out - x * 8).abs() < 1\n")));
}

/* Going through all calls for each array would take minutes. */
static void arrays_and_calls_of_a_function_may_both_be_many(void **state)
{
    struct guard_failure failure;
    struct buf text;
    (void)state;

    buf_init(&text, 1u << 22);
    buf_adds(&text, "import torch\ndef f(n):\n");
    for (int i = 0; i < 30000; i++)
        buf_adds(&text, "    torch.zeros(n)\n");
    for (int i = 0; i < 30000; i++)
        buf_adds(&text, "f(1)\n");
    buf_adds(&text, "x = torch.ones(2)\n"
                    "torch.testing.assert_close(g(x), x * 2)\n");
    failure = raised(buf_str(&text), "testing.assert");
    assert_false(holds(buf_str(&text), &failure, "pass\n"));
    buf_deinit(&text);
}

/* Each looks for the forward() beside it, and for no other. */
static void gradients_and_classes_may_both_be_many(void **state)
{
    struct guard_failure failure;
    struct buf text;
    (void)state;

    buf_init(&text, 1u << 22);
    for (int i = 0; i < 1500; i++)
        buf_addf(&text,
                 "class Own%d:\n"
                 "    def forward(ctx, other, x%d):\n"
                 "        return other\n"
                 "    def backward(ctx, grad):\n"
                 "        return 0, k%d[1](grad)\n",
                 i, i, i);
    buf_adds(&text, "got = [0");
    for (int i = 0; i < 1500; i++)
        buf_addf(&text, ", x%d.grad", i);
    buf_adds(&text, "]\nassert got == f(1) * 2\n");
    failure = raised(buf_str(&text), "assert");
    assert_false(holds(buf_str(&text), &failure, "assert f(1) == 1\n"));
    buf_deinit(&text);
}

/* Which sides the first node that starts with `part` is of. */
static unsigned sides_at(const char *text, const char *part)
{
    struct guard_failure failure = raised(text, "assert_close");
    struct tree *tree = parse(text);
    struct guard guard;
    uint8_t *sides;
    unsigned at;

    guard_init(&guard, tree, &failure, NULL, 0);
    sides = guard_sides(&guard, tree);
    assert_non_null(sides);
    at = sides[node_from(tree_nodes(tree),
                         (uint32_t)(strstr(text, part) - text))];
    free(sides);
    guard_deinit(&guard);
    tree_free(tree);
    return at;
}

static void what_each_side_is_made_of_is_known(void **state)
{
    static const char text[] = "import torch, triton\n"
                               "@triton.jit\n"
                               "def k(x, o):\n"
                               "    tl.store(o, tl.load(x) * 2)\n"
                               "def reference(x):\n"
                               "    return x + x\n"
                               "n = 40\n"
                               "x = torch.ones(n)\n"
                               "o = torch.zeros(50)\n"
                               "k[(60,)](x, o)\n"
                               "print(70)\n"
                               "torch.testing.assert_close(o, reference(x))\n";
    unsigned kernel = sides_at(text, "2)"), other = sides_at(text, "x + x");
    (void)state;

    assert_true(kernel > 0 && other > 0 && (kernel & other) == 0);
    assert_int_equal(sides_at(text, "50"), kernel);
    assert_int_equal(sides_at(text, "60"), kernel);
    assert_int_equal(sides_at(text, "40"), kernel | other);
    assert_int_equal(sides_at(text, "torch.ones"), kernel | other);
    assert_int_equal(sides_at(text, "70"), 0);
}

static void parts_of_what_a_function_gives_are_told_apart(void **state)
{
    static const char text[] = "import torch\n"
                               "def half(x):\n"
                               "    return x / 30\n"
                               "def both(n):\n"
                               "    x = torch.ones(n)\n"
                               "    got = half(x)\n"
                               "    want = x * 50\n"
                               "    return got, want\n"
                               "got, want = both(40)\n"
                               "torch.testing.assert_close(got, want)\n";
    unsigned got = sides_at(text, "30"), want = sides_at(text, "50");
    (void)state;

    assert_true(got > 0 && want > 0 && (got & want) == 0);
    assert_int_equal(sides_at(text, "40"), got | want);
    assert_int_equal(sides_at(text, "torch.ones"), got | want);
    assert_int_equal(sides_at(text, "both(40)"), got | want);
}

static void expect_compared(const char *text, const char *said,
                            const char *first, const char *second)
{
    struct guard_failure failure = raised(text, said);
    struct tree *tree = parse(text);
    struct guard guard;
    struct buf out;
    char wanted[64] = "";

    buf_init(&out, 4096);
    guard_init(&guard, tree, &failure, NULL, 0);
    guard_compared(&guard, tree, &out);
    if (first) {
        size_t a = (size_t)(strstr(text, first) - text);
        size_t b = (size_t)(strstr(text, second) - text);

        snprintf(wanted, sizeof(wanted), "%zu-%zu %zu-%zu", a,
                 a + strlen(first), b, b + strlen(second));
    }
    assert_string_equal(buf_str(&out), wanted);
    buf_deinit(&out);
    guard_deinit(&guard);
    tree_free(tree);
}

static void a_drift_is_to_be_told_to_more_digits(void **state)
{
    static const char text[] = "x = torch.rand(3)\n"
                               "assert_close(f(x), g(x))\n";
    struct guard_failure failure = raised(text, "assert");
    struct tree *tree = parse(text);
    struct guard guard;
    struct buf out;
    (void)state;

    failure.drift = true;
    buf_init(&out, 4096);
    guard_init(&guard, tree, &failure, NULL, 0);
    guard_compared(&guard, tree, &out);
    assert_string_equal(buf_str(&out), "6 31-35 37-41");
    buf_deinit(&out);
    guard_deinit(&guard);
    tree_free(tree);
}

static void where_the_sides_stand_is_told(void **state)
{
    (void)state;

    expect_compared("import torch\n"
                    "x = torch.rand(3)\n"
                    "torch.testing.assert_close(f(x), (x * 2))\n",
                    "assert_close", "f(x)", "x * 2");
    expect_compared("def check(name, got, want):\n"
                    "    ok = np.allclose(got, want)\n"
                    "    return ok\n"
                    "x = np.arange(3)\n"
                    "if not check('a', f(x), x * 2):\n"
                    "    raise RuntimeError('wrong')\n",
                    "raise", "f(x)", "x * 2");
    /* An error relative to what is wanted, and a quotient that is compared. */
    expect_compared("def error(got, want):\n"
                    "    off = np.abs(got - want).max()\n"
                    "    return off / np.abs(want).max()\n"
                    "x = np.arange(3)\n"
                    "assert error(f(x), x * 2) < 0.1\n",
                    "assert", "f(x)", "x * 2");
    expect_compared("def f(v):\n"
                    "    return np.cos(v) - np.sin(v)\n"
                    "x = np.arange(3)\n"
                    "assert (f(x) / g(x)).max() < 0.1\n",
                    "assert", "f(x)", "g(x)");
    /* Those that failed are put into a list. */
    expect_compared("failed = []\n"
                    "for x in np.arange(3):\n"
                    "    if not np.allclose(f(x), x * 2):\n"
                    "        failed.append(x)\n"
                    "if failed:\n"
                    "    raise RuntimeError('wrong')\n",
                    "raise", "f(x)", "x * 2");
    expect_compared("if f(x):\n"
                    "    raise RuntimeError('wrong')\n",
                    "raise", NULL, NULL);
    /* Of two calls of one function, the calls; else what is given for a key. */
    expect_compared("def run(x, plain):\n"
                    "    return {'y': x if plain else f(x)}\n"
                    "x = torch.rand(3)\n"
                    "assert_close(run(x, 0)['y'], run(x, 1)['y'])\n",
                    "assert_close", "run(x, 0)['y']", "run(x, 1)['y']");
    expect_compared("def run(x):\n"
                    "    return {'y': f(x), 'z': 2 * x}\n"
                    "x = torch.rand(3)\n"
                    "got = run(x)\n"
                    "assert_close(got['y'], got['z'])\n",
                    "assert_close", "f(x)", "2 * x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_the_sides_stand_is_told),
        cmocka_unit_test(a_drift_is_to_be_told_to_more_digits),
        cmocka_unit_test(what_each_side_is_made_of_is_known),
        cmocka_unit_test(parts_of_what_a_function_gives_are_told_apart),
        cmocka_unit_test(a_tolerance_stays_without_a_kernel_too),
        cmocka_unit_test(a_kernels_result_stays_in_the_comparison),
        cmocka_unit_test(a_reference_beside_the_kernel_may_leave_its_class),
        cmocka_unit_test(opaque_kernels_may_write_any_argument),
        cmocka_unit_test(what_a_kernel_writes_does_not_become_constant),
        cmocka_unit_test(where_some_are_wrong_what_decides_which_stays),
        cmocka_unit_test(a_mask_is_a_condition),
        cmocka_unit_test(one_value_of_many_stays_that),
        cmocka_unit_test(a_tolerance_stays_or_is_the_default),
        cmocka_unit_test(what_is_handed_on_is_written_where_the_kernel_writes),
        cmocka_unit_test(a_kernel_that_clears_the_result_does_not_stand_for_it),
        cmocka_unit_test(of_two_calls_the_one_that_failed_counts),
        cmocka_unit_test(of_a_dictionary_the_key_that_failed_counts),
        cmocka_unit_test(what_a_traced_run_never_reached_decides_nothing),
        cmocka_unit_test(the_key_is_found_in_what_an_object_gives),
        cmocka_unit_test(what_is_handed_beside_a_kernel_is_behind_it),
        cmocka_unit_test(a_grid_of_nothing_is_seen_behind_names),
        cmocka_unit_test(a_gradient_is_what_the_scripts_backward_gives),
        cmocka_unit_test(memory_that_nobody_wrote_to_is_no_input),
        cmocka_unit_test(buffers_of_objects_are_written_before_they_are_read),
        cmocka_unit_test(what_was_seeded_stays_seeded),
        cmocka_unit_test(what_had_elements_keeps_some),
        cmocka_unit_test(where_access_crashes_arrays_keep_elements),
        cmocka_unit_test(what_the_address_is_made_of_stays_where_it_crashes),
        cmocka_unit_test(a_raise_stays_under_its_condition),
        cmocka_unit_test(another_raise_does_not_stand_for_it),
        cmocka_unit_test(the_line_tells_whether_it_is_what_failed),
        cmocka_unit_test(what_never_runs_gives_nothing),
        cmocka_unit_test(a_printed_text_stays_under_its_condition),
        cmocka_unit_test(a_bare_exit_stays_under_its_condition),
        cmocka_unit_test(conversions_of_one_source_may_be_compared),
        cmocka_unit_test(nothing_is_kept_where_nothing_is_tested),
        cmocka_unit_test(the_user_is_told_lines_and_sides),
        cmocka_unit_test(named_calls_stay_all_of_them),
        cmocka_unit_test(a_parameter_may_be_named_twice),
        cmocka_unit_test(another_guard_has_another_key),
        cmocka_unit_test(numbers_may_be_written_in_any_way),
        cmocka_unit_test(arrays_and_calls_of_a_function_may_both_be_many),
        cmocka_unit_test(gradients_and_classes_may_both_be_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
