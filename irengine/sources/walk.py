"""Walk a folder tree once: which files are there, under which ids, and what was left out."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from irengine.errors import ParameterError, ParameterTypeError, SourceError, SourceMissing
from irengine.sources.ignore import IgnoreRules, ancestor_rules, enter

__all__ = [
    "Found",
    "WalkRules",
    "Walked",
    "absolute_root",
    "check_root",
    "existing",
    "readable_name",
    "readable_path",
    "walk",
]


class Found(NamedTuple):
    """A regular file: where it is and what ``stat`` said of it when it was listed."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class WalkRules:
    """What a walk lists and where it goes.

    ``wanted`` is asked with the id of every file; ``excluded`` with the id of every file and
    folder (folders end in ``/``). ``hidden`` is True, False, or the dotted names to let in.
    ``deep`` is False for the top level only.
    """

    wanted: Callable[[str], bool]
    excluded: Callable[[str], bool] | None = None
    exclude_dirs: Collection[str] = ()
    hidden: bool | Collection[str] = False
    ignore_files: tuple[str, ...] = ()
    follow_links: bool = False
    deep: bool = True


@dataclass(slots=True)
class Walked:
    """What a walk found: ``files`` by id in id order, and what it left out.

    ``skipped`` holds ``(id, reason, detail)``; ``lost`` the prefixes of folders that could not
    be read, whose files may exist; ``ignored`` counts the wanted files and the folders that
    ignore files or exclusions left out; ``hidden`` the wanted files and the folders left out for
    the dot before their name; ``empty`` says that the root holds nothing at all.
    """

    files: dict[str, Found] = field(default_factory=dict)
    skipped: list[tuple[str, str, str]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    ignored: int = 0
    hidden: int = 0
    seen: int = 0
    empty: bool = False


def absolute_root(root: str | os.PathLike[str]) -> Path:
    """Return ``root`` as an absolute path: ``~`` expanded, links resolved, existing or not.

    Raises:
        ParameterError: when it is no path at all.
        SourceMissing: when it is relative and the working directory no longer exists.
    """
    if not isinstance(root, (str, os.PathLike)):
        raise ParameterTypeError(f"a folder is named by a path, not {type(root).__name__}")
    if not os.fspath(root) or "\0" in str(root):
        raise ParameterError(f"{str(root)!r} is no path")
    try:
        path = Path(root).expanduser()
    except RuntimeError as error:
        raise ParameterError(f"{root}: {error}") from error
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise ParameterError(f"{str(root)!r} is no path: no file name holds it") from error
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links, a folder on the way that is closed
        try:
            return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() is what failed
        except FileNotFoundError as error:
            raise SourceMissing(
                f"{path} is relative to a working directory that no longer exists",
                hint="change to a folder that exists, or name the whole path",
            ) from error


def check_root(root: Path) -> None:
    """Make sure ``root`` is a folder that can be listed.

    Raises:
        SourceMissing: when it does not exist.
        SourceError: when it is a file, cannot be read, or is a mount point without its mount.
    """
    if not stat.S_ISDIR(existing(root, f"the folder {root}").st_mode):
        raise SourceError(
            f"{root} is a file, not a folder",
            hint="name the folder it is in, with a pattern that matches it",
        )
    unmounted = _unmounted(root)
    if unmounted is not None:
        raise SourceError(
            f"the folder {root} is not there: nothing is mounted at {unmounted}",
            hint="mount the disk and try again; the index keeps what it has",
        )


def existing(path: Path, called: str) -> os.stat_result:
    """Return what ``stat`` says of ``path``, which a message calls ``called``.

    Raises:
        SourceMissing: when it does not exist.
        SourceError: when it cannot be looked at: closed, or a link that leads back to itself.
    """
    called = readable_path(called)
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise SourceMissing(
            f"{called} does not exist", hint="check the spelling, or whether its disk is mounted"
        ) from None
    except OSError as error:
        raise SourceError(f"{called} cannot be read: {error.strerror}") from error


def _unmounted(root: Path) -> str | None:
    """Return the mount point of ``/etc/fstab`` that ``root`` needs and that is not mounted."""
    try:
        lines = Path("/etc/fstab").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    around = {str(folder) for folder in (root, *root.parents)} - {"/"}
    for line in lines:
        fields = line.split("#", 1)[0].split()
        if len(fields) > 1 and (point := fields[1].replace("\\040", " ")) in around:
            try:
                if not os.path.ismount(point) and not os.listdir(point):  # noqa: PTH208
                    return point
            except OSError:
                continue
    return None


def walk(root: Path, rules: WalkRules) -> Walked:
    """List the regular files below ``root`` that ``rules`` want.

    An id is the POSIX path relative to ``root`` in NFC; bytes that are no UTF-8 appear as
    ``\\xNN``. Where two files would share an id, the one spelled exactly so keeps it and the
    others get ``~`` and eight hex digits of their real name. A link is never a reason to list a
    file twice: what is inside ``root`` anyway keeps its own path, and links lead out of ``root``
    only with ``follow_links``. Only regular files are listed; pipes, sockets and devices are
    never opened.

    Raises:
        SourceError: when ``root`` itself cannot be listed.
    """
    walker = _Walker(root, rules)
    walker.run()
    return walker.result


class _Walker:
    def __init__(self, root: Path, rules: WalkRules) -> None:
        self.root = root
        self.real_root = Path(os.path.realpath(root))
        self.rules = rules
        self.result = Walked()
        self.found: list[tuple[str, Found]] = []
        self.links: list[tuple[str, str, IgnoreRules | None]] = []
        self.visited: set[tuple[int, int]] = set()

    def run(self) -> None:
        rules = self.rules
        outer = ancestor_rules(self.root, rules.ignore_files) if rules.ignore_files else None
        self._tree(str(self.root), "", outer)
        real = {(file.device, file.inode) for _, file in self.found}
        while self.links:
            batch, self.links = sorted(self.links, key=lambda link: link[0]), []
            for item, path, ignore in batch:
                self._link(item, path, ignore, real)
        files = self._identified()
        self.result.files = {item: files[item] for item in sorted(files)}

    def _tree(self, top: str, prefix: str, outer: IgnoreRules | None) -> None:
        """List one tree; links are put aside until everything real has been seen."""
        rules, result = self.rules, self.result
        hidden = rules.hidden
        stack = [(top, prefix, outer)]
        while stack:
            folder, prefix, outer = stack.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = list(listing)
                if rules.follow_links:
                    info = os.stat(folder)  # noqa: PTH116 - one call, no object
                    if (info.st_dev, info.st_ino) in self.visited:
                        continue
                    self.visited.add((info.st_dev, info.st_ino))
            except OSError as error:
                self._unreadable_folder(folder, prefix, error)
                continue
            if not prefix:
                result.empty = not entries
            ignore = outer
            if rules.ignore_files:
                present = {entry.name for entry in entries}.intersection(rules.ignore_files)
                if present:
                    ordered = [name for name in rules.ignore_files if name in present]
                    ignore = enter(folder, prefix, ordered, outer)
            for entry in entries:
                name = entry.name
                if _is_hidden(name) and not (hidden is True or (hidden and name in hidden)):
                    result.hidden += self._would_list(entry, prefix)
                    continue
                item = prefix + (name if name.isascii() else readable_name(name))
                try:
                    if entry.is_symlink():
                        self.links.append((item, entry.path, ignore))
                    elif entry.is_dir():
                        if rules.deep and self._enters(name, item + "/", ignore):
                            stack.append((entry.path, item + "/", ignore))
                    elif self._lists(item, ignore):
                        self._file(item, entry.path, entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue  # removed while we walked
                except OSError as error:
                    result.skipped.append((item, "unreadable", _reason(error)))

    def _would_list(self, entry: os.DirEntry[str], prefix: str) -> bool:
        """Whether a name is one to look at but for its dot; links are not followed to tell."""
        if entry.is_dir(follow_symlinks=False):
            return entry.name not in self.rules.exclude_dirs
        return self.rules.wanted(prefix + readable_name(entry.name))

    def _enters(self, name: str, item: str, ignore: IgnoreRules | None) -> bool:
        if name in self.rules.exclude_dirs:
            return False
        return not self._left_out(item, ignore)

    def _lists(self, item: str, ignore: IgnoreRules | None) -> bool:
        self.result.seen += 1
        return self.rules.wanted(item) and not self._left_out(item, ignore)

    def _left_out(self, item: str, ignore: IgnoreRules | None) -> bool:
        excluded = self.rules.excluded
        out = (ignore is not None and ignore.ignored(item)) or (
            excluded is not None and excluded(item)
        )
        self.result.ignored += out
        return out

    def _file(self, item: str, path: str, info: os.stat_result) -> bool:
        if not stat.S_ISREG(info.st_mode):
            self.result.skipped.append((item, "not-a-file", "a pipe, socket or device"))
            return False
        found = Found(
            path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino, info.st_dev
        )
        self.found.append((item, found))
        return True

    def _link(
        self, item: str, path: str, ignore: IgnoreRules | None, real: set[tuple[int, int]]
    ) -> None:
        """Decide on one link, now that every real file and folder is known."""
        rules, result = self.rules, self.result
        try:
            info = os.stat(path)  # noqa: PTH116 - follows the link in one call
        except OSError as error:
            if rules.wanted(item):
                closed = error.errno in (errno.EACCES, errno.EPERM)
                detail = f"its target cannot be reached: {_reason(error)}"
                result.skipped.append((item, "unreadable" if closed else "broken-link", detail))
            return
        target = Path(os.path.realpath(path))
        inside = target == self.real_root or self.real_root in target.parents
        if stat.S_ISDIR(info.st_mode):
            name = item.rsplit("/", 1)[-1]
            if not rules.deep or not self._enters(name, item + "/", ignore):
                return
            if rules.follow_links:
                self._follow(item, path, ignore, real)
            elif not inside:
                result.skipped.append(
                    (item + "/", "link-not-followed", f"a link to the folder {target}")
                )
            return
        if (info.st_dev, info.st_ino) in real or not self._lists(item, ignore):
            return
        if inside or rules.follow_links:
            if self._file(item, path, info):
                real.add((info.st_dev, info.st_ino))
        else:
            result.skipped.append((item, "link-not-followed", f"a link to {target}"))

    def _follow(
        self, item: str, path: str, ignore: IgnoreRules | None, real: set[tuple[int, int]]
    ) -> None:
        """List what a linked folder holds, except the files that are listed already."""
        before = len(self.found)
        self._tree(path, item + "/", ignore)
        fresh = self.found[before:]
        del self.found[before:]
        for name, file in fresh:
            if (file.device, file.inode) not in real:
                self.found.append((name, file))
        real.update((file.device, file.inode) for _, file in fresh)

    def _unreadable_folder(self, folder: str, prefix: str, error: OSError) -> None:
        if not prefix:
            raise SourceError(f"the folder {folder} cannot be read: {_reason(error)}") from error
        if error.errno == errno.ENOENT:
            return  # removed while we walked
        self.result.skipped.append((prefix, "unreadable", _reason(error)))
        self.result.lost.append(prefix)

    def _identified(self) -> dict[str, Found]:
        """Give every file an id of its own."""
        groups: dict[str, list[Found]] = {}
        for item, file in self.found:
            groups.setdefault(item, []).append(file)
        files: dict[str, Found] = {}
        for item, group in groups.items():
            if len(group) == 1:
                files[item] = group[0]
                continue
            group.sort(key=lambda file: (not file.path.endswith("/" + item), file.path))
            files[item] = group[0]
            for file in group[1:]:
                stem, dot, extension = item.rpartition(".")
                if not stem or "/" in extension:
                    stem, dot, extension = item, "", ""
                real = os.path.relpath(file.path, self.root)
                mark = hashlib.sha256(os.fsencode(real)).hexdigest()[:8]
                files[f"{stem}~{mark}{dot}{extension}"] = file
        return files


def readable_name(name: str) -> str:
    """Return a file name in NFC, with undecodable bytes spelled ``\\xNN``."""
    return unicodedata.normalize("NFC", readable_path(name))


def readable_path(path: str) -> str:
    """Return ``path`` as text that any storage takes, undecodable bytes spelled ``\\xNN``."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path


def _is_hidden(name: str) -> bool:
    """Whether a name is hidden; ``..md`` is a page about ``.``, not a hidden file."""
    return name[0] == "." and name[1:2] != "."


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
