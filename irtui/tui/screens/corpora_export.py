"""Writing down how corpora are defined: to a file, or to the clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from irtui.commands.restating import FORMS, restated
from irtui.tui.exporting import unwritable
from irtui.tui.lanes import Answered
from irtui.tui.screens.asking import Choice, TextQuestion

if TYPE_CHECKING:
    from irtui.tui.screens.base import ModeScreen

__all__ = ["ask_export"]

_SUFFIXES = {"command": "sh", "all": "sh", "json": "json", "list": "json"}


def ask_export(screen: ModeScreen, name: str) -> None:
    """Ask what of a corpus is wanted, and where to; an empty place is the clipboard.

    ``name`` is the corpus of the cursor, ``""`` for one that is not registered.
    """
    app, live = screen.ir, screen.ir.live

    def chosen(form: str | None) -> None:
        if not form:
            return
        whose = "corpora" if form in ("all", "list") else name
        file = app.here / f"{whose}.{_SUFFIXES[form]}"
        question = "Write to (nothing: the clipboard)"
        app.push_screen(
            TextQuestion(question, value=str(file), check=_check, path=True),
            lambda to: send(form, to),
        )

    def send(form: str, to: str | None) -> None:
        if to is None or to.strip() and app.refuses("writing a file"):
            return
        place = to.strip()

        def work() -> str:
            text = live.call(restated, name, form)
            if place:
                Path(place).expanduser().write_text(text, encoding="utf-8")
            return text

        def told(answered: Answered) -> None:
            if answered.error is not None:
                screen.say(str(answered.error), "failed")
            elif place:
                screen.say(f"written to {place}", "ok")
            else:
                app.copy(answered.value, what=FORMS[form])

        screen.ask_once("export", work, told)

    forms = {form: text for form, text in FORMS.items() if name or form in ("all", "list")}
    app.push_screen(Choice("Export", forms), chosen)


def _check(place: str) -> str:
    return unwritable(place) if place.strip() else ""
