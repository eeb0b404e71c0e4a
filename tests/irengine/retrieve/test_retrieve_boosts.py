"""The dependency boost."""

from __future__ import annotations

import pytest

from irengine.base import SearchHit
from irengine.errors import ParameterError
from irengine.retrieve import dependency_evidence_boost
from irengine.retrieve.boosts import distribution_name


def hit(**metadata) -> SearchHit:
    return SearchHit("pkg", "description", 0.4, "", metadata)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("Scikit_Learn[extra]>=1.2", "scikit-learn"),
        (" zope.interface ; python_version < '3'", "zope-interface"),
        ("numpy (>=1.2)", "numpy"),
        ("pkg @ https://example.org/x", "pkg"),
        ("a--_b", "a-b"),
        ("", ""),
    ],
)
def test_names_are_normalised_as_in_pep_503(spec, name):
    assert distribution_name(spec) == name


def test_one_relevant_dependency_earns_the_full_weight():
    boost = dependency_evidence_boost({"NetworkX"}, weight=0.1)
    assert boost(hit(deps=["networkx>=3"])) == 0.1
    assert boost(hit(deps=["anyio"])) == 0.0


def test_saturation_counts_distinct_dependencies():
    boost = dependency_evidence_boost(["a", "b", "c"], weight=1.0, saturate=2)
    assert boost(hit(deps=["a>1", "A==2", "x"])) == 0.5
    assert boost(hit(deps=["a", "b", "c"])) == 1.0


def test_the_field_may_be_one_text_missing_or_something_else():
    boost = dependency_evidence_boost(["a"], weight=-0.5, deps_field="requires")
    assert boost(hit(requires="a")) == -0.5
    assert boost(hit(deps=["a"])) == boost(hit(requires=None)) == boost(hit(requires=3)) == 0.0
    assert boost(hit(requires=[None, 3])) == 0.0
    assert dependency_evidence_boost(["", "a"], weight=1.0)(hit(deps=[""])) == 0.0


def test_bad_arguments_are_named():
    with pytest.raises(TypeError, match="not the string 'numpy'"):
        dependency_evidence_boost("numpy", weight=1.0)
    for weight in (float("nan"), float("inf"), True, "1"):
        with pytest.raises(ParameterError, match="weight"):
            dependency_evidence_boost(["a"], weight=weight)
    for saturate in (0, -1, 1.5):
        with pytest.raises(ParameterError, match="saturate"):
            dependency_evidence_boost(["a"], weight=1.0, saturate=saturate)
