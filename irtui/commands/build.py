"""``build``: bring corpora up to date with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.commands.context import Context
from irtui.commands.engine import about, known_names, quoted, run_build, unknown
from irtui.commands.options import EMBEDDER, VERBOSE
from irtui.commands.registry import command
from irtui.commands.shapes import BUILDS
from irtui.commands.spec import Param, Result

__all__ = ["build"]


@command(
    "build",
    "index registered corpora, doing only what changed",
    Param("names", "which corpora (default: every registered one)", "corpus", many=True),
    Param(
        "rehash", "read every item, even when size and times are unchanged", "flag", ("--rehash",)
    ),
    Param(
        "allow_shrink",
        "permit removing a large part of a corpus",
        "flag",
        ("--allow-shrink",),
    ),
    Param(
        "switch_embedder",
        "permit re-embedding everything with another embedder",
        "flag",
        ("--switch-embedder",),
    ),
    EMBEDDER,
    Param("no_prune", "keep what left the source", "flag", ("--no-prune",)),
    VERBOSE,
    effect="write",
    details=(
        "An interrupted build keeps what it committed and goes on from there the next time. "
        "When several corpora are built, one that fails does not stop the others."
    ),
    output=BUILDS,
    examples=("irtui build notes", "irtui build --rehash --verbose"),
    cancellable=True,
)
def build(
    context: Context,
    *,
    names: list[str],
    rehash: bool,
    allow_shrink: bool,
    switch_embedder: bool,
    embedder: str | None,
    no_prune: bool,
    verbose: bool,
) -> Result:
    """Build the named corpora, or every registered one, and report on each."""
    from irengine.errors import BuildCancelled, IrError
    from irengine.registry import registered

    chosen = list(dict.fromkeys(names)) or list(registered())
    options: dict[str, Any] = {
        "rehash": rehash,
        "allow_shrink": allow_shrink,
        "switch_embedder": switch_embedder,
        "embedder": embedder,
        "full": not no_prune,
    }
    reports: list[dict[str, Any]] = []
    for name in chosen:
        try:
            reports.append(_build_one(name, context, options))
        except BuildCancelled:
            raise
        except IrError as error:
            if len(chosen) == 1:
                raise
            reports.append({"name": name, "outcome": "failed", "error": error.to_dict()})
    failed = sum(report["outcome"] != "done" for report in reports)
    notes = () if chosen else ("nothing is registered; irtui register NAME KIND adds a corpus",)
    return Result(
        reports,
        view="builds",
        status=1 if failed else 0,
        notes=notes,
        options={"verbose": verbose},
    )


def _build_one(name: str, context: Context, options: dict[str, Any]) -> dict[str, Any]:
    from irengine.errors import CorpusNotFound, SourceError, SourceMissing
    from irengine.registry import PRESETS, build_corpus, registered
    from irengine.store import built_names

    if name not in registered() and name not in PRESETS:
        if name in built_names():
            raise CorpusNotFound(
                f"{name!r} is not registered, so its source is unknown",
                hint=f"irtui try its folder again, or irtui register {quoted(name)} KIND",
            )
        raise unknown(name, known_names())
    try:
        with about(name):
            corpus = run_build(context, build_corpus, name, **options)
    except SourceError as error:
        if not isinstance(error, SourceMissing):
            error.hint = _where_to_look(name, registered().get(name)) or error.hint
        raise
    if corpus.report is None:  # pragma: no cover - build always reports
        return {"name": name, "outcome": "done"}
    return corpus.report.to_dict()


def _where_to_look(name: str, entry: Mapping[str, Any] | None) -> str:
    """Return how to tell a corpus where its source is, when its kind has to guess that."""
    kind = str((entry or {}).get("kind", name))
    params = (entry or {}).get("params") or {}
    again = f"irtui register {quoted(name)} {kind}{' --replace' if entry else ''}"
    if kind == "reports" and "projects_root" not in params:
        return f"{again} --param projects_root=FOLDER, or set IR_PROJECTS_ROOT"
    if kind == "skills" and "roots" not in params:
        return f"""{again} --param roots='["FOLDER"]'"""
    return ""
