"""Graded relevance of packages to themes, and the packages that are easy to get wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irengine.checks import finite, having, mapping, members, real_number, text, whole_number
from irengine.errors import CaseError, ParameterError, nearest
from irengine.eval.cases import META_KEY, made_of_lines, read_json_lines, write_json_lines
from irengine.eval.running import DFLT_MODE, search_options
from irengine.retrieve import search
from irengine.retrieve.handles import as_corpus

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "LEVEL_GAINS",
    "RELEVANCE_LEVELS",
    "NamedSetReport",
    "NamedSets",
    "PackageRelevanceCase",
    "derive_named_sets",
    "evaluate_named_sets",
    "fp_rate_on_distractors",
    "level_histogram",
    "load_package_cases",
    "read_package_meta",
    "recall_on_hard_positives",
    "save_package_cases",
    "to_graded_qrels",
]

RELEVANCE_LEVELS = ("none", "tangential", "uses-tools", "strong", "core")
"""How much a package has to do with a theme, least first."""

LEVEL_GAINS: Mapping[str, float] = {
    "none": 0.0,
    "tangential": 0.0,
    "uses-tools": 1.0,
    "strong": 2.0,
    "core": 3.0,
}
"""What finding a package of a level is worth."""

_MAPPINGS = ("labels", "evidence", "observed", "is_distractor", "metadata")
_HARD_LEVELS = frozenset({"strong", "core"})


@dataclass(frozen=True, slots=True)
class PackageRelevanceCase:
    """How relevant one package is to some themes.

    Attributes:
        artifact_id: the package.
        labels: ``{theme: level}``, see :data:`RELEVANCE_LEVELS`.
        evidence: ``{theme: why}``.
        observed: ``{theme: score}`` a search gave it when the case was made.
        thin_description: whether its description says next to nothing.
        is_distractor: ``{theme: whether it looks relevant and is not}``, where that was decided.
        metadata: whatever else is known of it.
    """

    artifact_id: str
    labels: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    observed: Mapping[str, float] = field(default_factory=dict)
    thin_description: bool = False
    is_distractor: Mapping[str, bool] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        text("artifact_id", self.artifact_id)
        for name in _MAPPINGS:
            mapping(name, getattr(self, name), "of theme to value")

    def level(self, theme: str) -> str:
        """Return the level for a theme, ``"none"`` where there is no label."""
        return self.labels.get(theme, "none")

    def gain(self, theme: str, *, gains: Mapping[str, float] = LEVEL_GAINS) -> float:
        """Return what finding it for a theme is worth."""
        return float(gains.get(self.level(theme), 0.0))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: id and labels, and of the others those that are set."""
        told: dict[str, Any] = {"artifact_id": self.artifact_id, "labels": dict(self.labels)}
        for name in ("evidence", "observed", "is_distractor", "metadata"):
            if getattr(self, name):
                told[name] = dict(getattr(self, name))
        return {**told, "thin_description": True} if self.thin_description else told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> PackageRelevanceCase:
        """Return the case of a JSON form.

        Raises:
            CaseError: without an id, for an unknown level, or a value of a wrong type.
        """
        if not isinstance(told, Mapping) or not isinstance(told.get("artifact_id"), str):
            raise CaseError(f"a package case needs an artifact_id, which {told!r:.80} has not")
        maps: dict[str, Any] = {}
        for name in _MAPPINGS:
            value = told.get(name) or {}
            if not isinstance(value, Mapping):
                raise CaseError(f"{name} must be an object, not {value!r:.80}")
            maps[name] = dict(value)
        for theme, level in maps["labels"].items():
            if level not in RELEVANCE_LEVELS:
                raise CaseError(
                    f"unknown relevance level {level!r} for theme {theme!r}; levels are "
                    f"{', '.join(RELEVANCE_LEVELS)}",
                    hint=nearest(str(level), RELEVANCE_LEVELS),
                )
        for theme, score in maps["observed"].items():
            if finite(score) is None:
                raise CaseError(f"the observed score for {theme!r} is {score!r}, no number")
        thin = bool(told.get("thin_description", False))
        return cls(told["artifact_id"], thin_description=thin, **maps)


@dataclass(frozen=True, slots=True)
class NamedSets:
    """The packages of a theme that are easy to get wrong.

    ``distractors`` look relevant and are not; ``hard_positives`` are and do not look it.
    """

    theme: str
    distractors: tuple[str, ...] = ()
    hard_positives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        text("theme", self.theme)
        for name in ("distractors", "hard_positives"):
            ids = members(name, getattr(self, name), str, "artifact ids")
            object.__setattr__(self, name, tuple(dict.fromkeys(ids)))


@dataclass(frozen=True, slots=True)
class NamedSetReport:
    """What a search for a theme made of its named sets.

    Attributes:
        theme, k: what was searched for, and how deep.
        fp_rate: share of the distractors among the first ``k``.
        hard_positive_recall: share of the hard positives there.
        distractors_seen, hard_positives_missed: which.
    """

    theme: str
    k: int
    fp_rate: float
    hard_positive_recall: float
    distractors_seen: tuple[str, ...]
    hard_positives_missed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in told.items()}


def package_cases(cases: Iterable[PackageRelevanceCase]) -> list[PackageRelevanceCase]:
    """Return ``cases`` as a list.

    Raises:
        ParameterTypeError: when they are none.
    """
    return members("cases", cases, PackageRelevanceCase, "package cases")


def save_package_cases(
    cases: Iterable[PackageRelevanceCase],
    path: str | os.PathLike[str],
    *,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write package cases as JSON lines, after a first line with ``meta`` when there is any."""
    write_json_lines((case.to_dict() for case in package_cases(cases)), path, meta)


def load_package_cases(path: str | os.PathLike[str]) -> list[PackageRelevanceCase]:
    """Read package cases from JSON lines.

    Raises:
        CaseError: for a line that is none, with file and line number.
        FileNotFoundError: there is no such file.
    """
    return made_of_lines(path, PackageRelevanceCase.from_dict)


def read_package_meta(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what the first line of a file of cases says about it; ``{}`` when it is a case."""
    for _, told in read_json_lines(path):
        meta = told.get(META_KEY) if isinstance(told, Mapping) else None
        return dict(meta) if isinstance(meta, Mapping) else {}
    return {}


def level_histogram(cases: Iterable[PackageRelevanceCase], theme: str) -> dict[str, int]:
    """Return how many packages have each level for a theme, all five levels, least first."""
    text("theme", theme)
    levels = [case.level(theme) for case in package_cases(cases)]
    return {level: levels.count(level) for level in RELEVANCE_LEVELS}


def to_graded_qrels(
    cases: Iterable[PackageRelevanceCase],
    theme: str,
    *,
    probe: str | None = None,
    gains: Mapping[str, float] = LEVEL_GAINS,
    query_id: str | None = None,
) -> tuple[dict[str, str], dict[str, dict[str, float]]]:
    """Return ``(queries, qrels)`` of one query for a theme; only gains above 0 are judgements.

    Args:
        cases: the packages.
        theme: what they are judged for.
        probe: the text to search with, by default the theme itself.
        gains: what a level is worth.
        query_id: by default ``theme:<theme>``.
    """
    name = f"theme:{text('theme', theme)}" if query_id is None else query_id
    graded = grades(cases, theme, gains)
    positive = {artifact: gain for artifact, gain in graded.items() if gain > 0}
    return {name: theme if probe is None else probe}, {name: positive}


def grades(
    cases: Iterable[PackageRelevanceCase], theme: str, gains: Mapping[str, float]
) -> dict[str, float]:
    """Return ``{artifact id: what finding it for a theme is worth}``."""
    mapping("gains", gains, "of level to gain")
    return {case.artifact_id: case.gain(theme, gains=gains) for case in package_cases(cases)}


def derive_named_sets(
    cases: Iterable[PackageRelevanceCase],
    theme: str,
    *,
    observed_floor: float = 0.0,
    gains: Mapping[str, float] = LEVEL_GAINS,
) -> NamedSets:
    """Return the packages that are easy to get wrong, each set sorted.

    A distractor is one that ``is_distractor`` says to be, or, where it says nothing, one without
    gain whose observed score is at least ``observed_floor``. A hard positive is strongly relevant
    and thinly described.
    """
    floor = real_number("observed_floor", observed_floor)
    text("theme", theme)
    mapping("gains", gains, "of level to gain")
    distractors, hard = set(), set()
    for case in package_cases(cases):
        decided = case.is_distractor.get(theme)
        if decided is None:
            seen = case.observed.get(theme)
            decided = case.gain(theme, gains=gains) <= 0 and seen is not None and seen >= floor
        if decided:
            distractors.add(case.artifact_id)
        if case.thin_description and case.level(theme) in _HARD_LEVELS:
            hard.add(case.artifact_id)
    return NamedSets(theme, tuple(sorted(distractors)), tuple(sorted(hard)))


def fp_rate_on_distractors(ranking: Sequence[str], ids: Iterable[str], *, k: int) -> float:
    """Return which share of the distractors ``ids`` is among the first ``k``; 0 for none."""
    return _share_found(ranking, ids, k)


def recall_on_hard_positives(ranking: Sequence[str], ids: Iterable[str], *, k: int) -> float:
    """Return which share of the hard positives ``ids`` is among the first ``k``; 0 for none."""
    return _share_found(ranking, ids, k)


def evaluate_named_sets(
    corpus: Corpus | str,
    named_sets: NamedSets | Mapping[str, NamedSets],
    theme: str | None = None,
    *,
    probe: str | None = None,
    mode: str = DFLT_MODE,
    k: int = 10,
    surfaces: Iterable[str] | None = None,
    **search_kw: Any,
) -> NamedSetReport:
    """Search for a theme and return what became of its named sets.

    Args:
        corpus: an open corpus, or the name of one.
        named_sets: the packages to look for, or ``{theme: those}``.
        theme: by default that of ``named_sets``.
        probe: the text to search with, by default the theme.
        k: how deep.
        mode, surfaces, **search_kw: see :func:`irengine.retrieve.search`.

    Raises:
        ParameterError: for an argument out of range.
        CorpusNotFound: for a name nothing is built under.
    """
    options = search_options(mode, surfaces, search_kw)
    depth = whole_number("k", k, least=1)
    if isinstance(named_sets, Mapping):
        if theme is None or theme not in named_sets:
            raise ParameterError(
                f"there are no named sets for theme {theme!r}",
                hint=f"there are some for {', '.join(named_sets)}" if named_sets else "",
            )
        named_sets = named_sets[theme]
    having("named_sets", named_sets, "hard_positives", "the named sets of a theme")
    named = named_sets.theme if theme is None else text("theme", theme)
    hits = search(as_corpus(corpus), named if probe is None else probe, k=depth, **options)
    ranking = [hit.artifact_id for hit in hits]
    seen = set(ranking)
    return NamedSetReport(
        named,
        depth,
        fp_rate_on_distractors(ranking, named_sets.distractors, k=depth),
        recall_on_hard_positives(ranking, named_sets.hard_positives, k=depth),
        tuple(name for name in named_sets.distractors if name in seen),
        tuple(name for name in named_sets.hard_positives if name not in seen),
    )


def _share_found(ranking: Sequence[str], ids: Iterable[str], k: int) -> float:
    wanted = set(members("ids", ids, str, "artifact ids"))
    places = dict.fromkeys(members("ranking", ranking, str, "artifact ids"))
    first = list(places)[: whole_number("k", k, least=1)]
    return len(wanted.intersection(first)) / len(wanted) if wanted else 0.0
