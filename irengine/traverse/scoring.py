"""What a walk walks on: the surfaces and links of one corpus, or of several."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit
from irengine.errors import ParameterTypeError
from irengine.graph import FederatedGraph
from irengine.retrieve.candidates import candidates
from irengine.retrieve.channels import dense_channel
from irengine.retrieve.filters import compile_filter
from irengine.several import embed_once, embedder_of, names_of

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.traverse.walking import WalkState

__all__ = ["Ground", "Surfaces", "ground_of"]

_KEY = "irengine.traverse.ground"

Pair = tuple[str, str]


class Surfaces:
    """The live rows of a corpus with their cosine to a query: one snapshot, worked out once.

    Args:
        source: what the corpus is called.
        corpus: an open corpus.
        query: the text; one without direction (all zeros) has cosine 0 to everything.
        filter: rows that do not pass it are not there.
    """

    def __init__(
        self, source: str, corpus: Corpus, query: str, filter: Mapping[str, Any] | None
    ) -> None:
        self.source = source
        self.snapshot = corpus.store.snapshot()
        compiled = None if filter is None else compile_filter(filter)
        self._mask = candidates(self.snapshot, compiled, None).mask
        self._cosines: Any = None
        if self.snapshot.count:
            everything = candidates(self.snapshot, None, None)
            self._cosines = dense_channel(self.snapshot, corpus.embed_query(query), everything)()
        self._positions: dict[str, list[int]] = {}

    def positions(self, artifact_id: str) -> list[int]:
        """Return the rows of an artifact that pass the filter, in plan order."""
        known = self._positions.get(artifact_id)
        if known is None:
            found = self.snapshot.positions_of(artifact_id)
            known = [p for p in found if self._mask is None or self._mask[p]]
            self._positions[artifact_id] = known
        return known

    def cosine(self, position: int) -> float:
        """Return the cosine of a row to the query."""
        score = None if self._cosines is None else self._cosines.score_of(position)
        return 0.0 if score is None else float(score)

    @cached_property
    def top(self) -> float:
        """The best cosine of a row that passes the filter; 0 without rows."""
        if self._cosines is None or not len(self._cosines.scores):
            return 0.0
        rows = self._cosines.scores if self._mask is None else self._cosines.scores[self._mask]
        return float(rows.max()) if len(rows) else 0.0

    def best(self, artifact_id: str) -> tuple[int, float] | None:
        """Return the row of an artifact with the best cosine, the first of equals; or ``None``."""
        scored = [(-self.cosine(p), at, p) for at, p in enumerate(self.positions(artifact_id))]
        if not scored:
            return None
        cosine, _, position = min(scored)
        return position, -cosine

    def kind(self, position: int) -> str:
        """Return the surface kind of a row."""
        segment, at = self.snapshot.locate(position)
        return segment.kinds[int(segment.kind[at])]

    def find(self, hit: SearchHit) -> int | None:
        """Return the row a hit came from, if it is still there."""
        for position in self.positions(hit.artifact_id):
            segment, at = self.snapshot.locate(position)
            if int(segment.surface_index[at]) == hit.surface_index:
                return position
        return None

    def hit(self, position: int, score: float, told: Mapping[str, Any]) -> SearchHit:
        """Return a row as a hit, with a metadata of its own that ``told`` is added to."""
        row = self.snapshot.rows([position])[0]
        return SearchHit(
            artifact_id=row.artifact_id,
            surface_kind=row.surface_kind,
            score=float(score),
            text=row.text,
            metadata={**row.metadata, **told},
            source=self.source,
            surface_index=row.surface_index,
            explanation={"mode": "walk", "cosine": self.cosine(position), "final": float(score)},
        )


class Ground:
    """One corpus or several, as a walk sees them.

    Inside a walk every node is a ``(source, artifact_id)`` pair. In one corpus what is its own is
    told without its source, as :class:`~irengine.graph.CorpusGraph` does.

    Args:
        corpora: open corpora by name.
        several: whether pairs are told as pairs.
        query: the text that cosines are to.
        filter: rows that do not pass it are not there.
        graph: their graph, where there is one already.
    """

    def __init__(
        self,
        corpora: Mapping[str, Corpus],
        several: bool,
        query: str,
        filter: Mapping[str, Any] | None,
        graph: FederatedGraph | None = None,
    ) -> None:
        self.corpora = corpora
        self.several = several
        self._query = query
        self._filter = filter
        self._surfaces: dict[str, Surfaces] = {}
        self._graph = graph
        if several:
            embed_once(corpora.values(), query)

    @cached_property
    def graph(self) -> FederatedGraph:
        """The links of all the corpora."""
        return FederatedGraph(self.corpora) if self._graph is None else self._graph

    def surfaces(self, source: str) -> Surfaces:
        """Return the rows of one of the corpora."""
        known = self._surfaces.get(source)
        if known is None:
            known = Surfaces(source, self.corpora[source], self._query, self._filter)
            self._surfaces[source] = known
        return known

    def best(self, node: Pair) -> int | None:
        """Return the row of an artifact that fits the query best; ``None`` when there is none."""
        if node[0] not in self.corpora:
            return None
        best = self.surfaces(node[0]).best(node[1])
        return None if best is None else best[0]

    def score(self, source: str, position: int) -> float:
        """Return the cosine of a row; over several embedders as a share of the best of its own."""
        return self.surfaces(source).cosine(position) / self._scales.get(source, 1.0)

    def told(self, node: Pair) -> Any:
        """Return a node as hits and visited sets have it."""
        return node[1] if not self.several and node[0] in self.corpora else node

    def nodes_of(self, seed: Any) -> list[Pair]:
        """Return the nodes a seed stands for: a pair for itself, an id for one in each corpus."""
        return [seed] if isinstance(seed, tuple) else [(source, seed) for source in self.corpora]

    @cached_property
    def _scales(self) -> dict[str, float]:
        """What cosines are divided by, where they do not mean the same in all the corpora."""
        embedders = {name: embedder_of(corpus) for name, corpus in self.corpora.items()}
        if len(set(embedders.values())) < 2:
            return {}
        best: dict[Any, float] = {}
        for name, embedder in embedders.items():
            best[embedder] = max(self.surfaces(name).top, best.get(embedder, 0.0))
        return {name: best[embedder] or 1.0 for name, embedder in embedders.items()}


def ground_of(
    state: WalkState, store: Any, policy: str, filter: Mapping[str, Any] | None = None
) -> Ground:
    """Return what this walk walks on, read once.

    Raises:
        ParameterTypeError: when ``store`` is neither an open corpus, nor a list or tuple of them,
            nor a :class:`~irengine.graph.FederatedGraph` made of them.
        ParameterError: for an empty list, or two corpora of one name.
        FilterError: for an invalid filter.
    """
    known: Ground | None = state.cache.get(_KEY)
    if known is None:
        several = isinstance(store, (list, tuple, FederatedGraph))
        graph = store if isinstance(store, FederatedGraph) else None
        given = store if graph is None else [each.corpus for each in graph.graphs.values()]
        entries: list[Any] = list(given) if several else [given]
        for entry in entries:
            if not hasattr(entry, "store") or not hasattr(entry, "embed_query"):
                raise ParameterTypeError(
                    f"{policy} walks an open Corpus, or a list of them, not {type(entry).__name__}",
                    hint="open_corpus(name) opens one",
                )
        names = names_of(entries) if graph is None else list(graph.graphs)
        corpora = dict(zip(names, entries, strict=True))
        known = state.cache[_KEY] = Ground(corpora, several, state.query, filter, graph)
    return known
