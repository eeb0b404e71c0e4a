"""Find damage, and mend it: the Chroma copy from the generation, or the other way round."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from irengine.errors import CorpusDamaged, IrError, StoreError
from irengine.store import chroma
from irengine.store.damage import beyond_repair
from irengine.store.files import remove_tree, storage_errors, write_atomic
from irengine.store.generation import Generation, open_generation
from irengine.store.integrity import content_problem
from irengine.store.layout import Layout, Published, SegmentRecord
from irengine.store.local import LocalStore
from irengine.store.lock import writer_lock
from irengine.store.publishing import publish, write_dead
from irengine.store.rows import analyzer_id
from irengine.store.segment_files import open_segment, segment_problems
from irengine.store.snapshot import content_id_of
from irengine.store.tables import Layer
from irengine.store.worker import borrowed

__all__ = ["Problem", "StoreReport", "repair", "verify"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it should be.

    ``where`` is ``"pointer"`` (CURRENT.json), ``"about"`` (corpus.json), ``"generation"`` (rows),
    ``"ledger"`` (the tables) or ``"chroma"`` (the copy).
    """

    where: str
    message: str


@dataclass(slots=True)
class StoreReport:
    """What :meth:`CorpusStore.verify` found, and what :meth:`CorpusStore.repair` did."""

    generation: int = 0
    count: int = 0
    chroma_checked: bool = False
    problems: list[Problem] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def concerns(self, where: str) -> bool:
        """Whether there is a problem of that kind."""
        return any(problem.where == where for problem in self.problems)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "ok": self.ok,
            "generation": self.generation,
            "count": self.count,
            "chroma_checked": self.chroma_checked,
            "problems": [{"where": p.where, "message": p.message} for p in self.problems],
            "repaired": list(self.repaired),
        }


def verify(store: LocalStore, *, timeout: float) -> StoreReport:
    """Check every file of the published generation, the ledger, and the Chroma copy.

    Raises:
        CorpusBusy: a writer is at work, and the copy cannot be looked at meanwhile.
    """
    if not store.layout.folder.is_dir():
        return StoreReport()
    try:
        with writer_lock(store.layout.lock, "verify", timeout=timeout):
            return _inspect(store, with_chroma=True)
    except StoreError as error:
        if error.code != "read-only":
            raise
        return _inspect(store, with_chroma=False)  # opening Chroma would write


def _inspect(store: LocalStore, *, with_chroma: bool) -> StoreReport:
    layout = store.layout
    report = StoreReport()
    try:
        published = Published.read(layout.current)
    except FileNotFoundError:
        if layout.intent.exists():
            report.problems.append(Problem("chroma", "the first build was interrupted"))
        if layout.numbered("gen"):
            report.problems.append(Problem("pointer", "CURRENT.json is missing"))
        return report
    except CorpusDamaged as error:
        report.problems.append(Problem("pointer", error.message))
        return report
    report.generation, report.count = published.generation, published.count
    if store.described() is None:
        report.problems.append(Problem("about", "corpus.json is missing or damaged"))
    rows, tables = _file_problems(layout, published)
    report.problems += [Problem("generation", text) for text in rows]
    report.problems += [Problem("ledger", text) for text in tables]
    generation = None
    if not rows:
        try:
            generation = open_generation(layout, published)
        except (OSError, CorpusDamaged) as error:
            report.problems.append(Problem("generation", str(error)))
    if generation is not None and not tables:
        report.problems += [Problem("ledger", text) for text in _ledger_problems(generation)]
    if layout.intent.exists():
        message = "a writer was interrupted; the next build makes the copy anew"
        report.problems.append(Problem("chroma", message))
    elif with_chroma and published.count:
        report.chroma_checked = True
        report.problems += [
            Problem("chroma", text) for text in _chroma_problems(store, published, generation)
        ]
    return report


def _file_problems(layout: Layout, published: Published) -> tuple[list[str], list[str]]:
    """Return the problems of the row files, and of the table files."""
    rows: list[str] = []
    tables: list[str] = []
    try:
        raw = json.loads(layout.manifest(published.generation).read_bytes())
        files = {name: dict(expected) for name, expected in raw["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return [f"the manifest of generation {published.generation}: {error}"], []
    for name, expected in files.items():
        kind = tables if name.startswith(f"{layout.tables.name}/") else rows
        if problem := content_problem(layout.folder / name, expected):
            kind.append(f"{name}: {problem}")
    for segment in published.segments:
        rows += segment_problems(layout.segment(segment.name))
    return rows, tables


def _ledger_problems(generation: Generation) -> Iterator[str]:
    stored = set(generation.snapshot.record_ids())
    for entry in generation.table("ledger").values():
        missing = [i for i in entry.get("record_ids") or () if i not in stored]
        if missing:
            yield f"{entry.get('artifact_id')!r} should have record {missing[0]}"


def _chroma_problems(
    store: LocalStore, published: Published, generation: Generation | None
) -> list[str]:
    if published.storage != chroma.storage_key_of(store.storage):
        return ["the storage was changed; the next build fills the new one"]
    try:
        chroma.refuse_older(published.chroma_version)
        folder = store.layout.folder
        if store.storage["backend"] == "local" and not (folder / published.chroma).is_dir():
            return [f"{published.chroma} is missing"]
        with borrowed(store.layout.folder) as worker:
            worker.call(
                "open", chroma.with_secrets(store.storage), str(folder), published.chroma, False
            )
            if generation is None:  # the rows are damaged: is this side whole at least?
                return list(worker.call("differences", published.count, {}))
            return list(worker.call("compare", str(folder)))
    except IrError as error:
        return [str(error)]


# -- mending ------------------------------------------------------------------------------------


def repair(store: LocalStore, *, timeout: float) -> StoreReport:
    """Mend what :func:`verify` finds and report what is left.

    A lost CURRENT.json is restored from the newest manifest, else from what the Chroma copy and
    corpus.json say; corpus.json is written anew from CURRENT.json; damaged rows come back from the
    Chroma copy, else from the previous generation; damaged tables are dropped (the next build
    writes them anew); a damaged copy is made anew from the rows.

    Raises:
        CorpusBusy: a writer is at work.
        CorpusDamaged: neither side is whole; the corpus has to be built anew from its source.
    """
    done: list[str] = []
    if not store.layout.folder.is_dir():
        return StoreReport()
    with writer_lock(store.layout.lock, "repair", timeout=timeout):
        report = _inspect(store, with_chroma=True)
        if report.concerns("pointer"):
            done.append(_restore_pointer(store))
            report = _inspect(store, with_chroma=True)
        if report.concerns("generation"):
            done.append(_restore_rows(store, chroma_good=not report.concerns("chroma")))
        elif report.concerns("ledger"):
            done.append(_drop_tables(store))
        store.reader.forget()
        rebuilt = bool(done)
    if report.concerns("about"):
        with store.writing("repair", timeout):
            done.append("wrote corpus.json anew")  # as every writer does
    if report.concerns("chroma") or rebuilt:
        with store.writing("repair", timeout) as writer:
            writer.mirror.distrust()
        done.append("made the Chroma copy anew from the published rows")
    report = verify(store, timeout=timeout)
    report.repaired = done
    return report


def _restore_pointer(store: LocalStore) -> str:
    layout = store.layout
    readable = []
    for number in sorted(layout.numbered("gen"), reverse=True):
        with contextlib.suppress(OSError, StoreError):
            readable.append(Published.read(layout.manifest(number)))
    whole = [p for p in readable if not any(_file_problems(layout, p))]
    # With damaged rows the newest will do: they are mended next.
    for published in (whole or readable)[:1]:
        with storage_errors(layout.folder):
            write_atomic(layout.current, published.to_bytes())
        return "restored CURRENT.json from the newest generation"
    return _restore_from_copy(store)


def _restore_from_copy(store: LocalStore) -> str:
    """Publish what the newest local Chroma copy holds, with the settings of corpus.json."""
    layout, about = store.layout, store.described()
    copies = layout.numbered("chroma")
    numbers = [0, *copies, *layout.numbered("gen")]
    if about is not None and copies and not layout.intent.exists():
        settings = about["config"]
        found = Published(
            max(numbers),
            config=settings,
            embedder_id=str(settings.get("embedder_id", "")),
            analyzer_id=analyzer_id(),
            chroma=copies[max(copies)][0].name,
        )
        folder = layout.new_segment(found.generation + 1)
        try:
            count = _export(store, found, folder)
        except IrError as error:
            _log.warning("reading the Chroma copy: %s", error)
            count = 0
        if count:
            segments = (SegmentRecord(folder.name, count),)
            dim = open_segment(folder).dim
            new = replace(found, segments=segments, count=count, dim=dim)
            _republish(layout, new, found)
            return f"rebuilt CURRENT.json and {count} rows from the Chroma copy"
        remove_tree(folder)
    raise beyond_repair(layout.folder, f"{layout.folder} has no complete generation left")


def _restore_rows(store: LocalStore, *, chroma_good: bool) -> str:
    layout = store.layout
    published = Published.read(layout.current)
    if _rows_are_whole(layout, published):
        _republish(layout, published, published)
        return "wrote the manifest anew"
    if chroma_good and published.chroma:
        folder = layout.new_segment(published.generation + 1)
        count = _export(store, published, folder)
        if count == published.count:
            segments = (SegmentRecord(folder.name, count),) if count else ()
            new = replace(published, segments=segments, analyzer_id=analyzer_id())
            _republish(layout, new, published)
            return f"rebuilt {count} rows from the Chroma copy"
        remove_tree(folder)
    try:
        before = Published.read(layout.manifest(published.generation - 1))
    except (OSError, StoreError):
        before = None
    if before is None or not _rows_are_whole(layout, before):
        raise beyond_repair(
            layout.folder, f"neither the rows nor the Chroma copy of {layout.folder} are whole"
        )
    _republish(layout, before, published)
    return f"went back to generation {before.generation}"


def _rows_are_whole(layout: Layout, published: Published) -> bool:
    if any(segment_problems(layout.segment(segment.name)) for segment in published.segments):
        return False
    try:
        snapshot = open_generation(layout, published).snapshot
    except (OSError, CorpusDamaged):
        return False
    # The sum over the live rows tells as well whether the right ones are alive.
    return content_id_of(snapshot) == published.content_id


def _export(store: LocalStore, published: Published, folder: Path) -> int:
    with borrowed(store.layout.folder) as worker:
        worker.call(
            "open",
            chroma.with_secrets(store.storage),
            str(store.layout.folder),
            published.chroma,
            False,
        )
        return int(worker.call("export", str(folder)))


def _drop_tables(store: LocalStore) -> str:
    published = Published.read(store.layout.current)
    _republish(store.layout, published, published)
    return "dropped damaged tables; the next build writes them anew"


def _republish(layout: Layout, new: Published, broken: Published) -> None:
    """Publish ``new`` with the table layers that can still be read, under a new number."""
    whole = {
        kind: tuple(getattr(new, kind)) if _readable(layout, getattr(new, kind)) else ()
        for kind in ("ledger", "links")
    }
    number = broken.generation + 1
    folder = layout.generation(number)
    new = replace(new, content_id="")  # of rows that may be gone; it is summed up anew below
    with storage_errors(layout.folder):
        masks = open_generation(layout, new).snapshot.alive_in
        remove_tree(folder)
        folder.mkdir()
        write_dead(folder, masks)
        new = replace(new, generation=number, ledger=whole["ledger"], links=whole["links"])
        snapshot = open_generation(layout, new).snapshot
        counted = len(snapshot.artifact_ids())
        publish(layout, replace(new, n_artifacts=counted, content_id=content_id_of(snapshot)))


def _readable(layout: Layout, names: Iterable[str]) -> bool:
    try:
        for name in names:
            Layer(layout.tables / name).parsed()
    except (OSError, CorpusDamaged):
        return False
    return True
