"""``edit``: a definition is changed in the parts that are given, and what follows is said."""

from __future__ import annotations

import pytest

import irengine as ir
from irengine.errors import CorpusNotFound, EmbedderError, ParameterError, SourceError
from irengine.registry import registered
from irtui.commands import run
from irtui.commands.arguments import parse_arguments
from irtui.commands.registry import lookup
from irtui.commands.spec import UsageError
from irtui.render.look import Look
from irtui.render.reports import edited_view, info_view

BERLIN = {"on": "interval", "cron": "30 4 * * mon-fri", "zone": "Europe/Berlin"}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nbees\n")
    (folder / "b.txt").write_text("whales\n")
    ir.register("notes", "files", root=str(folder), embedder="light")
    return folder


def edit(name="notes", **options):
    return run("edit", name=name, **options)


def said():
    return registered()["notes"].get("maintenance")


def test_what_is_listed_is_said_as_it_is(root):
    def state():
        return run("ls").data[0]["state"]

    def stop(event):
        token.cancel()

    assert state() == "not built"
    token = ir.CancelToken()
    with pytest.raises(ir.BuildCancelled):
        ir.build_corpus("notes", cancel=token, progress=stop)
    assert state() == "unfinished"
    ir.build_corpus("notes")
    assert state() == "ready"
    root.rename(root.with_name("away"))
    assert state() == "source missing"


def test_an_empty_corpus_is_ready_when_its_build_has_ended(root):
    for file in root.iterdir():
        file.unlink()
    ir.build_corpus("notes")
    assert run("ls").data[0]["state"] == "ready"


def test_a_corpus_that_is_no_word_is_said_how_to_name():
    with pytest.raises(UsageError) as caught:
        parse_arguments(lookup("maintain"), ["my notes"])
    assert "-c 'my notes'" in caught.value.hint


class TestThePolicy:
    def test_times_replace_each_other_and_the_rest_stays(self, root):
        edit(cron="30 4 * * mon-fri", zone="Europe/Berlin")
        assert said() == {"reindex": BERLIN}
        edit(cron="@daily")
        assert said()["reindex"] == {"on": "interval", "cron": "@daily", "zone": "Europe/Berlin"}
        edit(zone="UTC")
        assert said()["reindex"]["zone"] == "UTC"
        edit(every_hours=6.0)
        assert said() == {"reindex": {"on": "interval", "every_hours": 6.0}}
        edit(reindex_on="manual", synopsis=True, downtime=["22:30-06:15"])
        assert said() == {
            "reindex": {"on": "manual"},
            "synopsis": {"enabled": True, "downtime_hours": ["22:30-06:15"]},
        }
        edit(zone="UTC")
        assert said()["synopsis"]["zone"] == "UTC"
        edit(downtime=["any"])
        assert said()["synopsis"]["downtime_hours"] is None
        edit(no_synopsis=True)
        assert said()["synopsis"]["enabled"] is False
        edit(default_policy=True)
        assert said() is None
        assert registered()["notes"]["embedder"] == "light"

    def test_when_it_is_due_is_told(self, root):
        ir.build_corpus("notes")
        ir.maintain()
        data = edit(cron="0 4 * * *", zone="UTC").data
        assert data["upkeep"]["next"].endswith("T04:00:00+00:00")
        assert data["next_step"] is None
        assert data["changed"]["reindex.cron"] == {"from": None, "to": "0 4 * * *"}

    def test_an_interval_without_a_period_is_told(self, root):
        assert any("due at every run" in note for note in edit(reindex_on="interval").notes)
        ir.maintain()
        info = run("info", name="notes")
        assert "without a period" in info.data["maintenance"]["reason"]
        assert "at every run" in str(info_view(info.data, {}, Look()))
        assert edit(every_hours=6.0).notes == ()
        again = run("register", name="tickets", kind="files", root=str(root), reindex_on="interval")
        assert any("at every run" in note for note in again.notes)

    def test_a_folder_that_is_away_does_not_stand_in_the_way(self, root):
        root.rename(root.with_name("away"))
        edit(reindex_on="manual")
        assert said() == {"reindex": {"on": "manual"}}
        with pytest.raises(SourceError):
            edit(pattern=r"\.txt$")
        edit(root=str(root.with_name("away")))
        assert registered()["notes"]["params"]["root"] == str(root.with_name("away"))

    @pytest.mark.parametrize(
        ("options", "what"),
        [
            ({"cron": "* * *"}, "cron"),
            ({"zone": "Europe/Berlin"}, "neither"),
            ({"cron": "@daily", "zone": "Mars/Base"}, "Mars"),
            ({"cron": "@daily", "every_hours": 3.0}, "one of them"),
            ({"downtime": ["22-6"]}, "no"),
            ({"synopsis": True, "no_synopsis": True}, "exclude"),
            ({"no_synopsis": True, "downtime": ["any"]}, "synopses"),
            ({}, "nothing to change"),
        ],
    )
    def test_what_makes_no_sense_changes_nothing(self, root, options, what):
        before = registered()
        with pytest.raises((UsageError, ParameterError), match=what):
            edit(**options)
        assert registered() == before


class TestTheRest:
    def test_another_embedder_says_what_it_costs(self, root):
        ir.build_corpus("notes")
        result = edit(embedder="hashing__dim64")
        assert registered()["notes"]["embedder"] == "hashing__dim64"
        assert result.data["next_step"] == "irtui build notes --switch-embedder"
        assert "all 1 texts need new vectors" in result.notes[0]
        shown = ["".join(text for _, text in line) for line in edited_view(result.data, {}, Look())]
        assert shown[0] == "changed notes (files)"
        assert "light → hashing__dim64" in shown[1]
        also = edit(param=["hidden=true"])
        assert also.data["next_step"] == "irtui build notes --switch-embedder"
        edit(param=["hidden=null"])
        back = edit(embedder="light")
        assert back.data["next_step"] is None
        assert "already" in back.notes[0]
        assert edit(embedder="light").data["changed"] == {}

    def test_the_default_embedder_has_to_be_asked_for_by_the_build(self, root):
        ir.build_corpus("notes")
        step = edit(embedder="default").data["next_step"]
        assert step == "irtui build notes -e default --switch-embedder"

    def test_parameters_are_set_and_taken_away_one_by_one(self, root):
        ir.build_corpus("notes")
        result = edit(glob="*.txt", param=["hidden=true", "max_bytes=1000"])
        params = registered()["notes"]["params"]
        assert (params["hidden"], params["max_bytes"]) == (True, 1000)
        assert result.data["next_step"] == "irtui build notes"
        assert set(result.data["changed"]) == {"pattern", "hidden", "max_bytes"}
        edit(param=["hidden=null"])
        assert "hidden" not in registered()["notes"]["params"]
        edit(strategy="WholeText")
        assert registered()["notes"]["strategy"] == {"name": "WholeText", "params": {}}
        edit(strategy="default")
        assert "strategy" not in registered()["notes"]

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"embedder": "hashing__dimX"}, EmbedderError),
            ({"param": ["patern=x"]}, ParameterError),
            ({"param": ["root=null"]}, ParameterError),
            ({"param": ["embedder=light"]}, UsageError),
            ({"pattern": "("}, UsageError),
            ({"root": "/nowhere/at/all"}, SourceError),
            ({"fetcher": "json:loads"}, UsageError),
            ({"strategy": "Nothing"}, ParameterError),
        ],
    )
    def test_a_bad_value_changes_nothing(self, root, options, error):
        before = registered()
        with pytest.raises(error):
            edit(**options)
        assert registered() == before

    def test_only_what_is_registered_can_be_changed(self, root):
        with pytest.raises(CorpusNotFound) as caught:
            edit("noets", reindex_on="manual")
        assert "notes" in caught.value.hint
        ir.build_corpus("notes")
        ir.unregister("notes")
        with pytest.raises(CorpusNotFound, match="only built"):
            edit(reindex_on="manual")


def test_a_root_is_the_one_folder_of_kinds_that_call_it_otherwise():
    from irtui.commands.definitions import kind_params

    none = {"pattern": None, "glob": None, "fetcher": None}
    assert kind_params("skills", [], root="a", **none) == {"roots": ["a"]}
    assert kind_params("reports", ["recursive=true"], root="a", **none) == {
        "recursive": True,
        "projects_root": "a",
    }
