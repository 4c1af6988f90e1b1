/* Which GPUs runs are dealt over. */
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/json.h"
#include "worker/gpu/list.h"
#include "worker/gpu/nvml.h"

#define GPU(uuid, index, more)                                                 \
    "{\"uuid\":\"" uuid "\",\"name\":\"H200\",\"index\":" #index more "}"

static const char three[] =
    "{\"driver\":\"580\",\"gpus\":[" GPU("GPU-aaaaaaaa-1", 0, "") "," GPU(
        "GPU-aabbbbbb-2", 1, "") "," GPU("GPU-cccccccc-3", 2, "") "]}";
static const char mixed[] = "{\"gpus\":[" GPU("GPU-a", 0, "") "," GPU(
    "GPU-b", 1,
    ",\"x\":1") ",{\"uuid\":\"GPU-c\",\"name\":\"L4\",\"index\":2}]}";
static const char mig[] =
    "{\"gpus\":[" GPU("MIG-1-a", 0, ",\"parent\":\"GPU-p\"") "," GPU(
        "MIG-2-b", 0, ",\"parent\":\"GPU-p\"") "]}";

static struct gpu_list read_list(const char *text)
{
    struct err err;
    struct json *frame = json_parse(text, strlen(text), &err);
    struct gpu_list list;

    assert_non_null(frame);
    gpu_list_read(&list, frame);
    json_free(frame);
    return list;
}

/* "VISIBLE VISIBLE ..." of what is chosen, or the message. */
static void check_as(const char *found, const char *spec, const char *visible,
                     bool by_bus, const char *wanted)
{
    struct gpu_list list = read_list(found), out;
    char text[1024] = "";
    struct err err;

    if (gpu_list_choose(&list, spec, visible, by_bus, &out, &err)) {
        snprintf(text, sizeof(text), "%s", err.text);
    } else {
        for (size_t i = 0; i < out.n; i++) {
            const struct gpu_entry *e = &out.at[i];

            strncat(text, i ? " " : "", 2);
            strncat(text, e->visible ? e->visible : e->uuid, 100);
        }
        gpu_list_deinit(&out);
    }
    assert_string_equal(text, wanted);
    gpu_list_deinit(&list);
}

static void check(const char *spec, const char *visible, const char *wanted)
{
    check_as(three, spec, visible, false, wanted);
}

static void all_is_what_cuda_shows(void **state)
{
    (void)state;
    check("all", NULL, "GPU-aaaaaaaa-1 GPU-aabbbbbb-2 GPU-cccccccc-3");
    check("all", "GPU-c,GPU-aaa", "GPU-cccccccc-3 GPU-aaaaaaaa-1");
    check("all", "2,0", "2 0"); /* as whoever set it counts */
    check("all", "", "");
    check("all", "NoDevFiles", "");
}

static void an_entry_that_names_nothing_hides_the_later_ones(void **state)
{
    (void)state;
    check("all", "1,7,0", "1");
    check("all", "1,-1,0", "1");
    check("all", "GPU-cc,GPU-a,0", "GPU-cccccccc-3"); /* GPU-a: which? */
    check("all", ",0", "");
}

static void numbers_and_uuids_choose(void **state)
{
    (void)state;
    check("2,0", NULL, "GPU-cccccccc-3 GPU-aaaaaaaa-1");
    check("gpu-AAB", NULL, "GPU-aabbbbbb-2");
    check("1,GPU-aab", NULL, "GPU-aabbbbbb-2"); /* the same one once */
    check("1", "2,0", "0");                     /* of those that are visible */
    check("GPU-c", "2,0", "2");
}

static void what_is_not_there_is_refused_with_what_is(void **state)
{
    (void)state;
    check("3", NULL,
          "--gpus 3: no such GPU; found: 0 (GPU-aaaaaaaa, H200), "
          "1 (GPU-aabbbbbb, H200), 2 (GPU-cccccccc, H200)");
    check("0,GPU-a", "2",
          "--gpus GPU-a: no such GPU in CUDA_VISIBLE_DEVICES; found: "
          "0 (GPU-cccccccc, H200)");
    check("0", "",
          "--gpus 0: no such GPU in CUDA_VISIBLE_DEVICES; found: "
          "none");
}

static void of_different_gpus_an_integer_may_be_any(void **state)
{
    struct gpu_list list = read_list(mixed), out;
    struct err err;
    (void)state;

    assert_int_equal(gpu_list_choose(&list, "all", "1,2", false, &out, &err),
                     0);
    assert_int_equal(out.n, 2);
    assert_false(out.at[0].known);
    assert_string_equal(out.at[1].visible, "2");
    gpu_list_deinit(&out);
    assert_int_equal(gpu_list_choose(&list, "all", "1,2", true, &out, &err), 0);
    assert_true(out.at[0].known);
    assert_string_equal(out.at[0].uuid, "GPU-b");
    gpu_list_deinit(&out);
    gpu_list_deinit(&list);
}

static void mig_instances_stand_for_their_gpu(void **state)
{
    (void)state;
    check_as(mig, "all", NULL, false, "MIG-1-a MIG-2-b");
    check_as(mig, "MIG-2", NULL, false, "MIG-2-b");
    check_as(mig, "1", NULL, false, "MIG-2-b");
    check_as(mig, "GPU-p", NULL, false,
             "--gpus GPU-p: no such GPU; found: 0 (MIG-1-a, H200), 1 (MIG-2-b, "
             "H200)");
}

static void a_prohibited_gpu_is_not_dealt_out(void **state)
{
    static const char text[] = "{\"gpus\":[" GPU(
        "GPU-a", 0, ",\"mode\":2") "," GPU("GPU-b", 1, "") "]}";
    (void)state;

    check_as(text, "all", NULL, false, "GPU-b");
    check_as(text, "0", NULL, false,
             "--gpus 0: no such GPU; found: 0 (GPU-a, H200), 1 (GPU-b, H200)");
}

static void a_list_of_nonsense_is_empty(void **state)
{
    (void)state;
    check_as("{\"gpus\":[{},{\"uuid\":7},3,{\"uuid\":\"\"}]}", "all", NULL,
             false, "");
    check_as("{\"gpus\":{}}", "all", NULL, false, "");
}

static void names_are_short_for_people(void **state)
{
    char out[64];
    (void)state;

    assert_string_equal(gpu_short("GPU-8f3c21a0-1111-2222", out, sizeof(out)),
                        "GPU-8f3c21a0");
    assert_string_equal(gpu_short("2", out, sizeof(out)), "2");
}

/* As in NVIDIA's nvml.h, for 64-bit processors. */
static void structs_have_the_sizes_of_the_library(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct nvml_memory), 24);
    assert_int_equal(sizeof(struct nvml_process), 24);
    assert_int_equal(offsetof(struct nvml_process, used), 8);
    assert_int_equal(sizeof(struct nvml_event), 32);
    assert_int_equal(offsetof(struct nvml_event, data), 16);
    assert_int_equal(sizeof(struct nvml_field), 40);
    assert_int_equal(offsetof(struct nvml_field, value), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_what_cuda_shows),
        cmocka_unit_test(an_entry_that_names_nothing_hides_the_later_ones),
        cmocka_unit_test(numbers_and_uuids_choose),
        cmocka_unit_test(what_is_not_there_is_refused_with_what_is),
        cmocka_unit_test(of_different_gpus_an_integer_may_be_any),
        cmocka_unit_test(mig_instances_stand_for_their_gpu),
        cmocka_unit_test(a_prohibited_gpu_is_not_dealt_out),
        cmocka_unit_test(a_list_of_nonsense_is_empty),
        cmocka_unit_test(names_are_short_for_people),
        cmocka_unit_test(structs_have_the_sizes_of_the_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
