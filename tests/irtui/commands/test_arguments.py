"""Command-line words become typed arguments, or an error that helps."""

import pytest

from irtui.commands.arguments import parse_arguments
from irtui.commands.spec import Command, Param, Result, UsageError

COMMAND = Command(
    "find",
    "find things",
    lambda context: Result([], view="hits"),
    (
        Param("name", "a name", required=True),
        Param("words", "words", many=True),
        Param("limit", "how many", "int", ("-k", "-n", "--limit"), default=10, least=0),
        Param("corpus", "where", "corpus", ("-c", "--corpus"), many=True),
        Param("mode", "how", "choice", ("--mode",), default="a", choices=("a", "b")),
        Param("filter", "which", "json", ("--filter",)),
        Param("hours", "how long", "number", ("--hours",)),
        Param("full", "all of it", "flag", ("-f", "--full")),
        Param("verbose", "say more", "flag", ("-v", "--verbose")),
    ),
)


def parse(*words):
    return parse_arguments(COMMAND, words)


class TestValues:
    def test_defaults(self):
        assert parse("x") == {
            "name": "x",
            "words": [],
            "limit": 10,
            "corpus": [],
            "mode": "a",
            "filter": None,
            "hours": None,
            "full": False,
            "verbose": False,
        }

    @pytest.mark.parametrize("words", [("-k5",), ("-n", "5"), ("--limit=5",), ("--limit", "5")])
    def test_every_way_to_give_a_value(self, words):
        assert parse("x", *words)["limit"] == 5

    def test_options_stand_anywhere(self):
        values = parse("-f", "x", "one", "--limit", "3", "two")
        assert (values["name"], values["words"], values["full"]) == ("x", ["one", "two"], True)

    def test_flags_bundle_and_take_a_value_at_the_end(self):
        values = parse("x", "-fvk3")
        assert (values["full"], values["verbose"], values["limit"]) == (True, True, 3)

    def test_repeats_collect(self):
        assert parse("x", "-c", "a", "--corpus=b")["corpus"] == ["a", "b"]

    def test_double_dash_ends_options(self):
        assert parse("x", "--", "--limit", "-v")["words"] == ["--limit", "-v"]

    def test_a_lone_dash_and_negative_numbers_are_words(self):
        assert parse("x", "-", "-5", "-1.5")["words"] == ["-", "-5", "-1.5"]

    def test_typed_values(self):
        values = parse("x", "--filter", '{"a": [1]}', "--hours", "1.5")
        assert (values["filter"], values["hours"]) == ({"a": [1]}, 1.5)

    def test_an_empty_attached_value_is_a_value(self):
        assert parse("x", "--corpus=")["corpus"] == [""]


class TestErrors:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ((), "NAME is missing"),
            (("x", "--limt", "3"), "no option --limt"),
            (("x", "-z"), "no option -z"),
            (("x", "--limit"), "--limit needs a value"),
            (("x", "--limit", "many"), "must be a whole number"),
            (("x", "--limit", "-1"), "at least 0"),
            (("x", "--hours", "soon"), "must be a number"),
            (("x", "--hours", "nan"), "must be a number"),
            (("x", "--mode", "c"), "cannot be 'c'"),
            (("x", "--filter", "{"), "must be JSON"),
            (("x", "--full=yes"), "takes no value"),
            (("x", "--mode", "a", "--mode", "b"), "given twice"),
        ],
    )
    def test_what_was_wrong_is_named(self, words, message):
        with pytest.raises(UsageError, match=message):
            parse(*words)

    def test_a_near_miss_is_suggested(self):
        with pytest.raises(UsageError) as caught:
            parse("x", "--limt", "3")
        assert caught.value.hint == "did you mean --limit?"

    def test_surplus_words_are_refused(self):
        one = Command("one", "one", COMMAND.handler, (Param("name", "a name", required=True),))
        with pytest.raises(UsageError, match="'b'"):
            parse_arguments(one, ["a", "b"])
