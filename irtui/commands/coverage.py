"""``coverage``: what is on disk against what is indexed."""

from __future__ import annotations

from typing import Any

from irtui.commands.context import Context
from irtui.commands.engine import check_built, quoted
from irtui.commands.options import VERBOSE
from irtui.commands.registry import command
from irtui.commands.shapes import COVERAGE
from irtui.commands.spec import Param, Result

__all__ = ["coverage"]


@command(
    "coverage",
    "compare the files on disk with what is indexed of them",
    Param("names", "which corpora (default: every registered one of files)", "corpus", many=True),
    VERBOSE,
    details=(
        "Says how many files are indexed, which are missing, stale (changed since) or vanished, "
        "and how many each rule leaves out; --verbose lists those. Nothing is changed. Exit "
        "status 1 means that a build has something to do."
    ),
    output=COVERAGE,
    examples=("irtui coverage notes", "irtui coverage --verbose --json"),
)
def coverage(context: Context, *, names: list[str], verbose: bool) -> Result:
    """Report on the named corpora, or on every registered one that has files."""
    del context
    from irengine.errors import IrError, ParameterError
    from irengine.registry import registered

    chosen = list(dict.fromkeys(names)) or list(registered())
    rows: list[dict[str, Any]] = []
    for name in chosen:
        try:
            rows.append(_one(name))
        except ParameterError:
            if names:
                raise
        except IrError as error:
            if len(names) == 1:
                raise
            rows.append({"name": name, "error": error.to_dict()})
    behind = [row["name"] for row in rows if "error" not in row and not row["up_to_date"]]
    notes = [f"irtui build {' '.join(map(quoted, behind))}"] if behind else []
    if not rows:
        notes.append("no corpus of files is registered: irtui register NAME files --root FOLDER")
    return Result(
        rows,
        view="coverage",
        status=1 if behind or any("error" in row for row in rows) else 0,
        notes=tuple(notes),
        options={"verbose": verbose},
    )


def _one(name: str) -> dict[str, Any]:
    from irengine.coverage import corpus_coverage

    check_built(name)
    report = corpus_coverage(name)
    return {**report.to_dict(), "up_to_date": report.up_to_date}
