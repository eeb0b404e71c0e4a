"""Cases: questions with the artifacts that answer them, and the files they are kept in."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from irengine.checks import finite, location, mapping, members, real_number
from irengine.errors import CaseError, ParameterError, SourceMissing
from irengine.retrieve.handles import as_store
from irengine.store.files import dump_json, storage_errors, write_atomic

if TYPE_CHECKING:
    import os

    from irengine.index import Corpus
    from irengine.store import CorpusStore

__all__ = [
    "META_KEY",
    "DiscoveryCase",
    "cases_from_qrels",
    "check_cases",
    "corpus_artifact_ids",
    "grades_of",
    "load_cases",
    "made_of_lines",
    "query_id",
    "read_json_lines",
    "read_qrels",
    "read_queries",
    "save_cases",
    "to_qrels",
    "validate_cases",
    "write_json_lines",
]

_T = TypeVar("_T")

META_KEY = "__meta__"
"""The only key of a line that says something about the file."""

_BLANK = " \t\r"
_BLANKS = re.compile(f"[{_BLANK}]+")
"""What is between the columns of judgements; other white space may be part of an id."""


@dataclass(frozen=True, slots=True)
class DiscoveryCase:
    """A question and what answers it.

    Attributes:
        query: the text that is searched for.
        gold: ids of the artifacts that answer it; empty when nothing in the corpus does.
        corpus: the name of the corpus it is meant for.
        source_id: the artifact it was made from.
        metadata: whatever else is known of it.
    """

    query: str
    gold: tuple[str, ...] = ()
    corpus: str | None = None
    source_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        gold: Any = self.gold
        several = [gold] if isinstance(gold, str) else gold or ()
        object.__setattr__(self, "gold", tuple(members("gold", several, str, "artifact ids")))

    @property
    def gold_is_none(self) -> bool:
        """Whether nothing in the corpus answers it: to abstain is right."""
        return not self.gold

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: ``query`` and ``gold``, and of the others those that are set."""
        told: dict[str, Any] = {"query": self.query, "gold": list(self.gold)}
        for name in ("corpus", "source_id"):
            if getattr(self, name):
                told[name] = getattr(self, name)
        return {**told, "metadata": dict(self.metadata)} if self.metadata else told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> DiscoveryCase:
        """Return the case of a JSON form; ``gold`` may be one id, a list of ids or null.

        Raises:
            CaseError: (also a ``KeyError``) without a query, or for a value of a wrong type.
        """
        if not isinstance(told, Mapping):
            raise CaseError(f"a case must be an object with a query, not {told!r:.80}")
        if "query" not in told:
            raise CaseError(f"the case {dict(told)!r:.80} has no query")
        query, gold = told["query"], told.get("gold")
        ids = [gold] if isinstance(gold, str) else [] if gold is None else gold
        if not isinstance(query, str):
            raise CaseError(f"the query of a case must be text, not {query!r:.80}")
        if not isinstance(ids, (list, tuple)) or not all(isinstance(i, str) for i in ids):
            raise CaseError(f"gold must be an id, a list of ids or null, not {gold!r:.80}")
        metadata = told.get("metadata") or {}
        if not isinstance(metadata, Mapping):
            raise CaseError(f"the metadata of a case must be an object, not {metadata!r:.80}")
        case = cls(query, tuple(ids), told.get("corpus"), told.get("source_id"), dict(metadata))
        grades_of(case)
        return case


def save_cases(
    cases: Iterable[DiscoveryCase],
    path: str | os.PathLike[str],
    *,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write cases as JSON lines, after a first line ``{"__meta__": meta}`` when there is any.

    Folders are made as needed; the file appears whole or not at all.
    """
    listed = members("cases", cases, DiscoveryCase, "cases")
    write_json_lines((case.to_dict() for case in listed), path, meta)


def load_cases(path: str | os.PathLike[str]) -> list[DiscoveryCase]:
    """Read cases from JSON lines; blank lines and those with ``__meta__`` are passed over.

    Raises:
        CaseError: for a line that is no case; the message has the file and the line number.
        FileNotFoundError: there is no such file.
    """
    return made_of_lines(path, DiscoveryCase.from_dict)


def query_id(position: int) -> str:
    """Return the id of the query of the case at ``position``.

    >>> query_id(3)
    'q00003'
    """
    return f"q{position:05d}"


def to_qrels(
    cases: Iterable[DiscoveryCase], *, grade: float = 1.0
) -> tuple[dict[str, str], dict[str, dict[str, float]]]:
    """Return ``(queries, qrels)`` of the cases that have gold.

    Ids tell the position among *all* cases, so they leave gaps where nothing is gold. A gold id
    has the grade its case gives it (see :func:`grades_of`), else ``grade``.
    """
    grade = real_number("grade", grade, above=0.0)
    listed = members("cases", cases, DiscoveryCase, "cases")
    numbered = [(query_id(i), case) for i, case in enumerate(listed) if case.gold]
    queries = {name: case.query for name, case in numbered}
    return queries, {name: grades_of(case, grade=grade) for name, case in numbered}


def grades_of(case: DiscoveryCase, *, grade: float = 1.0) -> dict[str, float]:
    """Return ``{gold id: grade}``: as ``metadata["grades"]`` of the case has it, else ``grade``.

    Raises:
        CaseError: when the metadata hold no grades above 0 by id.
    """
    known = case.metadata.get("grades")
    known = {} if known is None else known
    if not isinstance(known, Mapping):
        raise CaseError(f"the grades of a case must be an object, not {known!r:.80}")
    grades = {artifact: finite(known.get(artifact, grade)) for artifact in case.gold}
    for artifact, value in grades.items():
        if value is None or value <= 0:
            raise CaseError(
                f"the grade of {artifact!r:.80} must be a number above 0, "
                f"not {known.get(artifact)!r:.80}",
                hint="what does not answer the query is no gold",
            )
    return {artifact: value for artifact, value in grades.items() if value is not None}


def read_queries(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read ``{query id: text}`` from JSON lines with ``_id`` and ``text`` (the BEIR layout).

    Raises:
        CaseError: for a line without them, or an id seen before, with its number.
    """
    queries: dict[str, str] = {}
    for number, told in _told(path):
        name, text = told.get("_id"), told.get("text")
        if type(name) not in (str, int) or not isinstance(text, str):
            raise CaseError(f"{path}, line {number}: a query needs _id and text")
        if str(name) in queries:
            raise CaseError(f"{path}, line {number}: the query {name!r} is there twice")
        queries[str(name)] = text
    return queries


def read_qrels(path: str | os.PathLike[str]) -> dict[str, dict[str, float]]:
    """Read judgements, ``{query id: {artifact id: grade}}``.

    Lines are ``query, artifact, grade`` with tabs between them, the first one may name the columns
    (the BEIR layout), or ``query 0 artifact grade`` with spaces (that of trec_eval).

    Raises:
        CaseError: for another line, with its number.
    """
    qrels: dict[str, dict[str, float]] = {}
    for number, line in _lines(path):
        parts = line.split("\t") if line.count("\t") == 2 else _BLANKS.split(line.strip(_BLANK))
        if len(parts) == 4:
            del parts[1]
        try:
            query, artifact, grade = parts
            value = float(grade)
            if not math.isfinite(value):
                raise ValueError
        except ValueError:
            if number == 1 and len(parts) == 3:
                continue  # the names of the columns
            raise CaseError(
                f"{path}, line {number}: {line!r:.80} is no judgement",
                hint="write query, artifact and grade with tabs between them",
            ) from None
        qrels.setdefault(query.strip(_BLANK), {})[artifact.strip(_BLANK)] = value
    return qrels


def cases_from_qrels(
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, float]],
    *,
    corpus: str | None = None,
) -> list[DiscoveryCase]:
    """Return a case for each judged query, in the order of ``queries``; gold is graded above 0.

    ``metadata`` keeps the ``query_id`` and, where they differ, the ``grades``.
    """
    mapping("qrels", qrels, "of query id to grades")
    cases = []
    for name, text in mapping("queries", queries, "of query id to text").items():
        if name in qrels:
            grades = {artifact: grade for artifact, grade in qrels[name].items() if grade > 0}
            metadata: dict[str, Any] = {"query_id": name}
            if len(set(grades.values())) > 1:
                metadata["grades"] = grades
            cases.append(DiscoveryCase(text, tuple(grades), corpus, metadata=metadata))
    return cases


def corpus_artifact_ids(corpus: Corpus | CorpusStore | str) -> set[str]:
    """Return the ids of the artifacts that have something indexed; no vectors are read."""
    return set(as_store(corpus).snapshot().artifact_ids())


def validate_cases(
    corpus: Corpus | CorpusStore | str, cases: Iterable[DiscoveryCase]
) -> dict[int, list[str]]:
    """Return ``{position of the case: [gold ids the corpus does not have]}``."""
    known = corpus_artifact_ids(corpus)
    listed = members("cases", cases, DiscoveryCase, "cases")
    missing = {i: [g for g in case.gold if g not in known] for i, case in enumerate(listed)}
    return {i: ids for i, ids in missing.items() if ids}


def check_cases(cases: Iterable[DiscoveryCase]) -> list[DiscoveryCase]:
    """Return the cases as a list.

    Raises:
        ParameterError: for something that is none.
        CaseError: for malformed grades, with the id of the case.
    """
    listed = members("cases", cases, DiscoveryCase, "cases")
    for position, case in enumerate(listed):
        try:
            grades_of(case)
        except CaseError as error:
            error.message = f"case {query_id(position)}: {error.message}"
            raise
    return listed


def read_json_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, Any]]:
    """Iterate ``(line number, value)`` of the lines that are not blank.

    Raises:
        CaseError: for a line that is not JSON, or a file that is not UTF-8.
    """
    for number, line in _lines(path):
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CaseError(f"{path}, line {number}: not JSON ({error})") from error


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Iterate ``(line number, text)`` of the lines that are not blank.

    Only line feeds end a line: ``splitlines()`` also cuts at characters (U+2028, form feeds) that
    stand inside texts and ids.

    Raises:
        CaseError: for a line that is not UTF-8, with its number.
    """
    try:
        data = Path(location("path", path)).read_bytes().removeprefix(codecs.BOM_UTF8)
    except FileNotFoundError as error:
        raise SourceMissing(f"there is no file {path}") from error
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CaseError(
                f"{path}, line {number}: not UTF-8 text ({error.reason} at byte {error.start})",
                hint="write the file anew as UTF-8",
            ) from error
        if line.strip():
            yield number, line


def write_json_lines(
    rows: Iterable[Mapping[str, Any]],
    path: str | os.PathLike[str],
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Replace ``path`` by one line a row, after one for ``meta`` when it is not ``None``."""
    first = [] if meta is None else [{META_KEY: dict(mapping("meta", meta, "of JSON values"))}]
    data = b"".join(dump_json(row) + b"\n" for row in (*first, *rows))
    target = Path(location("path", path))
    with storage_errors(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(target, data)


def made_of_lines(
    path: str | os.PathLike[str], make: Callable[[Mapping[str, Any]], _T]
) -> list[_T]:
    """Return what ``make`` makes of each line but those with ``__meta__``.

    Raises:
        CaseError: with file and line number, for what ``make`` refuses.
    """
    made = []
    for number, told in _told(path):
        try:
            made.append(make(told))
        except (CaseError, ParameterError) as error:
            raise CaseError(f"{path}, line {number}: {error.message}", hint=error.hint) from error
    return made


def _told(path: str | os.PathLike[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, told in read_json_lines(path):
        if not isinstance(told, Mapping):
            raise CaseError(f"{path}, line {number}: expected an object, not {told!r:.80}")
        if META_KEY not in told:
            yield number, told
