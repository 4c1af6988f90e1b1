/* What a candidate must keep: named calls, and a kernel in the comparison. */
#include "test/test.h"

#include <string.h>

#include "grammar/guard.h"

static const char original[] = "import torch, triton\n"
                               "@triton.jit\n"
                               "def double(x_ptr, out_ptr):\n"
                               "    tl.store(out_ptr, tl.load(x_ptr) * 2)\n"
                               "class Op:\n"
                               "    def __call__(self, x):\n"
                               "        out = torch.zeros_like(x)\n"
                               "        double[(1,)](x, out)\n"
                               "        return out\n"
                               "def main():\n"
                               "    x = torch.ones(2)\n"
                               "    op = Op()\n"
                               "    got = op(x)\n"
                               "    torch.testing.assert_close(got, x + x)\n"
                               "main()\n";

static struct tree *parse(const char *text)
{
    return tree_parse(bytes_of(text, strlen(text)));
}

static bool holds(bool comparison, char *const *names, size_t n,
                  const char *text)
{
    struct tree *tree = parse(original), *candidate = parse(text);
    struct guard guard;

    guard_init(&guard, tree, comparison, names, n);
    bool result = guard_holds(&guard, candidate);
    guard_deinit(&guard);
    tree_free(tree);
    tree_free(candidate);
    return result;
}

static void the_original_keeps_what_it_has(void **state)
{
    (void)state;
    assert_true(holds(true, NULL, 0, original));
}

static void a_kernel_tied_to_the_test_may_be_simplified(void **state)
{
    (void)state;
    assert_true(holds(true, NULL, 0,
                      "@triton.jit\n"
                      "def double(out_ptr): pass\n"
                      "out = torch.zeros(2)\n"
                      "double[1,](out)\n"
                      "torch.testing.assert_close(out, torch.ones(2))\n"));
    assert_true(holds(true, NULL, 0,
                      "@numba.cuda.jit\n"
                      "def k(a): pass\n"
                      "def run():\n"
                      "    out = 1\n"
                      "    k[1, 1](out)\n"
                      "    return out\n"
                      "assert run() == 2\n"));
    assert_true(holds(true, NULL, 0,
                      "out = cupy.zeros(2)\n"
                      "k = cupy.RawKernel(source, 'k')\n"
                      "k((1,), (1,), (out,))\n"
                      "assert (out == want).all()\n"));
}

static void a_deleted_launch_is_no_candidate(void **state)
{
    (void)state;
    assert_false(holds(true, NULL, 0,
                       "@triton.jit\n"
                       "def double(): pass\n"
                       "x = torch.ones(2)\n"
                       "double[Shape(*x)]\n"
                       "torch.testing.assert_close(x, 1 / x)\n"));
    assert_false(holds(true, NULL, 0,
                       "@triton.jit\n"
                       "def double(out_ptr): pass\n"
                       "out = torch.zeros(2)\n"
                       "torch.testing.assert_close(out, torch.ones(2))\n"));
}

static void a_comparison_of_other_tensors_is_no_candidate(void **state)
{
    (void)state;
    assert_false(holds(true, NULL, 0,
                       "@triton.jit\n"
                       "def double(out_ptr): pass\n"
                       "out = torch.zeros(2)\n"
                       "x = torch.ones(2)\n"
                       "double[1,](out)\n"
                       "torch.testing.assert_close(x, torch.zeros(2))\n"));
}

static void a_script_without_a_kernel_keeps_nothing(void **state)
{
    struct tree *tree = parse("assert 1 == 2\n");
    struct guard guard;
    (void)state;

    guard_init(&guard, tree, true, NULL, 0);
    assert_false(guard_keeps(&guard));
    assert_true(guard_holds(&guard, tree));
    guard_deinit(&guard);
    tree_free(tree);
}

static void named_calls_stay_all_of_them(void **state)
{
    char *names[] = { (char *)(uintptr_t) "zeros_like",
                      (char *)(uintptr_t) "nowhere" };
    (void)state;

    assert_true(holds(false, names, 2, original));
    assert_true(holds(false, names, 2, "torch.zeros_like(1)\n"));
    assert_false(holds(false, names, 2, "zeros_like = 1\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_original_keeps_what_it_has),
        cmocka_unit_test(a_kernel_tied_to_the_test_may_be_simplified),
        cmocka_unit_test(a_deleted_launch_is_no_candidate),
        cmocka_unit_test(a_comparison_of_other_tensors_is_no_candidate),
        cmocka_unit_test(a_script_without_a_kernel_keeps_nothing),
        cmocka_unit_test(named_calls_stay_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
