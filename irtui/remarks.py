"""What is said on standard error: errors, hints, warnings, notes.

To people as styled lines, cleaned; to programs that follow the progress as one JSON object a
line. Nothing here goes to standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

__all__ = ["Remarks", "write_quietly"]

_STYLES = {"error": "bad", "warning": "warn"}


class Remarks:
    """Says things on standard error.

    Attributes:
        quiet: leave out everything but errors.
        as_events: every remark is a JSON object with an ``event``.
        json_errors: errors are JSON objects.
    """

    def __init__(self, *, json_errors: bool = False) -> None:
        self.quiet = False
        self.as_events = False
        self.json_errors = json_errors

    def say(self, word: str, text: str) -> None:
        """Say one line: ``word: text``."""
        if self.quiet and word in ("note", "warning"):
            return
        if self.as_events:
            self._object({"event": word, "text": text})
            return
        self._line(word, text)

    def _line(self, word: str, text: str, place: str = "") -> None:
        from irtui.render.look import paint
        from irtui.styles import styled_look

        line = [("", place), (_STYLES.get(word, "dim"), f"{word}:"), ("", f" {text}")]
        write_quietly(sys.stderr, paint([line], styled_look(sys.stderr)))

    def note(self, text: str) -> None:
        """Say a note."""
        self.say("note", text)

    def report(self, code: str, message: str, hint: str = "", **more: Any) -> None:
        """Tell about a failure. ``more`` belongs to its JSON form; ``excerpt`` is for people.

        With a ``file`` among them people get ``file:line:column: error: message``.
        """
        excerpt = more.pop("excerpt", "")
        if self.as_events or self.json_errors:
            error = {"code": code, "message": message, "hint": hint, **more}
            self._object({"event": "error", **error} if self.as_events else error)
            return
        place = f"{more['file']}:{more['line']}:{more['column']}: " if "file" in more else ""
        self._line("error", message, place)
        if excerpt:
            from irtui.render.look import paint
            from irtui.styles import styled_look

            lines = [[("", f"  {line}")] for line in excerpt.split("\n")]
            write_quietly(sys.stderr, paint(lines, styled_look(sys.stderr)))
        if hint:
            self.say("hint", hint)

    def report_missing(self, missing: Iterable[Mapping[str, Any]]) -> None:
        """Tell about each thing that was asked for and is not there."""
        for each in missing:
            self.report(each["code"], each["message"], each["hint"], target=each["target"])

    def warn_once(self) -> Callable[..., None]:
        """Return a ``showwarning`` that says each thing once, wherever it comes from."""
        said: set[str] = set()

        def show(message: Warning | str, *_: object, **__: object) -> None:
            text = str(message)
            if text not in said:
                said.add(text)
                self.say("warning", text)

        return show

    def _object(self, value: dict[str, Any]) -> None:
        from irtui.render.jsonout import to_json

        write_quietly(sys.stderr, to_json(value, indent=None, ascii_only=True) + "\n")


def write_quietly(stream: TextIO, text: str) -> None:
    """Write ``text`` at once; a stream that is closed or full takes nothing."""
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        return  # nobody is left to tell
