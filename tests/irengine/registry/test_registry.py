"""Named corpora: what may be registered, what is stored, and what comes back."""

import json
import unicodedata

import pytest

from irengine.config import corpora_dir, data_dir, registry_path
from irengine.errors import (
    CorpusNotFound,
    EmbedderError,
    InvalidName,
    ParameterError,
    ParameterTypeError,
    RegistryError,
    SourceError,
    UnsupportedStorage,
)
from irengine.policy import GLOBAL_DEFAULT, ReindexPolicy, SynopsisPolicy
from irengine.registry import (
    PRESETS,
    build_corpus,
    corpora,
    get,
    policy_for,
    register,
    registered,
    retriever_for,
    retrievers,
    source_for,
    unregister,
)
from irengine.strategy import Chunked, WholeText

TOOLS = [{"name": "ping", "description": "see whether a host answers"}]


def fetch_tools():
    return TOOLS


def fetch_records():
    return [{"id": "r1", "text": "a record about bees", "topic": "bees"}]


not_callable = 3


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "notes"
    root.mkdir()
    (root / "bees.md").write_text("# Bees\n\nBees dance to tell where flowers are.\n")
    (root / "whales.md").write_text("# Whales\n\nWhales sing.\n")
    return root


class TestWhatIsStored:
    def test_the_shape_of_an_entry(self, folder):
        entry = register("notes", "files", root=folder, embedder="light")
        assert entry == {"kind": "files", "embedder": "light", "params": {"root": str(folder)}}
        assert registered() == {"notes": entry} == corpora()
        assert get("notes") == entry

    def test_the_file_is_readable_json(self, folder):
        register("notizen-ü", "files", root=folder, embedder="light")
        text = registry_path().read_text(encoding="utf-8")
        assert "notizen-ü" in text
        assert text.startswith('{\n  "')
        assert list(json.loads(text)) == ["notizen-ü"]

    def test_optional_keys_appear_only_when_given(self, folder):
        entry = register(
            "notes",
            "files",
            root=folder,
            strategy=Chunked(chunk_size=300),
            maintenance={"reindex": {"on": "manual"}},
            storage={"backend": "local"},
        )
        assert entry["strategy"]["name"] == "Chunked"
        assert entry["maintenance"] == {"reindex": {"on": "manual"}}
        assert entry["storage"] == {"backend": "local"}

    def test_registering_again_replaces_the_whole_entry(self, folder):
        register("notes", "files", root=folder, maintenance={"reindex": {"on": "manual"}})
        register("other", "files", root=folder)
        register("notes", "files", root=folder)
        assert "maintenance" not in get("notes")
        assert list(registered()) == ["notes", "other"]

    def test_paths_become_absolute(self, folder, monkeypatch):
        monkeypatch.chdir(folder.parent)
        assert register("notes", "files", root="notes")["params"]["root"] == str(folder)
        monkeypatch.setenv("HOME", str(folder.parent))
        assert register("notes", "files", root="~/notes")["params"]["root"] == str(folder)

    def test_names_are_compared_composed(self, folder):
        decomposed = unicodedata.normalize("NFD", "für")
        register(decomposed, "files", root=folder)
        assert list(registered()) == ["für"]
        assert get(decomposed) == get("für")
        assert decomposed in retrievers()

    def test_maintenance_is_stored_as_it_was_said(self):
        said = {"synopsis": {"enabled": True, "downtime_hours": None}}
        entry = register("chats", "sessions", fetcher=f"{__name__}:fetch_records", maintenance=said)
        assert entry["maintenance"] == said
        policy = policy_for("chats")
        assert policy.reindex == ReindexPolicy("interval", 24)
        assert policy.synopsis == SynopsisPolicy(True, "recent", 30, None)

    def test_an_entry_of_an_older_version_works(self, folder):
        registry_path().parent.mkdir(parents=True)
        old = {"notes": {"kind": "files", "embedder": "light", "params": {"root": str(folder)}}}
        registry_path().write_text(json.dumps(old))
        assert sorted(source_for("notes").scope) == ["bees.md", "whales.md"]

    def test_the_returned_entry_is_a_copy(self, folder):
        register("notes", "files", root=folder)["kind"] = "spoiled"
        assert get("notes")["kind"] == "files"


class TestWhatIsRefused:
    @pytest.fixture(autouse=True)
    def nothing_is_stored(self):
        yield
        assert not registry_path().exists()

    @pytest.mark.parametrize("name", ["", "  ", ".", "..", "a\nb", "a\x00b", "../x", "a/../../b"])
    def test_names(self, name, folder):
        with pytest.raises(InvalidName):
            register(name, "files", root=folder)

    def test_an_unknown_kind(self):
        with pytest.raises(ParameterError, match="unknown corpus kind 'file'") as caught:
            register("x", "file")
        assert "files" in caught.value.hint

    @pytest.mark.parametrize(
        ("kind", "params", "message"),
        [
            ("files", {}, "needs the parameter 'root'"),
            ("files", {"root": None}, "needs the parameter 'root'"),
            ("records", {}, "needs the parameter 'fetcher'"),
            ("tools", {}, "needs the parameter 'fetcher'"),
            ("files", {"rot": "x"}, "no parameter 'rot'"),
            ("files", {"root": ".", "glob": "*.md"}, "no parameter 'glob'"),
            ("reports", {"root": "."}, "no parameter 'root'"),
        ],
    )
    def test_parameters_the_kind_does_not_take(self, kind, params, message):
        with pytest.raises(ParameterError, match=message):
            register("x", kind, **params)

    def test_a_near_parameter_is_named(self):
        with pytest.raises(ParameterError) as caught:
            register("x", "files", patern="x")
        assert caught.value.hint == "did you mean pattern?"

    def test_a_missing_root_is_named_resolved(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SourceError, match=str(tmp_path / "nope")):
            register("x", "files", root="./nope")

    def test_a_file_is_no_root(self, folder):
        with pytest.raises(SourceError, match=r"bees\.md is not a folder"):
            register("x", "files", root=folder / "bees.md")

    @pytest.mark.parametrize("pattern", ["*.md", "(", 3])
    def test_a_pattern_that_is_no_regular_expression(self, folder, pattern):
        with pytest.raises(ParameterError, match="pattern"):
            register("x", "files", root=folder, pattern=pattern)

    @pytest.mark.parametrize(
        "fetcher", ["no.such.module:fetch", f"{__name__}:no_such", "justaname", ""]
    )
    def test_a_fetcher_that_cannot_be_found(self, fetcher):
        with pytest.raises((ParameterError, SourceError)):
            register("x", "records", fetcher=fetcher)

    @pytest.mark.parametrize("fetcher", [fetch_records, f"{__name__}:not_callable"])
    def test_a_fetcher_that_is_no_named_function(self, fetcher):
        with pytest.raises((ParameterError, SourceError)):
            register("x", "records", fetcher=fetcher)

    def test_an_embedder_nobody_knows(self, folder):
        with pytest.raises(EmbedderError):
            register("x", "files", root=folder, embedder="hashing__dimx")
        with pytest.raises(TypeError):
            register("x", "files", root=folder, embedder=len)
        with pytest.raises(EmbedderError, match="no embedder 'nosuch'") as caught:
            register("x", "files", root=folder, embedder="nosuch")
        assert "default" in caught.value.hint and "st:nosuch" in caught.value.hint
        with pytest.raises(EmbedderError, match="did you mean multilingual"):
            register("x", "files", root=folder, embedder="multilingal")

    @pytest.mark.parametrize(
        ("kind", "params", "message"),
        [
            ("files", {"hidden": "maybe"}, "hidden is true, false, or names"),
            ("files", {"gitignore": "maybe"}, "gitignore must be true or false"),
            ("files", {"max_bytes": "much"}, "max_bytes must be a whole number"),
            ("reports", {"projects_root": ".", "recursive": "maybe"}, "recursive must be true"),
            ("sessions", {"root": ".", "since": "nope"}, "since"),
            ("sessions", {"root": ".", "include_full": "maybe"}, "include_full"),
            ("packages", {"repos": ["."], "readme_chars": "many"}, "readme_chars"),
            ("records", {"fetcher": f"{__name__}:fetch_records", "id_key": 3}, "id_key"),
            ("records", {"fetcher": f"{__name__}:fetch_records", "metadata_keys": 3}, "metadata_k"),
        ],
    )
    def test_values_that_a_build_would_refuse(self, kind, params, message, folder, monkeypatch):
        monkeypatch.chdir(folder)
        if kind == "files":
            params = {"root": ".", **params}
        with pytest.raises(ParameterError, match=message):
            register("x", kind, **params)

    @pytest.mark.parametrize("strategy", [{"name": "NoSuch", "params": {}}, 3, "Chunked", object()])
    def test_a_strategy_that_cannot_be_stored(self, folder, strategy):
        with pytest.raises(ParameterError):
            register("x", "files", root=folder, strategy=strategy)

    @pytest.mark.parametrize(
        "maintenance",
        [{"reindex": {"on": "hourly"}}, {"reindex": {"every_hours": 3}}, {"synopsys": {}}],
    )
    def test_maintenance(self, folder, maintenance):
        with pytest.raises(ParameterError):
            register("x", "files", root=folder, maintenance=maintenance)

    def test_storage(self, folder):
        with pytest.raises(UnsupportedStorage):
            register("x", "files", root=folder, storage={"backend": "ftp"})
        with pytest.raises(ParameterError, match="hots"):
            register("x", "files", root=folder, storage={"backend": "chroma", "hots": "db"})

    def test_what_json_cannot_hold(self, folder):
        with pytest.raises(ParameterTypeError) as caught:
            register("x", "files", root=folder, exclude=lambda item: False)
        assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("name", ["a/b", "/etc/x", "..notes", "Ünïcode / ~", "~", "C:\\x"])
def test_any_other_name_is_kept_and_stays_below_the_corpora(name, folder):
    register(name, "files", root=folder, embedder="light")
    assert list(registered()) == [name]
    built = build_corpus(name)
    assert built.store.path.parent == corpora_dir()
    assert [hit.artifact_id for hit in retriever_for(name)("whales", k=1)] == ["whales.md"]


def test_a_remote_storage_is_kept_as_said(folder):
    remote = {"backend": "chroma", "host": "db.example", "port": 8000}
    assert register("x", "files", root=folder, storage=remote)["storage"] == remote


class TestSources:
    def test_of_a_registered_corpus(self, folder):
        register("notes", "files", root=folder, pattern="bees", strategy=WholeText())
        source = source_for("notes")
        assert source.name == "notes"
        assert list(source.scope) == ["bees.md"]
        assert type(source.indexing_strategy) is WholeText

    def test_of_records_and_tools(self):
        register("records", "records", fetcher=f"{__name__}:fetch_records", metadata_keys=["topic"])
        register("tools", "tools", fetcher=f"{__name__}:fetch_tools")
        assert list(source_for("records").scope) == ["r1"]
        assert list(source_for("tools").scope) == ["ping"]

    def test_an_unknown_name_has_near_ones(self, folder):
        register("notes", "files", root=folder)
        with pytest.raises(CorpusNotFound) as caught:
            source_for("note")
        assert caught.value.hint == "did you mean notes?"
        assert isinstance(caught.value, KeyError)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_a_preset_that_cannot_be_read_is_not_registered(self, preset, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        for variable in ("PP", "PTH_FILEPATH"):
            monkeypatch.delenv(variable, raising=False)
        try:
            source_for(preset)
        except SourceError:
            assert registered() == {}
        else:
            assert list(registered()) == [preset]

    def test_a_preset_is_registered_once_it_could_be_read(self, monkeypatch, tmp_path):
        docs = tmp_path / "group" / "project" / "docs"
        docs.mkdir(parents=True)
        (docs / "report.md").write_text("# Report\n\nAll is well.\n")
        monkeypatch.setenv("PP", str(tmp_path))
        assert len(source_for("reports").scope) == 1
        assert get("reports") == {"kind": "reports", "embedder": "default", "params": {}}

    def test_parametric_kinds_are_no_presets(self):
        with pytest.raises(CorpusNotFound):
            source_for("files")

    @pytest.mark.parametrize(
        "entry",
        [
            {},
            {"kind": "nope", "params": {}},
            {"kind": ["files"], "params": {}},
            {"kind": "files", "params": []},
            {"kind": "files", "params": {}},
            {"kind": "files", "params": {"root": ".", "nope": 1}},
        ],
    )
    def test_an_edited_entry_that_makes_no_sense(self, entry):
        registry_path().parent.mkdir(parents=True)
        registry_path().write_text(json.dumps({"odd": entry}))
        with pytest.raises(RegistryError, match="'odd'"):
            source_for("odd")


class TestPolicy:
    def test_unregistered(self):
        assert policy_for("nobody") == GLOBAL_DEFAULT

    def test_of_the_kind(self):
        register("r", "records", fetcher=f"{__name__}:fetch_records")
        assert policy_for("r").reindex == ReindexPolicy("interval", 24)


class TestUnregister:
    def test_forgets_and_is_tolerant(self, folder):
        register("notes", "files", root=folder)
        unregister("notes")
        unregister("notes")
        assert registered() == {}

    def test_of_nothing_creates_nothing(self):
        unregister("nobody")
        assert not registry_path().parent.exists()


class TestLooking:
    def test_creates_nothing(self, private_folders):
        assert registered() == {}
        assert "typo" not in retrievers()
        with pytest.raises(CorpusNotFound):
            retrievers()["typo"]
        with pytest.raises(CorpusNotFound):
            get("typo")
        with pytest.raises(CorpusNotFound):
            retriever_for("typo")
        assert list(private_folders.iterdir()) == []

    def test_membership_opens_nothing(self, folder):
        register("notes", "files", root=folder)
        view = retrievers(mode="lexical")
        assert "notes" in view
        assert 3 not in view
        assert (len(view), list(view)) == (1, ["notes"])
        assert not data_dir().exists()

    def test_the_view_follows_the_registry(self, folder):
        view = retrievers()
        register("notes", "files", root=folder)
        assert "notes" in view
        unregister("notes")
        assert "notes" not in view


class TestBuilding:
    def test_build_and_retrieve_by_name(self, folder):
        register("notes", "files", root=folder, embedder="light")
        with pytest.raises(CorpusNotFound):
            retriever_for("notes")
        corpus = build_corpus("notes")
        assert corpus.report.added == 2
        hits = retrievers(mode="lexical")["notes"]("dance")
        assert [hit.artifact_id for hit in hits] == ["bees.md"]
        assert hits[0].source == "notes"

    def test_a_vanished_root_is_an_error_that_keeps_the_corpus(self, folder):
        register("notes", "files", root=folder, embedder="light")
        before = len(build_corpus("notes"))
        folder.rename(folder.with_name("moved"))
        with pytest.raises(SourceError, match=str(folder)):
            build_corpus("notes")
        assert len(retriever_for("notes").corpus) == before
