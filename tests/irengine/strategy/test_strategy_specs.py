"""Identity and stored form of strategies."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from irengine.base import IndexPlan
from irengine.errors import ParameterError
from irengine.strategy import (
    STRATEGY_REGISTRY,
    Chunked,
    ClaudeTurn,
    Package,
    Skill,
    WholeText,
    _default_deps_text,
    strategy_from_spec,
    strategy_id,
    strategy_to_spec,
)

PACKAGE = '"embed_deps": false, "max_tokens": null, "overlap": 200, "token_model": null}'


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (WholeText(), 'WholeText:{"kind": "document", "text_key": null}'),
        (
            Chunked(),
            'Chunked:{"chunk_size": 1200, "kind": "chunk", "max_tokens": null, "overlap": 200, '
            '"text_key": null, "token_model": null}',
        ),
        (Skill(), "Skill:{}"),
        (Package(), f'Package:{{"chunk_size": 1500, "deps_template": null, {PACKAGE}'),
        (ClaudeTurn(), 'ClaudeTurn:{"include_full": false}'),
    ],
)
def test_ids_of_the_built_in_strategies(strategy, expected):
    assert strategy_id(strategy) == expected


class Custom:
    """A strategy as users write them."""

    def __init__(self, **params):
        vars(self).update(params)

    def decompose(self, artifact_id, raw, metadata=None):
        return IndexPlan()


class Slotted:
    __slots__ = ("size",)

    def __init__(self, size):
        self.size = size

    def decompose(self, artifact_id, raw, metadata=None):
        return IndexPlan()


def test_a_function_counts_by_its_name():
    assert '"deps_template": "irengine.strategy.strategies.default_deps_text"' in strategy_id(
        Package(deps_template=_default_deps_text)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], [2, 1]),
        ((1,), (2,)),
        ({"a": 1}, {"a": 2}),
        ({"a", "b"}, {"a"}),
        (len, sorted),
        (lambda deps: "a", lambda deps: "b"),
        (lambda deps: [d for d in deps if d], lambda deps: [d for d in deps if d != "x"]),
        (functools.partial(int, base=2), functools.partial(int, base=8)),
        (WholeText(), WholeText(kind="x")),
        (Path("a"), Path("b")),
    ],
)
def test_every_public_parameter_counts(one, other):
    assert strategy_id(Custom(p=one)) != strategy_id(Custom(p=other))


@pytest.mark.parametrize(
    "make",
    [
        lambda: [1, (2, {"b": 1, "a": {3, 1, 2}})],
        lambda: lambda deps: "a",
        lambda: functools.partial(int, base=2),
        lambda: Chunked(max_tokens=5),
        object,
    ],
)
def test_equal_parameters_give_equal_ids(make):
    assert strategy_id(Custom(p=make())) == strategy_id(Custom(p=make()))


def test_ids_hold_no_memory_addresses():
    assert "0x" not in strategy_id(Custom(a=object(), b=lambda: lambda: 1, c=[object()]))


def test_nested_strategies_count_by_their_id():
    inner = strategy_id(WholeText())
    assert strategy_id(Custom(strategy=WholeText())) == "Custom:" + json.dumps({"strategy": inner})


def test_private_working_state_does_not_count():
    assert strategy_id(Custom(a=1, _cache={"x": 1})) == strategy_id(Custom(a=1, _cache={}))


def test_a_class_may_say_itself_what_counts():
    class Own(Custom):
        def identity_params(self):
            return {"version": 2}

    assert strategy_id(Own(anything=[1])) == 'Own:{"version": 2}'


def test_slotted_strategies_have_an_id():
    assert strategy_id(Slotted(3)) == 'Slotted:{"size": 3}'


@pytest.mark.parametrize(
    "strategy",
    [
        WholeText(text_key="body", kind="note"),
        Chunked(chunk_size=10, overlap=3, max_tokens=7, token_model="m"),
        Skill(),
        Package(embed_deps=True),
        ClaudeTurn(include_full=True),
    ],
)
def test_round_trip_through_json(strategy):
    spec = json.loads(json.dumps(strategy_to_spec(strategy)))
    again = strategy_from_spec(spec)
    assert again == strategy
    assert strategy_id(again) == strategy_id(strategy)
    assert set(spec) == {"name", "params"}


def test_bools_stay_bools():
    again = strategy_from_spec(strategy_to_spec(Package(embed_deps=True)))
    assert again.embed_deps is True


@pytest.mark.parametrize("spec", [None, {}, ""])
def test_no_spec_no_strategy(spec):
    assert strategy_from_spec(spec) is None


def test_missing_params_are_defaults():
    assert strategy_from_spec({"name": "Chunked"}) == Chunked()


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match="unknown strategy 'Chunkd': known are Chunked, Claude"
    ) as e:
        strategy_from_spec({"name": "Chunkd", "params": {}})
    assert isinstance(e.value, ParameterError)
    assert "did you mean Chunked?" in e.value.hint


@pytest.mark.parametrize("error", [ParameterError, TypeError])
def test_an_unknown_parameter_is_refused_by_name(error):
    with pytest.raises(error, match="unknown parameter chunksize of strategy Chunked"):
        strategy_from_spec({"name": "Chunked", "params": {"chunksize": 5}})


def test_a_bad_value_is_refused_by_name():
    with pytest.raises(ParameterError, match="overlap"):
        strategy_from_spec({"name": "Chunked", "params": {"overlap": -5}})


@pytest.mark.parametrize("spec", ["Chunked", {"params": {}}, {"name": "Chunked", "params": [1]}])
def test_a_spec_of_the_wrong_shape_is_refused(spec):
    with pytest.raises(ParameterError):
        strategy_from_spec(spec)


def test_a_function_cannot_be_stored_and_is_named():
    with pytest.raises(ParameterError, match="deps_template of strategy Package"):
        strategy_to_spec(Package(deps_template=_default_deps_text))


def test_a_class_that_is_not_registered_cannot_be_stored():
    with pytest.raises(ParameterError, match="class Custom"):
        strategy_to_spec(Custom())


def test_a_class_of_the_same_name_is_not_the_registered_one():
    impostor = type("Skill", (Custom,), {})
    with pytest.raises(ParameterError, match="class Skill"):
        strategy_to_spec(impostor())


def test_a_registered_class_can_be_stored(monkeypatch):
    monkeypatch.setitem(STRATEGY_REGISTRY, "Custom", Custom)
    spec = strategy_to_spec(Custom(fields=("a", "b"), _cache={}))
    assert spec == {"name": "Custom", "params": {"fields": ["a", "b"]}}
    assert strategy_from_spec(spec).fields == ["a", "b"]


def test_the_registry_has_the_five_strategies():
    assert set(STRATEGY_REGISTRY) == {"WholeText", "Chunked", "Skill", "Package", "ClaudeTurn"}
