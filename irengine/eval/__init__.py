"""Measure how well a corpus is found and committed to, and calibrate when to abstain.

A :class:`DiscoveryCase` is a question with the artifacts that answer it, or none. Over a set of
them, :func:`evaluate_discovery` measures rankings, :func:`evaluate_selection` what is committed
to, :func:`sweep_selector` which settings suit best, and :func:`calibrate_min_score` finds the floor
below which to abstain. Means come with intervals, and two runs are compared by
:func:`compare_reports`.
"""

from irengine.errors import CalibrationRefused, CaseError
from irengine.eval.calibration import (
    DFLT_CALIB_SENSITIVITY_WEIGHT,
    calibrate_min_score,
    load_calibration,
)
from irengine.eval.cases import (
    DiscoveryCase,
    cases_from_qrels,
    corpus_artifact_ids,
    grades_of,
    load_cases,
    read_qrels,
    read_queries,
    save_cases,
    to_qrels,
    validate_cases,
)
from irengine.eval.comparing import ComparisonReport, compare_indexings, score_ranking
from irengine.eval.discovery import (
    FAILURE_CLASSES,
    CaseOutcome,
    DiscoveryReport,
    compare_reports,
    evaluate_discovery,
    retrieval_report,
)
from irengine.eval.equivalence import Equivalents, equivalent_artifacts
from irengine.eval.floor_record import (
    DFLT_MIN_YOUDEN_J,
    CalibrationStatus,
    MinScoreCalibration,
    calibration_status,
)
from irengine.eval.intervals import (
    PairedComparison,
    bootstrap_interval,
    bootstrap_intervals,
    paired_comparison,
)
from irengine.eval.metrics import (
    DFLT_K_VALUES,
    DFLT_METRICS,
    RETRIEVAL_METRICS,
    RetrievalEvalReport,
    evaluate_retrieval,
)
from irengine.eval.packages import (
    LEVEL_GAINS,
    RELEVANCE_LEVELS,
    NamedSetReport,
    NamedSets,
    PackageRelevanceCase,
    derive_named_sets,
    evaluate_named_sets,
    fp_rate_on_distractors,
    level_histogram,
    load_package_cases,
    read_package_meta,
    recall_on_hard_positives,
    save_package_cases,
    to_graded_qrels,
)
from irengine.eval.robustness import (
    DFLT_CURVE_EMBEDDER,
    DFLT_CURVE_MODE,
    DFLT_DISTRACTOR_SIZES,
    corpus_slice,
    distractor_curve_from_cases,
    distractor_robustness_curve,
    robustness_curve,
)
from irengine.eval.running import DFLT_MODE, DocRetriever, Latency, as_doc_retriever
from irengine.eval.selecting import SelectionReport, evaluate_selection
from irengine.eval.sweeping import (
    DFLT_SWEEP_MAX_K,
    DFLT_SWEEP_MIN_SCORE,
    DFLT_SWEEP_OBJECTIVE,
    DFLT_SWEEP_REL,
    SWEEP_METRICS,
    SelectionGridPoint,
    SelectionSweep,
    sweep_selector,
)

__all__ = [
    "DFLT_CALIB_SENSITIVITY_WEIGHT",
    "DFLT_CURVE_EMBEDDER",
    "DFLT_CURVE_MODE",
    "DFLT_DISTRACTOR_SIZES",
    "DFLT_K_VALUES",
    "DFLT_METRICS",
    "DFLT_MIN_YOUDEN_J",
    "DFLT_MODE",
    "DFLT_SWEEP_MAX_K",
    "DFLT_SWEEP_MIN_SCORE",
    "DFLT_SWEEP_OBJECTIVE",
    "DFLT_SWEEP_REL",
    "FAILURE_CLASSES",
    "LEVEL_GAINS",
    "RELEVANCE_LEVELS",
    "RETRIEVAL_METRICS",
    "SWEEP_METRICS",
    "CalibrationRefused",
    "CalibrationStatus",
    "CaseError",
    "CaseOutcome",
    "ComparisonReport",
    "DiscoveryCase",
    "DiscoveryReport",
    "DocRetriever",
    "Equivalents",
    "Latency",
    "MinScoreCalibration",
    "NamedSetReport",
    "NamedSets",
    "PackageRelevanceCase",
    "PairedComparison",
    "RetrievalEvalReport",
    "SelectionGridPoint",
    "SelectionReport",
    "SelectionSweep",
    "as_doc_retriever",
    "bootstrap_interval",
    "bootstrap_intervals",
    "calibrate_min_score",
    "calibration_status",
    "cases_from_qrels",
    "compare_indexings",
    "compare_reports",
    "corpus_artifact_ids",
    "corpus_slice",
    "derive_named_sets",
    "distractor_curve_from_cases",
    "distractor_robustness_curve",
    "equivalent_artifacts",
    "evaluate_discovery",
    "evaluate_named_sets",
    "evaluate_retrieval",
    "evaluate_selection",
    "fp_rate_on_distractors",
    "grades_of",
    "level_histogram",
    "load_calibration",
    "load_cases",
    "load_package_cases",
    "paired_comparison",
    "read_package_meta",
    "read_qrels",
    "read_queries",
    "recall_on_hard_positives",
    "retrieval_report",
    "robustness_curve",
    "save_cases",
    "save_package_cases",
    "score_ranking",
    "sweep_selector",
    "to_graded_qrels",
    "to_qrels",
    "validate_cases",
]
