"""Which artifact is meant: by id, by the path or name of its file, by an alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irtui.commands.engine import quoted
from irtui.commands.spec import Param
from irtui.commands.where import asked_corpora

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["WHICH", "find_artifact", "opened"]

WHICH = Param("which", "an artifact: its id, path, name or alias", required=True, metavar="ID")


def opened(names: list[str]) -> list[Corpus]:
    """Open the corpora of those names, the one this folder is in, or every built one.

    Raises:
        CorpusNotFound: when one is not built, or none is.
    """
    return asked_corpora(names)


def find_artifact(which: str, names: list[str]) -> tuple[Corpus, str]:
    """Return the corpus and the id of the one artifact that is meant by ``which``.

    The exact id wins over a path or a name; within a corpus links are resolved the same way.

    Raises:
        UnknownItem: when there is none (with near ones), or when several corpora have one.
    """
    from irengine.errors import UnknownItem, nearest
    from irengine.graph import CorpusGraph

    corpora = opened(names)
    found: list[tuple[Corpus, str]] = []
    for corpus in corpora:
        artifact_id = CorpusGraph(corpus).find(which)
        if artifact_id is not None:
            found.append((corpus, artifact_id))
    exact = [(corpus, artifact_id) for corpus, artifact_id in found if artifact_id == which]
    found = exact or found
    if len(found) == 1:
        return found[0]
    if found:
        choices = ", ".join(f"{artifact_id} in {corpus.name}" for corpus, artifact_id in found)
        raise UnknownItem(
            f"{which!r} is in several corpora: {choices}",
            hint=f"name one: -c {quoted(found[0][0].name)}",
        )
    where = corpora[0].name if len(corpora) == 1 else f"{len(corpora)} corpora"
    ids = [i for corpus in corpora for i in corpus.store.snapshot().artifact_ids()]
    holding = [i for i in ids if which.lower() in i.lower()][:3]
    hint = f"did you mean {', '.join(holding)}?" if holding else nearest(which, ids)
    raise UnknownItem(
        f"there is no artifact {which!r} in {where}", hint=hint or "irtui search finds ids"
    )
