"""The history of the prompt: one file, capped, written after each line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

__all__ = ["MOST_LINES", "LineHistory", "history_file"]

MOST_LINES = 5_000


def history_file() -> Path:
    """Return where the history is kept: beside the other things that are remembered."""
    from irtui.commands.kept import kept_folder

    return kept_folder() / "shell-history"


class LineHistory(History):
    """Lines of earlier sessions, the newest first.

    A line with line breaks is one entry. One that begins with a blank is not kept, nor one that is
    the same as the line before. What cannot be read or written is as if it were empty: a history is
    no reason not to work.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def load_history_strings(self) -> Iterable[str]:
        """Return the kept lines, the newest first."""
        try:
            text = self._file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return []
        lines = [_unescaped(line) for line in text.split("\n") if line]
        if len(lines) > MOST_LINES:
            lines = lines[-MOST_LINES:]
            self._rewrite(lines)
        return reversed(lines)

    def append_string(self, string: str) -> None:
        """Take a line into the history, unless it is not to be kept."""
        known = self.get_strings()
        if not string.strip() or string[0].isspace() or (known and known[-1] == string):
            return
        super().append_string(string)

    def store_string(self, string: str) -> None:
        """Write a line to the end of the file, which only its owner may read."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.touch(mode=0o600)
            with self._file.open("ab") as out:
                out.write((_escaped(string) + "\n").encode("utf-8", "replace"))
        except OSError:
            return

    def _rewrite(self, lines: list[str]) -> None:
        part = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            part.write_text("".join(f"{_escaped(line)}\n" for line in lines), encoding="utf-8")
            part.chmod(0o600)
            part.replace(self._file)
        except OSError:
            return


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _unescaped(line: str) -> str:
    pieces = line.split("\\\\")
    return "\\".join(piece.replace("\\n", "\n").replace("\\r", "\r") for piece in pieces)
