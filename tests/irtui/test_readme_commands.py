"""The README's table of commands is that of the program."""

from pathlib import Path

from irtui.commands.registry import all_commands
from irtui.render.help import command_table

README = Path(__file__).parents[2] / "README.md"


def test_the_table_is_complete_and_true():
    table = command_table([command.to_dict() for command in all_commands()])
    assert table in README.read_text(encoding="utf-8")
