"""``disclose``: several artifacts at one level of detail, in the order they are named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irtui import exit_codes
from irtui.commands.answers import LEVEL, revealed
from irtui.commands.naming import opened
from irtui.commands.options import CORPUS
from irtui.commands.registry import command
from irtui.commands.shapes import DISCLOSED
from irtui.commands.spec import Param, Result
from irtui.commands.targets import resolve

if TYPE_CHECKING:
    from irtui.commands.context import Context

__all__ = ["disclose"]


@command(
    "disclose",
    "reveal several artifacts at once, each as far as asked",
    Param(
        "targets",
        "artifacts: ids, #docids, paths, names; - reads them from standard input, one a line",
        required=True,
        many=True,
        stdin=True,
        metavar="ID",
    ),
    CORPUS,
    replace(LEVEL, help="how much of each is revealed", default="body"),
    details=(
        "Each is revealed once. Exit status 3 means that one was not found; the others are revealed"
        " all the same."
    ),
    output=DISCLOSED,
    examples=("irtui disclose keys.md incidents.md -c notes --level metadata",),
)
def disclose(context: Context, *, targets: list[str], corpus: list[str], level: str) -> Result:
    """Reveal artifacts of the named corpora, this folder's, or every built one."""
    del context
    from irengine.errors import IrError

    corpora = opened(corpus)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    missing: list[dict[str, Any]] = []
    for target in targets:
        try:
            found = resolve(target, corpora)
            key = (found.corpus.name, found.artifact_id)
            if key not in rows:
                rows[key] = revealed(found.corpus, found.artifact_id, level).data
        except IrError as error:
            candidates = list(getattr(error, "candidates", ()))
            missing.append({"target": target, **error.to_dict(), "candidates": candidates})
    return Result(
        {"results": list(rows.values()), "not_found": missing},
        view="disclosed",
        status=exit_codes.NOT_FOUND if missing else 0,
        missing=tuple(missing),
    )
