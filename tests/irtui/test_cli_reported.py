"""Queries that failed in comparable tools, typed as their users typed them."""

import json

import pytest

from irtui.cli import main

DOCUMENTS = {
    "dec.md": "# Decision\n\nDEC-0054 approved.\n",
    "pio.md": "# Note\n\nPIO-1384 covers cloud-init, a note.\n",
    "plain.md": "# Note\n\nAnother note.\n",
    "release.md": "# Release\n\nVersion 2026.4.10 is out.\n",
    "older.md": "# Release\n\nVersion 2026.4.1 is out.\n",
    "agents.md": "# Agents\n\nmulti-agent role-based memory in Downloads/transcripts, a'b.\n",
    "code.md": "# Code\n\nCall grammar::fa with my_var_name in `ssh -T git@github.com`.\n",
    "breeders.md": "# Breeder's and Exhibitor's Association\n\nDogs.\n",
    "Mom's Recipes.md": "Soup.\n",
    "hono.md": "# Hono\n\nZero runtime dependencies.\n",
    "company.md": "# A-Company\n\nThe A-Company.\n",
    "cat.md": "# A big cat\n\nA big cat.\n",
    "chinese.md": "# 中文\n\n中文合約轉換體驗課問題\n",
    "chatelier.md": "# Le Ch\u00e2telier\n\n\u017elu\u0165ou\u010dk\u00fd k\u016f\u0148\n",
    "cpp.md": "# C++ and C#\n\nTemplates.\n",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    base = tmp_path_factory.mktemp("reported")
    (base / "vault").mkdir()
    for name, text in DOCUMENTS.items():
        (base / "vault" / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("data", "config", "cache"):
            patch.setenv(f"IR_{kind.upper()}_DIR", str(base / kind))
        assert (
            main(["register", "vault", "files", "--root", str(base / "vault"), "-e", "light"]) == 0
        )
        assert main(["build"]) == 0
    return base


@pytest.fixture
def search(base, monkeypatch, capsys):
    for kind in ("data", "config", "cache"):
        monkeypatch.setenv(f"IR_{kind.upper()}_DIR", str(base / kind))

    def search(query, mode="lexical", *words):
        capsys.readouterr()
        status = main(["search", "-m", mode, "--json", *words, "--", query])
        shown = capsys.readouterr()
        assert status == 0, shown.err
        return [row["artifact_id"] for row in json.loads(shown.out)]

    return search


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("DEC-0054", "dec.md"),
        ('"DEC-0054"', "dec.md"),
        ('"PIO-1384"', "pio.md"),
        ("2026.4.10", "release.md"),
        ("multi-agent", "agents.md"),
        ("vec: multi-agent role-based memory", "agents.md"),
        ("Downloads/transcripts", "agents.md"),
        ("a'b", "agents.md"),
        ("grammar::fa", "code.md"),
        ("my_var_name", "code.md"),
        ('"ssh -T git"', "code.md"),
        ("Breeder's and Exhibitor's Association", "breeders.md"),
        ("Mom's", "Mom's Recipes.md"),
        ("Mom\u2019s recipes", "Mom's Recipes.md"),
        ("Why does Hono avoid runtime dependencies?", "hono.md"),
        ("A-Company", "company.md"),
        ('"A-Company"', "company.md"),
        ("\u4e2d\u6587\u5408\u7d04", "chinese.md"),
        ("\u8f49\u63db", "chinese.md"),
        ("chatelier", "chatelier.md"),
        ("zlutoucky", "chatelier.md"),
    ],
)
def test_the_first_answer_is_the_right_one(search, query, first, mode):
    assert search(query, mode)[0] == first


def test_an_excluded_phrase_is_excluded(search):
    assert set(search('note -"cloud-init"')) == {"plain.md"}
    assert "pio.md" not in search('note -"cloud-init"', "hybrid")


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "dense"])
@pytest.mark.parametrize(
    "query",
    [
        *("   ", "AND", "a AND (", "NOT", "*", "(", ")", "'", ";", "#", "-", "- ", "--", ":"),
        *("C++", "C#", "http://a.b/c?d=e", "C:\\dir", "10:30", "a:", "{", "{}", "NEAR(a b)"),
        *("\x1b[2J", "\ud83d"),
    ],
)
def test_no_text_is_an_error(search, query, mode):
    assert isinstance(search(query, mode), list)


def test_a_blank_query_is_empty(search):
    assert search("   ") == []
