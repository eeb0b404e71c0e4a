"""Stores for the tests of builds."""

import pytest

from irengine import CorpusStore


@pytest.fixture(params=["memory", "local"])
def store(request):
    """Both kinds of store promise the same."""
    return CorpusStore.memory() if request.param == "memory" else CorpusStore.local("notes")
