"""The messages that cross from one part of the app to another."""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message

from irtui.tui.lanes import Answered

__all__ = ["JobChanged", "LaneAnswer"]


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
