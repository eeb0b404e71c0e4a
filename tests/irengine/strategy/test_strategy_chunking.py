"""Where texts are cut when characters count."""

from __future__ import annotations

import pytest

from irengine.errors import ParameterError
from irengine.strategy import _split
from irengine.strategy.boundaries import is_safe
from irengine.strategy.chunking import chunks_of

WORDS = " ".join(f"word{i}" for i in range(400))
SENTENCES = " ".join(f"Sentence number {i} says something." for i in range(80))


def chunks(text, size=200, overlap=40):
    return chunks_of(text, chunk_size=size, overlap=overlap)


def test_blank_text_has_no_chunks():
    assert _split(" \n\t\n", chunk_size=10, overlap=2) == []


def test_a_text_that_fits_is_one_stripped_chunk():
    assert _split("\n  one\n\n\ntwo \n", chunk_size=50, overlap=5) == ["one\n\n\ntwo"]


def test_a_string_without_white_space_is_cut_in_fixed_windows():
    text = "aaa\n\n" + "z" * 12 + "\n\nbbb"
    expected = ["aaa", "zzzzz", "zzzzz", "zzzzz", "zzz", "bbb"]
    assert _split(text, chunk_size=5, overlap=2) == expected


def test_no_window_lies_inside_the_one_before():
    assert [len(c) for c in _split("x" * 370, chunk_size=200, overlap=20)] == [200, 190]


def test_an_overlap_as_large_as_the_chunk_is_capped():
    assert len(_split("x" * 20, chunk_size=10, overlap=99)) == 11


def test_paragraphs_are_packed_and_kept_whole():
    text = "para one.\n\npara two.\n\npara three."
    assert _split(text, chunk_size=20, overlap=0) == ["para one.\n\npara two.", "para three."]


@pytest.mark.parametrize("text", [WORDS, SENTENCES])
def test_no_chunk_starts_or_ends_inside_a_word(text):
    for chunk in chunks(text):
        assert text[chunk.start - 1 : chunk.start] in ("", " ")
        assert text[chunk.end : chunk.end + 1] in ("", " ")


def test_the_overlap_starts_with_a_word_and_is_at_most_what_was_asked():
    found = chunks(WORDS)
    for before, after in zip(found, found[1:], strict=False):
        assert 0 < before.end - after.start <= 40
        assert after.text.startswith("word")


def test_the_overlap_starts_with_a_sentence_if_one_is_near():
    for chunk in chunks(SENTENCES, overlap=60):
        assert chunk.text.startswith("Sentence")
        assert chunk.text.endswith(".")


def test_abbreviations_and_initials_end_no_sentence():
    text = "We met J. R. Smith, e.g. at v. 2 of it, for a long time. Then we left again soon."
    assert _split(text, chunk_size=70, overlap=0)[0].endswith("time.")


def test_a_paragraph_is_not_cut_for_the_sake_of_the_overlap():
    paragraphs = [" ".join([letter * 8] * 20) for letter in "abc"]  # 179 characters each
    found = [c.text for c in chunks("\n\n".join(paragraphs), size=200, overlap=60)]
    assert [p in c for p, c in zip(paragraphs, found, strict=True)] == [True] * 3


def test_chunks_break_at_headings_and_do_not_reach_back_across_them():
    section = "Some prose of a section. " * 5
    text = f"# A\n\n{section}\n\n## B\n\n{section}\n\n## C\n\n{section}"
    found = chunks(text, size=250, overlap=50)
    assert [c.heading for c in found] == ["A", "A > B", "A > C"]
    assert [c.text.splitlines()[0] for c in found] == ["# A", "## B", "## C"]


def test_a_heading_is_not_left_at_the_end_of_a_chunk():
    text = "Some prose here. " * 10 + "\n\n## Next\n\n" + "More of prose there. " * 10
    for chunk in chunks(text, size=185, overlap=0):
        assert not chunk.text.endswith("## Next")


def test_the_heading_is_the_one_in_force_at_the_start():
    text = "intro\n\n# A\n\n" + WORDS
    found = chunks(text)
    assert found[0].heading == ""
    assert {c.heading for c in found[1:]} == {"A"}


def test_a_hash_in_a_fence_is_no_heading_and_no_place_to_cut():
    fence = "```sh\n" + "# comment\n" * 12 + "\n\nls\n```"
    text = f"{WORDS[:150]}\n\n{fence}\n\n{WORDS[:150]}"
    found = chunks(text)
    assert [fence in c.text for c in found].count(True) == 1
    assert {c.heading for c in found} == {""}


def test_a_fence_that_does_not_fit_is_cut_at_line_ends():
    lines = [f"value_{i} = compute(value_{i - 1})" for i in range(40)]
    text = "```\n" + "\n".join(lines) + "\n```"
    for chunk in chunks(text):
        assert set(chunk.text.splitlines()) <= {*lines, "```"}


def test_list_items_and_table_rows_are_kept_whole():
    for mark in ("- ", "3. ", "| "):
        lines = [f"{mark}entry number {i} with some more words" for i in range(30)]
        for chunk in chunks("\n".join(lines)):
            assert set(chunk.text.splitlines()) <= set(lines)


def test_hard_wrapped_prose_is_cut_at_sentences_rather_than_line_ends():
    text = SENTENCES.replace(" something. Sentence", " something. Sentence\nmore")
    for chunk in chunks(text)[:-1]:
        assert chunk.text.endswith(".")


def test_line_numbers_are_exact_and_inclusive():
    text = "\n\none two\nthree\n\n\nfour five\nsix\n"
    assert [(c.text, c.line_start, c.line_end) for c in chunks(text, size=14, overlap=0)] == [
        ("one two\nthree", 3, 4),
        ("four five\nsix", 7, 8),
    ]


def test_chinese_is_cut_after_full_stops():
    text = "这是一个关于搜索引擎的句子。" * 60
    for chunk in chunks(text):
        assert chunk.text.startswith("这是")
        assert chunk.text.endswith("。")


def test_chinese_without_punctuation_is_cut_anywhere_but_latin_words_stay_whole():
    for chunk in chunks("使用Kubernetes集群部署" * 60):
        assert chunk.text.count("Kubernetes") == chunk.text.count("K") == chunk.text.count("s集")


FAMILY = "👨‍👩‍👧‍👦"


@pytest.mark.parametrize(
    "cluster", [FAMILY, "e\u0301", "👍🏽", "🇫🇷", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "हि", "✌️", "각", "\r\n"]
)
def test_grapheme_clusters_stay_whole(cluster):
    text = cluster * 100
    for size in range(20, 31):
        for chunk in chunks(text, size=size, overlap=5):
            assert chunk.text.replace(cluster, "").strip() == ""
    assert all(not is_safe(cluster, i) for i in range(1, len(cluster)))


def test_a_longer_string_without_white_space_is_cut_after_punctuation():
    text = ",".join(f'{{"key":{i}}}' for i in range(300))
    for chunk in chunks(text, overlap=0)[:-1]:
        assert not chunk.text[-1].isalnum()


@pytest.mark.parametrize(
    "unit", ["x", "QUJD", "中", "a" * 50 + " ", "\u0301", "```\n", "# h\n", "-\n", ". ", "\n"]
)
def test_a_megabyte_of_anything_is_cut_within_bounds(unit):
    text = unit * (1_000_000 // len(unit))
    found = chunks(text, size=1200, overlap=200)
    assert all(0 < len(c.text) <= 1200 for c in found)
    assert len(found) <= len(text) // 500 + 1


@pytest.mark.parametrize(
    ("sizes", "name"),
    [
        ({"chunk_size": 0, "overlap": 0}, "chunk_size"),
        ({"chunk_size": 10, "overlap": -1}, "overlap"),
        ({"chunk_size": 2.5, "overlap": 0}, "chunk_size"),
        ({"chunk_size": 10, "overlap": 0, "max_tokens": 0}, "max_tokens"),
    ],
)
def test_sizes_that_make_no_sense_are_refused_by_name(sizes, name):
    with pytest.raises(ParameterError, match=name):
        chunks_of("text", **sizes)
