"""Only regular files under a corpus' own folders are read, whatever a pointer says."""

from __future__ import annotations

import os
import random
import socket
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from irengine.base import SearchHit
from irengine.index import Corpus, build
from irengine.retrieve import search
from irengine.select import disclosing_files
from irengine.select.disclosing import Disclosure, disclose, reveal
from irengine.sources import CorpusSource
from irengine.store import CorpusStore

SECRET = "the secret of the bees"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "elsewhere" / "secret.md"
    path.parent.mkdir()
    path.write_text(SECRET)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "bees.md").write_text("They hum.")
    (folder / "deep" / "hive.md").write_text("They live here.")
    return folder


@pytest.fixture
def corpus(root: Path) -> Corpus:
    return built(CorpusSource.from_files(root, name="notes"))


def built(source: CorpusSource) -> Corpus:
    return build(source, store=CorpusStore.memory(), embedder="light")


def pointing(corpus: Corpus, pointer: Any, key: str = "path") -> Disclosure:
    hit = replace(search(corpus, "hum", k=1)[0], metadata={key: pointer})
    return shown(hit)


def shown(hit: SearchHit, level: str = "bundled") -> Disclosure:
    (told,) = disclose(SimpleNamespace(selected=[hit]), level=level)
    return told


def refused(told: Disclosure, *said: str) -> bool:
    """Whether nothing of the pointer was read, and the note says why."""
    assert (told.body, told.files) == (None, ())
    assert told.metadata["disclosure"] == "pointer_refused"
    detail = told.metadata["disclosure_detail"]
    assert SECRET not in repr(told)
    return all(word in detail for word in said)


def gone(told: Disclosure) -> bool:
    assert told.body is None
    return bool(told.metadata["disclosure"] == "pointer_unreadable")


# -- out of the folders -----------------------------------------------------------------------


def test_what_is_inside_is_read(corpus, root):
    assert pointing(corpus, str(root / "deep" / "hive.md")).body == "They live here."
    assert pointing(corpus, f"{root}/deep/../bees.md").body == "They hum."
    assert pointing(corpus, "deep/hive.md").body == "They live here."


def test_a_file_elsewhere_is_refused(corpus, secret):
    assert refused(pointing(corpus, str(secret)), str(secret), "folders")
    assert refused(pointing(corpus, "/etc/passwd"))
    assert refused(pointing(corpus, str(secret.parent)))


@pytest.mark.parametrize("pointer", ["../elsewhere/secret.md", "deep/../../elsewhere/secret.md"])
def test_climbing_out_is_refused(corpus, root, secret, pointer):
    assert refused(pointing(corpus, pointer))
    assert refused(pointing(corpus, f"{root}/{pointer}"))


def test_a_folder_whose_name_starts_like_a_root_is_not_in_it(corpus, root):
    twin = root.with_name("notes-private")
    twin.mkdir()
    (twin / "secret.md").write_text(SECRET)
    assert refused(pointing(corpus, str(twin / "secret.md")))


def test_a_link_that_leads_out_is_refused(corpus, root, secret):
    (root / "file.md").symlink_to(secret)
    (root / "folder").symlink_to(secret.parent)
    (root / "chain.md").symlink_to("file.md")
    assert refused(pointing(corpus, str(root / "file.md")), str(secret))
    assert refused(pointing(corpus, str(root / "folder" / "secret.md")))
    assert refused(pointing(corpus, str(root / "folder")))
    assert refused(pointing(corpus, str(root / "chain.md")))


def test_a_readme_that_leads_out_is_refused(root, secret):
    (root / "README.md").symlink_to(secret)
    packages = built(CorpusSource.from_packages(name="packages", repos=[root]))
    (hit,) = search(packages, "notes", k=1)
    told = shown(hit)
    assert told.body is None
    assert told.metadata["disclosure"] == "pointer_refused"
    assert SECRET not in repr(told)
    assert {file.path: file.note for file in told.files}["README.md"] == "outside-roots"


def test_a_link_inside_is_followed(corpus, root):
    (root / "link.md").symlink_to("deep/hive.md")
    assert pointing(corpus, str(root / "link.md")).body == "They live here."


def test_a_root_that_is_itself_reached_by_a_link_is_a_root(tmp_path, root):
    (tmp_path / "way").symlink_to(root)
    corpus = built(CorpusSource.from_files(tmp_path / "way", name="notes"))
    assert pointing(corpus, str(tmp_path / "way" / "bees.md")).body == "They hum."


def test_a_link_that_leads_out_of_a_skill_is_refused(tmp_path, secret):
    (tmp_path / "skills" / "hum").mkdir(parents=True)
    (tmp_path / "skills" / "hum" / "SKILL.md").write_text("---\nname: hum\n---\nbody")
    skills = built(CorpusSource.from_skills(roots=[tmp_path / "skills"]))
    (tmp_path / "skills" / "hum" / "SKILL.md").unlink()
    (tmp_path / "skills" / "hum" / "SKILL.md").symlink_to(secret)
    assert refused(shown(search(skills, "hum")[0]), str(secret))


def test_links_in_a_circle_are_refused(corpus, root):
    (root / "one.md").symlink_to("two.md")
    (root / "two.md").symlink_to("one.md")
    told = pointing(corpus, str(root / "one.md"))
    assert (told.body, told.metadata["disclosure"]) == (None, "pointer_refused")
    assert {file.note for file in told.files if file.path != "bees.md"} == {"link-in-the-way"}


# -- no file, or no text ----------------------------------------------------------------------


def test_devices_are_never_opened(tmp_path):
    everything = built(CorpusSource.from_files(tmp_path, name="all"))
    everything.store.set_config({**everything.store.get_config(), "roots": ["/"]})
    for device in ("/dev/zero", "/dev/random", "/dev/tty", "/dev/full"):
        hit = SearchHit("a", "chunk", 1.0, "t", {"path": device}, "all")
        (told,) = reveal(SimpleNamespace(selected=[hit]), level="body", corpora=everything)
        assert refused(told, "device")


def test_a_pipe_is_never_waited_for(corpus, root):
    os.mkfifo(root / "pipe.md")
    done: list[Disclosure] = []
    worker = threading.Thread(
        target=lambda: done.append(pointing(corpus, str(root / "pipe.md"))), daemon=True
    )
    worker.start()
    worker.join(20)
    assert done
    assert done[0].metadata["disclosure"] == "pointer_refused"
    assert "pipe" in done[0].metadata["disclosure_detail"]


def test_a_socket_is_no_file(corpus, root, monkeypatch):
    monkeypatch.chdir(root)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
        told = pointing(corpus, str(root / "s.md"))
    assert told.body is None
    assert "socket" in told.metadata["disclosure_detail"]


def test_a_huge_file_is_not_read(corpus, root):
    with (root / "huge.md").open("wb") as file:
        file.truncate(1 << 40)  # a hole of a terabyte
    told = pointing(corpus, str(root / "huge.md"))
    assert told.body is None
    assert told.metadata["disclosure"] == "pointer_refused"
    assert "limit" in told.metadata["disclosure_detail"]


def test_of_a_big_file_only_the_beginning_is_read(corpus, root, monkeypatch):
    (root / "big.md").write_bytes(b"bee " * 4_000_000)
    sizes: list[int] = []
    decode = disclosing_files.decode_text
    monkeypatch.setattr(
        disclosing_files, "decode_text", lambda data: sizes.append(len(data)) or decode(data)
    )
    assert len(pointing(corpus, str(root / "big.md")).body or "") == 20_000
    assert max(sizes) < 200_000


@pytest.mark.parametrize("data", [b"\x00\x01\x02\xff" * 99, b"\x89PNG\r\n\x1a\n" + bytes(200)])
def test_what_is_not_text_is_refused(corpus, root, data):
    (root / "image.md").write_bytes(data)
    told = pointing(corpus, str(root / "image.md"))
    assert told.body is None
    assert told.metadata["disclosure"] == "pointer_refused"
    assert "not text" in told.metadata["disclosure_detail"]


def test_a_damaged_document_is_refused(corpus, root):
    pytest.importorskip("markitdown")
    (root / "bad.docx").write_bytes(b"PK\x03\x04 nothing of the kind")
    told = pointing(corpus, str(root / "bad.docx"))
    assert told.body is None
    assert "extracted" in told.metadata["disclosure_detail"]


@pytest.mark.parametrize(
    "pointer",
    ["a\0b", "\0", "\ud800.md", "x" * 5000, "/" + "a/" * 3000, "~/x", "https://x.org/a", "\n"],
)
def test_what_no_file_is_called_is_noted(corpus, pointer):
    told = pointing(corpus, pointer)
    assert told.body is None
    assert told.metadata["disclosure"] in ("pointer_refused", "pointer_unreadable")


@pytest.mark.parametrize("pointer", [7, True, ["x"], {"a": 1}, b"bytes", "", None, 1.5])
def test_what_is_no_text_is_no_pointer(corpus, pointer):
    told = pointing(corpus, pointer)
    assert (told.body, told.pointer) == (None, None)
    assert "disclosure" not in told.metadata


def test_what_vanished_or_is_closed_is_unreadable(corpus, root):
    assert gone(pointing(corpus, str(root / "nope.md")))
    assert gone(pointing(corpus, str(root / "bees.md" / "below.md")))
    (root / "dangling.md").symlink_to("nope.md")
    assert gone(pointing(corpus, str(root / "dangling.md")))
    if os.geteuid() != 0:
        (root / "closed.md").write_text("x")
        (root / "closed.md").chmod(0)
        assert gone(pointing(corpus, str(root / "closed.md")))


def test_a_root_that_is_gone_is_unreadable(corpus, root):
    root.rename(root.with_name("moved"))
    assert gone(pointing(corpus, str(root / "bees.md")))


# -- while it is looked at --------------------------------------------------------------------


def test_a_file_swapped_for_a_link_after_it_was_located_is_not_read(corpus, root, secret):
    place = disclosing_files.locate(str(root / "bees.md"), (str(root),))
    (root / "bees.md").unlink()
    (root / "bees.md").symlink_to(secret)
    with pytest.raises(disclosing_files.ItemError, match="link is in the way"):
        disclosing_files.read_text(place, 100)


def test_a_folder_swapped_for_a_link_after_it_was_located_is_not_entered(root, secret):
    (root / "deep" / "secret.md").write_text("harmless")
    place = disclosing_files.locate(str(root / "deep" / "secret.md"), (str(root),))
    (root / "deep").rename(root / "away")
    (root / "deep").symlink_to(secret.parent)
    with pytest.raises(disclosing_files.ItemError, match="link is in the way"):
        disclosing_files.read_text(place, 100)


def test_a_file_swapped_for_a_link_between_two_looks_is_not_read(root, secret, monkeypatch):
    place = disclosing_files.locate(str(root / "bees.md"), (str(root),))
    check = disclosing_files._check

    def swapping(info: os.stat_result) -> int:
        size = check(info)
        (root / "bees.md").unlink(missing_ok=True)
        (root / "bees.md").symlink_to(secret)
        return size

    monkeypatch.setattr(disclosing_files, "_check", swapping)
    with pytest.raises(disclosing_files.ItemError, match="link is in the way"):
        disclosing_files.read_text(place, 100)


# -- whose folders ----------------------------------------------------------------------------


def test_the_corpus_of_a_hit_decides_not_another(corpus, tmp_path, secret):
    private = built(CorpusSource.from_files(secret.parent, name="private"))
    hit = replace(search(corpus, "hum")[0], metadata={"path": str(secret)})
    assert refused(shown(hit))
    assert shown(replace(hit, source="private")).body == SECRET
    both = {"notes": corpus, "private": private}
    (told,) = reveal(SimpleNamespace(selected=[hit]), level="body", corpora=both)
    assert refused(told)


def test_files_of_an_unknown_corpus_are_refused(secret):
    for name in ("nobody", "", "..", "a\0b"):
        hit = SearchHit("a", "chunk", 1.0, "t", {"path": str(secret)}, name)
        assert refused(shown(hit), "no corpus")


def test_records_have_no_files(secret):
    def records() -> list[dict[str, str]]:
        return [{"id": "a", "text": "they hum", "path": str(secret)}]

    corpus = built(
        CorpusSource.from_records(name="records", fetcher=records, metadata_keys=["path"])
    )
    told = shown(search(corpus, "hum")[0])
    assert refused(told, "loader=")
    assert told.pointer == str(secret)


def test_a_fetched_skill_shows_its_own_folder_only(tmp_path, secret):
    folder = tmp_path / "made"
    (folder / "refs").mkdir(parents=True)
    (folder / "SKILL.md").write_text("how to hum")
    (folder / "refs" / "notes.md").write_text("more")
    (folder / "refs" / "out.md").symlink_to(secret)

    def skills() -> list[dict[str, str]]:
        return [
            {"name": "hum", "description": "d", "skill_path": str(folder / "SKILL.md")},
            {"name": "steal", "description": "d", "skill_path": str(secret)},
        ]

    corpus = built(CorpusSource.from_skills(fetcher=skills))
    found = {hit.artifact_id: shown(hit) for hit in search(corpus, "hum steal")}
    assert found["hum"].body == "how to hum"
    assert [(file.path, file.note) for file in found["hum"].files] == [
        ("refs/notes.md", None),
        ("refs/out.md", "outside-roots"),
    ]
    assert refused(found["steal"])


def test_a_hit_from_no_corpus_may_point_into_one_folder(root, secret):
    (root / "out.md").symlink_to(secret)
    hit = SearchHit("a", "chunk", 1.0, "t")
    assert shown(replace(hit, metadata={"path": str(root / "bees.md")})).body == "They hum."
    assert refused(shown(replace(hit, metadata={"path": str(root / "out.md")})))
    climbing = replace(hit, metadata={"path": f"{root}/../elsewhere/secret.md"})
    assert refused(shown(climbing), "..")


def test_no_pointer_ever_shows_what_is_outside(corpus, root, secret):
    (root / "out").symlink_to(secret.parent)
    (root / "up").symlink_to("..")
    parts = ["..", ".", "", "deep", "out", "up", "notes", "elsewhere", "secret.md", "bees.md", "/"]
    chance = random.Random(7)
    outcomes = set()
    for _ in range(400):
        tail = "/".join(chance.choices(parts, k=chance.randint(1, 6)))
        pointer = tail if chance.random() < 0.3 else f"{root}/{tail}"
        told = pointing(corpus, pointer)
        assert SECRET not in repr(told)
        assert all(file.note or file.path != "secret.md" for file in told.files)
        outcomes.add(told.metadata.get("disclosure"))
    assert {None, "pointer_refused", "pointer_unreadable"} <= outcomes
