"""The guard against emptying a corpus because its source was not whole."""

from __future__ import annotations

from typing import NoReturn

from irengine.errors import ShrinkRefused

__all__ = ["refuse", "too_many"]

_FLOOR = 20


def too_many(gone: int, total: int) -> bool:
    """Whether removing ``gone`` of ``total`` artifacts needs a second thought."""
    return gone >= _FLOOR and gone * 3 > total


def refuse(name: str, count: int, total: int) -> NoReturn:
    """Refuse to remove ``count`` of the ``total`` artifacts of a corpus.

    Raises:
        ShrinkRefused: always.
    """
    raise ShrinkRefused(
        f"{count} of the {total} artifacts of corpus {name!r} are gone from "
        "its source; nothing was removed",
        hint="check that the source is whole (a disk not mounted, a changed pattern?), then "
        "pass --allow-shrink (allow_shrink=True) to remove them",
    )
