"""Queries that users of comparable tools reported as broken, at the level of BM25."""

from __future__ import annotations

import numpy as np
import pytest

from irengine.text import match_spans, query_terms
from irengine.text.bm25 import bm25_scores, top
from irengine.text.postings import build_postings

OTHERS = ["A grocery list for the weekend", "Notes about nothing at all", "한국어 문서", "東西南北"]


def ranking(query: str, *texts: str) -> list[str]:
    """Return the matching texts, best first, out of ``texts`` and some that don't matter."""
    everything = [*texts, *OTHERS]
    postings = build_postings(everything)
    rows, scores, _ = bm25_scores([(postings, 0)], query_terms(query))
    order = top(rows, scores, len(everything), np.arange(postings.n, dtype=np.uint64))
    return [everything[rows[i]] for i in order]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("DEC-0054 approved", "DEC-0054"),
        ("DEC-0054 approved", '"DEC-0054"'),
        ("DEC-0054 approved", "dec 0054"),
        ("PIO-1384 covers cloud-init", '"PIO-1384"'),
        ("PIO-1384 covers cloud-init", "cloud-init"),
        ("version 2026.4.10 is out", "2026.4.10"),
        ("A multi-agent memory with roles", "multi-agent role-based memory"),
        ("saved in Downloads/transcripts today", "Downloads/transcripts"),
        ("multi-agent systems", "multi-agent"),
        ("the name a'b stands here", "a'b"),
        ("use grammar::fa for Persian", "grammar::fa"),
        ("Breeder's and Exhibitor's Association", "Breeder's and Exhibitor's Association"),
        ("Mom's Recipes", "Mom's"),
        ("Mom’s Recipes", "Mom's"),
        ("set my_var_name before use", "my_var_name"),
        ("call fetchUrl with care", "fetch url"),
        ("edit src/store.ts first", "store.ts"),
        ("run `ssh -T git@github.com`", '"ssh -T git"'),
        ("written in C++ only", "C++"),
        ("Zero runtime dependencies", "Why does Hono avoid runtime dependencies?"),
        ("中文合約轉換體驗課問題", "中文合約"),
        ("中文合約轉換體驗課問題", "轉換"),
        ("中文合約轉換體驗課問題", "課"),
        ("東京タワーの夜景はきれいです", "夜景"),
        ("東京タワーの夜景はきれいです", "タワー"),
        ("보드게임을 좋아합니다", "보드게임"),
        ("příliš žluťoučký kůň", "zlutoucky"),
        ("Le Châtelier", "chatelier"),
        ("Le Chatelier", "Châtelier"),
        ("كُتَّاَبْ بيوت نبات", "كتاب"),
        ("# [\n\n> Check file types.", "["),
        ("# {\n\n> Group commands.", "{"),
        ("# $\n\n> Expand a variable.", "$"),
        ("# %\n\n> Manage jobs.", "%"),
        ("the angle in ° of arc", "°"),
    ],
)
def test_the_text_is_found_and_first(text, query):
    assert ranking(query, text)[0] == text


@pytest.mark.parametrize("query", ["", "   ", "\n", "?!", '""', "...", "'", "\u200b"])
def test_blank_queries_find_nothing(query):
    assert ranking(query, "some text ? ! ... '") == []


def test_the_exact_version_stands_above_its_prefix():
    exact, other = "release 2026.4.10 notes", "release 2026.4.1 notes"
    assert ranking("2026.4.10", other, exact)[0] == exact
    assert ranking("2026.4.1", exact, other)[0] == other


@pytest.mark.parametrize(
    ("query", "exact", "scattered"),
    [
        ("DEC-0054", "DEC-0054 was approved", "DEC meets DEC; item 0054, see 0054"),
        ("cloud-init", "set up with cloud-init here", "the cloud will init the cloud init"),
        ("my_tool", "the my_tool helper runs", "my tool is my own tool for my work"),
        ("fetchUrl", "the fetchUrl helper runs", "fetch a url, then fetch a url again"),
        ("src/store.ts", "change src/store.ts here", "store src ts store src ts"),
    ],
)
def test_a_whole_identifier_stands_above_its_scattered_parts(query, exact, scattered):
    assert ranking(query, scattered, exact)[0] == exact


@pytest.mark.parametrize("query", ["A-Company", '"A-Company"'])
def test_single_letters_of_identifiers_do_not_pollute(query):
    company = "The A-Company files its annual report"
    assert ranking(query, "a big cat", company, "a a a a") == [company]


def test_stop_words_do_not_outweigh_content_words():
    answer = "Back up your database, then start the migration"
    noise = "before before before and what should one do before that"
    assert ranking("What should I do before a database migration?", noise, answer) == [answer]


def test_inflected_words_are_found():
    assert ranking("dependency", "Zero runtime dependencies") == ["Zero runtime dependencies"]


def test_the_exact_accent_stands_above_the_plain_spelling():
    exact, plain = "le résumé complet", "le resume complet"
    assert ranking("résumé", plain, exact) == [exact, plain]
    assert set(ranking("resume", plain, exact)) == {exact, plain}


def test_diacritics_do_not_shift_the_highlight():
    text = "كُتَّاَبْ بيوت نبات"
    ((start, end),) = match_spans(text, "نبات")
    assert text[start:end] == "نبات"
