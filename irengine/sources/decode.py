"""Bytes of a file to text: UTF-8 always first, never the locale, and never a failure.

Only what is no text at all is refused.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from collections import Counter
from typing import NamedTuple

__all__ = ["BinaryContent", "Decoded", "decode_text"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark starts with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings files are found in, the ones that look alike in order of how often they are meant.
_LEGACY = [
    "cp1252",
    "cp1250",
    "cp1251",
    "koi8_r",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp1258",
    "cp874",
    "iso8859_2",
    "gb18030",
    "big5",
    "cp932",
    "euc_jp",
    "cp949",
    "mac_roman",
    "cp866",
]
_SAMPLE = 64_000
_STRAY_ZEROS = 0.05  # share of zero bytes up to which text is text that was damaged
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]+")
# A well-formed sequence of two to four UTF-8 bytes (RFC 3629, section 4).
_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)


class BinaryContent(ValueError):
    """The bytes are no text in any encoding."""


class Decoded(NamedTuple):
    """Text with ``\\n`` line ends and no byte order mark, and the encoding it came in.

    ``lossy`` says that some bytes had no meaning in that encoding and became U+FFFD.
    """

    text: str
    encoding: str
    lossy: bool = False


def decode_text(data: bytes) -> Decoded:
    """Return the text of ``data``.

    A byte order mark decides; else UTF-8 when the bytes are valid UTF-8; else UTF-16 when every
    other byte of Latin text is zero; else UTF-8 with replacement characters when almost all of it
    is UTF-8; else the likeliest legacy encoding. A few zero bytes in UTF-8 become U+FFFD.

    Raises:
        BinaryContent: for many zero bytes, control bytes, or bytes no encoding makes text of.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding)
    if b"\0" in data:
        return _without_mark(data)
    try:
        return Decoded(_line_ends(data.decode("utf-8")), "utf-8")
    except UnicodeDecodeError:
        pass
    if len(_CONTROL.findall(data[:_SAMPLE])) * 50 > len(data[:_SAMPLE]):
        raise BinaryContent("it holds control bytes, not text")
    if _nearly_utf8(data):
        return _decoded(data, "utf-8")
    return _legacy(data)


def _decoded(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace")
    if "\0" in text:
        raise BinaryContent("it holds zero bytes")
    if text.count("\ufffd") * 2 > len(text):
        raise BinaryContent(f"it is not the {encoding} it says it is")
    return Decoded(_line_ends(text), encoding, "\ufffd" in text)


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _without_mark(data: bytes) -> Decoded:
    """Decode UTF-16 that has no byte order mark: Latin text has zeros at every other byte."""
    sample = data[:_SAMPLE]
    half = max(len(sample) // 2, 1)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if max(even, odd) > 0.4 and min(even, odd) < 0.05:
        encoding = "utf-16-le" if odd > even else "utf-16-be"
        text = data.decode(encoding, "replace")
        if "\0" not in text and _printable_share(text) > 0.95:
            return Decoded(_line_ends(text), encoding, "\ufffd" in text)
    if data.count(0) <= _STRAY_ZEROS * len(data):
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode("utf-8").replace("\0", "\ufffd")
            if _printable_share(text) > 0.95:
                return Decoded(_line_ends(text), "utf-8", lossy=True)
    raise BinaryContent("it holds zero bytes")


def _nearly_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 but for a few: cut off, or pasted from elsewhere."""
    whole = rest = 0
    for run in _HIGH.findall(data):
        left = _UTF8_SEQUENCE.sub(b"", run)
        rest += len(left)
        whole += len(run) - len(left)
    return whole >= 8 * rest


def _legacy(data: bytes) -> Decoded:
    from charset_normalizer import from_bytes

    sample = _telling(data)
    if _western(sample):
        return _decoded(data, "cp1252")
    if not set(b"".join(_HIGH.findall(sample))) <= {0xFE, 0xFF}:
        for guess in from_bytes(sample, cp_isolation=list(_LEGACY), threshold=0.4):
            text = data.decode(guess.encoding, "replace")
            if _plausible(text):
                return Decoded(_line_ends(text), guess.encoding, "\ufffd" in text)
    if len(_HIGH.sub(b"", sample)) * 2 > len(sample):
        return _decoded(data, "utf-8")  # ASCII with a few stray bytes
    raise BinaryContent("no encoding makes text of it")


def _telling(data: bytes) -> bytes:
    """Return the lines with high bytes, up to a sample's length: they decide the encoding."""
    if len(data) <= _SAMPLE:
        return data
    lines: list[bytes] = []
    size = 0
    for line in data.split(b"\n"):
        if _HIGH.search(line):
            lines.append(line[:_SAMPLE])
            size += len(line) + 1
            if size >= _SAMPLE:
                break
    return b"\n".join(lines)[:_SAMPLE]


def _western(sample: bytes) -> bool:
    """Return whether the high bytes are single Western letters or punctuation in ASCII words.

    Short Latin text is where a statistical guess is worst, and Windows-1252 nearly always right.
    """
    runs = _HIGH.findall(sample)
    if not runs or max(map(len, runs)) > 3:
        return False
    try:
        text = b"".join(runs).decode("cp1252")
    except UnicodeDecodeError:
        return False
    accented = sum(char in _WESTERN_LETTERS for char in text)
    others = sum(char not in _WESTERN_LETTERS and char not in _WESTERN_MARKS for char in text)
    return not others and len(re.findall(rb"[A-Za-z]", sample)) >= 2 * accented


_WESTERN_LETTERS = frozenset("àâäáãåæçèéêëìíîïñòóôöõøœùúûüßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜ")
_WESTERN_MARKS = frozenset("‘’“”–—…•«»°©®™€£§¡¿·ºª´²³½¼¾×\u00a0")


def _plausible(text: str) -> bool:
    """Return whether a decoding reads like language: printable, varied, no half-width filler."""
    sample = text[:_SAMPLE]
    foreign = [char for char in sample if not char.isascii() and not char.isspace()]
    if not foreign or _printable_share(sample) < 0.9:
        return False
    half_width = sum("\uff61" <= char <= "\uff9f" for char in foreign)
    most = Counter(foreign).most_common(1)[0][1]
    return half_width * 5 <= len(foreign) and (len(foreign) <= 8 or most * 5 <= len(foreign) * 4)


def _printable_share(text: str) -> float:
    sample = text[:_SAMPLE]
    good = sum(char.isprintable() or char in "\n\r\t\f\x1b\u00a0\u3000" for char in sample)
    return (good - sample.count("\ufffd")) / max(len(sample), 1)
