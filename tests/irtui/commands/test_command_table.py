"""The table of commands is complete and consistent with its handlers."""

import inspect
import json
import shlex
import subprocess
import sys

import pytest

from irtui.commands.arguments import parse_arguments
from irtui.commands.registry import all_commands, lookup
from irtui.commands.spec import UsageError
from irtui.render.help import command_help, overview

COMMANDS = {command.name: command for command in all_commands()}


def test_the_order_of_help_is_that_of_use():
    assert list(COMMANDS)[:3] == ["try", "search", "discover"]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
class TestEveryCommand:
    def test_its_handler_takes_its_parameters(self, command):
        taken = inspect.signature(command.handler).parameters
        names = {param.name for param in command.params}
        if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in taken.values()):
            assert names == set(taken) - {"context"}
        assert len(names) == len(command.params)

    def test_no_flag_is_declared_twice(self, command):
        flags = [flag for param in command.every_param for flag in param.flags]
        names = [param.name for param in command.every_param]
        assert len(names) == len(set(names))
        assert len(flags) == len(set(flags))
        assert not {"-h", "--help"} & set(flags)

    def test_it_speaks_every_format(self, command):
        flags = {flag for param in command.every_param for flag in param.flags}
        assert {"--json", "--jsonl", "--csv", "--tsv", "--md", "--fields", "--quiet"} <= flags
        assert ("--files" in flags) == bool(command.output.file)

    def test_it_declares_the_shape_of_its_data(self, command):
        shape = command.output
        assert shape.columns
        assert set(shape.columns) <= set(shape.fields)
        assert {shape.file, shape.text, shape.full_text} - {""} <= set(shape.fields)
        assert shape.schema >= 1

    def test_its_examples_parse(self, command):
        assert command.examples
        for example in command.examples:
            program, name, *words = shlex.split(example)
            assert (program, lookup(name)) == ("irtui", command)
            parse_arguments(command, words)

    def test_its_help_names_everything(self, command):
        text = command_help(command.to_dict())
        for param in command.every_param:
            for word in param.flags or (param.value_name,):
                assert word in text
        assert max(map(len, text.splitlines())) <= 100

    def test_its_specification_is_json(self, command):
        assert json.loads(json.dumps(command.to_dict())) == command.to_dict()


def test_a_command_line_imports_the_module_of_its_command_and_no_other():
    code = (
        "import sys; from irtui.commands.registry import lookup; lookup('ls'); "
        "print([m for m in sys.modules if m in ('irtui.commands.eval', 'irtui.commands.corpora')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['irtui.commands.corpora']"
    assert len(COMMANDS) == len({c.handler for c in COMMANDS.values()})


def test_the_overview_lists_every_command():
    text = overview([command.to_dict() for command in COMMANDS.values()])
    assert all(f"  {name} " in text for name in COMMANDS)


def test_aliases_lead_to_the_same_command():
    assert lookup("list") is lookup("ls")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("serch", "search"), ("index", "build"), ("find", "search"), ("add", "register")],
)
def test_an_unknown_command_has_a_suggestion(word, meant):
    with pytest.raises(UsageError) as caught:
        lookup(word)
    assert caught.value.hint == f"did you mean {meant}?"


def test_what_is_missing_is_explained_with_an_example():
    with pytest.raises(UsageError) as caught:
        parse_arguments(lookup("register"), ["notes"])
    assert caught.value.message == "KIND is missing"
    assert "KIND is one of files, " in caught.value.hint
    assert "for example: irtui register notes files --root" in caught.value.hint
    with pytest.raises(UsageError) as caught:
        parse_arguments(lookup("register"), ["notes", "files", "somewhere"])
    assert "for example: irtui register" in caught.value.hint
