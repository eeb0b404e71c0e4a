"""A build does what changed, keeps what did not, and says what it did."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from irengine import (
    BuildCancelled,
    CancelToken,
    Chunked,
    CorpusSource,
    CorpusStore,
    EmbedderMismatch,
    ItemError,
    ParameterError,
    ShrinkRefused,
    SourceError,
    build,
    ledger_key,
    open_corpus,
    search,
)

DOCS = {"a": "alpha apple avocado", "b": "beta banana blueberry", "c": "gamma grape guava"}


def mapping(docs, name="notes", **options):
    return CorpusSource.from_mapping(docs, name=name, **options)


def light(source, store, **options):
    return build(source, store=store, embedder="light", **options)


class CountingEmbedder:
    """A tiny embedder that remembers the texts it was asked for."""

    _ir_id = "counting"

    def __init__(self):
        self.texts = []

    def __call__(self, texts, *, input_type="document"):
        if input_type == "document":
            self.texts += texts
        rows = np.zeros((len(texts), 8), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[sum(map(ord, word)) % 8] += 1
        return rows


def test_a_first_build_indexes_every_artifact(store):
    corpus = light(mapping(DOCS), store)
    assert len(corpus) == 3
    assert corpus.embedder_id == "hashing__dim512"
    report = corpus.report
    assert (report.added, report.changed, report.removed, report.unchanged) == (3, 0, 0, 0)
    assert search(corpus, "banana")[0].artifact_id == "b"


def test_a_second_build_of_the_same_content_changes_nothing(store):
    light(mapping(DOCS), store)
    before = store.snapshot().generation
    corpus = light(mapping(DOCS), store)
    assert corpus.report.unchanged == 3
    assert corpus.report.nothing_changed
    assert store.snapshot().generation == before


def test_only_what_changed_is_embedded(store):
    embedder = CountingEmbedder()
    build(mapping(DOCS), store=store, embedder=embedder)
    embedder.texts.clear()
    docs = {**DOCS, "b": "beta bread"}
    report = build(mapping(docs), store=store, embedder=embedder).report
    assert embedder.texts == ["beta bread"]
    assert (report.added, report.changed, report.unchanged) == (0, 1, 2)


def test_unchanged_chunks_of_a_changed_document_keep_their_vectors(store):
    embedder = CountingEmbedder()
    strategy = Chunked(chunk_size=20, overlap=0)
    text = "one one one one\n\ntwo two two two\n\nsix six six six"
    build(mapping({"d": text}, strategy=strategy), store=store, embedder=embedder)
    embedder.texts.clear()
    build(
        mapping({"d": text.replace("two", "ten")}, strategy=strategy),
        store=store,
        embedder=embedder,
    )
    assert embedder.texts == ["ten ten ten ten"]


def test_moved_content_takes_its_vectors_along(store):
    embedder = CountingEmbedder()
    build(mapping(DOCS), store=store, embedder=embedder)
    embedder.texts.clear()
    docs = {"a": DOCS["a"], "b": DOCS["b"], "moved/c": DOCS["c"]}
    report = build(mapping(docs), store=store, embedder=embedder).report
    assert embedder.texts == []
    assert (report.added, report.removed) == (1, 1)


def test_metadata_changes_are_noticed_without_embedding(store):
    embedder = CountingEmbedder()

    def source(year):
        return mapping(DOCS, metadata_of=lambda artifact_id, raw: {"year": year})

    build(source(2025), store=store, embedder=embedder)
    embedder.texts.clear()
    corpus = build(source(2026), store=store, embedder=embedder)
    assert corpus.report.changed == 3
    assert embedder.texts == []
    assert {hit.metadata["year"] for hit in search(corpus, "alpha", k=3)} == {2026}


def test_a_field_beside_the_text_is_part_of_the_content(store):
    strategy = Chunked(text_key="body")
    raw = {"text": "label", "body": "old words"}
    light(mapping({"d": raw}, strategy=strategy), store)
    corpus = light(mapping({"d": {**raw, "body": "new words"}}, strategy=strategy), store)
    assert corpus.report.changed == 1
    assert search(corpus, "new", mode="lexical")


def test_another_strategy_decomposes_anew(store):
    light(mapping(DOCS), store)
    corpus = light(mapping(DOCS, strategy=Chunked()), store)
    assert corpus.report.changed == 3
    assert "Chunked" in store.get_ledger_entry(ledger_key("a"))["strategy_id"]


def test_artifacts_that_left_the_source_are_pruned(store):
    light(mapping(DOCS), store)
    corpus = light(mapping({"a": DOCS["a"]}), store)
    assert corpus.report.removed == 2
    assert store.get_ledger_entry(ledger_key("b")) is None
    assert [hit.artifact_id for hit in search(corpus, "banana", mode="lexical")] == []


def test_without_full_they_stay(store):
    light(mapping(DOCS), store)
    assert len(light(mapping({"a": DOCS["a"]}), store, full=False)) == 3


class Broken(dict):
    """A scope in which one item cannot be read."""

    def __getitem__(self, key):
        if key == "b":
            raise ItemError(f"{key!r} is not readable")
        return super().__getitem__(key)


def test_a_bad_item_stops_nothing_and_is_reported(store):
    corpus = light(mapping(Broken(DOCS)), store)
    assert len(corpus) == 2
    (error,) = corpus.report.errors
    assert error.id == "b"
    assert "not readable" in error.detail


def test_an_item_that_cannot_be_read_any_more_stays_indexed(store):
    light(mapping(DOCS), store)
    assert len(light(mapping(Broken(DOCS)), store)) == 3


@pytest.mark.parametrize(
    "value", [Path("x"), float("nan"), {1, 2}, object()], ids=["path", "nan", "set", "object"]
)
def test_metadata_that_json_cannot_hold_is_an_item_error(store, value):
    def metadata_of(artifact_id, raw):
        return {"odd": value} if artifact_id == "b" else {}

    report = light(mapping(DOCS, metadata_of=metadata_of), store).report
    assert [error.id for error in report.errors] == ["b"]
    assert "'odd'" in report.errors[0].detail
    assert report.records == 2


@pytest.mark.parametrize("raw", [{"text": None}, b"bytes", ["a", "list"], "lone \ud800 surrogate"])
def test_odd_payloads_do_not_stop_the_build(store, raw):
    corpus = light(mapping({**DOCS, "odd": raw}), store)
    assert len(corpus) >= 3
    assert not corpus.report.errors


def test_an_id_that_is_not_text_is_an_item_error(store):
    report = light(mapping({**DOCS, 7: "seven"}), store).report
    assert report.records == 3
    assert "int" in report.errors[0].detail


def test_another_embedder_needs_an_explicit_switch(store):
    light(mapping(DOCS), store)
    embedder = CountingEmbedder()
    with pytest.raises(EmbedderMismatch, match="different embedder") as mismatch:
        build(mapping(DOCS), store=store, embedder=embedder)
    assert "--switch-embedder" in mismatch.value.hint
    assert store.get_config()["embedder_id"] == "hashing__dim512"
    corpus = build(mapping(DOCS), store=store, embedder=embedder, switch_embedder=True)
    assert corpus.embedder_id == "counting"
    assert store.snapshot().dim == 8
    assert search(corpus, "banana", mode="lexical")[0].artifact_id == "b"


def test_a_switch_keeps_nothing_of_the_old_embedder(store):
    light(mapping(DOCS), store)
    build(
        mapping(Broken(DOCS)),
        store=store,
        embedder=CountingEmbedder(),
        switch_embedder=True,
        full=False,
    )
    assert store.snapshot().count == 2


def test_a_corpus_that_was_open_during_a_switch_must_be_opened_again(store):
    """Vectors of the same width would be compared and mean nothing."""
    before = build(mapping(DOCS), store=store, embedder=CountingEmbedder())
    other = CountingEmbedder()
    other._ir_id = "other"
    after = build(mapping(DOCS), store=store, embedder=other, switch_embedder=True)
    assert search(after, "apple")
    with pytest.raises(EmbedderMismatch, match="open it again"):
        search(before, "apple")
    assert search(before, "apple", mode="lexical")


def test_a_record_that_was_deleted_behind_the_ledger_does_not_stop_a_build(store):
    corpus = light(mapping(DOCS), store)
    (record_id,) = store.get_ledger_entry(ledger_key("a"))["record_ids"]
    store.delete_record(record_id)
    corpus = light(mapping({**DOCS, "a": "another text"}), store)
    assert (corpus.report.changed, len(corpus)) == (1, 3)


def test_leaving_the_embedder_out_keeps_the_present_one(store):
    light(mapping(DOCS), store)
    assert build(mapping(DOCS), store=store).embedder_id == "hashing__dim512"


def test_progress_says_how_many_items_were_read_before_they_are_embedded(store):
    told = []
    many = {f"d{i}": f"text number {i}" for i in range(30)}
    light(mapping(many), store, progress=told.append, batch_size=2)
    embedded = next(at for at, event in enumerate(told) if event.phase == "embed")
    assert (told[embedded - 1].phase, told[embedded - 1].done) == ("plan", 8)


def test_a_cancelled_build_keeps_what_it_committed(store):
    token = CancelToken()

    def cancel_later(event):
        if event.phase == "commit":
            token.cancel()

    many = {f"d{i}": f"text number {i}" for i in range(300)}
    with pytest.raises(BuildCancelled):
        light(
            mapping(many),
            store,
            progress=cancel_later,
            cancel=token,
            batch_size=10,
            step_records=40,
        )
    kept = store.snapshot().count
    assert 40 <= kept < 300
    assert light(mapping(many), store).report.added == 300 - kept


def test_a_custom_items_method_is_honoured_and_its_last_duplicate_wins(store):
    class Pairs(CorpusSource):
        def items(self):
            yield "a", "first words"
            yield "a", "second words"

    corpus = light(Pairs("pairs", {}), store)
    assert [hit.text for hit in search(corpus, "words", mode="lexical")] == ["second words"]


def test_links_are_written_for_unchanged_artifacts_too(store):
    def edges(artifact_id, fields):
        return {"REF": [{"a": "b", "b": "c"}[artifact_id]]} if artifact_id != "c" else {}

    light(mapping(DOCS), store)
    light(mapping(DOCS), store, edge_extractor=edges)
    assert store.get_links("a") == {"REF": ["b"]}
    light(mapping(DOCS), store)
    assert store.get_links("a") == {"REF": ["b"]}
    light(mapping({"b": DOCS["b"]}), store, edge_extractor=edges)
    assert store.get_links("a") == {}


def test_an_empty_artifact_is_remembered_as_done(store):
    corpus = light(mapping({**DOCS, "blank": "   "}), store)
    assert store.get_ledger_entry(ledger_key("blank"))["record_ids"] == []
    assert light(mapping({**DOCS, "blank": "   "}), store).report.unchanged == 4
    assert len(corpus) == 3


def test_the_history_of_builds_is_kept():
    store = CorpusStore.local("notes")
    light(mapping(DOCS), store)
    light(mapping(DOCS), store)  # changes nothing, says nothing
    light(mapping({**DOCS, "d": "delta"}), store)
    assert [entry["added"] for entry in store.builds()] == [3, 1]
    json.dumps(store.builds())


def test_an_interrupted_build_is_not_recorded_as_done(store):
    def interrupted(texts):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(mapping(DOCS), store=store, embedder=interrupted)
    assert store.builds()[-1]["outcome"] == "failed: KeyboardInterrupt"


def test_bad_sizes_are_refused():
    with pytest.raises(ParameterError):
        build(mapping(DOCS), store=CorpusStore.memory(), batch_size=0)


class TestOpening:
    def test_an_unknown_name_is_an_error_and_leaves_no_trace(self, private_folders):
        light(mapping(DOCS), CorpusStore.local("notes"))
        with pytest.raises(KeyError) as unknown:
            open_corpus("note")
        assert "notes" in unknown.value.hint
        assert not (private_folders / "data" / "corpora" / "note").exists()

    def test_an_opened_corpus_is_pinned_to_its_embedder(self):
        light(mapping(DOCS), CorpusStore.local("notes"))
        corpus = open_corpus("notes")
        assert corpus.embedder_id == "hashing__dim512"
        assert search(corpus, "banana")[0].artifact_id == "b"
        with pytest.raises(EmbedderMismatch):
            open_corpus("notes", embedder="default")

    def test_a_custom_embedder_says_how_to_come_back(self):
        embedder = CountingEmbedder()
        build(mapping(DOCS), embedder=embedder)
        corpus = open_corpus("notes")
        assert search(corpus, "banana", mode="lexical")
        with pytest.raises(ValueError, match="counting") as unavailable:
            search(corpus, "banana")
        assert "register_embedder" in unavailable.value.hint
        assert search(open_corpus("notes", embedder=embedder), "banana beta")


class TestFolders:
    """Files are read when they changed, and only then."""

    @pytest.fixture
    def folder(self, tmp_path):
        for name in ("a", "b", "c"):
            (tmp_path / f"{name}.md").write_text(f"# {name}\n\nwords of {name}\n", "utf-8")
        old = 1_700_000_000
        for path in tmp_path.iterdir():
            os.utime(path, (old, old))
        time.sleep(0.05)  # files written a moment ago are read again, whatever their times say
        return tmp_path

    def build(self, folder, **options):
        source = CorpusSource.from_files(folder, name="notes")
        corpus = build(source, embedder="light", **options)
        return corpus, source

    def test_unchanged_files_are_not_read(self, folder, monkeypatch):
        self.build(folder)
        read = []
        scope = type(CorpusSource.from_files(folder).scope)
        original = scope.__getitem__
        monkeypatch.setattr(
            scope, "__getitem__", lambda self, key: read.append(key) or original(self, key)
        )
        assert self.build(folder)[0].report.unchanged == 3
        assert read == []
        (folder / "b.md").write_text("# b\n\nother words\n", "utf-8")
        assert self.build(folder)[0].report.changed == 1
        assert read == ["b.md"]
        read.clear()
        assert self.build(folder, rehash=True)[0].report.unchanged == 3
        assert read == ["a.md", "b.md", "c.md"]

    def test_a_touched_file_is_read_once_and_embedded_never(self, folder):
        self.build(folder)
        os.utime(folder / "a.md", (1_700_000_500, 1_700_000_500))
        time.sleep(0.05)
        report = self.build(folder)[0].report
        assert (report.unchanged, report.embedded) == (3, 0)
        assert self.build(folder)[0].report.generation == report.generation

    def test_edited_deleted_renamed_and_restored_files(self, folder):
        self.build(folder)
        text = (folder / "b.md").read_text("utf-8")
        (folder / "b.md").unlink()
        corpus, _ = self.build(folder)
        assert corpus.report.removed == 1
        assert "b.md" not in {hit.artifact_id for hit in search(corpus, "words", k=9)}
        (folder / "b.md").write_text(text, "utf-8")
        assert self.build(folder)[0].report.added == 1
        (folder / "c.md").rename(folder / "d.md")
        corpus, _ = self.build(folder)
        report = corpus.report
        assert (report.added, report.removed) == (1, 1)
        assert {hit.artifact_id for hit in search(corpus, "words", k=9)} == {
            "a.md",
            "b.md",
            "d.md",
        }

    def test_the_last_file_can_go(self, folder):
        self.build(folder)
        (folder / "a.md").unlink()
        (folder / "b.md").unlink()
        self.build(folder)
        (folder / "c.md").unlink()
        corpus, _ = self.build(folder)
        assert (corpus.report.removed, len(corpus)) == (1, 0)

    def test_an_emptied_folder_needs_consent_whatever_its_size(self, folder):
        self.build(folder)
        for path in folder.iterdir():
            path.unlink()
        with pytest.raises(ShrinkRefused):
            self.build(folder)
        assert len(open_corpus("notes")) == 3
        assert len(self.build(folder, allow_shrink=True)[0]) == 0

    def test_a_missing_root_changes_nothing(self, folder, tmp_path_factory):
        self.build(folder)
        moved = folder.rename(folder.with_name("elsewhere"))
        with pytest.raises(SourceError, match=folder.name):
            self.build(folder)
        assert len(open_corpus("notes")) == 3
        moved.rename(folder)

    def test_a_file_that_became_binary_leaves_the_index(self, folder):
        self.build(folder)
        (folder / "b.md").write_bytes(bytes(range(256)) * 8)
        corpus, _ = self.build(folder)
        assert "b.md" not in {hit.artifact_id for hit in search(corpus, "words", k=9)}
        skipped = corpus.report.skipped + corpus.report.errors
        assert [(item.id, item.reason) for item in skipped] == [("b.md", "binary")]

    def test_oddities_are_told(self, folder):
        (folder / "a.md").write_text("---\nx: 1\nx: 2\n---\nbody\n", "utf-8")
        report = self.build(folder)[0].report
        assert [note.id for note in report.notes] == ["a.md"]
