/* Which kernel a line stands in. */
#include "grammar/kernel.h"

#include <string.h>

#include "grammar/tree.h"
#include "test/test.h"

static void assert_mark(const char *text, uint32_t line, const char *expected)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct bytes mark = kernel_of_line(tree, line);

    assert_int_equal(mark.len, strlen(expected));
    assert_memory_equal(mark.data, expected, mark.len);
    tree_free(tree);
}

static void a_line_of_the_body_is_the_kernels(void **state)
{
    static const char text[] = "import triton\n"             /* 1 */
                               "@triton.jit\n"               /* 2 */
                               "def add(x,\n"                /* 3 */
                               "        y):\n"               /* 4 */
                               "    tl.store(x,\n"           /* 5 */
                               "\n"                          /* 6 */
                               "             y)\n"           /* 7 */
                               "def host(): pass\n"          /* 8 */
                               "@numba.cuda.jit(dev=True)\n" /* 9 */
                               "def one(): x\n";             /* 10 */
    (void)state;

    for (uint32_t line = 0; line <= 4; line++)
        assert_mark(text, line, "");
    assert_mark(text, 5, "jit");
    assert_mark(text, 6, "jit");
    assert_mark(text, 7, "jit");
    assert_mark(text, 8, "");
    assert_mark(text, 9, "");
    assert_mark(text, 10, "jit");
    assert_mark(text, 11, "");
    assert_mark(text, 1000000, "");
    assert_mark("", 1, "");
}

static void what_makes_a_kernel_is_the_hosts(void **state)
{
    static const char text[] = "@tilelang.jit(out_idx=[-1])\n"  /* 1 */
                               "def gemm(M):\n"                 /* 2 */
                               "    assert M\n"                 /* 3 */
                               "    @T.prim_func\n"             /* 4 */
                               "    def main(A: T.Tensor()):\n" /* 5 */
                               "        with T.Kernel():\n"     /* 6 */
                               "            def inner():\n"     /* 7 */
                               "                sin\n"          /* 8 */
                               "    return main\n";             /* 9 */
    (void)state;

    assert_mark(text, 3, "");
    assert_mark(text, 5, "");
    assert_mark(text, 6, "prim_func");
    assert_mark(text, 8, "prim_func");
    assert_mark(text, 9, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_the_body_is_the_kernels),
        cmocka_unit_test(what_makes_a_kernel_is_the_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
