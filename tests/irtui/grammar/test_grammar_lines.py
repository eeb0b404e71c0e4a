"""Command lines and scripts: what a line says, where it is wrong, and when it only stops too early."""  # noqa: E501

from __future__ import annotations

import pytest

from irtui.grammar import (
    GrammarError,
    holds,
    parse_line,
    parse_script,
    plain_words,
    query_text,
)
from irtui.grammar.syntax import (
    Assertion,
    Comment,
    Fields,
    Group,
    Pipeline,
    Plain,
    Quoted,
    Ref,
    Render,
    Session,
    Shell,
    Sort,
    Take,
    Where,
)


def command(text: str) -> list[str]:
    """Return the words of a complete command, its verb first."""
    statement = parse_line(text, strict=True).statement
    return [statement.command.verb.text, *(word.text for word in statement.command.words)]


def stages(text: str) -> tuple:
    return parse_line(f"discover bees | {text}", strict=True).statement.stages


def test_a_line_with_everything():
    parsed = parse_line(
        'hits = discover "bees" -c notes -k 5 | where year > 2020 | sort date desc | head 5'
        " | fields title,year | json > out.json  # and a remark"
    )
    line = parsed.statement
    assert parsed.state == "complete"
    assert isinstance(line, Pipeline)
    assert line.name == "hits"
    assert [word.text for word in line.command.words] == ["bees", "-c", "notes", "-k", "5"]
    assert [word.is_option for word in line.command.words] == [False, True, False, True, False]
    where, *rest = line.stages
    assert isinstance(where, Where)
    assert rest == [
        Sort("date", True),
        Take("head", 5),
        Fields(("title", "year")),
        Render("json"),
    ]
    assert line.output.path.text == "out.json"
    assert not line.output.append


def test_tokens_say_what_each_stretch_is():
    parsed = parse_line('x = show $1 -l body | where year >= "20" > f # c')
    assert [(token.kind, parsed.source[slice(*token.span)]) for token in parsed.tokens] == [
        ("name", "x"),
        ("operator", "="),
        ("verb", "show"),
        ("reference", "$1"),
        ("option", "-l"),
        ("word", "body"),
        ("pipe", "|"),
        ("stage", "where"),
        ("name", "year"),
        ("operator", ">="),
        ("quoted", '"20"'),
        ("redirect", ">"),
        ("path", "f"),
        ("comment", "# c"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("discover Mom's recipes", ["discover", "Mom's", "recipes"]),
        ('discover 5" pipes', ["discover", '5"', "pipes"]),
        ("discover don't stop", ["discover", "don't", "stop"]),
        ("discover 'a  b' \"c  d\"", ["discover", "a  b", "c  d"]),
        (r"discover C:\temp \d+ a\|b", ["discover", r"C:\temp", r"\d+", "a|b"]),
        (r'discover "say \"hi\" \n"', ["discover", r'say "hi" \n']),
        ("discover venue:(sigir|ecir) x", ["discover", "venue:(sigir|ecir)", "x"]),
        ("discover smile :( sad", ["discover", "smile", ":(", "sad"]),
        ("discover a->b C++ 10:30", ["discover", "a->b", "C++", "10:30"]),
        ('discover -"cloud-init" +"a b"', ["discover", "-cloud-init", "+a b"]),
        ("multi-get #1c9a4c a_b%.md", ["multi-get", "#1c9a4c", "a_b%.md"]),
        ("get 2026_06_16.md # the note", ["get", "2026_06_16.md"]),
        ("discover issue #12 #", ["discover", "issue", "#12"]),
        ("discover one \\\n two", ["discover", "one", "two"]),
        ('discover "two\nlines"', ["discover", "two\nlines"]),
        ("discover 中文 合約 😀", ["discover", "中文", "合約", "😀"]),
        ("discover a\x00b", ["discover", "a\x00b"]),
        ("discover x\r\n", ["discover", "x"]),
    ],
)
def test_words(text, words):
    assert command(text) == words


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("$1", Ref("1")),
        ("$2-5", Ref("2", 5)),
        ("$_", Ref("_")),
        ("$sel", Ref("sel")),
        ("$hits.count", Ref("hits", None, "count")),
        ("$1.meta.year", Ref("1", None, "meta.year")),
        ("'$1'", Quoted("$1", double=False)),
        (r"\$1", Plain("$1")),
        ("US$5", Plain("US$5")),
        ("$0", Plain("$0")),
    ],
)
def test_references(text, part):
    (word,) = parse_line(f"show {text}", strict=True).statement.command.words
    assert word.parts == (part,)


def test_references_inside_a_word_and_groups():
    words = parse_line("show --corpus=$name venue:(a|b)", strict=True).statement.command.words
    assert words[0].parts == (Plain("--corpus="), Ref("name"))
    assert words[1].parts == (Plain("venue:"), Group("a|b"))


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("head", Take("head", 10)),
        ("tail 3", Take("tail", 3)),
        ("head -5", None),
        ("head -n5", Take("head", 5)),
        ("sort -date", Sort("date", True)),
        ("sort date asc", Sort("date")),
        ("fields a, b 'c, d'", Fields(("a", "b", "c, d"))),
        ("csv", Render("csv")),
        ("! jq '.[0] | .id' > x", Shell("jq '.[0] | .id' > x")),
    ],
)
def test_stages(text, stage):
    if stage is None:
        with pytest.raises(GrammarError, match="number of rows"):
            stages(text)
    else:
        assert stages(text) == (stage,)


def test_a_pipe_may_go_on_in_the_next_line():
    (parsed,) = parse_script("discover bees |\n  head 3 |\n  json")
    assert parsed.check().stages == (Take("head", 3), Render("json"))


def test_statements_of_other_kinds():
    script = "#!/usr/bin/env irtui\n:set mode lex\n\nassert count >= 3\nhits = discover x\n"
    kinds = [type(parsed.statement) for parsed in parse_script(script, strict=True)]
    assert kinds == [Comment, Session, Assertion, Pipeline]
    assert [parsed.line for parsed in parse_script(script)] == [1, 2, 4, 5]


# --- half-typed, and wrong ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'discover "bees',
        "discover 'bees",
        "discover venue:(a|b",
        "discover x |",
        "discover x | ",
        "discover x | wher",
        "discover x | where",
        "discover x | where year",
        "discover x | where year >=",
        "discover x | where year in",
        "discover x | where year i",
        "discover x | where year = 1 an",
        "discover x | where year in (1,",
        "discover x | where (year = 1",
        "discover x | where year = 1 and",
        "discover x | where not",
        "discover x | sort",
        "discover x | fields",
        "discover x | !",
        "discover x >",
        "discover x >>",
        "discover \\",
        "hits =",
        "show $1.",
        "show $2-",
        "assert",
        ":",
    ],
)
def test_half_typed_is_incomplete_and_never_wrong(text):
    assert parse_line(text).state == "incomplete"
    with pytest.raises(GrammarError) as caught:
        parse_line(text, strict=True)
    assert caught.value.incomplete


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("discover x | whre a = 1", "no stage 'whre'", 14),
        ("discover x | head many", "number of rows", 19),
        ("discover x | where year > | head 3", "value is missing", 27),
        ("discover x | where a = 1 b = 2", "not expected", 26),
        ("discover x | sort a up", "asc or desc", 21),
        ("discover x | json now", "takes nothing", 19),
        ("discover x > a b", "not expected", 16),
        ("| head 3", "command is missing", 1),
        ("hits=discover x", "no command", 1),
        ("sel = discover x", "cannot be assigned", 1),
        ("show $5/month", "followed by '/'", 6),
        ("assert count =\n", "value is missing", 15),
        ("discover a\ndiscover b", "second command", 1),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, message, column):
    parsed = parse_line(text)
    if "\n" not in text:
        assert parsed.state == "wrong"
    with pytest.raises(GrammarError, match=message) as caught:
        parse_line(text, strict=True)
    assert caught.value.column == column


def test_a_near_name_is_suggested():
    with pytest.raises(GrammarError) as caught:
        parse_line("discover x | whre a = 1", strict=True)
    assert caught.value.hint == "did you mean where?"


def test_an_error_has_line_column_and_a_caret():
    script = "# search\ndiscover bees\n  discover x | hed 3\n"
    with pytest.raises(GrammarError) as caught:
        parse_script(script, strict=True)
    error = caught.value
    assert error.located("find.ir") == "find.ir:3:16: error: there is no stage 'hed'"
    assert error.excerpt == "  discover x | hed 3\n               ^^^"
    assert error.to_dict()["code"] == "syntax"


def test_the_line_of_an_error_is_shown_without_control_characters_and_cut():
    with pytest.raises(GrammarError) as caught:
        parse_line(f"discover \x1b]0;x\x07 {'long ' * 200}| nope", strict=True)
    line, carets = caught.value.excerpt.split("\n")
    assert "\x1b" not in line
    assert len(line) < 250
    assert line[carets.index("^") :].startswith("nope")


def test_after_an_error_the_next_statement_is_read():
    states = [parsed.state for parsed in parse_script("discover x | nope\nshow a\nshow b | head q")]
    assert states == ["wrong", "complete", "wrong"]


# --- conditions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("year > 2020", True),
        ("year>2020 and tags = bees", True),
        ("year < 2020 or tags = bees", True),
        ("not year < 2020", True),
        ("not (year > 2020 and tags = bees)", False),
        ("tags in (wasps, bees)", True),
        ("tags in (wasps)", False),
        ("year = 2019..2024", True),
        ("year != 2019..2022", True),
        ("year != 2019..2024", False),
        ("date = 2024-05", True),
        ("date <= 2024-05-06", True),
        ("date < 2024-05-06", False),
        ("date > 2023", True),
        ("has draft", False),
        ("not has draft", True),
        ("draft != x", False),
        ('"due date" ~ SOON', True),
        ("$1.score >= 0.5", True),
        ("count = $n", True),
    ],
)
def test_conditions(condition, expected):
    row = {
        "year": 2024,
        "tags": ["honey", "bees"],
        "date": "2024-05-06T10:00:00Z",
        "due date": "rather soon",
        Ref("1", None, "score"): 0.75,
        "count": 3,
    }
    (where,) = stages(f"where {condition}")
    assert holds(where.condition, row.__getitem__, value_of={Ref("n"): 3}.__getitem__) is expected


def test_a_condition_with_a_date_that_does_not_exist_is_an_error():
    (where,) = stages("where date > 2024-02-30")
    with pytest.raises(GrammarError, match="no date 2024-02-30"):
        holds(where.condition, {}.__getitem__)


def test_and_binds_more_tightly_than_or():
    (where,) = stages("where a = 1 or b = 1 and c = 1")
    values = {"a": 1, "b": 0, "c": 0}
    assert holds(where.condition, values.__getitem__)


# --- what a command takes -------------------------------------------------------------------


def test_words_of_a_query_keep_what_they_say():
    words = parse_line(
        'discover "exact phrase" \'dense -survey "x y"\' year:>=2020 v:(a|"b c") $q', strict=True
    ).statement.command.words
    assert (
        query_text(words, {Ref("q"): "bees"}.__getitem__)
        == '"exact phrase" dense -survey "x y" year:>=2020 v:(a|"b c") bees'
    )


def test_plain_words_are_what_a_shell_passes_on():
    words = parse_line("show $1-3 'a b' --corpus=$c x\\ y", strict=True).statement.command.words
    values = {Ref("1", 3): ["a.md", "b.md"], Ref("c"): ["n1", "n2"]}
    assert plain_words(words, values.__getitem__) == [
        "a.md",
        "b.md",
        "a b",
        "--corpus=n1,n2",
        "x y",
    ]
