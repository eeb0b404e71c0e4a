"""Which test stands for which fault that people met in comparable tools.

The tables below are kept true by a test: each name they give is that of a test there is.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

import irengine as ir
from irengine.rerank import resolve_reranker

TESTS = Path(__file__).parent
TEXT, FILES, STORAGE = (f"test_reported_faults_{part}.py" for part in ("text", "files", "storage"))
CLI = "irtui/test_cli_reported.py"

SEARCHING = {
    "hyphenated ids never match": (
        f"{TEXT}::test_a_hyphenated_id_is_found_quoted_or_not",
        f"{CLI}::test_the_first_answer_is_the_right_one",
    ),
    "a quoted hyphenated word is not excluded": (
        f"{TEXT}::test_a_minus_before_a_quoted_word_is_no_error",
        f"{CLI}::test_an_excluded_phrase_is_excluded",
    ),
    "version strings fail": (f"{TEXT}::test_a_version_is_not_beaten_by_a_version_it_starts_with",),
    "compound words, slashes, :: and underscores are operators": (
        f"{TEXT}::test_a_colon_dash_slash_or_underscore_is_no_operator",
        f"{CLI}::test_no_text_is_an_error",
    ),
    "a blank query errs": (
        f"{TEXT}::test_a_blank_query_finds_nothing",
        f"{CLI}::test_a_blank_query_is_empty",
    ),
    "ordinary words are read as syntax": (f"{TEXT}::test_no_query_is_a_syntax_error",),
    "and, or, not and apostrophes give nothing": (
        f"{TEXT}::test_a_title_with_and_and_apostrophes_finds_its_note",
    ),
    "names with punctuation are unsearchable": (
        f"{TEXT}::test_a_file_is_found_by_a_name_with_punctuation",
    ),
    "a phrase in back-ticks is counted and not shown": (
        f"{TEXT}::test_a_quoted_phrase_in_backticks_is_shown_and_marked",
    ),
    "questions return nothing, stop words displace the others": (
        f"{TEXT}::test_the_content_words_of_a_question_decide",
        f"{TEXT}::test_a_hit_by_stem_alone_has_a_score",
    ),
    "scores are inverted or all the same": (
        f"{TEXT}::test_a_strong_match_scores_above_a_weak_one",
        f"{TEXT}::test_scores_by_meaning_are_shares_of_one_that_a_threshold_can_cut",
    ),
    "one formulation takes the weight of another": (
        "irengine/test_formulate.py::test_no_formulation_counts_for_more_than_another",
        "irengine/retrieve/test_retrieve_fuse_hits.py::test_weights_say_how_far_a_source_is_trusted",
    ),
    "parts of texts without spaces": (f"{TEXT}::test_part_of_a_text_without_spaces_is_found",),
    "accents must be typed": (f"{TEXT}::test_accents_need_not_be_typed_and_count_when_they_are",),
    "stripped marks shift highlights": (
        f"{TEXT}::test_the_word_that_matched_is_marked_after_combining_marks",
    ),
    "filter by frontmatter": (
        f"{TEXT}::test_notes_are_filtered_by_their_frontmatter",
        "irtui/test_cli_query.py::test_all_must_hold",
    ),
    "a # in a fence becomes the title": (f"{TEXT}::test_a_comment_in_a_code_fence_is_no_title",),
    "a key given twice": (f"{TEXT}::test_a_key_given_twice_is_named_and_the_other_keys_are_kept",),
    "frontmatter leaks, rules rank, titles are the same": (
        f"{TEXT}::test_notes_with_the_same_heading_have_titles_of_their_own",
        f"{TEXT}::test_frontmatter_does_not_leak_into_the_text_and_rules_are_no_hits",
    ),
    "a note with a broken link is dropped": (f"{TEXT}::test_a_note_with_broken_links_is_indexed",),
    "one empty corpus empties all": (
        f"{STORAGE}::test_an_empty_corpus_beside_another_takes_no_hits_away",
        "irtui/test_cli_query.py::test_a_field_of_one_corpus_is_no_mistake_where_others_are_asked_too",
    ),
    "several documents by the ids one is got by": (
        "irtui/test_cli_get.py::test_takes_the_docids_get_takes",
    ),
    "_ and % are wildcards": ("irtui/test_cli_get.py::test_nothing_is_a_wildcard",),
    "no hits are prose or nothing in JSON": (
        f"{STORAGE}::test_no_hits_are_an_empty_json_list_and_nothing_else",
        "irtui/test_cli_formats.py::test_a_failure_leaves_standard_output_empty",
    ),
    "unknown parameters are ignored": (
        "irengine/test_tools.py::test_a_parameter_of_another_name_is_refused",
    ),
    "an evaluation of what is not there prints zeros": (
        "irtui/test_cli_eval.py::test_what_is_wrong_is_said_in_words",
    ),
}
INDEXING = {
    "NFC and NFD names are two": (
        f"{FILES}::test_a_composed_and_a_decomposed_name_are_one_identity",
    ),
    "the locale decides how files are read": (
        f"{FILES}::test_the_locale_has_no_say_in_how_a_file_is_read",
        f"{FILES}::test_the_locale_has_no_say_in_what_a_query_means",
    ),
    "bytes that are no text": (
        f"{FILES}::test_a_file_of_bytes_that_are_no_text_is_skipped_and_spoils_nothing",
    ),
    "frontmatter with CRLF or at the end": (
        f"{FILES}::test_frontmatter_is_read_whatever_the_line_ends",
        f"{FILES}::test_fields_that_end_with_the_file_are_read",
    ),
    "a byte order mark": (f"{FILES}::test_a_byte_order_mark_is_no_part_of_the_title",),
    "names of symbols, names alike, names in another case": (
        f"{FILES}::test_files_whose_names_look_alike_or_like_nothing_are_all_indexed",
    ),
    "loops of links": (f"{FILES}::test_a_loop_of_links_ends_and_lists_each_file_once",),
    "links out of the folder": (
        f"{FILES}::test_a_link_out_of_the_folder_stops_nothing_and_is_followed_when_wanted",
    ),
    "an unreadable file": (f"{FILES}::test_an_unreadable_file_is_counted_and_stops_no_other",),
    "the last file": (f"{FILES}::test_the_last_file_may_go_and_come_back",),
    "what is no folder": (f"{FILES}::test_what_is_no_folder_is_refused_by_its_resolved_path",),
    "unknown flags": (f"{FILES}::test_a_mask_is_an_option_or_an_error_and_never_ignored",),
    "dotted folders": (f"{FILES}::test_a_dotted_folder_is_let_in_when_asked_for",),
    "ignore files": (f"{FILES}::test_only_ignore_files_of_search_and_of_git_leave_files_out",),
    "gone and edited files are served": (
        f"{FILES}::test_a_hit_whose_file_is_gone_or_edited_is_not_passed_off_as_fresh",
        "irtui/test_cli_faults.py::test_an_edited_file_is_marked",
        "irtui/test_cli_get.py::test_a_gone_file_is_printed_as_it_was_indexed",
    ),
    "an update from the wrong folder": (
        f"{FILES}::test_an_update_from_the_wrong_folder_gives_its_space_back",
        f"{FILES}::test_no_file_keeps_the_text_of_what_was_forgotten",
    ),
    "renames and moves leave ghosts": (f"{FILES}::test_a_rename_and_a_move_leave_no_ghost",),
    "nothing follows edits": (
        "irengine/test_watch.py::test_follows_edits_new_files_renames_and_deletions",
        "irtui/test_cli_upkeep.py::test_a_search_marks_and_refreshes_its_files",
    ),
    "many processes on a cold index": (
        f"{STORAGE}::test_processes_that_open_a_cold_index_at_once_all_succeed",
    ),
    "two builds at once": (
        f"{STORAGE}::test_of_two_builds_at_once_the_second_waits_or_says_who_builds",
    ),
    "an interrupted build": (
        f"{STORAGE}::test_a_killed_build_goes_on_where_it_was_and_no_document_counts_half",
    ),
    "big files": (
        f"{STORAGE}::test_a_big_file_is_indexed_to_its_last_line",
        f"{STORAGE}::test_a_huge_file_is_named_and_stops_no_other",
    ),
    "a reranker fails on a long text": (
        "test_reported_rows.py::test_a_reranker_reads_as_much_of_a_long_text_as_it_can",
    ),
    "a line of punctuation": (f"{TEXT}::test_no_query_is_a_syntax_error",),
    "another model": (
        f"{STORAGE}::test_another_model_is_refused_early_with_the_command_that_switches",
    ),
    "maintenance after another model": (
        "irengine/maintenance/test_maintenance_corpus.py::test_the_embedder_is_never_another_one",
    ),
    "scores of another reranker": (
        "irengine/rerank/test_rerank_resolving.py"
        "::test_no_reranker_is_answered_with_the_scores_of_another",
    ),
    "too many ids at once": (
        f"{STORAGE}::test_thousands_of_ids_are_added_asked_for_and_removed_at_once",
    ),
    "a stale handle overwrites": (
        f"{STORAGE}::test_a_handle_that_was_open_meanwhile_overwrites_nothing",
    ),
    "the text of a hit is another's": (
        f"{STORAGE}::test_the_text_of_a_hit_is_the_text_stored_under_its_id",
    ),
    "a web page reads the index": (
        "irtui/test_web.py::test_the_app_runs_in_a_browser_that_has_the_token",
    ),
}
PROMPT = "irtui/shell/test_prompt_pty.py"
TTY = "irtui/test_cli_tty.py"
SHELL = {
    "slow start": (
        "irtui/test_cli_process.py::test_help_imports_nothing_heavy",
        "irtui/test_cli_process.py::test_a_search_imports_nothing_that_only_builds",
    ),
    "NO_COLOR means none": (
        f"{PROMPT}::test_no_colour_no_accents_and_ctrl_d",
        f"{TTY}::test_a_chosen_theme_has_its_colours_and_no_color_none",
        f"{TTY}::test_plain_when_asked",
    ),
    "light backgrounds": (
        "irtui/test_theme.py::test_every_text_can_be_read_on_what_it_stands_on",
        "irtui/test_theme.py::test_a_theme_is_chosen_for_every_front_end",
    ),
    "ctrl-c": (
        f"{PROMPT}::test_ctrl_c_ends_a_long_command_and_keeps_the_session",
        f"{PROMPT}::test_ctrl_c_clears_a_line",
        f"{PROMPT}::test_ctrl_c_in_a_question_is_no",
    ),
    "a broken or closed terminal": (
        f"{PROMPT}::test_a_signal_leaves_and_the_terminal_is_as_it_was",
    ),
    "escapes and markup in documents": (
        f"{PROMPT}::test_a_document_cannot_steer_the_terminal",
        f"{TTY}::test_only_our_styles_reach_the_terminal",
        "irtui/render/test_clean.py::test_json_is_exact_and_safe",
    ),
    "pipes into it": (
        f"{PROMPT}::test_without_a_terminal_it_is_a_script",
        "irtui/test_cli_get.py::test_a_dash_reads_targets_from_standard_input",
    ),
    "pipes that are closed": (
        f"{TTY}::test_a_closed_pipe_is_quiet_in_every_format",
        "irtui/shell/test_scripts.py::test_a_closed_pipe_is_quiet",
    ),
    "scripts": (
        "irtui/shell/test_scripts.py::test_from_a_file",
        "irtui/shell/test_scripts.py::test_from_a_pipe",
    ),
    "dumb terminals": (
        f"{PROMPT}::test_a_dumb_terminal_gets_plain_lines",
        f"{PROMPT}::test_plain_lines_are_there_for_other_terminals_and_for_screen_readers",
        "irtui/tui/test_pty.py::test_a_dumb_terminal_is_told_what_works_there",
    ),
    "the keys of vim": (
        "irtui/tui/test_keys.py::test_the_keymap_of_vim_adds_keys_and_ones_own_come_after",
        "irtui/tui/test_newcomer.py::test_the_keymap_of_vim_works_in_lists",
    ),
    "long histories": ("irtui/shell/test_completing.py::test_it_is_capped",),
    "completion that freezes": (
        "irtui/shell/test_completing.py::test_any_half_typed_line_completes_among_many_items",
    ),
    "wide characters": ("irtui/render/test_layout.py::test_never_wider_than_asked",),
    "another locale": (
        f"{TTY}::test_a_c_locale_loses_nothing_in_any_format",
        "irtui/render/test_layout.py::test_ascii_streams_get_ascii",
    ),
    "a locale set by the program": (
        "test_reported_rows.py::test_the_locale_is_the_users_and_is_left_alone",
    ),
    "pasting and resizing": (
        f"{PROMPT}::test_ten_pasted_lines_are_shown_and_run_together",
        f"{PROMPT}::test_resizing_redraws",
    ),
    "JSON surprises": (
        "irtui/test_cli_formats.py::test_unicode_is_real_and_control_characters_are_escaped",
        "irtui/render/test_formats.py::test_nothing_keeps_its_shape",
        "irtui/shell/test_parity.py::test_four_ways_give_the_same_json",
    ),
}


@functools.cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("table", [SEARCHING, INDEXING, SHELL], ids=["search", "index", "shell"])
def test_every_row_names_tests_there_are(table):
    named = [name.partition("::") for names in table.values() for name in names]
    assert [(file, test) for file, _, test in named if test not in names_in(file)] == []
    assert all(table.values())


def test_a_reranker_reads_as_much_of_a_long_text_as_it_can():
    long = "Otters swim in the river. " + "nothing else is said here, " * 20_000
    notes = {"long": long, "short": "Otters.", "other": "A heron stands."}
    source = ir.CorpusSource.from_mapping(notes, name="notes", strategy=ir.WholeText())
    corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    for text in ("surface", "artifact"):
        hits = ir.search(corpus, "otters", k=3, rerank="maxsim", rerank_text=text)
        assert {hit.artifact_id for hit in hits[:2]} == {"long", "short"}
    reranker = resolve_reranker("maxsim")
    segments = [{"text": text} for text in (long, "", ". \u3002")]
    scores = list(reranker("otters", segments))
    assert len(scores) == 3 and scores[0] == max(scores)


def test_the_locale_is_the_users_and_is_left_alone():
    root = TESTS.parent
    for package in ("irengine", "irtui"):
        files = list((root / package).rglob("*.py"))
        assert files
        assert [f.name for f in files if "setlocale" in f.read_text(encoding="utf-8")] == []
