"""The table of keys: none that terminals cannot tell apart, no clashes, remapping."""

from __future__ import annotations

from pathlib import Path

import pytest

from irtui.tui.keys import KEYS, NEVER, Key, clashes, read_keymap, register_keys
from irtui.tui.modes import MODES


@pytest.fixture(scope="module", autouse=True)
def _every_mode() -> None:
    for mode in MODES.values():
        mode.make()
    import irtui.tui.screens.jobs
    import irtui.tui.screens.tray  # noqa: F401


def test_no_key_that_is_another_key_for_a_terminal() -> None:
    assert not {name for key in KEYS.values() for name in key.keys.split(",")} & NEVER


def test_nothing_is_reached_by_a_key_of_multiplexers_only() -> None:
    taken = {f"ctrl+{letter}" for letter in "abopsgnt"} | {"ctrl+q"}
    lonely = [key.id for key in KEYS.values() if set(key.keys.split(",")) <= taken]
    assert lonely == []


def test_no_plain_letter_comes_before_a_text_field() -> None:
    stolen = [key.id for key in KEYS.values() if key.priority and _has_letter(key)]
    assert stolen == []


def _has_letter(key: Key) -> bool:
    return any(len(name) == 1 for name in key.keys.split(","))


def test_every_key_says_what_it_does() -> None:
    assert [key.id for key in KEYS.values() if not (key.label and key.help and key.action)] == []


def test_the_table_has_no_clash() -> None:
    assert clashes({}) == []


def test_a_clash_is_said_in_words() -> None:
    assert clashes({"list.down": "q"}) == ["q means both app.quit and list.down"]


def test_keys_are_remapped_and_faults_are_named(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    assert read_keymap(file) == ({}, [])
    file.write_text(
        '[keys]\n"list.down" = "n, down"\n"list.upp" = "p"\n"list.top" = "ctrl+i"\n'
        '"app.palette" = "p"\n"list.end" = ""\n'
    )
    keymap, problems = read_keymap(file)
    assert keymap == {"list.down": "n,down"}
    assert len(problems) == 4
    for name in ("list.upp", "list.top", "app.palette", "list.end"):
        assert any(name in problem for problem in problems)
    file.write_text("[keys")
    assert read_keymap(file)[1][0].startswith("keys.toml:")


def test_the_keymap_of_vim_adds_keys_and_ones_own_come_after(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('keymap = "vim"\n')
    keymap, problems = read_keymap(file)
    assert problems == [] and clashes(keymap) == []
    assert set(keymap) <= set(KEYS)
    assert {"ctrl+f", "ctrl+d", "pagedown"} <= set(keymap["list.page_down"].split(","))
    file.write_text('keymap = "vim"\n[keys]\n"search.query" = "slash"\n')
    assert read_keymap(file)[0]["search.query"] == "slash"
    file.write_text('keymap = "emacs"\n')
    assert read_keymap(file) == ({}, ["keys.toml: there is no keymap 'emacs'; there is vim"])


def test_one_id_means_one_thing() -> None:
    with pytest.raises(ValueError, match="two keys are called"):
        register_keys([Key("app.quit", "x", "leave", "x", "x")])
    with pytest.raises(ValueError, match="cannot be told"):
        register_keys([Key("test.bad", "ctrl+m", "x", "x", "x")])
