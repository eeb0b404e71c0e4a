"""Text out of PDF, HTML and Office files, through the optional ``documents`` extra."""

from __future__ import annotations

import functools
import importlib.util
import io
import zipfile
from typing import Any

from irengine.errors import MissingExtra
from irengine.sources.document import extension_of

__all__ = ["DOCUMENT_EXTENSIONS", "ExtractionFailed", "extract_text", "require_extractor"]

DOCUMENT_EXTENSIONS = frozenset(
    ["pdf", "html", "htm", "xhtml", "docx", "pptx", "xlsx", "epub", "ipynb"]
)
"""Extensions (lower case, no dot) whose text the extractor gets out."""

_ZIPPED = frozenset(("docx", "pptx", "xlsx", "epub"))
_MAX_UNPACKED = 500_000_000


class ExtractionFailed(ValueError):
    """A document is damaged, encrypted, or unpacks to something absurd."""


def require_extractor() -> None:
    """Make sure documents can be read.

    Raises:
        MissingExtra: when the ``documents`` extra is not installed.
    """
    if importlib.util.find_spec("markitdown") is None:
        raise MissingExtra(
            "reading PDF, HTML and Office files needs an optional dependency",
            hint='pip install "irengine[documents]"',
        )


def extract_text(data: bytes, filename: str) -> str:
    """Return the text of a document as Markdown; nothing is fetched and no plugin runs.

    Raises:
        ExtractionFailed: when the file cannot be read as what its name says.
        MissingExtra: when the ``documents`` extra is not installed.
    """
    require_extractor()
    from markitdown import StreamInfo

    extension = extension_of(filename)
    if extension in _ZIPPED:
        _check_archive(data)
    try:
        result = _converter().convert_stream(
            io.BytesIO(data), stream_info=StreamInfo(extension=f".{extension}", filename=filename)
        )
    except Exception as error:  # third-party parsers raise anything on a damaged file
        raise ExtractionFailed(_first_line(error)) from error
    text = str(result.text_content or "")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


@functools.lru_cache(maxsize=1)
def _converter() -> Any:
    from markitdown import MarkItDown

    return MarkItDown(enable_plugins=False)


def _check_archive(data: bytes) -> None:
    """Refuse an archive that unpacks to far more than any document holds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(item.file_size for item in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ExtractionFailed(f"it is damaged: {_first_line(error)}") from error
    if unpacked > _MAX_UNPACKED:
        raise ExtractionFailed(f"it unpacks to {unpacked / 1e6:,.0f} MB")


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
