"""Questions without a language model, out of a folder as people write them."""

from __future__ import annotations

import pytest

from irengine.errors import ParameterError
from irengine.eval import evaluate_discovery
from irengine.eval_gen import generate_offline_cases
from irengine.index import build
from irengine.sources import CorpusSource
from irengine.store import CorpusStore

FILES = {
    "clicks.md": """---
description: Shows where visitors of a page press. It needs a browser.
---
# Heat map

See [drawing of routes](maps/routes.md), [read on](tools/search.py) or the ![route picture](x.png).

## How to install it

## Colours of the scale

```
# not a heading
```
""",
    "maps/routes.md": """# Routes

The [heat map](../clicks.md) and [[clicks|where people press most]], or [read on](../clicks.md).

## How to install it
## Routes for bicycles
## Avoiding steep hills
### Elevation data by country
""",
    "tools/search.py": '''#!/usr/bin/env python
"""Find the shortest way between two places."""

# comments are no headings


class Way:
    """A sequence of streets, in order. Immutable."""


async def walk(way):
    """Short."""


def drive(way):
    r"""Say how long a car takes along a way."""
''',
    "empty.md": "",
}


@pytest.fixture
def source(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return CorpusSource.from_files(tmp_path / "notes", name="notes", pattern=r"\.(md|py)$")


def told(cases):
    return [(case.gold[0], case.metadata["from"], case.query) for case in cases]


def test_what_is_written_about_a_file_is_a_question_it_answers(source):
    assert told(generate_offline_cases(source, per_artifact=9)) == [
        ("clicks.md", "description", "Shows where visitors of a page press."),
        ("clicks.md", "link", "where people press most"),
        ("clicks.md", "heading", "Colours of the scale"),
        ("maps/routes.md", "heading", "Avoiding steep hills"),
        ("maps/routes.md", "heading", "Elevation data by country"),
        ("tools/search.py", "docstring", "Find the shortest way between two places."),
        ("tools/search.py", "docstring", "A sequence of streets, in order."),
        ("tools/search.py", "docstring", "Say how long a car takes along a way."),
    ]


def test_what_tells_the_name_or_is_said_of_several_is_left_out(source):
    queries = [case.query for case in generate_offline_cases(source, per_artifact=9)]
    assert "heat map" not in queries  # the title of what it links to
    assert "Routes for bicycles" not in queries
    assert "How to install it" not in queries  # two files say it of themselves
    assert "read on" not in queries  # two links say it, and lead elsewhere


def test_names_are_left_in_when_asked_to(source):
    made = told(generate_offline_cases(source, per_artifact=9, mask_names=False))
    assert ("maps/routes.md", "heading", "Routes for bicycles") in made
    assert ("maps/routes.md", "link", "drawing of routes") in made
    assert ("clicks.md", "link", "heat map") in made


def test_each_artifact_has_at_most_so_many_and_the_first_kinds_win(source):
    made = told(generate_offline_cases(source, per_artifact=1))
    assert [(gold, origin) for gold, origin, _ in made] == [
        ("clicks.md", "description"),
        ("maps/routes.md", "heading"),
        ("tools/search.py", "docstring"),
    ]


def test_records_are_described_by_their_fields():
    items = {
        "t2": {"name": "plotter", "description": "Draws curves of measurements. And more."},
        "t1": {"name": "mailer", "summary": "mailer sends letters", "text": "# Top\n## Sends mail"},
        "t3": "no structure at all",
    }
    made = generate_offline_cases(CorpusSource.from_mapping(items, name="tools"), corpus_name="x")
    assert told(made) == [
        ("t1", "heading", "Sends mail"),
        ("t2", "description", "Draws curves of measurements."),
    ]
    assert made[0].corpus == "x"
    assert made[0].metadata["generator"] == "offline"


def test_what_cannot_be_read_does_not_end_the_others(source):
    root = source.scope.roots[0]
    (root / "clicks.md").write_bytes(b"\0\1\2")
    with pytest.warns(UserWarning, match=r"left out 1 item: 'clicks\.md'"):
        made = generate_offline_cases(source, per_artifact=9)
    assert {case.gold[0] for case in made} == {"maps/routes.md", "tools/search.py"}


def test_frontmatter_that_is_none_is_passed_over():
    items = {"t1": {"name": "plotter", "frontmatter": "x", "description": "Draws some curves."}}
    made = generate_offline_cases(CorpusSource.from_mapping(items, name="tools"))
    assert told(made) == [("t1", "description", "Draws some curves.")]


@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_a_number_out_of_range(source, bad):
    with pytest.raises(ParameterError, match="per_artifact"):
        generate_offline_cases(source, per_artifact=bad)


def test_the_questions_measure_the_corpus_they_are_from(source):
    cases = generate_offline_cases(source, per_artifact=9)
    corpus = build(source, store=CorpusStore.memory(), embedder="light")
    report = evaluate_discovery(corpus, cases, mode="lexical", k_values=(1, 3))
    assert report.retrieval.metrics["recall@3"] == 1.0
    assert report.n_gold == len(cases)
