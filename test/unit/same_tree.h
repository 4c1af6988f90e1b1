/* same_tree.h - whether two trees have the same text and the same nodes. */
#ifndef AUTODD_SAME_TREE_H
#define AUTODD_SAME_TREE_H

#include "grammar/node.h"
#include "grammar/tree.h"
#include "test/test.h"

static inline void assert_same_tree(const struct tree *a, const struct tree *b)
{
    const struct nodes *x = tree_nodes(a), *y = tree_nodes(b);

    assert_int_equal(tree_text(a).len, tree_text(b).len);
    assert_memory_equal(tree_text(a).data, tree_text(b).data, tree_text(a).len);
    assert_int_equal(tree_errors(a), tree_errors(b));
    assert_int_equal(x->n, y->n);
    for (uint32_t i = 0; i < x->n; i++) {
        assert_int_equal(x->at[i].kind, y->at[i].kind);
        assert_int_equal(x->at[i].at.start, y->at[i].at.start);
        assert_int_equal(x->at[i].at.end, y->at[i].at.end);
        assert_int_equal(x->at[i].past, y->at[i].past);
        assert_int_equal(x->at[i].field, y->at[i].field);
    }
}

#endif
