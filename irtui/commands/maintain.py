"""``maintain``: the background work that is due, as ``irtui --maintain`` does it unattended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from irtui import exit_codes
from irtui.commands.context import Context
from irtui.commands.registry import command
from irtui.commands.shapes import MAINTAINED
from irtui.commands.spec import Param, Result, UsageError

if TYPE_CHECKING:
    from irengine.maintenance import MaintenanceResult

__all__ = ["maintain", "run_maintenance"]


@command(
    "maintain",
    "do the background work that is due: rebuild, write synopses",
    Param("due", "what is due (the default)", "flag", ("--due",)),
    Param("all", "everything, due or not", "flag", ("--all",)),
    Param(
        "corpus",
        "only this corpus; may be repeated (default: every registered one)",
        "corpus",
        ("-c", "--corpus"),
        many=True,
        metavar="NAME",
    ),
    Param("dry_run", "only say what would be done", "flag", ("--dry-run",)),
    Param(
        "max_seconds",
        "stop after this much time; what was done is kept, the next run goes on",
        "number",
        ("--max-seconds",),
        metavar="N",
    ),
    effect="write",
    details=(
        "One that fails does not stop the others. Exit status: 0 all done, or nothing due; 1 "
        "something failed; 2 usage; 3 no such corpus; 4 time is up and work is left; 5 another "
        "process is at it, try again later; 130 interrupted; 143 terminated. Of several the "
        "first that applies of 130, 143, 1, 4, 5. irtui --maintain is the same for schedulers."
    ),
    output=MAINTAINED,
    examples=("irtui maintain --dry-run", "irtui maintain --all --corpus notes"),
    cancellable=True,
)
def maintain(
    context: Context,
    *,
    due: bool,
    all: bool,  # noqa: A002 - the name of its flag
    corpus: list[str],
    dry_run: bool,
    max_seconds: float | None,
) -> Result:
    """Look after corpora and report on each."""
    results, status = run_maintenance(
        context, due=due, all=all, corpus=corpus, dry_run=dry_run, max_seconds=max_seconds
    )
    notes = () if results else ("nothing is registered; irtui register NAME KIND adds a corpus",)
    data = [result.to_dict() for result in results]
    return Result(data, view="maintained", status=status, notes=notes)


def run_maintenance(
    context: Context,
    *,
    due: bool,
    all: bool,  # noqa: A002 - the name of its flag
    corpus: Sequence[str],
    dry_run: bool,
    max_seconds: float | None,
    on_result: Callable[[MaintenanceResult], None] | None = None,
) -> tuple[list[MaintenanceResult], int]:
    """Look after corpora; return the results and the exit status.

    Raises:
        UsageError: for arguments that exclude each other, or a negative number of seconds.
        CorpusNotFound: for a name nobody knows; then nothing was done.
    """
    from irengine.index import CancelToken
    from irengine.maintenance import maintain as engine

    if due and all:
        raise UsageError("--due and --all exclude each other")
    if max_seconds is not None and max_seconds < 0:
        raise UsageError(f"--max-seconds must be at least 0, not {max_seconds:g}")
    token = CancelToken()
    context.on_cancel(token.cancel)
    try:
        results = engine(
            all=True,
            corpora=corpus or None,
            force=all,
            dry_run=dry_run,
            max_seconds=max_seconds,
            cancel=token,
            progress=context.progress,
            on_result=on_result,
        )
    finally:
        context.on_cancel(None)
    return results, _status(results, stopped=token.cancelled)


def _status(results: Sequence[Any], *, stopped: bool) -> int:
    """Return the exit status of a run (see the details of the command)."""
    if stopped:
        return exit_codes.INTERRUPTED
    outcomes = {result.outcome for result in results}
    for outcome, status in (
        ("failed", exit_codes.FAILED),
        ("left", exit_codes.BUDGET),
        ("locked", exit_codes.LOCKED),
    ):
        if outcome in outcomes:
            return status
    return exit_codes.OK
