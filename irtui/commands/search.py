"""``search``: ranked answers from one corpus or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.commands.asking import ask
from irtui.commands.context import Context
from irtui.commands.options import CORPUS, RANKING
from irtui.commands.ranking import ranked
from irtui.commands.refreshing import refreshed
from irtui.commands.registry import command
from irtui.commands.shapes import HITS
from irtui.commands.spec import Param, Result, UsageError

if TYPE_CHECKING:
    from irengine.errors import IrError

__all__ = ["search"]

_REFRESHES = 3
"""What moves up into the answers may be out of date as well, but this has to end."""


@command(
    "search",
    "find ranked answers in built corpora",
    Param(
        "query",
        "what to look for; several words need no quotes; without any, all that the filters let by",
        many=True,
    ),
    CORPUS,
    *RANKING,
    Param(
        "refresh",
        "first bring the files of the answers up to date, where they changed or are gone",
        "flag",
        ("--refresh",),
    ),
    details=(
        'Within the query "several words" must stand together, +word must and -word must not be '
        "there, begin* is the beginning of a word; tag:rust, year:2020..2024, year:>2020, "
        "name:(a|b), has:field look at metadata; in:corpus, mode:lexical, sort:-date and "
        "limit:5 steer. sort: puts the ten best answers in order, or as many as -n or limit: ask "
        "for if these are more, and the limit cuts what is sorted; without words to rank by it "
        "sorts everything. A misspelt field is an error; name:value of no field, or in quotes, is "
        "text. Put -- before a query whose words start with a dash. Answers of several corpora "
        "are merged by score where they share an embedder, else, and by words alone, by rank. "
        "What try indexed is asked by default only while no registered corpus is built. --refresh "
        "reads no other files than those of the answers; irtui build or irtui watch also finds new "
        "ones."
    ),
    output=HITS,
    examples=(
        "irtui search -c notes how do I rotate the keys",
        """irtui search "hybrid ranking" -k 5 --mode lexical --json""",
        "irtui search -f 'year>=2024' -f tags=security rotate keys",
        """irtui search -- '"signing keys"' +rotate -draft tags:security""",
        "irtui search -c notes --refresh rotate keys",
    ),
    aliases=("s",),
)
def search(
    context: Context,
    *,
    query: list[str],
    corpus: list[str],
    refresh: bool,
    mode: str,
    filter: list[Any],  # noqa: A002 - the name of the parameter is the name of the option
    **ranking: Any,
) -> Result:
    """Search the named corpora, the one this folder is in, or every built one."""
    if not query and not filter:
        raise UsageError("QUERY is missing", hint="see irtui search --help")

    def left_out(name: str, error: IrError) -> None:
        context.note(f"{name} is left out: {error.message}")

    skip = None if corpus else left_out
    question = ask(context, query, corpus, filter, mode, left_out=skip)
    result = ranked(question, left_out=skip, **ranking)
    for _ in range(_REFRESHES if refresh else 0):
        if not refreshed(context, result.data):
            break
        names = [each.name for each in question.corpora]
        question = ask(context, query, names, filter, mode)
        result = ranked(question, left_out=skip, **ranking)
    return result
