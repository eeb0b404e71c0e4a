"""Cases from whoever writes questions: which artifacts, which names, how many without an answer."""

from __future__ import annotations

import pytest

import irengine.eval_gen as eval_gen
from irengine.errors import ParameterError
from irengine.eval import evaluate_discovery, load_cases, save_cases, validate_cases
from irengine.eval_gen import (
    NAME_PLACEHOLDER,
    build_eval_set,
    corpus_signature,
    generate_abstention_cases,
    generate_cases,
    gives_away,
    mask_name,
)
from irengine.sources import CorpusSource

LONG = "a description that is long enough"


def source(items, name="tools"):
    return CorpusSource.from_mapping(items, name=name)


def echo(description, n):
    return [f"{description} #{number}" for number in range(n)]


def nothing(theme, n):
    return [f"{theme} {number}" for number in range(n)]


class TestMasking:
    @pytest.mark.parametrize(
        "text", ["heat map", "Heat-Map", "HEAT_MAP", "heatmap", "heat -  map", "heat\nmap"]
    )
    def test_a_name_is_masked_however_its_words_are_joined(self, text):
        assert mask_name(f"Use {text}!", "heat-map") == f"Use {NAME_PLACEHOLDER}!"

    @pytest.mark.parametrize("text", ["heatmaps", "preheat map", "map of heat", "heat: map"])
    def test_other_words_are_left_alone(self, text):
        assert mask_name(text, "heat-map") == text

    def test_a_short_name_does_not_hit_within_words(self):
        assert mask_name("a specific CI", "ci") == f"a specific {NAME_PLACEHOLDER}"

    def test_a_name_without_a_word_of_two_letters_is_not_masked(self):
        assert mask_name("a b c", "a-b") == "a b c"
        assert mask_name("a b c", "") == "a b c"
        assert not gives_away("a b c", "a-b")

    def test_the_placeholder_never_tells_the_name(self):
        assert mask_name("try capability now", "capability") == "try the tool now"
        assert mask_name(r"try \1 x", "try", placeholder=r"\g<0>") == r"\g<0> \1 x"

    def test_a_name_of_signs_is_taken_literally(self):
        assert mask_name("use c++ or c+ now", "c++") == f"use {NAME_PLACEHOLDER} or c+ now"

    def test_all_words_of_a_name_give_it_away_and_one_of_several_does_not(self):
        assert gives_away("a map that shows heat", "heat-map")
        assert not gives_away("a map of the town", "heat-map")
        assert gives_away("a map of the town", "map")


class TestCases:
    def test_each_question_is_a_case_of_its_artifact(self):
        made = generate_cases(source({"b": LONG, "a": LONG}), k=2, query_generator=echo)
        assert [(case.gold, case.query[-2:]) for case in made] == [
            (("b",), "#0"),
            (("b",), "#1"),
            (("a",), "#0"),
            (("a",), "#1"),
        ]
        assert {case.corpus for case in made} == {"tools"}
        assert made[0].source_id == "b"

    def test_what_a_generator_says_is_not_cut(self):
        made = generate_cases(
            source({"a": LONG}), k=1, query_generator=lambda d, n: ["x", " ", "y"]
        )
        assert [case.query for case in made] == ["x", "y"]

    def test_a_generator_may_answer_with_one_text(self):
        ask = lambda description, n: "1. where is it\n2. who has it"  # noqa: E731
        made = generate_cases(source({"a": LONG}), query_generator=ask)
        assert [case.query for case in made] == ["where is it", "who has it"]

    @pytest.mark.parametrize(
        ("raw", "description"),
        [
            ({"description": LONG, "text": "text"}, LONG),
            ({"description": "  ", "text": LONG}, LONG),
            ({"about": LONG, "n": 3, "path": "/home/me/x", "more": "words"}, f"{LONG}\nwords"),
            (LONG, LONG),
        ],
    )
    def test_what_is_asked_about(self, raw, description):
        seen = []
        ask = lambda text, n: seen.append(text) or ["q"]  # noqa: E731
        generate_cases(source({"id-of-it": raw}), query_generator=ask)
        assert seen == [description]

    def test_another_way_to_describe_items(self):
        seen = []
        ask = lambda text, n: seen.append(text) or ["q"]  # noqa: E731
        items = {"a": {"summary": "short", "description": LONG}}
        describe = lambda raw: raw["summary"]  # noqa: E731
        generate_cases(source(items), query_generator=ask, describe=describe, min_chars=5)
        assert seen == ["short"]

    def test_what_cannot_be_read_or_described_does_not_end_the_others(self, tmp_path):
        for name in "abcd":
            (tmp_path / f"{name}.md").write_text(f"{LONG}: {name}")
        (tmp_path / "a.md").write_bytes(b"\0\1\2")
        files = CorpusSource.from_files(tmp_path, name="notes")

        def describe(raw):
            if raw["filename"] == "b.md":
                raise KeyError("description")
            return raw["text"]

        with pytest.warns(UserWarning) as warned:
            made = generate_cases(files, k=1, query_generator=echo, describe=describe)
        assert [case.gold[0] for case in made] == ["c.md", "d.md"]
        said = [str(warning.message) for warning in warned]
        assert said[0] == "no questions about 'b.md': 'description'"
        assert said[1].startswith("left out 1 item: 'a.md'")
        assert said[2] == "2 artifacts were passed over"
        with pytest.warns(UserWarning):
            made = generate_cases(files, k=1, query_generator=echo, max_artifacts=2)
        assert [case.gold[0] for case in made] == ["b.md"]

    def test_the_name_is_that_of_the_item_else_the_id(self):
        items = {
            "one": {"name": "heat-map", "description": "heat map for each one of us"},
            "two": {"name": " ", "description": "two of a kind are better than one"},
        }
        seen = []
        ask = lambda text, n: seen.append(text) or ["about one", "about two"]  # noqa: E731
        made = generate_cases(source(items), query_generator=ask)
        assert seen == [
            f"{NAME_PLACEHOLDER} for each one of us",
            f"{NAME_PLACEHOLDER} of a kind are better than one",
        ]
        told = [(case.gold[0], case.query) for case in made]
        assert told == [("one", "about one"), ("one", "about two"), ("two", "about one")]

    def test_names_are_left_in_when_asked_to(self):
        items = {"heat-map": "heat-map draws where people click"}
        (case,) = generate_cases(
            source(items), k=1, mask_names=False, query_generator=lambda text, n: [text]
        )
        assert case.query == "heat-map draws where people click"
        assert case.metadata == {"generator": "backtranslation", "masked": False}

    def test_a_short_description_is_passed_over_with_one_warning(self):
        items = {"a": "short", "b": LONG, "c": " " * 40 + "x"}
        with pytest.warns(UserWarning, match="^2 artifacts were passed over$") as warned:
            made = generate_cases(source(items), k=1, query_generator=echo)
        assert [case.gold for case in made] == [("b",)]
        assert len(warned) == 1

    def test_a_generator_that_fails_on_one_is_asked_about_the_others(self):
        def ask(text, n):
            if "first" in text:
                raise RuntimeError("no idea")
            return ["q"]

        items = {"a": f"first {LONG}", "b": LONG}
        with pytest.warns(UserWarning) as warned:
            made = generate_cases(source(items), query_generator=ask)
        assert [case.gold for case in made] == [("b",)]
        assert [str(each.message) for each in warned] == [
            "no questions about 'a': no idea",
            "1 artifacts were passed over",
        ]

    def test_fewer_artifacts_are_the_first_by_id(self):
        made = generate_cases(
            source({"c": LONG, "a": LONG, "b": LONG}), k=1, query_generator=echo, max_artifacts=2
        )
        assert [case.gold[0] for case in made] == ["a", "b"]

    @pytest.mark.parametrize("bad", [{"k": 0}, {"k": 1.5}, {"max_artifacts": -1}])
    def test_numbers_out_of_range(self, bad):
        with pytest.raises(ParameterError):
            generate_cases(source({"a": LONG}), query_generator=echo, **bad)


class TestAbstention:
    def test_at_most_so_many_of_a_theme(self):
        made = generate_abstention_cases(2, generator=lambda t, n: [t, "", "x", "y"], theme="cars")
        assert [(case.query, case.gold_is_none) for case in made] == [("cars", True), ("x", True)]
        assert made[0].metadata == {"generator": "abstention"}

    @pytest.mark.parametrize("n", [0, -3])
    def test_none_are_asked_for_without_a_number(self, n):
        assert generate_abstention_cases(n, generator=lambda t, n: 1 / 0) == []

    @pytest.mark.parametrize(("share", "without"), [(0, 0), (0.15, 1), (0.5, 4), (0.8, 16)])
    def test_their_share_of_a_set(self, share, without):
        made = build_eval_set(
            source({"a": LONG, "b": LONG}),
            k=2,
            abstention_frac=share,
            query_generator=echo,
            abstention_generator=nothing,
        )
        assert [case.gold_is_none for case in made] == [False] * 4 + [True] * without
        assert {case.corpus for case in made} == {"tools"}

    def test_a_set_without_answers_asks_for_none(self):
        assert build_eval_set(source({}), query_generator=echo, abstention_generator=nothing) == []

    @pytest.mark.parametrize("share", [-0.1, 1, 1.5, float("nan"), "half", True])
    def test_a_share_out_of_range(self, share):
        with pytest.raises(ValueError, match="abstention_frac"):
            build_eval_set(source({}), abstention_frac=share)


class TestSignature:
    def test_it_is_that_of_the_sorted_ids(self):
        one, other = source({"b": "x", "a": "y"}), source({"a": "z", "b": ""}, name="other")
        assert corpus_signature(one) == corpus_signature(other) == "7e18f737311b2dc3"
        assert corpus_signature(source({"a": "y"})) != corpus_signature(one)

    def test_a_source_and_its_corpus_have_the_same(self, corpus_of):
        items = {"a": "bees", "b/c": "whales", "empty": ""}
        assert corpus_signature(corpus_of(items)) == corpus_signature(source(items))


def test_a_set_round_trips_through_a_file_and_measures_its_corpus(tmp_path, corpus_of):
    items = {
        "bees": "they dance to tell each other where flowers are",
        "whales": "they sing to each other over hundreds of miles",
    }
    made = build_eval_set(
        source(items),
        k=1,
        query_generator=lambda text, n: [text.partition(" to ")[0]],
        abstention_generator=lambda theme, n: ["zebra crossing"],
    )
    save_cases(made, tmp_path / "cases.jsonl", meta={"signature": corpus_signature(source(items))})
    cases = load_cases(tmp_path / "cases.jsonl")
    assert cases == made
    corpus = corpus_of(items, name="tools")
    assert validate_cases(corpus, cases) == {}
    report = evaluate_discovery(corpus, cases, mode="lexical")
    assert report.primary == 1.0
    assert (report.n_gold, report.n_abstention) == (2, 1)


def test_the_defaults_are_those_of_the_signatures():
    assert eval_gen.DFLT_QUERIES_PER_ARTIFACT == 5
    assert eval_gen.DFLT_ABSTENTION_FRAC == 0.15
    assert eval_gen.DFLT_MIN_DESCRIPTION_CHARS == 20
    assert eval_gen.DFLT_ABSTENTION_THEME == "software developer tools"
