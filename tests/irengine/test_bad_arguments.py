"""What people pass in by mistake is refused by an error of the package that names the argument."""

from __future__ import annotations

from datetime import datetime

import pytest

import irengine as ir
from irengine import synopsis
from irengine.errors import InvalidName, IrError, ParameterError, ParameterTypeError
from irengine.eval.comparing import score_ranking
from irengine.eval.packages import (
    fp_rate_on_distractors,
    level_histogram,
    recall_on_hard_positives,
)
from irengine.eval_gen.asking import query_lines
from irengine.eval_gen.masking import gives_away
from irengine.schedule import ScheduleSpec
from irengine.sources import CorpusSource

PACKAGE = ir.PackageRelevanceCase("a", {"t": "core"})
HIT = ir.SearchHit("a", "document", 0.5, "bees dance", {}, "t", 0)
NOW = datetime(2026, 5, 1, 12)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    texts = {"a": {"text": "bees dance", "topic": "bees"}, "b": {"text": "whales sing"}}
    return ir.build(
        CorpusSource.from_mapping(texts, name="t", embedder="light"),
        store=ir.CorpusStore.memory(),
    )


def refused(call, message):
    with pytest.raises(ParameterTypeError, match=message) as caught:
        call()
    assert isinstance(caught.value, (TypeError, ValueError)) and caught.value.code
    return caught.value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: ir.facets(c, "bees", None), "fields takes a list of field names, not None"),
        (lambda c: ir.facets(c, "bees", "topic"), "fields takes a list .* not the text 'topic'"),
        (lambda c: ir.facets(c, "bees", [1]), "int 1 is none"),
        (lambda c: ir.facet_ranges(c, "bees", 3), "fields takes a list of field names, not int 3"),
        (lambda c: ir.expand("t", "zz"), "hit must be a hit of a search, not str 't'"),
        (lambda c: ir.file_states(["x"], c), "hits takes a list of hits; str 'x' is none"),
        (lambda c: ir.file_states(None, c), "hits takes a list of hits, not None"),
        (lambda c: ir.modified_at(None), "hit must be a hit, not None"),
        (lambda c: ir.fuse_hits([[1]]), "hits_by_source must be a mapping of source to hits"),
        (lambda c: ir.fuse_hits({"a": None}), "hits takes a list of hits, not None"),
        (lambda c: ir.fuse_hits({"a": [HIT]}, weights=[1]), "weights must be a mapping"),
        (lambda c: ir.best_per_artifact([1]), "hits takes a list of hits; int 1 is none"),
        (lambda c: ir.best_per_artifact("ab"), "not the text 'ab'"),
        (lambda c: ir.tag_source(None, "t"), "hits takes a list of hits, not None"),
        (lambda c: ir.ledger_key(None), "artifact_id must be text, not None"),
        (lambda c: ir.records_for_artifact(c, 3), "artifact_id must be text, not int 3"),
        (lambda c: ir.resolve_policy("zz"), "a registry entry must be a mapping .* not str 'zz'"),
        (lambda c: ir.resolve_storage(3), "a registry entry must be a mapping"),
        (lambda c: ir.is_reindex_due(None, None, NOW), "policy must be a policy of reindexing"),
        (lambda c: ir.in_downtime("zz", NOW), "policy must be a policy of synopses"),
        (lambda c: ir.next_downtime(None, NOW), "policy must be a policy of synopses"),
        (lambda c: ir.Window(1, 2, None), "the days of a window takes a list of numbers"),
        (lambda c: ir.discover(c, "bees", max_n=0), "discover takes no argument 'max_n'"),
        (lambda c: ir.discover(c, "bees", per_artifact=True), "no per_artifact"),
        (lambda c: ir.discover(c, "bees", dedup_by=[]), "dedup_by must be text"),
        (lambda c: ir.as_retriever(c)("bees", topk=3), "search takes no argument 'topk'"),
        (lambda c: ir.as_retriever(c, topk=3), "search takes no argument 'topk'"),
        (lambda c: ir.select(["x"]), "hits takes a list of hits; str 'x' is none"),
        (lambda c: ir.disclose(None), "selection must be a selection"),
        (lambda c: ir.matches_filter(None, {"a": 1}), "metadata must be a mapping"),
        (lambda c: ir.dependency_evidence_boost(3, weight=1.0), "relevant_libs takes a list"),
        (lambda c: ir.make_search(c, name=3), "name must be text, not int 3"),
        (lambda c: ir.make_embedder_for_id(None), "embedder_id must be text, not None"),
        (lambda c: ir.source_for([]), "the name of a corpus must be text, not list"),
        (lambda c: ir.policy_for([]), "the name of a corpus must be text, not list"),
        (lambda c: ir.unregister(None), "the name of a corpus must be text, not None"),
        (lambda c: ir.build_corpus(3), "the name of a corpus must be text, not int 3"),
        (lambda c: ir.language_of(None), "text must be text, not None"),
        (lambda c: ir.language_hint(None), "texts takes a list of texts, not None"),
        (lambda c: ir.Corpus.search(c, ["bees"]), "the query must be text, not list"),
        (lambda c: c.embed_queries("bees"), "queries takes a list of texts"),
        (lambda c: ir.build(3), "build needs a CorpusSource, not int 3"),
        (lambda c: ir.to_qrels(["x"]), "cases takes a list of cases; str 'x' is none"),
        (lambda c: ir.evaluate_discovery(c, None), "cases takes a list of cases, not None"),
        (lambda c: ir.save_cases([], None), "path must be a path, not None"),
        (lambda c: ir.load_cases(3), "path must be a path, not int 3"),
        (lambda c: ir.DiscoveryCase("q", 3), "gold takes a list of artifact ids, not int 3"),
        (lambda c: ir.equivalent_artifacts(c, by=[]), "by must be text"),
        (lambda c: ir.sweep_selector(c, [], max_k_grid=3), "max_k_grid takes a list of values"),
        (lambda c: ir.calibrate_min_score(c, [], floor_grid=3), "floor_grid takes a list"),
        (lambda c: ir.evaluate_retrieval(None, {}, {}), "retriever must be a function of a query"),
        (lambda c: ir.corpus_slice("t", ["a"]), "corpus must be an open corpus, not str 't'"),
        (lambda c: ir.corpus_slice(c, "a"), "artifact_ids takes a list of artifact ids"),
        (lambda c: ir.distractor_curve_from_cases(None, []), "source must be a corpus source"),
        (lambda c: ir.generate_cases(None, query_generator=len), "source must be a corpus source"),
        (lambda c: ir.save_package_cases([1], "x"), "cases takes a list of package cases"),
        (lambda c: ir.corpus_coverage([]), "name must be text"),
        (lambda c: ir.MaintenanceState.of(None), "store must be a store"),
        (lambda c: ir.mask_name(None, "a b"), "text must be text, not None"),
        (lambda c: ir.mask_name("a", 3), "name must be text, not int 3"),
        (lambda c: gives_away(b"a", "ab"), "text must be text, not bytes"),
        (lambda c: query_lines(None), "answer must be text, not None"),
        (lambda c: ir.NamedSets(3), "theme must be text"),
        (lambda c: ir.NamedSets("t", "abc"), "distractors takes a list of artifact ids"),
        (lambda c: ir.NamedSets("t", (), [1]), "hard_positives takes a list .* int 1 is none"),
        (lambda c: ir.PackageRelevanceCase(None), "artifact_id must be text"),
        (lambda c: ir.PackageRelevanceCase("a", ["t"]), "labels must be a mapping"),
        (lambda c: level_histogram([1], "t"), "cases takes a list of package cases"),
        (lambda c: ir.to_graded_qrels([PACKAGE], 3), "theme must be text"),
        (lambda c: ir.to_graded_qrels([PACKAGE], "t", gains=[1]), "gains must be a mapping"),
        (lambda c: ir.derive_named_sets(None, "t"), "cases takes a list of package cases"),
        (lambda c: fp_rate_on_distractors("ab", ["a"], k=1), "ranking takes a list"),
        (lambda c: recall_on_hard_positives(["a"], None, k=1), "ids takes a list"),
        (lambda c: ir.evaluate_named_sets(c, 3), "named_sets must be the named sets of a theme"),
        (lambda c: score_ranking(["a"], 3, "t", k=1), "cases takes a list of package cases"),
        (lambda c: score_ranking(["a"], [], "t", k=1, named_sets=3), "named_sets must be"),
        (lambda c: score_ranking(["a"], [], "t", k=1, scores=3), "scores takes a list of numbers"),
        (lambda c: ir.with_synopsis(3, synthesize=len), "strategy must be a strategy"),
        (lambda c: ir.with_synopsis_policy(None, None), "strategy must be a strategy"),
        (lambda c: ir.with_synopsis_policy(ir.WholeText(), 3), "policy must be a policy"),
        (
            lambda c: synopsis.make_recent_predicate(window_days=1, now=3),
            "a moment must be a datetime",
        ),
        (lambda c: ir.default_edge_extractor(3, {}), "artifact_id must be text"),
        (lambda c: ir.default_edge_extractor("a", None), "filter_fields must be a mapping"),
        (lambda c: ir.maintain_corpus("packages", cancel=3), "cancel must be a CancelToken"),
        (lambda c: ir.maintain_corpus("packages", synopsis_options=3), "synopsis_options must be"),
        (lambda c: ir.maintain_corpus("packages", progress=3), "progress must be a function"),
        (lambda c: ScheduleSpec(label=3), "label must be text"),
        (lambda c: ScheduleSpec(python=None), "python must be text"),
        (lambda c: ScheduleSpec(args="-u"), "args takes a list of words, not the text"),
        (lambda c: ScheduleSpec(env={"A": "b"}), "env takes a list of pairs"),
        (lambda c: ScheduleSpec(env=[("A", 1)]), "env takes a list of pairs"),
        (lambda c: c.store.get_record(3), "record_id must be text"),
        (lambda c: c.store.delete_record(None), "record_id must be text"),
        (lambda c: c.store.put_record(3), "record must be a record"),
        (lambda c: c.store.get_links([]), "artifact_id must be text"),
        (lambda c: c.store.set_links(3, {}), "artifact_id must be text"),
        (lambda c: c.store.set_links("a", None), "edges must be a mapping"),
        (lambda c: c.store.set_links("a", {"REF": "b"}), "an edge type takes a list of targets"),
        (lambda c: c.store.get_ledger_entry([]), "key must be text"),
        (lambda c: c.store.set_ledger_entry("a", 3), "entry must be a mapping"),
        (lambda c: c.store.set_config(3), "settings must be a mapping"),
        (lambda c: c.store.get_calibration([]), "mode must be text"),
        (lambda c: c.store.set_calibration("dense", 3), "record must be a mapping"),
        (lambda c: c.store.set_maintenance_state(3), "state must be a mapping"),
        (lambda c: c.store.append_build(3), "report must be a mapping"),
        (lambda c: c.store.forget("a"), "artifact_ids takes a list of artifact ids"),
    ],
)
def test_another_type_is_refused_by_name(corpus, call, message):
    refused(lambda: call(corpus), message)


def test_a_record_that_is_not_there(corpus):
    with pytest.raises(KeyError) as caught:
        corpus.store.get_record("nope")
    assert isinstance(caught.value, IrError) and "no record 'nope'" in caught.value.message


def test_a_hint_says_what_was_meant(corpus):
    assert refused(lambda: ir.facets(corpus, "", "topic"), "topic").hint == "write ['topic']"
    assert refused(lambda: ir.discover(corpus, "x", max_n=1), "max_n").hint == "did you mean max_k?"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": "nope"}, "names takes a list of corpus names, not the text 'nope'"),
        ({"names": 3}, "names takes a list of corpus names, not int 3"),
        ({"on_event": 3}, "on_event must be a function or None, not int 3"),
    ],
)
def test_a_watcher(options, message):
    refused(lambda: ir.Watcher(**options), message)


@pytest.mark.parametrize("seconds", [None, "zz", float("nan"), 0, True])
def test_the_seconds_of_a_watcher(seconds):
    with pytest.raises(ParameterError, match="rescan_seconds must be a number above 0"):
        ir.Watcher(rescan_seconds=seconds)


@pytest.mark.parametrize("name", ["", "  ", "..", "../x", "a/../b", "./x", "..\\x", [], 3])
def test_a_source_has_a_name_a_corpus_can_have(tmp_path, name):
    with pytest.raises(InvalidName):
        CorpusSource.from_files(tmp_path, name=name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": 3}, "the strategy of corpus .* has no decompose"),
        ({"hidden": "maybe"}, "hidden is true, false, or names that start with a dot"),
        ({"hidden": 3}, "hidden takes a list of names"),
        ({"gitignore": "maybe"}, "gitignore must be true or false"),
        ({"follow_links": 1}, "follow_links must be true or false"),
        ({"extract": "yes"}, "extract must be true or false"),
        ({"exclude_dirs": 3}, "exclude_dirs takes a list of names"),
    ],
)
def test_an_option_of_files(tmp_path, options, message):
    with pytest.raises(ParameterError, match=message):
        CorpusSource.from_files(tmp_path, **options)


def test_an_item_that_is_none_is_reported():
    source = CorpusSource.from_mapping({"a": None, "b": "whales"}, name="t", embedder="light")
    report = ir.build(source, store=ir.CorpusStore.memory()).report
    assert [(each.id, each.detail) for each in report.errors] == [
        ("a", "the item 'a' is None, so there is nothing to index")
    ]


@pytest.mark.parametrize("path", ["/no/such/cases.jsonl"])
@pytest.mark.parametrize("read", [ir.load_cases, ir.load_package_cases])
def test_a_file_that_is_not_there(read, path):
    with pytest.raises(FileNotFoundError, match=path) as caught:
        read(path)
    assert isinstance(caught.value, IrError) and caught.value.code == "path-not-found"
