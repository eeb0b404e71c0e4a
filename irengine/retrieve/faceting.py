"""Facets: what the match set of a query holds, counted by artifact."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irengine.checks import members, whole_number
from irengine.errors import ParameterError, nearest
from irengine.retrieve.candidates import Candidates, candidates
from irengine.retrieve.channels import lexical_channel
from irengine.retrieve.columns import column
from irengine.retrieve.dates import parse_moment
from irengine.retrieve.filters import compile_filter
from irengine.retrieve.handles import as_corpus
from irengine.retrieve.params import check_query, check_surfaces
from irengine.retrieve.unknown import check_kinds, warn_of_unknown_fields
from irengine.retrieve.wording import Wording, check_wording
from irengine.text import query_terms

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import Snapshot

__all__ = ["FacetCount", "FacetRange", "facet_ranges", "facets"]

DFLT_FACET_LIMIT = 50
_TABLE_CELLS = 1 << 23


@dataclass(frozen=True, slots=True)
class FacetCount:
    """A value of a field and how many artifacts of the match set have it."""

    value: Any
    count: int


@dataclass(frozen=True, slots=True)
class FacetRange:
    """The least and the greatest value of a field of numbers or of ISO dates, and the artifacts."""

    minimum: Any
    maximum: Any
    count: int


def facets(
    corpus: Corpus | str,
    query: str,
    fields: Iterable[str],
    *,
    filter: Mapping[str, Any] | None = None,
    wording: Wording | None = None,
    surfaces: Iterable[str] | None = None,
    limit: int | None = DFLT_FACET_LIMIT,
) -> dict[str, list[FacetCount]]:
    """Count the values of ``fields`` over the whole match set of ``query``.

    The match set is every row (passing ``filter``, ``wording`` and ``surfaces``) that holds at
    least one term of the query; for a blank query, every row. It does not depend on ``k`` or on
    the mode: a dense ranking has no natural end. Counts are of distinct artifacts. Each element
    of a list counts once for its artifact, so counts may add up to more than the artifacts there
    are; artifacts without the field are not counted.

    Returns:
        For each field, counts in descending order, then by value (numbers, then text);
        at most ``limit`` of them (``None`` = all).

    Raises:
        ParameterError: for a field no record has, and ``surfaces`` of which there are none; the
            hint names the nearest.
        FilterError, CorpusNotFound: as ``search``.
    """
    if limit is not None:
        limit = whole_number("limit", limit, least=0)
    names = _field_names(fields)
    snapshot, rows = _match_set(corpus, query, filter, wording, surfaces)
    _check_fields(snapshot, names)
    return {name: _counts(_pairs(snapshot, rows, name), limit) for name in names}


def facet_ranges(
    corpus: Corpus | str,
    query: str,
    fields: Iterable[str],
    *,
    filter: Mapping[str, Any] | None = None,
    wording: Wording | None = None,
    surfaces: Iterable[str] | None = None,
) -> dict[str, FacetRange | None]:
    """Return the range of each field over the match set of ``query`` (see :func:`facets`).

    Numbers (not booleans) count when there are any, else ISO dates; ``None`` when the match set
    has neither.

    Raises:
        ParameterError, FilterError, CorpusNotFound: as :func:`facets`.
    """
    names = _field_names(fields)
    snapshot, rows = _match_set(corpus, query, filter, wording, surfaces)
    _check_fields(snapshot, names)
    return {name: _range(_pairs(snapshot, rows, name)) for name in names}


def _field_names(fields: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(members("fields", fields, str, "field names")))


def _match_set(
    corpus: Corpus | str,
    query: str,
    filter: Mapping[str, Any] | None,
    wording: Wording | None,
    surfaces: Iterable[str] | None,
) -> tuple[Snapshot, np.ndarray]:
    query = check_query(query)
    kinds = check_surfaces(surfaces)
    wording = check_wording(wording)
    compiled = None if filter is None else compile_filter(filter)
    snapshot = as_corpus(corpus).store.snapshot()
    check_kinds([snapshot], kinds)
    among: Candidates = candidates(snapshot, compiled, kinds, wording)
    if among.count == 0:
        warn_of_unknown_fields([snapshot], compiled)
    if not query.strip():
        return snapshot, among.rows
    terms = [*query_terms(query), *among.terms]
    return snapshot, lexical_channel(snapshot, terms, among, k1=1.5, b=0.75).rows


def _check_fields(snapshot: Snapshot, names: list[str]) -> None:
    for name in names:
        if any(column(segment.columns, name) is not None for segment in snapshot.segments):
            continue
        known = snapshot.fields()
        hint = nearest(name, known) or f"the fields are {', '.join(known) or 'none'}"
        raise ParameterError(f"no record has a field {name!r}", hint=hint)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """(value, artifact) pairs, possibly repeated: ``codes`` index ``values``."""

    values: list[Any]
    codes: np.ndarray
    artifacts: np.ndarray

    def counts(self) -> list[int]:
        """Return the number of distinct artifacts of each value."""
        if len(self.codes) == 0:
            return [0] * len(self.values)
        width = int(self.artifacts.max()) + 1
        if len(self.values) * width <= _TABLE_CELLS:
            # Marking a table is several times faster than sorting the pairs.
            table = np.zeros((len(self.values), width), dtype=bool)
            table[self.codes, self.artifacts] = True
            counted: list[int] = np.count_nonzero(table, axis=1).tolist()
            return counted
        pairs = np.unique(self.codes * width + self.artifacts)
        totals: list[int] = np.bincount(pairs // width, minlength=len(self.values)).tolist()
        return totals


def _pairs(snapshot: Snapshot, rows: np.ndarray, field: str) -> _Pairs:
    values: list[Any] = []
    ids: dict[str, int] = {}
    codes: list[np.ndarray] = [np.empty(0, np.int64)]
    artifacts: list[np.ndarray] = [np.empty(0, np.int64)]
    for segment, offset in zip(snapshot.segments, snapshot.offsets, strict=True):
        low, high = np.searchsorted(rows, (offset, offset + segment.n))
        found = column(segment.columns, field) if high > low else None
        if found is None:
            continue
        local = found[0][rows[low:high] - offset]
        present = local >= 0
        local, mine = local[present], snapshot.artifact_codes[rows[low:high]][present]
        # The elements of each stored value in use: a slice of ``flat`` from ``starts``.
        starts = np.zeros(len(found[1]), dtype=np.int64)
        sizes = np.zeros(len(found[1]), dtype=np.int64)
        flat: list[int] = []
        for code in np.flatnonzero(np.bincount(local, minlength=len(sizes))).tolist():
            elements = _elements(found[1][code])
            starts[code], sizes[code] = len(flat), len(elements)
            for key, value in elements.items():
                if key not in ids:
                    ids[key] = len(values)
                    values.append(value)
                flat.append(ids[key])
        repeats = sizes[local]
        within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        slots = np.repeat(starts[local], repeats) + within
        codes.append(np.array(flat, dtype=np.int64)[slots])
        artifacts.append(np.repeat(mine, repeats))
    return _Pairs(values, np.concatenate(codes), np.concatenate(artifacts))


def _elements(value: Any) -> dict[str, Any]:
    """Return the values to count for one stored value, by a key that tells True from 1."""
    members = value if isinstance(value, list) else [value]
    return {json.dumps(_number(item), sort_keys=True): item for item in members}


def _number(value: Any) -> Any:
    """Read 2024.0 as 2024: equal numbers are one value."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _counts(pairs: _Pairs, limit: int | None) -> list[FacetCount]:
    counted = [pair for pair in zip(pairs.values, pairs.counts(), strict=True) if pair[1]]
    counted.sort(key=lambda pair: (-pair[1], *_value_order(pair[0])))
    # The columns are shared by all queries; a caller's value is its own.
    return [FacetCount(copy.deepcopy(value), count) for value, count in counted[:limit]]


def _value_order(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return 0, value
    if isinstance(value, (int, float)):
        return 1, value
    if isinstance(value, str):
        return 2, value
    return 3, json.dumps(value, sort_keys=True)


def _range(pairs: _Pairs) -> FacetRange | None:
    numeric = {
        code: value
        for code, value in enumerate(pairs.values)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    chosen: dict[int, Any] = numeric or {
        code: value
        for code, value in enumerate(pairs.values)
        if isinstance(value, str) and parse_moment(value) is not None
    }
    if not chosen:
        return None
    # ISO dates sort as text within one form, which is how a field is written in practice.
    count = len(np.unique(pairs.artifacts[np.isin(pairs.codes, list(chosen))]))
    return FacetRange(min(chosen.values()), max(chosen.values()), count)
