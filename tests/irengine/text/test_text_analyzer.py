"""What the analyzer makes of words, identifiers, scripts and symbols."""

from __future__ import annotations

import doctest
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.text import ANALYZER_ID, _normalize, _snippets, analyze, analyzer, query_terms
from irengine.text._normalize import clean, clean_with_offsets, fold
from irengine.text._tokens import MAX_PARTS, MAX_WORD, plain_term, tokens

ANY_TEXT = st.text(st.characters(), max_size=60)
CHUNK = st.text(
    st.one_of(
        st.sampled_from("abcXYZ019-_./:'@#+&,`[$%»é…"),
        st.characters(exclude_categories=["Zs", "Zl", "Zp", "Cc"]),
    ),
    max_size=20,
).filter(lambda text: len(text.split()) == 1 and text == text.strip())


def test_importing_the_package_loads_neither_numpy_nor_the_stemmer():
    code = (
        "import sys, irengine.text;sys.exit(','.join({'numpy', 'Stemmer'} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module", [analyzer, _normalize, _snippets])
def test_the_examples_in_the_docstrings_hold(module):
    assert doctest.testmod(module).failed == 0


def test_the_analyzer_has_an_id():
    assert ANALYZER_ID == "words-stem-bigrams/2"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        (" \t\n", []),
        ("The dependencies, ran!", ["the", "depend", "ran"]),
        ("agents agent", ["agent", "agent"]),
        ("STRASSE Straße", ["strass", "strass"]),
        ("ﬁle Ａｂｃ", ["file", "abc"]),
        ("don't it's", ["don't", "it"]),
        ("mp3 v2 sha256", ["mp3", "v2", "sha256"]),
        ("1,000 items", ["1,000", "1", "000", "item"]),
    ],
)
def test_words(text, terms):
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("identifier", "terms"),
    [
        ("fetchUrl", ["fetchurl", "fetch", "url"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("PDFs", ["pdf"]),
        ("my_tool", ["my_tool", "mytool", "my", "tool"]),
        ("cloud-init", ["cloud-init", "cloudinit", "cloud", "init"]),
        ("PIO-1384", ["pio-1384", "pio", "1384"]),
        ("2026.4.10", ["2026.4.10", "2026", "4", "10"]),
        ("grammar::fa", ["grammar::fa", "grammar", "fa"]),
        ("src/store.ts", ["src/store.ts", "store.ts", "src", "store", "ts"]),
        ("git@github.com", ["git@github.com", "github.com", "git", "github", "com"]),
        ("a'b", ["a'b", "a", "b"]),
        ("O’Brien", ["o'brien", "o", "brien"]),
        ("Breeder's", ["breeder"]),
        ("Mom’s", ["mom"]),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        ("multi‑agent", ["multi-agent", "multiag", "multi", "agent"]),
    ],
)
def test_identifiers_are_kept_whole_and_split(identifier, terms):
    assert sorted(analyze(identifier)) == sorted(terms)
    assert analyze(f"({identifier}),") == analyze(identifier)


def test_the_whole_of_an_identifier_is_found_in_any_of_its_spellings():
    assert set(query_terms("plugin")) & set(analyze("plug-in"))
    assert set(query_terms("fetch_url")) & set(analyze("fetchUrl")) >= {"fetchurl", "fetch", "url"}


def test_accented_words_give_their_folded_and_their_exact_form():
    assert analyze("Châtelier") == ["chateli", "châtelier"]
    assert analyze("smørrebrød Łódź naïve") == [
        "smorrebrod", "smørrebrød", "lodz", "łódź", "naiv", "naïv",
    ]  # fmt: skip
    assert analyze("e\u0301te\u0301") == analyze("été")


def test_optional_marks_are_folded_and_marks_that_make_a_letter_stay():
    assert fold("كُتَّاب") == "كتاب"
    assert fold("שָׁלוֹם") == "שלום"
    assert fold("ёлка") == "елка"
    assert fold("ガ") == "ガ"
    assert fold("हिन्दी") == "हिन्दी"
    assert fold("กี่") == "กี่"


@pytest.mark.parametrize("word", ["हिन्दी", "தமிழ்", "বাংলা"])
def test_vowel_signs_do_not_cut_words(word):
    assert analyze(word) == [word]


def test_scripts_without_spaces_give_characters_and_pairs():
    assert analyze("東京都") == ["東", "京", "都", "東京", "京都"]
    assert analyze("세계") == ["세", "계", "세계"]
    assert analyze("2차") == ["2", "차"]
    assert analyze("ｶﾞｽ") == ["ガ", "ス", "ガス"]
    assert analyze("Python入門") == ["python", "入", "門", "入門"]
    assert {"ภา", "ไทย"[:2]} <= set(analyze("ภาษาไทย"))


def test_a_query_takes_single_characters_only_from_runs_of_one():
    assert query_terms("東京都") == ["東京", "京都"]
    assert query_terms("水") == ["水"]


@pytest.mark.parametrize(
    "symbol", ["[", "[[", "((", "{", "}", "]", "%", "$", "^", "~", "!", "°", "🚀"]
)
def test_lone_symbols_are_terms(symbol):
    assert analyze(f"# {symbol}\n") == [symbol]
    assert query_terms(symbol) == [symbol]


@pytest.mark.parametrize(
    "text", [".", "...", "?!", "—", "- * #", "--- === ***", "“ ”", "、。", "!!!"]
)
def test_punctuation_of_prose_is_no_term(text):
    assert analyze(text) == []
    assert query_terms(text) == []


def test_a_symbol_in_backticks_is_always_a_term():
    assert analyze("See `.`, `,` and `[`는") == ["see", ".", ",", "and", "는", "["]


def test_stop_words_are_indexed_and_dropped_from_queries():
    assert analyze("to be") == ["to", "be"]
    assert query_terms("what is the color of it") == ["color"]
    assert query_terms("What's the plan?") == ["plan"]
    assert query_terms("the who") == ["the", "who"]
    assert query_terms("to-do") == ["to-do", "todo", "to", "do"]


def test_stop_words_in_capitals_are_names():
    assert query_terms("IT support in the US") == ["it", "support", "us"]
    assert query_terms("WHAT IS THE PLAN") == ["plan"]
    assert query_terms("cats AND dogs") == ["cat", "dog"]


def test_query_terms_are_distinct_and_in_order():
    assert query_terms("zebra apple Zebras apples") == ["zebra", "appl"]


def test_a_long_query_leaves_out_the_wholes_of_hyphenated_words():
    assert query_terms("cloud-init") == ["cloud-init", "cloudinit", "cloud", "init"]
    assert query_terms("how does cloud-init configure networks") == [
        "cloud", "init", "configur", "network",
    ]  # fmt: skip
    assert "pio-1384" in query_terms("who wrote down what PIO-1384 covers")


def test_blobs_are_bounded():
    assert [len(term) for term in analyze("x" * 10_000)] == [MAX_WORD]
    assert len(analyze("aB3/x" * 5_000)) <= 3 * MAX_PARTS + 2
    assert max(map(len, analyze("a-" * 5_000 + "b"))) <= MAX_WORD


@pytest.mark.parametrize(
    "unit", ["a-", "ऽ", "ऽ/-", "'s", "a_", "__", "A", "aB", "`", "é\u0301", "1,"]
)
def test_no_repetition_takes_more_than_linear_time(unit):
    # Quadratic or worse would not finish.
    assert isinstance(analyze(unit * 40_000 + "-"), list)


def test_a_long_run_without_spaces_is_indexed_to_its_end():
    assert "末尾" in analyze("文" * 5_000 + "末尾")


@pytest.mark.parametrize(
    "text",
    [
        "\u200b",
        "\u202eabc\u202c",
        "\ud800",
        "a\udfffb",
        "\x00",
        "👩‍👩‍👧‍👦",
        "\ufeff",
        "1️⃣",
        "\u0301",
        "İ",
        "Z̸̭͠a",
    ],
)
def test_odd_characters_never_fail(text):
    for term in [*analyze(text), *query_terms(text)]:
        assert term
        term.encode("utf-8")


def test_invisible_characters_do_not_matter():
    assert analyze("co\u00adop\u200ber\ufeffate") == analyze("cooperate")


@given(ANY_TEXT)
def test_any_text_has_terms_that_can_be_stored(text):
    for term in analyze(text):
        assert term
        assert len(term) <= MAX_WORD * 2
        term.encode("utf-8")


@given(ANY_TEXT)
def test_every_query_term_is_an_index_term_of_the_same_text(text):
    assert set(query_terms(text)) <= set(analyze(text))


@given(st.lists(CHUNK, max_size=5))
def test_chunks_are_analysed_independently(chunks):
    assert analyze(" ".join(chunks)) == [term for chunk in chunks for term in analyze(chunk)]


@given(st.text(st.sampled_from("abAB.,;!?()[]{}\"'*"), min_size=1, max_size=12))
def test_the_shortcut_for_plain_words_gives_the_same_term(chunk):
    term = plain_term(chunk)
    if term is not None:
        assert [token.term for token in tokens(chunk)] == [term]


@given(CHUNK)
def test_offsets_of_cleaned_chunks_stay_in_order_inside_the_chunk(chunk):
    cleaned, starts, ends = clean_with_offsets(chunk)
    assert cleaned == clean(chunk)
    assert len(starts) == len(ends) == len(cleaned)
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(0 <= start < end <= len(chunk) for start, end in zip(starts, ends, strict=True))


def test_threads_get_the_same_terms():
    text = " ".join(f"running{letter}s dependencies" for letter in "abcdefghij")
    results: list[list[str]] = []
    workers = [threading.Thread(target=lambda: results.append(analyze(text))) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(terms == analyze(text) for terms in results)


def test_a_number_with_leading_zeros_is_also_the_number():
    assert query_terms("0401") == ["0401", "401"]
    assert "401" in analyze("text/0401-coercions.md")
    assert analyze("000") == ["000"]
