"""A garden of two small corpora, and sessions that run in this process."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irtui.cli import main
from irtui.shell import Session, captured_front, run_line
from irtui.shell.front import Captured
from tests.irtui.conftest import keep_in

NOTES = {
    "bees.md": "---\ntags: [garden, insects]\nyear: 2024\n---\n# Bees\n\nBees dance where flowers "
    "are. See [[frost]].\n",
    "frost.md": "---\ntags: [garden]\nyear: 2021\n---\n# Frost\n\nCover the fig tree; the bees "
    "sleep.\n",
    "tax.md": "---\nyear: 2023\n---\n# Taxes\n\nThe form is due in May.\n",
    "my note.md": "# My note\n\nA name with a blank, and an anchor.\n",
}
PAPERS = {
    "hive.md": "---\nyear: 2019\n---\n# Hive temperature\n\nBees keep the hive at 35 degrees.\n",
    "evil.md": "# Evil \x1b]0;owned\x07\n\nA zebra \x1b[2J\x9b31m\u202e runs.\n",
    "sail.md": "# Sails\n\nA sail needs wind; an anchor holds.\n",
}


def write_garden(base: Path) -> None:
    for folder, files in (("notes", NOTES), ("papers", PAPERS)):
        (base / folder).mkdir()
        for name, text in files.items():
            (base / folder / name).write_text(text, encoding="utf-8")


SCRIPT = Path(__file__).parent / "garden.ir"


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str, str]:
    """The garden as the script made it: its folder, the exit status, and what was written."""
    base = tmp_path_factory.mktemp("garden")
    write_garden(base)
    shown, said = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(said),
    ):
        keep_in(base, patch)
        status = main(["-f", str(SCRIPT)])
    return base, status, shown.getvalue(), said.getvalue()


@pytest.fixture(scope="session")
def garden(planted: tuple[Path, int, str, str]) -> Path:
    """A folder with two built corpora, ``notes`` and ``papers``; for tests that only read."""
    return planted[0]


class Lines:
    """A session whose lines are run and whose answers are kept."""

    def __init__(self, *, interactive: bool = True) -> None:
        self.session = Session(interactive=interactive)
        self.said: list[tuple[str, str]] = []
        self.status = 0

    def __call__(self, *lines: str) -> str:
        """Run lines and return what the last one wrote."""
        text = ""
        self.said = []
        for line in lines:
            captured = Captured()
            self.status = run_line(self.session, line, captured_front(captured))
            self.said += captured.said
            text = captured.text
        return text

    def error(self, *lines: str) -> str:
        """Run lines of which the last fails, and return what is said then."""
        text = self(*lines)
        assert self.status, text
        return "; ".join(said for word, said in self.said if word in ("error", "hint"))


@pytest.fixture
def lines(garden: Path, work_in: Callable[[Path], None]) -> Lines:
    work_in(garden)
    return Lines()


@pytest.fixture
def script(
    garden: Path, work_in: Callable[[Path], None], run_here: Callable[..., Any]
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs ``irtui`` in this process, in the garden."""
    work_in(garden)
    return run_here
