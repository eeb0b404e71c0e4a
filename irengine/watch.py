"""Keep registered corpora current while a program runs: files that change are indexed at once.

Only what changed is looked at; the tree is not walked again. What the system may not have told
(its queue has an end) a full pass now and then brings in.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.checks import function, members, real_number
from irengine.config import registry_path
from irengine.coverage import covers_files
from irengine.errors import (
    BuildCancelled,
    CorpusBusy,
    IrError,
    MissingExtra,
    ParameterError,
    SourceError,
)
from irengine.freshness import update
from irengine.index import CancelToken, build
from irengine.policy import resolve_policy
from irengine.registry import get, registered, source_from_entry
from irengine.sources.files import FileScope
from irengine.sources.narrowed import can_narrow
from irengine.sources.walk import readable_name
from irengine.store import CorpusStore

if TYPE_CHECKING:
    from irengine.index import BuildReport
    from irengine.sources import CorpusSource

__all__ = ["WatchEvent", "Watcher"]

DFLT_RESCAN_SECONDS = 600.0
"""How often everything is compared, in case the system dropped a change."""

_TICK_MS = 500  # how often roots and registry are looked at while nothing happens
_QUIET_MS = 50  # a burst of changes is over when nothing comes for this long
_BURST_MS = 300  # and is taken in parts when it goes on for longer
_MOST_ITEMS = 2000  # more changes than this at once are quicker found by a whole pass
_LOCK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """What was done about one corpus.

    ``changes`` counts the paths that led to it, 0 for a pass over everything. ``report`` is what
    the build did, ``error`` why it could not; ``seconds`` how long it took.
    """

    name: str
    changes: int
    seconds: float
    report: BuildReport | None = None
    error: IrError | None = None


class _Watched:
    """A corpus that is watched, and the changes that wait to be indexed."""

    def __init__(self, name: str, source: CorpusSource, storage: Any) -> None:
        self.name = name
        self.source = source
        self.roots = tuple(Path(root) for root in source.scope.roots)  # type: ignore[attr-defined]
        self.storage = storage
        self.waiting: set[str] = set()
        self.everything = True

    @property
    def due(self) -> bool:
        """Whether there is anything to do."""
        return self.everything or bool(self.waiting)

    def note(self, path: str, *, added: bool, removed: bool) -> None:
        """Take in one path that changed, if it may concern this corpus."""
        for root in self.roots:
            if path == str(root):
                self.everything = True
            elif path.startswith(f"{root}{os.sep}"):
                item = "/".join(map(readable_name, Path(path).relative_to(root).parts))
                self._note(item, path, added=added, removed=removed)
        if len(self.waiting) > _MOST_ITEMS:
            self.everything = True

    def _note(self, item: str, path: str, *, added: bool, removed: bool) -> None:
        scope = self.source.scope
        if not isinstance(scope, FileScope) or not can_narrow(scope):
            self.everything = True
            return
        folder, _, name = item.rpartition("/")
        if name in scope.rules.ignore_files:
            self._ask(folder)
        elif _is_closed(folder, scope):
            return
        elif scope.rules.wanted(item):
            self._ask(item)
        elif removed and not os.path.lexists(path):
            self._ask(item)  # perhaps a folder: its files are not told one by one
        elif added and os.path.isdir(path) and not _is_closed(item, scope):  # noqa: PTH112
            self._ask(item)

    def _ask(self, item: str) -> None:
        if item:
            self.waiting.add(item)
        else:
            self.everything = True


class Watcher:
    """Watches the sources of registered corpora and keeps their indexes up to date.

    Each corpus is first brought up to date as a whole. Then changes are indexed within about a
    second: an editor's save, a deletion, a rename, a folder moved in or out, an edited ignore
    file. A corpus another process is writing waits for its turn. Corpora that are registered
    later are watched as well, unless ``names`` were given.

    Args:
        names: the corpora; by default every registered one of files whose policy is to index on
            ``source-change``.
        on_event: called in the watching thread after each attempt to index something.
        on_watch: called there with the name of each corpus, once, when it begins to be watched.
        rescan_seconds: how often everything is compared all the same.

    Raises:
        CorpusNotFound: for a name nobody registered.
        ParameterError: for a corpus that has no files, a number that is none, or names that are
            no list of names.
        MissingExtra: when the ``watch`` extra is not installed.
    """

    def __init__(
        self,
        names: Iterable[str] | None = None,
        *,
        on_event: Callable[[WatchEvent], None] | None = None,
        rescan_seconds: float = DFLT_RESCAN_SECONDS,
        on_watch: Callable[[str], None] | None = None,
    ) -> None:
        self._rescan_seconds = real_number("rescan_seconds", rescan_seconds, above=0.0)
        self._on_event = function("on_event", on_event) or _silent
        self._on_watch = function("on_watch", on_watch)
        self._told: set[str] = set()
        if names is not None:
            names = tuple(dict.fromkeys(members("names", names, str, "corpus names")))
        self._names = names
        _require_watchfiles()
        for name in self._names or ():
            if not covers_files(source_from_entry(name, get(name))):
                raise ParameterError(f"the source of {name!r} is no files, so it cannot be watched")
        self._stop = threading.Event()
        self._cancel = CancelToken()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._closed: dict[str, dict[str, Any]] = {}
        self.ready = threading.Event()
        """Set when every corpus has been brought up to date once and changes are watched."""

    # -- running ----------------------------------------------------------------------------

    def run(self) -> None:
        """Watch until :meth:`stop` is called, from another thread or a signal handler.

        Raises:
            SourceError: when the system watches no more folders (its limit is reached).
        """
        while not self._stop.is_set():
            opened = self._opened()
            self._tell(opened)
            self._watch(opened)

    def start(self) -> Watcher:
        """Watch in a thread of its own and return at once."""
        self._thread = threading.Thread(target=self._guarded, name="irengine-watch", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ask the watcher to end; a build that runs ends between two batches."""
        self._cancel.cancel()
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread of :meth:`start` to end, and raise what ended it."""
        if self._thread is not None:
            self._thread.join(timeout)
        if self._failure is not None:
            raise self._failure

    def __enter__(self) -> Watcher:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.join()

    def _guarded(self) -> None:
        try:
            self.run()
        except BaseException as error:  # noqa: BLE001 - raised again by join()
            self._failure = error
            self.ready.set()

    # -- one round: until the set of roots changes --------------------------------------------

    def _opened(self) -> list[_Watched]:
        """Return the corpora to watch; one whose source cannot be opened now is told and left."""
        entries = registered()
        chosen = self._names
        if chosen is None:
            chosen = tuple(
                name
                for name, entry in entries.items()
                if resolve_policy(entry).reindex.on == "source-change"
            )
        opened = []
        self._closed = {}
        for name in chosen:
            entry = entries.get(name)
            if entry is None:
                continue
            try:
                source = source_from_entry(name, entry)
            except IrError as error:
                self._closed[name] = entry
                self._on_event(WatchEvent(name, 0, 0.0, error=error))
                continue
            if covers_files(source):
                opened.append(_Watched(name, source, entry.get("storage")))
        return opened

    def _tell(self, corpora: list[_Watched]) -> None:
        for one in corpora:
            if self._on_watch is not None and one.name not in self._told:
                self._told.add(one.name)
                self._on_watch(one.name)

    def _watch(self, corpora: list[_Watched]) -> None:
        """Watch the roots of ``corpora`` until one comes or goes, or the registry changes."""
        seen = self._surroundings(corpora)
        next_rescan = time.monotonic() + self._rescan_seconds
        for changes in self._changes([root for one in corpora for root in one.roots]):
            if self._stop.is_set():
                return
            if self._surroundings(corpora) != seen:
                return
            for added, removed, path in changes:
                for one in corpora:
                    one.note(path, added=added, removed=removed)
            if time.monotonic() >= next_rescan:
                next_rescan = time.monotonic() + self._rescan_seconds
                for one in corpora:
                    one.everything = True
            self._bring_up_those_due(corpora)
            if not any(one.due for one in corpora):
                self.ready.set()

    def _surroundings(self, corpora: list[_Watched]) -> object:
        """Return what tells that the watching has to begin anew: roots that are others now."""
        registry = None if self._names is not None else _identity(registry_path(), times=True)
        closed = [name for name, entry in self._closed.items() if not _opens(name, entry)]
        return registry, closed, [_identity(root) for one in corpora for root in one.roots]

    def _changes(self, roots: list[Path]) -> Iterator[list[tuple[bool, bool, str]]]:
        """Yield what changed, and now and then nothing; the first time when watching began."""
        from watchfiles import Change, watch

        present = sorted({str(root) for root in roots if root.is_dir()})
        if not present:
            while not self._stop.wait(_TICK_MS / 1000):
                yield []
            return
        try:
            for changes in watch(
                *present,
                watch_filter=None,
                debounce=_BURST_MS,
                step=_QUIET_MS,
                stop_event=self._stop,
                rust_timeout=_TICK_MS,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                yield sorted(
                    (kind == Change.added, kind == Change.deleted, path) for kind, path in changes
                )
        except OSError as error:
            raise SourceError(
                f"the folders cannot be watched: {error}",
                hint="on Linux fs.inotify.max_user_watches limits how many folders can be",
            ) from error

    # -- indexing -----------------------------------------------------------------------------

    def _bring_up_those_due(self, corpora: list[_Watched]) -> None:
        """Index what changed, then everything of one corpus.

        The next whole pass waits for the next round, so that no change waits for all of them. The
        first ones are made at once: nothing is up to date before.
        """
        for one in sorted(corpora, key=lambda one: one.everything):
            if not one.due or self._stop.is_set():
                continue
            whole = one.everything
            self._bring_up(one)
            if whole and not one.everything and self.ready.is_set():
                return

    def _bring_up(self, one: _Watched) -> None:
        """Index what waits; when the corpus is being written elsewhere it goes on waiting."""
        items, whole = sorted(one.waiting), one.everything
        begun = time.perf_counter()
        options: dict[str, Any] = {"cancel": self._cancel, "lock_timeout": _LOCK_SECONDS}
        report: BuildReport | None = None
        problem: IrError | None = None
        try:
            store = CorpusStore.local(one.name, storage=one.storage)
            if whole:
                corpus = build(one.source, store=store, **options)
            else:
                corpus = update(one.source, items, store=store, **options)
            report = corpus.report
        except (BuildCancelled, CorpusBusy):
            return
        except IrError as error:
            problem = error
        one.waiting.clear()
        one.everything = False
        if problem is None and report is not None and report.nothing_changed:
            return
        seconds = time.perf_counter() - begun
        changes = 0 if whole else len(items)
        self._on_event(WatchEvent(one.name, changes, seconds, report, problem))


def _silent(event: WatchEvent) -> None:
    """Take no notice of ``event``."""


def _is_closed(folder: str, scope: FileScope) -> bool:
    """Whether a folder is below one that is never entered for its name."""
    hidden = scope.rules.hidden
    for name in folder.split("/"):
        if name in scope.rules.exclude_dirs:
            return True
        dotted = name[:1] == "." and name[1:2] != "."
        if dotted and not (hidden is True or (hidden is not False and name in hidden)):
            return True
    return False


def _opens(name: str, entry: dict[str, Any]) -> bool:
    try:
        source_from_entry(name, entry)
    except IrError:
        return False
    return True


def _identity(path: Path, *, times: bool = False) -> tuple[int, ...] | None:
    try:
        info = path.stat()
    except OSError:
        return None
    return (info.st_dev, info.st_ino, *((info.st_mtime_ns,) if times else ()))


def _require_watchfiles() -> None:
    try:
        import watchfiles  # noqa: F401 - whether it is there is the question
    except ImportError as error:
        raise MissingExtra(
            "watching folders needs the watchfiles package",
            hint="pip install 'irengine[watch]'",
        ) from error
