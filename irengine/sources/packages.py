"""Source folders of packages, as a scope: description, README and dependencies of each."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.checks import members
from irengine.config import excluded_patterns
from irengine.errors import SourceError, SourceMissing
from irengine.sources.decode import BinaryContent, decode_text
from irengine.sources.scope import Scope
from irengine.sources.walk import absolute_root

if TYPE_CHECKING:
    from configparser import ConfigParser

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = [
    "DFLT_README_CHARS",
    "RepoScope",
    "exclude_patterns",
    "package_fields",
    "package_repo_dirs",
]

DFLT_README_CHARS = 20_000
"""Characters of a README that are indexed."""

_READMES = ("README.md", "README.rst", "README.txt")
_TOLD = ("pyproject.toml", "setup.cfg", "package.json", *_READMES)
_MAX_FILE = 5_000_000


def package_repo_dirs(manifest: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the folders a manifest names, in its order, each once.

    A manifest is a ``.pth`` file: one absolute folder a line; relative lines, missing folders and
    ``import`` lines are passed over. Without an argument it is ``$PTH_FILEPATH``.

    Raises:
        SourceError: when there is no manifest, it cannot be read, or none of its folders exists.
    """
    given = manifest if manifest is not None else os.environ.get("PTH_FILEPATH")
    if not given:
        raise SourceError(
            "no manifest of packages is given",
            hint="pass manifest, or set PTH_FILEPATH to a .pth file that lists their folders",
        )
    path = absolute_root(given)
    try:
        text = decode_text(path.read_bytes()).text
    except FileNotFoundError:
        raise SourceMissing(f"the manifest {path} does not exist") from None
    except (OSError, BinaryContent) as error:
        raise SourceError(f"the manifest {path} cannot be read: {error}") from error
    lines = (line.strip() for line in text.split("\n"))
    named = [Path(line) for line in lines if line and Path(line).is_absolute()]
    folders = _distinct(folder for folder in named if folder.is_dir())
    if named and not folders:
        raise SourceMissing(
            f"none of the folders that the manifest {path} names exists",
            hint="check whether their disk is mounted",
        )
    return folders


def _distinct(folders: Iterable[Path]) -> list[Path]:
    """Return each folder once, however it is spelled, the first spelling of it."""
    found: dict[str, Path] = {}
    for folder in folders:
        found.setdefault(os.path.realpath(folder), folder)
    return list(found.values())


class RepoScope(Scope):
    """Package folders: name of the folder to ``{name, description, readme, owner, deps, path}``.

    A second folder of the same name is ``name@<folder above>``; further ones get a mark of their
    path. A folder without any metadata still is a package. The folders are fixed; what is in them
    is read on demand.
    """

    def __init__(
        self,
        folders: Iterable[str | os.PathLike[str]],
        *,
        exclude: Iterable[str] | None = None,
        readme_chars: int = DFLT_README_CHARS,
    ) -> None:
        patterns = exclude_patterns(exclude)
        kept = [
            folder
            for folder in _distinct(absolute_root(given) for given in folders)
            if not _excluded(folder, patterns)
        ]
        for folder in kept:
            if not folder.is_dir():
                raise SourceMissing(f"the package folder {folder} does not exist")
        self._folders: dict[str, Path] = {}
        for folder in kept:
            self._folders[_key(folder, self._folders)] = folder
        super().__init__(kept)
        self._readme_chars = readme_chars
        if not kept:
            self._note("", "no-files", "no package folder is left to index")

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)

    def __contains__(self, artifact_id: object) -> bool:
        return artifact_id in self._folders

    def fingerprint(self, artifact_id: str) -> str | None:
        """Return a token of the metadata files of a package; ``None`` for an unknown one."""
        folder = self._folders.get(artifact_id)
        if folder is None:
            return None
        told = [str(folder), str(self._readme_chars)]
        for name in _TOLD:
            try:
                info = (folder / name).stat()
            except OSError:
                continue
            told.append(f"{name}:{info.st_mtime_ns}:{info.st_ctime_ns}:{info.st_size}")
        return hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def keeps(self, artifact_id: str) -> bool:
        """Return False: the folders are named one by one."""
        return False

    def __getitem__(self, artifact_id: str) -> dict[str, Any]:
        folder = self._folders.get(artifact_id)
        if folder is None:
            raise self._unknown(artifact_id)
        if not folder.is_dir():
            raise self._fail(artifact_id, "vanished", f"its folder {folder} was removed")
        description, deps = _metadata(folder)
        return {
            "name": folder.name,
            "description": description,
            "readme": _readme(folder)[: self._readme_chars],
            "owner": "ours",
            "deps": deps,
            "path": str(folder),
        }


def package_fields(artifact_id: str, raw: Any) -> dict[str, Any]:
    """Return the filter fields of a package that its strategy does not set: path and version."""
    if not isinstance(raw, Mapping):
        return {}
    return {key: raw[key] for key in ("path", "version") if raw.get(key)}


def _key(folder: Path, taken: Mapping[str, Path]) -> str:
    if folder.name not in taken:
        return folder.name
    qualified = f"{folder.name}@{folder.parent.name}"
    if qualified not in taken:
        return qualified
    return f"{qualified}~{hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]}"


def exclude_patterns(exclude: Iterable[str] | None) -> list[str]:
    """Return the exclusions as a list; ``None`` stands for those of the exclude file."""
    if exclude is None:
        return excluded_patterns()
    patterns = [exclude] if isinstance(exclude, str) else exclude
    return members("exclude", patterns, str, "file patterns")


def _excluded(folder: Path, patterns: list[str]) -> bool:
    """Return whether a pattern matches the folder's path, or its path below the projects root."""
    spellings = [folder.as_posix()]
    root = os.environ.get("IR_PROJECTS_ROOT") or os.environ.get("PP")
    if root:
        projects = absolute_root(root)
        if projects in folder.parents:
            spellings.append(folder.relative_to(projects).as_posix())
    return any(fnmatch.fnmatch(said, pattern) for said in spellings for pattern in patterns)


def _metadata(folder: Path) -> tuple[str, list[str]]:
    """Return description and dependencies, from the first file that tells each."""
    project = _pyproject(folder / "pyproject.toml")
    setup = _setup_cfg(folder / "setup.cfg")
    description = project.get("description") or _plain(setup, "metadata", "description")
    if not description:
        description = _package_json(folder / "package.json").get("description")
    if "dependencies" in project:
        named = project["dependencies"]
        deps = [str(item) for item in named] if isinstance(named, list) else []
    else:
        deps = _requirements(_plain(setup, "options", "install_requires"))
    return description if isinstance(description, str) else "", deps


def _text(path: Path) -> str:
    """Return the text of a file; ``""`` when there is none that can be read."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_FILE:
            return ""
        return decode_text(path.read_bytes()).text
    except (OSError, BinaryContent):
        return ""


def _pyproject(path: Path) -> Mapping[str, Any]:
    text = _text(path)
    if not text:
        return {}
    try:
        project = tomllib.loads(text).get("project", {})
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        warnings.warn(f"{path} is not valid TOML: {error}", UserWarning, stacklevel=2)
        return {}
    if not isinstance(project, dict):
        warnings.warn(f"'project' in {path} is not a table", UserWarning, stacklevel=2)
        return {}
    return project


def _setup_cfg(path: Path) -> ConfigParser:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    text = _text(path)
    if text:
        try:
            parser.read_string(text, source=str(path))
        except configparser.Error as error:
            first = str(error).splitlines()[0]
            warnings.warn(f"{path} cannot be parsed: {first}", UserWarning, stacklevel=2)
            return configparser.ConfigParser(interpolation=None, strict=False)
    return parser


def _plain(parser: ConfigParser, section: str, option: str) -> str:
    """Return a value that stands in the file itself; ``file:`` and ``attr:`` point elsewhere."""
    value = parser.get(section, option, fallback="") or ""
    return "" if value.strip().startswith(("file:", "attr:")) else value.strip()


def _requirements(value: str) -> list[str]:
    lines = value.split("\n") if "\n" in value else value.split(";")
    stripped = (line.strip() for line in lines)
    return [line for line in stripped if line and not line.startswith("#")]


def _package_json(path: Path) -> Mapping[str, Any]:
    text = _text(path)
    try:
        loaded = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _readme(folder: Path) -> str:
    return next((text for name in _READMES if (text := _text(folder / name))), "")
