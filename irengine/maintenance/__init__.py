"""Background work: what is due for which corpus is done once, by one process, and noted.

:func:`maintain_corpus` looks after one corpus, :func:`maintain` after one or all. Whether there
is anything to do is decided by :mod:`irengine.policy`; a corpus is worked on under a lock of its
own, and what was done goes to a log (:func:`runs`).
"""

from irengine.errors import MaintenanceBusy
from irengine.maintenance.lock import LockHolder, corpus_lock, lock_holder, lock_path
from irengine.maintenance.results import MaintenanceResult
from irengine.maintenance.runlog import log_path, runs
from irengine.maintenance.single import DFLT_STALE_LOCK_AFTER, single_run
from irengine.maintenance.state import MaintenanceState
from irengine.maintenance.sweeping import maintain
from irengine.maintenance.working import maintain_corpus

__all__ = [
    "DFLT_STALE_LOCK_AFTER",
    "LockHolder",
    "MaintenanceBusy",
    "MaintenanceResult",
    "MaintenanceState",
    "corpus_lock",
    "lock_holder",
    "lock_path",
    "log_path",
    "maintain",
    "maintain_corpus",
    "runs",
    "single_run",
]
