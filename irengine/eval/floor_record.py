"""A calibrated floor as a record: what it says, where it is stored, whether it still holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from irengine.errors import CalibrationRefused, ParameterError
from irengine.rerank import is_anonymous
from irengine.retrieve.handles import as_corpus
from irengine.select.floors import fingerprint_of, floor_key

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "DFLT_MIN_YOUDEN_J",
    "CalibrationStatus",
    "MinScoreCalibration",
    "calibration_status",
]

DFLT_MIN_YOUDEN_J = 0.5
"""How well a floor must part what it is to part: half of the way from chance to perfect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MinScoreCalibration:
    """A floor, how well it parts questions with and without answers, and what it was made with.

    Attributes:
        corpus_name, mode, k, strategy, rerank: what was calibrated.
        min_score: the floor; ``None`` when there is none, ``reason`` says why.
        sensitivity: share of the questions with an answer whose best score is at or above it.
        specificity: share of those without whose best score is below it.
        youden_j: ``sensitivity + specificity - 1``; 1 is perfect, 0 is chance.
        balanced_accuracy: the mean of the two.
        held_out: the same three for floors on questions they were not chosen by
            (cross-validation); ``None`` for too few questions.
        separable: whether some floor parts the two without error.
        sensitivity_weight, min_youden_j: the arguments.
        n_positive, n_abstention: how many questions with and without an answer.
        n_retrieval_miss: how many whose answer was not among the candidates; they do not count.
        positive_scores, abstention_scores: ``min``, ``median`` and ``max`` of the best scores.
        grid: every floor tried, with its rates.
        reason: ``"calibrated"``, or why there is no floor.
        embedder_id, analyzer_id, scale: what shapes the scores; ``fingerprint`` is their digest.
        content_id, n_records, n_artifacts: what the corpus held.
        calibrated_at: when, as ISO 8601 text.
        vd_degraded: whether words could not be searched; they always can.
    """

    corpus_name: str
    mode: str
    k: int
    min_score: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    youden_j: float | None = None
    balanced_accuracy: float | None = None
    held_out: Mapping[str, float] | None = None
    separable: bool = False
    sensitivity_weight: float = 0.5
    min_youden_j: float = DFLT_MIN_YOUDEN_J
    n_positive: int = 0
    n_abstention: int = 0
    n_retrieval_miss: int = 0
    positive_scores: Mapping[str, float] = field(default_factory=dict)
    abstention_scores: Mapping[str, float] = field(default_factory=dict)
    grid: tuple[Mapping[str, float], ...] = field(default=(), repr=False)
    reason: str = ""
    embedder_id: str = ""
    strategy: str = "conservative"
    vd_degraded: bool = False
    rerank: str | None = None
    scale: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    analyzer_id: str = ""
    content_id: str = ""
    n_records: int = 0
    n_artifacts: int = 0
    calibrated_at: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: finite numbers only."""
        told: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        for name in ("positive_scores", "abstention_scores", "scale"):
            told[name] = dict(told[name])
        told["held_out"] = None if self.held_out is None else dict(self.held_out)
        told["grid"] = [dict(row) for row in self.grid]
        return told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> MinScoreCalibration:
        """Return the calibration of a JSON form; what it does not name has its default.

        Raises:
            ParameterError: when it has no corpus name, mode or ``k``.
        """
        known = {item.name: told[item.name] for item in fields(cls) if item.name in told}
        for name in ("corpus_name", "mode", "k"):
            if name not in known:
                raise ParameterError(f"the calibration record has no {name}")
        known["grid"] = tuple(known.get("grid") or ())
        return cls(**known)

    def save(self, corpus: Corpus | str) -> str:
        """Store the floor for ``discover(min_score="auto")`` and return its key.

        Raises:
            CalibrationRefused: there is no floor to store.
            ParameterError: the reranker has no name of its own.
        """
        if self.rerank is not None and is_anonymous(self.rerank):
            raise ParameterError("a reranker without a stable identity has no floor to store")
        if self.min_score is None:
            raise CalibrationRefused(
                f"no floor for corpus {self.corpus_name!r}: {self._why()}", hint=_HINT
            )
        key = floor_key(self.scale or {"mode": self.mode}, self.rerank)
        as_corpus(corpus).store.set_calibration(key, self.to_dict())
        return key

    def _why(self) -> str:
        if self.reason != "not_separable" or self.youden_j is None:
            return self.reason or "none was found"
        return (
            f"its best scores do not tell {self.n_positive} questions with an answer from "
            f"{self.n_abstention} without (Youden's J is {self.youden_j:.2f}, "
            f"at least {self.min_youden_j:.2f} is needed)"
        )

    def __str__(self) -> str:
        floor = "none" if self.min_score is None else f"{self.min_score:.4f}"
        lines = [
            f"MinScoreCalibration — corpus={self.corpus_name!r} mode={self.mode} k={self.k}",
            f"  floor: {floor}  ({self.reason})",
            f"  in scope: {self.n_positive}{_range(self.positive_scores)}",
            f"  out of scope: {self.n_abstention}{_range(self.abstention_scores)}",
        ]
        if self.youden_j is not None:
            perfect = "  (perfectly separable)" if self.separable else ""
            lines += [
                f"  sensitivity: {self.sensitivity:.4f}  specificity: {self.specificity:.4f}",
                f"  Youden J: {self.youden_j:.4f}{perfect}",
            ]
        if self.held_out is not None:
            lines.append(
                "  held out: sensitivity {sensitivity:.4f}  specificity {specificity:.4f}".format(
                    **self.held_out
                )
            )
        lines.append(f"  retrieval misses: {self.n_retrieval_miss}  w: {self.sensitivity_weight:g}")
        if self.min_score is None:
            lines.append(f"  NOTE: no floor: {self._why()}")
        return "\n".join(lines)


_HINT = (
    "try another mode, fusion or embedder, ask clearer questions, or give a lower min_youden_j "
    "when a weak floor is better than none"
)


@dataclass(frozen=True, slots=True)
class CalibrationStatus:
    """Whether a calibration still holds.

    ``state`` is ``"current"``, ``"aged"`` (the content of the corpus changed since; the floor is
    applied, but may not be the best any more) or ``"stale"`` (scores are on another scale; it is
    not applied). ``why`` says more for the last two.
    """

    state: str
    why: str = ""


def calibration_status(corpus: Corpus | str, calibration: MinScoreCalibration) -> CalibrationStatus:
    """Return whether ``calibration`` still holds for ``corpus``.

    Raises:
        CorpusNotFound: for a name nothing is built under.
    """
    opened = as_corpus(corpus)
    if calibration.embedder_id != opened.embedder_id:
        return CalibrationStatus("stale", "it was calibrated with another embedder")
    now = fingerprint_of(
        opened, calibration.scale or {"mode": calibration.mode}, calibration.rerank
    )
    if calibration.fingerprint != now:
        return CalibrationStatus("stale", "words are split otherwise since it was calibrated")
    snapshot = opened.store.snapshot()
    if calibration.content_id != snapshot.content_id:
        return CalibrationStatus(
            "aged",
            f"it was calibrated on {calibration.n_artifacts} artifacts, "
            f"there are {snapshot.n_artifacts} now, or others",
        )
    return CalibrationStatus("current")


def _range(summary: Mapping[str, float]) -> str:
    return f"  [{summary['min']:.4f} … {summary['max']:.4f}]" if summary else ""
