"""Facets: disjunctive counts, histograms; the surroundings of a node; times of a cron line."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from irengine.errors import IrError
from irtui.commands.curating import change_definition, folder_preview, own_name
from irtui.commands.ego import View, ego, facts_of, row_of, ways
from irtui.commands.facets import BINS, bins_of, field_counts, panel
from irtui.commands.live import Live
from irtui.commands.runner import run
from irtui.commands.upkeep import dashboard, next_times

LINKS = {"a": "bc", "b": "c", "c": "a", "d": "a", "e": ""}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("facets")
    (base / "notes").mkdir()
    for place, (name, targets) in enumerate(LINKS.items()):
        links = " ".join(f"[to {each}]({each}.md)" for each in targets)
        (base / "notes" / f"{name}.md").write_text(
            f"---\ntitle: Note {name}\nyear: {2020 + place}\ndate: 2024-0{place + 1}-15\n"
            f"tags: [{'odd' if place % 2 else 'even'}, {name}]\n---\n\nWater {name}. {links}\n"
        )
    with pytest.MonkeyPatch.context() as patch:
        set_folders(patch, base)
        run("register", name="notes", kind="files", root=str(base / "notes"), embedder="light")
        run("build", names=["notes"])
    return base


def set_folders(patch: pytest.MonkeyPatch, base: Path) -> None:
    for name in ("data", "config", "cache"):
        patch.setenv(f"IR_{name.upper()}_DIR", str(base / name))


@pytest.fixture
def live(base: Path, private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Live:
    del private_folders  # set before these
    set_folders(monkeypatch, base)
    return Live()


def facet(told: dict[str, Any], field: str) -> dict[str, Any]:
    return next(each for each in told["facets"] if each["field"] == field)


def counts(told: dict[str, Any]) -> dict[Any, int]:
    return {each["value"]: each["count"] for each in told["values"]}


class TestFacets:
    def test_a_field_passes_over_its_own_condition_and_no_other(self, live: Live) -> None:
        told = panel(live, "water tags:even year:2020..2023", names=["notes"])
        tags = facet(told, "tags")
        assert tags["chosen"] and counts(tags)["odd"] == 2 and counts(tags)["even"] == 2
        assert [each["value"] for each in tags["values"] if each["chosen"]] == ["even"]
        assert sum(bar["count"] for bar in facet(told, "year")["bins"]) == 3
        assert [each["field"] for each in told["facets"][:2]] == ["tags", "year"]

    def test_what_is_excluded_stays_excluded(self, live: Live) -> None:
        told = field_counts(live, "water -tags:even", "tags", names=["notes"])
        assert counts(told) == {"odd": 2, "b": 1, "d": 1}

    def test_numbers_and_dates_have_histograms(self, live: Live) -> None:
        told = panel(live, "water", names=["notes"])
        year, date = facet(told, "year"), facet(told, "date")
        assert (year["kind"], [bar["low"] for bar in year["bins"]][::4]) == (
            "numbers",
            ["2020", "2024"],
        )
        assert date["kind"] == "dates" and date["bins"][0]["label"] == "2024-01"

    def test_fields_of_the_plumbing_are_not_offered(self, live: Live) -> None:
        told = panel(live, "water", names=["notes"])
        shown = {each["field"] for each in told["facets"]}
        assert not shown & {"chunk_index", "line_start", "path", "title"}
        assert "path" in told["hidden"]

    def test_no_corpus_is_an_error(self, live: Live) -> None:
        with pytest.raises(IrError):
            panel(live, "water", names=["nowhere"])


@pytest.mark.parametrize(
    ("values", "kind", "ends"),
    [
        ([2019, 2024], "numbers", ("2019", "2024")),
        ([1, 1000], "numbers", ("1", "1000")),
        ([0.5, 7.25], "numbers", ("0.5", "7.25")),
        ([3], "numbers", ("3", "3")),
        (["2024-01-30", "2024-02-02"], "dates", ("2024-01-30", "2024-02-02")),
        (["2020-01", "2024-05-01T10:00"], "dates", ("2020", "2024")),
    ],
)
def test_bars_cover_everything_once(values: list[Any], kind: str, ends: tuple[str, str]) -> None:
    bins = bins_of([(value, 2) for value in values], kind)
    assert len(bins) <= BINS
    assert sum(bar["count"] for bar in bins) == 2 * len(values)
    assert (bins[0]["low"], bins[-1]["high"]) == ends


class TestEgo:
    def keys(self, told: dict[str, Any]) -> list[tuple[int, str, str]]:
        return [(row["depth"], row["key"][:1], row["what"]) for row in told["rows"]]

    def test_a_cycle_is_shown_once_and_marked(self, live: Live) -> None:
        told = ego(live, "notes", "a.md", View(depth=3, direction="out"))
        assert self.keys(told) == [
            (0, "a", "node"),
            (1, "b", "node"),
            (2, "c", "seen"),
            (1, "c", "node"),
            (2, "a", "seen"),
        ]
        assert told["complete"] and told["nodes"] == 3

    def test_depth_direction_and_types(self, live: Live) -> None:
        into = ego(live, "notes", "a.md", View(direction="in"))
        assert [row["key"] for row in into["rows"][1:]] == ["c.md", "d.md"]
        assert {row["way"] for row in into["rows"][1:]} == {"←"}
        assert len(ego(live, "notes", "a.md", View(depth=0))["rows"]) == 1
        near = ego(live, "notes", "e.md", View(types=("SIMILAR",), least=0.1))["rows"]
        assert near[1:] and all(0.1 <= row["weight"] <= 1.0 for row in near[1:])

    def test_a_budget_stops_the_walk_and_says_so(self, live: Live) -> None:
        told = ego(live, "notes", "a.md", View(depth=3, budget=2))
        assert told["nodes"] == 2 and not told["complete"]
        assert told["rows"][-1]["what"] == "more"

    def test_time_runs_out(self, live: Live) -> None:
        ticks = iter(range(100))
        told = ego(live, "notes", "a.md", View(), seconds=-1, now=lambda: next(ticks))
        assert told["late"] and not told["complete"] and len(told["rows"]) == 1

    def test_closed_and_opened_nodes(self, live: Live) -> None:
        shut = ego(live, "notes", "a.md", View(closed=frozenset({"a.md"})))
        assert len(shut["rows"]) == 1 and not shut["rows"][0]["open"]
        opened = ego(live, "notes", "d.md", View(opened=frozenset({"a.md"}), direction="out"))
        assert (2, "b", "node") in self.keys(opened)

    def test_facts_ways_and_rows(self, live: Live) -> None:
        facts = facts_of(live, "notes", "a.md")
        assert facts["counts"] == {"LINK": [2, 2]} and facts["known"]
        assert [each[0] for each in facts["dependents"]] == ["c.md", "d.md", "b.md"]
        path = ways(live, "notes", "d.md", "b.md", ["LINK"])
        assert [step[0] for step in path] == ["d.md", "a.md", "b.md"]
        row = row_of(live, "notes", "a.md")
        assert row is not None and row["key"] == "notes\0a.md" and row["title"] == "Note a"
        assert row_of(live, "notes", "nothing.md") is None

    def test_an_unknown_node_is_an_error(self, live: Live) -> None:
        with pytest.raises(IrError):
            ego(live, "notes", "nobody", View())


class TestCurating:
    def test_a_look_at_a_folder(self, live: Live, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_text("x" * 10)
        (tmp_path / ".hidden.md").write_text("x")
        (tmp_path / "b.txt").write_text("y" * 5)
        told = folder_preview(live, str(tmp_path))
        assert told["files"] == 2 and told["bytes"] == 15 and told["names"] == ["a.md", "b.txt"]
        assert folder_preview(live, str(tmp_path), r"\.md$")["files"] == 1
        with pytest.raises(IrError):
            folder_preview(live, str(tmp_path / "nowhere"))

    def test_names_are_free(self, live: Live, base: Path) -> None:
        assert own_name(live, str(base / "notes")) == "notes-2"

    def test_a_definition_is_changed_and_the_rest_stays(self, live: Live) -> None:
        changed = change_definition(live, "notes", {"on": "interval", "cron": "0 4 * * *"})
        assert changed["maintenance"]["reindex"] == {"on": "interval", "cron": "0 4 * * *"}
        assert changed["embedder"] == "light" and changed["params"]["root"]
        row = next(row for row in dashboard(live) if row["name"] == "notes")
        assert row["state"] == "due" and row["next"] is not None and row["artifacts"] == 5
        with pytest.raises(IrError):
            change_definition(live, "notes", {"on": "interval", "cron": "99 * * * *"})
        change_definition(live, "notes", {"on": "manual"})
        assert next(iter(dashboard(live)))["state"] == "paused"
        change_definition(live, "notes", {"on": "source-change"})


def test_the_next_times_of_a_cron_line_are_on_the_clock_of_its_zone() -> None:
    now = datetime(2026, 3, 27, 12, 0, tzinfo=timezone.utc)
    told = next_times(Live(), {"cron": "30 2 * * *", "zone": "Europe/Berlin"}, 3, now)
    assert told[0] == "Sat 2026-03-28 02:30 CET"
    assert told[1].startswith("Sun 2026-03-29 03:00 CEST")  # 02:30 is jumped over
    assert told[2] == "Mon 2026-03-30 02:30 CEST"
