"""Every example of the README, run in its order in one folder, prints what the README shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
HOME = "/home/ada"
NOTES = {
    "bees.md": "---\ndate: 2026-03-02\ntags: [garden, bees]\n---\n\n# Keeping bees\n\n"
    "## Swarming\n\nWhen a colony runs out of room it raises a new queen and half of it leaves. "
    "Give them a second box before the lime trees flower.\n\n## Winter\n\n"
    "Bees need about 15 kg of stores. Weigh the hive in October.\n",
    "backup.md": "---\ndate: 2025-11-20\ntags: [computer]\n---\n\n# Backups\n\n"
    "Snapshots run nightly with restic. To get a file back, mount the repository with "
    "`restic mount /mnt/restore` and copy it out.\n",
    "garden/frost.md": "---\ntitle: First frost\ndate: 2025-10-14\ntags: [garden]\n---\n\n"
    "Cover the young fig and drain the outdoor tap (`valve-2` in the cellar). See [[bees]].\n",
}
VARYING = {
    r"\d+\.\d s": "… s",
    r"\d+ texts/s": "… texts/s",
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Yield each command line of a transcript and what is printed below it."""
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, printed = step.partition("\n")
        yield line, printed


def steady(text: str) -> str:
    for pattern, mark in VARYING.items():
        text = re.sub(pattern, mark, text)
    return text


class Ada:
    """A user who types what the README shows, in a home of her own."""

    def __init__(self, base: Path) -> None:
        self.home = base / "ada"
        for name, text in NOTES.items():
            file = self.home / "notes" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (self.home / "notes" / "photo.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        programs = base / "bin"
        programs.mkdir()
        for name, words in {"irtui": "", "irsh": " shell"}.items():
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m irtui{words} "$@"\n')
            program.chmod(0o755)
        self.env = {
            **os.environ,
            "COLUMNS": "100",
            "HOME": str(self.home),
            "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
            "PYTHONPATH": os.pathsep.join((str(Path(__file__).parents[2]), *sys.path)),
            **{f"IR_{kind}_DIR": str(base / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")},
        }

    def run(self, words: list[str], given: str = "") -> str:
        done = subprocess.run(
            words,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            env=self.env,
            cwd=self.home,
            timeout=300,
        )
        return steady(done.stdout.replace(str(self.home), HOME))


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Ada:
    return Ada(tmp_path_factory.mktemp("readme"))


@pytest.fixture(scope="module")
def tour(ada: Ada) -> list[tuple[str, str, str]]:
    """Each thing typed, what it printed, and what the README shows; one stands on the other."""
    seen = []
    for block in blocks("console"):
        if block.startswith("ir> "):
            typed = "".join(re.findall(r"^ir> (.*\n)", block, re.MULTILINE))
            shown = re.sub(r"^ir> .*\n", "", block, flags=re.MULTILINE)
            seen.append((typed, ada.run(["irsh"], typed), steady(shown)))
        for line, shown in steps(block):
            if line.startswith("cat "):
                (ada.home / line.split()[1]).write_text(shown, encoding="utf-8")
            seen.append((line, ada.run(["bash", "-c", line]), steady(shown)))
    return seen


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="the examples are lines of a shell")
class TestTheExamples:
    def test_print_what_is_shown(self, tour):
        assert len(tour) > 10
        for typed, printed, shown in tour:
            assert printed == shown, typed

    @pytest.mark.usefixtures("tour")
    def test_of_python_run(self, ada):
        for block in blocks("python"):
            printed = ada.run([sys.executable, "-c", block])
            assert re.search(r"^0\.\d+ bees\.md \d+$", printed, re.MULTILINE), printed

    @pytest.mark.usefixtures("tour")
    def test_within_sentences_run(self, ada):
        spans = re.findall(r"`(irtui (?:search|info|edit) [^`]+)`", README)
        lines = {span.replace("NAME", "notes") for span in spans} - {"irtui edit notes"}
        lines = {line for line in lines if "QUERY" not in line}
        assert len(lines) >= 3
        for line in lines:
            assert "error" not in ada.run(["bash", "-c", line]), line

    def test_the_first_command_ends_in_answers(self, ada):
        line = blocks("sh")[0].split("&& .venv/bin/")[-1]
        answer = "# Crashes\n\nKill a build at any moment: the last state keeps serving.\n"
        (ada.home / "crashes.md").write_text(answer, encoding="utf-8")
        assert re.search(r"^  1 .* Crashes$", ada.run(["bash", "-c", line]), re.MULTILINE)
