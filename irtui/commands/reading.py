"""``get`` and ``multi-get``: the text of documents, by any name they have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irtui import exit_codes
from irtui.commands.context import Context
from irtui.commands.documents import document
from irtui.commands.naming import opened
from irtui.commands.options import CORPUS
from irtui.commands.registry import command
from irtui.commands.shapes import GOT, GOT_SEVERAL
from irtui.commands.spec import Param, Result, UsageError
from irtui.commands.targets import Found, matching, resolve

if TYPE_CHECKING:
    from irengine.errors import IrError
    from irengine.index import Corpus

__all__ = ["get", "multi_get"]

_PLACE = re.compile(r"(.+?):(\d+)(?::(\d+))?", re.DOTALL)
_RANGE = re.compile(r"(.+?):(\d+)-(\d+)", re.DOTALL)
_WILD = frozenset("*?[{")

_MAX_CHARS = Param(
    "max_chars",
    "at most this many characters of each text",
    "int",
    ("--max-chars",),
    metavar="N",
    least=0,
)
_NUMBERS = Param("line_numbers", "show the number of each line", "flag", ("-N", "--line-numbers"))


@command(
    "get",
    "print a document, or a part of it",
    Param(
        "target",
        "an id, #docid, path, corpus/id, the end of a path, a name or alias; :LINE and "
        ":LINE:COUNT may follow",
        required=True,
    ),
    CORPUS,
    Param("section", "only the section under this heading", flags=("--section",), metavar="TITLE"),
    Param("first", "begin with this line", "int", ("--from",), metavar="LINE", least=1),
    Param("lines", "so many lines", "int", ("-l", "--lines"), metavar="N", least=0),
    _MAX_CHARS,
    _NUMBERS,
    output=GOT,
    details=(
        "What is printed is the file as it is now; what has no file, or whose file is gone, is "
        "printed as it was indexed. A name that fits several documents is an error that lists them."
    ),
    examples=(
        "irtui get keys.md",
        "irtui get notes/keys.md --section Rotation",
        "irtui get 'keys.md:12:5'",
        "irtui get '#3f2a9c' --max-chars 500 --json",
    ),
)
def get(
    context: Context,
    *,
    target: str,
    corpus: list[str],
    section: str | None,
    first: int | None,
    lines: int | None,
    max_chars: int | None,
    line_numbers: bool,
) -> Result:
    """Return one document or a part of it."""
    del context
    if section is not None and first is not None:
        raise UsageError("--section and --from both say where to begin; give one")
    corpora = opened(corpus)
    found, start, count = _place(target, corpora)
    data = document(
        found,
        section=section,
        first=first if first is not None else None if section is not None else start,
        lines=lines if lines is not None else count,
        max_chars=max_chars,
    )
    return Result(
        data, view="got", notes=tuple(_about(data)), options={"line_numbers": line_numbers}
    )


@command(
    "multi-get",
    "print several documents, and say which are not there",
    Param(
        "targets",
        "anything get takes, patterns (docs/**/*.md, {a,b}.md), lists with commas; - reads them "
        "from standard input, one a line",
        required=True,
        many=True,
        stdin=True,
        metavar="TARGET",
    ),
    CORPUS,
    Param("lines", "so many lines of each", "int", ("-l", "--lines"), metavar="N", least=0),
    _MAX_CHARS,
    _NUMBERS,
    output=GOT_SEVERAL,
    details=(
        "Each document is printed once, in the order in which it was asked for. Exit status 3 "
        "means that something was not found; what was found is printed all the same."
    ),
    examples=(
        "irtui multi-get keys.md '#3f2a9c' 'journal/2026-*.md' --lines 20",
        "irtui multi-get a.md,b.md --json",
    ),
)
def multi_get(
    context: Context,
    *,
    targets: list[str],
    corpus: list[str],
    lines: int | None,
    max_chars: int | None,
    line_numbers: bool,
) -> Result:
    """Return documents and what was not found."""
    del context
    from irengine.errors import IrError

    corpora = opened(corpus)
    found: list[dict[str, Any]] = []
    missing: list[dict[str, Any]] = []
    seen: set[tuple[str, str, int | None]] = set()
    for target in targets:
        for each, start, count, error in _several(target, corpora):
            if each is None:
                missing.append(error)
                continue
            key = (each.corpus.name, each.artifact_id, start)
            if key in seen:
                continue
            seen.add(key)
            try:
                kept = count if lines is None else lines
                found.append(document(each, first=start, lines=kept, max_chars=max_chars))
            except IrError as problem:
                missing.append(_missing(target, problem))
    notes = [_about(each)[0] for each in found if each["total_lines"] and not each["lines"]]
    return Result(
        {"found": found, "not_found": missing},
        view="got_several",
        status=exit_codes.NOT_FOUND if missing else 0,
        notes=tuple(notes),
        missing=tuple(missing),
        options={"line_numbers": line_numbers},
    )


def _place(target: str, corpora: Sequence[Corpus]) -> tuple[Found, int | None, int | None]:
    """Return what a target means, with the line and the number of lines after it."""
    from irengine.errors import UnknownItem

    try:
        return resolve(target, corpora), None, None
    except UnknownItem as error:
        match = _PLACE.fullmatch(target)
        if match is None or int(match[2]) < 1:
            error.hint = _range_hint(target, corpora) or error.hint
            raise
        try:
            found = resolve(match[1], corpora)
        except UnknownItem as inner:
            raise (inner if inner.code != error.code else error) from None
        return found, int(match[2]), None if match[3] is None else int(match[3])


def _range_hint(target: str, corpora: Sequence[Corpus]) -> str:
    """Return how to name the lines of ``file:11-12``; ``""`` for anything else."""
    from irengine.errors import IrError

    match = _RANGE.fullmatch(target)
    if match is None or not 1 <= (first := int(match[2])) <= (last := int(match[3])):
        return ""
    try:
        resolve(match[1], corpora)
    except IrError:
        return ""
    return f"{match[1]}:{first}:{last - first + 1} is lines {first}-{last} (:LINE:COUNT)"


def _several(
    target: str, corpora: Sequence[Corpus]
) -> list[tuple[Found | None, int | None, int | None, dict[str, Any]]]:
    """Return everything one target means: a document, those of a pattern, or those of a list."""
    from irengine.errors import AmbiguousItem, UnknownItem

    try:
        found, start, count = _place(target, corpora)
        return [(found, start, count, {})]
    except AmbiguousItem as error:
        return [(None, None, None, _missing(target, error))]
    except UnknownItem as error:
        if _WILD & set(target) and (matches := matching(target, corpora)):
            return [(each, None, None, {}) for each in matches]
        parts = [part.strip() for part in target.split(",") if part.strip()]
        if len(parts) > 1 and not _WILD & set(target):
            return [one for part in parts for one in _several(part, corpora)]
        return [(None, None, None, _missing(target, error))]


def _missing(target: str, error: IrError) -> dict[str, Any]:
    candidates = list(getattr(error, "candidates", ()))
    return {"target": target, **error.to_dict(), "candidates": candidates}


def _about(data: dict[str, Any]) -> list[str]:
    """Return what a person wants to know of a text beside the text itself."""
    last = data["from"] + data["lines"] - 1
    lines = f"lines {data['from']}-{last}" if data["lines"] else f"nothing from line {data['from']}"
    notes = [f"{data['source']}/{data['artifact_id']} {data['docid'] or ''}".rstrip()]
    if data["lines"] != data["total_lines"]:
        notes[0] += f", {lines} of {data['total_lines']}"
    if data["truncated"]:
        left = data["characters"] - len(data["text"])
        notes.append(f"{left:,} more characters; --max-chars and --from show them")
    if data["file"] == "gone":
        notes.append("the file is gone; this is what was indexed")
    elif data["file"] == "stale":
        notes.append("the file has changed since it was indexed")
    return notes
