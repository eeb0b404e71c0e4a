"""Run the Chroma checks in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["run_check"]

_SECONDS = 900


def run_check(task: str, folder: Path, pointer: str, **request: Any) -> dict[str, Any]:
    """Run ``irengine.store._check`` and return its answer; a crash is reported as a problem."""
    body = {"task": task, "folder": str(folder), "pointer": pointer, **request}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "irengine.store._check"],
            input=json.dumps(body).encode(),
            capture_output=True,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"problems": [f"the check could not run: {error}"]}
    if done.returncode == 0:
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer
    if done.returncode < 0:
        return {"problems": [f"Chroma crashed the check (signal {-done.returncode})"]}
    last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    return {"problems": [f"the check failed: {''.join(last)}"]}
