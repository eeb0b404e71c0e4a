"""``facets``: which values the metadata of the answers has, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.commands.asking import ask
from irtui.commands.options import CORPUS, FILTER, SURFACES
from irtui.commands.ranking import asked_of
from irtui.commands.registry import command
from irtui.commands.shapes import FACETS
from irtui.commands.spec import Param, Result

if TYPE_CHECKING:
    from irtui.commands.context import Context

__all__ = ["facets"]


@command(
    "facets",
    "count the values of a metadata field over everything that matches",
    Param("field", "a field of the metadata: tags, year, author.name", required=True),
    Param("query", "only artifacts with a word of this query (default: all)", many=True),
    CORPUS,
    Param(
        "limit",
        "how many values at most",
        "int",
        ("-k", "-n", "--limit"),
        default=20,
        metavar="N",
        least=0,
    ),
    FILTER,
    SURFACES,
    details=(
        "Artifacts are counted, not passages; each element of a list counts, so the counts may add "
        "up to more than the artifacts there are. Counts of several corpora are added up. The "
        "conditions of a query hold here too: irtui facets tags bees year:2024."
    ),
    output=FACETS,
    examples=("irtui facets tags -c notes", "irtui facets year -c notes frost tags:garden"),
)
def facets(
    context: Context,
    *,
    field: str,
    query: list[str],
    corpus: list[str],
    limit: int,
    filter: list[Any],  # noqa: A002 - the name of the parameter is the name of the option
    surfaces: str | None,
) -> Result:
    """Count values over the named corpora, this folder's, or every built one."""
    from irengine.errors import ParameterError
    from irengine.retrieve import facets as count_in
    from irtui.commands.listing import sort_key
    from irtui.grammar.values import known_name

    question = ask(context, query, corpus, filter, "lexical")
    options: dict[str, Any] = {"filter": question.filter, "wording": question.wording}
    options |= asked_of(None, surfaces, None)
    totals: dict[tuple[str, Any], dict[str, Any]] = {}
    problems: list[ParameterError] = []
    for each in question.corpora:
        fields = sorted(each.store.snapshot().fields())
        name = known_name(field, fields) or field
        try:
            counted = count_in(each, question.text, [name], **options, limit=None)[name]
        except ParameterError as error:
            problems.append(error)
            continue
        for count in counted:
            key = (type(count.value).__name__, str(count.value))
            row = totals.setdefault(key, {"field": field, "value": count.value, "count": 0})
            row["count"] += count.count
    if len(problems) == len(question.corpora):
        raise problems[0]
    rows = sorted(
        totals.values(),
        key=lambda row: (-row["count"], sort_key(row["value"]) or (2, 0, str(row["value"]))),
    )
    notes = list(question.notes)
    if len(rows) > limit:
        notes.append(f"{limit:,} of {len(rows):,} values; -n {len(rows)} shows all")
    if not rows:
        notes.append(f"nothing that matches has a {field}")
    return Result(rows[:limit], view="facets", notes=tuple(notes))
