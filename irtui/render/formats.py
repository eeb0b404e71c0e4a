"""The formats for programs and pipes: JSON, JSON lines, CSV, TSV, Markdown, names of files.

JSON is exact. The others are exact too when a program reads them; what goes to a terminal is
cleaned, as everything there.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from irtui.render.clean import clean, clean_line
from irtui.render.jsonout import to_json
from irtui.render.shapes import Shape, row_of, rows_of, with_rows

__all__ = ["formatted"]

_TSV = {ord("\\"): "\\\\", ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#])")


def formatted(
    data: Any,
    shape: Shape,
    form: str,
    *,
    fields: Sequence[str] = (),
    ascii_only: bool = False,
    terminal: bool = False,
    envelope: Mapping[str, Any] | None = None,
    null: bool = False,
) -> str:
    """Return ``data`` in the format ``form``, with a line end unless it is empty.

    ``fields`` are those of each row that are wanted; none means all for JSON, the columns of
    ``shape`` for tables. ``terminal`` says that a person will see it. ``envelope`` are the fields
    of an object that carries JSON data as its ``data``. With ``null`` names of files end with a
    NUL, where no person sees them.
    """
    rows = rows_of(data, shape)
    if form in ("json", "jsonl"):
        if fields:
            chosen = [row_of(row, fields, shape) for row in rows]
            rows, data = list(chosen), with_rows(data, shape, chosen)
        if envelope is not None:
            data = {**envelope, "data": data}
        if form == "json":
            return to_json(data, ascii_only=ascii_only) + "\n"
        return "".join(to_json(row, indent=None, ascii_only=ascii_only) + "\n" for row in rows)
    if form == "files":
        text = _files(rows, shape, terminal=terminal, end="\0" if null else "\n")
    else:
        names = tuple(fields) or shape.columns or shape.fields
        picked = [row_of(row, names, shape) for row in rows]
        write = {"csv": _csv, "tsv": _tsv, "md": _markdown_of(rows, shape, fields)}[form]
        text = write(names, picked)
    return clean(text) if terminal else text


def _csv(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return out.getvalue()


def _tsv(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return tab-separated values; a tab, line end or backslash in a value is escaped by one."""
    lines = [names, *([_cell(value) for value in row.values()] for row in rows)]
    return "".join("\t".join(cell.translate(_TSV) for cell in line) + "\n" for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else to_json(value, indent=None)


def _files(rows: Sequence[Mapping[str, Any]], shape: Shape, *, terminal: bool, end: str) -> str:
    """Return each file once with ``end`` after it; on a terminal every one has one line."""
    names = dict.fromkeys(str(row[shape.file]) for row in rows if row.get(shape.file))
    if terminal:
        return "".join(f"{clean_line(name)}\n" for name in names)
    return "".join(f"{name}{end}" for name in names)


def _markdown_of(rows: Sequence[Mapping[str, Any]], shape: Shape, fields: Sequence[str]) -> Any:
    if shape.text and not fields:
        return lambda names, picked: "\n".join(_section(row, shape) for row in rows)
    return _markdown_table


def _section(row: Mapping[str, Any], shape: Shape) -> str:
    """Return a row as a heading, a line that says where it is, and its text as a quotation."""
    told = row_of(row, ("title", "name", shape.columns[0]), shape)
    title = next((value for value in told.values() if value), "")
    place = row.get(shape.file) or row.get("artifact_id") or ""
    if row.get("line"):
        place = f"{place}:{row['line']}"
    score = row.get("score")
    about = f"`{_plain(place)}`" + (f" · {score:.4f}" if isinstance(score, float) else "")
    quoted = "".join(f"> {line}".rstrip() + "\n" for line in _text(row, shape).splitlines())
    return f"## {_escaped(title)}\n\n{about}\n" + (f"\n{quoted}" if quoted else "")


def _text(row: Mapping[str, Any], shape: Shape) -> str:
    value = row.get(shape.text)
    return clean(value) if isinstance(value, str) else ""


def _markdown_table(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        [_escaped(name) for name in names],
        ["---"] * len(names),
        *([_escaped(_cell(value)) for value in row.values()] for row in rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _escaped(value: Any) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(clean(str(value)).split()))


def _plain(value: Any) -> str:
    return " ".join(clean(str(value)).replace("`", "'").split())
