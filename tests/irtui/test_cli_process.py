"""The process around a command: start-up imports, help, crashes, warnings, signals."""

import json
import os
import subprocess
import sys

import pytest

from irtui import exit_codes
from irtui.cli import main
from irtui.commands.registry import lookup
from irtui.commands.spec import UsageError
from irtui.signals import Interrupts, Terminated

HEAVY = {"numpy", "chromadb", "onnxruntime", "tokenizers", "rich", "textual", "prompt_toolkit"}


def modules_after(words, env):
    code = (
        "import sys, json\nfrom irtui.cli import main\n"
        f"status = main({list(words)!r})\n"
        "print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**env, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )
    return json.loads(done.stderr.splitlines()[-1])


class TestStartUp:
    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            (("--help",), 0),
            (("--version",), 0),
            (("search", "--help"), 0),
            (("help", "try"), 0),
            (("serch",), 2),
        ],
    )
    def test_help_imports_nothing_heavy(self, irtui, words, expected):
        status, modules = modules_after(words, irtui.env)
        assert status == expected
        assert not HEAVY & set(modules)

    def test_listing_imports_no_chroma(self, irtui):
        status, modules = modules_after(("ls",), irtui.env)
        assert status == 0
        assert not {"chromadb", "onnxruntime", "textual"} & set(modules)

    def test_a_search_imports_nothing_that_only_builds(self, built):
        status, modules = modules_after(
            ("search", "-c", "notes", "zebra", "-m", "lexical"), built.env
        )
        assert status == 0
        building = {"building", "planning", "linking"}
        assert not {f"irengine.index.{name}" for name in building} & set(modules)
        assert not {"irengine.graph", "irengine.strategy", "irengine.synopsis"} & set(modules)
        assert not {"irengine.sources.source", "irtui.render.reports", "rich.progress"} & set(
            modules
        )

    def test_completing_a_name_imports_one_command(self, irtui):
        status, modules = modules_after(("completion", "corpora"), irtui.env)
        commands = {m for m in modules if m.startswith("irtui.commands.")}
        assert status == 0
        assert "irtui.commands.search" not in commands and "irtui.commands.completing" in commands
        assert not {"hashlib", "tempfile", "subprocess", "difflib", "irengine.base"} & set(modules)


class TestHelp:
    def test_no_words_show_help(self, capsys):
        assert main([]) == 0
        assert "commands:" in capsys.readouterr().out

    @pytest.mark.parametrize("words", [("search", "--help"), ("search", "-h"), ("help", "search")])
    def test_of_a_command(self, capsys, words):
        assert main(words) == 0
        assert "usage: irtui search [QUERY…]" in capsys.readouterr().out

    def test_version(self, capsys):
        assert main(["--version"]) == 0
        assert capsys.readouterr().out.startswith("irtui 0.")

    def test_help_of_nothing_known(self, capsys):
        assert main(["help", "serch"]) == 2
        assert "did you mean search?" in capsys.readouterr().err

    def test_json_may_come_first(self, capsys):
        assert main(["--json", "ls"]) == 0
        assert json.loads(capsys.readouterr().out) == []


class TestFailure:
    @pytest.fixture
    def crashing(self, monkeypatch):
        def crash(*_):
            raise RuntimeError("a bug \x1b[2J")

        monkeypatch.setattr("irtui.cli._execute", crash)

    def test_a_crash_is_one_line_and_a_file(self, crashing, capsys, private_folders):
        assert main(["ls"]) == exit_codes.INTERNAL
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith("error: internal error: RuntimeError: a bug ␛[2J\nhint: ")
        assert len(shown.err.splitlines()) == 2
        (file,) = (private_folders / "cache" / "crashes").iterdir()
        assert "Traceback" in file.read_text(encoding="utf-8")

    def test_a_crash_as_json(self, crashing, capsys):
        assert main(["ls", "--json"]) == exit_codes.INTERNAL
        shown = capsys.readouterr()
        assert shown.out == ""
        assert json.loads(shown.err)["code"] == "internal"

    def test_debug_shows_the_traceback(self, crashing, capsys, monkeypatch):
        monkeypatch.setenv("IR_DEBUG", "1")
        assert main(["ls"]) == exit_codes.INTERNAL
        assert "Traceback (most recent call last)" in capsys.readouterr().err

    def test_warnings_are_one_line(self, irtui):
        config = irtui.base / "config"
        config.mkdir()
        (config / "corpora.json").write_text("{")
        (config / "corpora.json.bak").write_text("{}")
        done = irtui("ls", "--json")
        assert (done.returncode, done.stdout) == (0, "[]\n")
        assert done.stderr.startswith("warning: the registry ")
        assert len(done.stderr.splitlines()) == 1

    def test_log_records_are_cleaned_lines(self, capsys):
        import logging

        from irtui.logs import shown_logs
        from irtui.remarks import Remarks

        with shown_logs(Remarks().say):
            logging.getLogger("irengine.sources").warning("%s is unreadable", "a\x1b[2J.md")
        logging.getLogger("irengine.sources").info("not shown")
        assert capsys.readouterr().err == "warning: a␛[2J.md is unreadable\n"

    def test_a_malformed_registry_says_what_to_do(self, irtui):
        config = irtui.base / "config"
        config.mkdir()
        (config / "corpora.json").write_text("{")
        done = irtui("ls")
        assert (done.returncode, done.stdout) == (1, "")
        assert "hint: repair the file by hand" in done.stderr

    @pytest.mark.parametrize(("stop", "status"), [(KeyboardInterrupt, 130), (Terminated, 143)])
    def test_a_stop_outside_a_build(self, monkeypatch, capsys, stop, status):
        def stopped(*_):
            raise stop

        monkeypatch.setattr("irtui.cli._execute", stopped)
        assert main(["ls"]) == status
        assert "Traceback" not in capsys.readouterr().err


class TestInterrupts:
    def test_the_first_signal_cancels_and_the_second_stops(self):
        import signal

        cancelled = []
        with Interrupts() as interrupts:
            interrupts.watch(lambda: cancelled.append(True))
            signal.raise_signal(signal.SIGINT)
            assert cancelled == [True]
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            interrupts.watch(lambda: cancelled.append(True))
            signal.raise_signal(signal.SIGTERM)
            assert interrupts.terminated
            with pytest.raises(Terminated):
                signal.raise_signal(signal.SIGTERM)

    def test_handlers_are_put_back(self):
        import signal

        before = signal.getsignal(signal.SIGTERM)
        with Interrupts():
            assert signal.getsignal(signal.SIGTERM) != before
        assert signal.getsignal(signal.SIGTERM) == before


def test_the_choices_of_search_are_those_of_the_engine():
    from irengine.retrieve import FUSIONS, MODES

    params = {param.name: param for param in lookup("search").params}
    assert set(params["mode"].choices) == set(MODES)
    assert set(params["fusion"].choices) == set(FUSIONS)


def test_the_choices_of_register_are_those_of_the_engine():
    from irengine.policy import REINDEX_TRIGGERS
    from irengine.registry import KINDS

    params = {param.name: param for param in lookup("register").params}
    assert set(params["kind"].choices) == set(KINDS)
    assert params["reindex_on"].choices == REINDEX_TRIGGERS


def test_usage_errors_are_no_engine_errors():
    assert UsageError("x").hint == ""
