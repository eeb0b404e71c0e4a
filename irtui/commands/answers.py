"""``discover``, ``show``, ``expand`` and ``explain``: from a ranking to an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irtui.commands.asking import ask, ask_these
from irtui.commands.engine import quoted
from irtui.commands.listing import unranked
from irtui.commands.naming import WHICH, find_artifact
from irtui.commands.options import CORPUS, FILTER, FUSION, MODE, RERANK, SURFACES
from irtui.commands.ranking import asked_of, title_of
from irtui.commands.registry import command
from irtui.commands.shapes import DISCOVERY, EXPLAINED, PASSAGE, SHOWN
from irtui.commands.spec import Param, Result, UsageError

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.index import Corpus
    from irtui.commands.context import Context

__all__ = ["LEVEL", "discover", "expand", "explain", "revealed", "show"]

_NO_SORT = "sort: is passed over: what is committed to stands by its score"
_RERANKED = 50  # records that a search for ten answers hands to a reranker

LEVEL = Param(
    "level",
    "how much of each result is revealed",
    "choice",
    ("-l", "--level"),
    default="metadata",
    choices=("metadata", "body", "bundled"),
)


@command(
    "discover",
    "commit to the few results worth acting on, or say that nothing fits",
    Param("query", "what is needed, in words", required=True, many=True),
    CORPUS,
    Param(
        "max_k",
        "how many results at most",
        "int",
        ("-n", "--max"),
        default=3,
        metavar="N",
        least=1,
    ),
    Param(
        "k",
        "how many candidates of each corpus are looked at",
        "int",
        ("-k", "--candidates"),
        default=10,
        metavar="N",
        least=1,
    ),
    Param(
        "strategy",
        "the rule that decides",
        "choice",
        ("-s", "--strategy"),
        default="conservative",
        choices=("conservative", "top_k", "abs_threshold", "rel_threshold", "score_gap"),
    ),
    Param(
        "min_score",
        "the score below which nothing fits: a number, or auto for the calibrated one",
        flags=("--min-score",),
        metavar="SCORE",
    ),
    Param(
        "rel",
        "the share of the best score a further result needs",
        "number",
        ("--rel",),
        default=0.9,
        metavar="SHARE",
    ),
    LEVEL,
    MODE,
    FUSION,
    RERANK,
    FILTER,
    SURFACES,
    details=(
        "One corpus answers by score. Several are searched at the same time; one whose best "
        "candidate is far below the best of all takes no part. Exit status 1 means that nothing "
        "was committed to."
    ),
    output=DISCOVERY,
    examples=(
        "irtui discover -c notes rotate the signing keys",
        "irtui discover --level body --json which skill plots a heat map",
    ),
)
def discover(
    context: Context,
    *,
    query: list[str],
    corpus: list[str],
    min_score: str | None,
    surfaces: str | None,
    fusion: str | None,
    rerank: str | None,
    level: str,
    mode: str,
    filter: list[Any],  # noqa: A002 - the name of the parameter is the name of the option
    **options: Any,
) -> Result:
    """Discover over the named corpora, this folder's, or every built one."""
    from irengine.select import discover as discover_in

    options |= asked_of(fusion, surfaces, rerank)
    question = ask(context, query, corpus, filter, mode)
    corpora = list(question.corpora)
    if question.limit is not None:
        options["max_k"] = max(1, question.limit)
    floor = _floor(min_score)
    if isinstance(floor, float) and len(corpora) > 1:
        raise UsageError(
            f"--min-score {min_score} fits one corpus: the scores of several have several scales",
            hint=f"name one: -c {quoted(corpora[0].name)}, or give --min-score auto",
        )
    found = discover_in(
        corpora[0] if len(corpora) == 1 else corpora,
        question.text,
        **question.options(),
        min_score=floor,
        disclose_level=level,
        **options,
    )
    return Result(
        found.to_dict(),
        view="discovery",
        status=1 if found.abstained else 0,
        notes=(*question.notes, *((_NO_SORT,) if question.sort else ())),
        options={"several": len(corpora) > 1},
    )


@command(
    "show",
    "reveal one artifact: its metadata, its body, the files beside it",
    WHICH,
    CORPUS,
    replace(LEVEL, help="how much is revealed", default="body"),
    Param("file", "show one of the files beside it instead", flags=("--file",), metavar="PATH"),
    details="Only files below the folders the corpus was built from are read.",
    output=SHOWN,
    examples=(
        "irtui show -c notes keys.md",
        "irtui show plot-skill --level bundled",
        "irtui show plot-skill --file scripts/plot.py",
    ),
)
def show(
    context: Context, *, which: str, corpus: list[str], level: str, file: str | None
) -> Result:
    """Show one artifact of the named corpora, or of any built one."""
    del context
    found, artifact_id = find_artifact(which, corpus)
    return revealed(found, artifact_id, level, file)


def revealed(corpus: Corpus, artifact_id: str, level: str, file: str | None = None) -> Result:
    """Return one artifact at a level of detail, or a file beside it."""
    from irengine.select import Selection
    from irengine.select.disclosing import reveal

    hit = _stored_hit(corpus, artifact_id)
    selection = Selection([hit], [hit], abstained=False, reason="asked")
    (disclosure,) = reveal(selection, level="bundled" if file else level, corpora=corpus)
    told = disclosure.to_dict()
    del told["score"], told["passage"]  # nothing was searched for
    if file:
        told["file"], told["text"] = file, disclosure.text_of(file)
    return Result(told, view="shown")


@command(
    "expand",
    "show the passage around one part of an artifact",
    WHICH,
    CORPUS,
    Param(
        "part",
        "which part, by its number in the artifact (surface_index)",
        "int",
        ("-p", "--part"),
        default=0,
        metavar="N",
        least=0,
    ),
    Param(
        "window",
        "how many neighbours on either side",
        "int",
        ("-w", "--window"),
        default=1,
        metavar="N",
        least=0,
    ),
    Param("whole", "the whole artifact, stitched together", "flag", ("--whole",)),
    output=PASSAGE,
    examples=("irtui expand -c notes keys.md --part 2 --window 2", "irtui expand keys.md --whole"),
)
def expand(
    context: Context,
    *,
    which: str,
    corpus: list[str],
    part: int,
    window: int,
    whole: bool,
) -> Result:
    """Expand one stored surface."""
    del context
    from irengine.expand import expand as expand_in
    from irengine.expand import parent_policy, sentence_window_policy

    found, artifact_id = find_artifact(which, corpus)
    hit = _stored_hit(found, artifact_id, part)
    policy = parent_policy() if whole else sentence_window_policy(window)
    told = expand_in(hit, found, policy=policy).to_dict()
    del told["score"]
    return Result({**told, "title": title_of(artifact_id, hit.metadata)}, view="passage")


@command(
    "explain",
    "say how an artifact came by its place in a ranking",
    WHICH,
    Param("query", "the query", required=True, many=True),
    CORPUS,
    MODE,
    FUSION,
    RERANK,
    FILTER,
    SURFACES,
    output=EXPLAINED,
    examples=("irtui explain -c notes keys.md how often are keys rotated",),
)
def explain(
    context: Context,
    *,
    which: str,
    query: list[str],
    corpus: list[str],
    surfaces: str | None,
    fusion: str | None,
    rerank: str | None,
    mode: str,
    filter: list[Any],  # noqa: A002 - the name of the parameter is the name of the option
) -> Result:
    """Explain the place of one artifact among all that the query ranks."""
    from irengine.retrieve import search

    found, artifact_id = find_artifact(which, corpus)
    question = ask_these(context, [found], query, filter, mode)
    options = {**question.options(), **asked_of(fusion, surfaces, rerank)}
    text = question.text
    depth = max(1, found.store.snapshot().n_artifacts)
    if rerank is not None:
        depth = options["fetch_k"] = _RERANKED  # what a search would read again, no more
    hits = search(found, text, k=depth, **options)
    place = next((i for i, hit in enumerate(hits) if hit.artifact_id == artifact_id), None)
    data: dict[str, Any] = {
        "query": question.asked,
        "artifact_id": artifact_id,
        "source": found.name,
        "rank": None if place is None else place + 1,
        "n_ranked": len(hits),
        "best_score": float(hits[0].score) if hits else None,
        "hit": None,
        "explanation": None,
    }
    if place is not None:
        data["hit"] = hits[place].to_dict()
        data["explanation"] = dict(hits[place].explanation or {})
    missing = () if place is not None else ("it is not in this ranking: nothing of it matched",)
    notes = (*question.notes, *missing)
    return Result(data, view="explained", status=0 if place is not None else 1, notes=notes)


def _floor(word: str | None) -> float | str | None:
    if word is None or word == "auto":
        return word
    try:
        return float(word)
    except ValueError:
        raise UsageError(f"--min-score must be a number or auto, not {word!r}") from None


def _stored_hit(corpus: Corpus, artifact_id: str, part: int | None = None) -> SearchHit:
    """Return one stored surface of an artifact as a hit; its first when ``part`` is ``None``.

    Raises:
        UnknownItem: when it has no such part.
    """
    from irengine.errors import UnknownItem
    from irengine.retrieve import records_for_artifact

    records = records_for_artifact(corpus, artifact_id)
    wanted = [r for r in records if part is None or r.surface_index == part]
    if not wanted:
        name = quoted(artifact_id)
        raise UnknownItem(
            f"{artifact_id!r} has no part {part}" if records else f"{artifact_id!r} holds no text",
            hint=f"its parts are 0 to {len(records) - 1}" if records else f"irtui show {name}",
        )
    return unranked(wanted[0], corpus.name)
