"""Commit to the few hits worth acting on, or to none: the selectors and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from irengine.base import SearchHit
from irengine.checks import members, real_number, whole_number
from irengine.errors import ParameterError, nearest

__all__ = [
    "DFLT_GAP_RATIO",
    "DFLT_MAX_K",
    "DFLT_REL_THRESHOLD",
    "STRATEGIES",
    "Selection",
    "Selector",
    "abs_threshold",
    "check_strategy",
    "hits_from",
    "rel_threshold",
    "score_gap",
    "select",
    "strategy_name",
    "top_k",
    "with_places",
]

DFLT_MAX_K = 3
"""How many hits are committed to at most."""
DFLT_REL_THRESHOLD = 0.9
"""The share of the best score a further hit needs."""
DFLT_GAP_RATIO = 0.5
"""The share of the score before it below which a hit lies across a gap."""

STRATEGIES = ("conservative", "top_k", "abs_threshold", "rel_threshold", "score_gap")
"""The rules of selection that have names."""

Selector = Callable[[Sequence[SearchHit]], list[SearchHit]]
"""Chooses among hits that are best first; nothing chosen is an abstention."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What was committed to, out of what, and why.

    Attributes:
        selected: the hits committed to, best first; empty when abstained.
        candidates: the whole ranking that was given.
        abstained: whether nothing was committed to.
        reason: the rule that ended the commitment (``"rel_threshold"``, ``"max_k"``,
            ``"single"``, ``"exhausted"``, ``"nonpositive_top"``, the name of the strategy), or
            ``"abstain:<why>"``.
        signals: the numbers behind it: ``n_candidates``, ``n_selected``, ``top_score``, for
            ``conservative`` also ``min_ratio`` (the smallest score of a committed hit as a share
            of the best), and ``min_score`` where a floor decided.
    """

    selected: list[SearchHit]
    candidates: list[SearchHit]
    abstained: bool
    reason: str
    signals: Mapping[str, Any] = field(default_factory=dict)

    @property
    def selected_ids(self) -> list[str]:
        """The committed artifact ids, best first."""
        return [hit.artifact_id for hit in self.selected]

    @property
    def sufficient(self) -> bool:
        """Whether there is something to act on."""
        return not self.abstained and bool(self.selected)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; of the candidates only their number."""
        return {
            "selected": [hit.to_dict() for hit in self.selected],
            "selected_ids": self.selected_ids,
            "abstained": self.abstained,
            "sufficient": self.sufficient,
            "reason": self.reason,
            "signals": dict(self.signals),
            "n_candidates": len(self.candidates),
        }


def top_k(k: int = DFLT_MAX_K) -> Selector:
    """Return a selector of the first ``k`` hits."""
    k = whole_number("k", k, least=1)
    return lambda hits: list(islice(hits, k))


def abs_threshold(min_score: float) -> Selector:
    """Return a selector of all hits that score at least ``min_score``."""
    floor = real_number("min_score", min_score)
    return lambda hits: [hit for hit in hits if hit.score >= floor]


def rel_threshold(ratio: float = DFLT_REL_THRESHOLD) -> Selector:
    """Return a selector of all hits that score at least ``ratio`` times the best.

    A best score of 0 or below has no meaningful share: then the best hit alone is selected.
    """
    share = real_number("rel", ratio)

    def choose(hits: Sequence[SearchHit]) -> list[SearchHit]:
        if not hits or not hits[0].score > 0:
            return list(islice(hits, 1))
        return [hit for hit in hits if hit.score >= share * hits[0].score]

    return choose


def score_gap(gap_ratio: float = DFLT_GAP_RATIO) -> Selector:
    """Return a selector of the hits above the first gap in the scores.

    It stops before a hit that scores less than ``gap_ratio`` times the one before it, and after
    a hit that scores 0 or less.
    """
    share = real_number("gap_ratio", gap_ratio)

    def choose(hits: Sequence[SearchHit]) -> list[SearchHit]:
        chosen = list(islice(hits, 1))
        for before, hit in zip(hits, hits[1:], strict=False):
            if before.score <= 0 or hit.score < share * before.score:
                break
            chosen.append(hit)
        return chosen

    return choose


def select(
    hits: Sequence[SearchHit],
    *,
    strategy: str | Selector = "conservative",
    max_k: int = DFLT_MAX_K,
    rel: float = DFLT_REL_THRESHOLD,
    gap_ratio: float = DFLT_GAP_RATIO,
    min_score: float | None = None,
) -> Selection:
    """Commit to a part of ``hits`` (best first, as given), or abstain.

    ``conservative`` keeps the best hit and those after it, up to ``max_k``, that score at least
    ``rel`` times as much; it stops at the first that does not.

    Args:
        hits: the ranking.
        strategy: one of :data:`STRATEGIES`, or a :data:`Selector`.
        max_k: how many hits at most, at least 1.
        rel: the share of the best score a hit needs (``conservative``, ``rel_threshold``).
        gap_ratio: the share of the score before it (``score_gap``).
        min_score: a floor: below it not even the best hit is worth committing to, whatever the
            strategy. ``abs_threshold`` needs one, and applies it to each hit.

    Raises:
        ParameterError: an unknown strategy, a number out of range, ``abs_threshold`` without
            ``min_score``, or a selector that returns something else than hits.
    """
    check_strategy(strategy, min_score)
    max_k = whole_number("max_k", max_k, least=1)
    rel, gap_ratio = real_number("rel", rel), real_number("gap_ratio", gap_ratio)
    floor = None if min_score is None else real_number("min_score", min_score)
    candidates = members("hits", hits, SearchHit, "hits")
    signals: dict[str, Any] = {
        "n_candidates": len(candidates),
        "n_selected": 0,
        "top_score": float(candidates[0].score) if candidates else None,
    }
    name = strategy_name(strategy)
    if name == "conservative":
        signals["min_ratio"] = None
        if not candidates:
            return Selection([], candidates, True, "abstain:no_candidates", signals)
    if floor is not None and candidates and candidates[0].score < floor:
        signals["min_score"] = floor
        return Selection([], candidates, True, "abstain:below_floor", signals)
    if name == "conservative":
        selected, reason, signals["min_ratio"] = _conservative(candidates, max_k, rel)
    else:
        selected = _chosen(strategy, candidates, max_k, rel, gap_ratio, floor)[:max_k]
        reason = name if selected else f"abstain:{name}"
    signals["n_selected"] = len(selected)
    return Selection(selected, candidates, not selected, reason, signals)


def with_places(selection: Selection, places: Sequence[int], shares: Sequence[float]) -> Selection:
    """Return a selection that commits to other places of its candidates, best first.

    ``shares`` are the scores of the candidates as shares of the best.
    """
    candidates = selection.candidates
    kept = sorted(places)
    signals = {
        **selection.signals,
        "n_selected": len(kept),
        "min_ratio": min(float(shares[place]) for place in kept),
    }
    if len(kept) > len(selection.selected):
        signals["n_complementary"] = len(kept) - len(selection.selected)
    return replace(selection, selected=[candidates[place] for place in kept], signals=signals)


def hits_from(whose: str, returned: Any) -> list[SearchHit]:
    """Return what a function returned, as a list.

    Raises:
        ParameterError: naming whose function it is, when that is no sequence of hits.
    """
    hits = list(returned) if isinstance(returned, Iterable) else [returned]
    if not all(isinstance(hit, SearchHit) for hit in hits):
        raise ParameterError(f"{whose} must return hits it was given, not {returned!r:.60}")
    return hits


def check_strategy(strategy: str | Selector, min_score: Any = None) -> None:
    """Check a strategy before anything is searched.

    Raises:
        ParameterError: when it is unknown, or needs a floor and has none.
    """
    if callable(strategy):
        return
    if strategy not in STRATEGIES:
        raise ParameterError(
            f"unknown strategy {strategy!r}; strategies are {', '.join(STRATEGIES)}, or a function",
            hint=nearest(str(strategy), STRATEGIES),
        )
    if strategy == "abs_threshold" and min_score is None:
        raise ParameterError("strategy 'abs_threshold' needs min_score, the score a hit must have")


def strategy_name(strategy: str | Selector) -> str:
    """Return the name of a strategy, ``"custom"`` for a function."""
    return "custom" if callable(strategy) else strategy


def _conservative(
    hits: list[SearchHit], max_k: int, rel: float
) -> tuple[list[SearchHit], str, float]:
    """Return the hits committed to, the rule that ended it, and their smallest share of the top."""
    top, smallest = hits[0].score, 1.0
    selected = hits[:1]
    if top > 0:
        for hit in hits[1:max_k]:
            ratio = hit.score / top
            if ratio < rel:
                return selected, "rel_threshold", smallest
            selected.append(hit)
            smallest = min(smallest, float(ratio))
    if len(hits) == 1:
        return selected, "single", smallest
    if top <= 0:
        return selected, "nonpositive_top", smallest
    return selected, "max_k" if max_k < len(hits) else "exhausted", smallest


def _chosen(
    strategy: str | Selector,
    hits: list[SearchHit],
    max_k: int,
    rel: float,
    gap_ratio: float,
    floor: float | None,
) -> list[SearchHit]:
    if not hits:  # a function need not be ready for nothing
        return []
    if callable(strategy):
        return hits_from("a selector", strategy(hits))
    if strategy == "abs_threshold" and floor is not None:
        return abs_threshold(floor)(hits)
    named = {
        "top_k": lambda: top_k(max_k),
        "rel_threshold": lambda: rel_threshold(rel),
        "score_gap": lambda: score_gap(gap_ratio),
    }
    return named[strategy]()(hits)
