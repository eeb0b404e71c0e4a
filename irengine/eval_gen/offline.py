"""Questions without a language model: what authors wrote about an artifact, as if asked for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from irengine.checks import whole_number
from irengine.eval.cases import DiscoveryCase
from irengine.eval.reading import item_ids, readable_items, warn_unreadable
from irengine.eval_gen.generating import name_of
from irengine.eval_gen.masking import gives_away
from irengine.graph.markdown import split_wikilink
from irengine.graph.resolving import NameIndex
from irengine.graph.written import WrittenLink
from irengine.sources import CorpusSource
from irengine.strategy import text_of
from irengine.strategy.markdown import headings

__all__ = ["generate_offline_cases"]

_DESCRIBING = ("description", "summary", "abstract", "synopsis", "docstring")
_ANCHOR = re.compile(r"(?<!!)\[([^\[\]\n]{3,120})\]\(<?([^()<>\s]+)>?[^()\n]*\)")
_ALIASED = re.compile(r"\[\[([^\[\]\n|]{1,200}\|[^\[\]\n]{3,120})\]\]")
_DOCSTRING = re.compile(
    r'(?:^\s*(?:async\s+)?(?:def|class)\s[^\n]*:\s*\n|\A(?:#[^\n]*\n)*)\s*[rR]?"""([^"\n]{12,200})',
    re.M,
)
_OUTLINED = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd", ".txt", ".text")
"""In files of other kinds a line that begins with ``#`` is a comment."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_LONGEST = 200
_FEWEST_WORDS = 2


def generate_offline_cases(
    source: CorpusSource,
    *,
    per_artifact: int = 3,
    mask_names: bool = True,
    corpus_name: str | None = None,
) -> list[DiscoveryCase]:
    """Return questions whose answers are known, without a language model.

    Of each artifact, in this order: the first sentence of its description, the texts of links to
    it elsewhere in the corpus, its headings below the title, the docstrings of code in it. Left
    out is what has fewer than two words, what is said of more than one artifact, and, with
    ``mask_names``, what gives the artifact's name or title away. ``metadata`` says where the
    question is from: ``{"generator": "offline", "from": "description" | "link" | "heading" |
    "docstring"}``.

    These are easier than what people ask: their words stand in the text, those of links mostly
    do not. They compare configurations; they are no measure of users' luck. An item that cannot
    be read is left out; one warning says which.

    Args:
        source: what the questions are about.
        per_artifact: the most questions of one artifact, at least 1.
        mask_names: leave out what gives names away.
        corpus_name: by default the name of the source.

    Raises:
        ParameterError: for a ``per_artifact`` out of range.
    """
    most = whole_number("per_artifact", per_artifact, least=1)
    ids = sorted(item_ids(source))
    unreadable: dict[str, str] = {}
    own: dict[str, list[tuple[str, str]]] = {}
    names: dict[str, list[str]] = {}
    linked: dict[str, list[tuple[str, str]]] = {}
    index = NameIndex(ids, {})
    for artifact_id, raw in readable_items(source, unreadable):
        text = text_of(raw)
        names[artifact_id] = _names(artifact_id, raw)
        own[artifact_id] = list(_said(raw, text))
        for target, anchor in _links(text, artifact_id, index):
            if target != artifact_id:
                linked.setdefault(target, []).append(("link", anchor))
    warn_unreadable(unreadable)
    ids = [artifact_id for artifact_id in ids if artifact_id in own]
    about: dict[str, set[str]] = {}
    for artifact_id in ids:
        for _, text in [*own[artifact_id], *linked.get(artifact_id, ())]:
            about.setdefault(_folded(text), set()).add(artifact_id)
    cases = []
    for artifact_id in ids:
        said = own[artifact_id]
        described = [pair for pair in said if pair[0] == "description"]
        rest = [pair for pair in said if pair[0] != "description"]
        taken: set[str] = set()
        for origin, text in [*described, *linked.get(artifact_id, ()), *rest]:
            folded = _folded(text)
            if len(taken) == most:
                break
            if folded in taken or len(text.split()) < _FEWEST_WORDS or len(about[folded]) > 1:
                continue
            if mask_names and any(gives_away(text, name) for name in names[artifact_id]):
                continue
            taken.add(folded)
            cases.append(
                DiscoveryCase(
                    text,
                    (artifact_id,),
                    corpus_name or source.name,
                    artifact_id,
                    {"generator": "offline", "from": origin},
                )
            )
    return cases


def _names(artifact_id: str, raw: Any) -> list[str]:
    """Return what the artifact is called: its name, its title, its file without extension."""
    stem = artifact_id.rpartition("/")[2].partition(".")[0]
    title = raw.get("title") if isinstance(raw, Mapping) else None
    found = [name_of(artifact_id, raw), stem, title if isinstance(title, str) else ""]
    return [name for name in dict.fromkeys(found) if name]


def _said(raw: Any, text: str) -> Iterator[tuple[str, str]]:
    """Yield ``(origin, question)`` of what an artifact says of itself."""
    if isinstance(raw, Mapping):
        written = raw.get("frontmatter")
        fields = {**raw, **written} if isinstance(written, Mapping) else raw
        for key in _DESCRIBING:
            value = fields.get(key)
            if isinstance(value, str) and value.strip():
                yield "description", _first_sentence(value)
    filename = str(raw.get("filename") or "") if isinstance(raw, Mapping) else ""
    found = headings(text) if not filename or filename.lower().endswith(_OUTLINED) else []
    for heading in found[1:] if found and found[0].level == 1 else found:
        if heading.title:
            yield "heading", heading.title[:_LONGEST]
    for match in _DOCSTRING.finditer(text):
        yield "docstring", _first_sentence(match[1])


def _links(text: str, source: str, index: NameIndex) -> Iterable[tuple[str, str]]:
    """Yield ``(target id, text of the link)`` of the links that lead to another artifact."""
    for match in _ANCHOR.finditer(text):
        target = index.resolve(WrittenLink("path", match[2].partition("#")[0], ""), source)
        if target is not None:
            yield target, " ".join(match[1].split())
    for match in _ALIASED.finditer(text):
        name, _ = split_wikilink(match[1])
        target = index.resolve(WrittenLink("wiki", name, ""), source)
        if target is not None:
            yield target, " ".join(match[1].partition("|")[2].split())


def _first_sentence(text: str) -> str:
    return " ".join(_SENTENCE_END.split(" ".join(text.split()), maxsplit=1)[0][:_LONGEST].split())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
