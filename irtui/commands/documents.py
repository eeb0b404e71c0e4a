"""The text of an artifact, whole or in part: a section, a range of lines, so many characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.commands.listing import unranked
from irtui.commands.ranking import docid_of, title_of
from irtui.commands.targets import Found

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.index import Corpus

__all__ = ["document"]


def document(
    found: Found,
    *,
    section: str | None = None,
    first: int | None = None,
    lines: int | None = None,
    max_chars: int | None = None,
) -> dict[str, Any]:
    """Return an artifact's text, or the part that is asked for, as JSON data.

    The text is that of its file as it is now; of what has no file, or whose file is gone, it is
    what was indexed. ``from`` is the line it begins with (1-based), ``lines`` how many there are,
    ``characters`` those of the part before ``max_chars`` cut it, which ``truncated`` tells.

    Raises:
        UnknownItem: when there is no such section (code ``unknown-section``), or nothing to show.
    """
    from irengine.freshness import IndexedFiles

    corpus, artifact_id = found.corpus, found.artifact_id
    hit = _first_surface(corpus, artifact_id)
    path = hit.pointer if isinstance(hit.pointer, str) else None
    text = _whole(corpus, hit)
    total = _count(text)
    begin, title = 1, None
    if section is not None:
        text, begin, title = _section(text, section, artifact_id)
    if first is not None or lines is not None:
        kept = text.splitlines(keepends=True)
        skipped = max(0, (first or begin) - begin)
        end = None if lines is None else skipped + lines
        text, begin = "".join(kept[skipped:end]), begin + skipped
    characters = len(text)
    if max_chars is not None:
        text = text[:max_chars]
    return {
        "artifact_id": artifact_id,
        "source": corpus.name,
        "docid": docid_of(corpus.store, artifact_id),
        "title": title_of(artifact_id, hit.metadata),
        "path": path,
        "file": IndexedFiles(corpus).state(artifact_id, path),
        "metadata": dict(hit.metadata),
        "section": title,
        "from": begin,
        "lines": _count(text),
        "total_lines": total,
        "characters": characters,
        "truncated": characters > len(text),
        "text": text,
    }


def _count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def _first_surface(corpus: Corpus, artifact_id: str) -> SearchHit:
    snapshot = corpus.store.snapshot()
    positions = snapshot.positions_of(artifact_id)
    return unranked(snapshot.record(positions[0]), corpus.name)


def _whole(corpus: Corpus, hit: SearchHit) -> str:
    """Return the text of the file, else of the folder's README, else what was indexed."""
    from irengine.errors import ItemError
    from irengine.expand import expand, parent_policy
    from irengine.select import Selection
    from irengine.select.disclosing import reveal
    from irengine.select.disclosing_corpora import Corpora
    from irengine.select.disclosing_files import MAX_FILE_BYTES, locate, read_text

    if isinstance(hit.pointer, str):
        folders = Corpora(corpus).folders_of(corpus.name)
        try:
            place = locate(hit.pointer, folders.roots if folders else ())
            if not place.is_folder():
                return read_text(place, MAX_FILE_BYTES)[0]
        except ItemError:
            pass  # reveal() says below what may be read of it instead
        selection = Selection([hit], [hit], abstained=False, reason="asked")
        body = reveal(selection, level="body", corpora=corpus)[0].body
        if body is not None:
            return body
    return expand(hit, corpus, policy=parent_policy()).text


def _section(text: str, wanted: str, artifact_id: str) -> tuple[str, int, str]:
    """Return a section with its heading, the line it begins at, and its title.

    It ends before the next heading of the same or a higher level. Letter case does not matter;
    ``A > B`` is the ``B`` below the ``A``. Of several the first counts.

    Raises:
        UnknownItem: when there is none; the hint names near ones.
    """
    from irengine.errors import UnknownItem, nearest
    from irengine.strategy.markdown import outline

    found = outline(text)
    name = " ".join(wanted.lstrip("#").split()).casefold()
    for at, heading in enumerate(found.headings):
        if name not in (heading.title.casefold(), found.paths[at].casefold()):
            continue
        following = (h.start for h in found.headings[at + 1 :] if h.level <= heading.level)
        start = text.rfind("\n", 0, heading.start) + 1
        end = next(following, len(text))
        return text[start:end].rstrip() + "\n", heading.line, heading.title
    titles = [heading.title for heading in found.headings]
    near = nearest(wanted.strip("# "), titles)
    raise UnknownItem(
        f"{artifact_id} has no section {wanted!r}",
        hint=near or (f"sections: {', '.join(titles[:12])}" if titles else "it has no headings"),
        code="unknown-section",
    )
