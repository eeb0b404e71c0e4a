"""Changing when a corpus is brought up to date, with the next times shown while one types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from irtui.commands.curating import change_definition
from irtui.commands.upkeep import next_times
from irtui.tui.lanes import Answered
from irtui.tui.screens.asking import Choice
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.form import Blank, Form

__all__ = ["ask_policy"]

_WAYS = {
    "source-change": "whenever its files have changed, at each run of maintenance",
    "cron": "at fixed times: 30 4 * * mon-fri, in a time zone",
    "hours": "every so many hours",
    "manual": "only when asked",
}
_CLOCKS = (
    "Where clocks jump ahead a time that is left out comes at the jump; one that comes twice, once."
)


def ask_policy(
    screen: ModeScreen,
    name: str,
    policy: Mapping[str, Any],
    changed: Callable[[str], None],
) -> None:
    """Ask how a corpus is to be kept up to date, change it, and call ``changed(name)``."""
    reindex = policy.get("reindex", {})

    def save(form: Form | None, changes: dict[str, Any]) -> None:
        live = screen.ir.live

        def told(answered: Answered) -> None:
            if answered.error is None:
                if form is not None:
                    form.dismiss(None)
                changed(name)
            elif form is not None:
                form.refuse(str(answered.error))
            else:
                screen.say(str(answered.error), "failed")

        screen.ask_once("policy", lambda: live.call(change_definition, name, changes), told)

    def chosen(way: str | None) -> None:
        if way == "cron":
            screen.app.push_screen(_cron_form(screen, name, reindex, save))
        elif way == "hours":
            screen.app.push_screen(_hours_form(name, reindex, save))
        elif way:
            save(None, {"on": way})

    screen.app.push_screen(Choice(f"Bring {name} up to date", _WAYS), chosen)


_Save = Callable[["Form | None", dict[str, Any]], None]


def _cron_form(screen: ModeScreen, name: str, reindex: Mapping[str, Any], save: _Save) -> Form:
    live = screen.ir.live

    def changed(form: Form, values: Mapping[str, str]) -> None:
        wanted = dict(values)

        def told(answered: Answered) -> None:
            if not form.is_attached:
                return
            if answered.error is not None:
                hint = getattr(answered.error, "hint", "")
                form.tell([[("failed", str(answered.error))], [("muted", hint)]])
            else:
                lines = [[("muted", "  "), ("", each)] for each in answered.value]
                form.tell([[("heading", "next times")], *lines, [("muted", _CLOCKS)]])

        screen.ask_once("times", lambda: live.call(next_times, wanted), told)

    def send(form: Form, values: dict[str, str]) -> None:
        save(form, {"on": "interval", "cron": values["cron"], "zone": values["zone"] or None})

    return Form(
        f"Times of {name}",
        [
            Blank(
                "cron",
                "minute hour day month weekday",
                str(reindex.get("cron") or "30 4 * * *"),
                "30 4 * * mon-fri, or @daily",
                needed=True,
            ),
            Blank("zone", "time zone", str(reindex.get("zone") or ""), "that of this machine"),
        ],
        send=send,
        changed=changed,
    )


def _hours_form(name: str, reindex: Mapping[str, Any], save: _Save) -> Form:
    def check(values: Mapping[str, str]) -> str:
        try:
            hours = float(values["hours"])
        except ValueError:
            return "a number of hours"
        return "" if 0 < hours < 100_000 else "a number of hours above 0"

    def send(form: Form, values: dict[str, str]) -> None:
        save(form, {"on": "interval", "every_hours": float(values["hours"])})

    hours = reindex.get("every_hours")
    value = f"{hours:g}" if isinstance(hours, (int, float)) and hours else "6"
    return Form(
        f"Bring {name} up to date", [Blank("hours", "every … hours", value, needed=True)],
        send=send, check=check,
    )  # fmt: skip
