"""A writer may be killed at any moment: readers see whole generations, and nothing is lost."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from irengine.store import CorpusStore

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def common(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import _common

    yield _common
    sys.modules.pop("_common", None)


def kill_and_recover(run_script, common, kills: int) -> None:
    dice = random.Random(kills)
    generation = 0
    for number in range(kills):
        writer = run_script("endless_writer", number)
        assert writer.stdout.readline() == "locked\n", writer.communicate()[1]
        reader = run_script("reader")
        assert reader.stdout.readline() == "ready\n", reader.communicate()[1]
        for _ in range(dice.randrange(4)):
            writer.stdout.readline()
        # Not a wait for something: the moment of death is to be arbitrary.
        with pytest.raises(TimeoutError):
            wait(writer, dice.uniform(0, 0.4))
        writer.kill()
        printed = [int(line) for line in writer.communicate()[0].split() if line != "locked"]
        output, errors = reader.communicate()
        assert reader.returncode == 0, errors
        assert int(output.split()[0]) >= 1
        store = CorpusStore.local(common.NAME)
        left = common.versions(store)
        assert store.snapshot().generation >= max([generation, *printed])
        generation = store.snapshot().generation
    with store.writing("recover"):
        pass
    assert common.versions(store) == left
    report = store.verify()
    assert report.ok and report.chroma_checked, report


def wait(process, seconds: float) -> None:
    import subprocess

    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise TimeoutError from None


def test_readers_see_whole_generations_while_writers_are_killed(run_script, common):
    kill_and_recover(run_script, common, 8)


@pytest.mark.slow
def test_fifty_kills(run_script, common):
    kill_and_recover(run_script, common, 50)


@pytest.mark.parametrize("scenario", ["first", "second", "forget"])
def test_death_before_some_durable_steps(run_script, scenario):
    process = run_script("killed_at_each_step", scenario, 3, 11)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    outcomes = [line.split()[1] for line in output.splitlines()]
    assert outcomes.count("killed") >= 4
    assert outcomes[-1] == "completed"


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["first", "second", "forget"])
def test_death_before_each_durable_step(run_script, scenario):
    process = run_script("killed_at_each_step", scenario, 1, 1)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
