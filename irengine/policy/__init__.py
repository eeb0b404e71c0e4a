"""When a corpus is rebuilt and whether synopses are written for it, as data.

Three layers, the later beating the earlier key by key: the global default, the default of the
corpus kind, and what a registry entry says. Only what the user said is stored, so a default
that changes reaches every corpus that did not override it.

Everything here is pure: what is due follows from a policy, what was done when, and the time.
"""

from irengine.policy.cron import Cron
from irengine.policy.deciding import (
    CLOCK_SLACK,
    RETRY_AFTER,
    Due,
    due,
    in_downtime,
    is_reindex_due,
    next_downtime,
    synopsis_due,
)
from irengine.policy.defaults import (
    DEFAULTS_BY_KIND,
    GLOBAL_DEFAULT,
    STORAGE_BACKENDS,
    default_policy_for_kind,
    maintenance_spec,
    resolve_policy,
    resolve_storage,
)
from irengine.policy.model import (
    REINDEX_TRIGGERS,
    SYNOPSIS_SCOPES,
    MaintenancePolicy,
    ReindexPolicy,
    SynopsisPolicy,
)
from irengine.policy.windows import Window

__all__ = [
    "CLOCK_SLACK",
    "DEFAULTS_BY_KIND",
    "GLOBAL_DEFAULT",
    "REINDEX_TRIGGERS",
    "RETRY_AFTER",
    "STORAGE_BACKENDS",
    "SYNOPSIS_SCOPES",
    "Cron",
    "Due",
    "MaintenancePolicy",
    "ReindexPolicy",
    "SynopsisPolicy",
    "Window",
    "default_policy_for_kind",
    "due",
    "in_downtime",
    "is_reindex_due",
    "maintenance_spec",
    "next_downtime",
    "resolve_policy",
    "resolve_storage",
    "synopsis_due",
]
