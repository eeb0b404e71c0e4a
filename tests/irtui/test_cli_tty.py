"""On a terminal: colours, progress, questions; and nothing of a document gets through."""

import json
import os
import pty
import re
import select
import subprocess
import sys

import pytest

SGR = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\")  # our styles and our links


def on_terminal(irtui, *words, answer="", **env):
    """Run ``irtui`` on a pseudo-terminal of 80 columns; return its status and all it wrote."""
    master, slave = pty.openpty()
    running = subprocess.Popen(
        irtui.command(*words),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=irtui.base,
        env={
            **irtui.env,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TERM": "xterm-256color",
            "COLUMNS": "80",
            **env,
        },
    )
    os.close(slave)
    shown = b""
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:  # Linux: the other side is closed
            break
        if not piece:
            break
        shown += piece
        if answer and b"[y/N]" in shown:
            os.write(master, answer.encode())
            answer = ""
    os.close(master)
    return running.wait(30), shown.decode("utf-8").replace("\r\n", "\n")


class TestSearch:
    def test_matches_are_highlighted(self, built):
        status, shown = on_terminal(built, "search", "-c", "notes", "dance", "-k1")
        assert status == 0
        assert "\x1b[1;7mdance\x1b[0m" in shown

    @pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
    def test_plain_when_asked(self, built, env):
        _, shown = on_terminal(built, "search", "-c", "notes", "dance", "-k1", **env)
        assert "dance" in shown
        assert "\x1b" not in shown

    def test_a_chosen_theme_has_its_colours_and_no_color_none(self, irtui, notes):
        assert irtui("theme", "ir-dark").returncode == 0
        irtui("register", "notes", "files", "--root", "notes", "--embedder", "light")
        irtui("build", "notes")
        words = ("search", "-m", "lexical", "dance")
        _, shown = on_terminal(irtui, *words, COLORTERM="truecolor")
        assert "\x1b[1;38;2;255;224;138;48;2;61;55;24mdance\x1b[0m" in shown
        _, shown = on_terminal(irtui, *words, COLORTERM="")
        assert "\x1b[1;38;5;222;48;5;" in shown  # the nearest of 256
        _, shown = on_terminal(irtui, *words, NO_COLOR="1")
        assert "\x1b" not in shown

    def test_only_our_styles_reach_the_terminal(self, built):
        words = ("search", "-c", "notes", "zebra", "--mode", "lexical")
        for full in ((), ("--full",)):
            _, shown = on_terminal(built, *words, *full)
            rest = SGR.sub("", shown)
            assert "runs" in rest
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", rest)

    def test_a_title_is_a_link_to_its_line(self, built):
        words = ("search", "-c", "notes", "dance", "-k1", "-m", "lexical")
        _, shown = on_terminal(built, *words)
        place = re.escape(str(built.base / "notes" / "bees.md"))
        assert re.search(rf"\x1b\]8;;file://[^/]*{place}\x1b\\", shown)
        assert shown.count("\x1b]8;;\x1b\\") == shown.count("\x1b]8;;file:")
        _, shown = on_terminal(built, *words, IRTUI_LINK="vscode://file{path}:{line}")
        assert f"\x1b]8;;vscode://file{built.base}/notes/bees.md:8\x1b\\" in shown
        _, shown = on_terminal(built, *words, IRTUI_LINK="")
        assert "\x1b]8" not in shown

    @pytest.mark.parametrize("form", ["--csv", "--tsv", "--md", "--jsonl", "--files"])
    def test_formats_are_safe_there_too(self, built, form):
        words = ("search", "-c", "notes", "zebra", "-m", "lexical")
        status, shown = on_terminal(built, *words, form)
        assert status == 0
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)

    def test_a_document_is_safe_there_too(self, built):
        for words in (("get", "hostile.md"), ("show", "hostile.md"), ("multi-get", "hostile.md")):
            status, shown = on_terminal(built, *words, "-c", "notes")
            assert status == 0
            assert "runs" in shown
            rest = SGR.sub("", shown)
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", rest)

    def test_json_is_safe_there_too(self, built):
        _, shown = on_terminal(built, "search", "-c", "notes", "zebra", "-m", "lexical", "--json")
        assert "\\u001b[2J\\u202e" in shown
        assert "\x1b" not in shown


def test_a_build_shows_progress_and_cleans_up(irtui, notes):
    irtui("register", "notes", "files", "--root", "notes", "--embedder", "light")
    status, shown = on_terminal(irtui, "build", "notes")
    assert status == 0
    assert "5 added" in SGR.sub("", shown)
    assert re.search(r"plan .* 5/5 .*/s, 0:00 left", SGR.sub("", shown))
    assert "\x1b[?25l" in shown  # a bar was drawn with the cursor hidden…
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")  # …and it is back


def test_progress_for_programs(irtui, notes):
    irtui("register", "notes", "files", "--root", "notes", "--embedder", "light")
    done = irtui("build", "notes", "--progress", "jsonl", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["added"] == 5
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"plan", "embed", "commit"} <= {
        event["phase"] for event in events if event["event"] == "progress"
    }
    failed = irtui("build", "nope", "--progress", "jsonl")
    assert json.loads(failed.stderr.splitlines()[-1])["event"] == "error"


def test_no_progress_when_it_is_not_wanted(irtui, notes):
    irtui("register", "notes", "files", "--root", "notes", "--embedder", "light")
    for word in (("--progress", "none"), ("--quiet",)):
        _, shown = on_terminal(irtui, "build", "notes", "--rehash", *word)
        assert "\x1b[?25l" not in shown


@pytest.mark.parametrize(("answer", "gone"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_purging_asks(irtui, notes, answer, gone):
    name = irtui.json("try", "notes", "--embedder", "light")["corpus"]
    status, shown = on_terminal(irtui, "rm", name, "--purge", answer=answer)
    assert f"Delete the index of '{name}'? [y/N]" in shown
    assert status == (0 if gone else 2)
    assert (irtui.json("ls") == []) is gone


@pytest.mark.parametrize("form", ["--json", "--csv", "--md", "--full", "--fields=text"])
def test_a_closed_pipe_is_quiet_in_every_format(built, form):
    words = " ".join(built.command("search", "-c", "notes", "bees", form))
    done = subprocess.run(
        ["bash", "-c", f"{words} | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        env={**built.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=built.base,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("form", ["--json", "--csv", "--tsv", "--md", "--files"])
def test_a_c_locale_loses_nothing_in_any_format(built, form):
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = built("search", "dance", "-c", "notes", form, **env)
    assert done.returncode == 0
    assert "bees.md" in done.stdout
