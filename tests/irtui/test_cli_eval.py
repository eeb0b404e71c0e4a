"""``irtui eval``: figures of a test collection, for people and programs."""

from __future__ import annotations

import json

import pytest

from tests.irengine.eval.test_eval_benchmark import write


@pytest.fixture
def run(irtui_in, tmp_path):
    write(tmp_path / "tiny")
    return irtui_in(tmp_path)


def test_a_table_has_a_line_for_each_way_of_searching(run):
    done = run("eval", "tiny", "-e", "light")
    assert done.returncode == 0, done.stderr
    assert "tiny  3 documents, 2 queries, hashing__dim512" in done.stdout
    rows = [line.split()[0] for line in done.stdout.splitlines() if line[:1].isalpha()]
    assert rows[1:] == ["lexical", "dense", "hybrid", "hybrid-rrf", "hybrid-blend"]
    assert "5 of 5 were known already" in run("eval", "tiny", "-e", "light").stderr


def test_programs_get_the_figures_of_each_query_when_they_ask(run):
    words = ("eval", "tiny", "-e", "light", "--variant", "lexical", "--json")
    told = json.loads(run(*words).stdout)
    assert told["variants"]["lexical"]["metrics"]["ndcg@10"] == 1.0
    assert "per_query" not in told["variants"]["lexical"]
    told = json.loads(run(*words, "--per-query").stdout)
    assert set(told["variants"]["lexical"]["per_query"]) == {"q1", "q2"}


def test_what_is_wrong_is_said_in_words(run, tmp_path):
    done = run("eval", "nowhere")
    assert done.returncode == 3
    assert "there is no folder" in done.stderr
    (tmp_path / "tiny" / "corpus.jsonl").write_text("{\n")
    done = run("eval", "tiny", "-e", "light")
    assert "line 1" in done.stderr
    assert done.stdout == ""


def test_without_a_place_for_figures_they_are_shown_with_one_warning(run, tmp_path):
    (tmp_path / "file").touch()
    done = run("eval", "tiny", "-e", "light", IR_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert done.returncode == 0, done.stderr
    assert "hybrid-blend" in done.stdout
    assert done.stderr.count("the figures are not kept") == 1
    assert "Traceback" not in done.stderr


def test_measuring_words_loads_no_model(run):
    done = run("eval", "tiny", "--variant", "lexical", "-e", "sentence-transformers/nowhere")
    assert done.returncode == 0, done.stderr
    assert "no vectors" in done.stdout
    done = run("eval", "tiny", "-e", "light")  # the figures of words do not depend on the model
    assert "1 of 5 were known already" in done.stderr
