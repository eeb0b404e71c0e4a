"""``:`` commands: about the session, not the engine."""

from __future__ import annotations

from irtui.grammar.syntax import Session as Meta
from irtui.shell.front import Front
from irtui.shell.session import Session

__all__ = ["run_meta"]


def run_meta(session: Session, meta: Meta, front: Front) -> int:
    """Run a session command and return its exit status."""
    del session, meta, front
    return 0
