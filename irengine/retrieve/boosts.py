"""Structural score boosts: signals that the text of a hit cannot fake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from irengine.base import SearchHit
from irengine.checks import members, real_number, text, whole_number
from irengine.errors import ParameterTypeError

__all__ = ["ScoreBoost", "dependency_evidence_boost", "distribution_name"]

ScoreBoost = Callable[[SearchHit], float]
"""``hit -> number`` added to the hit's score; see ``dep_boost`` of ``search``."""

_SPEC_END = re.compile(r"[<>=!~;@\[\s(]")


def distribution_name(spec: str) -> str:
    """Return the normalised distribution name (PEP 503) a requirement starts with.

    >>> distribution_name("Scikit_Learn[extra]>=1.2")
    'scikit-learn'
    """
    name = _SPEC_END.split(spec.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def dependency_evidence_boost(
    relevant_libs: Iterable[str],
    *,
    weight: float,
    saturate: int = 1,
    deps_field: str = "deps",
) -> ScoreBoost:
    """Return a ``dep_boost`` that rewards hits depending on ``relevant_libs``.

    The boost is ``weight * min(n, saturate) / saturate``, ``n`` being the number of distinct
    dependencies of the hit (metadata ``deps_field``: a list of requirements, or one as text)
    found in ``relevant_libs``; names are compared by PEP 503 on both sides. ``weight`` is on the
    scale of the search it is used with: a fused rank score is near 0.03, a cosine near 0.5.

    Raises:
        ParameterTypeError: when ``relevant_libs`` is a bare string, or holds something else than
            names (a ``TypeError``).
        ParameterError: for a weight that is not finite or a ``saturate`` below 1.

    >>> boost = dependency_evidence_boost({"networkx"}, weight=0.1)
    >>> boost(SearchHit("unbox", "description", 0.4, "", {"deps": ["networkx>=3"]}))
    0.1
    """
    if isinstance(relevant_libs, str):
        raise ParameterTypeError(
            f"relevant_libs takes names, not the string {relevant_libs!r}",
            hint=f"write [{relevant_libs!r}]",
        )
    libs = members("relevant_libs", relevant_libs, str, "names")
    text("deps_field", deps_field)
    amount = real_number("weight", weight)
    full = whole_number("saturate", saturate, least=1)
    wanted = {distribution_name(name) for name in libs} - {""}

    def boost(hit: SearchHit) -> float:
        deps = hit.metadata.get(deps_field) or ()
        if isinstance(deps, str):
            deps = (deps,)
        if not isinstance(deps, (list, tuple, set, frozenset)):
            return 0.0
        found = {distribution_name(dep) for dep in deps if isinstance(dep, str)} & wanted
        return amount * min(len(found), full) / full if found else 0.0

    return boost
