"""Selections kept under a name: in one session, in a later one, and in the app."""

from __future__ import annotations

from irtui.commands.kept import Kept
from irtui.commands.levels import REVEALED, revealed
from irtui.commands.live import Live
from irtui.shell.session import Session
from irtui.tui.selection import Picked


def test_a_selection_is_there_again_in_a_later_session(lines):
    assert "nothing is selected" in lines.error(":save bees")
    lines("search bees -c '*' -m lexical", "select $1-2", ":save bees")
    assert lines.said[-1] == ("note", "2 kept as bees; :load bees takes them back")
    taken = lines("$sel | json")
    lines.session = Session()  # as in a script
    assert lines("$sel | count") == "0\n"
    assert lines(":save") == "bees  2 selected\n"
    assert "did you mean bees" in lines.error(":load beees")
    lines(":load bees")
    assert lines("$sel | count") == "2\n"
    rows = Kept().sets["bees"]
    assert [row["row"]["artifact_id"] for row in rows] == lines("$sel | ids").split()
    assert rows[0]["row"]["artifact_id"] in taken
    lines(":load bees")
    assert lines("$sel | count") == "2\n"  # nothing is selected twice
    lines(":unsave bees")
    assert lines(":save") == "" and Kept().sets == {}


def test_the_app_can_show_what_a_session_kept(lines):
    lines("discover -c notes bees", "select $1", ":save found")
    lines("drop $sel", "search bees -c notes -m lexical", "select $1", ":save searched")
    live = Live()
    try:
        for name, least in (("found", ""), ("searched", "Bees dance")):
            (item,) = [Picked(**item) for item in Kept().sets[name]]
            assert item.title and item.key == f"notes\0{item.row['artifact_id']}"
            for level in range(len(REVEALED)):
                assert least in revealed(live, item.row, level)["text"] or level == 0
    finally:
        live.close()
    lines(":unsave found", ":unsave searched")


def test_only_documents_of_a_corpus_are_kept(lines):
    lines("ls", "select $1")
    assert "is not in a corpus" in lines.error(":save corpora")
