"""Scripts: from lines, files and pipes; where they stop, and what they say."""

import csv
import json
import subprocess
import sys

import pytest

from tests.irtui.shell.conftest import SCRIPT, write_garden


class TestAWholeScript:
    """One that registers, builds, discovers, selects, discloses, walks, exports and asserts."""

    def _check(self, base, status, shown, said):
        assert status == 0, said
        assert "error" not in said
        with (base / "hits.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert [row["artifact_id"] for row in rows] == ["hive.md", "frost.md", "bees.md"]
        picked = json.loads((base / "picked.json").read_text())
        assert [each["source"] for each in picked] == ["notes", "papers"]
        assert (base / "picked.txt").read_text() == "frost.md\nhive.md\n"
        assert (base / "lines.txt").read_text().strip() == "3"
        assert "Cover the fig tree" in shown and "35 degrees" in shown

    def test_from_a_file(self, planted):
        assert SCRIPT.read_text().count("\n") == 60
        self._check(*planted)

    def test_from_a_pipe(self, irtui, tmp_path):
        write_garden(tmp_path)
        done = subprocess.run(
            f"cat '{SCRIPT}' | {sys.executable} -m irtui",
            shell=True,
            capture_output=True,
            text=True,
            env={**irtui.env, "PYTHONPATH": ":".join(sys.path)},
            cwd=tmp_path,
        )
        self._check(tmp_path, done.returncode, done.stdout, done.stderr)


class TestSources:
    def test_several_lines_share_a_session(self, script):
        status, shown, _ = script("-c", "search -m lexical fig", "-c", "$1 | ids", "-q")
        assert (status, shown.splitlines()[-1]) == (0, "frost.md")

    def test_files_and_lines_come_in_their_order(self, script, tmp_path):
        file = tmp_path / "one.ir"
        file.write_bytes(b"\xef\xbb\xbf#!/usr/bin/irtui\r\nbest = search -m lexical fig\r\n")
        status, shown, _ = script("-f", str(file), "-c", "$best | ids")
        assert (status, shown) == (0, "frost.md\n")
        assert script(str(file))[0] == 0  # as a #! line calls it

    def test_a_missing_or_binary_file_is_said(self, script, tmp_path):
        status, shown, said = script("-f", "nope.ir")
        assert (status, shown) == (3, "") and "nope.ir cannot be read: No such file" in said
        (tmp_path / "b.ir").write_bytes(b"ls\nl\xff\n")
        status, _, said = script("-f", f"{tmp_path}/b.ir")
        assert status == 2
        assert f"{tmp_path}/b.ir:2: this is not UTF-8 text: byte 0xff at 2" in said

    @pytest.mark.parametrize("words", [("--echo",), ("--keep-going",), ("-q",)])
    def test_options_alone_are_for_the_script_that_is_piped_in(
        self, script, monkeypatch, tmp_path, words
    ):
        (tmp_path / "piped").write_text("ls | count\n")
        with (tmp_path / "piped").open() as piped:
            monkeypatch.setattr("sys.stdin", piped)
            assert script(*words)[:2] == (0, "2\n")

    def test_wrong_options(self, script):
        assert script("-c")[0] == 2
        assert "there is no script to run" in script("--echo")[2]
        assert "a script takes no '--nope'" in script("-c", "ls", "--nope")[2]

    def test_a_script_runs_another_but_not_itself_for_ever(self, script, tmp_path):
        (tmp_path / "a.ir").write_text("best = search -m lexical fig\n")
        status, shown, _ = script("-c", f"run {tmp_path}/a.ir\n$best | count")
        assert (status, shown) == (0, "1\n")
        (tmp_path / "b.ir").write_text(f":source {tmp_path}/b.ir\n")
        status, _, said = script("-f", f"{tmp_path}/b.ir")
        assert status == 2 and "too deeply" in said


class TestErrors:
    def _error(self, script, *lines, file="-c"):
        status, _, said = script("-q", "-c", "\n".join(lines))
        assert status
        first, line, marks = said.splitlines()[:3]
        assert first.startswith(f"{file}:")
        return status, first, line.strip(), marks.index("^") - (len(line) - len(line.lstrip()))

    def test_each_says_where_and_marks_it(self, script):
        for text, status, place, word in (
            ("ls\nfoo bar", 2, "2:1", "foo"),
            ("search bees --lim 3", 2, "1:13", "--lim"),
            ("ls | head x", 2, "1:11", "x"),
            ("search -c nope bees", 3, "1:11", "nope"),
            ("search bees year:>", 2, "1:18", ">"),
            ("search fig -m lexical\nassert count = 7", 1, "2:1", "assert"),
            ("get $4", 2, "1:5", "$4"),
            ("ls | where colour = red", 2, "1:12", "colour"),
            ("ls | head 1 | fields name,colour", 2, "1:27", "colour"),
            ("ls | sort -colour", 2, "1:12", "colour"),
            ("colour = ls\nls | count | where name = $colors", 2, "2:27", "$colors"),
            ("facets year | files | head 1", 2, "1:15", "files"),
            ("ls\nsearch -c notes fig --filter=yeer=2025", 2, "2:30", "yeer"),
            ("ls\nsearch -c notes fig -f 'yeer = 2025'", 2, "2:25", "yeer"),
            ("ls > /no/where/x", 1, "1:6", "/no"),
            ('ls\n\nsearch "bees', 2, "3:8", '"'),
        ):
            lines = text.split("\n")
            got = self._error(script, *lines)
            assert got[0] == status, text
            assert got[1].split(": ")[0].endswith(f"-c:{place}"), (text, got)
            marked = got[2][got[3] :]
            assert marked.startswith(word), (text, got)

    def test_nothing_runs_after_an_error_unless_it_keeps_going(self, script):
        lines = "ls | count\nfoo\nls | count"
        assert script("-c", lines)[:2] == (2, "2\n")
        assert script("-c", lines, "--keep-going")[:2] == (2, "2\n2\n")

    def test_a_failed_assertion_has_the_values(self, script):
        status, _, said = script("-c", "search -m lexical bees\nassert count = 1 or top = frost.md")
        assert status == 1
        assert "assertion failed: count = 1 or top = frost.md" in said
        assert "count is 3, top is" in said

    def test_an_assertion_knows_what_it_can_speak_of(self, script):
        status, _, said = script("-c", "ls\nassert cuont = 2")
        assert status == 2 and "did you mean count?" in said
        assert "there is none yet" in script("-c", "assert count = 2")[2]
        assert script("-c", "ls\nassert not has top.nope")[0] == 2

    def test_what_was_not_done_entirely_stops_a_script(self, script):
        assert script("-c", "search nothingatall -m lexical\nls | count")[:2] == (0, "2\n")
        status, shown, said = script("-c", "search zzzz -m lexical --fail-empty\nls | count")
        assert (status, shown) == (1, "")
        assert "-c:1:1: error: search ended with status 1" in said
        status, _, said = script("-c", "ls | ! exit 7\nls | count")
        assert status == 7 and "-c:1:6: error: the command after !" in said

    def test_abstaining_is_an_answer(self, script):
        status, _, _ = script("-c", "discover xyzzy -m lexical\nassert status = 1 and count = 0")
        assert status == 0

    def test_errors_for_programs(self, script):
        status, shown, said = script("-c", "ls\nget nothing-there -c notes", "--json-errors", "-q")
        told = json.loads(said)
        assert status == 3 and told["code"] == "unknown-item"
        assert (told["file"], told["line"], told["column"]) == ("-c", "2", "5")

    def test_words_that_are_no_command_are_an_error_here(self, script):
        status, _, said = script("-c", "who dances")
        assert status == 2 and "there is no command 'who'" in said


class TestSayingAndLeaving:
    def test_echo_says_each_line_beside_the_results(self, script):
        status, shown, said = script("--echo", "-c", "# first\nls \\\n | count")
        assert (status, shown) == (0, "2\n")
        assert said == "+ # first\n+ ls \\\n+  | count\n"

    def test_the_status_is_that_of_the_last_command(self, script):
        assert script("-c", "discover xyzzy -m lexical")[0] == 1
        assert script("-c", "discover xyzzy -m lexical\nls")[0] == 0

    def test_leaving_ends_it(self, script):
        assert script("-c", ":q\nfoo")[:2] == (0, "")

    def test_a_closed_pipe_is_quiet(self, irtui, garden, irtui_in):
        there = irtui_in(garden)
        words = f"{sys.executable} -m irtui -c 'search bees | json' -c 'search bees | json'"
        done = subprocess.run(
            ["bash", "-c", f"{words} | head -1; echo ${{PIPESTATUS[0]}}"],
            capture_output=True,
            text=True,
            env={**there.env, "PYTHONPATH": ":".join(sys.path)},
            cwd=garden,
        )
        assert (done.stdout, done.stderr) == ("[\n0\n", "")

    @pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
    def test_an_empty_script_is_fine(self, script, text):
        assert script("-c", text)[:2] == (0, "") if text else script("-c", "\n")[0] == 0
