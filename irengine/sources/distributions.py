"""The distributions installed in this interpreter, as a scope of packages."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.sources.packages import DFLT_README_CHARS, exclude_patterns
from irengine.sources.scope import ListedScope
from irengine.sources.walk import absolute_root

if TYPE_CHECKING:
    from importlib import metadata

__all__ = ["DistributionScope"]

_PACKAGE = re.compile(r"^([A-Za-z][\w/]*)/__init__\.py,", re.MULTILINE)
_EXTRA = re.compile(r";.*\bextra\s*==")


class DistributionScope(ListedScope["metadata.Distribution"]):
    """Installed distributions: name to ``{name, description, readme, owner, deps, path, version}``.

    ``description`` is the summary, ``readme`` the long description, ``deps`` the requirements
    that no extra guards, ``path`` the package's folder, else that of its metadata. Of several
    distributions of one name the first on ``sys.path`` counts, as it does for imports. ``exclude``
    holds ``fnmatch`` patterns on the name or the path.
    """

    def __init__(
        self, *, exclude: Iterable[str] | None = None, readme_chars: int = DFLT_README_CHARS
    ) -> None:
        super().__init__()
        self._exclude = exclude_patterns(exclude)
        self._readme_chars = readme_chars

    def __getitem__(self, artifact_id: str) -> dict[str, Any]:
        found = self._entry(artifact_id)
        try:
            about: Any = found.metadata  # parsed anew at each access
            readme = about.get_payload() or about.get("Description") or ""
            requires = found.requires or []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._fail(
                artifact_id, "unreadable", f"its metadata cannot be read: {error}"
            ) from error
        summary, version = about.get("Summary") or "", str(about.get("Version") or "")
        return {
            "name": artifact_id,
            "description": "" if summary == "UNKNOWN" else str(summary),
            "readme": str(readme).strip()[: self._readme_chars],
            "owner": "installed",
            "deps": [item for item in requires if not _EXTRA.search(item)],
            "path": _path(found, artifact_id, version),
            "version": version,
        }

    def _list(self) -> dict[str, metadata.Distribution]:
        from importlib import metadata

        found: dict[str, metadata.Distribution] = {}
        known: set[str] = set()
        sites: dict[Path, None] = {}
        for distribution in metadata.distributions():
            name = _name(distribution)
            if not name:
                where = str(distribution.locate_file(""))
                self._skip(where, "no-name", "a distribution without a name in its metadata")
                continue
            normal = re.sub(r"[-_.]+", "-", name).lower()
            if normal in known or self._is_excluded(name, distribution):
                continue
            known.add(normal)
            found[name] = distribution
            sites[Path(str(distribution.locate_file("")))] = None
        self.roots = tuple(map(absolute_root, sites))
        return dict(sorted(found.items(), key=lambda pair: pair[0].lower()))

    def _is_excluded(self, name: str, distribution: metadata.Distribution) -> bool:
        if not self._exclude:
            return False
        spellings = (name, _path(distribution, name, ""))
        return any(fnmatch.fnmatch(said, glob) for said in spellings for glob in self._exclude)


def _name(distribution: metadata.Distribution) -> str:
    try:
        return str(distribution.metadata["Name"] or "")
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _path(distribution: metadata.Distribution, name: str, version: str) -> str:
    """Return the folder of the package, else of its metadata, else where it is installed."""
    site = Path(str(distribution.locate_file("")))
    modules = (distribution.read_text("top_level.txt") or "").split()
    for guess in (*modules, re.sub(r"[-.]+", "_", name), re.sub(r"[-_.]+", "_", name).lower()):
        if not guess.startswith("_") and (site / guess).is_dir():
            return str(site / guess)
    packages = _PACKAGE.findall(distribution.read_text("RECORD") or "")
    if packages:
        return str(site / min(packages, key=lambda path: path.count("/")))
    for stem in (re.sub(r"[-.]+", "_", name), name, re.sub(r"[-_.]+", "_", name).lower()):
        folder = site / f"{stem}-{version}.dist-info"
        if folder.is_dir():
            return str(folder)
    return str(site)
