"""One command, one answer: from the command line, a script, the prompt and inside the process."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from irtui.commands import run
from irtui.commands.arguments import parse_arguments
from irtui.commands.output import split_output
from irtui.commands.registry import all_commands, lookup
from irtui.render.jsonout import to_json
from irtui.results import write_result
from irtui.shell.loop import Runner
from irtui.shell.session import Session
from tests.irengine.eval.test_eval_benchmark import write

LINES = {
    "search": "search -m lexical -c '*' bees year:>2000 -k 2",
    "discover": "discover -c notes cover the fig --level body",
    "show": "show -c notes frost.md --level metadata",
    "expand": "expand -c notes bees.md --whole",
    "explain": "explain -c notes frost.md bees sleep",
    "disclose": "disclose -c notes bees.md frost.md nope",
    "get": "get -c notes 'my note.md' --max-chars 12",
    "multi-get": "multi-get -c notes '*.md' nope.md --lines 2",
    "walk": "walk -c notes dance -d 1 -m lexical",
    "path": "path -c notes bees.md frost.md",
    "similar": "similar -c notes bees.md -n 2",
    "links": "links -c notes bees.md",
    "facets": "facets -c notes tags bees",
    "ls": "ls",
    "info": "info notes",
    "eval": "eval tiny -e light --variant lexical",
    "coverage": "coverage notes",
    "completion": "completion bash",
    "commands": "commands",
    "themes": "themes",
}
TIMES = re.compile(r'"(\w*seconds|\w*_ms|ms|latency\w*|mtime\w*)": [\d.e-]+')


def test_every_command_that_only_reads_is_compared():
    assert set(LINES) == {c.name for c in all_commands() if c.effect == "read"}


@pytest.mark.parametrize("name", LINES)
def test_four_ways_give_the_same_json(name, script, garden, capsys):
    if name == "eval" and not (garden / "tiny").is_dir():
        write(garden / "tiny")
        script(*shlex.split(LINES["eval"]))  # kept figures are the same ever after
    line = f"{LINES[name]} --json"
    words = shlex.split(line)
    cli_status, on_cli, _ = script(*words)

    script_status, in_script, _ = script("-c", line)
    runner = Runner(Session(interactive=True), write_result, lambda question: False)
    prompt_status = runner.run(line)
    at_prompt = capsys.readouterr().out
    command = lookup(words[0])
    arguments, _ = split_output(command, parse_arguments(command, words[1:]))
    result = run(words[0], **arguments)
    inside = to_json(result.data) + "\n"

    texts = [TIMES.sub("", text) for text in (on_cli, in_script, at_prompt, inside)]
    assert json.loads(on_cli)
    assert texts[1:] == texts[:1] * 3
    assert {cli_status, script_status, prompt_status} == {result.status}
    assert TIMES.sub("", script("-c", f"{LINES[name]} | json")[1]) == texts[0]


@pytest.mark.parametrize("name", [command.name for command in all_commands()])
def test_with_json_standard_output_is_empty_when_it_fails(name, script):
    status, shown, said = script(name, "--json", "--nope")
    assert (status, shown) == (2, "")
    assert json.loads(said)["code"] == "usage"


def test_a_line_that_fails_writes_nothing_in_a_script_either(script):
    for line in ("get nope -c notes --json", "search -c nope x | json", "ls --json | where x = 1"):
        status, shown, _ = script("-c", line)
        assert status and shown == ""
