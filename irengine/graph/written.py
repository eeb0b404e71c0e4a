"""What a note says about other notes, kept as written so that it can be resolved at any time.

A build stores, in the links row of each note, the list :data:`WRITTEN`: one
``[kind, target, heading]`` for each link, in the order of the text, each once. Kinds:

=========  =====================================================================================
``wiki``   ``[[target#heading|alias]]``, in the text or in any frontmatter field
``path``   a relative destination ``target#heading`` of a Markdown link, percent signs and all
``related``  a name, path or wikilink in the frontmatter field ``related``
``alias``  another name of the note itself
``blank``  (target ``""``) the note has no text, so no record says that it exists
=========  =====================================================================================

These depend on the note alone. Where they lead depends on which notes there are, and that is
worked out when a graph is asked (:mod:`irengine.graph.resolving`): adding, renaming or removing
one note needs no word written about the others, and a graph is exact for whatever is published.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from irengine.graph.markdown import MAX_TARGET, split_wikilink, text_links, wikilinks
from irengine.sources import DOCUMENT_EXTENSIONS
from irengine.sources.document import extension_of

__all__ = ["WRITTEN", "WrittenLink", "aliases_in", "written_in", "written_of"]

WRITTEN = "WRITTEN"
"""The key of a links row that holds links as written; no edge type."""

MEDIA_EXTENSIONS = frozenset(
    (
        *("png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "ico", "tif", "tiff", "avif", "heic"),
        *("mp3", "wav", "flac", "ogg", "m4a", "mp4", "webm", "mov", "mkv", "avi"),
        *("zip", "gz", "tgz", "xz", "7z"),
    )
)
"""Extensions of files that a note shows or hands out; a link to one is no link to a note."""

_MAX_LINKS = 10_000
_PROSE = frozenset(("md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd", "txt", "text"))
_LINKED = _PROSE | DOCUMENT_EXTENSIONS
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{")


class WrittenLink(NamedTuple):
    """A link as it is written; ``heading`` is what follows the ``#``, ``""`` for none."""

    kind: str
    target: str
    heading: str


def written_in(raw: Any, *, blank: bool = False) -> list[list[str]]:
    """Return what the note ``raw`` says, in the form that is stored.

    ``raw`` is what a file scope gives; files that are neither Markdown nor plain text nor
    converted documents say nothing. Links to the note's own headings, to addresses with a scheme
    and to media are left out. At most 10,000 are kept.
    """
    found: dict[WrittenLink, None] = {}
    if isinstance(raw, Mapping) and extension_of(str(raw.get("filename", ""))) in _LINKED:
        for link in _links_of(raw):
            found[link] = None
            if len(found) >= _MAX_LINKS:
                break
    if blank:
        found[WrittenLink("blank", "", "")] = None
    return [list(link) for link in found]


def written_of(row: Mapping[str, Any]) -> list[WrittenLink]:
    """Return the links, as written, of a links row; what is none of ours is passed over."""
    return [
        WrittenLink(*item)
        for item in row.get(WRITTEN, ())
        if isinstance(item, list) and len(item) == 3 and all(isinstance(x, str) for x in item)
    ]


def aliases_in(row: Mapping[str, Any]) -> list[str]:
    """Return the other names of the note a links row belongs to."""
    return [link.target for link in written_of(row) if link.kind == "alias"]


def _links_of(raw: Mapping[str, Any]) -> Iterator[WrittenLink]:
    fields = raw.get("frontmatter") or {}
    for key in ("aliases", "alias"):
        for alias in _texts(fields.get(key)):
            if name := _clean(alias):
                yield WrittenLink("alias", name, "")
    for key, value in fields.items():
        related = key == "related"
        for text in _texts(value):
            inner = wikilinks(text)
            if related and not inner:
                inner = [target for _, target in text_links(text)]
                inner = inner or ([text] if isinstance(value, list) else text.split(","))
            for inside in inner:
                yield from _wiki("related" if related else "wiki", inside)
    for kind, target in text_links(str(raw.get("text", ""))):
        yield from _wiki(kind, target) if kind == "wiki" else _path(target)


def _wiki(kind: str, inside: str) -> Iterator[WrittenLink]:
    target, heading = split_wikilink(inside)
    target = _clean(target)
    if target and not ("://" in target or target.startswith("mailto:") or _is_media(target)):
        yield WrittenLink(kind, target, _clean(heading))


def _path(destination: str) -> Iterator[WrittenLink]:
    path, _, heading = destination.partition("#")
    path = _clean(path.partition("?")[0])
    if not path or path.startswith("//") or _SCHEME.match(path) or _is_media(path):
        return
    if not _TEMPLATE.search(path):
        yield WrittenLink("path", path, _clean(heading))


def _is_media(target: str) -> bool:
    return extension_of(target.rpartition("/")[2]) in MEDIA_EXTENSIONS


def _clean(text: str) -> str:
    text = text.strip()[:MAX_TARGET]
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a frontmatter value; ``[[Name]]`` unquoted is a list in a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < 3:
        for item in value:
            yield from _texts(item, depth + 1)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
