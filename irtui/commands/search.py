"""``search``: ranked answers from one corpus or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.commands.context import Context
from irtui.commands.engine import open_built, quoted
from irtui.commands.options import JSON, RANKING
from irtui.commands.ranking import ranked
from irtui.commands.registry import command
from irtui.commands.spec import Param, Result

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["search"]


@command(
    "search",
    "find ranked answers in built corpora",
    Param("query", "what to look for; several words need no quotes", required=True, many=True),
    Param(
        "corpus",
        "where to look; may be repeated (default: every built corpus)",
        "corpus",
        ("-c", "--corpus"),
        many=True,
        metavar="NAME",
    ),
    *RANKING,
    JSON,
    details=(
        "Put -- before a query whose words start with a dash. Answers of several corpora are "
        "merged by rank, because their scores cannot be compared."
    ),
    examples=(
        "irtui search -c notes how do I rotate the keys",
        """irtui search "hybrid ranking" -k 5 --mode lexical --json""",
    ),
    aliases=("s",),
)
def search(
    context: Context, *, query: list[str], corpus: list[str], full: bool, **ranking: Any
) -> Result:
    """Search the named corpora, or every built one."""
    ranking.pop("json")
    corpora = _opened(corpus, context)
    return ranked(corpora, " ".join(query), full=full, **ranking)


def _opened(names: list[str], context: Context) -> list[Corpus]:
    """Open the named corpora in order, each once; without names every built one that opens."""
    from irengine.errors import CorpusNotFound, IrError
    from irengine.registry import registered
    from irengine.store import built_names

    if names:
        return [open_built(name) for name in dict.fromkeys(names)]
    everything = built_names()
    if not everything:
        waiting = next(iter(registered()), None)
        raise CorpusNotFound(
            "no corpus is built yet",
            hint=f"irtui build {quoted(waiting)}" if waiting else "irtui try FOLDER",
        )
    opened = []
    problems: list[IrError] = []
    for name in everything:
        try:
            opened.append(open_built(name))
        except IrError as error:
            problems.append(error)
            context.note(f"{name} is left out: {error.message}")
    if not opened:
        raise problems[0]
    return opened
