"""Completion, colours, history, and whether a line is finished: all without a terminal."""

import threading

import pytest

from irtui.commands.catalog import Catalog, read_catalog
from irtui.shell.colouring import coloured
from irtui.shell.completing import MOST, match_score, suggestions
from irtui.shell.history import MOST_LINES, LineHistory
from irtui.shell.keeping import Keeper
from irtui.shell.loop import needs_more
from irtui.shell.prompt import toolbar_text
from irtui.shell.session import Session

CATALOG = Catalog(
    corpora={"notes": True, "papers": True, "drafts": False, "two words": True},
    fields={"tags": "notes", "year": "notes, papers", "author": "papers"},
    values={"tags": ("garden", "insects"), "year": ("2024", "2019")},
    items={"bees.md": "All about bees", "sub/frost.md": "First frost", "my note.md": "My note"},
    texts={"notes": 1204, "papers": 3, "two words": 1},
    here="notes",
)


@pytest.fixture
def complete():
    session = Session(interactive=True)

    def run(text):
        return [text[: s.start] + s.text for s in suggestions(text, CATALOG, session)]

    run.session = session
    return run


def last(texts):
    return [text.rpartition(" ")[2] for text in texts]


class TestWhereOneIs:
    def test_verbs_come_first(self, complete):
        assert complete("se")[0] == "search"
        assert complete("srch") == ["search"]
        assert {"discover", "select", "assert", "help", "run"} <= set(complete(""))
        assert complete("best = disc")[0] == "best = discover"
        assert complete("ls\nsea") == ["ls\nsearch"]

    def test_flags_and_their_values(self, complete):
        assert last(complete("search --mo")) == ["--mode"]
        assert last(complete("search -m l"))[0] == "lexical"
        assert complete("search --mode=de") == ["search --mode=dense"]
        assert "--mode" not in last(complete("search --mode dense --"))
        assert "--corpus" in last(complete("search -c notes --"))

    def test_corpora(self, complete):
        assert last(complete("search -c no")) == ["notes"]
        assert "drafts" not in last(complete("search -c "))
        assert last(complete("build dra")) == ["drafts"]
        assert complete("search -c two") == ["search -c two\\ words"]
        assert last(complete(":use pa")) == ["papers"]

    def test_artifacts_by_id_or_title(self, complete):
        assert last(complete("get bee")) == ["bees.md"]
        assert last(complete("show frost")) == ["sub/frost.md"]
        assert last(complete("show First")) == ["sub/frost.md"]
        assert complete("get my") == ["get my\\ note.md"]
        assert last(complete("path bees.md fro")) == ["sub/frost.md"]

    def test_fields_and_values_in_a_query(self, complete):
        assert last(complete("search dance ta")) == ["tags:"]
        assert last(complete("search dance tags:g")) == ["tags:garden"]
        assert last(complete("search -- a -tags:(garden|in")) == ["-tags:(garden|insects"]
        assert last(complete("search has:y")) == ["has:year"]
        assert last(complete("discover in:pap")) == ["in:papers"]
        assert complete("search wo") == []  # words of a question are not guessed at

    def test_stages_fields_and_conditions(self, complete):
        assert last(complete("ls | wh")) == ["where"]
        assert last(complete("search x | sort ye")) == ["year"]
        assert last(complete("search x | sort -ye")) == ["-year"]
        assert "tags" in last(complete("search x | where "))
        assert last(complete("search x | where tags = gar")) == ["garden"]
        assert last(complete("search x | where tags = garden or ye")) == ["year"]
        assert "count" in last(complete("assert "))

    def test_names(self, complete):
        from irtui.commands.shapes import HITS
        from irtui.shell.session import Held

        rows = [{"artifact_id": "bees.md", "title": "Bees", "metadata": {"year": 1}}]
        complete.session.take(Held("search", rows, HITS))
        complete.session.named["best"] = complete.session.last
        assert last(complete("get $"))[:3] == ["$best", "$_", "$1"]
        assert last(complete("get $b")) == ["$best"]
        assert last(complete("get $1.ti"))[0] == "$1.title"
        assert "$best.count" in last(complete("assert $best.c"))
        assert complete("search x -c=$b") == ["search x -c=$best"]
        assert "$best" in last(complete("get "))

    def test_session_commands_and_settings(self, complete):
        assert complete(":ti")[0] == ":timing"
        assert last(complete(":set ke")) == ["keys"]
        assert last(complete(":set keys v")) == ["vi"]
        assert last(complete(":theme ir-d"))[0] == "ir-dark"
        assert last(complete(":mode le"))[0] == "lexical"

    def test_files(self, complete, tmp_path, monkeypatch):
        (tmp_path / "a file.ir").touch()
        (tmp_path / "sub").mkdir()
        (tmp_path / ".hidden").touch()
        monkeypatch.chdir(tmp_path)
        assert complete("ls > a") == ["ls > a\\ file.ir"]
        assert last(complete("run s")) == ["sub/"]
        assert last(complete("try .h")) == [".hidden"]
        assert complete("ls > nowhere/") == []

    def test_nothing_inside_comments_quotes_and_shell_commands(self, complete):
        for text in ("# se", 'search "se', "ls | ! se"):
            assert complete(text) == []


def test_any_half_typed_line_completes_among_many_items(complete):
    session = complete.session
    many = Catalog(
        corpora={"notes": True},
        fields={"year": "notes"},
        values={"year": ("2024",)},
        items={f"folder/note-{n:05}.md": f"Note {n}" for n in range(5_000)},
    )
    line = 'best = get note-0 "a b" -c notes | where (year >= 2020 and has $x.y) | sort -year > out'
    for end in range(len(line) + 1):
        found = suggestions(line[:end], many, session)
        assert len(found) <= MOST
        assert all(0 <= each.start <= end for each in found)


def test_a_better_fit_has_a_lower_score():
    scores = [match_score(word, "multi-get") for word in ("mul", "get", "ulti", "mget")]
    assert scores == sorted(scores)
    assert None not in scores
    assert match_score("xyz", "multi-get") is None


class TestCatalog:
    def test_it_holds_what_is_there(self, garden, work_in):
        work_in(garden)
        catalog = read_catalog()
        assert catalog.corpora == {"notes": True, "papers": True}
        assert catalog.values["tags"] == ("garden", "insects")
        assert catalog.items["my note.md"] == "My note"
        assert catalog.texts == {"notes": 4, "papers": 3}
        assert "title" in catalog.fields and "title" not in catalog.values

    def test_it_is_read_again_after_a_change_that_came_meanwhile(self):
        go, read = threading.Event(), []

        def slowly(stopped):
            read.append(1)
            assert go.wait(10)
            return Catalog(texts={"n": len(read)})

        keeper = Keeper(slowly)
        keeper.refresh()
        keeper.refresh()
        keeper.refresh()
        go.set()
        keeper.wait()
        assert keeper.catalog.texts["n"] == len(read) <= 2

    def test_a_fault_leaves_the_old_one(self):
        keeper = Keeper(lambda stopped: 1 / 0)
        keeper.refresh()
        keeper.wait()
        assert not keeper.catalog.is_read
        assert "ZeroDivisionError" in keeper.problem


class TestColours:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            'search "a b" -m x | where year>=2 # c',
            "a\nb | json > f",
            ":set theme",
            '"',
            "$1.x |",
        ],
    )
    def test_the_pieces_are_the_text(self, text):
        assert "".join(piece for _, piece in coloured(text)) == text

    def test_what_cannot_run_is_underlined(self):
        def wrong(text):
            return [piece for style, piece in coloured(text) if "ir.wrong" in style]

        assert wrong("serch bees") == ["serch"]
        assert wrong("search --lim 3") == ["--lim"]
        assert wrong("ls | nope x") == ["nope"]
        assert wrong(":timng on") == [":timng"]

    def test_what_is_only_half_typed_is_not(self):
        for text in ("sea", "search --mo", "ls | wh", 'search "a', ":tim", "who is it", "how do I"):
            assert not any("ir.wrong" in style for style, _ in coloured(text)), text


class TestHistory:
    def test_lines_come_back_newest_first(self, tmp_path):
        history = LineHistory(tmp_path / "deep" / "history")
        for line in ("ls", "search a\\n\nb", "search a\\n\nb", " secret", "get $1"):
            history.append_string(line)
        again = LineHistory(tmp_path / "deep" / "history")
        assert list(again.load_history_strings()) == ["get $1", "search a\\n\nb", "ls"]
        assert (tmp_path / "deep" / "history").stat().st_mode & 0o77 == 0

    def test_it_is_capped(self, tmp_path):
        file = tmp_path / "history"
        file.write_text("".join(f"line {n}\n" for n in range(MOST_LINES + 50)))
        assert len(list(LineHistory(file).load_history_strings())) == MOST_LINES
        assert file.read_text().startswith("line 50\n")

    def test_a_folder_in_its_place_is_no_reason_to_stop(self, tmp_path):
        history = LineHistory(tmp_path)
        history.append_string("ls")
        assert list(LineHistory(tmp_path).load_history_strings()) == []


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("", False),
        ("ls", False),
        ("ls |", True),
        ('search "a', True),
        ("search a \\", True),
        ("ls | where (year > 1", True),
        ("ls | where year >", False),
        ("ls >", False),
        (":", False),
        ("# a comment", False),
        ("ls\nsearch 'a", True),
        ("ls | nope 'a", False),
    ],
)
def test_a_line_goes_on_while_a_line_break_would_belong_to_it(text, more):
    assert needs_more(text) is more


def test_the_toolbar_says_where_and_how():
    session = Session(interactive=True)
    assert toolbar_text(session, Catalog(is_read=False)) == " hybrid"
    assert toolbar_text(session, Catalog()) == " no corpus yet: try FOLDER · hybrid"
    assert toolbar_text(session, CATALOG) == " notes · 1,204 texts · hybrid"
    session.corpora, session.mode, session.status = ("notes", "drafts"), "lexical", 3
    assert toolbar_text(session, CATALOG).startswith(" notes, drafts · not built: drafts · lexical")
    assert toolbar_text(session, CATALOG).endswith("status 3")
