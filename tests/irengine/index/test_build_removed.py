"""A corpus deleted by hand under its build: it is said, and nothing is left in its place."""

import shutil

import pytest

from irengine import CorpusSource, StoreError, build
from irengine.config import corpus_dir


@pytest.mark.parametrize(("phase", "way"), [("plan", "gone"), ("commit", "gone"), ("plan", "new")])
def test_the_folder_of_a_corpus_goes_while_it_is_built(phase, way):
    docs = {f"d{number}": f"words of {number}" for number in range(30)}
    source = CorpusSource.from_mapping(docs, name="notes")
    folder, gone = corpus_dir("notes"), []

    def take_away(event):
        if event.phase == phase and not gone:
            gone.append(True)
            shutil.rmtree(folder)
            if way == "new":  # another process builds it anew meanwhile
                build(CorpusSource.from_mapping({"one": "a word"}, name="notes"), embedder="light")

    with pytest.raises(StoreError, match="'notes' was deleted") as caught:
        build(source, embedder="light", step_records=10, progress=take_away)
    assert caught.value.code == "corpus-removed"
    assert folder.exists() is (way == "new")
    again = build(source, embedder="light")
    assert again.report.added == 30 and len(again) == 30
    assert again.report.removed == (way == "new")
