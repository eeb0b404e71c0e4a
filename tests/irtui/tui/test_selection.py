"""The tray keeps an order; exports and citations say where things are; editors get their line."""

from __future__ import annotations

import pytest

from irtui.tui.editor import editor_command
from irtui.tui.exporting import citation, exported
from irtui.tui.searching import debounce
from irtui.tui.selection import Picked, Tray, tokens_in


def picked(name: str, **more: object) -> Picked:
    row = {"title": name.title(), "artifact_id": f"{name}.md", "source": "notes", **more}
    return Picked(f"notes\0{name}.md", row, "q", "hybrid", 1, 0.5, 0.0, tokens=10)


def names(tray: Tray) -> list[str]:
    return [item.title for item in tray]


def test_the_order_is_that_of_selecting_and_can_be_changed() -> None:
    tray = Tray()
    assert tray.add([picked("a"), picked("b"), picked("c"), picked("a")]) == 3
    tray.move("notes\0c.md", -1)
    assert names(tray) == ["A", "C", "B"]
    tray.move("notes\0a.md", -5)
    tray.move("notes\0a.md", 9)
    assert names(tray) == ["C", "B", "A"]
    tray.move("nobody", 1)
    assert tray.drop(["notes\0b.md", "nobody"]) == 1
    assert (names(tray), tray.tokens) == (["C", "A"], 20)


def test_toggling_takes_in_and_puts_out() -> None:
    tray = Tray()
    tray.add([picked("a")])
    assert tray.toggle([picked("a"), picked("b"), picked("c")]) == 1
    assert names(tray) == ["B", "C"]


def test_a_change_is_told_once_and_only_when_there_is_one() -> None:
    told: list[int] = []
    tray = Tray(lambda: told.append(len(tray)))
    tray.add([picked("a"), picked("b")])
    tray.add([picked("a")])
    tray.drop(["nobody"])
    assert told == [2]
    tray.reveal("notes\0a.md", 4, 99)
    tray.clear()
    assert told == [2, 2, 0]


def test_revealing_changes_what_the_budget_counts() -> None:
    tray = Tray()
    tray.add([picked("a"), picked("b")])
    tray.reveal("notes\0a.md", 4, 500)
    item = tray.get("notes\0a.md")
    assert item is not None and (item.level, tray.tokens) == (4, 510)
    assert names(tray) == ["A", "B"]


def test_a_token_is_four_bytes() -> None:
    assert [tokens_in(text) for text in ("", "a", "abcd", "abcde", "漢字")] == [0, 1, 1, 2, 2]


def test_a_citation_says_where() -> None:
    row = {"title": "Keys", "artifact_id": "k.md", "source": "notes", "path": None, "line": None}
    assert citation(row) == "Keys (notes/k.md)"
    assert citation({**row, "path": "/n/k.md", "line": 7, "docid": "#abc"}) == (
        "Keys (/n/k.md:7) #abc"
    )


def test_paths_are_written_once_and_an_unknown_format_is_an_error() -> None:
    items = [(picked("a", path="/n/a.md"), ""), (picked("a2", path="/n/a.md"), "")]
    assert exported(items, "paths") == "/n/a.md\n"
    with pytest.raises(ValueError, match="md, jsonl, paths"):
        exported(items, "pdf")


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+12", "/a b.md"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+12", "/a b.md"]),
        ("code", ["code", "--wait", "--goto", "/a b.md:12"]),
        ("hx", ["hx", "/a b.md:12"]),
        ("some-editor --flag", ["some-editor", "--flag", "/a b.md"]),
        ("it's broken", ["it's broken", "/a b.md"]),
    ],
)
def test_an_editor_gets_the_line_the_way_it_takes_it(editor: str, command: list[str]) -> None:
    assert editor_command("/a b.md", 12, editor=editor) == command


def test_the_environment_chooses_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.setenv("VISUAL", "hx")
    assert editor_command("a", 1) == ["hx", "a:1"]
    monkeypatch.setenv("VISUAL", "")
    assert editor_command("a", 1) == ["vi", "+1", "a"]


def test_a_fast_engine_is_asked_at_once_and_a_slow_one_after_a_moment() -> None:
    assert [debounce(pace) for pace in (0.0, 0.039, 0.05, 0.12, 0.3)] == [
        0.0,
        0.0,
        0.04,
        0.04,
        0.09,
    ]
