"""``completion``: scripts that let a shell complete command lines."""

from __future__ import annotations

from irtui.commands.context import Context
from irtui.commands.registry import all_commands, command
from irtui.commands.shapes import COMPLETION
from irtui.commands.spec import Param, Result

__all__ = ["completion"]


@command(
    "completion",
    "print a script that completes command lines in a shell",
    Param(
        "shell",
        "for which shell; corpora prints the names the scripts ask for",
        "choice",
        required=True,
        choices=("bash", "zsh", "fish", "corpora"),
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
    if shell == "corpora":
        script = "".join(f"{name}\n" for name in _names())
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
    return [name for name in names if not set(name) & set("\n\r\t")]
