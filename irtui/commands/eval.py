"""``eval``: how well a test collection is searched, in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.commands.options import EMBEDDER
from irtui.commands.registry import command
from irtui.commands.shapes import EVALUATED
from irtui.commands.spec import Param, Result

if TYPE_CHECKING:
    from irtui.commands.context import Context

__all__ = ["evaluate"]

_STRATEGIES = ("whole", "chunked")


@command(
    "eval",
    "measure every way of searching on a test collection",
    Param(
        "folder",
        "a folder with corpus.jsonl, queries.jsonl and qrels/ (BEIR layout)",
        "path",
        required=True,
    ),
    Param(
        "variant",
        "what to measure; may be repeated: lexical, dense, hybrid, hybrid-rrf, hybrid-blend, "
        "hybrid-maxsim, hybrid-cross-encoder (default: the first five)",
        flags=("--variant",),
        many=True,
        metavar="NAME",
    ),
    EMBEDDER,
    Param(
        "strategy",
        "documents as whole texts, or cut into passages",
        "choice",
        ("--strategy",),
        default="whole",
        choices=_STRATEGIES,
    ),
    Param("split", "which qrels/NAME.tsv judges (default: test)", flags=("--split",)),
    Param("fresh", "measure anew what is known already", "flag", ("--fresh",)),
    Param("per_query", "with --json: the figures of each query too", "flag", ("--per-query",)),
    details=(
        "Figures are means over the judged queries, with 95 % bootstrap intervals, and the "
        "median time of a query. What was measured is kept by collection and configuration: "
        "interrupted, it goes on where it was."
    ),
    output=EVALUATED,
    examples=("irtui eval ./cranfield", "irtui eval ./cranfield -e light --variant hybrid --json"),
    cancellable=True,
)
def evaluate(
    context: Context,
    *,
    folder: str,
    variant: list[str],
    embedder: str | None,
    strategy: str,
    split: str | None,
    fresh: bool,
    per_query: bool,
) -> Result:
    """Read the collection, measure it, and report."""
    from irengine.eval.collection import DFLT_VARIANTS, evaluate_collection, read_collection
    from irengine.index import CancelToken
    from irengine.strategy import Chunked, WholeText

    token = CancelToken()
    context.on_cancel(token.cancel)
    try:
        report = evaluate_collection(
            read_collection(folder, split=split),
            embedder=embedder or "default",
            variants=variant or DFLT_VARIANTS,
            strategy=Chunked() if strategy == "chunked" else WholeText(),
            progress=context.progress,
            cancel=token,
            fresh=fresh,
        )
    finally:
        context.on_cancel(None)
    data: dict[str, Any] = report.to_dict()
    if not per_query:
        for figures in data["variants"].values():
            del figures["per_query"]
    known = len(report.cached)
    notes = (f"{known} of {len(report.variants)} were known already; --fresh measures anew",)
    return Result(data, view="evaluated", notes=notes if known else ())
