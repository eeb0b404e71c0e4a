"""Markdown reports below the ``docs`` folders of many projects, as one scope."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from irengine.checks import flag
from irengine.errors import SourceError, SourceMissing
from irengine.sources.document import file_fields
from irengine.sources.files import FileScope
from irengine.sources.ignore import DFLT_EXCLUDE_DIRS
from irengine.sources.walk import Walked, WalkRules, absolute_root, walk

__all__ = [
    "ALLCAPS_MD",
    "REPORT_DOC_GLOBS",
    "REPO_DOC_SUBDIRS",
    "ReportScope",
    "iter_pocket_repos",
    "iter_report_doc_folders",
    "projects_root_of",
    "report_exclude_reason",
    "report_fields",
]

ALLCAPS_MD = re.compile(r"^[A-Z0-9_ ]+\.md$")
"""File names that are a project's furniture (README, CLAUDE, CHANGELOG), not reports."""

REPORT_DOC_GLOBS = ("*/*/docs", "*/*/misc/docs")
"""Where reports are, below the projects root."""

REPO_DOC_SUBDIRS = ("docs", "misc/docs")
"""Where reports are, below a repository."""


def projects_root_of(projects_root: str | os.PathLike[str] | None) -> Path:
    """Return the projects root: the given one, else ``$IR_PROJECTS_ROOT``, else ``$PP``.

    Raises:
        SourceError: when none is set.
    """
    configured = os.environ.get("IR_PROJECTS_ROOT") or os.environ.get("PP")
    if projects_root is None and not configured:
        raise SourceError(
            "no projects root is set, so there is no place to look for reports",
            hint="pass projects_root (--param projects_root=FOLDER to irtui register), or set "
            "IR_PROJECTS_ROOT, to the folder whose */*/docs folders hold the reports",
        )
    return absolute_root(projects_root if projects_root is not None else str(configured))


def iter_pocket_repos(root: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the repositories in the pockets of ``root``, in path order.

    A pocket is a ``*/*`` folder that is no repository itself; its children with a ``.git``
    folder are. Work trees and submodules, whose ``.git`` is a file, are left out.
    """
    for folder in _second_level(Path(root)):
        if os.path.lexists(folder / ".git"):
            continue
        for child in _subfolders(folder):
            if (child / ".git").is_dir():
                yield child


def iter_report_doc_folders(
    root: str | os.PathLike[str], *, exclude_dirs: Collection[str] = DFLT_EXCLUDE_DIRS
) -> Iterator[Path]:
    """Yield the existing report folders below ``root``: of projects, then of pocket repositories.

    A folder below an excluded or dotted folder (``node_modules/x/docs``) is left out.
    """
    root = Path(root)
    projects = (*_second_level(root), *iter_pocket_repos(root))
    for project in projects:
        above = project.relative_to(root).parts
        if any(part in exclude_dirs or part.startswith(".") for part in above):
            continue
        for below in REPO_DOC_SUBDIRS:
            if (project / below).is_dir():
                yield project / below


def report_exclude_reason(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    exclude_dirs: Collection[str] = DFLT_EXCLUDE_DIRS,
) -> str | None:
    """Return why a Markdown file below ``folder`` is no report, or ``None`` when it is one.

    ``"allcaps"`` for a name of :data:`ALLCAPS_MD`; ``"excluded_dir"`` when a folder between
    ``folder`` and the file is dotted or in ``exclude_dirs``.
    """
    relative = Path(path).relative_to(folder)
    return _reason(relative.parts, exclude_dirs)


def _reason(parts: tuple[str, ...], exclude_dirs: Collection[str]) -> str | None:
    if any(part in exclude_dirs or part.startswith(".") for part in parts[:-1]):
        return "excluded_dir"
    return "allcaps" if ALLCAPS_MD.match(parts[-1]) else None


class ReportScope(FileScope):
    """The reports below a projects root, by path relative to it; read like any other file.

    A root without a single report folder is no empty corpus: listing it is a ``SourceMissing``.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        recursive: bool = True,
        exclude_dirs: Collection[str] | None = None,
    ) -> None:
        super().__init__(root, exclude_dirs=exclude_dirs, hidden=True, gitignore=False)
        self.recursive = flag("recursive", recursive)

    def _walk(self) -> Walked:
        root = self.roots[0]
        excluded = self.rules.exclude_dirs
        whole = Walked()
        folders = list(iter_report_doc_folders(root, exclude_dirs=excluded))
        if not folders:
            raise SourceMissing(
                f"there is no report folder below {root}: neither {' nor '.join(REPORT_DOC_GLOBS)}",
                hint="check that it is the folder above the projects' owners, and that its disk is "
                "mounted",
            )
        for folder in folders:
            prefix = folder.relative_to(root).as_posix() + "/"
            rules = WalkRules(
                wanted=lambda item: self._wants(item) and not self._is_furniture(item),
                excluded=_is_dotted_folder,
                exclude_dirs=excluded,
                hidden=True,
                deep=self.recursive,
            )
            try:
                walked = walk(folder, rules)
            except SourceError as error:
                whole.skipped.append((prefix, "unreadable", error.message))
                whole.lost.append(prefix)
                continue
            whole.seen += walked.seen
            whole.ignored += walked.ignored
            whole.hidden += walked.hidden
            whole.lost += [prefix + item for item in walked.lost]
            whole.skipped += [(prefix + item, why, what) for item, why, what in walked.skipped]
            whole.files |= {prefix + item: file for item, file in walked.files.items()}
        whole.files = dict(sorted(whole.files.items()))
        return whole

    def _is_furniture(self, item: str) -> bool:
        return _reason(tuple(item.split("/")), self.rules.exclude_dirs) is not None

    def project_of(self, artifact_id: str) -> str:
        """Return the project a report belongs to: its second path part, or the pocket
        repository.
        """
        return _project_of(artifact_id, self.roots[0])


def _project_of(relative: str, root: Path | None = None) -> str:
    """Return the second path part of ``relative``, the first when there is only one, or ``""``.

    With a root, a report in a pocket repository belongs to the third part.
    """
    parts = [part for part in relative.split("/") if part]
    if root is not None and len(parts) > 2:
        pocket = root / parts[0] / parts[1]
        if not os.path.lexists(pocket / ".git") and (pocket / parts[2] / ".git").is_dir():
            return parts[2]
    return parts[1] if len(parts) > 1 else (parts[0] if parts else "")


def report_fields(scope: ReportScope, artifact_id: str, raw: Any) -> Mapping[str, Any]:
    """Return the filter fields of a report: its project, and what every file has."""
    if not isinstance(raw, Mapping) or "path" not in raw:
        return {}
    return {**file_fields(artifact_id, raw), "project": scope.project_of(artifact_id)}


def _is_dotted_folder(item: str) -> bool:
    return item.endswith("/") and item[:-1].rpartition("/")[2].startswith(".")


def _second_level(root: Path) -> list[Path]:
    return [project for owner in _subfolders(root) for project in _subfolders(owner)]


def _subfolders(folder: Path) -> list[Path]:
    """Return the folders in ``folder`` by name; none when it cannot be read."""
    try:
        return sorted(child for child in folder.iterdir() if child.is_dir())
    except OSError:
        return []
