"""Small corpora for the tests of evaluation: built by the real pipeline, with light vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from irengine.eval import DiscoveryCase, load_cases
from irengine.index import Corpus

PETS = {
    "bees": "bees make honey and live in a hive",
    "cats": "cats sleep all day and hunt mice at night",
    "dogs": "dogs bark at strangers and fetch sticks",
    "fish": "fish swim in a tank of water",
    "hens": "hens lay eggs in a coop",
    "pigs": "pigs roll in mud and eat scraps",
}


@pytest.fixture
def pets(corpus_of) -> Corpus:
    return corpus_of(PETS, name="pets")


@pytest.fixture
def cases() -> list[DiscoveryCase]:
    """Six questions the pets answer, four they do not."""
    return [
        DiscoveryCase("honey from a hive", ("bees",)),
        DiscoveryCase("hunt mice at night", ("cats",)),
        DiscoveryCase("fetch sticks", ("dogs",)),
        DiscoveryCase("a tank of water", ("fish",)),
        DiscoveryCase("lay eggs in a coop", ("hens",)),
        DiscoveryCase("mud and scraps", ("pigs",)),
        DiscoveryCase("quantum chromodynamics"),
        DiscoveryCase("mortgage rates"),
        DiscoveryCase("train timetable"),
        DiscoveryCase("violin concerto"),
    ]


@pytest.fixture
def out_of_scope() -> list[DiscoveryCase]:
    """Questions that no skill for scientific work answers."""
    return load_cases(Path(__file__).parent / "data" / "out_of_scope.jsonl")
