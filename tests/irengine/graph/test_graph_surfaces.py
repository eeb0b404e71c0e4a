"""Which surface comes before and after which."""

from __future__ import annotations

import pytest

from irengine import (
    CorpusSource,
    CorpusStore,
    GraphStore,
    IndexPlan,
    NoLedgerEntry,
    ParameterError,
    Surface,
    SurfaceGraph,
    build,
)
from irengine.graph import NEXT, PARENT, PREV


class Interleaved:
    """A title between chunks, so that neighbours of a kind are not neighbours in the plan."""

    def decompose(self, artifact_id, raw, metadata=None):
        plan = [("chunk", "one"), ("title", artifact_id), ("chunk", "two"), ("chunk", "three")]
        return IndexPlan({}, [Surface(artifact_id, kind, text) for kind, text in plan])


@pytest.fixture
def corpus():
    source = CorpusSource.from_mapping({"a": "", "b": ""}, name="m", strategy=Interleaved())
    return build(source, store=CorpusStore.memory(), embedder="light")


def test_chunks_follow_each_other_within_their_kind_and_artifact(corpus):
    graph = SurfaceGraph(corpus)
    assert isinstance(graph, GraphStore)
    assert graph.source == "m"
    one, title, two, three = [
        record.id
        for record in sorted(
            (corpus.store.get_record(i) for i in corpus.store.record_ids()),
            key=lambda record: record.surface_index,
        )
        if record.artifact_id == "a"
    ]
    assert graph.neighbors(one) == [two]
    assert graph.neighbors(two) == [one, three]
    assert graph.neighbors(two, edge_type=PREV) == [one]
    assert graph.neighbors(two, edge_type=NEXT) == [three]
    assert graph.neighbors(three, edge_type=NEXT) == []
    assert graph.neighbors(title) == []
    assert graph.neighbors(title, edge_type=PARENT) == ["a"]
    assert graph[two][0].text == "two"


def test_unknown_records_and_edge_types_are_errors(corpus):
    graph = SurfaceGraph(corpus)
    with pytest.raises(NoLedgerEntry):
        graph.neighbors("nothing")
    with pytest.raises(KeyError):
        graph["nothing"]
    with pytest.raises(ParameterError, match="PREV, NEXT and PARENT"):
        graph.neighbors(next(iter(corpus.store.record_ids())), edge_type="REF")
