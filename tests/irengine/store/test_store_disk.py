"""Full disks and read-only folders, for real where the system lets us mount."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import pytest

from irengine.errors import StorageFull, StoreError
from irengine.store import CorpusStore


@pytest.fixture
def mounted(tmp_path):
    """A file system of a given size, or skip where we may not mount one."""
    mounts = []

    def mount(megabytes: int):
        target = tmp_path / f"disk{len(mounts)}"
        target.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(target)]
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("mounting needs privileges")
        mounts.append(target)
        return target

    yield mount
    for target in mounts:
        subprocess.run(["umount", "-l", str(target)], check=True)


def make_read_only(folder) -> None:
    """Mount ``folder`` anew; the process that wrote the vectors may still be closing its files."""
    deadline = time.monotonic() + 30
    command = ["mount", "-o", "remount,ro", str(folder)]
    while (done := subprocess.run(command, capture_output=True, text=True)).returncode:
        assert time.monotonic() < deadline, done.stderr
        time.sleep(0.1)


def fill_up(folder, leave: int) -> None:
    """Take all space of ``folder``'s disk but about ``leave`` bytes."""
    free = os.statvfs(folder)
    size = free.f_bavail * free.f_frsize - leave
    with (folder / "ballast").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)


@pytest.mark.parametrize("leave", [0, 30_000, 150_000, 400_000, 800_000])
def test_a_full_disk_loses_nothing(mounted, monkeypatch, helpers, leave):
    disk = mounted(32)
    monkeypatch.setenv("IR_DATA_DIR", str(disk / "data"))
    store = CorpusStore.local("notes")
    with store.writing("test") as batch:
        for number in range(20):
            helpers.put(batch, f"a{number}", "one", "two")
    before = helpers.texts(store)
    fill_up(disk, leave)
    with pytest.raises(StorageFull) as caught, store.writing("test") as batch:
        for step in range(12):
            for number in range(40):
                helpers.put(batch, f"b{step} {number}", "x" * 500)
            batch.commit()
    assert caught.value.code == "disk-full" and caught.value.hint
    fresh = CorpusStore.local("notes")
    assert helpers.texts(fresh).items() >= before.items()
    helpers.check(fresh)
    committed = len(fresh)
    (disk / "ballast").unlink()
    with fresh.writing("test") as batch:
        helpers.put(batch, "after", "text")
    assert len(fresh) == committed + 1
    helpers.check(fresh)
    report = fresh.verify()
    assert report.ok and report.chroma_checked, report


def test_a_file_size_limit_is_a_full_disk_too(local, helpers, run_script):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    process = run_script("size_limited", "notes", 200_000)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert output.strip() == "disk-full"
    assert helpers.texts(CorpusStore.local("notes")) == {"a": ["text"]}
    with local.writing("test") as batch:
        helpers.put(batch, "b", "text")
    assert local.verify().ok


def test_a_read_only_corpus_can_be_searched(mounted, monkeypatch, helpers):
    disk = mounted(32)
    monkeypatch.setenv("IR_DATA_DIR", str(disk / "data"))
    with CorpusStore.local("notes").writing("test") as batch:
        helpers.put(batch, "a", "text", colour="red")
        batch.set_links("a", {"next": ["b"]})
    make_read_only(disk)
    store = CorpusStore.local("notes")
    helpers.check(store)
    assert store.get_links("a") == {"next": ["b"]}
    with pytest.raises(StoreError) as caught, store.writing("test"):
        pass
    assert caught.value.code == "read-only"
    with pytest.raises(StoreError) as caught:
        store.set_calibration("dense", {})
    assert caught.value.code == "read-only"
    report = store.verify()
    assert report.ok and not report.chroma_checked
