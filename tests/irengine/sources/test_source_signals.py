"""The content hash: equal content, equal hash; defined for everything."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.sources import content_hash_signal

X = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("x", X),
        ({"text": "x", "project": "p"}, X),
        (b"x", X),
        ({"b": 1, "a": 2}, "d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772"),
    ],
)
def test_fixed_values(raw, expected):
    assert content_hash_signal("any id", raw) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\ufeffa", "a"),
        ("cafe\u0301", "café"),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}),
        ({"text": None}, ""),
        ({"text": 0}, ""),
        ({"text": 12}, "12"),
        (bytearray(b"a"), b"a"),
    ],
)
def test_equal_content(one, other):
    assert content_hash_signal("a", one) == content_hash_signal("a", other)


CYCLE: dict = {}
CYCLE["self"] = CYCLE


@pytest.mark.parametrize(
    "raw",
    [None, 3, 1.5, float("nan"), [1, "a"], ("t",), "\ud800", {"a": "\udfff"}, {1: 2, "a": b"b"}]
    + [{"text": ["x"]}, {"text": b"\xff"}, date(2024, 1, 2), object, CYCLE, {(1, 2): 3}],
)
def test_it_is_total(raw):
    first = content_hash_signal("a", raw)
    assert re.fullmatch("[0-9a-f]{64}", first)
    assert content_hash_signal("b", raw) == first


@given(st.text(), st.text())
def test_different_text_different_hash(one, other):
    same = content_hash_signal("", one) == content_hash_signal("", other)
    if one == other:
        assert same
    elif one.isascii() and other.isascii() and "\r" not in one + other:
        assert not same
