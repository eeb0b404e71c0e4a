"""Comparing a source with the index that was made of it, item by item."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.checks import having, mapping, text
from irengine.coverage.report import CoverageReport, counted
from irengine.coverage.rules import RulesOf
from irengine.errors import ItemError, ParameterError, SourceError
from irengine.index.planning import input_hash, metadata_for
from irengine.registry import PRESETS, get, registered, source_from_entry
from irengine.sources import DFLT_EXCLUDE_DIRS, CorpusSource, FileScope, iter_report_doc_folders
from irengine.sources.reports import ReportScope, report_exclude_reason
from irengine.sources.scope import ListedScope
from irengine.sources.walk import WalkRules, walk
from irengine.store import CorpusStore

if TYPE_CHECKING:
    import os

__all__ = ["corpus_coverage", "covers_files", "reports_coverage", "source_coverage"]

_Entries = Mapping[str, Mapping[str, Any] | None]


def reports_coverage(
    name: str = "reports",
    *,
    projects_root: str | os.PathLike[str] | None = None,
    indexed_ids: Iterable[str] | None = None,
    exclude_dirs: Collection[str] = DFLT_EXCLUDE_DIRS,
) -> CoverageReport:
    """Compare the Markdown files in the report folders of projects with a corpus of reports.

    Every ``*.md`` in them is counted once and judged by the rule that the source itself goes by.
    Ids are relative to the projects root.

    Args:
        name: the corpus; its registered folders and rules hold where no others are given.
        projects_root: default as for :meth:`~irengine.sources.CorpusSource.from_md_reports`.
        indexed_ids: what is indexed; by default what ``name`` holds (nothing when it is not
            built). Given ids tell nothing of content, so none is stale then.
        exclude_dirs: folder names that are left out.

    Raises:
        SourceError: when the projects root is unknown, missing or no folder.
    """
    source = None
    entry = registered().get(text("name", name))
    if projects_root is None and entry is not None and entry.get("kind") == "reports":
        source = source_from_entry(name, entry)
    if source is None or exclude_dirs is not DFLT_EXCLUDE_DIRS:
        source = CorpusSource.from_md_reports(
            name=name, projects_root=projects_root, exclude_dirs=exclude_dirs
        )
    known: _Entries
    known = _entries(name) if indexed_ids is None else dict.fromkeys(map(str, indexed_ids))
    return source_coverage(source, known)


def corpus_coverage(name: str) -> CoverageReport:
    """Compare the source of a registered corpus of files with its index; nothing is changed.

    Raises:
        CorpusNotFound: when ``name`` is neither registered nor a preset.
        ParameterError: when its source is no files: records, tools, a fetcher.
        SourceError: when the source cannot be opened or listed.
    """
    entry = registered().get(text("name", name))
    if entry is None and name in PRESETS:
        entry = {"kind": name, "params": {}}
    source = source_from_entry(name, entry if entry is not None else get(name))
    if not covers_files(source):
        raise ParameterError(
            f"the source of {name!r} is no files, so there is no disk to compare it with",
            hint=f"irtui build {name} says what changed",
        )
    return source_coverage(source, _entries(name))


def covers_files(source: CorpusSource) -> bool:
    """Return whether a source reads files or folders that it lists itself."""
    return isinstance(source.scope, ListedScope) and bool(source.scope.roots)


def source_coverage(source: CorpusSource, known: _Entries) -> CoverageReport:
    """Compare a source with ``known``, the indexed ids and their ledger entries.

    A file is listed anew and judged by size and times; it is read only where these differ, or to
    learn why it is not indexed. An entry of ``None`` says nothing about content.

    Raises:
        SourceError: when the source cannot be listed.
    """
    scope: Any = having("source", source, "scope", "a corpus source").scope
    mapping("known", known, "of id to entry")
    listed = list(scope)
    present = set(listed)
    on_disk = present | _on_disk(scope)
    skipped = {item.id.rstrip("/"): item.reason for item in scope.skipped}
    why = _rules(scope)
    excluded = {item: skipped.get(item) or why(item) for item in on_disk - present}
    missing: list[str] = []
    stale: list[str] = []
    for item in listed:
        if item in known:
            if _is_stale(source, item, known[item]):
                stale.append(item)
        elif reason := _unreadable(scope, item):
            excluded[item] = reason
        else:
            missing.append(item)
    unlisted = sorted(set(known) - present)
    kept = [item for item in unlisted if scope.keeps(item)]
    return CoverageReport(
        source.name,
        len(on_disk),
        len(present & set(known)),
        counted(excluded),
        sorted(missing),
        sorted(stale),
        [item for item in unlisted if item not in set(kept)],
        kept,
        dict(sorted(excluded.items())),
        next((note.detail for note in scope.notes if note.reason == "no-files"), ""),
        sum(_is_blank(known[item]) for item in present & set(known)),
    )


def _is_blank(entry: Mapping[str, Any] | None) -> bool:
    return entry is not None and entry.get("record_ids") == []


def _entries(name: str) -> _Entries:
    store = CorpusStore.local(name)
    if not store.exists:
        return {}
    return {str(entry["artifact_id"]): entry for _, entry in store.ledger_items()}


def _on_disk(scope: Any) -> set[str]:
    """Return the ids of everything of the right kind below the roots, rules or not."""
    if isinstance(scope, ReportScope):
        rules = WalkRules(lambda item: item.endswith(".md"), hidden=True)
        return {prefix + item for prefix, folder in _folders(scope) for item in _raw(folder, rules)}
    if isinstance(scope, FileScope):
        rules = WalkRules(scope.rules.wanted, hidden=True, follow_links=scope.rules.follow_links)
        return _raw(scope.roots[0], rules)
    return {item.id for item in scope.skipped}


def _raw(folder: Path, rules: WalkRules) -> set[str]:
    try:
        return set(walk(folder, rules).files)
    except SourceError:
        return set()  # closed to us: the scope has said so


def _folders(scope: ReportScope) -> list[tuple[str, Path]]:
    """Return the report folders, each with what the ids of its files start with."""
    root = scope.roots[0]
    found = iter_report_doc_folders(root, exclude_dirs=scope.rules.exclude_dirs)
    return [(folder.relative_to(root).as_posix() + "/", folder) for folder in found]


def _rules(scope: Any) -> Callable[[str], str]:
    """Return what names the rule by which an item is left out that the scope did not mention."""
    if isinstance(scope, ReportScope):
        folders = _folders(scope)
        return lambda item: _report_rule(scope, folders, item)
    if isinstance(scope, FileScope):
        return RulesOf(scope).why
    return lambda item: "not-listed"


def _report_rule(scope: ReportScope, folders: list[tuple[str, Path]], item: str) -> str:
    path = scope.roots[0] / item
    for prefix, folder in folders:
        if item.startswith(prefix):
            reason = report_exclude_reason(path, folder, exclude_dirs=scope.rules.exclude_dirs)
            if reason is not None:
                return reason
            if not scope.recursive and path.parent != folder:
                return "not-recursive"
    return "not-listed"


def _is_stale(source: CorpusSource, item: str, entry: Mapping[str, Any] | None) -> bool:
    if entry is None:
        return False
    scope: Any = source.scope
    mark = scope.fingerprint(item)
    if mark is not None and mark == entry.get("fingerprint"):
        return False
    try:
        raw = scope[item]
        return input_hash(raw, metadata_for(source, item, raw)) != entry.get("input_hash")
    except ItemError:
        return True


def _unreadable(scope: Any, item: str) -> str:
    """Return why an item that is not indexed cannot be; ``""`` when nothing prevents it."""
    try:
        scope[item]
    except ItemError as error:
        return error.code
    return ""
