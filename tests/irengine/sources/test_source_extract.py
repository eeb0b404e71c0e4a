"""Text out of PDF, HTML and Office files, when the extra is installed."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from irengine.errors import ItemError, MissingExtra
from irengine.sources import CorpusSource, FileScope


def test_without_the_extra_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "markitdown", None)
    with pytest.raises(MissingExtra) as caught:
        CorpusSource.from_files(tmp_path, extract=True)
    assert caught.value.hint == 'pip install "irengine[documents]"'
    assert isinstance(caught.value, ImportError)


def test_without_extraction_a_document_is_no_text(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("hello"))
    scope = FileScope(tmp_path, pattern=r"\.pdf$")
    with pytest.raises(ItemError) as caught:
        scope["a.pdf"]
    assert caught.value.code == "binary"
    assert "extract" in caught.value.hint


def pdf(text: str) -> bytes:
    """Return a one-page PDF with one line of text, and the bytes that mark it as binary."""
    stream = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data = b"%PDF-1.4\n%\x00\xe2\xe3\xcf\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return data + b"startxref\n%d\n%%%%EOF\n" % start


def docx(text: str) -> bytes:
    """Return the smallest Word document there is."""
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Target="word/document.xml" Type="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships/officeDocument"/></Relationships>'
    )
    document = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f"<w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", relations)
        archive.writestr("word/document.xml", document)
    return data.getvalue()


@pytest.fixture
def documents(tmp_path) -> Path:
    pytest.importorskip("markitdown")
    import openpyxl
    import pptx

    (tmp_path / "note.md").write_text("# A note")
    (tmp_path / "page.html").write_text(
        "<html><head><title>T</title><script>no()</script></head>"
        "<body><h1>Bees &amp; honey</h1><p>In the hive.</p></body></html>"
    )
    (tmp_path / "paper.pdf").write_bytes(pdf("Waggle dance"))
    (tmp_path / "letter.docx").write_bytes(docx("Dear beekeeper"))
    book = openpyxl.Workbook()
    book.active.append(["hive", "honey"])
    book.save(tmp_path / "table.xlsx")
    slides = pptx.Presentation()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "Swarming"
    slides.save(tmp_path / "talk.pptx")
    return tmp_path


def test_documents_are_listed_and_read(documents):
    scope = FileScope(documents, extract=True)
    texts = {item: scope[item]["text"] for item in scope}
    assert list(texts) == [
        "letter.docx",
        "note.md",
        "page.html",
        "paper.pdf",
        "table.xlsx",
        "talk.pptx",
    ]
    assert "Dear beekeeper" in texts["letter.docx"]
    assert "# Bees & honey" in texts["page.html"]
    assert "no()" not in texts["page.html"]
    assert "Waggle dance" in texts["paper.pdf"]
    assert "honey" in texts["table.xlsx"]
    assert "Swarming" in texts["talk.pptx"]
    assert scope["page.html"]["title"] == "T"
    assert scope["paper.pdf"]["title"] == "paper"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.docx", b"not a zip file", "extraction-failed"),
        ("b.pdf", b"%PDF-1.4\nbroken", "extraction-failed"),
        ("c.pdf", pdf(""), "no-text"),
        ("d.xlsx", docx("a document, not a table"), "extraction-failed"),
    ],
    ids=["text", "beginning", "page", "archive"],  # its bytes hold the time: no name of a test
)
def test_a_document_that_cannot_be_read_costs_itself_only(documents, name, data, code):
    (documents / name).write_bytes(data)
    scope = FileScope(documents, extract=True)
    assert name in scope
    with pytest.raises(ItemError, match=name) as caught:
        scope[name]
    assert caught.value.code == code
    assert "honey" in scope["page.html"]["text"]


def test_a_zip_bomb_is_not_unpacked(documents, monkeypatch):
    monkeypatch.setattr("irengine.sources.extract._MAX_UNPACKED", 100)
    with pytest.raises(ItemError, match="unpacks to"):
        FileScope(documents, extract=True)["letter.docx"]


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ("<p>Größe</p>", "utf-8"),
        ('<meta charset="windows-1251"><p>Привет</p>', "cp1251"),
        ('<meta content="text/html; charset=Shift_JIS"><p>日本語</p>', "cp932"),
        ('<meta charset="no-such-thing"><p>Größe und mehr</p>', "latin-1"),
    ],
)
def test_a_page_says_its_encoding(documents, page, encoding):
    (documents / "p.html").write_bytes(page.encode(encoding))
    text = FileScope(documents, extract=True)["p.html"]["text"].strip()
    assert f"<p>{text}</p>" in page
