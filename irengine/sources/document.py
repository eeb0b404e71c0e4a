"""A text file as a raw item: its title, its fields, its body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from irengine.sources.frontmatter import split_frontmatter

__all__ = [
    "Document",
    "RESERVED_FIELDS",
    "extension_of",
    "extracted_document",
    "file_fields",
    "parse_document",
]

RESERVED_FIELDS = frozenset(
    [
        "path",
        "skill_path",
        "base_path",
        "filename",
        "folder",
        "ext",
        "project",
        "chunk_index",
        "n_chunks",
        "heading",
        "line_start",
        "line_end",
        "char_start",
    ]
)
"""Metadata keys a note's own fields never overwrite: they come back as ``fm_<key>``."""

_PROSE = frozenset(
    [
        "md",
        "markdown",
        "mdown",
        "mkd",
        "mdx",
        "txt",
        "text",
        "rst",
        "org",
        "adoc",
        "asciidoc",
        "qmd",
        "rmd",
    ]
)
_HEADED = _PROSE - {"txt", "text", "org", "adoc", "asciidoc"}
_TITLE_WITHIN = (2_000, 20_000)  # characters of the body in which a title is looked for
_EMPTY_TITLES = frozenset(
    (
        *("overview", "summary", "introduction", "readme", "index", "contents", "abstract"),
        *("table of contents", "description", "notes", "about", "background", "skill", "main"),
    )
)
_OTHER_TITLE = re.compile(r"\A\s*(?:#\+title:|=)[ \t]+(\S[^\n]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed text file; ``line_offset`` is the number of lines above ``text`` in the file."""

    text: str
    title: str
    line_offset: int
    frontmatter: Mapping[str, Any]
    notes: tuple[tuple[str, str], ...] = ()

    def raw(self, path: str, filename: str) -> dict[str, Any]:
        """Return the raw item a strategy is given."""
        return {
            "text": self.text,
            "title": self.title,
            "line_offset": self.line_offset,
            "frontmatter": dict(self.frontmatter),
            "path": path,
            "filename": filename,
        }


def extension_of(filename: str) -> str:
    """Return the lower-case extension without its dot; ``""`` when there is none."""
    stem, dot, extension = filename.rpartition(".")
    return extension.lower() if dot and stem else ""


def parse_document(text: str, filename: str, *, folder: str = "") -> Document:
    """Read the frontmatter and the title of a text file.

    The title is the frontmatter's, else the first heading outside code fences, else the file
    name without its extension. A heading or name that says nothing ("Overview", "README") gives
    way: to the file name, then to the name of the ``folder`` it is in. A file that is all
    frontmatter has its title and description as its text.
    """
    extension = extension_of(filename)
    fallback = _stem(filename)
    if folder and _says_nothing(fallback):
        fallback = folder
    if extension not in _PROSE:
        return Document(text, fallback, 0, {})
    found = split_frontmatter(text)
    title = found.fields.get("title")
    if isinstance(title, bool) or not isinstance(title, (str, int, float)):
        title = ""
    title = " ".join(str(title).split())
    if not title and extension in _HEADED:
        title = _heading(found.body)
    elif not title and (match := _OTHER_TITLE.match(found.body)):
        title = match[1].strip()
    body, offset = found.body, found.line_offset
    if not body.strip() and found.fields:
        # A note that is all frontmatter is still found by what it is called.
        said = (title or fallback, found.fields.get("description"))
        body, offset = "\n\n".join(text for text in said if isinstance(text, str)), 0
    return Document(body, title or fallback, offset, found.fields, tuple(found.notes))


def extracted_document(text: str, title: str, filename: str) -> Document:
    """Return a document whose Markdown was got out of a file that is no text itself."""
    return Document(text, title or _heading(text) or _stem(filename), 0, {})


def file_fields(artifact_id: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filter fields of a file: where it is, its title, and its frontmatter."""
    folder, _, _ = artifact_id.rpartition("/")
    fields = {
        "path": raw["path"],
        "filename": raw["filename"],
        "folder": folder,
        "ext": extension_of(raw["filename"]),
    }
    for key, value in raw["frontmatter"].items():
        fields[f"fm_{key}" if key in RESERVED_FIELDS else key] = value
    fields["title"] = raw["title"]
    return fields


def _heading(body: str) -> str:
    """Return the first heading near the top, unless it says nothing."""
    from irengine.strategy.markdown import first_heading  # a search only looks at files

    title = None
    for limit in _TITLE_WITHIN:
        title = first_heading(body[: body.rfind("\n", 0, limit) + 1] if len(body) > limit else body)
        if title or len(body) <= limit:
            break
    return "" if title is None or _says_nothing(title) else title


def _says_nothing(title: str) -> bool:
    return title.casefold().strip(" .:") in _EMPTY_TITLES


def _stem(filename: str) -> str:
    stem, dot, _ = filename.rpartition(".")
    return stem if dot and stem else filename
