/* What a run finds in its environment. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "worker/env.h"

static char mark[] = "m", wish[] = "WISH=1", cache[] = "TRITON_CACHE_DIR=/mine";
static char *wishes[] = { wish, cache, NULL };

static struct job_setup a_job(size_t nwishes)
{
    return (struct job_setup){ .mark = mark,
                               .env = { .at = wishes, .n = nwishes } };
}

static struct strings run_of(const struct job_setup *setup, int slot)
{
    struct strings env;

    env_run(
        &env, setup,
        &(struct env_run){ .id = 7, .slot = slot, .tmp = "/t", .cache = "/c" });
    return env;
}

static void base_holds_ours_and_the_wishes(void **state)
{
    struct job_setup setup = a_job(1);
    struct strings env;
    (void)state;

    setenv("CUDA_DEVICE_WAITS_ON_EXCEPTION", "1", 1);
    setenv("OURS", "yes", 1);
    unsetenv("PYTHONHASHSEED");
    env_base(&env, &setup);
    assert_string_equal(env_get(&env, "OURS"), "yes");
    assert_string_equal(env_get(&env, "WISH"), "1");
    assert_string_equal(env_get(&env, "AUTODD_JOB"), "m");
    assert_string_equal(env_get(&env, "PYTHONHASHSEED"), "0");
    assert_string_equal(env_get(&env, "PYTHONDONTWRITEBYTECODE"), "1");
    assert_null(env_get(&env, "CUDA_DEVICE_WAITS_ON_EXCEPTION"));
    assert_null(env.at[env.n]);
    env_free(&env);
}

static void exported_hash_seed_is_kept(void **state)
{
    struct job_setup setup = a_job(0);
    struct strings env;
    (void)state;

    setenv("PYTHONHASHSEED", "42", 1);
    env_base(&env, &setup);
    assert_string_equal(env_get(&env, "PYTHONHASHSEED"), "42");
    env_free(&env);
    unsetenv("PYTHONHASHSEED");
}

static void run_has_private_folders_and_its_mark(void **state)
{
    struct job_setup setup = a_job(2);
    struct strings env = run_of(&setup, 0);
    (void)state;

    assert_string_equal(env_get(&env, "AUTODD_RUN"), "m-7");
    assert_string_equal(env_get(&env, "TMPDIR"), "/t");
    assert_string_equal(env_get(&env, "CUPY_CACHE_DIR"), "/c/cupy");
    assert_null(env_get(&env, "TRITON_CACHE_DIR")); /* the user's stays */
    env_free(&env);
}

static void devices_are_dealt_over_slots(void **state)
{
    static const char *const slots[] = { "GPU-a", "GPU-b", "2", "GPU-a" };
    struct job_setup setup = a_job(0);
    struct strings env;
    (void)state;

    setenv("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b,2", 1);
    for (int i = 0; i < (int)ARRAY_LEN(slots); i++) {
        env = run_of(&setup, i);
        assert_string_equal(env_get(&env, "CUDA_VISIBLE_DEVICES"), slots[i]);
        env_free(&env);
    }
    setenv("CUDA_VISIBLE_DEVICES", "3", 1);
    env = run_of(&setup, 1);
    assert_null(env_get(&env, "CUDA_VISIBLE_DEVICES"));
    env_free(&env);
    unsetenv("CUDA_VISIBLE_DEVICES");
}

static void filling_without_its_folder_is_nothing(void **state)
{
    struct job_setup setup = a_job(0);
    struct env_run run = { .tmp = "/t", .cache = "/c", .aids = AIDS_ALL };
    struct strings env;
    (void)state;

    unsetenv("PYTHONPATH");
    env_run(&env, &setup, &run);
    assert_null(env_get(&env, "PYTHONPATH"));
    assert_null(env_get(&env, "AUTODD_FILL"));
    assert_string_equal(env_get(&env, "CUDA_LAUNCH_BLOCKING"), "1");
    env_free(&env);
}

static void aids_are_variables(void **state)
{
    static char path[] = "PYTHONPATH=/theirs";
    char *with_path[] = { path, NULL };
    struct job_setup setup = a_job(0);
    struct env_run run = { .tmp = "/t", .cache = "/c", .fill = "/fill" };
    struct strings env;
    (void)state;

    unsetenv("PYTHONPATH");
    env_run(&env, &setup, &run);
    assert_null(env_get(&env, "PYTHONPATH"));
    assert_null(env_get(&env, "AUTODD_FILL"));
    assert_null(env_get(&env, "CUDA_LAUNCH_BLOCKING"));
    env_free(&env);
    run.aids = AID_FILL | AID_BLOCKING;
    env_run(&env, &setup, &run);
    assert_string_equal(env_get(&env, "PYTHONPATH"), "/fill");
    assert_string_equal(env_get(&env, "AUTODD_FILL"), "nan");
    assert_string_equal(env_get(&env, "CUDA_LAUNCH_BLOCKING"), "1");
    env_free(&env);
    setup.env = (struct strings){ .at = with_path, .n = 1 };
    env_run(&env, &setup, &run);
    assert_string_equal(env_get(&env, "PYTHONPATH"), "/fill:/theirs");
    env_free(&env);
    env_fork_server(&env, &setup, "/t", "/c", "/fill");
    assert_string_equal(env_get(&env, "PYTHONPATH"), "/fill:/theirs");
    assert_null(env_get(&env, "AUTODD_FILL"));
    env_free(&env);
}

static void fork_server_belongs_to_no_run(void **state)
{
    struct job_setup setup = a_job(2);
    struct strings env;
    (void)state;

    env_fork_server(&env, &setup, "/t", "/c", NULL);
    assert_null(env_get(&env, "AUTODD_RUN"));
    assert_string_equal(env_get(&env, "PYTORCH_NVML_BASED_CUDA_CHECK"), "1");
    assert_null(env_get(&env, "TRITON_CACHE_DIR"));
    env_free(&env);
}

static void last_of_a_name_wins(void **state)
{
    char a[] = "A=2", ab[] = "AB=3", broken[] = "broken";
    char *more[] = { a, ab, broken, NULL };
    struct strings env = { 0 }, over = { .at = more, .n = 3 };
    (void)state;

    env_set(&env, "A", "1");
    env_merge(&env, &over);
    assert_int_equal(env.n, 2);
    assert_string_equal(env_get(&env, "A"), "2");
    assert_string_equal(env_get(&env, "AB"), "3");
    env_free(&env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_holds_ours_and_the_wishes),
        cmocka_unit_test(exported_hash_seed_is_kept),
        cmocka_unit_test(run_has_private_folders_and_its_mark),
        cmocka_unit_test(devices_are_dealt_over_slots),
        cmocka_unit_test(aids_are_variables),
        cmocka_unit_test(filling_without_its_folder_is_nothing),
        cmocka_unit_test(fork_server_belongs_to_no_run),
        cmocka_unit_test(last_of_a_name_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
