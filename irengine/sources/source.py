"""The corpus definition: what is indexed, how it is cut, and how a change is seen."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irengine.base import FilterFields
from irengine.checks import function, members, shown, whole_number
from irengine.config import safe_name
from irengine.errors import ParameterTypeError, nearest
from irengine.sources.distributions import DistributionScope
from irengine.sources.document import file_fields
from irengine.sources.files import DFLT_MAX_BYTES, DFLT_PATTERN, FileScope
from irengine.sources.ignore import IGNORE_FILES
from irengine.sources.packages import (
    DFLT_README_CHARS,
    RepoScope,
    package_fields,
    package_repo_dirs,
)
from irengine.sources.records import lifted, records_scope
from irengine.sources.reports import ReportScope, projects_root_of, report_fields
from irengine.sources.sessions import DFLT_SESSIONS_SINCE_DAYS, SessionScope, fetched_turns
from irengine.sources.signals import content_hash_signal
from irengine.sources.skills import SkillScope, fetched_skills, skill_fields, skill_filter
from irengine.sources.tools import mcp_tool_signal, param_names, tools_scope
from irengine.strategy import (
    DFLT_CHUNK_MAX_TOKENS,
    Chunked,
    ClaudeTurn,
    IndexingStrategy,
    Package,
    Skill,
    WholeText,
)

if TYPE_CHECKING:
    from irengine.sources.scope import Scope

__all__ = ["CorpusSource"]

ChangeSignal = Callable[[str, Any], str]
MetadataOf = Callable[[str, Any], FilterFields]
_Path = str | os.PathLike[str]

_OPTIONS = ("change_signal", "embedder", "metadata_of")


@dataclass
class CorpusSource:
    """A corpus definition: scope, strategy, change signal, embedder and filter metadata.

    ``scope`` maps artifact ids to raw items: a plain mapping, or a lazy
    :class:`~irengine.sources.Scope`. ``change_signal(artifact_id, raw)`` is equal for equal
    content. ``metadata_of(artifact_id, raw)`` gives the filter fields a strategy does not set
    itself.

    Every constructor takes ``change_signal``, ``embedder`` and ``metadata_of`` besides its own
    arguments; what ``metadata_of`` returns is laid over the fields the kind has anyway. Any other
    keyword is a ``TypeError`` that names it.

    Raises:
        InvalidName: for a name no corpus can have.
        ParameterTypeError: when ``scope`` is no mapping, or the strategy is none.
    """

    name: str
    scope: Mapping[str, Any]
    indexing_strategy: IndexingStrategy = field(default_factory=WholeText)
    change_signal: ChangeSignal = content_hash_signal
    embedder: Any = "default"
    metadata_of: MetadataOf | None = None

    def __post_init__(self) -> None:
        safe_name(self.name)
        if not all(hasattr(self.scope, name) for name in ("__getitem__", "__iter__", "items")):
            raise ParameterTypeError(
                f"the scope of corpus {self.name!r} must map ids to items, "
                f"not {type(self.scope).__name__}",
                hint="a list of records goes through from_records",
            )
        if not hasattr(self.indexing_strategy, "decompose"):
            raise ParameterTypeError(
                f"the strategy of corpus {self.name!r} has no decompose(): "
                f"{shown(self.indexing_strategy)}",
                hint="for example irengine.strategy.WholeText() or Chunked()",
            )
        function("metadata_of", self.metadata_of)

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the ``(artifact_id, raw)`` pairs of the scope; each is read when reached.

        Raises:
            ItemError: at an item that cannot be read.
        """
        return self.scope.items()

    # -- constructors -----------------------------------------------------------------------

    @classmethod
    def from_mapping(
        cls,
        mapping: Mapping[str, Any],
        *,
        name: str,
        strategy: IndexingStrategy | None = None,
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of any mapping from id to raw item."""
        return cls(name, mapping, strategy or WholeText(), **_options("from_mapping", kwargs))

    @classmethod
    def from_records(
        cls,
        *,
        name: str,
        fetcher: Any,
        strategy: IndexingStrategy | None = None,
        metadata_keys: Iterable[str] | None = None,
        id_key: str = "id",
        text_key: str = "text",
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of the records a function returns; it is called now.

        A record is a mapping, or an object with attributes. Its ``id_key`` is the artifact id, by
        its ``str``; a record without one (or with an empty one, or 0) is ``<name>_<position>``.
        Of records with the same id the first is kept and the others are reported as skipped. A
        function that returns a mapping gives its keys as missing ids. The default strategy chunks
        ``text_key``; ``metadata_keys`` become filter fields.

        Raises:
            SourceError: when the function fails or returns no records.
            ParameterError, FetcherImportError, FetcherAttributeError: see ``resolve_fetcher``.

        >>> source = CorpusSource.from_records(
        ...     name="notes",
        ...     fetcher=lambda: [{"id": "a", "text": "hi", "project": "p"}],
        ...     metadata_keys=["project"],
        ... )
        >>> source.scope["a"]["text"], source.metadata_of("a", source.scope["a"])
        ('hi', {'project': 'p'})
        """
        options = _options("from_records", kwargs, lifted(metadata_keys))
        strategy = strategy or Chunked(text_key=text_key, max_tokens=DFLT_CHUNK_MAX_TOKENS)
        return cls(name, records_scope(name, fetcher, id_key), strategy, **options)

    @classmethod
    def from_files(
        cls,
        root: _Path,
        *,
        name: str | None = None,
        pattern: str | re.Pattern[str] = DFLT_PATTERN,
        exclude: Any = None,
        strategy: IndexingStrategy | None = None,
        exclude_dirs: Collection[str] | None = None,
        follow_links: bool = False,
        hidden: bool | Collection[str] = False,
        gitignore: bool = True,
        ignore_files: Collection[str] = IGNORE_FILES,
        max_bytes: int = DFLT_MAX_BYTES,
        extract: bool = False,
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of the text files below a folder, listed and read lazily.

        Ids are paths relative to ``root``; the name is that of the folder unless given. Filter
        fields: ``path`` (absolute), ``filename``, ``folder``, ``ext``, ``title`` and the fields
        of the YAML frontmatter. Any encoding is read; binary, empty and too large files are
        skipped and reported. Folders of ``exclude_dirs`` (default ``DFLT_EXCLUDE_DIRS``), dotted
        names and what ignore files name are left out; links are followed only inside the root.
        The options are those of :class:`~irengine.sources.FileScope`.

        Raises:
            SourceError: when the folder is missing, a file, or cannot be listed.
            ParameterError: for a pattern or an option that makes no sense.
            InvalidName: for a name no corpus can have, an empty one too.
            MissingExtra: with ``extract`` when the ``documents`` extra is not installed.
        """
        options = _options("from_files", kwargs, file_fields)
        scope = FileScope(
            root,
            pattern=pattern,
            exclude=exclude,
            exclude_dirs=exclude_dirs,
            follow_links=follow_links,
            hidden=hidden,
            gitignore=gitignore,
            ignore_files=ignore_files,
            max_bytes=max_bytes,
            extract=extract,
        )
        strategy = strategy or Chunked(max_tokens=DFLT_CHUNK_MAX_TOKENS)
        folder = scope.roots[0].name or "files"
        return cls(folder if name is None else name, scope, strategy, **options)

    @classmethod
    def from_md_reports(
        cls,
        *,
        name: str = "reports",
        projects_root: _Path | None = None,
        strategy: IndexingStrategy | None = None,
        recursive: bool = True,
        exclude_dirs: Collection[str] | None = None,
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of the Markdown reports in the ``docs`` folders of projects.

        Looks in ``*/*/docs`` and ``*/*/misc/docs`` below ``projects_root`` (default
        ``$IR_PROJECTS_ROOT``, else ``$PP``) and in those of pocket repositories. ``recursive``
        reads nested folders too. ALL-CAPS names (README) and folders that are dotted or in
        ``exclude_dirs`` are left out. Filter fields: ``project`` and those of ``from_files``.

        Raises:
            SourceError: when no projects root is known, or it is missing.
        """
        root = projects_root_of(projects_root)
        scope = ReportScope(root, recursive=recursive, exclude_dirs=exclude_dirs)
        options = _options(
            "from_md_reports", kwargs, lambda item, raw: report_fields(scope, item, raw)
        )
        return cls(name, scope, strategy or Chunked(max_tokens=DFLT_CHUNK_MAX_TOKENS), **options)

    @classmethod
    def from_skills(
        cls,
        *,
        name: str = "skills",
        filter: Any = None,
        fetcher: Any = None,
        strategy: IndexingStrategy | None = None,
        roots: Iterable[_Path] | None = None,
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of agent skills: folders with a ``SKILL.md``.

        Reads the folders in ``roots``, by default those agents keep skills in (see
        ``default_skill_roots``); or the records of ``fetcher``. ``filter`` is a function of a
        record, or name patterns (``"pdf*"``). Skills of one name are all kept: as ``name``, then
        ``name@parent``, then with a mark. Only name and description are indexed by default; the
        rest of the frontmatter, ``parent``, ``skill_path`` and ``base_path`` are filter fields.

        Raises:
            SourceError: when there is no skills folder, or the fetcher fails.
        """
        options = _options("from_skills", kwargs, skill_fields)
        keep = skill_filter(filter)
        scope: Scope = (
            SkillScope(roots, keep=keep) if fetcher is None else fetched_skills(name, fetcher, keep)
        )
        return cls(name, scope, strategy or Skill(), **options)

    @classmethod
    def from_mcp_tools(
        cls,
        tools: Any,
        *,
        name: str = "tools",
        strategy: IndexingStrategy | None = None,
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of a catalogue of MCP tools, for tool search.

        ``tools`` is an iterable of tool records, a mapping from name to tool (a tool's own name
        wins), the result of ``tools/list``, or a fetcher of one of these. A tool is any mapping or
        object with ``name``, ``description`` and a schema. Names are the ids. Only name and
        description are embedded; the schema counts for the version, and its top-level parameters
        are the filter field ``param_names``.

        Raises:
            ParameterError: for a tool without a name, or a name that comes twice.

        >>> source = CorpusSource.from_mcp_tools(
        ...     [{"name": "ping", "description": "Check the server is up"}]
        ... )
        >>> plan = source.indexing_strategy.decompose("ping", source.scope["ping"])
        >>> print(plan.surfaces[0].text)
        ping
        <BLANKLINE>
        Check the server is up
        """
        kwargs.setdefault("change_signal", mcp_tool_signal)
        options = _options("from_mcp_tools", kwargs, param_names)
        return cls(name, tools_scope(tools, name), strategy or Skill(), **options)

    @classmethod
    def from_claude_sessions(
        cls,
        *,
        name: str = "sessions",
        since: Any = DFLT_SESSIONS_SINCE_DAYS,
        projects: str | Collection[str] | None = None,
        include_full: bool = False,
        include_session_title: bool = True,
        max_sessions: int | None = None,
        root: _Path | None = None,
        fetcher: Any = None,
        strategy: IndexingStrategy | None = None,
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of Claude Code sessions, a turn of prompt and answer an item.

        Reads the transcripts below ``root`` (default ``~/.claude/projects``), or the records of
        ``fetcher``. ``since`` (days, a date, ``None``), ``projects`` (parts of the working
        directory) and ``max_sessions`` narrow what is read; turns that are indexed stay when they
        merely leave the window. ``include_full`` also indexes all of the assistant's text,
        ``include_session_title`` each session's title.

        Raises:
            SourceError: when there are no transcripts, or the fetcher fails.
        """
        options = _options("from_claude_sessions", kwargs)
        scope: Scope
        if fetcher is not None:
            scope = fetched_turns(name, fetcher)
        else:
            scope = SessionScope(
                root,
                since=since,
                projects=projects,
                max_sessions=max_sessions,
                include_session_title=include_session_title,
            )
        return cls(name, scope, strategy or ClaudeTurn(include_full=include_full), **options)

    @classmethod
    def from_packages(
        cls,
        *,
        name: str = "packages",
        manifest: _Path | None = None,
        repos: Iterable[_Path] | None = None,
        exclude: Iterable[str] | None = None,
        readme_chars: int = DFLT_README_CHARS,
        strategy: IndexingStrategy | None = None,
        **kwargs: Any,
    ) -> CorpusSource:
        """Make a corpus of packages: description, README and dependencies of each.

        Reads the folders in ``repos``; else those of a ``.pth`` ``manifest`` (default
        ``$PTH_FILEPATH``); else, without either, the distributions installed in this interpreter.
        ``exclude`` holds ``fnmatch`` patterns on the path or, below the projects root, the
        relative path (for distributions the name); by default those of the exclude file.

        Raises:
            SourceError: when the manifest or a folder is missing.
        """
        options = _options("from_packages", kwargs, package_fields)
        scope = _package_scope(manifest, repos, exclude, readme_chars)
        return cls(name, scope, strategy or Package(max_tokens=DFLT_CHUNK_MAX_TOKENS), **options)


def _package_scope(
    manifest: _Path | None,
    repos: Iterable[_Path] | None,
    exclude: Iterable[str] | None,
    readme_chars: int,
) -> Scope:
    readme_chars = whole_number("readme_chars", readme_chars, least=0)
    if repos is None and manifest is None and not os.environ.get("PTH_FILEPATH"):
        return DistributionScope(exclude=exclude, readme_chars=readme_chars)
    if repos is None:
        folders: Iterable[_Path] = package_repo_dirs(manifest)
    else:
        several = [repos] if isinstance(repos, (str, os.PathLike)) else repos
        folders = members("repos", several, (str, os.PathLike), "folders")
    return RepoScope(folders, exclude=exclude, readme_chars=readme_chars)


def _options(
    constructor: str, kwargs: Mapping[str, Any], fields: MetadataOf | None = None
) -> dict[str, Any]:
    """Return the common options, ``metadata_of`` laid over the fields the kind has anyway."""
    for key in kwargs:
        if key not in _OPTIONS:
            raise ParameterTypeError(
                f"{constructor}() has no parameter {key!r}", hint=nearest(key, _known(constructor))
            )
    options = dict(kwargs)
    own: MetadataOf | None = options.get("metadata_of")
    if fields is not None and own is not None:
        options["metadata_of"] = lambda item, raw: {**fields(item, raw), **(own(item, raw) or {})}
    elif fields is not None:
        options["metadata_of"] = fields
    return options


def _known(constructor: str) -> Iterator[str]:
    import inspect

    yield from _OPTIONS
    for name, parameter in inspect.signature(getattr(CorpusSource, constructor)).parameters.items():
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            yield name
