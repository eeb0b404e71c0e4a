"""Hits say whether their file is still the one that was indexed, and can be brought up to date."""

import os
import sys
from pathlib import Path

import pytest

import irengine as ir
from irengine.errors import CorpusNotFound, ShrinkRefused
from irengine.freshness import IndexedFiles, file_states, modified_at, refresh, update
from irengine.sources.narrowed import NarrowedScope

NOTES = {
    "bees.md": "# Bees\n\nBees dance.\n",
    "whales.md": "# Whales\n\nWhales sing.\n",
    "sub/cloud.md": "# Cloud\n\nWe rotate keys.\n",
    "sub/deep/rain.md": "# Rain\n\nIt falls.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def corpus(root):
    ir.register("notes", "files", root=str(root), embedder="light")
    return ir.build_corpus("notes")


def states(corpus):
    """Return the state of every file by id, as a search that finds all of them says it."""
    hits = ir.search(corpus, "bees whales cloud rain new", k=50, filter={"ext": "md"})
    return dict(zip((hit.artifact_id for hit in hits), file_states(hits, corpus), strict=True))


class TestWhenAFileWasWritten:
    def test_is_what_the_disk_says_now_and_no_reason_to_index(self, corpus, root):
        os.utime(root / "bees.md", (2**30, 2**30))
        hits = ir.search(corpus, "bees", k=50, filter={"filename": "bees.md"})
        assert {ir.modified_at(hit) for hit in hits} == {"2004-01-10T13:37:04.000000+00:00"}
        assert not any("modified_at" in hit.metadata for hit in hits)
        report = ir.build_corpus("notes").report
        assert (report.changed, report.embedded) == (0, 0)

    def test_is_unknown_without_a_file(self, corpus, root):
        hit = ir.search(corpus, "bees", k=1)[0]
        (root / hit.artifact_id).unlink()
        assert ir.modified_at(hit) is None
        assert ir.modified_at(ir.SearchHit("a", "chunk", 1.0, "text", {"path": "\0"})) is None
        assert ir.modified_at(ir.SearchHit("a", "chunk", 1.0, "text")) is None


class TestTheStateOfAFile:
    def test_is_fresh_after_a_build(self, corpus):
        assert states(corpus) == dict.fromkeys(NOTES, "fresh")

    def test_is_fresh_when_it_was_only_touched(self, corpus, root):
        os.utime(root / "bees.md", (2**32, 2**32))
        assert states(corpus)["bees.md"] == "fresh"

    def test_is_stale_when_it_was_edited(self, corpus, root):
        (root / "bees.md").write_text("# Bees\n\nBees sleep.\n")
        assert states(corpus) == {**dict.fromkeys(NOTES, "fresh"), "bees.md": "stale"}

    def test_is_stale_when_it_was_edited_and_its_time_set_back(self, corpus, root):
        before = (root / "bees.md").stat()
        (root / "bees.md").write_text("# Bees\n\nBees fight.\n")
        os.utime(root / "bees.md", ns=(before.st_atime_ns, before.st_mtime_ns))
        assert states(corpus)["bees.md"] == "stale"

    def test_is_stale_when_an_older_file_was_moved_over_it(self, corpus, root):
        other = root.parent / "older.txt"
        other.write_text("something else\n")
        os.utime(other, (1_000_000, 1_000_000))
        other.replace(root / "bees.md")
        assert states(corpus)["bees.md"] == "stale"

    def test_is_gone_when_it_was_deleted_or_moved(self, corpus, root):
        (root / "bees.md").unlink()
        (root / "sub").rename(root / "other")
        assert states(corpus) == {
            "bees.md": "gone",
            "sub/cloud.md": "gone",
            "sub/deep/rain.md": "gone",
            "whales.md": "fresh",
        }

    def test_is_stale_when_another_file_was_indexed_since(self, corpus, root):
        (root / "bees.md").write_text("# Bees\n\nBees sleep.\n")
        (root / "whales.md").write_text("# Whales\n\nWhales dive.\n")
        refresh("notes", ["whales.md"])
        assert states(corpus) == {**dict.fromkeys(NOTES, "fresh"), "bees.md": "stale"}

    def test_is_unknown_where_nothing_can_be_looked_at(self, corpus):
        files = IndexedFiles(corpus)
        assert files.state("x", None) == "unknown"
        assert files.state("x", "/" + "x" * 5000) == "unknown"
        assert files.state("x", "/no\0thing") == "unknown"
        assert files.state("x", "/no/such/file") == "gone"


class TestRefreshing:
    def test_brings_only_the_named_files_up_to_date(self, corpus, root):
        (root / "bees.md").write_text("# Bees\n\nBees sleep in winter.\n")
        (root / "whales.md").write_text("# Whales\n\nWhales dive.\n")
        (root / "sub/cloud.md").unlink()
        report = refresh("notes", ["bees.md", "sub/cloud.md"])
        assert (report.added, report.changed, report.removed) == (0, 1, 1)
        assert states(corpus) == {
            "bees.md": "fresh",
            "whales.md": "stale",
            "sub/deep/rain.md": "fresh",
        }
        assert ir.search(corpus, "sleep winter", mode="lexical")[0].artifact_id == "bees.md"

    def test_of_a_folder_covers_what_it_holds(self, corpus, root):
        (root / "sub/new.md").write_text("# New\n\nFresh.\n")
        (root / "top.md").write_text("# Top\n\nNot asked for.\n")
        (root / "sub/deep/rain.md").unlink()
        report = refresh("notes", ["sub"])
        assert (report.added, report.changed, report.removed) == (1, 0, 1)
        assert "top.md" not in states(corpus)

    def test_follows_a_rename_without_embedding_anything(self, corpus, root):
        (root / "bees.md").rename(root / "sub/hive.md")
        report = refresh("notes", ["bees.md", "sub/hive.md"])
        assert (report.added, report.removed, report.embedded) == (1, 1, 0)

    def test_leaves_what_a_build_would_do_the_same(self, corpus, root):
        (root / "bees.md").write_text("# Bees\n\nBees sleep.\n")
        (root / "sub/new.md").write_text("# New\n\nFresh.\n")
        refresh("notes", ["bees.md", "sub/new.md"])
        assert ir.build_corpus("notes").report.nothing_changed

    def test_keeps_to_the_rules_of_the_corpus(self, corpus, root):
        (root / ".gitignore").write_text("secret*\n")
        (root / "sub/.gitignore").write_text("draft.md\n")
        for name in ("secret.md", "sub/draft.md", "sub/.hidden.md", "sub/data.csv", "empty.md"):
            (root / name).write_text("" if name == "empty.md" else "words\n")
        refresh(
            "notes", ["secret.md", "sub/draft.md", "sub/.hidden.md", "sub/data.csv", "empty.md"]
        )
        assert set(states(corpus)) == set(NOTES)

    def test_of_nothing_does_nothing(self, corpus):
        assert refresh("notes", []) is None

    def test_of_an_unregistered_corpus_says_what_to_do(self, corpus):
        ir.unregister("notes")
        with pytest.raises(CorpusNotFound, match="not registered"):
            refresh("notes", ["bees.md"])

    def test_of_a_tree_that_vanished_refuses(self, root):
        for number in range(30):
            (root / f"n{number}.md").write_text(f"note {number}\n")
        ir.register("notes", "files", root=str(root), embedder="light")
        corpus = ir.build_corpus("notes")
        for file in root.rglob("*.md"):
            file.unlink()
        with pytest.raises(ShrinkRefused):
            refresh("notes", [f"n{number}.md" for number in range(30)])
        assert len(corpus) == 30 + len(NOTES)

    def test_of_the_last_file_removes_it(self, tmp_path):
        folder = tmp_path / "one"
        folder.mkdir()
        (folder / "a.md").write_text("alone\n")
        source = ir.CorpusSource.from_files(folder, name="one", embedder="light")
        ir.build(source)
        (folder / "a.md").unlink()
        assert len(update(source, ["a.md"])) == 0

    def test_of_a_kind_that_has_no_folder_tree_builds_all_of_it(self):
        source = ir.CorpusSource.from_mapping({"a": "x", "b": "y"}, name="m")
        store = ir.CorpusStore.memory()
        corpus = update(source, ["a"], store=store, embedder="light")
        assert corpus.report.added == 2


class TestANarrowedScope:
    def whole(self, root, **options):
        return ir.CorpusSource.from_files(root, **options).scope

    def test_lists_only_the_folders_that_lead_to_its_items(self, root, monkeypatch):
        listed = []
        scandir = os.scandir
        monkeypatch.setattr(os, "scandir", lambda path: listed.append(str(path)) or scandir(path))
        scope = NarrowedScope(self.whole(root), ["sub/cloud.md"])
        assert list(scope) == ["sub/cloud.md"]
        assert listed == [str(root), str(root / "sub")]

    def test_lists_what_the_whole_lists(self, root):
        (root / "bees copy.md").symlink_to("bees.md")
        (root / "outside.md").symlink_to("/etc/hostname")
        (root / "loop").symlink_to(".")
        whole = self.whole(root)
        everything = list(whole)
        for item in [*everything, "bees copy.md", "outside.md", "loop", "sub", "sub/deep", "none"]:
            part = NarrowedScope(whole, [item])
            inside = [one for one in everything if one == item or one.startswith(item + "/")]
            assert list(part) == inside
            for one in inside:
                assert part[one] == whole[one]
        assert list(NarrowedScope(whole, [""])) == everything

    @pytest.mark.skipif(os.uname().sysname != "Linux", reason="names are bytes on Linux only")
    def test_lists_names_that_are_spelled_alike(self, root):
        (root / "cafe\u0301.md").write_text("decomposed\n")
        (root / "caf\u00e9.md").write_text("composed\n")
        whole = self.whole(root)
        alike = [item for item in whole if item.startswith("caf")]
        assert len(alike) == 2
        assert list(NarrowedScope(whole, ["caf\u00e9.md"])) == alike

    def test_keeps_everything_it_does_not_cover(self, root):
        scope = NarrowedScope(self.whole(root), ["sub", "bees.md"])
        assert list(scope) == ["bees.md", "sub/cloud.md", "sub/deep/rain.md"]
        assert scope.keeps("whales.md")
        assert scope.keeps("submarine.md")
        assert not scope.keeps("sub/gone.md")
        assert not scope.keeps("bees.md")


@pytest.mark.skipif(sys.platform != "linux", reason="file names are UTF-8 there")
def test_a_file_whose_name_is_no_utf8_is_there(root):
    place = root / os.fsdecode(b"caf\xe9.md")
    place.write_text("A toucan.\n")
    corpus = ir.build(ir.CorpusSource.from_files(root, name="odd"), embedder="light")
    hits = ir.search(corpus, "toucan", mode="lexical")
    assert [hit.artifact_id for hit in hits] == ["caf\\xe9.md"]
    assert file_states(hits, corpus) == ["fresh"]
    assert modified_at(hits[0]) is not None
    (payload,) = ir.disclose(ir.select(hits), level="body")
    assert "toucan" in payload.body
    place.unlink()
    assert file_states(hits, corpus) == ["gone"]
