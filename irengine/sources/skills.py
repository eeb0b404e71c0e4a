"""Agent skills: folders with a ``SKILL.md``, as a scope of name, description and pointer."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from irengine.checks import members
from irengine.errors import ItemError, ParameterTypeError, SourceError
from irengine.sources.document import RESERVED_FIELDS
from irengine.sources.fetch import as_mapping, fetch
from irengine.sources.files import FileScope
from irengine.sources.scope import ListedScope, RecordScope, Skipped
from irengine.sources.walk import absolute_root

__all__ = ["SkillScope", "default_skill_roots", "fetched_skills", "skill_fields"]

_AGENT_FOLDERS = (".claude", ".agents", ".codex")
_GENERIC = frozenset((*_AGENT_FOLDERS, "skills", "skill"))
_POINTERS = ("parent", "skill_path", "base_path")
_OWN = frozenset(("name", "description", "text", "title", "line_offset", *_POINTERS))

SkillFilter = Callable[[Mapping[str, Any]], bool]


def default_skill_roots() -> list[Path]:
    """Return the existing folders agents keep skills in, the user's before the project's.

    The user's: ``skills`` in ``$CLAUDE_CONFIG_DIR`` (default ``~/.claude``), ``~/.agents`` and
    ``~/.codex``, and the installed Claude plugins. The project's: ``.claude/skills``,
    ``.agents/skills`` and ``.codex/skills`` in the working directory and the folders above it, up
    to its repository.
    """
    home = Path.home()
    claude = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude").expanduser()
    candidates = [claude / "skills", home / ".agents/skills", home / ".codex/skills"]
    candidates += _plugin_folders(claude / "plugins")
    for folder in _project_folders(home):
        candidates += [folder / agent / "skills" for agent in _AGENT_FOLDERS]
    resolved = (absolute_root(path) for path in candidates if path.is_dir())
    return list(dict.fromkeys(resolved))


def _project_folders(home: Path) -> Iterator[Path]:
    """Yield the working directory and those above it, up to its repository."""
    here = Path.cwd()
    chain = (here, *here.parents)
    top = next((n for n, folder in enumerate(chain) if os.path.lexists(folder / ".git")), 0)
    yield from (folder for folder in chain[: top + 1] if folder != home)


def _plugin_folders(plugins: Path) -> list[Path]:
    """Return the folders of the installed plugins; without the list of them, the whole folder."""
    try:
        listed = json.loads((plugins / "installed_plugins.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return [plugins]
    return [Path(path) for path in dict.fromkeys(_install_paths(listed))]


def _install_paths(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        path = node.get("installPath")
        if isinstance(path, str):
            yield path
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _install_paths(item)


class SkillScope(ListedScope[dict[str, Any]]):
    """The skills below some folders: name to record.

    A record holds ``name``, ``description``, ``parent`` (the collection, plugin or project it
    belongs to), ``skill_path`` (its ``SKILL.md``), ``base_path`` (its folder), ``text`` (the
    body), ``title``, ``line_offset`` and ``fields`` (the rest of its frontmatter). A skill
    without a name is named after its folder. Skills of the same name are all kept: the first by
    root and path under its name, the next as ``name@parent``, further ones with a mark of their
    path. A file that several roots lead to counts once.

    Raises:
        SourceError: when a given root is missing, or no root is given and there are no skills
            folders on this machine.
    """

    def __init__(
        self,
        roots: Iterable[str | os.PathLike[str]] | None = None,
        *,
        keep: SkillFilter | None = None,
    ) -> None:
        if roots is None:
            folders = default_skill_roots()
            if not folders:
                raise SourceError(
                    "no skills folder was found: neither in ~/.claude, ~/.agents or ~/.codex, "
                    f"nor for the project in {Path.cwd()}",
                    hint="pass the folders that hold skills as roots",
                )
        else:
            given = [roots] if isinstance(roots, (str, os.PathLike)) else roots
            paths: list[Any] = members("roots", given, (str, os.PathLike), "folders")
            folders = list(dict.fromkeys(map(absolute_root, paths)))
        self._trees = [
            FileScope(
                folder,
                pattern=r"(?i)(^|/)skill\.md$",
                hidden=_AGENT_FOLDERS,
                gitignore=False,
                follow_links=True,
            )
            for folder in folders
        ]
        super().__init__(folders)
        self._keep = keep
        self._marks: dict[str, str | None] = {}
        self._digests: dict[str, str | None] = {}

    def __getitem__(self, artifact_id: str) -> dict[str, Any]:
        return dict(self._entry(artifact_id))

    def fingerprint(self, artifact_id: str) -> str | None:
        """Return the fingerprint of the skill's ``SKILL.md``, as of the last listing."""
        self._listing()
        return self._marks.get(artifact_id)

    def digest(self, artifact_id: str) -> str | None:
        """Return the SHA-256 of the skill's ``SKILL.md``, as of the last listing."""
        return self._digests.get(artifact_id)

    def keeps(self, artifact_id: str) -> bool:
        """Return whether an unlisted skill may exist: when any ``SKILL.md`` cannot be read."""
        return any(item.reason == "unreadable" for item in self._skipped.values())

    def _list(self) -> dict[str, dict[str, Any]]:
        records: dict[str, dict[str, Any]] = {}
        self._marks, self._digests = {}, {}
        seen: set[str] = set()
        for tree in self._trees:
            root = tree.roots[0]
            for item in tree:
                where = os.path.realpath(tree.path(item))
                if where in seen:
                    continue
                seen.add(where)
                try:
                    record = _record(tree[item], root)
                except ItemError:
                    continue  # the tree has noted it as skipped
                if self._keep is not None and not self._keep(record):
                    continue
                key = self._key(record, records)
                records[key] = record
                self._marks[key] = tree.fingerprint(item)
                self._digests[key] = tree.digest(item)
            for skipped in tree.skipped:
                self._skip(str(root / skipped.id), skipped.reason, skipped.detail)
            for note in tree.notes:
                if note.reason != "no-files":
                    self._note(str(root / note.id), note.reason, note.detail)
        if not records:
            places = ", ".join(map(str, self.roots))
            self._note("", "no-files", f"no SKILL.md was found below {places}")
        return records

    def _key(self, record: Mapping[str, Any], taken: Mapping[str, Any]) -> str:
        key = unique_name(record, taken)
        if key != record["name"]:
            other = taken[record["name"]]["skill_path"]
            self._note(key, "duplicate-name", f"{other} has the name {record['name']!r} too")
        return key


def _record(raw: Mapping[str, Any], root: Path) -> dict[str, Any]:
    path = Path(raw["path"])
    fields = dict(raw["frontmatter"])
    name = fields.pop("name", None)
    description = fields.pop("description", None)
    name = "" if isinstance(name, (list, dict, bool)) or name is None else str(name).strip()
    return {
        "name": unicodedata.normalize("NFC", name) or path.parent.name,
        "description": " ".join(description) if _is_texts(description) else str(description or ""),
        "parent": _parent(path.parent, root),
        "skill_path": str(path),
        "base_path": str(path.parent),
        "text": raw["text"],
        "title": raw["title"],
        "line_offset": raw["line_offset"],
        "fields": fields,
    }


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _parent(folder: Path, root: Path) -> str:
    """Return the nearest folder above a skill that says whose it is; ``"user"`` for the home."""
    for above in folder.parents:
        if above == Path.home():
            return "user"
        if above.name not in _GENERIC:
            return above.name or "user"
    return root.name


def unique_name(record: Mapping[str, Any], taken: Mapping[str, Any]) -> str:
    """Return the id of a skill: its name, ``name@parent``, or that with a mark of its path."""
    name, parent = str(record["name"]), record.get("parent")
    if name not in taken:
        return name
    qualified = f"{name}@{parent}" if parent else name
    if qualified not in taken:
        return qualified
    place = str(record.get("skill_path") or record.get("base_path") or len(taken))
    mark = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()
    length = 8
    while (key := f"{qualified}~{mark[:length]}") in taken:
        length += 1
    return key


def fetched_skills(name: str, fetcher: Any, keep: SkillFilter | None) -> RecordScope:
    """Return the skill records of a fetcher by id, as :class:`SkillScope` names them."""
    records: dict[str, Any] = {}
    skipped: list[Skipped] = []
    for position, found in enumerate(fetch(fetcher, name)):
        fields = as_mapping(found)
        if fields is None:
            detail = f"a skill record is a mapping, not {type(found).__name__}"
            skipped.append(Skipped(f"{name}_{position}", "bad-record", detail))
            continue
        record = dict(fields)
        if not record.get("name"):
            base = str(record.get("base_path") or "").rstrip("/")
            record["name"] = base.rpartition("/")[2] or f"{name}_{position}"
        record["name"] = str(record["name"])
        if keep is None or keep(record):
            records[unique_name(record, records)] = record
    return RecordScope(records, skipped=skipped)


def skill_filter(wanted: Any) -> SkillFilter | None:
    """Return a predicate over skill records from a callable, a glob on the name, or several."""
    if wanted is None:
        return None
    if callable(wanted):
        return lambda record: bool(wanted(record))
    globs = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(globs, Iterable) or not all(isinstance(glob, str) for glob in globs):
        raise ParameterTypeError(
            f"filter must be a function of a skill record or name patterns, not {wanted!r}"
        )
    patterns = list(globs)
    return lambda record: any(fnmatch.fnmatch(str(record["name"]), glob) for glob in patterns)


def skill_fields(artifact_id: str, raw: Any) -> dict[str, Any]:
    """Return the filter fields of a skill: its pointers, and the rest of its frontmatter."""
    if not isinstance(raw, Mapping):
        return {}
    fields: dict[str, Any] = {}
    for key, value in (raw.get("fields") or {}).items():
        reserved = key in RESERVED_FIELDS or key in _OWN
        fields[f"fm_{key}" if reserved else key] = value
    fields |= {key: raw[key] for key in _POINTERS if key in raw}
    return fields
