/* What is read from logs of compute-sanitizer. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/toolkit.h"
#include "worker/gpu/finding.h"
#include "worker/gpu/sanitizer.h"

#define HEAD "========= COMPUTE-SANITIZER\n"
#define LINE(text) "========= " text "\n"

static void check(const char *log, enum finding wanted, const char *words)
{
    char *found;

    assert_int_equal(finding_read(log, strlen(log), &found), wanted);
    if (words)
        assert_string_equal(found, words);
    else
        assert_null(found);
    free(found);
}

static void an_error_is_its_kind_and_its_kernel(void **state)
{
    (void)state;
    check(HEAD LINE("Invalid __global__ write of size 4 bytes")
              LINE("    at store(float *, int)+0x70 in k.py:12")
                  LINE("    by thread (0,0,0) in block (0,0,0)")
                      LINE("    Address 0x7f is out of bounds"),
          FINDING_ERROR, "Invalid __global__ write in store");
    check(HEAD LINE("Invalid __shared__ read of size 16 bytes")
              LINE("    at void ns::load<float, 4>(float *)+0x1f0"),
          FINDING_ERROR, "Invalid __shared__ read in void ns::load<float, 4>");
    check(HEAD LINE("Uninitialized __global__ memory read of size 4 bytes")
              LINE("    at triton_kernel_0+0x80 in k.py:3"),
          FINDING_ERROR,
          "Uninitialized __global__ memory read in triton_kernel_0");
    check(HEAD LINE("Barrier error detected. Divergent thread(s) in block.")
              LINE("    at sync_it()+0x10"),
          FINDING_ERROR,
          "Barrier error detected. Divergent thread(s) in sync_it");
}

static void places_of_older_versions_are_read(void **state)
{
    (void)state;
    check(HEAD LINE("Invalid __global__ read of size 2 bytes")
              LINE("    at 0x17b0 in _fwd_kernel"),
          FINDING_ERROR, "Invalid __global__ read in _fwd_kernel");
    check(HEAD LINE("Invalid __global__ read of size 2 bytes")
              LINE("    at 0x17b0 in /src/k.cu:12:ns::f(int)"),
          FINDING_ERROR, "Invalid __global__ read in ns::f");
}

static void races_are_read(void **state)
{
    (void)state;
    check(HEAD LINE("Error: Potential WAW hazard detected at __shared__ 0x404 "
                    "in block (0,0,0) :")
              LINE("    Write Thread (33,0,0) at 0x00d8 in reduce(int *)")
                  LINE("    Write Thread (1,0,0) at 0x00d8 in reduce(int *)"),
          FINDING_ERROR,
          "Potential WAW hazard detected at __shared__ in reduce");
    check(HEAD LINE("Error: Race reported between Write access at "
                    "sum(int *)+0x90 in k.cu:4")
              LINE("    and Read access at sum(int *)+0xb0 [64 hazards]"),
          FINDING_ERROR, "Race reported between Write access in sum");
}

static void addresses_and_threads_make_no_difference(void **state)
{
    char *a, *b;
    const char one[] = HEAD LINE("Invalid __global__ write of size 4 bytes")
        LINE("    at f(int)+0x70 in k.py:1") LINE("    by thread (1,0,0)");
    const char two[] = HEAD LINE("Invalid __global__ write of size 8 bytes")
        LINE("    at f(int)+0x90 in k.py:7") LINE("    by thread (9,0,0)");
    (void)state;

    finding_read(one, strlen(one), &a);
    finding_read(two, strlen(two), &b);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void what_follows_from_an_error_is_none(void **state)
{
    (void)state;
    check(HEAD LINE("Program hit cudaErrorLaunchFailure (error 719) due to "
                    "\"unspecified launch failure\" on CUDA API call")
              LINE("    Saved host backtrace up to driver entry point at error")
                  LINE("    Host Frame: f() at x.cc+0x12 [0x2]")
                      LINE("ERROR SUMMARY: 1 error"),
          FINDING_NONE, NULL);
    check(HEAD LINE("ERROR SUMMARY: 0 errors"), FINDING_NONE, NULL);
}

static void a_tool_that_did_not_work_has_found_nothing(void **state)
{
    (void)state;
    check("", FINDING_NO_LOG, "compute-sanitizer wrote no log");
    check("Traceback\n", FINDING_NO_LOG, "compute-sanitizer wrote no log");
    check(HEAD LINE("Error: No attachable process found."), FINDING_NO_LOG,
          "compute-sanitizer could not attach");
}

static void versions_are_read(void **state)
{
    char *version = sanitizer_version(
        "NVIDIA (R) Compute Sanitizer\nCopyright (c) 2020-2024 NVIDIA "
        "Corporation\nVersion 2024.3.1.0 (build 34934588) (public-release)\n");
    (void)state;

    assert_string_equal(version, "2024.3.1.0");
    free(version);
    assert_null(sanitizer_version("Version unknown\n"));
    assert_null(sanitizer_version(""));
}

static void toolkits_come_after_path(void **state)
{
    char *path = toolkit_path("/a:/b", "/cuda", "/other");
    (void)state;

    assert_string_equal(path, "/a:/b:/cuda/bin:/cuda/compute-sanitizer:"
                              "/other/bin:/other/compute-sanitizer");
    free(path);
    path = toolkit_path(NULL, "", "/other");
    assert_string_equal(path, "/other/bin:/other/compute-sanitizer");
    free(path);
    path = toolkit_path("/a", NULL, NULL);
    assert_string_equal(path, "/a");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_its_kind_and_its_kernel),
        cmocka_unit_test(places_of_older_versions_are_read),
        cmocka_unit_test(races_are_read),
        cmocka_unit_test(addresses_and_threads_make_no_difference),
        cmocka_unit_test(what_follows_from_an_error_is_none),
        cmocka_unit_test(a_tool_that_did_not_work_has_found_nothing),
        cmocka_unit_test(versions_are_read),
        cmocka_unit_test(toolkits_come_after_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
