"""What can be named: corpora, fields, values and artifacts, read at once and held in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["Catalog", "read_catalog"]

MOST_ITEMS = 5_000
_MOST_VALUES = 50


@dataclass(frozen=True, slots=True)
class Catalog:
    """What is there, as of one moment.

    Attributes:
        is_read: whether it was read already.
        corpora: names and whether each is built.
        fields: names of metadata fields, and which corpora have them.
        values: the most frequent values of each field, as text.
        items: ids of artifacts with their titles, at most 5,000.
        texts: how many texts each built corpus has.
        sets: names of kept selections.
        here: the corpus this folder is in, ``""`` for none.
    """

    corpora: Mapping[str, bool] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    items: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, int] = field(default_factory=dict)
    here: str = ""
    sets: tuple[str, ...] = ()
    is_read: bool = True


def read_catalog(stopped: Callable[[], bool] = lambda: False) -> Catalog:
    """Read the catalog; corpora that do not open are left out.

    ``stopped`` is asked between corpora; what is read until then is returned.
    """
    from irengine.errors import IrError
    from irengine.index import open_corpus
    from irengine.store import built_names
    from irtui.commands.engine import known_names
    from irtui.commands.kept import Kept
    from irtui.commands.where import corpus_here

    built = built_names()
    corpora = {name: name in built for name in known_names()}
    fields: dict[str, list[str]] = {}
    values: dict[str, dict[str, None]] = {}
    items: dict[str, str] = {}
    texts: dict[str, int] = {}
    for name in built:
        if stopped():
            break
        try:
            corpus = open_corpus(name)
            texts[name] = len(corpus)
            _add(corpus, fields, values, items)
        except (IrError, OSError):
            continue
    return Catalog(
        corpora,
        {name: ", ".join(where) for name, where in sorted(fields.items())},
        {name: tuple(found) for name, found in values.items()},
        items,
        texts,
        corpus_here(built) or "",
        tuple(sorted(Kept().sets)),
    )


def _add(
    corpus: Corpus,
    fields: dict[str, list[str]],
    values: dict[str, dict[str, None]],
    items: dict[str, str],
) -> None:
    from irengine.retrieve import facets
    from irtui.commands.ranking import title_of

    snapshot = corpus.store.snapshot()
    names = [name for name in snapshot.fields() if name not in _WITHOUT_VALUES]
    for name in snapshot.fields():
        fields.setdefault(name, []).append(corpus.name)
    for name, counts in facets(corpus, "", names, limit=_MOST_VALUES).items():
        known = values.setdefault(name, {})
        for count in counts:
            if isinstance(count.value, (str, int, float)) and len(str(count.value)) <= 60:
                known[str(count.value)] = None
    ids = snapshot.artifact_ids()[: MOST_ITEMS - len(items)]
    firsts = [snapshot.positions_of(artifact_id)[0] for artifact_id in ids]
    for artifact_id, row in zip(ids, snapshot.rows(firsts), strict=True):
        items.setdefault(artifact_id, title_of(artifact_id, row.metadata))


_WITHOUT_VALUES = frozenset(
    (
        "path",
        "filename",
        "title",
        "heading",
        "chunk_index",
        "n_chunks",
        "line_start",
        "line_end",
        "char_start",
    )
)
"""Fields that are different in every text; their values help nobody."""
