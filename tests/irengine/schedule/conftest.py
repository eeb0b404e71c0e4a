"""Schedulers for tests: small programs on the path that keep what they are given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

CRONTAB = """#!/bin/sh
store="$(dirname "$0")/../state/crontab"
here="$(dirname "$0")/../state"
case "$1" in
-l) [ -e "$here/unreadable" ] && { echo "crontab: permission denied" >&2; exit 1; }
    [ -f "$store" ] || { echo "no crontab for tester" >&2; exit 1; }
    cat "$store" ;;
-r) rm -f "$store" ;;
-)  cat > "$here/incoming"
    if [ -e "$here/refuse" ] && grep -q -f "$here/refuse" "$here/incoming"; then
        echo '"-":1: bad minute' >&2; exit 1
    fi
    if [ -e "$here/tear" ] && grep -q -f "$here/tear" "$here/incoming"; then
        head -c 20 "$here/incoming" > "$store"; exit 0
    fi
    mv "$here/incoming" "$store" ;;
esac
"""

LAUNCHCTL = """#!/bin/sh
here="$(dirname "$0")/../state"
echo "$*" >> "$here/calls"
case "$1" in
list) [ -f "$here/loaded" ] || exit 113
      printf '{\\n\\t"LastExitStatus" = %s;\\n};\\n' "$(cat "$here/exit" 2>/dev/null || echo 0)" ;;
bootout) rm -f "$here/loaded" ;;
bootstrap|load)
    for last in "$@"; do :; done
    if [ -e "$here/refuse" ] && grep -q -f "$here/refuse" "$last"; then
        echo "Bootstrap failed: 5: Input/output error" >&2; exit 5
    fi
    cp "$last" "$here/loaded" ;;
esac
"""

SYSTEMCTL = """#!/bin/sh
here="$(dirname "$0")/../state"
echo "$*" >> "$here/calls"
[ "$1" = --user ] && shift
units="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"
case "$1" in
enable|restart)
    if [ -e "$here/refuse" ] && grep -q -f "$here/refuse" "$units/$2"; then
        echo "Failed to start unit: bad setting" >&2; exit 1
    fi
    if [ "$1" = restart ]; then cp "$units/$2" "$here/active"; fi ;;
disable) rm -f "$here/active" ;;
is-active) [ -f "$here/active" ] ;;
show) cat "$here/shown" 2>/dev/null || true ;;
esac
"""

LOGINCTL = """#!/bin/sh
cat "$(dirname "$0")/../state/linger" 2>/dev/null || echo yes
"""


class Machine:
    """A home folder, and a path with the schedulers it was given and no other ones."""

    def __init__(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.base = base
        self.bin = base / "bin"
        self.state = base / "state"
        self.home = base / "home"
        for folder in (self.bin, self.state, self.home):
            folder.mkdir()
        for name in ("cat", "cp", "dirname", "env", "grep", "head", "mv", "rm", "sh", "echo"):
            found = next(p for p in (Path("/usr/bin") / name, Path("/bin") / name) if p.exists())
            (self.bin / name).symlink_to(found)
        monkeypatch.setenv("PATH", str(self.bin))
        monkeypatch.setenv("HOME", str(self.home))
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "PP", "PTH_FILEPATH"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv("IR_PROJECTS_ROOT", raising=False)
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))

    def has(self, name: str, script: str) -> Machine:
        program = self.bin / name
        program.write_text(script)
        program.chmod(0o755)
        return self

    @property
    def crontab(self) -> str | None:
        file = self.state / "crontab"
        return file.read_bytes().decode("utf-8", "surrogateescape") if file.exists() else None

    @crontab.setter
    def crontab(self, text: str) -> None:
        (self.state / "crontab").write_bytes(text.encode("utf-8", "surrogateescape"))

    def refuse(self, pattern: str, *, file: str = "refuse") -> None:
        (self.state / file).write_text(pattern + "\n")


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine without any scheduler."""
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def cron(bare: Machine) -> Machine:
    return bare.has("crontab", CRONTAB)


@pytest.fixture
def launchd(bare: Machine) -> Machine:
    return bare.has("launchctl", LAUNCHCTL)


@pytest.fixture
def systemd(bare: Machine) -> Machine:
    return bare.has("systemctl", SYSTEMCTL).has("loginctl", LOGINCTL)


@pytest.fixture
def systemd_too(cron: Machine) -> Callable[[], None]:
    """Return what gives a machine with cron a systemd as well."""

    def add() -> None:
        cron.has("systemctl", SYSTEMCTL).has("loginctl", LOGINCTL)

    return add
