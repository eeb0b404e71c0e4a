"""Intervals and paired tests: repeatable, and right where the right answer is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from irengine.errors import ParameterError
from irengine.eval import (
    bootstrap_interval,
    bootstrap_intervals,
    evaluate_discovery,
    paired_comparison,
)


def test_the_interval_is_that_of_the_normal_law_for_many_values():
    values = np.random.default_rng(1).normal(0.5, 0.2, size=400)
    low, high = bootstrap_interval(values.tolist(), resamples=4000)
    error = values.std() / 20
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.2 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.2 * error)


def test_equal_seeds_give_equal_intervals():
    values = [0.0, 1.0, 0.5, 0.25, 1.0]
    assert bootstrap_interval(values, seed=4) == bootstrap_interval(values, seed=4)
    assert bootstrap_interval(values, seed=4) != bootstrap_interval([*values[:-1], 0.9], seed=4)


def test_values_that_do_not_vary_have_no_width():
    assert bootstrap_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)
    assert bootstrap_interval([0.7]) == (0.7, 0.7)


def test_more_confidence_is_a_wider_interval():
    values = np.random.default_rng(2).random(50).tolist()
    narrow, wide = (bootstrap_interval(values, confidence=c) for c in (0.5, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_several_figures_share_their_draws():
    values = np.random.default_rng(3).random(30)
    found = bootstrap_intervals({"a": values.tolist(), "b": (values + 1).tolist()})
    assert found["b"] == pytest.approx(tuple(edge + 1 for edge in found["a"]))
    assert bootstrap_intervals({}) == {}


def test_the_p_value_is_that_of_all_sign_patterns():
    before = [0.1, 0.4, 0.3, 0.8, 0.5, 0.2, 0.6, 0.4]
    after = [0.5, 0.6, 0.2, 0.9, 0.9, 0.5, 0.6, 0.7]
    differences = np.subtract(after, before)
    patterns = np.array(list(itertools.product((1, -1), repeat=len(differences))))
    means = np.abs(patterns @ differences)
    exact = np.mean(means >= abs(differences.sum()) - 1e-12)
    found = paired_comparison(before, after, resamples=40_000)
    assert found.p_value == pytest.approx(exact, abs=0.005)
    assert found.mean_difference == pytest.approx(differences.mean())
    assert (found.wins, found.ties, found.losses, found.n) == (6, 1, 1, 8)
    assert found.low < found.mean_difference < found.high


def test_the_same_run_twice_does_not_differ():
    found = paired_comparison([0.2, 0.4, 0.9], [0.2, 0.4, 0.9])
    assert (found.mean_difference, found.low, found.high, found.p_value) == (0, 0, 0, 1.0)


def test_swapping_the_runs_swaps_the_sign_only():
    one, other = [0.1, 0.5, 0.3, 0.7], [0.4, 0.6, 0.2, 0.9]
    there, back = paired_comparison(one, other), paired_comparison(other, one)
    assert there.mean_difference == -back.mean_difference
    assert (there.p_value, there.wins, there.losses) == (back.p_value, back.losses, back.wins)


@pytest.mark.parametrize("values", [[], [float("nan")], [float("inf"), 1.0], ["much"], [[1], []]])
def test_values_that_are_none_are_refused(values):
    with pytest.raises(ParameterError, match="finite"):
        bootstrap_interval(values)


def test_arguments_out_of_range_are_refused():
    with pytest.raises(ParameterError, match="same queries"):
        paired_comparison([1.0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="confidence"):
        bootstrap_interval([1.0], confidence=0)
    with pytest.raises(ParameterError, match="resamples"):
        bootstrap_interval([1.0], resamples=0)
    with pytest.raises(ParameterError, match="differ in length"):
        bootstrap_intervals({"a": [1.0], "b": [1.0, 2.0]})


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None, True])
def test_a_seed_is_a_whole_number_from_0(seed, pets):
    for ask in (
        lambda: bootstrap_interval([1.0], seed=seed),
        lambda: paired_comparison([1.0], [2.0], seed=seed),
        lambda: evaluate_discovery(pets, [], seed=seed),
    ):
        with pytest.raises(ParameterError, match="seed"):
            ask()
