"""Choosing among many values of a field, or a range of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from irtui.render.clean import clean_line
from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.screens.dialog import Dialog
from irtui.tui.screens.listing import PlainRows
from irtui.tui.screens.narrowing import Narrowed
from irtui.tui.widgets.painting import Span, content_of

__all__ = ["RangePicker", "ValuePicker", "range_problem"]

register_keys(
    (
        Key("range.from", "space", "mark", "from here", "begin the range at this bar", 10),
        Key("range.type", "t", "type", "type it", "type both ends", 12),
        Key("values.down", "down", "rows(1)", "down", "one value down", 5),
        Key("values.up", "up", "rows(-1)", "up", "one value up"),
        Key("values.page_down", "pagedown", "rows(12)", "page", "a page of values down"),
        Key("values.page_up", "pageup", "rows(-12)", "page up", "a page of values up"),
    ),
    above=True,
)
_BAR = 24


class ValuePicker(Narrowed):
    """All values of a field with their counts; typing narrows them, enter takes or gives up one.

    ``chosen(value)`` is called for each; what is chosen is shown at once.
    """

    SCOPES = ("values",)
    BINDINGS = list(bindings("values"))
    PLACEHOLDER = "type to find a value"
    FOOT = "enter takes a value or gives it up · esc closes"

    def __init__(self, facet: Mapping[str, Any], chosen: Callable[[Any], None]) -> None:
        super().__init__()
        self._facet = facet
        self._values = [dict(each) for each in facet["values"]]
        self._take = chosen
        self.on_open = self._chosen

    def heading(self) -> str:
        """Return the field and how many values it has."""
        return f"{self._facet['field']}: {len(self._values):,}"

    def on_input_submitted(self) -> None:
        """Take the value of the cursor."""
        self.query_one(PlainRows).action_open()

    def action_rows(self, by: int) -> None:
        """Move through the values while typing."""
        self.query_one(PlainRows).action_cursor(by)

    def rows_for(self, words: Sequence[str]) -> list[tuple[str, list[Span]]]:
        """Return the values with these words."""
        rows: list[tuple[str, list[Span]]] = []
        for place, each in enumerate(self._values):
            text = clean_line(str(each["value"]))
            if all(word in text.casefold() for word in words):
                role, dot = ("selected", "◉") if each["chosen"] else ("", "○")
                spans = [(role, f" {dot} "), ("muted", f"{each['count']:>7,}  "), (role, text)]
                rows.append((str(place), spans))
        return rows or [("", [("muted", " no value is like this")])]

    def _chosen(self, key: str) -> None:
        if key:
            value = self._values[int(key)]
            value["chosen"] = not value["chosen"]
            self._take(value["value"])
            self.narrow()


class RangePicker(Dialog[str]):
    """A histogram of a field; the answer is a range in the query language, or ``""`` for none."""

    SCOPES = ("range", "list")
    BINDINGS = list(bindings("range"))
    DEFAULT_CSS = """
    RangePicker PlainRows { height: auto; max-height: 18; }
    """

    def __init__(self, facet: Mapping[str, Any]) -> None:
        super().__init__()
        self._facet = facet
        self._from: int | None = None

    def compose(self) -> ComposeResult:
        """Show the bars."""
        with Vertical(classes="box") as box:
            box.border_title = content_of([("", str(self._facet["field"]))])
            yield PlainRows(on_open=self._chosen, on_move=lambda _: self._tell())
            yield Static("", classes="foot", markup=False)

    def on_mount(self) -> None:
        """Show all bars, and how to be rid of a range."""
        rows = self.query_one(PlainRows)
        rows.styles.height = min(18, len(self._facet["bins"]) + 1)
        self._show()
        rows.focus()

    def action_mark(self) -> None:
        """Begin the range here; again: begin it nowhere."""
        at = self.query_one(PlainRows).at
        self._from = None if self._from == at else at
        self._show()

    def action_type(self) -> None:
        """Type both ends."""
        from irtui.tui.screens.asking import TextQuestion

        bins = self._facet["bins"]
        value = f"{bins[0]['low']}..{bins[-1]['high']}"
        question = TextQuestion(
            f"{self._facet['field']} from..to, one of them may be left out",
            value=value,
            check=range_problem,
        )

        def typed(text: str | None) -> None:
            if text:
                self.dismiss(text.strip())

        self.app.push_screen(question, typed)

    def _show(self) -> None:
        bins = self._facet["bins"]
        most = max((each["count"] for each in bins), default=1) or 1
        rows: list[tuple[str, list[Span]]] = []
        for place, each in enumerate(bins):
            filled = "█" * round(_BAR * each["count"] / most) or ("▏" if each["count"] else "")
            mark: Span = ("selected", " ▸ ") if place == self._from else ("", "   ")
            rows.append(
                (
                    str(place),
                    [
                        mark,
                        ("", f"{each['label']:<24}"),
                        ("score", f" {filled:<{_BAR}}"),
                        ("muted", f" {each['count']:,}"),
                    ],
                )
            )
        rows.append(("any", [("muted", "   any: take the condition away")]))
        self.query_one(PlainRows).show_rows(rows)
        self._tell()

    def _ends(self, at: int) -> str:
        bins = self._facet["bins"]
        first, last = sorted((at if self._from is None else self._from, at))
        low, high = bins[first]["low"], bins[min(last, len(bins) - 1)]["high"]
        return str(low) if low == high else f"{low}..{high}"

    def _tell(self) -> None:
        rows = self.query_one(PlainRows)
        any_value = rows.key_at_cursor == "any"
        wanted = "any value" if any_value else self._ends(rows.at)
        self.query_one(".foot", Static).update(
            content_of(
                [
                    ("title", "enter"),
                    ("muted", " takes "),
                    ("", wanted),
                    ("muted", " · "),
                    ("title", "space"),
                    ("muted", " begins here · "),
                    ("title", "t"),
                    ("muted", " types it · esc"),
                ]
            )
        )

    def _chosen(self, key: str) -> None:
        self.dismiss("" if key == "any" else self._ends(int(key)))


def range_problem(text: str) -> str:
    """Return what is wrong with a typed range, or ``""``."""
    from irtui.grammar import parse_query
    from irtui.grammar import values as written
    from irtui.grammar.query.syntax import Between, Field

    wanted = text.strip()
    clauses = parse_query(f"x:{wanted}").clauses
    if len(clauses) != 1 or not isinstance(clauses[0], Field) or not wanted:
        return "write 2019..2023, 2019.. or ..2024-06"
    match = clauses[0].match
    if isinstance(match, Between):
        ends = [each for each in (match.low, match.high) if each is not None]
    else:
        values = getattr(match, "values", ())
        ends = list(values) if len(values) == 1 else []
        if not ends or written.range_of(ends[0]) is None and ends[0].number is None:
            return "" if ends and ends[0].is_dated else "write 2019..2023, 2019.. or ..2024-06"
    wrong = next((problem for each in ends if (problem := written.date_problem(each))), "")
    return wrong or (written.range_problem(*ends) if len(ends) == 2 else "")
