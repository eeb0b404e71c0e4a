"""Sources: where a corpus comes from. One constructor of :class:`CorpusSource` for each kind.

A search only looks at the marks of files: what listing and reading need is imported by those.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irengine.sources.document import RESERVED_FIELDS
    from irengine.sources.extract import DOCUMENT_EXTENSIONS
    from irengine.sources.fetch import resolve_fetcher
    from irengine.sources.files import DFLT_MAX_BYTES, DFLT_PATTERN, TEXT_PATTERN, FileScope
    from irengine.sources.ignore import DFLT_EXCLUDE_DIRS, IGNORE_FILES
    from irengine.sources.packages import package_repo_dirs
    from irengine.sources.reports import (
        ALLCAPS_MD,
        REPO_DOC_SUBDIRS,
        REPORT_DOC_GLOBS,
        iter_pocket_repos,
        iter_report_doc_folders,
        report_exclude_reason,
    )
    from irengine.sources.reports import _project_of as _project_of
    from irengine.sources.scope import Note, RecordScope, Scope, Skipped
    from irengine.sources.sessions import DFLT_SESSIONS_SINCE_DAYS
    from irengine.sources.signals import content_hash_signal
    from irengine.sources.skills import default_skill_roots
    from irengine.sources.source import CorpusSource
    from irengine.sources.tools import MCP_TOOL_PARAM_KEYS, mcp_tool_record, mcp_tool_signal

_HOMES = {
    "document": "RESERVED_FIELDS",
    "extract": "DOCUMENT_EXTENSIONS",
    "fetch": "resolve_fetcher",
    "files": "DFLT_MAX_BYTES DFLT_PATTERN TEXT_PATTERN FileScope",
    "ignore": "DFLT_EXCLUDE_DIRS IGNORE_FILES",
    "packages": "package_repo_dirs",
    "reports": (
        "ALLCAPS_MD REPO_DOC_SUBDIRS REPORT_DOC_GLOBS iter_pocket_repos iter_report_doc_folders "
        "report_exclude_reason _project_of"
    ),
    "scope": "Note RecordScope Scope Skipped",
    "sessions": "DFLT_SESSIONS_SINCE_DAYS",
    "signals": "content_hash_signal",
    "skills": "default_skill_roots",
    "source": "CorpusSource",
    "tools": "MCP_TOOL_PARAM_KEYS mcp_tool_record mcp_tool_signal",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "ALLCAPS_MD",
    "DFLT_EXCLUDE_DIRS",
    "DFLT_MAX_BYTES",
    "DFLT_PATTERN",
    "DFLT_SESSIONS_SINCE_DAYS",
    "DOCUMENT_EXTENSIONS",
    "IGNORE_FILES",
    "MCP_TOOL_PARAM_KEYS",
    "REPORT_DOC_GLOBS",
    "REPO_DOC_SUBDIRS",
    "RESERVED_FIELDS",
    "TEXT_PATTERN",
    "CorpusSource",
    "FileScope",
    "Note",
    "RecordScope",
    "Scope",
    "Skipped",
    "content_hash_signal",
    "default_skill_roots",
    "iter_pocket_repos",
    "iter_report_doc_folders",
    "mcp_tool_record",
    "mcp_tool_signal",
    "package_repo_dirs",
    "report_exclude_reason",
    "resolve_fetcher",
]


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
