"""``completion``: scripts that let a shell complete command lines."""

from __future__ import annotations

import re

from irtui.commands.context import Context
from irtui.commands.registry import all_commands, command
from irtui.commands.shapes import COMPLETION
from irtui.commands.spec import Param, Result

__all__ = ["completion"]

_MOST_BYTES = 24_000_000  # some 40,000 ids: a third of a second
_ID = re.compile(rb'\{"artifact_id":("(?:[^"\\]|\\.)*")')


@command(
    "completion",
    "print a script that completes command lines in a shell",
    Param(
        "shell",
        "for which shell; corpora and items print the names the scripts ask for",
        "choice",
        required=True,
        choices=("bash", "zsh", "fish", "corpora", "items"),
    ),
    output=COMPLETION,
    details=(
        'bash: put  eval "$(irtui completion bash)"  into ~/.bashrc; zsh: the same with zsh into '
        "~/.zshrc, after compinit; fish: irtui completion fish > "
        "~/.config/fish/completions/irtui.fish"
    ),
    examples=("irtui completion bash", "irtui completion fish"),
)
def completion(context: Context, *, shell: str) -> Result:
    """Return the script for a shell, or the names of corpora."""
    del context
    if shell in ("corpora", "items"):
        names = _names() if shell == "corpora" else _items()
        script = "".join(f"{name}\n" for name in names if not set(name) & set("\n\r\t"))
    else:
        from irtui.render.completion import completion_script

        script = completion_script(shell, [spec.to_dict() for spec in all_commands()])
    return Result({"shell": shell, "script": script}, view="completion")


def _names() -> list[str]:
    """Return the names of corpora by looking at two folders.

    Asking the engine would import numpy, which takes longer than one waits for a key. What cannot
    be read is left out: this only helps typing.
    """
    import json

    from irengine.config import config_dir, corpora_dir
    from irengine.errors import StoreError

    names: dict[str, None] = {}
    try:
        names |= dict.fromkeys(json.loads((config_dir() / "corpora.json").read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        names = {}
    try:
        folders = sorted(corpora_dir().iterdir())
    except (OSError, StoreError):
        folders = []
    for folder in folders:
        try:
            about = json.loads((folder / "corpus.json").read_text("utf-8"))
            names[str(about.get("name", folder.name))] = None
        except (OSError, ValueError, AttributeError):
            continue
    return list(names)


def _items() -> list[str]:
    """Return the ids of built corpora, as far as reading them takes no longer than typing does.

    The ledgers of the current generations are looked through without an engine; of what is large,
    and of what another format or damage makes unreadable, nothing is offered.
    """
    import json

    from irengine.config import corpora_dir
    from irengine.errors import StoreError

    found: dict[str, None] = {}
    left = _MOST_BYTES
    try:
        currents = sorted(corpora_dir().glob("*/CURRENT.json"))
    except (OSError, StoreError):
        currents = []
    for current in currents:
        ids: dict[bytes, str] = {}
        try:
            names = json.loads(current.read_text("utf-8")).get("ledger", ())
            ledgers = [current.parent / "tables" / str(name) for name in names]
            size = sum(ledger.stat().st_size for ledger in ledgers)
            if size > left:
                continue
            left -= size
            for ledger in ledgers:
                for line in ledger.read_bytes().split(b"\n"):
                    key, _, entry = line.partition(b":\t")
                    ids.pop(key, None)  # a later table has the entry anew, or takes it away
                    if held := _ID.match(entry):
                        ids[key] = json.loads(held[1])
        except (OSError, ValueError, AttributeError, TypeError):
            continue
        found |= dict.fromkeys(ids.values())
    return sorted(found)
