"""``edit``: change the definition of a registered corpus, and say what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.commands.context import Context
from irtui.commands.definitions import corpus_strategy, kind_params
from irtui.commands.engine import known_names, quoted, unknown
from irtui.commands.options import EMBEDDER, FETCHER, GLOB, PATTERN
from irtui.commands.policies import POLICY, edited_policy, period_notes, upkeep
from irtui.commands.registry import command
from irtui.commands.shapes import EDITED
from irtui.commands.spec import Param, Result, UsageError

__all__ = ["edit"]


@command(
    "edit",
    "change the definition of a corpus: policy, embedder, parameters",
    Param("name", "the corpus", "corpus", required=True),
    *POLICY,
    Param("no_synopsis", "write no synopses any more", "flag", ("--no-synopsis",)),
    Param(
        "default_policy", "forget what was said about maintenance", "flag", ("--default-policy",)
    ),
    EMBEDDER,
    Param(
        "strategy",
        """how items are cut: a name or {"name", "params"}; 'default' for that of the kind""",
        flags=("--strategy",),
    ),
    Param("root", "where the folder is now", "path", ("-r", "--root")),
    PATTERN,
    GLOB,
    FETCHER,
    Param(
        "param",
        "any other parameter of the kind; KEY=null takes it away; may be repeated",
        flags=("--param",),
        many=True,
        metavar="KEY=VALUE",
        raw=True,
    ),
    effect="write",
    details=(
        "What is not given stays as it is, but --reindex-on, --every-hours and --cron replace "
        "each other. Nothing is built: what has to follow is said, and in next_step for programs. "
        "Until a build with --switch-embedder an index keeps the vectors it has."
    ),
    output=EDITED,
    examples=(
        "irtui edit notes --cron '30 4 * * mon-fri' --zone Europe/Berlin",
        "irtui edit notes --embedder multilingual",
        "irtui edit notes --reindex-on manual --param hidden=true --json",
    ),
)
def edit(
    context: Context,
    *,
    name: str,
    no_synopsis: bool,
    default_policy: bool,
    embedder: str | None,
    strategy: str | None,
    root: str | None,
    pattern: str | None,
    glob: str | None,
    fetcher: str | None,
    param: list[str],
    **policy: Any,
) -> Result:
    """Change what is given of a definition, and tell what changed and what has to follow."""
    del context
    from irengine import registry
    from irengine.errors import FetcherAttributeError, FetcherImportError
    from irengine.registry.changing import change

    if name not in registry.registered():
        raise _not_registered(name)
    before = registry.get(name)
    said = edited_policy(before, no_synopsis=no_synopsis, forget=default_policy, **policy)
    kind = str(before["kind"])
    params = kind_params(kind, param, root=root, pattern=pattern, glob=glob, fetcher=fetcher)
    if said is None and not params and embedder is None and strategy is None:
        raise UsageError("nothing to change was given", hint="irtui edit --help lists what can be")
    try:
        after = change(
            name,
            embedder=embedder,
            strategy={} if strategy == "default" else corpus_strategy(strategy),
            maintenance=said,
            params=params or None,
        )
    except (FetcherImportError, FetcherAttributeError) as error:
        raise UsageError(error.message, hint=error.hint) from error  # it was misspelt just now
    changed = _changed(before, after)
    step, notes = _consequence(name, changed, after)
    if said is not None:
        notes += period_notes(after)
    data = {
        "name": name,
        **after,
        "changed": changed,
        "next_step": step,
        "upkeep": upkeep(name) if said is not None else None,
    }
    return Result(data, view="edited", notes=tuple(notes))


def _not_registered(name: str) -> Exception:
    from irengine.errors import CorpusNotFound

    names = known_names()
    if name not in names:
        return unknown(name, names)
    return CorpusNotFound(
        f"{name!r} is only built, not registered, so there is no definition to change",
        hint=f"irtui register {quoted(name)} KIND",
    )


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return ``{part: {"from", "to"}}`` of what differs; parameters each for itself."""
    pairs = {part: (before.get(part), after.get(part)) for part in ("embedder", "strategy")}
    for part in ("params", "maintenance"):
        old, new = _flat(part, before), _flat(part, after)
        pairs |= {key: (old.get(key), new.get(key)) for key in [*old, *new]}
    return {key: {"from": old, "to": new} for key, (old, new) in pairs.items() if old != new}


def _flat(part: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in (entry.get(part) or {}).items():
        if part == "maintenance" and isinstance(value, Mapping):
            found |= {f"{key}.{inner}": said for inner, said in value.items()}
        else:
            found[key] = value
    return found


def _consequence(
    name: str, changed: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[str | None, list[str]]:
    """Return the command that makes an index follow its definition, and why it is needed."""
    from irengine.store import CorpusStore

    if not changed:
        return None, ["it was so already: nothing is changed"]
    store = CorpusStore.local(name)
    parts = {key for key in changed if not key.startswith(("reindex.", "synopsis."))}
    if not store.exists or not parts:
        step = f"irtui build {quoted(name)}" if not store.exists else None
        return step, [f"index it: {step}"] if step else []
    build = f"irtui build {quoted(name)}"
    notes = []
    spec = str(after["embedder"])
    if "embedder" in parts or spec != "default":  # left at its default it is no request
        from irengine.embed import embedder_id_for

        if embedder_id_for(spec) != store.get_config().get("embedder_id"):
            ask = " -e default" if spec == "default" else ""
            build += f"{ask} --switch-embedder"
            notes.append(
                f"all {len(store):,} texts need new vectors: {build}; until then the old ones "
                "answer" + ("" if spec == "default" else ", and maintenance of it fails")
            )
        elif parts == {"embedder"}:
            return None, ["its index has the vectors of that embedder already"]
    if parts - {"embedder"}:
        notes.append(f"its index follows with the next build: {build}")
    return build, notes
