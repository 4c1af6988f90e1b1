/* node.h - the nodes of a tree as one flat array, for the generators.
 *
 * tree_nodes() lists all nodes of the parse in text order, a node before its
 * children (pre-order). A node is its place in the array; its subtree is the
 * half-open range [i, at[i].past). So walking a file is a loop over the array,
 * its depth costs no stack, parent and next sibling are single steps, and
 * nobody but tree.c sees tree-sitter.
 *
 *   for (uint32_t i = 0; i < ns->n; i++)            every node
 *   for (uint32_t c = node_child(ns, i); c != NODE_NONE;
 *        c = node_sibling(ns, c))                    its children
 *
 * Tokens (",", "(", "if") are nodes too, with `named` false. Hidden rules of
 * the grammar are not in the array. */
#ifndef AUTODD_NODE_H
#define AUTODD_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/tree.h"

/* id, name in the grammar. */
/* clang-format off */
#define NODE_NAMED(row)                                                        \
    row(MODULE, "module") row(IDENTIFIER, "identifier")                        \
    row(COMMENT, "comment") row(LINE_CONTINUATION, "line_continuation")        \
    row(ERROR, "ERROR") row(BLOCK, "block")                                    \
    /* simple statements */                                                    \
    row(IMPORT, "import_statement") row(IMPORT_FROM, "import_from_statement")  \
    row(FUTURE_IMPORT, "future_import_statement")                              \
    row(IMPORT_PREFIX, "import_prefix")                                        \
    row(RELATIVE_IMPORT, "relative_import")                                    \
    row(ALIASED_IMPORT, "aliased_import")                                      \
    row(WILDCARD_IMPORT, "wildcard_import") row(DOTTED_NAME, "dotted_name")    \
    row(PRINT_STATEMENT, "print_statement") row(CHEVRON, "chevron")            \
    row(EXEC_STATEMENT, "exec_statement") row(ASSERT, "assert_statement")      \
    row(EXPRESSION_STATEMENT, "expression_statement")                          \
    row(RETURN, "return_statement") row(DELETE, "delete_statement")            \
    row(RAISE, "raise_statement") row(PASS, "pass_statement")                  \
    row(BREAK, "break_statement") row(CONTINUE, "continue_statement")          \
    row(GLOBAL, "global_statement") row(NONLOCAL, "nonlocal_statement")        \
    row(TYPE_ALIAS, "type_alias_statement")                                    \
    /* compound statements and their clauses */                                \
    row(IF, "if_statement") row(ELIF, "elif_clause") row(ELSE, "else_clause")  \
    row(FOR, "for_statement") row(WHILE, "while_statement")                    \
    row(TRY, "try_statement") row(EXCEPT, "except_clause")                     \
    row(FINALLY, "finally_clause") row(WITH, "with_statement")                 \
    row(WITH_CLAUSE, "with_clause") row(WITH_ITEM, "with_item")                \
    row(MATCH, "match_statement") row(CASE, "case_clause")                     \
    row(FUNCTION, "function_definition") row(CLASS, "class_definition")        \
    row(DECORATED, "decorated_definition") row(DECORATOR, "decorator")         \
    /* parameters and arguments */                                             \
    row(PARAMETERS, "parameters") row(LAMBDA_PARAMETERS, "lambda_parameters")  \
    row(DEFAULT_PARAMETER, "default_parameter")                                \
    row(TYPED_PARAMETER, "typed_parameter")                                    \
    row(TYPED_DEFAULT_PARAMETER, "typed_default_parameter")                    \
    row(LIST_SPLAT_PATTERN, "list_splat_pattern")                              \
    row(DICTIONARY_SPLAT_PATTERN, "dictionary_splat_pattern")                  \
    row(POSITIONAL_SEPARATOR, "positional_separator")                          \
    row(KEYWORD_SEPARATOR, "keyword_separator")                                \
    row(ARGUMENT_LIST, "argument_list")                                        \
    row(KEYWORD_ARGUMENT, "keyword_argument") row(LIST_SPLAT, "list_splat")    \
    row(DICTIONARY_SPLAT, "dictionary_splat")                                  \
    row(PARENTHESIZED_LIST_SPLAT, "parenthesized_list_splat")                  \
    row(TYPE_PARAMETER, "type_parameter")                                      \
    /* expressions */                                                          \
    row(ASSIGNMENT, "assignment")                                              \
    row(AUGMENTED_ASSIGNMENT, "augmented_assignment")                          \
    row(NAMED_EXPRESSION, "named_expression")                                  \
    row(PATTERN_LIST, "pattern_list") row(EXPRESSION_LIST, "expression_list")  \
    row(NOT_OPERATOR, "not_operator")                                          \
    row(BOOLEAN_OPERATOR, "boolean_operator")                                  \
    row(BINARY_OPERATOR, "binary_operator")                                    \
    row(UNARY_OPERATOR, "unary_operator")                                      \
    row(COMPARISON, "comparison_operator") row(LAMBDA, "lambda")               \
    row(YIELD, "yield") row(AWAIT, "await") row(ATTRIBUTE, "attribute")        \
    row(SUBSCRIPT, "subscript") row(SLICE, "slice") row(CALL, "call")          \
    row(LIST, "list") row(SET, "set") row(TUPLE, "tuple")                      \
    row(DICTIONARY, "dictionary") row(PAIR, "pair")                            \
    row(LIST_COMPREHENSION, "list_comprehension")                              \
    row(DICTIONARY_COMPREHENSION, "dictionary_comprehension")                  \
    row(SET_COMPREHENSION, "set_comprehension")                                \
    row(GENERATOR_EXPRESSION, "generator_expression")                          \
    row(FOR_IN_CLAUSE, "for_in_clause") row(IF_CLAUSE, "if_clause")            \
    row(PARENTHESIZED, "parenthesized_expression")                             \
    row(CONDITIONAL, "conditional_expression")                                 \
    row(CONCATENATED_STRING, "concatenated_string") row(STRING, "string")      \
    row(STRING_START, "string_start") row(STRING_CONTENT, "string_content")    \
    row(STRING_END, "string_end") row(INTERPOLATION, "interpolation")          \
    row(FORMAT_SPECIFIER, "format_specifier")                                  \
    row(FORMAT_EXPRESSION, "format_expression")                                \
    row(TYPE_CONVERSION, "type_conversion")                                    \
    row(ESCAPE_SEQUENCE, "escape_sequence")                                    \
    row(ESCAPE_INTERPOLATION, "escape_interpolation") row(INTEGER, "integer")  \
    row(FLOAT, "float") row(TRUE_NAME, "true") row(FALSE_NAME, "false")        \
    row(NONE_NAME, "none") row(ELLIPSIS, "ellipsis") row(TYPE, "type")         \
    row(SPLAT_TYPE, "splat_type") row(GENERIC_TYPE, "generic_type")            \
    row(UNION_TYPE, "union_type") row(CONSTRAINED_TYPE, "constrained_type")    \
    row(MEMBER_TYPE, "member_type")                                            \
    /* patterns of match; pattern lists of targets */                          \
    row(AS_PATTERN, "as_pattern") row(AS_PATTERN_TARGET, "as_pattern_target")  \
    row(TUPLE_PATTERN, "tuple_pattern") row(LIST_PATTERN, "list_pattern")      \
    row(CASE_PATTERN, "case_pattern") row(UNION_PATTERN, "union_pattern")      \
    row(DICT_PATTERN, "dict_pattern") row(SPLAT_PATTERN, "splat_pattern")      \
    row(KEYWORD_PATTERN, "keyword_pattern")                                    \
    row(CLASS_PATTERN, "class_pattern")                                        \
    row(COMPLEX_PATTERN, "complex_pattern")

#define NODE_TOKENS(row)                                                       \
    row(COMMA, ",") row(SEMICOLON, ";") row(COLON, ":") row(DOT, ".")          \
    row(LPAREN, "(") row(RPAREN, ")") row(LBRACKET, "[") row(RBRACKET, "]")    \
    row(LBRACE, "{") row(RBRACE, "}") row(EQUALS, "=") row(ARROW, "->")        \
    row(WALRUS, ":=") row(STAR, "*") row(STAR_STAR, "**") row(AT, "@")         \
    row(UNDERSCORE, "_") row(MINUS, "-") row(PLUS, "+") row(TILDE, "~")        \
    row(KW_IF, "if") row(KW_ELIF, "elif") row(KW_ELSE, "else")                 \
    row(KW_FOR, "for") row(KW_WHILE, "while") row(KW_TRY, "try")               \
    row(KW_EXCEPT, "except") row(KW_FINALLY, "finally") row(KW_WITH, "with")   \
    row(KW_MATCH, "match") row(KW_CASE, "case") row(KW_DEF, "def")             \
    row(KW_CLASS, "class") row(KW_LAMBDA, "lambda") row(KW_ASYNC, "async")     \
    row(KW_AWAIT, "await") row(KW_IMPORT, "import") row(KW_FROM, "from")       \
    row(KW_AS, "as") row(KW_IN, "in") row(KW_IS, "is") row(KW_NOT, "not")      \
    row(KW_AND, "and") row(KW_OR, "or") row(KW_RETURN, "return")               \
    row(KW_RAISE, "raise") row(KW_ASSERT, "assert") row(KW_DEL, "del")         \
    row(KW_GLOBAL, "global") row(KW_NONLOCAL, "nonlocal")                      \
    row(KW_YIELD, "yield") row(KW_TYPE, "type") row(KW_PASS, "pass")

#define NODE_FIELDS(row)                                                       \
    row(alias) row(alternative) row(argument) row(arguments) row(attribute)    \
    row(body) row(cause) row(code) row(condition) row(consequence)             \
    row(definition) row(expression) row(format_specifier) row(function)        \
    row(guard) row(key) row(left) row(module_name) row(name) row(object)       \
    row(operator) row(operators) row(parameters) row(return_type) row(right)   \
    row(subject) row(subscript) row(superclasses) row(type)                    \
    row(type_conversion) row(type_parameters) row(value)
/* clang-format on */

#define NODE_ENUM(id, name) NODE_##id,
#define NODE_FIELD_ENUM(name) FIELD_##name,
enum node_kind { NODE_OTHER, NODE_NAMED(NODE_ENUM) NODE_TOKENS(NODE_ENUM) };
enum node_field { FIELD_NONE, NODE_FIELDS(NODE_FIELD_ENUM) };

#define NODE_NONE UINT32_MAX

struct node {
    struct span at;
    uint32_t parent; /* NODE_NONE for the module */
    uint32_t past;   /* first node after its subtree */
    uint16_t kind;   /* enum node_kind; NODE_OTHER for tokens of no interest */
    uint8_t field;   /* enum node_field: what it is to its parent */
    bool named;
    bool missing;
};

struct nodes {
    const struct node *at;
    uint32_t n; /* at least 1: node 0 is the module */
    struct bytes text;
};

/* The nodes of a tree; made at the first call, borrowed until tree_free(). */
const struct nodes *tree_nodes(const struct tree *tree);

/* An unsigned, so that a switch may name the few kinds it is about. */
static inline unsigned node_kind(const struct nodes *ns, uint32_t i)
{
    return ns->at[i].kind;
}

/* Whether node i is of that kind; false for NODE_NONE. */
static inline bool node_is(const struct nodes *ns, uint32_t i,
                           enum node_kind kind)
{
    return i != NODE_NONE && ns->at[i].kind == (uint16_t)kind;
}

static inline struct span node_span(const struct nodes *ns, uint32_t i)
{
    return ns->at[i].at;
}

/* From the first node to the last, and what stands between them. */
static inline struct span nodes_span(const struct nodes *ns, uint32_t first,
                                     uint32_t last)
{
    return (struct span){ ns->at[first].at.start, ns->at[last].at.end };
}

static inline struct bytes nodes_text(const struct nodes *ns, uint32_t first,
                                      uint32_t last)
{
    struct span at = nodes_span(ns, first, last);

    return bytes_of(ns->text.data + at.start, span_len(at));
}

static inline struct bytes node_text(const struct nodes *ns, uint32_t i)
{
    return bytes_of(ns->text.data + ns->at[i].at.start, span_len(ns->at[i].at));
}

static inline uint32_t node_parent(const struct nodes *ns, uint32_t i)
{
    return ns->at[i].parent;
}

/* First child, next sibling (tokens and comments included), or NODE_NONE. */
static inline uint32_t node_child(const struct nodes *ns, uint32_t i)
{
    return ns->at[i].past > i + 1 ? i + 1 : NODE_NONE;
}

static inline uint32_t node_sibling(const struct nodes *ns, uint32_t i)
{
    uint32_t parent = ns->at[i].parent;
    uint32_t next = ns->at[i].past;

    return parent != NODE_NONE && next < ns->at[parent].past ? next : NODE_NONE;
}

/* First child, next sibling that is named and no comment or continuation. */
uint32_t node_named_child(const struct nodes *ns, uint32_t i);
uint32_t node_named_sibling(const struct nodes *ns, uint32_t i);

/* Whether it is a comment or a line continuation, which may stand anywhere. */
bool node_is_extra(const struct nodes *ns, uint32_t i);

/* The first child with that field or of that kind; costs its siblings. */
uint32_t node_field(const struct nodes *ns, uint32_t i, enum node_field field);
uint32_t node_child_of(const struct nodes *ns, uint32_t i, enum node_kind kind);

/* The first argument of a call; NODE_NONE without one, and for what is no call.
 */
uint32_t node_first_argument(const struct nodes *ns, uint32_t call);

bool node_text_is(const struct nodes *ns, uint32_t i, const char *text);

/* Whether j is i or lies below it. */
static inline bool node_holds(const struct nodes *ns, uint32_t i, uint32_t j)
{
    return i <= j && j < ns->at[i].past;
}

/* The nearest node of that kind above i, or NODE_NONE; costs the depth. */
uint32_t node_above(const struct nodes *ns, uint32_t i, enum node_kind kind);

/* The statement that holds node i (or is it): a child of a block or of the
 * module; a decorated definition is one. NODE_NONE for the module itself. */
uint32_t node_statement(const struct nodes *ns, uint32_t i);

/* The nearest function, lambda or class above i, NODE_NONE in the module. */
uint32_t node_scope(const struct nodes *ns, uint32_t i);

/* The nearest function definition above i, or NODE_NONE. */
uint32_t node_function(const struct nodes *ns, uint32_t i);

/* Kinds in families. */
bool node_is_statement(const struct nodes *ns, uint32_t i);
bool node_is_clause(const struct nodes *ns, uint32_t i);

/* Whether the statement is a plain string and nothing else. */
bool node_is_docstring(const struct nodes *ns, uint32_t statement);

/* Whether i is a block or the module: its statements are the children for
 * which node_is_statement() holds. */
bool node_is_body(const struct nodes *ns, uint32_t i);

/* The outermost node that starts at this byte and is of this kind, by binary
 * search; NODE_NONE when there is none. */
uint32_t node_at(const struct nodes *ns, uint32_t start, enum node_kind kind);

/* The first node that starts at this byte or later; ns->n when none does. */
uint32_t node_from(const struct nodes *ns, uint32_t start);

/* The function definition that a statement is, with or without decorators;
 * the class; NODE_NONE else. */
uint32_t node_definition(const struct nodes *ns, uint32_t statement);

/* Start of the line that holds `at`; first byte of the next line (or the end
 * of the text). Lines end in \n, \r\n or \r. */
uint32_t text_line_start(struct bytes text, uint32_t at);
uint32_t text_line_next(struct bytes text, uint32_t at);

/* Whether the byte may stand in a name or a number; all of a character that is
 * not ASCII may. */
static inline bool text_is_word(char c)
{
    return c == '_' || (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Whether only spaces, tabs and form feeds stand in the span. */
bool text_is_blank(struct bytes text, struct span at);

#endif
