"""Looking after one corpus: what is done, what is left alone, and what is remembered."""

from datetime import datetime, timedelta, timezone

import pytest

from irengine.config import data_dir
from irengine.errors import (
    BuildCancelled,
    CorpusNotFound,
    EmbedderMismatch,
    IrError,
    ParameterError,
    SourceError,
)
from irengine.index import CancelToken, open_corpus
from irengine.maintenance import MaintenanceState, corpus_lock, lock_path, maintain_corpus
from irengine.registry import register
from irengine.store import CorpusStore

NOON = datetime(2026, 6, 10, 12, 0, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)


def state_of(name):
    return MaintenanceState.of(CorpusStore.local(name))


class TestWhatIsDone:
    def test_a_new_corpus_is_built_and_counted(self, files):
        files("notes", 3)
        result = maintain_corpus("notes", now=NOON)
        assert result.ran and result.reindex and result.outcome == "done"
        assert "reindexed" in result.reason
        assert (result.added, result.changed, result.removed, result.unchanged) == (3, 0, 0, 0)
        assert result.records == len(open_corpus("notes")) == 3
        assert str(result) == ("notes: maintained [reindex] (reindexed: source-change), 3 records")

    def test_changes_are_counted(self, files):
        root = files("notes", 4)
        maintain_corpus("notes", now=NOON)
        (root / "n0.md").write_text("# Other\n\nquite another text\n")
        (root / "n1.md").unlink()
        (root / "new.md").write_text("# New\n\nnew text\n")
        (root / "empty.md").write_text("")
        result = maintain_corpus("notes", now=NOON + HOUR)
        counts = (result.added, result.changed, result.removed, result.unchanged)
        assert counts == (1, 1, 1, 2)
        assert result.skipped == 1

    def test_not_full_keeps_what_left_the_source(self, files):
        root = files("notes", 3)
        maintain_corpus("notes", now=NOON)
        (root / "n1.md").unlink()
        assert maintain_corpus("notes", now=NOON, full=False).removed == 0
        assert len(open_corpus("notes")) == 3

    def test_what_was_done_is_remembered(self, records):
        records("tickets")
        maintain_corpus("tickets", now=NOON)
        state = state_of("tickets")
        assert state.last_maintained == state.last_attempt == NOON
        assert state.error is None and not state.synopsis_enabled and state.seconds > 0
        assert CorpusStore.local("tickets").get_maintenance_state()["last_maintained"] == (
            NOON.isoformat()
        )

    def test_a_local_time_will_do(self, records):
        records("tickets")
        local = datetime(2026, 6, 10, 12, 0)
        maintain_corpus("tickets", now=local)
        assert state_of("tickets").last_maintained == local.astimezone(timezone.utc)

    def test_a_state_nobody_can_read_counts_as_never(self, records, tracker):
        records("tickets")
        maintain_corpus("tickets", now=NOON)
        CorpusStore.local("tickets").set_maintenance_state({"last_maintained": "yesterday"})
        assert maintain_corpus("tickets", now=NOON).ran


class TestWhatIsLeftAlone:
    def test_before_its_time(self, records, tracker):
        records("tickets")
        maintain_corpus("tickets", now=NOON)
        result = maintain_corpus("tickets", now=NOON + 23 * HOUR)
        assert not result.ran and not result.reindex
        assert result.reason == "not due (interval)"
        assert result.next == (NOON + 24 * HOUR).isoformat()
        assert str(result) == "tickets: skipped [-] (not due (interval))"
        assert tracker.calls == ["fetch"]
        assert maintain_corpus("tickets", now=NOON + 24 * HOUR).ran

    def test_manual_until_forced(self, files):
        files("notes", maintenance={"reindex": {"on": "manual"}})
        assert maintain_corpus("notes", now=NOON).reason == "not due (manual)"
        assert maintain_corpus("notes", now=NOON, force=True).ran

    @pytest.mark.parametrize("name", ["typo", "noets"])
    def test_a_name_nobody_knows(self, files, name):
        files("notes")
        for dry_run in (True, False):
            with pytest.raises(CorpusNotFound):
                maintain_corpus(name, dry_run=dry_run)
        assert not data_dir().exists()

    def test_a_dry_run_leaves_nothing_behind(self, files, records, tracker):
        files("notes")
        records("tickets")
        for name in ("notes", "tickets"):
            result = maintain_corpus(name, now=NOON, dry_run=True)
            assert not result.ran and result.reindex and result.outcome == "would-run"
            assert "dry-run" in result.reason
        assert tracker.calls == []
        assert not data_dir().exists()

    def test_a_preset_is_known(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HOME", str(tmp_path))
        assert maintain_corpus("skills", dry_run=True).reindex
        with pytest.raises(SourceError):
            maintain_corpus("skills")

    def test_seconds_have_to_be_a_number(self, files):
        files("notes")
        for bad in (-1, float("nan"), float("inf"), "5", True):
            with pytest.raises(ParameterError):
                maintain_corpus("notes", max_seconds=bad)


class TestFailures:
    def test_raise_and_leave_the_work_due(self, records, tracker):
        records("tickets")
        maintain_corpus("tickets", now=NOON)
        tracker.failing.append(True)
        later = NOON + 24 * HOUR
        with pytest.raises(SourceError):
            maintain_corpus("tickets", now=later)
        state = state_of("tickets")
        assert state.last_maintained == NOON and state.last_attempt == later
        assert state.error is not None and "does not answer" in state.error
        tracker.failing.clear()
        assert maintain_corpus("tickets", now=later).ran
        assert state_of("tickets").error is None

    def test_of_a_corpus_never_built_leave_no_folder(self, records, tracker):
        records("tickets")
        tracker.failing.append(True)
        with pytest.raises(SourceError):
            maintain_corpus("tickets", now=NOON)
        assert not CorpusStore.local("tickets").exists
        assert not (data_dir() / "corpora" / "tickets").exists()

    def test_the_embedder_is_never_another_one(self, folder):
        root = folder("notes")
        register("notes", "files", root=str(root), embedder="light")
        maintain_corpus("notes", now=NOON)
        (root / "new.md").write_text("# New\n\nmore\n")
        register("notes", "files", root=str(root), embedder="default")
        assert maintain_corpus("notes", now=NOON).added == 1  # left at its default: no request
        assert open_corpus("notes").embedder_id == "hashing__dim512"
        register("notes", "files", root=str(root), embedder="minilm-fp32")
        with pytest.raises(EmbedderMismatch):
            maintain_corpus("notes", now=NOON)
        assert open_corpus("notes").embedder_id == "hashing__dim512"

    def test_a_model_that_cannot_be_loaded_is_a_failure(self, folder, monkeypatch):
        from irengine import embed

        calls = []

        def model(texts):
            calls.append(len(texts))
            return [[1.0, 0.0] for _ in texts]

        embed.register_embedder("mine", model)
        root = folder("notes")
        register("notes", "files", root=str(root), embedder="mine")
        maintain_corpus("notes", now=NOON)
        monkeypatch.setattr("irengine.embed.resolve._registered", {})
        register("notes", "files", root=str(root), embedder="default")
        (root / "new.md").write_text("# New\n\nmore\n")
        with pytest.raises(IrError) as caught:
            maintain_corpus("notes", now=NOON)
        assert caught.value.code == "embedder-unavailable"
        assert open_corpus("notes").embedder_id == "mine"
        assert len(open_corpus("notes")) == 2

    def test_cancelled_work_stays_due_and_is_no_failure(self, files):
        files("notes")
        token = CancelToken()
        token.cancel()
        with pytest.raises(BuildCancelled) as caught:
            maintain_corpus("notes", now=NOON, cancel=token)
        assert caught.value.code == "cancelled"
        with pytest.raises(BuildCancelled) as caught:
            maintain_corpus("notes", now=NOON, max_seconds=0)
        assert caught.value.code == "budget"
        assert state_of("notes") == MaintenanceState()


class TestSynopses:
    """Synopses cost model calls: they are written inside windows, once."""

    POLICY = {
        "reindex": {"on": "interval", "every_hours": 24},
        "synopsis": {"enabled": True, "scope": "all", "downtime_hours": "02:30-04:00"}
        | {"zone": "UTC"},
    }

    @pytest.fixture
    def asked(self):
        return []

    @pytest.fixture
    def options(self, asked):
        def first_words(artifact):
            asked.append(artifact.id)
            return f"In short: {artifact.id}"

        return {"synthesize": first_words, "synthesizer_id": "first-words/1"}

    def test_a_build_outside_the_window_writes_none(self, files, options, asked):
        files("notes", maintenance=self.POLICY)
        result = maintain_corpus("notes", now=NOON, synopsis_options=options)
        assert result.ran and not result.synopsis and "downtime" in result.reason
        assert asked == []
        assert len(open_corpus("notes")) == 2

    def test_they_follow_when_the_window_opens(self, files, options, asked):
        files("notes", maintenance=self.POLICY)
        maintain_corpus("notes", now=NOON, synopsis_options=options)
        night = NOON + timedelta(hours=14)
        assert not maintain_corpus("notes", now=night, synopsis_options=options).ran  # 02:00
        night += timedelta(minutes=30)
        result = maintain_corpus("notes", now=night, synopsis_options=options)
        assert result.ran and result.synopsis and result.reason == "reindexed: synopses are due"
        assert sorted(asked) == ["n0.md", "n1.md"]
        assert len(open_corpus("notes")) == 4
        again = maintain_corpus("notes", now=night + HOUR, synopsis_options=options)
        assert not again.ran and again.synopsis  # they are on, and written

    def test_the_next_plain_build_keeps_them(self, files, options, asked):
        files("notes", maintenance=self.POLICY)
        night = NOON + timedelta(hours=15)
        maintain_corpus("notes", now=night, synopsis_options=options)
        result = maintain_corpus("notes", now=night + 30 * HOUR, synopsis_options=options)
        assert result.ran and not result.synopsis
        assert len(open_corpus("notes")) == 4 and len(asked) == 2

    def test_only_recent_ones_with_the_recent_scope(self, files, options, asked):
        import os

        root = files("notes", maintenance={"synopsis": {"enabled": True, "window_days": 3}})
        now = datetime.now(timezone.utc)
        old = (now - timedelta(days=4)).timestamp()
        os.utime(root / "n0.md", (old, old))
        assert maintain_corpus("notes", now=now, synopsis_options=options).synopsis
        assert asked == ["n1.md"]

    def test_without_a_model_they_wait_and_are_tried_again(self, files):
        policy = {**self.POLICY, "synopsis": {"enabled": True, "scope": "all"}}
        files("notes", maintenance=policy)
        result = maintain_corpus("notes", now=NOON)
        assert result.ran and result.waiting
        assert state_of("notes").waiting
        soon = maintain_corpus("notes", now=NOON + timedelta(minutes=4))
        assert not soon.ran
        assert maintain_corpus("notes", now=NOON + timedelta(minutes=5)).ran

    def test_a_dry_run_asks_nobody(self, files, options, asked):
        files("notes", maintenance=self.POLICY)
        night = NOON + timedelta(hours=15)
        result = maintain_corpus("notes", now=night, dry_run=True, synopsis_options=options)
        assert result.reindex and result.synopsis and asked == []


def test_the_lock_is_free_again_and_names_nobody(files):
    files("notes")
    maintain_corpus("notes")
    assert not lock_path("notes").with_suffix(".json").exists()
    with corpus_lock("notes"):
        assert lock_path("notes").with_suffix(".json").exists()
