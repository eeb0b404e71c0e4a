"""Calling the tools of a scheduler: nothing is raised, a missing tool is status 127."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

__all__ = ["Called", "call"]

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Called:
    """How a tool ended and what it said; bytes that are no UTF-8 survive a round trip."""

    status: int
    out: str = ""
    err: str = ""

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return self.status == 0

    @property
    def said(self) -> str:
        """The last line of what it complained about, to be quoted in a message."""
        lines = [line.strip() for line in (self.err or self.out).splitlines() if line.strip()]
        return lines[-1] if lines else f"exit status {self.status}"


def call(*words: str, text: str | None = None) -> Called:
    """Run a program with ``text`` as its input."""
    try:
        done = subprocess.run(
            words,
            input=None if text is None else text.encode("utf-8", "surrogateescape"),
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return Called(127, err=f"{words[0]}: not found")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Called(126, err=f"{words[0]}: {error}")
    return Called(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
