"""Text analysis and the lexical index: terms, postings, BM25, highlights.

``irengine.text.postings`` and ``irengine.text.bm25`` need numpy and are imported by their
users; importing this package loads neither numpy nor the stemmer.
"""

from __future__ import annotations

from irengine.text._snippets import Snippet, highlight, match_spans
from irengine.text.analyzer import ANALYZER_ID, analyze, query_terms

__all__ = ["ANALYZER_ID", "Snippet", "analyze", "highlight", "match_spans", "query_terms"]
