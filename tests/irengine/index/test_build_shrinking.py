"""A build that would remove much of a corpus is refused; what only moved is not removed."""

import pytest

from irengine import BuildCancelled, CancelToken, ShrinkRefused
from tests.irengine.index.test_build import light, mapping


def test_a_large_shrinkage_needs_consent(store):
    many = {f"d{i}": f"text number {i}" for i in range(60)}
    light(mapping(many), store)
    few = dict(list(many.items())[:30])
    with pytest.raises(ShrinkRefused, match="30 of the 60") as refused:
        light(mapping(few), store)
    assert "allow-shrink" in refused.value.hint
    assert store.snapshot().count == 60
    assert len(light(mapping(few), store, allow_shrink=True)) == 30


def test_an_emptied_source_does_not_empty_a_corpus(store):
    light(mapping({f"d{i}": f"text {i}" for i in range(25)}), store)
    with pytest.raises(ShrinkRefused):
        light(mapping({}), store)
    assert store.snapshot().count == 25


def test_renaming_everything_is_no_shrinkage_though_a_build_had_to_end_on_the_way(store):
    class Ended(CancelToken):
        hurried = True

        def achieved(self):
            self.cancel()

    light(mapping({f"d{i}": f"thing number {i}" for i in range(100)}), store)
    renamed = {f"new/d{i}": f"thing number {i}" for i in range(100)}
    with pytest.raises(BuildCancelled) as ended:
        light(mapping(renamed), store, cancel=Ended())
    assert 20 <= ended.value.report.added < 80
    report = light(mapping(renamed), store).report
    assert (report.removed, store.snapshot().count) == (100, 100)


def test_renaming_everything_is_no_shrinkage(store):
    many = {f"d{i}": f"text number {i}" for i in range(60)}
    light(mapping(many), store)
    corpus = light(mapping({f"new/{key}": text for key, text in many.items()}), store)
    assert (corpus.report.added, corpus.report.removed) == (60, 60)


def test_a_wrong_source_of_the_same_size_is_refused(store):
    light(mapping({f"d{i}": f"text number {i}" for i in range(60)}), store)
    with pytest.raises(ShrinkRefused):
        light(mapping({f"x{i}": f"another thing {i}" for i in range(60)}), store)
