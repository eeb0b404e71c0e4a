"""Faults people met in search tools, from a folder to the hits: words, scripts, headings, fields.

One folder of small notes is indexed once; every note is there because somebody could not find one
like it.
"""

from __future__ import annotations

import unicodedata

import pytest

import irengine as ir
from irengine.text import highlight
from irtui.commands.ranking import hit_data

NOTES = {
    "decisions/signing.md": "# Signing keys\n\nDEC-0054 approved: keys are rotated monthly.\n",
    "decisions/storage.md": "# Storage\n\nDEC-0053 was about the archive, DEC-0045 about tapes.\n",
    "issues/boot.md": "# Slow boot\n\nPIO-1384 covers cloud-init. See the note of last week.\n",
    "issues/network.md": "# Network\n\nA note about the network that names no other product.\n",
    "releases/ten.md": "# April\n\nVersion 2026.4.10 fixes the importer.\n",
    "releases/one.md": "# April first\n\nVersion 2026.4.1 breaks the importer. 2026.4.1 is old.\n",
    "agents.md": "# Teams of agents\n\nA multi-agent setup with role-based memory for each.\n",
    "paths.md": "# Where things are\n\nTranscripts are kept in Downloads/transcripts here.\n",
    "grammar.md": "# Parser\n\nCall grammar::fa to build the finite automaton.\n",
    "club.md": "---\ntitle: Breeder's and Exhibitor's Association\n---\n\nMeets every May.\n",
    "kitchen/Mom's Recipes.md": "Stir the dough and wait an hour.\n",
    "kitchen/C# - notes; draft #2.md": "What the course said on the first evening.\n",
    "code.md": "# Settings\n\nThe limit is read from `my_var_name` when it starts.\n",
    "company.md": "# Suppliers\n\nA-Company delivers the paper on Mondays.\n",
    "cat.md": "# Pets\n\nA big cat is a cat, and a company of cats is a clowder. A cat, a dog.\n",
    "ssh.md": "# Keys\n\nTest the login with `ssh -T git@github.com` before you push.\n",
    "hono.md": "# Hono\n\nZero runtime dependencies: it uses Web Standards only.\n",
    "before.md": "# Diary\n\nBefore noon, before lunch, before tea: as before, we did it before.\n",
    "migration.md": "# Migrations\n\nBack up the database, then run the schema migration.\n",
    "strong.md": "# Beekeeping\n\nBeekeeping: bees, hives and beekeeping tools for bees.\n",
    "weak.md": "# Village\n\nAmong a baker, a smith and a school there is some beekeeping.\n",
    "contract.md": "# 文件\n\n中文合約轉換體驗課問題\n",
    "simplified.md": "# 单位\n\n温度单位的转换方法。\n",
    "tokyo.md": "# 旅行\n\n東京タワーの近くで美味しいラーメンを食べました。\n",
    "kyoto.md": "# 寺\n\n京都では静かなお寺を訪れました。\n",
    "seoul.md": "# 여행\n\n서울에서는 지하철이 편리합니다.\n",
    "horse-accented.md": "# Kůň\n\nPříliš žluťoučký kůň úpěl ďábelské ódy.\n",
    "horse-plain.md": "# Kun\n\nPrilis zlutoucky kun upel dabelske ody.\n",
    "principle.md": "# Equilibrium\n\nLe Châtelier said how it shifts.\n",
    "arabic.md": "كُتَّاَبْ بيوت نبات\n",
    "fence.md": "---\ntags: [shell]\n---\n```sh\n# no\nls\n```\n\n# Listing files\n\nUse ls.\n",
    "alpha/overview.md": "---\nowner: someone\n---\n# Overview\n\nThe alpha service sends mail.\n",
    "beta/overview.md": "# Overview\n\n---\n\n\nThe beta service sends letters.\n\n---\n",
    "broken-link.md": "# Ideas\n\nSee [[nope]] and [gone](missing.md) on kites.\n",
    "broken-fields.md": "---\ntitle: Duplicates\ntags: [a, b]\nlevel: 1\nlevel: 2\n---\nHeron.\n",
    "only-a-title.md": "---\ntitle: Zanzibar itinerary\n---",
    "rust.md": "---\ntags:\n  - rust\n  - async\nyear: 2024\n---\nA scheduler for tasks.\n",
    "c.md": "---\ntags: c, kernel\nyear: 2019\n---\nA scheduler for tasks.\n",
}
WORDS = ("lexical", "hybrid")


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> ir.Corpus:
    root = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    source = ir.CorpusSource.from_files(root, name="notes")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("DATA", "CONFIG", "CACHE"):
            patch.setenv(f"IR_{kind}_DIR", str(root.parent / "ir" / kind))
        corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    assert corpus.report.added == len(NOTES)
    return corpus


def ids(corpus: ir.Corpus, query: str, mode: str, **options) -> list[str]:
    return [hit.artifact_id for hit in ir.search(corpus, query, mode=mode, **options)]


def first(corpus: ir.Corpus, query: str, mode: str, **options) -> str:
    return (ids(corpus, query, mode, **options) or ["nothing"])[0]


def marked(corpus: ir.Corpus, query: str, mode: str = "lexical") -> list[str]:
    """Return what is highlighted in the best hit."""
    best = ir.search(corpus, query, mode=mode)[0]
    snippet = highlight(best.text, query)
    return [snippet.text[start:end] for start, end in snippet.spans]


# -- punctuation and syntax -----------------------------------------------------------------


@pytest.mark.parametrize("mode", WORDS)
@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("DEC-0054", "decisions/signing.md"),
        ("dec-0054", "decisions/signing.md"),
        ('"DEC-0054"', "decisions/signing.md"),
        ("DEC-0045", "decisions/storage.md"),
        ('"PIO-1384"', "issues/boot.md"),
        ("cloud-init", "issues/boot.md"),
    ],
)
def test_a_hyphenated_id_is_found_quoted_or_not(notes, mode, query, known):
    assert first(notes, query, mode) == known


def test_a_minus_before_a_quoted_word_is_no_error(notes):
    for mode in WORDS:
        assert "issues/network.md" in ids(notes, 'note -"cloud-init"', mode)


@pytest.mark.parametrize("mode", WORDS)
def test_a_version_is_not_beaten_by_a_version_it_starts_with(notes, mode):
    assert first(notes, "2026.4.10", mode) == "releases/ten.md"
    assert first(notes, "2026.4.1", mode) == "releases/one.md"


@pytest.mark.parametrize("mode", WORDS)
@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("vec: multi-agent role-based memory", "agents.md"),
        ("multi-agent", "agents.md"),
        ("multi agent", "agents.md"),
        ("Downloads/transcripts", "paths.md"),
        ("grammar::fa", "grammar.md"),
        ("my_var_name", "code.md"),
        ("MY_VAR_NAME", "code.md"),
        ("A-Company", "company.md"),
        ('"A-Company"', "company.md"),
        ('"ssh -T git"', "ssh.md"),
        ("ssh -T git@github.com", "ssh.md"),
    ],
)
def test_a_colon_dash_slash_or_underscore_is_no_operator(notes, mode, query, known):
    assert first(notes, query, mode) == known


@pytest.mark.parametrize("mode", [*WORDS, "dense"])
@pytest.mark.parametrize("query", ["", "   ", "\t\n", "\u3000"])
def test_a_blank_query_finds_nothing(notes, mode, query):
    assert ids(notes, query, mode) == []


@pytest.mark.parametrize("mode", [*WORDS, "dense"])
@pytest.mark.parametrize(
    "query",
    ["a'b", "'", '"', '"unclosed', "(", "a AND", "NOT", "a NEAR b", "*", "-", "--", "a:b:", "^a",
     "{x}", "[", "\\", "%_", ";", "#", "x" * 5000, "\x00", "\ud800", "🐝", ". 。"],
)  # fmt: skip
def test_no_query_is_a_syntax_error(notes, mode, query):
    ir.search(notes, query, mode=mode)


@pytest.mark.parametrize("mode", WORDS)
@pytest.mark.parametrize("query", ["Breeder's and Exhibitor's Association", "breeders association"])
def test_a_title_with_and_and_apostrophes_finds_its_note(notes, mode, query):
    assert first(notes, query, mode) == "club.md"


@pytest.mark.parametrize("mode", WORDS)
@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("Mom's", "kitchen/Mom's Recipes.md"),
        ("Mom’s recipes", "kitchen/Mom's Recipes.md"),
        ("Mom's Recipes.md", "kitchen/Mom's Recipes.md"),
        ("C# - notes; draft #2", "kitchen/C# - notes; draft #2.md"),
    ],
)
def test_a_file_is_found_by_a_name_with_punctuation(notes, mode, query, known):
    # The light vectors know nothing of names, so that only words can put it first.
    assert known in ids(notes, query, mode)[: 1 if mode == "lexical" else 3]


def test_a_note_that_is_only_a_title_is_found(notes):
    for mode in WORDS:
        assert first(notes, "Zanzibar", mode) == "only-a-title.md"


def test_a_quoted_phrase_in_backticks_is_shown_and_marked(notes):
    best = ir.search(notes, '"ssh -T git"', mode="lexical")[0]
    shown = hit_data(1, best, '"ssh -T git"')
    assert "`ssh -T git@github.com`" in shown["snippet"]
    assert shown["line"] == 3
    assert {"ssh", "T", "git"} <= set(marked(notes, '"ssh -T git"'))


# -- questions and scores -------------------------------------------------------------------


@pytest.mark.parametrize("mode", WORDS)
@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("Why does Hono avoid runtime dependencies?", "hono.md"),
        ("What should I do before I run a schema migration?", "migration.md"),
        ("before what must the database be backed up", "migration.md"),
        ("Which of our suppliers is it that delivers the paper?", "company.md"),
        ("How often are the keys rotated and by which decision?", "decisions/signing.md"),
        ("where are the transcripts kept?", "paths.md"),
    ],
)
def test_the_content_words_of_a_question_decide(notes, mode, question, known):
    assert first(notes, question, mode) == known


@pytest.mark.parametrize("options", [{"mode": mode} for mode in (*WORDS, "dense")])
def test_a_strong_match_scores_above_a_weak_one(notes, options):
    found = {hit.artifact_id: hit.score for hit in ir.search(notes, "beekeeping bees", **options)}
    assert found["strong.md"] > found["weak.md"] > 0


@pytest.mark.parametrize("options", [{"mode": "dense"}, {"mode": "hybrid", "fusion": "blend"}])
def test_scores_by_meaning_are_shares_of_one_that_a_threshold_can_cut(notes, options):
    scores = [hit.score for hit in ir.search(notes, "beekeeping bees", k=2, **options)]
    assert 1 > scores[0] > scores[1] > 0


def test_a_hit_by_stem_alone_has_a_score(notes):
    (best, *_) = ir.search(notes, "migrating schemas", mode="lexical")
    assert best.artifact_id == "migration.md"
    assert best.score > 0


# -- scripts and accents --------------------------------------------------------------------


@pytest.mark.parametrize("mode", WORDS)
@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("中文合約", "contract.md"),
        ("轉換", "contract.md"),
        ("體驗課", "contract.md"),
        ("转换", "simplified.md"),
        ("温度", "simplified.md"),
        ("ラーメン", "tokyo.md"),
        ("東京タワー", "tokyo.md"),
        ("お寺", "kyoto.md"),
        ("京都のお寺", "kyoto.md"),
        ("지하철", "seoul.md"),
        ("서울", "seoul.md"),
    ],
)
def test_part_of_a_text_without_spaces_is_found(notes, mode, query, known):
    assert first(notes, query, mode) == known


@pytest.mark.parametrize("mode", WORDS)
def test_accents_need_not_be_typed_and_count_when_they_are(notes, mode):
    assert set(ids(notes, "zlutoucky", mode)[:2]) == {"horse-accented.md", "horse-plain.md"}
    assert first(notes, "žluťoučký", mode) == "horse-accented.md"
    assert first(notes, unicodedata.normalize("NFD", "žluťoučký"), mode) == "horse-accented.md"
    assert first(notes, "chatelier", mode) == "principle.md"
    assert first(notes, "CHÂTELIER", mode) == "principle.md"


def test_the_word_that_matched_is_marked_after_combining_marks(notes):
    assert first(notes, "نبات", "lexical") == "arabic.md"
    assert marked(notes, "نبات") == ["نبات"]
    assert marked(notes, "كتاب") == ["كُتَّاَبْ"]
    assert marked(notes, "chatelier") == ["Châtelier"]


# -- headings, titles and fields ------------------------------------------------------------


def hit_of(corpus: ir.Corpus, artifact_id: str, query: str) -> ir.SearchHit:
    filename = artifact_id.rpartition("/")[2]
    wanted = {"filename": filename, "folder": artifact_id.rpartition("/")[0]}
    return ir.search(corpus, query, mode="lexical", filter=wanted)[0]


def test_a_comment_in_a_code_fence_is_no_title(notes):
    hit = hit_of(notes, "fence.md", "ls")
    assert hit.metadata["title"] == "Listing files"
    assert hit.metadata["line_start"] == 4


def test_notes_with_the_same_heading_have_titles_of_their_own(notes):
    alpha = hit_of(notes, "alpha/overview.md", "service")
    beta = hit_of(notes, "beta/overview.md", "service")
    assert (alpha.metadata["title"], beta.metadata["title"]) == ("alpha", "beta")


def test_frontmatter_does_not_leak_into_the_text_and_rules_are_no_hits(notes):
    texts = [record.text for record in ir.records_for_artifact(notes, "alpha/overview.md")]
    assert texts == ["# Overview\n\nThe alpha service sends mail."]
    for artifact_id in NOTES:
        for record in ir.records_for_artifact(notes, artifact_id):
            assert any(char.isalnum() for char in record.text), (artifact_id, record.text)


def test_a_note_with_broken_links_is_indexed(notes):
    for mode in WORDS:
        assert first(notes, "kites", mode) == "broken-link.md"
    assert first(notes, "nope", "lexical") == "broken-link.md"


@pytest.mark.parametrize(
    ("condition", "known"),
    [
        ({"tags": "rust"}, ["rust.md"]),
        ({"tags": "kernel"}, ["c.md"]),
        ({"year": {"$gte": 2020}}, ["rust.md"]),
        ({"tags": {"$in": ["async", "c"]}}, ["c.md", "rust.md"]),
        ({"$not": {"tags": "rust"}}, ["c.md"]),
    ],
)
def test_notes_are_filtered_by_their_frontmatter(notes, condition, known):
    for mode in WORDS:
        found = ids(notes, "scheduler tasks", mode, filter={"$and": [condition, {"ext": "md"}]})
        assert [item for item in sorted(found) if item in ("c.md", "rust.md")] == known


def test_a_key_given_twice_is_named_and_the_other_keys_are_kept(notes):
    (note,) = [note for note in notes.report.notes if note.id == "broken-fields.md"]
    assert note.reason == "duplicate-key"
    assert "'level'" in note.detail
    assert "lines 4 and 5" in note.detail
    fields = hit_of(notes, "broken-fields.md", "heron").metadata
    assert fields["title"] == "Duplicates"
    assert fields["tags"] == ["a", "b"]
    assert fields["level"] == 2
