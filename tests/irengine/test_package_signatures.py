"""Calls written for the predecessor keep their meaning: parameters, their kinds and defaults.

What is beyond the predecessor's parameters has a default of its own.
"""

from __future__ import annotations

import importlib
import inspect

import pytest

from irengine.eval import LEVEL_GAINS
from irengine.schedule import DFLT_LABEL
from irengine.sources import DFLT_EXCLUDE_DIRS

METRICS = ("ndcg", "recall", "precision", "mrr", "map")
SIGNATURES = {
    "eval": """
DiscoveryCase(query, gold=(), corpus=None, source_id=None, metadata=MADE)
save_cases(cases, path, *, meta=None)
load_cases(path)
as_doc_retriever(corpus, *, mode="hybrid", surfaces=None, **search_kw)
to_qrels(cases, *, grade=1.0)
corpus_artifact_ids(corpus)
validate_cases(corpus, cases)
RetrievalEvalReport(metrics, per_query, n_queries, k_values, distractor_hits=MADE)
evaluate_retrieval(retriever, qrels, queries, *, k_values=(1, 5, 10, 100), metrics=METRICS, \
limit=None)
retrieval_report(corpus, cases, *, k_values=(1, 5, 10), metrics=METRICS, mode="hybrid", \
surfaces=None, limit=None, **search_kw)
evaluate_discovery(corpus, cases, *, k_values=(1, 5, 10), primary_k=10, metrics=METRICS, \
mode="hybrid", surfaces=None, abstain_threshold=None, **search_kw)
DiscoveryReport(retrieval, failure_classes, n_cases, n_gold, n_abstention, primary_k=10, \
abstention_accuracy=None, mode="hybrid", vd_degraded=False)
distractor_robustness_curve(scope, probes, *, strategy=None, embedder="light", mode="dense", \
sizes=(1, 4, 8, 16, 32, 64, 128), trials=20, seed=0, k=1)
distractor_curve_from_cases(source, cases, **kwargs)
evaluate_selection(corpus, cases, *, strategy="conservative", mode="hybrid", k=10, surfaces=None, \
max_k=3, rel=0.9, gap_ratio=0.5, min_score=None, **search_kw)
sweep_selector(corpus, cases, *, strategy="conservative", mode="hybrid", k=10, surfaces=None, \
max_k_grid=(1, 2, 3, 5, 8), rel_grid=(0.4, 0.5, 0.6, 0.7, 0.8, 0.9), min_score_grid=(None,), \
gap_ratio=0.5, objective="selection_f1", **search_kw)
SelectionGridPoint(max_k, rel, min_score, report)
SelectionSweep(points, objective, strategy, mode, k, n_cases, n_gold, n_abstention, \
n_gold_retrieved)
calibrate_min_score(corpus, cases, *, mode="hybrid", k=10, surfaces=None, sensitivity_weight=0.5, \
floor_grid=None, persist=False, **search_kw)
load_calibration(corpus, mode="hybrid", *, rerank=None, rerank_text="surface", \
rerank_max_chars=2000)
SelectionReport(selection_precision, selection_recall, selection_f1, conditional_commit_rate, \
n_gold_retrieved, abstention_accuracy, mean_selected_size, n_cases, n_gold, n_abstention, \
strategy, mode, k)
ComparisonReport(k, themes, labels, baseline, metrics, deltas=MADE)
PackageRelevanceCase(artifact_id, labels=MADE, evidence=MADE, observed=MADE, \
thin_description=False, is_distractor=MADE, metadata=MADE)
save_package_cases(cases, path, *, meta=None)
load_package_cases(path)
read_package_meta(path)
level_histogram(cases, theme)
to_graded_qrels(cases, theme, *, probe=None, gains=GAINS, query_id=None)
NamedSets(theme, distractors=(), hard_positives=())
derive_named_sets(cases, theme, *, observed_floor=0.0, gains=GAINS)
fp_rate_on_distractors(ranking, ids, *, k)
recall_on_hard_positives(ranking, ids, *, k)
evaluate_named_sets(corpus, named_sets, theme=None, *, mode="hybrid", k=10, surfaces=None, \
**search_kw)
NamedSetReport(theme, k, fp_rate, hard_positive_recall, distractors_seen, hard_positives_missed)
score_ranking(ranking, cases, theme, *, k, named_sets=None, scores=None, gains=GAINS)
compare_indexings(corpora, cases, *, themes, probes, k=20, named_sets=None, mode="hybrid", \
rank_depth=1000, gains=GAINS, surfaces=None, search_kw_by_label=None, **search_kw)
""",
    "eval_gen": """
mask_name(text, name, *, placeholder="this capability")
generate_cases(source, *, k=5, mask_names=True, query_generator=None, describe=None, \
min_chars=20, max_artifacts=None, corpus_name=None)
generate_abstention_cases(n, *, generator=None, theme="software developer tools", corpus_name=None)
build_eval_set(source, *, k=5, abstention_frac=0.15, query_generator=None, \
abstention_generator=None, theme="software developer tools", corpus_name=None, **gen_kwargs)
corpus_signature(source_or_corpus)
make_default_query_generator()
make_default_abstention_generator()
""",
    "policy": """
ReindexPolicy(on="source-change", every_hours=None)
SynopsisPolicy(enabled=False, scope="recent", window_days=30, downtime_hours=None)
MaintenancePolicy(reindex=MADE, synopsis=MADE)
default_policy_for_kind(kind)
resolve_policy(entry)
resolve_storage(entry)
is_reindex_due(policy, last_maintained, now)
in_downtime(policy, now)
""",
    "maintenance": """
lock_path()
single_run(*, path=None, stale_after=None)
MaintenanceResult(name, ran, reason, reindex=False, synopsis=False, records=None, error=None)
maintain_corpus(name, *, now=None, dry_run=False, full=True)
maintain(name=None, *, all=False, now=None, dry_run=False)
""",
    "schedule": """
parse_every(every)
cron_expression(minutes)
format_every(minutes)
plist_dict(spec)
plist_bytes(spec)
cron_marker(label)
cron_line(spec)
crontab_without_line(text, label=LABEL)
crontab_with_line(text, spec)
resolve_backend(backend=None, *, require_available=True)
status(backend=None, label=LABEL)
install(every=None, backend=None, label=LABEL, python=None, *, inherit=True, dry_run=False)
remove(backend=None, label=LABEL)
restart(backend=None, label=LABEL)
ensure(every=None, backend=None, label=LABEL)
render(status)
ScheduleSpec(every_minutes=60, python=MADE, args=MADE, label=LABEL, log_path=MADE, env=MADE)
ScheduleStatus(installed, backend, label=LABEL, action="reported", every_minutes=None, \
definition=None, command=None, python=None, env=MADE, log_path=None, loaded=None, last_run=None, \
last_log_line=None, problems=MADE, detail=MADE)
""",
    "coverage": """
CoverageReport(name, on_disk, indexed, excluded, missing=MADE)
reports_coverage(name="reports", *, projects_root=None, indexed_ids=None, \
exclude_dirs=EXCLUDED)
""",
}
MADE = object()  # a default that is made anew for each value
KNOWN = {
    "MADE": MADE,
    "METRICS": METRICS,
    "GAINS": LEVEL_GAINS,
    "LABEL": DFLT_LABEL,
    "EXCLUDED": DFLT_EXCLUDE_DIRS,
}
CALLS = [(home, line) for home, text in SIGNATURES.items() for line in text.split("\n") if line]


@pytest.mark.parametrize(("home", "line"), CALLS, ids=[line.split("(")[0] for _, line in CALLS])
def test_what_the_predecessor_takes_is_taken(home, line):
    namespace: dict = {}
    exec(f"def {line}: pass", KNOWN | {}, namespace)  # noqa: S102 - the lines above
    ((name, wanted),) = namespace.items()
    ours = inspect.signature(getattr(importlib.import_module(f"irengine.{home}"), name)).parameters
    theirs = inspect.signature(wanted).parameters
    for parameter in theirs.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            assert any(each.kind is parameter.kind for each in ours.values())
            continue
        assert parameter.name in ours
        mine = ours[parameter.name]
        assert mine.kind == parameter.kind
        if parameter.default is MADE:
            assert mine.default is not inspect.Parameter.empty
        else:
            assert mine.default == parameter.default
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    wanted_order = [each.name for each in theirs.values() if each.kind is positional]
    order = [each.name for each in ours.values() if each.kind is positional]
    assert order[: len(wanted_order)] == wanted_order
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    beyond = [each for each in ours.values() if each.name not in theirs]
    required = [each for each in beyond if each.default is each.empty and each.kind not in variable]
    assert required == []


VALUES = {
    "eval": {
        "DFLT_K_VALUES": (1, 5, 10),
        "DFLT_METRICS": METRICS,
        "DFLT_MODE": "hybrid",
        "DFLT_DISTRACTOR_SIZES": (1, 4, 8, 16, 32, 64, 128),
        "DFLT_CURVE_MODE": "dense",
        "DFLT_CURVE_EMBEDDER": "light",
        "DFLT_SWEEP_MAX_K": (1, 2, 3, 5, 8),
        "DFLT_SWEEP_REL": (0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
        "DFLT_SWEEP_MIN_SCORE": (None,),
        "DFLT_SWEEP_OBJECTIVE": "selection_f1",
        "DFLT_CALIB_SENSITIVITY_WEIGHT": 0.5,
        "RELEVANCE_LEVELS": ("none", "tangential", "uses-tools", "strong", "core"),
        "LEVEL_GAINS": {"none": 0, "tangential": 0, "uses-tools": 1, "strong": 2, "core": 3},
    },
    "eval_gen": {
        "DFLT_QUERIES_PER_ARTIFACT": 5,
        "DFLT_ABSTENTION_FRAC": 0.15,
        "DFLT_MIN_DESCRIPTION_CHARS": 20,
        "NAME_PLACEHOLDER": "this capability",
        "DFLT_ABSTENTION_THEME": "software developer tools",
    },
    "policy": {"REINDEX_TRIGGERS": ("source-change", "interval", "manual")},
    "maintenance": {"DFLT_STALE_LOCK_AFTER": 6 * 60 * 60},
    "schedule": {"DFLT_EVERY_MINUTES": 60},
}


@pytest.mark.parametrize("home", VALUES)
def test_what_the_predecessor_has_by_default_is_so(home):
    module = importlib.import_module(f"irengine.{home}")
    assert {name: getattr(module, name) for name in VALUES[home]} == VALUES[home]
