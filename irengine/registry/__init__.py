"""Named corpus definitions: what to index, how, and where, kept in one small JSON file.

Everything that can be checked is checked when a corpus is registered, so that a definition in
the file can be built. The file is locked for writing, replaced atomically, and its last good
content is kept beside it.
"""

from irengine.registry.entries import KINDS, PARAMETRIC_KINDS, PRESETS, source_from_entry
from irengine.registry.names import (
    build_corpus,
    corpora,
    get,
    policy_for,
    register,
    registered,
    retriever_for,
    retrievers,
    source_for,
    unregister,
)

__all__ = [
    "KINDS",
    "PARAMETRIC_KINDS",
    "PRESETS",
    "build_corpus",
    "corpora",
    "get",
    "policy_for",
    "register",
    "registered",
    "retriever_for",
    "retrievers",
    "source_for",
    "source_from_entry",
    "unregister",
]
