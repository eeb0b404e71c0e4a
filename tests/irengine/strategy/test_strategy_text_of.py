"""What text a raw item has."""

from __future__ import annotations

import pytest

from irengine.strategy import text_of


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain", "plain"),
        ("", ""),
        (None, ""),
        (b"caf\xc3\xa9", "café"),
        (b"\xef\xbb\xbfafter a BOM", "after a BOM"),
        (b"bad \xff byte", "bad � byte"),
        (bytearray(b"ab"), "ab"),
        (42, "42"),
        ({"text": "body", "title": "head"}, "body"),
        ({"text": None, "title": "head"}, ""),
        ({"text": b"body"}, "body"),
        ({"title": "a", "size": 3, "note": "b", "tags": ["x"]}, "a\nb"),
        ({}, ""),
    ],
)
def test_text_of_each_kind_of_raw_item(raw, text):
    assert text_of(raw) == text


def test_text_key_wins_over_text():
    assert text_of({"text": "a", "body": "b"}, "body") == "b"


@pytest.mark.parametrize("record", [{}, {"body": None}, {"body": ""}])
def test_a_named_field_that_is_missing_or_empty_is_blank(record):
    assert text_of({"text": "a", **record}, "body") == ""


def test_text_key_does_not_apply_to_plain_text():
    assert text_of("plain", "body") == "plain"


def test_lone_surrogates_become_replacement_characters_one_for_one():
    assert text_of("a\ud800b\udc00") == "a�b�"
    assert text_of({"text": "x\udfff"}) == "x�"


def test_surrogate_pairs_are_joined():
    assert text_of("\ud83d\ude00!") == "😀!"


def test_every_result_can_be_written_as_utf8():
    text_of({"a": "\ud800", "b": "é"}).encode("utf-8")
