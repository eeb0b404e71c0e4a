"""The five strategies: what each kind of artifact is filtered by and what of it is embedded.

In every strategy the caller's metadata overrides a filter field of the same name. Surfaces with
blank text are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from irengine.base import IndexPlan, Surface
from irengine.errors import ParameterError
from irengine.strategy.chunking import Chunk, check_sizes, chunks_of
from irengine.strategy.text import as_text, text_of

__all__ = [
    "DFLT_CHUNK_MAX_TOKENS",
    "Chunked",
    "ClaudeTurn",
    "IndexingStrategy",
    "Package",
    "Skill",
    "WholeText",
    "default_deps_text",
]

DFLT_CHUNK_MAX_TOKENS = 250
"""Tokens per chunk that leave the default model (256) room for its two special tokens."""

_DEPENDENCY = re.compile(
    r"\s*(@[\w.-]+/[\w.-]+|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?=\s*(?:$|[\[<>=!~;@(,^])|\s)"
)


@runtime_checkable
class IndexingStrategy(Protocol):
    """Decompose one artifact into filter fields and embeddable surfaces."""

    def decompose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None = None
    ) -> IndexPlan:
        """Return the plan of one artifact; the same input gives the same plan."""


def _check_text(name: str, value: Any, *, optional: bool = True) -> None:
    if (value is None and optional) or (isinstance(value, str) and value):
        return
    kind = "None or a non-empty string" if optional else "a non-empty string"
    raise ParameterError(f"{name} must be {kind}, not {value!r}")


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, not {value!r}")


@dataclass(frozen=True, kw_only=True)
class WholeText:
    """One surface: the entire text, as it is.

    The default for a naive corpus. ``text_key`` names the field of a mapping that holds the text
    (see :func:`text_of`); ``kind`` is the surface's kind. The filter fields are the metadata.
    """

    text_key: str | None = None
    kind: str = "document"

    def __post_init__(self) -> None:
        _check_text("text_key", self.text_key)
        _check_text("kind", self.kind, optional=False)

    def decompose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None = None
    ) -> IndexPlan:
        """Return a plan of one surface, or of none when the text is blank."""
        surface = Surface(artifact_id, self.kind, text_of(raw, self.text_key))
        return _plan({}, metadata, [surface])


@dataclass(frozen=True, kw_only=True)
class Chunked:
    """Cut the text into chunk surfaces that overlap.

    A chunk holds at most ``chunk_size`` characters and repeats up to ``overlap`` of the one
    before. With ``max_tokens`` chunks are counted in tokens of ``token_model`` (``None``: the
    default embedding model), so that no chunk overflows the model and is cut short unseen; then
    ``overlap / chunk_size`` is the share that is repeated. A tokenizer that is not available
    gives a ``UserWarning`` and chunks counted in characters.

    Each chunk is an exact slice of the text, see :mod:`irengine.strategy.cutter` for where it
    is cut. Its metadata:

    - ``chunk_index``, ``n_chunks``: which of how many,
    - ``line_start``, ``line_end``: 1-based, inclusive; in the file when the raw item says how many
      lines of it precede the text (``line_offset``),
    - ``char_start``: offset of the chunk in the text, in code points,
    - ``heading``: path of the headings in force at its start, ``"A > B"``; absent without one.

    Raises:
        ParameterError: unless ``chunk_size >= 1``, ``0 <= overlap < chunk_size`` and
            ``max_tokens`` is ``None`` or at least 1.
    """

    chunk_size: int = 1200
    overlap: int = 200
    text_key: str | None = None
    kind: str = "chunk"
    max_tokens: int | None = None
    token_model: str | None = None

    def __post_init__(self) -> None:
        check_sizes(self.chunk_size, self.overlap, self.max_tokens)
        _check_text("text_key", self.text_key)
        _check_text("kind", self.kind, optional=False)
        _check_text("token_model", self.token_model)

    def decompose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None = None
    ) -> IndexPlan:
        """Return a plan of one surface per chunk, in text order."""
        chunks = chunks_of(
            text_of(raw, self.text_key),
            chunk_size=self.chunk_size,
            overlap=self.overlap,
            max_tokens=self.max_tokens,
            token_model=self.token_model,
        )
        surfaces = _chunk_surfaces(artifact_id, self.kind, chunks, self._line_offset(raw))
        return _plan({}, metadata, surfaces)

    def _line_offset(self, raw: Any) -> int:
        """Return the lines of the file before the text; other fields have no file."""
        if self.text_key not in (None, "text") or not isinstance(raw, Mapping) or "text" not in raw:
            return 0
        offset = raw.get("line_offset")
        return offset if isinstance(offset, int) else 0


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A capability: one ``capability`` surface of name and description.

    The body of the skill is not indexed: it is read once the skill is selected. ``name`` and
    ``parent`` are filter fields. A missing name is the artifact id; an item that is no mapping is
    a name. A skill with neither name nor description has no surface.
    """

    def decompose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None = None
    ) -> IndexPlan:
        """Return a plan of the capability surface."""
        record = _record(raw)
        name = _name(record, artifact_id)
        description = as_text(record.get("description") or None)
        text = f"{name}\n\n{description}".strip()
        fields = {"name": name, "parent": record.get("parent")}
        return _plan(fields, metadata, [Surface(artifact_id, "capability", text, "field")])


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package: a ``description`` surface, ``readme_chunk`` surfaces, optionally ``deps``.

    ``name``, ``owner``, ``has_readme`` and ``deps`` are filter fields; ``deps`` keeps the
    specifiers. With ``embed_deps`` a last surface names the dependencies (``deps_template``, a
    function of the list of specifiers to text; default :func:`default_deps_text`), so that a
    query for a domain finds a package by the libraries it builds on. It comes last, so the ids of
    the other surfaces do not depend on it.

    The README is cut as :class:`Chunked` cuts, with the same metadata on its chunks. The
    description is surface 0 of the plan, so README chunk ``j`` is surface ``j + 1``: never derive
    a record id from ``chunk_index``.
    """

    chunk_size: int = 1500
    overlap: int = 200
    embed_deps: bool = False
    deps_template: Callable[[list[str]], str] | None = None
    max_tokens: int | None = None
    token_model: str | None = None

    synopsis_fields: ClassVar[tuple[str, ...]] = ("name", "description", "readme")
    """The fields a synopsis may be written from: prose, never local paths."""

    def __post_init__(self) -> None:
        check_sizes(self.chunk_size, self.overlap, self.max_tokens)
        _check_flag("embed_deps", self.embed_deps)
        _check_text("token_model", self.token_model)
        if self.deps_template is not None and not callable(self.deps_template):
            raise ParameterError(
                f"deps_template must be None or a function, not {self.deps_template!r}"
            )

    def decompose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None = None
    ) -> IndexPlan:
        """Return a plan of description, README chunks and, last, dependencies."""
        record = _record(raw)
        name = _name(record, artifact_id)
        description = as_text(record.get("description") or None).strip()
        readme = as_text(record.get("readme") or None)
        deps = _dependencies(record.get("deps"))
        title = ": ".join(part for part in (name.strip(), description) if part)
        surfaces = [Surface(artifact_id, "description", title, "field")]
        chunks = chunks_of(
            readme,
            chunk_size=self.chunk_size,
            overlap=self.overlap,
            max_tokens=self.max_tokens,
            token_model=self.token_model,
        )
        surfaces += _chunk_surfaces(artifact_id, "readme_chunk", chunks, 0)
        if self.embed_deps:
            text = as_text((self.deps_template or default_deps_text)(deps))
            surfaces.append(Surface(artifact_id, "deps", text, "field"))
        fields = {
            "name": name,
            "owner": record.get("owner"),
            "has_readme": bool(readme.strip()),
            "deps": deps,
        }
        return _plan(fields, metadata, surfaces)


_TURN_FIELDS = (
    "session_id",
    "project",
    "cwd",
    "git_branch",
    "timestamp",
    "model",
    "has_tool_use",
    "session_title",
)


@dataclass(frozen=True, kw_only=True)
class ClaudeTurn:
    """A turn of an agent session: ``user_prompt`` and ``assistant_summary`` surfaces.

    The summary is the assistant's final text of the turn; ``include_full`` adds all its text as
    ``assistant_full`` when that is more than the summary. Session, project, time, model and tool
    use are filter fields. A record with ``record_type`` ``"session_title"`` has one
    ``session_title`` surface. An item that is no mapping is a prompt.
    """

    include_full: bool = False

    def __post_init__(self) -> None:
        _check_flag("include_full", self.include_full)

    def decompose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None = None
    ) -> IndexPlan:
        """Return a plan of the sides of the turn that are not blank."""
        record: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {"user_prompt": raw}
        fields = {key: record.get(key) for key in _TURN_FIELDS}
        fields["has_tool_use"] = bool(fields["has_tool_use"])

        def side(kind: str, granularity: str = "field") -> Surface:
            return Surface(artifact_id, kind, as_text(record.get(kind)).strip(), granularity)

        if record.get("record_type") == "session_title":
            return _plan(fields, metadata, [side("session_title")])
        surfaces = [side("user_prompt"), side("assistant_summary")]
        if self.include_full:
            full = side("assistant_full", "document")
            if full.text != surfaces[1].text:
                surfaces.append(full)
        return _plan(fields, metadata, surfaces)


def _plan(
    fields: Mapping[str, Any], metadata: Mapping[str, Any] | None, surfaces: Iterable[Surface]
) -> IndexPlan:
    kept = [surface for surface in surfaces if surface.text.strip()]
    return IndexPlan({**fields, **(metadata or {})}, kept)


def _chunk_surfaces(
    artifact_id: str, kind: str, chunks: list[Chunk], line_offset: int
) -> list[Surface]:
    surfaces = []
    for index, chunk in enumerate(chunks):
        metadata: dict[str, Any] = {
            "chunk_index": index,
            "n_chunks": len(chunks),
            "line_start": chunk.line_start + line_offset,
            "line_end": chunk.line_end + line_offset,
            "char_start": chunk.start,
        }
        if chunk.heading:
            metadata["heading"] = chunk.heading
        surfaces.append(Surface(artifact_id, kind, chunk.text, "chunk", metadata))
    return surfaces


def _record(raw: Any) -> Mapping[str, Any]:
    return raw if isinstance(raw, Mapping) else {"name": as_text(raw)}


def _name(record: Mapping[str, Any], artifact_id: str) -> str:
    name = record.get("name")
    return artifact_id if name is None else as_text(name)


def _dependencies(value: Any) -> list[str]:
    """Return dependencies as a list of strings; a single one is a list of one."""
    if not value:
        return []
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return [as_text(value)]
    items = [as_text(item) for item in value if item is not None]
    return sorted(items) if isinstance(value, (set, frozenset)) else items


def default_deps_text(deps: Iterable[str]) -> str:
    """Return ``"Depends on: a, b"`` from requirement strings, or ``""`` when none has a name.

    Versions, extras, markers and URLs are left out; names are lower-cased and kept once, in order.

    >>> default_deps_text(["NumPy>=1.26", "rich[x]; python_version > '3'", "numpy"])
    'Depends on: numpy, rich'
    """
    matches = (_DEPENDENCY.match(as_text(dep)) for dep in _dependencies(deps))
    names = dict.fromkeys(match[1].lower() for match in matches if match)
    return f"Depends on: {', '.join(names)}" if names else ""
