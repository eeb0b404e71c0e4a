"""Synopses across builds: asked for once, kept by plain builds, tried again after a failure."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from irengine.index import build
from irengine.policy import SynopsisPolicy
from irengine.sources import CorpusSource
from irengine.store import CorpusStore
from irengine.strategy import Chunked, Package, WholeText
from irengine.synopsis import (
    make_llm_synthesizer,
    thin_description_predicate,
    with_synopsis,
    with_synopsis_policy,
)

ITEMS = {"a": "bees live in hives", "b": "wasps build nests of paper"}


class Writer:
    """A model that notes what it was asked, and can be down or refuse a text."""

    def __init__(self, name: str = "writer/1") -> None:
        self.name = name
        self.asked: list[str] = []
        self.failure: Exception | None = None

    def strategy(self, inner=None, **options):
        made = make_llm_synthesizer(summarize=self.summarize, synthesizer_id=self.name)
        return with_synopsis(inner or WholeText(), synthesize=made, **options)

    def summarize(self, text: str) -> str:
        self.asked.append(text)
        if self.failure is not None:
            raise self.failure
        return f"{self.name}: {text.split()[0]}"


@pytest.fixture
def store(request, private_folders):
    kind = getattr(request, "param", "memory")
    return CorpusStore.memory() if kind == "memory" else CorpusStore.local("notes")


everywhere = pytest.mark.parametrize("store", ["memory", "local"], indirect=True)


@pytest.fixture
def writer():
    return Writer()


def run(store, strategy, items=None, **options):
    source = CorpusSource.from_mapping(
        ITEMS if items is None else items, name="notes", strategy=strategy
    )
    return build(source, store=store, **{"embedder": "light", **options}).report


def synopses(store) -> dict[str, str]:
    snapshot = store.snapshot()
    rows = snapshot.rows(snapshot.live_positions().tolist())
    return {row.artifact_id: row.text for row in rows if row.surface_kind == "synopsis"}


def test_an_unchanged_rebuild_asks_nobody_and_a_change_asks_once(store, writer):
    run(store, writer.strategy())
    assert synopses(store) == {"a": "writer/1: bees", "b": "writer/1: wasps"}
    assert run(store, writer.strategy()).nothing_changed
    assert len(writer.asked) == 2
    run(store, writer.strategy(), {**ITEMS, "a": "ants live in hills"})
    assert writer.asked[2:] == ["ants live in hills"]
    assert synopses(store)["a"] == "writer/1: ants"


def test_another_writer_is_asked_about_everything(store, writer):
    run(store, writer.strategy())
    other = Writer("writer/2")
    run(store, other.strategy())
    assert len(other.asked) == 2
    assert synopses(store) == {"a": "writer/2: bees", "b": "writer/2: wasps"}


def test_another_inner_strategy_or_embedder_asks_nobody(store, writer):
    run(store, writer.strategy())
    before = synopses(store)
    report = run(store, writer.strategy(Chunked(chunk_size=8, overlap=0)))
    assert report.changed == 2
    run(
        store,
        writer.strategy(),
        embedder=lambda texts: [[1.0, len(t)] for t in texts],
        switch_embedder=True,
    )
    assert len(writer.asked) == 2
    assert synopses(store) == before


@everywhere
def test_a_plain_build_keeps_the_synopses_of_what_did_not_change(store, writer):
    run(store, writer.strategy())
    items = {**ITEMS, "a": "ants live in hills", "c": "moths"}
    run(store, WholeText(), items)
    assert synopses(store) == {"b": "writer/1: wasps"}  # that of a summed up another text
    assert run(store, WholeText(), items).nothing_changed
    run(store, writer.strategy(), items)
    assert writer.asked[2:] == ["ants live in hills", "moths"]
    assert sorted(synopses(store)) == ["a", "b", "c"]


def test_a_plain_build_with_another_strategy_keeps_them_too(store, writer):
    run(store, writer.strategy())
    before = synopses(store)
    run(store, Chunked(chunk_size=8, overlap=0))
    assert synopses(store) == before
    run(store, writer.strategy(Chunked(chunk_size=8, overlap=0)))
    assert len(writer.asked) == 2


def test_they_go_when_that_is_asked_for(store, writer):
    run(store, writer.strategy())
    run(store, WholeText(), keep_synopses=False)
    assert synopses(store) == {}


@everywhere
def test_a_failure_is_reported_and_tried_again(store, writer):
    writer.failure = ValueError("refused")
    report = run(store, writer.strategy())
    assert synopses(store) == {}
    assert report.records == 2
    assert [(note.id, note.reason) for note in report.notes] == [
        ("", "no-synopsis"),
        ("a", "no-synopsis"),
        ("b", "no-synopsis"),
    ]
    assert "2 artifacts wait for a synopsis: ValueError: refused" in report.notes[0].detail
    writer.failure = None
    report = run(store, writer.strategy())
    assert report.changed == 2 and report.notes == []
    assert sorted(synopses(store)) == ["a", "b"]
    assert run(store, writer.strategy()).nothing_changed
    assert len(writer.asked) == 4


def test_a_failure_outlasts_a_plain_build(store, writer):
    writer.failure = ValueError("refused")
    run(store, writer.strategy())
    assert run(store, WholeText()).nothing_changed
    run(store, Chunked(chunk_size=8, overlap=0))
    writer.failure = None
    run(store, writer.strategy())
    assert sorted(synopses(store)) == ["a", "b"]


def test_a_file_that_did_not_change_is_tried_again_too(store, writer, tmp_path):
    (tmp_path / "a.md").write_text("bees live in hives")
    writer.failure = ValueError("refused")
    source = CorpusSource.from_files(tmp_path, name="notes", strategy=writer.strategy())
    build(source, store=store, embedder="light")
    writer.failure = None
    build(source, store=store, embedder="light")
    assert synopses(store) == {"a.md": "writer/1: bees"}


def test_what_another_writer_wrote_stays_until_the_new_one_answers(store, writer):
    run(store, writer.strategy())
    other = Writer("writer/2")
    other.failure = ValueError("refused")
    run(store, other.strategy())
    assert synopses(store) == {"a": "writer/1: bees", "b": "writer/1: wasps"}
    other.failure = None
    run(store, other.strategy())
    assert synopses(store) == {"a": "writer/2: bees", "b": "writer/2: wasps"}


def test_a_model_that_is_not_there_is_not_asked_about_every_artifact(store, writer):
    items = {f"i{n:02}": f"text {n}" for n in range(20)}
    writer.failure = ConnectionError("no route")
    report = run(store, writer.strategy(), items)
    assert len(writer.asked) == 3
    assert "20 artifacts wait for a synopsis: ConnectionError: no route" in report.notes[0].detail
    writer.failure = None
    assert run(store, writer.strategy(), items).changed == 20


def test_one_text_a_model_refuses_does_not_stop_the_others(store, writer):
    def picky(text):
        if text.startswith("bees"):
            raise TimeoutError
        return "fine"

    made = make_llm_synthesizer(summarize=picky, synthesizer_id="picky")
    items = {f"i{n:02}": "bees" if n % 2 else f"wasps {n}" for n in range(12)}
    run(store, with_synopsis(WholeText(), synthesize=made), items)
    assert len(synopses(store)) == 6


def test_a_gate_that_closes_removes_the_synopsis_of_what_changed(store, writer):
    strategy = writer.strategy(Package(), when=thin_description_predicate)
    thin, rich = {"name": "bees", "description": "hm"}, {"name": "bees", "description": "x" * 50}
    run(store, strategy, {"p": thin})
    assert sorted(synopses(store)) == ["p"]
    run(store, strategy, {"p": rich})
    assert synopses(store) == {}


def test_the_window_of_a_policy_moves_on_without_touching_what_is_written(store, writer):
    def strategy(scope, now):
        made = make_llm_synthesizer(summarize=writer.summarize, synthesizer_id=writer.name)
        policy = SynopsisPolicy(enabled=True, scope=scope, window_days=7)
        return with_synopsis_policy(WholeText(), policy, now=now, synthesize=made)

    def items(**days):
        return {name: {"text": name, "date": f"2026-03-{day:02}"} for name, day in days.items()}

    early, late = (datetime(2026, 3, day, 12, tzinfo=timezone.utc) for day in (8, 20))
    run(store, strategy("recent", early), items(bees=7, wasps=2))
    assert sorted(synopses(store)) == ["bees", "wasps"]
    run(store, strategy("recent", late), items(bees=7, wasps=2, moths=3, ants=19))
    assert sorted(synopses(store)) == ["ants", "bees", "wasps"]
    run(store, strategy("all", late), items(bees=7, wasps=2, moths=3, ants=19))
    assert sorted(synopses(store)) == ["ants", "bees", "moths", "wasps"]
    assert writer.asked == ["bees", "wasps", "ants", "moths"]


def test_a_build_with_links_asks_nobody_again(store, writer):
    run(store, writer.strategy())
    run(store, writer.strategy(), edge_extractor=lambda artifact, fields: {"SELF": [artifact]})
    assert len(writer.asked) == 2
    assert sorted(synopses(store)) == ["a", "b"]


def test_what_a_synthesizer_raises_fails_its_item_alone(store):
    def broken(artifact):
        if artifact.id == "a":
            raise RuntimeError("its own")
        return "s"

    report = run(store, with_synopsis(WholeText(), synthesize=broken, synthesizer_id="b"))
    assert [error.id for error in report.errors] == ["a"]
    assert synopses(store) == {"b": "s"}
