"""The catalog that completion looks into, read in a thread.

Nothing is asked while somebody types: the newest generation of each corpus is read when the prompt
is there, and again after a command that changed something.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from irtui.commands.catalog import Catalog, read_catalog

if TYPE_CHECKING:
    from irtui.shell.session import Session

__all__ = ["Keeper"]


class Keeper:
    """Holds the newest catalog and reads it anew in a thread when asked.

    ``problem`` says why it could not be read.
    """

    def __init__(self, read: Callable[[Callable[[], bool]], Catalog] = read_catalog) -> None:
        self.catalog = Catalog(is_read=False)
        self.problem = ""
        self._read = read
        self._lock = threading.Lock()
        self._again = False
        self._thread: threading.Thread | None = None
        self._stopped = False

    def refresh(self) -> None:
        """Begin to read; when that is going on, do it once more afterwards."""
        with self._lock:
            self._again = True
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._work, daemon=True, name="catalog")
                self._thread.start()

    def refresh_if_changed(self, session: Session) -> None:
        """Begin to read when the session ran a command that may have changed what is there."""
        if session.changed:
            session.changed = False
            self.refresh()

    def stop(self, seconds: float = 1.0) -> None:
        """End the thread, waiting no longer than so long."""
        with self._lock:
            self._stopped, thread = True, self._thread
        if thread is not None:
            thread.join(seconds)

    def wait(self, seconds: float = 10.0) -> None:
        """Wait until what was asked for is read."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._stopped or not self._again:
                    self._thread = None
                    return
                self._again = False
            try:
                self.catalog = self._read(lambda: self._stopped)
            except Exception as error:  # noqa: BLE001 - completion without names is no failure
                self.problem = f"{type(error).__name__}: {error}"
