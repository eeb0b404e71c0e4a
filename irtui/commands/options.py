"""Parameters that several commands have in common."""

from __future__ import annotations

from irtui.commands.spec import Param

__all__ = [
    "CORPUS",
    "EMBEDDER",
    "FETCHER",
    "FILTER",
    "FUSION",
    "GLOB",
    "LIMIT",
    "MODE",
    "PATTERN",
    "RANKING",
    "RERANK",
    "SURFACES",
    "VERBOSE",
    "YES",
]

CORPUS = Param(
    "corpus",
    "where to look, a name or a pattern; may be repeated (default: the corpus this folder is in, "
    "else every built one)",
    "corpus",
    ("-c", "--corpus"),
    many=True,
    metavar="NAME",
)
VERBOSE = Param("verbose", "list every skipped and failed item", "flag", ("-v", "--verbose"))
YES = Param("yes", "do not ask", "flag", ("-y", "--yes"))
EMBEDDER = Param(
    "embedder",
    "what makes vectors: default, light (no model), or a model name",
    flags=("-e", "--embedder"),
)
PATTERN = Param(
    "pattern",
    "regular expression that relative paths have to match (searched, not anchored)",
    flags=("-p", "--pattern"),
)
FETCHER = Param(
    "fetcher",
    "a function that returns the items: package.module:function",
    flags=("--fetcher",),
)
GLOB = Param("glob", "the same as a shell pattern: '*.md'", flags=("-g", "--glob"))

LIMIT = Param(
    "limit",
    "how many answers to show at most",
    "int",
    ("-k", "-n", "--limit"),
    default=10,
    metavar="N",
    least=0,
)
MODE = Param(
    "mode",
    "by meaning, by words, or both",
    "choice",
    ("-m", "--mode"),
    default="hybrid",
    choices=("hybrid", "dense", "lexical"),
)
FUSION = Param(
    "fusion",
    "how hybrid joins its two rankings",
    "choice",
    ("--fusion",),
    choices=("convex", "blend", "rrf"),
)
RERANK = Param(
    "rerank",
    "read the best candidates again: maxsim, or cross-encoder[:MODEL] (extra models)",
    flags=("--rerank",),
    metavar="HOW",
)
FILTER = Param(
    "filter",
    """only what has these metadata: 'year>=2024', tags=rust, title~deploy, or JSON; may be """
    "repeated, all must hold",
    "filter",
    ("-f", "--filter"),
    many=True,
    metavar="CLAUSE",
)
SURFACES = Param(
    "surfaces",
    "only these kinds of text, comma-separated: chunk,description",
    flags=("--surfaces",),
)
FULL = Param("full", "show the whole matching text, not a snippet", "flag", ("--full",))
RANKING = (LIMIT, MODE, FUSION, RERANK, FILTER, SURFACES, FULL)
