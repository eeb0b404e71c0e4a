"""What one line does in a session: names, stages, a selection, files."""

import json
import subprocess
import sys
import time

from irtui.commands.registry import lookup
from irtui.grammar.lines import parse_line
from irtui.shell import Session, captured_front, run_line
from irtui.shell.front import Captured
from irtui.shell.words import bind

BEES = "search bees -m lexical -c notes"


class TestReferences:
    def test_rows_are_named_by_number(self, lines):
        assert lines(BEES, "get $1").startswith("---\ntags: [garden, insects]")
        assert "Cover the fig tree" in lines("get $2")

    def test_a_row_brings_its_corpus(self, lines):
        lines("search anchor -c '*' -m lexical")
        names = {row["source"] for row in lines.session.listing.rows}
        assert names == {"notes", "papers"}
        first = lines.session.listing.rows[0]
        shown = json.loads(lines("get $1 --json"))
        assert (shown["source"], shown["artifact_id"]) == (first["source"], first["artifact_id"])

    def test_a_range_is_several_words(self, lines):
        told = json.loads(lines(BEES, "multi-get $1-2 --json"))
        assert [each["artifact_id"] for each in told["found"]] == ["bees.md", "frost.md"]
        assert "goes backwards" in lines.error("get $2-1")

    def test_rows_of_two_corpora_find_their_documents(self, lines):
        found = json.loads(lines("search anchor -c '*' -m lexical", "disclose $1-2 --json"))
        assert {each["source"] for each in found["results"]} == {"notes", "papers"}
        assert found["not_found"] == []

    def test_a_row_of_a_table_of_corpora_is_its_name(self, lines):
        assert json.loads(lines("ls", "info $1 --json"))["name"] == "notes"

    def test_fields_stand_in_arguments_and_queries(self, lines):
        lines(BEES)
        assert json.loads(lines("search -m lexical $2.title --json"))[0]["title"] == "Frost"
        assert lines.session.query == "Frost"
        assert "did you mean title?" in lines.error(BEES, "get $1.titel")

    def test_numbers_stay_until_the_next_listing(self, lines):
        lines(BEES, "get $1", "info notes", "$1 | ids")
        assert lines("$2 | ids") == "frost.md\n"

    def test_a_number_without_a_row_is_an_error_and_never_an_empty_answer(self, lines):
        assert "nothing was listed yet; search for something first" in lines.error("get $1")
        assert "there is no $9: the last listing has 2 rows" in lines.error(BEES, "get $9")

    def test_the_last_result_query_and_names(self, lines):
        assert lines(BEES, "$_ | ids") == "bees.md\nfrost.md\n"
        assert lines("best = search fig -m lexical -c notes") == ""
        assert lines("$best | ids") == "frost.md\n"
        assert lines("search $q -m lexical | count") == "1\n"
        assert "did you mean best?" in lines.error("$bets | ids")

    def test_a_name_cannot_be_reserved_nor_called(self, lines):
        assert "cannot be assigned" in lines.error("sel = ls")
        assert "takes no arguments" in lines.error(BEES, "$_ bees")
        assert "begins with a command" in lines.error("$1.title")


class TestStages:
    def test_rows_are_chosen_sorted_and_cut(self, lines):
        everything = "search -c notes -m lexical year:2000..2030"
        assert lines(f"{everything} | sort year | ids") == "frost.md\ntax.md\nbees.md\n"
        assert lines(f"{everything} | sort -year | head 1 | ids") == "bees.md\n"
        assert lines(f"{everything} | sort year desc | tail 1 | ids") == "frost.md\n"
        assert lines(f"{everything} | tail 4 | count") == "3\n"
        assert lines(f"{everything} | where year > 2021 and tags = garden | ids") == "bees.md\n"
        assert lines(f"{everything} | where not has tags | ids") == "tax.md\n"
        assert lines(f"{everything} | where title in (Frost, Taxes) | count") == "2\n"

    def test_conditions_speak_of_other_results(self, lines):
        lines(BEES)
        text = lines("search -c notes -m lexical year:2000..2030 | where year <= $2.year | ids")
        assert text == "frost.md\n"

    def test_rows_without_the_field_come_last(self, lines):
        text = lines("search -c notes -m lexical has:path | sort year | ids")
        assert text.splitlines()[-1] == "my note.md"

    def test_an_unknown_field_is_an_error(self, lines):
        assert "did you mean year?" in lines.error(f"{BEES} | where yeer > 1")
        assert "has no field 'yeer'" in lines.error(f"{BEES} | sort yeer")
        assert "has no field 'yeer'" in lines.error(f"{BEES} | fields yeer")

    def test_a_line_is_as_finished_as_a_command_line(self, lines):
        assert "did you mean year?" in lines.error("search -c notes bees yaer:2024")
        assert "'x' is no number" in lines.error("search -c notes bees year:x")
        assert "a value is missing" in lines.error("search -c notes bees year:")
        assert "ends before it begins" in lines.error(f"{BEES} | where year = 9..2")

    def test_the_formats_are_those_of_the_command_line(self, lines):
        for form in ("json", "jsonl", "csv", "tsv", "md", "files"):
            assert lines(f"{BEES} | {form}") == lines(f"{BEES} --{form}")
        assert lines(f"{BEES} | fields title year | json") == lines(
            f"{BEES} --fields title,year --json"
        )
        assert "has no files" in lines.error("ls | files")

    def test_people_see_the_numbers_they_can_use(self, lines):
        shown = lines("search -c notes -m lexical year:2000..2030 | sort year")
        assert [line[:4] for line in shown.splitlines() if "Frost" in line][0] == "  1 "
        assert lines("$1 | ids") == "frost.md\n"

    def test_a_result_that_is_no_list_has_one_row(self, lines):
        assert lines("info notes | where name = notes | count") == "1\n"
        assert lines("info notes | where name = papers | json") == "[]\n"
        assert lines("info notes | where name = papers") == ""

    def test_a_table_has_the_columns_of_the_formats(self, lines):
        header, *rows = lines(f"{BEES} | table").splitlines()
        assert header.split()[:3] == ["rank", "score", "source"]
        assert len(rows) == 2

    def test_text_goes_to_a_command_of_the_system(self, lines):
        assert lines(f"{BEES} | ids | ! tr a-z A-Z") == "BEES.MD\nFROST.MD\n"
        lines(f"{BEES} | ids | ! grep -q nothing")
        assert lines.status == 1
        assert "there is no stage 'nope'" in lines.error("ls | nope")


def test_a_very_long_query_takes_no_longer_for_each_word():
    words = parse_line("search" + " bees" * 20_000).statement.command.words
    began = time.process_time()
    bound = bind(lookup("search"), words, Session())
    assert time.process_time() - began < 3
    assert bound.places[-1][0] == 5 * 19_999


class TestFiles:
    def test_a_result_is_written_and_added_to(self, lines, tmp_path):
        target = tmp_path / "found.json"
        assert lines(f"{BEES} | json > {target}") == ""
        assert target.read_text() == lines(f"{BEES} --json")
        lines(f"{BEES} | ids > {target}", f"{BEES} | ids | head 1 >> {target}")
        assert target.read_text().split() == ["bees.md", "frost.md", "bees.md"]

    def test_a_name_with_blanks_is_quoted(self, lines, tmp_path, monkeypatch):
        monkeypatch.setenv("HOME", str(tmp_path))
        lines(f'{BEES} | ids > "~/my ids.txt"')
        assert (tmp_path / "my ids.txt").read_text() == "bees.md\nfrost.md\n"

    def test_what_cannot_be_written_is_said(self, lines, tmp_path):
        said = lines.error(f"{BEES} > {tmp_path}/no/such/file")
        assert "cannot be written: No such file or directory" in said


class TestSelection:
    def test_rows_are_kept_across_searches(self, lines):
        lines(BEES, "select $1", "search anchor -c papers -m lexical", "select $1")
        assert lines("$sel | ids") == "bees.md\nsail.md\n"
        assert lines("select | fields source title").split() == [
            *("source", "title", "notes", "Bees", "papers", "Sails")
        ]

    def test_selecting_keeps_numbers_and_the_last_result(self, lines):
        lines(BEES, "select $2")
        assert lines.said[-1] == ("note", "1 selected, 1 in all")
        assert lines("$_ | count") == "2\n"
        assert lines("$1 | ids") == "bees.md\n"

    def test_a_stage_selects_too_and_nothing_twice(self, lines):
        lines(f"{BEES} | select", f"{BEES} | head 1 | select")
        assert len(lines.session.selection.rows) == 2

    def test_rows_are_dropped(self, lines):
        lines(f"{BEES} | select", "drop $1")
        assert lines("$sel | ids") == "frost.md\n"
        lines("drop frost.md")
        assert lines("$sel | count") == "0\n"
        assert "drop what?" in lines.error("drop")
        assert "is not in the selection" in lines.error("drop frost.md")

    def test_what_is_selected_can_be_named(self, lines):
        lines(BEES, "select frost.md")
        assert lines("$sel | ids") == "frost.md\n"
        assert "did you mean frost.md?" in lines.error("select frots.md")

    def test_a_selection_is_disclosed(self, lines):
        lines("search anchor -c '*' -m lexical", "select $1-2")
        shown = lines("disclose $sel")
        assert "A sail needs wind" in shown and "an anchor" in shown


class TestAtAPrompt:
    def test_other_words_are_a_question(self, lines):
        assert "Bees" in lines("who dances where flowers are")
        assert lines.said[0][1].startswith("read as a question: discover who")
        lines("when are taxes due")
        assert not any("read as" in text for _, text in lines.said)

    def test_a_mistyped_command_is_not(self, lines):
        assert "did you mean search?" in lines.error("serch")
        lines("serch bees")
        assert "did you mean search?" in lines.said[0][1]

    def test_a_question_gets_no_hint_of_spelling(self, lines):
        for question in ("how do bees dance", "what is wax", "wash the hive"):
            lines(question)
        assert [text for _, text in lines.said if "did you mean" in text] == []

    def test_the_session_chooses_corpus_mode_and_format(self, lines):
        lines(":use papers", ":mode lexical", ":format json")
        found = json.loads(lines("search bees"))
        assert {hit["source"] for hit in found} == {"papers"}
        assert json.loads(lines("search bees -c notes"))[0]["source"] == "notes"
        assert json.loads(lines("explain hive.md bees"))["explanation"]["mode"] == "lexical"
        lines(":use", ":mode default", ":format people")
        assert "did you mean papers" in lines.error(":use paper")

    def test_remarks_can_be_left_out_for_a_line(self, lines):
        lines("search nothingatall -m lexical --quiet")
        assert lines.said == []
        lines("search nothingatall -m lexical")
        assert lines.said != []

    def test_settings(self, lines):
        assert "timing   off" in lines(":set")
        lines(":timing")
        assert lines.session.settings.timing
        assert "one of on, off" in lines.error(":set pager maybe")
        assert "did you mean theme?" in lines.error(":set thme x")
        assert "did you mean timing?" in lines.error(":timng")

    def test_what_there_is(self, lines):
        lines(BEES, "best = ls")
        told = lines(":vars")
        assert "$best  2 rows of ls" in told and "$1-2" in told and "$q     bees" in told
        lines.session.lines += ["one", "two"]
        assert lines(":history 1").split() == ["2", "two"]

    def test_help(self, lines):
        assert "search QUERY" not in lines("help") and "find ranked answers" in lines("help")
        assert lines(":help search").startswith("usage: search [QUERY…]")
        assert "irtui" not in lines("help get")
        assert lines("help select").startswith("usage: select")
        assert lines("help :use").startswith("usage: :use")

    def test_some_things_need_a_prompt(self, lines):
        assert "only works at a prompt" in lines.error(":tui")

    def test_leaving(self, lines):
        for word in (":q", "exit", "quit"):
            lines.session.over = False
            lines(word)
            assert lines.session.over


def test_what_a_document_says_is_cleaned_for_whoever_looks(lines):
    for line in ("get evil.md", "search -m lexical zebra", "$_", "$_ | fields text", "$_ | tsv"):
        shown = lines(line)
        assert "zebra" in shown
        assert not set("\x1b\x07\x9b\u202e") & set(shown)
    assert not set("\x1b\x07\x9b\u202e") & set(lines("$1 | fields text | ! cat"))
    assert "\\u001b[2J\\u009b31m\\u202e" in lines("$1 | json")


def test_a_fault_nobody_thought_of_ends_the_line_and_not_the_session(monkeypatch):
    monkeypatch.setattr("irtui.shell.running.lookup", lambda name: 1 / 0)
    session, captured = Session(), Captured()
    assert run_line(session, "ls", captured_front(captured)) == 70
    assert "internal error: ZeroDivisionError" in captured.said[0][1]


def test_the_shell_loads_nothing_heavy():
    heavy = {"numpy", "chromadb", "prompt_toolkit", "rich", "textual", "irengine.base"}
    loaded = "import sys, irtui.shell.running, irtui.shell.scripts, irtui.shell.start"
    code = f"{loaded}; assert not {heavy!r} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
