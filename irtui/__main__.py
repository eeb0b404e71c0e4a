"""``irtui`` and ``python -m irtui``."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line and return its exit status."""
    from irtui.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
