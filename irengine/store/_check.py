"""Look into a local Chroma folder from a process of its own: a torn one can kill its reader.

Run as ``python -m irengine.store._check``; a request comes on standard input and the answer goes
to standard output, both JSON. ``task`` is ``"sample"`` (counts and some vectors), ``"compare"``
(every record against the published generation) or ``"export"`` (write all records as a segment).
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irengine.base import Record
from irengine.errors import IrError, StoreError
from irengine.store.chroma import Session, connect
from irengine.store.generation import open_generation
from irengine.store.layout import Layout, Published
from irengine.store.rows import parse_row, prepare
from irengine.store.segment import build_segment
from irengine.store.segment_files import save_segment

if TYPE_CHECKING:
    from irengine.store.snapshot import Snapshot

__all__ = ["answer", "compare", "differences", "encode_vector", "export", "main"]

_TOLERANCE = 1e-5
_REACHABLE = 0.9
_SHOWN = 20


def encode_vector(vector: Any) -> str:
    """Return a float32 vector as base64."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def differences(session: Session, count: int, sample: Mapping[str, Any]) -> list[str]:
    """Compare a collection with what it should hold: ``count`` records, and sampled vectors."""
    problems = []
    found = session.count()
    if found != count:
        problems.append(f"Chroma has {found} records instead of {count}")
    vectors = session.vectors(list(sample))
    for record_id, vector in sample.items():
        theirs = vectors.get(record_id)
        if theirs is None:
            problems.append(f"Chroma lacks record {record_id}")
        elif not _same(theirs, vector):
            problems.append(f"Chroma has another vector for record {record_id}")
    if sample and not problems:
        reached = session.reachable(next(iter(sample.values())), count)
        if reached < count * _REACHABLE:
            problems.append(f"a query finds {reached} of {count} records")
    return problems


def compare(session: Session, snapshot: Snapshot) -> list[str]:
    """Compare every record of a collection with the live rows of ``snapshot``."""
    expected = {}
    for segment, mask in zip(snapshot.segments, snapshot.alive_in, strict=True):
        ids = list(segment.ids)
        for i in range(segment.n):
            if mask is None or mask[i]:
                expected[ids[i]] = (segment, i)
    problems = []
    for record_id, line, vector in session.rows():
        place = expected.pop(record_id, None)
        if place is None:
            problems.append(f"Chroma has record {record_id}, which is not published")
            continue
        segment, i = place
        if line != segment.line(i):
            problems.append(f"Chroma has another text or metadata for record {record_id}")
        if not _same(vector, segment.vectors[i]):
            problems.append(f"Chroma has another vector for record {record_id}")
    problems += [f"Chroma lacks record {record_id}" for record_id in expected]
    hidden = len(problems) - _SHOWN
    return problems[:_SHOWN] + ([f"and {hidden} more differences"] if hidden > 0 else [])


def export(session: Session, folder: Path) -> int:
    """Write every record of a collection as a segment into ``folder``; return how many."""
    prepared = []
    for record_id, line, vector in session.rows():
        row = parse_row(line)
        if row.id != record_id:
            raise StoreError(f"Chroma's record {record_id} claims to be {row.id}")
        prepared.append(
            prepare(
                Record(
                    row.id,
                    row.artifact_id,
                    row.surface_kind,
                    row.surface_index,
                    row.text,
                    vector,
                    row.metadata,
                )
            )
        )
    if prepared:
        save_segment(build_segment(prepared), folder)
    return len(prepared)


def _same(theirs: Any, ours: Any) -> bool:
    return theirs.shape == ours.shape and bool(np.allclose(theirs, ours, atol=_TOLERANCE))


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one request; see the module."""
    layout = Layout(Path(request["folder"]))
    session = connect({"backend": "local"}, layout.folder, request["pointer"], create=False)
    try:
        if request["task"] == "sample":
            sample = {
                key: np.frombuffer(base64.b64decode(text), dtype="<f4")
                for key, text in request["sample"].items()
            }
            return {"problems": differences(session, request["count"], sample)}
        if request["task"] == "compare":
            generation = open_generation(layout, Published.read(layout.current))
            return {"problems": compare(session, generation.snapshot)}
        return {"problems": [], "count": export(session, Path(request["target"]))}
    finally:
        session.close()


def main() -> int:
    """Answer the request on standard input."""
    try:
        result = answer(json.load(sys.stdin))
    except (IrError, OSError) as error:
        result = {"problems": [str(error)]}
    json.dump(result, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
