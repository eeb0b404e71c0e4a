"""What a word means to somebody who wants a document: one resolver for every command.

In this order, and the first that finds anything decides: the id; ``#docid``; ``corpus/id``; the
path of a file, absolute or seen from here; a bare docid; the end of an id at a ``/``; a name,
title-less stem or alias. ``_``, ``%`` and every other character stand for themselves.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from irtui.commands.engine import quoted
from irtui.commands.where import without_tried

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["Found", "matching", "resolve"]

_DOCID = re.compile(r"#?([0-9a-f]{6,64})", re.IGNORECASE)
_GLOB = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|.", re.DOTALL)
_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_ALTERNATIVES = 1_000
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Found:
    """One artifact and the corpus it is in."""

    corpus: Corpus
    artifact_id: str


def resolve(word: str, corpora: Sequence[Corpus]) -> Found:
    """Return the one artifact that ``word`` means.

    Raises:
        AmbiguousItem: when it means several; with their names.
        UnknownItem: when it means none; near ones are in the hint.
    """
    target = word.strip()
    if len(target) > 1 and target[0] == target[-1] and target[0] in "\"'":
        target = target[1:-1]
    steps = [(step, target) for step in _STEPS] if _can_be_a_name(target) else []
    if word != target:  # a name may begin or end with a space, or be in quotes
        steps.insert(0, (_exact, word))
    for step, said in steps:
        found = [Found(corpus, each) for corpus in corpora for each in step(said, corpus)]
        if len(found) > 1:  # what was tried and then registered is there twice
            names = without_tried(sorted({each.corpus.name for each in found}))
            found = [each for each in found if each.corpus.name in names]
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(word, found)
    raise _unknown(word, target, corpora)


def matching(pattern: str, corpora: Sequence[Corpus]) -> list[Found]:
    """Return the artifacts whose id, or ``corpus/id``, matches a shell pattern, in order of ids.

    ``*`` and ``?`` stay within a folder, ``**`` does not, ``{a,b}`` is either. A pattern without
    a ``/`` is for the last part of the id.
    """
    wanted = re.compile("|".join(map(_translated, _alternatives(pattern))))
    short = "/" not in pattern
    found = []
    for corpus in corpora:
        for artifact_id in _ids(corpus):
            names = (artifact_id.rpartition("/")[2],) if short else ()
            for name in (*names, artifact_id, f"{corpus.name}/{artifact_id}"):
                if wanted.fullmatch(name):
                    found.append(Found(corpus, artifact_id))
                    break
    return found


# --- the steps ----------------------------------------------------------------------------------


def _ids(corpus: Corpus) -> list[str]:
    return corpus.store.snapshot().artifact_ids()


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _exact(target: str, corpus: Corpus) -> list[str]:
    if corpus.store.snapshot().positions_of(target):
        return [target]
    wanted = _normal(target)
    return [each for each in _ids(corpus) if _normal(each) == wanted]


def _docid(target: str, corpus: Corpus) -> list[str]:
    return _with_digest(target, corpus) if target.startswith("#") else []


def _bare_docid(target: str, corpus: Corpus) -> list[str]:
    return [] if target.startswith("#") else _with_digest(target, corpus)


def _with_digest(target: str, corpus: Corpus) -> list[str]:
    match = _DOCID.fullmatch(target)
    if match is None:
        return []
    digest = match[1].lower()
    held = []
    for artifact_id in _ids(corpus):
        from irengine.base import ledger_key

        entry = corpus.store.get_ledger_entry(ledger_key(artifact_id)) or {}
        known = entry.get("digest") or entry.get("input_hash")
        if isinstance(known, str) and known.startswith(digest):
            held.append(artifact_id)
    return held


def _in_corpus(target: str, corpus: Corpus) -> list[str]:
    prefix = f"{corpus.name}/"
    return _exact(target.removeprefix(prefix), corpus) if target.startswith(prefix) else []


def _file(target: str, corpus: Corpus) -> list[str]:
    """Return the artifact of a file: below a folder of the corpus, or what points at it."""
    from irengine.sources.walk import readable_path

    given = _on_disk(target)
    place = Path(os.path.realpath(given))
    roots = [root for root in corpus.store.get_config().get("roots") or () if root]
    for root in map(os.path.realpath, roots):
        if place.is_relative_to(root):
            found = _exact(readable_path(place.relative_to(root).as_posix()), corpus)
            if found:
                return found
        # A path that begins with the folder's own name, as seen from beside it.
        first, slash, rest = target.partition("/")
        if slash and first == Path(root).name and (found := _exact(rest, corpus)):
            return found
    if not given.is_absolute():
        return []
    from irengine.base import POINTER_KEYS
    from irtui.commands.listing import listed

    wanted = [readable_path(os.fspath(each)) for each in (place, given)]
    hits = listed(corpus, filter={"$or": [{key: {"$in": wanted}} for key in POINTER_KEYS]})
    return [hit.artifact_id for hit in hits]


def _on_disk(target: str) -> Path:
    """Return the path ``target`` names; ``~name`` of nobody stands for itself."""
    from irengine.sources.files import on_disk

    return Path(on_disk(os.path.expanduser(target)))  # noqa: PTH111 - Path.expanduser() raises


def _ending(target: str, corpus: Corpus) -> list[str]:
    end = "/" + _normal(target.strip("/"))
    ids = _ids(corpus)
    found = [each for each in ids if _normal(each).endswith(end)]
    folded = end.casefold()
    return found or [
        each for each in ids if f"/{_normal(each)}".casefold().endswith(folded) and target
    ]


def _named(target: str, corpus: Corpus) -> list[str]:
    """Return the artifacts whose last part is ``target`` without extension, or that it names."""
    from irengine.graph import CorpusGraph

    end = f"/{_normal(target.strip('/'))}."
    stems = [
        each
        for each in _ids(corpus)
        if f"/{_normal(each)}".rpartition(".")[0].endswith(end[:-1]) and target
    ]
    if stems:
        return stems
    found = CorpusGraph(corpus).find(target)
    return [] if found is None else [found]


_STEPS: tuple[Callable[[str, Corpus], list[str]], ...] = (
    _exact,
    _docid,
    _in_corpus,
    _file,
    _bare_docid,
    _ending,
    _named,
)


# --- what is said when it is not one --------------------------------------------------------------


def _ambiguous(word: str, found: Sequence[Found]) -> Exception:
    from irengine.errors import AmbiguousItem

    several = len({each.corpus.name for each in found}) > 1
    names = [
        f"{each.corpus.name}/{each.artifact_id}" if several else each.artifact_id for each in found
    ]
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN))
    same = several and len({each.artifact_id for each in found}) == 1
    where = "is in several corpora" if same else "may be any of"
    return AmbiguousItem(
        f"{_said(word)} {where}: {shown}",
        hint=f"name one: -c {quoted(found[0].corpus.name)}" if same else "name one of them",
        candidates=names,
    )


def _unknown(word: str, target: str, corpora: Sequence[Corpus]) -> Exception:
    from irengine.errors import UnknownItem, nearest

    where = corpora[0].name if len(corpora) == 1 else f"{len(corpora)} corpora"
    ids = list(dict.fromkeys(each for corpus in corpora for each in _ids(corpus)))
    holding = [each for each in ids if target and target.casefold() in each.casefold()][:_SHOWN]
    hint = f"did you mean {', '.join(holding)}?" if holding else nearest(target, ids)
    if not hint:
        outside = _is_left_out(target, corpora)
        hint = f"irtui coverage --verbose {quoted(outside)} says why" if outside else ""
        if outside:
            return UnknownItem(f"the file {_said(word)} is not indexed in {outside}", hint=hint)
    return UnknownItem(
        f"there is no artifact {_said(word)} in {where}", hint=hint or "irtui search finds ids"
    )


def _said(word: str) -> str:
    """Return ``word`` in quotes, bytes that are no UTF-8 spelled as in ids."""
    return repr(word).replace("\\\\", "\\")


def _can_be_a_name(target: str) -> bool:
    """Return whether some file could be called ``target``."""
    try:
        return b"\0" not in os.fsencode(target)
    except UnicodeEncodeError:  # half of a pair that stands for no byte
        return False


def _is_left_out(target: str, corpora: Sequence[Corpus]) -> str:
    """Return the name of a corpus in whose folder ``target`` is a file; ``""`` for none."""
    if not _can_be_a_name(target):
        return ""
    try:
        place = Path(os.path.realpath(_on_disk(target)))
        if not place.is_file():
            return ""
    except (OSError, ValueError):
        return ""
    for corpus in corpora:
        for root in corpus.store.get_config().get("roots") or ():
            if root and place.is_relative_to(os.path.realpath(root)):
                return corpus.name
    return ""


# --- patterns -------------------------------------------------------------------------------------


def _alternatives(pattern: str) -> list[str]:
    """Return ``pattern`` with each ``{a,b}`` spelled out, innermost first."""
    waiting, spelled = [pattern], list[str]()
    while waiting and len(waiting) + len(spelled) < _MOST_ALTERNATIVES:
        each = waiting.pop()
        match = _BRACES.search(each)
        if match is None:
            spelled.append(each)
            continue
        choices = match[1].split(",")
        waiting += [each[: match.start()] + one + each[match.end() :] for one in choices]
    return spelled + waiting


def _translated(pattern: str) -> str:
    parts = []
    for piece in _GLOB.findall(pattern):
        if piece in _WILD:
            parts.append(_WILD[piece])
        elif len(piece) > 2 and piece[0] == "[":
            inner = piece[1:-1].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            parts.append(f"[^{inner[1:]}]" if inner[:1] == "!" and inner[1:] else f"[{inner}]")
        else:
            parts.append(re.escape(piece))
    return "".join(parts)


_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
