#include "test/bench/shapes.h"

#include <stdio.h>
#include <string.h>

#define NEEDED 4

/* Item i of n: a string, or now and then one that is needed. */
static void add_item(struct buf *text, unsigned i, unsigned n)
{
    for (unsigned k = 0; k < NEEDED; k++)
        if (i == n / (NEEDED + 1) * (k + 1)) {
            buf_addf(text, "\"@%u@\"", k);
            return;
        }
    buf_addf(text, "%u", i % 500);
}

bool shape_says(struct bytes text)
{
    char word[16];

    for (unsigned k = 0; k < NEEDED; k++) {
        int len = snprintf(word, sizeof(word), "@%u@", k);

        if (!memmem(text.data, text.len, word, (size_t)len))
            return false;
    }
    return true;
}

static void one_function(struct buf *text)
{
    buf_adds(text, "def main():\n    v0 = 1\n");
    for (unsigned i = 1; i < 20000; i++) {
        buf_addf(text, "    v%u = call(v%u, ", i, i - 1 - (i * 7 % i) % 20);
        add_item(text, i, 20000);
        buf_adds(text, ")\n");
    }
    buf_adds(text, "main()\n");
}

static void dict_lines(struct buf *text)
{
    buf_adds(text, "table = {\n");
    for (unsigned i = 0; i < 20000; i++) {
        buf_addf(text, "    \"key %u\": ", i);
        add_item(text, i, 20000);
        buf_adds(text, ",\n");
    }
    buf_adds(text, "}\nuse(table)\n");
}

static void functions(struct buf *text)
{
    for (unsigned i = 0; i < 3000; i++) {
        buf_addf(text, "def f%u(a, b=%u):\n    c = a + b\n", i, i % 9);
        buf_addf(text, "    if c:\n        c = f%u(c, b=2)\n    return [c, ",
                 i > 0 ? i - 1 : 0);
        add_item(text, i, 3000);
        buf_adds(text, "]\n\n\n");
    }
    buf_adds(text, "f2999(1)\n");
}

static void methods(struct buf *text)
{
    buf_adds(text, "class C:\n    def m0(self):\n        self.x = 1\n");
    for (unsigned i = 1; i < 3000; i++) {
        buf_addf(text, "    def m%u(self, a=1):\n        self.a%u = a\n", i, i);
        buf_addf(text, "        return self.m%u(", i - 1);
        add_item(text, i, 3000);
        buf_adds(text, ")\n");
    }
    buf_adds(text, "C().m2999()\n");
}

static void one_line(struct buf *text)
{
    buf_adds(text, "data = [");
    for (unsigned i = 0; text->len < 1000000; i++) {
        add_item(text, i, 70000);
        buf_addf(text, " + f(x, %u), ", i % 100);
    }
    buf_adds(text, "]\nuse(data)\n");
}

static void lists(struct buf *text)
{
    for (unsigned l = 0; l < 5; l++) {
        buf_addf(text, "list%u = [", l);
        for (unsigned i = 0; i < 10000; i++) {
            add_item(text, 10000 * l + i, 50000);
            buf_adds(text, ", ");
        }
        buf_adds(text, "]\n");
    }
    buf_adds(text, "use(list0, list1, list2, list3, list4)\n");
}

static void deep_blocks(struct buf *text)
{
    for (unsigned i = 0; i < 500; i++) {
        buf_addf(text, "%*sif a%u:\n", (int)i, "", i);
        buf_addf(text, "%*sb%u = ", (int)i + 1, "", i);
        add_item(text, i, 500);
        buf_adds(text, "\n");
    }
}

static void deep_brackets(struct buf *text)
{
    buf_adds(text, "data = ");
    for (unsigned i = 0; i < 500; i++) {
        buf_adds(text, i % 2 ? "[" : "f(");
        add_item(text, i, 500);
        buf_adds(text, ", ");
    }
    buf_adds(text, "1");
    for (unsigned i = 500; i > 0; i--)
        buf_adds(text, i % 2 ? ")" : "]");
    buf_adds(text, "\n");
}

/* One operand a line; the tree is as deep as there are operands. */
static void long_sum(struct buf *text)
{
    buf_adds(text, "data = (0\n");
    for (unsigned i = 0; i < 10000; i++) {
        buf_adds(text, "    + ");
        add_item(text, i, 10000);
        buf_adds(text, "\n");
    }
    buf_adds(text, ")\n");
}

static void long_chain(struct buf *text)
{
    buf_adds(text, "data = (x\n");
    for (unsigned i = 0; i < 5000; i++) {
        buf_addf(text, "    .m%u(", i);
        add_item(text, i, 5000);
        buf_adds(text, ")\n");
    }
    buf_adds(text, ")\n");
}

static void branches(struct buf *text)
{
    buf_adds(text, "if x == 0:\n    y = 0\n");
    for (unsigned i = 1; i < 5000; i++) {
        buf_addf(text, "elif x == %u:\n    y = ", i);
        add_item(text, i, 5000);
        buf_adds(text, "\n");
    }
    buf_adds(text, "else:\n    y = 1\n");
}

static void kernel_text(struct buf *text)
{
    buf_adds(text, "source = r'''\n");
    for (unsigned i = 0; i < 20000; i++) {
        buf_addf(text, i % 10 ? "    x[%u] = " : "} void f%u() { ", i);
        add_item(text, i, 20000);
        buf_adds(text, ";\n");
    }
    buf_adds(text, "'''\nbuild(source)\n");
}

/* The same few lines, over and over. */
static void repeats(struct buf *text)
{
    for (unsigned i = 0; i < 5000; i++) {
        buf_adds(text, "x = torch.zeros(4, 4)\nprint(x.sum(), ");
        add_item(text, i, 5000);
        buf_adds(text, ")\nfor i in range(3):\n    x = x + i\n");
    }
}

static void wide_calls(struct buf *text)
{
    buf_adds(text, "def f(");
    for (unsigned i = 0; i < 2000; i++)
        buf_addf(text, "a%u, ", i);
    buf_adds(text, "):\n    return a0\n\n\nf(");
    for (unsigned i = 0; i < 2000; i++) {
        add_item(text, i, 2000);
        buf_adds(text, ", ");
    }
    buf_adds(text, ")\nf(");
    for (unsigned i = 0; i < 2000; i++)
        buf_addf(text, "a%u=%u, ", i, i);
    buf_adds(text, ")\n");
}

const struct shape shapes[] = {
    { "function", one_function }, { "dict", dict_lines },
    { "functions", functions },   { "methods", methods },
    { "line", one_line },         { "lists", lists },
    { "blocks", deep_blocks },    { "brackets", deep_brackets },
    { "sum", long_sum },          { "chain", long_chain },
    { "elif", branches },         { "kernel", kernel_text },
    { "repeats", repeats },       { "call", wide_calls },
};
const unsigned shapes_n = ARRAY_LEN(shapes);
