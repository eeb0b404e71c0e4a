"""Faults people met in search tools, around the store: processes, interruption, size, models.

Every test builds a real corpus on disk; several processes are real processes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import irengine as ir
from irtui.cli import main

LIGHT = ("--embedder", "light")


class Counting:
    """An embedder of a few dimensions that remembers what it was asked for."""

    _ir_id = "counting"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> np.ndarray:
        self.texts += texts
        seeds = [zlib.crc32(text.encode()) for text in texts]
        return np.array([np.random.default_rng(s).standard_normal(8) for s in seeds], np.float32)


def written(root: Path, files: dict[str, str]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


def source(root: Path, **options) -> ir.CorpusSource:
    return ir.CorpusSource.from_files(root, name="notes", **options)


def found(corpus: ir.Corpus | str, query: str, **options) -> list[str]:
    hits = ir.search(corpus, query, **{"mode": "lexical", "k": 100, **options})
    return sorted(hit.artifact_id for hit in hits)


def started(code: str, *words: str) -> subprocess.Popen[str]:
    """Start Python with the folders of this test."""
    return subprocess.Popen(
        [sys.executable, *(("-c", code) if code else ()), *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, error = process.communicate(timeout=60)
    return process.returncode, out, error


@pytest.fixture
def irtui(capsys: pytest.CaptureFixture[str]):
    """Return a function that runs a command: ``(status, stdout, stderr)``."""

    def run(*words: str) -> tuple[int, str, str]:
        status = main(words)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


# -- several processes ----------------------------------------------------------------------

BUILD = """
import sys
import irengine as ir
source = ir.CorpusSource.from_files(sys.argv[1], name="notes")
corpus = ir.build(source, embedder="light", lock_timeout=50)
print(*[hit.artifact_id for hit in ir.search(corpus, "otters", mode="lexical")])
"""


def test_processes_that_open_a_cold_index_at_once_all_succeed(tmp_path):
    root = written(tmp_path / "n", {"a.md": "otters"})
    processes = [started(BUILD, str(root)) for _ in range(3)]
    for status, out, error in map(ended, processes):
        assert (status, out) == (0, "a.md\n"), error
    assert found("notes", "otters") == ["a.md"]
    assert ir.CorpusStore.local("notes").verify().ok


def test_of_two_builds_at_once_the_second_waits_or_says_who_builds(tmp_path, irtui):
    root = written(tmp_path / "n", {f"{n}.md": f"otters number {n}" for n in range(40)})
    assert irtui("register", "notes", "files", "--root", str(root), *LIGHT)[0] == 0
    processes = [started("", "-m", "irtui", "build", "notes") for _ in range(2)]
    ends = [ended(process) for process in processes]
    assert 0 in [status for status, _, _ in ends]
    for status, _, error in ends:
        assert status in (0, 5), error
        assert "Traceback" not in error
        assert status == 0 or "notes" in error
    assert len(found("notes", "otters")) == 40
    assert ir.CorpusStore.local("notes").verify().ok


def test_a_handle_that_was_open_meanwhile_overwrites_nothing(tmp_path):
    root = written(tmp_path / "n", {"a.md": "otters"})
    corpus = ir.build(source(root), embedder="light")
    written(root, {"b.md": "otters"})
    status, out, error = ended(started(BUILD, str(root)))
    assert (status, out) == (0, "a.md b.md\n"), error
    assert found(corpus, "otters") == ["a.md", "b.md"]
    written(root, {"c.md": "otters"})
    again = ir.build(source(root), store=corpus.store, embedder="light")
    assert again.report.added == 1
    assert found(again, "otters") == ["a.md", "b.md", "c.md"]
    assert ir.CorpusStore.local("notes").verify().ok


# -- interruption ---------------------------------------------------------------------------

KILLED = """
import os, signal, sys, zlib
import numpy as np
import irengine as ir

class Fatal:
    _ir_id = "counting"
    left = 60
    def __call__(self, texts, *, input_type="document"):
        self.left -= len(texts)
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        seeds = [zlib.crc32(text.encode()) for text in texts]
        return np.array([np.random.default_rng(s).standard_normal(8) for s in seeds], np.float32)

cut = ir.Chunked(chunk_size=200, overlap=0)
source = ir.CorpusSource.from_files(sys.argv[1], name="notes", strategy=cut)
ir.build(source, embedder=Fatal(), batch_size=5, step_records=10)
"""


def test_a_killed_build_goes_on_where_it_was_and_no_document_counts_half(tmp_path):
    files = {f"{n:02}.md": f"otters number {n}" for n in range(40)}
    files["long.md"] = "\n\n".join(
        f"paragraph {n} of the long note. " + "x " * 60 for n in range(60)
    )
    files["z.md"] = "the last of the otters"
    root = written(tmp_path / "n", files)
    status, _, error = ended(started(KILLED, str(root)))
    assert status == -signal.SIGKILL, error
    store = ir.CorpusStore.local("notes")
    kept = set(store.snapshot().artifact_ids())
    assert len(kept) >= 20
    assert "long.md" not in kept
    assert store.get_ledger_entry(ir.ledger_key("long.md")) is None
    assert len(found("notes", "otters")) == len(kept)  # what is there is served meanwhile

    embedder = Counting()
    cut = ir.Chunked(chunk_size=200, overlap=0)
    corpus = ir.build(source(root, strategy=cut), embedder=embedder, lock_timeout=1)
    assert corpus.report.unchanged == len(kept)
    assert corpus.report.added == len(files) - len(kept)
    assert not [text for text in embedder.texts if text in {files[name] for name in kept}]
    for n in range(60):
        assert found(corpus, f"paragraph {n}", filter={"filename": "long.md"}) == ["long.md"]
    assert "x" in ir.records_for_artifact(corpus, "long.md")[-1].text
    assert store.verify().ok


# -- size -----------------------------------------------------------------------------------


def test_a_huge_file_is_named_and_stops_no_other(tmp_path, irtui):
    root = written(tmp_path / "n", {"a.md": "otters", "z.md": "otters"})
    with (root / "huge.md").open("w") as file:
        file.write("otters\n" * 3_000_000)
    assert irtui("register", "notes", "files", "--root", str(root), *LIGHT)[0] == 0
    status, out, _ = irtui("build", "notes", "--json")
    (report,) = json.loads(out)
    assert status == 0
    assert report["skipped"] == {"too-large": 1}
    assert report["skipped_items"][0]["id"] == "huge.md"
    assert "20.0 MB" in report["skipped_items"][0]["detail"]
    assert found("notes", "otters") == ["a.md", "z.md"]


def test_a_big_file_is_indexed_to_its_last_line(tmp_path):
    lines = [f"entry {n}: " + " ".join(f"word{n * 7 % 997}" for _ in range(8)) for n in range(4000)]
    text = "\n".join([*lines, "x" * 100_000, "the otters came last"])
    root = written(tmp_path / "n", {"big.md": text})
    corpus = ir.build(source(root), store=ir.CorpusStore.memory(), embedder="light")
    assert not corpus.report.errors
    (hit,) = ir.search(corpus, "otters", mode="lexical")
    assert hit.metadata["line_end"] == 4002
    assert max(len(record.text) for record in ir.records_for_artifact(corpus, "big.md")) < 5000


def test_thousands_of_ids_are_added_asked_for_and_removed_at_once():
    """Databases limit how many records and variables one statement may have."""
    docs = {f"d{n:04}": f"text number {n}" for n in range(6000)}

    def source_of(docs: dict[str, str]) -> ir.CorpusSource:
        return ir.CorpusSource.from_mapping(docs, name="many", metadata_of=lambda i, _: {"key": i})

    corpus = ir.build(source_of(docs), embedder=Counting())
    for mode in ("dense", "lexical", "hybrid"):
        assert len(ir.search(corpus, "text", mode=mode, k=250_000)) == 6000
    assert len(found(corpus, "text", k=250_000, filter={"key": {"$in": list(docs)}})) == 6000
    assert found(corpus, "text", filter={"key": {"$nin": list(docs)[1:]}}) == ["d0000"]
    few = {"d0007": docs["d0007"], "new": "text of today"}
    corpus = ir.build(source_of(few), embedder=Counting(), allow_shrink=True)
    assert found(corpus, "text") == ["d0007", "new"]
    assert corpus.store.verify().ok


def test_thousands_of_notes_with_the_same_text_are_a_corpus_like_any_other(tmp_path):
    files = {f"copy{n}.md": "All rights reserved." for n in range(2000)}
    files |= {f"note{n}.md": f"Otters, note number {n}." for n in range(50)}
    corpus = ir.build(source(written(tmp_path / "n", files)), embedder="light")
    assert corpus.report.added == 2050
    assert len(found(corpus, "otters")) == 50
    assert len(found(corpus, "rights", k=5000)) == 2000
    assert corpus.store.verify().ok


# -- models ---------------------------------------------------------------------------------


def test_another_model_is_refused_early_with_the_command_that_switches(tmp_path, irtui):
    root = written(tmp_path / "n", {"a.md": "otters"})
    register = ("register", "notes", "files", "--root", str(root))
    assert irtui(*register, *LIGHT)[0] == 0
    assert irtui("build", "notes")[0] == 0
    with pytest.raises(ir.EmbedderMismatch) as caught:
        ir.open_corpus("notes", embedder="hashing__dim256")
    assert "irtui build notes" in caught.value.hint
    wrong = ir.open_corpus("notes", embedder=Counting())
    with pytest.raises(ir.EmbedderMismatch, match="512 dimensions; this one gives 8") as caught:
        ir.search(wrong, "otters", mode="hybrid")
    assert "--switch-embedder" in caught.value.hint
    assert found(wrong, "otters") == ["a.md"]

    assert irtui(*register, "--embedder", "hashing__dim256", "--replace")[0] == 0
    status, _, error = irtui("build", "notes")
    assert status == 1
    assert "--switch-embedder" in error
    assert found("notes", "otters", mode="dense") == ["a.md"]  # the old index still serves
    assert irtui("verify", "notes")[0] == 0
    assert irtui("build", "notes", "--switch-embedder")[0] == 0
    assert ir.open_corpus("notes").embedder_id == "hashing__dim256"
    assert found("notes", "otters", mode="hybrid") == ["a.md"]


# -- what comes back ------------------------------------------------------------------------


def test_the_text_of_a_hit_is_the_text_stored_under_its_id(tmp_path):
    cut = ir.Chunked(chunk_size=60, overlap=10)
    files = {
        f"{n}.md": "\n\n".join(f"Part {p} of note {n}, on otters." for p in range(n + 1))
        for n in range(8)
    }
    root = written(tmp_path / "n", files)
    for edit in ({}, {"3.md": "Short now, on otters."}, {"0.md": "Otters. " * 40}):
        written(root, edit)
        corpus = ir.build(source(root, strategy=cut), embedder="light")
        for opened in (corpus, ir.open_corpus("notes")):
            for mode in ("dense", "lexical", "hybrid"):
                hits = ir.search(opened, "otters", mode=mode, k=500, per_artifact=False)
                assert len(hits) == len(opened)
                for hit in hits:
                    records = ir.records_for_artifact(opened, hit.artifact_id)
                    stored = {record.surface_index: record.text for record in records}
                    assert hit.text == stored[hit.surface_index]
                    assert hit.text in (root / hit.artifact_id).read_text()
    (root / "5.md").unlink()
    corpus = ir.build(source(root, strategy=cut), embedder="light")
    with pytest.raises(ir.NoLedgerEntry):
        ir.records_for_artifact(corpus, "5.md")


def test_an_empty_corpus_beside_another_takes_no_hits_away(tmp_path, irtui):
    folders = {"full": {"a.md": "otters"}, "empty": {}}
    for name, files in folders.items():
        root = written(tmp_path / name, files)
        assert irtui("register", name, "files", "--root", str(root), *LIGHT)[0] == 0
    assert irtui("build")[0] == 0
    for names in (("full", "empty"), ("empty", "full"), ()):
        for mode in ("hybrid", "dense", "lexical"):
            options = [word for name in names for word in ("-c", name)]
            status, out, _ = irtui("search", "otters", *options, "--mode", mode, "--json")
            assert status == 0
            assert [hit["artifact_id"] for hit in json.loads(out)] == ["a.md"]


@pytest.mark.parametrize("query", ["qqqq", "   ", "..."])
def test_no_hits_are_an_empty_json_list_and_nothing_else(tmp_path, irtui, query):
    root = written(tmp_path / "n", {"a.md": "otters"})
    assert irtui("register", "notes", "files", "--root", str(root), *LIGHT)[0] == 0
    assert irtui("build", "notes")[0] == 0
    status, out, _ = irtui("search", query, "-c", "notes", "--mode", "lexical", "--json")
    assert (status, out.strip()) == (0, "[]")
