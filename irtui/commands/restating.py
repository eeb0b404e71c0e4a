"""A registered corpus as text: the command that registers it again, its definition, the list."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from irtui.commands.live import Live
from irtui.commands.runner import run

__all__ = ["FORMS", "register_words", "restated"]

FORMS = {
    "command": "the command that registers it again",
    "json": "its definition, as JSON",
    "all": "the commands that register all corpora again",
    "list": "the list of all corpora, as JSON",
}
_OPTIONS = ("root", "pattern", "fetcher")


def register_words(name: str, entry: Mapping[str, Any]) -> list[str]:
    """Return the command line that defines a corpus as ``entry`` does."""
    words = ["irtui", "register", name, str(entry["kind"])]
    for key, value in (entry.get("params") or {}).items():
        if key in _OPTIONS and isinstance(value, str):
            words += [f"--{key}", value]
        else:
            words += ["--param", f"{key}={_json(value)}"]
    if entry.get("embedder", "default") != "default":
        words += ["--embedder", str(entry["embedder"])]
    if entry.get("strategy") is not None:
        words += ["--strategy", _json(entry["strategy"])]
    return words + _policy_words(entry.get("maintenance") or {})


def _policy_words(policy: Mapping[str, Any]) -> list[str]:
    reindex, synopsis = policy.get("reindex") or {}, policy.get("synopsis") or {}
    words: list[str] = []
    if reindex.get("every_hours") is not None:
        words += ["--every-hours", f"{reindex['every_hours']:g}"]
    if reindex.get("cron") is not None:
        words += ["--cron", str(reindex["cron"])]
    elif reindex.get("on") not in (None, "interval"):
        words += ["--reindex-on", str(reindex["on"])]
    if synopsis.get("enabled"):
        words.append("--synopsis")
        hours = synopsis.get("downtime_hours", ())
        for window in ("any",) if hours is None else [hours] if isinstance(hours, str) else hours:
            words += ["--downtime", str(window)]
    zone = reindex.get("zone") or (synopsis.get("zone") if synopsis.get("enabled") else None)
    return [*words, "--zone", str(zone)] if zone else words


def restated(live: Live, name: str, form: str) -> str:
    """Return a corpus, or all of them, in one of :data:`FORMS`.

    Raises:
        IrError: when the corpus is not registered.
    """
    from irengine import registry

    del live
    if form == "list":
        return _pretty(run("ls").data)
    if form == "all":
        known = registry.registered()
        return "".join(
            f"{shlex.join(register_words(each, registry.get(each)))}\n" for each in sorted(known)
        )
    entry = registry.get(name)
    if form == "json":
        return _pretty({"name": name, **entry})
    return f"{shlex.join(register_words(name, entry))}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
