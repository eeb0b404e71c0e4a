"""Rerankers by name: late interaction, cross-encoders, and what happens where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import irengine as ir
from irengine.embed._running import DATA
from irengine.embed.minilm import load_int8
from irengine.errors import ParameterError
from irengine.rerank import (
    MaxSim,
    maxsim_reranker,
    maxsim_scores,
    rerank_tag,
    resolve_reranker,
    resolving,
    spec_tag,
)

NOTES = {
    "bees": "Bees gather nectar and turn it into honey.",
    "bank": "The bank raised its interest rate by a quarter of a point.",
    "river": "We sat on the bank of the river and watched the boats.",
}


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(resolving, "_loaded", {})


@pytest.fixture(scope="module")
def notes():
    source = ir.CorpusSource.from_mapping(NOTES, name="notes")
    return ir.build(source, store=ir.CorpusStore.memory(), embedder="light")


class TestNames:
    def test_none_and_callables_are_returned_as_they_are(self):
        assert resolve_reranker(None) is None
        assert resolve_reranker(len) is len

    @pytest.mark.parametrize("spec", ["", "nope", "Cross-Encoder", "cross-encoder:", "maxsim:2"])
    def test_a_wrong_name_is_refused(self, spec):
        with pytest.raises(ValueError, match="unknown rerank spec.*expected a callable"):
            resolve_reranker(spec)

    @pytest.mark.parametrize("spec", [3, b"maxsim", ["cross-encoder"], False])
    def test_another_type_is_refused(self, spec):
        with pytest.raises(TypeError, match="a reranker is a callable or a name"):
            resolve_reranker(spec)

    def test_a_model_is_loaded_once(self):
        assert resolve_reranker("maxsim") is resolve_reranker("maxsim")


class TestLateInteraction:
    def test_each_token_of_the_query_counts_with_its_best_match(self):
        query = np.array([[1.0, 0.0], [0.0, 1.0]])
        passages = [[[1.0, 0.0], [0.6, 0.8]], [[-1.0, 0.0]], np.empty((0, 2))]
        assert maxsim_scores(query, passages) == pytest.approx([0.9, -0.5, 0.0])
        assert maxsim_scores(np.empty((0, query.shape[1])), passages) == [0.0, 0.0, 0.0]

    def test_token_vectors_average_to_the_embedding(self):
        model = load_int8()
        tokens = model.token_vectors(["bees make honey", ""])
        assert [len(rows) for rows in tokens] == [5, 2]
        mean = tokens[0].mean(axis=0)
        np.testing.assert_allclose(
            mean / np.linalg.norm(mean), model(["bees make honey"])[0], atol=1e-6
        )

    def test_it_finds_what_is_meant(self):
        late = maxsim_reranker().late("where does honey come from", list(NOTES.values()))
        assert late.index(max(late)) == 0

    def test_the_first_stage_has_its_share_on_any_scale(self):
        model = load_int8()
        texts = [{"text": text} for text in NOTES.values()]
        late = MaxSim(model, 1.0)("money", texts)
        for scale in (1.0, 0.001, 1000.0):
            scored = [
                {**text, "score": scale * s} for text, s in zip(texts, (3, 1, 2), strict=True)
            ]
            first = MaxSim(model, 0.0)("money", scored)
            assert first == pytest.approx([max(late), min(late), (max(late) + min(late)) / 2])
            mixed = MaxSim(model, 0.25)("money", scored)
            assert mixed == pytest.approx(
                [0.75 * f + 0.25 * m for f, m in zip(first, late, strict=True)]
            )

    def test_without_first_scores_or_with_equal_ones_it_counts_alone(self):
        rerank = maxsim_reranker(0.1)
        texts = [{"text": text} for text in NOTES.values()]
        late = rerank.late("money", list(NOTES.values()))
        assert rerank("money", texts) == late
        assert rerank("money", [{**text, "score": 0.5} for text in texts]) == late
        assert rerank("money", []) == []

    def test_a_kept_passage_scores_what_a_new_one_does(self):
        rerank = maxsim_reranker(1.0)
        once = rerank("money", [{"text": text} for text in NOTES.values()])
        assert rerank("money", [{"text": text} for text in NOTES.values()]) == once

    @pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), True, "1"])
    def test_the_weight_is_checked(self, weight):
        with pytest.raises(ParameterError, match="the weight of maxsim"):
            maxsim_reranker(weight)

    def test_a_search_takes_it_by_name(self, notes):
        found = ir.search(notes, "where does honey come from", mode="hybrid", rerank="maxsim")
        assert found[0].artifact_id == "bees"
        assert found[0].explanation["rerank"] == found[0].score
        committed = ir.discover(notes, "where does honey come from", rerank="maxsim")
        assert committed.ids[0] == "bees"

    def test_no_reranker_is_answered_with_the_scores_of_another(self, notes):
        def scored(rerank):
            hits = ir.search(notes, "where is the bank", mode="hybrid", rerank=rerank)
            return {hit.artifact_id: hit.score for hit in hits}

        constant = dict.fromkeys(NOTES, 0.5)
        apart = [scored("maxsim"), scored(MaxSim(load_int8(), 1.0))]
        assert apart[0] != apart[1]
        assert scored(lambda query, passages: [0.5] * len(passages)) == constant
        assert [scored("maxsim"), scored(MaxSim(load_int8(), 1.0))] == apart


class TestMissing:
    def test_a_search_goes_on_without_and_says_so_once(self, notes, monkeypatch):
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        plain = ir.search(notes, "bank", mode="hybrid")
        with pytest.warns(UserWarning, match=r"ir\[rerank\].*irengine\[models\]") as said:
            found = ir.search(notes, "bank", mode="hybrid", rerank="cross-encoder")
        assert found == plain
        assert [Path(warning.filename).name for warning in said] == [Path(__file__).name]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ir.search(notes, "bank", mode="hybrid", rerank="cross-encoder") == plain

    def test_discover_then_uses_the_floor_of_the_first_stage(self, notes, monkeypatch):
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        record = {"mode": "hybrid", "embedder_id": notes.embedder_id, "min_score": 0.01}
        notes.store.set_calibration("hybrid", record)
        with pytest.warns(UserWarning, match="no reranking"):
            found = ir.discover(notes, "bank", min_score="auto", rerank="cross-encoder")
        assert found.signals["floor"]["status"] == "applied"

    def test_a_model_that_is_not_installed_is_told_with_its_remedy(self, notes, monkeypatch):
        def unavailable():
            raise ir.EmbedderUnavailable("the weights are missing", hint="install them")

        monkeypatch.setattr(resolving, "maxsim_reranker", unavailable)
        with pytest.warns(UserWarning, match="the weights are missing. install them"):
            assert resolve_reranker("maxsim") is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """Make a tiny cross-encoder with random weights: real files, no download."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    path = tmp_path_factory.mktemp("cross-encoder")
    BertTokenizerFast(str(DATA / "vocab.txt")).save_pretrained(path)
    sizes = {"num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(hidden_size=16, num_labels=1, **sizes)
    BertForSequenceClassification(config).save_pretrained(path)
    return str(path)


@pytest.mark.models
@pytest.mark.slow
class TestCrossEncoder:
    def test_its_scores_lie_between_0_and_1_and_order_the_hits(self, folder, notes):
        rerank = resolve_reranker(f"cross-encoder:{folder}")
        scores = rerank("bank", [{"text": text} for text in NOTES.values()])
        assert all(0 < score < 1 for score in scores)
        hits = ir.search(notes, "bank", rerank=f"cross-encoder:{folder}")
        assert [hit.score for hit in hits] == pytest.approx(sorted(scores, reverse=True))
        assert rerank_tag(rerank) == spec_tag(f"cross-encoder:{folder}")

    def test_one_that_cannot_be_reached_leaves_the_first_stage(self, notes):
        code = (
            "import irengine as ir, warnings\n"
            "c = ir.build(ir.CorpusSource.from_mapping({'a': 'x', 'b': 'y'}, name='n'),"
            " store=ir.CorpusStore.memory(), embedder='light')\n"
            "with warnings.catch_warnings(record=True) as said:\n"
            "    warnings.simplefilter('always')\n"
            "    hits = [ir.search(c, 'x', rerank='cross-encoder:no/such') for _ in range(2)]\n"
            "assert hits[0] == hits[1] == ir.search(c, 'x')\n"
            "texts = [str(w.message) for w in said if 'no reranking' in str(w.message)]\n"
            "assert len(texts) == 1 and 'cross-encoder:no/such' in texts[0], texts\n"
        )
        offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
        subprocess.run([sys.executable, "-c", code], check=True, env=offline)
