"""Words of a command line become the arguments of a command.

GNU habits: ``--name value``, ``--name=value``, ``-n5``, ``-n 5``, bundled flags, options before
or after the positionals, ``--`` ends the options. A repeated option that takes one value is an
error, as is anything nobody declared.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Sequence
from typing import Any

from irtui.commands.spec import Command, Param, UsageError

__all__ = ["check_value", "convert", "default_of", "parse_arguments", "read_json"]

_NEGATIVE_NUMBER = re.compile(r"-\d+(\.\d+)?")
_RANGE = re.compile(r"(\d{1,9})(?:-|:|\.\.|,)(\d{1,9})", re.ASCII)
_SORTS = ("--sort", "--sort-by", "--order", "--order-by")


def parse_arguments(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Return the value of every parameter of ``command``, defaults filled in.

    Raises:
        UsageError: for an unknown option, a missing or surplus value, or one of the wrong type.
    """
    values: dict[str, Any] = {}
    positionals: list[str] = []
    options = {flag: param for param in command.every_param for flag in param.flags}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            positionals += rest
            break
        number = _NEGATIVE_NUMBER.fullmatch(word) and word not in options
        if not word.startswith("-") or word == "-" or number:
            positionals.append(word)
        else:
            _take_option(command, options, word, rest, values)
    _take_positionals(command, positionals, values)
    for param in command.every_param:
        if param.name not in values:
            if param.required:
                raise UsageError(f"{param.label} is missing", hint=_example(command, param))
            values[param.name] = default_of(param)
    return values


def _take_option(
    command: Command,
    options: dict[str, Param],
    word: str,
    rest: list[str],
    values: dict[str, Any],
) -> None:
    """Read one option word, and its value from ``rest`` when it is not attached."""
    if word.startswith("--"):
        flag, attached, value = word.partition("=")
    else:
        flag, value = word[:2], word[2:]
        attached = value and value[:1]
        value = value.removeprefix("=")
    param = options.get(flag)
    if param is None:
        parts = (_dashed(command, word), _see(command))
        hint = _elsewhere(command, flag, value or next(iter(rest), "FIELD"))
        hint = hint or _near(flag, options) or "; ".join(filter(None, parts))
        raise UsageError(f"{command.name} has no option {flag}", hint=hint)
    if param.type == "flag":
        if attached and word.startswith("--"):
            raise UsageError(f"{flag} takes no value")
        values[param.name] = True
        if attached:
            rest.insert(0, f"-{word[2:]}")
        return
    if not attached:
        if not rest:
            raise UsageError(f"{flag} needs a value: {param.value_name}", hint=_see(command))
        value = rest.pop(0)
    try:
        converted = convert(param, value)
    except UsageError as error:
        if attached and not word.startswith("--"):
            error.hint = error.hint or _dashed(command, word)
        raise
    if param.many:
        values.setdefault(param.name, []).append(converted)
    elif param.name in values:
        raise UsageError(f"{param.label} is given twice")
    else:
        values[param.name] = converted


def _elsewhere(command: Command, flag: str, value: str) -> str:
    """Return where to say what an option of another program says."""
    if flag in _SORTS and any(param.name == "query" for param in command.params):
        key = "FIELD" if value.startswith("--") else value.removeprefix("-")
        return f"sort:{key} within the query sorts; sort:-{key} the other way round"
    return ""


def _dashed(command: Command, word: str) -> str:
    """Return how a word that begins with a dash is no option, where it could be a name."""
    if not any(param.positional for param in command.params):
        return ""
    return f"put -- before a name or word that begins with a dash, or write ./{word} for a file"


def _take_positionals(command: Command, words: list[str], values: dict[str, Any]) -> None:
    left = list(words)
    for param in command.params:
        if not param.positional or not left:
            continue
        if param.many:
            values[param.name] = [convert(param, word) for word in left]
            left = []
        else:
            values[param.name] = convert(param, left.pop(0))
    if left:
        raise UsageError(
            f"{command.name} does not know what to do with {left[0]!r}",
            hint=_as_option(command, left[0]) or _example(command),
        )


def _as_option(command: Command, word: str) -> str:
    """Return how to name a corpus to a command that takes it as an option, else nothing."""
    if any(param.positional for param in command.params):
        return ""
    named = next((param for param in command.params if param.type == "corpus"), None)
    if named is None:
        return ""
    return f"a corpus is named as {named.flags[0]} {shlex.quote(word)}; {_see(command)}"


def convert(param: Param, word: str) -> Any:
    """Return ``word`` as a value of the type of ``param``.

    Raises:
        UsageError: when it is none, or below the least allowed value.
    """
    if not param.raw and param.type != "path":
        word = _as_utf8(word)
    if param.type == "int":
        return _whole(param, word)
    if param.type == "number":
        return _number(param, word)
    if param.type == "json":
        return _json(param, word)
    if param.choices and word not in param.choices:
        raise UsageError(
            f"{param.label} cannot be {word!r}", hint=f"choose {', '.join(param.choices)}"
        )
    return word


def _as_utf8(word: str) -> str:
    """Return a word whose bytes the locale could not decode as the UTF-8 it was typed in.

    Python keeps such bytes as lone surrogates, which open the right file but mean nothing as
    text. Bytes that are no UTF-8 either are spelled as in the ids of files that are called so.
    """
    if not any("\ud800" <= letter <= "\udfff" for letter in word):
        return word
    try:
        return os.fsencode(word).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # surrogates that stand for no bytes
        return word.encode("utf-8", "replace").decode("utf-8")


def _whole(param: Param, word: str) -> int:
    try:
        value = int(word)
    except ValueError:
        hint = ""
        if param.name in ("first", "lines") and (ends := _RANGE.fullmatch(word)):
            first, last = sorted(map(int, ends.groups()))
            count = last - first + 1
            hint = f"these are --from {first} --lines {count}, or NAME:{first}:{count}"
        raise UsageError(f"{param.label} must be a whole number, not {word!r}", hint=hint) from None
    if param.least is not None and value < param.least:
        raise UsageError(f"{param.label} must be at least {param.least}, not {value}")
    return value


def _number(param: Param, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise UsageError(f"{param.label} must be a number, not {word!r}") from None
    if not math.isfinite(value):
        raise UsageError(f"{param.label} must be a number, not {word!r}")
    return int(value) if value.is_integer() else value


def _json(param: Param, word: str) -> Any:
    try:
        return read_json(word)
    except ValueError as error:
        raise UsageError(
            f"{param.label} must be JSON: {error}", hint="""for example '{"year": 2026}'"""
        ) from None


def read_json(word: str) -> Any:
    """Return the JSON value ``word`` stands for.

    Raises:
        ValueError: when it is no JSON, or nested too deeply to be read.
    """
    import json

    try:
        return json.loads(word)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def default_of(param: Param) -> Any:
    """Return the value of a parameter that is not given."""
    if param.type == "flag":
        return False
    return [] if param.many and param.default is None else param.default


def check_value(param: Param, value: Any) -> Any:
    """Return a value given in this process, when it is one that ``param`` can have.

    Text is read as on a command line, for a ``filter`` also an object; ``None`` is the default.

    Raises:
        UsageError: when it is of another type or out of range.
    """
    if value is None:
        return default_of(param)
    if param.many:
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        return [_checked(param, each) for each in values]
    return _checked(param, value)


def _checked(param: Param, value: Any) -> Any:
    if param.type == "flag":
        if not isinstance(value, bool):
            raise UsageError(f"{param.label} is true or false, not {value!r:.60}")
        return value
    if isinstance(value, str):
        return convert(param, value)
    if param.type == "json" or (param.type == "filter" and isinstance(value, dict)):
        return value
    if param.type in ("int", "number") and not isinstance(value, bool):
        if isinstance(value, int) or (isinstance(value, float) and param.type == "number"):
            return convert(param, str(value))
    elif param.type == "path" and hasattr(value, "__fspath__"):
        return os.fsdecode(value)
    elif param.type == "text" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise UsageError(f"{param.label} cannot be {value!r:.60}")


def _near(flag: str, options: dict[str, Param]) -> str:
    from irengine.errors import nearest

    return nearest(flag, options)


def _example(command: Command, missing: Param | None = None) -> str:
    """Return what may be given, an example, and where to read more."""
    parts = []
    if missing is not None and missing.choices:
        parts.append(f"{missing.label} is one of {', '.join(missing.choices)}")
    if command.examples:
        parts.append(f"for example: {command.examples[0]}")
    return "; ".join([*parts, _see(command)])


def _see(command: Command) -> str:
    return f"see irtui {command.name} --help"
