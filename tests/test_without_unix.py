"""Every module can be imported on a system that lacks what only Unix has."""

import os
import subprocess
import sys

IMPORT_ALL = """
import importlib, os, pkgutil, signal, sys
# What others import for themselves is there on any system where they are.
import asyncio, multiprocessing, subprocess, tempfile
import chromadb, onnxruntime, prompt_toolkit, rich, textual.drivers.linux_driver, tokenizers
for name in ("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"):
    sys.modules[name] = None
GONE = {
    os: "O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH WNOHANG fork geteuid getpgrp "
    "killpg mkfifo setsid statvfs tcgetpgrp",
    signal: "SIGALRM SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGWINCH",
}
for module, names in GONE.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
for package in map(importlib.import_module, ("irengine", "irtui")):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
print("all", len([name for name in sys.modules if name.startswith(("irengine", "irtui"))]))
"""


def test_every_module_is_imported():
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    word, number = done.stdout.split()
    assert word == "all" and int(number) > 300
