"""Hyperlinks of a terminal (OSC 8): a place in a file as something to click on."""

from __future__ import annotations

import os

__all__ = ["Link", "link_to", "linked"]

_TEMPLATE = "IRTUI_LINK"


class Link(str):
    """A style with a place it leads to; where links cannot be shown it is only the style."""

    uri: str

    __slots__ = ("uri",)

    def __new__(cls, style: str, uri: str) -> Link:
        """Return ``style`` leading to ``uri``, which must be a URI: printable ASCII."""
        link = super().__new__(cls, style)
        link.uri = uri
        return link


def link_to(path: str | None, line: int | None = None, style: str = "") -> str:
    """Return ``style`` as a link to a file, and to a line in it.

    The variable ``IRTUI_LINK`` is a template for other programs, for example
    ``vscode://file{path}:{line}``; when it is empty there are no links.
    """
    template = os.environ.get(_TEMPLATE)
    if not path or template == "" or not os.path.isabs(path):  # noqa: PTH117 - may be any bytes
        return style
    from urllib.parse import quote

    place = quote(os.fsencode(path))
    if template:
        return Link(style, _printable(template, place, line))
    host = os.uname().nodename if hasattr(os, "uname") else ""
    return Link(style, f"file://{quote(host)}{place}")


def _printable(template: str, place: str, line: int | None) -> str:
    from urllib.parse import quote

    written = template.replace("{path}", place).replace("{line}", str(line or 1))
    return quote(written, safe="/:?#[]@!$&'()*+,;=%~-._")


def linked(text: str, uri: str) -> str:
    """Return ``text`` between the sequences that make it a link."""
    return f"\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\"
