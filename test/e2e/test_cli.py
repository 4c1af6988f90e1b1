"""The command line: help, version, doctor, settings, output, ways to decide."""
import json
import os
import pty
import re
import select

import pytest

from conftest import ROOT, fresh, last_line, plain_python

FAILS = '''import math
rows = [math.floor(2.5)]
print("rows", rows)
extra = {"a": 1}
rows[4]
'''
FAILURE = "IndexError: list index out of range"

FLAG = r"--([a-z][a-z-]*)"
FLAG_ALONE = {"config", "help", "version"}  # no keys of the settings


def flags_of_help(tool):
    """The flags that --help lists, of this version of the program."""
    flags = re.findall(r"(?m)^  (?:-\w, |    )?" + FLAG, tool.run("--help").out)
    assert len(flags) == len(set(flags)) and {"err-msg", "jobs", "help"} <= set(flags), flags
    return set(flags)


def test_help_fits_and_lists_the_exit_codes(tool):
    done = tool.run("--help")
    assert done.code == 0 and not done.err, done
    for word in ("doctor", "130", "autodd.yaml"):
        assert word in done.out, word
    assert " worker" not in done.out.split("\n\n")[0], "a hidden command is shown"
    assert max(len(line) for line in done.out.splitlines()) <= 80


def test_readme_has_the_flags_of_help_in_its_tables(tool):
    rows = re.findall(r"(?m)^\| (`-.*?) \|", (ROOT / "README.md").read_text())
    flags = [flag for row in rows for flag in re.findall("`" + FLAG, row)]
    assert len(flags) == len(set(flags)), flags
    assert set(flags) == flags_of_help(tool)


def test_example_settings_have_the_flags_of_help(tool):
    text = (ROOT / "examples" / "autodd.yaml").read_text()
    keys = set(re.findall(r"(?m)^# ([a-z-]+): ?\S", text))
    assert keys == flags_of_help(tool) - FLAG_ALONE


def test_version_is_one_line(tool):
    done = tool.run("--version")
    assert done.code == 0
    assert re.fullmatch(r"autodd-c \d+\.\d+\S*\n", done.out), done


def test_no_argument_explains_itself(tool):
    done = tool.run()
    assert done.code == 2 and "autodd-c" in done.err, done


@pytest.mark.parametrize("arguments, named", [
    (["--speed", "9"], "--speed"),
    (["-j", "none"], "none"),
    (["-j", "0"], "0"),
    (["--timeout", "-3"], "-3"),
    (["--expect", "signal:NOSUCH"], "NOSUCH"),
    (["--backend", "cloud"], "cloud"),
    (["--err-regex", "(unclosed"], "(unclosed"),
    (["--command", "python3 -m pytest"], "{file}"),
    (["--output"], "--output"),
    (["--env", "novalue"], "novalue"),
    (["second.py"], "second.py"),
])
def test_wrong_argument_is_named(tool, arguments, named):
    script = tool.write("fails.py", FAILS)
    done = tool.run(script, *arguments)
    assert done.code == 2, done
    assert named in done.err, done


def test_flag_that_is_nearly_right_is_suggested(tool):
    done = tool.run(tool.write("fails.py", FAILS), "--err-mgs", "x")
    assert done.code == 2 and "--err-msg" in done.err, done


def test_doctor_says_what_is_there(tool):
    done = tool.run("doctor", "--python", plain_python())
    assert done.code == 0, done
    assert re.search(r"3\.\d+\.\d+", done.text), "no version of the interpreter"
    for word in ("torch", "tilelang", "triton", "NVIDIA", "git"):
        assert word.lower() in done.text.lower(), word


def test_flags_of_autodd_work_unchanged(tool):
    script = tool.write("fails.py", FAILS)
    out = tool.work / "small.py"
    done = tool.run(script, "--err-msg", "list index out of range", "-o", out, "-j", "2",
                    "--timeout", "20", "--backend", "runner", "--python", plain_python())
    assert done.code == 0, done
    assert last_line(fresh(out)[1]) == FAILURE


def test_result_goes_beside_the_script_by_default(tool):
    script = tool.write("fails.py", FAILS)
    done = tool.run(script, "--python", plain_python())
    assert done.code == 0, done
    assert last_line(fresh(tool.work / "fails.min.py")[1]) == FAILURE
    assert "fails.min.py" in done.text


@pytest.mark.parametrize("text, expected", [
    (FAILS, "IndexError"),
    ("import os\nprint('x')\nos.abort()\n", "SIGABRT"),
    ("class CompilationError(Exception): pass\nraise CompilationError('tvm: no')\n",
     "CompilationError"),
])
def test_without_a_message_the_failure_is_named(tool, text, expected):
    script = tool.write("fails.py", text)
    done, out, report = tool.minimize(script, "--keep", "none")
    assert done.code == 0, done
    assert expected in done.err, done
    assert expected in json.dumps(report["signature"])


def test_settings_beside_the_script_count_and_flags_win(tool):
    script = tool.write("fails.py", FAILS)
    tool.write("autodd.yaml", "err-msg: no such text\noutput: from-yaml.py\npython: %s\n"
               % plain_python())
    done = tool.run(script)
    assert done.code == 1 and "no such text" in done.err, done
    tool.write("autodd.yaml", "err-msg: list index out of range\noutput: from-yaml.py\n"
               "python: %s\n" % plain_python())
    done = tool.run(script)
    assert done.code == 0, done
    assert (tool.work / "from-yaml.py").exists()
    done = tool.run(script, "-o", tool.work / "from-flag.py")
    assert done.code == 0, done
    assert (tool.work / "from-flag.py").exists()


def test_example_settings_are_valid(tool):
    text = (ROOT / "examples" / "autodd.yaml").read_text()
    assert text.strip()
    text = re.sub(r"(?m)^# (?!test:)(?=[a-z-]+: ?\S)", "", text)  # test stands alone
    config = tool.write("all.yaml", text)
    done = tool.run(tool.work / "absent.py", "--config", config)
    assert done.code == 2, done
    assert "all.yaml" not in done.err and "absent.py" in done.err, done


def test_json_events_are_one_object_a_line(tool):
    script = tool.write("fails.py", FAILS)
    done, out, report = tool.minimize(script, "--json")
    assert done.code == 0, done
    events = [json.loads(line) for line in done.out.splitlines()]
    assert len(events) >= 3
    assert all(isinstance(event, dict) for event in events)


def test_quiet_says_nothing_when_all_is_well(tool):
    script = tool.write("fails.py", FAILS)
    done, out, _ = tool.minimize(script, "-q")
    assert done.code == 0 and out.exists(), done
    assert done.out.strip() == "", done


def test_no_terminal_no_control_characters(tool):
    script = tool.write("fails.py", FAILS)
    done, _, _ = tool.minimize(script)
    assert done.code == 0
    assert "\r" not in done.text and "\x1b" not in done.text


def test_terminal_gets_a_live_line(tool):
    script = tool.write("fails.py", FAILS)
    ours, theirs = pty.openpty()
    process = tool.start(script, "-o", tool.work / "result.py", "--python", plain_python(),
                         stdout=theirs, stderr=theirs, env={"TERM": "xterm"})
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], 120)[0]:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the last one closed it
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(60) == 0, seen.decode("utf-8", "replace")
    assert b"\r" in seen.replace(b"\r\n", b"")


def test_environment_and_folder_reach_the_run(tool):
    folder = tool.work / "elsewhere"
    folder.mkdir()
    (folder / "data.txt").write_text("12")
    script = tool.write("fails.py", '''
import os
print("extra")
value = int(open("data.txt").read())
int(os.environ["TILE"]) // (value - 12)
''')
    done, out, _ = tool.minimize(script, "--err-msg", "by zero",
                                 "--env", "TILE=8", "--cwd", folder)
    assert done.code == 0, done


def test_two_messages_must_both_occur(tool):
    script = tool.write("fails.py", '''
import sys
print("lane 3 is idle", file=sys.stderr)
print("lane 4 is busy", file=sys.stderr)
print("something else")
sys.exit(2)
''')
    done, out, _ = tool.minimize(script, "--err-msg", "lane 3 is idle",
                                 "--err-msg", "lane 4 is busy", "--keep", "none")
    assert done.code == 0, done
    code, output = fresh(out)
    assert code == 2 and "lane 3 is idle" in output and "lane 4 is busy" in output
    assert "something else" not in output


def test_regular_expression_finds_the_failure(tool):
    script = tool.write("fails.py", FAILS)
    done, out, _ = tool.minimize(script, "--err-regex", r"list index .* of r\w+ge$")
    assert done.code == 0, done
    assert last_line(fresh(out)[1]) == FAILURE


def test_text_that_makes_it_another_failure(tool):
    script = tool.write("fails.py", FAILS)
    done, out, _ = tool.minimize(script, "--err-msg", "out of range", "--not-msg", "list index")
    assert done.code == 1, done


def test_command_of_the_users_decides(tool):
    script = tool.write("fails.py", "keep = 1\ndrop = 2\nkeep2 = 3\n")
    test = tool.write("decide.sh", '#!/bin/sh\ngrep -q keep2 "$1"\n')
    test.chmod(0o755)
    done, out, report = tool.minimize(script, "--test", test)
    assert done.code == 0, done
    text = out.read_text()
    assert "keep2" in text and "drop" not in text


def test_command_in_place_of_the_interpreter(tool):
    script = tool.write("fails.py", FAILS)
    done, out, _ = tool.minimize(
        script, "--command", plain_python() + " -X utf8 {file}", "--err-msg", "list index")
    assert done.code == 0, done
    assert last_line(fresh(out)[1]) == FAILURE


def test_a_command_that_does_not_fail_is_told_as_it_was_run(tool):
    script = tool.write("passes.py", "print('list index')\n")
    command = plain_python() + " -X utf8 {file} more"
    done, _, _ = tool.minimize(script, "--command", command, "--err-msg", "TypeError")
    assert done.code == 1, done
    assert "  ran: " + command.replace("{file}", "passes.py") + ", " in done.err, done


def test_budget_of_runs_stops_and_says_so(tool):
    script = tool.write("fails.py", "".join("v%d = %d\n" % (n, n) for n in range(50)) + FAILS)
    done, out, report = tool.minimize(script, "--max-runs", "8", "--err-msg", "list index")
    assert done.code == 0, done
    assert report["minimal"] == "max-runs", report["minimal"]
    assert last_line(fresh(out)[1]) == FAILURE


def test_report_says_why_each_line_is_there(tool):
    script = tool.write("fails.py", FAILS)
    done, out, report = tool.minimize(script, "--err-msg", "list index")
    assert done.code == 0, done
    for key in ("runs", "pumped", "cached", "rejected_early", "no_verdict", "accepted", "wall_s",
                "tool_cpu_s", "original", "rate", "steps", "reasons", "minimal"):
        assert key in report, key
    assert report["minimal"] is True
    assert report["original"]["bytes"] == len(FAILS)
    assert report["steps"] and report["reasons"]
