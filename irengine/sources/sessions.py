"""Claude Code sessions as a scope: a turn an item, a session's title another."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

from irengine.checks import flag, whole_number
from irengine.errors import ParameterError, ParameterTypeError, SourceMissing
from irengine.sources.fetch import as_mapping, fetch
from irengine.sources.scope import ListedScope, RecordScope, Skipped
from irengine.sources.transcripts import Transcript, parse_transcript
from irengine.sources.walk import absolute_root, check_root

__all__ = ["DFLT_SESSIONS_SINCE_DAYS", "SessionScope", "default_sessions_root", "fetched_turns"]

DFLT_SESSIONS_SINCE_DAYS = 90
"""How far back sessions are read, in days."""

_TITLE = "title"
_CACHED = 8  # parsed transcripts kept: a build reads the turns of one file in a row


def default_sessions_root() -> Path:
    """Return where Claude Code keeps transcripts: ``projects`` in its configuration folder."""
    configured = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(configured or Path.home() / ".claude").expanduser() / "projects"


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int


class SessionScope(ListedScope[_File]):
    """The turns of the sessions below ``root``: ``<session>#<turn>`` to a turn record.

    ``<session>#title`` is the session's title. Only the window is listed: sessions and turns
    since ``since``, of at most ``max_sessions`` sessions (the latest), of ``projects``. What
    merely left the window stays indexed (see :meth:`keeps`); what was deleted does not.

    Args:
        root: the folder of project folders that hold ``<session>.jsonl`` files.
        since: days back, a ``timedelta``, a date or time (an ISO text too), or ``None`` for all.
        projects: a part of the working directory, or several; ``None`` for every project.
        max_sessions: how many sessions at most, the latest first.
        include_session_title: whether titles are items of their own.
        now: the present moment; injected by tests.

    Raises:
        SourceError: when there is no such folder; when listed, also without any of ``projects``.
        ParameterError: for a ``since`` that is no moment.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        since: Any = DFLT_SESSIONS_SINCE_DAYS,
        projects: str | Collection[str] | None = None,
        max_sessions: int | None = None,
        include_session_title: bool = True,
        now: datetime | None = None,
    ) -> None:
        folder = absolute_root(root if root is not None else default_sessions_root())
        check_root(folder)
        super().__init__((folder,))
        if max_sessions is not None:
            max_sessions = whole_number("max_sessions", max_sessions, least=1)
        self._cutoff = _moment(since, now or datetime.now(timezone.utc))
        self._projects = _parts(projects)
        self._max_sessions = max_sessions
        self._titles = flag("include_session_title", include_session_title)
        self.keeps_missing = self._cutoff is not None or max_sessions is not None
        self._outside: set[str] = set()
        self._aged: set[str] = set()
        self._parsed: OrderedDict[_File, Transcript] = OrderedDict()

    # -- listing ----------------------------------------------------------------------------

    def keeps(self, artifact_id: str) -> bool:
        """Return whether an unlisted turn merely left the window: its transcript still has it."""
        return artifact_id in self._aged or artifact_id.partition("#")[0] in self._outside

    def fingerprint(self, artifact_id: str) -> str | None:
        """Return a token of the transcript a turn is in, as of the last listing."""
        file = self._listing().get(artifact_id)
        if file is None:
            return None
        return f"1-{file.mtime_ns:x}-{file.ctime_ns:x}-{file.size:x}-{file.inode:x}"

    def _list(self) -> dict[str, _File]:
        check_root(self.roots[0])
        self._outside, self._aged = set(), set()
        items: dict[str, _File] = {}
        taken = 0
        for file in self._files():
            session = Path(file.path).stem
            old = self._cutoff is not None and file.mtime_ns < self._cutoff.timestamp() * 1e9
            if old or (self._max_sessions is not None and taken >= self._max_sessions):
                self._outside.add(session)
                continue
            transcript = self._transcript(file)
            if transcript is None:
                continue
            listed = [record["id"] for record in transcript.records if self._in_window(record)]
            if not listed:
                continue
            taken += 1
            if self._titles and transcript.title:
                listed.append(f"{session}#{_TITLE}")
            for artifact_id in listed:
                items.setdefault(artifact_id, file)
        if not items:
            self._note("", "no-files", f"no session below {self.roots[0]} is in the window")
        return items

    def _files(self) -> list[_File]:
        """Return the transcripts of the wanted projects, the latest first, then by path."""
        found: list[_File] = []
        for folder in self._project_folders(self.roots[0]):
            try:
                names = sorted(os.listdir(folder))  # noqa: PTH208 - names, not paths
            except OSError as error:
                self._skip(f"{folder.name}/", "unreadable", str(error.strerror).lower())
                continue
            for name in names:
                if not name.endswith(".jsonl") or name.startswith((".", "agent-")):
                    continue
                path = folder / name
                try:
                    info = path.stat()
                except OSError:
                    continue
                if path.is_file() and info.st_size:
                    times = info.st_mtime_ns, info.st_ctime_ns
                    found.append(_File(str(path), *times, info.st_size, info.st_ino))
        return sorted(found, key=lambda file: (-file.mtime_ns, file.path))

    def _project_folders(self, root: Path) -> list[Path]:
        """Return the folders of the wanted projects by name.

        Raises:
            SourceMissing: when projects are asked for, and none of them has a folder.
        """
        folders = sorted(child for child in root.iterdir() if child.is_dir())
        parts = [_folded(part) for part in self._projects]
        wanted = [folder for folder in folders if any(part in folder.name for part in parts)]
        if parts and not wanted:
            raise SourceMissing(
                f"{root} has no folder of the projects {', '.join(self._projects)}",
                hint="a project is a part of the working directory its sessions ran in",
            )
        return wanted if parts else folders

    def _in_window(self, record: Mapping[str, Any]) -> bool:
        if self._projects and not any(part in record["cwd"] for part in self._projects):
            return False
        if self._cutoff is None:
            return True
        said = _parsed_time(record["timestamp"])
        if said is None or said >= self._cutoff:
            return True
        self._aged.add(record["id"])
        return False

    # -- one item ---------------------------------------------------------------------------

    def __getitem__(self, artifact_id: str) -> dict[str, Any]:
        file = self._entry(artifact_id)
        transcript = self._transcript(file)
        if transcript is None:
            skipped = self._skipped.get(Path(file.path).stem)
            detail = skipped.detail if skipped else "its transcript cannot be read"
            raise self._fail(artifact_id, "unreadable", detail)
        records = {record["id"]: record for record in transcript.records}
        session, _, part = artifact_id.partition("#")
        if part == _TITLE and transcript.title and transcript.records:
            return _title_record(session, transcript)
        if artifact_id not in records:
            raise self._fail(artifact_id, "vanished", "it is no longer in its transcript")
        return {**records[artifact_id], "transcript": file.path}

    def _transcript(self, file: _File) -> Transcript | None:
        """Return a parsed transcript; ``None``, and noted as skipped, when it cannot be read."""
        transcript = self._parsed.get(file)
        if transcript is not None:
            self._parsed.move_to_end(file)
            return transcript
        session = Path(file.path).stem
        try:
            transcript = parse_transcript(file.path)
        except OSError as error:
            detail = f"its transcript cannot be read: {str(error.strerror).lower()}"
            self._skip(session, "unreadable", detail)
            self._outside.add(session)
            return None
        if transcript.broken > 1:
            self._note(session, "broken-lines", f"{transcript.broken} lines are no JSON")
        self._parsed[file] = transcript
        while len(self._parsed) > _CACHED:
            self._parsed.popitem(last=False)
        return transcript


def _title_record(session: str, transcript: Transcript) -> dict[str, Any]:
    """Return the title's record, with the fields of the session's last turn."""
    last = transcript.records[-1]
    kept = ("session_id", "project", "cwd", "git_branch", "timestamp", "model", "session_title")
    return {
        "id": f"{session}#{_TITLE}",
        "record_type": "session_title",
        **{key: last[key] for key in kept},
    }


def fetched_turns(name: str, fetcher: Any) -> RecordScope:
    """Return the turn records of a fetcher by ``id``, else ``turn_<position>``."""
    records: dict[str, Any] = {}
    skipped: list[Skipped] = []
    for position, found in enumerate(fetch(fetcher, name)):
        record = as_mapping(found)
        if record is None:
            detail = f"a turn record is a mapping, not {type(found).__name__}"
            skipped.append(Skipped(f"turn_{position}", "bad-record", detail))
            continue
        artifact_id = str(record.get("id") or f"turn_{position}")
        if artifact_id in records:
            detail = f"record {position} has the id of an earlier one, which was kept"
            skipped.append(Skipped(f"{artifact_id} (record {position})", "duplicate-id", detail))
        else:
            records[artifact_id] = record
    return RecordScope(records, skipped=skipped)


def _moment(since: Any, now: datetime) -> datetime | None:
    """Return the moment a window opens; ``None`` for no limit."""
    if since is None:
        return None
    if isinstance(since, datetime):
        return since if since.tzinfo else since.astimezone()
    if isinstance(since, date):
        return datetime.combine(since, time()).astimezone()
    if isinstance(since, timedelta):
        return now - since
    if isinstance(since, str):
        found = _parsed_time(since)
        if found is not None:
            return found
        if re.fullmatch(r"\s*\d+\s*", since):
            since = int(since)
    if isinstance(since, (int, float)) and not isinstance(since, bool) and since >= 0:
        try:
            return now - timedelta(days=since)
        except (OverflowError, ValueError):
            return None
    raise ParameterError(
        f"since must be a number of days or a date, not {since!r}",
        hint="since=90, since='2024-01-31', or since=None for everything",
    )


def _parsed_time(text: Any) -> datetime | None:
    if not isinstance(text, str) or len(text) < 10:
        return None
    try:
        moment = datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", text.strip()))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.astimezone()


def _parts(projects: str | Collection[str] | None) -> tuple[str, ...]:
    if projects is None:
        return ()
    parts = (projects,) if isinstance(projects, str) else tuple(projects)
    if not all(isinstance(part, str) for part in parts):
        raise ParameterTypeError(f"projects must be parts of folder names, not {projects!r}")
    return tuple(part for part in parts if part)


def _folded(part: str) -> str:
    """Return a part of a working directory as Claude Code spells it in a folder name."""
    return re.sub(r"[^A-Za-z0-9]", "-", part)
