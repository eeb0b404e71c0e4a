"""Which corpora are asked: those named, else the one this folder belongs to, else all."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from irtui.commands.context import Context
from irtui.commands.engine import open_built, quoted

if TYPE_CHECKING:
    from irengine.errors import IrError
    from irengine.index import Corpus

__all__ = ["asked_corpora", "corpus_here", "is_tried", "named", "without_tried"]

_PATTERN = frozenset("*?[")


def asked_corpora(
    names: Iterable[str],
    *,
    context: Context | None = None,
    left_out: Callable[[str, IrError], None] | None = None,
    tried: bool = True,
) -> list[Corpus]:
    """Open the corpora that ``names`` mean; without names, those that are asked by default.

    That is the one whose folder contains the working directory, else every built one. Of those
    nobody named, one that does not open is told to ``left_out`` (as long as another opens), and
    without ``tried`` what only ``try`` made is left out while a registered corpus is built.

    Raises:
        CorpusNotFound: when a named one is not built, or none is.
    """
    from irengine.errors import CorpusNotFound, IrError
    from irengine.registry import registered
    from irengine.store import built_names

    chosen = named(names)
    if chosen:
        return [open_built(name) for name in chosen]
    everything = built_names()
    if not everything:
        waiting = next(iter(registered()), None)
        raise CorpusNotFound(
            "no corpus is built yet",
            hint=f"irtui build {quoted(waiting)}" if waiting else "irtui try FOLDER",
        )
    here = corpus_here(everything)
    if here is not None:
        if context is not None and len(everything) > 1:
            context.note(f"{here} is asked, because this folder is in it; -c '*' asks every corpus")
        return [open_built(here)]
    opened: list[Corpus] = []
    problems: list[IrError] = []
    for name in everything if tried else without_tried(everything, context):
        try:
            opened.append(open_built(name))
        except IrError as error:
            if left_out is None:
                raise
            problems.append(error)
            left_out(name, error)
    if not opened:
        raise problems[0]
    return opened


def named(names: Iterable[str]) -> list[str]:
    """Return each of ``names`` once; a pattern that is no name stands for the names it matches.

    Raises:
        CorpusNotFound: for a pattern that matches nothing.
    """
    from irengine.errors import CorpusNotFound
    from irengine.store import built_names

    found: dict[str, None] = {}
    for name in names:
        if not _PATTERN & set(name) or name in (known := built_names()):
            found[name] = None
            continue
        matching = [each for each in known if fnmatchcase(each, name)]
        if not matching:
            raise CorpusNotFound(
                f"no built corpus is called {name!r}", hint="irtui ls shows what is there"
            )
        found |= dict.fromkeys(matching)
    return list(found)


def corpus_here(names: Iterable[str]) -> str | None:
    """Return the corpus whose folder contains the working directory, the innermost folder first.

    Of several with one folder a registered one is meant, then the first by name. What ``try``
    made of a single file has no folder.
    """
    from irengine.errors import IrError
    from irengine.registry import registered
    from irengine.store import CorpusStore

    try:
        here = Path.cwd()
    except OSError:
        return None
    defined = registered()
    inside: list[tuple[int, bool, str]] = []
    for name in names:
        try:
            recorded = CorpusStore.local(name).get_config().get("roots") or ()
        except (IrError, OSError):
            continue
        for root in recorded:
            if not isinstance(root, str) or not root or _made_of_a_file(name, root, defined):
                continue
            folder = Path(os.path.realpath(root))
            if here == folder or folder in here.parents:
                inside.append((-len(folder.parts), name not in defined, name))
    return min(inside)[2] if inside else None


def _made_of_a_file(name: str, root: str, defined: Container[str]) -> bool:
    from irtui.commands.try_ import corpus_name

    if not is_tried(name, defined):
        return False
    return name.rpartition("-")[0] != corpus_name(Path(root)).rpartition("-")[0]


def is_tried(name: str, defined: Container[str]) -> bool:
    """Whether a corpus was made by ``try`` alone; ``defined`` are the registered ones."""
    return name.startswith("try-") and name not in defined


def without_tried(names: list[str], context: Context | None = None) -> list[str]:
    """Return ``names`` without what only ``try`` made, when a registered corpus is built.

    A folder that was first tried and then registered would answer everything twice.
    """
    from irengine.registry import PRESETS, registered

    defined = registered()
    tried = [name for name in names if is_tried(name, defined)]
    if not tried or not any(name in defined or name in PRESETS for name in names):
        return names
    if context is not None:
        context.note(
            "1 corpus made by try is left out; name it with -c"
            if len(tried) == 1
            else f"{len(tried)} corpora made by try are left out; name them with -c"
        )
    return [name for name in names if name not in tried]
