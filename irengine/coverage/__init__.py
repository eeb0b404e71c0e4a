"""What is on disk against what is indexed: covered, left out and by which rule, missing, stale."""

from irengine.coverage.measuring import (
    corpus_coverage,
    covers_files,
    reports_coverage,
    source_coverage,
)
from irengine.coverage.report import CoverageReport

__all__ = [
    "CoverageReport",
    "corpus_coverage",
    "covers_files",
    "reports_coverage",
    "source_coverage",
]
