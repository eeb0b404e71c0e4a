"""How well a selection commits: what it keeps of what was found, and when it abstains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from irengine.checks import members, text, whole_number
from irengine.eval.cases import DiscoveryCase, check_cases
from irengine.eval.equivalence import Equivalents, class_of, equivalent_artifacts
from irengine.eval.running import DFLT_MODE, search_options
from irengine.rerank import resolve_reranker
from irengine.retrieve.handles import as_corpus
from irengine.select.discovering import DFLT_DEDUP_BY, DFLT_FETCH_K, Question, candidates_of
from irengine.select.floors import floor_of
from irengine.select.selection import (
    DFLT_GAP_RATIO,
    DFLT_MAX_K,
    DFLT_REL_THRESHOLD,
    Selector,
    check_strategy,
    strategy_name,
)

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.index import Corpus

__all__ = [
    "Judged",
    "SelectionReport",
    "check_k",
    "evaluate_selection",
    "found_for",
    "question_of",
    "selection_report",
]


@dataclass(frozen=True, slots=True)
class SelectionReport:
    """How well a selection commits.

    A case counts for the first four figures and the size when some of its gold is among the
    candidates: what was not found cannot be committed to. Gold is what of it was found. A figure
    over no cases is ``None``.

    Attributes:
        selection_precision: mean share of what was committed to that is gold, over the cases that
            committed.
        selection_recall: mean share of the gold that was committed to.
        selection_f1: mean harmonic mean of the two, 0 where nothing was committed to.
        conditional_commit_rate: share of the cases that committed to some gold.
        n_gold_retrieved: how many cases those figures are over.
        abstention_accuracy: share of the cases without gold in which nothing was committed to.
        mean_selected_size: how many artifacts were committed to.
        n_cases, n_gold, n_abstention: how many cases, with gold and without.
        strategy, mode, k: how it was selected and searched.
    """

    selection_precision: float | None
    selection_recall: float | None
    selection_f1: float | None
    conditional_commit_rate: float | None
    n_gold_retrieved: int
    abstention_accuracy: float | None
    mean_selected_size: float | None
    n_cases: int
    n_gold: int
    n_abstention: int
    strategy: str
    mode: str
    k: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        figures = (
            ("conditional commit rate", self.conditional_commit_rate),
            ("precision", self.selection_precision),
            ("recall", self.selection_recall),
            ("F1", self.selection_f1),
            ("abstention accuracy", self.abstention_accuracy),
            ("mean size", self.mean_selected_size),
        )
        return "\n".join(
            [
                f"SelectionReport — {self.n_cases} cases ({self.n_gold} gold, "
                f"{self.n_abstention} abstention)",
                f"  strategy: {self.strategy}  mode: {self.mode}  k: {self.k}  "
                f"gold retrieved: {self.n_gold_retrieved}",
                *(f"  {name}: {_figure(value)}" for name, value in figures),
            ]
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with the candidates that were found for it.

    ``unrelated`` says that not even the best of them has to do with the query, for which
    ``discover`` abstains where there is no floor. ``name`` is the same for artifacts that are the
    same thing, and ``gold`` has such names.
    """

    gold: frozenset[str]
    hits: Sequence[SearchHit]
    unrelated: bool
    name: Callable[[str], str]

    @property
    def found(self) -> frozenset[str]:
        """The gold that is among the candidates."""
        return self.gold.intersection(self.name(hit.artifact_id) for hit in self.hits)


def evaluate_selection(
    corpus: Corpus | str,
    cases: Iterable[DiscoveryCase],
    *,
    strategy: str | Selector = "conservative",
    mode: str = DFLT_MODE,
    k: int = DFLT_FETCH_K,
    surfaces: Iterable[str] | None = None,
    max_k: int = DFLT_MAX_K,
    rel: float = DFLT_REL_THRESHOLD,
    gap_ratio: float = DFLT_GAP_RATIO,
    min_score: float | str | None = None,
    dedup_by: str | None = "auto",
    equivalents: Equivalents = None,
    **search_kw: Any,
) -> SelectionReport:
    """Measure what ``discover`` commits to with these arguments, over a set of cases.

    Args:
        corpus: an open corpus, or the name of one.
        cases: the questions, with and without answers; each is searched once.
        strategy, max_k, rel, gap_ratio, min_score, k, mode, surfaces, dedup_by, **search_kw: see
            :func:`irengine.select.discover`.
        equivalents: groups of artifact ids that are the same thing, besides those that ``dedup_by``
            makes so; committing to any member is committing to all.

    Raises:
        ParameterError: for an argument out of range.
        CorpusNotFound: for a name nothing is built under.
    """
    check_strategy(strategy, min_score)
    question = question_of(
        mode, k, surfaces, dedup_by, search_kw, strategy, max_k=max_k, rel=rel, gap_ratio=gap_ratio
    )
    question.select([], min_score=0.0)  # its numbers are checked before anything is searched
    listed = check_cases(cases)
    opened = as_corpus(corpus)
    floor = floor_of(opened, min_score, mode, question.search_kw).score
    found = found_for(opened, listed, question, equivalents)
    return selection_report(found, question, min_score=floor)


def question_of(
    mode: str,
    k: int,
    surfaces: Iterable[str] | None,
    dedup_by: str | None,
    search_kw: Mapping[str, Any],
    strategy: str | Selector = "conservative",
    *,
    max_k: int = DFLT_MAX_K,
    rel: float = DFLT_REL_THRESHOLD,
    gap_ratio: float = DFLT_GAP_RATIO,
) -> Question:
    """Return what is asked of the corpus for every case; the query of each is filled in later.

    Raises:
        ParameterError: for what ``search`` would not accept.
    """
    options = search_options(mode, surfaces, search_kw)
    options["rerank"] = resolve_reranker(options.get("rerank"))
    del options["mode"]
    return Question("", mode, check_k(k), dedup_by, strategy, max_k, rel, gap_ratio, options)


def check_k(k: int) -> int:
    """Return ``k`` when it is a whole number of at least 1.

    Raises:
        ParameterError: otherwise.
    """
    return whole_number("k", k, least=1)


def found_for(
    corpus: Corpus, cases: Iterable[DiscoveryCase], question: Question, equivalents: Equivalents
) -> list[Judged]:
    """Search each case once.

    Of artifacts that agree in the field ``dedup_by`` only the best is a candidate: it stands for
    the others, whichever of them is gold.
    """
    groups = [
        members("a group of equivalents", group, str, "ids")
        for group in members("equivalents", equivalents or (), object, "groups of ids")
    ]
    field = question.dedup_by
    if field is not None:
        text("dedup_by", field)
    if field == "auto":
        field = DFLT_DEDUP_BY.get(corpus.name)
    if field is not None:
        groups += equivalent_artifacts(corpus, by=field)
    name = class_of(groups)
    found = []
    for case in cases:
        asked = replace(question, query=case.query)
        hits = candidates_of(corpus, asked)
        gold = frozenset(map(name, case.gold))
        found.append(Judged(gold, hits, asked.unrelated(corpus, hits) is not None, name))
    return found


def selection_report(
    found: Sequence[Judged], question: Question, **changed: Any
) -> SelectionReport:
    """Select among what was found, with ``changed`` arguments of ``select``, and measure it."""
    floor = changed.get("min_score")
    precisions, recalls, f1s, commits, sizes, rightly_none = [], [], [], [], [], []
    for judged in found:
        hits = [] if judged.unrelated and floor is None else judged.hits
        selected = set(map(judged.name, question.select(hits, **changed).selected_ids))
        retrieved = judged.found
        if not judged.gold:
            rightly_none.append(not selected)
        elif retrieved:
            right = len(selected & retrieved)
            if selected:
                precisions.append(right / len(selected))
            recalls.append(right / len(retrieved))
            f1s.append(2 * right / (len(selected) + len(retrieved)))
            commits.append(right > 0)
            sizes.append(len(selected))
    return SelectionReport(
        selection_precision=_mean(precisions),
        selection_recall=_mean(recalls),
        selection_f1=_mean(f1s),
        conditional_commit_rate=_mean(commits),
        n_gold_retrieved=len(recalls),
        abstention_accuracy=_mean(rightly_none),
        mean_selected_size=_mean(sizes),
        n_cases=len(found),
        n_gold=len(found) - len(rightly_none),
        n_abstention=len(rightly_none),
        strategy=strategy_name(question.strategy),
        mode=question.mode,
        k=question.k,
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"
