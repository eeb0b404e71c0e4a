"""Synopses as a strategy: what is written, for whom, and under which identity."""

from __future__ import annotations

import doctest
import json
import os
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from irengine.base import Artifact
from irengine.policy import SynopsisPolicy
from irengine.strategy import Chunked, Package, WholeText, strategy_id
from irengine.synopsis import (
    SYNOPSIS_PROMPT,
    TOPICAL_SYNOPSIS_PROMPT,
    MissingSynopsis,
    artifact_time,
    make_llm_synthesizer,
    make_recent_predicate,
    make_thin_description_predicate,
    predicates,
    thin_description_predicate,
    with_synopsis,
    with_synopsis_policy,
    wrapping,
)
from irengine.synopsis.synthesizers import MAX_PROMPT_TEXT

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def first_words(artifact: Artifact) -> str:
    return " ".join(str(artifact.raw).split()[:2])


def is_long(artifact: Artifact) -> bool:
    return len(artifact.raw) > 10


def surfaces(strategy, raw, **metadata):
    plan = strategy.decompose("a", raw, metadata)
    return [(surface.kind, surface.text) for surface in plan.surfaces]


@pytest.mark.parametrize("module", [predicates, wrapping])
def test_the_examples_in_the_docstrings_hold(module):
    assert doctest.testmod(module).failed == 0


class TestTheWrapper:
    def test_the_synopsis_comes_first_and_the_inner_plan_is_kept(self):
        plan = with_synopsis(WholeText(), synthesize=first_words).decompose(
            "a", " bees fly ", {"x": 1}
        )
        assert [surface.kind for surface in plan.surfaces] == ["synopsis", "document"]
        assert plan.surfaces[0].text == "bees fly"
        assert plan.surfaces[0].granularity == "document"
        assert plan.surfaces[0].metadata == {"synthesizer_id": "first_words"}
        assert plan.filter_fields == {"x": 1}

    @pytest.mark.parametrize("nothing", ["", "  \n", None, 3, MissingSynopsis("model is down")])
    def test_what_is_no_text_is_no_surface(self, nothing):
        strategy = with_synopsis(
            WholeText(), synthesize=lambda artifact: nothing, synthesizer_id="none"
        )
        assert surfaces(strategy, "bees") == [("document", "bees")]

    def test_a_gate_that_is_false_asks_nobody(self):
        asked = []
        strategy = with_synopsis(
            WholeText(),
            synthesize=lambda a: asked.append(a.id) or "s",
            synthesizer_id="s/1",
            when=is_long,
        )
        assert surfaces(strategy, "short") == [("document", "short")]
        assert asked == []
        assert surfaces(strategy, "long enough by far")[0] == ("synopsis", "s")

    def test_what_synthesizer_and_predicate_raise_is_passed_on(self):
        def broken(artifact):
            raise RuntimeError("its own")

        for options in (
            {"synthesize": broken, "synthesizer_id": "b"},
            {"synthesize": first_words, "when": broken, "when_id": "b"},
        ):
            with pytest.raises(RuntimeError, match="its own"):
                with_synopsis(WholeText(), **options).decompose("a", "bees", {})

    def test_wrappers_nest_with_kinds_of_their_own(self):
        inner = with_synopsis(WholeText(), synthesize=first_words)
        outer = with_synopsis(
            inner, synthesize=lambda a: "topics", synthesizer_id="t/1", synopsis_kind="topics"
        )
        assert surfaces(outer, "bees fly") == [
            ("topics", "topics"),
            ("synopsis", "bees fly"),
            ("document", "bees fly"),
        ]


class TestIdentity:
    def test_it_is_that_of_the_inner_strategy_and_the_writer(self):
        strategy = with_synopsis(WholeText(), synthesize=first_words)
        inner = strategy_id(WholeText()).replace('"', '\\"')
        assert strategy_id(strategy) == (
            f'_SynopsisStrategy:{{"strategy": "{inner}", "synopsis_kind": "synopsis", '
            '"synthesizer_id": "first_words"}'
        )
        assert not hasattr(strategy, "when") and not hasattr(strategy, "when_id")

    def test_a_gate_counts_even_when_it_is_called_always(self):
        plain = with_synopsis(WholeText(), synthesize=first_words)
        gated = with_synopsis(WholeText(), synthesize=first_words, when=is_long, when_id="always")
        assert '"when_id": "always"' in strategy_id(gated)
        assert surfaces(gated, "short") == [("document", "short")]
        assert strategy_id(gated) != strategy_id(plain)
        assert with_synopsis(WholeText(), synthesize=first_words, when=is_long).when_id == "is_long"

    def test_an_explicit_id_wins_over_the_attribute_and_that_over_the_name(self):
        def named(artifact):
            return "s"

        named.synthesizer_id = "mine/1"
        assert with_synopsis(WholeText(), synthesize=named).synthesizer_id == "mine/1"
        given = with_synopsis(WholeText(), synthesize=named, synthesizer_id="other")
        assert given.synthesizer_id == "other"

    def test_a_function_without_a_name_is_warned_about(self):
        with pytest.warns(UserWarning, match="stable identity"):
            strategy = with_synopsis(WholeText(), synthesize=lambda artifact: "s")
        assert strategy.synthesizer_id == "custom"
        with pytest.warns(UserWarning, match="stable identity"):
            with_synopsis(WholeText(), synthesize=first_words, when=lambda artifact: True)

    @pytest.mark.parametrize(
        ("options", "error", "named"),
        [
            ({"when": "sometimes"}, ValueError, "sometimes"),
            ({"when": 3}, TypeError, "predicate"),
            ({"when_id": "x"}, ValueError, "when_id"),
            ({"synthesize": "llm"}, TypeError, "synthesize"),
            ({"synopsis_kind": ""}, ValueError, "synopsis_kind"),
        ],
    )
    def test_options_that_make_no_sense(self, options, error, named):
        with pytest.raises(error, match=named):
            with_synopsis(WholeText(), **{"synthesize": first_words, **options})


class TestTheLlmSynthesizer:
    def test_it_summarises_the_text_of_the_artifact(self):
        seen = []
        synthesize = make_llm_synthesizer(summarize=lambda text: seen.append(text) or "short")
        assert synthesize(Artifact("a", {"text": "a long text", "path": "/home/me"})) == "short"
        assert seen == ["a long text"]

    def test_a_blank_text_asks_nobody(self):
        synthesize = make_llm_synthesizer(summarize=lambda text: pytest.fail("asked"))
        assert synthesize(Artifact("a", {"text": " \n"})) == ""
        assert synthesize(Artifact("a", None)) == ""

    def test_only_the_named_fields_are_shown(self):
        seen = []
        synthesize = make_llm_synthesizer(
            summarize=lambda text: seen.append(text) or "s", text_fields=["name", "about", "none"]
        )
        synthesize(Artifact("a", {"name": "bees", "about": " hives ", "path": "/home/me"}))
        assert seen == ["bees\n\nhives"]
        assert synthesize.synthesizer_id.endswith(":name,about,none")

    def test_a_failure_is_an_empty_text_that_says_why(self):
        def down(text):
            raise ConnectionError("refused")

        text = make_llm_synthesizer(summarize=down)(Artifact("a", "bees"))
        assert text == "" and isinstance(text, MissingSynopsis)
        assert (text.reason, text.unreachable) == ("ConnectionError: refused", True)

        def picky(text):
            raise ValueError

        text = make_llm_synthesizer(summarize=picky)(Artifact("a", "bees"))
        assert (text.reason, text.unreachable) == ("ValueError", False)

    def test_the_default_identity_follows_model_prompt_and_fields(self):
        ids = [
            make_llm_synthesizer(**options).synthesizer_id
            for options in (
                {},
                {"model": "small"},
                {"prompt": TOPICAL_SYNOPSIS_PROMPT},
                {"text_fields": ("name",)},
            )
        ]
        assert len(set(ids)) == 4
        assert ids[0] == make_llm_synthesizer(prompt=SYNOPSIS_PROMPT).synthesizer_id
        assert ids[0].startswith("llm:default:") and ids[1].startswith("llm:small:")
        assert make_llm_synthesizer(synthesizer_id="x").synthesizer_id == "x"

    @pytest.mark.parametrize(
        ("options", "error", "named"),
        [
            ({"text_key": "a", "text_fields": ["b"]}, ValueError, "not both"),
            ({"text_fields": "name"}, TypeError, "sequence of names"),
            ({"text_fields": [3]}, TypeError, "sequence of names"),
            ({"prompt": "Sum it up."}, ValueError, "{text}"),
        ],
    )
    def test_options_that_make_no_sense(self, options, error, named):
        with pytest.raises(error, match=named):
            make_llm_synthesizer(**options)

    def test_the_default_of_a_wrapper_sees_what_the_inner_strategy_indexes(self, monkeypatch):
        seen = []
        monkeypatch.setattr(
            "irengine.synopsis.synthesizers._default_llm_summarizer",
            lambda prompt, model, **options: lambda text: seen.append(text) or "s",
        )
        raw = {"name": "n", "description": "d", "readme": "r", "path": "/home/me", "owner": "me"}
        with_synopsis(Package()).decompose("a", raw, {})
        with_synopsis(with_synopsis(Package()), synopsis_kind="two").decompose("a", raw, {})
        with_synopsis(Chunked(text_key="readme")).decompose("a", raw, {})
        assert seen == ["n\n\nd\n\nr"] * 3 + ["r"]


class TestPredicates:
    @pytest.mark.parametrize(
        ("raw", "thin"),
        [
            ({"description": "x" * 40}, False),
            ({"description": " " + "x" * 39 + " "}, True),
            ({"description": None}, True),
            ({"name": "x" * 99}, True),
            ("x" * 40, False),
            ("", True),
        ],
    )
    def test_a_description_below_forty_characters_is_thin(self, raw, thin):
        assert thin_description_predicate(Artifact("a", raw)) is thin
        assert thin_description_predicate.when_id == "thin:description:40"

    @pytest.mark.parametrize("options", [{"min_chars": 0}, {"min_chars": True}, {"field": ""}])
    def test_a_threshold_that_makes_no_sense(self, options):
        with pytest.raises(ValueError):
            make_thin_description_predicate(**options)

    @pytest.mark.parametrize(
        ("metadata", "raw", "day"),
        [
            ({"timestamp": "2026-02-01T10:00:00Z"}, None, 1),
            ({"date": "2020-01-01", "updated": "2026-02-02T00:00:00+00:00"}, None, 2),
            ({}, {"timestamp": 1770076800}, 3),
            ({}, {"timestamp": 1770163200000}, 4),
            ({"timestamp": "soon"}, {"created": "2026-02-05T12:00:00+00:00"}, 5),
        ],
    )
    def test_the_time_of_an_artifact_is_what_its_fields_say(self, metadata, raw, day):
        found = artifact_time(Artifact("a", raw, metadata))
        assert (found.year, found.month, found.day) == (2026, 2, day)

    def test_without_a_field_it_is_that_of_its_file(self, tmp_path):
        file = tmp_path / "a.md"
        file.write_text("bees")
        os.utime(file, (NOW.timestamp(), NOW.timestamp()))
        assert artifact_time(Artifact("a", {"path": str(file)})) == NOW
        assert artifact_time(Artifact("a", {"path": str(tmp_path / "gone")})) is None
        assert artifact_time(Artifact("a", "text")) is None

    def test_recent_is_inside_the_window_or_of_no_age(self):
        recent = make_recent_predicate(window_days=30, now=NOW)
        for age, verdict in ((timedelta(days=30), True), (timedelta(days=31), False)):
            when = (NOW - age).isoformat()
            assert recent(Artifact("a", "x", {"timestamp": when})) is verdict
        assert recent(Artifact("a", "x")) is True
        assert recent.when_id == make_recent_predicate(window_days=30).when_id
        with pytest.raises(ValueError, match="window_days"):
            make_recent_predicate(window_days=0)


class TestThePolicy:
    def apply(self, policy, **options):
        options = {"synthesize": first_words, **options}
        return with_synopsis_policy(WholeText(), policy, now=NOW, **options)

    def test_a_disabled_one_leaves_the_strategy_alone(self):
        assert self.apply(SynopsisPolicy()) == WholeText()

    def test_outside_its_hours_nothing_is_written(self):
        hour = NOW.astimezone().hour
        closed = SynopsisPolicy(enabled=True, downtime_hours=((hour + 1) % 24, (hour + 2) % 24))
        assert self.apply(closed) == WholeText()
        opened = SynopsisPolicy(enabled=True, downtime_hours=(hour, (hour + 1) % 24))
        assert self.apply(opened) != WholeText()

    def test_the_scope_decides_by_age(self):
        old = (NOW - timedelta(days=8)).isoformat()
        week = self.apply(SynopsisPolicy(enabled=True, window_days=7))
        everything = self.apply(SynopsisPolicy(enabled=True, scope="all"))
        assert [kind for kind, _ in surfaces(week, "bees", timestamp=old)] == ["document"]
        assert [kind for kind, _ in surfaces(everything, "bees", timestamp=old)] == [
            "synopsis",
            "document",
        ]
        assert '"when_id": "recent:7"' in strategy_id(week)
        assert "when_id" not in strategy_id(everything)

    def test_a_predicate_has_to_hold_as_well(self):
        gated = self.apply(SynopsisPolicy(enabled=True), when=is_long)
        assert gated.when_id == "recent:30&is_long"
        assert surfaces(gated, "short") == [("document", "short")]
        assert surfaces(gated, "long enough by far")[0][0] == "synopsis"


class TestTheConfiguredModel:
    @pytest.fixture
    def endpoint(self, monkeypatch, private_folders):
        """Return the requests a real server got; it answers each with a one-line synopsis."""
        got = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                message = {"role": "assistant", "content": " On bees.\n"}
                body = json.dumps({"choices": [{"index": 0, "message": message}]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        monkeypatch.setenv("IR_LLM_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
        monkeypatch.setenv("IR_LLM_MODEL", "tiny")
        yield got
        server.shutdown()
        server.server_close()
        thread.join()

    def test_it_is_shown_the_prompt_with_the_document_in_it(self, endpoint):
        pytest.importorskip("openai")
        strategy = with_synopsis(WholeText())
        assert endpoint == []  # making the strategy asks nobody
        assert surfaces(strategy, "bees {text} live")[0] == ("synopsis", "On bees.")
        (asked,) = endpoint
        assert asked["model"] == "tiny"
        assert asked["messages"][-1]["content"] == SYNOPSIS_PROMPT.replace(
            "{text}", "bees {text} live"
        )

    def test_only_the_beginning_of_an_endless_document_is_shown(self, endpoint):
        pytest.importorskip("openai")
        make_llm_synthesizer(prompt="{text}", max_tokens=9)(Artifact("a", "bee " * 100_000))
        (asked,) = endpoint
        assert len(asked["messages"][-1]["content"]) <= MAX_PROMPT_TEXT
        assert asked["max_tokens"] == 9

    def test_without_one_the_synopsis_is_missing_with_a_hint(self):
        text = make_llm_synthesizer()(Artifact("a", "bees"))
        assert text == "" and text.unreachable
        assert "IR_LLM_BASE_URL" in text.reason
