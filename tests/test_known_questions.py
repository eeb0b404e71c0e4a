"""Real trees, built whole, answer the questions of ``known_questions.json``.

The questions were worded so that the engine answers them: they show a regression, and say
nothing about how often a question that nobody tried beforehand is answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import irengine as ir

pytestmark = [pytest.mark.data, pytest.mark.slow]

QUESTIONS = json.loads(Path(__file__).with_name("known_questions.json").read_text("utf-8"))
SKILLS = "tree-kdense-skills"
SKILL_FILES = r"(^|/)SKILL\.md$"
N_FILES = {
    "tree-rust-rfcs": 653,  # and one below the hidden folder .github
    "tree-tldr": 14_073,
    SKILLS: 871,
}
BuildTree = Callable[..., ir.Corpus]


class Question(NamedTuple):
    """What is asked of a tree, and the page that has to come first."""

    tree: str
    query: str
    known: str


def questions(*trees: str) -> list[Any]:
    """Return the questions of the trees as test parameters."""
    return [
        pytest.param(Question(tree, item["query"], item["id"]), id=f"{tree}-{number:02}")
        for tree in trees
        for number, item in enumerate(QUESTIONS[tree], start=1)
    ]


@pytest.fixture(scope="module")
def build_tree(
    collection: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BuildTree]:
    """Return a function that builds a tree in memory, once per module."""
    built: dict[str, ir.Corpus] = {}
    # The folders every test gets are not there yet when a fixture of the module is set up.
    base = tmp_path_factory.mktemp("known-questions")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("data", "config", "cache"):
            patch.setenv(f"IR_{kind.upper()}_DIR", str(base / kind))

        def build(tree: str, *, embedder: str, **options: Any) -> ir.Corpus:
            name = f"{tree}-{embedder}"
            if name not in built:
                source = ir.CorpusSource.from_files(collection(tree), name=name, **options)
                store = ir.CorpusStore.memory()
                built[name] = ir.build(source, store=store, embedder=embedder)
            return built[name]

        yield build


def first(corpus: ir.Corpus, query: str, mode: str) -> list[str]:
    """Return the ids of the best three artifacts, so that a failure shows who won."""
    return [hit.artifact_id for hit in ir.search(corpus, query, k=3, mode=mode)]


@pytest.mark.parametrize("tree", sorted(N_FILES))
def test_every_file_of_the_tree_is_indexed(build_tree: BuildTree, tree: str) -> None:
    corpus = build_tree(tree, embedder="light")
    assert corpus.report is not None
    assert corpus.report.errors == []
    assert corpus.report.skipped == []
    assert corpus.report.added == N_FILES[tree]
    assert corpus.store.snapshot().n_artifacts == N_FILES[tree]


@pytest.mark.parametrize("question", questions(*QUESTIONS))
def test_words_find_the_known_page_in_the_whole_tree(
    build_tree: BuildTree, question: Question
) -> None:
    corpus = build_tree(question.tree, embedder="light")
    found = first(corpus, question.query, "lexical")
    assert found[:1] == [question.known], f"{question.query!r} gave {found}"


@pytest.mark.parametrize("question", questions(SKILLS))
def test_words_and_meaning_find_the_known_skill(build_tree: BuildTree, question: Question) -> None:
    corpus = build_tree(SKILLS, embedder="default", pattern=SKILL_FILES)
    found = first(corpus, question.query, "hybrid")
    assert found[:1] == [question.known], f"{question.query!r} gave {found}"
