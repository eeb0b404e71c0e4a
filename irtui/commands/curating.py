"""What a front end needs to add, define and change corpora, beside the commands themselves."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from irtui.commands.live import Live

__all__ = ["change_definition", "folder_preview", "kind_parameters", "own_name"]

_SHOWN = 20
_MOST_SIZED = 5_000


def own_name(live: Live, folder: str) -> str:
    """Return a free name for a corpus of that folder: the folder's, with a number if need be."""
    import re

    base = (
        re.sub(r"[^\w.-]+", "-", Path(folder).expanduser().resolve().name).strip("-._") or "notes"
    )
    taken = set(live.known())
    names = (base if number == 1 else f"{base}-{number}" for number in range(1, 10_000))
    return next(name for name in names if name not in taken)


def folder_preview(live: Live, folder: str, pattern: str = "") -> dict[str, Any]:
    """Return what would be indexed of a folder, without reading a file.

    Returns:
        ``root``, ``files``, ``types`` (``[suffix, count]``, most first), ``names`` (the first of
        them, sorted), ``bytes`` (of the first 5,000 files, scaled up), ``excluded`` (``[reason,
        count]``), ``kind`` (``files``).

    Raises:
        IrError: when there is no such folder, or the pattern cannot be read.
    """
    from irengine.coverage.measuring import source_coverage
    from irengine.registry.entries import source_from_entry
    from irengine.sources import TEXT_PATTERN

    del live
    root = Path(folder).expanduser()
    if not root.is_dir():
        from irengine.errors import SourceMissing

        raise SourceMissing(f"there is no folder {root}")
    root = root.resolve()
    params = {"root": str(root), "pattern": pattern or TEXT_PATTERN}
    source = source_from_entry("preview", {"kind": "files", "embedder": "light", "params": params})
    report = source_coverage(source, {})
    names = sorted(report.missing)
    types = Counter(os.path.splitext(name)[1].casefold() or "no suffix" for name in names)  # noqa: PTH122
    return {
        "root": str(root),
        "files": len(names),
        "types": [[suffix, count] for suffix, count in types.most_common()],
        "names": names[:_SHOWN],
        "bytes": _bytes(root, names),
        "excluded": sorted(
            ([reason, count] for reason, count in report.to_dict()["excluded"].items()),
            key=lambda pair: (-pair[1], pair[0]),
        ),
    }


def kind_parameters(live: Live, kind: str) -> dict[str, Any]:
    """Return the parameters of a kind of corpus: ``allowed`` and ``needed`` names."""
    from irengine.registry.entries import parameter_names

    del live
    allowed, needed = parameter_names(kind)
    return {"allowed": allowed, "needed": needed}


def change_definition(live: Live, name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change the embedder or the policy of a registered corpus; return its new entry.

    Args:
        live: where it runs.
        name: the corpus.
        changes: ``embedder``; of the policy ``on``, ``every_hours``, ``cron``, ``zone`` (these
            four replace each other: what is not given is the kind's default), ``synopsis``.

    Raises:
        IrError: when it is not registered, or a value cannot be.
    """
    from irengine import registry
    from irengine.registry.changing import change

    del live
    entry = registry.get(name)
    maintenance: dict[str, Any] = {
        key: dict(value) for key, value in (entry.get("maintenance") or {}).items()
    }
    timing = {key: changes[key] for key in ("on", "every_hours", "cron", "zone") if key in changes}
    if timing:
        maintenance["reindex"] = {key: value for key, value in timing.items() if value is not None}
    if "synopsis" in changes:
        maintenance["synopsis"] = maintenance.get("synopsis", {}) | {
            "enabled": bool(changes["synopsis"])
        }
    policy = maintenance if timing or "synopsis" in changes else None
    return {
        "name": name,
        **change(name, embedder=changes.get("embedder"), maintenance=policy),
    }


def _bytes(root: Path, names: list[str]) -> int:
    total = seen = 0
    for name in names[:_MOST_SIZED]:
        try:
            total += (root / name).stat().st_size
        except OSError:
            continue
        seen += 1
    return total if seen == len(names) or not seen else total * len(names) // seen
