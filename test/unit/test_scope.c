#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "grammar/scope.h"

/* Where `needle` occurs for the nth time (1, 2, ...). */
static uint32_t place(const char *text, const char *needle, int nth)
{
    const char *at = text - 1;

    while (nth-- > 0) {
        at = strstr(at + 1, needle);
        if (!at)
            fail_msg("%s is not there", needle);
    }
    return (uint32_t)(at - text);
}

/* All uses of the name at its nth place, as a line: role letter and offset
 * counted in places of the name itself. */
static void assert_uses(const char *text, const char *name, int nth,
                        const char *expected)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct scopes *scopes = scopes_new(tree);
    char got[256] = "";
    size_t n = 0;
    uint32_t symbol = scopes_symbol_at(scopes, place(text, name, nth));

    if (symbol == SYMBOL_NONE) {
        snprintf(got, sizeof(got), "none");
    } else {
        const struct occurrence *occ = symbol_occurrences(scopes, symbol, &n);
        for (size_t i = 0; i < n; i++) {
            int count = 1;
            while (place(text, name, count) < occ[i].at.start)
                count++;
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%c%d ",
                     "BALDG"[occ[i].role], count);
        }
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s",
                 symbol_bound(scopes, symbol) ? "bound" : "free");
    }
    assert_string_equal(got, expected);
    scopes_free(scopes);
    tree_free(tree);
}

static void functions_have_their_own_names(void **state)
{
    const char *text = "v = 1\n"
                       "def f(v, w=v):\n"
                       "    v += 1\n"
                       "    return v\n"
                       "def g():\n"
                       "    return v\n"
                       "del v\n";

    (void)state;
    assert_uses(text, "v", 1, "B1 L3 L6 D7 bound");
    assert_uses(text, "v", 2, "B2 A4 L5 bound");
}

static void global_and_nonlocal_reach_out(void **state)
{
    const char *text = "def f():\n"
                       "    q = 1\n"
                       "    def g():\n"
                       "        nonlocal q\n"
                       "        q = 2\n"
                       "    def h():\n"
                       "        global q\n"
                       "        q = 3\n";

    (void)state;
    assert_uses(text, "q", 1, "B1 G2 B3 bound");
    assert_uses(text, "q", 4, "G4 B5 bound");
}

static void methods_do_not_see_the_names_of_their_class(void **state)
{
    const char *text = "k = 0\n"
                       "class C:\n"
                       "    k = 1\n"
                       "    x = k\n"
                       "    def m(self):\n"
                       "        return k\n";

    (void)state;
    assert_uses(text, "k", 1, "B1 L4 bound");
    assert_uses(text, "k", 2, "B2 L3 bound");
}

static void comprehensions_bind_inside_and_walrus_outside(void **state)
{
    const char *text = "i = [1]\n"
                       "a = [i + (w := i) for i in i if i]\n"
                       "print(i, w)\n";

    (void)state;
    assert_uses(text, "i", 1, "B1 L6 L10 bound");
    assert_uses(text, "i", 2, "L2 L3 B4 L8 bound");
    assert_uses(text, "w", 1, "B1 L2 bound");
}

static void all_forms_of_binding_are_known(void **state)
{
    (void)state;
    assert_uses("for z, (y, *x) in z: pass\n", "x", 1, "B1 bound");
    assert_uses("with a as (b, c): b\n", "b", 1, "B1 L2 bound");
    assert_uses("try: pass\nexcept E as q: q\n", "q", 1, "B1 L2 bound");
    assert_uses("import os.path, q as r\nos\n", "os", 1, "B1 L2 bound");
    assert_uses("import os as q\nq\n", "q", 1, "B1 L2 bound");
    assert_uses("from m import n as q, z\nq, z\n", "z", 1, "B1 L2 bound");
    assert_uses("match v:\n case C(k=[q, *r], **o) as s: q\n", "q", 1,
                "B1 L2 bound");
    assert_uses("match v:\n case {'a': q, **r}: r\n", "r", 1, "B1 L2 bound");
    assert_uses("match v:\n case a.q: pass\n", "q", 1, "none");
    assert_uses("class C[T]:\n def f(self, q: T): pass\nT = 1\n", "T", 1,
                "B1 L2 bound");
    assert_uses("def f[T](q: T) -> T: pass\n", "T", 1, "B1 L2 L3 bound");
    assert_uses("type A[T] = list[T]\nA\n", "A", 1, "B1 L2 bound");
    assert_uses("type A[T] = list[T]\nA\n", "T", 1, "B1 L2 bound");
    assert_uses("g = lambda q, *r, s=q: q + s\n", "q", 1, "B1 L3 bound");
    assert_uses("q: int\n", "q", 1, "B1 bound");
    assert_uses("print(f'{q!r:>{q}}')\n", "q", 1, "L1 L2 free");
}

static void attributes_and_keywords_are_listed_by_text(void **state)
{
    const char *text = "a.k(k=1)\nb.k = k\nf(k=k)\n";
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct scopes *scopes = scopes_new(tree);
    size_t n;

    (void)state;
    const struct span *at = scopes_attributes(scopes, bytes_of("k", 1), &n);
    assert_int_equal(n, 2);
    assert_int_equal(at[0].start, 2);
    assert_int_equal(at[1].start, 11);
    at = scopes_keywords(scopes, bytes_of("k", 1), &n);
    assert_int_equal(n, 2);
    assert_int_equal(at[0].start, 4);
    assert_int_equal(at[1].start, 19);
    scopes_attributes(scopes, bytes_of("nowhere", 7), &n);
    assert_int_equal(n, 0);
    assert_int_equal(scopes_symbol_at(scopes, 2), SYMBOL_NONE);
    scopes_free(scopes);
    tree_free(tree);
}

static bool opaque(const char *text)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct scopes *scopes = scopes_new(tree);
    bool is_opaque = scopes_opaque(scopes);

    scopes_free(scopes);
    tree_free(tree);
    return is_opaque;
}

static void what_hides_uses_is_noticed(void **state)
{
    (void)state;
    assert_true(opaque("from m import *\n"));
    assert_true(opaque("globals()['x'] = 1\n"));
    assert_true(opaque("def f(): exec(s)\n"));
    assert_false(opaque("x.eval()\ndef vars(): pass\nvars()\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_their_own_names),
        cmocka_unit_test(global_and_nonlocal_reach_out),
        cmocka_unit_test(methods_do_not_see_the_names_of_their_class),
        cmocka_unit_test(comprehensions_bind_inside_and_walrus_outside),
        cmocka_unit_test(all_forms_of_binding_are_known),
        cmocka_unit_test(attributes_and_keywords_are_listed_by_text),
        cmocka_unit_test(what_hides_uses_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
