"""``ls``, ``info``, ``register``, ``rm``: which corpora there are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irtui.commands.context import Context
from irtui.commands.definitions import corpus_strategy, kind_params
from irtui.commands.engine import known_names, quoted, unknown
from irtui.commands.options import FETCHER, GLOB, PATTERN, YES
from irtui.commands.policies import POLICY, period_notes, said_policy, upkeep
from irtui.commands.registry import command
from irtui.commands.shapes import CORPORA, INFO, REGISTERED, REMOVED
from irtui.commands.spec import Param, Result, UsageError

if TYPE_CHECKING:
    from irengine.store import CorpusStore

__all__ = ["info", "ls", "register", "rm"]

_NAME = Param("name", "the corpus", "corpus", required=True)


@command(
    "ls",
    "list registered and built corpora",
    output=CORPORA,
    examples=("irtui ls", "irtui ls --json"),
    aliases=("list",),
)
def ls(context: Context) -> Result:
    """Return one line a corpus; a corpus that cannot be read says why."""
    del context
    rows = [_row(name) for name in known_names()]
    notes = [f"{row['name']}: {row['problem']}" for row in rows if row["problem"]]
    if not rows:
        notes.append("nothing here yet: irtui try FOLDER, or irtui register NAME KIND")
    return Result(rows, view="corpora", notes=tuple(notes))


@command(
    "info",
    "show everything about one corpus",
    _NAME,
    output=INFO,
    examples=("irtui info notes",),
)
def info(context: Context, *, name: str) -> Result:
    """Return the definition, policy and state of a corpus, and the languages of its texts."""
    del context
    from irengine.errors import IrError
    from irengine.languages import language_hint
    from irengine.policy import resolve_policy
    from irengine.registry import registered
    from irengine.store import CorpusStore

    names = known_names()
    if name not in names:
        raise unknown(name, names)
    entry = registered().get(name)
    data = _row(name)
    data["registered"] = entry is not None
    data["definition"] = entry
    data["policy"] = resolve_policy(entry).to_dict()
    data["maintenance"] = None if entry is None else upkeep(name)
    notes = []
    store = CorpusStore.local(name)
    if data["built"] and store.path is not None:
        data["folder"] = str(store.path)
        data["bytes"] = sum(_size(file) for file in store.path.rglob("*"))
        data["last_build"] = next(iter(store.builds()[-1:]), None)
        if not data["problem"]:
            with suppress(IrError):  # then ls and verify say what is wrong with it
                hint = language_hint(store)
                data["languages"] = hint.to_dict()
                notes = [advice] if (advice := hint.advice(data["embedder_id"])) else []
    return Result(data, view="info", notes=tuple(notes))


@command(
    "register",
    "define a named corpus (nothing is built yet)",
    Param("name", "what to call it", required=True),
    Param(
        "kind",
        "what it is made of",
        "choice",
        required=True,
        choices=("files", "records", "tools", "skills", "packages", "reports", "sessions"),
    ),
    Param(
        "root",
        "the folder of a corpus of files, sessions, skills or reports",
        "path",
        ("-r", "--root"),
    ),
    PATTERN,
    GLOB,
    FETCHER,
    Param(
        "param",
        "any other parameter of the kind; JSON values are read as such",
        flags=("--param",),
        many=True,
        metavar="KEY=VALUE",
        raw=True,
    ),
    Param("embedder", "what makes its vectors", flags=("-e", "--embedder"), default="default"),
    Param("strategy", 'how items are cut: a name or {"name", "params"}', flags=("--strategy",)),
    *POLICY,
    Param("replace", "replace a definition of that name", "flag", ("--replace",)),
    effect="write",
    output=REGISTERED,
    examples=(
        "irtui register notes files --root ~/notes",
        "irtui register tickets records --fetcher mytools.tickets:fetch --every-hours 6",
        "irtui register wiki files -r wiki --cron '30 4 * * mon-fri' --zone Europe/Berlin",
    ),
)
def register(
    context: Context,
    *,
    name: str,
    kind: str,
    root: str | None,
    pattern: str | None,
    glob: str | None,
    fetcher: str | None,
    param: list[str],
    embedder: str,
    strategy: str | None,
    replace: bool,
    **policy: Any,
) -> Result:
    """Register a corpus definition after checking all of it."""
    del context
    from irengine import registry
    from irengine.errors import FetcherAttributeError, FetcherImportError, ParameterError

    if name in registry.registered() and not replace:
        raise ParameterError(
            f"{name!r} is registered already", hint="give --replace, or another name"
        )
    params = kind_params(kind, param, root=root, pattern=pattern, glob=glob, fetcher=fetcher)
    if kind == "files":
        from irengine.sources import TEXT_PATTERN

        if "root" not in params:
            raise UsageError(
                "a corpus of kind 'files' needs the parameter 'root'",
                hint=f"irtui register {quoted(name)} files --root FOLDER",
            )
        params.setdefault("pattern", TEXT_PATTERN)
    try:
        entry = registry.register(
            name,
            kind,
            embedder=embedder,
            strategy=corpus_strategy(strategy),
            maintenance=said_policy(**policy),
            **params,
        )
    except (FetcherImportError, FetcherAttributeError) as error:
        raise UsageError(error.message, hint=error.hint) from error  # it was misspelt just now
    notes = [f"index it: irtui build {quoted(name)}", *period_notes(entry)]
    if kind == "files" and (advice := _advice(name, embedder)):
        notes.append(advice)
    return Result({"name": name, **entry}, view="registered", notes=tuple(notes))


@command(
    "rm",
    "forget a corpus definition, and with --purge its built data",
    _NAME,
    Param("purge", "also delete what was built", "flag", ("--purge",)),
    YES,
    effect="destroy",
    details="Source files are never touched. --purge asks on a terminal; elsewhere it needs --yes.",
    output=REMOVED,
    examples=("irtui rm notes", "irtui rm notes --purge --yes"),
)
def rm(context: Context, *, name: str, purge: bool, yes: bool) -> Result:
    """Unregister a corpus; delete its built data when asked to."""
    from irengine import registry
    from irengine.store import CorpusStore

    names = known_names()
    if name not in names:
        raise unknown(name, names)
    is_registered, is_built = name in registry.registered(), CorpusStore.local(name).exists
    if not is_registered and not purge:
        raise UsageError(f"{name!r} is only built, not registered", hint="delete it with --purge")
    if purge and is_built:
        if not yes and not context.confirm(f"Delete the index of {name!r}?"):
            raise UsageError("nothing was deleted", hint="--purge needs a yes, or --yes")
        CorpusStore.local(name).delete()
    registry.unregister(name)
    return Result(
        {"name": name, "unregistered": is_registered, "purged": purge and is_built},
        view="removed",
        notes=("its index is kept; --purge would delete it",) if is_built and not purge else (),
    )


def _row(name: str) -> dict[str, Any]:
    from irengine.errors import IrError
    from irengine.registry import registered
    from irengine.store import CorpusStore

    entry = registered().get(name) or {}
    row: dict[str, Any] = {
        "name": name,
        "kind": entry.get("kind"),
        "root": _defined_root(entry),
        "built": False,
        "artifacts": 0,
        "records": 0,
        "embedder": entry.get("embedder"),
        "embedder_id": None,
        "generation": None,
        "problem": None,
        "state": "not built",
    }
    try:
        store = CorpusStore.local(name)
        row["built"] = store.exists
        if not row["built"]:
            return row
        snapshot = store.snapshot()
        row["artifacts"], row["records"] = snapshot.n_artifacts, snapshot.count
        row["generation"] = snapshot.generation
        row["embedder_id"] = snapshot.embedder_id or None
        row["root"], row["state"] = built_state(name, store, entry)
    except IrError as error:
        row["problem"] = error.message
    except OSError as error:
        row["problem"] = f"it cannot be read: {error.strerror or error}"
    if row["problem"]:
        row["state"] = "damaged"
    return row


def built_state(name: str, store: CorpusStore, entry: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return the folder of a built corpus, and ``ready``, ``unfinished`` or ``source missing``.

    ``entry`` is what the registry says of it: nothing when only ``try`` made it.
    """
    root = _defined_root(entry) if entry else _tried_folder(name, store)
    if root and not os.path.exists(root):  # noqa: PTH110 - any text
        return root, "source missing"
    return root, "unfinished" if _unfinished(store, registered=bool(entry)) else "ready"


def _defined_root(entry: Mapping[str, Any]) -> str | None:
    params = entry.get("params")
    return params.get("root") if isinstance(params, dict) else None


def _unfinished(store: CorpusStore, *, registered: bool) -> bool:
    """Whether nothing ended well since a corpus was begun: its first build stopped, or is on."""
    builds = store.builds()
    ended = [build for build in builds if build.get("outcome") == "done"]
    return not ended and (bool(builds) or registered)


def _tried_folder(name: str, store: CorpusStore) -> str | None:
    """Return the folder that ``try`` made this corpus of, if it did."""
    from irtui.commands.try_ import corpus_name

    roots = [root for root in store.get_config().get("roots") or () if isinstance(root, str)]
    return next((root for root in roots if root and corpus_name(Path(root)) == name), None)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0


def _advice(name: str, embedder: str) -> str:
    """Return that a model for other languages would suit the files of a new corpus better."""
    from irengine.errors import IrError
    from irengine.languages import knows_only_english, language_hint
    from irengine.registry import source_for

    if not knows_only_english(embedder):
        return ""
    try:
        return language_hint(source_for(name)).advice(embedder)
    except IrError:
        return ""  # the build says what is wrong with the source
