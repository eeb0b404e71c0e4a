"""The folder of a local corpus: names of its files, and the one commit point.

CURRENT.json        what is published; replaced atomically, nothing else commits
LOCK, LOCK.json     the writer's lock, and who holds it
intent.json         present while the Chroma copy may differ from what is published
corpus.json         name, storage, and a readable copy of the settings
calibration.json    abstention floors        policy.json    state of maintenance
builds.jsonl        one line a build
chroma-000007/      the Chroma copy: opened by the lock holder only
gen-000042/         manifest.json (a copy of CURRENT.json with checksums), dead.npy
seg-000042-1f3a/    immutable rows, shared by the generations that name them
tables/             layers of ledger and links, shared likewise
"""

from __future__ import annotations

import re
import secrets
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from irengine.errors import StoreError
from irengine.store.damage import damaged
from irengine.store.files import dump_json, read_json

__all__ = ["FORMAT", "Layout", "Published", "SegmentRecord"]

FORMAT = 1
_NUMBERED = re.compile(r"(gen|seg|chroma)-(\d{6,})")


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """A segment of a generation: its folder, its rows, and how many of them are dead."""

    name: str
    n: int
    dead: int = 0


@dataclass(frozen=True, slots=True)
class Published:
    """The content of CURRENT.json."""

    generation: int
    segments: tuple[SegmentRecord, ...] = ()
    ledger: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    config: dict[str, Any] = field(default_factory=dict)
    count: int = 0
    n_artifacts: int = 0
    dim: int = 0
    embedder_id: str = ""
    analyzer_id: str = ""
    content_id: str = ""
    chroma: str = ""
    chroma_version: str = ""
    chroma_deleted: int = 0
    storage: str = "local"

    def to_bytes(self, **extra: Any) -> bytes:
        """Return the JSON text."""
        content = asdict(self)
        number = content.pop("generation")
        return dump_json({"format": FORMAT, "gen": number, **content, **extra}, indent=1) + b"\n"

    @classmethod
    def read(cls, path: Path) -> Published:
        """Parse CURRENT.json or a manifest.

        Raises:
            FileNotFoundError: nothing is published.
            CorpusDamaged: it cannot be understood.
            StoreError: code ``newer-format``: a newer version wrote it.
        """
        raw = read_json(path)
        try:
            if raw["format"] > FORMAT:
                raise StoreError(
                    f"{path} was written by a newer version (format {raw['format']})",
                    hint="upgrade irengine",
                    code="newer-format",
                )
            names = {f.name: f.name for f in fields(cls)} | {"generation": "gen"}
            known = {name: raw[key] for name, key in names.items()}
            known["segments"] = tuple(SegmentRecord(**segment) for segment in raw["segments"])
            known["ledger"], known["links"] = tuple(raw["ledger"]), tuple(raw["links"])
            _check_types(known)
            return cls(**known)
        except (KeyError, TypeError) as error:
            raise damaged(path, f"{path} lacks or garbles {error}") from error


def _check_types(known: dict[str, Any]) -> None:
    for f in fields(Published):
        wanted = {"int": int, "str": str}.get(str(f.type), (tuple, dict))
        if not isinstance(known[f.name], wanted):
            raise TypeError(f.name)


class Layout:
    """Paths below the folder of one corpus; nothing is created by asking for them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder = folder.absolute()
        self.current = folder / "CURRENT.json"
        self.lock = folder / "LOCK"
        self.owner = folder / "LOCK.json"
        self.intent = folder / "intent.json"
        self.corpus = folder / "corpus.json"
        self.calibration = folder / "calibration.json"
        self.policy = folder / "policy.json"
        self.builds = folder / "builds.jsonl"
        self.tables = folder / "tables"

    def generation(self, number: int) -> Path:
        """Return the folder of a generation."""
        return self.folder / f"gen-{number:06d}"

    def manifest(self, number: int) -> Path:
        """Return the manifest of a generation."""
        return self.generation(number) / "manifest.json"

    def newest(self) -> Published | None:
        """Return what is published, else the newest manifest that can be read."""
        numbers = sorted(self.numbered("gen"), reverse=True) if self.folder.is_dir() else []
        for path in (self.current, *map(self.manifest, numbers)):
            try:
                return Published.read(path)
            except (OSError, StoreError):
                continue
        return None

    def lost_pointer(self) -> bool:
        """Whether something was published once, and CURRENT.json is gone.

        corpus.json has settings from the first publication on, so that a first build that was
        interrupted does not count.
        """
        if self.current.exists() or not self.folder.is_dir():
            return False
        try:
            settings = read_json(self.corpus).get("config")
        except (OSError, StoreError, AttributeError):
            return False
        return bool(settings) and bool(self.numbered("gen"))

    def segment(self, name: str) -> Path:
        """Return the folder of a segment."""
        return self.folder / name

    def new_segment(self, generation: int) -> Path:
        """Return a fresh folder name for a segment."""
        return self.folder / f"seg-{generation:06d}-{secrets.token_hex(3)}"

    def new_table(self, kind: str, generation: int) -> Path:
        """Return a fresh file name for a layer of the ``kind`` table."""
        return self.tables / f"{kind}-{generation:06d}-{secrets.token_hex(3)}.json"

    def numbered(self, kind: str) -> dict[int, list[Path]]:
        """Return the folders ``<kind>-<number>…`` that exist, by number."""
        found: dict[int, list[Path]] = {}
        for path in self.folder.iterdir():
            match = _NUMBERED.match(path.name)
            if match and match[1] == kind:
                found.setdefault(int(match[2]), []).append(path)
        return found
