/* The tree, its positions, and everything that is refused. */
#include "test/test.h"

#include <errno.h>
#include <string.h>

#include "config/buf.h"
#include "config/yaml.h"
#include "test/folder.h"

static struct yaml good(const char *text)
{
    struct yaml yaml;
    struct err err = { "" };

    if (yaml_parse(&yaml, "f.yaml", text, strlen(text), &err))
        fail_msg("%s", err.text);
    return yaml;
}

static void assert_refused(const char *text, size_t len, const char *part)
{
    struct yaml yaml;
    struct err err = { "" };

    assert_int_equal(yaml_parse(&yaml, "f.yaml", text, len, &err), -EINVAL);
    if (!strstr(err.text, part))
        fail_msg("no '%s' in: %s", part, err.text);
    assert_null(yaml.nodes);
    assert_null(yaml.file);
}

#define REFUSED(text, part) assert_refused(text, strlen(text), part)

static void scalars_keep_text_and_place(void **state)
{
    (void)state;
    struct yaml yaml = good("# head\njobs: 8\nerr-msg:   'a: b # c'\n");
    const struct yaml_node *jobs = yaml_get(yaml.root, "jobs");
    const struct yaml_node *msg = yaml_get(yaml.root, "err-msg");

    assert_int_equal(yaml.root->kind, YAML_MAPPING);
    assert_int_equal(yaml.root->n, 2);
    assert_string_equal(jobs->text, "8");
    assert_true(jobs->plain);
    assert_int_equal(jobs->line, 2);
    assert_int_equal(jobs->column, 7);
    assert_int_equal(jobs->key_line, 2);
    assert_int_equal(jobs->key_column, 1);
    assert_string_equal(msg->text, "a: b # c");
    assert_false(msg->plain);
    assert_int_equal(msg->line, 3);
    assert_int_equal(msg->column, 12);
    assert_null(yaml_get(yaml.root, "none"));
    assert_null(yaml_get(jobs, "none"));
    assert_null(yaml_get(NULL, "none"));
    yaml_deinit(&yaml);
}

static void collections_keep_the_order_of_the_file(void **state)
{
    (void)state;
    struct yaml yaml = good("env: [A=1, {x: y}, [z]]\nz: 1\na: 2\n");
    const struct yaml_node *env = yaml.root->first;

    assert_string_equal(env->key, "env");
    assert_int_equal(env->kind, YAML_SEQUENCE);
    assert_int_equal(env->n, 3);
    assert_null(env->text);
    assert_string_equal(env->first->text, "A=1");
    assert_null(env->first->key);
    assert_string_equal(yaml_get(env->first->next, "x")->text, "y");
    assert_string_equal(env->first->next->next->first->text, "z");
    assert_null(env->first->next->next->next);
    assert_string_equal(env->next->key, "z");
    assert_string_equal(env->next->next->key, "a");
    assert_null(env->next->next->next);
    yaml_deinit(&yaml);
}

static void an_empty_file_has_no_root(void **state)
{
    (void)state;
    const char *texts[] = { "", "\n\n", "# only this\n", "\xef\xbb\xbf" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct yaml yaml = good(texts[i]);

        assert_null(yaml.root);
        yaml_deinit(&yaml);
    }
}

static void a_missing_value_is_an_empty_plain_text(void **state)
{
    (void)state;
    struct yaml yaml = good("jobs:\n");

    assert_string_equal(yaml.root->first->text, "");
    assert_true(yaml.root->first->plain);
    yaml_deinit(&yaml);
}

static void crlf_and_bom_are_fine(void **state)
{
    (void)state;
    struct yaml yaml = good("\xef\xbb\xbfjobs: 8\r\nseed: 1\r\n");

    assert_string_equal(yaml_get(yaml.root, "jobs")->text, "8");
    assert_int_equal(yaml_get(yaml.root, "seed")->line, 2);
    yaml_deinit(&yaml);
}

static void syntax_errors_name_line_column_and_remedy(void **state)
{
    (void)state;
    REFUSED("jobs: 8\nerr-msg: Check failed: x\n", "f.yaml:2:22: ");
    REFUSED("err-msg: Check failed: x\n", "into quotes");
    REFUSED("a: [1, 2\nb: 3\n", "f.yaml:2:");
    REFUSED("a: 'open\n", "f.yaml:");
    REFUSED("\ta: 1\n", "f.yaml:1:");
    REFUSED("a: \"\\q\"\n", "f.yaml:1:");
}

static void bytes_that_are_no_utf8_are_named(void **state)
{
    (void)state;
    REFUSED("a: \xff\n", "byte 3");
    REFUSED("a: \xff\n", "UTF-8");
    assert_refused("a: x\0y\n", 7, "f.yaml: byte 4");
}

static void anchors_aliases_and_tags_are_refused(void **state)
{
    (void)state;
    REFUSED("a: &x 1\n", "f.yaml:1:4: anchors");
    REFUSED("a: &x [1]\n", "anchors");
    REFUSED("a: &x {b: 1}\n", "anchors");
    REFUSED("a: *x\n", "f.yaml:1:4: aliases");
    REFUSED("a: !!str 1\n", "f.yaml:1:4: tags");
    REFUSED("a: ! 1\n", "tags");
    REFUSED("!x a: 1\n", "tags");
    REFUSED("a: !x {}\n", "tags");
    REFUSED("%TAG !e! tag:e.com:\n---\na: 1\n", "tags");
}

static void a_second_document_is_refused(void **state)
{
    (void)state;
    struct yaml yaml = good("---\na: 1\n...\n");

    yaml_deinit(&yaml);
    REFUSED("a: 1\n---\nb: 1\n", "f.yaml:2:1: a second document");
}

static void a_key_twice_is_refused_with_both_lines(void **state)
{
    (void)state;
    REFUSED("a: 1\nb: 1\na: 2\n",
            "f.yaml:3:1: key 'a' stands already in line 1");
    REFUSED("x: {b: 1, c: 1, b: 2}\n", "f.yaml:1:17: key 'b'");
    REFUSED("? a\n? a\n", "key 'a'");
    REFUSED("\"a\\e[1m\": 1\n\"a\\e[1m\": 1\n", "key 'a\\x1b[1m'");
    struct yaml yaml = good("x: {a: 1}\ny: {a: 1}\n"); /* not the same */
    yaml_deinit(&yaml);
}

static void very_many_keys_take_no_square_of_time(void **state)
{
    (void)state;
    struct buf buf;
    struct yaml yaml;

    buf_init(&buf, YAML_MAX_BYTES);
    for (int i = 0; i < 80000; i++)
        buf_addf(&buf, "k%d: 1\n", i);
    assert_int_equal(yaml_parse(&yaml, "f.yaml", buf_str(&buf), buf.len, NULL),
                     0);
    assert_int_equal(yaml.root->n, 80000);
    yaml_deinit(&yaml);
    buf_deinit(&buf);
}

static void keys_must_be_scalars(void **state)
{
    (void)state;
    REFUSED("? [a]\n: 1\n", "f.yaml:1:3: a key is");
    REFUSED("{a: 1}: 2\n", "a key is");
}

static void an_escaped_zero_byte_is_refused(void **state)
{
    (void)state;
    REFUSED("a: \"x\\0y\"\n", "f.yaml:1:4: a text holds a zero byte");
    REFUSED("\"x\\0y\": 1\n", "zero byte");
}

/* `depth` sequences in one another. */
static char *nested(size_t depth)
{
    char *text = calloc(depth + 1, 2);

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return text;
}

static void depth_has_a_ceiling(void **state)
{
    (void)state;
    char *fits = nested(YAML_MAX_DEPTH);
    char *deep = nested(YAML_MAX_DEPTH + 1);
    char *abyss = nested(400000);
    struct yaml yaml = good(fits);

    yaml_deinit(&yaml);
    REFUSED(deep, "f.yaml:1:33: nested too deeply");
    REFUSED(abyss, "nested too deeply");
    free(fits);
    free(deep);
    free(abyss);
}

static void size_has_a_ceiling(void **state)
{
    (void)state;
    char *text = malloc(YAML_MAX_BYTES + 1);
    struct yaml yaml;
    struct err err;

    memset(text, '#', YAML_MAX_BYTES + 1);
    assert_int_equal(yaml_parse(&yaml, "f.yaml", text, YAML_MAX_BYTES, &err),
                     0);
    yaml_deinit(&yaml);
    assert_int_equal(
        yaml_parse(&yaml, "f.yaml", text, YAML_MAX_BYTES + 1, &err), -E2BIG);
    assert_non_null(strstr(err.text, "1048576"));
    free(text);
}

static void files_are_read_and_missing_ones_reported(void **state)
{
    (void)state;
    struct yaml yaml;
    struct err err;

    assert_true(folder_put("x.yaml", "a: 1\n"));
    assert_int_equal(yaml_load(&yaml, "x.yaml", &err), 0);
    assert_string_equal(yaml.file, "x.yaml");
    assert_string_equal(yaml.root->first->text, "1");
    yaml_deinit(&yaml);
    assert_int_equal(yaml_load(&yaml, "none.yaml", &err), -ENOENT);
    assert_non_null(strstr(err.text, "none.yaml"));
    assert_int_equal(yaml_load(&yaml, ".", &err), -EISDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_keep_text_and_place),
        cmocka_unit_test(collections_keep_the_order_of_the_file),
        cmocka_unit_test(an_empty_file_has_no_root),
        cmocka_unit_test(a_missing_value_is_an_empty_plain_text),
        cmocka_unit_test(crlf_and_bom_are_fine),
        cmocka_unit_test(syntax_errors_name_line_column_and_remedy),
        cmocka_unit_test(bytes_that_are_no_utf8_are_named),
        cmocka_unit_test(anchors_aliases_and_tags_are_refused),
        cmocka_unit_test(a_second_document_is_refused),
        cmocka_unit_test(a_key_twice_is_refused_with_both_lines),
        cmocka_unit_test(very_many_keys_take_no_square_of_time),
        cmocka_unit_test(keys_must_be_scalars),
        cmocka_unit_test(an_escaped_zero_byte_is_refused),
        cmocka_unit_test(depth_has_a_ceiling),
        cmocka_unit_test(size_has_a_ceiling),
        folder_test(files_are_read_and_missing_ones_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
