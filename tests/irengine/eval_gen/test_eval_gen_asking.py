"""Questions of a language model, asked over HTTP of a server that answers as models do."""

from __future__ import annotations

import pytest

from irengine.errors import ParameterError
from irengine.eval_gen import (
    ABSTENTION_PROMPT,
    BACKTRANSLATION_PROMPT,
    build_eval_set,
    generate_abstention_cases,
    generate_cases,
    make_default_abstention_generator,
    make_default_query_generator,
    query_lines,
)
from irengine.llm import LlmUnavailable
from irengine.sources import CorpusSource
from irengine.synopsis.synthesizers import MAX_PROMPT_TEXT

TOOLS = {
    "heat-map": {"name": "heat-map", "description": "heat-map draws where people click on a page"},
    "tickets": {"name": "tickets", "description": "Opens and closes the tickets of a tracker"},
}


@pytest.fixture
def tools():
    return CorpusSource.from_mapping(TOOLS, name="tools")


def prompt_of(asked):
    return asked["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("- plot a table", "plot a table"),
        ("* plot a table", "plot a table"),
        ("• plot a table", "plot a table"),
        ("12. plot a table", "plot a table"),
        ("2) 'plot a table'", "plot a table"),
        ("“plot a table”", "plot a table"),
        ("1. - plot", "- plot"),
        ("3D printing", "3D printing"),
        ("-9 degrees", "-9 degrees"),
        (".env files", ".env files"),
        ("24/7 alerts", "24/7 alerts"),
        ('say "hello" aloud', 'say "hello" aloud'),
    ],
)
def test_a_line_loses_one_bullet_or_number_and_the_quotes_around_it(line, query):
    assert query_lines(f"\n  {line}  \n\n") == [query]


def test_the_model_is_shown_the_description_and_how_many_are_wanted(endpoint):
    endpoint.reply = lambda _: (200, endpoint.says("1. see clicks\n2. find hot spots\n3. more"))
    assert make_default_query_generator()("draws {n} maps", 2) == ["see clicks", "find hot spots"]
    (asked,) = endpoint.asked
    expected = BACKTRANSLATION_PROMPT.replace("{n}", "2").replace("{description}", "draws {n} maps")
    assert prompt_of(asked) == expected


def test_another_prompt_and_the_options_of_the_model_are_passed_on(endpoint):
    ask = make_default_query_generator(prompt="{n} of {description}", model="big", temperature=0.7)
    assert ask("bees", 3) == ["echo 3 of bees"]
    assert (endpoint.asked[0]["model"], endpoint.asked[0]["temperature"]) == ("big", 0.7)


def test_only_the_beginning_of_an_endless_description_is_sent(endpoint):
    make_default_query_generator(prompt="{n}{description}")("x" * 100_000, 1)
    assert prompt_of(endpoint.asked[0]) == "1" + "x" * MAX_PROMPT_TEXT


def test_a_prompt_must_have_a_place_for_what_it_is_about():
    with pytest.raises(ParameterError, match=r"\{description\}"):
        make_default_query_generator(prompt="write {n} questions")
    with pytest.raises(ParameterError, match=r"\{theme\}"):
        make_default_abstention_generator(prompt="write {n} questions")


def test_names_never_reach_the_model_and_questions_that_tell_them_are_dropped(endpoint, tools):
    answers = {
        "this capability draws where people click on a page": "heatmap of clicks\nwhere do they go",
        "Opens and closes the this capability of a tracker": "close a report\nTickets, please",
    }

    def reply(body):
        told = prompt_of(body).partition("Description:\n")[2]
        return 200, endpoint.says(answers[told])

    endpoint.reply = reply
    cases = generate_cases(tools, k=2)
    assert [(case.query, case.gold, case.source_id, case.corpus) for case in cases] == [
        ("where do they go", ("heat-map",), "heat-map", "tools"),
        ("close a report", ("tickets",), "tickets", "tools"),
    ]
    assert cases[0].metadata == {"generator": "backtranslation", "masked": True}


def test_a_whole_set_ends_with_questions_nothing_answers(endpoint, tools):
    def reply(body):
        asked = prompt_of(body)
        if asked.startswith(ABSTENTION_PROMPT.partition("{")[0]) and "car repair" in asked:
            return 200, endpoint.says("bake bread\nprune roses\nlearn to sing")
        return 200, endpoint.says("draw it\nclose it")

    endpoint.reply = reply
    cases = build_eval_set(tools, k=2, abstention_frac=0.3, theme="car repair")
    assert [case.gold_is_none for case in cases] == [False] * 4 + [True] * 2
    assert [case.query for case in cases[4:]] == ["bake bread", "prune roses"]
    assert cases[4].to_dict() == {
        "query": "bake bread",
        "gold": [],
        "corpus": "tools",
        "metadata": {"generator": "abstention"},
    }


def test_one_refusal_costs_one_artifact(endpoint, tools):
    def reply(body):
        if "tracker" in prompt_of(body):
            return 400, b'{"error": {"message": "not about trackers"}}'
        return 200, endpoint.says("where do they go")

    endpoint.reply = reply
    with pytest.warns(UserWarning) as warned:
        cases = generate_cases(tools)
    assert [case.gold for case in cases] == [("heat-map",)]
    assert len(warned) == 2
    assert "'tickets'" in str(warned[0].message)
    assert "not about trackers" in str(warned[0].message)
    assert str(warned[1].message) == "1 artifacts were passed over"


def test_a_model_that_is_gone_ends_it_and_a_second_try_goes_on_from_there(endpoint, tools):
    def reply(body):
        if "tracker" in prompt_of(body):
            return 401, b"{}"
        return 200, endpoint.says("where do they go")

    endpoint.reply = reply
    with pytest.raises(LlmUnavailable, match="refused the key"):
        generate_cases(tools)
    endpoint.reply = lambda _: (200, endpoint.says("close a report"))
    assert [case.query for case in generate_cases(tools)] == ["where do they go", "close a report"]
    assert len(endpoint.asked) == 3


def test_without_a_model_the_error_says_what_to_set(tools):
    with pytest.raises(LlmUnavailable, match="IR_LLM_BASE_URL"):
        generate_cases(tools)
    with pytest.raises(LlmUnavailable):
        generate_abstention_cases(3)
