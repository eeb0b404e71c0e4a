"""What is left of a crash: one line on the screen, the traceback in a file."""

from __future__ import annotations

import os
import traceback
from datetime import datetime

__all__ = ["crash_message"]


def crash_message(error: BaseException) -> tuple[str, str]:
    """Return the message and hint for an unexpected error, after keeping its traceback.

    The traceback goes to a file below the cache folder, or to the message when ``IR_DEBUG`` is
    set.
    """
    from irengine.config import cache_dir

    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    summary = f"internal error: {type(error).__name__}: {error}"
    if os.environ.get("IR_DEBUG"):
        import sys

        sys.stderr.write(text)
        return summary, ""
    folder = cache_dir() / "crashes"
    file = folder / f"irtui-{datetime.now().astimezone():%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError:
        return summary, "set IR_DEBUG=1 to see the traceback"
    return summary, f"the traceback is in {file}"
