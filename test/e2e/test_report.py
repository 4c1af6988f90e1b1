"""The reports: JSON, a page as a browser shows it, and Markdown as a parser
reads it, of ordinary minimizations and of scripts that try to break out."""
import json
import os
import re
import signal

import browser
import pytest
import slowly
from conftest import Tool, fresh
from markdown_it import MarkdownIt

ORDINARY = '''\
import json
import sys


class Config:
    """What the <kernel> wants."""
    block = 128
    size = 1024


def unused(a, b):
    print("never", a, b)
    return a + b


def helper(n):
    total = 0
    for i in range(n):
        total += i * 2
    return total


def kernel(config, x):
    values = [config.block, config.size, x]
    if config.block > 64:
        table = {"a": 1, "b": [1, 2, 3]}
        return table["b"][helper(10) + len(values)]
    return 0


def main():
    config = Config()
    print("start", file=sys.stderr)
    try:
        kernel(config, 5)
    finally:
        print(json.dumps({"done": True}))


main()
'''

MARKUP = "</code></pre></script><img src=x onerror=alert(1)>"
HOSTILE = b'''\
# -*- coding: latin-1 -*-
import sys
\x0c
text = "%s \xe4\xf6"  # ``` ~~~ <!-- & &amp;
long = "%s"
sys.stdout.buffer.write(b"\\xff\\xfe\\x00\\x1b[31m%s\\n```\\n# heading\\n")
sys.stdout.flush()
sys.stderr.write("\\x00\\x01``````\\n" + "y" * 1000000 + "\\n")
for x in range(3):
    print(x)
raise ValueError("\\x1b[31m```` %s `` @someone # [a](b) | **c**\\n\\n# heading\\n````\\x00")  # autodd: freeze
''' % (MARKUP.encode(), b"x" * (1 << 20), MARKUP.encode(), MARKUP.encode())


class Made:
    """A minimization with a report of each form."""

    def __init__(self, root, name, text, *args):
        self.tool = Tool(root)
        self.script = self.tool.write(name, text)
        self.page, self.issue = root / "r.html", root / "r.md"
        self.done, self.result, self.report = self.tool.minimize(
            self.script, *args, "--report", self.page, "--report", self.issue)
        self.markdown = self.issue.read_text(encoding="utf-8")
        self.tokens = MarkdownIt("commonmark").parse(self.markdown)

    def blocks(self, info):
        return [t.content for t in self.tokens if t.type == "fence" and t.info == info]

    def headings(self):
        return [after.content for token, after in zip(self.tokens, self.tokens[1:])
                if token.type == "heading_open"]


def made(tmp_path_factory, *what):
    one = Made(tmp_path_factory.mktemp("report"), *what)
    yield one
    one.tool.close()


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory):
    yield from made(tmp_path_factory, "gemm.py", ORDINARY, "--err-msg", "list index")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    yield from made(tmp_path_factory, "a <b> `c`.py", HOSTILE)


@pytest.fixture(scope="module")
def chromium():
    one = browser.start()
    yield one
    one.close()


# ---- Markdown ----


def test_markdown_holds_the_result_and_no_other_code_of_python(ordinary):
    assert ordinary.done.code == 0, ordinary.done
    assert ordinary.blocks("python") == [ordinary.result.read_text()]
    assert ordinary.headings() == [
        "Minimized, and it fails again", "The script", "A failing run", "The failure",
        "Versions"]


def test_markdown_shows_the_failing_run_and_how_to_make_it(ordinary):
    (command,), (output,) = ordinary.blocks("sh"), ordinary.blocks("text")
    code = os.system("cd '%s' && (%s) >/dev/null 2>&1" % (
        ordinary.result.parent, command.strip()))
    assert os.waitstatus_to_exitcode(code) == 1
    assert output.strip().endswith("IndexError: list index out of range")
    versions = "%s.%s" % tuple(ordinary.report["versions"]["python_version"].split(".")[:2])
    assert "Python `%s" % versions in ordinary.markdown


def test_texts_of_the_script_are_no_markup_in_markdown(hostile):
    assert hostile.done.code == 0, hostile.done
    assert not [t for t in hostile.tokens if t.type.startswith("html")]
    for token in hostile.tokens:
        for part in token.children or []:
            assert part.type in ("text", "code_inline", "softbreak"), part
    assert "heading" not in hostile.headings()
    result = hostile.result.read_bytes().decode("latin-1")
    assert MARKUP in result and "````" in result
    assert hostile.blocks("python") == [result]
    assert len(hostile.markdown) < 65536
    assert "``a <b> `c`.py``" in hostile.markdown
    assert "\0" not in hostile.markdown and "\x1b" not in hostile.markdown


# ---- the page ----


def test_page_is_shown_without_complaint(ordinary, chromium):
    chromium.show(ordinary.page)
    assert chromium.complaints() == []
    assert "gemm.py" in chromium.driver.title
    for part in ("3 of 3", "list index", "It ends with exit 1"):
        assert part in chromium.text("body"), part
    assert not chromium.all("script, img, link, iframe, object")


def test_page_shows_result_with_reasons_and_original(ordinary, chromium):
    chromium.show(ordinary.page)
    lines = [e.text for e in chromium.all(".code li code")]
    assert lines == ordinary.result.read_text().splitlines()
    reasons = [e.text for e in chromium.all(".why span")]
    assert [r["outcome"] in text for r, text in zip(ordinary.report["reasons"], reasons)]
    assert len(reasons) == len(ordinary.report["reasons"]) > 0
    original = chromium.all("details pre")[0]
    assert not original.is_displayed()
    chromium.script("arguments[0].closest('details').open = true", original)
    assert original.is_displayed()
    assert original.get_property("textContent") == ORDINARY


def test_plots_show_every_step(ordinary, chromium):
    steps = ordinary.report["steps"]
    chromium.show(ordinary.page)
    plots = chromium.all("svg")
    assert len(plots) == 2
    for plot in plots:
        circles = plot.find_elements("css selector", "circle")
        assert len(circles) == len(steps) > 3
        # Along, then down, at each step; the start and the end beside.
        points = plot.find_element("css selector", "polyline").get_attribute("points").split()
        assert len(points) == 2 * len(steps) + 2
        corners = {tuple(float(v) for v in p.split(",")) for p in points}
        assert all((float(c.get_attribute("cx")), float(c.get_attribute("cy"))) in corners
                   for c in circles)
        titles = [c.find_element("css selector", "title").get_property("textContent")
                  for c in circles]
        for step, title in zip(steps, titles):
            assert step["kind"] in title and "after %d run" % step["run"] in title
        box = plot.rect
        assert box["width"] > 300 and box["height"] > 150
        assert 0 <= box["x"] and box["x"] + box["width"] <= 1200
        ticks = plot.find_elements("css selector", "text.tick")
        assert len(ticks) >= 5 and all(t.text for t in ticks)


def test_plot_is_painted(ordinary, chromium):
    for dark in (False, True):
        chromium.show(ordinary.page, dark=dark)
        plot = chromium.all("svg")[0]
        colors = {name: chromium.script(
            "return getComputedStyle(arguments[0].querySelector(arguments[1]))[arguments[2]]",
            plot, *what) for name, what in {
                "line": ("polyline", "stroke"), "words": (".tick", "fill"),
                "grid": (".grid", "stroke")}.items()}
        painted = chromium.painted(plot.screenshot_as_png, colors)
        assert painted["line"] > 300 and painted["words"] > 50 and painted["grid"] > 500


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_page_is_readable_in_light_and_dark(ordinary, chromium, dark):
    chromium.show(ordinary.page, dark=dark)
    back = chromium.script("return getComputedStyle(document.body).backgroundColor")
    red = int(re.search(r"\d+", back)[0])
    assert red < 64 if dark else red > 192
    assert chromium.contrast("p, li, dt, dd, code, pre, h1, h2, h3, th, td, summary, "
                             ".why, .status, svg text") >= 4.5
    assert chromium.contrast(".code code, pre, h2") >= 7


def test_page_fits_a_narrow_window(ordinary, hostile, chromium):
    for one in (ordinary, hostile):
        chromium.show(one.page, width=375)
        assert chromium.script("return innerWidth") == 375
        assert chromium.script("return document.documentElement.scrollWidth") == 375
        for plot in chromium.all("svg"):
            assert plot.rect["width"] > 250
            assert plot.rect["x"] + plot.rect["width"] <= 375


def test_page_can_be_printed(ordinary, chromium):
    chromium.show(ordinary.page, dark=True, media="print")
    back = chromium.script("return getComputedStyle(document.body).backgroundColor")
    assert back == "rgb(255, 255, 255)"
    assert chromium.driver.print_page()


def test_page_can_be_read_without_seeing_it(ordinary, chromium):
    chromium.show(ordinary.page)
    assert chromium.script("return document.documentElement.lang") == "en"
    assert len(chromium.all("h1")) == 1 and len(chromium.all("main")) == 1
    for plot in chromium.all("svg"):
        assert plot.get_attribute("role") == "img"
        assert "Size over" in plot.accessible_name
    heads = chromium.all("table thead th")
    assert len(heads) == 6 and all(h.get_attribute("scope") == "col" for h in heads)
    rows = chromium.all("table tbody tr")
    assert len(rows) == len(ordinary.report["steps"])


def test_texts_of_the_script_are_no_markup_on_the_page(hostile, chromium):
    chromium.show(hostile.page)
    assert chromium.complaints() == []
    assert not chromium.all("script, img, main b")
    text = chromium.text("main")
    assert MARKUP in text
    assert "\u241b[31m````" in text and "````\u2400" in text and "\ufffd" in text
    assert chromium.driver.title.startswith("a <b> `c`.py")
    # A line of a megabyte is cut, and it is said.
    assert hostile.page.stat().st_size < 200000
    assert "bytes more" in text
    json.dumps(hostile.report)


# ---- other ends ----


def test_script_that_passes_has_reports_that_say_so(tool):
    script = tool.write("passes.py", "print('all is well <b>')\n")
    page, issue = tool.root / "r.html", tool.root / "r.md"
    done, out, report = tool.minimize(script, "--report", page, "--report", issue)
    assert done.code == 1, done
    assert report["status"] == "not-reproduced" and report["result"] is None
    assert report["command"] is None and report["output"] is None
    assert "does not show the failure" in report["notes"][-1]["text"]
    assert "all is well &lt;b&gt;" in page.read_text()
    tokens = MarkdownIt("commonmark").parse(issue.read_text())
    assert [t.content for t in tokens if t.type == "fence"] == [
        report["notes"][-1]["text"] + "\n"]


def test_machine_that_fails_has_reports_that_say_so(tool):
    script = tool.write("fails.py", ORDINARY)
    page, issue = tool.root / "r.html", tool.root / "r.md"
    done, out, report = tool.minimize(
        script, "--report", page, "--report", issue, python="/bin/false")
    assert done.code == 3, done
    assert report["status"] == "environment"
    for path in (page, issue):
        assert "The machine failed" in path.read_text()
        assert "no Python interpreter" in path.read_text()


def test_interrupted_search_has_reports_that_say_so(tool):
    script = slowly.write(tool)
    page, issue = tool.root / "r.html", tool.root / "r.md"
    process = tool.start(
        *slowly.arguments(tool, script, "--report", page, "--report", issue),
        env=slowly.environ(tool))
    slowly.in_the_middle(tool, process, runs=20)
    process.send_signal(signal.SIGINT)
    done = tool.finish(process)
    assert done.code == 130, done
    text = page.read_text()
    assert ">Interrupted</p>" in text and "stopped by <code>interrupt</code>" in text
    assert "<svg" in text
    tokens = MarkdownIt("commonmark").parse(issue.read_text())
    assert [t.content for t in tokens if t.type == "fence" and t.info == "python"] == [
        (tool.work / "result.py").read_text()]


def test_other_endings_are_refused_before_anything_runs(tool):
    script = tool.write("fails.py", ORDINARY)
    done = tool.run(script, "--report", tool.root / "r.pdf")
    assert done.code == 2
    for ending in (".json", ".html", ".md", "r.pdf"):
        assert ending in done.err, done


def test_packages_of_the_script_are_named(tool):
    lib = tool.work / "lib"
    info = lib / "Some_Kernels-2.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: Some-Kernels\nVersion: 2.5\n")
    (info / "top_level.txt").write_text("kernels\n")
    (lib / "kernels.py").write_text("def run(x):\n    return x[5]\n")
    script = tool.write("fails.py", "import json, kernels\nkernels.run([])\n")
    issue = tool.root / "r.md"
    done, out, report = tool.minimize(
        script, "--report", issue, "--env", "PYTHONPATH=%s" % lib)
    assert done.code == 0, done
    assert report["versions"]["packages"] == ["Some-Kernels 2.5"]
    assert "Linux" in report["versions"]["platform"]
    assert "- package `Some-Kernels 2.5`\n" in issue.read_text()
    # The command is whole: it fails by itself, in that folder.
    assert "PYTHONPATH=" in report["command"]
    assert fresh(out, env={"PYTHONPATH": str(lib)})[0] == 1
