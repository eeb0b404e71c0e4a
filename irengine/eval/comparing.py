"""Compare ways of indexing the same packages: by theme, and package by package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit
from irengine.checks import having, mapping, members, real_number, text, whole_number
from irengine.errors import ParameterError, nearest
from irengine.eval.metrics import ndcg
from irengine.eval.packages import (
    LEVEL_GAINS,
    NamedSets,
    PackageRelevanceCase,
    fp_rate_on_distractors,
    grades,
    package_cases,
    recall_on_hard_positives,
)
from irengine.eval.running import DFLT_MODE, search_options
from irengine.retrieve import search
from irengine.retrieve.handles import as_corpus

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["ComparisonReport", "compare_indexings", "score_ranking"]

DFLT_RANK_DEPTH = 1000
_ABSENT = 10**9

Ranker = Callable[..., Iterable[SearchHit]]
"""``ranker(probe, *, k) -> hits``, best first."""


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """How several ways of indexing do on the same themes.

    Attributes:
        k: how deep the measures look.
        themes, labels: what was searched for, and the ways; ``baseline`` is the first.
        metrics: ``{theme: {label: {"ndcg": …, "fp_rate": …, "hard_positive_recall": …}}}``.
        deltas: ``{theme: {artifact id: {label: {"role": …, "rank": …, "score": …}}}}`` of the named
            packages; rank 0 is absent.
    """

    k: int
    themes: tuple[str, ...]
    labels: tuple[str, ...]
    baseline: str
    metrics: Mapping[str, Mapping[str, Mapping[str, float]]]
    deltas: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]] = field(
        default_factory=dict
    )

    def regressions(
        self, *, threshold: int = 0, baseline: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the named packages that another way ranks worse than the baseline.

        A hard positive is worse when it is further down by more than ``threshold`` ranks, a
        distractor when it is further up; absent is below everything. Rows by theme, artifact and
        label, with ``theme, artifact_id, role, label, baseline_rank, candidate_rank``; the rank of
        what is absent is ``None``.

        Raises:
            ParameterError: for a baseline that is no label, or a threshold below 0.
        """
        threshold = whole_number("threshold", threshold, least=0)
        against = self.baseline if baseline is None else baseline
        _check_labels([against], self.labels)
        rows = []
        for theme in self.themes:
            for artifact, by_label in self.deltas.get(theme, {}).items():
                before = by_label[against]["rank"]
                for label in self.labels:
                    after, role = by_label[label]["rank"], by_label[label]["role"]
                    grown = (after or _ABSENT) - (before or _ABSENT)
                    worse = grown if role == "hard_positive" else -grown
                    if label != against and worse > threshold:
                        rows.append(
                            {
                                "theme": theme,
                                "artifact_id": artifact,
                                "role": role,
                                "label": label,
                                "baseline_rank": before or None,
                                "candidate_rank": after or None,
                            }
                        )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "k": self.k,
            "themes": list(self.themes),
            "labels": list(self.labels),
            "baseline": self.baseline,
            "metrics": {t: {n: dict(row) for n, row in m.items()} for t, m in self.metrics.items()},
            "deltas": {
                theme: {
                    artifact: {label: dict(told) for label, told in by_label.items()}
                    for artifact, by_label in named.items()
                }
                for theme, named in self.deltas.items()
            },
        }


def score_ranking(
    ranking: Sequence[str],
    cases: Iterable[PackageRelevanceCase],
    theme: str,
    *,
    k: int,
    named_sets: NamedSets | None = None,
    scores: Sequence[float] | Mapping[str, float] | None = None,
    gains: Mapping[str, float] = LEVEL_GAINS,
) -> tuple[dict[str, float], dict[str, dict[str, Any]]]:
    """Return ``(measures, named)`` of one ranking for a theme.

    ``measures`` has ``ndcg`` at ``k`` with graded gains and, with named sets, ``fp_rate`` and
    ``hard_positive_recall``. ``named`` has, for each package of the sets, ``role``, ``rank`` (0
    when absent) and ``score`` (``None`` when absent or not given). What is in both sets is a hard
    positive; what is ranked twice counts at its first place.

    Args:
        ranking: package ids, best first.
        cases, theme, gains: the judgements.
        k: how deep.
        named_sets: the packages to look for.
        scores: of the ranking, place by place, or ``{id: score}``.

    Raises:
        ParameterError: ``k`` below 1 with named sets, or another number of scores.
    """
    places = members("ranking", ranking, str, "artifact ids")
    known: dict[str, float] = {}
    if isinstance(scores, Mapping):
        known = {name: float(score) for name, score in scores.items()}
    elif scores is not None:
        scores = members("scores", scores, (int, float), "numbers")
        if len(scores) != len(places):
            raise ParameterError(f"{len(places)} ranked packages have {len(scores)} scores")
        for name, score in zip(places, scores, strict=True):
            known.setdefault(name, float(score))
    row = {"ndcg": ndcg(places, grades(cases, text("theme", theme), gains), k)}
    if named_sets is None:
        return row, {}
    having("named_sets", named_sets, "hard_positives", "the named sets of a theme")
    whole_number("k", k, least=1)
    row["fp_rate"] = fp_rate_on_distractors(places, named_sets.distractors, k=k)
    row["hard_positive_recall"] = recall_on_hard_positives(places, named_sets.hard_positives, k=k)
    roles = dict.fromkeys(named_sets.distractors, "distractor")
    roles |= dict.fromkeys(named_sets.hard_positives, "hard_positive")
    ranks = {name: rank for rank, name in enumerate(dict.fromkeys(places), 1)}
    named = {
        name: {"role": role, "rank": ranks.get(name, 0), "score": known.get(name)}
        for name, role in sorted(roles.items())
    }
    return row, named


def compare_indexings(
    corpora: Mapping[str, Corpus | str | Ranker],
    cases: Iterable[PackageRelevanceCase],
    *,
    themes: Iterable[str],
    probes: Mapping[str, str],
    k: int = 20,
    named_sets: Mapping[str, NamedSets] | Iterable[NamedSets] | None = None,
    mode: str = DFLT_MODE,
    rank_depth: int = DFLT_RANK_DEPTH,
    gains: Mapping[str, float] = LEVEL_GAINS,
    surfaces: Iterable[str] | None = None,
    search_kw_by_label: Mapping[str, Mapping[str, Any]] | None = None,
    **search_kw: Any,
) -> ComparisonReport:
    """Search for the same themes in several indexings and compare what is found.

    Args:
        corpora: ``{label: corpus, name of one, or a function}``; the first is the baseline. A
            function ``(probe, *, k) -> hits`` may be lazy and may repeat artifacts.
        cases: how relevant each package is.
        themes: what to search for.
        probes: ``{theme: the text to search with}``.
        k: how deep the measures look.
        named_sets: the packages to follow, ``{theme: sets}`` or the sets of each theme.
        rank_depth: how deep ranks are looked for, at least ``k``.
        gains: what a level is worth.
        mode, surfaces, **search_kw: see :func:`irengine.retrieve.search`.
        search_kw_by_label: ``{label: arguments}`` of single corpora, over those of all.

    Raises:
        ParameterError: no corpora, a theme without a probe, an unknown label, arguments for a
            function, or a number out of range.
        CorpusNotFound: for a name nothing is built under.
    """
    if not mapping("corpora", corpora, "of label to corpus or function"):
        raise ParameterError("there are no corpora to compare")
    mapping("probes", probes, "of theme to query")
    k, depth = whole_number("k", k, least=1), whole_number("rank_depth", rank_depth, least=1)
    if depth < k:
        raise ParameterError(f"rank_depth ({depth}) must be at least k ({k})")
    labels, wanted = tuple(corpora), tuple(members("themes", themes, str, "themes"))
    missing = [theme for theme in wanted if theme not in probes]
    if missing:
        raise ParameterError(f"there is no probe for {', '.join(map(repr, missing))}")
    own = dict(mapping("search_kw_by_label", search_kw_by_label or {}, "of label to arguments"))
    _check_labels(own, labels)
    shared = {"mode": mode, "surfaces": None if surfaces is None else list(surfaces), **search_kw}
    rankers = {name: _ranker(name, value, own, shared) for name, value in corpora.items()}
    judged = package_cases(cases)
    followed: Mapping[str, NamedSets]
    if isinstance(named_sets, Mapping):
        followed = named_sets
    else:
        listed = () if named_sets is None else members("named_sets", named_sets, NamedSets, "sets")
        followed = {sets.theme: sets for sets in listed}
    metrics: dict[str, dict[str, dict[str, float]]] = {}
    deltas: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    for theme in wanted:
        metrics[theme], deltas[theme] = {}, {}
        for label in labels:
            found = _first(rankers[label](probes[theme], k=depth), depth)
            metrics[theme][label], named = score_ranking(
                list(found),
                judged,
                theme,
                k=k,
                named_sets=followed.get(theme),
                scores=found,
                gains=gains,
            )
            for artifact, told in named.items():
                deltas[theme].setdefault(artifact, {})[label] = told
    return ComparisonReport(k, wanted, labels, labels[0], metrics, deltas)


def _ranker(
    label: str, value: Any, own: Mapping[str, Mapping[str, Any]], shared: Mapping[str, Any]
) -> Ranker:
    if callable(value) and not hasattr(value, "store"):
        if label in own:
            raise ParameterError(
                f"search arguments for {label!r}, which is a function, not a corpus"
            )
        ranker: Ranker = value
        return ranker
    given = {**shared, **own.get(label, {})}
    options = search_options(given.pop("mode"), given.pop("surfaces"), given)
    corpus = as_corpus(value)

    def ranked(probe: str, *, k: int) -> list[SearchHit]:
        return search(corpus, probe, k=k, **options)

    return ranked


def _first(hits: Iterable[SearchHit], depth: int) -> dict[str, float]:
    """Return ``{artifact id: score}`` of the first ``depth`` artifacts; an endless source ends."""
    found: dict[str, float] = {}
    for hit in hits:
        if len(found) >= depth:
            break
        found.setdefault(hit.artifact_id, real_number("score", hit.score))
    return found


def _check_labels(named: Iterable[str], labels: Sequence[str]) -> None:
    for label in named:
        if label not in labels:
            raise ParameterError(
                f"unknown label {label!r}; labels are {', '.join(labels)}",
                hint=nearest(str(label), labels),
            )
