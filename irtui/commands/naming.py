"""Which artifact is meant: by id, by the path or name of its file, by an alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irtui.commands.spec import Param
from irtui.commands.targets import resolve
from irtui.commands.where import asked_corpora

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["WHICH", "find_artifact", "opened"]

WHICH = Param(
    "which", "an artifact: its id, #docid, path, name or alias", required=True, metavar="ID"
)


def opened(names: list[str]) -> list[Corpus]:
    """Open the corpora of those names, the one this folder is in, or every built one.

    Raises:
        CorpusNotFound: when one is not built, or none is.
    """
    return asked_corpora(names)


def find_artifact(which: str, names: list[str]) -> tuple[Corpus, str]:
    """Return the corpus and the id of the one artifact that is meant by ``which``.

    Raises:
        UnknownItem: when there is none (with near ones), or when several are meant.
    """
    found = resolve(which, opened(names))
    return found.corpus, found.artifact_id
