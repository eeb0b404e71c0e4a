"""What completion knows: names of corpora, fields, values and artifacts, held in memory.

Nothing here is asked while somebody types; a thread reads the newest generation of each corpus
when the prompt opens and after a command that changed something.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irtui.shell.session import Session

__all__ = ["Catalog", "Keeper", "read_catalog"]

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
        here: the corpus this folder is in, ``""`` for none.
    """

    corpora: Mapping[str, bool] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    items: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, int] = field(default_factory=dict)
    here: str = ""
    is_read: bool = True


def read_catalog(stopped: Callable[[], bool] = lambda: False) -> Catalog:
    """Read the catalog; corpora that do not open are left out.

    ``stopped`` is asked between corpora; what is read until then is returned.
    """
    from irengine.errors import IrError
    from irengine.index import open_corpus
    from irengine.store import built_names
    from irtui.commands.engine import known_names
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


class Keeper:
    """Holds the newest catalog and reads it anew in a thread when asked.

    ``problem`` says why it could not be read.
    """

    def __init__(self, read: Callable[[Callable[[], bool]], Catalog] = read_catalog) -> None:
        self.catalog = Catalog(is_read=False)
        self.problem = ""
        self._read = read
        self._lock = threading.Lock()
        self._again = False
        self._thread: threading.Thread | None = None
        self._stopped = False

    def refresh(self) -> None:
        """Begin to read; when that is going on, do it once more afterwards."""
        with self._lock:
            self._again = True
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._work, daemon=True, name="catalog")
                self._thread.start()

    def refresh_if_changed(self, session: Session) -> None:
        """Begin to read when the session ran a command that may have changed what is there."""
        if session.changed:
            session.changed = False
            self.refresh()

    def stop(self, seconds: float = 1.0) -> None:
        """End the thread, waiting no longer than so long."""
        with self._lock:
            self._stopped, thread = True, self._thread
        if thread is not None:
            thread.join(seconds)

    def wait(self, seconds: float = 10.0) -> None:
        """Wait until what was asked for is read."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._stopped or not self._again:
                    self._thread = None
                    return
                self._again = False
            try:
                self.catalog = self._read(lambda: self._stopped)
            except Exception as error:  # noqa: BLE001 - completion without names is no failure
                self.problem = f"{type(error).__name__}: {error}"
