"""Reading needs no engine: a prompt and ``--help`` must not wait for numpy."""

from __future__ import annotations

import subprocess
import sys

READ_ONLY = """
import sys
from irtui.grammar import filter_option, parse_line, parse_query, print_query, print_statement
print_statement(parse_line('x = discover "bees" | where a > 1 and b ~ c | head 3').statement)
print_query(parse_query('bees -wasps year:2020..2024 has:date'))
filter_option('{"year": 2024}')
heavy = {"numpy", "chromadb", "rich", "prompt_toolkit", "irengine.retrieve"} & set(sys.modules)
sys.exit(", ".join(sorted(heavy)) or 0)
"""


def test_reading_and_printing_load_neither_numpy_nor_a_user_interface():
    done = subprocess.run([sys.executable, "-c", READ_ONLY], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
