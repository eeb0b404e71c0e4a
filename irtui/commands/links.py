"""``walk``, ``path``, ``similar`` and ``links``: follow what leads from one artifact to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irtui.commands.asking import ask
from irtui.commands.engine import quoted
from irtui.commands.listing import listed
from irtui.commands.naming import WHICH, find_artifact, opened
from irtui.commands.options import CORPUS, FILTER, FULL, LIMIT, MODE
from irtui.commands.ranking import hit_data, title_of, why_none
from irtui.commands.registry import command
from irtui.commands.shapes import LINKS, PATH, SIMILAR, WALKED
from irtui.commands.spec import Param, Result, UsageError
from irtui.commands.targets import resolve

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irtui.commands.context import Context

__all__ = ["links", "path", "similar", "walk"]

_WRITTEN = ("LINK", "RELATED", "REF", "PARENT")

EDGE_TYPES = Param(
    "types",
    "only edges of this type; may be repeated (LINK, RELATED, REF, PARENT, SIMILAR)",
    flags=("-t", "--type"),
    many=True,
    metavar="TYPE",
)


@command(
    "walk",
    "search, then follow the links of what was found",
    Param("query", "what to look for", required=True, many=True),
    CORPUS,
    LIMIT,
    Param("depth", "how many links away", "int", ("-d", "--depth"), default=2, least=0),
    Param(
        "budget",
        "how many artifacts are visited at most",
        "int",
        ("-b", "--budget"),
        default=64,
        least=1,
    ),
    EDGE_TYPES,
    Param("backwards", "also go to what links here", "flag", ("--backwards",)),
    MODE,
    FILTER,
    FULL,
    details=(
        "Answers that only links lead to say from which artifact (via) and how far (depth). Over "
        "several corpora links from one into another are followed too, and via is [source, id]."
    ),
    output=WALKED,
    examples=("irtui walk -c notes --depth 1 why are the keys rotated",),
)
def walk(
    context: Context,
    *,
    query: list[str],
    corpus: list[str],
    limit: int,
    depth: int,
    budget: int,
    types: list[str],
    backwards: bool,
    mode: str,
    filter: list[Any],  # noqa: A002 - the name of the parameter is the name of the option
    full: bool,
) -> Result:
    """Walk the named corpora, this folder's, or every built one, from the answers to a query."""
    from irengine.freshness import IndexedFiles
    from irengine.traverse import link_policy, traverse

    question = ask(context, query, corpus, filter, mode)
    corpora = {each.name: each for each in question.corpora}
    several = len(corpora) > 1
    options: dict[str, Any] = {**question.options(), "backwards": backwards}
    if types:
        options["edge_types"] = _types(types, question.corpora)
    limit = limit if question.limit is None else question.limit
    hits = traverse(
        question.text,
        list(corpora.values()) if several else question.corpora[0],
        policy=link_policy(**options),
        max_depth=depth,
        node_budget=budget,
        k=max(question.candidates(limit), budget),
    )
    if question.wording is not None and question.wording.excluded:
        # A link may lead to what the query excludes.
        excluding = replace(question.wording, required=())
        allowed = {
            (name, hit.artifact_id)
            for name, each in corpora.items()
            for hit in listed(each, wording=excluding)
        }
        hits = [hit for hit in hits if (hit.source, hit.artifact_id) in allowed]
    indexed = {name: IndexedFiles(each) for name, each in corpora.items()}
    return Result(
        [
            {
                **hit_data(
                    rank,
                    hit,
                    question.text,
                    full=full,
                    indexed=indexed[str(hit.source)],
                    store=corpora[str(hit.source)].store,
                ),
                "depth": hit.metadata.get("walk_depth", 0),
                "via": _plain(hit.metadata.get("via")),
            }
            for rank, hit in enumerate(question.first(hits, limit), 1)
        ],
        view="hits",
        notes=(
            *question.notes,
            *(() if hits and limit else why_none(question, question.corpora, limit)),
        ),
        options={"full": full, "several": several},
    )


@command(
    "path",
    "show the shortest way over links from one artifact to another",
    Param(
        "start",
        "where it begins: an id, path, name or alias, or corpus/id",
        required=True,
        metavar="A",
    ),
    Param("goal", "where it ends", required=True, metavar="B"),
    CORPUS,
    EDGE_TYPES,
    Param("directed", "follow links forwards only", "flag", ("--directed",)),
    details=(
        "Links are walked in both directions unless --directed is given. Over several corpora "
        "the ids are [source, id]."
    ),
    output=PATH,
    examples=("irtui path -c notes keys.md incidents.md",),
)
def path(
    context: Context,
    *,
    start: str,
    goal: str,
    corpus: list[str],
    types: list[str],
    directed: bool,
) -> Result:
    """Find the shortest path between two artifacts of the named corpora, or of every built one."""
    del context
    from irengine.graph import CorpusGraph, FederatedGraph

    corpora = opened(corpus)
    graph: Any = CorpusGraph(corpora[0]) if len(corpora) == 1 else FederatedGraph(corpora)
    ends = [_end(word, corpora, graph) for word in (start, goal)]
    kinds = _types(types, corpora) or None
    nodes = graph.path(ends[0], ends[1], edge_types=kinds, directed=directed)
    steps: list[dict[str, Any]] = []
    for before, node in zip([None, *nodes], nodes, strict=False):
        edges = [] if before is None else graph.edges_between(before, node)
        steps.append(
            {
                "id": _plain(node),
                "edges": [{"type": kind, "forward": forward} for kind, forward in edges],
            }
        )
    notes = () if nodes else (f"there is no path from {_named(ends[0])} to {_named(ends[1])}",)
    return Result(steps, view="path", status=0 if nodes else 1, notes=notes)


@command(
    "similar",
    "list the artifacts most like one",
    WHICH,
    CORPUS,
    LIMIT,
    details="The cosine of the mean vectors of the artifacts.",
    output=SIMILAR,
    examples=("irtui similar -c notes keys.md -n 5",),
)
def similar(context: Context, *, which: str, corpus: list[str], limit: int) -> Result:
    """List the nearest neighbours of one artifact in its corpus."""
    del context
    from irengine.graph import CorpusGraph

    found, artifact_id = find_artifact(which, corpus)
    nearest = CorpusGraph(found).similar(artifact_id, k=limit) if limit else []
    return Result(
        [
            {
                "rank": rank,
                "artifact_id": other,
                "source": found.name,
                "score": score,
                "title": _title(found, other),
            }
            for rank, (other, score) in enumerate(nearest, 1)
        ],
        view="similar",
        notes=()
        if nearest
        else (f"nothing in {found.name} is like {artifact_id}",)
        if limit
        else ("no answers were asked for: the limit is 0",),
    )


@command(
    "links",
    "list the links of an artifact, in both directions, or those that lead nowhere",
    Param("which", "an artifact: its id, path, name or alias", metavar="ID"),
    CORPUS,
    Param(
        "unresolved", "every link of the corpus that leads to no note", "flag", ("--unresolved",)
    ),
    output=LINKS,
    examples=("irtui links -c notes keys.md", "irtui links -c notes --unresolved"),
)
def links(context: Context, *, which: str | None, corpus: list[str], unresolved: bool) -> Result:
    """List the edges of one artifact, or the dangling links of a corpus."""
    del context
    from irengine.graph import CorpusGraph

    if unresolved:
        if which is not None:
            raise UsageError("--unresolved lists the links of a whole corpus; leave out the ID")
        return Result(
            [
                {"from": link.source, "type": link.kind, "to": link.written, "resolved": False}
                for link in CorpusGraph(_one(corpus)).unresolved()
            ],
            view="links",
        )
    if which is None:
        name = quoted(corpus[0]) if corpus else "NAME"
        raise UsageError(
            "ID is missing: whose links are listed",
            hint="name an artifact by its id, path, name or alias; of a whole corpus, "
            f"irtui links -c {name} --unresolved lists what leads nowhere",
        )
    found, artifact_id = find_artifact(which, corpus)
    graph = CorpusGraph(found)
    rows = []
    for kind in graph.edge_types(artifact_id):
        for target in graph.neighbors(artifact_id, edge_type=kind):
            rows.append({"from": artifact_id, "type": kind, "to": target, "resolved": True})
    for kind in _WRITTEN:
        for other in graph.reverse_neighbors(artifact_id, edge_type=kind):
            rows.append({"from": other, "type": kind, "to": artifact_id, "resolved": True})
    for link in graph.links(artifact_id):
        if link.target is None:
            rows.append(
                {"from": artifact_id, "type": link.kind, "to": link.written, "resolved": False}
            )
    return Result(rows, view="links", notes=() if rows else (f"{artifact_id} has no links",))


def _end(word: str, corpora: Sequence[Corpus], graph: Any) -> Any:
    """Return the node of one end of a path: an artifact, else a name that edges lead to.

    Raises:
        AmbiguousItem: when several artifacts are meant.
        UnknownItem: when there is neither.
    """
    from irengine.errors import AmbiguousItem, UnknownItem
    from irengine.graph import CorpusGraph

    several = len(corpora) > 1
    try:
        found = resolve(word, corpora)
    except AmbiguousItem:
        raise
    except UnknownItem:
        named = {each.name: each for each in corpora}
        source, _, rest = word.partition("/")
        if several and source in named:
            return source, _end(rest, [named[source]], CorpusGraph(named[source]))
        nodes = [(name, word) for name in named]
        nodes = [node for node in nodes if any(graph.fan_in(node, edge_type=t) for t in _WRITTEN)]
        if not nodes:
            raise
        return nodes[0] if several else nodes[0][1]
    return (found.corpus.name, found.artifact_id) if several else found.artifact_id


def _types(names: Sequence[str], corpora: Sequence[Corpus]) -> list[str]:
    """Return edge types as the graph spells them.

    Raises:
        UsageError: for one that is not known and that no edge of the corpora has.
    """
    from irengine.errors import nearest
    from irengine.graph import CorpusGraph

    types = [name.upper() for name in names]
    if not {*_WRITTEN, "SIMILAR"}.issuperset(types):
        stored = {
            kind
            for each in corpora
            for row in CorpusGraph(each).all_edges().values()
            for kind in row
        }
        # An extractor of one's own may write types in its own spelling.
        types = [name if name in stored else name.upper() for name in names]
        known = sorted({*_WRITTEN, "SIMILAR", *stored})
        for given, kind in zip(names, types, strict=True):
            if kind not in known:
                raise UsageError(
                    f"there are no edges of type {given}",
                    hint=nearest(kind, known) or f"types: {', '.join(known)}",
                )
    return types


def _plain(node: Any) -> Any:
    return list(node) if isinstance(node, tuple) else node


def _named(node: Any) -> str:
    return "/".join(node) if isinstance(node, tuple) else str(node)


def _one(names: list[str]) -> Corpus:
    """Return the one corpus that is meant: the named one, this folder's, or the only one there is.

    Raises:
        UsageError: when there are several and none is named.
    """
    corpora = opened(names)
    if len(corpora) > 1:
        raise UsageError(
            "--unresolved is about one corpus", hint=f"name one: -c {quoted(corpora[0].name)}"
        )
    return corpora[0]


def _title(corpus: Corpus, artifact_id: str) -> str:
    snapshot = corpus.store.snapshot()
    positions = snapshot.positions_of(artifact_id)
    return title_of(artifact_id, snapshot.rows(positions[:1])[0].metadata) if positions else ""
