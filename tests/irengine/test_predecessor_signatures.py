"""Callers of the predecessor find its parameters: names, order, kinds and defaults."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import pytest

import irengine
from irengine.formulate import FORMULATION_PROMPT
from irengine.select import SELECTION_PROMPT
from irengine.synopsis import SYNOPSIS_PROMPT


class _Made:
    """Stands for a default that a dataclass makes anew for each value."""


MADE = _Made()
SUMMARIES = ("description", "synopsis", "capability", "document")
CHUNKS = ("chunk", "readme_chunk")
SIGNATURES = {
    # values
    "Artifact": "id, raw, metadata=MADE",
    "Surface": "artifact_id, kind, text, granularity='document', metadata=MADE",
    "Record": "id, artifact_id, surface_kind, surface_index, text, vector, metadata=MADE",
    "Record.make_id": "artifact_id, surface_kind, surface_index",
    "SearchHit": "artifact_id, surface_kind, score, text, metadata=MADE, source=None, "
    "surface_index=None",
    "SearchHit.to_dict": "self",
    "Selection": "selected, candidates, abstained, reason, signals=MADE",
    "Selection.to_dict": "self",
    "Disclosure": "artifact_id, level, name, score, summary, body=None, pointer=None, "
    "metadata=MADE, source=None, passage=None",
    "Disclosure.to_dict": "self",
    "DiscoveryResult": "query, mode, strategy, disclose_level, results, abstained, reason, "
    "n_retrieved, signals=MADE",
    "DiscoveryResult.to_dict": "self",
    "Passage": "artifact_id, surface_kind, score, text, record_ids=(), source=None, "
    "surface_index=None",
    "Passage.to_dict": "self",
    "WalkState": "query, max_depth, budget, visited=MADE, results=MADE, cache=MADE",
    "Corpus": "name, store, embedder, embedder_id",
    "Corpus.search": "self, query, **kwargs",
    # search
    "best_per_artifact": "hits",
    "tag_source": "hits, source",
    "ledger_key": "artifact_id",
    "storage_key": "*parts",
    "retrieve.search": "corpus, query, *, k=10, filter=None, surfaces=None, per_artifact=True, "
    "mode='dense', rrf_k=60, alpha=0.5, bm25_sat_k=8.0, fetch_k=None, rerank=None, "
    "rerank_text='surface', rerank_max_chars=2000, bm25=None, formulate=None, "
    "surface_weights=None, dep_boost=None",
    "as_retriever": "corpus_or_name, **search_defaults",
    "retriever_for": "name, **search_defaults",
    "retrievers": "**search_defaults",
    "fuse_hits": "hits_by_source, *, rrf_k=60, weights=None, identity=None, k=None",
    "dependency_evidence_boost": "relevant_libs, *, weight, saturate=1, deps_field='deps'",
    "records_for_artifact": "store_or_corpus, artifact_id, *, surface_kind=None",
    # rerank
    "resolve_reranker": "spec",
    "calibration_key": "mode, tag=None",
    "rerank.rerank_tag": "reranker, rerank_text='surface', *, max_chars=2000",
    "rerank.is_anonymous": "tag",
    "rerank.passage_texts": "corpus, candidates, rerank_text='surface', *, max_chars=2000",
    # select
    "select.top_k": "k=3",
    "select.abs_threshold": "min_score",
    "select.rel_threshold": "ratio=0.9",
    "select.score_gap": "gap_ratio=0.5",
    "select": "hits, *, strategy='conservative', max_k=3, rel=0.9, gap_ratio=0.5, min_score=None",
    "select.make_llm_selector": "query, *, chooser=None, prompt=SELECTION_PROMPT, "
    "max_candidates=10, fallback=None, **kwargs",
    "disclose": "selection, *, level='body', loader=None, store=None, expand=None, corpus=None",
    "discover": "corpus, query, *, k=10, mode='hybrid', strategy='conservative', "
    "disclose_level='metadata', filter=None, surfaces=None, max_k=3, rel=0.9, gap_ratio=0.5, "
    "min_score=None, merge='rrf', merge_weights=None, merge_rrf_k=None, loader=None, store=None, "
    "expand=None, dedup_by='auto', **search_kw",
    # passages, links, walks
    "expand": "hit, corpus, *, policy=None",
    "sentence_window_policy": "k=1",
    "parent_policy": "",
    "canonical_node_id": "target, *, source",
    "graph.normalize_dist_name": "name",
    "default_edge_extractor": "artifact_id, filter_fields",
    "CorpusGraph": "store_or_corpus",
    "CorpusGraph.edge_types": "self, node_id",
    "CorpusGraph.fan_in": "self, node_id, *, edge_type='REF'",
    "CorpusGraph.max_fan_in": "self, *, edge_type='REF'",
    "CorpusGraph.neighbors": "self, node_id, *, edge_type=None",
    "CorpusGraph.reverse_neighbors": "self, node_id, *, edge_type='REF'",
    "CorpusGraph.resolve": "self, node_id, *, edge_type='REF'",
    "traverse": "query, store, *, policy, max_depth=2, node_budget=64, k=10",
    "collapsed_tree_policy": "*, summary_kinds=SUMMARIES, leaf_kinds=CHUNKS, seed_k=10",
    "reverse_dependency_policy": "*, seeds, edge_type='REF', fan_in_weight=0.0, "
    "proximity_weight=0.0",
    # models and agents
    "formulate.identity_formulator": "query",
    "make_llm_formulator": "*, rewriter=None, prompt=FORMULATION_PROMPT, n=3, fallback=None, "
    "**kwargs",
    "make_llm_synthesizer": "*, summarize=None, prompt=SYNOPSIS_PROMPT, model=None, "
    "synthesizer_id=None, text_key=None, text_fields=None, **kwargs",
    "make_thin_description_predicate": "*, min_chars=40, field='description'",
    "thin_description_predicate": "artifact",
    "with_synopsis": "strategy, *, synthesize=None, synthesizer_id=None, "
    "synopsis_kind='synopsis', when='always', when_id=None",
    "search_tool": "query, *, corpus, k=8, mode='hybrid', filter=None, rerank=None, "
    "rerank_text='surface'",
    "tools.search": "query, *, corpus, k=8, mode='hybrid', filter=None, rerank=None, "
    "rerank_text='surface'",
    "make_search": "corpus, *, name=None, description=None, k=8, mode='hybrid', rerank=None, "
    "rerank_text='surface'",
}
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def found(name: str) -> Any:
    """Return what a dotted name is: of a module of the package, or of the package itself."""
    first, *rest = name.split(".")
    module = first.islower() and bool(rest)
    thing: Any = import_module(f"irengine.{first}") if module else getattr(irengine, first)
    for part in rest:
        thing = getattr(thing, part)
    return thing


def parameters(of: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(of).parameters.values())


def expected(signature: str) -> list[inspect.Parameter]:
    return parameters(eval(f"lambda {signature}: None"))  # noqa: S307 - the table above


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_parameters_of_the_predecessor_are_there(name):
    ours = parameters(found(name))
    theirs = expected(SIGNATURES[name])
    by_name = {each.name: each for each in ours}
    placed = [each.name for each in ours if each.kind in BY_POSITION]
    wanted = [each.name for each in theirs if each.kind in BY_POSITION]
    assert placed[: len(wanted)] == wanted
    takes_more = {each.kind for each in ours}
    for each in theirs:
        if each.kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL):
            named = {p.name for p in ours if p.kind == inspect.Parameter.KEYWORD_ONLY}
            assert each.kind in takes_more or named, f"takes no {each}"
            continue
        assert by_name[each.name].kind == each.kind
        if each.default is MADE:
            assert repr(by_name[each.name].default) == "<factory>"
        else:
            assert by_name[each.name].default == each.default
            assert type(by_name[each.name].default) is type(each.default)


@pytest.mark.parametrize("name", SIGNATURES)
def test_what_came_since_may_be_left_out(name):
    known = {each.name for each in expected(SIGNATURES[name])}
    empty = inspect.Parameter.empty
    optional = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    for each in parameters(found(name)):
        assert each.name in known or each.kind in optional or each.default is not empty


def test_values_keep_the_order_of_their_fields():
    hit = irengine.SearchHit("a", "chunk", 0.5, "text", {"n": 1}, "notes", 3)
    assert (hit.source, hit.surface_index) == ("notes", 3)
    assert list(hit.to_dict())[:7] == [
        "artifact_id", "surface_kind", "score", "text", "metadata", "source", "surface_index",
    ]  # fmt: skip
    assert irengine.Selection([hit], [hit], False, "single").signals == {}
    assert SELECTION_PROMPT.format(query="q", candidates="c")
    assert FORMULATION_PROMPT.format(query="q", n=3)
    assert SYNOPSIS_PROMPT.format(text="t")
