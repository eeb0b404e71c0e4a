"""``search``: ranked answers from one corpus or several."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from irtui.commands.context import Context
from irtui.commands.engine import open_built, quoted
from irtui.commands.options import CORPUS, RANKING
from irtui.commands.ranking import ranked
from irtui.commands.refreshing import refreshed
from irtui.commands.registry import command
from irtui.commands.shapes import HITS
from irtui.commands.spec import Param, Result

if TYPE_CHECKING:
    from irengine.errors import IrError
    from irengine.index import Corpus

__all__ = ["search"]

_REFRESHES = 3
"""What moves up into the answers may be out of date as well, but this has to end."""


@command(
    "search",
    "find ranked answers in built corpora",
    Param("query", "what to look for; several words need no quotes", required=True, many=True),
    CORPUS,
    *RANKING,
    Param(
        "refresh",
        "first bring the files of the answers up to date, where they changed or are gone",
        "flag",
        ("--refresh",),
    ),
    details=(
        "Put -- before a query whose words start with a dash. Answers of several corpora are "
        "merged by rank, because their scores cannot be compared. What try indexed is asked by "
        "default only while no registered corpus is built. --refresh reads no other files than "
        "those of the answers; irtui build or irtui watch also finds new ones."
    ),
    output=HITS,
    examples=(
        "irtui search -c notes how do I rotate the keys",
        """irtui search "hybrid ranking" -k 5 --mode lexical --json""",
        "irtui search -c notes --refresh rotate keys",
    ),
    aliases=("s",),
)
def search(
    context: Context, *, query: list[str], corpus: list[str], refresh: bool, **ranking: Any
) -> Result:
    """Search the named corpora, or every built one."""

    def left_out(name: str, error: IrError) -> None:
        context.note(f"{name} is left out: {error.message}")

    if corpus:
        opened = [open_built(name) for name in dict.fromkeys(corpus)]
    else:
        opened = _opened(context, left_out)
        ranking["left_out"] = left_out
    result = ranked(opened, " ".join(query), **ranking)
    for _ in range(_REFRESHES if refresh else 0):
        if not refreshed(context, result.data):
            break
        result = ranked(opened, " ".join(query), **ranking)
    return result


def _opened(context: Context, left_out: Callable[[str, IrError], None]) -> list[Corpus]:
    """Open every built corpus that opens and is worth asking without being named."""
    from irengine.errors import CorpusNotFound, IrError
    from irengine.registry import registered
    from irengine.store import built_names

    everything = built_names()
    if not everything:
        waiting = next(iter(registered()), None)
        raise CorpusNotFound(
            "no corpus is built yet",
            hint=f"irtui build {quoted(waiting)}" if waiting else "irtui try FOLDER",
        )
    opened = []
    problems: list[IrError] = []
    for name in _without_tried(everything, context):
        try:
            opened.append(open_built(name))
        except IrError as error:
            problems.append(error)
            left_out(name, error)
    if not opened:
        raise problems[0]
    return opened


def _without_tried(names: list[str], context: Context) -> list[str]:
    """Return ``names`` without what only ``try`` made, when a registered corpus is built.

    A folder that was first tried and then registered would answer everything twice.
    """
    from irengine.registry import PRESETS, registered

    defined = registered()
    tried = [name for name in names if name.startswith("try-") and name not in defined]
    if not tried or not any(name in defined or name in PRESETS for name in names):
        return names
    context.note(
        "1 corpus made by try is left out; name it with -c"
        if len(tried) == 1
        else f"{len(tried)} corpora made by try are left out; name them with -c"
    )
    return [name for name in names if name not in tried]
