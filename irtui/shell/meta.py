"""``:`` commands: about the session, not the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from irengine.errors import nearest
from irtui import exit_codes
from irtui.commands.spec import UsageError
from irtui.grammar.binding import plain_words
from irtui.grammar.syntax import Session as Meta
from irtui.render.shapes import FORMATS
from irtui.shell.front import Front
from irtui.shell.names import value_of
from irtui.shell.saving import load, save, unsave
from irtui.shell.session import Session

__all__ = ["META", "PLAIN_VERBS", "Host", "MetaCommand", "run_meta", "setting_values"]


class Host(Protocol):
    """What a prompt can do that a script cannot."""

    def edit(self, text: str) -> str:
        """Let ``text`` be changed in the user's editor and return it."""

    def open_app(self, words: Sequence[str]) -> int:
        """Run the full-screen app, then come back; return its exit status."""

    def keys(self) -> str:
        """Return what the keys of the prompt do."""

    def restyle(self) -> None:
        """Look at the settings again: theme and keys."""


@dataclass(frozen=True, slots=True)
class MetaCommand:
    """A session command."""

    name: str
    usage: str
    summary: str
    run: Callable[[Session, list[str], Front], int]
    aliases: tuple[str, ...] = ()


def run_meta(session: Session, meta: Meta, front: Front) -> int:
    """Run a session command and return its exit status.

    Raises:
        UsageError: for one there is not, or words it does not take.
    """
    found = META.get(meta.name)
    if found is None:
        hint = nearest(meta.name, META) or ":help lists them"
        raise UsageError(f"there is no session command :{meta.name}", hint=hint)
    words = plain_words(meta.words, lambda ref: value_of(session, ref))
    return found.run(session, words, front)


def _help(session: Session, words: list[str], front: Front) -> int:
    """Explain everything, or one command."""
    del session
    from irtui.commands.registry import all_commands, lookup
    from irtui.render.help import command_help, shell_help
    from irtui.shell.verbs import VERBS

    if not words:
        verbs = [(command.name, command.summary) for command in all_commands()]
        verbs += [(verb.usage, verb.summary) for verb in VERBS.values()]
        metas = {id(each): each for each in META.values()}.values()
        front.write(shell_help(verbs, [(each.usage, each.summary) for each in metas]))
        return exit_codes.OK
    name = words[0]
    meta = META.get(name.removeprefix(":")) if name.startswith(":") else None
    own = meta or VERBS.get(name)
    if own is not None:
        front.write(f"usage: {own.usage}\n\n{own.summary[0].upper()}{own.summary[1:]}.\n")
    else:
        front.write(command_help(lookup(name).to_dict(), program=""))
    return exit_codes.OK


def setting_values() -> Mapping[str, tuple[str, ...]]:
    """Return what each setting can be; an empty tuple means any text."""
    from irtui.theme import load_themes

    switch = ("on", "off")
    return {
        "format": ("people", *FORMATS),
        "mode": ("default", "hybrid", "dense", "lexical"),
        "timing": switch,
        "pager": switch,
        "keys": ("emacs", "vi"),
        "theme": ("default", *sorted(load_themes()[0])),
    }


def _set(session: Session, words: list[str], front: Front) -> int:
    """List the settings, or change one."""
    values = setting_values()
    if not words:
        from irtui.commands.kept import chosen_theme

        settings = session.settings
        now = {
            "format": settings.form or "people",
            "mode": session.mode or "default",
            "timing": _switch(settings.timing),
            "pager": _switch(settings.pager),
            "keys": settings.edit,
            "theme": settings.theme or chosen_theme() or "default",
        }
        front.write("".join(f"{name:<7}  {value}\n" for name, value in now.items()))
        return exit_codes.OK
    name, *rest = words
    if name not in values:
        raise UsageError(
            f"there is no setting {name!r}", hint=nearest(name, values) or f"{', '.join(values)}"
        )
    if len(rest) != 1:
        raise UsageError(f"{name} needs one value", hint=", ".join(values[name]))
    (value,) = rest
    if value not in values[name]:
        raise UsageError(f"{name} cannot be {value!r}", hint=f"one of {', '.join(values[name])}")
    _change(session, name, value)
    if session.host is not None:
        session.host.restyle()
    return exit_codes.OK


def _change(session: Session, name: str, value: str) -> None:
    settings = session.settings
    if name == "format":
        settings.form = "" if value == "people" else value
    elif name == "mode":
        session.mode = "" if value == "default" else value
    elif name in ("timing", "pager"):
        setattr(settings, name, value == "on")
    elif name == "keys":
        settings.edit = value
    else:
        settings.theme = "" if value == "default" else value


def _switch(on: bool) -> str:
    return "on" if on else "off"


def _shortcut(name: str) -> Callable[[Session, list[str], Front], int]:
    """Return ``:name VALUE`` for ``:set name VALUE``; switches turn over without a value."""

    def run(session: Session, words: list[str], front: Front) -> int:
        if not words and name in ("timing", "pager"):
            now = session.settings.timing if name == "timing" else session.settings.pager
            words = [_switch(not now)]
            front.remarks.note(f"{name} is {words[0]}")
        return _set(session, [name, *words], front)

    return run


def _use(session: Session, words: list[str], front: Front) -> int:
    """Choose where commands look, or everything again."""
    from irtui.commands.engine import check_built
    from irtui.commands.where import named

    chosen = named(words)
    for name in chosen:
        check_built(name)
    session.corpora = tuple(chosen)
    shown = ", ".join(chosen) or "the corpus of this folder, else every built one"
    front.remarks.note(f"asked from now on: {shown}")
    return exit_codes.OK


def _vars(session: Session, words: list[str], front: Front) -> int:
    """List what can be spoken of."""
    _none(":vars", words)
    lines = []
    if session.last is not None:
        lines.append(("$_", f"{_rows(len(session.last.rows))} of {session.last.command}"))
    if session.listing is not None and session.listing.rows:
        count = len(session.listing.rows)
        lines.append(("$1" if count == 1 else f"$1-{count}", f"of {session.listing.command}"))
    if session.query:
        lines.append(("$q", session.query))
    lines.append(("$sel", _rows(len(session.selection.rows))))
    for name, held in sorted(session.named.items()):
        lines.append((f"${name}", f"{_rows(len(held.rows))} of {held.command}"))
    front.write_pairs(lines)
    return exit_codes.OK


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _history(session: Session, words: list[str], front: Front) -> int:
    """List the last lines."""
    count = _number(words, 20)
    first = max(0, len(session.lines) - count)
    numbered = enumerate(session.lines[first:], first + 1)
    front.write_pairs([(f"{number:>4}", line) for number, line in numbered])
    return exit_codes.OK


def _source(session: Session, words: list[str], front: Front) -> int:
    """Run a script in this session."""
    from irtui.shell.scripts import Script, file_source, run_script

    if not words:
        raise UsageError(":source needs a file")
    if session.depth >= _DEEPEST:
        raise UsageError("scripts run one another too deeply", hint="does one run itself?")
    script = Script(tuple(file_source(word) for word in words))
    interactive = session.interactive
    session.interactive, session.depth = False, session.depth + 1
    try:
        return run_script(session, script, front)
    finally:
        session.interactive, session.depth = interactive, session.depth - 1


def _edit(session: Session, words: list[str], front: Front) -> int:
    """Change a line of the history in the editor, and run it."""
    from irtui.shell.running import run_line

    host = _host(session)
    text = ""
    if session.lines:
        number = _number(words, len(session.lines))
        if number < 1 or number > len(session.lines):
            raise UsageError(f"the history has {_rows(len(session.lines))}")
        text = session.lines[number - 1]
    edited = host.edit(text).strip()
    if not edited or edited == text:
        front.remarks.note("nothing was changed, so nothing is run")
        return exit_codes.OK
    session.lines.append(edited)
    front.remarks.note(edited)
    return run_line(session, edited, front)


def _app(session: Session, words: list[str], front: Front) -> int:
    """Open the app."""
    del front
    host = _host(session)
    if not words:
        words = [word for name in session.corpora for word in ("--corpus", name)]
        words += ["--query", session.query] if session.query else []
    return host.open_app(words)


def _keys(session: Session, words: list[str], front: Front) -> int:
    """Say what the keys do, or change whose they are."""
    if words:
        return _set(session, ["keys", *words], front)
    front.write(_host(session).keys())
    return exit_codes.OK


def _quit(session: Session, words: list[str], front: Front) -> int:
    """End the session."""
    del front
    _none(":q", words)
    session.over = True
    return exit_codes.OK


def _host(session: Session) -> Host:
    if session.host is None:
        raise UsageError("this only works at a prompt", hint="irtui shell opens one")
    return session.host


def _none(name: str, words: list[str]) -> None:
    if words:
        raise UsageError(f"{name} takes nothing")


def _number(words: list[str], default: int) -> int:
    if not words:
        return default
    if len(words) > 1 or not words[0].isdecimal():
        raise UsageError(f"a number is needed, not {' '.join(words)!r}")
    return int(words[0])


_DEEPEST = 20

_ALL = (
    MetaCommand("help", ":help [COMMAND]", "what there is, or all about one command", _help),
    MetaCommand("use", ":use [CORPUS…]", "where commands look that name no corpus", _use),
    MetaCommand("set", ":set [NAME VALUE]", "list the settings, or change one", _set),
    MetaCommand("format", ":format FORM", "how results are shown", _shortcut("format")),
    MetaCommand("mode", ":mode MODE", "how commands rank that do not say so", _shortcut("mode")),
    MetaCommand("theme", ":theme NAME", "colours", _shortcut("theme")),
    MetaCommand("timing", ":timing [on|off]", "say how long commands took", _shortcut("timing")),
    MetaCommand("pager", ":pager [on|off]", "page what is too long", _shortcut("pager")),
    MetaCommand("vars", ":vars", "list $1, $_, $sel and named results", _vars),
    MetaCommand("save", ":save [NAME]", "keep $sel for later sessions, or list what is kept", save),
    MetaCommand("load", ":load NAME", "add a kept selection to $sel", load),
    MetaCommand("unsave", ":unsave NAME", "keep a selection no longer", unsave),
    MetaCommand("history", ":history [N]", "the last lines", _history),
    MetaCommand("source", ":source FILE…", "run a script in this session", _source),
    MetaCommand("edit", ":edit [N]", "change a line in the editor, and run it", _edit),
    MetaCommand("keys", ":keys [emacs|vi]", "what the keys of the prompt do", _keys),
    MetaCommand("tui", ":tui", "open the app, and come back", _app),
    MetaCommand("quit", ":q", "leave", _quit, ("q", "exit")),
)
META: Mapping[str, MetaCommand] = {
    name: each for each in _ALL for name in (each.name, *each.aliases)
}
"""Session commands by name and alias."""

PLAIN_VERBS: Mapping[str, str] = {
    "help": "help",
    "run": "source",
    "history": "history",
    "exit": "quit",
    "quit": "quit",
}
"""Session commands that are also understood without their colon."""
