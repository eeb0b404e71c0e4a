"""Steps several commands share: running one build, and finding the corpora that are meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from irtui.commands.context import Context

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["about", "check_built", "known_names", "open_built", "quoted", "run_build", "unknown"]


def run_build(context: Context, build: Callable[..., Corpus], what: Any, **options: Any) -> Corpus:
    """Call ``build(what, …)`` so that the front end sees progress and can cancel."""
    from irengine.index import CancelToken

    token = CancelToken()
    context.on_cancel(token.cancel)
    try:
        return build(what, progress=context.progress, cancel=token, **options)
    finally:
        context.on_cancel(None)


@contextmanager
def about(name: str) -> Iterator[None]:
    """Let errors raised within the block name the corpus ``name`` in the commands they hint at."""
    from irengine.errors import EmbedderError, StoreError

    try:
        yield
    except (StoreError, EmbedderError) as error:
        for word in ("NAME", "<corpus>"):
            error.hint = error.hint.replace(f" {word}", f" {quoted(name)}")
        raise


def known_names() -> list[str]:
    """Return the names of all corpora, registered or only built, registered ones first."""
    from irengine.registry import registered
    from irengine.store import built_names

    return list(dict.fromkeys([*registered(), *built_names()]))


def open_built(name: str) -> Corpus:
    """Open a corpus to read it; nothing is created.

    Raises:
        CorpusNotFound: when it is unknown (with the nearest names), or known but not built
            (with the command that builds it).
    """
    from irengine.index import open_corpus

    check_built(name)
    with about(name):
        return open_corpus(name)


def check_built(name: str) -> None:
    """Make sure that there is a built corpus ``name``, whole or damaged.

    Raises:
        CorpusNotFound: as for :func:`open_built`.
    """
    from irengine.errors import CorpusNotFound
    from irengine.registry import PRESETS, registered
    from irengine.store import built_names

    if name not in built_names():
        if name in registered() or name in PRESETS:
            raise CorpusNotFound(
                f"the corpus {name!r} is not built yet", hint=f"irtui build {quoted(name)}"
            )
        raise unknown(name, known_names())


def unknown(name: str, names: Iterable[str]) -> Exception:
    """Return the error for a corpus name nobody knows."""
    from irengine.errors import CorpusNotFound, nearest

    hint = nearest(name, names) or "irtui ls shows what is there"
    return CorpusNotFound(f"there is no corpus named {name!r}", hint=hint)


def quoted(word: str) -> str:
    """Return ``word`` as a shell would have to see it."""
    import shlex

    return shlex.quote(word)
