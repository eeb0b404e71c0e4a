"""Text in any encoding is read; what is no text is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.sources.decode import BinaryContent, decode_text

RUSSIAN = "Привет, мир! Это короткая заметка о пчёлах и мёде."
CHINESE = "中文笔记：这是一个测试文件，用来检查编码。"
JAPANESE = "日本語のメモ。これはエンコーディングのテストです。"
KOREAN = "한국어 메모입니다. 인코딩을 확인하는 시험 파일입니다."
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_unicode_encodings_with_and_without_a_mark(encoding):
    text = "# A heading\n\nSome text in it – naïve."
    assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "café naïf"),
        ("cp1252", "L’été “chaud” — 20 €"),
        ("latin-1", "Straße über Größe, señor mañana"),
        ("cp1251", RUSSIAN),
        ("koi8_r", RUSSIAN),
        ("gb18030", CHINESE),
        ("big5", "中文筆記：這是一個測試檔案，用來檢查編碼。"),
        ("cp932", JAPANESE),
        ("euc_jp", JAPANESE),
        ("cp949", KOREAN),
        ("cp1250", CZECH),
        ("iso8859_2", CZECH),
        ("cp1253", "Καλημέρα κόσμε, αυτό είναι ένα σημείωμα."),
    ],
)
def test_legacy_encodings(encoding, text):
    assert decode_text(text.encode(encoding)).text == text


def test_line_ends_become_one_kind():
    assert decode_text(b"a\r\nb\rc\n").text == "a\nb\nc\n"


@pytest.mark.parametrize("data", ["é".encode() * 50 + b"\xe9", "日本".encode() * 30 + b"\xe6\x97"])
def test_nearly_utf8_stays_utf8(data):
    decoded = decode_text(data)
    assert (decoded.encoding, decoded.lossy) == ("utf-8", True)
    assert decoded.text.count("\ufffd") == 1


def test_ascii_with_stray_bytes_is_text():
    assert (
        decode_text(b"\xff\xff hello there, plain text").text
        == "\ufffd\ufffd hello there, plain text"
    )


def test_a_few_zero_bytes_do_not_make_a_note_binary():
    note = "Déjà vu: the café\0 opens at nine.\n" * 20
    found = decode_text(note.encode())
    assert found == (note.replace("\0", "\ufffd"), "utf-8", True)
    assert decode_text(b"bell \x07 and escape \x1b[0m").text == "bell \x07 and escape \x1b[0m"


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"\xff" * 200,
        b"\xff\xfe\xfa",
        b"a\0b",
        b"name\0" * 30,
        b"caf\xe9 and a zero \0 " + b"x" * 200,
        bytes(range(256)),
        b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)) * 3,
        b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + bytes(range(1, 32)) * 20 + b"\xff\xfe",
    ],
)
def test_what_is_no_text_is_refused(data):
    with pytest.raises(BinaryContent):
        decode_text(data)


@given(st.binary(max_size=300))
def test_nothing_but_a_refusal_is_ever_raised(data):
    try:
        decoded = decode_text(data)
    except BinaryContent:
        return
    assert "\r" not in decoded.text
    decoded.text.encode()


@given(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=100))
def test_utf8_is_never_taken_for_anything_else(text):
    data = text.encode()
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert decode_text(data).text == text.removeprefix("\ufeff")
