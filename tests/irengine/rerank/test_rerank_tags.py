"""Tags: two rerankers that score differently do not share a floor."""

from __future__ import annotations

import functools
import sys

import pytest

from irengine.errors import ParameterError
from irengine.rerank import (
    ANONYMOUS,
    DFLT_RERANK_MODEL,
    MAX_TAG_CHARS,
    calibration_key,
    is_anonymous,
    maxsim_reranker,
    rerank_tag,
    spec_tag,
)


def named(query, passages):
    return [0.0 for _ in passages]


def other_text(corpus, metadata):
    return ""


class Model:
    def __init__(self, **names):
        self.__dict__.update(names)

    def __call__(self, query, passages):
        return [0.0 for _ in passages]

    def judge(self, query, passages):
        return [0.0 for _ in passages]


def test_no_reranker_has_no_tag():
    assert rerank_tag(None) is None
    assert calibration_key("dense", rerank_tag(None)) == "dense"


def test_a_function_is_called_by_its_module_and_name():
    assert rerank_tag(named) == f"rerank-{__name__}.named+surface".replace("_", "_5f_")


def test_an_object_is_called_by_its_id_or_else_its_model():
    assert rerank_tag(Model(rerank_id="a", model_name="b")) == "rerank-a+surface"
    assert rerank_tag(Model(model_name="b")) == "rerank-b+surface"


@pytest.mark.parametrize(
    "reranker",
    [lambda q, p: [], functools.partial(named), Model(), Model().judge],
    ids=["lambda", "partial", "instance", "method"],
)
def test_what_no_name_tells_apart_is_anonymous(reranker):
    assert is_anonymous(rerank_tag(reranker))
    assert is_anonymous(rerank_tag(named, reranker))
    assert not is_anonymous(rerank_tag(named))


def test_names_that_differ_in_any_character_have_different_tags():
    names = ["a/b", "a-b", "a b", "a_b", "a+b", "", "é"]
    tags = {rerank_tag(Model(rerank_id=name or " ")) for name in names}
    assert len(tags) == len(names)


def test_the_text_that_is_read_is_part_of_the_tag():
    m = Model(rerank_id="m")
    assert rerank_tag(m, "artifact") == "rerank-m+artifact"
    assert rerank_tag(m, "artifact", max_chars=500) == "rerank-m+artifact@500"
    assert rerank_tag(m, "surface", max_chars=500) == "rerank-m+surface"
    assert rerank_tag(m, other_text).startswith("rerank-m+fn-")
    with pytest.raises(ParameterError, match="unknown rerank_text"):
        rerank_tag(m, "whole")


def test_a_long_tag_is_cut_and_still_tells_apart():
    long = rerank_tag(Model(rerank_id="x" * 200))
    other = rerank_tag(Model(rerank_id="x" * 201))
    assert len(long) == len(other) == MAX_TAG_CHARS
    assert long != other
    assert long.startswith("rerank-xxx")
    hidden = rerank_tag(Model(rerank_id="x" * 200), lambda corpus, metadata: "")
    assert hidden.startswith(f"rerank-{ANONYMOUS}.")
    assert is_anonymous(hidden)


def test_the_tag_of_a_spec_is_that_of_what_it_loads():
    assert spec_tag(None) is None
    assert spec_tag(named, "artifact") == rerank_tag(named, "artifact")
    assert spec_tag("maxsim") == rerank_tag(maxsim_reranker())


@pytest.mark.models
def test_the_tag_of_a_cross_encoder_names_its_model_and_scale():
    slug = DFLT_RERANK_MODEL.replace("/", "_2f_")
    assert spec_tag("cross-encoder") == f"rerank-{slug}_2b_sigmoid+surface"
    assert spec_tag("cross-encoder:m", "artifact") == "rerank-m_2b_sigmoid+artifact"


def test_a_cross_encoder_that_cannot_be_loaded_has_no_tag(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert spec_tag("cross-encoder") is None


def test_a_wrong_spec_has_no_tag():
    with pytest.raises(ParameterError, match="unknown rerank spec 'nope'"):
        spec_tag("nope")
