"""The messages that cross from one part of the app to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.message import Message

from irtui.tui.lanes import Answered

__all__ = ["CorporaChanged", "HitChosen", "JobChanged", "LaneAnswer", "SelectionChanged"]


class LaneAnswer(Message):
    """A lane has a value or an error for whoever asked it, who takes it with ``then``."""

    def __init__(self, answered: Answered, then: Callable[[Answered], None]) -> None:
        super().__init__()
        self.answered = answered
        self.then = then


class JobChanged(Message):
    """A job started, went on or ended; posted to the active screen of every mode."""

    def __init__(self, job_id: int, *, ended: bool = False) -> None:
        super().__init__()
        self.job_id = job_id
        self.ended = ended

    def can_replace(self, message: Message) -> bool:
        """Let a newer step of the same job replace one nobody has seen yet."""
        return (
            isinstance(message, JobChanged) and message.job_id == self.job_id and not message.ended
        )


class CorporaChanged(Message):
    """What is built has changed: ``state`` is what :meth:`irtui.commands.live.Live.state` says."""

    def __init__(self, state: dict[str, dict[str, Any]], *, changed: tuple[str, ...]) -> None:
        super().__init__()
        self.state = state
        self.changed = changed


class SelectionChanged(Message):
    """The tray holds something else; see ``app.tray``."""


class HitChosen(Message):
    """The cursor of a list is on this row, or on nothing."""

    def __init__(self, row: dict[str, Any] | None, *, opened: bool = False) -> None:
        super().__init__()
        self.row = row
        self.opened = opened
