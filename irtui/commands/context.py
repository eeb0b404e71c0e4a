"""What a front end lends to a running command: progress, cancellation, questions, remarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Context"]


def _ignore(*_: object) -> None:
    return None


def _never(_: str) -> bool:
    return False


@dataclass(slots=True)
class Context:
    """The seam between a command and the front end that runs it.

    ``progress`` receives the engine's progress events; ``on_cancel`` is handed a function that
    asks the running work to stop; ``confirm`` asks a yes-or-no question and answers ``False``
    where nobody can be asked; ``note`` passes a remark on to the user. With ``strict`` (scripts) a
    query that stops too early or has an impossible value is an error instead of a remark; with
    ``finished`` (a line that was entered: nobody goes on typing) one whose conditions have none.
    """

    progress: Callable[[Any], None] = _ignore
    on_cancel: Callable[[Callable[[], None] | None], None] = _ignore
    confirm: Callable[[str], bool] = _never
    note: Callable[[str], None] = _ignore
    strict: bool = False
    finished: bool = False
