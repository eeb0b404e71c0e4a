"""What a build stores in the links row of an artifact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from irengine.base import IndexPlan
from irengine.errors import IrError, ItemError
from irengine.graph.written import WRITTEN, written_in
from irengine.sources import FileScope

if TYPE_CHECKING:
    from irengine.sources import CorpusSource
    from irengine.store import CorpusStore

__all__ = ["EdgeExtractor", "Links"]

EdgeExtractor = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


class Links:
    """The links rows of one build: what an extractor says, and what is written in files.

    A row is written only where it changes. Edges of an earlier build with an extractor stay when
    this build has none; what files say is always kept up to date.
    """

    def __init__(
        self, source: CorpusSource, store: CorpusStore, extractor: EdgeExtractor | None
    ) -> None:
        self.store = store
        self.extractor = extractor
        self._files = isinstance(source.scope, FileScope)

    def changed(self, artifact_id: str, raw: Any, plan: IndexPlan | None) -> dict[str, Any] | None:
        """Return the new row of an artifact, or ``None`` when the stored one says the same.

        Without a ``plan`` the artifact is as it was, and an extractor is not asked.

        Raises:
            ItemError: when the extractor fails.
        """
        if self.extractor is None and not self._files:
            return None
        stored: dict[str, Any] = self.store.get_links(artifact_id)
        row = stored
        if self.extractor is not None and plan is not None:
            row = _extracted(self.extractor, artifact_id, plan.filter_fields)
        if self._files:
            blank = not plan.surfaces if plan is not None else _is_blank(stored)
            written = written_in(raw, blank=blank)
            row = {kind: targets for kind, targets in row.items() if kind != WRITTEN}
            if written:
                row[WRITTEN] = written
        return None if row == stored else row


def _extracted(
    extractor: EdgeExtractor, artifact_id: str, fields: Mapping[str, Any]
) -> dict[str, Any]:
    try:
        edges = extractor(artifact_id, fields)
        return {kind: list(targets) for kind, targets in edges.items() if targets}
    except IrError:
        raise
    except Exception as error:  # noqa: BLE001 - user code
        raise ItemError(
            f"the edges of {artifact_id!r} cannot be extracted: {type(error).__name__}: {error}"
        ) from error


def _is_blank(row: Mapping[str, Any]) -> bool:
    return ["blank", "", ""] in row.get(WRITTEN, ())
