"""The query language: what a query says, and what it asks of the engine."""

from __future__ import annotations

import pytest

from irengine.retrieve import matches_filter, search
from irtui.grammar import GrammarError, compile_query, parse_query
from irtui.grammar.query.syntax import (
    Between,
    Compare,
    Empty,
    Field,
    OneOf,
    Phrase,
    StartsWith,
    Term,
    Text,
)
from irtui.grammar.values import Value

FIELDS = ("author", "date", "draft", "tags", "title", "venue", "year")


def clauses(text: str) -> list:
    return list(parse_query(text).clauses)


def one(value: str, *, quoted: bool = False) -> OneOf:
    return OneOf((Value(value, quoted),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dense  retrieval", [Text("dense  retrieval")]),
        ('"ssh -T git" now', [Phrase("ssh -T git"), Text("now")]),
        ("a -survey +must b*", [Text("a"), Term("survey", "-"), Term("must", "+"), Term("b", "", True)]),  # noqa: E501
        ('-"cloud-init" +"a b"*', [Phrase("cloud-init", "-"), Phrase("a b", "+", True)]),
        ("year:2020", [Field("year", one("2020"))]),
        ("-year:2020", [Field("year", one("2020"), True)]),
        ("year:>=2020", [Field("year", Compare(">=", Value("2020")))]),
        ("date:2024..2025", [Field("date", Between(Value("2024"), Value("2025")))]),
        ("date:2024-05..", [Field("date", Between(Value("2024-05"), None))]),
        ("year:..2020", [Field("year", Between(None, Value("2020")))]),
        ("path:../notes", [Field("path", one("../notes"))]),
        ("title:foo*", [Field("title", StartsWith("foo"))]),
        ('title:"foo bar"', [Field("title", one("foo bar", quoted=True))]),
        ("title:~foo", [Field("title", Compare("~", Value("foo")))]),
        ("venue:(sigir|a b)", [Field("venue", OneOf((Value("sigir"), Value("a b"))))]),
        ("year:", [Field("year", Empty())]),
        ("mode:lex limit:20", [Field("mode", one("lex")), Field("limit", one("20"))]),
        (r"year\:2020 \-x \"y", [Text('year:2020 -x "y')]),
        ('"open', [Phrase("open")]),
        ('venue:(a|"b', [Field("venue", OneOf((Value("a"), Value("b", True))))]),
        ('""', []),
        ("   ", []),
    ],
)  # fmt: skip
def test_what_a_query_says(text, expected):
    assert clauses(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "multi-agent role-based memory",
        "grammar::fa",
        "Downloads/transcripts",
        "https://example.com:80/a?b=c",
        "10:30 meeting",
        "C++ and C#",
        "a - b -> c -- d --flag",
        "Breeder's and Exhibitor's Association",
        "Mom's",
        "not near AND or",
        '5" pipes and rock"n"roll',
        "2 * 3 ** 4",
        r"C:\temp \d+",
        "Why does  Hono avoid\truntime dependencies?",
        "中文合約 転換",
        ":) (: ( )",
        "a\x00b 😀",
        "my_var_name @a/b",
        "12:",
    ],
)
def test_ordinary_text_is_embedded_verbatim(text):
    compiled = compile_query(text, fields=FIELDS)
    assert compiled.text == text
    assert compiled.filter is None
    assert compiled.wording() is None
    assert compiled.problems == ()


def test_what_has_no_value_after_an_unknown_name_is_text():
    compiled = compile_query("vec: multi-agent role-based memory", fields=FIELDS, strict=True)
    assert compiled.text == "vec: multi-agent role-based memory"
    assert compile_query("vec: memory", strict=True).text == "vec: memory"


def test_clauses_leave_the_text_and_words_that_must_be_there_stay_in_it():
    compiled = compile_query('dense "exact phrase"  +must -not year:2020 pre* last', fields=FIELDS)
    assert compiled.text == "dense exact phrase  must pre last"
    assert [words.text for words in compiled.wording().required] == ["exact phrase", "must", "pre"]
    assert [words.text for words in compiled.wording().excluded] == ["not"]


def test_an_unknown_field_is_text_and_a_misspelt_one_a_mistake():
    compiled = compile_query("bees isbn:2020", fields=FIELDS, strict=True)
    assert compiled.text == "bees isbn:2020"
    assert compiled.filter is None
    (problem,) = compiled.problems
    assert problem.message == "there is no field 'isbn'; it is searched for as text"
    compiled = compile_query("bees yaer:2020", fields=FIELDS)
    assert (compiled.text, compiled.filter) == ("bees yaer:2020", None)
    (problem,) = compiled.problems
    assert problem.hint == "did you mean year? in quotes it is text"
    assert tuple(problem.span) == (5, 14)
    for how in ("strict", "finished"):
        for text in ("bees yaer:2020", "-has:yaer"):
            with pytest.raises(GrammarError, match="there is no field 'yaer'"):
                compile_query(text, fields=FIELDS, **{how: True})


@pytest.mark.parametrize("word", ["data:image/png", "yeah:so", "fear:it", "node:fs"])
def test_another_word_with_a_colon_is_text_though_it_is_like_a_field(word):
    compiled = compile_query(f"bees {word}", fields=FIELDS, finished=True, strict=True)
    assert compiled.text == f"bees {word}"
    assert len(compiled.problems) == 1


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("numbers", "abc", "'abc' is no number"),
        ("numbers", "(1|abc)", "'abc' is no number"),
        ("numbers", "2025..abc", "'abc' is no number"),
        ("numbers", "20*", "'20*' is no number"),
        ("numbers", "2025..2020", "2025..2020 ends before it begins"),
        ("numbers", "2020..2025", ""),
        ("numbers", '"abc"', ""),
        ("dates", "abc", "'abc' is no date"),
        ("dates", "2024..abc", "'abc' is no date"),
        ("dates", "2024-05..2024", ""),
        ("dates", "2024..2024-05", ""),
        ("dates", "2025-01-02..2025", ""),
        ("dates", "2025-10..2025-01", "2025-10..2025-01 ends before it begins"),
        ("dates", "2024-5", "'2024-5' is no date"),
        ("", "abc", ""),
        ("", "a..b", ""),
        ("", "9..7", "9..7 ends before it begins"),
    ],
)
def test_a_condition_that_holds_of_nothing_in_its_field_is_said(kind, value, message):
    query = f"date:{value} bees"
    found = compile_query(query, fields=FIELDS, kind_of=lambda _: kind).problems
    assert [problem.message for problem in found] == ([message] if message else [])


def test_a_known_field_without_a_value_is_passed_over_with_a_hint():
    compiled = compile_query("bees year:", fields=FIELDS)
    assert compiled.text == "bees"
    assert [problem.incomplete for problem in compiled.problems] == [True]
    with pytest.raises(GrammarError, match="a value is missing after year:") as caught:
        compile_query("bees year:", fields=FIELDS, strict=True)
    assert caught.value.column == 6
    assert "in quotes it is text" in caught.value.hint


def test_names_of_fields_may_be_written_in_any_case_and_reach_into_mappings():
    assert matches_filter({"year": 2020}, compile_query("Year:2020", fields=FIELDS).filter)
    compiled = compile_query("author.name:Ada", fields=FIELDS)
    assert matches_filter({"author": {"name": "Ada"}}, compiled.filter)


# --- filters --------------------------------------------------------------------------------

ROW = {
    "year": 2021,
    "venue": "SIGIR",
    "tags": ["honey", "bees"],
    "date": "2024-05-06T10:00:00Z",
    "title": "Of bees and men",
    "scores": [1, 5],
    "code": "0401",
    "published": "2021",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year:2021", True),
        ("year:>2020", True),
        ("year:>2021", False),
        ("year:<=2021", True),
        ("year:2019..2023", True),
        ("year:2022..", False),
        ("year:(2020|2021)", True),
        ('year:"2021"', False),
        ("published:2021", True),
        ("published:>2020", True),
        ("venue:sigir", True),
        ("venue:=sigir", False),
        ("venue:(ecir|sigir)", True),
        ("-venue:sigir", False),
        ("-venue:ecir", True),
        ("-missing:x", True),
        ("missing:x", False),
        ("tags:bees", True),
        ("tags:bee*", True),
        ("-tags:bees", False),
        ("tags:bees -tags:honey", False),
        ("date:2024", True),
        ("date:2024-05", True),
        ("date:2024-05-06", True),
        ("date:2024-05-07", False),
        ("date:2024..2025", True),
        ("date:2023..2024-04", False),
        ("date:>=2024-05-06T12:00+02:00", True),
        ("date:>2024-05-06T10:00:00Z", False),
        ("date:<2025", True),
        ("date:>2024", False),
        ("title:of*", True),
        ("title:~BEES", True),
        ('title:"of bees and men"', True),
        ("title:>2020", False),
        ("scores:>3", True),
        ("scores:2..4", False),
        ("code:401", False),
        ("code:0401", True),
        ("has:venue", True),
        ("has:(missing|venue)", True),
        ("-has:venue", False),
        ("has:missing", False),
    ],
)
def test_a_field_compares_by_type(text, expected):
    assert matches_filter(ROW, compile_query(text).filter) is expected


def test_what_steers_a_search():
    compiled = compile_query(
        "bees in:notes in:(papers|notes) -in:old mode:VEC sort:-date limit:20 near:#1c9a4c",
        fields=FIELDS,
        strict=True,
    )
    assert compiled.text == "bees"
    assert compiled.corpora == ("notes", "papers")
    assert compiled.excluded_corpora == ("old",)
    assert compiled.mode == "dense"
    assert compiled.sort == ("date", True)
    assert compiled.limit == 20
    assert compiled.near == "#1c9a4c"
    assert compiled.filter is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mode:lexx", "no mode 'lexx'"),
        ("limit:many", "whole number"),
        ("limit:-1", "whole number"),
        ("limit:5 limit:6", "given twice"),
        ("-mode:lex", "without a minus"),
        ("sort:-", "name of a field"),
        ("limit:>3", "as it is"),
        ("date:2024-02-30", "no date 2024-02-30"),
        ("date:2024-01..2024-13", "no date 2024-13"),
        ('bees "open', "quote is not closed"),
        ("venue:(a|b", "parenthesis is not closed"),
        ("year:>=", "a value is missing here"),
        ("mode:", "a value is missing after mode:"),
    ],
)
def test_what_cannot_be_is_passed_over_or_an_error_in_scripts(text, message):
    compiled = compile_query(text, fields=FIELDS)
    assert [message in problem.message for problem in compiled.problems] == [True]
    with pytest.raises(GrammarError, match=message) as caught:
        compile_query(text, fields=FIELDS, strict=True)
    assert "^" in caught.value.excerpt


# --- against a corpus -----------------------------------------------------------------------

NOTES = {
    "dec.md": "---\nyear: 2024\ntags: [decision]\n---\nDEC-0054 approved",
    "pio.md": "---\nyear: 2023\n---\na note: PIO-1384 covers cloud-init",
    "ssh.md": "---\ndate: 2024-05-06\n---\na note: run `ssh -T git@github.com`",
    "mom.md": "---\ntags: [food, bees]\n---\nMom's Recipes, a note on bees",
    "contract.md": "中文合約轉換體驗課問題",
    "breeder.md": "Breeder's and Exhibitor's Association",
    "v10.md": "release 2026.4.10",
    "v1.md": "release 2026.4.1",
    "module.md": "the module grammar::fa and Downloads/transcripts my_var_name",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    from irengine.index import build
    from irengine.sources import CorpusSource
    from irengine.store import CorpusStore

    root = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (root / name).write_text(text, encoding="utf-8")
    source = CorpusSource.from_files(root, name="notes")
    return build(source, store=CorpusStore.memory(), embedder="light")


def found(corpus, text: str, mode: str) -> list[str]:
    compiled = compile_query(text, fields=corpus.store.snapshot().fields(), strict=True)
    hits = search(
        corpus,
        compiled.text,
        mode=compiled.mode or mode,
        filter=compiled.filter,
        wording=compiled.wording(),
    )
    return [hit.artifact_id for hit in hits]


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("DEC-0054", "dec.md"),
        ('"DEC-0054"', "dec.md"),
        ('"PIO-1384"', "pio.md"),
        ("2026.4.10", "v10.md"),
        ("Downloads/transcripts", "module.md"),
        ("grammar::fa", "module.md"),
        ("my_var_name", "module.md"),
        ("Breeder's and Exhibitor's Association", "breeder.md"),
        ("Mom's", "mom.md"),
        ('"中文合約"', "contract.md"),
        ("+轉換", "contract.md"),
        ('"ssh -T git"', "ssh.md"),
        ("year:2024 approved", "dec.md"),
        ("recip*", "mom.md"),
    ],
)
def test_reported_queries_find_what_they_should(notes, text, first, mode):
    assert found(notes, text, mode)[0] == first


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
def test_phrases_required_and_excluded_words_hold_in_every_mode(notes, mode):
    everything = set(found(notes, "note", mode))
    assert {"pio.md", "ssh.md", "mom.md"} <= everything
    assert set(found(notes, 'note -"cloud-init"', mode)) == everything - {"pio.md"}
    assert set(found(notes, "note -cloud-init", mode)) == everything - {"pio.md"}
    assert found(notes, "note +bee", mode) == ["mom.md"]
    assert found(notes, '"git ssh"', mode) == []
    assert found(notes, "note tags:bees", mode) == ["mom.md"]
    assert found(notes, "note date:2024", mode) == ["ssh.md"]
    assert found(notes, "note -has:date -tags:bees +note", mode) == ["pio.md"]
