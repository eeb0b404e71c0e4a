"""Languages are told from scripts and function words, and nothing is made of too little text."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest

from irengine import languages
from irengine.errors import ParameterError
from irengine.languages import LanguageHint, knows_only_english, language_hint, language_of
from irengine.sources import CorpusSource

TEXTS = {
    "English": "The bees of a hive dance to tell each other where the flowers are.",
    "Korean": "벌들은 춤을 추어 꽃이 어디에 있는지 서로에게 알려 준다.",
    "Japanese": "ミツバチは踊って、花がどこにあるかを互いに教え合います。",
    "Chinese": "蜜蜂用舞蹈互相告诉对方花在哪里，这是一种语言。",
    "a language in Cyrillic": "Пчёлы танцуют, чтобы рассказать друг другу, где цветы.",
    "Greek": "Οι μέλισσες χορεύουν για να πουν η μία στην άλλη πού είναι τα λουλούδια.",
    "a language in Arabic script": "يرقص النحل ليخبر بعضه بعضا أين توجد الأزهار.",
    "Hebrew": "הדבורים רוקדות כדי לספר זו לזו היכן הפרחים.",
    "Thai": "ผึ้งเต้นรำเพื่อบอกกันว่าดอกไม้อยู่ที่ไหน",
    "a language of India": "मधुमक्खियाँ नाचकर एक दूसरे को बताती हैं कि फूल कहाँ हैं।",
    "German": "Die Bienen tanzen, um sich zu sagen, wo die Blumen auf der Wiese sind, und das ist "
    "nicht von ungefähr eine Sprache.",
    "French": "Les abeilles dansent pour se dire où sont les fleurs, et cette danse est une langue "
    "que nous avons apprise à lire avec le temps.",
    "Spanish": "Las abejas bailan para decirse dónde están las flores, y es una lengua que los "
    "biólogos han aprendido a leer con el tiempo.",
    "Portuguese": "As abelhas dançam para dizer umas às outras onde estão as flores, e isso não é "
    "uma língua como as dos homens.",
    "Italian": "Le api ballano per dirsi dove sono i fiori, ed è una lingua che gli studiosi hanno "
    "imparato a leggere con il tempo.",
    "Dutch": "De bijen dansen om elkaar te zeggen waar de bloemen zijn, en dat is een taal die wij "
    "met de tijd hebben leren lezen voor het eerst.",
    "Swedish": "Bina dansar för att tala om för varandra var blommorna är, och det är ett språk "
    "som vi har lärt oss att läsa med tiden.",
    "Polish": "Pszczoły tańczą, aby powiedzieć sobie, gdzie są kwiaty, a to jest język, którego "
    "nie znamy od razu, ale się go uczymy na co dzień.",
    "Turkish": "Arılar çiçeklerin nerede olduğunu birbirlerine anlatmak için dans eder ve bu çok "
    "eski bir dil olarak bilinir, ama kadar değil.",
    "Vietnamese": "Những con ong nhảy múa để nói cho nhau biết hoa ở đâu, và đó là một ngôn ngữ "
    "của các loài không có tiếng nói.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_tells_its_language(language):
    assert language_of(TEXTS[language]) == language


def test_a_language_nobody_listed_is_at_least_not_english():
    latvian = "Bites dejo, lai pastāstītu cita citai, kur atrodas ziedi, un šī valoda ir ļoti sena."
    assert language_of(latvian) == "another language"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bees",
        "한국",
        "42 17 3.5",
        "Preliminary Report-International Algebraic Language",
        "λ β γ",
    ],
)
def test_too_little_text_tells_nothing(text):
    assert language_of(text) is None


def test_code_and_addresses_are_no_text():
    korean = TEXTS["Korean"]
    page = (
        f"# tar\n\n> {korean} <https://www.gnu.org/software/tar/manual/tar.html>\n\n`tar czf x`\n"
    )
    assert language_of(page) == "Korean"
    assert language_of(f"```\nfor the sake of all that is in it\n```\n{korean}") == "Korean"
    assert language_of("`the of and to in is that it for was with as are be by`") is None


def test_names_and_quotes_in_other_scripts_leave_a_text_english():
    text = "The Korean word 벌 and the Greek letter β are both written in this English sentence."
    assert language_of(text) == "English"


def hint(*known, **told):
    return LanguageHint(sum(told.values()) + sum(known), told)


@pytest.mark.parametrize(
    ("found", "mostly"),
    [
        (hint(), False),
        (hint(English=9), False),
        (hint(Korean=9), True),
        (hint(Korean=5, English=5), True),
        (hint(Korean=4, English=5), False),
        (hint(Korean=3, German=3, English=5), True),
        (hint(80, Korean=20), True),
        (hint(81, Korean=19), False),  # nine tenths of it is code or numbers
    ],
)
def test_half_of_the_texts_that_tell_decide_when_enough_of_them_do(found, mostly):
    assert found.mostly_foreign is mostly


class TestAdvice:
    def test_it_names_languages_and_the_embedder(self):
        said = hint(Korean=5, German=3, **{"another language": 2}).advice()
        assert said.startswith("most of these texts are not English (Korean, German): ")
        assert "--embedder multilingual" in said
        assert "\n" not in said

    def test_it_says_how_to_install_what_is_missing(self, monkeypatch):
        monkeypatch.setattr(languages.importlib.util, "find_spec", lambda name: None)
        assert hint(Korean=5).advice().endswith("after pip install 'irengine[multilingual]'")
        monkeypatch.setattr(languages.importlib.util, "find_spec", lambda name: name)
        assert "pip install" not in hint(Korean=5).advice()

    def test_there_is_none_for_english_texts_or_another_embedder(self):
        assert hint(English=5).advice() == ""
        assert hint(Korean=5).advice("multilingual") == ""
        assert hint(Korean=5).advice("light") == ""

    @pytest.mark.parametrize("spec", ["default", "", None, "st", "minilm-fp32", " MiniLM "])
    def test_embedders_that_know_english_alone(self, spec):
        assert knows_only_english(spec)

    @pytest.mark.parametrize(
        "spec", ["light", "multilingual", "BAAI/bge-m3", "http://x/v1#m", len, 3, "hashing__dimx"]
    )
    def test_embedders_of_which_nothing_is_said(self, spec):
        assert not knows_only_english(spec)

    def test_the_id_of_a_corpus_does_as_well(self):
        from irengine.embed import DEFAULT_ID

        assert hint(Korean=1).advice(DEFAULT_ID)


class TestSampling:
    def test_texts_mappings_sources_and_corpora_say_the_same(self, corpus_of):
        items = {
            "a": TEXTS["Korean"],
            "b": {"text": TEXTS["English"]},
            "c": {"text": TEXTS["Korean"]},
            "d": "1 2 3",
        }
        expected = LanguageHint(4, {"Korean": 2, "English": 1})
        assert language_hint(items.values()) == expected
        assert language_hint(items) == expected
        assert language_hint(CorpusSource.from_mapping(items, name="t")) == expected
        corpus = corpus_of(items)
        assert language_hint(corpus) == language_hint(corpus.store) == expected
        assert list(expected.told) == ["Korean", "English"]
        assert json.loads(json.dumps(expected.to_dict()))["mostly_foreign"] is True
        assert expected.foreign == ("Korean",)

    def test_a_sample_is_spread_evenly_and_only_it_is_read(self):
        class Items(dict):
            read = []

            def __getitem__(self, key):
                self.read.append(key)
                return super().__getitem__(key)

        items = Items({f"{number:04d}": TEXTS["English"] for number in range(1000)})
        assert language_hint(items, sample=4).sampled == 4
        assert items.read == ["0000", "0250", "0500", "0750"]

    def test_files_that_cannot_be_read_are_passed_over(self, tmp_path):
        (tmp_path / "a.md").write_text(TEXTS["Korean"], "utf-8")
        (tmp_path / "b.md").write_bytes(b"\0\1\2\3" * 100)
        (tmp_path / "c.md").write_text(TEXTS["Korean"], "utf-16")
        source = CorpusSource.from_files(tmp_path, name="t")
        assert language_hint(source) == LanguageHint(2, {"Korean": 2})

    def test_an_empty_corpus_has_no_language(self, corpus_of):
        assert language_hint(corpus_of({})) == language_hint([]) == LanguageHint()

    @pytest.mark.parametrize("bad", [0, -1, 2.5, True])
    def test_a_sample_out_of_range(self, bad):
        with pytest.raises(ParameterError, match="sample"):
            language_hint([], sample=bad)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "foreign"),
    [("belebele-ko", True), ("xquad-zh", True), ("cranfield", False), ("cacm", False)]
    + [("livemcpbench", False), ("restbench-tmdb", False), ("skills-kdense-need", False)],
)
def test_real_collections(collection, name, foreign):
    lines = (collection(name) / "corpus.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert language_hint(texts).mostly_foreign is foreign


@pytest.mark.data
def test_real_short_pages_full_of_commands():
    pages = {"pages": [], "pages.ko": []}
    archive = Path(os.environ["IR_TEST_DATA"]) / "tree-tldr.tar.xz"
    with tarfile.open(archive, "r|xz") as tar:
        for member in tar:
            kept = pages.get(next((part for part in member.name.split("/") if "pages" in part), ""))
            if member.isfile() and kept is not None and len(kept) < 300:
                kept.append(tar.extractfile(member).read().decode())
    assert language_hint(pages["pages.ko"]).told == {"Korean": 100}
    assert not language_hint(pages["pages"]).mostly_foreign
