"""Ledger and links files: valid JSON, found by bisection, merged without parsing."""

from __future__ import annotations

import json

import pytest

from irengine.store.changes import MAX_SEGMENTS, layers_to_merge
from irengine.store.tables import Layer, Table, merge_layers, write_layer

KEYS = ["", "a", "a/b", "b", "é", "日記", 'quote"', "tab\t", "line\nend", "\ud800", "zz"]


def layer(folder, name, entries) -> Layer:
    write_layer(folder / name, entries)
    return Layer(folder / name)


@pytest.mark.parametrize("count", range(len(KEYS) + 1))
def test_every_key_is_found_and_no_other(tmp_path, count):
    entries = {key: {"n": number, "key": key} for number, key in enumerate(KEYS[:count])}
    found = layer(tmp_path, "t.json", entries)
    assert json.loads((tmp_path / "t.json").read_bytes()) == entries == found.parsed()
    table = Table([found])
    for key in KEYS:
        assert table.get(key) == entries.get(key)
    for key in ("A", "a/", "a/bc", "zzz"):
        assert key not in table
    assert dict(table) == entries and len(table) == count


def test_many_keys_are_found(tmp_path):
    entries = {f"key {number * 7919 % 10007}": number for number in range(3000)}
    table = Table([layer(tmp_path, "t.json", entries)])
    assert all(table[key] == value for key, value in entries.items())
    assert "key 10007" not in table


def test_later_layers_win_and_null_removes(tmp_path):
    layers = [
        layer(tmp_path, "1", {"a": 1, "b": 1, "c": 1}),
        layer(tmp_path, "2", {"b": 2, "c": None}),
        layer(tmp_path, "3", {"d": 3, "a": None}),
    ]
    assert dict(Table(layers)) == {"b": 2, "d": 3}
    assert Table(layers).get("c") is None
    merge_layers(layers, tmp_path / "all", bottom=True)
    assert json.loads((tmp_path / "all").read_text()) == {"b": 2, "d": 3}
    merge_layers(layers[1:], tmp_path / "upper", bottom=False)
    assert Layer(tmp_path / "upper").parsed() == {"a": None, "b": 2, "c": None, "d": 3}
    assert dict(Table([layers[0], Layer(tmp_path / "upper")])) == {"b": 2, "d": 3}


def test_a_layer_is_never_overwritten(tmp_path):
    write_layer(tmp_path / "t", {})
    with pytest.raises(FileExistsError):
        write_layer(tmp_path / "t", {})


def test_each_entry_is_rewritten_a_few_times_only():
    sizes: list[int] = []
    written = 0
    steps = 2000
    for _ in range(steps):
        taken = layers_to_merge(sizes, 1)
        merged = 1 + sum(sizes[len(sizes) - taken :])
        sizes[len(sizes) - taken :] = [merged]
        written += merged
        assert len(sizes) <= MAX_SEGMENTS
    assert sum(sizes) == steps
    assert written < 12 * steps
