"""Walks: from a query over the edges of a corpus, under bounds that no policy can lift."""

from __future__ import annotations

from irengine.traverse.dependencies import reverse_dependency_policy
from irengine.traverse.links import DFLT_CARRY, DFLT_LINK_SEED_K, link_policy
from irengine.traverse.trees import (
    DFLT_LEAF_KINDS,
    DFLT_SEED_K,
    DFLT_SUMMARY_KINDS,
    collapsed_tree_policy,
)
from irengine.traverse.walking import (
    DFLT_MAX_DEPTH,
    DFLT_NODE_BUDGET,
    MAX_FRONTIER,
    WalkPolicy,
    WalkState,
    traverse,
)

__all__ = [
    "DFLT_CARRY",
    "DFLT_LEAF_KINDS",
    "DFLT_LINK_SEED_K",
    "DFLT_MAX_DEPTH",
    "DFLT_NODE_BUDGET",
    "DFLT_SEED_K",
    "DFLT_SUMMARY_KINDS",
    "MAX_FRONTIER",
    "WalkPolicy",
    "WalkState",
    "collapsed_tree_policy",
    "link_policy",
    "reverse_dependency_policy",
    "traverse",
]
