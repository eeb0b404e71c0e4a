"""What ``register`` says about maintenance and languages, and what ``info`` tells of them."""

from __future__ import annotations

import pytest

from irengine.errors import ParameterError
from irengine.maintenance import maintain_corpus
from irengine.registry import registered
from irtui.commands import run
from irtui.commands.spec import UsageError
from irtui.render.look import Look
from irtui.render.reports import info_view

KOREAN = "벌들은 춤을 추어 꽃이 어디에 있는지 서로에게 알려 준다. 겨울에는 서로를 따뜻하게 한다.\n"
ENGLISH = "The bees of a hive dance to tell each other where the flowers are in the garden.\n"


@pytest.fixture
def folder(tmp_path):
    def make(text):
        (tmp_path / "notes").mkdir(exist_ok=True)
        (tmp_path / "notes" / "a.md").write_text(text, "utf-8")
        return tmp_path / "notes"

    return make


@pytest.fixture
def register(folder):
    def make(text=ENGLISH, **options):
        options = {"embedder": "light", "replace": True, **options}
        return run("register", name="n", kind="files", root=folder(text), **options)

    return make


def said():
    return registered()["n"].get("maintenance")


def shown(result):
    lines = info_view(result.data, {}, Look())
    return {"".join(t for _, t in line).partition("  ")[0]: line[-1][1].strip() for line in lines}


class TestRegister:
    def test_nothing_said_is_nothing_stored(self, register):
        register()
        assert not said()

    def test_times_on_the_clock_of_a_zone(self, register):
        register(cron="30 4 * * mon-fri", zone="Europe/Berlin")
        assert said() == {
            "reindex": {"on": "interval", "cron": "30 4 * * mon-fri", "zone": "Europe/Berlin"}
        }

    def test_windows_for_synopses(self, register):
        register(synopsis=True, downtime=["22:30-06:15", "sat,sun 00:00-24:00"], zone="UTC")
        assert said() == {
            "synopsis": {
                "enabled": True,
                "downtime_hours": ["22:30-06:15", "sat,sun 00:00-24:00"],
                "zone": "UTC",
            }
        }

    def test_any_time_lifts_the_window_of_the_kind(self, register):
        register(synopsis=True, downtime=["any"])
        assert said() == {"synopsis": {"enabled": True, "downtime_hours": None}}

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"cron": "30 4 * *"}, "five fields"),
            ({"cron": "0 0 30 2 *"}, "not a cron expression"),
            ({"cron": "@daily", "zone": "Mars/Olympus"}, "no time zone"),
            ({"cron": "@daily", "reindex_on": "manual"}, "no effect"),
            ({"every_hours": -1}, "every_hours"),
            ({"synopsis": True, "downtime": ["25:00-03:00"]}, "no time 25:00"),
            ({"synopsis": True, "downtime": ["02:00-02:00"]}, "never opens"),
            ({"synopsis": True, "downtime": ["any", "1-2"]}, "not a window"),
        ],
    )
    def test_what_cannot_be_is_refused_and_nothing_is_stored(self, register, options, message):
        with pytest.raises(ParameterError, match=message):
            register(**options)
        assert "n" not in registered()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"cron": "@daily", "every_hours": 3}, "give one of them"),
            ({"zone": "UTC"}, "--zone is the clock of"),
            ({"zone": "UTC", "every_hours": 3}, "--zone is the clock of"),
            ({"downtime": ["1-2"]}, "--downtime is about synopses"),
        ],
    )
    def test_options_that_say_nothing_together(self, register, options, message):
        with pytest.raises(UsageError) as caught:
            register(**options)
        assert message in caught.value.message


class TestInfo:
    def test_the_policy_and_when_work_is_due_next(self, register):
        register(cron="30 4 * * *", zone="Europe/Berlin", synopsis=True, downtime=["22:30-06:15"])
        rows = shown(run("info", name="n"))
        assert rows["reindex"] == "interval, 30 4 * * * (Europe/Berlin)"
        assert rows["synopses"] == "on, 22:30-06:15 (Europe/Berlin)"
        # Outside the window it says as well that the synopses wait: that hangs on the hour.
        assert rows["due"].partition(";")[0] == "now: never maintained"
        register(cron="30 4 * * *", zone="UTC")
        maintain_corpus("n")
        result = run("info", name="n")
        told = result.data["maintenance"]
        assert told["due"] is False and told["error"] is None
        assert told["next"].endswith("T04:30:00+00:00")
        rows = shown(result)
        assert rows["due"] == told["next"]
        assert rows["maintained"] == told["last_maintained"]

    @pytest.mark.parametrize(
        ("options", "row", "due"),
        [
            ({}, "source-change", "looked at at each run (source-change)"),
            ({"reindex_on": "manual"}, "manual", "not due (manual)"),
            ({"cron": "@daily"}, "interval, @daily", "now: never maintained"),
            ({"every_hours": 1.5}, "interval, every 1.5 h", "now: never maintained"),
        ],
    )
    def test_other_triggers(self, register, options, row, due):
        register(**options)
        rows = shown(run("info", name="n"))
        assert (rows["reindex"], rows["due"], rows["synopses"]) == (row, due, "off")

    def test_a_window_on_the_clock_of_the_machine_names_no_zone(self, register):
        register(synopsis=True, downtime=["22:30-06:15"])
        assert shown(run("info", name="n"))["synopses"] == "on, 22:30-06:15"

    def test_looking_changes_nothing(self, register, private_folders):
        register()
        run("info", name="n")
        assert not (private_folders / "data").exists()

    def test_the_languages_of_what_is_built(self, register):
        register(KOREAN)
        assert "languages" not in run("info", name="n").data
        maintain_corpus("n")
        result = run("info", name="n")
        assert result.data["languages"] == {
            "sampled": 1,
            "told": {"Korean": 1},
            "mostly_foreign": True,
        }
        assert shown(result)["languages"] == "Korean 1 (of 1 texts)"
        assert result.notes == ()  # hashed words know no language

    def test_a_corpus_that_is_only_built_has_no_policy_of_its_own(self, folder):
        run("try", path=folder(ENGLISH), embedder="light")
        (row,) = run("ls").data
        assert run("info", name=row["name"]).data["maintenance"] is None


class TestHint:
    def test_register_tells_when_files_are_mostly_not_english(self, register):
        *_, note = register(KOREAN, embedder="default").notes
        assert "not English (Korean)" in note and "--embedder multilingual" in note

    @pytest.mark.parametrize(
        ("text", "embedder"),
        [(ENGLISH, "default"), (KOREAN, "light"), (KOREAN, "multilingual"), ("1 2 3", "default")],
    )
    def test_it_is_quiet_where_the_embedder_suits(self, register, text, embedder):
        assert register(text, embedder=embedder).notes == ("index it: irtui build n",)

    def test_try_tells_once_and_info_whenever_it_is_asked(self, folder):
        path = folder(KOREAN)
        (*_, note) = run("try", path=path, query="벌들은").notes
        assert "--embedder multilingual" in note
        assert not any("multilingual" in note for note in run("try", path=path, query="벌").notes)
        (row,) = run("ls").data
        assert run("info", name=row["name"]).notes == (note,)
        (path / "b.md").write_text(KOREAN, "utf-8")
        named = run("try", path=path, query="벌", embedder="default")  # that was a choice
        assert not any("multilingual" in note for note in named.notes)
