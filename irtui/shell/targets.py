"""Where ``>`` and ``>>`` write."""

from __future__ import annotations

import os
from pathlib import Path

from irengine.errors import IrError

__all__ = ["NotWritten", "write_to"]


class NotWritten(IrError, OSError):
    """A file that a result should go to cannot be written."""

    code = "not-written"


def write_to(path: str, text: str, *, append: bool) -> None:
    """Write ``text`` to the file ``path`` as UTF-8, in the place of what is there or after it.

    Raises:
        NotWritten: when the system does not let it be written.
    """
    file = Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser() raises
    try:
        with file.open(
            "a" if append else "w", encoding="utf-8", errors="surrogateescape", newline=""
        ) as out:
            out.write(text)
    except OSError as error:
        raise NotWritten(
            f"{path} cannot be written: {error.strerror or error}",
            hint="is there such a folder?" if isinstance(error, FileNotFoundError) else "",
        ) from error
