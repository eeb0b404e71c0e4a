"""A form of a few fields, checked while it is typed and once more when it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input, Static

from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.screens.dialog import Dialog
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.painting import Span, content_of
from irtui.tui.widgets.path_field import FolderField, PathField

__all__ = ["Blank", "Form"]

register_keys(
    (
        Key("form.next", "down", "app.focus_next", "next field", "to the next field", 5),
        Key("form.last", "up", "app.focus_previous", "field before", "to the field before"),
        Key("form.send", "ctrl+y", "send", "done", "send the form", 10),
    ),
    above=True,
)


@dataclass(frozen=True, slots=True)
class Blank:
    """One field: its key, what it is called, its first value, and what stands in it while empty.

    Tab completes the path of a ``folder``.
    """

    key: str
    label: str
    value: str = ""
    placeholder: str = ""
    needed: bool = False
    folder: bool = False


class Form(Dialog[None]):
    """Fields below each other. Enter in the last one, or ctrl+y anywhere, sends them.

    ``check(values)`` returns what is wrong while it is typed, or ``""``. ``send(form, values)``
    starts what is to be done; it closes the form with ``dismiss``, or says with :meth:`refuse`
    what is wrong. ``changed(form, values)`` may show lines below, with :meth:`tell`.
    """

    SCOPES = ("form",)
    BINDINGS = list(bindings("form"))
    DEFAULT_CSS = """
    Form .fields { height: auto; max-height: 50vh; }
    Form .row { height: 2; }
    Form .row > Static { height: 1; color: $ir-muted; }
    Form .row > Field { background: $panel; }
    Form .said { height: auto; max-height: 14; }
    Form .foot {
        height: auto; max-height: 3; dock: bottom; background: $surface; text-wrap: wrap;
    }
    """

    def __init__(
        self,
        title: str,
        blanks: Sequence[Blank],
        *,
        send: Callable[[Form, dict[str, str]], None],
        check: Callable[[Mapping[str, str]], str] | None = None,
        changed: Callable[[Form, dict[str, str]], None] | None = None,
        does: str = "saves",
    ) -> None:
        super().__init__()
        self._title, self._blanks = title, list(blanks)
        self._send, self._check, self._changed = send, check, changed
        self._does = does

    def compose(self) -> ComposeResult:
        """Show a label and a field for each."""
        with Vertical(classes="box") as box:
            box.border_title = content_of([("", self._title)])
            with VerticalScroll(classes="fields") as fields:
                fields.can_focus = False
                for blank in self._blanks:
                    with Vertical(classes="row"):
                        label = f"{blank.label}{' (needed)' if blank.needed else ''}"
                        yield Static(content_of([("", label)]), markup=False)
                        yield (FolderField if blank.folder else Field)(
                            blank.value,
                            placeholder=blank.placeholder,
                            compact=True,
                            id=f"field-{blank.key}",
                        )
            yield Static("", classes="said", markup=False)
            yield Static("", classes="foot", markup=False)

    def on_mount(self) -> None:
        """Type at once."""
        self.query(Input).first().focus()
        self._look()

    @property
    def values(self) -> dict[str, str]:
        """What stands in the fields, without blanks around."""
        return {
            blank.key: self.query_one(f"#field-{blank.key}", Field).value.strip()
            for blank in self._blanks
        }

    def tell(self, lines: Sequence[Sequence[Span]]) -> None:
        """Show lines below the fields."""
        from textual.content import Content

        self.query_one(".said", Static).update(Content("\n").join(map(content_of, lines)))

    def on_path_field_several(self, event: PathField.Several) -> None:
        """Say how the path may go on."""
        self.query_one(".foot", Static).update(content_of([("", "  ".join(event.names))]))

    def refuse(self, problem: str) -> None:
        """Say what is wrong."""
        self.query_one(".foot", Static).update(content_of([("failed", problem)]))

    def on_input_changed(self) -> None:
        """Look at what was typed."""
        self._look()
        if self._changed is not None:
            self._changed(self, self.values)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field; the last one sends."""
        fields = list(self.query(Field))
        at = next(place for place, field in enumerate(fields) if field is event.input)
        if at + 1 < len(fields):
            fields[at + 1].focus()
        else:
            self.action_send()

    def action_send(self) -> None:
        """Send the fields, when nothing is wrong."""
        problem = self._problem()
        if problem:
            self.refuse(problem)
        else:
            self._send(self, self.values)

    def _problem(self) -> str:
        values = self.values
        for blank in self._blanks:
            if blank.needed and not values[blank.key]:
                return f"{blank.label} is needed"
        return self._check(values) if self._check is not None else ""

    def _look(self) -> None:
        problem = self._problem()
        completes: list[Span] = [("title", "tab"), ("muted", " completes · ")]
        foot: list[Span] = [
            *(completes if any(blank.folder for blank in self._blanks) else ()),
            ("title", "enter"),
            ("muted", " next field · "),
            ("title", "ctrl+y"),
            ("muted", f" {self._does} · esc closes"),
        ]
        self.query_one(".foot", Static).update(
            content_of([("due", f"{problem}  "), *foot] if problem else foot)
        )
