"""Completion in real shells, from the scripts ``irtui completion`` prints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from irtui.commands import completing
from irtui.commands.registry import all_commands
from irtui.commands.runner import run
from irtui.render.completion import SHELLS, completion_script

SPECS = [command.to_dict() for command in all_commands()]
ASK = """
{script}
irtui() {{ {python} -m irtui "$@"; }}
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_irtui
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def complete(built):
    """Return a function: the words of a line, the last one being typed, to what bash offers."""

    def complete(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        script = completion_script("bash", SPECS)
        done = subprocess.run(
            ["bash", "-c", ASK.format(script=script, python=sys.executable, words=quoted)],
            capture_output=True,
            text=True,
            cwd=built.base,
            env={**built.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert done.stderr == ""
        return done.stdout.split("\n")[:-1]

    return complete


class TestBash:
    def test_verbs(self, complete):
        assert complete("irtui", "sea") == ["search"]
        assert {"search", "build", "get", "multi-get", "--help"} <= set(complete("irtui", ""))

    def test_flags_of_the_verb(self, complete):
        assert complete("irtui", "search", "x", "--re") == ["--rerank", "--refresh"]
        assert "--purge" in complete("irtui", "rm", "--")
        assert "--purge" not in complete("irtui", "search", "--")

    def test_an_alias_has_the_flags_of_its_verb(self, complete):
        assert complete("irtui", "s", "--refr") == ["--refresh"]

    def test_choices(self, complete):
        assert complete("irtui", "search", "--mode", "l") == ["lexical"]
        assert complete("irtui", "search", "--mode", "=") == ["hybrid", "dense", "lexical"]
        assert complete("irtui", "search", "--mode", "=", "d") == ["dense"]
        assert complete("irtui", "register", "name", "fi") == ["files"]
        assert complete("irtui", "completion", "z") == ["zsh"]

    def test_corpora(self, complete):
        assert sorted(complete("irtui", "search", "-c", "")) == ["empty", "notes", "papers"]
        assert complete("irtui", "info", "no") == ["notes"]
        assert complete("irtui", "build", "--rehash", "notes", "pa") == ["papers"]

    def test_files(self, complete):
        assert complete("irtui", "try", "not") == ["notes"]
        assert complete("irtui", "get", "notes/be") == ["notes/bees.md"]

    def test_items(self, complete):
        assert complete("irtui", "get", "be") == ["bees.md"]
        assert complete("irtui", "show", "sub/cl") == ["sub/cloud.md"]
        assert complete("irtui", "get", r"b\e") == complete("irtui", "get", '"be') == ["bees.md"]

    def test_a_value_without_a_list_offers_nothing(self, complete):
        assert complete("irtui", "search", "-k", "") == [""]


def test_names_need_no_engine(built):
    code = (
        "import sys\nfrom irtui.cli import main\n"
        "main(['completion', 'corpora'])\nmain(['completion', 'items'])\n"
        "assert not {'numpy', 'chromadb', 'rich'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**built.env, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert {"empty", "notes", "papers", "bees.md", "sub/cloud.md"} <= set(done.stdout.split())


def test_a_large_corpus_does_not_hide_what_is_in_others(built, monkeypatch):
    monkeypatch.setenv("IR_DATA_DIR", built.env["IR_DATA_DIR"])
    ledgers = Path(built.env["IR_DATA_DIR"], "corpora", "notes", "tables").glob("ledger-*")
    monkeypatch.setattr(completing, "_MOST_BYTES", sum(each.stat().st_size for each in ledgers) - 1)
    assert run("completion", shell="items").data["script"] == "zebra.md\n"


def test_fish_completes_from_its_script(built, tmp_path):
    program = shutil.which("fish")
    if program is None:
        pytest.skip("there is no fish here")
    script = completion_script("fish", SPECS)
    (tmp_path / "irtui").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m irtui "$@"\n')
    (tmp_path / "irtui").chmod(0o755)

    def complete(line):
        done = subprocess.run(
            [program, "--no-config", "-c", f"{script}\ncomplete -C '{line}'"],
            capture_output=True,
            text=True,
            cwd=built.base,
            env={
                **built.env,
                "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": os.pathsep.join(sys.path),
                "HOME": str(tmp_path),
            },
        )
        return [offered.partition("\t")[0] for offered in done.stdout.splitlines()]

    assert complete("irtui sea") == ["search"]
    assert set(complete("irtui search -c ")) == {"empty", "notes", "papers"}
    assert complete("irtui search --mode l") == ["lexical"]
    assert "bees.md" in complete("irtui get be")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_its_script(shell, tmp_path):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    file = tmp_path / "script"
    file.write_text(completion_script(shell, SPECS))
    done = subprocess.run([program, "-n", str(file)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_verb_and_flag_is_in_the_script(shell):
    script = completion_script(shell, SPECS)
    for spec in SPECS:
        assert spec["name"] in script
        for flag in (flag for param in spec["params"] for flag in param["flags"]):
            long = flag.startswith("--")
            fish = f"-l {flag[2:]}" if long else f"-s {flag[1:]}"
            assert (fish if shell == "fish" else flag) in script
