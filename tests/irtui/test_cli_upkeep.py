"""schedule, coverage, watch and search --refresh as processes."""

import json
import signal
import time

import pytest


@pytest.fixture
def registered(irtui, notes):
    assert irtui("register", "notes", "files", "--root", str(notes), "-e", "light").returncode == 0
    assert irtui("build", "notes").returncode == 0
    return irtui


def test_a_search_marks_and_refreshes_its_files(registered, notes):
    (notes / "bees.md").write_text("# Bees\n\nBees dance in the dark.\n")
    words = ("search", "dance", "-c", "notes", "--mode", "lexical")
    (hit,) = registered.json(*words)
    assert (hit["file"], hit["changed"], "dark" in hit["text"]) == ("stale", True, False)
    assert "stale" in registered(*words).stdout
    (hit,) = registered.json(*words, "--refresh")
    assert (hit["file"], "dark" in hit["text"]) == ("fresh", True)
    (notes / "bees.md").unlink()
    assert registered.json(*words)[0]["file"] == "gone"
    assert registered.json(*words, "--refresh") == []


def test_coverage_says_what_a_build_would_do(registered, notes):
    (report,) = registered.json("coverage", "notes")
    assert (report["coverage_ratio"], report["up_to_date"]) == (1.0, True)
    (notes / "new.md").write_text("new\n")
    (report,) = registered.json("coverage", "notes", status=1)
    assert report["missing"] == ["new.md"]
    assert "missing new.md" in registered("coverage", "notes").stdout


def test_a_schedule_is_shown_without_installing_it(irtui):
    told = irtui.json("schedule", "--dry-run", "--every", "15m", "--backend", "systemd")
    assert (told["action"], told["every_minutes"]) == ("would-install", 15)
    assert "OnCalendar=*-*-* *:00/15:00" in told["detail"]
    done = irtui("schedule", "--remove", "--every", "5m")
    assert (done.returncode, "cannot be combined" in done.stderr) == (2, True)
    assert irtui("schedule", "--dry-run", "--every", "1s").returncode == 2


@pytest.mark.slow
def test_a_watch_follows_until_it_is_stopped(registered, notes):
    pytest.importorskip("watchfiles")
    (notes / "first.md").write_text("first\n")
    watch = registered.start("watch", "--json")
    words = ("search", "-c", "notes", "--mode", "lexical")
    deadline = time.monotonic() + 60
    while not registered.json(*words, "first"):
        assert time.monotonic() < deadline
    (notes / "second.md").write_text("second\n")
    while not registered.json(*words, "second"):
        assert time.monotonic() < deadline
    watch.send_signal(signal.SIGINT)
    out, err = watch.communicate(timeout=30)
    assert watch.returncode == 0, err
    assert "watching notes: " in err
    (row,) = json.loads(out)
    assert (row["name"], row["added"]) == ("notes", 2)
