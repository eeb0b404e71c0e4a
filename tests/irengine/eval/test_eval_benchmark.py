"""Test collections in BEIR layout: read strictly, measured in every way, remembered."""

from __future__ import annotations

import json

import pytest

from irengine.errors import (
    BuildCancelled,
    CaseError,
    EmbedderUnavailable,
    ParameterError,
    SourceMissing,
)
from irengine.eval.collection import evaluate_collection, read_collection
from irengine.index import CancelToken

DOCUMENTS = {
    "bees": ("Bees", "Bees gather nectar and turn it into honey."),
    "rates": ("", "The central bank raised its interest rate."),
    "river": ("Boats", "We sat by the river and watched the boats."),
}
QUERIES = {"q1": "who makes honey", "q2": "interest rate of the bank", "q3": "nobody judged this"}
JUDGED = [("q1", "bees", 2), ("q1", "river", 0), ("q2", "rates", 1)]


def write(folder, *, documents=DOCUMENTS, queries=QUERIES, judged=JUDGED, split="test"):
    folder.mkdir(exist_ok=True)
    (folder / "qrels").mkdir(exist_ok=True)
    rows = [{"_id": i, "title": title, "text": text} for i, (title, text) in documents.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows = [{"_id": i, "text": text} for i, text in queries.items()]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, line)) for line in judged)]
    (folder / "qrels" / f"{split}.tsv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "tiny")


class TestReading:
    def test_titles_are_part_of_the_text_and_unjudged_queries_are_left_out(self, folder):
        collection = read_collection(folder)
        assert collection.name == "tiny"
        assert collection.documents["bees"] == f"Bees\n\n{DOCUMENTS['bees'][1]}"
        assert collection.documents["rates"] == DOCUMENTS["rates"][1]
        assert list(collection.queries) == ["q1", "q2"]

    def test_the_only_judgements_are_taken_whatever_they_are_called(self, tmp_path):
        folder = write(tmp_path / "dev", split="dev")
        assert list(read_collection(folder).queries) == ["q1", "q2"]
        with pytest.raises(SourceMissing, match="qrels/train.tsv"):
            read_collection(folder, split="train")

    @pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
    def test_a_missing_file_is_named(self, folder, name):
        (folder / name).unlink()
        with pytest.raises(SourceMissing, match=name):
            read_collection(folder)

    def test_a_missing_folder_is_named(self, tmp_path):
        with pytest.raises(SourceMissing, match="there is no folder"):
            read_collection(tmp_path / "nope")

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('{"_id": "x"}', "line 4: a document needs _id and text"),
            ('{"_id": true, "text": "x"}', "line 4: a document needs _id and text"),
            ("[1]", "line 4: a document needs _id and text"),
            ('{"_id": "bees", "text": "again"}', "line 4: the document 'bees' is there twice"),
            ("{", "line 4"),
        ],
    )
    def test_a_bad_document_is_told_with_its_line(self, folder, line, said):
        with (folder / "corpus.jsonl").open("a") as file:
            file.write(line + "\n")
        with pytest.raises(CaseError, match=said):
            read_collection(folder)

    def test_queries_and_judgements_that_do_not_meet_are_an_error(self, tmp_path):
        folder = write(tmp_path / "apart", judged=[("other", "bees", 1)])
        with pytest.raises(CaseError, match="no query of .* is judged"):
            read_collection(folder)


class TestMeasuring:
    def test_each_variant_has_figures_intervals_and_times(self, folder):
        report = evaluate_collection(read_collection(folder), embedder="light")
        assert list(report.variants) == [
            "lexical",
            "dense",
            "hybrid",
            "hybrid-rrf",
            "hybrid-blend",
        ]
        words = report.variants["lexical"]
        assert words.metrics["ndcg@10"] == 1.0
        assert words.per_query["q1"]["recall@10"] == 1.0
        low, high = words.intervals["ndcg@10"]
        assert low <= 1.0 <= high
        assert words.latency["n"] == 2
        assert json.loads(json.dumps(report.to_dict()))["documents"] == 3

    def test_what_was_measured_is_remembered_until_something_changes(self, folder):
        collection = read_collection(folder)
        first = evaluate_collection(collection, embedder="light", variants=["lexical", "hybrid"])
        again = evaluate_collection(collection, embedder="light", variants=["lexical", "dense"])
        assert first.cached == ()
        assert again.cached == ("lexical",)
        assert again.variants["lexical"] == first.variants["lexical"]
        fresh = evaluate_collection(collection, embedder="light", variants=["lexical"], fresh=True)
        assert fresh.cached == ()
        changed = read_collection(write(folder, queries={**QUERIES, "q1": "honey"}))
        assert evaluate_collection(changed, embedder="light", variants=["lexical"]).cached == ()

    def test_figures_that_cannot_be_kept_are_told_all_the_same(self, folder, tmp_path, monkeypatch):
        (tmp_path / "file").touch()
        monkeypatch.setenv("IR_CACHE_DIR", str(tmp_path / "file" / "cache"))
        with pytest.warns(UserWarning) as warned:
            report = evaluate_collection(read_collection(folder), embedder="light")
        assert len(report.variants) == 5
        assert [str(warning.message)[:34] for warning in warned] == [
            "the figures are not kept for the n"
        ]

    def test_an_interrupted_run_keeps_the_variants_that_are_done(self, folder):
        collection = read_collection(folder)
        token = CancelToken()
        searched = 0

        def stop_in_the_second(event):
            nonlocal searched
            searched += event.phase == "search"
            if searched == 5:
                token.cancel()

        variants = ["lexical", "dense"]
        with pytest.raises(BuildCancelled):
            evaluate_collection(
                collection,
                embedder="light",
                variants=variants,
                progress=stop_in_the_second,
                cancel=token,
            )
        done = evaluate_collection(collection, embedder="light", variants=variants)
        assert done.cached == ("lexical",)

    def test_an_unknown_variant_is_refused_with_the_nearest(self, folder):
        with pytest.raises(ParameterError, match="no variant 'hybird'") as error:
            evaluate_collection(read_collection(folder), variants=["hybird"])
        assert "hybrid" in error.value.hint
        with pytest.raises(ParameterError, match="no variant to measure"):
            evaluate_collection(read_collection(folder), variants=[])

    def test_variants_of_which_none_can_be_measured_are_an_error(self, folder, monkeypatch):
        monkeypatch.setattr("irengine.eval.collection.resolve_reranker", lambda spec: None)
        with pytest.raises(EmbedderUnavailable, match="hybrid-maxsim can be loaded"):
            evaluate_collection(read_collection(folder), variants=["hybrid-maxsim"])
        variants = ["lexical", "hybrid-maxsim"]
        report = evaluate_collection(read_collection(folder), embedder="light", variants=variants)
        assert list(report.variants) == ["lexical"]


FROZEN = {
    "restbench-tmdb": (0.485, 0.454, 0.524),
    "livemcpbench": (0.337, 0.340, 0.409),
    "skills-kdense-need": (0.630, 0.713, 0.735),
    "medline": (0.703, 0.796, 0.796),
    "xquad-zh": (0.962, 0.252, 0.963),
    "belebele-ko": (0.888, 0.071, 0.888),
}
"""nDCG@10 of words, meaning and both, with the default embedder."""


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", FROZEN)
def test_the_quality_of_the_defaults_does_not_fall(collection, name):
    report = evaluate_collection(
        read_collection(collection(name)), variants=["lexical", "dense", "hybrid"]
    )
    found = [figures.metrics["ndcg@10"] for figures in report.variants.values()]
    for now, frozen in zip(found, FROZEN[name], strict=True):
        assert now > frozen - 0.006
    assert found[2] > max(found[:2]) - 0.005
