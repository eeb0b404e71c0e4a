"""The package is light to import, lists every public name, and its doctests run."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import irengine

HEAVY = {"chromadb", "numpy", "onnxruntime", "tokenizers", "rich", "textual", "prompt_toolkit"}


def loaded_after(code: str) -> set[str]:
    report = f"{code}; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_after("import irengine") & HEAVY


def test_every_public_name_resolves():
    for name in irengine.__all__:
        assert getattr(irengine, name) is not None
    assert set(irengine.__all__) <= set(dir(irengine))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        irengine.nonsense  # noqa: B018


def test_the_stub_names_what_the_package_has():
    stub = ast.parse(Path(irengine.__file__).with_suffix(".pyi").read_text("utf-8"))
    stubbed = {
        (node.module, alias.asname)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {(module, name) for name, module in irengine._HOME_OF.items()}
    assert stubbed == homes | {("irengine", name) for name in irengine._MODULES}


def test_modules_are_found_without_being_imported_first():
    code = "import irengine; irengine.schedule.ScheduleSpec, irengine.eval.load_cases"
    code += "; assert callable(irengine.select) and 'policy' in dir(irengine)"
    assert "irengine" in loaded_after(code)


def modules():
    packages = pkgutil.walk_packages(irengine.__path__, "irengine.")
    return sorted(package.name for package in packages if not package.name.endswith("__main__"))


@pytest.mark.parametrize("name", ["irengine", *modules()])
def test_the_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


SEED_HOMES = {
    "base": "FilterFields POINTER_KEYS Artifact IndexPlan Record SearchHit Surface "
    "best_per_artifact ledger_key storage_key tag_source",
    "config": "APP_NAME config_dir data_dir cache_dir safe_name corpus_dir embeddings_cache_dir "
    "registry_path exclude_path excluded_patterns",
    "strategy": "DFLT_CHUNK_MAX_TOKENS IndexingStrategy STRATEGY_REGISTRY WholeText Chunked Skill "
    "Package ClaudeTurn text_of strategy_to_spec strategy_from_spec",
    "sources": "ALLCAPS_MD DFLT_EXCLUDE_DIRS DFLT_SESSIONS_SINCE_DAYS MCP_TOOL_PARAM_KEYS "
    "REPORT_DOC_GLOBS REPO_DOC_SUBDIRS CorpusSource content_hash_signal resolve_fetcher "
    "mcp_tool_record mcp_tool_signal iter_pocket_repos iter_report_doc_folders "
    "report_exclude_reason package_repo_dirs",
    "embed": "DEFAULT_MODEL DFLT_HASHING_DIM EmbedderError EmbedderMismatch EmbedderUnavailable "
    "make_embedder make_embedder_for_id",
    "store": "CorpusStore",
    "index": "build open_corpus Corpus",
    "retrieve": "MODES FUSIONS DFLT_RRF_K DFLT_BLEND_ALPHA DFLT_BM25_SAT_K search ScoreBoost "
    "dependency_evidence_boost records_for_artifact NoLedgerEntry Retriever as_retriever "
    "fuse_hits best_per_artifact tag_source",
    "rerank": "RERANK_TEXTS DFLT_RERANK_MODEL DFLT_RERANK_MAX_CHARS CROSS_ENCODER ANONYMOUS "
    "MAX_TAG_CHARS resolve_reranker rerank_tag is_anonymous spec_tag calibration_key "
    "passage_texts",
    "select": "DFLT_MAX_K DFLT_REL_THRESHOLD DFLT_GAP_RATIO DFLT_FETCH_K DFLT_MAX_BODY_CHARS "
    "DISCLOSURE_LEVELS DFLT_DEDUP_BY Selector BodyLoader ResourceStore Selection Disclosure "
    "DiscoveryResult top_k abs_threshold rel_threshold score_gap select make_llm_selector "
    "SELECTION_PROMPT disclose discover",
    "expand": "DFLT_WINDOW DFLT_MIN_STITCH_OVERLAP NeighborhoodPolicy SeedNotFound Passage "
    "sentence_window_policy parent_policy expand",
    "graph": "NEXT PREV PARENT CHILD REF GraphStore CorpusGraph canonical_node_id "
    "normalize_dist_name default_edge_extractor",
    "traverse": "DFLT_SUMMARY_KINDS DFLT_LEAF_KINDS DFLT_MAX_DEPTH DFLT_NODE_BUDGET DFLT_SEED_K "
    "WalkState WalkPolicy traverse collapsed_tree_policy reverse_dependency_policy",
    "formulate": "Formulator FORMULATION_PROMPT identity_formulator make_llm_formulator",
    "synopsis": "Synthesizer Predicate ALWAYS DFLT_THIN_DESCRIPTION_CHARS SYNOPSIS_KIND "
    "SYNOPSIS_PROMPT TOPICAL_SYNOPSIS_PROMPT make_llm_synthesizer thin_description_predicate "
    "make_thin_description_predicate with_synopsis",
    "tools": "search make_search",
    "registry": "PRESETS PARAMETRIC_KINDS register registered get unregister source_from_entry "
    "policy_for source_for retriever_for retrievers",
    "policy": "REINDEX_TRIGGERS STORAGE_BACKENDS ReindexPolicy SynopsisPolicy MaintenancePolicy "
    "GLOBAL_DEFAULT DEFAULTS_BY_KIND default_policy_for_kind resolve_policy resolve_storage "
    "is_reindex_due in_downtime",
    "maintenance": "DFLT_STALE_LOCK_AFTER MaintenanceBusy MaintenanceResult lock_path single_run "
    "maintain maintain_corpus",
    "schedule": "DFLT_LABEL DFLT_EVERY_MINUTES INHERITED_ENV_VARS LOAD_BEARING_ENV_VARS "
    "ScheduleError ScheduleSpec ScheduleStatus parse_every cron_expression format_every "
    "plist_dict plist_bytes cron_marker cron_line crontab_without_line crontab_with_line BACKENDS "
    "resolve_backend status install remove restart ensure render",
    "coverage": "CoverageReport reports_coverage",
    "eval": "DFLT_K_VALUES DFLT_METRICS DFLT_MODE DFLT_DISTRACTOR_SIZES DFLT_CURVE_MODE "
    "DFLT_CURVE_EMBEDDER DFLT_SWEEP_MAX_K DFLT_SWEEP_REL DFLT_SWEEP_MIN_SCORE "
    "DFLT_SWEEP_OBJECTIVE SWEEP_METRICS DFLT_CALIB_SENSITIVITY_WEIGHT RELEVANCE_LEVELS "
    "LEVEL_GAINS RETRIEVAL_METRICS DiscoveryCase save_cases load_cases as_doc_retriever to_qrels "
    "corpus_artifact_ids validate_cases RetrievalEvalReport evaluate_retrieval retrieval_report "
    "evaluate_discovery DiscoveryReport distractor_robustness_curve distractor_curve_from_cases "
    "evaluate_selection SelectionReport sweep_selector SelectionGridPoint SelectionSweep "
    "calibrate_min_score MinScoreCalibration load_calibration PackageRelevanceCase "
    "save_package_cases load_package_cases read_package_meta level_histogram to_graded_qrels "
    "NamedSets derive_named_sets fp_rate_on_distractors recall_on_hard_positives "
    "evaluate_named_sets NamedSetReport score_ranking compare_indexings ComparisonReport",
    "eval_gen": "DFLT_QUERIES_PER_ARTIFACT DFLT_ABSTENTION_FRAC DFLT_MIN_DESCRIPTION_CHARS "
    "NAME_PLACEHOLDER DFLT_ABSTENTION_THEME BACKTRANSLATION_PROMPT ABSTENTION_PROMPT mask_name "
    "generate_cases generate_abstention_cases build_eval_set corpus_signature "
    "make_default_query_generator make_default_abstention_generator",
}
# Of these the package itself has every name, except where it would say nothing without its module.
IN_THE_PACKAGE = ("base", "coverage", "eval", "eval_gen", "maintenance", "policy")


@pytest.mark.parametrize("home", SEED_HOMES)
def test_every_name_of_the_predecessor_is_where_it_was(home):
    module = importlib.import_module(f"irengine.{home}")
    missing = [name for name in SEED_HOMES[home].split() if not hasattr(module, name)]
    assert missing == []
    if home in IN_THE_PACKAGE:
        assert [name for name in SEED_HOMES[home].split() if name not in irengine.__all__] == []


@pytest.mark.parametrize("name", ["select", "expand", "traverse"])
@pytest.mark.parametrize(
    "first", ["", "import irengine.{name}; ", "from irengine.{name} import {name}; "]
)
def test_a_function_keeps_its_name_whatever_was_imported_before(name, first):
    code = f"{first.format(name=name)}import irengine; assert callable(irengine.{name})"
    code += f"; import irengine.{name}; assert callable(irengine.{name})"
    code += f"; from irengine import {name} as again; assert again is irengine.{name}"
    subprocess.run([sys.executable, "-c", code], check=True)
