"""The vocabulary of the graph: edge types, node ids, and what a graph has to offer."""

from __future__ import annotations

import re
from typing import Any, Protocol, runtime_checkable

from irengine.errors import ParameterTypeError

__all__ = [
    "CHILD",
    "LINK",
    "NEXT",
    "PARENT",
    "PREV",
    "REF",
    "RELATED",
    "SIMILAR",
    "GraphStore",
    "canonical_node_id",
    "dependency_name",
    "normalize_dist_name",
    "pair_of",
]

NEXT = "NEXT"
"""From a surface to the one of its kind that follows it; see :class:`SurfaceGraph`."""
PREV = "PREV"
"""From a surface to the one of its kind before it."""
PARENT = "PARENT"
"""From a part to its whole: a skill to its collection, a surface to its artifact."""
CHILD = "CHILD"
"""From a whole to its parts; never stored."""
REF = "REF"
"""From a package to what it depends on."""
LINK = "LINK"
"""From a note to one it links to in its text."""
RELATED = "RELATED"
"""From a note to one its frontmatter calls related."""
SIMILAR = "SIMILAR"
"""To the artifacts with the nearest vectors; worked out when asked for, never stored."""

_AFTER_NAME = re.compile(r"[<>=!~;@\[\s(]")
_SEPARATORS = re.compile(r"[-_.]+")


@runtime_checkable
class GraphStore(Protocol):
    """What a traversal needs of a graph: the payload of a node, and its neighbours.

    ``isinstance`` looks at the names only, not at what the methods take.
    """

    def __getitem__(self, node_id: Any) -> Any: ...

    def neighbors(self, node_id: Any, *, edge_type: str | None = None) -> list[Any]:
        """Return the ids of the adjacent nodes, of one edge type or of all."""
        ...


def pair_of(target: Any) -> tuple[str, str] | None:
    """Return a ``[source, artifact_id]`` target as a tuple, ``None`` for any other target."""
    if isinstance(target, (list, tuple)) and len(target) == 2:
        return target[0], target[1]
    return None


def canonical_node_id(target: Any, *, source: str | None) -> tuple[str | None, str]:
    """Return a neighbour as ``(source, artifact_id)``, the id a traversal tells nodes apart by.

    >>> canonical_node_id("dol", source="packages")
    ('packages', 'dol')
    >>> canonical_node_id(["skills", "deploy"], source="packages")
    ('skills', 'deploy')
    """
    return pair_of(target) or (source, target)


def dependency_name(spec: str) -> str:
    """Return the bare name in a requirement, in lower case, separators as they are.

    >>> dependency_name("Scikit_Learn[extra]>=1.2")
    'scikit_learn'
    """
    if not isinstance(spec, str):
        raise ParameterTypeError(f"a requirement must be text, not {type(spec).__name__}")
    return _AFTER_NAME.split(spec.strip(), maxsplit=1)[0].strip().lower()


def normalize_dist_name(name: str) -> str:
    """Return the name a package is known by, whatever its case and separators.

    >>> normalize_dist_name("Scikit_Learn[extra]>=1.2")
    'scikit-learn'
    """
    return _SEPARATORS.sub("-", dependency_name(name))
