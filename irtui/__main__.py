"""``irtui`` and ``python -m irtui``."""

from __future__ import annotations

import sys

__all__ = ["main", "shell"]


def main() -> int:
    """Run the command line and return its exit status."""
    from irtui.cli import main as run

    return run()


def shell() -> int:
    """Run the prompt (``irsh``) and return its exit status."""
    from irtui.cli import main as run

    return run(["shell", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
