"""The registry's file survives concurrent writers, torn writes and hand edits."""

import json
import multiprocessing
import threading

import pytest

from irengine.config import registry_path
from irengine.errors import RegistryError
from irengine.registry import register, registered, unregister
from irengine.registry.file import read_entries, update_entries


def register_many(worker, count, root):
    for number in range(count):
        register(f"{worker}-{number}", "files", root=root, embedder="light")


def put(name, entry):
    update_entries(lambda entries: entries.update({name: entry}))


class TestConcurrency:
    def test_processes_lose_nothing(self, tmp_path):
        context = multiprocessing.get_context("spawn")
        workers = [
            context.Process(target=register_many, args=(name, 60, str(tmp_path)))
            for name in ("a", "b", "c")
        ]
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            registered()  # a reader never sees half a file
            workers[0].join(0.01)
        assert [worker.exitcode for worker in workers] == [0, 0, 0]
        assert len(registered()) == 180

    def test_threads_lose_nothing(self):
        def work(worker):
            for number in range(20):
                put(f"{worker}-{number}", {"kind": "files"})

        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(read_entries()) == 60


class TestDamage:
    @pytest.mark.parametrize(
        "text", ["", "{", '{"a": {}}}', "[]", '{"a": 3}', '{"a": {"b": NaN}}', "\x00\xff"]
    )
    def test_a_malformed_file_is_replaced_by_its_last_good_copy(self, text):
        put("notes", {"kind": "files"})
        registry_path().write_text(text, encoding="latin-1")
        with pytest.warns(UserWarning, match="malformed"):
            assert read_entries() == {"notes": {"kind": "files"}}

    def test_writing_repairs_and_keeps_the_malformed_text(self):
        put("notes", {"kind": "files"})
        registry_path().write_text('{"notes": ', encoding="utf-8")
        with pytest.warns(UserWarning, match="malformed"):
            put("more", {"kind": "files"})
        assert list(read_entries()) == ["notes", "more"]
        kept = registry_path().with_name("corpora.json.malformed")
        assert kept.read_text(encoding="utf-8") == '{"notes": '

    def test_without_a_copy_it_is_an_error_that_says_what_to_do(self):
        registry_path().parent.mkdir(parents=True)
        registry_path().write_text("{", encoding="utf-8")
        for act in (read_entries, lambda: put("x", {}), lambda: unregister("x")):
            with pytest.raises(RegistryError, match="malformed") as caught:
                act()
            assert "repair" in caught.value.hint
        assert registry_path().read_text(encoding="utf-8") == "{"

    def test_a_failing_change_leaves_the_file(self):
        put("notes", {"kind": "files"})
        before = registry_path().read_bytes()
        with pytest.raises(ValueError, match="JSON compliant"):
            put("odd", {"number": float("nan")})
        assert registry_path().read_bytes() == before
        assert sorted(file.name for file in registry_path().parent.iterdir()) == [
            "corpora.json",
            "corpora.json.bak",
            "corpora.json.lock",
        ]

    def test_a_byte_order_mark_is_no_damage(self):
        registry_path().parent.mkdir(parents=True)
        registry_path().write_text('\ufeff{"a": {"kind": "files"}}', encoding="utf-8")
        assert list(read_entries()) == ["a"]

    def test_a_folder_that_cannot_be_made(self, monkeypatch, tmp_path):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("IR_CONFIG_DIR", str(tmp_path / "file" / "below"))
        with pytest.raises(RegistryError, match="cannot be written"):
            put("x", {})


def test_a_linked_file_stays_a_link(tmp_path):
    real = tmp_path / "dotfiles" / "corpora.json"
    real.parent.mkdir()
    real.write_text("{}")
    registry_path().parent.mkdir(parents=True)
    registry_path().symlink_to(real)
    put("notes", {"kind": "files"})
    assert registry_path().is_symlink()
    assert json.loads(real.read_text()) == {"notes": {"kind": "files"}}


def test_a_hand_edit_is_respected():
    put("notes", {"kind": "files"})
    registry_path().write_text('{"mine": {"kind": "files"}}', encoding="utf-8")
    put("more", {"kind": "files"})
    assert list(read_entries()) == ["mine", "more"]
