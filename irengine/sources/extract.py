"""Text out of PDF, HTML and Office files, through the optional ``documents`` extra."""

from __future__ import annotations

import codecs
import contextlib
import functools
import importlib.util
import io
import re
from typing import Any, NamedTuple

from irengine.errors import MissingExtra
from irengine.sources.decode import BinaryContent, decode_text
from irengine.sources.document import extension_of

__all__ = [
    "DOCUMENT_EXTENSIONS",
    "Extracted",
    "ExtractionFailed",
    "extract_text",
    "require_extractor",
]

_CONVERTERS = {
    "docx": "DocxConverter",
    "epub": "EpubConverter",
    "htm": "HtmlConverter",
    "html": "HtmlConverter",
    "ipynb": "IpynbConverter",
    "pdf": "PdfConverter",
    "pptx": "PptxConverter",
    "xhtml": "HtmlConverter",
    "xlsx": "XlsxConverter",
}

DOCUMENT_EXTENSIONS = frozenset(_CONVERTERS)
"""Extensions (lower case, no dot) whose text the extractor gets out."""

_HTML = frozenset(("html", "htm", "xhtml"))
_DECLARED = re.compile(rb"""charset\s*=\s*["']?([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
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


class Extracted(NamedTuple):
    """The text of a document as Markdown, and the title it gives itself (``""`` for none)."""

    text: str
    title: str


def extract_text(data: bytes, filename: str) -> Extracted:
    """Return the text of a document; nothing is fetched and no plugin runs.

    Raises:
        ExtractionFailed: when the file cannot be read as what its name says.
        MissingExtra: when the ``documents`` extra is not installed.
    """
    require_extractor()
    from markitdown import StreamInfo

    extension = extension_of(filename)
    if extension in _ZIPPED:
        _check_archive(data)
    charset = _charset(data) if extension in _HTML else None
    about = StreamInfo(extension=f".{extension}", filename=filename, charset=charset)
    try:
        result = _converter(extension).convert(io.BytesIO(data), about)
    except Exception as error:  # third-party parsers raise anything on a damaged file
        raise ExtractionFailed(_first_line(error)) from error
    text = str(result.markdown or "").replace("\r\n", "\n").replace("\r", "\n")
    return Extracted(text.replace("\0", ""), " ".join(str(result.title or "").split()))


@functools.lru_cache(maxsize=16)
def _converter(extension: str) -> Any:
    """Return the converter of one extension; asking for it by name leaves nothing to guess."""
    from markitdown import converters

    return getattr(converters, _CONVERTERS[extension])()


def _charset(data: bytes) -> str:
    """Return the encoding of a page: UTF-8 when it is, else the one it declares, else a guess."""
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        declared = _DECLARED.search(data[:4096])
    if declared:
        name = declared[1].decode("ascii")
        with contextlib.suppress(LookupError):
            return codecs.lookup(name).name
    try:
        return decode_text(data).encoding
    except BinaryContent as error:
        raise ExtractionFailed(str(error)) from error


def _check_archive(data: bytes) -> None:
    """Refuse an archive that unpacks to far more than any document holds."""
    import zipfile

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
